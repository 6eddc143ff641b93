//! What was seen of a run so far?

use std::collections::VecDeque;

use serde::Serialize;

use crate::coordinator::WorkerLedger;

/// How a run stood when somebody looked into it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Sighting {
    /// How many sightings there were before.
    pub number: u64,
    /// How far the run had come, in nanoseconds of simulated time.
    #[serde(skip)]
    pub now_ns: u64,
    /// The same in seconds.
    pub now_s: f64,
    /// How long it had taken by the clock on the wall, in seconds.
    pub wall_s: f64,
    /// How many events it had handled.
    pub events: u64,
    /// Whether it is held here.
    pub held: bool,
    /// What came of it, if it is over.
    pub outcome: Option<String>,
    /// The values of the domain's gauges, in their order.
    pub gauges: Vec<f64>,
    /// What each worker has done so far.
    pub workers: Vec<WorkerLoad>,
}

/// What a worker has done so far, in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct WorkerLoad {
    /// Handling events.
    pub computing_s: f64,
    /// Handing over mail.
    pub exchanging_s: f64,
    /// Waiting for others.
    pub waiting_s: f64,
}

impl From<&WorkerLedger> for WorkerLoad {
    fn from(ledger: &WorkerLedger) -> Self {
        WorkerLoad {
            computing_s: ledger.computing_s,
            exchanging_s: ledger.exchanging_s,
            waiting_s: ledger.waiting_s,
        }
    }
}

/// All sightings, or every second, fourth, ... of a long run: enough for a chart, and bounded.
#[derive(Debug, Default)]
pub struct History {
    sightings: VecDeque<Sighting>,
    next: u64,
}

/// The most sightings that are kept.
const MOST: usize = 2_000;

impl History {
    /// Adds a sighting and gives it its number.
    pub fn add(&mut self, mut sighting: Sighting) {
        if self.sightings.len() >= MOST {
            // Of two neighbours the later one stays, so that the last one always does.
            let mut keep = self.sightings.len().is_multiple_of(2);
            self.sightings.retain(|_| {
                keep = !keep;
                keep
            });
        }
        sighting.number = self.next;
        self.next += 1;
        self.sightings.push_back(sighting);
    }

    /// The last sighting.
    pub fn last(&self) -> Option<&Sighting> {
        self.sightings.back()
    }

    /// Says that the run is held where it was last seen.
    pub fn hold(&mut self) {
        if let Some(last) = self.sightings.back().filter(|last| !last.held) {
            let mut held = last.clone();
            held.held = true;
            self.add(held);
        }
    }

    /// The sightings numbered `from` and later, the first `most` of them.
    pub fn since(&self, from: u64, most: usize) -> Vec<Sighting> {
        let first = self.sightings.partition_point(|it| it.number < from);
        self.sightings.range(first..).take(most).cloned().collect()
    }
}
