//! What does `--set` change?
//!
//! An override is written into the document before anything is made of it, so it is subject to the
//! same rules, defaults and messages as the file itself.

use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

use super::error::ScenarioError;
use super::key_path::{KeyPath, Step};

/// One value given on the command line.
#[derive(Clone, Debug)]
pub struct Override {
    /// As it was typed, for messages: `--set jobs.delay_bound="7 d"` or `--seed 3`.
    pub argument: String,
    /// Where in `argument` the key begins.
    key_start: usize,
    /// Where in `argument` the value begins.
    value_start: usize,
    /// Which value is meant.
    pub path: KeyPath,
    /// The new value.
    pub value: Value,
}

impl Override {
    /// Reads `key=value`. The value is TOML if it parses as TOML, and a string otherwise, so that
    /// `until=3d`, `hosts=10000` and `jobs.delay_bound="7 d"` all say what they mean.
    pub fn parse(text: &str) -> Result<Self, ScenarioError> {
        let argument = format!("--set {text}");
        let key_start = argument.len() - text.len();
        let Some((key, value)) = text.split_once('=') else {
            return Err(ScenarioError::in_argument(
                &argument,
                key_start..argument.len(),
                "a key and its new value, joined by `=`, are expected".to_owned(),
            )
            .with_help("as in `--set hosts=10000`".to_owned()));
        };
        let path = KeyPath::parse(key).map_err(|why| {
            ScenarioError::in_argument(&argument, key_start..key_start + key.len(), why)
        })?;
        Ok(Override {
            key_start,
            value_start: key_start + key.len() + 1,
            value: value_from(value.trim()),
            argument,
            path,
        })
    }

    /// An override that has an option of its own, as `--seed 3` has.
    pub fn by_option(option: &str, key: &str, value: &str) -> Self {
        Override {
            argument: format!("{option} {value}"),
            key_start: 0,
            value_start: option.len() + 1,
            path: KeyPath(vec![Step::Key(key.to_owned())]),
            value: value_from(value.trim()),
        }
    }

    /// An override that has been read already, shown as it would be typed.
    pub fn of(path: KeyPath, value: Value) -> Self {
        let key = path.to_string();
        let start = "--set ".len();
        Override {
            argument: format!("--set {key}={}", value.to_string().trim()),
            key_start: start,
            value_start: start + key.len() + 1,
            path,
            value,
        }
    }

    /// Where the key stands in the argument.
    pub fn key_span(&self) -> std::ops::Range<usize> {
        self.key_start..self.value_start.saturating_sub(1)
    }

    /// Where the value stands in the argument.
    pub fn value_span(&self) -> std::ops::Range<usize> {
        self.value_start..self.argument.len()
    }

    /// Writes the value into the document, making tables on the way where there are none.
    pub fn apply(&self, document: &mut DocumentMut) -> Result<(), ScenarioError> {
        self.write(document.as_item_mut(), 0)
            .map_err(|why| ScenarioError::in_argument(&self.argument, self.key_span(), why))
    }

    /// Follows the path below `item` from step `depth` on and writes the value at its end.
    fn write(&self, item: &mut Item, depth: usize) -> Result<(), String> {
        match self.path.0.get(depth) {
            None => {
                *item = Item::Value(self.value.clone());
                Ok(())
            }
            Some(Step::Key(key)) => match item.as_table_like_mut() {
                Some(table) => self.write_in_table(table, key, depth),
                None => Err(format!(
                    "`{}` is not a table, so it has no key `{key}` to set",
                    self.first_steps(depth)
                )),
            },
            Some(Step::Index(index)) => self.write_in_list(item, *index, depth),
        }
    }

    fn write_in_table(
        &self,
        table: &mut dyn TableLike,
        key: &str,
        depth: usize,
    ) -> Result<(), String> {
        if !table.contains_key(key) {
            let mut fresh = Table::new();
            fresh.set_implicit(true);
            table.insert(key, Item::Table(fresh));
        }
        let inside = table.get_mut(key).expect("the key has just been made");
        self.write(inside, depth + 1)
    }

    fn write_in_list(&self, item: &mut Item, index: usize, depth: usize) -> Result<(), String> {
        let list = self.first_steps(depth);
        let past_the_end = |count: usize| {
            format!("`{list}` has {count} entries, counted from 0, so there is no [{index}]")
        };
        if let Item::ArrayOfTables(tables) = item {
            let count = tables.len();
            let table = tables.get_mut(index).ok_or_else(|| past_the_end(count))?;
            let Some(Step::Key(key)) = self.path.0.get(depth + 1) else {
                return Err(format!(
                    "`{list}[{index}]` is a table: name one of its keys"
                ));
            };
            return self.write_in_table(table, key, depth + 1);
        }
        let Some(array) = item.as_array_mut() else {
            return Err(format!("`{list}` is not a list, so it has no [{index}]"));
        };
        let count = array.len();
        let element = array.get_mut(index).ok_or_else(|| past_the_end(count))?;
        let mut inside = Item::Value(element.clone());
        self.write(&mut inside, depth + 1)?;
        *element = inside
            .into_value()
            .expect("a value with a value written into it is a value");
        Ok(())
    }

    fn first_steps(&self, count: usize) -> KeyPath {
        KeyPath(self.path.0[..count].to_vec())
    }
}

fn value_from(text: &str) -> Value {
    match text.parse::<Value>() {
        Ok(mut value) => {
            value.decor_mut().clear();
            value
        }
        Err(_) => Value::from(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(document: &str, set: &str) -> String {
        let mut document: DocumentMut = document.parse().unwrap();
        let change = Override::parse(set).unwrap();
        change.apply(&mut document).unwrap();
        document.to_string()
    }

    fn refusal(document: &str, set: &str) -> String {
        let mut document: DocumentMut = document.parse().unwrap();
        match Override::parse(set) {
            Ok(change) => change.apply(&mut document).unwrap_err().to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn values_are_toml_if_they_can_be_and_text_otherwise() {
        assert_eq!(after("", "hosts=10000"), "hosts = 10000\n");
        assert_eq!(after("", "until=3d"), "until = \"3d\"\n");
        assert_eq!(after("", "until=\"7 d\""), "until = \"7 d\"\n");
        assert_eq!(after("", "on=true"), "on = true\n");
        assert_eq!(after("", "name=a = b"), "name = \"a = b\"\n");
    }

    #[test]
    fn every_spelling_of_a_place_can_be_set() {
        assert_eq!(after("[a]\nb = 1\n", "a.b=2"), "[a]\nb = 2\n");
        assert_eq!(after("a = { b = 1 }\n", "a.b=2"), "a = { b = 2 }\n");
        assert_eq!(after("a = [1, 2]\n", "a[1]=3"), "a = [1, 3]\n");
        assert_eq!(after("[[a]]\nb = 1\n", "a[0].b=2"), "[[a]]\nb = 2\n");
        assert_eq!(after("a = [{ b = 1 }]\n", "a[0].b=2"), "a = [{ b = 2 }]\n");
        assert_eq!(after("", "a.b.c=2"), "[a.b]\nc = 2\n");
        assert_eq!(after("a = {}\n", "a.b.c=2"), "a = { b = { c = 2 } }\n");
    }

    #[test]
    fn what_cannot_be_set_is_refused_with_its_reason() {
        for (document, set, reason) in [
            ("a = 1", "a.b=2", "`a` is not a table"),
            ("a = [1]", "a[1]=2", "`a` has 1 entries"),
            ("a = 1", "a[0]=2", "`a` is not a list"),
            ("[[a]]", "a[0]=2", "`a[0]` is a table"),
            ("[[a]]", "a[7].b=2", "`a` has 1 entries"),
            ("", "hosts", "joined by `=`"),
            ("", "=1", "a key is missing"),
        ] {
            let message = refusal(document, set);
            assert!(message.contains(reason), "{set}: {message}");
        }
    }
}
