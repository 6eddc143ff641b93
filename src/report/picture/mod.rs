//! Charts as SVG: they need no script, print well, and stand alone in documents.
//!
//! Colours are those of the page (Okabe and Ito's palette), by name where the picture is a part of a page,
//! and with their own light and dark values where it is a file. Every mark says its figures when it is
//! pointed at.

mod dots;
mod lines;
mod scale;

pub use dots::{Dot, DotPlot};
pub use lines::{Line, LinePlot};

use std::fmt::Write;

use super::numbers;
use super::page::markup::escape;

/// The width of every picture, in its own units: what a phone shows without shrinking it much.
const WIDTH: f64 = 480.0;

/// The style of a picture that is a file of its own.
const STYLE: &str = "<style>svg{--ink:#1c1e21;--muted:#5b626b;--line:#d9dde2;--paper:#fff;--c0:#0072b2;\
--c1:#e69f00;--c2:#009e73;--c3:#d55e00;--c4:#cc79a7;--c5:#56b4e9;--c6:#7a7a7a;--c7:#8a7a00;--c8:#3b3f45;\
--c9:#9db7c9;background:var(--paper)}@media(prefers-color-scheme:dark){svg{--ink:#e8eaed;--muted:#a4abb4;\
--line:#3a4048;--paper:#14171a;--c0:#4ea3dc;--c2:#22b98c;--c3:#f0763a;--c4:#d992ba;--c5:#7cc7f0;\
--c6:#a0a0a0;--c7:#f0e442;--c8:#d5d9de;--c9:#5f7f95}}</style>";

/// A picture, drawn.
#[derive(Clone, Debug)]
pub struct Picture {
    height: f64,
    /// What it shows, for those who do not see it.
    says: String,
    body: String,
}

impl Picture {
    fn new(height: f64, says: String) -> Self {
        Picture {
            height,
            says,
            body: String::new(),
        }
    }

    /// As a part of a page.
    pub fn inline(&self) -> String {
        self.with_style("")
    }

    /// As a file of its own.
    pub fn file(&self) -> String {
        self.with_style(STYLE)
    }

    fn with_style(&self, style: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {:.0}\" class=\"picture\" \
             role=\"img\" aria-label=\"{}\" font-family=\"system-ui, sans-serif\" font-size=\"12\">{style}{}</svg>",
            self.height,
            escape(&self.says),
            self.body
        )
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, width: f64) {
        let _ = write!(
            self.body,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"var({colour})\" \
             stroke-width=\"{width}\"/>",
            from.0, from.1, to.0, to.1
        );
    }

    fn text(&mut self, at: (f64, f64), anchor: &str, colour: &str, text: &str) {
        let _ = write!(
            self.body,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" fill=\"var({colour})\">{}</text>",
            at.0,
            at.1,
            escape(text)
        );
    }
}

/// A value beside an axis: without the zeros at its end.
fn mark(value: f64) -> String {
    let words = numbers::number(value);
    if words.contains('.') && !words.contains('e') {
        return words.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    words
}

/// Where the text of a mark at `x` is held, so that it stays within the picture.
fn anchor(x: f64) -> &'static str {
    if x > WIDTH - 24.0 { "end" } else { "middle" }
}

/// The colour of the n-th thing.
fn colour(number: usize) -> String {
    format!("--c{}", number % 10)
}

/// At most so many characters of a text.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_have_no_idle_zeros() {
        let words = [0.5, 0.0, 100.0, 2.0, 0.1234, 1e20].map(mark);
        assert_eq!(words, ["0.5", "0", "100", "2", "0.1234", "1.000e20"]);
    }
}
