//! Where in a scenario is a value?
//!
//! A path such as `jobs.delay_bound` or `classes[2].share`, as users write it after `--set` and as
//! messages name it; and the way from a path to its place in the text, and back.

use std::fmt;
use std::ops::Range;

use toml_edit::{Item, TableLike, Value};

/// The way from the top of a scenario to one value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KeyPath(pub Vec<Step>);

/// One step of the way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Into a table, by the name of a key.
    Key(String),
    /// Into a list, by position from zero.
    Index(usize),
}

/// Deeper than any scenario is; a longer path is a mistake or an attack.
const DEEPEST: usize = 32;

impl KeyPath {
    /// Reads `a.b[0].c`. A key with other characters than letters, digits, `_` and `-` stands in
    /// double quotes.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut steps = Vec::new();
        let mut rest = text.trim();
        loop {
            let (key, after) = take_key(rest)?;
            steps.push(Step::Key(key));
            rest = after;
            while let Some(inside) = rest.strip_prefix('[') {
                let (number, after) = inside
                    .split_once(']')
                    .ok_or_else(|| format!("`{text}` has a `[` without its `]`"))?;
                let index = number.trim().parse().map_err(|_| {
                    format!("`[{number}]` is not a position: write a number from 0")
                })?;
                steps.push(Step::Index(index));
                rest = after;
            }
            if steps.len() > DEEPEST {
                return Err(format!("a key has at most {DEEPEST} parts"));
            }
            if rest.is_empty() {
                return Ok(KeyPath(steps));
            }
            rest = rest
                .strip_prefix('.')
                .ok_or_else(|| format!("expected `.` or `[` before `{rest}`"))?;
        }
    }

    /// This path with one more key at its end.
    pub fn join(&self, key: &str) -> KeyPath {
        let mut steps = self.0.clone();
        steps.push(Step::Key(key.to_owned()));
        KeyPath(steps)
    }

    /// The path without its last step.
    pub fn parent(&self) -> KeyPath {
        KeyPath(self.0[..self.0.len().saturating_sub(1)].to_vec())
    }

    /// Whether this path leads to `other` or to something inside it.
    pub fn is_within(&self, other: &KeyPath) -> bool {
        self.0.starts_with(&other.0)
    }

    /// The key and the value at this path, with their places in the text they were read from.
    pub fn find<'a>(&self, root: &'a dyn TableLike) -> Option<Found<'a>> {
        let mut found: Option<Found<'a>> = None;
        for step in &self.0 {
            let inside = match (&found, step) {
                (None, Step::Key(key)) => Found::in_table(root, key)?,
                (Some(here), Step::Key(key)) => Found::in_table(here.node.as_table()?, key)?,
                (Some(here), Step::Index(index)) => Found {
                    key: None,
                    node: here.node.element(*index)?,
                },
                (None, Step::Index(_)) => return None,
            };
            found = Some(inside);
        }
        found
    }

    /// The path to the innermost value or key whose text contains `offset`; empty if none does.
    pub fn at_offset(root: &dyn TableLike, offset: usize) -> KeyPath {
        let mut best = (usize::MAX, KeyPath::default());
        search(root, offset, &KeyPath::default(), &mut best);
        best.1
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) => {
                    let dot = if position > 0 { "." } else { "" };
                    if !key.is_empty() && key.chars().all(is_bare) {
                        write!(f, "{dot}{key}")?;
                    } else {
                        write!(f, "{dot}{key:?}")?;
                    }
                }
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

fn is_bare(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn take_key(text: &str) -> Result<(String, &str), String> {
    if let Some(inside) = text.strip_prefix('"') {
        let (key, after) = inside
            .split_once('"')
            .ok_or_else(|| "a key's closing `\"` is missing".to_owned())?;
        return Ok((key.to_owned(), after));
    }
    let end = text.find(|c| !is_bare(c)).unwrap_or(text.len());
    if end == 0 {
        return Err("a key is missing: write it as in `jobs.delay_bound`".to_owned());
    }
    Ok((text[..end].to_owned(), &text[end..]))
}

/// A value of a document, whichever of TOML's spellings it has.
#[derive(Clone, Copy)]
pub enum Node<'a> {
    /// A value under a key or in the document.
    Item(&'a Item),
    /// An element of a list.
    Value(&'a Value),
    /// One table of a list of tables.
    Table(&'a toml_edit::Table),
}

impl<'a> Node<'a> {
    /// As a table, if it is one.
    pub fn as_table(self) -> Option<&'a dyn TableLike> {
        match self {
            Node::Item(item) => item.as_table_like(),
            Node::Value(value) => value.as_inline_table().map(|table| table as &dyn TableLike),
            Node::Table(table) => Some(table),
        }
    }

    fn element(self, index: usize) -> Option<Node<'a>> {
        match self {
            Node::Item(Item::ArrayOfTables(tables)) => tables.get(index).map(Node::Table),
            Node::Item(Item::Value(Value::Array(array))) | Node::Value(Value::Array(array)) => {
                array.get(index).map(Node::Value)
            }
            _ => None,
        }
    }

    fn elements(self) -> usize {
        match self {
            Node::Item(Item::ArrayOfTables(tables)) => tables.len(),
            Node::Item(Item::Value(Value::Array(array))) | Node::Value(Value::Array(array)) => {
                array.len()
            }
            _ => 0,
        }
    }

    fn span(self) -> Option<Range<usize>> {
        match self {
            Node::Item(item) => item.span(),
            Node::Value(value) => value.span(),
            Node::Table(table) => table.span(),
        }
    }
}

/// What stands at a path.
#[derive(Clone)]
pub struct Found<'a> {
    key: Option<&'a toml_edit::Key>,
    /// The value.
    pub node: Node<'a>,
}

impl<'a> Found<'a> {
    fn in_table(table: &'a dyn TableLike, key: &str) -> Option<Found<'a>> {
        let (key, item) = table.get_key_value(key)?;
        Some(Found {
            key: Some(key),
            node: Node::Item(item),
        })
    }

    /// Where the key is written.
    pub fn key_span(&self) -> Option<Range<usize>> {
        self.key.and_then(toml_edit::Key::span)
    }

    /// Where the value is written; of a table, its head.
    pub fn value_span(&self) -> Option<Range<usize>> {
        self.node.span().or_else(|| self.key_span())
    }
}

fn search(table: &dyn TableLike, offset: usize, path: &KeyPath, best: &mut (usize, KeyPath)) {
    for (name, _) in table.iter() {
        if let Some(found) = Found::in_table(table, name) {
            consider(&found, offset, path.join(name), best);
        }
    }
}

fn consider(found: &Found<'_>, offset: usize, path: KeyPath, best: &mut (usize, KeyPath)) {
    for span in [found.key_span(), found.node.span()].into_iter().flatten() {
        // The innermost wins: of two that contain the place, the shorter; of equals, the later.
        if span.contains(&offset) && span.len() <= best.0 {
            *best = (span.len(), path.clone());
        }
    }
    if let Some(table) = found.node.as_table() {
        search(table, offset, &path, best);
    }
    for index in 0..found.node.elements() {
        if let Some(node) = found.node.element(index) {
            let mut inside = path.clone();
            inside.0.push(Step::Index(index));
            consider(&Found { key: None, node }, offset, inside, best);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml_edit::Document;

    #[test]
    fn a_path_reads_back_as_it_was_written() {
        for text in ["a", "a.b-c", "a.b[0].c", "a[1][2]", "a.\"odd key\".b"] {
            assert_eq!(KeyPath::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_not_a_path_is_refused_with_its_reason() {
        for (text, reason) in [
            ("", "a key is missing"),
            ("a..b", "a key is missing"),
            ("a[x]", "is not a position"),
            ("a[1", "without its `]`"),
            ("a b", "expected `.` or `[`"),
            ("\"a", "closing"),
        ] {
            let message = KeyPath::parse(text).unwrap_err();
            assert!(message.contains(reason), "{text}: {message}");
        }
        assert!(KeyPath::parse(&vec!["a"; 1000].join(".")).is_err());
    }

    #[test]
    fn a_place_in_the_text_leads_to_its_path_and_back() {
        let text = "x = 1\n[a]\nb = { c = [ 10, { d = 2 } ] }\n[[e]]\nf = 3\n[[e]]\nf = 4\n";
        let document = Document::parse(text).unwrap();
        for (needle, path) in [
            ("10", "a.b.c[0]"),
            ("d", "a.b.c[1].d"),
            ("2 }", "a.b.c[1].d"),
            ("4", "e[1].f"),
            ("x", "x"),
            ("a]", "a"),
        ] {
            let offset = text.find(needle).unwrap();
            let found = KeyPath::at_offset(document.as_table(), offset);
            assert_eq!(found.to_string(), path, "at `{needle}`");
            let place = found.find(document.as_table()).unwrap();
            let spans = [place.key_span(), place.node.span()];
            assert!(
                spans
                    .into_iter()
                    .flatten()
                    .any(|span| span.contains(&offset)),
                "{path} does not lead back to `{needle}`"
            );
        }
    }
}
