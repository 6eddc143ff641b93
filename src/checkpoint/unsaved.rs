//! Who watches a run without being part of its checkpoints?

use kernel::{Actor, ActorId, Envelope, EventKey, Observer, OtherKind, Saved, SimTime};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An observer that no checkpoint keeps: restored, it has seen nothing.
#[derive(Clone, Debug, Default)]
pub struct Unsaved<X>(pub X);

impl<A: Actor, X: Observer<A>> Observer<A> for Unsaved<X> {
    #[inline]
    fn on_event(&mut self, key: EventKey, target: ActorId, message: &A::Message) {
        self.0.on_event(key, target, message);
    }

    #[inline]
    fn on_send(&mut self, sent: SimTime, cause: Option<EventKey>, letter: &Envelope<A::Message>) {
        self.0.on_send(sent, cause, letter);
    }

    #[inline]
    fn on_fact(&mut self, time: SimTime, actor: ActorId, fact: &A::Fact) {
        self.0.on_fact(time, actor, fact);
    }

    fn merge(&mut self, other: Self) {
        self.0.merge(other.0);
    }
}

impl<X> Serialize for Unsaved<X> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl<'de, X: Default> Deserialize<'de> for Unsaved<X> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <()>::deserialize(deserializer)?;
        Ok(Unsaved(X::default()))
    }
}

impl<X: Default> Saved for Unsaved<X> {
    fn relink(&mut self, _fresh: &Self) -> Result<(), OtherKind> {
        Ok(())
    }
}
