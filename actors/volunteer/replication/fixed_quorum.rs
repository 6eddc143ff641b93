//! Every job is done by several hosts.

use kernel::RandomStream;
use serde::{Deserialize, Serialize};

use super::{Extent, Record, Replication};
use crate::volunteer::scenario::Jobs;

/// As many instances and as large a quorum as the scenario says, for every job (the document,
/// section 2.2).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FixedQuorum;

impl Replication for FixedQuorum {
    fn at_first(&self, jobs: &Jobs) -> Extent {
        Extent::replicated(jobs)
    }

    fn trusts(&self, _record: Record, _random: &mut RandomStream) -> bool {
        false
    }

    fn after_dispatch(&self, before: Extent, _trusted: bool, _jobs: &Jobs) -> Extent {
        before
    }
}
