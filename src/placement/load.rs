//! Blocks of equal work, as far as promises let it be foretold.
//!
//! For worlds with a few busy actors, whatever the horizon: a scheduler whom all hosts ask is a
//! partition of its own, and the hosts are dealt out to the others evenly. With blocks of equal size
//! the worker that has the scheduler has as many hosts as everybody else on top.
//!
//! The guess: every member of the larger of two groups that talk takes part in one exchange in the
//! time that everybody has. So each group has as many events, for each other it hears from, as the
//! larger of the two has members, shared among its own. How much a real world differs from that is
//! shown by `events_by_partition` in a run's `engine.json`.

use kernel::{Group, Promises};

pub(super) fn ends(promises: &Promises, partitions: usize) -> Vec<u32> {
    let mut groups: Vec<Group> = promises.groups().collect();
    groups.retain(|&group| !promises.members(group).is_empty());
    groups.sort_unstable_by_key(|&group| promises.members(group).start);
    let work = |group| u128::from(work(promises, group));
    let all: u128 = groups.iter().map(|&group| work(group)).sum();
    let parts = partitions as u128;
    let mut ends = Vec::new();
    let mut before = 0;
    for group in groups {
        let (members, work) = (promises.members(group), work(group));
        let count = members.len() as u128;
        // The work up to and including this group's first `n` members is before + work * n / count;
        // a partition ends wherever that first reaches a multiple of all / parts.
        let first = before * parts / all + 1;
        let last = (before + work) * parts / all;
        for part in first..=last {
            let wanted = part * all - before * parts;
            let n = (wanted * count).div_ceil(work * parts);
            ends.push(members.start + n.clamp(1, count) as u32);
        }
        before += work;
    }
    ends
}

/// How many events a group has, in the time in which everybody has one of its own.
fn work(promises: &Promises, group: Group) -> u64 {
    let own = promises.members(group).len() as u64;
    let heard = promises
        .groups()
        .filter(|&other| promises.between(other, group).is_some())
        .map(|other| match promises.members(other).len() as u64 {
            0 => 0,
            others => others.max(own),
        });
    own + heard.sum::<u64>()
}
