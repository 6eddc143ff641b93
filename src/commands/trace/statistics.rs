//! Statistics of messages, as a table, as JSON lines or as CSV.

use std::io::{self, Write};

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde_json::json;

use crate::cli::trace::TraceFormat;
use crate::report::numbers;
use crate::trace::statistics::{KindStatistics, Statistics};
use crate::trace::telling::clock;
use crate::trace::{Fate, Heading};

/// The delays that are told, with what they are called.
const PARTS: [(&str, f64); 5] = [
    ("delay_min_s", 0.0),
    ("delay_p50_s", 0.5),
    ("delay_p90_s", 0.9),
    ("delay_p99_s", 0.99),
    ("delay_max_s", 1.0),
];

/// Prints statistics of each kind, and who talks to whom.
pub(super) fn print(
    statistics: &Statistics,
    heading: &Heading,
    format: TraceFormat,
    mut out: impl Write,
) -> io::Result<()> {
    match format {
        TraceFormat::Table => print_tables(statistics, heading, &mut out)?,
        TraceFormat::Ndjson => {
            for kind in &statistics.kinds {
                writeln!(out, "{}", as_json(kind, statistics, heading))?;
            }
            for (&(from, to), count) in &statistics.matrix {
                let (from, to) = (group(heading, from), group(heading, to));
                writeln!(out, "{}", json!({"from": from, "to": to, "count": count}))?;
            }
        }
        TraceFormat::Csv => {
            let mut csv = csv::Writer::from_writer(&mut out);
            let fates = Fate::ALL.map(Fate::name);
            let delays = PARTS.map(|(name, _)| name);
            let head = ["kind", "count", "per_hour", "bytes"];
            csv.write_record(head.iter().chain(&fates).chain(&delays))?;
            for kind in &statistics.kinds {
                let mut fields = vec![
                    heading.kind(kind.kind).to_owned(),
                    kind.count.to_string(),
                    kind.per_hour(statistics.span).to_string(),
                    kind.bytes.to_string(),
                ];
                fields.extend(kind.fates.iter().map(u64::to_string));
                let delays = PARTS.iter().map(|&(_, part)| kind.delay_s(part));
                fields
                    .extend(delays.map(|delay| delay.map_or_else(String::new, |d| d.to_string())));
                csv.write_record(fields)?;
            }
            csv.flush()?;
        }
    }
    out.flush()
}

fn as_json(kind: &KindStatistics, all: &Statistics, heading: &Heading) -> serde_json::Value {
    let mut object = json!({
        "kind": heading.kind(kind.kind),
        "count": kind.count,
        "per_hour": kind.per_hour(all.span),
        "bytes": kind.bytes,
    });
    for (fate, count) in Fate::ALL.iter().zip(kind.fates) {
        object[fate.name()] = json!(count);
    }
    for (name, part) in PARTS {
        object[name] = json!(kind.delay_s(part));
    }
    object
}

fn print_tables(
    statistics: &Statistics,
    heading: &Heading,
    out: &mut impl Write,
) -> io::Result<()> {
    let received = statistics.span.map_or_else(String::new, |(first, last)| {
        format!(", received from {} to {}", clock(first), clock(last))
    });
    writeln!(out, "{} messages{received}\n", statistics.messages)?;
    let mut table = plain(&[
        "kind",
        "count",
        "per hour",
        "expired",
        "gone",
        "in flight",
        "delay: least",
        "median",
        "90 %",
        "99 %",
        "most",
    ]);
    for kind in &statistics.kinds {
        let [_, expired, gone, in_flight] = kind.fates;
        let mut row = vec![
            heading.kind(kind.kind).to_owned(),
            kind.count.to_string(),
            format!("{:.1}", kind.per_hour(statistics.span)),
            expired.to_string(),
            gone.to_string(),
            in_flight.to_string(),
        ];
        row.extend(PARTS.iter().map(|&(_, part)| {
            let delay = kind.delay_s(part);
            delay.map_or_else(
                || "–".to_owned(),
                |seconds| numbers::with_unit(seconds, "s"),
            )
        }));
        table.add_row(row);
    }
    writeln!(out, "{table}\n")?;
    writeln!(
        out,
        "Who (down) talks to whom (across):\n\n{}",
        matrix(statistics, heading)
    )
}

/// Only groups that say or hear anything.
fn matrix(statistics: &Statistics, heading: &Heading) -> Table {
    let mut groups: Vec<_> = statistics
        .matrix
        .keys()
        .flat_map(|&(a, b)| [a, b])
        .collect();
    groups.sort_unstable();
    groups.dedup();
    let mut head = vec![""];
    head.extend(groups.iter().map(|&place| group(heading, place)));
    let mut table = plain(&head);
    for &from in &groups {
        let mut row = vec![group(heading, from).to_owned()];
        row.extend(groups.iter().map(|&to| {
            let count = statistics.matrix.get(&(from, to));
            count.map_or_else(|| "–".to_owned(), u64::to_string)
        }));
        table.add_row(row);
    }
    table
}

fn group(heading: &Heading, place: usize) -> &str {
    heading
        .groups
        .get(place)
        .map_or("unknown", |(name, _)| name)
}

/// A table without lines, whose figures stand on the right.
fn plain(head: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(head);
    for column in 1..head.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}
