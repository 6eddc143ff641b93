//! The compact file of a trace, `trace.bin`: written once from front to back, read from anywhere.
//!
//! A mark, a [`Heading`], then frames of messages ([`Chunk`]) and of what actors did ([`Interval`]),
//! each in the order of the run, then a table of contents and where it stands. The order of messages is
//! that of when they were received; since a message was sent when its cause was received, going from an
//! effect to its cause is a look at one chunk.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use kernel::{ActorId, EventKey, SimTime};
use serde::{Deserialize, Serialize};

use super::TraceError;
use super::chunk::{CHUNK, Chunk};
use super::codec::{self, Packer};
use super::filter::Names;
use super::message::{Interval, Message, MessageId};

/// The name of the file in a run directory.
pub const ARCHIVE: &str = "trace.bin";

const FIRST: &[u8; 16] = b"myriad trace 1\n\0";
const LAST: &[u8; 8] = b"contents";

const HEADING: u8 = b'H';
const MESSAGES: u8 = b'M';
const INTERVALS: u8 = b'I';
const CONTENTS: u8 = b'C';

/// What a trace is of.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Heading {
    /// The kind of world.
    pub domain: String,
    /// The scenario's name.
    pub name: String,
    /// The seed of all random numbers.
    pub seed: u64,
    /// When the run was to end.
    pub end: SimTime,
    /// What was recorded, as a text that can be read as a [`Filter`](super::Filter).
    pub filter: String,
    /// The groups of actors: what a member is called, and the numbers of all.
    pub groups: Vec<(String, Range<u32>)>,
    /// The kinds of messages, by their numbers.
    pub kinds: Vec<String>,
    /// What actors can be doing, by its number.
    pub activities: Vec<String>,
}

impl Heading {
    /// An actor's name for people: its group and its place in it, as `host[17]`.
    pub fn actor_name(&self, actor: ActorId) -> String {
        let found = self.groups.iter().find(|(_, all)| all.contains(&actor.0));
        match found {
            Some((name, all)) if all.len() == 1 => name.clone(),
            Some((name, all)) => format!("{name}[{}]", actor.0 - all.start),
            None => format!("actor {}", actor.0),
        }
    }

    /// The name of a kind of messages.
    pub fn kind(&self, kind: u8) -> &str {
        let name = self.kinds.get(usize::from(kind));
        name.map_or("unknown", String::as_str)
    }

    /// The name of something that actors do.
    pub fn activity(&self, activity: u8) -> &str {
        let name = self.activities.get(usize::from(activity));
        name.map_or("unknown", String::as_str)
    }

    /// The names that a filter may use.
    pub fn names(&self) -> Names<'_> {
        Names {
            groups: &self.groups,
            kinds: &self.kinds,
        }
    }
}

/// Where everything stands.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
struct Contents {
    /// How far the run got.
    reached: SimTime,
    chunks: Vec<Place>,
    intervals: Vec<Place>,
}

/// One frame.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
struct Place {
    offset: u64,
    count: u32,
    /// The earliest that anything in it was sent, or began.
    since: SimTime,
    /// The first and the last time that something in it was received, or ended.
    first: SimTime,
    last: SimTime,
}

/// Writes an archive.
pub(super) struct ArchiveWriter {
    path: PathBuf,
    out: BufWriter<File>,
    written: u64,
    packer: Packer,
    contents: Contents,
}

impl ArchiveWriter {
    pub(super) fn create(path: &Path, heading: &Heading) -> Result<Self, TraceError> {
        let refused = |source| TraceError::Refused {
            doing: "create",
            path: path.to_owned(),
            source,
        };
        let file = File::create(path).map_err(refused)?;
        let mut writer = ArchiveWriter {
            path: path.to_owned(),
            out: BufWriter::with_capacity(1 << 18, file),
            written: 0,
            packer: Packer::default(),
            contents: Contents::default(),
        };
        writer.out.write_all(FIRST).map_err(refused)?;
        writer.written = FIRST.len() as u64;
        writer.frame(HEADING, heading)?;
        Ok(writer)
    }

    fn frame(&mut self, mark: u8, value: &impl Serialize) -> Result<u64, TraceError> {
        let offset = self.written;
        let written = self.packer.write(&mut self.out, mark, value);
        self.written += written.map_err(|source| self.refused(source))?;
        Ok(offset)
    }

    fn refused(&self, source: io::Error) -> TraceError {
        TraceError::Refused {
            doing: "write",
            path: self.path.clone(),
            source,
        }
    }

    /// Writes messages that follow all those before. Their times are differences afterwards.
    pub(super) fn messages(&mut self, chunk: &mut Chunk) -> Result<(), TraceError> {
        let instant = |nanos: Option<&u64>| SimTime::from_nanos(*nanos.expect("it is not empty"));
        let place = Place {
            offset: 0,
            count: chunk.len() as u32,
            since: instant(chunk.sent.iter().min()),
            first: instant(chunk.received.first()),
            last: instant(chunk.received.last()),
        };
        chunk.as_differences();
        let offset = self.frame(MESSAGES, chunk)?;
        self.contents.chunks.push(Place { offset, ..place });
        Ok(())
    }

    /// Writes what actors did, in the order of when it ended.
    pub(super) fn intervals(&mut self, intervals: &[Interval]) -> Result<(), TraceError> {
        let since = intervals.iter().map(|interval| interval.start).min();
        let [first, .., last] = [intervals.first(), intervals.last()];
        let place = Place {
            offset: self.frame(INTERVALS, &intervals)?,
            count: intervals.len() as u32,
            since: since.expect("it is not empty"),
            first: first.expect("it is not empty").end,
            last: last.expect("it is not empty").end,
        };
        self.contents.intervals.push(place);
        Ok(())
    }

    pub(super) fn finish(mut self, reached: SimTime) -> Result<(), TraceError> {
        self.contents.reached = reached;
        let contents = std::mem::take(&mut self.contents);
        let offset = self.frame(CONTENTS, &contents)?;
        let path = self.path.clone();
        let finished = || -> io::Result<()> {
            self.out.write_all(&offset.to_le_bytes())?;
            self.out.write_all(LAST)?;
            let file = self
                .out
                .into_inner()
                .map_err(io::IntoInnerError::into_error)?;
            file.sync_all()
        };
        finished().map_err(|source| TraceError::Refused {
            doing: "write",
            path,
            source,
        })
    }
}

/// A trace that can be read.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    input: BufReader<File>,
    heading: Heading,
    contents: Contents,
    /// The chunk that was read last, since one often wants its neighbours.
    cached: Option<(usize, Chunk)>,
}

impl Archive {
    /// Opens the trace of a run directory, or the file itself.
    ///
    /// # Errors
    /// If it is not there, or is not a whole trace.
    pub fn open(run: &Path) -> Result<Self, TraceError> {
        let path = if run.is_dir() {
            run.join(ARCHIVE)
        } else {
            run.to_owned()
        };
        let file = File::open(&path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound if run.is_dir() => TraceError::Broken {
                path: run.to_owned(),
                why: format!(
                    "it has no {ARCHIVE}; a run records one if it is given --trace all, or less"
                ),
            },
            _ => TraceError::Refused {
                doing: "open",
                path: path.clone(),
                source,
            },
        })?;
        let mut input = BufReader::new(file);
        let read = open(&mut input).map_err(|why| broken(&path, why));
        let (heading, contents) = read?;
        Ok(Archive {
            path,
            input,
            heading,
            contents,
            cached: None,
        })
    }

    /// What it is of.
    pub fn heading(&self) -> &Heading {
        &self.heading
    }

    /// The file that is read.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How far the run got.
    pub fn reached(&self) -> SimTime {
        self.contents.reached
    }

    /// How many messages were recorded.
    pub fn len(&self) -> u64 {
        self.contents
            .chunks
            .iter()
            .map(|place| u64::from(place.count))
            .sum()
    }

    /// Whether no message was recorded.
    pub fn is_empty(&self) -> bool {
        self.contents.chunks.is_empty()
    }

    /// How many chunks of messages there are.
    pub fn chunks(&self) -> usize {
        self.contents.chunks.len()
    }

    /// Whether a chunk may hold messages that were sent or received between these instants.
    pub fn touches(&self, chunk: usize, span: &Range<SimTime>) -> bool {
        let place = &self.contents.chunks[chunk];
        place.since < span.end && place.last >= span.start
    }

    /// When the first and the last message of a chunk were received.
    pub fn received_in(&self, chunk: usize) -> Range<SimTime> {
        let place = &self.contents.chunks[chunk];
        place.first..place.last
    }

    /// How many messages a chunk holds.
    pub fn count_in(&self, chunk: usize) -> u32 {
        self.contents.chunks[chunk].count
    }

    /// When the first recorded message was sent; the start of the run if there is none.
    pub fn begins(&self) -> SimTime {
        let since = self.contents.chunks.iter().map(|place| place.since);
        since.min().unwrap_or(SimTime::START)
    }

    /// Reads a chunk.
    ///
    /// # Errors
    /// If the file is damaged there.
    ///
    /// # Panics
    /// If there are not so many chunks.
    pub fn chunk(&mut self, number: usize) -> Result<&Chunk, TraceError> {
        if self
            .cached
            .as_ref()
            .is_none_or(|(cached, _)| *cached != number)
        {
            let place = self.contents.chunks[number];
            let read = frame::<Chunk>(&mut self.input, place.offset, MESSAGES);
            let mut chunk = read.map_err(|error| broken(&self.path, error.to_string()))?;
            if !chunk.is_sound() || chunk.len() != place.count as usize {
                let why = format!("messages {number} are not what a writer writes");
                return Err(broken(&self.path, why));
            }
            chunk.as_instants();
            self.cached = Some((number, chunk));
        }
        let (_, chunk) = self.cached.as_ref().expect("it was read");
        Ok(chunk)
    }

    /// Calls `each` with every message that was sent or received in `span`, in the order of the run,
    /// until it returns `false`.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn scan(
        &mut self,
        span: &Range<SimTime>,
        mut each: impl FnMut(&Message<'_>) -> bool,
    ) -> Result<(), TraceError> {
        for number in 0..self.chunks() {
            if !self.touches(number, span) {
                continue;
            }
            for message in self.chunk(number)?.messages() {
                if (span.contains(&message.sent) || span.contains(&message.received))
                    && !each(&message)
                {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Where the message with this key is, if it was recorded: its chunk, and its place there.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn find(&mut self, key: EventKey) -> Result<Option<(usize, usize)>, TraceError> {
        let chunks = &self.contents.chunks;
        let mut number = chunks.partition_point(|place| place.last < key.time);
        while self
            .contents
            .chunks
            .get(number)
            .is_some_and(|place| place.first <= key.time)
        {
            let chunk = self.chunk(number)?;
            let place = chunk.messages().position(|message| message.key() == key);
            if let Some(place) = place {
                return Ok(Some((number, place)));
            }
            number += 1;
        }
        Ok(None)
    }

    /// Where the message of this name is, if it was recorded.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn find_id(&mut self, id: MessageId) -> Result<Option<(usize, usize)>, TraceError> {
        for number in 0..self.chunks() {
            let chunk = self.chunk(number)?;
            if let Some(place) = chunk.ids.iter().position(|&other| other == id.0) {
                return Ok(Some((number, place)));
            }
        }
        Ok(None)
    }

    /// What actors did at any time between these instants, in the order of when it ended.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn intervals(&mut self, span: &Range<SimTime>) -> Result<Vec<Interval>, TraceError> {
        let mut found = Vec::new();
        for place in &self.contents.intervals {
            if place.since >= span.end || place.last <= span.start {
                continue;
            }
            let read = frame::<Vec<Interval>>(&mut self.input, place.offset, INTERVALS);
            let intervals = read.map_err(|error| broken(&self.path, error.to_string()))?;
            let within =
                |interval: &Interval| interval.start < span.end && interval.end > span.start;
            found.extend(intervals.into_iter().filter(within));
        }
        Ok(found)
    }
}

fn open(input: &mut (impl Read + Seek)) -> Result<(Heading, Contents), String> {
    let words = |error: io::Error| error.to_string();
    let mut first = [0; FIRST.len()];
    let is_trace = input.read_exact(&mut first).is_ok() && first == *FIRST;
    if !is_trace {
        return Err("it does not begin as one; it may be of another version of Myriad".to_owned());
    }
    let heading: Heading = codec::read(input, HEADING).map_err(words)?;
    let mut offset = [0; 8];
    let mut last = [0; LAST.len()];
    let end = input.seek(SeekFrom::End(-16)).map_err(words)?;
    input.read_exact(&mut offset).map_err(words)?;
    input.read_exact(&mut last).map_err(words)?;
    let offset = u64::from_le_bytes(offset);
    if last != *LAST || offset >= end {
        return Err("its end is missing; the run that wrote it was cut off".to_owned());
    }
    let contents: Contents = frame(input, offset, CONTENTS).map_err(words)?;
    let too_many = contents
        .chunks
        .iter()
        .any(|place| place.count as usize > CHUNK);
    if too_many {
        return Err("its table of contents is damaged".to_owned());
    }
    Ok((heading, contents))
}

fn frame<T: serde::de::DeserializeOwned>(
    input: &mut (impl Read + Seek),
    offset: u64,
    mark: u8,
) -> io::Result<T> {
    input.seek(SeekFrom::Start(offset))?;
    codec::read(input, mark)
}

fn broken(path: &Path, why: String) -> TraceError {
    TraceError::Broken {
        path: path.to_owned(),
        why,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An archive of the three messages of [`chunk`](crate::trace::chunk::tests::chunk) and of two
    /// things that `host[1]` did.
    pub(in crate::trace) fn archive(folder: &Path) -> Archive {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let heading = Heading {
            domain: "volunteer".to_owned(),
            name: "three <messages>".to_owned(),
            seed: 1,
            end: SimTime::from_nanos(1_000_060),
            filter: "all".to_owned(),
            groups: vec![("server".to_owned(), 0..2), ("host".to_owned(), 2..5)],
            kinds: names(&["wake", "answer"]),
            activities: names(&["off", "on"]),
        };
        let path = folder.join(ARCHIVE);
        let mut writer = ArchiveWriter::create(&path, &heading).unwrap();
        writer
            .messages(&mut crate::trace::chunk::tests::chunk())
            .unwrap();
        let interval = |activity, start, end| Interval {
            actor: ActorId(3),
            activity,
            start: SimTime::from_nanos(start),
            end: SimTime::from_nanos(end),
        };
        let intervals = [interval(0, 0, 50), interval(1, 50, 1_000_060)];
        writer.intervals(&intervals).unwrap();
        writer.finish(heading.end).unwrap();
        Archive::open(folder).unwrap()
    }

    #[test]
    fn what_was_written_is_found_by_time_by_key_and_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let mut archive = archive(folder.path());
        assert_eq!((archive.len(), archive.chunks()), (3, 1));
        let expected = crate::trace::chunk::tests::chunk();
        for place in 0..3 {
            let message = expected.message(place);
            assert_eq!(archive.find(message.key()).unwrap(), Some((0, place)));
            assert_eq!(archive.find_id(message.id).unwrap(), Some((0, place)));
        }
        assert_eq!(archive.find_id(MessageId(7)).unwrap(), None);
        let mut seen = Vec::new();
        let span = SimTime::from_nanos(55)..SimTime::from_nanos(1_000_055);
        let scanned = archive.scan(&span, |message| {
            seen.push(message.id);
            true
        });
        scanned.unwrap();
        assert_eq!(seen, [expected.message(1).id, expected.message(2).id]);
        let early = archive
            .intervals(&(SimTime::START..SimTime::from_nanos(50)))
            .unwrap();
        assert_eq!(early.len(), 1);
    }
}
