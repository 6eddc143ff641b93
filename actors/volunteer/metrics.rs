//! What did the run find? Facts to the figures of the document (section 5.2).
//!
//! Everything is counted in integers, so that it does not matter in which order partitions are
//! merged. An instance is always in exactly one state; each fact moves it from one to another.

use std::sync::Arc;

use kernel::{ActorId, Linked, Observer, OtherKind, Saved, SimDuration, SimTime};
use serde::{Deserialize, Serialize};

use super::actor::VolunteerActor;
use super::facts::Fact;
use super::host::{Class, SpeedClass};
use super::job::Outcome;
use super::population;
use super::project::Project;
use super::scenario::Scenario;
use crate::shared::tally::{CountSeries, DurationHistogram, LevelSeries};

mod counts;
mod disk;
mod gauges;
mod report;
mod touch;

use counts::{ByClass, BySpeed, Counts};
use disk::Disk;
use touch::Touch;

/// Watches a run and counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Metrics {
    setting: Linked<Setting>,
    hosts_active: LevelSeries,
    hosts_on: LevelSeries,
    touch: Touch,
    disk: Disk,
    instances: [LevelSeries; STATES],
    dispatched: CountSeries,
    jobs_completed: CountSeries,
    bytes_down: CountSeries,
    bytes_up: CountSeries,
    requests: CountSeries,
    /// By classes of speed.
    credit_lag: [DurationHistogram; SPEEDS],
    latency: DurationHistogram,
    time_to_canonical: DurationHistogram,
    job_lifetime: DurationHistogram,
    job_settled: DurationHistogram,
    connect_interval: DurationHistogram,
    download_time: DurationHistogram,
    counts: Counts,
    classes: [ByClass; CLASSES],
    speeds: [BySpeed; SPEEDS],
}

/// What is needed to know of which class a host is.
#[derive(Debug)]
struct Setting {
    scenario: Scenario,
    first_host: u32,
    hosts_at_start: u32,
}

const CLASSES: usize = Class::ALL.len();

/// The states an instance is in, one at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Unsent,
    InProgress,
    Pending,
    Valid,
    Invalid,
    NotChecked,
    TooLate,
    Error,
    NoReply,
    DidntNeed,
}

const STATES: usize = 10;

const SPEEDS: usize = SpeedClass::COUNT;

impl Saved for Metrics {
    fn relink(&mut self, fresh: &Self) -> Result<(), OtherKind> {
        self.setting.relink(&fresh.setting);
        Ok(())
    }
}

impl Metrics {
    /// Nothing seen yet of a run of this scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let interval = scenario.record.interval.span();
        let level = || LevelSeries::new(interval);
        let count = || CountSeries::new(interval);
        Metrics {
            setting: Linked::from(Arc::new(Setting {
                scenario: scenario.settled(),
                first_host: Project::new(scenario, 1.0).first_host(),
                hosts_at_start: population::hosts_at_start(scenario),
            })),
            hosts_active: level(),
            hosts_on: level(),
            touch: Touch::new(interval),
            disk: Disk::new(interval),
            instances: std::array::from_fn(|_| level()),
            dispatched: count(),
            jobs_completed: count(),
            bytes_down: count(),
            bytes_up: count(),
            requests: count(),
            credit_lag: std::array::from_fn(|_| DurationHistogram::new()),
            latency: DurationHistogram::new(),
            time_to_canonical: DurationHistogram::new(),
            job_lifetime: DurationHistogram::new(),
            job_settled: DurationHistogram::new(),
            connect_interval: DurationHistogram::new(),
            download_time: DurationHistogram::new(),
            counts: Counts::default(),
            classes: [ByClass::default(); CLASSES],
            speeds: [BySpeed::default(); SPEEDS],
        }
    }

    fn class_mut(&mut self, host: ActorId) -> &mut ByClass {
        let setting = &self.setting;
        let at_start = host.0 - setting.first_host < setting.hosts_at_start;
        let class = population::class(&setting.scenario, host, at_start);
        &mut self.classes[class as usize]
    }

    fn speed_mut(&mut self, mflop_per_s: u32) -> &mut BySpeed {
        &mut self.speeds[SpeedClass::of(mflop_per_s).place()]
    }

    fn step(&mut self, time: SimTime, state: State, step: i64) {
        self.instances[state as usize].step(time, step);
    }

    fn move_instance(&mut self, time: SimTime, from: State, to: State) {
        self.step(time, from, -1);
        self.step(time, to, 1);
    }

    fn on_host_fact(&mut self, time: SimTime, actor: ActorId, fact: &Fact) {
        match *fact {
            Fact::HostJoined {
                on,
                mflop_per_s,
                cores,
                connect_interval,
            } => {
                self.connect_interval.record(connect_interval);
                self.hosts_active.step(time, 1);
                self.hosts_on.step(time, i64::from(on));
                self.class_mut(actor).joined += 1;
                let speed = self.speed_mut(mflop_per_s);
                speed.joined += 1;
                speed.cores += u64::from(cores);
            }
            Fact::HostLeft { on, instances } => {
                self.hosts_active.step(time, -1);
                self.hosts_on.step(time, -i64::from(on));
                self.counts.hosts_left += 1;
                self.counts.instances_lost_with_hosts += u64::from(instances);
            }
            Fact::HostSwitchedOn => self.hosts_on.step(time, 1),
            Fact::HostSwitchedOff => self.hosts_on.step(time, -1),
            Fact::HostServed { instances, wanted } => {
                self.counts.requests_for_work += u64::from(wanted);
                self.counts.requests_in_vain += u64::from(wanted && instances == 0);
            }
            Fact::ComputationEnded {
                computed,
                mflop_per_s,
                outcome,
            } => {
                let failed = outcome != Outcome::Success;
                let nanos = u128::from(computed.nanos());
                self.counts.computed_nanos += nanos;
                self.counts.wasted_nanos += if failed { nanos } else { 0 };
                let speed = self.speed_mut(mflop_per_s);
                speed.computed += 1;
                speed.failed += u64::from(failed);
            }
            _ => {}
        }
    }

    fn on_job_fact(&mut self, time: SimTime, fact: &Fact) {
        match *fact {
            Fact::RequestHandled { .. } => self.requests.add(time, 1),
            Fact::NothingToSend => self.counts.nothing_to_send += 1,
            Fact::QuotaReached => self.counts.quota_reached += 1,
            Fact::HostAdmitted => self.counts.hosts_admitted += 1,
            Fact::HostRefused => self.counts.hosts_refused += 1,
            Fact::FileOpened => self.counts.files_opened += 1,
            Fact::FileRetired => self.counts.files_retired += 1,
            Fact::JobCreated => self.counts.jobs_created += 1,
            Fact::JobExtended => self.counts.jobs_extended += 1,
            Fact::JobFailed { .. } => self.counts.jobs_failed += 1,
            Fact::JobRetired { lifetime, settled } => {
                self.counts.jobs_retired += 1;
                self.job_lifetime.record(lifetime);
                self.job_settled.record(settled);
            }
            Fact::JobAssimilated { .. } => self.counts.jobs_assimilated += 1,
            Fact::CheckInconclusive => self.counts.inconclusive_checks += 1,
            Fact::CheckPutOff => self.counts.checks_put_off += 1,
            Fact::CanonicalFound { after, wrong } => {
                self.jobs_completed.add(time, 1);
                self.time_to_canonical.record(after);
                self.counts.wrong_canonicals += u64::from(wrong);
            }
            Fact::Downloaded { bytes, took } => {
                self.counts.downloads += 1;
                self.bytes_down.add(time, bytes);
                self.download_time.record(took);
            }
            Fact::Uploaded { bytes, .. } => self.bytes_up.add(time, bytes),
            _ => {}
        }
    }

    fn on_instance_fact(&mut self, time: SimTime, fact: &Fact) {
        match *fact {
            Fact::InstancesCreated { count } => {
                self.counts.instances_created += u64::from(count);
                self.step(time, State::Unsent, i64::from(count));
            }
            Fact::InstanceDispatched => {
                self.dispatched.add(time, 1);
                self.move_instance(time, State::Unsent, State::InProgress);
            }
            Fact::InstanceWithdrawn => self.move_instance(time, State::Unsent, State::DidntNeed),
            Fact::InstanceOver { outcome, host, .. } => self.instance_over(time, outcome, host),
            Fact::LateReportAccepted { outcome } => {
                self.counts.late_reports += 1;
                self.move_instance(time, State::NoReply, self.reported(outcome));
            }
            Fact::ResultTooLate => {
                self.counts.too_late += 1;
                self.move_instance(time, State::NoReply, State::TooLate);
            }
            Fact::ResultNotChecked => self.move_instance(time, State::Pending, State::NotChecked),
            Fact::ResultValid {
                host,
                credit_lag,
                latency,
                speed,
                needed,
            } => {
                self.credit_lag[speed.place()].record(credit_lag);
                self.counts.valid_needed += u64::from(needed);
                self.latency.record(latency);
                self.class_mut(host).valid += 1;
                self.move_instance(time, State::Pending, State::Valid);
            }
            Fact::ResultInvalid { host, unreadable } => {
                self.class_mut(host).invalid += 1;
                self.counts.validate_errors += u64::from(unreadable);
                let state = if unreadable {
                    State::Error
                } else {
                    State::Invalid
                };
                self.move_instance(time, State::Pending, state);
            }
            _ => {}
        }
    }

    fn instance_over(&mut self, time: SimTime, outcome: Outcome, host: ActorId) {
        let class = self.class_mut(host);
        match outcome {
            Outcome::Success => class.successes += 1,
            Outcome::NoReply => class.timeouts += 1,
            _ => class.errors += 1,
        }
        match outcome {
            Outcome::Success => self.counts.successes += 1,
            Outcome::NoReply => self.counts.timeouts += 1,
            _ => self.counts.client_errors += 1,
        }
        self.move_instance(time, State::InProgress, self.reported(outcome));
    }

    fn reported(&self, outcome: Outcome) -> State {
        match outcome {
            Outcome::Success => State::Pending,
            Outcome::NoReply => State::NoReply,
            Outcome::DidntNeed => State::DidntNeed,
            Outcome::ClientError | Outcome::ValidateError => State::Error,
        }
    }

    fn in_state(&self, state: State) -> u64 {
        u64::try_from(self.instances[state as usize].last())
            .expect("no state holds fewer than no instances")
    }
}

impl Observer<VolunteerActor> for Metrics {
    #[inline]
    fn on_fact(&mut self, time: SimTime, actor: ActorId, fact: &Fact) {
        self.on_host_fact(time, actor, fact);
        self.on_job_fact(time, fact);
        self.on_instance_fact(time, fact);
        self.touch.on_fact(time, fact);
        self.disk.on_fact(time, fact);
    }

    fn merge(&mut self, other: Self) {
        self.hosts_active.merge(&other.hosts_active);
        self.hosts_on.merge(&other.hosts_on);
        self.touch.merge(&other.touch);
        self.disk.merge(&other.disk);
        for (mine, its) in self.instances.iter_mut().zip(&other.instances) {
            mine.merge(its);
        }
        self.dispatched.merge(&other.dispatched);
        self.jobs_completed.merge(&other.jobs_completed);
        self.bytes_down.merge(&other.bytes_down);
        self.bytes_up.merge(&other.bytes_up);
        self.requests.merge(&other.requests);
        for (mine, its) in self.credit_lag.iter_mut().zip(&other.credit_lag) {
            mine.merge(its);
        }
        self.latency.merge(&other.latency);
        self.time_to_canonical.merge(&other.time_to_canonical);
        self.job_lifetime.merge(&other.job_lifetime);
        self.job_settled.merge(&other.job_settled);
        self.connect_interval.merge(&other.connect_interval);
        self.download_time.merge(&other.download_time);
        self.counts.merge(&other.counts);
        for (mine, its) in self.classes.iter_mut().zip(&other.classes) {
            mine.merge(its);
        }
        for (mine, its) in self.speeds.iter_mut().zip(&other.speeds) {
            mine.merge(its);
        }
    }
}

/// How much computing earns one credit (a cobblestone): a two-hundredth of a day at 1 Gflop/s.
///
/// <https://github.com/BOINC/boinc/wiki/ComputationCredit>
pub const FLOP_PER_CREDIT: f64 = 86_400.0 * 1e9 / 200.0;

/// What a valid instance of a job earns.
pub fn credit_per_instance(scenario: &Scenario) -> f64 {
    scenario.jobs.flops.flop() / FLOP_PER_CREDIT
}

/// A mean level in simulated time, per second of it.
fn per_day(count: f64, span: SimDuration) -> f64 {
    count / (span.as_hours_f64() / 24.0)
}
