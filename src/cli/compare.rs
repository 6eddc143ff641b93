//! The options of `compare`.

use std::path::PathBuf;

use clap::Args;

/// The options of `compare`.
#[derive(Debug, Args)]
pub struct CompareArguments {
    /// A run directory, of a run with --trace
    pub one: PathBuf,
    /// Another, recorded with the same filter
    pub other: PathBuf,
    /// Name the first message that differs between the two runs, and its surroundings
    #[arg(long, required = true)]
    pub first_difference: bool,
}
