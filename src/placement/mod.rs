//! Which actor lives in which partition?
//!
//! A placement divides the numbers of the actors into consecutive ranges. It can change how fast a
//! run is, never what it finds.

mod blocks;
mod groups;
mod load;
mod neighbours;

use std::ops::Range;

use kernel::{Directory, Promises};

/// The rules by their names on the command line.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Debug,
    Default,
    serde::Serialize,
    serde::Deserialize,
    clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Placement {
    /// Blocks of equal size, whatever groups they hold.
    #[default]
    Blocks,
    /// Every group cut into so many blocks: no partition holds members of two groups.
    Groups,
    /// Groups that may tell each other things soon share a partition: windows between partitions are
    /// long.
    Neighbours,
    /// Blocks of equal work, as far as promises let it be foretold: few busy actors, or many idle
    /// ones.
    Load,
}

impl Placement {
    /// Divides the actors with these promises into about `partitions` partitions.
    ///
    /// # Panics
    /// If there are no actors or no partitions.
    pub fn divide(self, promises: &Promises, partitions: usize) -> Directory {
        assert!(partitions > 0, "a run has at least one partition");
        directory(self.ends(promises, partitions))
    }

    /// Divides like [`Placement::divide`], and cuts wherever a group ends, too: no partition holds
    /// members of two groups.
    ///
    /// # Panics
    /// If there are no actors or no partitions.
    pub fn divide_within_groups(self, promises: &Promises, partitions: usize) -> Directory {
        assert!(partitions > 0, "a run has at least one partition");
        let mut ends = self.ends(promises, partitions);
        ends.extend(members(promises).map(|members| members.end));
        directory(ends)
    }

    /// Where partitions end, in any order, some perhaps twice.
    fn ends(self, promises: &Promises, partitions: usize) -> Vec<u32> {
        match self {
            Placement::Blocks => blocks::ends(promises, partitions),
            Placement::Groups => groups::ends(promises, partitions),
            Placement::Neighbours => neighbours::ends(promises, partitions),
            Placement::Load => load::ends(promises, partitions),
        }
    }
}

fn directory(mut ends: Vec<u32>) -> Directory {
    ends.sort_unstable();
    ends.dedup();
    Directory::new(ends)
}

/// The members of each group that has any, ascending.
fn members(promises: &Promises) -> impl Iterator<Item = Range<u32>> {
    let ranges = promises.groups().map(|group| promises.members(group));
    let mut ranges: Vec<_> = ranges.filter(|members| !members.is_empty()).collect();
    ranges.sort_unstable_by_key(|members| members.start);
    ranges.into_iter()
}

/// Where up to `parts` nearly equal consecutive parts of a range end.
fn even_ends(range: Range<u32>, parts: usize) -> impl Iterator<Item = u32> {
    let length = range.len() as u64;
    let parts = (parts as u64).min(length);
    (1..=parts).map(move |part| range.start + (length * part / parts.max(1)) as u32)
}

#[cfg(test)]
mod tests;
