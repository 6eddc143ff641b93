//! How does the program end when it did not do what it was asked?
//!
//! 1: the run failed. 2: the scenario or the command line is wrong. 3: a limit was reached. 4: runs of equal worlds differ. 130:
//! interrupted.

use super::interrupt::INTERRUPTED;
use crate::checkpoint::CheckpointError;
use crate::coordinator::RunError;
use crate::report::progress::say;
use crate::report::run_directory::RunDirectoryError;
use crate::scenario::ScenarioError;
use crate::study::directory::StudyError;
use crate::trace::TraceError;

/// Why a verb did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The scenario cannot be used.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// Something else that was asked for cannot be done, and asking differently would help.
    #[error("{0}")]
    Asked(String),
    /// The run did not go well.
    #[error("{0}")]
    Run(String),
    /// Runs of equal worlds found different things: no figure of the benchmark means anything.
    #[error("runs of equal worlds found different things, so none of these figures count:\n{0}")]
    Disagreement(String),
    /// The run directory cannot be had.
    #[error(transparent)]
    Directory(#[from] RunDirectoryError),
    /// A trace cannot be written or read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// Nothing can be served there.
    #[cfg(feature = "serve")]
    #[error(transparent)]
    Serve(#[from] crate::serve::ServeError),
    /// The run was interrupted; what it had found by then has been reported.
    #[error("{0}")]
    Interrupted(String),
    /// The run has come to a limit that was set for it; what it had found has been reported.
    #[error("{0}")]
    Limit(String),
    /// A checkpoint cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// Nobody listens to the output any more: not worth a word.
    #[error("nobody listens")]
    NobodyListens,
}

impl From<StudyError> for Failure {
    fn from(error: StudyError) -> Self {
        match error {
            StudyError::Other(message) => Failure::Asked(message),
            StudyError::Refused(error) => Failure::Directory(error),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        Failure::Run(error.to_string())
    }
}

impl Failure {
    /// The exit code of the program.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Scenario(_)
            | Failure::Asked(_)
            | Failure::Trace(TraceError::Filter(_))
            | Failure::Checkpoint(_)
            | Failure::Directory(RunDirectoryError::Exists(_)) => 2,
            #[cfg(feature = "serve")]
            Failure::Serve(_) => 2,
            Failure::Run(_) | Failure::Trace(_) | Failure::Directory(_) => 1,
            Failure::Disagreement(_) => 4,
            Failure::Limit(_) => 3,
            Failure::Interrupted(_) => INTERRUPTED,
            Failure::NobodyListens => 0,
        }
    }

    /// The message for people, on standard error.
    pub fn report(self) {
        match self {
            Failure::NobodyListens => {}
            // With the place in the file, and colours where they are wanted.
            Failure::Scenario(error) => say(&format!("{:?}", miette::Report::new(error))),
            other => say(&format!("myriad: {other}")),
        }
    }
}
