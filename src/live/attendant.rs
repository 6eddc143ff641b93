//! The run's side: who looks into it, and who hears how busy its workers are.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kernel::{Actor, SimTime, Standstill};

use super::{Live, Sighting};
use crate::coordinator::{Attendant, Watcher, WorkerLedger};

/// How often a run is looked into, by the clock on the wall. Looking adds up all observers.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Reads the gauges off an observer.
type Reading<O> = dyn Fn(&O) -> Vec<f64> + Send;

/// Looks into a run between two windows, and holds it if that is ordered.
pub struct LiveAttendant<O> {
    live: Arc<Live>,
    read: Box<Reading<O>>,
    looked: Option<(Instant, SimTime)>,
}

impl<O> fmt::Debug for LiveAttendant<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveAttendant").finish_non_exhaustive()
    }
}

impl<O> LiveAttendant<O> {
    /// An attendant of this run; `read` reads the gauges off an observer.
    pub fn new(live: Arc<Live>, read: impl Fn(&O) -> Vec<f64> + Send + 'static) -> Self {
        LiveAttendant {
            live,
            read: Box::new(read),
            looked: None,
        }
    }

    fn look<A: Actor>(&mut self, run: &dyn Standstill<A, O>) {
        self.looked = Some((Instant::now(), run.reached()));
        let gauges = (self.read)(&run.observer());
        let mut state = self.live.state();
        let workers = state.loads.clone();
        state.history.add(Sighting {
            number: 0,
            now_ns: run.reached().nanos(),
            now_s: run.reached().as_secs_f64(),
            wall_s: self.live.began.elapsed().as_secs_f64(),
            events: run.events(),
            held: false,
            outcome: None,
            gauges,
            workers,
        });
    }

    fn is_due(&self, reached: SimTime) -> bool {
        let Some((at, seen)) = self.looked else {
            return true;
        };
        let held = self.live.state().order != super::Order::Run;
        at.elapsed() >= LOOK_EVERY || (held && seen != reached)
    }
}

impl<A: Actor, O: Send + 'static> Attendant<A, O> for LiveAttendant<O> {
    fn attend(&mut self, run: &dyn Standstill<A, O>) -> SimTime {
        if self.is_due(run.reached()) {
            self.look(run);
        }
        self.live.wait(run.reached())
    }

    fn leave(&mut self, run: &dyn Standstill<A, O>) {
        self.look(run);
    }
}

/// Passes on what another watcher hears, and notes how busy the workers are.
pub struct LiveWatcher<'a> {
    live: &'a Live,
    other: &'a dyn Watcher,
}

impl fmt::Debug for LiveWatcher<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveWatcher").finish_non_exhaustive()
    }
}

impl<'a> LiveWatcher<'a> {
    /// Watches for `live`, and lets `other` watch, too.
    pub fn new(live: &'a Live, other: &'a dyn Watcher) -> Self {
        LiveWatcher { live, other }
    }
}

impl Watcher for LiveWatcher<'_> {
    fn progress(&self, now: SimTime, events: u64) {
        self.other.progress(now, events);
    }

    fn loads(&self, workers: &[WorkerLedger]) {
        self.live.set_loads(workers);
        self.other.loads(workers);
    }

    fn should_stop(&self) -> bool {
        self.other.should_stop()
    }
}
