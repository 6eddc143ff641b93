//! The options of `resume`.

use std::path::PathBuf;

use clap::Args;

use super::care::CareArguments;
use super::{PlanArguments, ProgressStyle};

/// The options of `resume`.
#[derive(Debug, Args)]
pub struct ResumeArguments {
    /// The run directory of a run that has not come to its end
    pub run: PathBuf,
    /// How to show progress
    #[arg(long, value_enum, default_value_t)]
    pub progress: ProgressStyle,
    /// What to keep this time.
    #[command(flatten)]
    pub care: CareArguments,
    /// How to execute it; it need not be as before.
    #[command(flatten)]
    pub plan: PlanArguments,
}
