//! From a trace to a conversation: who takes part in what was chosen, and what was said.

use std::collections::BTreeMap;
use std::ops::Range;

use kernel::{ActorId, SimTime};

use super::conversation::{Conversation, Interval, Message, Name, Participant, Subject};
use crate::trace::{self, Archive, Fate, Heading, MessageId, TraceError};

/// A conversation under way: messages of a trace are added one by one.
#[derive(Debug)]
pub struct Gathering {
    conversation: Conversation,
    /// The place of each actor in the conversation, by its number in the run.
    places: BTreeMap<ActorId, u32>,
}

impl Gathering {
    /// Nothing said yet in the run that `heading` describes.
    pub fn new(heading: &Heading) -> Self {
        let fates = Fate::ALL.map(|fate| match fate {
            Fate::Delivered => "delivered",
            Fate::Expired => "no longer needed",
            Fate::Gone => "the receiver had left",
            Fate::InFlight => "still under way at the end",
        });
        Gathering {
            conversation: Conversation {
                title: heading.name.clone(),
                kinds: heading.kinds.clone(),
                states: heading.activities.clone(),
                fates: fates.map(str::to_owned).to_vec(),
                ..Conversation::default()
            },
            places: BTreeMap::new(),
        }
    }

    fn place(&mut self, heading: &Heading, actor: ActorId) -> u32 {
        *self.places.entry(actor).or_insert_with(|| {
            let group = heading
                .groups
                .iter()
                .find(|(_, all)| all.contains(&actor.0));
            self.conversation.actors.push(Participant {
                number: actor.0,
                name: heading.actor_name(actor),
                class: group.map_or("others", |(name, _)| name).to_owned(),
            });
            self.conversation.actors.len() as u32 - 1
        })
    }

    /// Adds a message.
    pub fn add(&mut self, heading: &Heading, message: &trace::Message<'_>) {
        let mut subjects: Vec<_> = message
            .instances
            .iter()
            .map(|name| Subject {
                job: name.job.into(),
                instance: Some(name.number.into()),
            })
            .collect();
        if let (true, Some(job)) = (subjects.is_empty(), message.job) {
            subjects.push(Subject {
                job: job.into(),
                instance: None,
            });
        }
        let message = Message {
            id: name(message.id),
            cause: message.cause.map(name),
            sent_ns: message.sent.nanos(),
            received_ns: message.received.nanos(),
            from: self.place(heading, message.from),
            to: self.place(heading, message.to),
            kind: message.kind.into(),
            fate: message.fate as u8,
            subjects,
            file: message.file.map(Into::into),
            bytes: message.bytes.unwrap_or(0),
            text: message.text.to_owned(),
        };
        self.conversation.messages.push(message);
    }

    /// The lot of a message: it looks random, and is always the same.
    pub fn lot(id: MessageId) -> u64 {
        // Steele, Lea and Flood's finaliser of SplitMix64 (2014).
        let mut z = id.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Forgets all messages but those whose lots are multiples of `many`.
    pub fn keep_one_of(&mut self, many: u64) {
        let id = |name: Name| MessageId((u64::from(name.sender) << 32) | u64::from(name.count));
        let messages = &mut self.conversation.messages;
        messages.retain(|message| Self::lot(id(message.id)).is_multiple_of(many));
    }

    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.conversation.messages.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.conversation.messages.is_empty()
    }

    /// Adds what those who take part were doing.
    pub fn add_intervals(&mut self, intervals: &[trace::Interval]) {
        let known = intervals.iter().filter_map(|interval| {
            Some(Interval {
                actor: *self.places.get(&interval.actor)?,
                state: interval.activity,
                from_ns: interval.start.nanos(),
                until_ns: interval.end.nanos(),
            })
        });
        self.conversation.intervals.extend(known);
    }

    /// The conversation in `span`, with its actors in the order of their numbers.
    pub fn finish(self, span: Range<SimTime>, lead: String) -> Conversation {
        let mut conversation = self.conversation;
        let mut renumbered = vec![0; conversation.actors.len()];
        for (new, &old) in (0..).zip(self.places.values()) {
            renumbered[old as usize] = new;
        }
        conversation.actors.sort_by_key(|actor| actor.number);
        for message in &mut conversation.messages {
            message.from = renumbered[message.from as usize];
            message.to = renumbered[message.to as usize];
        }
        for interval in &mut conversation.intervals {
            interval.actor = renumbered[interval.actor as usize];
        }
        conversation.from_ns = span.start.nanos();
        conversation.until_ns = span.end.nanos();
        conversation.lead = lead;
        conversation
    }
}

fn name(id: MessageId) -> Name {
    Name {
        sender: id.sender().0,
        count: id.count(),
    }
}

/// All messages of a trace that `wanted` chooses, at most `most`.
///
/// # Errors
/// If the file is damaged, or there are more messages than a page should hold.
pub fn read(
    archive: &mut Archive,
    wanted: impl Fn(&trace::Message<'_>) -> bool,
    most: usize,
) -> Result<Conversation, ReadingError> {
    let heading = archive.heading().clone();
    let reached = archive.reached();
    let mut gathering = Gathering::new(&heading);
    let (mut first, mut last, mut found) = (SimTime::NEVER, SimTime::START, 0_usize);
    archive.scan(&(SimTime::START..SimTime::NEVER), |message| {
        if wanted(message) {
            found += 1;
            if found <= most {
                gathering.add(&heading, message);
            }
            first = first.min(message.sent);
            last = last.max(message.received.min(reached).max(message.sent));
        }
        true
    })?;
    if found > most {
        return Err(ReadingError::TooMany { found, most });
    }
    if found == 0 {
        return Err(ReadingError::Nothing {
            recorded: archive.len(),
        });
    }
    gathering.add_intervals(&archive.intervals(&(first..last))?);
    let lead = format!("seed {}; recorded: {}", heading.seed, heading.filter);
    Ok(gathering.finish(first..last, lead))
}

/// Why a conversation cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ReadingError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// More than a browser draws with ease.
    #[error(
        "{found} messages are more than one page should hold ({most}): choose some with --filter, as in \
         --filter 'time=2d..3d', or look at all of them with --serve"
    )]
    TooMany {
        /// How many were chosen.
        found: usize,
        /// How many may be.
        most: usize,
    },
    /// Nothing was chosen.
    #[error("the filter chooses none of the {recorded} messages that were recorded")]
    Nothing {
        /// How many there are.
        recorded: u64,
    },
}
