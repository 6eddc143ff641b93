//! Every group cut into so many blocks: no partition holds members of two groups.
//!
//! For the `round_trip` horizon, which knows bounds per group: a partition of one group has the bound
//! of that group, not the tightest of several.

use kernel::Promises;

use super::{even_ends, members};

pub(super) fn ends(promises: &Promises, partitions: usize) -> Vec<u32> {
    members(promises)
        .flat_map(|members| even_ends(members, partitions))
        .collect()
}
