//! BOINC's rule since 2010, as its code has it today.
//!
//! A reported success doubles the limit up to the quota; a failure or timeout takes it to the quota
//! if it is above, then one off; a valid result adds one, and may go beyond the quota; an invalid
//! one takes one off only there. The limit counts once per processor, *except* a limit of one,
//! which is one instance a day for the whole host. A host without a record is not limited.

use serde::{Deserialize, Serialize};

use super::{Deed, Quota};

/// The limit starts at `daily_result_quota`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BoincNow {
    /// First limit, per processor.
    pub daily_result_quota: u32,
}

impl Quota for BoincNow {
    fn at_first(&self, _cores: u32) -> u32 {
        self.daily_result_quota
    }

    fn after(&self, limit: u32, deed: Deed) -> u32 {
        let quota = self.daily_result_quota;
        match deed {
            Deed::ReportedSuccess if limit < quota => limit.saturating_mul(2).min(quota),
            Deed::ReportedSuccess => limit,
            Deed::ReportedFailure | Deed::TimedOut => limit.min(quota).saturating_sub(1).max(1),
            Deed::FoundValid => limit.saturating_add(1),
            Deed::FoundInvalid if limit > quota => limit - 1,
            Deed::FoundInvalid => limit,
        }
    }

    fn per_day(&self, limit: u32, cores: u32) -> u32 {
        if limit == 1 {
            1
        } else {
            limit.saturating_mul(cores)
        }
    }

    fn first_contact_is_free(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: BoincNow = BoincNow {
        daily_result_quota: 8,
    };

    #[test]
    fn a_limit_of_one_is_one_for_the_whole_host() {
        // Field case 4 (BOINC issue 3073): one instance, not one per processor.
        assert_eq!(RULE.per_day(1, 4), 1);
        assert_eq!(RULE.per_day(2, 4), 8);
    }

    #[test]
    fn only_valid_results_lift_the_limit_beyond_the_quota() {
        assert_eq!(RULE.after(5, Deed::ReportedSuccess), 8);
        assert_eq!(RULE.after(12, Deed::ReportedSuccess), 12);
        assert_eq!(RULE.after(8, Deed::FoundValid), 9);
        assert_eq!(RULE.after(12, Deed::FoundInvalid), 11);
        assert_eq!(RULE.after(8, Deed::FoundInvalid), 8);
        assert_eq!(RULE.after(12, Deed::ReportedFailure), 7);
        assert_eq!(RULE.after(1, Deed::TimedOut), 1);
    }
}
