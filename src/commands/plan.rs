//! `myriad plan`: which runs would a study make? Nothing is run.

use comfy_table::{CellAlignment, Table, presets};
use serde_json::{Map, Value, json};

use super::{Asked, Failure, run::print};
use crate::cli::plan::{PlanFormat, PlanRunsArguments};
use crate::report::numbers;
use crate::scenario::domain::Domain;
use crate::scenario::error::printable;
use crate::scenario::volunteer::Volunteer;
use crate::study::table::as_json;
use crate::study::{PlannedRun, StudyPlan};

/// More lines than this are not read; `csv` and `json` have them all.
const MOST_LINES: usize = 200;

/// Lists the runs of a study.
pub fn plan(arguments: &PlanRunsArguments) -> Result<(), Failure> {
    let asked = Asked::read(&arguments.scenario)?;
    let plan = asked.plan()?;
    let repetitions = arguments.reps.unwrap_or(plan.study.repeat);
    let runs: Vec<PlannedRun> = plan.runs(repetitions).collect();
    match arguments.format {
        PlanFormat::Table => print(&as_table(&plan, &runs)),
        PlanFormat::Csv => print(&as_csv(&plan, &runs)?),
        PlanFormat::Json => {
            let list: Vec<Value> = runs.iter().map(|run| object(&plan, run)).collect();
            let text = serde_json::to_string_pretty(&list).expect("a plan is plain data");
            print(&(text + "\n"))
        }
    }
}

impl Asked {
    /// The study of the scenario, with every combination checked.
    pub(super) fn plan(&self) -> Result<StudyPlan, Failure> {
        self.text.require_domain(&[Volunteer::NAME])?;
        Ok(StudyPlan::new::<Volunteer>(&self.text, &self.folder)?)
    }
}

fn as_table(plan: &StudyPlan, runs: &[PlannedRun]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    let axes = plan.axes().into_iter().map(printable);
    let heads = ["run", "repetition", "seed"].map(str::to_owned).into_iter();
    let last = std::iter::once("events, about".to_owned());
    table.set_header(heads.chain(axes).chain(last));
    for run in runs.iter().take(MOST_LINES) {
        let combination = &plan.combinations[run.combination - 1];
        let numbers = [run.number as u64, u64::from(run.repetition), run.seed];
        let cells = numbers.map(|number| number.to_string()).into_iter();
        let labels = combination.labels.iter().map(|label| printable(label));
        let events = std::iter::once(numbers::roughly(combination.events));
        table.add_row(cells.chain(labels).chain(events).collect::<Vec<_>>());
    }
    let last = table.column_count().saturating_sub(1);
    for column in [0, 1, 2, last] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let more = match runs.len().saturating_sub(MOST_LINES) {
        0 => String::new(),
        more => format!("... and {more} more: --format csv lists them all\n"),
    };
    let left_out = match plan.left_out {
        0 => String::new(),
        count => format!(
            ", {} left out by the condition",
            numbers::count(count as u64)
        ),
    };
    let events: f64 = runs
        .iter()
        .map(|run| plan.combinations[run.combination - 1].events)
        .sum();
    format!(
        "{}\n{more}{}: {} runs of {} combinations{left_out}; about {} events in all\n",
        table.trim_fmt(),
        printable(&plan.name),
        numbers::count(runs.len() as u64),
        numbers::count(plan.combinations.len() as u64),
        numbers::roughly(events),
    )
}

fn as_csv(plan: &StudyPlan, runs: &[PlannedRun]) -> Result<String, Failure> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let failed = |error: csv::Error| Failure::Run(error.to_string());
    let heads = ["run", "combination", "repetition", "seed"];
    csv.write_record(heads.into_iter().chain(plan.axes()))
        .map_err(failed)?;
    for run in runs {
        let numbers = [
            run.number as u64,
            run.combination as u64,
            u64::from(run.repetition),
            run.seed,
        ];
        let numbers = numbers.map(|number| number.to_string());
        let labels = plan.combinations[run.combination - 1].labels.clone();
        csv.write_record(numbers.into_iter().chain(labels))
            .map_err(failed)?;
    }
    let bytes = csv
        .into_inner()
        .map_err(|error| Failure::Run(error.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn object(plan: &StudyPlan, run: &PlannedRun) -> Value {
    let combination = &plan.combinations[run.combination - 1];
    let set = combination.set.iter();
    let set = set.map(|(path, value)| (path.to_string(), as_json(value)));
    json!({
        "run": run.number,
        "combination": run.combination,
        "repetition": run.repetition,
        "seed": run.seed,
        "labels": combination.labels,
        "set": set.collect::<Map<_, _>>(),
        "events": combination.events.round(),
    })
}
