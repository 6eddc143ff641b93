//! Is what threads share right under every schedule?
//!
//! The gate is compiled here a second time, with loom's primitives for the standard library's
//! (`sync`). loom then runs each test once for every order in which the accesses of its threads can
//! interleave, and for every value that the memory model lets a relaxed or late read return; a
//! thread that sleeps through its opening is found as a deadlock. The same gate at full speed, with
//! the processor's own schedules, is tested at the end.

use std::sync::Arc;

/// loom's primitives by the names of the standard library's.
mod sync {
    pub(super) use loom::hint::spin_loop;
    pub(super) use loom::sync::atomic::Ordering;
    pub(super) use loom::sync::{Condvar, Mutex};
    pub(super) use loom::thread::yield_now;
    pub(super) use std::sync::PoisonError;

    /// Looks once before it sleeps: every further look multiplies the schedules and adds nothing.
    pub(super) fn spins(_threads: usize) -> u32 {
        1
    }

    /// loom takes sequentially consistent accesses for acquiring and releasing ones only, and would
    /// report schedules that no processor has. It knows sequentially consistent *fences*, so these
    /// stand around such accesses here.
    macro_rules! atomic {
        ($name:ident, $value:ty) => {
            #[derive(Debug)]
            #[allow(dead_code)] // Not every width of word needs every access.
            pub(super) struct $name(loom::sync::atomic::$name);

            #[allow(dead_code)]
            impl $name {
                pub(super) fn new(value: $value) -> Self {
                    $name(loom::sync::atomic::$name::new(value))
                }

                pub(super) fn load(&self, order: Ordering) -> $value {
                    fenced(order, || self.0.load(order))
                }

                pub(super) fn store(&self, value: $value, order: Ordering) {
                    fenced(order, || self.0.store(value, order));
                }

                pub(super) fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                    fenced(order, || self.0.fetch_add(value, order))
                }

                pub(super) fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
                    fenced(order, || self.0.fetch_sub(value, order))
                }
            }
        };
    }

    atomic!(AtomicU64, u64);
    atomic!(AtomicUsize, usize);

    fn fenced<T>(order: Ordering, access: impl FnOnce() -> T) -> T {
        if order == Ordering::SeqCst {
            loom::sync::atomic::fence(Ordering::SeqCst);
            let value = access();
            loom::sync::atomic::fence(Ordering::SeqCst);
            value
        } else {
            access()
        }
    }
}

#[path = "gate.rs"]
#[allow(clippy::duplicate_mod, dead_code)]
mod gate;

use gate::Gate;
use sync::{AtomicU64, Ordering};

/// Tries every schedule in which threads are interrupted at most `interruptions` times.
fn every_schedule(interruptions: usize, test: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(interruptions);
    // Longer runs than any here: a test that would go on forever is an error.
    model.max_branches = 10_000;
    model.check(test);
}

/// What leader and helpers of some windows tell each other, one word each way.
struct Words {
    gate: Gate,
    order: AtomicU64,
    reports: Vec<AtomicU64>,
}

/// Leads `helpers` through so many windows; whoever passes must find what was written before.
fn windows(helpers: usize, windows: u64) {
    let words = Arc::new(Words {
        gate: Gate::new(helpers + 1),
        order: AtomicU64::new(0),
        reports: (0..helpers).map(|_| AtomicU64::new(0)).collect(),
    });
    let threads: Vec<_> = (0..helpers)
        .map(|helper| {
            let words = Arc::clone(&words);
            loom::thread::spawn(move || {
                let mut seen = 0;
                for window in 1..=windows {
                    seen = words.gate.pass(seen);
                    assert_eq!(seen, window, "no window is passed over or entered twice");
                    let order = words.order.load(Ordering::Relaxed);
                    assert_eq!(order, window * 10, "what the leader wrote is there");
                    words.reports[helper].store(window * 100, Ordering::Relaxed);
                    words.gate.report();
                }
            })
        })
        .collect();
    for window in 1..=windows {
        words.order.store(window * 10, Ordering::Relaxed);
        words.gate.open();
        words.gate.gather(helpers);
        for report in &words.reports {
            let report = report.load(Ordering::Relaxed);
            assert_eq!(report, window * 100, "what helpers wrote is there");
        }
    }
    for thread in threads {
        thread.join().expect("a helper's assertions hold");
    }
}

#[test]
fn one_helper_passes_every_window_and_everything_is_seen() {
    every_schedule(4, || windows(1, 2));
}

#[test]
fn two_helpers_pass_every_window_and_everything_is_seen() {
    every_schedule(2, || windows(2, 1));
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_sleeper_that_is_not_woken_would_be_found() {
    every_schedule(3, || {
        let gate = Arc::new(Gate::new(2));
        let thread = loom::thread::spawn(move || gate.pass(0));
        // Nobody opens.
        let _ = thread.join();
    });
}

mod at_full_speed {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::gate::Gate;

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
