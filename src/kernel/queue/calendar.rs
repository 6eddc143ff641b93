//! The calendar queue (Brown, CACM 31(10), 1988): the classic for comparison.
//!
//! A year of days; an event goes to the day of its time modulo the year. Each day is sorted, latest
//! first, so that the next event is popped from its end. The calendar is rebuilt with twice or half
//! the days when the number of events has outgrown it, with a day of about three mean gaps between
//! the events at its front. Windows are one instant long, as in the binary heap.

use super::EventQueue;
use crate::envelope::Envelope;
use crate::time::{SimDuration, SimTime};

const FEWEST_DAYS: usize = 16;
/// How many events at the front are looked at to choose the length of a day.
const SAMPLE: usize = 64;

/// A pending-event set after Brown.
pub struct CalendarQueue<M> {
    days: Vec<Vec<Envelope<M>>>,
    /// The length of a day, in nanoseconds: a power of two, given by its exponent.
    day_bits: u32,
    /// The day (counted from the start of time) before which nothing is pending.
    today: u64,
    len: usize,
    earliest: SimTime,
}

impl<M> CalendarQueue<M> {
    fn with_days(days: usize, day_bits: u32) -> Self {
        CalendarQueue {
            days: (0..days).map(|_| Vec::new()).collect(),
            day_bits,
            today: 0,
            len: 0,
            earliest: SimTime::NEVER,
        }
    }

    fn day_of(&self, time: SimTime) -> u64 {
        time.nanos() >> self.day_bits
    }

    fn page(&self, day: u64) -> usize {
        // The number of days is a power of two.
        day as usize & (self.days.len() - 1)
    }

    fn insert(&mut self, envelope: Envelope<M>) {
        let day = self.day_of(envelope.key.time);
        self.today = self.today.min(day);
        self.earliest = self.earliest.min(envelope.key.time);
        let page = self.page(day);
        let events = &mut self.days[page];
        let place = events.partition_point(|later| later.key > envelope.key);
        events.insert(place, envelope);
        self.len += 1;
    }

    /// Finds the earliest pending time, from today on, and turns the calendar to its day.
    fn look_ahead(&mut self) {
        if self.len == 0 {
            self.earliest = SimTime::NEVER;
            return;
        }
        for day in self.today..self.today.saturating_add(self.days.len() as u64) {
            let last = self.days[self.page(day)].last();
            if let Some(event) = last.filter(|event| self.day_of(event.key.time) == day) {
                self.earliest = event.key.time;
                self.today = day;
                return;
            }
        }
        // A year without events: search directly, as Brown does.
        let ends = self.days.iter().filter_map(|events| events.last());
        self.earliest = ends
            .map(|event| event.key.time)
            .min()
            .expect("it is not empty");
        self.today = self.day_of(self.earliest);
    }

    /// Rebuilds the calendar with this many days.
    fn resize(&mut self, days: usize) {
        let mut all: Vec<Envelope<M>> = self.days.drain(..).flatten().collect();
        let sample = SAMPLE.min(all.len());
        let mut bits = self.day_bits;
        if sample > 1 {
            let (front, last, _) = all.select_nth_unstable_by_key(sample - 1, |e| e.key);
            let first = front
                .iter()
                .map(|e| e.key.time)
                .min()
                .unwrap_or(last.key.time);
            let gap = (last.key.time - first).nanos() / (sample as u64 - 1);
            bits = (gap.saturating_mul(3)).max(1).ilog2();
        }
        *self = Self::with_days(days, bits);
        self.today = u64::MAX;
        for envelope in all {
            self.insert(envelope);
        }
        self.look_ahead();
    }
}

impl<M: Send + 'static> EventQueue<M> for CalendarQueue<M> {
    fn for_windows_of(window: SimDuration) -> Self {
        Self::with_days(FEWEST_DAYS, window.nanos().clamp(1, 1 << 60).ilog2())
    }

    fn push(&mut self, envelope: Envelope<M>) {
        self.insert(envelope);
        if self.len > 2 * self.days.len() {
            self.resize(self.days.len() * 2);
        }
    }

    fn next_time(&self) -> SimTime {
        self.earliest
    }

    fn take_window(&mut self, _limit: SimTime, window: &mut Vec<Envelope<M>>) -> SimTime {
        let now = self.earliest;
        self.today = self.day_of(now);
        let page = self.page(self.today);
        let events = &mut self.days[page];
        while let Some(event) = events.pop_if(|event| event.key.time == now) {
            window.push(event);
        }
        self.len -= window.len();
        if self.len < self.days.len() / 2 && self.days.len() > FEWEST_DAYS {
            self.resize(self.days.len() / 2);
        } else {
            self.look_ahead();
        }
        now + SimDuration::NANOSECOND
    }

    fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a Envelope<M>)) {
        self.days.iter().flatten().for_each(see);
    }

    fn len(&self) -> usize {
        self.len
    }
}
