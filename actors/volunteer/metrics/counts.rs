//! Plain counts, and counts by kinds of hosts.

use serde::{Deserialize, Serialize};

/// Plain counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Counts {
    pub(super) hosts_left: u64,
    pub(super) instances_lost_with_hosts: u64,
    pub(super) requests_for_work: u64,
    pub(super) requests_in_vain: u64,
    pub(super) nothing_to_send: u64,
    pub(super) quota_reached: u64,
    pub(super) hosts_admitted: u64,
    pub(super) hosts_refused: u64,
    pub(super) files_opened: u64,
    pub(super) files_retired: u64,
    pub(super) jobs_created: u64,
    /// Jobs that began with one instance and were given more.
    pub(super) jobs_extended: u64,
    pub(super) jobs_failed: u64,
    pub(super) jobs_assimilated: u64,
    pub(super) jobs_retired: u64,
    pub(super) instances_created: u64,
    pub(super) successes: u64,
    pub(super) client_errors: u64,
    pub(super) timeouts: u64,
    pub(super) late_reports: u64,
    pub(super) too_late: u64,
    pub(super) validate_errors: u64,
    pub(super) inconclusive_checks: u64,
    pub(super) checks_put_off: u64,
    pub(super) wrong_canonicals: u64,
    /// Valid instances that helped to make a quorum.
    pub(super) valid_needed: u64,
    pub(super) downloads: u64,
    pub(super) computed_nanos: u128,
    pub(super) wasted_nanos: u128,
}

/// What hosts of one class did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct ByClass {
    pub(super) joined: u64,
    pub(super) successes: u64,
    pub(super) errors: u64,
    pub(super) timeouts: u64,
    pub(super) valid: u64,
    pub(super) invalid: u64,
}

/// What hosts of one speed did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct BySpeed {
    pub(super) joined: u64,
    pub(super) cores: u64,
    pub(super) computed: u64,
    pub(super) failed: u64,
}

macro_rules! merged_by_addition {
    ($kind:ident: $($field:ident),* $(,)?) => {
        impl $kind {
            pub(super) fn merge(&mut self, other: &Self) {
                // A new field that is not listed here does not compile.
                let $kind { $($field),* } = other;
                $(self.$field += $field;)*
            }
        }
    };
}
merged_by_addition!(Counts: hosts_left, instances_lost_with_hosts, requests_for_work,
    requests_in_vain, nothing_to_send, quota_reached, hosts_admitted, hosts_refused, files_opened, files_retired, jobs_created, jobs_extended,
    jobs_failed, jobs_assimilated, jobs_retired, instances_created, successes, client_errors,
    timeouts, late_reports, too_late, validate_errors, inconclusive_checks, checks_put_off, wrong_canonicals, valid_needed,
    downloads, computed_nanos, wasted_nanos);
merged_by_addition!(ByClass: joined, successes, errors, timeouts, valid, invalid);
merged_by_addition!(BySpeed: joined, cores, computed, failed);
