//! Which actor lives in which partition?
//!
//! A placement divides the numbers of the actors into consecutive ranges. It can change how fast a
//! run is, never what it finds.

use kernel::{Directory, Promises};

/// The rules by their names on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Placement {
    /// Blocks of equal size, whatever groups they hold.
    #[default]
    Blocks,
    /// Every group cut into so many blocks: no partition holds members of two groups.
    Groups,
}

impl Placement {
    /// Divides the actors with these promises into about `partitions` partitions.
    ///
    /// # Panics
    /// If there are no actors or no partitions.
    pub fn divide(self, promises: &Promises, partitions: usize) -> Directory {
        assert!(partitions > 0, "a run has at least one partition");
        let ranges = promises.groups().map(|group| promises.members(group));
        let mut ends: Vec<u32> = match self {
            Placement::Blocks => {
                let actors = ranges.map(|members| members.end).max().unwrap_or(0);
                even_ends(0..actors, partitions).collect()
            }
            Placement::Groups => ranges
                .filter(|members| !members.is_empty())
                .flat_map(|members| even_ends(members, partitions))
                .collect(),
        };
        ends.sort_unstable();
        ends.dedup();
        Directory::new(ends)
    }
}

/// Where up to `parts` nearly equal consecutive parts of a range end.
fn even_ends(range: std::ops::Range<u32>, parts: usize) -> impl Iterator<Item = u32> {
    let length = range.len() as u64;
    let parts = (parts as u64).min(length);
    (1..=parts).map(move |part| range.start + (length * part / parts.max(1)) as u32)
}
