//! `myriad fit`: which distribution do these values come from, and how would it stand in a scenario?

use std::path::Path;

use comfy_table::{CellAlignment, Table, presets};

use super::{Failure, run::print};
use crate::cli::fit::FitArguments;
use crate::fit::{Judged, judge, values::read_column};
use crate::report::numbers;
use crate::report::page::document::{Chart, Document, Table as PageTable};
use crate::report::page::markup::shell_words;
use crate::report::picture::{Line, LinePlot};
use crate::report::progress::say;
use crate::report::run_directory::write_text;
use crate::scenario::error::printable;
use crate::study::amount::Amount;

/// Fewer values say nothing about their distribution.
const LEAST: usize = 5;
/// More points are not told apart in a picture.
const MOST_POINTS: usize = 300;

/// Fits every family, says which is best, and draws them.
pub fn fit(arguments: &FitArguments) -> Result<(), Failure> {
    let unit = arguments.unit.as_str();
    let is_known = unit.is_empty() || Amount::read(&format!("1 {unit}")).is_some();
    if !is_known {
        return Err(Failure::Asked(printable(&format!(
            "`{unit}` is not a unit of scenarios; s, min, h, d, B, kB, MB, GB, Mbit/s and GFLOPS are some"
        ))));
    }
    let column = read_column(&arguments.file, &arguments.column)
        .map_err(|why| Failure::Asked(printable(&why)))?;
    if column.skipped_count > 0 {
        let lines: Vec<String> = column.skipped.iter().map(u64::to_string).collect();
        say(&format!(
            "{} lines without a usable number are skipped, the first at line {}",
            column.skipped_count,
            lines.join(", ")
        ));
    }
    if column.values.len() < LEAST {
        return Err(Failure::Asked(printable(&format!(
            "{} has {} numbers of zero or more in column `{}`, and a fit needs at least {LEAST}",
            arguments.file.display(),
            column.values.len(),
            arguments.column
        ))));
    }
    let judged = judge(&column.values);
    let Some(best) = judged.first() else {
        return Err(Failure::Asked(format!(
            "no family can hold these values: they are all {}",
            column.values[0]
        )));
    };
    if let Some(path) = &arguments.output {
        let page = page(&arguments.file, &column.head, &column.values, &judged, unit);
        write_text(path, &page)?;
    }
    let bootstrap = if best.is_bootstrap {
        "p by parametric bootstrap"
    } else {
        "p is an upper bound: the parameters were fitted to the same values"
    };
    print(&format!(
        "{}: {} values, mean {}, from {} to {}\n\n{}\n\n\
         KS is the largest difference between the distributions; {bootstrap}.\n\
         The best by AIC, to paste into a scenario:\n{}\n",
        printable(&column.head),
        numbers::count(column.values.len() as u64),
        numbers::with_unit(mean(&column.values), unit),
        numbers::with_unit(column.values[0], unit),
        numbers::with_unit(*column.values.last().expect("there are some"), unit),
        as_table(&judged, unit),
        best.family.line(unit),
    ))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn cells(judged: &Judged, best: f64, unit: &str) -> Vec<String> {
    vec![
        judged.family.name().to_owned(),
        numbers::number(judged.aic - best),
        format!("{:.4}", judged.distance),
        format!("{:.3}", judged.chance),
        judged.family.line(unit),
    ]
}

const HEADS: [&str; 5] = ["family", "AIC above best", "KS", "p", "in a scenario"];

fn as_table(judged: &[Judged], unit: &str) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(HEADS);
    for one in judged {
        table.add_row(cells(one, judged[0].aic, unit));
    }
    for column in 1..=3 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
}

fn page(file: &Path, head: &str, values: &[f64], judged: &[Judged], unit: &str) -> String {
    let mut table = PageTable::new(&HEADS, 1);
    for one in judged {
        table.rows.push(cells(one, judged[0].aic, unit));
    }
    let count = values.len();
    let step = count.div_ceil(MOST_POINTS).max(1);
    let positions: Vec<usize> = (0..count).step_by(step).chain([count - 1]).collect();
    let observed = Line {
        name: format!("{head}, observed"),
        points: positions
            .iter()
            .map(|&position| (values[position], (position + 1) as f64 / count as f64))
            .collect(),
        intervals: Vec::new(),
    };
    let fitted = judged.iter().map(|one| Line {
        name: one.family.name().to_owned(),
        points: positions
            .iter()
            .map(|&position| (values[position], one.family.cdf(values[position])))
            .collect(),
        intervals: Vec::new(),
    });
    let lines: Vec<Line> = std::iter::once(observed).chain(fitted).collect();
    let plot = |x_log: bool| LinePlot {
        title: format!("{head}: observed and fitted"),
        x_title: head.to_owned(),
        x_unit: unit.to_owned(),
        x_log,
        y_title: "part that is not larger".to_owned(),
        y_unit: String::new(),
        lines: lines.clone(),
        steps: false,
    };
    let chart = |title: &str, x_log| Chart {
        title: title.to_owned(),
        picture: plot(x_log).draw(),
        table: table.clone(),
    };
    let words: Vec<String> = std::env::args().collect();
    Document {
        title: format!("{head}, fitted"),
        lead: format!(
            "{} values of {}; best by AIC: {}",
            numbers::count(count as u64),
            file.display(),
            judged[0].family.name()
        ),
        charts: vec![
            chart("Which distribution is like it?", false),
            chart("And on a logarithmic axis?", true),
        ],
        tables: vec![("Fits, the best first".to_owned(), table.clone())],
        command: shell_words(&words),
        ..Document::default()
    }
    .page()
}
