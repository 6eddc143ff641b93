//! Of which files can something be sent?
//!
//! A list from which one is drawn at random in constant time. Its order follows from what happened,
//! so it is the same in every run.

use serde::{Deserialize, Serialize};

/// Places of files on the shelf, each once.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct OpenFiles(Vec<u32>);

impl OpenFiles {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(&self, index: usize) -> u32 {
        self.0[index]
    }

    /// Puts a place in; returns where it stands.
    pub(super) fn insert(&mut self, place: u32) -> u32 {
        self.0.push(place);
        (self.0.len() - 1) as u32
    }

    /// Takes out what stands at `at`. Returns the place that stands there now, if any.
    pub(super) fn remove(&mut self, at: u32) -> Option<u32> {
        self.0.swap_remove(at as usize);
        self.0.get(at as usize).copied()
    }
}
