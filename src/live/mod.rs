//! How does a run look while it goes on, and how is it held?
//!
//! [`Live`] is what the run and those who look at it share: what was seen of it so far, and whether
//! it is to go on. The run's side of it is a [`LiveAttendant`], which looks into the run between two
//! windows, and a [`LiveWatcher`], which hears how busy the workers are; who looks from outside is not
//! known here. Holding a run changes when it goes on by the clock on the wall, and nothing of what it
//! finds.

mod attendant;
mod history;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kernel::{SimDuration, SimTime};
use serde::Serialize;

use crate::coordinator::WorkerLedger;

pub use attendant::{LiveAttendant, LiveWatcher};
pub use history::{History, Sighting, WorkerLoad};

/// What is known of a run before it begins.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct About {
    /// What it is called.
    pub name: String,
    /// The seed of all random numbers.
    pub seed: u64,
    /// How long is simulated, in seconds.
    pub until_s: f64,
    /// What is left behind if it is stopped, in words.
    pub stopping: String,
}

/// What a run and those who look at it share.
#[derive(Debug)]
pub struct Live {
    about: About,
    began: Instant,
    stop: Arc<AtomicBool>,
    state: Mutex<State>,
    /// Something was ordered, or the run is over.
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    history: History,
    order: Order,
    loads: Vec<WorkerLoad>,
    outcome: Option<String>,
}

/// How far a run may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    /// To its end.
    Run,
    /// To this instant.
    Until(SimTime),
    /// Not at all for now.
    Hold,
}

/// How far a run goes in one step.
pub const STEP: SimDuration = SimDuration::from_secs(3_600);

/// How long a run that is over stays to be looked at: several ticks of the streams that show it.
pub const FAREWELL: Duration = Duration::from_millis(400);

/// How often a held run looks whether the program was asked to end.
const GLANCE: Duration = Duration::from_millis(100);

impl Live {
    /// A run that has not begun; it is to be stopped by setting `stop`. If it is `held`, it waits at
    /// its start for an order.
    pub fn new(about: About, stop: Arc<AtomicBool>, held: bool) -> Self {
        Live {
            about,
            began: Instant::now(),
            stop,
            state: Mutex::new(State {
                history: History::default(),
                order: if held { Order::Hold } else { Order::Run },
                loads: Vec::new(),
                outcome: None,
            }),
            changed: Condvar::new(),
        }
    }

    /// What is known of the run.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Holds the run at its next window.
    pub fn hold(&self) {
        self.order(Order::Hold);
    }

    /// Lets the run go on.
    pub fn resume(&self) {
        self.order(Order::Run);
    }

    /// Lets the run go on for [`STEP`] of simulated time, and holds it there.
    pub fn step(&self) {
        let now = self.state().history.last().map_or(0, |last| last.now_ns);
        let until = SimTime::from_nanos(now) + STEP;
        self.order(Order::Until(until));
    }

    /// Asks the run to end before its end.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    fn order(&self, order: Order) {
        self.state().order = order;
        self.changed.notify_all();
    }

    /// Says what came of the run: nothing follows.
    pub fn finish(&self, outcome: &str) {
        let mut state = self.state();
        state.outcome = Some(outcome.to_owned());
        if let Some(mut last) = state.history.last().cloned() {
            last.held = false;
            last.outcome = Some(outcome.to_owned());
            state.history.add(last);
        }
    }

    /// What was seen after the sighting numbered `after`, at most `most` of it.
    pub fn since(&self, after: u64, most: usize) -> Vec<Sighting> {
        self.state().history.since(after, most)
    }

    /// What was seen last.
    pub fn last(&self) -> Option<Sighting> {
        self.state().history.last().cloned()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_loads(&self, workers: &[WorkerLedger]) {
        self.state().loads = workers.iter().map(WorkerLoad::from).collect();
    }

    /// Holds the calling thread, which is the run's, for as long as is ordered. Returns how far the
    /// run may go then.
    fn wait(&self, reached: SimTime) -> SimTime {
        let mut state = self.state();
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return SimTime::NEVER;
            }
            match state.order {
                Order::Run => return SimTime::NEVER,
                Order::Until(instant) if instant > reached => return instant,
                Order::Until(_) => state.order = Order::Hold,
                Order::Hold => {}
            }
            state.history.hold();
            // The program may be asked to end by a signal, which wakes nobody here.
            let waited = self.changed.wait_timeout(state, GLANCE);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests;
