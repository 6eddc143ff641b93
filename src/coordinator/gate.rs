//! The barrier between windows: the leader opens it, helpers pass, work, and report back.
//!
//! Waiting spins for a bounded time and then sleeps, so that a machine with more threads than cores
//! is slow but never stuck, and an idle helper costs nothing.
//!
//! What the leader wrote before [`Gate::open`] is visible to helpers after [`Gate::pass`]; what
//! helpers wrote before [`Gate::report`] is visible to the leader after [`Gate::gather`]. That, and
//! that nobody sleeps through an opening, is checked under every schedule: see `schedules`.

use super::sync::{AtomicU64, AtomicUsize, Condvar, Mutex, Ordering, PoisonError};
use super::sync::{spin_loop, spins, yield_now};

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
        Gate {
            window: AtomicU64::new(0),
            reported: AtomicUsize::new(0),
            sleepers: AtomicUsize::new(0),
            lock: Mutex::new(()),
            changed: Condvar::new(),
            spins: spins(threads),
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
                yield_now();
            } else {
                spin_loop();
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
