//! BOINC's rule from February 2005 to 2010.
//!
//! The limit lies between 1 and `daily_result_quota`, where it starts. A success doubles it when it
//! is *reported*, not when it is validated; a failure and a timeout take one off. It counts once per
//! processor, for at most four.

use serde::{Deserialize, Serialize};

use super::{Deed, Quota};

/// The limit starts at `daily_result_quota`, which it never exceeds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Boinc2005 {
    /// First and highest limit, per processor.
    pub daily_result_quota: u32,
}

impl Quota for Boinc2005 {
    fn at_first(&self, _cores: u32) -> u32 {
        self.daily_result_quota.max(1)
    }

    fn after(&self, limit: u32, deed: Deed) -> u32 {
        match deed {
            Deed::ReportedSuccess => limit.saturating_mul(2).min(self.daily_result_quota.max(1)),
            Deed::ReportedFailure | Deed::TimedOut => limit.saturating_sub(1).max(1),
            Deed::FoundValid | Deed::FoundInvalid => limit,
        }
    }

    fn per_day(&self, limit: u32, cores: u32) -> u32 {
        limit.saturating_mul(cores.clamp(1, 4))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reported_success_doubles_the_limit_up_to_the_quota() {
        let rule = Boinc2005 {
            daily_result_quota: 10,
        };
        assert_eq!(rule.after(4, Deed::ReportedSuccess), 8);
        assert_eq!(rule.after(8, Deed::ReportedSuccess), 10);
        assert_eq!(rule.after(4, Deed::FoundValid), 4);
        assert_eq!(rule.after(1, Deed::TimedOut), 1);
        assert_eq!(rule.per_day(10, 2), 20);
        assert_eq!(
            rule.per_day(10, 16),
            40,
            "more than four processors do not count"
        );
    }
}
