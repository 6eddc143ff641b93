//! The window loop: how far now, run, and again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use kernel::horizon::Horizon;
use kernel::{Safe, SimTime, Standing};

use super::Watcher;
use super::board::Board;
use super::gate::Gate;
use super::ledger::{EngineLedger, Profile, Work, WorkerLedger};
use super::null_messages::NullMessages;
use super::stage::{Partitions, panic_text};

/// A window with fewer events per worker is not worth a barrier (some 200 ns, four events' work):
/// the leader runs it alone.
const WORTH_SHARING: f64 = 60.0;
/// How often the watcher is called, in wall-clock time.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How many events or windows pass before the clock is looked at.
const EVENTS_PER_LOOK: u64 = 1 << 16;
const WINDOWS_PER_LOOK: u64 = 1 << 10;

/// How far may each partition run? Decided by one for all, in rounds, or by each for itself.
pub(super) enum Protocol {
    /// A horizon decides, window after window.
    Rounds(Box<dyn Horizon>),
    /// Partitions announce to each other how long they will be silent.
    NullMessages(NullMessages),
}

/// Leads a run through its windows.
pub(super) struct Leader {
    protocol: Protocol,
    end: SimTime,
    standing: Vec<Standing>,
    safe: Vec<Safe>,
    ledger: EngineLedger,
    began: Instant,
    /// Wall time spent in shared windows.
    shared: Duration,
    /// How many events the next window will have, judging by the last ones.
    expected: f64,
    events: u64,
    /// How many events each partition had handled at the end of the last window.
    by_partition: Vec<u64>,
    profile: Profile,
    looked: Instant,
    events_at_look: u64,
    windows_at_look: u64,
    reached: SimTime,
    completed: bool,
    /// When the attendant wants to look next, in simulated time.
    attend_at: SimTime,
    /// In how many windows in a row nothing has happened.
    idle: u32,
}

/// In a right protocol somebody may always go on. After so many windows in which nobody could, it is
/// not one.
const MOST_IDLE: u32 = 64;

/// Why the leader came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pause {
    /// The run is over: at its end, stopped, or failed.
    Over,
    /// The slice is over.
    Slice,
    /// Nobody may go on, although there is something to do.
    Stuck,
}

impl Leader {
    pub(super) fn new(protocol: Protocol, end: SimTime, workers: usize) -> Self {
        Leader {
            protocol,
            end,
            standing: Vec::new(),
            safe: Vec::new(),
            ledger: EngineLedger {
                workers: vec![WorkerLedger::default(); workers],
                ..EngineLedger::default()
            },
            began: Instant::now(),
            shared: Duration::ZERO,
            expected: 0.0,
            events: 0,
            by_partition: Vec::new(),
            profile: Profile::default(),
            looked: Instant::now(),
            events_at_look: 0,
            windows_at_look: 0,
            reached: SimTime::START,
            completed: false,
            attend_at: SimTime::START,
            idle: 0,
        }
    }

    /// Leads through window after window, with helpers behind `gate` if there is one, until the run
    /// is over or `slice` has passed. A panic on the way is on the board.
    pub(super) fn lead(
        &mut self,
        partitions: &dyn Partitions,
        gate: Option<&Gate>,
        watcher: &dyn Watcher,
        slice: Option<Duration>,
    ) -> Pause {
        let led = catch_unwind(AssertUnwindSafe(|| {
            self.lead_on(partitions, gate, watcher, slice)
        }));
        led.unwrap_or_else(|panic| {
            let said = panic_text(&*panic);
            partitions.board().fail(format!("while leading: {said}"));
            Pause::Over
        })
    }

    fn lead_on(
        &mut self,
        partitions: &dyn Partitions,
        gate: Option<&Gate>,
        watcher: &dyn Watcher,
        slice: Option<Duration>,
    ) -> Pause {
        let began = Instant::now();
        let board = partitions.board();
        self.safe
            .resize(board.partitions(), Safe::until(SimTime::START));
        loop {
            board.standing(&mut self.standing);
            let next = self.standing.iter().map(|partition| partition.next).min();
            let next = next.expect("a run has at least one partition");
            self.reached = next.min(self.end);
            if next >= self.end {
                self.completed = true;
                watcher.progress(self.end, self.events);
                return Pause::Over;
            }
            if self.reached >= self.attend_at && !self.attend(partitions, watcher) {
                return Pause::Over;
            }
            let limit = self.end.min(self.attend_at);
            match &mut self.protocol {
                Protocol::Rounds(horizon) => {
                    horizon.advance(&self.standing, &mut self.safe);
                    for safe in &mut self.safe {
                        safe.until = safe.until.min(limit);
                    }
                    board.allow(&self.safe);
                    self.run_window(partitions, gate);
                }
                Protocol::NullMessages(_) => self.run_slice(partitions, limit),
            }
            if board.failure().is_some() {
                return Pause::Over;
            }
            if self.idle >= MOST_IDLE {
                return Pause::Stuck;
            }
            if self.time_to_look() {
                watcher.progress(self.reached, self.events);
                watcher.loads(&self.loads());
                if !self.attend(partitions, watcher) {
                    return Pause::Over;
                }
                if slice.is_some_and(|slice| began.elapsed() >= slice) {
                    return Pause::Slice;
                }
            }
        }
    }

    /// Lets the attendant look. Returns whether the run goes on.
    fn attend(&mut self, partitions: &dyn Partitions, watcher: &dyn Watcher) -> bool {
        let next = partitions.attend();
        let board = partitions.board();
        self.attend_at = if next > board.reached() {
            next
        } else {
            SimTime::NEVER
        };
        board.failure().is_none() && !watcher.should_stop()
    }

    /// Runs one window: with everybody if it promises to be worth it, alone if not.
    fn run_window(&mut self, partitions: &dyn Partitions, gate: Option<&Gate>) {
        self.ledger.windows += 1;
        let board = partitions.board();
        let workers = self.ledger.workers.len();
        match gate {
            Some(gate) if self.expected >= WORTH_SHARING * workers as f64 => {
                let began = Instant::now();
                let window = gate.open();
                partitions.work(0, window);
                gate.gather(workers - 1);
                let wall = began.elapsed();
                self.shared += wall;
                for (ledger, work) in self.ledger.workers.iter_mut().zip(board.works()) {
                    let busy = work.computing + work.exchanging;
                    ledger.add(work, wall.saturating_sub(busy).as_secs_f64());
                }
            }
            _ => {
                self.ledger.solo_windows += 1;
                partitions.work_alone();
            }
        }
        let (events, busiest) = self.count_events(board);
        self.profile.add(events, busiest);
    }

    /// Lets partitions run for a while without rounds.
    fn run_slice(&mut self, partitions: &dyn Partitions, limit: SimTime) {
        let Protocol::NullMessages(channels) = &self.protocol else {
            unreachable!("only null messages do without rounds")
        };
        let began = Instant::now();
        let slice = channels.run_slice(partitions, limit);
        let wall = began.elapsed();
        self.shared += wall;
        self.ledger.windows += slice.runs;
        self.ledger.null_messages += slice.announcements;
        for (ledger, waiting) in self.ledger.workers.iter_mut().zip(slice.waiting) {
            let work = Work {
                computing: wall.saturating_sub(waiting),
                exchanging: Duration::ZERO,
            };
            ledger.add(work, waiting.as_secs_f64());
        }
        self.count_events(partitions.board());
    }

    /// Adds up what has been handled since the last time.
    fn count_events(&mut self, board: &Board) -> (u64, u64) {
        let (events, busiest) = board.work_since(&mut self.by_partition);
        self.expected = 0.5 * (self.expected + events as f64);
        self.events += events;
        self.idle = if events == 0 { self.idle + 1 } else { 0 };
        (events, busiest)
    }

    /// Whether enough has happened to look up from work.
    fn time_to_look(&mut self) -> bool {
        let events = self.events - self.events_at_look;
        let windows = self.ledger.windows - self.windows_at_look;
        let in_rounds = matches!(self.protocol, Protocol::Rounds(_));
        if in_rounds && events < EVENTS_PER_LOOK && windows < WINDOWS_PER_LOOK {
            return false;
        }
        self.events_at_look = self.events;
        self.windows_at_look = self.ledger.windows;
        let now = Instant::now();
        if now.duration_since(self.looked) < LOOK_EVERY {
            return false;
        }
        self.looked = now;
        true
    }

    /// What every partition said of itself before the last window, and how far it might run.
    pub(super) fn last_words(&self) -> (&[Standing], &[Safe]) {
        (&self.standing, &self.safe)
    }

    /// How busy each worker has been so far. What was not spent in shared windows, the leader spent
    /// alone.
    pub(super) fn loads(&self) -> Vec<WorkerLedger> {
        let mut workers = self.ledger.workers.clone();
        if let Some(leader) = workers.first_mut() {
            let alone = self.began.elapsed().saturating_sub(self.shared);
            leader.computing_s += alone.as_secs_f64();
        }
        workers
    }

    /// How far the run got.
    pub(super) fn reached(&self) -> SimTime {
        self.reached
    }

    /// Whether it got to its end.
    pub(super) fn completed(&self) -> bool {
        self.completed
    }

    /// The cost of the run, which took `wall` in all.
    pub(super) fn into_ledger(mut self, wall: Duration) -> EngineLedger {
        self.ledger.wall_s = wall.as_secs_f64();
        // What was not spent in shared windows, the leader spent alone.
        let alone = wall.saturating_sub(self.shared);
        if let Some(leader) = self.ledger.workers.first_mut() {
            leader.computing_s += alone.as_secs_f64();
        }
        self.ledger.attainable = self.profile.attainable();
        self.ledger
    }
}
