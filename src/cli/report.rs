//! The options of `myriad report`.

use std::path::PathBuf;

use clap::Args;

/// The options of `report`.
#[derive(Debug, Args)]
pub struct ReportArguments {
    /// A run, a study, or a combination of one
    pub path: PathBuf,
    /// Another one, to compare it with
    pub second: Option<PathBuf>,
    /// The page to write [default: report.html in the directory; compared, comparison.html here]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write each chart of a study as an SVG file into this folder, too
    #[arg(long, value_name = "DIR")]
    pub pictures: Option<PathBuf>,
}
