//! The partitions of a run and their mail, and how a worker goes through them.
//!
//! A partition is locked by whoever runs it; in a window each is claimed by one worker only, so no
//! lock is ever waited for except a mailbox's, and that for an append.
//!
//! Whoever leads or helps sees [`Partitions`] only, not what they hold: the loops around windows are
//! the same for every world, observer and queue.

use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;
use kernel::queue::EventQueue;
use kernel::{Actor, ActorId, Envelope, Member, Observer, Partition, SimTime, Standstill};

use super::attendant::Attendant;
use super::board::Board;
use super::ledger::Work;
use super::sync::{Mutex, MutexGuard, PoisonError};

/// All partitions of a run, whatever they hold.
pub(super) trait Partitions: Send + Sync {
    /// The words about them.
    fn board(&self) -> &Board;

    /// Lets every actor of a partition start.
    fn start_one(&self, number: usize);

    /// Runs one partition as far as is safe; returns the time spent on mail, if it is to be timed.
    fn run_one(&self, number: usize, timed: bool) -> Duration;

    /// Lets the attendant look, between two windows; returns when it wants to look next.
    fn attend(&self) -> SimTime;
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
    attendant: Mutex<Box<dyn Attendant<A, O>>>,
    /// How many events were handled before this run took the world up.
    events_before: u64,
}

/// A partition and its mailbox.
struct Berth<A: Actor, O, Q> {
    partition: Mutex<Partition<A, O, Q>>,
    mailbox: Mutex<Vec<Envelope<A::Message>>>,
}

/// At most so many events are handled in one go, so that progress can be shown and a run stopped.
const BUDGET: u64 = 1 << 17;

impl<A: Actor, O: Observer<A>, Q: EventQueue<A::Message>> Stage<A, O, Q> {
    pub(super) fn new(
        partitions: Vec<Partition<A, O, Q>>,
        board: Board,
        attendant: Box<dyn Attendant<A, O>>,
        events_before: u64,
    ) -> Self {
        let berths = partitions.into_iter().map(|partition| {
            CachePadded::new(Berth {
                partition: Mutex::new(partition),
                mailbox: Mutex::new(Vec::new()),
            })
        });
        Stage {
            board,
            berths: berths.collect(),
            attendant: Mutex::new(attendant),
            events_before,
        }
    }

    /// Lets the attendant look for the last time, at a run that ends before its end.
    pub(super) fn leave(&self) {
        self.guarded_look(|attendant, still| attendant.leave(still));
    }

    /// Holds everything still and lets the attendant look; a panic in it ends the run.
    fn guarded_look<T>(
        &self,
        look: impl FnOnce(&mut dyn Attendant<A, O>, &dyn Standstill<A, O>) -> T,
    ) -> Option<T> {
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let partitions = (self.berths.iter()).map(|berth| lock(&berth.partition));
            let mailboxes = (self.berths.iter()).map(|berth| lock(&berth.mailbox));
            let still = Still {
                board: &self.board,
                partitions: partitions.collect(),
                mailboxes: mailboxes.collect(),
                events_before: self.events_before,
            };
            look(&mut **lock(&self.attendant), &still)
        }));
        let failed = |panic: Box<dyn std::any::Any + Send>| {
            let said = panic_text(&*panic);
            self.board.fail(format!("while looking at the run: {said}"));
        };
        done.map_err(failed).ok()
    }

    /// Hands over a partition's mail and writes down its standing.
    fn settle(&self, number: usize, partition: &mut Partition<A, O, Q>) {
        let group = partition.sole_group();
        partition.hand_over(|target, earliest, batch| {
            let mut mailbox = lock(&self.berths[target].mailbox);
            if mailbox.is_empty() {
                std::mem::swap(&mut *mailbox, batch);
            } else {
                mailbox.append(batch);
            }
            self.board.mail_came(target, group, earliest);
        });
        self.board
            .settle(number, &partition.standing(), partition.events());
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

    /// Who has said most of all, and which part of everything that was said.
    pub(super) fn busiest(&self) -> Option<(ActorId, f64)> {
        let partitions = self.berths.iter();
        let each: Vec<_> = partitions
            .map(|berth| lock(&berth.partition).busiest())
            .collect();
        let all: u64 = each.iter().map(|&(_, _, all)| all).sum();
        let (busiest, most, _) = each.into_iter().max_by_key(|&(_, most, _)| most)?;
        (all > 0).then(|| (busiest, most as f64 / all as f64))
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

    fn attend(&self) -> SimTime {
        self.guarded_look(|attendant, still| attendant.attend(still))
            .unwrap_or(SimTime::NEVER)
    }
}

/// All partitions and their mail while nobody runs them.
struct Still<'a, A: Actor, O, Q> {
    board: &'a Board,
    partitions: Vec<MutexGuard<'a, Partition<A, O, Q>>>,
    mailboxes: Vec<MutexGuard<'a, Vec<Envelope<A::Message>>>>,
    events_before: u64,
}

impl<A: Actor, O: Observer<A>, Q: EventQueue<A::Message>> Standstill<A, O> for Still<'_, A, O, Q> {
    fn reached(&self) -> SimTime {
        self.board.reached()
    }

    fn events(&self) -> u64 {
        self.events_before + self.board.events()
    }

    fn members(&self) -> Vec<Member<'_, A>> {
        let partitions = self.partitions.iter();
        partitions
            .flat_map(|partition| partition.members())
            .collect()
    }

    fn under_way(&self) -> Vec<&Envelope<A::Message>> {
        let mut letters = Vec::new();
        for partition in &self.partitions {
            partition.visit_letters(&mut |letter| letters.push((letter.key, letter)));
        }
        let mail = self.mailboxes.iter().flat_map(|mailbox| mailbox.iter());
        letters.extend(mail.map(|letter| (letter.key, letter)));
        // With the keys beside: letters lie anywhere in memory.
        letters.sort_unstable_by_key(|&(key, _)| key);
        letters.into_iter().map(|(_, letter)| letter).collect()
    }

    fn observer(&self) -> O {
        let mut observers = self.partitions.iter().map(|it| it.observer().clone());
        let mut merged = observers.next().expect("a run has at least one partition");
        observers.for_each(|observer| merged.merge(observer));
        merged
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
