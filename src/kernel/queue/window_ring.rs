//! A ring of windows: events are thrown into buckets by time and never sorted by it.
//!
//! Inside a safe window only each actor's own order matters, so a window is taken out as it lies,
//! one whole bucket at a time, and its partition groups it by actor. Nothing on the way costs more
//! than an append to a list: no heap, no comparison of times.
//!
//! The ring is a hierarchy of rings (a hierarchical timing wheel, Varghese and Lauck, SOSP 1987).
//! The lowest has buckets as wide as a window; a bucket of the next holds what a whole turn of the
//! lower one spans. When a turn is over, the next bucket above is dealt out below. An event is moved
//! at most once per level, and most events lie less than one turn ahead.
//!
//! Buckets are aligned to absolute time, so an event that comes earlier than the present bucket
//! (an answer to a host whose neighbours have run ahead) falls into place as long as it lies in the
//! present turn; what lies before it goes to a list of its own, `early`.

use super::EventQueue;
use crate::envelope::Envelope;
use crate::time::{SimDuration, SimTime};

/// Each ring has 2^9 buckets: of mean delays a few windows long, about one event in ten is moved
/// twice, and the heads of a ring's buckets stay in the first-level cache.
const RING_BITS: u32 = 9;
const BUCKETS: usize = 1 << RING_BITS;
const WORDS: usize = BUCKETS / 64;

/// A pending-event set that hands out whole windows.
pub struct WindowRing<M> {
    /// The width of the lowest ring's buckets is two to this power, in nanoseconds.
    width_bits: u32,
    /// The number of the lowest ring's present turn: all of `present` lies in it.
    turn: u64,
    /// The present turn, bucket by bucket.
    present: Ring<M>,
    /// Later turns: each ring's bucket spans a whole turn of the one before.
    later: Vec<Ring<M>>,
    /// Events before the present turn.
    early: Bucket<M>,
    /// Empty buffers of past windows, the last used on top: still in the cache, and as large as a
    /// window. A bucket takes one when its first event comes, so buffers exist for the buckets in
    /// use and not for all.
    spare: Vec<Vec<Envelope<M>>>,
    len: usize,
}

/// More spare buffers than this are given back.
const MOST_SPARE: usize = 8;

struct Ring<M> {
    occupied: [u64; WORDS],
    buckets: Box<[Bucket<M>; BUCKETS]>,
}

struct Bucket<M> {
    earliest: SimTime,
    events: Vec<Envelope<M>>,
}

impl<M> Default for Bucket<M> {
    fn default() -> Self {
        Bucket {
            earliest: SimTime::NEVER,
            events: Vec::new(),
        }
    }
}

impl<M> Bucket<M> {
    #[inline]
    fn push(&mut self, envelope: Envelope<M>) {
        self.earliest = self.earliest.min(envelope.key.time);
        self.events.push(envelope);
    }

    /// Moves what is earlier than `end` to `window`.
    fn split(&mut self, end: SimTime, window: &mut Vec<Envelope<M>>) {
        window.extend(self.events.extract_if(.., |event| event.key.time < end));
        let times = self.events.iter().map(|event| event.key.time);
        self.earliest = times.min().unwrap_or(SimTime::NEVER);
    }
}

impl<M> Default for Ring<M> {
    fn default() -> Self {
        let buckets: Box<[Bucket<M>]> = (0..BUCKETS).map(|_| Bucket::default()).collect();
        Ring {
            occupied: [0; WORDS],
            buckets: buckets.try_into().ok().expect("as many as there are"),
        }
    }
}

impl<M> Ring<M> {
    #[inline]
    fn push(&mut self, index: usize, envelope: Envelope<M>) {
        self.occupied[index / 64] |= 1 << (index % 64);
        self.buckets[index].push(envelope);
    }

    #[inline]
    fn first(&self) -> Option<usize> {
        let word = self.occupied.iter().position(|&word| word != 0)?;
        Some(word * 64 + self.occupied[word].trailing_zeros() as usize)
    }

    #[inline]
    fn mark_empty(&mut self, index: usize) {
        self.occupied[index / 64] &= !(1 << (index % 64));
    }
}

impl<M> WindowRing<M> {
    #[inline]
    fn insert(&mut self, envelope: Envelope<M>) {
        let bucket = envelope.key.time.nanos() >> self.width_bits;
        if bucket >> RING_BITS == self.turn {
            let index = bucket as usize % BUCKETS;
            if self.present.buckets[index].events.capacity() == 0
                && let Some(buffer) = self.spare.pop()
            {
                self.present.buckets[index].events = buffer;
            }
            self.present.push(index, envelope);
        } else {
            self.insert_beyond(bucket, envelope);
        }
    }

    /// Puts an event that is not of the present turn into its place.
    fn insert_beyond(&mut self, bucket: u64, envelope: Envelope<M>) {
        let turn = bucket >> RING_BITS;
        if turn < self.turn {
            self.early.push(envelope);
            return;
        }
        // The highest digit in which the turns differ says how far up the event belongs.
        let level = ((turn ^ self.turn).ilog2() / RING_BITS) as usize;
        while self.later.len() <= level {
            self.later.push(Ring::default());
        }
        let index = turn >> (RING_BITS * level as u32);
        self.later[level].push(index as usize % BUCKETS, envelope);
    }

    /// Moves on to the next turn that has events, and deals them out. Nothing is left below.
    fn next_turn(&mut self) {
        let level = (0..self.later.len())
            .find(|&level| self.later[level].first().is_some())
            .expect("events are pending above");
        let ring = &mut self.later[level];
        let index = ring.first().expect("just found");
        ring.mark_empty(index);
        let bucket = &mut ring.buckets[index];
        let turn = (bucket.earliest.nanos() >> self.width_bits) >> RING_BITS;
        bucket.earliest = SimTime::NEVER;
        let events = std::mem::take(&mut bucket.events);
        self.turn = turn;
        // The buffer is given back with its last event: the next of its kind is a turn away.
        for envelope in events {
            self.insert(envelope);
        }
    }
}

impl<M: Send + 'static> EventQueue<M> for WindowRing<M> {
    fn for_windows_of(window: SimDuration) -> Self {
        WindowRing {
            // A bucket is no wider than a window, so that no window splits a bucket.
            width_bits: window.nanos().clamp(1, 1 << 50).ilog2(),
            turn: 0,
            present: Ring::default(),
            later: Vec::new(),
            early: Bucket::default(),
            spare: Vec::new(),
            len: 0,
        }
    }

    #[inline]
    fn push(&mut self, envelope: Envelope<M>) {
        self.len += 1;
        self.insert(envelope);
    }

    #[inline]
    fn next_time(&self) -> SimTime {
        if !self.early.events.is_empty() {
            return self.early.earliest;
        }
        for ring in std::iter::once(&self.present).chain(&self.later) {
            if let Some(index) = ring.first() {
                return ring.buckets[index].earliest;
            }
        }
        SimTime::NEVER
    }

    fn take_window(&mut self, limit: SimTime, window: &mut Vec<Envelope<M>>) -> SimTime {
        if !self.early.events.is_empty() {
            let start_of_turn = self.turn << RING_BITS << self.width_bits;
            let end = limit.min(SimTime::from_nanos(start_of_turn));
            self.early.split(end, window);
            self.len -= window.len();
            return end;
        }
        let index = loop {
            if let Some(index) = self.present.first() {
                break index;
            }
            self.next_turn();
        };
        let number = (self.turn << RING_BITS) + index as u64;
        let end = (number + 1).checked_mul(1 << self.width_bits);
        let end = end.map_or(SimTime::NEVER, SimTime::from_nanos);
        let ring = &mut self.present;
        let bucket = &mut ring.buckets[index];
        let end = if end <= limit {
            // The usual case: the whole bucket is the window, and the old window's buffer is spare.
            let buffer = std::mem::replace(window, std::mem::take(&mut bucket.events));
            if buffer.capacity() > 0 && self.spare.len() < MOST_SPARE {
                self.spare.push(buffer);
            }
            bucket.earliest = SimTime::NEVER;
            end
        } else {
            bucket.split(limit, window);
            limit
        };
        if bucket.events.is_empty() {
            ring.mark_empty(index);
        }
        self.len -= window.len();
        end
    }

    fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a Envelope<M>)) {
        let rings = std::iter::once(&self.present).chain(&self.later);
        let buckets = rings.flat_map(|ring| ring.buckets.iter());
        let events = std::iter::once(&self.early).chain(buckets);
        events.flat_map(|bucket| &bucket.events).for_each(see);
    }

    fn len(&self) -> usize {
        self.len
    }
}
