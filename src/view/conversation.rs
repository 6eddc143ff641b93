//! What does the page need to know of a conversation?

/// Who said what to whom, and what everybody was doing.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Conversation {
    /// What the run is called.
    pub title: String,
    /// A line about it: where it comes from and what of it was recorded.
    pub lead: String,
    /// What was recorded: from this instant of simulated time on, in nanoseconds.
    pub from_ns: u64,
    /// Up to this instant, in nanoseconds.
    pub until_ns: u64,
    /// One of so many messages is here, chosen by lot; one: all are.
    pub one_of: u64,
    /// How many messages were recorded, if these are only a part of them.
    pub total: Option<u64>,
    /// How many of all messages fall into each of some equal parts of the time, if these are a part.
    pub overview: Vec<u64>,
    /// Those who take part.
    pub actors: Vec<Participant>,
    /// The kinds of messages, by name.
    pub kinds: Vec<String>,
    /// What may become of a message, in words; the first is the ordinary one.
    pub fates: Vec<String>,
    /// What an actor may be doing, in words.
    pub states: Vec<String>,
    /// The messages, in any order.
    pub messages: Vec<Message>,
    /// What actors were doing, in any order; intervals of one actor do not overlap.
    pub intervals: Vec<Interval>,
}

/// Somebody who takes part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Participant {
    /// Its number in the run.
    pub number: u32,
    /// Its name, as `host[12]`.
    pub name: String,
    /// The class it is folded into, as `host`.
    pub class: String,
}

/// One message: an arrow, or an arc if it is for oneself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// Its name.
    pub id: Name,
    /// The message whose handling sent it.
    pub cause: Option<Name>,
    /// When it was sent, in nanoseconds of simulated time.
    pub sent_ns: u64,
    /// When it was, or would have been, received.
    pub received_ns: u64,
    /// Who sent it: a place in [`Conversation::actors`].
    pub from: u32,
    /// Whom it was for.
    pub to: u32,
    /// What it is: a place in [`Conversation::kinds`].
    pub kind: u16,
    /// What became of it: a place in [`Conversation::fates`].
    pub fate: u8,
    /// The jobs it concerns, and which of their instances.
    pub subjects: Vec<Subject>,
    /// The file it concerns.
    pub file: Option<u64>,
    /// How large it is, with what it carries.
    pub bytes: u64,
    /// What it says, in words; may be empty.
    pub text: String,
}

/// The name of a message: the sender's number, and how many messages the sender had sent before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name {
    /// The sender's number in the run.
    pub sender: u32,
    /// How many messages it had sent before.
    pub count: u32,
}

/// A job, or one instance of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subject {
    /// The job.
    pub job: u64,
    /// Which of its instances, if one.
    pub instance: Option<u32>,
}

/// What an actor was doing for some time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// Who: a place in [`Conversation::actors`].
    pub actor: u32,
    /// What: a place in [`Conversation::states`].
    pub state: u8,
    /// From this instant on, in nanoseconds of simulated time.
    pub from_ns: u64,
    /// Up to this instant.
    pub until_ns: u64,
}
