//! Who takes part?
//!
//! A world closes the set of its actors in one type (an enum of the cast) and the set of its
//! messages in another. Outside, addresses are typed: telling a host a scheduler's message does not
//! compile. Inside an envelope the type is erased to an [`ActorId`].

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::context::Context;

/// The number of an actor in its world: given at building, never changed, the same in every run.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct ActorId(pub u32);

/// A group of actors of one kind, by its number in the world (schedulers, hosts, ...).
///
/// What the members of one group may say to another, and how soon, is promised per pair of groups.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Group(pub u8);

/// A kind of participant: what it understands, and the group that all of its kind are in.
pub trait Inbox: 'static {
    /// Everything that may be said to this kind.
    type Message;
    /// The group of all actors of this kind.
    const GROUP: Group;
}

/// The address of an actor that remembers what its owner understands.
pub struct Address<K> {
    id: ActorId,
    kind: PhantomData<fn(K)>,
}

impl<K> Address<K> {
    /// The address of actor `id`; trusts the caller that it is a `K`.
    ///
    /// A world is built servers first, so addresses flow forward; where two actors must know each
    /// other, [`WorldBuilder::address_of`](crate::WorldBuilder::address_of) looks ahead.
    pub const fn new(id: ActorId) -> Self {
        Address {
            id,
            kind: PhantomData,
        }
    }

    /// The number behind the address.
    pub const fn id(self) -> ActorId {
        self.id
    }
}

// By hand: derives would ask the same of K.
impl<K> Clone for Address<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> Copy for Address<K> {}
impl<K> PartialEq for Address<K> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}
impl<K> Eq for Address<K> {}
impl<K> Hash for Address<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}
impl<K> Serialize for Address<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.id.serialize(serializer)
    }
}
impl<'de, K> Deserialize<'de> for Address<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ActorId::deserialize(deserializer).map(Address::new)
    }
}
impl<K> fmt::Debug for Address<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.id.0)
    }
}

/// A simulated participant: private state, changed only by the messages it receives.
pub trait Actor: Send + Sized + 'static {
    /// Everything that anyone in this world may hear. Its hash is part of a run's fingerprint.
    type Message: Clone + fmt::Debug + Hash + Send + 'static;
    /// Everything that anyone in this world may report to observers.
    type Fact: Send + 'static;

    /// Called once, at the start of the run, before any message.
    fn start(&mut self, _ctx: &mut Context<'_, Self>) {}

    /// Handles one message.
    fn receive(&mut self, message: Self::Message, ctx: &mut Context<'_, Self>);
}
