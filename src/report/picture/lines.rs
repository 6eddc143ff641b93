//! Lines over an axis of numbers: curves, distributions, and means with their intervals.

use std::fmt::Write;

use super::scale::Axis;
use super::{Picture, WIDTH, anchor, colour, escape, mark, shortened};
use crate::report::numbers::{self, Scale};

/// Lines over one axis.
#[derive(Clone, Debug, Default)]
pub struct LinePlot {
    /// What it shows.
    pub title: String,
    /// What is along the bottom.
    pub x_title: String,
    /// Its unit.
    pub x_unit: String,
    /// Whether the axis is logarithmic.
    pub x_log: bool,
    /// What is along the side.
    pub y_title: String,
    /// Its unit.
    pub y_unit: String,
    /// The lines.
    pub lines: Vec<Line>,
    /// Whether a value stays until the next one, as in a distribution that was observed.
    pub steps: bool,
}

/// One line.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// What it is of.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
    /// For each point the interval of its value, if there are any.
    pub intervals: Vec<(f64, f64)>,
}

const HEIGHT: f64 = 270.0;
const LEFT: f64 = 58.0;
const TOP: f64 = 22.0;
const BELOW: f64 = 44.0;
const LEGEND_ROW: f64 = 17.0;

impl LinePlot {
    /// Draws it.
    pub fn draw(&self) -> Picture {
        let legend = self.legend();
        let height = HEIGHT + LEGEND_ROW * legend.len() as f64;
        let bottom = HEIGHT - BELOW;
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let bounds = |values: &mut dyn Iterator<Item = f64>| {
            values
                .filter(|value| value.is_finite())
                .fold(None, |found: Option<(f64, f64)>, value| {
                    let (low, high) = found.unwrap_or((value, value));
                    Some((low.min(value), high.max(value)))
                })
                .unwrap_or((0.0, 1.0))
        };
        let positive = |x: &f64| !self.x_log || *x > 0.0;
        let (x_low, x_high) = bounds(&mut points().map(|point| point.0).filter(positive));
        let ends = self.lines.iter().flat_map(|line| &line.intervals);
        let ends = ends.flat_map(|&(low, high)| [low, high]);
        let (y_low, y_high) = bounds(&mut points().map(|point| point.1).chain(ends));
        let y_low = y_low.min(0.0);
        let x_axis = Axis::new(x_low, x_high, self.x_log, LEFT, WIDTH - 14.0);
        let y_axis = Axis::new(y_low, y_high * 1.04, false, bottom, TOP);
        let mut picture = Picture::new(height, self.in_words());
        self.y_marks(&mut picture, &y_axis, y_low, y_high, bottom);
        self.x_marks(&mut picture, &x_axis, (x_low, x_high), bottom);
        for (number, line) in self.lines.iter().enumerate() {
            self.one(&mut picture, &x_axis, &y_axis, number, line);
        }
        for (row, names) in legend.iter().enumerate() {
            let y = HEIGHT + LEGEND_ROW * row as f64 + 6.0;
            for (x, number, name) in names {
                picture.line((*x, y - 4.0), (*x + 14.0, y - 4.0), &colour(*number), 3.0);
                picture.text((*x + 19.0, y), "start", "--ink", name);
            }
        }
        picture
    }

    fn y_marks(&self, picture: &mut Picture, axis: &Axis, low: f64, high: f64, bottom: f64) {
        let scale = numbers::scale_for(&self.y_unit, high.abs().max(low.abs()));
        let size = scale.map_or(1.0, |scale| scale.size);
        for value in Axis::new(low / size, high * 1.04 / size, false, 0.0, 1.0).marks(4) {
            let y = axis.place(value * size);
            picture.line((LEFT, y), (WIDTH - 14.0, y), "--line", 1.0);
            picture.text((LEFT - 6.0, y + 4.0), "end", "--muted", &mark(value));
        }
        picture.line((LEFT, bottom), (WIDTH - 14.0, bottom), "--muted", 1.0);
        let title = with_unit(&self.y_title, scale, &self.y_unit);
        picture.text((6.0, 13.0), "start", "--muted", &shortened(&title, 60));
    }

    fn x_marks(&self, picture: &mut Picture, axis: &Axis, (low, high): (f64, f64), bottom: f64) {
        // Decades of seconds are written as the spans they are, so they keep their unit.
        let spans = self.x_log && self.x_unit == "s";
        let scale = numbers::scale_for(&self.x_unit, high).filter(|_| !spans);
        let size = scale.map_or(1.0, |scale| scale.size);
        let marks = if spans {
            spans_between(low, high)
        } else {
            let marks = Axis::new(low / size, high / size, self.x_log, 0.0, 1.0).marks(6);
            let words = |value: f64| (value * size, mark(value));
            marks.into_iter().map(words).collect()
        };
        for (value, words) in marks {
            let x = axis.place(value);
            picture.line((x, TOP), (x, bottom), "--line", 1.0);
            picture.text((x, bottom + 15.0), anchor(x), "--muted", &words);
        }
        let title = if spans {
            self.x_title.clone()
        } else {
            with_unit(&self.x_title, scale, &self.x_unit)
        };
        let middle = (LEFT + WIDTH - 14.0) / 2.0;
        picture.text(
            (middle, bottom + 32.0),
            "middle",
            "--muted",
            &shortened(&title, 66),
        );
    }

    fn one(&self, picture: &mut Picture, x_axis: &Axis, y_axis: &Axis, number: usize, line: &Line) {
        let ink = colour(number);
        let mut path = String::new();
        let mut before: Option<f64> = None;
        for &(x, y) in &line.points {
            let (x, y) = (x_axis.place(x), y_axis.place(y));
            if !y.is_finite() {
                before = None;
                continue;
            }
            match before {
                None => {
                    let _ = write!(path, "M{x:.1} {y:.1}");
                }
                Some(_) if self.steps => {
                    let _ = write!(path, "H{x:.1}V{y:.1}");
                }
                Some(_) => {
                    let _ = write!(path, "L{x:.1} {y:.1}");
                }
            }
            before = Some(y);
        }
        // Told apart without colours, too.
        let dash = match number / 4 {
            0 => "",
            1 => " stroke-dasharray=\"6 4\"",
            _ => " stroke-dasharray=\"2 3\"",
        };
        let _ = write!(
            picture.body,
            "<g><title>{}</title><path d=\"{path}\" fill=\"none\" stroke=\"var({ink})\" stroke-width=\"2\"{dash}/></g>",
            escape(&line.name)
        );
        for (&(x, y), &(low, high)) in line.points.iter().zip(&line.intervals) {
            let at = x_axis.place(x);
            picture.line((at, y_axis.place(low)), (at, y_axis.place(high)), &ink, 1.5);
            let words = format!(
                "{} at {}: {}, interval {} to {}",
                line.name,
                numbers::with_unit(x, &self.x_unit),
                numbers::with_unit(y, &self.y_unit),
                numbers::with_unit(low, &self.y_unit),
                numbers::with_unit(high, &self.y_unit)
            );
            let _ = write!(
                picture.body,
                "<circle cx=\"{at:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"var({ink})\"><title>{}</title></circle>",
                y_axis.place(y),
                escape(&words)
            );
        }
    }

    /// Rows of names, each with its place and number.
    fn legend(&self) -> Vec<Vec<(f64, usize, String)>> {
        let mut rows: Vec<Vec<(f64, usize, String)>> = Vec::new();
        if self.lines.len() < 2 && self.lines.iter().all(|line| line.name.is_empty()) {
            return rows;
        }
        let mut x = WIDTH;
        for (number, line) in self.lines.iter().enumerate() {
            let name = shortened(&line.name, 60);
            let width = 32.0 + 6.4 * name.chars().count() as f64;
            if x + width > WIDTH - 10.0 {
                rows.push(Vec::new());
                x = 10.0;
            }
            let row = rows.last_mut().expect("the first name opens a row");
            row.push((x, number, name));
            x += width;
        }
        rows
    }

    fn in_words(&self) -> String {
        let words = self.lines.iter().filter_map(|line| {
            let (x, y) = line.points.last()?;
            Some(format!(
                "{} ends at {} for {}",
                line.name,
                numbers::with_unit(*y, &self.y_unit),
                numbers::with_unit(*x, &self.x_unit)
            ))
        });
        format!("{}. {}", self.title, words.collect::<Vec<_>>().join("; "))
    }
}

fn with_unit(title: &str, scale: Option<Scale>, unit: &str) -> String {
    match scale.map_or(unit, |scale| scale.unit) {
        "" | "1" => title.to_owned(),
        unit => format!("{title} ({unit})"),
    }
}

/// The marks of a logarithmic axis of seconds, at the spans people think in.
const SPANS: [(f64, &str); 14] = [
    (1e-3, "1 ms"),
    (1e-2, "10 ms"),
    (0.1, "0.1 s"),
    (1.0, "1 s"),
    (10.0, "10 s"),
    (60.0, "1 min"),
    (600.0, "10 min"),
    (3_600.0, "1 h"),
    (6.0 * 3_600.0, "6 h"),
    (86_400.0, "1 d"),
    (7.0 * 86_400.0, "7 d"),
    (30.0 * 86_400.0, "30 d"),
    (120.0 * 86_400.0, "120 d"),
    (31_557_600.0, "1 y"),
];
/// More of them would run into each other.
const MOST_SPANS: usize = 8;

fn spans_between(low: f64, high: f64) -> Vec<(f64, String)> {
    let within = |(seconds, _): &&(f64, &str)| (low..=high).contains(seconds);
    let within: Vec<_> = SPANS.iter().filter(within).collect();
    let step = within.len().div_ceil(MOST_SPANS).max(1);
    // From the end: long spans matter more than short ones.
    let kept = within.into_iter().rev().step_by(step);
    kept.map(|&(seconds, words)| (seconds, words.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_drawn_within_the_picture_whatever_their_values() {
        let line = |name: &str, points: &[(f64, f64)]| Line {
            name: name.to_owned(),
            points: points.to_vec(),
            intervals: Vec::new(),
        };
        let plot = LinePlot {
            title: "t".to_owned(),
            x_unit: "s".to_owned(),
            x_log: true,
            lines: vec![
                line("a", &[(0.0, 0.0), (10.0, 0.5), (1e6, 1.0)]),
                line("b", &[(f64::NAN, 0.0), (5.0, f64::NAN), (7.0, 2.0)]),
                line("nothing", &[]),
            ],
            steps: true,
            ..LinePlot::default()
        };
        let svg = plot.draw().file();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert_eq!(svg.matches("<path").count(), 3);
        assert!(LinePlot::default().draw().inline().starts_with("<svg"));
    }

    #[test]
    fn an_axis_of_seconds_has_few_marks_and_the_long_ones() {
        let words = |low, high| -> Vec<String> {
            spans_between(low, high)
                .into_iter()
                .map(|(_, words)| words)
                .collect()
        };
        assert_eq!(words(50.0, 4_000.0), ["1 h", "10 min", "1 min"]);
        assert_eq!(words(1e-4, 1e9).len(), 7);
        assert_eq!(words(2.0, 3.0), [""; 0]);
    }
}
