//! Means with their intervals, one below the other: which differ?

use std::fmt::Write;

use super::scale::Axis;
use super::{Picture, WIDTH, anchor, colour, escape, mark, shortened};
use crate::report::numbers;

/// Means with their intervals.
#[derive(Clone, Debug)]
pub struct DotPlot {
    /// What is shown, as "Bytes sent per job".
    pub title: String,
    /// The unit of the values.
    pub unit: String,
    /// One line each.
    pub dots: Vec<Dot>,
    /// Whether the axis begins at zero, so that lengths can be compared.
    pub from_zero: bool,
}

/// One of them.
#[derive(Clone, Debug)]
pub struct Dot {
    /// What it is of.
    pub label: String,
    /// The mean.
    pub mean: f64,
    /// The interval, if there is one.
    pub interval: Option<(f64, f64)>,
    /// Single values, shown small.
    pub values: Vec<f64>,
}

const ROW: f64 = 26.0;
const TOP: f64 = 8.0;
const BELOW: f64 = 40.0;
/// The width of a letter, about.
const LETTER: f64 = 6.3;
/// More letters than this do not fit beside the dots.
const MOST_LETTERS: usize = 30;

impl DotPlot {
    /// Draws it.
    pub fn draw(&self) -> Picture {
        let longest = self.dots.iter().map(|dot| dot.label.chars().count()).max();
        let letters = longest.unwrap_or(0).min(MOST_LETTERS);
        let left = 12.0 + LETTER * letters as f64;
        let height = TOP + ROW * self.dots.len() as f64 + BELOW;
        let bottom = height - BELOW;
        let (low, high) = self.range();
        let axis = Axis::new(low, high, false, left, WIDTH - 16.0);
        let scale = numbers::scale_for(&self.unit, low.abs().max(high.abs()));
        let (size, unit) = scale.map_or((1.0, self.unit.as_str()), |s| (s.size, s.unit));
        let mut picture = Picture::new(height, self.in_words());
        for value in Axis::new(low / size, high / size, false, 0.0, 1.0).marks(4) {
            let x = axis.place(value * size);
            picture.line((x, TOP), (x, bottom), "--line", 1.0);
            picture.text((x, bottom + 15.0), anchor(x), "--muted", &mark(value));
        }
        if low < 0.0 && high > 0.0 {
            let x = axis.place(0.0);
            picture.line((x, TOP), (x, bottom), "--muted", 1.5);
        }
        let below = match unit {
            "" | "1" => self.title.clone(),
            unit => format!("{} ({unit})", self.title),
        };
        let middle = (left + WIDTH - 16.0) / 2.0;
        picture.text(
            (middle, bottom + 32.0),
            "middle",
            "--muted",
            &shortened(&below, 60),
        );
        for (row, dot) in self.dots.iter().enumerate() {
            self.row(&mut picture, &axis, left, row, dot);
        }
        picture
    }

    fn row(&self, picture: &mut Picture, axis: &Axis, left: f64, row: usize, dot: &Dot) {
        let y = TOP + ROW * (row as f64 + 0.5);
        let label = shortened(&dot.label, MOST_LETTERS);
        picture.text((left - 8.0, y + 4.0), "end", "--ink", &label);
        let _ = write!(
            picture.body,
            "<g><title>{}</title>",
            escape(&self.words_of(dot))
        );
        for &value in &dot.values {
            let _ = write!(
                picture.body,
                "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"2\" fill=\"var(--muted)\" fill-opacity=\".45\"/>",
                axis.place(value)
            );
        }
        let ink = colour(0);
        if let Some((low, high)) = dot.interval {
            let (from, to) = (axis.place(low), axis.place(high));
            picture.line((from, y), (to, y), &ink, 2.0);
            picture.line((from, y - 5.0), (from, y + 5.0), &ink, 2.0);
            picture.line((to, y - 5.0), (to, y + 5.0), &ink, 2.0);
        }
        let _ = write!(
            picture.body,
            "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"var({ink})\"/></g>",
            axis.place(dot.mean)
        );
    }

    fn range(&self) -> (f64, f64) {
        let mut low = if self.from_zero { 0.0 } else { f64::INFINITY };
        let mut high = if self.from_zero {
            0.0
        } else {
            f64::NEG_INFINITY
        };
        for dot in &self.dots {
            let (from, to) = dot.interval.unwrap_or((dot.mean, dot.mean));
            let all = [from, to, dot.mean]
                .into_iter()
                .chain(dot.values.iter().copied());
            for value in all.filter(|value| value.is_finite()) {
                low = low.min(value);
                high = high.max(value);
            }
        }
        if low > high {
            return (0.0, 1.0);
        }
        let room = 0.04 * (high - low);
        (if low == 0.0 { 0.0 } else { low - room }, high + room)
    }

    fn words_of(&self, dot: &Dot) -> String {
        let mean = numbers::with_unit(dot.mean, &self.unit);
        match dot.interval {
            Some((low, high)) => format!(
                "{}: {mean}, interval {} to {}",
                dot.label,
                numbers::with_unit(low, &self.unit),
                numbers::with_unit(high, &self.unit)
            ),
            None => format!("{}: {mean}", dot.label),
        }
    }

    fn in_words(&self) -> String {
        let words: Vec<String> = self.dots.iter().map(|dot| self.words_of(dot)).collect();
        format!("{}. {}", self.title, words.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dot_is_drawn_with_its_words_and_no_markup_gets_in() {
        let plot = DotPlot {
            title: "Lag <b>".to_owned(),
            unit: "s".to_owned(),
            from_zero: true,
            dots: vec![
                Dot {
                    label: "</svg><script>".to_owned(),
                    mean: 3_600.0,
                    interval: Some((3_000.0, 4_200.0)),
                    values: vec![3_500.0, 3_700.0],
                },
                Dot {
                    label: "b".to_owned(),
                    mean: f64::NAN,
                    interval: None,
                    values: Vec::new(),
                },
            ],
        };
        let svg = plot.draw().file();
        assert!(!svg.contains("<script") && svg.matches("</svg>").count() == 1);
        assert_eq!(svg.matches("r=\"5\"").count(), 2);
        assert!(svg.contains("1 h, interval 50 min to 1.167 h"), "{svg}");
    }
}
