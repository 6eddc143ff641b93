//! Blocks of equal size, whatever groups they hold.
//!
//! For worlds whose actors all do about the same, such as PHOLD: nothing need be known of them.

use kernel::Promises;

use super::{even_ends, members};

pub(super) fn ends(promises: &Promises, partitions: usize) -> Vec<u32> {
    let actors = members(promises).map(|members| members.end).max();
    even_ends(0..actors.unwrap_or(0), partitions).collect()
}
