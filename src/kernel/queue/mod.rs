//! What happens next? The pending-event set of a partition.
//!
//! A partition does not ask for the next event but for the next *window*: all pending events before
//! some instant that it may handle in any order between actors. A queue is free to make the window
//! as short as one instant (the heap does) or as long as it is allowed to (the ring does).
//!
//! Laws, held by the tests at the end of this file for every queue:
//!
//! 1. [`EventQueue::next_time`] is the earliest pending time, `NEVER` if nothing is pending.
//! 2. [`EventQueue::take_window`] takes all pending events earlier than the instant it returns, and
//!    no others; that instant is later than `next_time` and not later than `limit`.
//! 3. Nothing is lost, nothing is invented, whatever the order of pushes.
//! 4. [`EventQueue::visit`] shows all pending events and changes none.

mod binary_heap;
mod calendar;
mod window_ring;

pub use binary_heap::BinaryHeapQueue;
pub use calendar::CalendarQueue;
pub use window_ring::WindowRing;

use crate::envelope::Envelope;
use crate::time::{SimDuration, SimTime};

/// The pending-event set of one partition.
pub trait EventQueue<M>: Send + 'static {
    /// An empty queue, for a partition whose windows will be about `window` long.
    fn for_windows_of(window: SimDuration) -> Self;

    /// Adds an event.
    fn push(&mut self, envelope: Envelope<M>);

    /// The earliest pending time, or [`SimTime::NEVER`].
    fn next_time(&self) -> SimTime;

    /// Appends all events before some instant to `window`, in no particular order, and returns that
    /// instant. `limit` is later than [`EventQueue::next_time`]; `window` is empty.
    fn take_window(&mut self, limit: SimTime, window: &mut Vec<Envelope<M>>) -> SimTime;

    /// Shows every pending event, in no particular order.
    fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a Envelope<M>));

    /// How many events are pending.
    fn len(&self) -> usize;

    /// Whether nothing is pending.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::ActorId;
    use crate::envelope::EventKey;
    use crate::random::{Purpose, RandomStream};

    /// A queue that is obviously right: all events in a list.
    #[derive(Default)]
    struct Model(Vec<EventKey>);

    impl Model {
        fn next_time(&self) -> SimTime {
            let earliest = self.0.iter().map(|key| key.time).min();
            earliest.unwrap_or(SimTime::NEVER)
        }
    }

    /// Pushes and takes at random, from nanoseconds to years ahead, and compares with the model.
    fn obeys_the_laws<Q: EventQueue<u32>>(early_pushes: bool) {
        for seed in 0..40 {
            let mut random = RandomStream::new(seed, ActorId(0), Purpose::GENERAL);
            let mut queue = Q::for_windows_of(SimDuration::from_millis(1 << random.below(12)));
            let mut model = Model::default();
            let mut now = 0u64;
            let mut number = 0;
            for step in 0..400 {
                for _ in 0..random.below(20) {
                    let reach = 1u64 << (10 + random.below(45));
                    let back = if early_pushes && random.chance(0.2) {
                        random.below(now.min(1 << 36) + 1)
                    } else {
                        0
                    };
                    let time = SimTime::from_nanos(now - back + random.below(reach));
                    let key = EventKey {
                        time,
                        source: ActorId(number % 7),
                        number,
                    };
                    number += 1;
                    model.0.push(key);
                    queue.push(Envelope {
                        key,
                        target: ActorId(number % 5),
                        message: number,
                    });
                }
                assert_eq!(queue.next_time(), model.next_time(), "law 1, seed {seed}");
                assert_eq!(queue.len(), model.0.len());
                if step % 100 == 50 {
                    let mut seen = Vec::new();
                    queue.visit(&mut |envelope| seen.push(envelope.key));
                    let mut pending = model.0.clone();
                    seen.sort_unstable();
                    pending.sort_unstable();
                    assert_eq!(seen, pending, "law 4, seed {seed}");
                }
                let next = queue.next_time();
                if next == SimTime::NEVER {
                    continue;
                }
                let limit = next + SimDuration::from_nanos(1 + random.below(1 << 32));
                let mut window = Vec::new();
                let end = queue.take_window(limit, &mut window);
                assert!(next < end && end <= limit, "law 2, seed {seed}");
                let mut taken: Vec<EventKey> = window.iter().map(|e| e.key).collect();
                let mut due: Vec<EventKey> =
                    model.0.iter().copied().filter(|k| k.time < end).collect();
                model.0.retain(|key| key.time >= end);
                taken.sort_unstable();
                due.sort_unstable();
                assert_eq!(taken, due, "laws 2 and 3, seed {seed}");
                for envelope in &window {
                    assert_eq!(envelope.message, envelope.key.number + 1);
                }
                now = now.max(end.nanos());
            }
        }
    }

    #[test]
    fn the_binary_heap_obeys_the_laws() {
        obeys_the_laws::<BinaryHeapQueue<u32>>(true);
    }

    #[test]
    fn the_calendar_obeys_the_laws() {
        obeys_the_laws::<CalendarQueue<u32>>(true);
    }

    #[test]
    fn the_window_ring_obeys_the_laws() {
        obeys_the_laws::<WindowRing<u32>>(false);
    }

    #[test]
    fn the_window_ring_takes_events_that_come_before_its_present_block() {
        obeys_the_laws::<WindowRing<u32>>(true);
    }

    #[test]
    fn the_last_instant_before_never_can_be_reached() {
        fn check<Q: EventQueue<u32>>() {
            let mut queue = Q::for_windows_of(SimDuration::from_secs(1));
            let time = SimTime::from_nanos(u64::MAX - 1);
            queue.push(Envelope {
                key: EventKey {
                    time,
                    source: ActorId(0),
                    number: 0,
                },
                target: ActorId(0),
                message: 0,
            });
            let mut window = Vec::new();
            assert_eq!(
                queue.take_window(SimTime::NEVER, &mut window),
                SimTime::NEVER
            );
            assert_eq!(window.len(), 1);
        }
        check::<BinaryHeapQueue<u32>>();
        check::<CalendarQueue<u32>>();
        check::<WindowRing<u32>>();
    }
}
