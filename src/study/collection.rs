//! What did the runs of a study find, together?
//!
//! One row per run: its number, combination, repetition and seed, the label of each axis, and every
//! figure of its `summary.json`. If the study has a warm-up, each series adds the mean of the part that
//! counts, as `<series>_steady`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::directory::{StudyError, StudyRecord, is_done};
use super::plan::PlannedRun;
use super::warm_up::WarmUp;
use crate::report::metrics_file::read_metrics;

/// What the runs of a study found.
#[derive(Clone, Debug)]
pub struct Collection {
    /// What was planned.
    pub record: StudyRecord,
    /// The runs that are done, in the order of their numbers.
    pub rows: Vec<Row>,
    /// What each figure is, by its name.
    pub figures: BTreeMap<String, Figure>,
    /// The series that were too short for their warm-up to be told, each with the number of runs.
    pub unsettled: BTreeMap<String, usize>,
}

/// What a run found.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Which run.
    pub run: PlannedRun,
    /// Where its directory is.
    pub path: PathBuf,
    /// The hash of its results.
    pub digest: String,
    /// Its figures by name.
    pub figures: BTreeMap<String, f64>,
}

/// What a figure is.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Figure {
    /// Its unit.
    pub unit: String,
    /// What it means, in one sentence.
    pub meaning: String,
}

/// What ends the name of the mean of a series after the warm-up.
pub const STEADY: &str = "_steady";

impl Collection {
    /// Reads the runs in the directories of one study: the parts of it that different machines ran.
    pub fn read(paths: &[PathBuf]) -> Result<Self, StudyError> {
        let first = paths.first().ok_or_else(|| {
            StudyError::Other("name at least one directory of a study".to_owned())
        })?;
        let mut collection = Collection {
            record: StudyRecord::read(first)?,
            rows: Vec::new(),
            figures: BTreeMap::new(),
            unsettled: BTreeMap::new(),
        };
        let mut rows = BTreeMap::new();
        for path in paths {
            let record = StudyRecord::read(path)?;
            if let Some(difference) = collection.record.difference(&record) {
                return Err(StudyError::Other(format!(
                    "{} and {} are not parts of one study: of the first, {difference}",
                    first.display(),
                    path.display()
                )));
            }
            for run in runs_in(path, &record)? {
                collection.add(path, run, &mut rows)?;
            }
        }
        collection.rows = rows.into_values().collect();
        Ok(collection)
    }

    fn add(
        &mut self,
        study: &Path,
        run: PlannedRun,
        rows: &mut BTreeMap<usize, Row>,
    ) -> Result<(), StudyError> {
        let path = study.join(self.record.place(&run));
        if !is_done(&path, run.seed) {
            return Ok(());
        }
        let summary = read_json(&path.join("summary.json"))?;
        let digest = summary["digest"].as_str().unwrap_or_default().to_owned();
        if let Some(twin) = rows.get(&run.number) {
            if twin.digest == digest {
                return Ok(());
            }
            return Err(StudyError::Other(format!(
                "{} and {} are the same run and found different things: they come from different \
                 versions of the program, or one was changed",
                twin.path.display(),
                path.display()
            )));
        }
        let mut figures = BTreeMap::new();
        for (name, scalar) in summary["scalars"].as_object().into_iter().flatten() {
            let word = |key: &str| scalar[key].as_str().unwrap_or_default().to_owned();
            if let Some(value) = scalar["value"].as_f64() {
                figures.insert(name.clone(), value);
                self.figures.entry(name.clone()).or_insert_with(|| Figure {
                    unit: word("unit"),
                    meaning: word("meaning"),
                });
            }
        }
        if self.record.warm_up != WarmUp::None {
            self.add_steady(&path, &mut figures)?;
        }
        let row = Row {
            run,
            path,
            digest,
            figures,
        };
        rows.insert(run.number, row);
        Ok(())
    }

    fn add_steady(
        &mut self,
        path: &Path,
        figures: &mut BTreeMap<String, f64>,
    ) -> Result<(), StudyError> {
        let file = path.join("metrics.parquet");
        let unreadable = |error: &dyn std::fmt::Display| {
            StudyError::Other(format!("cannot read {}: {error}", file.display()))
        };
        let opened = File::open(&file).map_err(|error| unreadable(&error))?;
        for series in read_metrics(opened).map_err(|error| unreadable(&error))? {
            let Some(steady) = self.record.warm_up.steady(&series.times_s, &series.values) else {
                continue;
            };
            let name = format!("{}{STEADY}", series.name);
            if !steady.is_settled {
                *self.unsettled.entry(series.name.clone()).or_default() += 1;
            }
            figures.insert(name.clone(), steady.mean);
            self.figures.entry(name).or_insert_with(|| Figure {
                unit: series.unit.clone(),
                meaning: format!("{}: mean after the warm-up.", series.title),
            });
        }
        Ok(())
    }

    /// The values of a figure in a combination, by repetition.
    pub fn values(&self, combination: usize, figure: &str) -> BTreeMap<u32, f64> {
        let rows = self
            .rows
            .iter()
            .filter(|row| row.run.combination == combination);
        rows.filter_map(|row| Some((row.run.repetition, *row.figures.get(figure)?)))
            .collect()
    }

    /// The figures that the study is about: those it names, or else those of a run's short summary.
    pub fn main_figures(&self) -> Vec<String> {
        let known = |name: &&String| self.figures.contains_key(*name);
        let named: Vec<String> = self.record.figures.iter().filter(known).cloned().collect();
        if !named.is_empty() {
            return named;
        }
        let summary = self.rows.first().map(|row| row.path.join("summary.json"));
        let summary = summary.and_then(|path| read_json(&path).ok());
        let summary = summary.unwrap_or_default();
        let headlines = summary["headlines"].as_array().cloned().unwrap_or_default();
        let names = headlines
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned);
        let headlines: Vec<String> = names.filter(|name| known(&name)).collect();
        if headlines.is_empty() {
            return self.figures.keys().cloned().collect();
        }
        headlines
    }
}

/// The runs whose directories are there.
fn runs_in(path: &Path, record: &StudyRecord) -> Result<Vec<PlannedRun>, StudyError> {
    let mut runs = Vec::new();
    let count = record.combinations.len();
    for combination in 1..=count {
        let folder = path.join(super::directory::combination_folder(count, combination));
        let entries = fs::read_dir(&folder).map_err(|error| {
            StudyError::Other(format!("cannot read {}: {error}", folder.display()))
        })?;
        for entry in entries.flatten() {
            let name = entry.file_name();
            let number = name.to_string_lossy();
            let number = number.strip_prefix('r').and_then(|n| n.parse::<u32>().ok());
            let Some(repetition) = number.filter(|&repetition| repetition > 0) else {
                continue;
            };
            runs.push(PlannedRun {
                number: (repetition as usize - 1) * count + combination,
                combination,
                repetition,
                seed: record.seed.wrapping_add(u64::from(repetition) - 1) & (i64::MAX as u64),
            });
        }
    }
    runs.sort_by_key(|run| run.number);
    Ok(runs)
}

/// Reads a file of JSON.
pub fn read_json(path: &Path) -> Result<Value, StudyError> {
    let wrong = |error: &dyn std::fmt::Display| {
        StudyError::Other(format!("cannot read {}: {error}", path.display()))
    };
    let text = fs::read_to_string(path).map_err(|error| wrong(&error))?;
    serde_json::from_str(&text).map_err(|error| wrong(&error))
}
