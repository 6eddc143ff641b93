//! Groups that may tell each other things soon share a partition.
//!
//! For the `pairwise_window` horizon: how far a partition may run ahead is decided by the smallest
//! promise from another, so the cuts go where promises are large. Servers in one room are kept
//! together, rooms are kept apart. It helps where whole groups are far from each other. In a world of
//! one crowd around a few servers it cannot: the crowd must be cut somewhere, and then some of it is
//! elsewhere than the servers.

use std::ops::Range;

use kernel::{Promises, SimDuration};

use super::{even_ends, members};

pub(super) fn ends(promises: &Promises, partitions: usize) -> Vec<u32> {
    let rooms = rooms(promises, partitions);
    let actors = rooms.iter().map(|room| room.len() as u64).sum::<u64>();
    // Of the partitions that rooms alone do not make, each room gets a share by its size.
    let spare = partitions.saturating_sub(rooms.len()) as u64;
    rooms
        .into_iter()
        .flat_map(|room| {
            let share = spare * room.len() as u64 / actors.max(1);
            even_ends(room, 1 + share as usize)
        })
        .collect()
}

/// Unions of consecutive groups: up to `most` of them, so that the smallest promise between any two
/// is as large as can be.
fn rooms(promises: &Promises, most: usize) -> Vec<Range<u32>> {
    let mut rooms: Vec<Range<u32>> = members(promises).collect();
    // With every group in a room of its own the smallest promise between rooms is the smallest of
    // all; taking those who made it together raises it, until there are no more than were asked for.
    while rooms.len() > most.max(1) {
        let Some((first, last)) = nearest(promises, &rooms) else {
            // Nobody speaks to anybody elsewhere: any two may share.
            let last = rooms.pop().expect("there are several");
            rooms.last_mut().expect("there are several").end = last.end;
            continue;
        };
        // Rooms are ranges of numbers: whoever is between the two moves in with them.
        let end = rooms[last].end;
        rooms[first].end = end;
        rooms.drain(first + 1..=last);
    }
    rooms
}

/// The two rooms between which the smallest promise is made, the earlier first.
fn nearest(promises: &Promises, rooms: &[Range<u32>]) -> Option<(usize, usize)> {
    let room_of =
        |members: &Range<u32>| rooms.iter().position(|room| room.contains(&members.start));
    let mut best: Option<(SimDuration, usize, usize)> = None;
    for from in promises.groups() {
        for to in promises.groups() {
            let Some(promise) = promises.between(from, to) else {
                continue;
            };
            let rooms = (
                room_of(&promises.members(from)),
                room_of(&promises.members(to)),
            );
            let (Some(a), Some(b)) = rooms else {
                continue;
            };
            if a != b && best.is_none_or(|(least, ..)| promise < least) {
                best = Some((promise, a.min(b), a.max(b)));
            }
        }
    }
    best.map(|(_, first, last)| (first, last))
}
