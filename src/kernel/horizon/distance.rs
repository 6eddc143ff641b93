//! How soon can what happens in one partition reach another?

use crate::directory::Directory;
use crate::partition::groups_within;
use crate::promise::Promises;
use crate::time::SimDuration;

/// `delays[from][to]`: the least delay of anything that somebody in one partition says to somebody
/// in another, [`SimDuration::FOREVER`] if they never speak, and from a partition to itself.
pub fn least_delays(promises: &Promises, directory: &Directory) -> Vec<Vec<SimDuration>> {
    let count = directory.partitions();
    let groups: Vec<_> = (0..count)
        .map(|partition| groups_within(promises, directory.members(partition)))
        .collect();
    let mut delays = vec![vec![SimDuration::FOREVER; count]; count];
    for (from, row) in delays.iter_mut().enumerate() {
        for (to, least) in row.iter_mut().enumerate() {
            if from == to {
                continue;
            }
            for &(_, speaker) in &groups[from] {
                for &(_, listener) in &groups[to] {
                    if let Some(promise) = promises.between(speaker, listener) {
                        *least = (*least).min(promise);
                    }
                }
            }
        }
    }
    delays
}
