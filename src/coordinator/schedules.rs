//! Is what threads share right under every schedule?
//!
//! Gate, board, stage and the helpers' loop are compiled here a second time, with loom's primitives
//! for the standard library's (`sync`). loom then runs each test once for every order in which the
//! accesses of its threads can interleave, and for every value that the memory model lets a relaxed
//! or late read return; a thread that sleeps through its opening is found as a deadlock. The gate at
//! full speed, with the processor's own schedules, is tested at the end.

use std::sync::Arc;

use kernel::horizon::{GlobalWindow, Horizon};
use kernel::queue::BinaryHeapQueue;
use kernel::{
    Actor, ActorId, Address, Context, Directory, Fingerprint, Group, Inbox, Safe, SimDuration,
    SimTime, World, WorldBuilder, run_sequentially,
};

use super::{Watcher, attendant, ledger};

/// loom's primitives by the names of the standard library's.
mod sync {
    pub(super) use loom::hint::spin_loop;
    pub(super) use loom::sync::atomic::Ordering;
    pub(super) use loom::sync::{Condvar, Mutex, MutexGuard};
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

                pub(super) fn fetch_min(&self, value: $value, order: Ordering) -> $value {
                    fenced(order, || self.0.fetch_min(value, order))
                }

                pub(super) fn swap(&self, value: $value, order: Ordering) -> $value {
                    fenced(order, || self.0.swap(value, order))
                }

                pub(super) fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
                    fenced(order, || self.0.fetch_sub(value, order))
                }
            }
        };
    }

    atomic!(AtomicU64, u64);
    atomic!(AtomicUsize, usize);

    impl Default for AtomicU64 {
        fn default() -> Self {
            Self::new(0)
        }
    }

    #[derive(Debug)]
    pub(super) struct AtomicBool(loom::sync::atomic::AtomicBool);

    impl AtomicBool {
        pub(super) fn new(value: bool) -> Self {
            AtomicBool(loom::sync::atomic::AtomicBool::new(value))
        }

        pub(super) fn load(&self, order: Ordering) -> bool {
            fenced(order, || self.0.load(order))
        }

        pub(super) fn store(&self, value: bool, order: Ordering) {
            fenced(order, || self.0.store(value, order));
        }
    }

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

/// A file of the coordinator, once more.
macro_rules! again {
    ($name:ident, $path:literal) => {
        #[path = $path]
        #[allow(clippy::duplicate_mod, dead_code)]
        mod $name;
    };
}
again!(gate, "gate.rs");
again!(board, "board.rs");
again!(stage, "stage.rs");
again!(leader, "leader.rs");
again!(threads, "threads.rs");
again!(null_messages, "null_messages.rs");

use gate::Gate;
use stage::Partitions;
use sync::{AtomicU64, Ordering};

/// Tries every schedule in which threads are interrupted at most `interruptions` times.
fn every_schedule(interruptions: usize, test: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    // By hand, LOOM_MAX_PREEMPTIONS says for how many.
    model.preemption_bound = model.preemption_bound.or(Some(interruptions));
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

/// Three actors who tell each other numbers, in a ring.
struct Teller {
    heard: u64,
    next: ActorId,
}

impl Inbox for Teller {
    type Message = u64;
    const GROUP: Group = Group(0);
}

impl Actor for Teller {
    type Message = u64;
    type Fact = ();

    fn start(&mut self, ctx: &mut Context<'_, Self>) {
        let me = u64::from(ctx.me::<Teller>().id().0);
        ctx.schedule(me, SimDuration::from_nanos(me));
    }

    fn receive(&mut self, number: u64, ctx: &mut Context<'_, Self>) {
        self.heard = self.heard.wrapping_mul(31).wrapping_add(number);
        ctx.send(Address::<Teller>::new(self.next), self.heard, PROMISE);
    }
}

const PROMISE: SimDuration = SimDuration::from_nanos(5);

fn tellers() -> World<Teller> {
    let mut world = WorldBuilder::new(1);
    world.group::<Teller>("teller");
    world.edge::<Teller, Teller>(PROMISE);
    for number in 0..3 {
        let next = ActorId((number + 1) % 3);
        world.add::<Teller>(Teller { heard: 0, next });
    }
    world.build()
}

/// Runs the tellers with a leader and a helper through shared windows up to `end`: whoever claims
/// which partition, whenever mail comes, they hear what they hear from the oracle.
fn tells_the_same(end: SimTime, expected: &Fingerprint) {
    let world = tellers();
    let mut horizon = GlobalWindow::new(world.promises());
    let directory = Directory::new(vec![1, 2, 3]);
    let observer = Fingerprint::default();
    let partitions =
        kernel::partition::divide::<_, _, BinaryHeapQueue<_>>(world, directory, PROMISE, &observer);
    let board = board::Board::new(partitions.len(), 2, 1);
    let stage = Arc::new(stage::Stage::new(partitions, board, Box::new(()), 0));
    let gate = Arc::new(Gate::new(2));
    let helper = {
        let (stage, gate) = (Arc::clone(&stage), Arc::clone(&gate));
        loom::thread::spawn(move || threads::help(&*stage, &gate, 1, 0))
    };
    let partitions: &dyn Partitions = &*stage;
    partitions.start();
    let board = partitions.board();
    let mut standing = Vec::new();
    let mut safe = vec![Safe::until(SimTime::START); board.partitions()];
    loop {
        board.standing(&mut standing);
        let next = standing.iter().map(|partition| partition.next).min();
        if next.is_none_or(|next| next >= end) {
            break;
        }
        horizon.advance(&standing, &mut safe);
        for safe in &mut safe {
            safe.until = safe.until.min(end);
        }
        board.allow(&safe);
        let window = gate.open();
        partitions.work(0, window);
        gate.gather(1);
        assert_eq!(board.failure(), None);
    }
    threads::dismiss(partitions, &gate, 1);
    helper.join().expect("a helper has no cause to panic");
    let stage = Arc::into_inner(stage).expect("the helper has gone");
    assert_eq!(&stage.into_observer(), expected);
}

#[test]
fn shared_windows_hand_over_everything_said() {
    let end = SimTime::from_nanos(11);
    let (expected, events) = run_sequentially(tellers(), end, Fingerprint::default());
    assert!(events > 6, "mail goes round: {events}");
    every_schedule(1, move || tells_the_same(end, &expected));
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
