//! The options of `myriad collect`.

use std::path::PathBuf;

use clap::Args;

/// The options of `collect`.
#[derive(Debug, Args)]
pub struct CollectArguments {
    /// The directory of the study, or of its parts
    #[arg(required = true, value_name = "DIR")]
    pub directories: Vec<PathBuf>,
    /// The table to write: one row per run, as CSV or, if it ends in .parquet, Parquet
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}
