//! What may an actor touch while it handles one message?
//!
//! Its own state, its own random numbers, the clock, and an outbox. Nothing of other actors, nothing
//! of threads or partitions, and not the observers: what it notes, nobody inside the world hears.

use serde::{Deserialize, Serialize};

use crate::actor::{Actor, ActorId, Address, Group, Inbox};
use crate::envelope::{Envelope, EventKey};
use crate::promise::{Promises, Row, Turns};
use crate::random::{Purpose, RandomStream};
use crate::time::{SimDuration, SimTime};

/// What the kernel keeps for each actor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Desk {
    pub(crate) random: RandomStream,
    /// How many messages this actor has sent.
    pub(crate) number: u32,
    /// How many answers it is waiting for (only in groups that hear only answers).
    pub(crate) awaiting: u32,
    /// Before this instant none of the answers can arrive.
    pub(crate) earliest_answer: SimTime,
    /// Before this instant the owner does not ask those with whom its group takes turns.
    pub(crate) next_turn: SimTime,
    // What partitions note is of the present run and partition only, so it is not saved.
    /// A partition's note on whether the owner has turned up in the present window.
    #[serde(skip)]
    pub(crate) mark: u32,
    /// A partition's note on the last of its runs in which an event of the owner had to wait.
    #[serde(skip)]
    pub(crate) held_in: u32,
}

impl Desk {
    pub(crate) fn new(seed: u64, id: ActorId) -> Self {
        Desk {
            random: RandomStream::new(seed, id, Purpose::GENERAL),
            number: 0,
            awaiting: 0,
            earliest_answer: SimTime::NEVER,
            next_turn: SimTime::START,
            mark: 0,
            held_in: 0,
        }
    }

    /// Notes that `envelope` is about to be handled by this desk's owner, of group `group`.
    ///
    /// # Panics
    /// If the owner hears only answers and has not asked: the world's declaration is wrong, and
    /// windows that relied on it may be, too.
    #[inline]
    pub(crate) fn expect<M>(&mut self, envelope: &Envelope<M>, group: Group, promises: &Promises) {
        if envelope.key.source == envelope.target || !promises.hears_only_answers(group) {
            return;
        }
        assert!(
            self.awaiting > 0,
            "{} hears only answers, but {} told it something unasked at {}",
            promises.actor_name(envelope.target),
            promises.actor_name(envelope.key.source),
            envelope.key.time
        );
        assert!(
            envelope.key.time >= self.earliest_answer,
            "{} expected no answer before {}, but {} answered at {}",
            promises.actor_name(envelope.target),
            self.earliest_answer,
            promises.actor_name(envelope.key.source),
            envelope.key.time
        );
        self.awaiting -= 1;
        if let Some(Turns { with, wait }) = promises.turns(group)
            && promises.members(with).contains(&envelope.key.source.0)
        {
            self.next_turn = envelope.key.time + wait;
        }
        // With further questions open, what was too early for all is too early for those.
        if self.awaiting == 0 {
            self.earliest_answer = SimTime::NEVER;
        }
    }
}

/// What an actor has said and noted while handling one message.
#[derive(Debug)]
pub struct Outbox<A: Actor> {
    pub(crate) letters: Vec<Envelope<A::Message>>,
    pub(crate) facts: Vec<A::Fact>,
}

impl<A: Actor> Default for Outbox<A> {
    fn default() -> Self {
        Outbox {
            letters: Vec::new(),
            facts: Vec::new(),
        }
    }
}

/// All that an actor may touch while it handles one message.
pub struct Context<'a, A: Actor> {
    pub(crate) now: SimTime,
    pub(crate) me: ActorId,
    pub(crate) group: Group,
    pub(crate) desk: &'a mut Desk,
    pub(crate) promises: &'a Promises,
    /// What the actor's group has promised each other group.
    pub(crate) promised: &'a Row,
    pub(crate) outbox: &'a mut Outbox<A>,
}

impl<A: Actor> Context<'_, A> {
    /// The time of the message being handled.
    #[inline]
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// The actor's own address; trusts the caller that it is a `K`.
    #[inline]
    pub fn me<K>(&self) -> Address<K> {
        Address::new(self.me)
    }

    /// This actor's own random numbers.
    #[inline]
    pub fn random(&mut self) -> &mut RandomStream {
        &mut self.desk.random
    }

    /// Says something to another actor, to arrive after `delay`.
    ///
    /// # Panics
    /// If the delay is shorter than this actor's group has promised the other's, or if the two
    /// groups have declared that they never speak. The message names actor, time and promise.
    #[inline]
    pub fn send<K: Inbox>(&mut self, to: Address<K>, message: K::Message, delay: SimDuration)
    where
        K::Message: Into<A::Message>,
    {
        // "Never" is promised as a delay of forever, so one comparison covers both.
        if delay < self.promised[usize::from(K::GROUP.0)] || delay == SimDuration::FOREVER {
            self.refuse(K::GROUP, delay);
        }
        self.post(to.id(), message.into(), delay);
    }

    /// Says something that the other will answer with exactly one message.
    ///
    /// For actors that hear only answers: they must not be told anything they have not asked for.
    #[inline]
    pub fn ask<K: Inbox>(&mut self, to: Address<K>, message: K::Message, delay: SimDuration)
    where
        K::Message: Into<A::Message>,
    {
        self.ask_patiently(to, message, delay, SimDuration::ZERO);
    }

    /// Asks like [`Context::ask`], knowing that the answer takes at least `patience` from when the
    /// question arrives: a file needs its time on the asker's own line, however idle the server.
    ///
    /// Whoever knows this can go about its own business meanwhile, without fear of being surprised.
    /// An answer that comes sooner stops the run.
    #[inline]
    pub fn ask_patiently<K: Inbox>(
        &mut self,
        to: Address<K>,
        message: K::Message,
        delay: SimDuration,
        patience: SimDuration,
    ) where
        K::Message: Into<A::Message>,
    {
        let Some(way_back) = self.promises.between(K::GROUP, self.group) else {
            self.refuse(K::GROUP, delay)
        };
        if self
            .promises
            .between(self.group, K::GROUP)
            .is_none_or(|promise| delay < promise)
            || delay == SimDuration::FOREVER
        {
            self.refuse(K::GROUP, delay);
        }
        let earliest = self.now + delay + way_back.max(patience);
        self.desk.awaiting += 1;
        self.desk.earliest_answer = self.desk.earliest_answer.min(earliest);
        if let Some(Turns { with, wait }) = self.promises.turns(self.group)
            && with == K::GROUP
        {
            assert!(
                self.now >= self.desk.next_turn,
                "broken promise: at {} {} asked a {}, but promised not to before {}",
                self.now,
                self.promises.actor_name(self.me),
                self.promises.name(with),
                self.desk.next_turn
            );
            // Until the answer is here; then its own time counts.
            self.desk.next_turn = earliest + wait;
        }
        self.post(to.id(), message.into(), delay);
    }

    /// Reminds the actor itself after `delay`, which may be zero.
    #[inline]
    pub fn schedule(&mut self, message: impl Into<A::Message>, delay: SimDuration) {
        self.post(self.me, message.into(), delay);
    }

    /// Reports something that happened, for observers only: nobody inside the world hears it.
    #[inline]
    pub fn note(&mut self, fact: A::Fact) {
        self.outbox.facts.push(fact);
    }

    #[inline]
    fn post(&mut self, target: ActorId, message: A::Message, delay: SimDuration) {
        let number = self.desk.number;
        self.desk.number = number
            .checked_add(1)
            .expect("an actor sends fewer than 2^32 messages in a run");
        let time = self.now + delay;
        // What would happen after the end of time does not happen.
        if time == SimTime::NEVER {
            return;
        }
        self.outbox.letters.push(Envelope {
            key: EventKey {
                time,
                source: self.me,
                number,
            },
            target,
            message,
        });
    }

    #[cold]
    fn refuse(&self, to: Group, delay: SimDuration) -> ! {
        let speaker = self.promises.actor_name(self.me);
        let listener = self.promises.name(to);
        match self.promises.between(self.group, to) {
            Some(_) if delay == SimDuration::FOREVER => panic!(
                "at {} {speaker} sent something to a {listener} that never arrives",
                self.now
            ),
            Some(promise) if delay >= promise => panic!(
                "broken promise: at {} {speaker} told a {listener} something, but takes turns with it: \
                 it may only ask",
                self.now
            ),
            Some(promise) => panic!(
                "broken promise: at {} {speaker} sent something to a {listener} that arrives after \
                 {delay}, but promised at least {promise}",
                self.now
            ),
            None => panic!(
                "broken promise: at {} {speaker} spoke to a {listener}, but the world declares that \
                 they never speak",
                self.now
            ),
        }
    }
}
