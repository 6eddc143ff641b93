//! Which job instance does a host that asks get?
//!
//! A rule sees one request ([`Visit`]) and the work on the [`Shelf`]; it sees no other host and no
//! context. Jobs are created when they are first needed, as in the document (section 5.1: "jobs and
//! files are created dynamically as needed"): so a rule either takes an unsent instance of a job
//! that exists, or opens the next job of a file. Rules by name: `first_come`, `random`,
//! `locality_2004`, `locality_2004_as_shipped`, `locality_2005_january`, `locality_2005_february`,
//! `locality_today`, `locality_lite`, `locality_lite_as_shipped`, `convoys`.

use kernel::{RandomStream, SimDuration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::job::{FileId, JobId};
use super::scenario::Scenario;
use super::shelf::Shelf;
use crate::shared::quantity::{Bandwidth, Duration, Fraction};

mod convoys;
mod first_come;
mod locality_2004;
mod locality_2005_february;
mod locality_2005_january;
mod locality_lite;
mod locality_today;
mod random;
#[cfg(test)]
mod tests;
mod visit;

pub use convoys::{Ahead, Convoys};
pub use first_come::FirstCome;
pub use locality_2004::Locality2004;
pub use locality_2005_february::Locality2005February;
pub use locality_2005_january::Locality2005January;
pub use locality_lite::LocalityLite;
pub use locality_today::LocalityToday;
pub use random::Random;
pub use visit::{Step, Visit};

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

/// Which job instance does a host that asks get?
pub trait Assignment {
    /// Chooses one instance. Called again until the host has what it wants.
    fn choose(&mut self, visit: &mut Visit, shelf: &Shelf, random: &mut RandomStream) -> Decision;
}

/// The rules by their names in a scenario.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
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
    /// Algorithm 1 of the document, as intended: work for the files that the host has.
    #[serde(rename = "locality_2004")]
    Locality2004,
    /// Algorithm 1 as shipped in September 2004: hosts are told to delete the files of which they
    /// have just been sent something.
    #[serde(rename = "locality_2004_as_shipped")]
    Locality2004AsShipped,
    /// Algorithm 3 of the document, of 17 January 2005: a working set of files, and a way out for
    /// instances that wait for long.
    #[serde(rename = "locality_2005_january")]
    Locality2005January {
        /// An instance that has waited for so long goes to the next host. The document: 7 d.
        #[serde(default = "seven_days")]
        old_after: Duration,
        /// An instance that has waited for so long goes to the next host that needs a new file. The
        /// document: 2 h.
        #[serde(default = "two_hours")]
        waiting_after: Duration,
        /// How many files the work generator keeps in work; 0: hosts / `jobs.target_nresults`.
        #[serde(default)]
        working_set: u32,
    },
    /// Algorithm 4 of the document, of 15 February 2005, as reconstructed from the program.
    #[serde(rename = "locality_2005_february")]
    Locality2005February {
        /// T: an instance that has waited for so long goes to the next host with a fast line; half
        /// of it bounds the ages that hosts in need of a file look for. 7 d.
        #[serde(default = "seven_days")]
        send_timeout: Duration,
        /// From this on a line is fast. 100 kB/s.
        #[serde(default = "a_fast_line")]
        fast_line: Bandwidth,
        /// How many files the work generator keeps in work; 0: hosts / `jobs.target_nresults`.
        #[serde(default)]
        working_set: u32,
    },
    /// Locality scheduling as BOINC has it today: Algorithm 4 with more settings.
    LocalityToday {
        /// T, as in `locality_2005_february`.
        #[serde(default = "seven_days")]
        send_timeout: Duration,
        /// From this on a line is fast. 100 kB/s.
        #[serde(default = "a_fast_line")]
        fast_line: Bandwidth,
        /// How many files the work generator keeps in work; 0: hosts / `jobs.target_nresults`.
        #[serde(default)]
        working_set: u32,
        /// Whether a host's files are gone through in the order of their numbers, and not from a
        /// random one.
        #[serde(default)]
        sorted: bool,
        /// Whether hosts are told to delete files in which there is nothing left for them (BOINC's
        /// `file_deletion_strategy` 1).
        #[serde(default = "yes")]
        deletes_files: bool,
        /// Which part of the requests is answered with regard to files (BOINC's
        /// `locality_scheduler_fraction`).
        #[serde(default = "all")]
        fraction: Fraction,
    },
    /// Locality scheduling lite, of 2012, as intended: of the jobs in the feeder's slots, those
    /// whose files the host has.
    LocalityLite {
        /// The slots of the feeder. BOINC: 100.
        #[serde(default = "slots_of_boinc")]
        slots: u32,
    },
    /// Locality scheduling lite as in BOINC since 27 August 2012: the test for a file is the wrong
    /// way round.
    LocalityLiteAsShipped {
        /// The slots of the feeder. BOINC: 100.
        #[serde(default = "slots_of_boinc")]
        slots: u32,
    },
    /// Our own: hosts of one pace go through a file together, in twice as many places as a job has
    /// instances.
    Convoys {
        /// How many hosts a convoy has; 0: twice `jobs.target_nresults`.
        #[serde(default)]
        places: u32,
        /// Hosts whose paces differ by less than this factor may be in one convoy; above 1.
        #[serde(default = "pace_ratio")]
        pace_ratio: f64,
        /// An instance that waits for longer than this shows that its convoy needs another host.
        #[serde(default = "patience")]
        patience: Duration,
        /// A host that is so many jobs ahead of the others has run too far; 0: none ever has.
        #[serde(default)]
        lead: u32,
        /// What is done then: "extra_file", "more_hosts" or "let_run".
        #[serde(default)]
        ahead: Ahead,
    },
}

fn slots_of_boinc() -> u32 {
    100
}

fn seven_days() -> Duration {
    Duration::new(SimDuration::from_days(7))
}

fn two_hours() -> Duration {
    Duration::new(SimDuration::from_hours(2))
}

fn a_fast_line() -> Bandwidth {
    Bandwidth::new(100e3)
}

fn yes() -> bool {
    true
}

fn all() -> Fraction {
    Fraction::ONE
}

fn pace_ratio() -> f64 {
    1.5
}

fn patience() -> Duration {
    Duration::new(SimDuration::from_days(1))
}

impl Rule {
    /// The rule behind the name, with an empty memory, for one of the schedulers of this scenario.
    pub fn build(self, scenario: &Scenario) -> RuleAtWork {
        let working_set = |size: u32| match size {
            0 => files_in_work(scenario),
            size => size.div_ceil(scenario.servers.schedulers.max(1)),
        };
        let kb_per_s = |line: Bandwidth| (line.bytes_per_s() / 1e3) as u32;
        match self {
            Rule::FirstCome => RuleAtWork::FirstCome(FirstCome),
            Rule::Random { slots } => RuleAtWork::Random(Random { slots }),
            Rule::Locality2004 => RuleAtWork::Locality2004(Locality2004 { as_shipped: false }),
            Rule::Locality2004AsShipped => {
                RuleAtWork::Locality2004(Locality2004 { as_shipped: true })
            }
            Rule::Locality2005January {
                old_after,
                waiting_after,
                working_set: size,
            } => RuleAtWork::Locality2005January(Locality2005January {
                old_after: old_after.span(),
                waiting_after: waiting_after.span(),
                working_set: working_set(size),
            }),
            Rule::Locality2005February {
                send_timeout,
                fast_line,
                working_set: size,
            } => RuleAtWork::Locality2005February(Locality2005February {
                send_timeout: send_timeout.span(),
                fast_line_kb_per_s: kb_per_s(fast_line),
                working_set: working_set(size),
            }),
            Rule::LocalityToday {
                send_timeout,
                fast_line,
                working_set: size,
                sorted,
                deletes_files,
                fraction,
            } => RuleAtWork::LocalityToday(LocalityToday {
                send_timeout: send_timeout.span(),
                fast_line_kb_per_s: kb_per_s(fast_line),
                working_set: working_set(size),
                sorted,
                deletes_files,
                fraction: fraction.value(),
            }),
            Rule::LocalityLite { slots } => RuleAtWork::LocalityLite(LocalityLite {
                slots,
                as_shipped: false,
            }),
            Rule::LocalityLiteAsShipped { slots } => RuleAtWork::LocalityLite(LocalityLite {
                slots,
                as_shipped: true,
            }),
            Rule::Convoys {
                places,
                pace_ratio,
                patience,
                lead,
                ahead,
            } => RuleAtWork::Convoys(Convoys::new(
                match places {
                    0 => 2 * scenario.jobs.target_nresults,
                    places => places,
                },
                pace_ratio,
                patience.span(),
                lead,
                ahead,
            )),
        }
    }
}

/// In how many files a scheduler's hosts are at work, if each job's instances keep as many hosts in
/// a file as it has.
fn files_in_work(scenario: &Scenario) -> u32 {
    let places = scenario.servers.schedulers * scenario.jobs.target_nresults;
    scenario.hosts.div_ceil(places.max(1)).max(1)
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
    Locality2005January(Locality2005January),
    Locality2005February(Locality2005February),
    LocalityToday(LocalityToday),
    LocalityLite(LocalityLite),
    Convoys(Convoys),
}

impl RuleAtWork {
    /// The rule, whichever it is.
    pub fn rule(&mut self) -> &mut dyn Assignment {
        match self {
            RuleAtWork::FirstCome(rule) => rule,
            RuleAtWork::Random(rule) => rule,
            RuleAtWork::Locality2004(rule) => rule,
            RuleAtWork::Locality2005January(rule) => rule,
            RuleAtWork::Locality2005February(rule) => rule,
            RuleAtWork::LocalityToday(rule) => rule,
            RuleAtWork::LocalityLite(rule) => rule,
            RuleAtWork::Convoys(rule) => rule,
        }
    }
}
