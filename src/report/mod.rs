//! What comes of a run: a table for people, files for programs, a page for the eyes.
//!
//! Reports know [`Results`](actors::shared::results::Results) and nothing else of a domain.

pub mod machine;
pub mod metrics_file;
pub mod numbers;
pub mod page;
pub mod picture;
pub mod progress;
pub mod reading;
pub mod record;
pub mod run_directory;
pub mod table;
pub mod unfinished;

#[cfg(test)]
mod sample;

pub use record::{Engine, Manifest, RunRecord};
pub use run_directory::RunDirectory;
