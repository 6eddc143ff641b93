//! Who exists at the start, and what have they promised?
//!
//! A [`World`] is complete before it runs: no actor is created later. A host that joins on day 40 is
//! there from the start and sleeps until then.

use std::sync::Arc;

use crate::actor::{Actor, ActorId, Address, Inbox};
use crate::promise::Promises;
use crate::standstill::Midst;
use crate::time::SimDuration;

/// Every actor of a run, in the order of their numbers, and what their groups have promised.
#[derive(Debug)]
pub struct World<A: Actor> {
    pub(crate) seed: u64,
    pub(crate) actors: Vec<A>,
    pub(crate) promises: Arc<Promises>,
    /// What it is in the middle of, if it has been restored from a run.
    pub(crate) midst: Option<Midst<A::Message>>,
}

impl<A: Actor> World<A> {
    /// The seed that every actor's random numbers derive from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// How many actors there are.
    pub fn len(&self) -> usize {
        self.actors.len()
    }

    /// How many events have been handled in it: none, unless it was restored from a run.
    pub fn events(&self) -> u64 {
        self.midst.as_ref().map_or(0, |midst| midst.events)
    }

    /// Whether nobody is there.
    pub fn is_empty(&self) -> bool {
        self.actors.is_empty()
    }

    /// What the groups have promised each other.
    pub fn promises(&self) -> &Arc<Promises> {
        &self.promises
    }
}

/// Builds a world: groups first, then edges, then actors, one group after another.
#[derive(Debug)]
pub struct WorldBuilder<A> {
    seed: u64,
    actors: Vec<A>,
    promises: Promises,
}

impl<A: Actor> WorldBuilder<A> {
    /// An empty world for runs with this seed.
    pub fn new(seed: u64) -> Self {
        WorldBuilder {
            seed,
            actors: Vec::new(),
            promises: Promises::default(),
        }
    }

    /// Makes room for that many actors in all.
    pub fn reserve(&mut self, actors: usize) {
        self.actors.reserve_exact(actors);
    }

    /// Declares the group of kind `K`; `name` is what one member is called ("host").
    ///
    /// # Panics
    /// If groups are not declared in the order of their numbers, from zero.
    pub fn group<K: Inbox>(&mut self, name: &str) {
        self.promises.declare_group(K::GROUP, name);
    }

    /// Promises that nothing `From` says to `To` arrives sooner than `least`, which is not zero.
    pub fn edge<From: Inbox, To: Inbox>(&mut self, least: SimDuration) {
        self.promises.declare_edge(From::GROUP, To::GROUP, least);
    }

    /// Promises that members of `K` are told nothing that they have not asked for.
    pub fn hears_only_answers<K: Inbox>(&mut self) {
        self.promises.declare_only_answers(K::GROUP);
    }

    /// Promises that a member of `K` which has heard from `Heard` tells `Told` nothing on account
    /// of it for at least `least`. Without this declaration the reaction may be immediate.
    pub fn reaction<K: Inbox, Heard: Inbox, Told: Inbox>(&mut self, least: SimDuration) {
        self.promises
            .declare_reaction(K::GROUP, Heard::GROUP, Told::GROUP, least);
    }

    /// Promises that a member of `K` asks `With` one question at a time
    /// ([`Context::ask`](crate::Context::ask)), and for `wait` after an answer nothing at all.
    ///
    /// Whoever waits for several answers can then not surprise `With`, whichever comes first.
    pub fn takes_turns<K: Inbox, With: Inbox>(&mut self, wait: SimDuration) {
        self.promises.declare_turns(K::GROUP, With::GROUP, wait);
    }

    /// Adds an actor and returns its address.
    ///
    /// # Panics
    /// If an actor of another group was added since the last one of this group.
    pub fn add<K: Inbox>(&mut self, actor: impl Into<A>) -> Address<K> {
        let id = self.next_id();
        self.promises.admit(K::GROUP, id);
        self.actors.push(actor.into());
        Address::new(id)
    }

    /// The number that the next actor added will have.
    pub fn next_id(&self) -> ActorId {
        let id = u32::try_from(self.actors.len()).expect("a world holds fewer than 2^32 actors");
        ActorId(id)
    }

    /// The address of the actor that will be added after `ahead` others: for actors that must know
    /// each other before both exist.
    pub fn address_of<K: Inbox>(&self, ahead: u32) -> Address<K> {
        Address::new(ActorId(self.next_id().0 + ahead))
    }

    /// The world, complete.
    ///
    /// # Panics
    /// If a group that hears only answers is spoken to by a group it cannot ask.
    pub fn build(self) -> World<A> {
        let promises = &self.promises;
        for listener in promises.groups() {
            if !promises.hears_only_answers(listener) {
                continue;
            }
            for speaker in promises.groups() {
                let unasked = promises.between(speaker, listener).is_some()
                    && promises.between(listener, speaker).is_none();
                assert!(
                    !unasked,
                    "a {} hears only answers, so it must be able to ask a {}",
                    promises.name(listener),
                    promises.name(speaker)
                );
            }
        }
        World {
            seed: self.seed,
            actors: self.actors,
            promises: Arc::new(self.promises),
            midst: None,
        }
    }

    /// The promises declared so far.
    pub fn promises(&self) -> &Promises {
        &self.promises
    }
}
