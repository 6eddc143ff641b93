//! What each partition says of itself, and how far it may run: the words that threads share.
//!
//! Plain atomics, one padded set for each partition: the [`Gate`](super::gate::Gate) orders them.
//! Nothing here knows what the partitions hold.

use std::time::Duration;

use crossbeam_utils::CachePadded;
use kernel::promise::MOST_GROUPS;
use kernel::{Group, Safe, SimTime, Standing};

const NEVER: u64 = SimTime::NEVER.nanos();

use super::ledger::Work;
use super::sync::{AtomicBool, AtomicU64, Mutex, Ordering::Relaxed, PoisonError};

/// The words about all partitions of a run.
pub(super) struct Board {
    /// How many groups of actors are told apart; zero where the horizon does not ask.
    groups: usize,
    words: Vec<CachePadded<Words>>,
    /// What each worker did in the last shared window.
    works: Vec<CachePadded<[AtomicU64; 2]>>,
    /// Set when a worker panicked: what happened, in words.
    failure: Mutex<Option<String>>,
    failed: AtomicBool,
    /// Set when helpers are to go home.
    pub(super) over: AtomicBool,
}

/// The words about one partition.
struct Words {
    /// What is in its mailbox: the earliest letter, and the earliest from each group.
    mail: Times,
    /// What the partition itself says: its earliest event, and before when it says nothing to each
    /// group.
    own: Times,
    /// How far it may run in the present window.
    until: AtomicU64,
    answers: AtomicU64,
    /// The last window in which somebody claimed it.
    claimed: AtomicU64,
    /// How many events it has handled in all.
    events: AtomicU64,
}

/// An earliest time, and one for each group.
struct Times {
    next: AtomicU64,
    by_group: [AtomicU64; MOST_GROUPS],
}

impl Board {
    pub(super) fn new(partitions: usize, workers: usize, groups: usize) -> Self {
        let words = || {
            CachePadded::new(Words {
                mail: Times::new(SimTime::NEVER),
                own: Times::new(SimTime::START),
                until: AtomicU64::new(0),
                answers: AtomicU64::new(0),
                claimed: AtomicU64::new(0),
                events: AtomicU64::new(0),
            })
        };
        Board {
            groups,
            words: (0..partitions).map(|_| words()).collect(),
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
        self.words.len()
    }

    // What the leader reads and writes, between windows.

    /// Writes down what every partition says of itself, undelivered mail included.
    pub(super) fn standing(&self, standing: &mut Vec<Standing>) {
        standing.clear();
        standing.extend(self.words.iter().map(|words| {
            let mut standing = Standing::at(SimTime::from_nanos(words.due()));
            if self.groups > 0 {
                words.own.read(&mut standing.speaks[..self.groups]);
                words.mail.read(&mut standing.mailed[..self.groups]);
            }
            standing
        }));
    }

    /// How far the run has got: everything earlier has happened.
    pub(super) fn reached(&self) -> SimTime {
        let due = self.words.iter().map(|words| words.due()).min();
        due.map_or(SimTime::NEVER, SimTime::from_nanos)
    }

    /// Sets how far each partition may run.
    pub(super) fn allow(&self, safe: &[Safe]) {
        for (partition, safe) in safe.iter().enumerate() {
            self.allow_one(partition, *safe);
        }
    }

    /// Sets how far one partition may run.
    pub(super) fn allow_one(&self, partition: usize, safe: Safe) {
        let words = &self.words[partition];
        words.until.store(safe.until.nanos(), Relaxed);
        words.answers.store(safe.answers.nanos(), Relaxed);
    }

    /// The earliest event of a partition, undelivered mail included.
    pub(super) fn next(&self, partition: usize) -> SimTime {
        SimTime::from_nanos(self.words[partition].due())
    }

    /// How many events were handled in all.
    pub(super) fn events(&self) -> u64 {
        self.words.iter().map(|w| w.events.load(Relaxed)).sum()
    }

    /// How many events each partition has handled.
    pub(super) fn events_by_partition(&self) -> Vec<u64> {
        self.words.iter().map(|w| w.events.load(Relaxed)).collect()
    }

    /// How many events were handled since `before`, which is brought up to date: in all, and by the
    /// busiest partition.
    pub(super) fn work_since(&self, before: &mut Vec<u64>) -> (u64, u64) {
        before.resize(self.words.len(), 0);
        let (mut all, mut busiest) = (0, 0);
        for (words, before) in self.words.iter().zip(before) {
            let now = words.events.load(Relaxed);
            let work = now - *before;
            *before = now;
            all += work;
            busiest = busiest.max(work);
        }
        (all, busiest)
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

    // What workers read and write, in a window.

    /// Whether a partition has something to do in the present window.
    pub(super) fn is_due(&self, partition: usize) -> bool {
        let words = &self.words[partition];
        words.due() < words.until.load(Relaxed)
    }

    /// Whether the caller is the first to want this partition in this window.
    pub(super) fn claim(&self, partition: usize, window: u64) -> bool {
        let claimed = &self.words[partition].claimed;
        claimed.load(Relaxed) != window && claimed.swap(window, Relaxed) != window
    }

    /// How far a partition may run in the present window.
    pub(super) fn safe(&self, partition: usize) -> Safe {
        let words = &self.words[partition];
        Safe {
            until: SimTime::from_nanos(words.until.load(Relaxed)),
            answers: SimTime::from_nanos(words.answers.load(Relaxed)),
        }
    }

    /// Whether a partition has mail.
    pub(super) fn has_mail(&self, partition: usize) -> bool {
        self.words[partition].mail.next() != NEVER
    }

    /// Mail with this earliest time, all from members of one group if groups are told apart, was put
    /// into a partition's mailbox, whose lock the caller holds.
    ///
    /// It counts as the target's: that may be idle and not know yet.
    pub(super) fn mail_came(&self, partition: usize, from: Option<Group>, earliest: SimTime) {
        let mail = &self.words[partition].mail;
        mail.next.fetch_min(earliest.nanos(), Relaxed);
        if self.groups > 0 {
            let from = from.expect("where groups are told apart, each partition is of one");
            mail.by_group[usize::from(from.0)].fetch_min(earliest.nanos(), Relaxed);
        }
    }

    /// A partition's mailbox, whose lock the caller holds, is being emptied.
    pub(super) fn mail_taken(&self, partition: usize) {
        let mail = &self.words[partition].mail;
        mail.write(
            SimTime::NEVER,
            &[SimTime::NEVER; MOST_GROUPS][..self.groups],
        );
    }

    /// A partition has run: this is how it stands, having handled so many events in all.
    pub(super) fn settle(&self, partition: usize, standing: &Standing, events: u64) {
        let words = &self.words[partition];
        words
            .own
            .write(standing.next, &standing.speaks[..self.groups]);
        words.events.store(events, Relaxed);
    }

    /// A worker has done its part of a shared window.
    pub(super) fn worked(&self, worker: usize, work: Work) {
        let [computing, exchanging] = &*self.works[worker];
        computing.store(work.computing.as_nanos() as u64, Relaxed);
        exchanging.store(work.exchanging.as_nanos() as u64, Relaxed);
    }

    // What went wrong.

    /// A worker has panicked. The first account is kept.
    pub(super) fn fail(&self, account: String) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(account);
        self.failed.store(true, Relaxed);
    }

    /// What went wrong, if a worker has panicked.
    pub(super) fn failure(&self) -> Option<String> {
        if !self.failed.load(Relaxed) {
            return None;
        }
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.clone()
    }
}

impl Words {
    /// The earliest event, undelivered mail included.
    fn due(&self) -> u64 {
        self.own.next().min(self.mail.next())
    }
}

impl Times {
    fn new(next: SimTime) -> Self {
        Times {
            next: AtomicU64::new(next.nanos()),
            by_group: std::array::from_fn(|_| AtomicU64::new(next.nanos())),
        }
    }

    fn next(&self) -> u64 {
        self.next.load(Relaxed)
    }

    fn read(&self, by_group: &mut [SimTime]) {
        for (time, word) in by_group.iter_mut().zip(&self.by_group) {
            *time = SimTime::from_nanos(word.load(Relaxed));
        }
    }

    fn write(&self, next: SimTime, by_group: &[SimTime]) {
        self.next.store(next.nanos(), Relaxed);
        for (word, time) in self.by_group.iter().zip(by_group) {
            word.store(time.nanos(), Relaxed);
        }
    }
}
