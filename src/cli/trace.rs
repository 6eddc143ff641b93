//! The options of the verbs that ask a trace.

// What the help prints has brackets in it that are no links.
#![allow(rustdoc::broken_intra_doc_links)]

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::trace::{Filter, MessageId};

/// The options of `trace`.
#[derive(Debug, Args)]
pub struct TraceArguments {
    /// The run directory, of a run with --trace
    pub run: PathBuf,
    /// Which messages, as in 'time=2d..3d; with=host[3]; kinds=request,reply; jobs=17; fates=expired;
    /// text=no work' [default: all]
    pub filter: Option<Filter>,
    /// In which form
    #[arg(long, value_enum, default_value_t)]
    pub format: TraceFormat,
    /// Statistics by kind of message instead of the messages: counts, rates, delays, who talks to whom
    #[arg(long)]
    pub statistics: bool,
}

/// In which form messages are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum TraceFormat {
    /// For people
    #[default]
    Table,
    /// One JSON object a line
    Ndjson,
    /// Comma-separated values with a heading
    Csv,
}

/// The options of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// The run directory, of a run with --trace
    pub run: PathBuf,
    /// What is to be explained.
    #[command(flatten)]
    pub subject: ExplainSubject,
    /// How many steps back and forth are told
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub steps: usize,
}

/// What is to be explained.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct ExplainSubject {
    /// A message: what led to it, what was known, and what came of it
    #[arg(long, value_name = "ID")]
    pub message: Option<MessageId>,
    /// A job: all that was said about it
    #[arg(long, value_name = "NUMBER")]
    pub job: Option<u32>,
    /// A host: what it did, said and heard
    #[arg(long, value_name = "NUMBER")]
    pub host: Option<u32>,
}

/// The options of `export`.
#[derive(Debug, Args)]
pub struct ExportArguments {
    /// The run directory, of a run with --trace
    pub run: PathBuf,
    /// For which tool
    #[arg(long, value_enum)]
    pub to: ExportFormat,
    /// Only these messages, as in 'time=2d..3d; with=host[3]' [default: all]
    pub filter: Option<Filter>,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// For which tool a trace is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ExportFormat {
    /// Perfetto's own format, for ui.perfetto.dev: a track per actor, arrows between them
    Perfetto,
    /// Trace events in JSON, for Chrome's viewer and others that read it
    Chrome,
    /// An event log in XES (IEEE 1849), for process mining: a case per job instance
    Xes,
    /// An object-centric event log, OCEL 2.0 in JSON: jobs, instances, files and actors
    Ocel,
}
