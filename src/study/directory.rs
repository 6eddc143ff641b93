//! Where are the runs of a study, and which of them are done?
//!
//! ```text
//! DIR/study.json             what was planned: combinations, seeds, how often
//! DIR/ledger.jsonl           what became of every attempt, one line each
//! DIR/c01/scenario.toml      the scenario of combination 1, with everything it refers to beside it
//! DIR/c01/r001/              the run directory of its first repetition
//! ```
//!
//! Scenarios are written out before anything is run, so nothing that is edited meanwhile changes a study,
//! and the directory can be moved. A run is done if its own directory says so: that appears complete or
//! not at all. A directory of another study is refused.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::plan::{PlannedRun, StudyPlan};
use super::table::as_json;
use super::warm_up::WarmUp;
use crate::report::run_directory::{RunDirectoryError, write_text};

/// What was planned, as it stands in `study.json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StudyRecord {
    /// The version of the program.
    pub myriad: String,
    /// The version of the layout of the directory.
    pub layout: u32,
    /// What the scenario is called.
    pub name: String,
    /// The command line that began the study, word by word.
    pub arguments: Vec<String>,
    /// The seed of the first repetition.
    pub seed: u64,
    /// What is left out at the start of a series.
    pub warm_up: WarmUp,
    /// The figures the study is about.
    pub figures: Vec<String>,
    /// What varies.
    pub axes: Vec<String>,
    /// Every combination.
    pub combinations: Vec<CombinationRecord>,
}

/// A combination as it stands in `study.json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CombinationRecord {
    /// Its number, from 1.
    pub number: usize,
    /// What each axis is, in their order.
    pub labels: Vec<String>,
    /// The keys it sets.
    pub set: Map<String, Value>,
    /// A hash of the scenario with everything written out and of what it refers to.
    pub digest: String,
}

impl CombinationRecord {
    /// What it is called: the label of each axis.
    pub fn title(&self) -> String {
        if self.labels.is_empty() {
            return "the scenario as it is".to_owned();
        }
        self.labels.join(" · ")
    }
}

/// The present layout of study directories.
pub const LAYOUT: u32 = 1;
/// The file that says what was planned.
pub const RECORD: &str = "study.json";
const LOCK: &str = ".lock";

/// Why there is no study at a place.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The directory holds something else.
    #[error("{0}")]
    Other(String),
    /// The system refused.
    #[error(transparent)]
    Refused(#[from] RunDirectoryError),
}

/// The directory of a study, which nobody else works in.
#[derive(Debug)]
pub struct StudyDirectory {
    path: PathBuf,
    // Held as long as this lives.
    _lock: File,
}

impl StudyRecord {
    /// What is written down of a plan.
    pub fn new(plan: &StudyPlan) -> Self {
        let combinations = plan.combinations.iter().map(|combination| {
            let set = combination.set.iter();
            CombinationRecord {
                number: combination.number,
                labels: combination.labels.clone(),
                set: set
                    .map(|(path, value)| (path.to_string(), as_json(value)))
                    .collect(),
                digest: combination.digest.clone(),
            }
        });
        StudyRecord {
            myriad: env!("CARGO_PKG_VERSION").to_owned(),
            layout: LAYOUT,
            name: plan.name.clone(),
            arguments: std::env::args_os()
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
            seed: plan.seed,
            warm_up: plan.study.warm_up,
            figures: plan.study.figures.clone(),
            axes: plan.axes().into_iter().map(str::to_owned).collect(),
            combinations: combinations.collect(),
        }
    }

    /// Reads the record of the study at `path`.
    pub fn read(path: &Path) -> Result<Self, StudyError> {
        let file = path.join(RECORD);
        let text = fs::read_to_string(&file).map_err(|error| {
            StudyError::Other(format!(
                "{} is not the directory of a study: cannot read {}: {error}",
                path.display(),
                file.display()
            ))
        })?;
        let record: StudyRecord = serde_json::from_str(&text)
            .map_err(|error| StudyError::Other(format!("{}: {error}", file.display())))?;
        if record.layout != LAYOUT {
            return Err(StudyError::Other(format!(
                "{} has layout {}, and this program knows layout {LAYOUT}: use the version that wrote \
                 it, myriad {}",
                file.display(),
                record.layout,
                record.myriad
            )));
        }
        Ok(record)
    }

    /// In what the other is another study; `None` if in nothing that matters to runs.
    pub fn difference(&self, other: &StudyRecord) -> Option<String> {
        if self.seed != other.seed {
            return Some(format!("its seed is {} and not {}", self.seed, other.seed));
        }
        let (mine, theirs) = (self.combinations.len(), other.combinations.len());
        if mine != theirs {
            return Some(format!("it has {mine} combinations and not {theirs}"));
        }
        let differs = |(a, b): &(&CombinationRecord, &CombinationRecord)| a.digest != b.digest;
        let pairs = self.combinations.iter().zip(&other.combinations);
        let (first, _) = pairs.into_iter().find(differs)?;
        Some(format!(
            "the scenario of its combination {} ({}) is another one",
            first.number,
            first.title()
        ))
    }

    /// Where a run is, below the directory of the study.
    pub fn place(&self, run: &PlannedRun) -> PathBuf {
        place(self.combinations.len(), run)
    }
}

/// The folder of a combination among so many, as `c01`.
pub fn combination_folder(combinations: usize, number: usize) -> String {
    let digits = combinations.to_string().len().max(2);
    format!("c{number:0digits$}")
}

fn place(combinations: usize, run: &PlannedRun) -> PathBuf {
    let folder = combination_folder(combinations, run.combination);
    Path::new(&folder).join(format!("r{:03}", run.repetition))
}

impl StudyDirectory {
    /// Makes the directory of a study, or opens it again. `write` fills the folder of a combination.
    pub fn open(
        path: &Path,
        record: &StudyRecord,
        mut write: impl FnMut(usize, &Path) -> Result<(), StudyError>,
    ) -> Result<Self, StudyError> {
        refuse_foreign(path)?;
        let refused = |doing, path: &Path| {
            let path = path.to_owned();
            move |source| {
                StudyError::Refused(RunDirectoryError::Refused {
                    doing,
                    path,
                    source,
                })
            }
        };
        fs::create_dir_all(path).map_err(refused("create", path))?;
        let lock_path = path.join(LOCK);
        let lock = File::create(&lock_path).map_err(refused("create", &lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StudyError::Other(format!(
                    "another `myriad sweep` is at work in {}: wait for it, or give this one another -o",
                    path.display()
                )));
            }
            // Where files cannot be locked, one is trusted to start one sweep at a time.
            Err(TryLockError::Error(_)) => {}
        }
        let directory = StudyDirectory {
            path: path.to_owned(),
            _lock: lock,
        };
        if path.join(RECORD).exists() {
            let there = StudyRecord::read(path)?;
            if let Some(difference) = there.difference(record) {
                return Err(StudyError::Other(format!(
                    "{} holds another study: {difference}. Choose another directory with -o",
                    path.display()
                )));
            }
            return Ok(directory);
        }
        for combination in &record.combinations {
            let folder = path.join(combination_folder(
                record.combinations.len(),
                combination.number,
            ));
            fs::create_dir_all(&folder).map_err(refused("create", &folder))?;
            write(combination.number, &folder)?;
        }
        // Last: a directory that has it has everything.
        let mut text = serde_json::to_string_pretty(record).expect("a record is plain data");
        text.push('\n');
        write_text(&path.join(RECORD), &text)?;
        Ok(directory)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes away what an attempt left that did not come to its end: a directory with partial results,
    /// or the hidden one of a program that was killed.
    pub fn clear(&self, run: &Path) -> Result<(), StudyError> {
        let target = self.path.join(run);
        let folder = target.parent().unwrap_or(&self.path);
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let hidden = format!(".{name}.partial");
        let mut leftovers = vec![target.clone()];
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&hidden) {
                leftovers.push(entry.path());
            }
        }
        for path in leftovers.into_iter().filter(|path| path.exists()) {
            fs::remove_dir_all(&path).map_err(|source| {
                let doing = "remove";
                StudyError::Refused(RunDirectoryError::Refused {
                    doing,
                    path,
                    source,
                })
            })?;
        }
        Ok(())
    }
}

/// A directory with other things in it is not filled with runs.
fn refuse_foreign(path: &Path) -> Result<(), StudyError> {
    let Ok(entries) = fs::read_dir(path) else {
        if path.exists() {
            return Err(StudyError::Other(format!(
                "{} is a file: name a directory for the study with -o",
                path.display()
            )));
        }
        return Ok(());
    };
    let names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    // A study that was stopped while its scenarios were written has folders and a lock only.
    let is_ours = |name: &std::ffi::OsString| {
        let name = name.to_string_lossy();
        let digits = name.strip_prefix('c').unwrap_or("x");
        *name == *LOCK || digits.chars().all(|c| c.is_ascii_digit())
    };
    if names.iter().any(|name| name == RECORD) || names.iter().all(is_ours) {
        return Ok(());
    }
    Err(StudyError::Other(format!(
        "{} is not empty and not the directory of a study: choose another with -o",
        path.display()
    )))
}

/// Whether the run in this directory has come to its end with this seed.
pub fn is_done(path: &Path, seed: u64) -> bool {
    let text = fs::read_to_string(path.join("manifest.json")).unwrap_or_default();
    let manifest: Value = serde_json::from_str(&text).unwrap_or_default();
    manifest["completed"] == true && manifest["seed"] == seed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(seed: u64, digests: &[&str]) -> StudyRecord {
        let combination = |(position, digest): (usize, &&str)| CombinationRecord {
            number: position + 1,
            labels: vec![format!("label {position}")],
            set: Map::new(),
            digest: (*digest).to_owned(),
        };
        StudyRecord {
            myriad: "0".to_owned(),
            layout: LAYOUT,
            name: "s".to_owned(),
            arguments: Vec::new(),
            seed,
            warm_up: WarmUp::Mser5,
            figures: Vec::new(),
            axes: vec!["hosts".to_owned()],
            combinations: digests.iter().enumerate().map(combination).collect(),
        }
    }

    fn open(path: &Path, record: &StudyRecord) -> Result<StudyDirectory, String> {
        let nothing = |_, _: &Path| Ok(());
        StudyDirectory::open(path, record, nothing).map_err(|error| error.to_string())
    }

    #[test]
    fn a_study_is_opened_again_and_another_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let mine = record(1, &["a", "b"]);
        drop(open(&path, &mine).unwrap());
        let held = open(&path, &mine).unwrap();
        assert!(open(&path, &mine).unwrap_err().contains("at work"));
        drop(held);
        assert_eq!(StudyRecord::read(&path).unwrap(), mine);
        for (other, why) in [
            (record(2, &["a", "b"]), "its seed is 1"),
            (record(1, &["a"]), "2 combinations and not 1"),
            (record(1, &["a", "c"]), "combination 2 (label 1)"),
        ] {
            let message = open(&path, &other).unwrap_err();
            assert!(message.contains(why), "{message}");
        }
    }

    #[test]
    fn a_directory_with_other_things_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("thesis.tex"), "years of work").unwrap();
        let message = open(folder.path(), &record(1, &["a"])).unwrap_err();
        assert!(message.contains("is not empty"), "{message}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let file = folder.path().join("thesis.tex");
        assert!(
            open(&file, &record(1, &["a"]))
                .unwrap_err()
                .contains("is a file")
        );
    }

    #[test]
    fn what_an_attempt_left_is_cleared_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let study = open(&path, &record(1, &["a"])).unwrap();
        for name in [
            "c01/r001",
            "c01/.r001.partial-77",
            "c01/r002",
            "c01/.r0011.partial-7",
        ] {
            fs::create_dir_all(path.join(name)).unwrap();
        }
        study.clear(Path::new("c01/r001")).unwrap();
        let mut left: Vec<_> = fs::read_dir(path.join("c01"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, [".r0011.partial-7", "r002"]);
    }
}
