//! What is a host like, and what will become of the instances it gets?

use kernel::{RandomStream, SimDuration, SimTime};
use serde::{Deserialize, Serialize};

use super::super::Context;
use crate::volunteer::job::{Outcome, Output};
use crate::volunteer::platform::place_of;
use crate::volunteer::population;
use crate::volunteer::project::Project;

/// What does not change about a host.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Traits {
    /// Whose it is.
    pub user: u32,
    /// How many processors it has.
    pub cores: u16,
    /// What is wrong with it.
    pub class: Class,
    /// It claims to be new at each contact.
    pub nameless: bool,
    /// For class B: the probability that an instance fails.
    pub error_rate: f64,
    /// The speed of each processor, in flop/s.
    pub speed_flop_per_s: f64,
    /// Main memory, in bytes.
    pub memory_bytes: u64,
    /// Disk space that is free without the project's files, in bytes.
    pub disk_free_bytes: u64,
    /// How long a message to or from a server takes, in microseconds.
    pub latency_us: u32,
    /// What its line carries towards it, in kB/s.
    pub download_kb_per_s: u32,
    /// What its line carries from it, in kB/s.
    pub upload_kb_per_s: u32,
    /// It contacts the scheduler at multiples of this since it was created; zero: at any time.
    pub connect_interval: SimDuration,
    /// The first of these multiples in the run.
    pub first_connection: SimTime,
}

/// The document's classes of hosts (section 4.4).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Class {
    /// A: never fails.
    Perfect,
    /// B: fails with a probability of its own.
    Erring,
    /// D: fails always and at once, and gives up after a few contacts.
    FewContacts,
    /// D: fails always and at once, and goes on.
    ManyContacts,
    /// F: takes instances once and never returns.
    OneContact,
    /// E, not in the document: lies, and says the same as all others of the class.
    Colluding,
}

impl Class {
    /// All classes, in the order of the document.
    pub const ALL: [Class; 6] = [
        Class::Perfect,
        Class::Erring,
        Class::FewContacts,
        Class::ManyContacts,
        Class::OneContact,
        Class::Colluding,
    ];

    /// The class in words, with the document's letter.
    pub fn title(self) -> &'static str {
        match self {
            Class::Perfect => "A: perfect",
            Class::Erring => "B: erring",
            Class::FewContacts => "D: fails, few contacts",
            Class::ManyContacts => "D: fails, many contacts",
            Class::OneContact => "F: one contact",
            Class::Colluding => "E: colluding",
        }
    }
}

impl Traits {
    /// The speed of all processors together, in Mflop/s.
    pub fn mflop_per_s(&self) -> u32 {
        (self.speed_flop_per_s * f64::from(self.cores) / 1e6) as u32
    }

    /// How long a message to or from a server takes.
    pub fn latency(&self) -> SimDuration {
        SimDuration::from_nanos(u64::from(self.latency_us) * 1_000)
    }

    /// What will become of the instance that the host gets after so many others: how long it computes,
    /// how it ends, and with what. It depends on nothing else, so it is the same whatever a policy gives
    /// to whom, and when (common random numbers).
    pub(super) fn fate(
        &self,
        project: &Project,
        ctx: &mut Context<'_>,
        earlier: u32,
    ) -> (SimDuration, Outcome, Output) {
        let scenario = &project.scenario;
        let errors = &scenario.errors;
        let id = ctx.me::<super::Host>().id();
        let random = &mut RandomStream::new(scenario.seed, id, population::fate(earlier));
        if matches!(self.class, Class::FewContacts | Class::ManyContacts) {
            let work = errors.quick_failure.sample(random).span();
            let work = work.max(errors.least_failure.span());
            return (work, Outcome::ClientError, Output::MISSING);
        }
        let factor = scenario.jobs.time_factor.sample(random);
        let seconds = scenario.jobs.flops.flop() / self.speed_flop_per_s * factor;
        let work = SimDuration::from_secs_f64(seconds).max(project.least_computing);
        if self.class == Class::Colluding && random.chance(errors.e_lies.value()) {
            return (work, Outcome::Success, Output::AGREED_LIE);
        }
        if self.class != Class::Erring || !random.chance(self.error_rate) {
            let place = scenario.validation.place.sample(random) + place_of(scenario, id);
            return (work, Outcome::Success, Output::correct(place));
        }
        if random.chance(errors.wrong_output.value()) {
            let output = if random.chance(errors.colluding.value()) {
                Output::AGREED_LIE
            } else if random.chance(errors.unreadable.value()) {
                Output::MISSING
            } else {
                Output::wrong(id.0)
            };
            return (work, Outcome::Success, output);
        }
        let part = errors.failure_at.sample(random).min(1.0);
        let fails_after = SimDuration::from_secs_f64(seconds * part);
        let fails_after = fails_after.max(errors.least_failure.span());
        (fails_after, Outcome::ClientError, Output::MISSING)
    }

    /// The same in the document's model: what fails takes as long as what succeeds.
    pub(in crate::volunteer) fn fate_in_document(
        &self,
        project: &Project,
        ctx: &mut Context<'_>,
        earlier: u32,
    ) -> (SimDuration, Outcome, Output) {
        let (work, outcome, output) = self.fate(project, ctx, earlier);
        if outcome == Outcome::Success {
            return (work, outcome, output);
        }
        let jobs = &project.scenario.jobs;
        let id = ctx.me::<super::Host>().id();
        let purpose = population::length_of_failure(earlier);
        let random = &mut RandomStream::new(project.scenario.seed, id, purpose);
        let factor = jobs.time_factor.sample(random);
        let seconds = jobs.flops.flop() / self.speed_flop_per_s * factor;
        let whole = SimDuration::from_secs_f64(seconds).max(project.least_computing);
        (whole, outcome, output)
    }
}
