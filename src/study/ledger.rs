//! What became of every attempt to run something?
//!
//! One line of JSON per attempt, added when it ends. A line that was cut off by a crash is passed over.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The file of the ledger in the directory of a study.
pub const LEDGER: &str = "ledger.jsonl";

/// One attempt.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Which run, by its place, as `c01/r001`.
    pub run: String,
    /// How it ended.
    pub outcome: Outcome,
    /// How long it took, in seconds.
    pub wall_s: f64,
    /// What the run said when it did not do well.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said: String,
}

/// How an attempt ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Well.
    Completed,
    /// With an error, or a crash.
    Failed,
    /// It was stopped.
    Interrupted,
}

/// The ledger of a study.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
}

impl Ledger {
    /// The ledger in the directory of a study.
    pub fn of(study: &Path) -> Self {
        Ledger {
            path: study.join(LEDGER),
        }
    }

    /// Writes an entry down, in one piece.
    pub fn add(&self, entry: &Entry) -> io::Result<()> {
        let line = serde_json::to_string(entry).expect("an entry is plain data");
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path)?;
        file.write_all(format!("{line}\n").as_bytes())
    }

    /// Every entry that can be read.
    pub fn entries(&self) -> Vec<Entry> {
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        let entries = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        entries.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_and_a_torn_line_costs_only_itself() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::of(folder.path());
        assert!(ledger.entries().is_empty());
        let entry = |run: &str, outcome| Entry {
            run: run.to_owned(),
            outcome,
            wall_s: 1.5,
            said: String::new(),
        };
        ledger.add(&entry("c01/r001", Outcome::Failed)).unwrap();
        let mut file = OpenOptions::new()
            .append(true)
            .open(folder.path().join(LEDGER))
            .unwrap();
        file.write_all(b"{\"run\":\"c01/r0\n").unwrap();
        ledger.add(&entry("c01/r002", Outcome::Completed)).unwrap();
        let runs: Vec<_> = ledger
            .entries()
            .into_iter()
            .map(|e| (e.run, e.outcome))
            .collect();
        let expected = [
            ("c01/r001", Outcome::Failed),
            ("c01/r002", Outcome::Completed),
        ];
        assert_eq!(
            runs,
            expected.map(|(run, outcome)| (run.to_owned(), outcome))
        );
    }
}
