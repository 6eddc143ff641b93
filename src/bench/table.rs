//! Findings as a table in the terminal and as a file for spreadsheets.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use super::line::Line;
use crate::report::numbers;

/// All lines, for people. Parameters of the world stand in columns only where lines differ in them.
pub fn as_text(lines: &[Line]) -> String {
    let columns = columns(lines);
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(columns.iter().map(|column| column.title));
    for line in lines {
        table.add_row(columns.iter().map(|column| (column.cell)(line)));
    }
    for (index, column) in columns.iter().enumerate() {
        if let Some(shown) = table.column_mut(index).filter(|_| column.number) {
            shown.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
}

/// The columns that say something about these lines.
pub(super) fn columns(lines: &[Line]) -> Vec<&'static Column> {
    let worth = |column: &&Column| column.always || differs(lines, column.cell);
    COLUMNS.iter().filter(worth).collect()
}

/// All lines with all figures, as comma-separated values with a head.
pub fn as_csv(lines: &[Line]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for line in lines {
        writer.serialize(line)?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8(bytes).expect("lines are text"))
}

/// A column of the table.
pub(super) struct Column {
    pub title: &'static str,
    /// Whether it is shown even if all lines agree in it.
    always: bool,
    /// Whether it holds numbers.
    pub number: bool,
    pub cell: fn(&Line) -> String,
}

const fn always(title: &'static str, cell: fn(&Line) -> String) -> Column {
    Column {
        title,
        always: true,
        number: true,
        cell,
    }
}

const fn if_different(title: &'static str, number: bool, cell: fn(&Line) -> String) -> Column {
    Column {
        title,
        always: false,
        number,
        cell,
    }
}

static COLUMNS: [Column; 24] = [
    if_different("scenario", false, |line| {
        line.scenario.clone().unwrap_or_default()
    }),
    if_different("hosts", true, |line| {
        optional(line.hosts.map(|hosts| hosts as f64))
    }),
    always("actors", |line| numbers::count(line.actors)),
    if_different("tokens", true, |line| {
        optional(line.events_per_actor.map(f64::from))
    }),
    if_different("remote", true, |line| optional(line.remote)),
    if_different("lookahead", true, |line| seconds(line.lookahead_s)),
    if_different("mean", true, |line| seconds(line.mean_s)),
    Column {
        title: "queue",
        always: true,
        number: false,
        cell: |line| line.queue.clone(),
    },
    if_different("horizon", false, |line| line.horizon.clone()),
    if_different("runtime", false, |line| line.runtime.clone()),
    always("threads", |line| line.threads.to_string()),
    always("partitions", |line| line.partitions.to_string()),
    always("events", |line| numbers::count(line.events)),
    always("wall s", |line| format!("{:.2}", line.wall_s)),
    always("CPU s", |line| {
        let cpu_s = line.cpu_with_build_s;
        cpu_s.map_or_else(|| "–".to_owned(), |cpu_s| format!("{cpu_s:.2}"))
    }),
    always("M events/s", |line| millions(line.events_per_s)),
    always("± %", |line| {
        let range = line.events_per_s_fastest - line.events_per_s_slowest;
        format!("{:.0}", 50.0 * range / line.events_per_s)
    }),
    always("M/CPU s", |line| {
        line.events_per_cpu_s
            .map_or_else(|| "–".to_owned(), millions)
    }),
    always("speed-up", |line| ratio(line.speed_up)),
    always("× heap", |line| ratio(line.over_binary_heap)),
    always("per window", |line| {
        // One partition waits for nobody: its windows are its queue's business.
        if line.partitions == 1 {
            return "–".to_owned();
        }
        numbers::number(line.events_per_window.round())
    }),
    always("waiting", |line| {
        format!("{:.0} %", 100.0 * line.waiting_share)
    }),
    always("B/actor", |line| {
        optional(line.bytes_per_actor.map(f64::round))
    }),
    Column {
        title: "digest",
        always: true,
        number: false,
        cell: |line| line.digest.chars().take(8).collect(),
    },
];

fn differs(lines: &[Line], cell: fn(&Line) -> String) -> bool {
    let mut cells = lines.iter().map(cell);
    let first = cells.next();
    cells.any(|cell| Some(cell) != first)
}

fn optional(figure: Option<f64>) -> String {
    figure.map_or_else(|| "–".to_owned(), numbers::number)
}

fn seconds(figure: Option<f64>) -> String {
    figure.map_or_else(
        || "–".to_owned(),
        |seconds| numbers::with_unit(seconds, "s"),
    )
}

fn millions(rate: f64) -> String {
    format!("{:.2}", rate / 1e6)
}

fn ratio(figure: Option<f64>) -> String {
    figure.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::line::tests::sample;

    #[test]
    fn what_all_lines_share_takes_no_column() {
        let text = as_text(&sample());
        for expected in ["binary_heap", "2.00", "6.00", "38", "10,000", "abababab"] {
            assert!(
                text.contains(expected),
                "`{expected}` is missing in\n{text}"
            );
        }
        assert!(!text.contains("lookahead"), "{text}");
        let mut lines = sample();
        lines[0].lookahead_s = Some(0.25);
        assert!(as_text(&lines).contains("250 ms"));
    }

    #[test]
    fn a_spreadsheet_gets_every_figure_of_every_line() {
        let text = as_csv(&sample()).unwrap();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let head = reader.headers().unwrap().clone();
        let column = |name: &str| head.iter().position(|title| title == name).unwrap();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 3);
        assert_eq!(&rows[1][column("speed_up")], "2.0");
        assert_eq!(&rows[2][column("queue")], "binary_heap");
        assert_eq!(rows[0][column("digest")].len(), 32);
    }
}
