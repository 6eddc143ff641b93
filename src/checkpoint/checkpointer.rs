//! Who writes checkpoints while a run goes on, and stops it at its limits?

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kernel::{Saved, SavedActor, SimTime, Standstill};

use super::content::{Identity, save};
use super::folder::Folder;
use super::schedule::{Every, Limits};
use crate::coordinator::Attendant;
use crate::report::RunDirectory;
use crate::report::machine;
use crate::report::progress::say;

/// What is asked of a run from outside, at any time and from any thread.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    /// End soon, in good order.
    pub stop: Arc<AtomicBool>,
    /// Write a checkpoint soon.
    pub checkpoint: Arc<AtomicBool>,
}

/// What has come of it so far.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// How many checkpoints were written.
    pub written: u32,
    /// How many could not be written.
    pub failed: u32,
    /// How long the run has stood still for all of them.
    pub stood_still: Duration,
    /// How long the last one of this process is, in bytes.
    pub bytes: u64,
    /// Where the last one is, which may be from an earlier process.
    pub last: Option<PathBuf>,
    /// The limit that has ended the run, if one has.
    pub reason: Option<Reason>,
}

/// Which limit has ended a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The time on the wall clock is over.
    Wall,
    /// The memory is used up.
    Memory,
}

/// Writes checkpoints of a run into its directory.
#[derive(Debug)]
pub struct Checkpointer {
    identity: Identity,
    directory: Arc<RunDirectory>,
    every: Option<Every>,
    limits: Limits,
    requests: Requests,
    /// Whether anything is written; if not, it only watches the limits.
    writes: bool,
    ledger: Arc<Mutex<Ledger>>,
    began: Instant,
    /// When the next is due, in simulated time; `None` before the first look.
    next: Option<SimTime>,
    last_written: Instant,
}

impl Checkpointer {
    /// Nothing written yet; the wall clock starts now.
    pub fn new(
        identity: Identity,
        directory: Arc<RunDirectory>,
        (every, limits): (Option<Every>, Limits),
        requests: Requests,
    ) -> Self {
        // A run that goes on has one from before.
        let last = Folder::of(&directory.path())
            .newest_first()
            .into_iter()
            .next();
        let ledger = Ledger {
            last,
            ..Ledger::default()
        };
        Checkpointer {
            identity,
            directory,
            every,
            limits,
            requests,
            writes: true,
            ledger: Arc::new(Mutex::new(ledger)),
            began: Instant::now(),
            next: None,
            last_written: Instant::now(),
        }
    }

    /// Writes none: the run is watched by somebody who cannot go on in another process.
    pub fn without_writing(self) -> Self {
        Checkpointer {
            writes: false,
            ..self
        }
    }

    /// What comes of it, to be looked at when the run is over.
    pub fn ledger(&self) -> Arc<Mutex<Ledger>> {
        Arc::clone(&self.ledger)
    }

    /// The limit that the run has reached, if it has.
    fn limit_reached(&self) -> Option<Reason> {
        let Limits { wall, memory_bytes } = self.limits;
        if wall.is_some_and(|limit| self.began.elapsed() >= limit) {
            return Some(Reason::Wall);
        }
        let limit = memory_bytes?;
        (machine::resident_bytes()? > limit).then_some(Reason::Memory)
    }

    fn is_due(&self, reached: SimTime) -> bool {
        if self.requests.checkpoint.swap(false, Relaxed) {
            return true;
        }
        match self.every {
            None => false,
            Some(Every::Simulated(_)) => self.next.is_some_and(|next| next <= reached),
            Some(Every::Wall(span)) => self.last_written.elapsed() >= span,
        }
    }

    /// Writes one. What goes wrong is said and counted; the run goes on, and what was written before
    /// is as it was.
    fn write<A: SavedActor, O: Saved>(&mut self, run: &dyn Standstill<A, O>) {
        if !self.writes {
            return;
        }
        let began = Instant::now();
        let folder = Folder::of(&self.directory.path());
        let written = folder
            .write(|out| save(run, &self.identity, out))
            .map_err(|error| error.to_string())
            .and_then(|(path, bytes)| {
                // From the first checkpoint on the run can be found and taken up.
                let shown = self.directory.publish().map_err(|error| error.to_string());
                let name = path.file_name().map(PathBuf::from).unwrap_or_default();
                shown.map(|run| (Folder::of(&run).path().join(name), bytes))
            });
        let mut ledger = lock(&self.ledger);
        match written {
            Ok((path, bytes)) => {
                ledger.written += 1;
                ledger.bytes = bytes;
                ledger.last = Some(path);
            }
            Err(problem) => {
                ledger.failed += 1;
                let kept = match &ledger.last {
                    Some(path) => format!("{} is as it was", path.display()),
                    None => "there is none before it".to_owned(),
                };
                say(&format!("no checkpoint: {problem}; {kept}"));
            }
        }
        ledger.stood_still += began.elapsed();
        self.last_written = Instant::now();
    }
}

impl<A: SavedActor, O: Saved + 'static> Attendant<A, O> for Checkpointer {
    fn attend(&mut self, run: &dyn Standstill<A, O>) -> SimTime {
        let reached = run.reached();
        if let Some(reason) = self.limit_reached() {
            // The checkpoint is written when the run is left.
            lock(&self.ledger).reason.get_or_insert(reason);
            self.requests.stop.store(true, Relaxed);
        } else if self.is_due(reached) {
            self.write(run);
        }
        let next = self
            .every
            .map_or(SimTime::NEVER, |every| every.next_after(reached));
        self.next = Some(next);
        next
    }

    fn leave(&mut self, run: &dyn Standstill<A, O>) {
        self.write(run);
    }
}

/// A lock that does not care whether somebody panicked while holding it: the counts are right after
/// every step.
fn lock(ledger: &Mutex<Ledger>) -> MutexGuard<'_, Ledger> {
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}
