//! Which runs are not finished?
//!
//! A run directory that holds `unfinished.json` is of a run that has not come to its end: it goes on
//! at this moment, or it was interrupted or killed and can be resumed. The file comes with the
//! directory and goes last, when everything else is in its place; so a directory without it is whole.
//! Whoever runs the run holds a lock on the directory ([`Hold`]), which the system takes back whatever
//! ends the process.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::run_directory::{RunDirectory, RunDirectoryError};

/// How a run that is not finished came about.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Unfinished {
    /// The version of the program that began it.
    pub myriad: String,
    /// The scenario's name.
    pub name: String,
    /// The kind of world.
    pub domain: String,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Simulated time that was asked for, in seconds.
    pub until_s: f64,
    /// The command line that began it, word by word.
    pub arguments: Vec<String>,
    /// When it began (RFC 3339, UTC).
    pub started: String,
    /// The simulated times, in seconds, at which it was resumed.
    pub resumed_s: Vec<f64>,
}

/// Whoever holds this runs the run.
#[derive(Debug)]
pub struct Hold {
    /// `None` where a directory cannot be locked: then nobody is kept out.
    _locked: Option<File>,
}

impl Hold {
    /// Holds the run in this directory, until dropped.
    ///
    /// # Errors
    /// If another process has it.
    pub fn take(run: &Path) -> Result<Hold, UnfinishedError> {
        let directory = File::open(run).ok();
        match directory.as_ref().map(File::try_lock) {
            Some(Err(TryLockError::WouldBlock)) => Err(UnfinishedError::Running(run.to_owned())),
            _ => Ok(Hold { _locked: directory }),
        }
    }
}

/// Why an unfinished run cannot be taken up.
#[derive(Debug, thiserror::Error)]
pub enum UnfinishedError {
    /// There is a run, and it is finished.
    #[error("{0} is finished: there is nothing to resume")]
    Finished(PathBuf),
    /// There is no run.
    #[error("{0} is not a run directory: there is no {file} in it", file = Unfinished::FILE)]
    NoRun(PathBuf),
    /// Somebody is at it.
    #[error("{0} is being run by another process at this moment")]
    Running(PathBuf),
    /// The file says something else than it should.
    #[error("{path} is damaged: {source}")]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The system refused.
    #[error("cannot read {path}: {source}")]
    Refused {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// More bytes than any command line has.
const LARGEST: u64 = 16 << 20;

impl Unfinished {
    /// The file's name.
    pub const FILE: &'static str = "unfinished.json";

    /// Whether the run in this directory has not come to its end.
    pub fn marks(run: &Path) -> bool {
        run.join(Self::FILE).exists()
    }

    /// Writes it into a run directory.
    pub fn write(&self, directory: &RunDirectory) -> Result<(), RunDirectoryError> {
        directory.write(Self::FILE, |out| {
            serde_json::to_writer_pretty(out, self).map_err(io::Error::from)
        })
    }

    /// Reads it from a run directory, and holds the run until the answer is dropped.
    pub fn take_up(run: &Path) -> Result<(Unfinished, Hold), UnfinishedError> {
        let path = run.join(Self::FILE);
        let refused = |source: io::Error| UnfinishedError::Refused {
            path: path.clone(),
            source,
        };
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let finished = run.join("manifest.json").exists();
                return Err(if finished {
                    UnfinishedError::Finished(run.to_owned())
                } else {
                    UnfinishedError::NoRun(run.to_owned())
                });
            }
            other => other.map_err(refused)?,
        };
        let hold = Hold::take(run)?;
        let damaged = |source| UnfinishedError::Damaged {
            path: path.clone(),
            source,
        };
        let unfinished =
            serde_json::from_reader(io::Read::take(&file, LARGEST)).map_err(damaged)?;
        Ok((unfinished, hold))
    }

    /// Takes the mark away: the run is finished.
    pub fn remove(run: &Path) -> Result<(), RunDirectoryError> {
        let path = run.join(Self::FILE);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(RunDirectoryError::Refused {
                    doing: "remove",
                    path,
                    source,
                })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unfinished() -> Unfinished {
        Unfinished {
            myriad: "0.1.0".to_owned(),
            name: "small".to_owned(),
            domain: "volunteer".to_owned(),
            seed: 7,
            until_s: 86_400.0,
            arguments: vec!["myriad".to_owned(), "run".to_owned()],
            started: "2026-12-01T00:00:00Z".to_owned(),
            resumed_s: Vec::new(),
        }
    }

    #[test]
    fn one_process_at_a_time_has_an_unfinished_run() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("run");
        let directory = RunDirectory::at(&target).unwrap();
        unfinished().write(&directory).unwrap();
        let hold = Hold::take(&directory.path()).unwrap();
        directory.publish().unwrap();
        assert!(Unfinished::marks(&target));
        let busy = Unfinished::take_up(&target);
        assert!(matches!(busy, Err(UnfinishedError::Running(_))), "{busy:?}");
        drop(hold);
        let (read, _hold) = Unfinished::take_up(&target).unwrap();
        assert_eq!(read, unfinished());
        Unfinished::remove(&target).unwrap();
        let gone = Unfinished::take_up(&target);
        assert!(matches!(gone, Err(UnfinishedError::NoRun(_))), "{gone:?}");
    }
}
