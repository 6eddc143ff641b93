//! The rule of the document, section 2.3.
//!
//! "For each host, the server maintains a limit N on the number of job instances sent per day. This
//! is initially K times the number of CPUs. When an error instance is returned, or an instance
//! times out, N is decremented down to a limit of 1. When a successful instance is returned and
//! validated, N is doubled." The document names no upper limit, so there is none.

use serde::{Deserialize, Serialize};

use super::{Deed, Quota};

/// N starts at `per_cpu` times the number of processors.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Document {
    /// K.
    pub per_cpu: u32,
}

impl Quota for Document {
    fn at_first(&self, cores: u32) -> u32 {
        self.per_cpu.saturating_mul(cores).max(1)
    }

    fn after(&self, limit: u32, deed: Deed) -> u32 {
        match deed {
            Deed::ReportedFailure | Deed::TimedOut => limit.saturating_sub(1).max(1),
            Deed::FoundValid => limit.saturating_mul(2),
            Deed::ReportedSuccess | Deed::FoundInvalid => limit,
        }
    }

    fn per_day(&self, limit: u32, _cores: u32) -> u32 {
        limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_falls_by_one_to_one_and_doubles_when_a_result_is_valid() {
        let rule = Document { per_cpu: 8 };
        let mut limit = rule.at_first(2);
        assert_eq!(limit, 16);
        for _ in 0..20 {
            limit = rule.after(limit, Deed::ReportedFailure);
        }
        assert_eq!(limit, 1, "decremented down to a limit of 1");
        for expected in [2, 4, 8, 16, 32] {
            limit = rule.after(limit, Deed::FoundValid);
            assert_eq!(limit, expected);
        }
        assert_eq!(rule.after(limit, Deed::TimedOut), 31);
        assert_eq!(rule.after(limit, Deed::ReportedSuccess), 32);
    }
}
