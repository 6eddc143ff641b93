//! What does one actor do with one message?
//!
//! For unit tests: an actor on its own, without a world of others. Tell it something at a time of
//! your choice and see what it says, schedules and notes.

use std::sync::Arc;

use crate::actor::{Actor, ActorId};
use crate::context::{Context, Desk, Outbox};
use crate::envelope::Envelope;
use crate::promise::Promises;
use crate::time::SimTime;

/// One actor on an empty stage. It speaks as the member of the group its `id` is in.
#[derive(Debug)]
pub struct Rehearsal<A: Actor> {
    /// The actor itself, to look at.
    pub actor: A,
    id: ActorId,
    desk: Desk,
    promises: Arc<Promises>,
}

/// What an actor did with one message.
#[derive(Debug)]
pub struct Said<A: Actor> {
    /// What it said to others and scheduled for itself, with times and targets.
    pub letters: Vec<Envelope<A::Message>>,
    /// What it noted for observers.
    pub facts: Vec<A::Fact>,
}

impl<A: Actor> Rehearsal<A> {
    /// Puts `actor` on stage as number `id` of a world with these promises and this seed.
    pub fn new(actor: A, id: ActorId, seed: u64, promises: Arc<Promises>) -> Self {
        Rehearsal {
            actor,
            id,
            desk: Desk::new(seed, id),
            promises,
        }
    }

    /// Lets the actor start.
    pub fn start(&mut self) -> Said<A> {
        self.with_context(SimTime::START, |actor, ctx| actor.start(ctx))
    }

    /// Tells the actor `message` at `now`.
    pub fn tell(&mut self, now: SimTime, message: impl Into<A::Message>) -> Said<A> {
        let message = message.into();
        self.with_context(now, |actor, ctx| actor.receive(message, ctx))
    }

    fn with_context(
        &mut self,
        now: SimTime,
        act: impl FnOnce(&mut A, &mut Context<'_, A>),
    ) -> Said<A> {
        let mut outbox = Outbox::default();
        let group = self.promises.group_of(self.id);
        let mut ctx = Context {
            now,
            me: self.id,
            group,
            desk: &mut self.desk,
            promises: &self.promises,
            promised: self.promises.sends(group),
            outbox: &mut outbox,
        };
        act(&mut self.actor, &mut ctx);
        Said {
            letters: outbox.letters,
            facts: outbox.facts,
        }
    }
}
