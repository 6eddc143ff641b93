//! Who puts the messages in order, and when are they written?
//!
//! A thread of its own takes what recorders hand over and keeps it by the time at which it is received,
//! until everything before some instant has happened. What lies before it is complete then: it is
//! sorted, told in words, and written. So memory holds what is under way in the simulated world.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use actors::shared::narration::Narrator;
use crossbeam_channel::Receiver;
use kernel::fingerprint::digest;
use kernel::{Actor, EventKey, SimTime};

use super::TraceError;
use super::archive::{ARCHIVE, ArchiveWriter, Heading};
use super::chunk::{CHUNK, Chunk, Entry};
use super::columns::{MESSAGES, MessageTable, STATES, StateTable};
use super::message::{Fate, Interval, MessageId};
use super::recorder::{Batch, Letter, Parcel, Shared};
use super::recording::Counts;

/// Into how many parts of equal length a run is divided.
const BUCKETS: u64 = 4_096;

/// Turns what recorders hand over into files.
pub(super) struct Writer<A: Actor, N: Narrator<A>> {
    shared: Arc<Shared<A, N>>,
    /// The length of a bucket, in nanoseconds.
    width: u64,
    /// What is not complete yet, by the bucket in which it is received.
    pending: BTreeMap<u64, Batch<A::Message>>,
    files: Files,
}

/// All files of a trace.
struct Files {
    archive: ArchiveWriter,
    messages: MessageTable,
    states: StateTable,
    chunk: Chunk,
    intervals: Vec<Interval>,
    counts: Counts,
}

impl<A: Actor, N: Narrator<A>> Writer<A, N> {
    pub(super) fn create(
        folder: &Path,
        heading: &Heading,
        shared: Arc<Shared<A, N>>,
    ) -> Result<Self, TraceError> {
        Ok(Writer {
            shared,
            width: (heading.end.nanos() / BUCKETS).max(1),
            pending: BTreeMap::new(),
            files: Files {
                archive: ArchiveWriter::create(&folder.join(ARCHIVE), heading)?,
                messages: MessageTable::create(&folder.join(MESSAGES), heading)?,
                states: StateTable::create(&folder.join(STATES), heading)?,
                chunk: Chunk::default(),
                intervals: Vec::new(),
                counts: Counts::default(),
            },
        })
    }

    /// Takes parcels until the end, writes what is complete, and closes the files at last. Without an
    /// end, as when the run has failed, there is no trace.
    pub(super) fn run(
        mut self,
        parcels: &Receiver<Parcel<A::Message>>,
    ) -> Result<Option<Counts>, TraceError> {
        for parcel in parcels {
            match parcel {
                Parcel::Batch(batch) => self.take(batch),
                Parcel::Mark(reached) => self.write_before(reached)?,
                Parcel::End(reached) => return self.finish(reached).map(Some),
            }
        }
        Ok(None)
    }

    fn bucket(&self, time: SimTime) -> u64 {
        time.nanos() / self.width
    }

    fn take(&mut self, batch: Batch<A::Message>) {
        for letter in batch.letters {
            let bucket = self.bucket(letter.envelope.key.time);
            self.pending.entry(bucket).or_default().letters.push(letter);
        }
        for exception in batch.exceptions {
            let bucket = self.bucket(exception.0.time);
            let bucket = self.pending.entry(bucket).or_default();
            bucket.exceptions.push(exception);
        }
        for interval in batch.intervals {
            let bucket = self.bucket(interval.end);
            let bucket = self.pending.entry(bucket).or_default();
            bucket.intervals.push(interval);
        }
    }

    fn write_before(&mut self, reached: SimTime) -> Result<(), TraceError> {
        let complete = self.bucket(reached);
        while let Some(first) = self.pending.first_entry() {
            if *first.key() >= complete {
                break;
            }
            let Batch {
                letters,
                exceptions,
                intervals,
            } = first.remove();
            self.write_letters(letters, exceptions, SimTime::NEVER)?;
            self.write_intervals(intervals)?;
        }
        Ok(())
    }

    /// Writes what is left when the run has ended at `reached`, and closes the files.
    ///
    /// A run that ended early has handled some events later than that, for not all of it came as far;
    /// they are not part of it.
    fn finish(mut self, reached: SimTime) -> Result<Counts, TraceError> {
        let mut open = Vec::new();
        while let Some((_, batch)) = self.pending.pop_first() {
            self.write_letters(batch.letters, batch.exceptions, reached)?;
            open.extend(batch.intervals);
        }
        for interval in &mut open {
            interval.end = interval.end.min(reached);
        }
        open.retain(|interval| interval.start < interval.end);
        self.write_intervals(open)?;
        self.files.finish(reached)
    }

    fn write_letters(
        &mut self,
        mut letters: Vec<Letter<A::Message>>,
        mut exceptions: Vec<(EventKey, Fate)>,
        reached: SimTime,
    ) -> Result<(), TraceError> {
        letters.sort_unstable_by_key(|letter| letter.envelope.key);
        exceptions.sort_unstable_by_key(|&(key, _)| key);
        let mut exceptions = exceptions.into_iter().peekable();
        for letter in &letters {
            let key = letter.envelope.key;
            while exceptions.next_if(|&(other, _)| other < key).is_some() {}
            let exception = exceptions.next_if(|&(other, _)| other == key);
            if letter.sent >= reached {
                continue;
            }
            let fate = match exception {
                _ if key.time >= reached => Fate::InFlight,
                Some((_, fate)) => fate,
                None => Fate::Delivered,
            };
            let message = &letter.envelope.message;
            let entry = Entry {
                id: MessageId::of(key),
                cause: letter.cause,
                sent: letter.sent,
                received: key.time,
                to: letter.envelope.target,
                fate,
                digest: digest(message),
            };
            let narrator = &self.shared.narrator;
            let description = narrator.describe(message);
            let chunk = &mut self.files.chunk;
            chunk.push(&entry, &description, |words| narrator.tell(message, words));
            if chunk.len() == CHUNK {
                self.files.flush_messages()?;
            }
        }
        Ok(())
    }

    fn write_intervals(&mut self, mut intervals: Vec<Interval>) -> Result<(), TraceError> {
        intervals.sort_unstable_by_key(|interval| (interval.end, interval.actor));
        for interval in intervals {
            self.files.intervals.push(interval);
            if self.files.intervals.len() == CHUNK {
                self.files.flush_intervals()?;
            }
        }
        Ok(())
    }
}

impl Files {
    fn flush_messages(&mut self) -> Result<(), TraceError> {
        if self.chunk.is_empty() {
            return Ok(());
        }
        self.counts.messages += self.chunk.len() as u64;
        self.archive.messages(&mut self.chunk)?;
        self.chunk.as_instants();
        self.messages.messages(std::mem::take(&mut self.chunk))
    }

    fn flush_intervals(&mut self) -> Result<(), TraceError> {
        if self.intervals.is_empty() {
            return Ok(());
        }
        self.counts.intervals += self.intervals.len() as u64;
        self.archive.intervals(&self.intervals)?;
        self.states.intervals(&self.intervals)?;
        self.intervals.clear();
        Ok(())
    }

    fn finish(mut self, reached: SimTime) -> Result<Counts, TraceError> {
        self.flush_messages()?;
        self.flush_intervals()?;
        self.archive.finish(reached)?;
        self.messages.finish()?;
        self.states.finish()?;
        Ok(self.counts)
    }
}
