//! The partitions of a run and their mail, and how a worker goes through them.
//!
//! A partition is locked by whoever runs it; in a window each is claimed by one worker only, so no
//! lock is ever waited for except a mailbox's, and that for an append.
//!
//! Whoever leads or helps sees [`Partitions`] only, not what they hold: the loops around windows are
//! the same for every world, observer and queue.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;
use kernel::queue::EventQueue;
use kernel::{Actor, Envelope, Observer, Partition};

use super::board::{Board, Work};

/// All partitions of a run, whatever they hold.
pub(super) trait Partitions: Send + Sync {
    /// The words about them.
    fn board(&self) -> &Board;

    /// Lets every actor of a partition start.
    fn start_one(&self, number: usize);

    /// Runs one partition as far as is safe; returns the time spent on mail, if it is to be timed.
    fn run_one(&self, number: usize, timed: bool) -> Duration;
}

impl dyn Partitions + '_ {
    /// Lets every actor start. Whether that went well, the board says.
    pub(super) fn start(&self) {
        for number in 0..self.board().partitions() {
            self.start_one(number);
        }
    }

    /// Runs the partitions of one worker in a window: first those that are its own, then whatever
    /// others have not begun.
    pub(super) fn work(&self, worker: usize, window: u64) {
        let board = self.board();
        let began = Instant::now();
        let mut exchanging = Duration::ZERO;
        let (count, workers) = (board.partitions(), board.workers());
        let own = (worker..count).step_by(workers);
        let others = (0..count).filter(|number| number % workers != worker);
        for number in own.chain(others) {
            if board.is_due(number) && board.claim(number, window) {
                exchanging += self.run_one(number, true);
            }
        }
        let computing = began.elapsed().saturating_sub(exchanging);
        board.worked(
            worker,
            Work {
                computing,
                exchanging,
            },
        );
    }

    /// Runs all partitions on the calling thread, without looking at a clock.
    pub(super) fn work_alone(&self) {
        let board = self.board();
        for number in 0..board.partitions() {
            if board.is_due(number) {
                self.run_one(number, false);
            }
        }
    }
}

/// All partitions of a run.
pub(super) struct Stage<A: Actor, O, Q> {
    board: Board,
    berths: Vec<CachePadded<Berth<A, O, Q>>>,
}

/// A partition and its mailbox.
struct Berth<A: Actor, O, Q> {
    partition: Mutex<Partition<A, O, Q>>,
    mailbox: Mutex<Vec<Envelope<A::Message>>>,
}

/// At most so many events are handled in one go, so that progress can be shown and a run stopped.
const BUDGET: u64 = 1 << 17;

impl<A: Actor, O: Observer<A>, Q: EventQueue<A::Message>> Stage<A, O, Q> {
    pub(super) fn new(partitions: Vec<Partition<A, O, Q>>, workers: usize) -> Self {
        let board = Board::new(partitions.len(), workers);
        let berths = partitions.into_iter().map(|partition| {
            CachePadded::new(Berth {
                partition: Mutex::new(partition),
                mailbox: Mutex::new(Vec::new()),
            })
        });
        Stage {
            board,
            berths: berths.collect(),
        }
    }

    /// Hands over a partition's mail and writes down its standing.
    fn settle(&self, number: usize, partition: &mut Partition<A, O, Q>) {
        partition.hand_over(|target, earliest, batch| {
            let mut mailbox = lock(&self.berths[target].mailbox);
            if mailbox.is_empty() {
                std::mem::swap(&mut *mailbox, batch);
            } else {
                mailbox.append(batch);
            }
            self.board.mail_came(target, earliest);
        });
        self.board
            .settle(number, partition.standing(), partition.events());
    }

    /// Does `work` on a partition; a panic in it is kept for the leader, with who was acting.
    fn guarded(&self, number: usize, work: impl FnOnce()) {
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        if let Err(panic) = done {
            let scene = self.lock(number).scene();
            let said = panic_text(&*panic);
            self.board.fail(match scene {
                Some(scene) => format!("{scene}: {said}"),
                None => said,
            });
        }
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

    fn lock(&self, number: usize) -> MutexGuard<'_, Partition<A, O, Q>> {
        lock(&self.berths[number].partition)
    }
}

impl<A: Actor, O: Observer<A>, Q: EventQueue<A::Message>> Partitions for Stage<A, O, Q> {
    fn board(&self) -> &Board {
        &self.board
    }

    fn start_one(&self, number: usize) {
        self.guarded(number, || {
            let mut partition = self.lock(number);
            partition.start();
            self.settle(number, &mut partition);
        });
    }

    fn run_one(&self, number: usize, timed: bool) -> Duration {
        let mut mail_time = Duration::ZERO;
        self.guarded(number, || {
            let mut partition = self.lock(number);
            let mut clock = timed.then(Instant::now);
            if self.board.has_mail(number) {
                let mut mailbox = lock(&self.berths[number].mailbox);
                self.board.mail_taken(number);
                partition.accept(mailbox.drain(..));
            }
            mail_time += clock.map_or(Duration::ZERO, |clock| clock.elapsed());
            partition.run(self.board.safe(number), BUDGET);
            clock = timed.then(Instant::now);
            self.settle(number, &mut partition);
            mail_time += clock.map_or(Duration::ZERO, |clock| clock.elapsed());
        });
        mail_time
    }
}

/// A lock that does not care whether somebody panicked while holding it: the run is over then, and
/// what is read is only what the panicking thread had finished.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
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
