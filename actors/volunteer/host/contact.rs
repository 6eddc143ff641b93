//! When does a host contact the scheduler, and what does it say?
//!
//! The rules of the BOINC client of 2026, as far as a single project with jobs of one size needs
//! them: fetch work when a processor would be idle within `buffer_min`, and as much as lasts
//! `buffer_extra` longer; report when a result has waited an hour, when many wait, or when a deadline
//! is near; say everything at every contact. The client counts time by the wall clock: it knows for
//! which part of the time the machine is on. A volunteer's connection interval rounds all contacts up
//! to its grid (the document, section 4.2).

use kernel::{SimDuration, SimTime};
use smallvec::SmallVec;

use super::{Host, Stage, Task};
use crate::volunteer::Context;
use crate::volunteer::job::{FileId, Outcome};
use crate::volunteer::messages::{Report, Request, ToHost, ToScheduler};
use crate::volunteer::platform::platform_of;

/// How long a client watches before it trusts its own measurement of the time it is on.
const LEARNING: SimDuration = SimDuration::from_days(1);

impl Host {
    /// Finds out when to contact the scheduler next, and arranges it unless the machine will be off
    /// then.
    pub(super) fn plan_contact(&mut self, ctx: &mut Context<'_>) {
        if self.asking {
            // The answer will bring up the question again.
            self.contact_planned = SimTime::NEVER;
            return;
        }
        let now = ctx.now();
        let due = self.report_due(now).min(self.work_due(now));
        let allowed = due.max(self.silent_until).max(now);
        let noticed = now + self.project.scenario.client.notice_delay.span();
        if (allowed..noticed).contains(&self.contact_planned) {
            // A contact that is about to happen anyway serves this purpose, too.
            return;
        }
        let traits = &self.traits;
        let planned = allowed
            .max(noticed)
            .rounded_up_to_grid(traits.first_connection, traits.connect_interval);
        if planned >= self.switches_at {
            self.contact_planned = SimTime::NEVER;
        } else if planned != self.contact_planned {
            self.contact_planned = planned;
            ctx.schedule(ToHost::ContactDue, planned - now);
        }
    }

    /// Contacts the scheduler, unless the plan has changed since.
    pub(super) fn contact_if_due(&mut self, ctx: &mut Context<'_>) {
        if self.contact_planned != ctx.now() || self.asking {
            return;
        }
        self.contact_planned = SimTime::NEVER;
        self.asking = true;
        self.contacts += 1;
        let request = self.request(ctx);
        let scheduler = self.project.scheduler_of_user(self.traits.user);
        let asked = ToScheduler::Requested(Box::new(request));
        ctx.ask(scheduler, asked, self.traits.latency());
    }

    /// After a request that brought no work the host waits, twice as long each time; any work ends
    /// that.
    pub(super) fn take_note_of_answer(&mut self, got_work: bool, ctx: &mut Context<'_>) {
        if got_work {
            self.refusals = 0;
            self.backed_off_until = SimTime::START;
            return;
        }
        if !self.wanted_work {
            return;
        }
        let now = ctx.now();
        let client = &self.project.scenario.client;
        let doubled = client.backoff_least.span() * (1 << self.refusals.min(32));
        let wait = doubled.min(client.backoff_most.span()).as_secs_f64();
        let wait = SimDuration::from_secs_f64(wait * ctx.random().between(0.5, 1.5));
        self.refusals = self.refusals.saturating_add(1);
        self.backed_off_until = now + wait;
    }

    fn request(&mut self, ctx: &mut Context<'_>) -> Request {
        let now = ctx.now();
        let may_fetch = now >= self.backed_off_until && self.stalled.is_empty();
        let (work_wanted, idle_cores) = if may_fetch {
            (self.shortfall(now), self.idle_cores_to_fill())
        } else {
            (SimDuration::ZERO, 0)
        };
        self.wanted_work = idle_cores > 0 || work_wanted > SimDuration::ZERO;
        let queue_delay = self.by_the_wall_clock(self.work_left(now) / self.cores(), now);
        let input_file = self.project.scenario.jobs.input_file.bytes();
        let disk_used = input_file * self.files.len() as u64;
        let reports = self.reports();
        Request {
            host: ctx.me(),
            record: self.record,
            user: self.traits.user,
            platform: platform_of(&self.project.scenario, ctx.me::<Host>().id()),
            cores: u32::from(self.traits.cores),
            speed_flop_per_s: self.traits.speed_flop_per_s as u64,
            memory_bytes: self.traits.memory_bytes,
            disk_free_bytes: self.traits.disk_free_bytes.saturating_sub(disk_used),
            disk_limit_bytes: self.project.scenario.population.disk_limit.bytes(),
            disk_used_bytes: disk_used,
            on_fraction_millionths: self.on_fraction_millionths(now),
            line_kb_per_s: if self.knows_line {
                self.traits.download_kb_per_s
            } else {
                0
            },
            queue_delay,
            work_wanted,
            idle_cores,
            reports,
            files: self.files_to_report(),
            way_back: self.traits.latency(),
            after_web_interaction: self.web_interaction,
        }
    }

    fn files_to_report(&self) -> SmallVec<[FileId; 4]> {
        let wanted = self.files.iter().filter(|held| !held.unwanted);
        wanted.map(|held| held.file).collect()
    }

    fn reports(&mut self) -> SmallVec<[Report; 2]> {
        let mut reports = SmallVec::new();
        for task in &mut self.tasks {
            if matches!(task.stage, Stage::Reportable { .. }) {
                task.stage = Stage::Reported;
                reports.push(Report {
                    instance: task.instance,
                    outcome: task.outcome,
                    output: task.output,
                });
            }
        }
        reports
    }

    // When?

    fn report_due(&self, now: SimTime) -> SimTime {
        let client = &self.project.scenario.client;
        let margin = client.deadline_margin.span();
        let mut waiting = 0;
        let mut due = SimTime::NEVER;
        for task in &self.tasks {
            if let Stage::Reportable { since } = task.stage {
                waiting += 1;
                // Deadlines are judged by the host's own clock.
                let before = SimTime::START + margin + self.clock_ahead;
                let close = task.deadline.saturating_since(before);
                due = due
                    .min(since + client.report_delay.span())
                    .min(SimTime::START + close);
            }
        }
        if waiting >= client.report_at {
            now
        } else {
            due
        }
    }

    /// When a processor will be idle within the smallest buffer, if the machine stays on.
    fn work_due(&self, now: SimTime) -> SimTime {
        if !self.stalled.is_empty() {
            return SimTime::NEVER;
        }
        let buffer = self.project.scenario.client.buffer_min.span();
        let computed_meanwhile = self.computing_within(buffer, now);
        let due = now + self.saturated(now).saturating_sub(computed_meanwhile);
        due.max(self.backed_off_until)
    }

    // How much?

    /// What is missing to keep all processors busy for the whole buffer, in processor time by the
    /// wall clock. Work that queues for one processor does not make up for another's idleness.
    fn shortfall(&self, now: SimTime) -> SimDuration {
        let client = &self.project.scenario.client;
        let buffer = client.buffer_min.span() + client.buffer_extra.span();
        let missing = |busy: SimDuration| buffer.saturating_sub(self.by_the_wall_clock(busy, now));
        let busy = self.busy_processors(now).into_iter();
        let all = busy.fold(SimDuration::ZERO, |sum, busy| sum + missing(busy));
        millionths_of(all, self.processors_expected().1)
    }

    /// Other projects leave no processor idle; but this one wants to have something to do.
    fn idle_cores_to_fill(&self) -> u32 {
        match self.others {
            Some(_) => u32::from(!self.tasks.iter().any(Task::is_work)),
            None => self.idle_cores(),
        }
    }

    fn idle_cores(&self) -> u32 {
        let work = self.tasks.iter().filter(|task| task.is_work()).count() as u32;
        u32::from(self.traits.cores).saturating_sub(work)
    }

    fn work_left(&self, now: SimTime) -> SimDuration {
        let work = self.tasks.iter().filter(|task| task.is_work());
        work.fold(SimDuration::ZERO, |sum, task| {
            sum + self.estimate(task, now)
        })
    }

    /// For how long all processors have something to do, if the machine stays on.
    fn saturated(&self, now: SimTime) -> SimDuration {
        // Mostly nothing is queued: then no schedule need be drawn up.
        let (mut running, mut queued) = (0, 0);
        let mut first_done = SimDuration::FOREVER;
        for task in self.tasks.iter().filter(|task| task.is_work()) {
            if task.stage == Stage::Running {
                running += 1;
                first_done = first_done.min(self.estimate(task, now));
            } else {
                queued += 1;
            }
        }
        let cores = u32::from(self.processors_expected().0);
        match (running + queued < cores, queued) {
            (true, _) => SimDuration::ZERO,
            (false, 0) => first_done,
            _ => {
                let busy = self.busy_processors(now).into_iter();
                busy.min().unwrap_or(SimDuration::ZERO)
            }
        }
    }

    /// For how long each processor has something to do, if the machine stays on. Tasks are taken up
    /// in the order in which they came, each by the first processor that is free.
    fn busy_processors(&self, now: SimTime) -> SmallVec<[SimDuration; 16]> {
        let mut busy: SmallVec<[SimDuration; 16]> = SmallVec::new();
        for task in self.tasks.iter().filter(|t| t.stage == Stage::Running) {
            busy.push(self.estimate(task, now));
        }
        let cores = usize::from(self.processors_expected().0);
        busy.resize(cores.max(busy.len()), SimDuration::ZERO);
        let queued = |task: &&Task| task.is_work() && task.stage != Stage::Running;
        for task in self.tasks.iter().filter(queued) {
            let first = busy.iter_mut().min().expect("a host has a processor");
            *first += self.estimate(task, now);
        }
        busy
    }

    /// What the client believes that a task will still take. How far a sound computation is, it
    /// sees; that a task is going to fail, it does not see.
    pub(super) fn estimate(&self, task: &Task, now: SimTime) -> SimDuration {
        let left = task.computation.remaining(now);
        if task.outcome == Outcome::Success {
            return left;
        }
        let flop = self.project.scenario.jobs.flops.flop();
        let whole = SimDuration::from_secs_f64(flop / self.traits.speed_flop_per_s);
        whole.saturating_sub(task.work.saturating_sub(left))
    }

    // By which clock?

    /// The part of the time in which the machine is on, as measured; at first, as is usual.
    fn on_fraction_millionths(&self, now: SimTime) -> u32 {
        let on = self.on_before + now.saturating_since(self.on_since);
        let member_for = now.saturating_since(self.joins_at);
        let usual = self.project.usual_on_fraction;
        let known = LEARNING.as_secs_f64();
        let fraction = (on.as_secs_f64() + usual * known) / (member_for.as_secs_f64() + known);
        (fraction * 1e6) as u32
    }

    /// The part of the time in which a processor computes for this project.
    fn own_fraction_millionths(&self, now: SimTime) -> u32 {
        let on = u64::from(self.on_fraction_millionths(now));
        let own = u64::from(self.processors_expected().1);
        (on * own / 1_000_000) as u32
    }

    pub(super) fn by_the_wall_clock(&self, computing: SimDuration, now: SimTime) -> SimDuration {
        let millionths = u64::from(self.own_fraction_millionths(now).max(1));
        let nanos = u128::from(computing.nanos()) * 1_000_000 / u128::from(millionths);
        SimDuration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    fn computing_within(&self, wall_clock: SimDuration, now: SimTime) -> SimDuration {
        millionths_of(wall_clock, self.own_fraction_millionths(now))
    }

    fn cores(&self) -> u64 {
        u64::from(self.processors_expected().0)
    }
}

fn millionths_of(whole: SimDuration, millionths: u32) -> SimDuration {
    let nanos = u128::from(whole.nanos()) * u128::from(millionths) / 1_000_000;
    // Less than the whole, so it fits.
    SimDuration::from_nanos(nanos as u64)
}
