//! In which state is a job, and what follows?
//!
//! The transitions of BOINC's `transitioner.cpp`, to the letter, without a clock, messages or other
//! jobs: [`JobState::transition`] looks at one job as of some instant and says what has to be done.
//! The strict inequalities matter: a deadline that is *now* has not passed, and `max_error_results`
//! failures are not too many.

use kernel::{Address, SimDuration, SimTime};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::volunteer::host::{Host, SpeedClass};
use crate::volunteer::job::{ErrorMask, Outcome, Output, Validity};
use crate::volunteer::messages::{Candidate, Judgement, Verdict};
use crate::volunteer::replication::Extent;
use crate::volunteer::scenario::Jobs;

/// A job and its instances.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct JobState {
    /// When it was created.
    pub(super) created: SimTime,
    /// The deadline for which a timer is running; `NEVER` if none is.
    pub(super) timer: SimTime,
    instances: SmallVec<[Instance; 4]>,
    target: u8,
    quorum: u8,
    /// No check of what is there before this; a new report ends the wait.
    check_after: SimTime,
    error_mask: ErrorMask,
    canonical: Option<u8>,
    assimilation: Assimilation,
    /// A check is under way at the validator.
    checking: bool,
    /// The scheduler has been asked to withdraw what is unsent.
    withdrawing: bool,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
struct Instance {
    state: State,
    validity: Validity,
    output: Output,
    host: Address<Host>,
    /// How fast the host is.
    speed: SpeedClass,
    sent: SimTime,
    received: SimTime,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum State {
    Unsent,
    InProgress,
    Over(Outcome),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Assimilation {
    Init,
    Ready,
    Done,
}

/// What follows from a transition.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Steps {
    /// Instances that have just timed out.
    pub(super) timed_out: SmallVec<[TimedOut; 2]>,
    /// How many further instances to create.
    pub(super) create: u8,
    /// Whether all instances before those have failed, so that others need not be like them.
    pub(super) free_platform: bool,
    /// Whether unsent instances are to be withdrawn.
    pub(super) withdraw: bool,
    /// Results to validate, with the canonical output if there is one.
    pub(super) validate: Option<(Option<Output>, SmallVec<[Candidate; 4]>)>,
    /// How many results nobody will check, because the job has failed.
    pub(super) not_checked: u32,
    /// The job is decided, with this error mask.
    pub(super) assimilate: Option<ErrorMask>,
    /// Everything is over.
    pub(super) delete: bool,
    /// How many output files there are then.
    pub(super) outputs: u32,
    /// How many successful results it takes before they are compared.
    pub(super) quorum: u8,
    /// When to look at the job again: at the earliest deadline of instances in progress, or when a
    /// check that was put off is due.
    pub(super) next_look: Option<SimTime>,
}

/// An instance that has timed out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct TimedOut {
    pub(super) number: u8,
    pub(super) host: Address<Host>,
}

/// How a report was taken.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum ReportTaken {
    /// The instance was in progress.
    InTime {
        /// Whose it was.
        host: Address<Host>,
        /// From dispatch to report.
        latency: SimDuration,
    },
    /// It had been given up.
    Late,
    /// It was over already.
    Ignored,
}

/// How many instances there are of each kind (step 3 of the transitioner).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Count {
    unsent: u32,
    in_progress: u32,
    success: u32,
    errors: u32,
    new_success: u32,
}

impl JobState {
    /// A job with as many unsent instances as are its target.
    pub(super) fn new(extent: Extent, created: SimTime) -> Self {
        let Extent { target, quorum } = extent;
        JobState {
            created,
            timer: SimTime::NEVER,
            instances: (0..target).map(|_| Instance::unsent()).collect(),
            target,
            quorum,
            check_after: SimTime::START,
            error_mask: ErrorMask::default(),
            canonical: None,
            assimilation: Assimilation::Init,
            checking: false,
            withdrawing: false,
        }
    }

    /// The job is to have more instances, and a larger quorum.
    pub(super) fn extend(&mut self, extent: Extent) {
        self.target = self.target.max(extent.target);
        self.quorum = self.quorum.max(extent.quorum);
    }

    /// An instance was sent to a host.
    pub(super) fn dispatch(
        &mut self,
        number: u8,
        host: Address<Host>,
        speed: SpeedClass,
        sent: SimTime,
    ) {
        let instance = self.instance_mut(number);
        assert_eq!(
            instance.state,
            State::Unsent,
            "an instance is dispatched once"
        );
        instance.state = State::InProgress;
        instance.host = host;
        instance.speed = speed;
        instance.sent = sent;
    }

    /// A host has reported an instance. One that has timed out is accepted all the same.
    pub(super) fn report(
        &mut self,
        number: u8,
        outcome: Outcome,
        output: Output,
        received: SimTime,
    ) -> ReportTaken {
        let instance = self.instance_mut(number);
        let taken = match instance.state {
            State::InProgress => ReportTaken::InTime {
                host: instance.host,
                latency: received.saturating_since(instance.sent),
            },
            State::Over(Outcome::NoReply) => ReportTaken::Late,
            State::Over(_) | State::Unsent => return ReportTaken::Ignored,
        };
        instance.state = State::Over(outcome);
        instance.output = output;
        instance.received = received;
        self.check_after = SimTime::START;
        taken
    }

    /// The scheduler has withdrawn an unsent instance.
    pub(super) fn withdraw(&mut self, number: u8) {
        let instance = self.instance_mut(number);
        assert_eq!(
            instance.state,
            State::Unsent,
            "only unsent instances are withdrawn"
        );
        instance.state = State::Over(Outcome::DidntNeed);
    }

    /// The scientists have taken over.
    pub(super) fn assimilated(&mut self) {
        self.assimilation = Assimilation::Done;
    }

    /// What the validator has found: a canonical instance; or, if there is no quorum of equal
    /// results, one more instance is wanted than there are viable results.
    /// Results that could not be read are looked at again at `again_at`.
    pub(super) fn take_verdict(&mut self, verdict: &Verdict, rules: &Jobs, again_at: SimTime) {
        self.checking = false;
        if verdict.retry {
            self.check_after = again_at;
        }
        let mut viable = 0;
        for &(number, judgement) in &verdict.judged {
            let instance = self.instance_mut(number);
            match judgement {
                Judgement::Found(validity) => instance.validity = validity,
                Judgement::Unreadable => {
                    instance.validity = Validity::Invalid;
                    instance.state = State::Over(Outcome::ValidateError);
                }
            }
            viable += u32::from(instance.validity == Validity::Inconclusive);
        }
        if self.canonical.is_some() {
            return;
        }
        self.canonical = verdict.canonical;
        if self.canonical.is_none() && !verdict.retry {
            if viable > rules.max_success_results {
                self.error_mask.0 |= ErrorMask::TOO_MANY_SUCCESSES;
            }
            if viable >= u32::from(self.target) {
                self.target = viable as u8 + 1;
            }
        }
    }

    /// Whether wrong outputs have won.
    pub(super) fn canonical_is_wrong(&self) -> bool {
        self.canonical
            .is_some_and(|number| !self.instances[usize::from(number)].output.is_right())
    }

    /// Takes the job to its next state, as of an instant up to which everything is known.
    pub(super) fn transition(&mut self, rules: &Jobs, as_of: SimTime) -> Steps {
        let mut steps = Steps::default();
        self.time_out(rules, as_of, &mut steps);
        let count = self.count();
        // While the validator is at it, nothing is decided against the job: it may have a canonical
        // instance already.
        if self.canonical.is_none() && !self.checking {
            self.find_errors(rules, count);
        }
        if !self.error_mask.is_empty() {
            self.give_up(&mut steps);
        } else {
            self.want_validation(as_of, count, &mut steps);
            if self.canonical.is_none() {
                steps.free_platform = self.all_failed(count);
                steps.create = self.create_instances(rules, count);
                steps.free_platform &= steps.create > 0;
            }
        }
        let decided = self.canonical.is_some() || !self.error_mask.is_empty();
        if decided {
            if count.unsent > 0 && !self.withdrawing {
                self.withdrawing = true;
                steps.withdraw = true;
            }
            if self.assimilation == Assimilation::Init {
                self.assimilation = Assimilation::Ready;
                steps.assimilate = Some(self.error_mask);
            }
        }
        steps.delete = self.is_over();
        let outputs = self.instances.iter().filter(|i| i.is_success());
        steps.outputs = outputs.count() as u32;
        let in_progress = self
            .instances
            .iter()
            .filter(|i| i.state == State::InProgress);
        let put_off = (self.check_after > as_of).then_some(self.check_after);
        let deadlines = in_progress.map(|i| i.deadline(rules));
        steps.next_look = deadlines.chain(put_off).min();
        steps
    }

    fn time_out(&mut self, rules: &Jobs, as_of: SimTime, steps: &mut Steps) {
        for (number, instance) in (0..).zip(&mut self.instances) {
            if instance.state == State::InProgress && instance.deadline(rules) < as_of {
                instance.state = State::Over(Outcome::NoReply);
                steps.timed_out.push(TimedOut {
                    number,
                    host: instance.host,
                });
            }
        }
    }

    /// Timeouts do not count as errors.
    fn count(&self) -> Count {
        let mut count = Count::default();
        for instance in &self.instances {
            match instance.state {
                State::Unsent => count.unsent += 1,
                State::InProgress => count.in_progress += 1,
                State::Over(Outcome::Success) => {
                    count.success += u32::from(instance.validity != Validity::Invalid);
                    count.new_success += u32::from(instance.validity == Validity::Init);
                }
                State::Over(Outcome::ClientError | Outcome::ValidateError) => count.errors += 1,
                State::Over(Outcome::NoReply | Outcome::DidntNeed) => {}
            }
        }
        count
    }

    fn find_errors(&mut self, rules: &Jobs, count: Count) {
        if count.errors > rules.max_error_results {
            self.error_mask.0 |= ErrorMask::TOO_MANY_ERRORS;
        }
        let allowed = i64::from(rules.max_total_results) - self.instances.len() as i64;
        if allowed < 0 || (allowed == 0 && self.needed(count) > 0) {
            self.error_mask.0 |= ErrorMask::TOO_MANY_TOTAL;
        }
    }

    /// Whether some have failed, and no other might still succeed: one that timed out might.
    fn all_failed(&self, count: Count) -> bool {
        let lost = State::Over(Outcome::NoReply);
        let lost = self.instances.iter().any(|instance| instance.state == lost);
        count.errors > 0 && count.success + count.in_progress == 0 && !lost
    }

    fn needed(&self, count: Count) -> u32 {
        u32::from(self.target).saturating_sub(count.unsent + count.in_progress + count.success)
    }

    fn create_instances(&mut self, rules: &Jobs, count: Count) -> u8 {
        let allowed = rules.max_total_results - self.instances.len() as u32;
        let create = self.needed(count).min(allowed) as u8;
        for _ in 0..create {
            self.instances.push(Instance::unsent());
        }
        create
    }

    fn give_up(&mut self, steps: &mut Steps) {
        for instance in &mut self.instances {
            let open = matches!(instance.validity, Validity::Init | Validity::Inconclusive);
            if instance.is_success() && open {
                instance.validity = Validity::NoCheck;
                steps.not_checked += 1;
            }
        }
    }

    fn want_validation(&mut self, as_of: SimTime, count: Count, steps: &mut Steps) {
        // A later result is compared with the canonical one even if, with the invalid ones gone,
        // the successes are fewer than a quorum again: else it would never be over.
        let enough = count.success >= u32::from(self.quorum) || self.canonical.is_some();
        let put_off = as_of < self.check_after;
        if self.checking || put_off || count.new_success == 0 || !enough {
            return;
        }
        self.checking = true;
        steps.quorum = self.quorum;
        let canonical = self
            .canonical
            .map(|number| self.instances[usize::from(number)].output);
        let wanted = |instance: &Instance| match canonical {
            Some(_) => instance.validity == Validity::Init,
            None => instance.validity != Validity::Invalid,
        };
        let results = (0..)
            .zip(&self.instances)
            .filter(|(_, instance)| instance.is_success() && wanted(instance))
            .map(|(number, instance)| Candidate {
                number,
                output: instance.output,
                host: instance.host,
                speed: instance.speed,
                sent: instance.sent,
                received: instance.received,
            })
            .collect();
        steps.validate = Some((canonical, results));
    }

    /// Whether nothing can happen to the job any more, but a result that is too late.
    fn is_over(&self) -> bool {
        let settled = |instance: &Instance| match instance.state {
            State::Over(Outcome::Success) => instance.validity != Validity::Init,
            State::Over(_) => true,
            State::Unsent | State::InProgress => false,
        };
        self.assimilation == Assimilation::Done
            && !self.checking
            && self.instances.iter().all(settled)
    }

    /// How long after the job's creation all of its instances had been reported or had timed out,
    /// if they have. What was never sent does not count.
    pub(super) fn settled(&self, rules: &Jobs) -> SimDuration {
        let ended = self
            .instances
            .iter()
            .filter_map(|instance| match instance.state {
                State::Over(Outcome::DidntNeed) | State::Unsent => None,
                State::Over(Outcome::NoReply) | State::InProgress => Some(instance.deadline(rules)),
                // One that is reported after its deadline had timed out before.
                State::Over(_) => Some(instance.received.min(instance.deadline(rules))),
            });
        ended
            .max()
            .unwrap_or(self.created)
            .saturating_since(self.created)
    }

    fn instance_mut(&mut self, number: u8) -> &mut Instance {
        &mut self.instances[usize::from(number)]
    }
}

impl Instance {
    fn unsent() -> Self {
        Instance {
            state: State::Unsent,
            validity: Validity::Init,
            output: Output::MISSING,
            host: Address::new(kernel::ActorId(u32::MAX)),
            speed: SpeedClass::default(),
            sent: SimTime::START,
            received: SimTime::START,
        }
    }

    fn is_success(&self) -> bool {
        self.state == State::Over(Outcome::Success)
    }

    fn deadline(&self, rules: &Jobs) -> SimTime {
        self.sent + rules.delay_bound.span()
    }
}

#[cfg(test)]
mod tests;
