//! What is a run between two windows, and how does it go on from there?
//!
//! Between windows no message is being handled: a run is the state of its actors, the letters under
//! way, and what the observers have seen. Partitions need not have got equally far. That does not
//! matter: whoever is behind has its letters still to come, and nothing can reach an actor that is
//! earlier than what it has handled. So a [`Standstill`] may be taken up by any other division of the
//! world, by any protocol, and by the oracle.

use std::fmt;

use crate::actor::{Actor, ActorId};
use crate::context::Desk;
use crate::envelope::Envelope;
use crate::saved::SavedActor;
use crate::time::SimTime;
use crate::world::World;

/// A run between two windows, to look at.
pub trait Standstill<A: Actor, O> {
    /// How far it has got: everything earlier has happened.
    fn reached(&self) -> SimTime;

    /// How many events it has handled since its start.
    fn events(&self) -> u64;

    /// Everybody, in the order of their numbers.
    fn members(&self) -> Vec<Member<'_, A>>;

    /// Every letter under way, in the order of their keys.
    fn under_way(&self) -> Vec<&Envelope<A::Message>>;

    /// All that was seen since the start of the run, by all observers together.
    fn observer(&self) -> O;
}

/// An actor, and what the kernel keeps for it.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a, A> {
    /// What the kernel keeps.
    pub desk: &'a Desk,
    /// The actor.
    pub actor: &'a A,
}

/// What a world is in the middle of when a run takes it up.
#[derive(Clone, Debug)]
pub(crate) struct Midst<M> {
    pub(crate) desks: Vec<Desk>,
    pub(crate) letters: Vec<Envelope<M>>,
    pub(crate) events: u64,
}

/// Puts a saved run back into its world, actor by actor and letter by letter.
#[derive(Debug)]
pub struct Restoration<A: Actor> {
    /// Fresh from its scenario; those before `midst.desks.len()` are restored.
    world: World<A>,
    midst: Midst<A::Message>,
}

/// Why what was saved does not fit the world it is to be restored in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unfit {
    /// There are more actors, or fewer, than the world has.
    Actors {
        /// How many the world has.
        world: usize,
    },
    /// An actor is of another kind than in the world.
    Kind(ActorId),
    /// A letter is from or to nobody, is out of order, or its sender has not sent so many.
    Letter,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Actors { world } => write!(f, "the world has {world} actors, and it has not"),
            Unfit::Kind(id) => write!(f, "actor {} is of another kind in this world", id.0),
            Unfit::Letter => write!(f, "a letter in it cannot have been sent in this world"),
        }
    }
}

impl std::error::Error for Unfit {}

impl<A: SavedActor> Restoration<A> {
    /// Into a world as its scenario builds it; `events` were handled before.
    pub fn of(fresh: World<A>, events: u64) -> Self {
        let midst = Midst {
            desks: Vec::with_capacity(fresh.len()),
            letters: Vec::new(),
            events,
        };
        Restoration {
            world: fresh,
            midst,
        }
    }

    /// The next actor, in the order of their numbers.
    ///
    /// # Errors
    /// If the world has no such actor.
    pub fn member(&mut self, desk: Desk, mut actor: A) -> Result<(), Unfit> {
        let number = self.midst.desks.len();
        let actors = self.world.len();
        let fresh = self.world.actors.get_mut(number);
        let fresh = fresh.ok_or(Unfit::Actors { world: actors })?;
        let relinked = actor.relink(fresh);
        relinked.map_err(|_| Unfit::Kind(ActorId(number as u32)))?;
        *fresh = actor;
        self.midst.desks.push(desk);
        Ok(())
    }

    /// The next letter, in the order of their keys, after all actors.
    ///
    /// # Errors
    /// If nobody in this world can have sent it.
    pub fn letter(&mut self, letter: Envelope<A::Message>) -> Result<(), Unfit> {
        let key = letter.key;
        let desk = |id: ActorId| self.midst.desks.get(id.0 as usize);
        let sent = desk(key.source).is_some_and(|desk| key.number < desk.number);
        let before = self.midst.letters.last();
        let in_order = before.is_none_or(|before| before.key < key);
        if !sent || !in_order || desk(letter.target).is_none() || key.time == SimTime::NEVER {
            return Err(Unfit::Letter);
        }
        self.midst.letters.push(letter);
        Ok(())
    }

    /// The world as it was when it was saved: whoever runs it goes on from there.
    ///
    /// # Errors
    /// If an actor is missing.
    pub fn finish(self) -> Result<World<A>, Unfit> {
        let Restoration { mut world, midst } = self;
        if midst.desks.len() != world.len() {
            return Err(Unfit::Actors { world: world.len() });
        }
        world.midst = Some(midst);
        Ok(world)
    }
}
