//! A window for each partition: bounded only by those from whom mail can reach it.
//!
//! `safe[p] = min over q of next[q] + distance(q, p)`, where the distance is the least sum of
//! promises along any chain of conversations from `q` to `p`, and from `p` back to itself through
//! others for `q = p`. (The distances of the bounded-lag algorithm: Lubachevsky, CACM 32(1), 1989.)
//!
//! No deadlock: distances are positive, so for the partition with the earliest event every term is
//! later than that event.

use super::{Horizon, least_delays};
use crate::directory::Directory;
use crate::partition::{Safe, Standing};
use crate::promise::Promises;
use crate::time::{SimDuration, SimTime};

/// Windows from the distances between partitions.
#[derive(Debug)]
pub struct PairwiseWindow {
    /// `distance[q][p]`: the least time from something happening in `q` to mail reaching `p`.
    distance: Vec<Vec<SimDuration>>,
}

impl PairwiseWindow {
    /// The protocol for a world with these promises, divided like this.
    pub fn new(promises: &Promises, directory: &Directory) -> Self {
        let mut distance = least_delays(promises, directory);
        let count = distance.len();
        // Floyd and Warshall. The diagonal starts at "forever", so it ends as the shortest cycle.
        for via in 0..count {
            for from in 0..count {
                for to in 0..count {
                    let around = distance[from][via] + distance[via][to];
                    distance[from][to] = distance[from][to].min(around);
                }
            }
        }
        PairwiseWindow { distance }
    }
}

impl Horizon for PairwiseWindow {
    fn advance(&mut self, standing: &[Standing], safe: &mut [Safe]) {
        for bound in safe.iter_mut() {
            *bound = Safe::until(SimTime::NEVER);
        }
        for (partition, row) in standing.iter().zip(&self.distance) {
            if partition.next == SimTime::NEVER {
                continue;
            }
            for (bound, &distance) in safe.iter_mut().zip(row) {
                let until = bound.until.min(partition.next + distance);
                *bound = Safe::until(until);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_bounded_by_its_neighbours_and_by_its_own_echo() {
        let nanos = SimDuration::from_nanos;
        // 0 and 1 talk with a delay of 3 and 4; 1 and 2 with 10 and 10; 0 and 2 never directly.
        let mut distance = vec![vec![SimDuration::FOREVER; 3]; 3];
        distance[0] = vec![nanos(7), nanos(3), nanos(13)];
        distance[1] = vec![nanos(4), nanos(7), nanos(10)];
        distance[2] = vec![nanos(14), nanos(10), nanos(20)];
        let mut horizon = PairwiseWindow { distance };
        let at = |time| Standing::at(SimTime::from_nanos(time));
        let mut safe = [Safe::until(SimTime::START); 3];
        horizon.advance(&[at(100), at(200), at(90)], &mut safe);
        let until: Vec<u64> = safe.iter().map(|safe| safe.until.nanos()).collect();
        // 0: min(100 + 7, 200 + 4, 90 + 14); 1: min(100 + 3, 207, 90 + 10); 2: min(113, 210, 110).
        assert_eq!(until, [104, 100, 110]);
    }
}
