//! What did a run cost? Never what it found: these figures differ each time.

use serde::Serialize;

use super::stage::Work;

/// The cost of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EngineLedger {
    /// How many events were handled.
    pub events: u64,
    /// In how many windows.
    pub windows: u64,
    /// How many of them were run by the leader alone, because they were small.
    pub solo_windows: u64,
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

impl WorkerLedger {
    pub(super) fn add(&mut self, work: Work, waited_s: f64) {
        self.computing_s += work.computing.as_secs_f64();
        self.exchanging_s += work.exchanging.as_secs_f64();
        self.waiting_s += waited_s;
    }
}
