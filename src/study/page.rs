//! A study, or a comparison, as one page: what was found first, then how to do it again.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

use serde_json::Value;

use super::amount::Amount;
use super::collection::{Figure, read_json};
use super::comparison::{Comparison, Verdict};
use super::directory::{StudyError, StudyRecord};
use super::observed::Curve;
use super::sample::{Sample, Samples};
use super::statistics::Estimate;
use crate::report::metrics_file::read_metrics;
use crate::report::numbers;
use crate::report::page::document::{Chart, Document, Table};
use crate::report::page::markup::shell_words;
use crate::report::picture::{Dot, DotPlot, Line, LinePlot};

/// How sure the intervals on a page are.
pub const CONFIDENCE: f64 = 0.95;
/// More lines than this in a chart are not told apart.
const MOST_LINES: usize = 10;
/// More rows than this in a table of differences are not read.
const MOST_DIFFERENCES: usize = 25;
/// More points than this are not told apart in a picture.
const MOST_POINTS: usize = 240;
/// Fewer values than this are a list and not a curve.
const LEAST_CURVE: usize = 3;

/// The page of a study.
pub fn study_page(path: &Path) -> Result<Document, StudyError> {
    let record = StudyRecord::read(path)?;
    let samples = Samples::read(path)?;
    let mut document = Document {
        title: record.name.clone(),
        lead: lead(&record, &samples),
        command: format!(
            "{}\nmyriad collect {} -o table.csv",
            shell_words(&record.arguments),
            path.display()
        ),
        ..Document::default()
    };
    let missing: Vec<&str> = samples
        .samples
        .iter()
        .filter(|sample| sample.runs.is_empty())
        .map(|sample| sample.title.as_str())
        .collect();
    if !missing.is_empty() {
        let list = missing.join("; ");
        document
            .notes
            .push(format!("No run is done yet of: {list}"));
    }
    for name in &samples.unknown {
        let note = format!("`study.figures` names `{name}`, which is not a figure of these runs");
        document.notes.push(note);
    }
    for name in &samples.headlines {
        document.charts.push(figure_chart(&record, &samples, name));
    }
    let shown: Vec<&Sample> = samples
        .samples
        .iter()
        .filter(|s| !s.runs.is_empty())
        .collect();
    if shown.len() <= MOST_LINES {
        document.charts.extend(distribution_charts(&shown)?);
        document.charts.extend(time_charts(&shown)?);
    } else {
        document.notes.push(format!(
            "{} combinations are too many for charts over time; `myriad compare` and `myriad report` show two",
            shown.len()
        ));
    }
    document.tables.push((
        format!("Means with {} % confidence intervals", CONFIDENCE * 100.0),
        means_table(&samples, samples.headlines.iter()),
    ));
    if let Some((base, others)) = shown.split_first() {
        for other in others {
            if let Some(compared) = Comparison::of(base, other, &samples.figures, CONFIDENCE) {
                document.tables.push((
                    format!("{} beside {}", compared.second, compared.first),
                    differences_table(&compared),
                ));
            }
        }
    }
    document.tables.push((
        "All figures".to_owned(),
        means_table(&samples, samples.figures.keys()),
    ));
    for sample in samples.samples.iter().take(MOST_LINES) {
        let text = fs::read_to_string(sample.path.join("scenario.toml")).unwrap_or_default();
        let title = format!("The scenario of {}, with all defaults", sample.title);
        document.sources.push((title, text));
    }
    Ok(document)
}

/// The page of a comparison of two samples.
pub fn comparison_page(
    comparison: &Comparison,
    pair: [&Sample; 2],
    command: String,
) -> Result<Document, StudyError> {
    let mut document = Document {
        title: format!("{} and {}", comparison.first, comparison.second),
        lead: format!(
            "{} pairs of runs with the same seed; intervals of {} % (Student, paired)",
            comparison.pairs,
            comparison.confidence * 100.0
        ),
        command,
        ..Document::default()
    };
    if comparison.pairs == 1 {
        let note =
            "One pair of runs says how much they differ, and nothing of how much of it is chance.";
        document.notes.push(note.to_owned());
    }
    let relevant = comparison.figures.iter().filter(|figure| {
        figure.verdict != Verdict::Equal && figure.relative.is_some_and(f64::is_finite)
    });
    let dots = relevant.take(MOST_DIFFERENCES).map(|figure| {
        let relative = figure.relative.unwrap_or_default() * 100.0;
        let half = figure
            .half_width
            .map(|half| 100.0 * half / figure.first.abs());
        Dot {
            label: figure.name.replace('_', " "),
            mean: relative,
            interval: half.map(|half| (relative - half, relative + half)),
            values: Vec::new(),
        }
    });
    let plot = DotPlot {
        title: format!("Difference in % of {}", comparison.first),
        unit: "%".to_owned(),
        dots: dots.collect(),
        from_zero: true,
    };
    document.charts.push(Chart {
        title: "What differs, and by how much?".to_owned(),
        picture: plot.draw(),
        table: differences_table(comparison),
    });
    document.charts.extend(distribution_charts(&pair)?);
    document.charts.extend(time_charts(&pair)?);
    let mut keys = Table::new(&["key", &comparison.first, &comparison.second], 3);
    for key in &comparison.keys {
        keys.rows
            .push(vec![key.key.clone(), key.first.clone(), key.second.clone()]);
    }
    document.tables.push(("Keys that differ".to_owned(), keys));
    for sample in pair {
        let text = fs::read_to_string(sample.path.join("scenario.toml")).unwrap_or_default();
        document
            .sources
            .push((format!("The scenario of {}", sample.title), text));
    }
    Ok(document)
}

fn lead(record: &StudyRecord, samples: &Samples) -> String {
    let runs: usize = samples.samples.iter().map(|sample| sample.runs.len()).sum();
    let axes = match &record.axes[..] {
        [] => String::new(),
        axes => format!(" of {}", axes.join(", ")),
    };
    format!(
        "{} runs: {} combinations{axes}, seeds from {}; means over repetitions with {} % confidence \
         intervals (Student)",
        numbers::count(runs as u64),
        samples.samples.len(),
        record.seed,
        CONFIDENCE * 100.0
    )
}

fn figure_of<'a>(samples: &'a Samples, name: &str) -> &'a Figure {
    &samples.figures[name]
}

/// A figure of every combination: as a curve if the only thing that varies is an amount, else as dots.
fn figure_chart(record: &StudyRecord, samples: &Samples, name: &str) -> Chart {
    let figure = figure_of(samples, name);
    let mut table = Table::new(&["combination", "runs", "mean", "±"], 1);
    for sample in &samples.samples {
        let estimate = Estimate::of(&sample.values(name), CONFIDENCE);
        table.rows.push(vec![
            sample.title.clone(),
            sample.runs.len().to_string(),
            estimate.map_or_else(dash, |e| numbers::with_unit(e.mean, &figure.unit)),
            half_width(estimate, &figure.unit),
        ]);
    }
    let title = name.replace('_', " ");
    let picture = match curve(record, samples, name) {
        Some(plot) => plot.draw(),
        None => dots(samples, name, &figure.unit).draw(),
    };
    let question = match figure.meaning.trim_end_matches('.') {
        "" => title,
        meaning => format!("{title}: {}", lower_first(meaning)),
    };
    Chart {
        title: question,
        picture,
        table,
    }
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// The dots of a figure, one for each sample.
pub fn dots(samples: &Samples, name: &str, unit: &str) -> DotPlot {
    let dots = samples.samples.iter().filter_map(|sample| {
        let values = sample.values(name);
        let estimate = Estimate::of(&values, CONFIDENCE)?;
        Some(Dot {
            label: sample.title.clone(),
            mean: estimate.mean,
            interval: (estimate.count > 1).then(|| estimate.interval()),
            values,
        })
    });
    DotPlot {
        title: name.replace('_', " "),
        unit: unit.to_owned(),
        dots: dots.collect(),
        from_zero: true,
    }
}

fn curve(record: &StudyRecord, samples: &Samples, name: &str) -> Option<LinePlot> {
    let figure = figure_of(samples, name);
    let [axis] = &record.axes[..] else {
        return None;
    };
    let mut line = Line {
        name: String::new(),
        ..Line::default()
    };
    let mut unit = "";
    for (combination, sample) in record.combinations.iter().zip(&samples.samples) {
        let amount = Amount::read(combination.labels.first()?)?;
        unit = match amount.kind() {
            "a duration" => "s",
            "an amount of data" => "bytes",
            "a bandwidth" => "bytes/s",
            _ => "",
        };
        if let Some(estimate) = Estimate::of(&sample.values(name), CONFIDENCE) {
            line.points.push((amount.in_base(), estimate.mean));
            let (low, high) = estimate.interval();
            let known = low.is_finite();
            line.intervals.push(if known {
                (low, high)
            } else {
                (estimate.mean, estimate.mean)
            });
        }
    }
    if line.points.len() < LEAST_CURVE {
        return None;
    }
    let ratios: Vec<f64> = line
        .points
        .windows(2)
        .map(|pair| pair[1].0 / pair[0].0)
        .collect();
    // Steps by a factor are even on a logarithmic axis.
    let is_log = ratios
        .iter()
        .all(|ratio| *ratio > 1.2 && (ratio / ratios[0] - 1.0).abs() < 0.01);
    Some(LinePlot {
        title: name.replace('_', " "),
        x_title: axis.clone(),
        x_unit: unit.to_owned(),
        x_log: is_log && ratios.len() > 1,
        y_title: name.replace('_', " "),
        y_unit: figure.unit.clone(),
        lines: vec![line],
        steps: false,
    })
}

fn means_table<'a>(samples: &Samples, names: impl Iterator<Item = &'a String>) -> Table {
    let mut table = Table::new(&["figure"], 1);
    table
        .heads
        .extend(samples.samples.iter().map(|sample| sample.title.clone()));
    for name in names {
        let unit = &figure_of(samples, name).unit;
        let cells = samples.samples.iter().map(|sample| {
            let estimate = Estimate::of(&sample.values(name), CONFIDENCE);
            let Some(estimate) = estimate else {
                return dash();
            };
            let mean = numbers::with_unit(estimate.mean, unit);
            match half_width(Some(estimate), unit).as_str() {
                "–" => mean,
                half => format!("{mean} ± {half}"),
            }
        });
        let first = std::iter::once(name.replace('_', " "));
        table.rows.push(first.chain(cells).collect());
    }
    table
}

fn differences_table(comparison: &Comparison) -> Table {
    let mut table = Table::new(
        &[
            "figure",
            "what can be said",
            "first",
            "second",
            "difference",
            "±",
            "%",
        ],
        2,
    );
    let unequal = comparison
        .figures
        .iter()
        .filter(|f| f.verdict != Verdict::Equal);
    for figure in unequal.take(MOST_DIFFERENCES) {
        let unit = figure.unit.as_str();
        table.rows.push(vec![
            figure.name.replace('_', " "),
            figure.verdict.word().to_owned(),
            numbers::with_unit(figure.first, unit),
            numbers::with_unit(figure.second, unit),
            numbers::with_unit(figure.difference, unit),
            figure
                .half_width
                .map_or_else(dash, |half| numbers::with_unit(half, unit)),
            figure
                .relative
                .map_or_else(dash, |r| format!("{:+.1}", r * 100.0)),
        ]);
    }
    table
}

fn half_width(estimate: Option<Estimate>, unit: &str) -> String {
    match estimate.filter(|estimate| estimate.half_width.is_finite()) {
        Some(estimate) => numbers::with_unit(estimate.half_width, unit),
        None => dash(),
    }
}

fn dash() -> String {
    "–".to_owned()
}

/// The cumulated distributions of all samples, one chart for each quantity.
pub fn distribution_charts(samples: &[&Sample]) -> Result<Vec<Chart>, StudyError> {
    // By name: title, unit, and the counts of each sample by the edges of its bins.
    let mut found: BTreeMap<String, (String, String, Vec<Curve>)> = BTreeMap::new();
    for (position, sample) in samples.iter().enumerate() {
        let mut counts: BTreeMap<String, BTreeMap<u64, f64>> = BTreeMap::new();
        for run in sample.runs.values() {
            let summary = read_json(&run.path.join("summary.json"))?;
            for (name, told) in summary["distributions"].as_object().into_iter().flatten() {
                let word = |key: &str| told[key].as_str().unwrap_or_default().to_owned();
                let entry = found.entry(name.clone());
                entry.or_insert_with(|| {
                    (word("title"), word("unit"), vec![Vec::new(); samples.len()])
                });
                for bin in told["bins"].as_array().into_iter().flatten() {
                    let (high, count) = (bin[1].as_f64(), bin[2].as_f64());
                    if let (Some(high), Some(count)) = (high, count) {
                        // Edges are never negative, so their bits are in their order.
                        let bins = counts.entry(name.clone()).or_default();
                        *bins.entry(high.to_bits()).or_default() += count;
                    }
                }
            }
        }
        for (name, bins) in counts {
            let all: f64 = bins.values().sum();
            let mut sum = 0.0;
            let curve = bins.into_iter().map(|(edge, count)| {
                sum += count;
                (f64::from_bits(edge), sum / all)
            });
            let curve: Vec<(f64, f64)> = curve.collect();
            if let Some(entry) = found.get_mut(&name) {
                entry.2[position] = curve;
            }
        }
    }
    let charts = found.into_values().filter_map(|(title, unit, curves)| {
        let lines: Vec<Line> = samples
            .iter()
            .zip(curves)
            .filter(|(_, curve)| !curve.is_empty())
            .map(|(sample, points)| Line {
                name: sample.title.clone(),
                points,
                intervals: Vec::new(),
            })
            .collect();
        // What is always the same needs no picture.
        let varies = lines.iter().any(|line| line.points.len() > 1);
        varies.then(|| cumulated(&title, &unit, lines))
    });
    Ok(charts.collect())
}

/// A chart of cumulated distributions, with their quantiles.
pub fn cumulated(title: &str, unit: &str, lines: Vec<Line>) -> Chart {
    let quantiles = [0.1, 0.25, 0.5, 0.75, 0.9, 0.99];
    let mut table = Table::new(&["of", "10 %", "25 %", "median", "75 %", "90 %", "99 %"], 1);
    for line in &lines {
        let cells = quantiles.iter().map(|&p| {
            let at = line.points.iter().find(|point| point.1 >= p);
            at.map_or_else(dash, |point| numbers::with_unit(point.0, unit))
        });
        let first = std::iter::once(line.name.clone());
        table.rows.push(first.chain(cells).collect());
    }
    let plot = LinePlot {
        title: title.to_owned(),
        x_title: title.to_owned(),
        x_unit: unit.to_owned(),
        x_log: true,
        y_title: "part that is not larger".to_owned(),
        y_unit: String::new(),
        lines,
        steps: true,
    };
    Chart {
        title: format!("{title}: how is it distributed?"),
        picture: plot.draw(),
        table,
    }
}

/// What the runs' own charts show over time: the mean over the repetitions of each sample.
fn time_charts(samples: &[&Sample]) -> Result<Vec<Chart>, StudyError> {
    let first = samples
        .iter()
        .find_map(|sample| sample.runs.values().next());
    let Some(first) = first else {
        return Ok(Vec::new());
    };
    let summary = read_json(&first.path.join("summary.json"))?;
    let charts = summary["charts"].as_array().into_iter().flatten();
    let wanted: Vec<(String, String)> = charts
        .filter(|chart| chart["kind"] == "lines")
        .filter_map(|chart| {
            let word = |value: &Value| value.as_str().map(str::to_owned);
            Some((word(&chart["title"])?, word(&chart["of"][0])?))
        })
        .collect();
    let mut lines: Vec<Vec<Line>> = vec![Vec::new(); wanted.len()];
    let mut units = vec![(String::new(), String::new()); wanted.len()];
    for sample in samples {
        let mut sums: Vec<Vec<(f64, f64, u32)>> = vec![Vec::new(); wanted.len()];
        for run in sample.runs.values() {
            let file = run.path.join("metrics.parquet");
            let wrong = |error: &dyn std::fmt::Display| {
                StudyError::Other(format!("cannot read {}: {error}", file.display()))
            };
            let opened = File::open(&file).map_err(|error| wrong(&error))?;
            for series in read_metrics(opened).map_err(|error| wrong(&error))? {
                let Some(place) = wanted.iter().position(|(_, name)| *name == series.name) else {
                    continue;
                };
                units[place] = (series.title.clone(), series.unit.clone());
                let sums = &mut sums[place];
                for (position, (time, value)) in
                    series.times_s.iter().zip(&series.values).enumerate()
                {
                    if position == sums.len() {
                        sums.push((*time, 0.0, 0));
                    }
                    sums[position].1 += value;
                    sums[position].2 += 1;
                }
            }
        }
        for (place, sums) in sums.into_iter().enumerate() {
            lines[place].push(Line {
                name: sample.title.clone(),
                points: thinned(&sums),
                intervals: Vec::new(),
            });
        }
    }
    let charts = wanted.into_iter().zip(lines).zip(units);
    let charts = charts.filter(|((_, lines), _)| lines.iter().any(|line| !line.points.is_empty()));
    Ok(charts
        .map(|(((title, _), lines), unit)| over_time(title, lines, unit))
        .collect())
}

fn over_time(title: String, lines: Vec<Line>, (name, unit): (String, String)) -> Chart {
    let mut table = Table::new(&["of", "mean", "least", "most", "last"], 1);
    for line in &lines {
        let values = || line.points.iter().map(|point| point.1);
        let mean = values().sum::<f64>() / line.points.len().max(1) as f64;
        let figures = [
            mean,
            values().fold(f64::INFINITY, f64::min),
            values().fold(f64::NEG_INFINITY, f64::max),
            values().next_back().unwrap_or(f64::NAN),
        ];
        let cells = figures.map(|figure| numbers::with_unit(figure, &unit));
        let first = std::iter::once(line.name.clone());
        table.rows.push(first.chain(cells).collect());
    }
    let plot = LinePlot {
        title: title.clone(),
        x_title: "simulated time".to_owned(),
        x_unit: "s".to_owned(),
        x_log: false,
        y_title: name,
        y_unit: unit,
        lines,
        steps: false,
    };
    Chart {
        title,
        picture: plot.draw(),
        table,
    }
}

/// Means over stretches of time, so that no more points are left than can be seen.
fn thinned(sums: &[(f64, f64, u32)]) -> Vec<(f64, f64)> {
    let stretch = sums.len().div_ceil(MOST_POINTS).max(1);
    let means = sums.chunks(stretch).map(|chunk| {
        let count: u32 = chunk.iter().map(|point| point.2).sum();
        let sum: f64 = chunk.iter().map(|point| point.1).sum();
        let time = chunk.iter().map(|point| point.0).sum::<f64>() / chunk.len() as f64;
        (time, sum / f64::from(count.max(1)))
    });
    means.collect()
}
