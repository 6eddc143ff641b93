//! `myriad run`: a scenario from its file to its run directory.

use std::io::{self, Write};
use std::path::Path;

use super::session::{self, Begun, Care};
use super::{Asked, Failure};
use crate::cli::RunArguments;
use crate::report::run_directory::{RUNS, RunDirectory};

/// Runs a scenario and reports on it.
pub fn run(arguments: &RunArguments) -> Result<(), Failure> {
    let loaded = Asked::read(&arguments.scenario)?.load()?;
    let care = Care {
        plan: arguments.plan.plan(),
        every: arguments.care.checkpoint_every,
        limits: arguments.care.limits(),
        progress: arguments.progress,
        trace: arguments.trace.clone(),
        live: Some(arguments.live.clone()),
    };
    session::refuse_what_does_not_fit(&loaded, care.limits)?;
    // Reserved before the run, so that an hour's work is not lost to a full or forbidden disk.
    let directory = match &arguments.output {
        Some(target) => RunDirectory::at(target)?,
        None => RunDirectory::numbered(Path::new(RUNS), &loaded.frame.name)?,
    };
    session::carry_out(loaded, directory, Begun::Now, &care)
}

/// Writes to standard output. Whoever closed it, as `head` does, has seen enough.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::NobodyListens),
        Err(error) => Err(Failure::Run(format!(
            "cannot write to standard output: {error}"
        ))),
    }
}
