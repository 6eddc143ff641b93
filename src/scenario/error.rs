//! What is wrong with a scenario, and where?
//!
//! Every message points at a place in the file or in the argument that caused it, and says what
//! would be right.

use std::ops::Range;

use miette::{Diagnostic, NamedSource, SourceSpan};

/// A scenario that cannot be used, in words for the person who wrote it.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ScenarioError {
    message: String,
    help: Option<String>,
    place: Option<Box<Place>>,
    others: Vec<ScenarioError>,
}

#[derive(Debug)]
struct Place {
    source: NamedSource<String>,
    span: SourceSpan,
    label: String,
}

/// Longer lines are shown in part: an endless line would bury the message.
const LONGEST_LINE: usize = 240;

/// A longer message quotes something endless: a name of a thousand letters is shown in part.
const LONGEST_MESSAGE: usize = 600;
/// The names of all keys of a table, which are listed where one is not known, are shorter than this.
const LONGEST_HELP: usize = 4_000;

impl ScenarioError {
    /// Something that no place in a text is to blame for.
    pub fn new(message: String) -> Self {
        ScenarioError {
            message: shortened(message, LONGEST_MESSAGE),
            help: None,
            place: None,
            others: Vec::new(),
        }
    }

    /// Something wrong in the text of a file.
    pub fn in_text(name: &str, text: &str, span: Range<usize>, message: String) -> Self {
        let (shown, span) = excerpt(text, span);
        ScenarioError {
            place: Some(Box::new(Place {
                source: NamedSource::new(printable(name), shown),
                span: span.into(),
                label: "here".to_owned(),
            })),
            ..Self::new(message)
        }
    }

    /// Something wrong in an argument of the command line.
    pub fn in_argument(argument: &str, span: Range<usize>, message: String) -> Self {
        Self::in_text("command line", argument, span, message)
    }

    /// With words on what would be right.
    pub fn with_help(mut self, help: String) -> Self {
        self.help = Some(printable(&shortened(help, LONGEST_HELP)));
        self
    }

    /// With a few words beside the place.
    pub fn with_label(mut self, label: &str) -> Self {
        if let Some(place) = &mut self.place {
            place.label = printable(label);
        }
        self
    }

    /// With further mistakes, so that they can be corrected in one go.
    pub fn with_others(mut self, others: Vec<ScenarioError>) -> Self {
        self.others = others;
        self
    }

    /// What would be right, if it is known.
    pub fn help_text(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// The text that the message points at.
    pub fn pointed_at(&self) -> Option<&str> {
        let place = self.place.as_ref()?;
        let start = place.span.offset();
        place.source.inner().get(start..start + place.span.len())
    }

    /// The line, from 1, that the message points at.
    pub fn line(&self) -> Option<usize> {
        let place = self.place.as_ref()?;
        let before = place.source.inner().get(..place.span.offset())?;
        Some(before.matches('\n').count() + 1)
    }
}

impl Diagnostic for ScenarioError {
    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<_>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        self.place
            .as_ref()
            .map(|place| &place.source as &dyn miette::SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        let place = self.place.as_ref()?;
        let label = Some(place.label.clone());
        let span = miette::LabeledSpan::new_with_span(label, place.span);
        Some(Box::new(std::iter::once(span)))
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        let others = self.others.iter().map(|other| other as &dyn Diagnostic);
        (!self.others.is_empty()).then(|| Box::new(others) as Box<_>)
    }
}

/// Text with nothing in it that could steer a terminal, byte for byte as long as before, so that
/// places stay where they are.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            '\r' => ' ',
            '\u{80}'..='\u{9f}' => '¿',
            c if c.is_ascii_control() => '?',
            c => c,
        })
        .collect()
}

/// The text with the line that `span` begins on cut to a length that can be read.
fn excerpt(text: &str, span: Range<usize>) -> (String, Range<usize>) {
    let text = printable(text);
    let start = floor_boundary(&text, span.start);
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let end = floor_boundary(&text, span.end).clamp(start, line_end);
    if line_end - line_start <= LONGEST_LINE {
        return (text, start..end);
    }
    let from = floor_boundary(&text, start.saturating_sub(LONGEST_LINE / 3)).max(line_start);
    let to = floor_boundary(&text, from + LONGEST_LINE).min(line_end);
    let cut_before = if from > line_start { "…" } else { "" };
    let cut_after = if to < line_end { "…" } else { "" };
    // Earlier lines stay as bare line ends, so that the line keeps its number.
    let earlier = "\n".repeat(text[..line_start].matches('\n').count());
    let shift = |at: usize| at.min(to) - from + earlier.len() + cut_before.len();
    let shown = format!("{earlier}{cut_before}{}{cut_after}\n", &text[from..to]);
    let span = shift(start)..shift(end);
    (shown, span)
}

/// The beginning and the end of a text that is longer than `longest` bytes, and all of any other.
fn shortened(text: String, longest: usize) -> String {
    if text.len() <= longest {
        return text;
    }
    let start = floor_boundary(&text, longest * 2 / 3);
    let end = floor_boundary(&text, text.len() - longest / 4);
    format!("{} … {}", &text[..start], &text[end..])
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_line_is_cut_around_the_place_and_keeps_its_number() {
        let text = format!(
            "a = 1\n{}é<here>{}",
            "x".repeat(100_000),
            "y".repeat(100_000)
        );
        let at = text.find("<here>").unwrap();
        let error = ScenarioError::in_text("f", &text, at..at + 6, "wrong".to_owned());
        assert_eq!(error.pointed_at(), Some("<here>"));
        assert_eq!(error.line(), Some(2));
        let shown = format!("{:?}", miette::Report::new(error));
        assert!(shown.len() < 3_000, "{}", shown.len());
    }

    #[test]
    fn nothing_in_a_file_can_steer_the_terminal() {
        let error = ScenarioError::in_text("f", "a = \u{1b}[2J\u{9b}1m", 4..5, "wrong".to_owned());
        let shown = error.place.as_ref().unwrap().source.inner();
        assert!(!shown.contains(['\u{1b}', '\u{9b}']), "{shown:?}");
    }

    #[test]
    fn what_is_endless_is_quoted_in_part() {
        let message = format!("`é{}` is not a key that is known", "é".repeat(100_000));
        let help = "one of `é`".repeat(100_000);
        let error = ScenarioError::new(message).with_help(help);
        let said = error.to_string();
        assert!(said.starts_with("`éé") && said.ends_with("é` is not a key that is known"));
        assert!(said.len() <= LONGEST_MESSAGE);
        assert!(
            error
                .help_text()
                .is_some_and(|help| help.len() <= LONGEST_HELP)
        );
    }

    #[test]
    fn any_place_is_survived() {
        for span in [0..0, 3..100, 50..60, usize::MAX - 1..usize::MAX] {
            let error = ScenarioError::in_text("f", "é\n", span, "wrong".to_owned());
            let _ = format!("{:?}", miette::Report::new(error));
        }
        let _ = format!(
            "{:?}",
            miette::Report::new(ScenarioError::in_text("f", "", 0..0, String::new()))
        );
    }
}
