//! `myriad sweep`: all runs of a study, on all cores, each in a process of its own.

mod announcer;
mod foreman;

use std::path::Path;

use self::announcer::Announcer;
use self::foreman::SweepForeman;
use super::run::print;
use super::session::scenario_text;
use super::{Asked, Failure, interrupt};
use crate::cli::sweep::{Precision, SweepArguments};
use crate::report::machine;
use crate::report::progress::say;
use crate::report::run_directory::write_text;
use crate::scenario::domain::Domain;
use crate::scenario::volunteer::Volunteer;
use crate::study::collection::Collection;
use crate::study::directory::{StudyDirectory, StudyError, StudyRecord};
use crate::study::plan::PlannedRun;
use crate::study::statistics::Estimate;
use crate::study::{StudyPlan, workers};

/// No interval is trusted before a combination has been run so often.
const LEAST_REPETITIONS: u32 = 3;
/// The part of the machine's memory that runs may fill.
const MEMORY_SHARE: f64 = 0.8;

/// Runs what is not done yet.
pub fn sweep(arguments: &SweepArguments) -> Result<(), Failure> {
    let asked = Asked::read(&arguments.scenario)?;
    let plan = asked.plan()?;
    let record = StudyRecord::new(&plan);
    let at_a_time = at_a_time(&plan, arguments.jobs)?;
    let directory = StudyDirectory::open(&arguments.output, &record, |number, folder| {
        write_scenario(&asked, &plan, number, folder)
    })?;
    say_if_other_version(&directory)?;
    let requests = crate::checkpoint::Requests::default();
    let stop = requests.stop.clone();
    interrupt::listen(std::sync::Weak::new(), requests)
        .map_err(|error| Failure::Run(format!("cannot listen for signals: {error}")))?;

    let mut repetitions = arguments.reps.unwrap_or(plan.study.repeat);
    if arguments.precision.is_some() {
        repetitions = repetitions.max(LEAST_REPETITIONS);
    }
    let runs = plan
        .runs(repetitions)
        .filter(|run| arguments.shard.is_none_or(|shard| shard.holds(run.number)));
    let announcer = Announcer::new(arguments.progress);
    let mut foreman = SweepForeman::new(&plan, &record, &directory, announcer)?;
    foreman.add(runs);
    foreman.begin(at_a_time);
    loop {
        let stopped = workers::work(&mut foreman, at_a_time, &stop, workers::GRACE);
        if stopped.map_err(Failure::Run)? {
            foreman.finish();
            say(&format!(
                "stopped; go on with the same command (-o {})",
                directory.path().display()
            ));
            return Err(Failure::Interrupted(
                "interrupted: the results are of the time that was reached".to_owned(),
            ));
        }
        let more = match &arguments.precision {
            Some(precision) if foreman.failed.is_empty() => {
                still_loose(&plan, &directory, precision, arguments)?
            }
            _ => Vec::new(),
        };
        if more.is_empty() {
            break;
        }
        foreman.add(more);
    }
    foreman.finish();
    print(&foreman.summary())?;
    match foreman.failed.len() {
        0 => Ok(()),
        count => Err(Failure::Run(format!(
            "{count} runs failed; the same command runs them again, and {} says what they said",
            directory
                .path()
                .join(crate::study::ledger::LEDGER)
                .display()
        ))),
    }
}

/// As many as there are cores, if their worlds fit into the memory together.
fn at_a_time(plan: &StudyPlan, asked: Option<u16>) -> Result<usize, Failure> {
    let largest = plan
        .combinations
        .iter()
        .map(|c| c.memory_bytes)
        .fold(0.0, f64::max);
    let fitting = match machine::memory_bytes() {
        Some(memory) if largest > 0.0 => (memory as f64 * MEMORY_SHARE / largest) as usize,
        _ => usize::MAX,
    };
    if fitting == 0 {
        return Err(Failure::Asked(
            "the largest world of the study does not fit into the memory of this machine: take fewer \
             hosts, a shorter time or a longer record interval"
                .to_owned(),
        ));
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(asked.map_or(cores, usize::from).min(fitting))
}

fn write_scenario(
    asked: &Asked,
    plan: &StudyPlan,
    number: usize,
    folder: &Path,
) -> Result<(), StudyError> {
    let other = |error: &dyn std::fmt::Display| StudyError::Other(error.to_string());
    let combination = &plan.combinations[number - 1];
    let loaded = combination.load::<Volunteer>(&asked.text, &asked.folder);
    let mut loaded = loaded.map_err(|error| other(&error))?;
    for (name, contents) in Volunteer::enclose(&mut loaded.scenario, &loaded.inputs) {
        write_text(&folder.join(name), &contents)?;
    }
    let text = scenario_text(&loaded).map_err(|error| other(&error))?;
    Ok(write_text(&folder.join("scenario.toml"), &text)?)
}

fn say_if_other_version(directory: &StudyDirectory) -> Result<(), Failure> {
    let there = StudyRecord::read(directory.path())?;
    let here = env!("CARGO_PKG_VERSION");
    if there.myriad != here {
        say(&format!(
            "this study was begun with myriad {} and goes on with {here}: its runs may not be comparable",
            there.myriad
        ));
    }
    Ok(())
}

/// The runs that would make the figures tight that are not yet.
fn still_loose(
    plan: &StudyPlan,
    directory: &StudyDirectory,
    precision: &Precision,
    arguments: &SweepArguments,
) -> Result<Vec<PlannedRun>, Failure> {
    let collection = Collection::read(&[directory.path().to_owned()])?;
    let figures = if arguments.figure.is_empty() {
        collection.main_figures()
    } else {
        arguments.figure.clone()
    };
    if let Some(unknown) = figures
        .iter()
        .find(|name| !collection.figures.contains_key(*name))
    {
        let known = collection.figures.keys().map(String::as_str);
        let near = crate::scenario::suggestion::nearest(unknown, known);
        let help = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        return Err(Failure::Asked(format!(
            "`{unknown}` is not a figure of these runs{help}"
        )));
    }
    let mut more = Vec::new();
    for combination in &plan.combinations {
        let mut there = 0;
        let mut wanted = 0.0_f64;
        for figure in &figures {
            let values: Vec<f64> = collection
                .values(combination.number, figure)
                .into_values()
                .collect();
            there = there.max(values.len() as u32);
            let estimate = Estimate::of(&values, precision.confidence);
            let Some(estimate) = estimate.filter(|estimate| estimate.mean != 0.0) else {
                continue;
            };
            let ratio = estimate.relative_half_width() / precision.width;
            if ratio > 1.0 {
                // Half-widths shrink with the square root of the number.
                wanted = wanted.max(f64::from(there) * ratio * ratio);
            }
        }
        if wanted == 0.0 {
            continue;
        }
        // At most twice as many at a time: a spread estimated from few runs may be far off.
        let next = (wanted.ceil() as u32).clamp(there + 1, there.max(1) * 2);
        let last = next.min(arguments.most_reps);
        if last <= there {
            say(&format!(
                "combination {} ({}) is not tight after {there} repetitions, the most that --most-reps allows",
                combination.number,
                combination.title()
            ));
        }
        more.extend((there + 1..=last).map(|repetition| plan.run(combination.number, repetition)));
    }
    more.sort_by_key(|run| run.number);
    Ok(more)
}
