//! The options of `myriad validate`.

use std::path::PathBuf;

use clap::Args;

/// The options of `validate`.
#[derive(Debug, Args)]
pub struct ValidateArguments {
    /// A run, or a combination of a study
    pub run: PathBuf,
    /// Real data: a CSV file with the columns `distribution`, `value` and, if you like, `count`
    #[arg(long, value_name = "FILE")]
    pub against: PathBuf,
    /// A page of charts to write
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
