//! The recorders of one run together: begun before it, ended after it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use actors::shared::narration::Narrator;
use kernel::{Actor, Promises, SimTime};

use super::archive::Heading;
use super::recorder::{Parcel, Recorder, Shared};
use super::writer::Writer;
use super::{Filter, TraceError};
use crate::coordinator::Watcher;

/// So many batches may wait for the writer; then the run waits.
const WAITING: usize = 64;

/// A recording that goes on while a run does.
pub struct Recording<A: Actor, N: Narrator<A>> {
    shared: Arc<Shared<A, N>>,
    writer: JoinHandle<Result<Option<Counts>, TraceError>>,
    /// The writer has given up; the run need not go on.
    failed: Arc<AtomicBool>,
}

/// How much was recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// How many messages.
    pub messages: u64,
    /// How many intervals in which an actor did one thing.
    pub intervals: u64,
}

/// What a run is called, for the heading of its trace.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// The kind of world.
    pub domain: &'a str,
    /// The scenario's name.
    pub name: &'a str,
    /// The seed of all random numbers.
    pub seed: u64,
    /// When the run is to end.
    pub end: SimTime,
}

impl<A: Actor, N: Narrator<A>> Recording<A, N> {
    /// Begins to record into `folder` what `filter` wants of a world with these promises.
    ///
    /// # Errors
    /// If the filter names what is not there, or a file cannot be created.
    pub fn begin(
        folder: &Path,
        subject: &Subject<'_>,
        filter: &Filter,
        promises: &Promises,
        narrator: N,
    ) -> Result<Self, TraceError> {
        filter.check_for_recording()?;
        let heading = heading(subject, filter, promises, &narrator);
        let selection = filter.resolve(heading.names())?;
        let (sender, receiver) = crossbeam_channel::bounded(WAITING);
        let shared = Shared::new(narrator, selection, sender);
        let failed = Arc::new(AtomicBool::new(false));
        let writer = Writer::create(folder, &heading, Arc::clone(&shared))?;
        let gave_up = Arc::clone(&failed);
        let work = move || {
            let result = writer.run(&receiver);
            gave_up.store(result.is_err(), Ordering::Relaxed);
            result
        };
        let thread = std::thread::Builder::new().name("trace writer".to_owned());
        let writer = thread.spawn(work).map_err(|source| TraceError::Refused {
            doing: "start a thread to write",
            path: folder.to_owned(),
            source,
        })?;
        Ok(Recording {
            shared,
            writer,
            failed,
        })
    }

    /// An observer that records; its clones record for further partitions.
    pub fn recorder(&self) -> Recorder<A, N> {
        Recorder::new(Arc::clone(&self.shared))
    }

    /// Looks on for the recording and for `other`.
    pub fn watching<'a>(&'a self, other: &'a dyn Watcher) -> Watching<'a, A, N> {
        Watching {
            recording: self,
            other,
        }
    }

    /// Writes what is left of a run that got as far as `reached`, and closes the files.
    ///
    /// # Errors
    /// If anything could not be written.
    pub fn finish(self, reached: SimTime) -> Result<Counts, TraceError> {
        self.shared.conclude(reached);
        let _ = self.shared.writer.send(Parcel::End(reached));
        match self.writer.join() {
            Ok(Ok(counts)) => Ok(counts.expect("it was told the end")),
            Ok(Err(error)) => Err(error),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
                Err(TraceError::Writer(text.unwrap_or_default()))
            }
        }
    }
}

fn heading<A: Actor>(
    subject: &Subject<'_>,
    filter: &Filter,
    promises: &Promises,
    narrator: &impl Narrator<A>,
) -> Heading {
    let groups = promises
        .groups()
        .map(|group| (promises.name(group).to_owned(), promises.members(group)));
    let kinds = narrator.kinds().iter().map(|kind| kind.name.to_owned());
    let activities = narrator.activities().iter().map(|name| (*name).to_owned());
    Heading {
        domain: subject.domain.to_owned(),
        name: subject.name.to_owned(),
        seed: subject.seed,
        end: subject.end,
        filter: filter.to_string(),
        groups: groups.collect(),
        kinds: kinds.collect(),
        activities: activities.collect(),
    }
}

/// Looks on while a run is recorded: between windows the recorders can be emptied.
pub struct Watching<'a, A: Actor, N: Narrator<A>> {
    recording: &'a Recording<A, N>,
    other: &'a dyn Watcher,
}

impl<A: Actor, N: Narrator<A>> Watcher for Watching<'_, A, N> {
    fn progress(&self, now: SimTime, events: u64) {
        self.recording.shared.collect(now);
        self.other.progress(now, events);
    }

    fn should_stop(&self) -> bool {
        self.recording.failed.load(Ordering::Relaxed) || self.other.should_stop()
    }
}
