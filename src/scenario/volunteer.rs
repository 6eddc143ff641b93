//! Volunteer computing, as the application sees it.

use std::path::Path;

use actors::shared::gauge::Gauge;
use actors::shared::population::HostTable;
use actors::shared::results::Results;
use actors::volunteer::metrics::Metrics;
use actors::volunteer::{Inputs, Scenario, VolunteerActor, VolunteerNarrator};
use kernel::World;

use super::domain::{Domain, Forecast, Frame, Problem};
use super::error::ScenarioError;
use super::file::{LARGEST_POPULATION, ScenarioText, path_of, read_text};
use crate::import::population_file::{read_population, write_population};
use crate::trace::Filter;

/// BOINC projects and their volunteers' hosts.
#[derive(Debug)]
pub enum Volunteer {}

/// The population file beside a scenario in a run directory.
const POPULATION: &str = "population.toml";

impl Domain for Volunteer {
    const NAME: &'static str = "volunteer";
    type Scenario = Scenario;
    type Inputs = Inputs;
    type Actor = VolunteerActor;
    type Metrics = Metrics;
    type Narrator = VolunteerNarrator;

    fn frame(scenario: &Scenario) -> Frame {
        Frame {
            name: scenario.name.clone(),
            seed: scenario.seed,
            until: scenario.until.span(),
        }
    }

    fn problems(scenario: &Scenario) -> Vec<Problem> {
        let found = scenario.validate().err().unwrap_or_default();
        let problems = found.into_iter().map(|problem| Problem {
            key: problem.key,
            found: problem.found,
            wrong: problem.wrong,
            right: problem.right,
        });
        problems
            .chain(problem_of_trace(&scenario.record.trace))
            .collect()
    }

    fn read_inputs(
        text: &ScenarioText,
        scenario: &Scenario,
        folder: &Path,
    ) -> Result<Inputs, ScenarioError> {
        // Joining an absolute path gives that path.
        let path = folder.join(&scenario.population.table);
        let table = read_table(&path).map_err(|error| {
            // A file that cannot be read is a mistake in the key that names it; a file that is wrong
            // inside is a mistake in that file, and its own error points there.
            if error.pointed_at().is_some() {
                return error;
            }
            let key = path_of("population.table");
            text.error_at(&key, format!("`{key}`: {error}"))
                .with_help("a path relative to the scenario's file, or an absolute one".to_owned())
        })?;
        Ok(Inputs { table })
    }

    fn enclose(scenario: &mut Scenario, inputs: &Inputs) -> Vec<(String, String)> {
        scenario.population.table = POPULATION.to_owned();
        vec![(POPULATION.to_owned(), write_population(&inputs.table))]
    }

    fn build(scenario: &Scenario, inputs: &Inputs) -> World<VolunteerActor> {
        scenario.build(inputs)
    }

    fn metrics(scenario: &Scenario) -> Metrics {
        Metrics::new(scenario)
    }

    fn trace(scenario: &Scenario) -> &str {
        &scenario.record.trace
    }

    fn narrator(scenario: &Scenario) -> VolunteerNarrator {
        VolunteerNarrator::new(scenario)
    }

    fn gauges(metrics: &Metrics) -> Vec<Gauge> {
        metrics.gauges()
    }

    fn results(metrics: Metrics, scenario: &Scenario) -> Results {
        metrics.results(scenario)
    }

    fn forecast(scenario: &Scenario, inputs: &Inputs) -> Forecast {
        let forecast = scenario.forecast(&inputs.table);
        Forecast {
            actors: forecast.hosts as f64,
            events: forecast.events as f64,
            memory_bytes: forecast.memory_bytes as f64,
        }
    }
}

/// What is wrong with the filter of what is recorded, as far as can be told without the world.
fn problem_of_trace(text: &str) -> Option<Problem> {
    if text.is_empty() {
        return None;
    }
    let read = text.parse::<Filter>().and_then(|filter| {
        filter.check_for_recording()?;
        filter.check_kinds(VolunteerNarrator::kind_names())
    });
    read.err().map(|error| Problem {
        key: "record.trace".to_owned(),
        found: format!("{text:?}"),
        wrong: error.message,
        right: error.help,
    })
}

fn read_table(path: &Path) -> Result<HostTable, ScenarioError> {
    let text = read_text(path, LARGEST_POPULATION, "population")?;
    read_population(&text).map_err(|error| {
        let name = path.display().to_string();
        let span = error.span().unwrap_or(0..0);
        let message = format!("population file: {}", error.message().trim());
        ScenarioError::in_text(&name, &text, span, message)
    })
}
