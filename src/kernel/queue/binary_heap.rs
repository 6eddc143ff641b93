//! The standard library's binary heap: the honest baseline.
//!
//! Windows are one instant long, which is what a textbook simulator does.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::EventQueue;
use crate::envelope::Envelope;
use crate::time::{SimDuration, SimTime};

/// A pending-event set over [`std::collections::BinaryHeap`].
pub struct BinaryHeapQueue<M> {
    heap: BinaryHeap<Pending<M>>,
}

/// An envelope whose order is that of its key, the earliest first out of a max-heap.
struct Pending<M>(Envelope<M>);

impl<M> PartialEq for Pending<M> {
    fn eq(&self, other: &Self) -> bool {
        self.0.key == other.0.key
    }
}
impl<M> Eq for Pending<M> {}
impl<M> PartialOrd for Pending<M> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<M> Ord for Pending<M> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.key.cmp(&self.0.key)
    }
}

impl<M: Send + 'static> EventQueue<M> for BinaryHeapQueue<M> {
    fn for_windows_of(_window: SimDuration) -> Self {
        BinaryHeapQueue {
            heap: BinaryHeap::new(),
        }
    }

    #[inline]
    fn push(&mut self, envelope: Envelope<M>) {
        self.heap.push(Pending(envelope));
    }

    #[inline]
    fn next_time(&self) -> SimTime {
        self.heap
            .peek()
            .map_or(SimTime::NEVER, |first| first.0.key.time)
    }

    fn take_window(&mut self, _limit: SimTime, window: &mut Vec<Envelope<M>>) -> SimTime {
        let now = self.next_time();
        while let Some(first) = self.heap.peek()
            && first.0.key.time == now
        {
            window.extend(self.heap.pop().map(|pending| pending.0));
        }
        now + SimDuration::NANOSECOND
    }

    fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a Envelope<M>)) {
        self.heap.iter().for_each(|pending| see(&pending.0));
    }

    fn len(&self) -> usize {
        self.heap.len()
    }
}
