//! What the threads of a run share: the partitions, their mail, and what each says of itself.
//!
//! A partition is locked by whoever runs it; in a window each is claimed by one worker only, so no
//! lock is ever waited for except a mailbox's, and that for an append. Words about partitions are
//! plain atomics: the [`Gate`](super::gate::Gate) orders them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;
use kernel::queue::EventQueue;
use kernel::{Actor, Envelope, Observer, Partition, Safe, SimTime, Standing};

/// All partitions of a run.
pub(super) struct Stage<A: Actor, O, Q> {
    berths: Vec<CachePadded<Berth<A, O, Q>>>,
    /// What each worker did in the last shared window.
    works: Vec<CachePadded<[AtomicU64; 2]>>,
    /// Set when a worker panicked: what happened, in words.
    failure: Mutex<Option<String>>,
    failed: AtomicBool,
    /// Set when helpers are to go home.
    pub(super) over: AtomicBool,
}

/// A partition, its mailbox, and the words about it.
struct Berth<A: Actor, O, Q> {
    partition: Mutex<Partition<A, O, Q>>,
    mailbox: Mutex<Vec<Envelope<A::Message>>>,
    /// The earliest time in the mailbox.
    mail: AtomicU64,
    /// The partition's own standing.
    next: AtomicU64,
    /// How far it may run in the present window.
    until: AtomicU64,
    answers: AtomicU64,
    /// The last window in which somebody claimed it.
    claimed: AtomicU64,
    /// How many events it has handled in all.
    events: AtomicU64,
}

/// At most so many events are handled in one go, so that progress can be shown and a run stopped.
const BUDGET: u64 = 1 << 17;

/// What one worker did in one window.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Work {
    pub computing: Duration,
    pub exchanging: Duration,
}

impl<A: Actor, O: Observer<A>, Q: EventQueue<A::Message>> Stage<A, O, Q> {
    pub(super) fn new(partitions: Vec<Partition<A, O, Q>>, workers: usize) -> Self {
        Stage {
            berths: partitions
                .into_iter()
                .map(|partition| {
                    CachePadded::new(Berth {
                        partition: Mutex::new(partition),
                        mailbox: Mutex::new(Vec::new()),
                        mail: AtomicU64::new(SimTime::NEVER.nanos()),
                        next: AtomicU64::new(SimTime::START.nanos()),
                        until: AtomicU64::new(0),
                        answers: AtomicU64::new(0),
                        claimed: AtomicU64::new(0),
                        events: AtomicU64::new(0),
                    })
                })
                .collect(),
            works: (0..workers).map(|_| CachePadded::default()).collect(),
            failure: Mutex::new(None),
            failed: AtomicBool::new(false),
            over: AtomicBool::new(false),
        }
    }

    pub(super) fn workers(&self) -> usize {
        self.works.len()
    }

    pub(super) fn partitions(&self) -> usize {
        self.berths.len()
    }

    /// Lets every actor start.
    pub(super) fn start(&self) {
        for number in 0..self.berths.len() {
            self.guarded(number, |stage| stage.start_one(number));
        }
    }

    fn start_one(&self, number: usize) {
        let mut partition = self.lock(number);
        partition.start();
        self.settle(number, &mut partition);
    }

    /// Writes down what every partition says of itself, undelivered mail included.
    pub(super) fn standing(&self, standing: &mut Vec<Standing>) {
        standing.clear();
        standing.extend(self.berths.iter().map(|berth| {
            let next = berth.next.load(Relaxed).min(berth.mail.load(Relaxed));
            Standing {
                next: SimTime::from_nanos(next),
            }
        }));
    }

    /// Sets how far each partition may run.
    pub(super) fn allow(&self, safe: &[Safe]) {
        for (berth, safe) in self.berths.iter().zip(safe) {
            berth.until.store(safe.until.nanos(), Relaxed);
            berth.answers.store(safe.answers.nanos(), Relaxed);
        }
    }

    /// How many events were handled in all.
    pub(super) fn events(&self) -> u64 {
        self.berths.iter().map(|b| b.events.load(Relaxed)).sum()
    }

    /// How many events were handled since `before`, which is brought up to date: in all, and by the
    /// busiest partition.
    pub(super) fn work_since(&self, before: &mut Vec<u64>) -> (u64, u64) {
        before.resize(self.berths.len(), 0);
        let (mut all, mut busiest) = (0, 0);
        for (berth, before) in self.berths.iter().zip(before) {
            let now = berth.events.load(Relaxed);
            let work = now - *before;
            *before = now;
            all += work;
            busiest = busiest.max(work);
        }
        (all, busiest)
    }

    /// How many events each partition has handled.
    pub(super) fn events_by_partition(&self) -> Vec<u64> {
        self.berths.iter().map(|b| b.events.load(Relaxed)).collect()
    }

    /// Runs the partitions of one worker in a window: first those that are its own, then whatever
    /// others have not begun.
    pub(super) fn work(&self, worker: usize, window: u64) {
        let began = Instant::now();
        let mut exchanging = Duration::ZERO;
        let count = self.berths.len();
        let own = (worker..count).step_by(self.works.len());
        let others = (0..count).filter(|number| number % self.works.len() != worker);
        for number in own.chain(others) {
            let berth = &self.berths[number];
            if berth.next.load(Relaxed).min(berth.mail.load(Relaxed)) < berth.until.load(Relaxed)
                && berth.claimed.load(Relaxed) != window
                && berth.claimed.swap(window, Relaxed) != window
            {
                exchanging += self.run_one(number, true);
            }
        }
        let computing = began.elapsed().saturating_sub(exchanging);
        let [slot_computing, slot_exchanging] = &*self.works[worker];
        slot_computing.store(computing.as_nanos() as u64, Relaxed);
        slot_exchanging.store(exchanging.as_nanos() as u64, Relaxed);
    }

    /// What each worker did in the last shared window.
    pub(super) fn works(&self) -> impl Iterator<Item = Work> {
        self.works.iter().map(|slots| {
            let [computing, exchanging] =
                [0, 1].map(|slot: usize| Duration::from_nanos(slots[slot].load(Relaxed)));
            Work {
                computing,
                exchanging,
            }
        })
    }

    /// Runs all partitions on the calling thread, without looking at a clock.
    pub(super) fn work_alone(&self) {
        for (number, berth) in self.berths.iter().enumerate() {
            if berth.next.load(Relaxed).min(berth.mail.load(Relaxed)) < berth.until.load(Relaxed) {
                self.run_one(number, false);
            }
        }
    }

    /// Runs one partition as far as is safe; returns the time spent on mail, if it is to be timed.
    fn run_one(&self, number: usize, timed: bool) -> Duration {
        let mut mail_time = Duration::ZERO;
        self.guarded(number, |stage| {
            let berth = &stage.berths[number];
            let mut partition = stage.lock(number);
            let mut clock = timed.then(Instant::now);
            if berth.mail.load(Relaxed) != SimTime::NEVER.nanos() {
                let mut mailbox = lock(&berth.mailbox);
                berth.mail.store(SimTime::NEVER.nanos(), Relaxed);
                partition.accept(mailbox.drain(..));
            }
            mail_time += clock.map_or(Duration::ZERO, |clock| clock.elapsed());
            let safe = Safe {
                until: SimTime::from_nanos(berth.until.load(Relaxed)),
                answers: SimTime::from_nanos(berth.answers.load(Relaxed)),
            };
            partition.run(safe, BUDGET);
            clock = timed.then(Instant::now);
            stage.settle(number, &mut partition);
            mail_time += clock.map_or(Duration::ZERO, |clock| clock.elapsed());
        });
        mail_time
    }

    /// Hands over a partition's mail and writes down its standing.
    fn settle(&self, number: usize, partition: &mut Partition<A, O, Q>) {
        partition.hand_over(|target, earliest, batch| {
            let berth = &self.berths[target];
            let mut mailbox = lock(&berth.mailbox);
            if mailbox.is_empty() {
                std::mem::swap(&mut *mailbox, batch);
            } else {
                mailbox.append(batch);
            }
            // The mail's own earliest time counts too: the target may be idle and not know yet.
            berth.mail.fetch_min(earliest.nanos(), Relaxed);
        });
        let berth = &self.berths[number];
        let standing = partition.standing();
        berth.next.store(standing.next.nanos(), Relaxed);
        berth.events.store(partition.events(), Relaxed);
    }

    /// Does `work` on a partition; a panic in it is kept for the leader, with who was acting.
    fn guarded(&self, number: usize, work: impl FnOnce(&Self)) {
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(self)));
        if let Err(panic) = done {
            let scene = self.lock(number).scene();
            let said = panic_text(&*panic);
            let text = match scene {
                Some(scene) => format!("{scene}: {said}"),
                None => said,
            };
            lock(&self.failure).get_or_insert(text);
            self.failed.store(true, Relaxed);
        }
    }

    /// What went wrong, if a worker has panicked.
    pub(super) fn failure(&self) -> Option<String> {
        if !self.failed.load(Relaxed) {
            return None;
        }
        lock(&self.failure).clone()
    }

    /// The observers of all partitions, merged in the order of the partitions.
    pub(super) fn into_observer(self) -> O {
        let mut observers = self.berths.into_iter().map(|berth| {
            let partition = berth.into_inner().partition;
            let partition = partition
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner);
            partition.into_observer()
        });
        let mut merged = observers.next().expect("a run has at least one partition");
        for observer in observers {
            merged.merge(observer);
        }
        merged
    }

    fn lock(&self, number: usize) -> std::sync::MutexGuard<'_, Partition<A, O, Q>> {
        lock(&self.berths[number].partition)
    }
}

/// A lock that does not care whether somebody panicked while holding it: the run is over then, and
/// what is read is only what the panicking thread had finished.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a panic said.
pub(super) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    if let Some(text) = panic.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = panic.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic without words".to_owned()
    }
}
