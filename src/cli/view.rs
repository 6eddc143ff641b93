//! The options of `view`.

// What the help prints has brackets in it that are no links.
#![allow(rustdoc::broken_intra_doc_links)]

use std::path::PathBuf;

use clap::Args;

use super::serve::ServeArguments;
use crate::trace::Filter;

/// The options of `view`.
#[derive(Debug, Args)]
pub struct ViewArguments {
    /// The run directory, of a run with --trace
    pub run: PathBuf,
    /// Only these messages, as in 'time=2d..3d; with=host[3]; kinds=request,reply; jobs=17' [default: all]
    pub filter: Option<Filter>,
    /// The page to write [default: messages.html in the run directory]
    #[arg(short, long, value_name = "FILE", conflicts_with = "serve")]
    pub output: Option<PathBuf>,
    /// Instead of writing a page.
    #[command(flatten)]
    pub serve: ServeArguments,
}
