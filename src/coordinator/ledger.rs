//! What did a run cost? Never what it found: these figures differ each time.

use std::time::Duration;

use serde::Serialize;

/// The cost of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EngineLedger {
    /// How many events were handled.
    pub events: u64,
    /// In how many windows.
    pub windows: u64,
    /// How many of them were run by the leader alone, because they were small.
    pub solo_windows: u64,
    /// How many announcements of silence partitions made to each other, in the protocol without
    /// rounds; its windows are runs of one partition.
    pub null_messages: u64,
    /// How many threads ran partitions.
    pub threads: usize,
    /// How many partitions there were.
    pub partitions: usize,
    /// The protocol by its name.
    pub horizon: String,
    /// The pending-event set by its name.
    pub queue: String,
    /// The runtime by its name.
    pub runtime: String,
    /// From the start of the first actor to the end of the last window, in seconds.
    pub wall_s: f64,
    /// Events per window, on average.
    pub events_per_window: f64,
    /// Per worker: how its time in shared windows was spent.
    pub workers: Vec<WorkerLedger>,
    /// Events handled by each partition.
    pub events_by_partition: Vec<u64>,
    /// Who has said most.
    pub busiest: Option<Busiest>,
    /// A projection, not a measurement: see [`Attainable`].
    pub attainable: Vec<Attainable>,
}

/// The actor that has said most. However many workers there are, they are no faster than one over its
/// share of the work.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Busiest {
    /// Its name, as `scheduler[0]`.
    pub actor: String,
    /// Its part of all messages that were sent.
    pub share: f64,
}

/// The speed-up that a number of workers could reach at best with these partitions and windows, if
/// every event cost the same and barriers nothing: in each window they need the time of the busiest
/// partition, or of an even share of all work, whichever is longer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Attainable {
    /// How many workers.
    pub workers: u32,
    /// How many times as fast as one.
    pub speed_up: f64,
}

/// Adds up the work of windows for a projection.
#[derive(Debug, Default)]
pub(super) struct Profile {
    all: u64,
    /// For each of [`WORKERS`], the time of all windows, in events.
    time: [f64; WORKERS.len()],
}

/// The numbers of workers that are projected.
const WORKERS: [u32; 6] = [2, 4, 8, 16, 32, 64];

impl Profile {
    /// Adds a window with so many events in all, and so many in its busiest partition.
    pub(super) fn add(&mut self, all: u64, busiest: u64) {
        self.all += all;
        for (time, workers) in self.time.iter_mut().zip(WORKERS) {
            *time += (all as f64 / f64::from(workers)).max(busiest as f64);
        }
    }

    pub(super) fn attainable(&self) -> Vec<Attainable> {
        let projections = WORKERS.iter().zip(self.time);
        projections
            .filter(|&(_, time)| time > 0.0)
            .map(|(&workers, time)| Attainable {
                workers,
                speed_up: self.all as f64 / time,
            })
            .collect()
    }
}

/// How one worker spent its time.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct WorkerLedger {
    /// Seconds spent handling events, alone or in shared windows.
    pub computing_s: f64,
    /// Seconds spent on mail in shared windows.
    pub exchanging_s: f64,
    /// Seconds spent waiting for others in shared windows.
    pub waiting_s: f64,
}

/// What one worker did in one window.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Work {
    pub computing: Duration,
    pub exchanging: Duration,
}

impl WorkerLedger {
    pub(super) fn add(&mut self, work: Work, waited_s: f64) {
        self.computing_s += work.computing.as_secs_f64();
        self.exchanging_s += work.exchanging.as_secs_f64();
        self.waiting_s += waited_s;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_partition_bounds_every_window() {
        let mut profile = Profile::default();
        // Two windows: one evenly divided among eight, one with half of it in one partition.
        profile.add(800, 100);
        profile.add(200, 100);
        let speed_up: Vec<f64> = profile.attainable().iter().map(|a| a.speed_up).collect();
        let time = |workers: f64| (800.0 / workers).max(100.0) + (200.0 / workers).max(100.0);
        let expected = [2.0, 4.0, 8.0, 16.0, 32.0, 64.0].map(|workers| 1_000.0 / time(workers));
        assert_eq!(speed_up, expected);
        assert_eq!(expected[5], 5.0);
    }
}
