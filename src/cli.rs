//! The verbs of the command line and their options.

pub mod bench;
pub mod care;
pub mod collect;
pub mod compare;
pub mod fit;
pub mod plan;
pub mod report;
pub mod resume;
pub mod serve;
pub mod sweep;
pub mod trace;
pub mod validate;
pub mod view;

use std::path::PathBuf;

pub use care::CareArguments;
pub use resume::ResumeArguments;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::coordinator::{HorizonRule, Plan, QueueRule, Runtime};
use crate::placement::Placement;
use crate::trace::Filter;

/// Simulates volunteer computing: every host, scheduler, validator and file server is an actor.
#[derive(Debug, Parser)]
#[command(name = "myriad", version, propagate_version = true)]
pub struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Run a scenario: progress while it runs, a summary, and a run directory with a page of charts
    Run(RunArguments),
    /// Go on with a run that was interrupted or killed, from its last checkpoint
    Resume(ResumeArguments),
    /// Check a scenario and say what would run, without running it
    Check(CheckArguments),
    /// Describe the world of a scenario: cast, promises, partitions, size; nothing is run
    Describe(DescribeArguments),
    /// List the runs of a study, the `[study]` table of a scenario, before any is run
    Plan(plan::PlanRunsArguments),
    /// Run a study on all cores, each run in a process of its own; run it again to resume
    Sweep(sweep::SweepArguments),
    /// Put what the runs of a study found into one table
    Collect(collect::CollectArguments),
    /// Say what differs between two runs, combinations, studies or scenarios, by how much, how surely
    Compare(compare::CompareArguments),
    /// Write one page of charts and tables for a run, a study or a comparison
    Report(report::ReportArguments),
    /// Fit distributions to a column of a CSV file
    Fit(fit::FitArguments),
    /// Compare the distributions of a run with real data
    Validate(validate::ValidateArguments),
    /// Turn a table of real hosts (BOINC's cpu_list as CSV) into a population file
    Population(PopulationArguments),
    /// Print what can stand in a scenario file, as a JSON schema for editors
    Schema(SchemaArguments),
    /// Print the messages that a run has recorded (run --trace), or their statistics
    Trace(trace::TraceArguments),
    /// Tell the story of a recorded message, of a job or of a host, in words
    Explain(trace::ExplainArguments),
    /// Write what was recorded for other tools: Perfetto, Chrome's viewer, process mining
    Export(trace::ExportArguments),
    /// Show what was recorded as a sequence chart in a browser: lanes, arrows, causes, filters
    View(view::ViewArguments),
    /// Measure how fast it is: interleaved runs, speed-up over threads, digests compared
    #[command(subcommand)]
    Bench(bench::BenchSubject),
    /// Do one job of `bench` in a process of its own
    #[command(hide = true)]
    BenchOne {
        /// The job, as JSON
        job: String,
    },
}

/// Which scenario, and what is different in it.
#[derive(Debug, Args)]
pub struct ScenarioArguments {
    /// The scenario, a TOML file
    pub file: PathBuf,
    /// Another value for a key of the scenario, as in hosts=10000 or jobs.delay_bound="7 d"
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Another seed for all random numbers, up to 2^63 - 1
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(0..=LARGEST_SEED))]
    pub seed: Option<u64>,
    /// Another simulated time to stop at, as in 3d or "12 h"
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
}

/// What stands in a scenario can be no larger: whole numbers of TOML are signed.
const LARGEST_SEED: u64 = i64::MAX as u64;

/// How a run is executed. Nothing here changes what it finds.
#[derive(Debug, Args)]
#[command(next_help_heading = "Execution (does not change results)")]
pub struct PlanArguments {
    /// How many threads work; `auto`: as many as the machine has, if the world can use them
    #[arg(long, value_name = "N|auto", default_value = "auto", value_parser = threads)]
    pub threads: usize,
    /// Into how many partitions the actors are divided [default: as many as suit the threads]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub partitions: Option<u32>,
    /// Who runs the workers
    #[arg(long, value_enum, default_value_t)]
    pub runtime: Runtime,
    /// How far partitions may run at a time
    #[arg(long, value_enum, default_value_t)]
    pub horizon: HorizonRule,
    /// What keeps pending events in order
    #[arg(long, value_enum, default_value_t)]
    pub queue: QueueRule,
    /// Which actors share a partition [default: what suits the horizon]
    #[arg(long, value_enum)]
    pub placement: Option<Placement>,
}

impl PlanArguments {
    /// The plan these options make.
    pub fn plan(&self) -> Plan {
        Plan {
            threads: self.threads,
            partitions: self.partitions.map(|count| count as usize),
            runtime: self.runtime,
            horizon: self.horizon,
            queue: self.queue,
            placement: self.placement,
        }
    }
}

/// The options of `run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// Which scenario.
    #[command(flatten)]
    pub scenario: ScenarioArguments,
    /// The run directory; it must not exist [default: the next number of runs/NAME-1, -2, ...]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Record messages: `all`, or those that pass a filter, as in 'time=2d..3d;
    /// actors=host[0..20],scheduler; kinds=request,reply' [default: what the scenario says]
    #[arg(long, value_name = "FILTER")]
    pub trace: Option<Filter>,
    /// How to show progress
    #[arg(long, value_enum, default_value_t)]
    pub progress: ProgressStyle,
    /// How it is shown while it goes on.
    #[command(flatten)]
    pub live: serve::LiveArguments,
    /// What to keep of it.
    #[command(flatten)]
    pub care: CareArguments,
    /// How to execute it.
    #[command(flatten)]
    pub plan: PlanArguments,
}

/// How progress is shown, on standard error.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum ProgressStyle {
    /// A bar on a terminal, plain lines elsewhere
    #[default]
    Auto,
    /// Lines at growing intervals
    Plain,
    /// One JSON object a line, once a second
    Json,
    /// Nothing
    None,
}

/// The options of `check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// Which scenario.
    #[command(flatten)]
    pub scenario: ScenarioArguments,
}

/// The options of `describe`.
#[derive(Debug, Args)]
pub struct DescribeArguments {
    /// Which scenario.
    #[command(flatten)]
    pub scenario: ScenarioArguments,
    /// Run it once, one event after another, to find the longest chain of events that must follow each
    /// other: the most that any number of workers could gain
    #[arg(long)]
    pub critical_path: bool,
    /// How it would be executed.
    #[command(flatten)]
    pub plan: PlanArguments,
}

/// The options of `population`.
#[derive(Debug, Args)]
pub struct PopulationArguments {
    /// The table: cpu_model, n_hosts, avg_cores, gflops_per_core, gflops_per_host
    pub table: PathBuf,
    /// The population file to write
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// What the population is called [default: the name of the table]
    #[arg(long)]
    pub name: Option<String>,
    /// Fail if any line of the table is skipped
    #[arg(long)]
    pub strict: bool,
}

/// The options of `schema`.
#[derive(Debug, Args)]
pub struct SchemaArguments {
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// In which form
    #[arg(long, value_enum, default_value_t)]
    pub format: SchemaFormat,
}

/// In which form a schema is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum SchemaFormat {
    /// JSON Schema, for editors and programs
    #[default]
    Json,
    /// A table of all keys in Markdown, for people
    Keys,
}

/// More threads than any machine this runs on has; beyond it, a number is a slip of the finger.
const MOST_THREADS: usize = 1_024;

fn threads(text: &str) -> Result<usize, String> {
    if text == "auto" {
        return Ok(Plan::AUTO);
    }
    match text.parse() {
        Ok(count @ 1..=MOST_THREADS) => Ok(count),
        _ => Err(format!(
            "expected `auto` or a number from 1 to {MOST_THREADS}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn threads_are_counted_or_found_out() {
        assert_eq!(threads("3"), Ok(3));
        assert_eq!(threads("auto"), Ok(Plan::AUTO));
        for wrong in ["0", "-1", "many", "1000000"] {
            assert!(threads(wrong).is_err(), "{wrong}");
        }
    }
}
