//! The outcome on one screen, for people at a terminal.

use std::path::Path;

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};

use super::numbers;
use super::record::{Engine, RunRecord};
use crate::scenario::error::printable;

/// The headline figures, what the run cost, and where the rest is.
pub fn summary(record: &RunRecord, directory: &Path) -> String {
    let manifest = &record.manifest;
    let mut lines = vec![format!(
        "{}: {} simulated{}, seed {}",
        printable(&manifest.name),
        numbers::with_unit(manifest.reached_s, "s"),
        if manifest.completed {
            ""
        } else {
            " of the time asked for (interrupted: partial results)"
        },
        manifest.seed
    )];
    lines.push(String::new());
    lines.push(headlines(record));
    lines.push(String::new());
    lines.push(engine_line(&record.engine));
    lines.push(format!("digest   {}", manifest.digest));
    lines.push(format!("results  {}", directory.display()));
    lines.push(format!(
        "report   {}",
        directory.join("report.html").display()
    ));
    lines.join("\n")
}

fn headlines(record: &RunRecord) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Disabled);
    for scalar in record
        .results
        .scalars
        .iter()
        .filter(|scalar| scalar.headline)
    {
        let (figure, unit) = numbers::parts(scalar.value, &scalar.unit);
        table.add_row(vec![
            printable(&scalar.name).replace('_', " "),
            figure,
            printable(&unit),
            printable(&scalar.meaning),
        ]);
    }
    if let Some(column) = table.column_mut(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    if let Some(column) = table.column_mut(0) {
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(24)));
    }
    table.trim_fmt()
}

/// What the run cost, in one line.
pub fn engine_line(engine: &Engine) -> String {
    let mut parts = vec![
        format!("{} events", numbers::count(engine.events)),
        format!("{} events/s", numbers::number(engine.events_per_s.round())),
        format!("{} wall", numbers::with_unit(engine.wall_s, "s")),
        format!(
            "{} simulated days/s",
            numbers::number(engine.simulated_days_per_s)
        ),
        numbered(engine.threads, "thread"),
        numbered(engine.partitions, "partition"),
    ];
    if let Some(bytes) = engine.peak_rss_bytes {
        parts.push(format!(
            "{} memory",
            numbers::with_unit(bytes as f64, "bytes")
        ));
    }
    format!("engine   {}", parts.join(", "))
}

fn numbered(count: u64, one: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {one}{ending}", numbers::count(count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn the_summary_says_what_was_found_what_it_cost_and_where_the_rest_is() {
        let text = summary(&sample::record(), Path::new("runs/sample-1"));
        for expected in [
            "62,813",
            "hosts active mean",
            "1,234,567 events",
            "2 threads",
            "runs/sample-1/report.html",
            "00ff",
        ] {
            assert!(
                text.contains(expected),
                "`{expected}` is missing in\n{text}"
            );
        }
        assert!(!text.contains("not_a_headline"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn an_interrupted_run_says_so() {
        let mut record = sample::record();
        record.manifest.completed = false;
        assert!(summary(&record, Path::new("d")).contains("interrupted"));
    }
}
