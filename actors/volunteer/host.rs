//! A volunteer's computer: asks for work, computes, returns results, asks again.
//!
//! A host hears only answers; everything else that happens to it, it has arranged with itself: when
//! it is switched on and off, when a computation ends, when it contacts the scheduler, when it
//! leaves. While it is off nothing happens but being switched on, and while nothing changes there is
//! no event. Every instance goes the way of the document (section 4.2): received, its input file
//! downloaded unless the host has it, queued, computed with interruptions, uploaded, and reported in
//! a later scheduler request.

use std::sync::Arc;

use kernel::{Group, Inbox, Linked, SimDuration, SimTime};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::Context;
use super::facts::Fact;
use super::job::{FileId, InstanceId, Outcome};
use super::messages::{Reply, ToHost};
use super::project::Project;
use crate::shared::availability::Switching;
use crate::shared::quantity::Fraction;

mod contact;
mod line;
mod others;
mod speed;
mod task;
mod traits;
mod transfers;

use others::Others;
pub use speed::SpeedClass;
use task::{Stage, Task};
use transfers::Stalled;

pub use traits::{Class, Traits};

/// A volunteer's computer.
#[derive(Debug, Serialize, Deserialize)]
pub struct Host {
    pub(super) project: Linked<Project>,
    traits: Traits,
    switching: Switching,
    /// Until when it stays as it is, on or off; before it joins: for how long, from the start on.
    switches_at: SimTime,
    joins_at: SimTime,
    leaves_at: SimTime,
    membership: Membership,
    /// How long it has been on, up to `on_since`.
    on_before: SimDuration,
    on_since: SimTime,
    tasks: Vec<Task>,
    files: SmallVec<[HeldFile; 2]>,
    /// Downloads that have failed.
    stalled: Vec<Stalled>,
    /// By how much its clock is ahead.
    clock_ahead: SimDuration,
    /// It has downloaded something, so it has measured its line.
    knows_line: bool,
    /// What the scheduler calls it, once they have met.
    record: Option<u32>,
    /// How often it has contacted the scheduler.
    contacts: u32,
    /// How many instances it has ever got.
    accepted: u32,
    /// A scheduler request is under way.
    asking: bool,
    /// The next one will come after its volunteer has shown himself.
    web_interaction: bool,
    /// The last request asked for work.
    wanted_work: bool,
    /// The work it wanted last was not to be had so many times in a row.
    refusals: u8,
    /// No request for work before this.
    backed_off_until: SimTime,
    /// No request at all before this.
    silent_until: SimTime,
    /// When it is going to contact the scheduler, if nothing comes between.
    contact_planned: SimTime,
    /// Its other projects, if it has any.
    others: Option<Box<Others>>,
}

impl Inbox for Host {
    type Message = ToHost;
    const GROUP: Group = Group(8);
}

/// An input file on the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct HeldFile {
    file: FileId,
    /// The scheduler wants it deleted, as soon as no instance needs it; it is not reported any more.
    unwanted: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Membership {
    Future,
    Present,
    Past,
}

impl Host {
    /// A host that takes part from `joins_at` to `leaves_at`, and is then in the state of
    /// `switching` for `first_interval`.
    pub fn new(
        project: Arc<Project>,
        traits: Traits,
        (switching, first_interval): (Switching, SimDuration),
        joins_at: SimTime,
        leaves_at: SimTime,
    ) -> Self {
        Host {
            project: project.into(),
            traits,
            switching,
            switches_at: SimTime::START + first_interval,
            joins_at,
            leaves_at,
            membership: Membership::Future,
            on_before: SimDuration::ZERO,
            on_since: SimTime::NEVER,
            tasks: Vec::new(),
            files: SmallVec::new(),
            stalled: Vec::new(),
            clock_ahead: SimDuration::ZERO,
            knows_line: false,
            record: None,
            contacts: 0,
            accepted: 0,
            asking: false,
            web_interaction: false,
            wanted_work: false,
            refusals: 0,
            backed_off_until: SimTime::START,
            silent_until: SimTime::START,
            contact_planned: SimTime::NEVER,
            others: None,
        }
    }

    pub(super) fn start(&mut self, ctx: &mut Context<'_>) {
        if self.joins_at == SimTime::START {
            let within = self.project.scenario.client.first_contact_within.span();
            let wait = SimDuration::from_secs_f64(within.as_secs_f64() * ctx.random().uniform());
            self.silent_until = SimTime::START + wait;
            self.join(ctx);
        } else {
            ctx.schedule(ToHost::Joined, self.joins_at - SimTime::START);
        }
    }

    pub(super) fn receive(&mut self, message: ToHost, ctx: &mut Context<'_>) {
        if self.membership == Membership::Past {
            return;
        }
        match message {
            ToHost::Joined => self.join(ctx),
            ToHost::SwitchedOn => self.switch_on(ctx),
            ToHost::SwitchedOff => self.switch_off(ctx),
            ToHost::ContactDue => self.contact_if_due(ctx),
            ToHost::Replied(reply) => self.take_reply(&reply, ctx),
            ToHost::FileArrived { file } => self.store_file(file, ctx),
            ToHost::DownloadFailed { file } => self.download_failed(file, ctx),
            ToHost::RetryDue => self.retry_downloads(ctx),
            ToHost::ClockSet { ahead } => self.set_clock(ahead, ctx),
            ToHost::ComputationEnded { instance } => self.end_computation(instance, ctx),
            ToHost::OutputStored { instance } => self.output_stored(instance, ctx),
            ToHost::SliceEnded => self.end_slice(ctx),
            ToHost::Left => self.leave(ctx),
            ToHost::ReportDue => unreachable!("only the document's host plans its reports"),
        }
    }

    // Coming, going, on and off.

    fn join(&mut self, ctx: &mut Context<'_>) {
        self.membership = Membership::Present;
        let on = self.switching.is_on();
        ctx.note(Fact::HostJoined {
            on,
            mflop_per_s: self.traits.mflop_per_s(),
            cores: u32::from(self.traits.cores),
            connect_interval: self.traits.connect_interval,
        });
        self.switches_at = ctx.now() + (self.switches_at - SimTime::START);
        self.schedule_switch(ctx);
        if self.leaves_at < self.project.end {
            ctx.schedule(ToHost::Left, self.leaves_at.saturating_since(ctx.now()));
        }
        let jumps = &self.project.scenario.errors.clock_jumps;
        if jumps.hosts > Fraction::ZERO && ctx.random().chance(jumps.hosts.value()) {
            let after = jumps.after.sample(ctx.random()).span();
            ctx.schedule(ToHost::ClockSet { ahead: true }, after);
        }
        if on {
            self.on_since = ctx.now();
            self.plan_contact(ctx);
        }
    }

    fn leave(&mut self, ctx: &mut Context<'_>) {
        self.membership = Membership::Past;
        for files in (0..self.files.len() as u32).rev() {
            ctx.note(Fact::FileDropped { files });
        }
        ctx.note(Fact::HostLeft {
            on: self.switching.is_on(),
            instances: self.tasks.len() as u32,
        });
        self.tasks = Vec::new();
        self.files = SmallVec::new();
        self.stalled = Vec::new();
    }

    fn switch_on(&mut self, ctx: &mut Context<'_>) {
        ctx.note(Fact::HostSwitchedOn);
        self.switch(ctx);
        self.on_since = ctx.now();
        self.resume_sharing(ctx.now());
        for place in 0..self.tasks.len() {
            match self.tasks[place].stage {
                Stage::Running if self.others.is_some() => self.tasks[place].stage = Stage::Ready,
                Stage::Running => self.run(place, ctx),
                Stage::Missing => self.fetch_input(place, ctx),
                _ => {}
            }
        }
        self.start_ready(ctx);
        self.plan_contact(ctx);
    }

    /// What runs is interrupted, and goes on when the machine is on again.
    fn switch_off(&mut self, ctx: &mut Context<'_>) {
        ctx.note(Fact::HostSwitchedOff);
        self.switch(ctx);
        let now = ctx.now();
        self.end_slice_by_switching_off(now);
        self.on_before += now - self.on_since;
        self.on_since = SimTime::NEVER;
        self.contact_planned = SimTime::NEVER;
        for task in &mut self.tasks {
            if task.stage == Stage::Running {
                task.computation.pause(now);
            }
        }
    }

    fn switch(&mut self, ctx: &mut Context<'_>) {
        let interval = self.switching.switch(&self.project.scenario.availability);
        self.switches_at = ctx.now() + interval;
        self.schedule_switch(ctx);
    }

    fn schedule_switch(&self, ctx: &mut Context<'_>) {
        // What happens after the end, or after the host has left, need not be remembered.
        if self.switches_at >= self.leaves_at.min(self.project.end) {
            return;
        }
        let next = if self.switching.is_on() {
            ToHost::SwitchedOff
        } else {
            ToHost::SwitchedOn
        };
        ctx.schedule(next, self.switches_at - ctx.now());
    }

    fn is_on(&self) -> bool {
        self.switching.is_on()
    }

    // The way of an instance.

    fn take_reply(&mut self, reply: &Reply, ctx: &mut Context<'_>) {
        self.asking = false;
        self.silent_until = ctx.now() + reply.request_delay;
        if !self.traits.nameless {
            self.record = reply.record.or(self.record);
            self.show_itself(reply, ctx);
        }
        self.forget_reported();
        ctx.note(Fact::HostServed {
            instances: reply.instances.len() as u32,
            wanted: self.wanted_work,
        });
        self.take_note_of_answer(!reply.instances.is_empty(), ctx);
        for &instance in &reply.instances {
            self.accept(instance, reply.deadline, ctx);
        }
        self.delete_files(reply, ctx);
        if self.has_had_enough() {
            self.leave(ctx);
        } else if self.is_on() {
            self.start_ready(ctx);
            self.plan_contact(ctx);
        }
    }

    /// The volunteer follows the project's request to do something on its web site; until then the
    /// host has nothing to say.
    fn show_itself(&mut self, reply: &Reply, ctx: &mut Context<'_>) {
        self.web_interaction = reply.show_yourself;
        if reply.show_yourself {
            let governor = &self.project.scenario.scheduler.governor;
            let answered = ctx.now() + governor.answered_after.span();
            self.silent_until = self.silent_until.max(answered);
        }
    }

    /// Hosts of class F never come back, and some of class D soon give up.
    fn has_had_enough(&self) -> bool {
        match self.traits.class {
            Class::OneContact => true,
            Class::FewContacts => self.contacts >= self.project.scenario.errors.few_contacts,
            Class::Perfect | Class::Erring | Class::ManyContacts | Class::Colluding => false,
        }
    }

    fn accept(&mut self, instance: InstanceId, deadline: SimTime, ctx: &mut Context<'_>) {
        let (work, outcome, output) = self.traits.fate(&self.project, ctx, self.accepted);
        self.accepted += 1;
        let file = self.project.file_of(instance.job);
        let mut task = Task::new(instance, deadline, work, outcome, output);
        if let Some(held) = self.files.iter_mut().find(|held| held.file == file) {
            held.unwanted = false;
            task.stage = Stage::Ready;
        } else if self.has_at_hand(ctx) {
            task.stage = Stage::Ready;
        }
        self.tasks.push(task);
        if self.is_on() && task.stage == Stage::Missing {
            self.fetch_input(self.tasks.len() - 1, ctx);
        }
    }

    /// Whether it needs no file of the next instance's, by chance.
    fn has_at_hand(&self, ctx: &mut Context<'_>) -> bool {
        let part = self.project.scenario.jobs.input_at_hand.value();
        part > 0.0 && ctx.random().chance(part)
    }

    /// Asks for the task's input file, unless it is on its way already or must not be tried now.
    fn fetch_input(&mut self, place: usize, ctx: &mut Context<'_>) {
        let file = self.file_of(&self.tasks[place]);
        if !self.may_download(file, ctx.now()) {
            return;
        }
        let coming = self
            .tasks
            .iter()
            .any(|task| task.stage == Stage::Downloading && self.file_of(task) == file);
        self.tasks[place].stage = Stage::Downloading;
        if coming {
            return;
        }
        self.traits.ask_for_file(&self.project, file, ctx);
    }

    fn store_file(&mut self, file: FileId, ctx: &mut Context<'_>) {
        self.files.push(HeldFile {
            file,
            unwanted: false,
        });
        self.knows_line = true;
        self.stalled.retain(|stalled| !stalled.is_of(file));
        ctx.note(Fact::FileStored {
            files: self.files.len() as u32,
        });
        let project = &self.project;
        for task in &mut self.tasks {
            let waits = matches!(task.stage, Stage::Downloading | Stage::Missing);
            if waits && project.file_of(task.instance.job) == file {
                task.stage = Stage::Ready;
            }
        }
        // The scheduler is not contacted on account of this: what is still to be downloaded was
        // counted as work already.
        if self.is_on() {
            self.start_ready(ctx);
        }
    }

    /// Puts ready tasks on idle processors, in the order in which they came.
    fn start_ready(&mut self, ctx: &mut Context<'_>) {
        self.begin_slice_if_needed(ctx);
        let running = self.tasks.iter().filter(|t| t.stage == Stage::Running);
        let mut idle = self.processors_granted().saturating_sub(running.count());
        if idle > 0 {
            self.settle_with_others(ctx.now());
        }
        for place in 0..self.tasks.len() {
            if idle == 0 {
                return;
            }
            if self.tasks[place].stage == Stage::Ready {
                self.tasks[place].stage = Stage::Running;
                self.run(place, ctx);
                idle -= 1;
            }
        }
    }

    /// Lets a task compute until it ends, the machine is switched off, or it is another project's
    /// turn, whichever is first.
    fn run(&mut self, place: usize, ctx: &mut Context<'_>) {
        ctx.note(Fact::ComputationBegun);
        let until = self.next_interruption();
        let task = &mut self.tasks[place];
        let ends = task.computation.resume(ctx.now());
        if ends < until {
            let instance = task.instance;
            ctx.schedule(ToHost::ComputationEnded { instance }, ends - ctx.now());
        }
    }

    fn end_computation(&mut self, instance: InstanceId, ctx: &mut Context<'_>) {
        let now = ctx.now();
        self.settle_with_others(now);
        let task = self.task_mut(instance);
        assert!(
            task.stage == Stage::Running && task.computation.is_done(now),
            "a computation ends when its work is done"
        );
        let (outcome, computed) = (task.outcome, task.work);
        task.stage = match outcome {
            Outcome::Success => Stage::Uploading,
            _ => Stage::Reportable { since: now },
        };
        ctx.note(Fact::ComputationEnded {
            computed,
            mflop_per_s: self.traits.mflop_per_s(),
            outcome,
        });
        if outcome == Outcome::Success {
            self.upload(instance, ctx);
        }
        self.start_ready(ctx);
        self.plan_contact(ctx);
    }

    fn upload(&self, instance: InstanceId, ctx: &mut Context<'_>) {
        self.traits.send_output(&self.project, instance, ctx);
    }

    /// Only now may the result be reported: a report never precedes its output.
    fn output_stored(&mut self, instance: InstanceId, ctx: &mut Context<'_>) {
        let since = ctx.now();
        self.task_mut(instance).stage = Stage::Reportable { since };
        if self.is_on() {
            self.plan_contact(ctx);
        }
    }

    fn forget_reported(&mut self) {
        self.tasks.retain(|task| task.stage != Stage::Reported);
    }

    /// Deletes the files that the scheduler does not need any more, as soon as no instance does.
    fn delete_files(&mut self, reply: &Reply, ctx: &mut Context<'_>) {
        let told = |file| reply.files_to_delete.contains(&file);
        let (project, tasks) = (&self.project, &self.tasks);
        let mut left = self.files.len() as u32;
        self.files.retain(|held| {
            held.unwanted |= told(held.file);
            let needs = |task: &Task| {
                let still = !matches!(task.stage, Stage::Reportable { .. });
                still && project.file_of(task.instance.job) == held.file
            };
            let stays = !held.unwanted || tasks.iter().any(needs);
            if !stays {
                left -= 1;
                ctx.note(Fact::FileDropped { files: left });
            }
            stays
        });
    }

    fn file_of(&self, task: &Task) -> FileId {
        self.project.file_of(task.instance.job)
    }

    fn task_mut(&mut self, instance: InstanceId) -> &mut Task {
        self.tasks
            .iter_mut()
            .find(|task| task.instance == instance)
            .expect("a host hears of its own tasks only")
    }
}
