//! `myriad population`: from a table of real hosts to a population file.

use std::fs::File;

use super::{Failure, run::print};
use crate::cli::PopulationArguments;
use crate::import::cpu_list::read_cpu_list;
use crate::import::population_file::write_population;
use crate::report::numbers;
use crate::report::progress::say;
use crate::report::run_directory::write_text;
use crate::scenario::error::printable;
use crate::scenario::file::LARGEST_POPULATION;

/// Reads the table and writes the file.
pub fn population(arguments: &PopulationArguments) -> Result<(), Failure> {
    let path = &arguments.table;
    let stem = path
        .file_stem()
        .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let name = arguments.name.as_deref().unwrap_or(&stem);
    let wrong = |why: String| Failure::Asked(printable(&format!("{}: {why}", path.display())));

    let file = File::open(path).map_err(|error| wrong(error.to_string()))?;
    let import = read_cpu_list(file, name).map_err(|error| wrong(error.to_string()))?;
    let skipped = import.skipped.total();
    for skipped in &import.skipped.first {
        say(&printable(&format!(
            "line {} is skipped: {}",
            skipped.line, skipped.why
        )));
    }
    let unnamed = skipped - import.skipped.first.len() as u64;
    if unnamed > 0 {
        say(&format!("and {} more lines", numbers::count(unnamed)));
    }
    if skipped > 0 {
        let counts = import.skipped.counts.iter();
        let counts: Vec<String> = counts
            .map(|(reason, &count)| format!("{} with {reason}", numbers::count(count)))
            .collect();
        say(&format!("skipped lines: {}", counts.join(", ")));
    }
    if arguments.strict && skipped > 0 {
        return Err(wrong(format!(
            "{} lines cannot be used; without --strict they are skipped",
            numbers::count(skipped)
        )));
    }
    let text = write_population(&import.table);
    if text.len() as u64 > LARGEST_POPULATION {
        return Err(wrong(format!(
            "its {} different kinds of hosts make a population of more than {} MiB, the most that a \
             scenario can name: give figures with fewer digits, or fewer kinds",
            numbers::count(import.table.rows().len() as u64),
            LARGEST_POPULATION >> 20
        )));
    }
    write_text(&arguments.output, &text)?;
    print(&format!(
        "{}: {} hosts with {} cores and {} GFLOPS on average, from {} lines ({} skipped)\n",
        arguments.output.display(),
        numbers::count(u64::from(import.table.hosts())),
        numbers::number(import.table.mean_cores()),
        numbers::number(import.table.mean_gflops()),
        import.table.rows().len(),
        numbers::count(skipped),
    ))
}
