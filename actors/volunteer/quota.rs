//! How many instances does a host get in a day?
//!
//! Hosts that fail at once would eat up the project's work, so each has a limit that shrinks when
//! it fails and grows back when it does well (the document, section 2.3). A rule sees one host's
//! limit and what happened, nothing else. Rules by name: `document`, `boinc_2005`, `boinc_now`,
//! `unlimited`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod boinc_2005;
mod boinc_now;
mod document;

pub use boinc_2005::Boinc2005;
pub use boinc_now::BoincNow;
pub use document::Document;

/// What happened to a host's instance, as far as quotas care.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deed {
    /// It was reported as a success.
    ReportedSuccess,
    /// It was reported as a failure.
    ReportedFailure,
    /// Its deadline passed.
    TimedOut,
    /// It was found valid.
    FoundValid,
    /// It was found invalid.
    FoundInvalid,
}

/// A host's daily limit, and how far it is used up.
pub trait Quota {
    /// The limit of a new host.
    fn at_first(&self, cores: u32) -> u32;
    /// The limit after something has happened.
    fn after(&self, limit: u32, deed: Deed) -> u32;
    /// How many instances a host with this limit gets in a day.
    fn per_day(&self, limit: u32, cores: u32) -> u32;
    /// Whether a host gets any number of instances at its very first contact.
    fn first_contact_is_free(&self) -> bool {
        false
    }
}

/// The rules by their names in a scenario.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "rule", rename_all = "snake_case", deny_unknown_fields)]
pub enum Rule {
    /// The document's: from `per_cpu` per processor down by one at each failure, doubled by each
    /// valid result.
    Document {
        /// K, the first limit per processor. Einstein@home: 8.
        per_cpu: u32,
    },
    /// BOINC's from 2005 to 2010.
    #[serde(rename = "boinc_2005")]
    Boinc2005 {
        /// The first and the highest limit, per processor.
        daily_result_quota: u32,
    },
    /// BOINC's since 2010.
    BoincNow {
        /// The first limit, per processor.
        daily_result_quota: u32,
    },
    /// Everybody gets as many as he wants.
    Unlimited,
}

impl Rule {
    /// The rule behind the name.
    pub fn build(self) -> RuleAtWork {
        match self {
            Rule::Document { per_cpu } => RuleAtWork::Document(Document { per_cpu }),
            Rule::Boinc2005 { daily_result_quota } => {
                RuleAtWork::Boinc2005(Boinc2005 { daily_result_quota })
            }
            Rule::BoincNow { daily_result_quota } => {
                RuleAtWork::BoincNow(BoincNow { daily_result_quota })
            }
            Rule::Unlimited => RuleAtWork::Unlimited(Unlimited),
        }
    }
}

/// A rule at work: plain data, so that a checkpoint can keep it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs)] // One variant per rule.
pub enum RuleAtWork {
    Document(Document),
    Boinc2005(Boinc2005),
    BoincNow(BoincNow),
    Unlimited(Unlimited),
}

impl RuleAtWork {
    /// The rule, whichever it is.
    pub fn rule(&self) -> &dyn Quota {
        match self {
            RuleAtWork::Document(rule) => rule,
            RuleAtWork::Boinc2005(rule) => rule,
            RuleAtWork::BoincNow(rule) => rule,
            RuleAtWork::Unlimited(rule) => rule,
        }
    }
}

/// No limit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Unlimited;

impl Quota for Unlimited {
    fn at_first(&self, _cores: u32) -> u32 {
        u32::MAX
    }
    fn after(&self, limit: u32, _deed: Deed) -> u32 {
        limit
    }
    fn per_day(&self, limit: u32, _cores: u32) -> u32 {
        limit
    }
}
