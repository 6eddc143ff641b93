//! Which messages are wanted?
//!
//! A filter is a text, `time=2d..3d; actors=host[0..20],scheduler; kinds=request,reply`: some
//! conditions, all of which must hold. It is read without knowing the world; [`Filter::resolve`] turns
//! names into numbers. The same language serves recording and asking; what became of a message, and
//! its words, only those who ask can know.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use actors::shared::narration::Description;
use actors::shared::quantity::Duration;
use kernel::SimTime;

use super::message::{Fate, Message};
use crate::scenario::suggestion::nearest;

mod selection;

pub use selection::{Names, Selection};

/// Conditions on messages, as they were written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// Sent or received in one of these; empty: at any time.
    times: Vec<Range<SimTime>>,
    /// Both ends are among these; empty: anybody.
    actors: Vec<Actors>,
    /// At least one end is among these; empty: anybody.
    with: Vec<Actors>,
    /// Empty: of any kind.
    kinds: Vec<String>,
    /// Concerns one of these jobs; empty: any or none.
    jobs: Vec<Range<u32>>,
    /// Empty: whatever became of it.
    fates: Vec<Fate>,
    /// Its words contain this, in large or small letters.
    text: Option<String>,
}

/// Some actors of one group.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Actors {
    group: String,
    /// By their places in the group; `None`: all.
    places: Option<Range<u32>>,
}

/// A filter that means nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message} ({help})")]
pub struct FilterError {
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: String,
}

fn wrong(message: impl Into<String>, help: impl Into<String>) -> FilterError {
    FilterError {
        message: message.into(),
        help: help.into(),
    }
}

/// What a condition can be about, with an example of each.
const CONDITIONS: [(&str, &str); 7] = [
    ("time", "time=2d..3d"),
    ("actors", "actors=host[0..20],scheduler"),
    ("with", "with=host[3]"),
    ("kinds", "kinds=request,reply"),
    ("jobs", "jobs=17,20..30"),
    ("fates", "fates=expired,gone"),
    ("text", "text=no work"),
];

impl FromStr for Filter {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        let mut filter = Filter::default();
        if text.trim() == "all" {
            return Ok(filter);
        }
        let mut said = Vec::new();
        for condition in text.split(';').map(str::trim) {
            if condition.is_empty() {
                continue;
            }
            let Some((name, value)) = condition.split_once('=') else {
                return Err(wrong(
                    format!("`{condition}` is no condition"),
                    format!(
                        "one is a name, `=` and a list, as in `{}`; or `all`",
                        examples()
                    ),
                ));
            };
            let (name, value) = (name.trim(), value.trim());
            if said.contains(&name) {
                return Err(wrong(
                    format!("`{name}` stands twice"),
                    "a condition lists all its possibilities, separated by commas",
                ));
            }
            if value.is_empty() {
                return Err(wrong(
                    format!("`{name}=` lists nothing"),
                    "leave the condition out to have everything",
                ));
            }
            said.push(name);
            filter.read(name, value)?;
        }
        if said.is_empty() {
            return Err(wrong(
                "the filter says nothing",
                format!("`all`, or conditions such as `{}`", examples()),
            ));
        }
        Ok(filter)
    }
}

fn examples() -> String {
    let examples = CONDITIONS.iter().take(4).map(|(_, example)| *example);
    examples.collect::<Vec<_>>().join("; ")
}

impl Filter {
    fn read(&mut self, name: &str, value: &str) -> Result<(), FilterError> {
        // Words may contain anything but a semicolon.
        if name == "text" {
            self.text = Some(value.to_lowercase());
            return Ok(());
        }
        let items = value.split(',').map(str::trim);
        match name {
            "time" => self.times = items.map(time).collect::<Result<_, _>>()?,
            "actors" => self.actors = items.map(some_actors).collect::<Result<_, _>>()?,
            "with" => self.with = items.map(some_actors).collect::<Result<_, _>>()?,
            "kinds" => self.kinds = items.map(str::to_lowercase).collect(),
            "jobs" => {
                self.jobs = items
                    .map(|item| numbers(item).ok_or_else(|| no_jobs(item)))
                    .collect::<Result<_, _>>()?;
            }
            "fates" => self.fates = items.map(fate).collect::<Result<_, _>>()?,
            _ => {
                let known = CONDITIONS.map(|(name, _)| name);
                return Err(wrong(
                    format!("there is no condition called `{name}`"),
                    one_of(name, &known),
                ));
            }
        }
        Ok(())
    }

    /// Whether something is asked that only a finished trace can answer.
    ///
    /// # Errors
    /// If so: what, and what to do instead.
    pub fn check_for_recording(&self) -> Result<(), FilterError> {
        let later = match (&self.fates[..], &self.text) {
            ([], None) => return Ok(()),
            ([_, ..], _) => "fates",
            ([], Some(_)) => "text",
        };
        Err(wrong(
            format!("`{later}` cannot decide what is recorded"),
            "it is known afterwards: use it in `myriad trace RUN FILTER`",
        ))
    }

    /// The kinds it names, which must exist.
    ///
    /// # Errors
    /// If one is not among `known`.
    pub fn check_kinds<'a>(&self, known: impl Iterator<Item = &'a str>) -> Result<(), FilterError> {
        let known: Vec<_> = known.collect();
        for kind in &self.kinds {
            if !known.contains(&kind.as_str()) {
                return Err(wrong(
                    format!("there are no messages of the kind `{kind}`"),
                    one_of(kind, &known),
                ));
            }
        }
        Ok(())
    }
}

impl fmt::Display for Filter {
    /// Writes a text that reads back as the same filter.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = self.times.iter().map(|times| {
            let instant = |at: SimTime| Duration::new(at.saturating_since(SimTime::START));
            match (times.start, times.end) {
                (start, SimTime::NEVER) => format!("{}..", exactly(instant(start))),
                (start, end) => format!("{}..{}", exactly(instant(start)), exactly(instant(end))),
            }
        });
        let jobs = self
            .jobs
            .iter()
            .map(|jobs| format!("{}..{}", jobs.start, jobs.end));
        let conditions = [
            ("time", join(times)),
            ("actors", join(self.actors.iter().map(Actors::to_string))),
            ("with", join(self.with.iter().map(Actors::to_string))),
            ("kinds", self.kinds.join(",")),
            ("jobs", join(jobs)),
            (
                "fates",
                join(self.fates.iter().map(|fate| fate.name().to_owned())),
            ),
            ("text", self.text.clone().unwrap_or_default()),
        ];
        let mut written = false;
        for (name, value) in conditions.iter().filter(|(_, value)| !value.is_empty()) {
            let separator = if written { "; " } else { "" };
            write!(f, "{separator}{name}={value}")?;
            written = true;
        }
        if written { Ok(()) } else { f.write_str("all") }
    }
}

/// Durations are shown to people in their largest two units; here no nanosecond may be lost.
fn exactly(duration: Duration) -> String {
    format!("{}ns", duration.span().nanos())
}

fn join(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(",")
}

impl fmt::Display for Actors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.group)?;
        match &self.places {
            None => Ok(()),
            Some(places) => write!(f, "[{}..{}]", places.start, places.end),
        }
    }
}

fn time(item: &str) -> Result<Range<SimTime>, FilterError> {
    let refused = |why: String| {
        wrong(
            format!("`{item}` is no interval of time: {why}"),
            "one is written as 2d..3d, ..12h or 5d..",
        )
    };
    let (start, end) = item
        .split_once("..")
        .ok_or_else(|| refused("there is no `..` in it".to_owned()))?;
    let instant = |text: &str, otherwise: SimTime| match text.trim() {
        "" => Ok(otherwise),
        text => text
            .parse::<Duration>()
            .map(|since_start| SimTime::START + since_start.span())
            .map_err(|error| refused(error.to_string())),
    };
    let times = instant(start, SimTime::START)?..instant(end, SimTime::NEVER)?;
    if times.is_empty() {
        return Err(refused("it ends before it begins".to_owned()));
    }
    Ok(times)
}

fn some_actors(item: &str) -> Result<Actors, FilterError> {
    let refused = |why: &str| {
        wrong(
            format!("`{item}` names no actors: {why}"),
            "they are written as scheduler, host[7] or host[0..20]",
        )
    };
    let (group, places) = match item.split_once('[') {
        None => (item, None),
        Some((group, rest)) => {
            let places = rest.strip_suffix(']');
            let places = places.ok_or_else(|| refused("a `]` is missing"))?;
            let places = numbers(places.trim());
            let why = "between `[` and `]` stands a number, or a range as 0..20";
            (group, Some(places.ok_or_else(|| refused(why))?))
        }
    };
    let group = group.trim();
    if group.is_empty() {
        return Err(refused("what they are is missing"));
    }
    Ok(Actors {
        group: plain(group),
        places,
    })
}

/// A group's name as people may write it: `download server`, `download-server`, `Download_Server`.
fn plain(group: &str) -> String {
    let letter = |letter: char| match letter {
        ' ' | '-' => '_',
        letter => letter.to_ascii_lowercase(),
    };
    group.chars().map(letter).collect()
}

/// `17`, `20..30`, `20..` or `..30`.
fn numbers(text: &str) -> Option<Range<u32>> {
    let Some((start, end)) = text.split_once("..") else {
        let number = text.parse::<u32>().ok()?;
        return Some(number..number.checked_add(1)?);
    };
    let number = |text: &str, otherwise: u32| match text.trim() {
        "" => Some(otherwise),
        text => text.parse().ok(),
    };
    let range = number(start, 0)?..number(end, u32::MAX)?;
    (!range.is_empty()).then_some(range)
}

fn no_jobs(item: &str) -> FilterError {
    wrong(
        format!("`{item}` names no jobs"),
        "they are written as 17 or 20..30",
    )
}

fn fate(item: &str) -> Result<Fate, FilterError> {
    let found = Fate::ALL
        .into_iter()
        .find(|fate| fate.name() == plain(item));
    found.ok_or_else(|| {
        let known = Fate::ALL.map(Fate::name);
        wrong(
            format!("there is no fate called `{item}`"),
            one_of(item, &known),
        )
    })
}

fn one_of(found: &str, known: &[&str]) -> String {
    let list = known.join(", ");
    match nearest(found, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? There are: {list}"),
        None => format!("there are: {list}"),
    }
}

#[cfg(test)]
mod tests;
