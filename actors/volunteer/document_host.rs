//! A host as the document models it (section 4.2): a stochastic process with the right outside.
//!
//! "We care about the external behavior, but not the internal details." A host has a processing rate
//! T; instances are dispatched to it in a Poisson process of that rate; each takes X / T, with X
//! uniform from 0.75 to 1.25 (the document writes T X, but T is a rate), and is reported at the next
//! multiple of the host's connection interval since it was created. Nothing is queued, interrupted
//! or waited for: switching off, other projects and transfers are all inside the rate.
//!
//! What it does with files is as in the detailed host, so that assignment has the same effects: it
//! downloads what it does not have, lists what it has, deletes what it is told to. Transfers cost
//! bandwidth and take no computing time.

use std::sync::Arc;

use kernel::{Linked, Purpose, RandomStream, SimDuration, SimTime};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::Context;
use super::facts::Fact;
use super::host::{Class, Host, Traits};
use super::job::{FileId, InstanceId, Outcome, Output};
use super::messages::{Reply, Report, Request, ToHost, ToScheduler};
use super::platform::platform_of;
use super::project::Project;

/// What the stream of the times of dispatch is for.
pub(super) const DISPATCHES: Purpose = Purpose(40);

/// A host after the document's model.
#[derive(Debug, Serialize, Deserialize)]
pub struct DocumentHost {
    pub(super) project: Linked<Project>,
    traits: Traits,
    /// Times of dispatch have random numbers of their own: they are the same whatever is dispatched.
    dispatches: RandomStream,
    joins_at: SimTime,
    leaves_at: SimTime,
    present: bool,
    held: Vec<Held>,
    files: SmallVec<[HeldFile; 2]>,
    /// Some file has arrived, so it has measured its line.
    knows_line: bool,
    record: Option<u32>,
    /// How often it has asked for work.
    contacts: u32,
    /// How many instances it has ever got.
    accepted: u32,
    /// For each request that has not been answered, whether it asked for work.
    open: SmallVec<[bool; 4]>,
    /// When its volunteer will have shown that he is a person, if he was asked to.
    attended_at: SimTime,
}

/// An instance on the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Held {
    instance: InstanceId,
    /// How long it computes.
    takes: SimDuration,
    outcome: Outcome,
    output: Output,
    /// When it is reported, once it has been computed.
    report_at: SimTime,
}

/// An input file on the host, or on its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct HeldFile {
    file: FileId,
    arrived: bool,
    /// The scheduler wants it deleted, as soon as no instance needs it.
    unwanted: bool,
}

impl DocumentHost {
    /// A host that takes part from `joins_at` to `leaves_at`.
    pub fn new(
        project: Arc<Project>,
        traits: Traits,
        dispatches: RandomStream,
        joins_at: SimTime,
        leaves_at: SimTime,
    ) -> Self {
        DocumentHost {
            project: project.into(),
            traits,
            dispatches,
            joins_at,
            leaves_at,
            present: false,
            held: Vec::new(),
            files: SmallVec::new(),
            knows_line: false,
            record: None,
            contacts: 0,
            accepted: 0,
            open: SmallVec::new(),
            attended_at: SimTime::NEVER,
        }
    }

    pub(super) fn start(&mut self, ctx: &mut Context<'_>) {
        if self.joins_at == SimTime::START {
            self.join(ctx);
            self.plan_dispatch(ctx);
        } else {
            ctx.schedule(ToHost::Joined, self.joins_at - SimTime::START);
        }
    }

    pub(super) fn receive(&mut self, message: ToHost, ctx: &mut Context<'_>) {
        if let ToHost::Joined = message {
            // A host is created by its first contact, so that is its first dispatch.
            self.join(ctx);
            self.ask_for_an_instance(ctx);
            return;
        }
        if !self.present {
            return;
        }
        match message {
            ToHost::ContactDue => self.ask_for_an_instance(ctx),
            ToHost::Replied(reply) => self.take_reply(&reply, ctx),
            ToHost::FileArrived { file } => self.store_file(file, ctx),
            ToHost::ComputationEnded { instance } => self.end_computation(instance, ctx),
            ToHost::ReportDue => self.report(ctx),
            ToHost::OutputStored { .. } => {}
            // It will be tried again with the next instance of that file.
            ToHost::DownloadFailed { file } => self.files.retain(|held| held.file != file),
            ToHost::Left => self.leave(ctx),
            ToHost::Joined
            | ToHost::SwitchedOn
            | ToHost::SwitchedOff
            | ToHost::SliceEnded
            | ToHost::RetryDue
            | ToHost::ClockSet { .. } => {
                unreachable!("a host after the document has no such inside: {message:?}")
            }
        }
    }

    // Coming and going.

    fn join(&mut self, ctx: &mut Context<'_>) {
        self.present = true;
        ctx.note(Fact::HostJoined {
            on: true,
            mflop_per_s: self.traits.mflop_per_s(),
            cores: u32::from(self.traits.cores),
            connect_interval: self.traits.connect_interval,
        });
        if self.leaves_at < self.project.end {
            ctx.schedule(ToHost::Left, self.leaves_at.saturating_since(ctx.now()));
        }
    }

    fn leave(&mut self, ctx: &mut Context<'_>) {
        self.present = false;
        for files in (0..self.stored_files()).rev() {
            ctx.note(Fact::FileDropped { files });
        }
        ctx.note(Fact::HostLeft {
            on: true,
            instances: self.held.len() as u32,
        });
        self.held = Vec::new();
        self.files = SmallVec::new();
    }

    // Work.

    /// The next time of dispatch: after an exponential time whose mean is one over the rate.
    fn plan_dispatch(&mut self, ctx: &mut Context<'_>) {
        let mean_s = self.project.scenario.jobs.flops.flop() / self.traits.speed_flop_per_s;
        let gap = SimDuration::from_secs_f64(self.dispatches.exponential() * mean_s);
        let at = ctx.now() + gap.max(SimDuration::NANOSECOND);
        if at < self.leaves_at.min(self.project.end) {
            ctx.schedule(ToHost::ContactDue, at - ctx.now());
        }
    }

    fn ask_for_an_instance(&mut self, ctx: &mut Context<'_>) {
        let meets_first_time = self.record.is_none() && !self.open.is_empty();
        if !meets_first_time || self.traits.nameless {
            self.contacts += 1;
            self.ask(true, SmallVec::new(), ctx);
        }
        // A dispatch that falls into the moment of the first meeting is left out: the host would be
        // taken for two.
        if self.traits.class != Class::OneContact {
            self.plan_dispatch(ctx);
        }
    }

    fn take_reply(&mut self, reply: &Reply, ctx: &mut Context<'_>) {
        let wanted = self.open.remove(0);
        if !self.traits.nameless {
            self.record = reply.record.or(self.record);
        }
        if reply.show_yourself && !self.traits.nameless && self.attended_at == SimTime::NEVER {
            let governor = &self.project.scenario.scheduler.governor;
            self.attended_at = ctx.now() + governor.answered_after.span();
        }
        ctx.note(Fact::HostServed {
            instances: reply.instances.len() as u32,
            wanted,
        });
        for &instance in &reply.instances {
            self.accept(instance, ctx);
        }
        self.delete_files(reply, ctx);
        if self.has_had_enough() {
            self.leave(ctx);
        }
    }

    fn has_had_enough(&self) -> bool {
        match self.traits.class {
            Class::OneContact => true,
            Class::FewContacts => self.contacts >= self.project.scenario.errors.few_contacts,
            Class::Perfect | Class::Erring | Class::ManyContacts | Class::Colluding => false,
        }
    }

    fn accept(&mut self, instance: InstanceId, ctx: &mut Context<'_>) {
        let (takes, outcome, output) =
            self.traits
                .fate_in_document(&self.project, ctx, self.accepted);
        self.accepted += 1;
        self.held.push(Held {
            instance,
            takes,
            outcome,
            output,
            report_at: SimTime::NEVER,
        });
        ctx.note(Fact::ComputationBegun);
        ctx.schedule(ToHost::ComputationEnded { instance }, takes);
        self.need_file(self.project.file_of(instance.job), ctx);
    }

    fn end_computation(&mut self, instance: InstanceId, ctx: &mut Context<'_>) {
        let now = ctx.now();
        let traits = &self.traits;
        let report_at = now.rounded_up_to_grid(traits.first_connection, traits.connect_interval);
        let mut mine = self.held.iter_mut();
        let held = mine.find(|held| held.instance == instance);
        let held = held.expect("a host computes what it holds");
        held.report_at = report_at;
        ctx.note(Fact::ComputationEnded {
            computed: held.takes,
            mflop_per_s: traits.mflop_per_s(),
            outcome: held.outcome,
        });
        if held.outcome == Outcome::Success {
            self.upload(instance, ctx);
        }
        if report_at == now {
            self.report(ctx);
        } else {
            ctx.schedule(ToHost::ReportDue, report_at - now);
        }
    }

    /// Reports everything that is to be reported now.
    fn report(&mut self, ctx: &mut Context<'_>) {
        let now = ctx.now();
        let mut reports = SmallVec::new();
        self.held.retain(|held| {
            let due = held.report_at <= now;
            if due {
                reports.push(Report {
                    instance: held.instance,
                    outcome: held.outcome,
                    output: held.output,
                });
            }
            !due
        });
        // Several instances may be due at one multiple: the first reminder has reported all.
        if !reports.is_empty() {
            self.ask(false, reports, ctx);
        }
    }

    fn ask(&mut self, wants_work: bool, reports: SmallVec<[Report; 2]>, ctx: &mut Context<'_>) {
        let now = ctx.now();
        let after_web_interaction = self.attended_at <= now;
        if after_web_interaction {
            self.attended_at = SimTime::NEVER;
        }
        let traits = &self.traits;
        let disk_used = self.project.scenario.jobs.input_file.bytes() * self.files.len() as u64;
        let wanted = self.files.iter().filter(|held| !held.unwanted);
        let request = Request {
            host: ctx.me(),
            record: self.record,
            user: traits.user,
            platform: platform_of(&self.project.scenario, ctx.me::<Host>().id()),
            cores: u32::from(traits.cores),
            speed_flop_per_s: traits.speed_flop_per_s as u64,
            memory_bytes: traits.memory_bytes,
            disk_free_bytes: traits.disk_free_bytes.saturating_sub(disk_used),
            disk_limit_bytes: self.project.scenario.population.disk_limit.bytes(),
            disk_used_bytes: disk_used,
            on_fraction_millionths: 1_000_000,
            line_kb_per_s: if self.knows_line {
                traits.download_kb_per_s
            } else {
                0
            },
            queue_delay: SimDuration::ZERO,
            work_wanted: SimDuration::ZERO,
            // An idle processor is worth exactly one instance.
            idle_cores: u32::from(wants_work),
            reports,
            files: wanted.map(|held| held.file).collect(),
            way_back: traits.latency(),
            after_web_interaction,
        };
        self.open.push(wants_work);
        let scheduler = self.project.scheduler_of_user(traits.user);
        let asked = ToScheduler::Requested(Box::new(request));
        ctx.ask(scheduler, asked, traits.latency());
    }

    // Files.

    fn need_file(&mut self, file: FileId, ctx: &mut Context<'_>) {
        if let Some(held) = self.files.iter_mut().find(|held| held.file == file) {
            held.unwanted = false;
            return;
        }
        let at_hand = self.project.scenario.jobs.input_at_hand.value();
        if at_hand > 0.0 && ctx.random().chance(at_hand) {
            return;
        }
        self.files.push(HeldFile {
            file,
            arrived: false,
            unwanted: false,
        });
        self.traits.ask_for_file(&self.project, file, ctx);
    }

    fn store_file(&mut self, file: FileId, ctx: &mut Context<'_>) {
        self.knows_line = true;
        // It may have been deleted before it came.
        if let Some(held) = self
            .files
            .iter_mut()
            .find(|held| held.file == file && !held.arrived)
        {
            held.arrived = true;
            let files = self.stored_files();
            ctx.note(Fact::FileStored { files });
        }
    }

    fn stored_files(&self) -> u32 {
        self.files.iter().filter(|held| held.arrived).count() as u32
    }

    fn delete_files(&mut self, reply: &Reply, ctx: &mut Context<'_>) {
        let mut stored = self.stored_files();
        let (project, mine) = (&self.project, &self.held);
        self.files.retain(|held| {
            held.unwanted |= reply.files_to_delete.contains(&held.file);
            let needed = |of: &Held| project.file_of(of.instance.job) == held.file;
            let stays = !held.unwanted || mine.iter().any(needed);
            if !stays && held.arrived {
                stored -= 1;
                ctx.note(Fact::FileDropped { files: stored });
            }
            stays
        });
    }

    fn upload(&self, instance: InstanceId, ctx: &mut Context<'_>) {
        self.traits.send_output(&self.project, instance, ctx);
    }
}
