//! The null-message protocol: no rounds, no horizon, only promises between neighbours.
//!
//! Each partition knows, for every other that may write to it, a time before which nothing more will
//! come from there, and runs up to the least of these. Having run, it tells those it may write to
//! how long they will hear nothing: until the earliest thing that it can still do, plus the least
//! delay of what it says. Such an announcement without a letter is a *null message*. (Chandy and
//! Misra, *Distributed simulation*, IEEE Transactions on Software Engineering 5(5), 1979; Bryant,
//! 1977.)
//!
//! Between threads of one process an announcement need not travel: it is a word that only grows,
//! written after the letters before it are in the mailbox.
//!
//! No deadlock: of all partitions with something to do before the limit, take the one whose event is
//! the earliest, at `e`. Nobody can be said to handle anything before `e`, so announcements go on
//! growing, by the least delay on every circle, until all clocks it waits for are later than `e`;
//! that is what makes the protocol slow where delays are short and events are far between.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crossbeam_utils::{Backoff, CachePadded};
use kernel::{Directory, Promises, Safe, SimDuration, SimTime};

use super::stage::{Partitions, panic_text};

/// For so long partitions run before everybody looks up.
const SLICE: Duration = Duration::from_millis(100);
/// So often a worker goes through its partitions before it looks at the clock.
const PASSES_PER_LOOK: u32 = 64;

/// What partitions have announced to each other.
pub(super) struct NullMessages {
    /// For each partition: from whom it may hear.
    hears: Vec<Vec<usize>>,
    /// For each partition: to whom it may write, with what least delay.
    tells: Vec<Vec<(usize, SimDuration)>>,
    /// `clocks[from * partitions + to]`: before this instant nothing more comes.
    clocks: Vec<CachePadded<AtomicU64>>,
}

/// What workers did in a slice.
#[derive(Default)]
pub(super) struct Slice {
    /// How often a partition was run.
    pub runs: u64,
    /// How many announcements were made.
    pub announcements: u64,
    /// How long each worker looked for something to do in vain.
    pub waiting: Vec<Duration>,
}

impl NullMessages {
    /// The channels of a world with these promises, divided like this.
    pub(super) fn new(promises: &Promises, directory: &Directory) -> Self {
        let least = kernel::horizon::least_delays(promises, directory);
        let count = least.len();
        let mut channels = NullMessages {
            hears: vec![Vec::new(); count],
            tells: vec![Vec::new(); count],
            clocks: (0..count * count).map(|_| CachePadded::default()).collect(),
        };
        for (from, row) in least.iter().enumerate() {
            for (to, &delay) in row.iter().enumerate() {
                if from != to && delay != SimDuration::FOREVER {
                    channels.tells[from].push((to, delay));
                    channels.hears[to].push(from);
                }
            }
        }
        channels
    }

    /// Runs partitions with all workers until none has anything to do before `limit`, or for about a
    /// tenth of a second. Afterwards everything is at rest.
    pub(super) fn run_slice(&self, partitions: &dyn Partitions, limit: SimTime) -> Slice {
        // While everything is at rest, nobody can say anything before the earliest event of all. A run
        // that was taken up in its middle would otherwise count up to there in steps of promises.
        let reached = partitions.board().reached();
        for (from, tells) in self.tells.iter().enumerate() {
            for &(to, delay) in tells {
                let clock = &self.clocks[from * self.hears.len() + to];
                clock.fetch_max((reached + delay).nanos(), Ordering::Relaxed);
            }
        }
        let enough = AtomicBool::new(false);
        let workers = partitions.board().workers();
        let work = |worker: usize| {
            // Whoever panics must not leave the others waiting for its announcements.
            let done = catch_unwind(AssertUnwindSafe(|| {
                self.work(partitions, worker, limit, &enough)
            }));
            done.unwrap_or_else(|panic| {
                let said = panic_text(&*panic);
                partitions.board().fail(format!("worker {worker}: {said}"));
                enough.store(true, Ordering::Relaxed);
                Done::default()
            })
        };
        let mut slice = Slice::default();
        std::thread::scope(|scope| {
            let work = &work;
            let mut helpers = Vec::new();
            for worker in 1..workers {
                let name = format!("worker-{worker}");
                let builder = std::thread::Builder::new().name(name);
                match builder.spawn_scoped(scope, move || work(worker)) {
                    Ok(helper) => helpers.push(helper),
                    Err(error) => {
                        let account = format!("the system refuses thread {worker}: {error}");
                        partitions.board().fail(account);
                        enough.store(true, Ordering::Relaxed);
                    }
                }
            }
            slice.add(work(0));
            for helper in helpers {
                slice.add(helper.join().unwrap_or_default());
            }
        });
        slice
    }

    /// What one worker does in a slice: goes through its partitions, again and again.
    fn work(
        &self,
        partitions: &dyn Partitions,
        worker: usize,
        limit: SimTime,
        enough: &AtomicBool,
    ) -> Done {
        let began = Instant::now();
        let workers = partitions.board().workers();
        let own: Vec<usize> = (worker..self.hears.len()).step_by(workers).collect();
        let (mut done, mut passes) = (Done::default(), 0_u32);
        let backoff = Backoff::new();
        let mut idle_since = None;
        while !enough.load(Ordering::Relaxed) {
            let (mut finished, mut moved) = (true, false);
            for &partition in &own {
                let went = self.advance(partitions, partition, limit, &mut done);
                finished &= went.finished;
                moved |= went.moved;
            }
            if partitions.board().failure().is_some() {
                enough.store(true, Ordering::Relaxed);
            }
            if finished {
                break;
            }
            if moved {
                backoff.reset();
                if let Some(since) = idle_since.take() {
                    done.waiting += Instant::now().duration_since(since);
                }
            } else {
                idle_since.get_or_insert_with(Instant::now);
                backoff.snooze();
            }
            passes += 1;
            if (passes.is_multiple_of(PASSES_PER_LOOK) || !moved) && began.elapsed() >= SLICE {
                enough.store(true, Ordering::Relaxed);
            }
        }
        if let Some(since) = idle_since {
            done.waiting += since.elapsed();
        }
        done
    }

    /// Runs one partition as far as its neighbours' announcements allow, and announces what that
    /// means for others.
    fn advance(
        &self,
        partitions: &dyn Partitions,
        partition: usize,
        limit: SimTime,
        done: &mut Done,
    ) -> Went {
        let board = partitions.board();
        let count = self.hears.len();
        // Before the mailbox is looked at: what an announcement follows is in it by now.
        let clocks = self.hears[partition].iter();
        let announced = clocks
            .map(|from| self.clocks[from * count + partition].load(Ordering::Acquire))
            .min()
            .map_or(SimTime::NEVER, SimTime::from_nanos);
        board.allow_one(partition, Safe::until(announced.min(limit)));
        let mut went = Went::default();
        if board.is_due(partition) {
            partitions.run_one(partition, false);
            done.runs += 1;
            went.moved = true;
        }
        // Later letters to it cannot make it speak before they arrive.
        let next = board.next(partition);
        let silent_until = next.min(announced);
        for &(to, delay) in &self.tells[partition] {
            let clock = &self.clocks[partition * count + to];
            let word = (silent_until + delay).nanos();
            // Written by this worker only.
            if word > clock.load(Ordering::Relaxed) {
                clock.store(word, Ordering::Release);
                done.announcements += 1;
                went.moved = true;
            }
        }
        went.finished = announced >= limit && next >= limit;
        went
    }
}

/// What one worker did.
#[derive(Default)]
struct Done {
    runs: u64,
    announcements: u64,
    waiting: Duration,
}

/// How it went with one partition.
#[derive(Default)]
struct Went {
    /// It has run, or announced something.
    moved: bool,
    /// Nothing can happen in it before the limit any more.
    finished: bool,
}

impl Slice {
    fn add(&mut self, done: Done) {
        self.runs += done.runs;
        self.announcements += done.announcements;
        self.waiting.push(done.waiting);
    }
}
