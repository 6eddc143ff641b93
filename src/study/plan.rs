//! Which runs does a study make?
//!
//! Runs are numbered repetition by repetition: all combinations once, then all of them again. So more
//! repetitions leave the numbers of earlier runs as they are, and a study that is stopped early has
//! compared all combinations on the seeds it has come to.
//!
//! Repetition r of every combination has the same seed. Random streams belong to actors and purposes, so
//! the same hosts join, switch off and err at the same times, and a difference between two combinations
//! is theirs and not chance's (common random numbers; A. M. Law, "Simulation Modeling and Analysis",
//! section 11.2).

use std::path::Path;

use toml_edit::Value;

use super::table::Study;
use crate::scenario::domain::{Domain, Loaded};
use crate::scenario::{KeyPath, Override, ScenarioError, ScenarioText};

/// Every run of a study, before any is run.
#[derive(Clone, Debug)]
pub struct StudyPlan {
    /// What the scenario is called.
    pub name: String,
    /// What is studied.
    pub study: Study,
    /// The combinations that are run.
    pub combinations: Vec<Combination>,
    /// How many the condition left out.
    pub left_out: usize,
    /// The seed of the first repetition.
    pub seed: u64,
}

/// One choice from each axis.
#[derive(Clone, Debug)]
pub struct Combination {
    /// Its number, from 1.
    pub number: usize,
    /// What each axis is, in the order of the axes.
    pub labels: Vec<String>,
    /// The keys it sets.
    pub set: Vec<(KeyPath, Value)>,
    /// About how many events a run of it has.
    pub events: f64,
    /// About how much memory a run of it takes, in bytes.
    pub memory_bytes: f64,
    /// A hash of the scenario with everything written out and of what it refers to.
    pub digest: String,
}

/// One run of a study.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlannedRun {
    /// Its number, from 1.
    pub number: usize,
    /// The number of its combination, from 1.
    pub combination: usize,
    /// Which repetition it is, from 1.
    pub repetition: u32,
    /// Its seed.
    pub seed: u64,
}

/// More combinations than this are a slip of the finger.
pub const MOST_COMBINATIONS: usize = 100_000;

impl StudyPlan {
    /// Reads the study of a scenario and checks every combination; `folder` is where the file is.
    pub fn new<D: Domain>(text: &ScenarioText, folder: &Path) -> Result<Self, ScenarioError> {
        let study = Study::read(text)?;
        let product = study.axes.iter().try_fold(1_usize, |product, axis| {
            product
                .checked_mul(axis.choices.len())
                .filter(|&product| product <= MOST_COMBINATIONS)
        });
        let Some(product) = product else {
            return Err(ScenarioError::new(format!(
                "the study has more than {MOST_COMBINATIONS} combinations: vary fewer keys, or over fewer values"
            )));
        };
        let base: D::Scenario = text.meaning()?;
        let frame = D::frame(&base);
        let mut plan = StudyPlan {
            name: frame.name,
            study,
            combinations: Vec::new(),
            left_out: 0,
            seed: frame.seed,
        };
        for position in 0..product {
            match plan.combination::<D>(position, text, folder)? {
                Some(combination) => plan.combinations.push(combination),
                None => plan.left_out += 1,
            }
        }
        if plan.combinations.is_empty() {
            return Err(ScenarioError::new(format!(
                "`study.condition` leaves none of the {product} combinations"
            )));
        }
        Ok(plan)
    }

    /// The combination at this position of the product, if the condition allows it. The last axis
    /// changes fastest.
    fn combination<D: Domain>(
        &self,
        position: usize,
        text: &ScenarioText,
        folder: &Path,
    ) -> Result<Option<Combination>, ScenarioError> {
        let mut rest = position;
        let mut labels = Vec::new();
        let mut chosen = Vec::new();
        for axis in self.study.axes.iter().rev() {
            let choice = &axis.choices[rest % axis.choices.len()];
            rest /= axis.choices.len();
            labels.push(choice.label.clone());
            chosen.push(&choice.set);
        }
        labels.reverse();
        let set: Vec<_> = chosen.into_iter().rev().flatten().cloned().collect();
        let changed = changed(text, &set)?;
        if let Some(condition) = &self.study.condition {
            // Before the scenario is checked: a condition may leave out what would not pass.
            let scenario: D::Scenario = changed.meaning()?;
            let table = toml::Table::try_from(&scenario)
                .map_err(|error| ScenarioError::new(error.to_string()))?;
            let key = crate::scenario::file::path_of("study.condition");
            let holds = condition.holds(&table);
            if !holds.map_err(|why| text.error_at(&key, format!("`{key}`: {why}")))? {
                return Ok(None);
            }
        }
        let mut loaded: Loaded<D> = Loaded::from_text(&changed, folder)?;
        let forecast = D::forecast(&loaded.scenario, &loaded.inputs);
        let enclosed = D::enclose(&mut loaded.scenario, &loaded.inputs);
        Ok(Some(Combination {
            number: self.combinations.len() + 1,
            labels,
            set,
            events: forecast.events,
            memory_bytes: forecast.memory_bytes,
            digest: digest(&loaded.scenario, &enclosed),
        }))
    }

    /// The runs of so many repetitions, in the order in which they are run.
    pub fn runs(&self, repetitions: u32) -> impl Iterator<Item = PlannedRun> + '_ {
        (1..=repetitions).flat_map(move |repetition| {
            let combinations = 1..=self.combinations.len();
            combinations.map(move |combination| self.run(combination, repetition))
        })
    }

    /// One run.
    pub fn run(&self, combination: usize, repetition: u32) -> PlannedRun {
        let earlier = u64::from(repetition - 1);
        PlannedRun {
            number: earlier as usize * self.combinations.len() + combination,
            combination,
            repetition,
            // The files of scenarios hold seeds up to 2^63 - 1; beyond it they begin again.
            seed: self.seed.wrapping_add(earlier) & (i64::MAX as u64),
        }
    }

    /// The names of the axes.
    pub fn axes(&self) -> Vec<&str> {
        self.study
            .axes
            .iter()
            .map(|axis| axis.name.as_str())
            .collect()
    }
}

impl Combination {
    /// What it is called: the label of each axis.
    pub fn title(&self) -> String {
        if self.labels.is_empty() {
            return "the scenario as it is".to_owned();
        }
        self.labels.join(" · ")
    }

    /// Its scenario, once more.
    pub fn load<D: Domain>(
        &self,
        text: &ScenarioText,
        folder: &Path,
    ) -> Result<Loaded<D>, ScenarioError> {
        Loaded::from_text(&changed(text, &self.set)?, folder)
    }
}

fn changed(text: &ScenarioText, set: &[(KeyPath, Value)]) -> Result<ScenarioText, ScenarioError> {
    let overrides: Vec<Override> = set
        .iter()
        .map(|(path, value)| Override::of(path.clone(), value.clone()))
        .collect();
    text.with(&overrides)
}

fn digest(scenario: &impl serde::Serialize, enclosed: &[(String, String)]) -> String {
    let mut hasher = blake3::Hasher::new();
    serde_json::to_writer(&mut hasher, scenario).expect("a scenario is plain data");
    for (name, contents) in enclosed {
        hasher.update(format!("\n{name} {}\n", contents.len()).as_bytes());
        hasher.update(contents.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::volunteer::Volunteer;

    fn plan(study: &str) -> Result<StudyPlan, String> {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/configs/volunteer"));
        let text = format!("name = \"s\"\nseed = 5\nhosts = 10\nuntil = \"1 d\"\n[study]\n{study}");
        let text = ScenarioText::new("s.toml", &text, Vec::new()).map_err(|e| e.to_string())?;
        StudyPlan::new::<Volunteer>(&text, folder).map_err(|e| e.to_string())
    }

    #[test]
    fn every_combination_gets_the_same_seeds_and_numbers_stay_when_repetitions_are_added() {
        let plan = plan("vary = { hosts = [10, 20], jobs.min_quorum = [1, 2, 3] }\n").unwrap();
        assert_eq!(plan.combinations.len(), 6);
        assert_eq!(plan.combinations[1].labels, ["10", "2"]);
        assert_eq!(plan.combinations[3].labels, ["20", "1"]);
        let two: Vec<_> = plan.runs(2).collect();
        let three: Vec<_> = plan.runs(3).collect();
        assert_eq!(two, three[..12]);
        assert!(two.iter().enumerate().all(|(i, run)| run.number == i + 1));
        assert!(
            three
                .iter()
                .all(|run| run.seed == 4 + u64::from(run.repetition))
        );
    }

    #[test]
    fn the_condition_leaves_out_what_would_not_even_be_a_scenario() {
        let vary = "vary = { jobs.min_quorum = [2, 5], jobs.target_nresults = [2, 5] }\n";
        assert!(plan(vary).unwrap_err().contains("min_quorum"));
        let condition = "condition = \"jobs.min_quorum <= jobs.target_nresults\"\n";
        let plan = plan(&(condition.to_owned() + vary)).unwrap();
        assert_eq!((plan.combinations.len(), plan.left_out), (3, 1));
        assert_eq!(plan.combinations[2].number, 3);
    }

    #[test]
    fn what_cannot_be_run_is_refused_before_anything_is() {
        let many = "vary = { hosts = { from = 1, to = 1000, step = 1 }, jobs.min_quorum = { from = 1, to = 1000, step = 1 } }\n";
        assert!(
            plan(many)
                .unwrap_err()
                .contains("more than 100000 combinations")
        );
        let none = plan("condition = \"hosts > 10\"\n").unwrap_err();
        assert!(none.contains("leaves none"), "{none}");
        let wrong = plan("vary = { hosts = [10, \"x\"] }\n").unwrap_err();
        assert!(wrong.contains("hosts"), "{wrong}");
    }
}
