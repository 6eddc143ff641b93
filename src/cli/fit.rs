//! The options of `myriad fit`.

use std::path::PathBuf;

use clap::Args;

/// The options of `fit`.
#[derive(Debug, Args)]
pub struct FitArguments {
    /// A CSV file
    pub file: PathBuf,
    /// Which column, by its head or its number from 1
    #[arg(short, long, value_name = "NAME")]
    pub column: String,
    /// The unit of its values, for the line to paste, as in h or MB
    #[arg(short, long, value_name = "UNIT", default_value = "")]
    pub unit: String,
    /// A page of charts to write
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
