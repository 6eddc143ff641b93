//! `myriad describe`: who takes part, what they promise, how large will it be? Nothing is run.

use comfy_table::{CellAlignment, Table, presets};
use kernel::horizon::RoundTrip;
use kernel::{Actor, CriticalPath, Promises, SimDuration, SimTime, World, run_sequentially};

use super::{Asked, Failure, run::print};
use crate::cli::DescribeArguments;
use crate::coordinator::Plan;
use crate::placement::Placement;
use crate::report::numbers;
use crate::scenario::domain::{Domain, Forecast};
use crate::scenario::error::printable;
use crate::scenario::volunteer::Volunteer;

/// Builds the world of a scenario and describes it.
pub fn describe(arguments: &DescribeArguments) -> Result<(), Failure> {
    let loaded = Asked::read(&arguments.scenario)?.load()?;
    let forecast = Volunteer::forecast(&loaded.scenario, &loaded.inputs);
    refuse_what_does_not_fit(&forecast, None)?;
    let world = Volunteer::build(&loaded.scenario, &loaded.inputs);
    let promises = world.promises();
    let head = format!(
        "{}: {} of {} with seed {}",
        printable(&loaded.frame.name),
        loaded.frame.until,
        Volunteer::NAME,
        loaded.frame.seed
    );
    let size = format!(
        "About {} events, in {} of memory.",
        numbers::roughly(forecast.events),
        numbers::with_unit(forecast.memory_bytes, "bytes")
    );
    let rate = forecast.events / loaded.frame.until.as_secs_f64();
    let plan = arguments.plan.plan().suited_to(promises, rate);
    let sections = [
        head,
        cast(promises, world.len()),
        conversations(promises),
        reactions(promises),
        cycles(promises),
        execution(&plan, promises),
        size,
    ];
    let text: Vec<String> = sections
        .into_iter()
        .filter(|section| !section.is_empty())
        .collect();
    print(&(text.join("\n\n") + "\n"))?;
    if arguments.critical_path {
        let end = SimTime::START + loaded.frame.until;
        print(&(critical_path(world, end) + "\n"))?;
    }
    Ok(())
}

/// Runs the world through the oracle, for the longest chain of events in it.
fn critical_path<A: Actor>(world: World<A>, end: SimTime) -> String {
    let (path, _) = run_sequentially(world, end, CriticalPath::default());
    format!(
        "\nCritical path: of {} events {} must follow each other. With whatever protocol, no number of \
         workers could be more than {:.1} times as fast as one, if every event cost the same.",
        numbers::count(path.events()),
        numbers::count(path.length()),
        path.parallelism(),
    )
}

/// Refuses a world that is larger than the memory of this machine, or than the run may have.
pub(super) fn refuse_what_does_not_fit(
    forecast: &Forecast,
    limit_bytes: Option<u64>,
) -> Result<(), Failure> {
    let machine = crate::report::machine::memory_bytes();
    let bounds = [(machine, "this machine has"), (limit_bytes, "the limit is")];
    for (bound, whose) in bounds {
        if let Some(bound) = bound
            && forecast.memory_bytes > bound as f64
        {
            return Err(Failure::Asked(format!(
                "the world needs about {} of memory and {whose} {}: take fewer hosts, a shorter \
                 time or a longer record interval",
                numbers::with_unit(forecast.memory_bytes, "bytes"),
                numbers::with_unit(bound as f64, "bytes"),
            )));
        }
    }
    Ok(())
}

fn cast(promises: &Promises, actors: usize) -> String {
    let mut table = plain_table();
    for group in promises.groups() {
        let hears = if promises.hears_only_answers(group) {
            "hears only answers"
        } else {
            ""
        };
        table.add_row(vec![
            promises.name(group).to_owned(),
            numbers::count(promises.members(group).len() as u64),
            hears.to_owned(),
        ]);
    }
    align_right(&mut table, 1);
    format!(
        "Cast: {} actors\n{}",
        numbers::count(actors as u64),
        table.trim_fmt()
    )
}

fn conversations(promises: &Promises) -> String {
    let mut table = plain_table();
    let heads = promises
        .groups()
        .map(|group| promises.name(group).to_owned());
    table.add_row(
        std::iter::once("from \\ to".to_owned())
            .chain(heads)
            .collect::<Vec<_>>(),
    );
    for from in promises.groups() {
        let cells = promises
            .groups()
            .map(|to| match promises.between(from, to) {
                Some(least) => least.to_string(),
                None => "·".to_owned(),
            });
        let name = promises.name(from).to_owned();
        table.add_row(std::iter::once(name).chain(cells).collect::<Vec<_>>());
    }
    format!(
        "Promises: whatever is said arrives no sooner than\n{}",
        table.trim_fmt()
    )
}

fn reactions(promises: &Promises) -> String {
    let mut lines = Vec::new();
    for of in promises.groups() {
        for heard in promises.groups() {
            for told in promises.groups() {
                let least = promises.reaction(of, heard, told);
                if least > SimDuration::ZERO {
                    lines.push(format!(
                        "  a {} that heard from a {} tells a {} nothing on account of it for {least}",
                        promises.name(of),
                        promises.name(heard),
                        promises.name(told),
                    ));
                }
            }
        }
    }
    for of in promises.groups() {
        if let Some(turns) = promises.turns(of) {
            lines.push(format!(
                "  a {} asks a {} one question at a time, and for {} after an answer none",
                promises.name(of),
                promises.name(turns.with),
                turns.wait,
            ));
        }
    }
    if lines.is_empty() {
        return String::new();
    }
    format!("Reactions:\n{}", lines.join("\n"))
}

/// The shortest way round from each group back to itself: what bounds a window of the round-trip
/// protocol.
fn cycles(promises: &Promises) -> String {
    let mut protocol = RoundTrip::new(promises, &Placement::Groups.divide(promises, 1));
    let mut cycles = protocol.cycles();
    cycles.sort_by_key(|&(_, cycle)| cycle);
    let mut table = plain_table();
    for (group, cycle) in cycles {
        table.add_row(vec![promises.name(group).to_owned(), cycle.to_string()]);
    }
    format!(
        "Shortest cycles of conversation, back to a\n{}",
        table.trim_fmt()
    )
}

fn execution(plan: &Plan, promises: &Promises) -> String {
    let division = plan.divide(promises);
    format!(
        "Execution: {} thread{}, {} partitions placed by {}, horizon {}, queue {}, runtime {}; windows of about {}",
        plan.threads,
        if plan.threads == 1 { "" } else { "s" },
        division.directory.partitions(),
        name_of(&division.placement),
        name_of(&plan.horizon_for(promises)),
        name_of(&plan.queue),
        name_of(&plan.runtime),
        division.window,
    )
}

fn name_of(choice: &impl clap::ValueEnum) -> String {
    let value = choice.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}

fn plain_table() -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table
}

fn align_right(table: &mut Table, column: usize) {
    if let Some(column) = table.column_mut(column) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}
