//! Some thousand messages in the order of the run, by columns.
//!
//! Columns, because both files want them: Parquet is made of columns, and a column of times or kinds
//! compresses better than a row.

use std::ops::Range;

use actors::shared::narration::{Description, InstanceName};
use kernel::{ActorId, SimTime};
use serde::{Deserialize, Serialize};

use super::message::{Fate, Message, MessageId};

/// The most messages in a chunk.
pub const CHUNK: usize = 16_384;

/// Messages in the order of their keys.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Chunk {
    pub(super) ids: Vec<u64>,
    /// [`NONE`] for those sent at the start.
    pub(super) causes: Vec<u64>,
    pub(super) sent: Vec<u64>,
    pub(super) received: Vec<u64>,
    pub(super) to: Vec<u32>,
    pub(super) kinds: Vec<u8>,
    pub(super) fates: Vec<u8>,
    pub(super) jobs: Vec<u32>,
    pub(super) files: Vec<u32>,
    pub(super) bytes: Vec<u64>,
    pub(super) digests: Vec<u64>,
    /// Where each message's instances end among all.
    pub(super) instance_ends: Vec<u32>,
    pub(super) instances: Vec<InstanceName>,
    /// Where each message's words end among all.
    pub(super) text_ends: Vec<u32>,
    pub(super) text: String,
}

/// There is none: no identifier, number or size is as large.
pub(super) const NONE: u64 = u64::MAX;
pub(super) const NONE_32: u32 = u32::MAX;

/// A message before its words are written.
pub(super) struct Entry {
    pub id: MessageId,
    pub cause: Option<MessageId>,
    pub sent: SimTime,
    pub received: SimTime,
    pub to: ActorId,
    pub fate: Fate,
    pub digest: u64,
}

impl Chunk {
    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The message at `place`.
    ///
    /// # Panics
    /// If there is none.
    pub fn message(&self, place: usize) -> Message<'_> {
        let id = MessageId(self.ids[place]);
        let some_32 = |number: u32| (number != NONE_32).then_some(number);
        let some = |number: u64| (number != NONE).then_some(number);
        Message {
            id,
            cause: some(self.causes[place]).map(MessageId),
            sent: SimTime::from_nanos(self.sent[place]),
            received: SimTime::from_nanos(self.received[place]),
            from: id.sender(),
            to: ActorId(self.to[place]),
            kind: self.kinds[place],
            fate: Fate::ALL[usize::from(self.fates[place])],
            job: some_32(self.jobs[place]),
            instances: &self.instances[range(&self.instance_ends, place)],
            file: some_32(self.files[place]),
            bytes: some(self.bytes[place]),
            digest: self.digests[place],
            text: &self.text[range(&self.text_ends, place)],
        }
    }

    /// All messages, in order.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = Message<'_>> + ExactSizeIterator {
        (0..self.len()).map(|place| self.message(place))
    }

    /// Adds a message, whose words `tell` writes.
    pub(super) fn push(
        &mut self,
        entry: &Entry,
        description: &Description,
        tell: impl FnOnce(&mut String),
    ) {
        self.ids.push(entry.id.0);
        self.causes.push(entry.cause.map_or(NONE, |cause| cause.0));
        self.sent.push(entry.sent.nanos());
        self.received.push(entry.received.nanos());
        self.to.push(entry.to.0);
        self.kinds.push(description.kind);
        self.fates.push(entry.fate as u8);
        self.jobs.push(description.job.unwrap_or(NONE_32));
        self.files.push(description.file.unwrap_or(NONE_32));
        self.bytes.push(description.bytes.unwrap_or(NONE));
        self.digests.push(entry.digest);
        self.instances.extend_from_slice(&description.instances);
        self.instance_ends.push(self.instances.len() as u32);
        tell(&mut self.text);
        self.text_ends.push(self.text.len() as u32);
    }

    /// Times as differences, which compress better: what was received since the message before, and
    /// what was sent before it was received.
    pub(super) fn as_differences(&mut self) {
        let mut before = 0;
        for (sent, received) in self.sent.iter_mut().zip(&mut self.received) {
            *sent = received.wrapping_sub(*sent);
            let now = *received;
            *received = now.wrapping_sub(before);
            before = now;
        }
    }

    /// Undoes [`as_differences`](Chunk::as_differences).
    pub(super) fn as_instants(&mut self) {
        let mut before = 0u64;
        for (sent, received) in self.sent.iter_mut().zip(&mut self.received) {
            *received = received.wrapping_add(before);
            *sent = received.wrapping_sub(*sent);
            before = *received;
        }
    }

    /// Whether it can be what a writer wrote: columns of equal length, places in order, known fates.
    pub(super) fn is_sound(&self) -> bool {
        let count = self.len();
        let lengths = [
            self.causes.len(),
            self.sent.len(),
            self.received.len(),
            self.to.len(),
            self.kinds.len(),
            self.fates.len(),
            self.jobs.len(),
            self.files.len(),
            self.bytes.len(),
            self.digests.len(),
            self.instance_ends.len(),
            self.text_ends.len(),
        ];
        lengths.iter().all(|&length| length == count)
            && self
                .fates
                .iter()
                .all(|&fate| usize::from(fate) < Fate::ALL.len())
            && are_ends(&self.instance_ends, self.instances.len())
            && are_ends(&self.text_ends, self.text.len())
            && self
                .text_ends
                .iter()
                .all(|&end| self.text.is_char_boundary(end as usize))
    }
}

pub(super) fn range(ends: &[u32], place: usize) -> Range<usize> {
    let start = if place == 0 { 0 } else { ends[place - 1] };
    start as usize..ends[place] as usize
}

/// Ends in ascending order, the last of which is the end of all.
fn are_ends(ends: &[u32], all: usize) -> bool {
    ends.is_sorted() && ends.last().map_or(0, |&end| end as usize) == all
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Three messages: at the start, with everything, and with nothing.
    pub(in crate::trace) fn chunk() -> Chunk {
        let mut chunk = Chunk::default();
        let entry = |id, cause, sent, received, to| Entry {
            id: MessageId(id),
            cause,
            sent: SimTime::from_nanos(sent),
            received: SimTime::from_nanos(received),
            to: ActorId(to),
            fate: Fate::Delivered,
            digest: id * 7,
        };
        chunk.push(
            &entry(3 << 32, None, 0, 50, 3),
            &Description::default(),
            |words| words.push_str("wakes up"),
        );
        let instances = [(7, 0), (8, 2)].map(|(job, number)| InstanceName { job, number });
        let everything = Description {
            kind: 1,
            job: Some(7),
            instances: instances.into_iter().collect(),
            file: Some(0),
            bytes: Some(14_000_000),
        };
        let cause = Some(MessageId(3 << 32));
        chunk.push(
            &entry((3 << 32) | 1, cause, 50, 1_000_050, 0),
            &everything,
            |words| words.push_str("sends 7_0, 8_2 für Äther"),
        );
        let mut last = entry(1 << 32, cause, 60, 1_000_060, 3);
        last.fate = Fate::InFlight;
        chunk.push(&last, &Description::default(), |_| {});
        chunk
    }

    #[test]
    fn what_is_pushed_is_there() {
        let chunk = chunk();
        assert!(chunk.is_sound());
        assert_eq!(chunk.len(), 3);
        let message = chunk.message(1);
        assert_eq!((message.from, message.to), (ActorId(3), ActorId(0)));
        assert_eq!(message.text, "sends 7_0, 8_2 für Äther");
        assert!(message.concerns_job(8) && !message.concerns_job(9));
        assert_eq!(message.bytes, Some(14_000_000));
        assert_eq!(message.cause_key(), Some(chunk.message(0).key()));
        let message = chunk.message(2);
        assert_eq!((message.text, message.job, message.bytes), ("", None, None));
        assert_eq!(message.fate, Fate::InFlight);
    }

    #[test]
    fn differences_become_the_same_instants_again() {
        let mut changed = chunk();
        changed.as_differences();
        assert_eq!(changed.received, [50, 1_000_000, 10]);
        changed.as_instants();
        assert_eq!(changed, chunk());
    }

    #[test]
    fn what_no_writer_wrote_is_found_out() {
        let spoil: [fn(&mut Chunk); 4] = [
            |chunk| chunk.kinds.truncate(2),
            |chunk| chunk.fates[0] = 9,
            |chunk| chunk.text_ends[1] = 2,
            // In the middle of a letter.
            |chunk| chunk.text_ends[0] = 8 + "sends 7_0, 8_2 f".len() as u32 + 1,
        ];
        for spoil in spoil {
            let mut chunk = chunk();
            spoil(&mut chunk);
            assert!(!chunk.is_sound(), "{chunk:?}");
        }
    }
}
