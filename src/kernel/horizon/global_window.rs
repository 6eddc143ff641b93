//! One window for everybody: as long as the smallest promise in the world.
//!
//! `safe = min(next) + smallest promise`. (The YAWNS protocol: Nicol, *Performance Evaluation of
//! Conservative Algorithms*, 1993.)
//!
//! No deadlock: the smallest promise is at least a nanosecond, so the earliest event lies inside the
//! window and is handled.

use super::Horizon;
use crate::partition::{Safe, Standing};
use crate::promise::Promises;
use crate::time::{SimDuration, SimTime};

/// The textbook window.
#[derive(Debug)]
pub struct GlobalWindow {
    lookahead: SimDuration,
}

impl GlobalWindow {
    /// The protocol for a world with these promises.
    pub fn new(promises: &Promises) -> Self {
        GlobalWindow {
            lookahead: promises.smallest(),
        }
    }
}

impl Horizon for GlobalWindow {
    fn advance(&mut self, standing: &[Standing], safe: &mut [Safe]) {
        let earliest = standing.iter().map(|partition| partition.next).min();
        // A partition alone in the world has nobody to wait for.
        let until = if standing.len() == 1 {
            SimTime::NEVER
        } else {
            earliest.unwrap_or(SimTime::NEVER) + self.lookahead
        };
        safe.fill(Safe::until(until));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_the_earliest_event_plus_the_smallest_promise() {
        let mut horizon = GlobalWindow {
            lookahead: SimDuration::from_nanos(5),
        };
        let at = |nanos| Standing::at(SimTime::from_nanos(nanos));
        let mut safe = [Safe::until(SimTime::START); 3];
        horizon.advance(&[at(100), at(30), at(70)], &mut safe);
        assert_eq!(safe, [Safe::until(SimTime::from_nanos(35)); 3]);
    }
}
