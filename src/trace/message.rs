//! What is known of one message?

use std::fmt;
use std::str::FromStr;

use actors::shared::narration::InstanceName;
use kernel::{ActorId, EventKey, SimTime};
use serde::{Deserialize, Serialize};

/// The name of a message: who sent it, and how many messages it had sent before.
///
/// It is the same in every run of a scenario, whatever is recorded. As one number: the sender's number
/// times 2^32 plus the count; as a text for people: `sender:count`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct MessageId(pub u64);

impl MessageId {
    /// The name of the message with this key.
    pub fn of(key: EventKey) -> Self {
        MessageId((u64::from(key.source.0) << 32) | u64::from(key.number))
    }

    /// Who sent it.
    pub fn sender(self) -> ActorId {
        ActorId((self.0 >> 32) as u32)
    }

    /// How many messages the sender had sent before.
    pub fn count(self) -> u32 {
        self.0 as u32
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.sender().0, self.count())
    }
}

impl FromStr for MessageId {
    type Err = String;

    /// Reads both forms: `12:45` and `51539607597`.
    fn from_str(text: &str) -> Result<Self, String> {
        let id = match text.split_once(':') {
            None => text.parse().ok(),
            Some((sender, count)) => match (sender.parse::<u32>(), count.parse::<u32>()) {
                (Ok(sender), Ok(count)) => Some((u64::from(sender) << 32) | u64::from(count)),
                _ => None,
            },
        };
        id.map(MessageId).ok_or_else(|| {
            format!(
                "`{text}` is no message id: one is written as 12:45 (the sender's number and its count) \
                 or as one number, as in the column message_id"
            )
        })
    }
}

/// What became of a message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Fate {
    /// The target handled it.
    Delivered,
    /// The target handled it and found nothing to do any more: a reminder whose occasion had passed.
    Expired,
    /// The target had left.
    Gone,
    /// The run ended before it arrived.
    InFlight,
}

impl Fate {
    /// All fates, in the order of their numbers in files.
    pub const ALL: [Fate; 4] = [Fate::Delivered, Fate::Expired, Fate::Gone, Fate::InFlight];

    /// What it is called in tables and filters.
    pub fn name(self) -> &'static str {
        match self {
            Fate::Delivered => "delivered",
            Fate::Expired => "expired",
            Fate::Gone => "gone",
            Fate::InFlight => "in_flight",
        }
    }
}

/// One message of a trace.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Message<'a> {
    /// Its name.
    pub id: MessageId,
    /// The message that its sender was handling when it sent it; `None` at the start of the run.
    pub cause: Option<MessageId>,
    /// When it was sent.
    pub sent: SimTime,
    /// When it was, or would have been, received.
    pub received: SimTime,
    /// Who sent it.
    pub from: ActorId,
    /// To whom.
    pub to: ActorId,
    /// Its kind, by its place among the archive's kinds.
    pub kind: u8,
    /// What became of it.
    pub fate: Fate,
    /// The job it concerns, if it is one.
    pub job: Option<u32>,
    /// The job instances it concerns.
    pub instances: &'a [InstanceName],
    /// The file it concerns, or that the job analyses.
    pub file: Option<u32>,
    /// How many bytes it carries over the network; `None` where the model gives it no size.
    pub bytes: Option<u64>,
    /// A hash of all that it says, to tell two runs apart.
    pub digest: u64,
    /// What it says, as a sentence whose subject is the sender.
    pub text: &'a str,
}

impl Message<'_> {
    /// Its place in the run: traces are in the order of these keys.
    pub fn key(&self) -> EventKey {
        EventKey {
            time: self.received,
            source: self.from,
            number: self.id.count(),
        }
    }

    /// The place of its cause in the run: its time is when this one was sent.
    pub fn cause_key(&self) -> Option<EventKey> {
        self.cause.map(|cause| EventKey {
            time: self.sent,
            source: cause.sender(),
            number: cause.count(),
        })
    }

    /// Whether it concerns this job.
    pub fn concerns_job(&self, job: u32) -> bool {
        self.job == Some(job) || self.instances.iter().any(|instance| instance.job == job)
    }

    /// Whether the sender reminds itself.
    pub fn is_timer(&self) -> bool {
        self.from == self.to
    }
}

/// What one actor was doing for a while.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Interval {
    /// Who.
    pub actor: ActorId,
    /// What, by its place among the archive's activities.
    pub activity: u8,
    /// Since when.
    pub start: SimTime,
    /// Until when.
    pub end: SimTime,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_in_both_forms() {
        let id = MessageId((12 << 32) | 45);
        assert_eq!(id.to_string(), "12:45");
        assert_eq!("12:45".parse(), Ok(id));
        assert_eq!("51539607597".parse(), Ok(id));
        for wrong in ["", "12:", ":45", "12:45:1", "-1", "4294967296:0"] {
            let error = wrong.parse::<MessageId>().unwrap_err();
            assert!(error.contains("no message id"), "{wrong}: {error}");
        }
    }
}
