//! From the text of a file to what it means.
//!
//! The only file that knows the format of scenarios (TOML). Mistakes are found by whoever knows the
//! rule (the parser, a quantity's type, a domain's own checks); here they are given their place.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::de::DeserializeOwned;
use toml_edit::{Document, DocumentMut, Item};

use super::error::{ScenarioError, printable};
use super::key_path::{KeyPath, Step};
use super::overrides::Override;
use super::suggestion;

/// The largest scenario file, in bytes: far more than anyone writes by hand.
pub const LARGEST_SCENARIO: u64 = 1 << 20;
/// The largest population file, in bytes: a quarter of a million rows, each of many hosts. Its text
/// becomes some 80 times as many bytes while it is taken apart.
pub const LARGEST_POPULATION: u64 = 8 << 20;

/// The text of a scenario, with what the command line changes in it.
#[derive(Debug)]
pub struct ScenarioText {
    name: String,
    original: Document<String>,
    overrides: Vec<Override>,
    /// The document after the overrides, as text, without its study.
    changed: String,
    /// The study alone, if there is one: which runs are made of the scenario is not a part of it.
    study: Option<Item>,
}

/// The table of a file that says which runs are made of the scenario.
const STUDY: &str = "study";

impl ScenarioText {
    /// Reads the file at `path` and applies `overrides`, in their order.
    pub fn read(path: &Path, overrides: Vec<Override>) -> Result<Self, ScenarioError> {
        let text = read_text(path, LARGEST_SCENARIO, "scenario")?;
        Self::new(&path.display().to_string(), &text, overrides)
    }

    /// Takes `text` as if it had been read from a file called `name`.
    pub fn new(name: &str, text: &str, overrides: Vec<Override>) -> Result<Self, ScenarioError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let original = Document::parse(text.to_owned()).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            ScenarioError::in_text(name, text, span, printable(error.message().trim()))
                .with_help("the file is not well-formed TOML".to_owned())
        })?;
        let mut study = None;
        let changed = if overrides.is_empty() && !original.contains_key(STUDY) {
            text.to_owned()
        } else {
            let mut document: DocumentMut = original.clone().into_mut();
            for change in &overrides {
                change.apply(&mut document)?;
            }
            study = document.remove(STUDY);
            document.to_string()
        };
        Ok(ScenarioText {
            name: name.to_owned(),
            original,
            overrides,
            changed,
            study,
        })
    }

    /// The text with more changes, after those it has already.
    pub fn with(&self, more: &[Override]) -> Result<Self, ScenarioError> {
        let overrides = self.overrides.iter().chain(more).cloned().collect();
        Self::new(&self.name, self.original.raw(), overrides)
    }

    /// The study, if there is one.
    pub fn study(&self) -> Option<&Item> {
        self.study.as_ref()
    }

    /// What a document that holds nothing but the study means.
    pub fn meaning_of_study<S: DeserializeOwned>(&self) -> Result<S, ScenarioError> {
        let mut document = DocumentMut::new();
        if let Some(study) = &self.study {
            document.insert(STUDY, study.clone());
        }
        self.meaning_in(&document.to_string())
    }

    /// Refuses a scenario of a domain that is not one of `known`. One that names none is of the
    /// first.
    pub fn require_domain(&self, known: &[&str]) -> Result<(), ScenarioError> {
        let document = Document::parse(self.changed.as_str()).ok();
        let named = document
            .as_ref()
            .and_then(|document| document.get("domain")?.as_str());
        let Some(named) = named.filter(|named| !known.contains(named)) else {
            return Ok(());
        };
        let unknown = suggestion::Unknown {
            what: suggestion::What::Name,
            found: named.to_owned(),
            known: known.iter().map(|&name| name.to_owned()).collect(),
        };
        let message = format!("`domain`: `{named}` is not a world that is known");
        Err(self
            .blame(&path_of("domain"), false, message)
            .with_help(unknown.help()))
    }

    /// What the text means.
    pub fn meaning<S: DeserializeOwned>(&self) -> Result<S, ScenarioError> {
        self.meaning_in(&self.changed)
    }

    fn meaning_in<S: DeserializeOwned>(&self, text: &str) -> Result<S, ScenarioError> {
        let deserialised = toml::Deserializer::parse(text).and_then(|d| S::deserialize(d));
        deserialised.map_err(|error| self.explain(text, error.message(), error.span()))
    }

    /// An error about the value at `path`.
    pub fn error_at(&self, path: &KeyPath, message: String) -> ScenarioError {
        self.blame(path, false, message)
    }

    /// Gives a message of the deserialiser its place and its suggestion.
    fn explain(
        &self,
        text: &str,
        message: &str,
        span: Option<std::ops::Range<usize>>,
    ) -> ScenarioError {
        let document = Document::parse(text).ok();
        let path = match (&document, span) {
            (Some(document), Some(span)) if !span.is_empty() => {
                KeyPath::at_offset(document.as_table(), span.start)
            }
            _ => KeyPath::default(),
        };
        let Some(unknown) = suggestion::Unknown::read(message) else {
            let subject = if path.0.is_empty() {
                String::new()
            } else {
                format!("`{path}`: ")
            };
            return self.blame(&path, false, format!("{subject}{}", message.trim()));
        };
        match unknown.what {
            suggestion::What::Key => {
                // Of a key in a tagged table, the place is that of the table: look for the key.
                let inside = path.join(&unknown.found);
                let is_inside = document
                    .as_ref()
                    .is_some_and(|document| inside.find(document.as_table()).is_some());
                let path = if is_inside { inside } else { path };
                self.blame(&path, true, format!("`{path}` is not a key that is known"))
            }
            suggestion::What::Name => self.blame(
                &path,
                false,
                format!("`{path}`: `{}` is not a name that is known", unknown.found),
            ),
        }
        .with_help(unknown.help())
    }

    /// Points at what brought the value at `path` about: an argument, or a place in the file.
    fn blame(&self, path: &KeyPath, at_key: bool, message: String) -> ScenarioError {
        let message = printable(&message);
        let original = self.original.as_table();
        let guilty = self.overrides.iter().rev().find(|change| {
            path.is_within(&change.path)
                || (change.path.is_within(path) && path.find(original).is_none())
        });
        if let Some(change) = guilty {
            let span = if at_key {
                change.key_span()
            } else {
                change.value_span()
            };
            return ScenarioError::in_argument(&change.argument, span, message);
        }
        // A value that is not written is a default: its table is the nearest place there is.
        let mut nearest = path.clone();
        let span = loop {
            match nearest.find(original) {
                Some(found) if at_key && nearest == *path => break found.key_span(),
                Some(found) => break found.value_span(),
                None if nearest.0.is_empty() => break None,
                None => nearest = nearest.parent(),
            }
        };
        let text = self.original.raw();
        let label = if nearest == *path {
            "here"
        } else {
            "not written here: a default"
        };
        ScenarioError::in_text(&self.name, text, span.unwrap_or(0..0), message).with_label(label)
    }
}

/// Reads a text file of at most `largest` bytes.
pub fn read_text(path: &Path, largest: u64, kind: &str) -> Result<String, ScenarioError> {
    let name = printable(&path.display().to_string());
    let fail = |error: std::io::Error| {
        ScenarioError::new(format!("cannot read the {kind} file {name}: {error}"))
    };
    let file = File::open(path).map_err(fail)?;
    if file.metadata().map_err(fail)?.is_dir() {
        return Err(ScenarioError::new(format!(
            "{name} is a folder: name a {kind} file in it"
        )));
    }
    let mut bytes = Vec::new();
    // One byte more than allowed tells a file that is too large from one that just fits; and a
    // device that never ends is left alone in time.
    file.take(largest + 1)
        .read_to_end(&mut bytes)
        .map_err(fail)?;
    if bytes.len() as u64 > largest {
        return Err(ScenarioError::new(format!(
            "the {kind} file {name} is larger than {} MiB, the most that is read",
            largest >> 20
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..valid]
            .iter()
            .filter(|&&b| b == b'\n')
            .count()
            + 1;
        ScenarioError::new(format!(
            "the {kind} file {name} is not text: byte {valid}, on line {line}, is not UTF-8"
        ))
        .with_help("save it as UTF-8".to_owned())
    })
}

/// The path that a check of a domain names, as `jobs.min_quorum`.
pub fn path_of(key: &str) -> KeyPath {
    KeyPath::parse(key).unwrap_or_else(|_| KeyPath(vec![Step::Key(key.to_owned())]))
}
