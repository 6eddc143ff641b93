//! `myriad validate`: is a run like what a real project saw?

use std::collections::BTreeMap;

use comfy_table::{CellAlignment, Table, presets};

use super::{Failure, run::print};
use crate::cli::validate::ValidateArguments;
use crate::fit::goodness::kolmogorov;
use crate::report::numbers;
use crate::report::page::document::{Document, Table as PageTable};
use crate::report::page::markup::shell_words;
use crate::report::picture::Line;
use crate::report::progress::say;
use crate::report::run_directory::write_text;
use crate::scenario::error::printable;
use crate::study::collection::read_json;
use crate::study::observed::{Curve, Observed, curve, distance, quantile};
use crate::study::page::cumulated;
use crate::study::sample::{Sample, Samples};

const QUANTILES: [f64; 3] = [0.5, 0.9, 0.99];
const HEADS: [&str; 8] = [
    "distribution",
    "of",
    "values",
    "median",
    "90 %",
    "99 %",
    "KS",
    "at",
];

/// One distribution, simulated and observed.
struct Pair {
    title: String,
    unit: String,
    simulated: Curve,
    simulated_count: f64,
    observed: Curve,
    observed_count: f64,
}

/// Compares the distributions of a run with real data.
pub fn validate(arguments: &ValidateArguments) -> Result<(), Failure> {
    let observed =
        Observed::read(&arguments.against).map_err(|why| Failure::Asked(printable(&why)))?;
    if observed.skipped > 0 {
        say(&format!(
            "{} lines of the data are skipped: no name, or no number of zero or more",
            observed.skipped
        ));
    }
    let samples = Samples::read(&arguments.run)?;
    let [sample] = &samples.samples[..] else {
        return Err(Failure::Asked(format!(
            "{} is a study with several combinations: name one of them, such as {}",
            arguments.run.display(),
            samples
                .samples
                .first()
                .map_or_else(String::new, |s| s.path.display().to_string())
        )));
    };
    let simulated = simulated(sample)?;
    let mut pairs = BTreeMap::new();
    for (name, values) in &observed.distributions {
        let Some((title, unit, counts)) = simulated.get(name) else {
            let known: Vec<&str> = simulated.keys().map(String::as_str).collect();
            say(&printable(&format!(
                "`{name}` is not a distribution of this run, so it is left out; there are {}",
                known.join(", ")
            )));
            continue;
        };
        let pair = Pair {
            title: title.clone(),
            unit: unit.clone(),
            simulated: curve(counts),
            simulated_count: counts.iter().map(|value| value.1).sum(),
            observed: curve(values),
            observed_count: values.iter().map(|value| value.1).sum(),
        };
        if pair.simulated.is_empty() {
            say(&format!(
                "`{name}` has no values in this run, so it is left out"
            ));
        } else {
            pairs.insert(name.clone(), pair);
        }
    }
    if pairs.is_empty() {
        return Err(Failure::Asked(
            "the data and the run have no distribution in common".to_owned(),
        ));
    }
    if let Some(path) = &arguments.output {
        write_text(path, &page(arguments, &pairs))?;
    }
    print(&(as_text(&pairs) + "\n"))
}

type Counted = BTreeMap<String, (String, String, Vec<(f64, f64)>)>;

/// By name: title, unit and the counts of the bins by their ends.
fn simulated(sample: &Sample) -> Result<Counted, Failure> {
    let mut found = Counted::new();
    for run in sample.runs.values() {
        let summary = read_json(&run.path.join("summary.json"))?;
        for (name, told) in summary["distributions"].as_object().into_iter().flatten() {
            let word = |key: &str| told[key].as_str().unwrap_or_default().to_owned();
            let entry = found.entry(name.clone());
            let entry = entry.or_insert_with(|| (word("title"), word("unit"), Vec::new()));
            for bin in told["bins"].as_array().into_iter().flatten() {
                if let (Some(high), Some(count)) = (bin[1].as_f64(), bin[2].as_f64()) {
                    entry.2.push((high, count));
                }
            }
        }
    }
    for (_, _, counts) in found.values_mut() {
        counts.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    Ok(found)
}

fn rows(name: &str, pair: &Pair) -> [Vec<String>; 2] {
    let (far, at) = distance(&pair.simulated, &pair.observed);
    let row = |first: &str, of: &str, curve: &Curve, count: f64, last: [String; 2]| {
        let mut cells = vec![
            first.to_owned(),
            of.to_owned(),
            numbers::number(count.round()),
        ];
        cells.extend(QUANTILES.map(|p| numbers::with_unit(quantile(curve, p), &pair.unit)));
        cells.extend(last);
        cells
    };
    let far = [format!("{far:.4}"), numbers::with_unit(at, &pair.unit)];
    let nothing = [String::new(), String::new()];
    [
        row(
            name,
            "simulated",
            &pair.simulated,
            pair.simulated_count,
            far,
        ),
        row("", "observed", &pair.observed, pair.observed_count, nothing),
    ]
}

fn as_text(pairs: &BTreeMap<String, Pair>) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(HEADS);
    let mut surprises = Vec::new();
    for (name, pair) in pairs {
        for row in rows(name, pair) {
            table.add_row(row);
        }
        // Of two samples: the harmonic mean of their sizes takes the place of the size.
        let size = pair.simulated_count * pair.observed_count
            / (pair.simulated_count + pair.observed_count);
        let chance = kolmogorov(distance(&pair.simulated, &pair.observed).0, size);
        surprises.push(format!("{} {chance:.3}", printable(name)));
    }
    for column in 2..HEADS.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    format!(
        "{}\n\nKS is the largest difference between the parts that are not larger, where bins of the run end.\n\
         The probability of such a difference between two samples of one distribution: {}",
        table.trim_fmt(),
        surprises.join("; ")
    )
}

fn page(arguments: &ValidateArguments, pairs: &BTreeMap<String, Pair>) -> String {
    let mut table = PageTable::new(&HEADS, 2);
    let mut charts = Vec::new();
    for (name, pair) in pairs {
        table.rows.extend(rows(name, pair));
        let line = |name: &str, curve: &Curve| Line {
            name: name.to_owned(),
            points: thinned(curve),
            intervals: Vec::new(),
        };
        let lines = vec![
            line("simulated", &pair.simulated),
            line("observed", &pair.observed),
        ];
        charts.push(cumulated(&pair.title, &pair.unit, lines));
    }
    let words: Vec<String> = std::env::args().collect();
    Document {
        title: format!(
            "{} beside {}",
            arguments.run.display(),
            arguments.against.display()
        ),
        lead: "Distributions of a run and of real data".to_owned(),
        charts,
        tables: vec![("Side by side".to_owned(), table)],
        command: shell_words(&words),
        ..Document::default()
    }
    .page()
}

/// A curve with as many points as a picture can show.
fn thinned(curve: &Curve) -> Curve {
    const MOST: usize = 400;
    let step = curve.len().div_ceil(MOST).max(1);
    let kept = curve.iter().enumerate();
    let last = curve.len().saturating_sub(1);
    kept.filter(|(position, _)| position % step == 0 || *position == last)
        .map(|(_, point)| *point)
        .collect()
}
