//! The options of `myriad plan`.

use clap::{Args, ValueEnum};

use super::ScenarioArguments;

/// The options of `plan`.
#[derive(Debug, Args)]
pub struct PlanRunsArguments {
    /// Which scenario, with its study.
    #[command(flatten)]
    pub scenario: ScenarioArguments,
    /// How often every combination is run [default: as `study.repeat` says]
    #[arg(long, value_name = "N", value_parser = repetitions())]
    pub reps: Option<u32>,
    /// In which form
    #[arg(long, value_enum, default_value_t)]
    pub format: PlanFormat,
}

/// In which form a plan is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum PlanFormat {
    /// For people
    #[default]
    Table,
    /// One line per run
    Csv,
    /// One object per run
    Json,
}

/// How many repetitions there can be.
pub(super) fn repetitions() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=100_000)
}
