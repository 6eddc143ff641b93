//! `myriad compare`: what differs, by how much, how surely?

use std::path::Path;

use comfy_table::{CellAlignment, Table, presets};

use super::{Asked, Failure, run::print};
use crate::cli::ScenarioArguments;
use crate::cli::compare::{CompareArguments, CompareFormat};
use crate::report::numbers;
use crate::report::progress::say;
use crate::scenario::error::printable;
use crate::study::comparison::{
    Comparison, FigureDifference, KeyDifference, Verdict, key_differences,
};
use crate::study::sample::{Sample, Samples};

/// Unsure differences below this part of the value are not shown unless they are asked for.
const SMALL: f64 = 0.02;

/// Compares two things of the same kind.
pub fn compare(arguments: &CompareArguments) -> Result<(), Failure> {
    if let (true, Some(second)) = (arguments.first_difference, &arguments.second) {
        return super::difference::first_difference(&arguments.first, second);
    }
    if let Some(second) = &arguments.second
        && arguments.first.is_file()
        && second.is_file()
    {
        return compare_scenarios(&arguments.first, second, arguments.format);
    }
    let comparisons = comparisons(
        &arguments.first,
        arguments.second.as_deref(),
        arguments.confidence,
    )?;
    match arguments.format {
        CompareFormat::Json => {
            let text = serde_json::to_string_pretty(&comparisons).expect("it is plain data");
            print(&(text + "\n"))
        }
        CompareFormat::Table => {
            let texts: Vec<String> = comparisons
                .iter()
                .map(|comparison| as_text(comparison, arguments.all))
                .collect();
            print(&texts.join("\n\n"))
        }
    }
}

/// Everything that can be paired among what is at these places.
pub(super) fn comparisons(
    first: &Path,
    second: Option<&Path>,
    confidence: f64,
) -> Result<Vec<Comparison>, Failure> {
    let one = Samples::read(first)?;
    let other = second.map(Samples::read).transpose()?;
    let mut figures = one.figures.clone();
    figures.extend(other.iter().flat_map(|other| other.figures.clone()));
    let pairs: Vec<(&Sample, &Sample)> = match &other {
        None => {
            let base = one.samples.first().filter(|_| one.samples.len() > 1);
            let base = base.ok_or_else(|| {
                Failure::Asked(format!(
                    "{} is one thing only: name another one to compare it with",
                    first.display()
                ))
            })?;
            one.samples[1..]
                .iter()
                .map(|sample| (base, sample))
                .collect()
        }
        Some(other) => match (&one.samples[..], &other.samples[..]) {
            ([single], several) => several.iter().map(|sample| (single, sample)).collect(),
            (several, [single]) => several.iter().map(|sample| (sample, single)).collect(),
            (some, others) => some
                .iter()
                .filter_map(|sample| {
                    let twin = others.iter().find(|other| other.title == sample.title)?;
                    Some((sample, twin))
                })
                .collect(),
        },
    };
    let mut found = Vec::new();
    for (one, other) in pairs {
        match Comparison::of(one, other, &figures, confidence) {
            Some(comparison) => found.push(comparison),
            None => say(&printable(&format!(
                "{} and {} have no seed in common: runs of other hosts cannot be paired",
                one.title, other.title
            ))),
        }
    }
    if found.is_empty() {
        return Err(Failure::Asked(
            "nothing can be paired: run both with the same seed, or sweep both with the same study"
                .to_owned(),
        ));
    }
    Ok(found)
}

fn compare_scenarios(first: &Path, second: &Path, format: CompareFormat) -> Result<(), Failure> {
    let table = |path: &Path| -> Result<toml::Table, Failure> {
        let asked = Asked::read(&ScenarioArguments {
            file: path.to_owned(),
            set: Vec::new(),
            seed: None,
            until: None,
        })?;
        let loaded = asked.load()?;
        toml::Table::try_from(&loaded.scenario).map_err(|error| Failure::Run(error.to_string()))
    };
    let keys = key_differences(&table(first)?, &table(second)?);
    if format == CompareFormat::Json {
        let text = serde_json::to_string_pretty(&keys).expect("it is plain data");
        return print(&(text + "\n"));
    }
    if keys.is_empty() {
        return print("the two scenarios mean the same\n");
    }
    print(&(keys_table(&keys) + "\n"))
}

fn as_text(comparison: &Comparison, all: bool) -> String {
    let shown = |figure: &&FigureDifference| {
        all || match figure.verdict {
            Verdict::Sure | Verdict::Likely => true,
            Verdict::Equal => false,
            _ => figure
                .relative
                .is_none_or(|relative| relative.abs() >= SMALL),
        }
    };
    let rows: Vec<&FigureDifference> = comparison.figures.iter().filter(shown).collect();
    let mut parts = vec![format!(
        "{}\n  and {}: {} pair{} of runs with a seed in common",
        printable(&comparison.first),
        printable(&comparison.second),
        comparison.pairs,
        if comparison.pairs == 1 { "" } else { "s" },
    )];
    if !comparison.keys.is_empty() {
        parts.push(format!(
            "Keys that differ\n{}",
            keys_table(&comparison.keys)
        ));
    }
    if rows.is_empty() {
        parts.push("No figure differs worth a word.".to_owned());
    } else {
        parts.push(format!(
            "Figures that differ, sure and large ones first (intervals of {} %, chances corrected for {} figures)\n{}",
            comparison.confidence * 100.0,
            comparison.figures.len(),
            figures_table(&rows)
        ));
    }
    let hidden = comparison.figures.len() - rows.len();
    if hidden > 0 {
        parts.push(format!(
            "{hidden} equal or slightly and unsurely differing figures: --all shows them"
        ));
    }
    parts.join("\n\n") + "\n"
}

fn figures_table(rows: &[&FigureDifference]) -> String {
    let mut table = plain(&[
        "figure",
        "first",
        "second",
        "difference",
        "±",
        "in %",
        "verdict",
    ]);
    for figure in rows {
        let unit = figure.unit.as_str();
        table.add_row(vec![
            printable(&figure.name),
            numbers::with_unit(figure.first, unit),
            numbers::with_unit(figure.second, unit),
            numbers::with_unit(figure.difference, unit),
            figure
                .half_width
                .map_or_else(String::new, |half| numbers::with_unit(half, unit)),
            percent(figure.relative),
            verdict(figure),
        ]);
    }
    for column in 1..=5 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
}

/// A relative difference, as "+12.3".
pub(super) fn percent(relative: Option<f64>) -> String {
    match relative {
        Some(relative) => format!("{:+.1}", relative * 100.0),
        None => "from 0".to_owned(),
    }
}

/// What can be said, with its probability.
pub(super) fn verdict(figure: &FigureDifference) -> String {
    match figure.chance {
        Some(chance) if matches!(figure.verdict, Verdict::Likely | Verdict::Unsure) => {
            format!("{} (p = {chance:.2})", figure.verdict.word())
        }
        _ => figure.verdict.word().to_owned(),
    }
}

fn keys_table(keys: &[KeyDifference]) -> String {
    let mut table = plain(&["key", "first", "second"]);
    let cell = |text: &str| {
        if text.is_empty() {
            "(not there)".to_owned()
        } else {
            printable(text).chars().take(60).collect()
        }
    };
    for key in keys {
        table.add_row(vec![
            printable(&key.key),
            cell(&key.first),
            cell(&key.second),
        ]);
    }
    table.trim_fmt()
}

fn plain(heads: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(heads.to_vec());
    table
}
