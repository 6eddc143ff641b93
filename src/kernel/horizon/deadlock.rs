//! Why can nobody go on?
//!
//! No protocol here should ever come to this. If one does, by a mistake in it or in what a world has
//! promised, the run is stopped and the circle is named: who waits for whom.

use std::fmt::Write as _;

use crate::actor::ActorId;
use crate::directory::Directory;
use crate::partition::{Safe, Standing, groups_within};
use crate::promise::Promises;
use crate::time::{SimDuration, SimTime};

/// Names a circle of partitions that wait for each other, beginning with the one whose event is the
/// earliest.
pub fn explain(
    promises: &Promises,
    directory: &Directory,
    standing: &[Standing],
    safe: &[Safe],
) -> String {
    let first = (0..standing.len()).min_by_key(|&partition| standing[partition].next);
    let Some(mut partition) = first else {
        return "there is no partition".to_owned();
    };
    let mut text = String::from("no partition may go on.");
    let mut seen = vec![false; standing.len()];
    loop {
        let name = name(promises, directory, partition);
        if std::mem::replace(&mut seen[partition], true) {
            let _ = write!(text, " {name} waits as said: that is the circle.");
            return text;
        }
        let (next, until) = (standing[partition].next, safe[partition].until);
        if next == SimTime::NEVER {
            let _ = write!(
                text,
                " {name} has nothing to do and waits for what it is told."
            );
        } else {
            let (next, until) = (next.as_secs_f64(), until.as_secs_f64());
            let _ = write!(
                text,
                " {name} has an event at {next:.9} s and may run only until {until:.9} s."
            );
        }
        // Its own earliest word to itself by way of others is no reason to wait, so others first.
        let others = (0..standing.len()).filter(|&other| other != partition);
        let speakers = others.filter_map(|other| {
            let least = least_delay(promises, directory, other, partition)?;
            Some((standing[other].next + least, other))
        });
        let Some((arrival, speaker)) = speakers.min() else {
            let _ = write!(
                text,
                " Nobody can tell it anything, so nothing should hold it."
            );
            return text;
        };
        let speaks = self::name(promises, directory, speaker);
        let _ = write!(
            text,
            " It waits for {speaks}, from which something could arrive at {:.9} s.",
            arrival.as_secs_f64()
        );
        partition = speaker;
    }
}

/// A partition by its number and its first and last residents.
fn name(promises: &Promises, directory: &Directory, partition: usize) -> String {
    let members = directory.members(partition);
    let (first, last) = (ActorId(members.start), ActorId(members.end - 1));
    let (first, last) = (promises.actor_name(first), promises.actor_name(last));
    if first == last {
        format!("partition {partition} ({first})")
    } else {
        format!("partition {partition} ({first} to {last})")
    }
}

/// The least delay of anything that somebody in one partition says to somebody in another.
fn least_delay(
    promises: &Promises,
    directory: &Directory,
    from: usize,
    to: usize,
) -> Option<SimDuration> {
    let [from, to] = [from, to].map(|it| groups_within(promises, directory.members(it)));
    let pairs = from
        .iter()
        .flat_map(|&(_, speaker)| to.iter().map(move |&(_, listener)| (speaker, listener)));
    pairs
        .filter_map(|(speaker, listener)| promises.between(speaker, listener))
        .min()
}
