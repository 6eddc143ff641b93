//! The `myriad` program: read the command line, choose a verb, print the outcome.

use std::process::ExitCode;

use clap::Parser;
use myriad::{cli::CommandLine, commands};
use tracing_subscriber::EnvFilter;

/// Requests and replies are boxed in one thread and freed in another.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let log = EnvFilter::try_from_env("MYRIAD_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(log)
        .with_writer(std::io::stderr)
        .init();
    match commands::execute(CommandLine::parse().verb) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let code = failure.exit_code();
            failure.report();
            ExitCode::from(code)
        }
    }
}
