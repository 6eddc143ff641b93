//! Were two runs the same?
//!
//! A [`Fingerprint`] is a digest of the *set* of all events with their keys and contents: a sum, so
//! that it does not depend on the order in which partitions went through a window. Keys are unique
//! and every event's content depends on what its sender had seen before, so two runs with the same
//! set of events are the same run. A [`Transcript`] keeps the events themselves, to name the first
//! one that differs.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::actor::{Actor, ActorId};
use crate::envelope::EventKey;
use crate::observer::Observer;
use crate::random::mix64;
use crate::saved::{OtherKind, Saved};

/// A digest of all events of a run, equal for any number of threads, partitions and runtimes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Fingerprint {
    events: u64,
    sum: [u64; 2],
}

impl Fingerprint {
    /// How many events it covers.
    pub fn events(&self) -> u64 {
        self.events
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{:016x}", self.sum[0], self.sum[1])
    }
}

impl<A: Actor> Observer<A> for Fingerprint {
    #[inline]
    fn on_event(&mut self, key: EventKey, target: ActorId, message: &A::Message) {
        let mut hasher = ValueHasher(key.time.nanos());
        hasher.write_u64((u64::from(key.source.0) << 32) | u64::from(key.number));
        message.hash(&mut hasher);
        let digest = hasher.product(u64::from(target.0));
        self.events += 1;
        self.sum[0] = self.sum[0].wrapping_add(digest as u64);
        self.sum[1] = self.sum[1].wrapping_add((digest >> 64) as u64);
    }

    fn merge(&mut self, other: Self) {
        self.events += other.events;
        self.sum[0] = self.sum[0].wrapping_add(other.sum[0]);
        self.sum[1] = self.sum[1].wrapping_add(other.sum[1]);
    }
}

impl Saved for Fingerprint {
    fn relink(&mut self, _fresh: &Self) -> Result<(), OtherKind> {
        Ok(())
    }
}

/// A digest of what a message says, the same on every machine.
pub fn digest(message: &impl Hash) -> u64 {
    let mut hasher = ValueHasher(0);
    message.hash(&mut hasher);
    hasher.finish()
}

/// A hasher that takes numbers by value, so that a digest is the same on every machine.
struct ValueHasher(u64);

impl ValueHasher {
    /// What was taken in so far times `value`, both spread over the word first.
    #[inline]
    fn product(&self, value: u64) -> u128 {
        u128::from(self.0 ^ 0xa076_1d64_78bd_642f) * u128::from(value ^ 0xe703_7ed1_a0b4_28db)
    }
}

impl Hasher for ValueHasher {
    #[inline]
    fn write_u64(&mut self, value: u64) {
        // Two rounds of multiply and fold: what wyhash does, cheap and well mixed.
        let product =
            u128::from(self.0 ^ 0xa076_1d64_78bd_642f) * u128::from(value ^ 0xe703_7ed1_a0b4_28db);
        self.0 = (product as u64) ^ ((product >> 64) as u64) ^ value.rotate_left(32);
    }
    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }
    #[inline]
    fn write_u16(&mut self, value: u16) {
        self.write_u64(u64::from(value));
    }
    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }
    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
    #[inline]
    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as u64);
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }
    #[inline]
    fn finish(&self) -> u64 {
        mix64(self.0)
    }
}

/// All events of a run, for runs short enough to keep.
#[derive(Debug)]
pub struct Transcript<A: Actor> {
    events: Vec<(EventKey, ActorId, A::Message)>,
}

impl<A: Actor> Default for Transcript<A> {
    fn default() -> Self {
        Transcript { events: Vec::new() }
    }
}

impl<A: Actor> Clone for Transcript<A> {
    fn clone(&self) -> Self {
        Transcript {
            events: self.events.clone(),
        }
    }
}

impl<A: Actor> Observer<A> for Transcript<A> {
    fn on_event(&mut self, key: EventKey, target: ActorId, message: &A::Message) {
        self.events.push((key, target, message.clone()));
    }

    fn merge(&mut self, other: Self) {
        self.events.extend(other.events);
    }
}

impl<A: Actor> Transcript<A> {
    /// Every event in the order of the run.
    pub fn into_events(mut self) -> Vec<(EventKey, ActorId, A::Message)> {
        self.events.sort_by_key(|&(key, ..)| key);
        self.events
    }

    /// The first event, in the order of the run, that this transcript and `other` do not share,
    /// in words: when, from whom, to whom, what. `None` if the runs were the same.
    ///
    /// `name` gives an actor's name ([`Promises::actor_name`](crate::Promises::actor_name)).
    pub fn first_difference(self, other: Self, name: impl Fn(ActorId) -> String) -> Option<String> {
        let words = |event: Option<&(EventKey, ActorId, A::Message)>| match event {
            None => "the run is over".to_owned(),
            Some((key, target, message)) => format!(
                "at {:.9} s {} (its message {}) to {}: {message:?}",
                key.time.as_secs_f64(),
                name(key.source),
                key.number,
                name(*target)
            ),
        };
        let (here, there) = (self.into_events(), other.into_events());
        let same = |a: &(EventKey, ActorId, A::Message), b: &(EventKey, ActorId, A::Message)| {
            a.0 == b.0 && a.1 == b.1 && digest(&a.2) == digest(&b.2)
        };
        let agreed = here
            .iter()
            .zip(&there)
            .take_while(|(a, b)| same(a, b))
            .count();
        if agreed == here.len() && agreed == there.len() {
            return None;
        }
        Some(format!(
            "after {agreed} equal events\n  one run:   {}\n  the other: {}",
            words(here.get(agreed)),
            words(there.get(agreed))
        ))
    }
}
