//! Who said what to whom, when, why, and what became of it?
//!
//! A run that is asked to (`--trace`, or the key `record.trace`) records its messages. In the order in
//! which a message comes to its place in the files:
//!
//! * [`Filter`]: which messages are wanted ([`filter`]);
//! * [`Recorder`]: the observer in each partition, which keeps what it sees ([`recorder`]);
//! * [`Recording`]: the recorders of one run together ([`recording`]);
//! * the writer, a thread that puts messages in order while the run goes on (`writer`);
//! * [`Chunk`]: some thousand messages in order, by columns ([`chunk`]);
//! * [`Archive`]: the compact file that Myriad's own tools read ([`archive`], [`codec`]);
//! * `messages.parquet` and `states.parquet`, for other tools ([`columns`]).
//!
//! What is asked of a finished trace: how many messages there are of which kind ([`statistics`]),
//! what led to a message and what came of it ([`story`]), where two runs part ([`difference`]), and how all of it is shown to people
//! ([`telling`]). For tools that others have made there are further formats ([`export`]).
//!
//! Invariants: what is recorded depends on the scenario and the filter alone, to the byte, and not on
//! threads, partitions or runtime. Recording changes nothing of what a run finds. What is held in
//! memory is what is under way in the simulated world, and a bounded amount that waits to be written.

pub mod archive;
pub mod chunk;
pub mod codec;
pub mod columns;
pub mod difference;
pub mod export;
pub mod filter;
pub mod message;
pub mod recorder;
pub mod recording;
pub mod statistics;
pub mod story;
pub mod telling;
mod writer;

pub use archive::{Archive, Heading};
pub use chunk::Chunk;
pub use filter::{Filter, FilterError};
pub use message::{Fate, Interval, Message, MessageId};
pub use recorder::Recorder;
pub use recording::{Counts, Recording};

/// Why a trace could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// A filter that cannot be understood, or that names what does not exist.
    #[error("in the filter of messages: {0}")]
    Filter(#[from] FilterError),
    /// The system refused.
    #[error("cannot {doing} {path}: {source}")]
    Refused {
        /// What was tried, as a verb.
        doing: &'static str,
        /// On what.
        path: std::path::PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file that is not what it should be.
    #[error("{path} is not a usable trace: {why}")]
    Broken {
        /// Which file.
        path: std::path::PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Parquet could not be written.
    #[error("cannot write {path}: {source}")]
    Parquet {
        /// Which file.
        path: std::path::PathBuf,
        /// What the library said.
        source: parquet::errors::ParquetError,
    },
    /// The writer panicked: a bug.
    #[error("the trace's writer failed: {0}")]
    Writer(String),
}
