//! How does a run survive the end of its process?
//!
//! Between two windows a run is plain data: every actor, every letter under way, all that was seen
//! ([`kernel::Standstill`]). A checkpoint is a file of that, and the run goes on from it to the same
//! results, to the byte, whatever the number of threads and partitions, the runtime, the horizon and
//! the queue.
//!
//! * [`Every`], [`Limits`]: when ([`schedule`]);
//! * [`Checkpointer`]: the attendant that writes ([`checkpointer`]);
//! * [`Folder`]: which files there are; the last two are kept ([`folder`]);
//! * [`save`], [`load`]: a run to a file and back ([`content`]);
//! * frames with a checksum each: how a file is built ([`frames`]);
//! * [`Unsaved`]: an observer that is left out ([`unsaved`]);
//! * [`shape_of`]: a hash of what the saved types are made of ([`shape`]).
//!
//! Invariants: a file under its final name is whole. What is read is checked before it is believed,
//! frame by frame. A checkpoint of another scenario, another version of the program or other types
//! is refused, never guessed at.

pub mod checkpointer;
pub mod content;
pub mod folder;
pub mod frames;
pub mod schedule;
pub mod shape;
pub mod unsaved;

use std::io;
use std::path::{Path, PathBuf};

pub use checkpointer::{Checkpointer, Ledger, Reason, Requests};
pub use content::{Identity, Restored, load, save};
pub use folder::Folder;
pub use schedule::{Every, Limits};
pub use shape::shape_of;
pub use unsaved::Unsaved;

/// Why a checkpoint cannot be had or used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The system refused.
    #[error("cannot {doing} {path}: {source}")]
    Refused {
        /// What was tried, as a verb.
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not whole: cut off, changed, or never a checkpoint.
    #[error("{path} is damaged: {why}")]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The file is whole, but of something else than the run that is to go on.
    #[error("{path} cannot be used here: {why}")]
    Other {
        /// Which file.
        path: PathBuf,
        /// What does not agree.
        why: String,
    },
    /// There is no checkpoint.
    #[error("there is no checkpoint in {0}: the run ended before its first was due")]
    None(PathBuf),
}

impl CheckpointError {
    fn refused(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| CheckpointError::Refused {
            doing,
            path: path.to_owned(),
            source,
        }
    }
}
