//! In which partition does an actor live?
//!
//! Partitions hold actors with consecutive numbers, so a directory is a list of ends. A coarse table
//! in front of it answers in a few instructions, whatever the number of partitions.

use std::ops::Range;

use crate::actor::ActorId;

/// Which partition each actor lives in.
#[derive(Clone, Debug)]
pub struct Directory {
    /// One past the last actor of each partition, ascending.
    ends: Vec<u32>,
    /// For each block of 2^bits actors, the partition of its first.
    coarse: Vec<u32>,
    bits: u32,
}

impl Directory {
    /// The directory of partitions that end (exclusively) at `ends`; the first begins at zero.
    ///
    /// # Panics
    /// If `ends` is empty or does not ascend: every partition has somebody in it.
    pub fn new(ends: Vec<u32>) -> Self {
        assert!(
            ends.first().is_some_and(|&first| first > 0) && ends.is_sorted_by(|a, b| a < b),
            "partitions are non-empty ranges in ascending order"
        );
        let actors = *ends.last().expect("there is a partition");
        let bits = actors.ilog2().saturating_sub(10);
        let blocks = (actors >> bits) + 1;
        let coarse = (0..blocks)
            .map(|block| ends.partition_point(|&end| end <= block << bits) as u32)
            .collect();
        Directory { ends, coarse, bits }
    }

    /// How many partitions there are.
    pub fn partitions(&self) -> usize {
        self.ends.len()
    }

    /// The numbers of the actors that live in a partition.
    pub fn members(&self, partition: usize) -> Range<u32> {
        let start = partition
            .checked_sub(1)
            .map_or(0, |before| self.ends[before]);
        start..self.ends[partition]
    }

    /// The partition an actor lives in.
    #[inline]
    pub fn partition_of(&self, actor: ActorId) -> usize {
        let mut partition = self.coarse[(actor.0 >> self.bits) as usize] as usize;
        while self.ends[partition] <= actor.0 {
            partition += 1;
        }
        partition
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_is_found_at_home() {
        for ends in [
            vec![1],
            vec![1, 2, 3],
            vec![5, 4_000, 4_001, 70_000],
            vec![1 << 20],
        ] {
            let directory = Directory::new(ends.clone());
            for partition in 0..ends.len() {
                for actor in directory.members(partition) {
                    assert_eq!(directory.partition_of(ActorId(actor)), partition);
                }
            }
        }
    }
}
