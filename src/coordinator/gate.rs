//! The barrier between windows: the leader opens it, helpers pass, work, and report back.
//!
//! Waiting spins for a bounded time and then sleeps, so that a machine with more threads than cores
//! is slow but never stuck, and an idle helper costs nothing.
//!
//! What the leader wrote before [`Gate::open`] is visible to helpers after [`Gate::pass`]; what
//! helpers wrote before [`Gate::report`] is visible to the leader after [`Gate::gather`].

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// The barrier between windows.
#[derive(Debug)]
pub(super) struct Gate {
    /// How often the gate was opened.
    window: AtomicU64,
    /// How many helpers have reported since.
    reported: AtomicUsize,
    sleepers: AtomicUsize,
    lock: Mutex<()>,
    changed: Condvar,
    spins: u32,
}

impl Gate {
    /// A gate for so many threads in all.
    pub(super) fn new(threads: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Gate {
            window: AtomicU64::new(0),
            reported: AtomicUsize::new(0),
            sleepers: AtomicUsize::new(0),
            lock: Mutex::new(()),
            changed: Condvar::new(),
            // With a core for everyone, spin for some tens of microseconds; else make room at once.
            spins: if threads <= cores { 2_000 } else { 20 },
        }
    }

    /// How often the gate was opened so far.
    pub(super) fn opened(&self) -> u64 {
        self.window.load(Ordering::SeqCst)
    }

    /// Leader: lets all helpers through to the next window; returns its number.
    pub(super) fn open(&self) -> u64 {
        self.reported.store(0, Ordering::Relaxed);
        let window = self.window.fetch_add(1, Ordering::SeqCst) + 1;
        self.wake();
        window
    }

    /// Helper: waits until the gate is opened after `seen` openings; returns their number now.
    pub(super) fn pass(&self, seen: u64) -> u64 {
        self.wait_until(|| self.window.load(Ordering::SeqCst) != seen);
        self.window.load(Ordering::SeqCst)
    }

    /// Helper: reports that its part of the window is done.
    pub(super) fn report(&self) {
        self.reported.fetch_add(1, Ordering::SeqCst);
        self.wake();
    }

    /// Leader: waits until `helpers` have reported.
    pub(super) fn gather(&self, helpers: usize) {
        self.wait_until(|| self.reported.load(Ordering::SeqCst) >= helpers);
    }

    fn wait_until(&self, done: impl Fn() -> bool) {
        for spin in 0..self.spins {
            if done() {
                return;
            }
            if spin % 64 == 63 {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        // Announced before the last look: whoever changes something after that look sees a sleeper.
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        while !done() {
            guard = self
                .changed
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
    }

    fn wake(&self) {
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            // Taking the lock waits for a sleeper that has looked but does not sleep yet.
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_enters_a_window_before_everyone_has_left_the_last() {
        let helpers = 3;
        let gate = Gate::new(helpers + 1);
        let inside = AtomicUsize::new(0);
        let windows = 2_000u64;
        std::thread::scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(|| {
                    let mut seen = 0;
                    for _ in 0..windows {
                        seen = gate.pass(seen);
                        inside.fetch_add(1, Ordering::Relaxed);
                        gate.report();
                    }
                });
            }
            for window in 1..=windows {
                gate.open();
                gate.gather(helpers);
                let entered = inside.load(Ordering::Relaxed) as u64;
                assert_eq!(entered, window * helpers as u64);
            }
        });
    }
}
