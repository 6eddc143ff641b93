//! What led to a message, what was known, and what came of it?
//!
//! A cause is found where it was received, which is when its effect was sent; so going back costs one
//! look per step. Going forward, effects of effects are gathered in one pass, since an effect is never
//! received before its cause.

use std::collections::{BTreeMap, BTreeSet};

use kernel::{ActorId, EventKey, SimTime};

use super::TraceError;
use super::archive::Archive;
use super::message::{Fate, Message, MessageId};

/// A message with its words, apart from the archive that it is in.
#[derive(Clone, PartialEq, Debug)]
pub struct Told {
    /// Its name.
    pub id: MessageId,
    /// The message that its sender was handling when it sent it.
    pub cause: Option<MessageId>,
    /// When it was sent.
    pub sent: SimTime,
    /// When it was, or would have been, received.
    pub received: SimTime,
    /// To whom.
    pub to: ActorId,
    /// Its kind, by its place among the archive's kinds.
    pub kind: u8,
    /// What became of it.
    pub fate: Fate,
    /// The jobs it concerns.
    pub jobs: BTreeSet<u32>,
    /// The file it concerns.
    pub file: Option<u32>,
    /// What it says.
    pub text: String,
}

impl Told {
    /// A message of an archive.
    pub fn of(message: &Message<'_>) -> Self {
        let instances = message.instances.iter().map(|instance| instance.job);
        Told {
            id: message.id,
            cause: message.cause,
            sent: message.sent,
            received: message.received,
            to: message.to,
            kind: message.kind,
            fate: message.fate,
            jobs: instances.chain(message.job).collect(),
            file: message.file,
            text: message.text.to_owned(),
        }
    }

    /// Who sent it.
    pub fn from(&self) -> ActorId {
        self.id.sender()
    }

    /// Whether the sender reminds itself.
    pub fn is_timer(&self) -> bool {
        self.from() == self.to
    }

    /// Where its cause is in the run.
    pub fn cause_key(&self) -> Option<EventKey> {
        self.cause.map(|cause| EventKey {
            time: self.sent,
            source: cause.sender(),
            number: cause.count(),
        })
    }
}

/// One message and what has to do with it.
#[derive(Clone, PartialEq, Debug)]
pub struct Story {
    /// The message itself.
    pub message: Told,
    /// What led to it, the earliest first.
    pub causes: Vec<Told>,
    /// Whether the first of the causes has a cause that is not told.
    pub goes_further_back: Option<Missing>,
    /// What came of it, in the order of the run, each with how many steps it is away.
    pub effects: Vec<(usize, Told)>,
    /// Whether there are effects that are not told.
    pub goes_further_on: bool,
    /// What the sender had heard before of what the message is about, the latest last.
    pub sender_knew: Vec<Told>,
    /// What was on its way to the target about the same when the message arrived.
    pub target_did_not_know: Vec<Told>,
}

/// Why a cause is not told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    /// So many steps were not asked for.
    NotAsked,
    /// It was not recorded.
    NotRecorded,
}

/// How much of what was known is told.
const KNOWN: usize = 5;

impl Story {
    /// The story of a message, with at most so many steps back and so many effects.
    ///
    /// # Errors
    /// If the archive is damaged.
    pub fn of(
        archive: &mut Archive,
        id: MessageId,
        steps: usize,
    ) -> Result<Option<Self>, TraceError> {
        let Some(place) = archive.find_id(id)? else {
            return Ok(None);
        };
        let message = told(archive, place)?;
        let (causes, goes_further_back) = causes(archive, &message, steps)?;
        let (effects, goes_further_on) = effects(archive, &message, steps)?;
        let (sender_knew, target_did_not_know) = knowledge(archive, &message)?;
        Ok(Some(Story {
            message,
            causes,
            goes_further_back,
            effects,
            goes_further_on,
            sender_knew,
            target_did_not_know,
        }))
    }
}

fn told(archive: &mut Archive, (chunk, place): (usize, usize)) -> Result<Told, TraceError> {
    Ok(Told::of(&archive.chunk(chunk)?.message(place)))
}

fn causes(
    archive: &mut Archive,
    message: &Told,
    steps: usize,
) -> Result<(Vec<Told>, Option<Missing>), TraceError> {
    let mut causes = Vec::new();
    let mut missing = None;
    let mut key = message.cause_key();
    while let Some(cause) = key {
        if causes.len() == steps {
            missing = Some(Missing::NotAsked);
            break;
        }
        let Some(place) = archive.find(cause)? else {
            missing = Some(Missing::NotRecorded);
            break;
        };
        let cause = told(archive, place)?;
        key = cause.cause_key();
        causes.push(cause);
    }
    causes.reverse();
    Ok((causes, missing))
}

/// Effects of effects, in the order of the run, and whether there are more.
fn effects(
    archive: &mut Archive,
    message: &Told,
    steps: usize,
) -> Result<(Vec<(usize, Told)>, bool), TraceError> {
    // How far away each message is that may have effects.
    let mut distance = BTreeMap::from([(message.id, 0)]);
    let mut effects = Vec::new();
    let mut more = false;
    archive.scan(&(message.received..SimTime::NEVER), |other| {
        let before = other.cause.and_then(|cause| distance.get(&cause).copied());
        if let Some(before) = before {
            if effects.len() == steps {
                more = true;
                return false;
            }
            distance.insert(other.id, before + 1);
            effects.push((before + 1, Told::of(other)));
        }
        true
    })?;
    Ok((effects, more))
}

/// What the sender had heard, and what the target had not heard yet, of the same matter.
fn knowledge(archive: &mut Archive, message: &Told) -> Result<(Vec<Told>, Vec<Told>), TraceError> {
    let same_matter = |other: &Message<'_>| {
        other.id != message.id
            && if message.jobs.is_empty() {
                // Then it is what these two talk about.
                let ends = [message.from(), message.to];
                !other.is_timer() && ends.contains(&other.from) && ends.contains(&other.to)
            } else {
                message.jobs.iter().any(|&job| other.concerns_job(job))
            }
    };
    let mut sender_knew = std::collections::VecDeque::new();
    let mut target_did_not_know = Vec::new();
    archive.scan(&(SimTime::START..SimTime::NEVER), |other| {
        if same_matter(other) {
            if other.to == message.from() && other.received <= message.sent {
                sender_knew.push_back(Told::of(other));
                if sender_knew.len() > KNOWN {
                    sender_knew.pop_front();
                }
            }
            let under_way = other.sent < message.received && message.received < other.received;
            if other.to == message.to && !other.is_timer() && under_way {
                target_did_not_know.push(Told::of(other));
            }
        }
        target_did_not_know.len() < KNOWN
    })?;
    Ok((sender_knew.into(), target_did_not_know))
}
