//! The options of `myriad compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// The options of `compare`.
#[derive(Debug, Args)]
pub struct CompareArguments {
    /// A run, a combination of a study, a study, or a scenario file
    pub first: PathBuf,
    /// Another one [default: of a study, its first combination is compared with each other one]
    pub second: Option<PathBuf>,
    /// How sure an interval is
    #[arg(long, value_name = "P", default_value_t = 0.95, value_parser = confidence)]
    pub confidence: f64,
    /// In which form
    #[arg(long, value_enum, default_value_t)]
    pub format: CompareFormat,
    /// Show equal figures and unsure small differences as well
    #[arg(long)]
    pub all: bool,
    /// Of two runs with --trace: name the first message that differs, and its surroundings
    #[arg(long, requires = "second")]
    pub first_difference: bool,
}

/// In which form a comparison is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum CompareFormat {
    /// For people
    #[default]
    Table,
    /// For programs
    Json,
}

/// A level of confidence.
pub(super) fn confidence(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(level) if level > 0.0 && level < 1.0 => Ok(level),
        _ => Err("expected a number between 0 and 1, as 0.95".to_owned()),
    }
}
