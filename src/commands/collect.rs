//! `myriad collect`: what the runs of a study found, as one table.

use std::io;

use super::{Failure, run::print};
use crate::cli::collect::CollectArguments;
use crate::report::numbers;
use crate::report::progress::say;
use crate::report::run_directory::write_complete;
use crate::study::collection::Collection;
use crate::study::columns;

/// Reads the directories and writes the table.
pub fn collect(arguments: &CollectArguments) -> Result<(), Failure> {
    let collection = Collection::read(&arguments.directories)?;
    let rows = collection.rows.len();
    if rows == 0 {
        return Err(Failure::Asked(
            "no run of this study is done yet: `myriad sweep` runs them".to_owned(),
        ));
    }
    say_what_is_unsettled(&collection);
    let is_parquet = arguments
        .output
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("parquet"));
    write_complete(&arguments.output, |out| {
        if is_parquet {
            columns::write_parquet(out, &collection).map_err(io::Error::other)
        } else {
            columns::write_csv(out, &collection)
        }
    })?;
    print(&format!(
        "{}: {} runs of {} combinations, {} figures each\n",
        arguments.output.display(),
        numbers::count(rows as u64),
        collection.record.combinations.len(),
        collection.figures.len(),
    ))
}

/// Says of which series it could not be told when their start was over.
pub(super) fn say_what_is_unsettled(collection: &Collection) {
    if collection.unsettled.is_empty() {
        return;
    }
    let series: Vec<String> = collection
        .unsettled
        .iter()
        .map(|(series, runs)| format!("{series} ({runs})"))
        .collect();
    say(&format!(
        "MSER-5 finds no end of the warm-up in some of the {} runs, so the mean of the second half stands \
         there; simulate a longer time. Series, and in how many runs: {}",
        collection.rows.len(),
        series.join(", ")
    ));
}
