//! How many instances does a job get, and who may share it?
//!
//! A rule sees a job's extent and what the project knows about the host that asks; it never sees the
//! host's own error rate. Rules by name: `fixed_quorum` (the document, section 2.2), `adaptive` and
//! `homogeneous` (BOINC).

use kernel::RandomStream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quota::Deed;
use super::scenario::Jobs;

mod adaptive;
mod fixed_quorum;
mod homogeneous;

pub use adaptive::Adaptive;
pub use fixed_quorum::FixedQuorum;
pub use homogeneous::Homogeneous;

/// How many instances a job has at first, and how many successful ones are needed before they are
/// compared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Extent {
    /// BOINC's `target_nresults`.
    pub target: u8,
    /// BOINC's `min_quorum`.
    pub quorum: u8,
}

impl Extent {
    /// What the scenario says of jobs that are done by several hosts.
    pub fn replicated(jobs: &Jobs) -> Self {
        Extent {
            target: jobs.target_nresults as u8,
            quorum: jobs.min_quorum as u8,
        }
    }

    /// One instance, which is believed.
    pub const SINGLE: Extent = Extent {
        target: 1,
        quorum: 1,
    };
}

/// How often a host's results were found valid since the last that was not, as far as that proves
/// anything: a result with which nothing was compared does not count. BOINC's `consecutive_valid`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    /// How many.
    pub consecutive_valid: u32,
}

impl Record {
    /// The record after something has happened to an instance of a job of this extent.
    pub fn after(self, deed: Deed, extent: Extent) -> Self {
        let consecutive_valid = match deed {
            Deed::FoundValid if extent == Extent::SINGLE => self.consecutive_valid,
            Deed::FoundValid => self.consecutive_valid.saturating_add(1),
            Deed::ReportedFailure | Deed::TimedOut | Deed::FoundInvalid => 0,
            Deed::ReportedSuccess => self.consecutive_valid,
        };
        Record { consecutive_valid }
    }
}

/// How many instances does a job get, and who may share it?
pub trait Replication: Send {
    /// The extent of a new job.
    fn at_first(&self, jobs: &Jobs) -> Extent;

    /// Whether a host with this record is trusted in this request; asked once per request.
    fn trusts(&self, record: Record, random: &mut RandomStream) -> bool;

    /// The extent of a job after an instance was sent to a host that is trusted or is not.
    fn after_dispatch(&self, before: Extent, trusted: bool, jobs: &Jobs) -> Extent;

    /// Whether all instances of a job must be done on hosts of one platform.
    fn on_one_platform(&self) -> bool {
        false
    }
}

/// The rules by their names in a scenario.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "rule", rename_all = "snake_case", deny_unknown_fields)]
pub enum Rule {
    /// Every job has `jobs.target_nresults` instances and a quorum of `jobs.min_quorum`.
    FixedQuorum,
    /// BOINC's adaptive replication: a host that has proved itself does jobs alone, and is checked
    /// at random; all others share jobs as with `fixed_quorum`.
    Adaptive {
        /// How many valid results in a row make a host trusted. BOINC: 10.
        #[serde(default = "ten")]
        trusted_after: u32,
    },
    /// BOINC's homogeneous redundancy: as `fixed_quorum`, but all instances of a job go to hosts of
    /// one platform (`population.platforms`), that of the first.
    Homogeneous,
}

fn ten() -> u32 {
    10
}

impl Rule {
    /// The rule behind the name.
    pub fn build(self) -> RuleAtWork {
        match self {
            Rule::FixedQuorum => RuleAtWork::FixedQuorum(FixedQuorum),
            Rule::Adaptive { trusted_after } => RuleAtWork::Adaptive(Adaptive { trusted_after }),
            Rule::Homogeneous => RuleAtWork::Homogeneous(Homogeneous),
        }
    }
}

/// A rule at work: plain data, so that a checkpoint can keep it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs)] // One variant per rule.
pub enum RuleAtWork {
    FixedQuorum(FixedQuorum),
    Adaptive(Adaptive),
    Homogeneous(Homogeneous),
}

impl RuleAtWork {
    /// The rule, whichever it is.
    pub fn rule(&self) -> &dyn Replication {
        match self {
            RuleAtWork::FixedQuorum(rule) => rule,
            RuleAtWork::Adaptive(rule) => rule,
            RuleAtWork::Homogeneous(rule) => rule,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_results_that_were_compared_build_trust_and_any_failure_destroys_it() {
        let pair = Extent {
            target: 2,
            quorum: 2,
        };
        let mut record = Record::default();
        for _ in 0..3 {
            record = record.after(Deed::FoundValid, pair);
            record = record.after(Deed::ReportedSuccess, pair);
        }
        assert_eq!(record.consecutive_valid, 3);
        assert_eq!(record.after(Deed::FoundValid, Extent::SINGLE), record);
        for deed in [Deed::ReportedFailure, Deed::TimedOut, Deed::FoundInvalid] {
            assert_eq!(record.after(deed, Extent::SINGLE), Record::default());
        }
    }
}
