//! How a run is taken care of: what is kept should it not come to its end.

use std::time::Duration;

use actors::shared::quantity;
use clap::Args;

use crate::checkpoint::{Every, Limits};

/// What is kept of a run that does not come to its end, and how much it may use.
#[derive(Debug, Args)]
#[command(next_help_heading = "Interruption (does not change results)")]
pub struct CareArguments {
    /// Keep what `myriad resume` needs: every '30 d simulated', or every '10 min wall' by the clock.
    /// Without a word, a day or more is simulated time, and less is by the clock. SIGUSR1 asks for a
    /// checkpoint at once
    #[arg(long, value_name = "TIME")]
    pub checkpoint_every: Option<Every>,
    /// Stop after so much time on the wall clock, with a checkpoint and a report of the part done
    #[arg(long, value_name = "TIME", value_parser = wall)]
    pub wall_limit: Option<Duration>,
    /// Stop when the process has more memory than this, in the same way
    #[arg(long, value_name = "BYTES", value_parser = memory)]
    pub memory_limit: Option<u64>,
}

impl CareArguments {
    /// The limits among them.
    pub fn limits(&self) -> Limits {
        Limits {
            wall: self.wall_limit,
            memory_bytes: self.memory_limit,
        }
    }
}

fn wall(text: &str) -> Result<Duration, String> {
    let read: Result<quantity::Duration, _> = text.parse();
    let span = read.map_err(|error| error.to_string())?.span();
    Ok(Duration::from_nanos(span.nanos()))
}

fn memory(text: &str) -> Result<u64, String> {
    let read: Result<quantity::Bytes, _> = text.parse();
    read.map(|bytes| bytes.bytes())
        .map_err(|error| error.to_string())
}
