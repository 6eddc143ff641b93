//! What does the application need to know of a domain?
//!
//! One implementation of [`Domain`] per kind of world; everything else here is the same for all.

use std::path::Path;

use actors::shared::gauge::Gauge;
use actors::shared::narration::Narrator;
use actors::shared::results::Results;
use kernel::{Observer, Saved, SavedActor, SimDuration, World};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::ScenarioError;
use super::file::ScenarioText;

/// A kind of world: from its scenario to its results.
pub trait Domain {
    /// Its name in scenario files: `domain = "volunteer"`.
    const NAME: &'static str;
    /// What a scenario file says.
    type Scenario: DeserializeOwned + Serialize + JsonSchema + Clone;
    /// What the scenario refers to in other files.
    type Inputs;
    /// Its cast.
    type Actor: SavedActor;
    /// Who turns its facts into results.
    type Metrics: Observer<Self::Actor> + Saved;
    /// Who tells of its messages.
    type Narrator: Narrator<Self::Actor>;

    /// The scenario's name, seed and length.
    fn frame(scenario: &Self::Scenario) -> Frame;

    /// What is wrong with a scenario beyond the values of single keys.
    fn problems(scenario: &Self::Scenario) -> Vec<Problem>;

    /// Reads what the scenario refers to. Relative paths start at `folder`, the scenario's own.
    fn read_inputs(
        text: &ScenarioText,
        scenario: &Self::Scenario,
        folder: &Path,
    ) -> Result<Self::Inputs, ScenarioError>;

    /// Makes the scenario refer to files beside it, and returns these: names and contents.
    fn enclose(scenario: &mut Self::Scenario, inputs: &Self::Inputs) -> Vec<(String, String)>;

    /// The world at its start.
    fn build(scenario: &Self::Scenario, inputs: &Self::Inputs) -> World<Self::Actor>;

    /// The observer of a run.
    fn metrics(scenario: &Self::Scenario) -> Self::Metrics;

    /// Which messages are recorded, as the scenario says: a filter, empty for none.
    fn trace(scenario: &Self::Scenario) -> &str;

    /// Who tells of a run's messages.
    fn narrator(scenario: &Self::Scenario) -> Self::Narrator;

    /// What can be seen of a run while it goes on.
    fn gauges(metrics: &Self::Metrics) -> Vec<Gauge>;

    /// What the observer found.
    fn results(metrics: Self::Metrics, scenario: &Self::Scenario) -> Results;

    /// About how large a run will be.
    fn forecast(scenario: &Self::Scenario, inputs: &Self::Inputs) -> Forecast;
}

/// What every scenario has, whatever its domain.
#[derive(Clone, PartialEq, Debug)]
pub struct Frame {
    /// What the experiment is called.
    pub name: String,
    /// The seed of all random numbers.
    pub seed: u64,
    /// How long is simulated.
    pub until: SimDuration,
}

/// Something wrong with a scenario that only a look at several keys shows.
#[derive(Clone, PartialEq, Debug)]
pub struct Problem {
    /// Which key, as `jobs.min_quorum`.
    pub key: String,
    /// What it is.
    pub found: String,
    /// Why that cannot be.
    pub wrong: String,
    /// What would be right.
    pub right: String,
}

/// About how large a run will be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Forecast {
    /// How many messages will be handled.
    pub events: f64,
    /// How much memory the world will take, in bytes.
    pub memory_bytes: f64,
    /// How many actors there will be.
    pub actors: f64,
}

/// A scenario that has passed all checks, with everything it refers to.
pub struct Loaded<D: Domain> {
    /// What the file says.
    pub scenario: D::Scenario,
    /// What it refers to.
    pub inputs: D::Inputs,
    /// Name, seed and length.
    pub frame: Frame,
}

impl<D: Domain> Loaded<D> {
    /// Reads and checks what `text` says; `folder` is where its file is.
    pub fn from_text(text: &ScenarioText, folder: &Path) -> Result<Self, ScenarioError> {
        let scenario: D::Scenario = text.meaning()?;
        let mut problems = D::problems(&scenario).into_iter().map(|problem| {
            let path = super::file::path_of(&problem.key);
            let message = format!("`{path}` is {}: {}", problem.found, problem.wrong);
            text.error_at(&path, message).with_help(problem.right)
        });
        if let Some(first) = problems.next() {
            return Err(first.with_others(problems.collect()));
        }
        let inputs = D::read_inputs(text, &scenario, folder)?;
        Ok(Loaded {
            frame: D::frame(&scenario),
            inputs,
            scenario,
        })
    }
}
