//! How does a world tell of its messages and of what its actors do?
//!
//! A trace keeps messages of any world; what they mean, the world's narrator tells: one
//! implementation of [`Narrator`] per domain. A narrator only watches: nothing that it does can
//! change a run.

use std::fmt;

use kernel::{Actor, ActorId};
use smallvec::SmallVec;

/// Tells of the messages of one world.
pub trait Narrator<A: Actor>: Send + Sync + 'static {
    /// What one actor has been seen doing.
    type Activity: Default + Send;

    /// All kinds of messages; a [`Description`] names one by its place here.
    fn kinds(&self) -> &'static [Kind];

    /// What a message is and what it concerns.
    fn describe(&self, message: &A::Message) -> Description;

    /// What a message says, as a sentence whose subject is the sender, without its full stop.
    fn tell(&self, message: &A::Message, words: &mut String);

    /// Whether the actor that notes this fact takes no notice of anything any more.
    fn is_departure(&self, fact: &A::Fact) -> bool;

    /// What actors can be doing; empty if nobody's doings are told.
    fn activities(&self) -> &'static [&'static str];

    /// Whether the doings of this actor are told.
    fn is_watched(&self, actor: ActorId) -> bool;

    /// Takes note of something that a watched actor was seen doing.
    fn watch(&self, activity: &mut Self::Activity, seen: Seen<'_, A>);

    /// What the actor is doing, by its place in [`activities`](Narrator::activities); `None` while
    /// it takes no part.
    fn doing(&self, activity: &Self::Activity) -> Option<u8>;
}

/// Something that an actor was seen doing.
#[derive(Debug)]
pub enum Seen<'a, A: Actor> {
    /// It has handled a message.
    Handled(&'a A::Message),
    /// It has sent one, perhaps to itself.
    Sent(&'a A::Message),
    /// It has noted a fact.
    Noted(&'a A::Fact),
}

/// A kind of message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// Its name, in small letters and underscores: `request`.
    pub name: &'static str,
    /// Whether it was no longer needed if the target, having handled it, neither says nor notes
    /// anything: a reminder whose occasion has passed.
    pub moot_without_effect: bool,
}

/// What a message is, and what it concerns.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Description {
    /// Its kind, by its place among the kinds.
    pub kind: u8,
    /// The job it concerns, if it is one.
    pub job: Option<u32>,
    /// The job instances it concerns, in the order in which it names them.
    pub instances: SmallVec<[InstanceName; 4]>,
    /// The file it concerns, or that the job analyses.
    pub file: Option<u32>,
    /// How many bytes it carries over the network, in bytes; `None` where the model gives it no size.
    pub bytes: Option<u64>,
}

/// A job instance by its numbers.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize,
)]
pub struct InstanceName {
    /// The number of the job.
    pub job: u32,
    /// Which of its instances, from zero.
    pub number: u8,
}

impl fmt::Display for InstanceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.job, self.number)
    }
}

impl Description {
    /// Whether it concerns this job.
    pub fn concerns_job(&self, job: u32) -> bool {
        self.job == Some(job) || self.instances.iter().any(|instance| instance.job == job)
    }
}
