//! The options of `bench`. Wherever several values make sense, a list can be given: 1,2,4.

use std::path::PathBuf;

use actors::shared::quantity::Duration;
use clap::{Args, Subcommand};

use super::threads;
use crate::bench::Axes;
use crate::coordinator::{HorizonRule, Plan, QueueRule, Runtime};

/// What is measured.
#[derive(Debug, Subcommand)]
pub enum BenchSubject {
    /// Measure the kernel with PHOLD, the field's synthetic workload
    Phold(PholdArguments),
    /// Measure a scenario of volunteer computing with several numbers of hosts
    Volunteer(VolunteerArguments),
}

/// The options of `bench phold`.
#[derive(Debug, Args)]
pub struct PholdArguments {
    /// How many actors there are
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1000,100000",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub actors: Vec<u32>,
    /// How many tokens each actor starts with
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub events_per_actor: Vec<u32>,
    /// The probability that a token goes to an actor chosen among all, else it stays
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "0.5"
    )]
    pub remote: Vec<f64>,
    /// The least delay, in seconds
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "0.1"
    )]
    pub lookahead: Vec<f64>,
    /// The mean of the exponential part of the delay, in seconds
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1")]
    pub mean: Vec<f64>,
    /// How long is simulated, as 100s [default: until about as many events as --events says]
    #[arg(long, value_name = "TIME")]
    pub until: Option<Duration>,
    /// About how many events a run handles, if --until is not given; at least five per token
    #[arg(long, value_name = "NUMBER", default_value_t = 4e6)]
    pub events: f64,
    /// How it is executed.
    #[command(flatten)]
    pub execution: ExecutionLists,
    /// What becomes of the findings.
    #[command(flatten)]
    pub output: BenchOutput,
}

/// The options of `bench volunteer`.
#[derive(Debug, Args)]
pub struct VolunteerArguments {
    /// The scenario, a TOML file
    #[arg(
        long,
        value_name = "FILE",
        default_value = "configs/volunteer/eah.toml"
    )]
    pub scenario: PathBuf,
    /// How many hosts there are [default: as many as the scenario says]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub hosts: Vec<u64>,
    /// How long is simulated [default: as long as the scenario says]
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Another value for a key of the scenario, as in jobs.delay_bound="7 d"
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// How it is executed.
    #[command(flatten)]
    pub execution: ExecutionLists,
    /// What becomes of the findings.
    #[command(flatten)]
    pub output: BenchOutput,
}

/// The plans to compare, and how often.
#[derive(Debug, Args)]
#[command(next_help_heading = "Execution (does not change results)")]
pub struct ExecutionLists {
    /// How many threads work; `auto`: one per core
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1,2",
        value_parser = threads)]
    pub threads: Vec<usize>,
    /// Into how many partitions the actors are divided; `auto`: as many as suit the threads
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "auto",
        value_parser = partitions)]
    pub partitions: Vec<Partitions>,
    /// What keeps pending events in order
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_enum,
        default_value = "window_ring"
    )]
    pub queue: Vec<QueueRule>,
    /// How far partitions may run at a time
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_enum,
        default_value = "auto"
    )]
    pub horizon: Vec<HorizonRule>,
    /// Who runs the workers
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_enum,
        default_value = "threads"
    )]
    pub runtime: Vec<Runtime>,
    /// Leave out the line of our own sequential loop over a binary heap
    #[arg(long)]
    pub no_baseline: bool,
    /// How often each line is measured, after a round that warms up
    #[arg(long, value_name = "NUMBER", default_value_t = 5,
        value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub repeat: u32,
    /// The seed of all random numbers
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
}

impl ExecutionLists {
    /// Everything that varies in the plans.
    pub fn axes(&self) -> Axes {
        Axes {
            threads: self
                .threads
                .iter()
                .map(|&count| one_per_core(count))
                .collect(),
            partitions: self.partitions.iter().map(|count| count.0).collect(),
            runtimes: self.runtime.clone(),
            horizons: self.horizon.clone(),
            queues: self.queue.clone(),
            baseline: !self.no_baseline,
        }
    }
}

/// What becomes of the findings.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct BenchOutput {
    /// Print one JSON array, an object per line of the table, instead of the table
    #[arg(long)]
    pub json: bool,
    /// Also write all figures as comma-separated values
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Also write a page with curves of speed-up
    #[arg(short, long, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
}

/// To measure is to compare numbers of threads, so `auto` means a number here, whatever the world.
fn one_per_core(threads: usize) -> usize {
    match threads {
        Plan::AUTO => std::thread::available_parallelism().map_or(1, usize::from),
        count => count,
    }
}

/// A number of partitions, or as many as suit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Partitions(pub Option<usize>);

fn partitions(text: &str) -> Result<Partitions, String> {
    const MOST: usize = 65_536;
    if text == "auto" {
        return Ok(Partitions(None));
    }
    match text.parse() {
        Ok(count @ 1..=MOST) => Ok(Partitions(Some(count))),
        _ => Err(format!("expected `auto` or a number from 1 to {MOST}")),
    }
}
