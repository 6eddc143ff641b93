//! From results to what a chart needs: values on one axis, in units that keep them short.

use std::fmt::Write;

use actors::shared::results::{Chart, ChartKind, Distribution, Results, Series};
use serde::Serialize;

use super::markup::escape;
use crate::report::numbers::{self, Scale, scale_for};

/// A chart, ready to be drawn.
#[derive(Debug, Serialize)]
pub struct Drawn {
    title: String,
    kind: ChartKind,
    /// The unit that values are given in, beside figures.
    unit: String,
    x_title: String,
    y_title: String,
    #[serde(flatten)]
    shape: Shape,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Shape {
    OverTime {
        x_unit: &'static str,
        names: Vec<String>,
        x: Vec<f64>,
        /// One row per name; `None` where a series has no value.
        y: Vec<Vec<Option<f64>>>,
    },
    Bars {
        /// Of how many values.
        count: u64,
        /// One more than there are bars.
        edges: Vec<f64>,
        counts: Vec<u64>,
        quantiles: Vec<(f64, f64)>,
        /// Whether values are seconds, to be written as spans of time.
        spans: bool,
    },
}

/// More points than this are not told apart on a screen; the file of metrics has them all.
const MOST_POINTS: usize = 2_000;
/// The quantiles that are marked in a histogram; more would cover each other.
const MARKED: [f64; 3] = [0.5, 0.9, 0.99];
/// More rows than this are not read.
const MOST_ROWS: usize = 200;

/// The charts of `results`, in their order. One that names nothing that is there is left out.
pub fn prepare(results: &Results) -> Vec<Drawn> {
    let prepared = results.charts.iter().map(|chart| match chart.kind {
        ChartKind::Lines | ChartKind::Stacked => over_time(chart, results),
        ChartKind::Histogram | ChartKind::LogHistogram => bars(chart, results),
    });
    prepared.flatten().collect()
}

fn over_time(chart: &Chart, results: &Results) -> Option<Drawn> {
    let named = |name: &String| results.series.iter().find(|series| series.name == *name);
    let series: Vec<&Series> = chart.of.iter().filter_map(named).collect();
    let times = shared_times(&series);
    let (&last, unit) = (times.last()?, series.first()?.unit.clone());
    let largest = series
        .iter()
        .flat_map(|s| &s.values)
        .fold(0.0_f64, |most, v| most.max(v.abs()));
    let scale = scale_for(&unit, largest);
    let size = scale.map_or(1.0, |scale| scale.size);
    let (x_unit, x_size) = if last > 3.0 * 86_400.0 {
        ("days", 86_400.0)
    } else {
        ("hours", 3_600.0)
    };
    let y = series
        .iter()
        .map(|series| values_at(&times, series, size))
        .collect();
    let unit = shown_unit(scale, &unit);
    Some(Drawn {
        title: chart.title.clone(),
        kind: chart.kind,
        y_title: unit.clone(),
        unit,
        x_title: format!("simulated time ({x_unit})"),
        shape: Shape::OverTime {
            x_unit,
            names: series.iter().map(|series| series.title.clone()).collect(),
            x: times.iter().map(|time| time / x_size).collect(),
            y,
        },
    })
}

/// Every time at which any of the series has a value, thinned to what a screen can show.
fn shared_times(series: &[&Series]) -> Vec<f64> {
    let mut times: Vec<f64> = series
        .iter()
        .flat_map(|series| &series.times_s)
        .copied()
        .collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    thinned(times.len(), MOST_POINTS)
        .map(|position| times[position])
        .collect()
}

/// At most `most` positions out of `count`, evenly, with the last one.
fn thinned(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let step = count.div_ceil(most).max(1);
    let last = count.checked_sub(1);
    (0..count).filter(move |&position| Some(position) == last || position.is_multiple_of(step))
}

fn values_at(times: &[f64], series: &Series, size: f64) -> Vec<Option<f64>> {
    let at = |time: &f64| {
        let position = series
            .times_s
            .binary_search_by(|t| t.total_cmp(time))
            .ok()?;
        series.values.get(position).map(|value| value / size)
    };
    times.iter().map(at).collect()
}

fn shown_unit(scale: Option<Scale>, unit: &str) -> String {
    match scale {
        Some(scale) => scale.unit.to_owned(),
        None if unit == "1" => String::new(),
        None => unit.to_owned(),
    }
}

fn bars(chart: &Chart, results: &Results) -> Option<Drawn> {
    let name = chart.of.first()?;
    let distribution = results.distributions.iter().find(|d| d.name == *name)?;
    let logarithmic = chart.kind == ChartKind::LogHistogram;
    let spans = distribution.unit == "s";
    // On a logarithmic axis seconds stay seconds: its marks are "1 min", "1 h", "1 d".
    let scale = match scale_for(&distribution.unit, distribution.max) {
        Some(_) if spans && logarithmic => None,
        scale => scale,
    };
    let size = scale.map_or(1.0, |scale| scale.size);
    let (edges, counts) = edges_and_counts(distribution, logarithmic)?;
    let unit = shown_unit(scale, &distribution.unit);
    let brackets = if unit.is_empty() || (spans && logarithmic) {
        String::new()
    } else {
        format!(" ({unit})")
    };
    Some(Drawn {
        title: chart.title.clone(),
        kind: chart.kind,
        x_title: format!("{}{brackets}", distribution.title),
        y_title: "count".to_owned(),
        unit,
        shape: Shape::Bars {
            count: distribution.count,
            edges: edges.iter().map(|edge| edge / size).collect(),
            counts,
            quantiles: distribution
                .quantiles
                .iter()
                .filter(|(p, _)| MARKED.contains(p))
                .map(|&(p, value)| (p, value / size))
                .collect(),
            spans: spans && logarithmic,
        },
    })
}

/// Edges from the first to the last bin, with empty bars where bins leave a gap. `None` if there is
/// nothing to draw.
fn edges_and_counts(
    distribution: &Distribution,
    logarithmic: bool,
) -> Option<(Vec<f64>, Vec<u64>)> {
    let mut edges: Vec<f64> = Vec::new();
    let mut counts = Vec::new();
    for bin in &distribution.bins {
        // A logarithmic axis has no zero: the first bar is drawn as wide as a decade.
        let low = if logarithmic && bin.low <= 0.0 {
            bin.high / 10.0
        } else {
            bin.low
        };
        match edges.last() {
            Some(&edge) if low > edge => {
                counts.push(0);
                edges.push(low);
            }
            Some(_) => {}
            None => edges.push(low),
        }
        edges.push(bin.high);
        counts.push(bin.count);
    }
    (!counts.is_empty()).then_some((edges, counts))
}

/// The places in which the charts are drawn, each with its table.
pub fn figures(charts: &[Drawn]) -> String {
    let mut out = String::new();
    for (number, chart) in charts.iter().enumerate() {
        let _ = write!(
            out,
            "<figure aria-labelledby=\"title-{number}\"><h2 id=\"title-{number}\">{}</h2>\
             <div class=\"chart\" id=\"chart-{number}\" data-says=\"{}\"></div>{}\
             <details><summary>The figures</summary>{}</details></figure>",
            escape(&chart.title),
            escape(&chart.in_words()),
            chart.hint(),
            chart.table(),
        );
    }
    out
}

impl Drawn {
    /// What the chart shows, for those who do not see it.
    fn in_words(&self) -> String {
        match &self.shape {
            Shape::OverTime { names, y, .. } => {
                let ends = names.iter().zip(y).filter_map(|(name, values)| {
                    let last = values.iter().rev().flatten().next()?;
                    Some(format!(
                        "{name} ends at {} {}",
                        numbers::number(*last),
                        self.unit
                    ))
                });
                format!(
                    "{} Over {}. {}",
                    self.title,
                    self.x_title,
                    ends.collect::<Vec<_>>().join("; ")
                )
            }
            Shape::Bars {
                count,
                quantiles,
                spans,
                ..
            } => {
                let unit = if *spans { "s" } else { self.unit.as_str() };
                let words = quantiles.iter().map(|&(p, value)| {
                    format!(
                        "{} % are below {}",
                        numbers::number(p * 100.0),
                        numbers::with_unit(value, unit)
                    )
                });
                let words = words.collect::<Vec<_>>().join("; ");
                format!(
                    "{} {} values of {}. {words}",
                    self.title,
                    numbers::count(*count),
                    self.x_title
                )
            }
        }
    }

    fn hint(&self) -> &'static str {
        match self.shape {
            Shape::OverTime { .. } => {
                "<p class=\"hint\">Drag across the chart to look closer; double-click to go back.</p>"
            }
            Shape::Bars { .. } => "",
        }
    }

    fn table(&self) -> String {
        let (heads, rows) = match &self.shape {
            Shape::OverTime { names, x, y, .. } => {
                let heads = std::iter::once(self.x_title.clone()).chain(names.iter().map(|name| {
                    if self.unit.is_empty() {
                        name.clone()
                    } else {
                        format!("{name} ({})", self.unit)
                    }
                }));
                let rows = thinned(x.len(), MOST_ROWS).map(|position| {
                    let values = y.iter().map(|values| match values[position] {
                        Some(value) => numbers::number(value),
                        None => "–".to_owned(),
                    });
                    std::iter::once(numbers::number(x[position]))
                        .chain(values)
                        .collect::<Vec<_>>()
                });
                (heads.collect::<Vec<_>>(), rows.collect::<Vec<_>>())
            }
            Shape::Bars {
                edges,
                counts,
                spans,
                ..
            } => {
                let unit = if *spans { "s" } else { self.unit.as_str() };
                let heads = ["from", "to", "count"].map(str::to_owned).to_vec();
                let rows = counts.iter().zip(edges.windows(2)).map(|(count, edge)| {
                    vec![
                        numbers::with_unit(edge[0], unit),
                        numbers::with_unit(edge[1], unit),
                        numbers::count(*count),
                    ]
                });
                (heads, rows.collect())
            }
        };
        let mut out = "<div class=\"scroll\"><table class=\"figures\"><thead><tr>".to_owned();
        for head in heads {
            let _ = write!(out, "<th class=\"n\">{}</th>", escape(&head));
        }
        out.push_str("</tr></thead><tbody>");
        for row in rows {
            out.push_str("<tr>");
            for cell in row {
                let _ = write!(out, "<td class=\"n\">{}</td>", escape(&cell));
            }
            out.push_str("</tr>");
        }
        out.push_str("</tbody></table></div>");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use actors::shared::results::Bin;

    #[test]
    fn times_are_in_days_and_values_in_short_units() {
        let drawn = prepare(&sample::results());
        let Shape::OverTime { x, y, .. } = &drawn[2].shape else {
            panic!("a chart over time was expected");
        };
        assert_eq!(drawn[2].unit, "TB");
        assert_eq!(x.last(), Some(&14.0));
        assert!((y[0][0].unwrap() - 2.2).abs() < 1e-9);
    }

    #[test]
    fn series_at_different_times_share_one_axis() {
        let mut results = sample::results();
        results.series[0].times_s = vec![0.0, 86_400.0 * 20.0];
        results.series[0].values = vec![1.0, 2.0];
        let drawn = prepare(&results);
        let Shape::OverTime { x, y, .. } = &drawn[0].shape else {
            panic!("a chart over time was expected");
        };
        assert_eq!(x.len(), 338);
        assert_eq!(y[0].iter().flatten().count(), 2);
        assert_eq!(y[1].len(), 338);
    }

    #[test]
    fn gaps_between_bins_are_empty_bars_and_zero_has_a_place_on_a_logarithm() {
        let mut distribution = sample::results().distributions.remove(0);
        let bin = |low, high, count| Bin { low, high, count };
        distribution.bins = vec![bin(0.0, 1.0, 5), bin(1.0, 2.0, 6), bin(8.0, 9.0, 7)];
        let (edges, counts) = edges_and_counts(&distribution, true).unwrap();
        assert_eq!(edges, [0.1, 1.0, 2.0, 8.0, 9.0]);
        assert_eq!(counts, [5, 6, 0, 7]);
        distribution.bins.clear();
        assert_eq!(edges_and_counts(&distribution, true), None);
    }

    #[test]
    fn long_series_are_thinned_but_keep_their_end() {
        let kept: Vec<_> = thinned(10_001, 2_000).collect();
        assert!(kept.len() <= 2_001 && *kept.last().unwrap() == 10_000);
        assert_eq!(thinned(3, 2_000).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(thinned(0, 2_000).count(), 0);
    }

    #[test]
    fn a_chart_of_nothing_is_left_out() {
        let mut results = sample::results();
        results.charts[0].of = vec!["no_such_series".to_owned()];
        assert_eq!(prepare(&results).len(), results.charts.len() - 1);
        results.series.clear();
        results.distributions.clear();
        assert!(prepare(&results).is_empty());
    }
}
