//! Which job instance does a host that asks get?
//!
//! A rule sees the asking host and the work on the [`Shelf`]; it sees no clock, no other host and no
//! context. Jobs are created when they are first needed, as in the document (section 5.1: "jobs and
//! files are created dynamically as needed"): so a rule either takes an unsent instance of a job
//! that exists, or opens the next job of a file. Rules by name: `first_come`, `random`,
//! `locality_2004`.

use kernel::RandomStream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::job::{FileId, JobId};
use super::shelf::{Asker, Shelf};

mod first_come;
mod locality_2004;
mod random;

pub use first_come::FirstCome;
pub use locality_2004::Locality2004;
pub use random::Random;

/// What a rule decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Send an unsent instance of this job.
    Take(JobId),
    /// Create the next job of this file, and send one of its instances.
    Open(FileId),
    /// There is nothing for this host.
    Nothing,
}

/// The input files of the asking host, and which of them it should delete.
#[derive(Clone, Debug, Default)]
pub struct FilesOfHost {
    /// The files it has, or gets with this reply.
    pub present: SmallVec<[FileId; 4]>,
    /// Files in which there is nothing left for it.
    pub finished: SmallVec<[FileId; 4]>,
}

/// Which job instance does a host that asks get?
pub trait Assignment {
    /// Chooses one instance. Called again until the host has what it wants.
    fn choose(
        &mut self,
        asker: Asker,
        files: &mut FilesOfHost,
        shelf: &Shelf,
        random: &mut RandomStream,
    ) -> Decision;
}

/// The rules by their names in a scenario.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "rule", rename_all = "snake_case", deny_unknown_fields)]
pub enum Rule {
    /// The oldest unsent instance, whatever files the host has.
    FirstCome,
    /// An unsent instance at random, whatever files the host has.
    Random {
        /// From how many unsent instances it is chosen: the slots of the feeder. BOINC: 100.
        #[serde(default = "slots_of_boinc")]
        slots: u32,
    },
    /// Algorithm 1 of the document: work for the files that the host has.
    #[serde(rename = "locality_2004")]
    Locality2004,
}

fn slots_of_boinc() -> u32 {
    100
}

impl Rule {
    /// The rule behind the name, with an empty memory.
    pub fn build(self) -> RuleAtWork {
        match self {
            Rule::FirstCome => RuleAtWork::FirstCome(FirstCome),
            Rule::Random { slots } => RuleAtWork::Random(Random { slots }),
            Rule::Locality2004 => RuleAtWork::Locality2004(Locality2004),
        }
    }
}

/// A rule at work, with what it remembers: what a scheduler has, and a checkpoint keeps.
///
/// An enumeration and not a box, so that it can be saved and restored as plain data.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs)] // One variant per rule.
pub enum RuleAtWork {
    FirstCome(FirstCome),
    Random(Random),
    Locality2004(Locality2004),
}

impl RuleAtWork {
    /// The rule, whichever it is.
    pub fn rule(&mut self) -> &mut dyn Assignment {
        match self {
            RuleAtWork::FirstCome(rule) => rule,
            RuleAtWork::Random(rule) => rule,
            RuleAtWork::Locality2004(rule) => rule,
        }
    }
}
