//! What of a run can be written down, and taken up again later?
//!
//! The state of actors and observers is plain data: serde writes it, in whatever format the caller
//! has chosen. What all of them share and none of them changes (a project and its scenario) is not
//! state: it is built anew from the scenario, and the restored take it from their fresh likes.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::actor::Actor;

/// An actor or observer whose state can be saved and restored.
///
/// Law: restored and relinked, it does and says what it would have done and said without.
pub trait Saved: Serialize + DeserializeOwned {
    /// Takes from `fresh`, the same one at the start of the same world, what was not saved.
    ///
    /// # Errors
    /// If `fresh` is of another kind: what was saved is not of this world.
    fn relink(&mut self, fresh: &Self) -> Result<(), OtherKind>;
}

/// What was saved does not fit the world that it is to be restored in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OtherKind;

/// An actor that can be saved together with all that is said to it.
pub trait SavedActor: Actor<Message: Serialize + DeserializeOwned> + Saved {}

impl<A: Actor<Message: Serialize + DeserializeOwned> + Saved> SavedActor for A {}

impl Saved for () {
    fn relink(&mut self, (): &()) -> Result<(), OtherKind> {
        Ok(())
    }
}

impl<X: Saved, Y: Saved> Saved for (X, Y) {
    fn relink(&mut self, fresh: &Self) -> Result<(), OtherKind> {
        self.0.relink(&fresh.0)?;
        self.1.relink(&fresh.1)
    }
}

/// Something that many actors share, that never changes and that is not saved with any of them.
///
/// Restored, it is linked to nothing until [`Linked::relink`]; whoever looks through it before
/// panics.
pub struct Linked<T>(Option<Arc<T>>);

impl<T> Linked<T> {
    /// Takes the link of `fresh`.
    pub fn relink(&mut self, fresh: &Self) {
        self.0.clone_from(&fresh.0);
    }
}

impl<T> From<Arc<T>> for Linked<T> {
    fn from(shared: Arc<T>) -> Self {
        Linked(Some(shared))
    }
}

impl<T> Clone for Linked<T> {
    fn clone(&self) -> Self {
        Linked(self.0.clone())
    }
}

impl<T> std::ops::Deref for Linked<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.0
            .as_deref()
            .expect("whoever is restored is relinked before it acts")
    }
}

impl<T> std::fmt::Debug for Linked<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { ".." } else { "unlinked" })
    }
}

impl<T> Serialize for Linked<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl<'de, T> Deserialize<'de> for Linked<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <()>::deserialize(deserializer)?;
        Ok(Linked(None))
    }
}
