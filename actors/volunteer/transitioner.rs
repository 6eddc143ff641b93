//! The transitioner: keeps the state of every job, and takes each to its next state.
//!
//! A daemon of BOINC looks into the database at intervals. Here it hears of every change, an
//! interval after it was made; so what it decides at some time is what it would have decided from
//! the tables as they were one interval before. Deadlines are judged in the same way: a report that
//! reached a scheduler in time is never beaten by the deadline on its way here.

use std::collections::VecDeque;
use std::sync::Arc;

use kernel::{Group, Inbox, Linked, SimDuration, SimTime};
use serde::{Deserialize, Serialize};

use super::Context;
use super::facts::Fact;
use super::job::{InstanceId, JobId, Outcome};
use super::messages::{Check, ToAssimilator, ToFileDeleter, ToScheduler, ToTransitioner};
use super::messages::{ToValidator, Verdict};
use super::project::Project;
use super::replication::{Extent, Rule};

mod job_state;

use job_state::{JobState, ReportTaken, Steps};

/// Keeps the state of every job.
#[derive(Debug, Serialize, Deserialize)]
pub struct Transitioner {
    pub(super) project: Linked<Project>,
    /// Jobs by file; the first `gone` files have been dropped.
    files: VecDeque<JobsOfFile>,
    gone: u32,
}

/// The jobs of one file, in order of creation; `None` once they are retired.
#[derive(Debug, Default, Serialize, Deserialize)]
struct JobsOfFile {
    jobs: Vec<Option<Box<JobState>>>,
    retired: u32,
}

impl Inbox for Transitioner {
    type Message = ToTransitioner;
    const GROUP: Group = Group(1);
}

impl Transitioner {
    /// A transitioner of a project.
    pub fn new(project: Arc<Project>) -> Self {
        Transitioner {
            project: project.into(),
            files: VecDeque::new(),
            gone: 0,
        }
    }

    pub(super) fn receive(&mut self, message: ToTransitioner, ctx: &mut Context<'_>) {
        match message {
            ToTransitioner::JobCreated { job, extent } => self.create(job, extent, ctx),
            ToTransitioner::JobExtended { job, extent } => {
                if let Some(state) = self.job_mut(job) {
                    state.extend(extent);
                    self.transition(job, ctx);
                }
            }
            ToTransitioner::InstanceDispatched {
                instance,
                host,
                speed,
            } => {
                let as_of = self.as_of(ctx);
                if let Some(state) = self.job_mut(instance.job) {
                    state.dispatch(instance.number, host, speed, as_of);
                    self.transition(instance.job, ctx);
                }
            }
            ToTransitioner::InstanceReported {
                instance,
                outcome,
                output,
            } => {
                let as_of = self.as_of(ctx);
                match self.job_mut(instance.job) {
                    Some(state) => {
                        let taken = state.report(instance.number, outcome, output, as_of);
                        note_report(taken, outcome, ctx);
                        self.transition(instance.job, ctx);
                    }
                    None if outcome == Outcome::Success => ctx.note(Fact::ResultTooLate),
                    None => {}
                }
            }
            ToTransitioner::InstanceWithdrawn { instance } => {
                if let Some(state) = self.job_mut(instance.job) {
                    state.withdraw(instance.number);
                    self.transition(instance.job, ctx);
                }
            }
            ToTransitioner::Validated(verdict) => self.take_verdict(&verdict, ctx),
            ToTransitioner::JobAssimilated { job } => {
                if let Some(state) = self.job_mut(job) {
                    state.assimilated();
                    self.transition(job, ctx);
                }
            }
            ToTransitioner::DeadlinePassed { job } => {
                if let Some(state) = self.job_mut(job) {
                    state.timer = SimTime::NEVER;
                    self.transition(job, ctx);
                }
            }
        }
    }

    fn create(&mut self, job: JobId, extent: Extent, ctx: &mut Context<'_>) {
        let state = JobState::new(extent, self.as_of(ctx));
        let place = self
            .project
            .place_at_transitioner(self.project.file_of(job));
        let index = place
            .checked_sub(self.gone)
            .expect("a file is dropped only when all its jobs have been created")
            as usize;
        if self.files.len() <= index {
            self.files.resize_with(index + 1, JobsOfFile::default);
        }
        let jobs = &mut self.files[index].jobs;
        let expected = job.place(self.project.scenario.jobs.jobs_per_file) as usize;
        assert_eq!(jobs.len(), expected, "jobs of a file are created in order");
        jobs.push(Some(Box::new(state)));
    }

    fn take_verdict(&mut self, verdict: &Verdict, ctx: &mut Context<'_>) {
        let job = verdict.job;
        let project = self.project.clone();
        let again_at = self.as_of(ctx) + project.scenario.validation.retry_after.span();
        let Some(state) = self.job_mut(job) else {
            return;
        };
        state.take_verdict(verdict, &project.scenario.jobs, again_at);
        if verdict.canonical.is_some() {
            ctx.note(Fact::CanonicalFound {
                after: ctx.now() - state.created,
                wrong: state.canonical_is_wrong(),
            });
        }
        self.transition(job, ctx);
    }

    /// Takes a job to its next state, and tells those who have to do with it.
    fn transition(&mut self, job: JobId, ctx: &mut Context<'_>) {
        let as_of = self.as_of(ctx);
        let project = self.project.clone();
        let Some(state) = self.job_mut(job) else {
            return;
        };
        let steps = state.transition(&project.scenario.jobs, as_of);
        let created = state.created;
        let settled = match steps.delete {
            true => state.settled(&project.scenario.jobs),
            false => SimDuration::ZERO,
        };
        if let Some(deadline) = steps.next_look
            && deadline < state.timer
        {
            state.timer = deadline;
            // One nanosecond later, because an instance is late only *after* its deadline.
            let due = deadline + project.transitioner_lag() + SimDuration::NANOSECOND;
            ctx.schedule(ToTransitioner::DeadlinePassed { job }, due - ctx.now());
        }
        let retired = steps.delete;
        carry_out(job, steps, &project, ctx);
        if retired {
            let lifetime = ctx.now() - created;
            ctx.note(Fact::JobRetired { lifetime, settled });
            self.retire(job);
        }
    }

    fn retire(&mut self, job: JobId) {
        let jobs_per_file = self.project.scenario.jobs.jobs_per_file;
        let place = self
            .project
            .place_at_transitioner(self.project.file_of(job));
        let file = &mut self.files[(place - self.gone) as usize];
        file.jobs[job.place(jobs_per_file) as usize] = None;
        file.retired += 1;
        while self
            .files
            .front()
            .is_some_and(|file| file.retired == jobs_per_file)
        {
            self.files.pop_front();
            self.gone += 1;
        }
    }

    /// The time up to which everything has been heard.
    fn as_of(&self, ctx: &Context<'_>) -> SimTime {
        let lag = self.project.transitioner_lag();
        SimTime::START + ctx.now().saturating_since(SimTime::START + lag)
    }

    fn job_mut(&mut self, job: JobId) -> Option<&mut JobState> {
        let place = self
            .project
            .place_at_transitioner(self.project.file_of(job));
        let number = job.place(self.project.scenario.jobs.jobs_per_file) as usize;
        let file = self.files.get_mut(place.checked_sub(self.gone)? as usize)?;
        file.jobs.get_mut(number)?.as_deref_mut()
    }
}

fn note_report(taken: ReportTaken, outcome: Outcome, ctx: &mut Context<'_>) {
    match taken {
        ReportTaken::InTime { host, latency } => ctx.note(Fact::InstanceOver {
            outcome,
            host: host.id(),
            latency,
        }),
        ReportTaken::Late => ctx.note(Fact::LateReportAccepted { outcome }),
        ReportTaken::Ignored => {}
    }
}

/// Tells the others what a transition has decided.
fn carry_out(job: JobId, steps: Steps, project: &Project, ctx: &mut Context<'_>) {
    let servers = &project.scenario.servers;
    let scheduler = project.scheduler_of(job);
    let feeder = servers.feeder_period.span();
    for timed_out in &steps.timed_out {
        ctx.note(Fact::InstanceOver {
            outcome: Outcome::NoReply,
            host: timed_out.host.id(),
            latency: project.scenario.jobs.delay_bound.span(),
        });
        let instance = InstanceId {
            job,
            number: timed_out.number,
        };
        ctx.send(
            scheduler,
            ToScheduler::InstanceTimedOut { instance },
            feeder,
        );
    }
    for _ in 0..steps.not_checked {
        ctx.note(Fact::ResultNotChecked);
    }
    if steps.free_platform && project.scenario.scheduler.replication == Rule::Homogeneous {
        ctx.send(scheduler, ToScheduler::PlatformFreed { job }, feeder);
    }
    if steps.create > 0 {
        ctx.note(Fact::InstancesCreated {
            count: u32::from(steps.create),
        });
        let count = steps.create;
        ctx.send(
            scheduler,
            ToScheduler::InstancesCreated { job, count },
            feeder,
        );
    }
    if steps.withdraw {
        ctx.send(scheduler, ToScheduler::UnsentNotNeeded { job }, feeder);
    }
    if let Some((canonical, results)) = steps.validate {
        let check = Box::new(Check {
            job,
            quorum: steps.quorum,
            canonical,
            results,
        });
        let delay = servers.validator_period.span();
        ctx.send(
            project.validator_of(job),
            ToValidator::ValidationNeeded(check),
            delay,
        );
    }
    if let Some(error_mask) = steps.assimilate {
        let failed = !error_mask.is_empty();
        if failed {
            ctx.note(Fact::JobFailed { error_mask });
        }
        let delay = servers.assimilator_period.span();
        ctx.send(
            project.assimilator(),
            ToAssimilator::JobReady { job, failed },
            delay,
        );
    }
    if steps.delete {
        let outputs = steps.outputs;
        let delay = servers.file_deleter_period.span();
        let deletable = ToFileDeleter::OutputsDeletable { job, outputs };
        ctx.send(project.file_deleter(), deletable, delay);
    }
}
