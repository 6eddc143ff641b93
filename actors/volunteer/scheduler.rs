//! The scheduler: hears requests, notes reports, sends instances.
//!
//! In the order of BOINC's request handler: find the host's record, take its reports, send work.
//! Everything it decides upon is in its own records or in the request; a host is never told anything
//! it has not asked for. What it writes into its tables, a transitioner sees a polling period later.

use std::sync::Arc;

use kernel::{Address, Group, Inbox, Linked, SimDuration, SimTime};
use serde::{Deserialize, Serialize};

use super::Context;
use super::assignment::{self, Decision, Visit};
use super::facts::Fact;
use super::job::{InstanceId, InstanceSet, JobId, Outcome};
use super::messages::ToHost;
use super::messages::{Reply, Report, Request, ToScheduler, ToTransitioner, ToWorkGenerator};
use super::project::Project;
use super::quota::{self, Deed};
use super::replication::{self, Record};
use super::shelf::{Asker, Reported, Shelf};

mod feasibility;
mod governor;

use feasibility::Feasibility;
use governor::Governor;

/// A scheduling server.
#[derive(Debug, Serialize, Deserialize)]
pub struct Scheduler {
    pub(super) project: Linked<Project>,
    shelf: Shelf,
    hosts: Vec<HostRecord>,
    assignment: assignment::RuleAtWork,
    quota: quota::RuleAtWork,
    governor: Governor,
    replication: replication::RuleAtWork,
    /// How many files it has asked for and not got yet.
    files_coming: u32,
}

impl Inbox for Scheduler {
    type Message = ToScheduler;
    const GROUP: Group = Group(0);
}

/// What the project knows about a host.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct HostRecord {
    /// Its daily limit, in the sense of the rule of quotas.
    limit: u32,
    /// How many instances it has got on `day`.
    sent_today: u32,
    day: u32,
    /// When it made its first and its latest request.
    first_contact: SimTime,
    last_contact: SimTime,
    /// When it was last known to have been granted credit; `NEVER` if it was not.
    last_credit: SimTime,
    /// How many successful instances it has reported.
    successes: u32,
    /// What speaks for it.
    trust: Record,
}

const DAY: SimDuration = SimDuration::from_days(1);

impl Scheduler {
    /// The scheduler with this number among the schedulers.
    pub fn new(project: Arc<Project>, number: u32) -> Self {
        let scenario = &project.scenario;
        let mut shelf = Shelf::new(scenario.jobs.jobs_per_file, project.schedulers(), number);
        // A project opens its doors when there is something to do.
        shelf.add_files(project.files_ahead);
        Scheduler {
            shelf,
            hosts: Vec::new(),
            assignment: scenario.scheduler.assignment.build(scenario),
            quota: scenario.scheduler.quota.build(),
            governor: Governor::new(scenario.scheduler.governor.every),
            replication: scenario.scheduler.replication.build(),
            files_coming: 0,
            project: project.into(),
        }
    }

    pub(super) fn receive(&mut self, message: ToScheduler, ctx: &mut Context<'_>) {
        match message {
            ToScheduler::Requested(request) => self.handle(&request, ctx),
            ToScheduler::FilesReady { count } => {
                self.files_coming -= count;
                self.shelf.add_files(count);
            }
            ToScheduler::InstancesCreated { job, count } => {
                self.shelf.add_instances(job, count, ctx.now());
            }
            ToScheduler::UnsentNotNeeded { job } => self.withdraw(job, ctx),
            ToScheduler::InstanceTimedOut { instance } => self.judge(instance, Deed::TimedOut),
            ToScheduler::PlatformFreed { job } => self.shelf.free_platform(job),
            ToScheduler::InstancesJudged {
                job,
                valid,
                invalid,
            } => {
                self.note_credit(job, valid, ctx);
                self.judge_all(job, valid, Deed::FoundValid);
                self.judge_all(job, invalid, Deed::FoundInvalid);
            }
            ToScheduler::JobDeleted { job } => {
                if self.shelf.delete(job) {
                    ctx.note(Fact::FileRetired);
                }
            }
        }
    }

    fn handle(&mut self, request: &Request, ctx: &mut Context<'_>) {
        let now = ctx.now();
        let known = request.record;
        let Some(record) = known.or_else(|| self.admit(request, ctx)) else {
            self.refuse(request, ctx);
            return;
        };
        let successes_before = self.hosts[record as usize].successes;
        for report in &request.reports {
            self.take_report(record, *report, ctx);
        }
        let mut reply = Reply {
            record: Some(record),
            show_yourself: false,
            instances: Default::default(),
            deadline: now + self.project.scenario.jobs.delay_bound.span(),
            files_to_delete: Default::default(),
            request_delay: self.project.request_delay,
        };
        let interval = self.project.min_sendwork_interval;
        let last_contact = self.hosts[record as usize].last_contact;
        let too_soon = known.is_some() && now.saturating_since(last_contact) < interval;
        let wants_work = request.work_wanted > SimDuration::ZERO || request.idle_cores > 0;
        if wants_work && !too_soon {
            self.send_work(request, record, known.is_none(), &mut reply, ctx);
        }
        let host = &mut self.hosts[record as usize];
        host.last_contact = now;
        ctx.note(Fact::HostHeard {
            first: host.first_contact,
            before: known.map(|_| last_contact),
            credited: host.last_credit != SimTime::NEVER,
            successes: (successes_before, host.successes),
        });
        ctx.note(Fact::RequestHandled {
            reports: request.reports.len() as u32,
            instances: reply.instances.len() as u32,
        });
        let answer = ToHost::Replied(Box::new(reply));
        ctx.send(request.host, answer, request.way_back);
        self.order_files(ctx);
    }

    /// Makes a record for a host that says it is new, if its volunteer may have another.
    fn admit(&mut self, request: &Request, ctx: &mut Context<'_>) -> Option<u32> {
        let shown = request.after_web_interaction;
        if !self.governor.admits(request.user, shown) {
            return None;
        }
        ctx.note(Fact::HostAdmitted);
        let now = ctx.now();
        let record = self.hosts.len() as u32;
        self.hosts.push(HostRecord {
            limit: self.quota.rule().at_first(self.cores_that_count(request)),
            sent_today: 0,
            day: day_of(now),
            first_contact: now,
            last_contact: now,
            last_credit: SimTime::NEVER,
            successes: 0,
            trust: Record::default(),
        });
        Some(record)
    }

    fn refuse(&mut self, request: &Request, ctx: &mut Context<'_>) {
        ctx.note(Fact::HostRefused);
        ctx.note(Fact::RequestHandled {
            reports: 0,
            instances: 0,
        });
        let reply = Reply {
            record: None,
            show_yourself: true,
            instances: Default::default(),
            deadline: ctx.now(),
            files_to_delete: Default::default(),
            request_delay: self.project.request_delay,
        };
        let answer = ToHost::Replied(Box::new(reply));
        ctx.send(request.host, answer, request.way_back);
    }

    fn cores_that_count(&self, request: &Request) -> u32 {
        request
            .cores
            .clamp(1, self.project.scenario.scheduler.max_ncpus)
    }

    /// Unknown, foreign and repeated results are acknowledged and ignored. Everything else is
    /// accepted, even if it comes late: what it is still worth, the transitioner knows.
    fn take_report(&mut self, record: u32, report: Report, ctx: &mut Context<'_>) {
        if self.shelf.report(report.instance, record) == Reported::Ignore {
            return;
        }
        let deed = match report.outcome {
            Outcome::Success => Deed::ReportedSuccess,
            _ => Deed::ReportedFailure,
        };
        self.hosts[record as usize].successes += u32::from(report.outcome == Outcome::Success);
        self.apply(report.instance.job, record, deed);
        self.tell_transitioner(
            report.instance.job,
            ToTransitioner::InstanceReported {
                instance: report.instance,
                outcome: report.outcome,
                output: report.output,
            },
            ctx,
        );
    }

    fn send_work(
        &mut self,
        request: &Request,
        record: u32,
        first_contact: bool,
        reply: &mut Reply,
        ctx: &mut Context<'_>,
    ) {
        let cores = self.cores_that_count(request);
        let mut left = self.allowance(record, cores, first_contact, ctx.now());
        if left == 0 {
            ctx.note(Fact::QuotaReached);
            reply.request_delay = reply.request_delay.max(until_tomorrow(ctx));
            return;
        }
        let scenario = &self.project.scenario;
        left = left.min(scenario.scheduler.max_wus_to_send.saturating_mul(cores));
        let asker = match scenario.scheduler.one_result_per_user {
            true => Asker::new(request.user),
            false => Asker::new(record),
        };
        let bound = self.replication.rule().on_one_platform();
        let asker = asker.on(request.platform.filter(|_| bound));
        let trust = self.hosts[record as usize].trust;
        let trusted = self.replication.rule().trusts(trust, ctx.random());
        let mut feasibility = Feasibility::of(request, &scenario.jobs);
        let mut visit = Visit {
            mflop_per_s: request.mflop_per_s(),
            line_kb_per_s: request.line_kb_per_s,
            ..Visit::new(asker, ctx.now(), request.files.clone())
        };
        while left > 0 && feasibility.wants_another() {
            if !feasibility.allows_another() {
                break;
            }
            let decision = self
                .assignment
                .rule()
                .choose(&mut visit, &self.shelf, ctx.random());
            let job = match decision {
                Decision::Take(job) => job,
                Decision::Open(file) => self.create_job(file, ctx),
                Decision::Nothing => {
                    ctx.note(Fact::NothingToSend);
                    break;
                }
            };
            let file = self.project.file_of(job);
            let present = visit.present.contains(&file);
            if !feasibility.has_disk_for(present) {
                break;
            }
            if !present {
                visit.present.push(file);
            }
            feasibility.count(present);
            left -= 1;
            let instance = self.dispatch(job, asker, record, request, ctx);
            self.extend_if_not_trusted(job, trusted, ctx);
            reply.instances.push(instance);
        }
        reply.files_to_delete = visit.finished;
        let host = &mut self.hosts[record as usize];
        host.sent_today += reply.instances.len() as u32;
    }

    /// How many instances the host may still get today.
    fn allowance(&mut self, record: u32, cores: u32, first_contact: bool, now: SimTime) -> u32 {
        let host = &mut self.hosts[record as usize];
        if host.day != day_of(now) {
            host.day = day_of(now);
            host.sent_today = 0;
        }
        if first_contact && self.quota.rule().first_contact_is_free() {
            return u32::MAX;
        }
        let per_day = self.quota.rule().per_day(host.limit, cores);
        per_day.saturating_sub(host.sent_today)
    }

    fn create_job(&mut self, file: super::job::FileId, ctx: &mut Context<'_>) -> JobId {
        let rule = self.replication.rule();
        let extent = rule.at_first(&self.project.scenario.jobs);
        let (job, fresh) = self.shelf.open(file, extent.target, ctx.now());
        self.shelf.set_extent(job, extent);
        if fresh {
            ctx.note(Fact::FileOpened);
        }
        ctx.note(Fact::JobCreated);
        ctx.note(Fact::InstancesCreated {
            count: u32::from(extent.target),
        });
        self.tell_transitioner(job, ToTransitioner::JobCreated { job, extent }, ctx);
        job
    }

    fn dispatch(
        &mut self,
        job: JobId,
        asker: Asker,
        record: u32,
        request: &Request,
        ctx: &mut Context<'_>,
    ) -> InstanceId {
        let instance = self.shelf.take(job, asker, record);
        ctx.note(Fact::InstanceDispatched);
        let host = request.host;
        let dispatched = ToTransitioner::InstanceDispatched {
            instance,
            host,
            speed: request.speed(),
        };
        self.tell_transitioner(job, dispatched, ctx);
        instance
    }

    /// What one host alone has computed is believed only if the host is trusted.
    fn extend_if_not_trusted(&mut self, job: JobId, trusted: bool, ctx: &mut Context<'_>) {
        let before = self.shelf.extent(job).expect("a job that is sent is there");
        let jobs = &self.project.scenario.jobs;
        let extent = self
            .replication
            .rule()
            .after_dispatch(before, trusted, jobs);
        if extent != before {
            self.shelf.set_extent(job, extent);
            ctx.note(Fact::JobExtended);
            let extended = ToTransitioner::JobExtended { job, extent };
            self.tell_transitioner(job, extended, ctx);
        }
    }

    fn withdraw(&mut self, job: JobId, ctx: &mut Context<'_>) {
        for number in self.shelf.withdraw(job).iter() {
            ctx.note(Fact::InstanceWithdrawn);
            let instance = InstanceId { job, number };
            self.tell_transitioner(job, ToTransitioner::InstanceWithdrawn { instance }, ctx);
        }
    }

    fn note_credit(&mut self, job: JobId, valid: InstanceSet, ctx: &mut Context<'_>) {
        for number in valid.iter() {
            let Some(record) = self.shelf.holder(InstanceId { job, number }) else {
                continue;
            };
            let host = &mut self.hosts[record as usize];
            ctx.note(Fact::HostCredited {
                first: host.first_contact,
                last: host.last_contact,
                before: (host.last_credit != SimTime::NEVER).then_some(host.last_credit),
                successes: host.successes,
            });
            host.last_credit = ctx.now();
        }
    }

    fn judge_all(&mut self, job: JobId, instances: InstanceSet, deed: Deed) {
        for number in instances.iter() {
            self.judge(InstanceId { job, number }, deed);
        }
    }

    fn judge(&mut self, instance: InstanceId, deed: Deed) {
        if let Some(record) = self.shelf.holder(instance) {
            self.apply(instance.job, record, deed);
        }
    }

    fn apply(&mut self, job: JobId, record: u32, deed: Deed) {
        let host = &mut self.hosts[record as usize];
        if let Some(extent) = self.shelf.extent(job) {
            host.trust = host.trust.after(deed, extent);
        }
        host.limit = self.quota.rule().after(host.limit, deed);
    }

    fn tell_transitioner(&self, job: JobId, message: ToTransitioner, ctx: &mut Context<'_>) {
        let delay = self.project.scenario.servers.transitioner_period.span();
        ctx.send(self.project.transitioner_of(job), message, delay);
    }

    /// Keeps enough fresh files ready.
    fn order_files(&mut self, ctx: &mut Context<'_>) {
        let ahead = self.project.files_ahead;
        if self.shelf.fresh_files() + self.files_coming >= ahead {
            return;
        }
        self.files_coming += ahead;
        let me: Address<Scheduler> = ctx.me();
        let wanted = ToWorkGenerator::FilesWanted {
            scheduler: me,
            count: ahead,
        };
        let delay = self.project.scenario.servers.work_generator_period.span();
        ctx.send(self.project.work_generator(), wanted, delay);
    }
}

fn day_of(now: SimTime) -> u32 {
    (now.nanos() / DAY.nanos()) as u32
}

/// "Not before tomorrow": until midnight, and up to an hour more, so that not all come at once.
fn until_tomorrow(ctx: &mut Context<'_>) -> SimDuration {
    let midnight = (u64::from(day_of(ctx.now())) + 1) * DAY.nanos();
    let rest = SimTime::from_nanos(midnight) - ctx.now();
    rest + SimDuration::from_secs_f64(ctx.random().between(0.0, 3_600.0))
}
