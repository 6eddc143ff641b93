//! Every job is done by several hosts of one platform.

use kernel::RandomStream;
use serde::{Deserialize, Serialize};

use super::{Extent, FixedQuorum, Record, Replication};
use crate::volunteer::scenario::Jobs;

/// BOINC's homogeneous redundancy: results of one job come from one platform, so that numerical
/// differences between platforms do not look like errors. The first dispatch binds a job; if all of
/// its instances have failed, it is free again (`sched_check.cpp`, `transitioner.cpp`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Homogeneous;

impl Replication for Homogeneous {
    fn at_first(&self, jobs: &Jobs) -> Extent {
        FixedQuorum.at_first(jobs)
    }

    fn trusts(&self, record: Record, random: &mut RandomStream) -> bool {
        FixedQuorum.trusts(record, random)
    }

    fn after_dispatch(&self, before: Extent, trusted: bool, jobs: &Jobs) -> Extent {
        FixedQuorum.after_dispatch(before, trusted, jobs)
    }

    fn on_one_platform(&self) -> bool {
        true
    }
}
