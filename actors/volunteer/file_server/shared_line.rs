//! When is a transfer through, if all share one line?
//!
//! Egalitarian processor sharing: while n transfers are under way, each gets an n-th of the line (L.
//! Kleinrock, "Time-shared systems: a theoretical treatment", J. ACM 14(2), 1967; with one
//! bottleneck this is also max-min fairness). It is computed in *virtual time*, the service that
//! each transfer under way has had so far: a transfer is through when virtual time has advanced by
//! what it needs alone, so arrivals and departures do not touch the others.
//!
//! Left out: a transfer that its own host's slow line holds back still takes its n-th here, so the
//! others get less than max-min fairness over two bottlenecks would give them; and there is no slow
//! start, loss or restart.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use kernel::{SimDuration, SimTime};
use serde::{Deserialize, Serialize};

use super::Caller;

/// A line and the transfers on it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Eq + Deserialize<'de>"))]
pub(super) struct SharedLine<T> {
    /// Those under way, by the virtual time at which they are through, then in order of arrival.
    under_way: BinaryHeap<Reverse<(u128, u64, Transfer<T>)>>,
    arrivals: u64,
    /// The service that each transfer has had, in nanoseconds of the whole line times [`FINE`].
    virtual_time: u128,
    /// When `virtual_time` was true.
    as_of: SimTime,
    /// The earliest instant for which a wake-up has been asked.
    wake_up: SimTime,
}

/// Virtual time is kept in fractions of a nanosecond, so that an n-th of one is not lost.
const FINE: u128 = 1 << 20;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Transfer<T> {
    begun: SimTime,
    caller: Caller,
    what: T,
}

// The heap compares transfers only after their arrival numbers, which are all different.
impl<T: Eq> PartialOrd for Transfer<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T: Eq> Ord for Transfer<T> {
    fn cmp(&self, _other: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

/// A transfer that is through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Done<T> {
    pub(super) begun: SimTime,
    pub(super) caller: Caller,
    pub(super) what: T,
}

impl<T: Eq + Copy> SharedLine<T> {
    pub(super) fn new() -> Self {
        SharedLine {
            under_way: BinaryHeap::new(),
            arrivals: 0,
            virtual_time: 0,
            as_of: SimTime::START,
            wake_up: SimTime::NEVER,
        }
    }

    /// A transfer begins that would take so long if it had the line alone.
    pub(super) fn begin(&mut self, now: SimTime, alone: SimDuration, caller: Caller, what: T) {
        self.advance(now);
        let through = self.virtual_time + u128::from(alone.nanos()) * FINE;
        let transfer = Transfer {
            begun: now,
            caller,
            what,
        };
        let arrival = self.arrivals;
        self.arrivals += 1;
        self.under_way.push(Reverse((through, arrival, transfer)));
    }

    /// Takes the next transfer off the line that is through at `now`, if there is one.
    pub(super) fn finished(&mut self, now: SimTime) -> Option<Done<T>> {
        self.advance(now);
        if now >= self.wake_up {
            self.wake_up = SimTime::NEVER;
        }
        let &Reverse((through, _, transfer)) = self.under_way.peek()?;
        if through > self.virtual_time {
            return None;
        }
        self.under_way.pop();
        Some(Done {
            begun: transfer.begun,
            caller: transfer.caller,
            what: transfer.what,
        })
    }

    /// After how much time to look again; `None` if a wake-up has been asked for already that comes
    /// soon enough. A wake-up may come too early when transfers have arrived since: then it is
    /// asked for again.
    pub(super) fn wake_after(&mut self, now: SimTime) -> Option<SimDuration> {
        let &Reverse((through, ..)) = self.under_way.peek()?;
        let service = through.saturating_sub(self.virtual_time);
        let shared = (service * self.under_way.len() as u128).div_ceil(FINE);
        let delay = SimDuration::from_nanos(u64::try_from(shared).unwrap_or(u64::MAX));
        if now + delay >= self.wake_up {
            return None;
        }
        self.wake_up = now + delay;
        Some(delay)
    }

    fn advance(&mut self, now: SimTime) {
        let elapsed = u128::from((now - self.as_of).nanos());
        let service = (elapsed * FINE).checked_div(self.under_way.len() as u128);
        self.virtual_time += service.unwrap_or(0);
        self.as_of = now;
    }
}

#[cfg(test)]
mod tests {
    use kernel::{ActorId, Address};

    use super::*;

    fn second(second: u64) -> SimTime {
        SimTime::START + SimDuration::from_secs(second)
    }

    fn caller() -> Caller {
        Caller::new(Address::new(ActorId(0)), u32::MAX, 0, 1)
    }

    /// When transfers that begin at these seconds with these bytes are through, on a line of one
    /// megabyte per second.
    fn ends(transfers: &[(u64, u64)]) -> Vec<(usize, f64)> {
        let mut line = SharedLine::new();
        let mut ends = Vec::new();
        let mut next = 0;
        let mut wake = SimTime::NEVER;
        loop {
            let arrives = transfers.get(next).map_or(SimTime::NEVER, |t| second(t.0));
            let now = arrives.min(wake);
            if now == SimTime::NEVER {
                return ends;
            }
            if now == arrives {
                // A byte takes a microsecond.
                let alone = SimDuration::from_nanos(transfers[next].1 * 1_000);
                line.begin(now, alone, caller(), next);
                next += 1;
            } else {
                wake = SimTime::NEVER;
                while let Some(done) = line.finished(now) {
                    ends.push((done.what, now.as_secs_f64()));
                }
            }
            if let Some(delay) = line.wake_after(now) {
                wake = wake.min(now + delay);
            }
        }
    }

    #[test]
    fn transfers_share_a_line_evenly() {
        // 3 MB alone for 1 s; then shared with 1 MB, which is through at 3 s after 2 s of half a
        // line; then alone again: 3 = 1 + 2 / 2 + 1.
        assert_eq!(
            ends(&[(0, 3_000_000), (1, 1_000_000)]),
            [(1, 3.0), (0, 4.0)]
        );
    }

    #[test]
    fn equal_transfers_that_begin_together_end_together() {
        let together = ends(&[(0, 1_000_000); 4]);
        assert_eq!(together, [(0, 4.0), (1, 4.0), (2, 4.0), (3, 4.0)]);
    }

    #[test]
    fn a_line_is_never_idle_while_something_is_to_send() {
        // Work conservation: however they overlap, the last ends when all bytes are through.
        let overlapping = ends(&[(0, 5_000_000), (1, 250_000), (2, 3_000_000), (3, 750_000)]);
        let last = overlapping.last().expect("four transfers").1;
        assert!((last - 9.0).abs() < 1e-6, "{overlapping:?}");
        let apart = ends(&[(0, 1_000_000), (10, 2_000_000)]);
        assert_eq!(apart, [(0, 1.0), (1, 12.0)]);
    }
}
