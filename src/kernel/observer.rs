//! Who watches, and what do they learn?
//!
//! Observers stand outside the world: they hear every event and every noted fact, and nobody inside
//! hears them. Each partition has one of its own; at the end they are merged. Inside a window a
//! partition goes actor by actor, so an observer may rely on the order of one actor's events and
//! facts, and on nothing between actors.

use crate::actor::{Actor, ActorId};
use crate::envelope::EventKey;
use crate::time::SimTime;

/// Watches a run from outside. Law: the order of merging does not matter.
///
/// A sum of floating-point numbers breaks that law; count in integers.
pub trait Observer<A: Actor>: Clone + Send + 'static {
    /// `target` is about to handle `message`.
    #[inline]
    fn on_event(&mut self, _key: EventKey, _target: ActorId, _message: &A::Message) {}

    /// `actor` noted `fact` while it handled a message at `time`.
    #[inline]
    fn on_fact(&mut self, _time: SimTime, _actor: ActorId, _fact: &A::Fact) {}

    /// Takes over all that another observer of the same run has seen.
    fn merge(&mut self, other: Self);
}

/// Nobody watches; it costs nothing.
impl<A: Actor> Observer<A> for () {
    fn merge(&mut self, (): ()) {}
}

/// Both watch.
impl<A: Actor, X: Observer<A>, Y: Observer<A>> Observer<A> for (X, Y) {
    #[inline]
    fn on_event(&mut self, key: EventKey, target: ActorId, message: &A::Message) {
        self.0.on_event(key, target, message);
        self.1.on_event(key, target, message);
    }

    #[inline]
    fn on_fact(&mut self, time: SimTime, actor: ActorId, fact: &A::Fact) {
        self.0.on_fact(time, actor, fact);
        self.1.on_fact(time, actor, fact);
    }

    fn merge(&mut self, other: Self) {
        self.0.merge(other.0);
        self.1.merge(other.1);
    }
}
