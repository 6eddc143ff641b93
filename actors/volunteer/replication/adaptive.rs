//! A host that has proved itself does jobs alone.

use kernel::RandomStream;
use serde::{Deserialize, Serialize};

use super::{Extent, Record, Replication};
use crate::volunteer::scenario::Jobs;

/// BOINC's adaptive replication (`sched_send.cpp`): a job begins with one instance. If that is sent
/// to a host that is not trusted, the job becomes a replicated one. A host is trusted in a request if
/// its last n results that were compared were valid, n is at least `trusted_after`, and a number
/// uniform in 0 to 1 is above 1/n: so the best of hosts is checked, too, though ever more rarely.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Adaptive {
    pub(super) trusted_after: u32,
}

impl Replication for Adaptive {
    fn at_first(&self, _jobs: &Jobs) -> Extent {
        Extent::SINGLE
    }

    fn trusts(&self, record: Record, random: &mut RandomStream) -> bool {
        let valid = record.consecutive_valid;
        valid >= self.trusted_after.max(1) && random.uniform() > 1.0 / f64::from(valid)
    }

    fn after_dispatch(&self, before: Extent, trusted: bool, jobs: &Jobs) -> Extent {
        match before == Extent::SINGLE && !trusted {
            true => Extent::replicated(jobs),
            false => before,
        }
    }
}

#[cfg(test)]
mod tests {
    use kernel::{ActorId, Purpose};

    use super::*;

    #[test]
    fn a_host_is_trusted_after_ten_valid_results_and_checked_once_in_so_many() {
        let rule = Adaptive { trusted_after: 10 };
        let mut random = RandomStream::new(1, ActorId(0), Purpose(0));
        let mut trusted = |consecutive_valid| {
            let record = Record { consecutive_valid };
            (0..20_000)
                .filter(|_| rule.trusts(record, &mut random))
                .count()
        };
        assert_eq!(trusted(9), 0);
        // Binomial: nine tenths of 20,000, give or take four deviations of 42.
        assert!(trusted(10).abs_diff(18_000) < 170);
        assert!(trusted(100).abs_diff(19_800) < 60);
    }

    #[test]
    fn a_job_is_replicated_once_a_host_that_is_not_trusted_gets_it() {
        let rule = Adaptive { trusted_after: 10 };
        let jobs = Jobs::default();
        let single = rule.at_first(&jobs);
        assert_eq!(single, Extent::SINGLE);
        assert_eq!(rule.after_dispatch(single, true, &jobs), single);
        let shared = rule.after_dispatch(single, false, &jobs);
        assert_eq!((shared.target, shared.quorum), (4, 3));
        assert_eq!(rule.after_dispatch(shared, true, &jobs), shared);
    }
}
