//! Runs that are repetitions of one thing: what a comparison has on each of its sides.
//!
//! A run directory is a sample of one; the folder of a combination (`c01` of a study) is a sample of all its
//! repetitions; the directory of a study is as many samples as it has combinations.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::collection::{Figure, read_json};
use super::directory::{RECORD, StudyError, StudyRecord, combination_folder};

/// Repetitions of one scenario.
#[derive(Clone, Debug)]
pub struct Sample {
    /// What it is called.
    pub title: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its runs by their seeds: which belong together across samples.
    pub runs: BTreeMap<u64, SampleRun>,
    /// Its scenario, with everything written out.
    pub scenario: toml::Table,
}

/// One run of a sample.
#[derive(Clone, Debug)]
pub struct SampleRun {
    /// Where it is.
    pub path: PathBuf,
    /// Its figures by name.
    pub figures: BTreeMap<String, f64>,
}

/// Samples, and what they say of their figures.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// The samples.
    pub samples: Vec<Sample>,
    /// What each figure is.
    pub figures: BTreeMap<String, Figure>,
    /// The figures that matter most, in order.
    pub headlines: Vec<String>,
    /// Figures that the study names and no run has.
    pub unknown: Vec<String>,
}

impl Samples {
    /// Reads a run, a combination or a study.
    pub fn read(path: &Path) -> Result<Self, StudyError> {
        let mut samples = Samples::default();
        if path.join("summary.json").is_file() {
            samples.add(path.display().to_string(), path, &[path.to_owned()])?;
        } else if path.join(RECORD).is_file() {
            let record = StudyRecord::read(path)?;
            for combination in &record.combinations {
                let folder = path.join(combination_folder(
                    record.combinations.len(),
                    combination.number,
                ));
                samples.add(combination.title(), &folder, &runs_in(&folder)?)?;
            }
            if !record.figures.is_empty() {
                samples.headlines = record.figures;
            }
        } else {
            let runs = runs_in(path).unwrap_or_default();
            if runs.is_empty() {
                return Err(StudyError::Other(format!(
                    "{} is not a run, a study or a combination of one: no summary.json, no {RECORD} and no \
                     runs are in it",
                    path.display()
                )));
            }
            samples.add(title_of(path), path, &runs)?;
        }
        let (known, unknown) = std::mem::take(&mut samples.headlines)
            .into_iter()
            .partition(|name| samples.figures.contains_key(name));
        (samples.headlines, samples.unknown) = (known, unknown);
        Ok(samples)
    }

    fn add(&mut self, title: String, path: &Path, runs: &[PathBuf]) -> Result<(), StudyError> {
        let mut sample = Sample {
            title,
            path: path.to_owned(),
            runs: BTreeMap::new(),
            scenario: scenario_in(path)?,
        };
        for run in runs {
            let summary = read_json(&run.join("summary.json"))?;
            if summary["completed"] == false {
                continue;
            }
            let seed = summary["seed"].as_u64().unwrap_or_default();
            let mut figures = BTreeMap::new();
            for (name, scalar) in summary["scalars"].as_object().into_iter().flatten() {
                let word = |key: &str| scalar[key].as_str().unwrap_or_default().to_owned();
                let Some(value) = scalar["value"].as_f64() else {
                    continue;
                };
                figures.insert(name.clone(), value);
                self.figures.entry(name.clone()).or_insert_with(|| Figure {
                    unit: word("unit"),
                    meaning: word("meaning"),
                });
            }
            if self.headlines.is_empty() {
                let names = summary["headlines"].as_array().into_iter().flatten();
                self.headlines = names.filter_map(Value::as_str).map(str::to_owned).collect();
            }
            let path = run.clone();
            sample.runs.insert(seed, SampleRun { path, figures });
        }
        self.samples.push(sample);
        Ok(())
    }
}

impl Sample {
    /// The values of a figure, in the order of the seeds.
    pub fn values(&self, figure: &str) -> Vec<f64> {
        let runs = self.runs.values();
        runs.filter_map(|run| run.figures.get(figure).copied())
            .collect()
    }

    /// The values of a figure in the runs whose seeds both samples have, pair by pair.
    pub fn pairs(&self, other: &Sample, figure: &str) -> (Vec<f64>, Vec<f64>) {
        let shared = self.runs.iter().filter_map(|(seed, run)| {
            let other = other.runs.get(seed)?;
            Some((*run.figures.get(figure)?, *other.figures.get(figure)?))
        });
        shared.unzip()
    }
}

/// The run directories in the folder of a combination, in their order.
fn runs_in(folder: &Path) -> Result<Vec<PathBuf>, StudyError> {
    let entries = fs::read_dir(folder)
        .map_err(|error| StudyError::Other(format!("cannot read {}: {error}", folder.display())))?;
    let mut runs: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    runs.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with('r') && path.join("summary.json").is_file()
    });
    runs.sort();
    Ok(runs)
}

/// What the folder of a combination is called in its study.
fn title_of(folder: &Path) -> String {
    let number = folder.file_name().and_then(|name| {
        let digits = name.to_str()?.strip_prefix('c')?;
        digits.parse::<usize>().ok()
    });
    let record = folder
        .parent()
        .and_then(|study| StudyRecord::read(study).ok());
    let combination = number.zip(record).and_then(|(number, record)| {
        let at = number.checked_sub(1)?;
        Some(record.combinations.get(at)?.title())
    });
    combination.unwrap_or_else(|| folder.display().to_string())
}

fn scenario_in(folder: &Path) -> Result<toml::Table, StudyError> {
    let path = folder.join("scenario.toml");
    let wrong = |error: &dyn std::fmt::Display| {
        StudyError::Other(format!("cannot read {}: {error}", path.display()))
    };
    let text = fs::read_to_string(&path).map_err(|error| wrong(&error))?;
    text.parse().map_err(|error| wrong(&error))
}
