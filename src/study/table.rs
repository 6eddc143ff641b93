//! What does the `[study]` table of a scenario say?
//!
//! Keys with several values each make axes; the study is every combination of a choice from each axis,
//! as far as the condition allows. A study without axes is one combination.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml_edit::{InlineTable, Item, TableLike, Value};

use super::amount::Amount;
use super::condition::Condition;
use super::warm_up::WarmUp;
use crate::scenario::key_path::{KeyPath, Step};
use crate::scenario::{ScenarioError, ScenarioText};

/// A study: the same scenario again and again, with other values of some keys.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StudyTable {
    /// How often every combination is run. Repetition r has the scenario's seed plus r - 1, the same in every combination.
    pub repeat: u32,
    /// What is left out at the start of a series: "none", a time such as "10 d", or "mser_5", which finds it.
    pub warm_up: WarmUp,
    /// Which combinations are run, as in "jobs.min_quorum <= jobs.target_nresults"; empty: all.
    pub condition: String,
    /// The figures that the study is about, by their names in `summary.json`; empty: the headlines.
    pub figures: Vec<String>,
    /// The keys that vary, each with a list of values, or a range { from, to, step } or { from, to, factor }.
    pub vary: BTreeMap<String, serde_json::Value>,
    /// One more axis: named cases, each with the keys it sets, as in adaptive = { "jobs.min_quorum" = 1 }.
    pub cases: BTreeMap<String, BTreeMap<String, serde_json::Value>>,
}

impl Default for StudyTable {
    fn default() -> Self {
        StudyTable {
            repeat: 1,
            warm_up: WarmUp::None,
            condition: String::new(),
            figures: Vec::new(),
            vary: BTreeMap::new(),
            cases: BTreeMap::new(),
        }
    }
}

/// A study as it is meant.
#[derive(Clone, Debug)]
pub struct Study {
    /// How often every combination is run.
    pub repeat: u32,
    /// What is left out at the start of a series.
    pub warm_up: WarmUp,
    /// Which combinations are run.
    pub condition: Option<Condition>,
    /// The figures it is about, by name.
    pub figures: Vec<String>,
    /// What varies, the slowest first.
    pub axes: Vec<Axis>,
}

/// Something that varies.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The key, or `case`.
    pub name: String,
    /// What it can be.
    pub choices: Vec<Choice>,
}

/// One of the things that an axis can be.
#[derive(Clone, Debug)]
pub struct Choice {
    /// What it is called in tables and charts.
    pub label: String,
    /// The keys it sets.
    pub set: Vec<(KeyPath, Value)>,
}

/// What the axis of named cases is called.
pub const CASE: &str = "case";
/// A range with more steps is a slip of the finger.
const MOST_CHOICES: usize = 100_000;
/// The keys that tell a range from a table of keys.
const RANGE: [&str; 4] = ["from", "to", "step", "factor"];

#[derive(Deserialize)]
struct Outer {
    #[serde(default)]
    study: StudyTable,
}

impl Study {
    /// What the text says on its study; one combination and one repetition if it says nothing.
    pub fn read(text: &ScenarioText) -> Result<Self, ScenarioError> {
        let Outer { study } = text.meaning_of_study()?;
        let root = KeyPath(vec![Step::Key("study".to_owned())]);
        let at = |key: &str, message: String| text.error_at(&root.join(key), message);
        if study.repeat == 0 {
            return Err(at(
                "repeat",
                "`study.repeat` is 0: write at least 1".to_owned(),
            ));
        }
        let condition = match study.condition.trim() {
            "" => None,
            words => {
                let read = Condition::read(words);
                Some(read.map_err(|why| at("condition", format!("`study.condition`: {why}")))?)
            }
        };
        let mut axes = Vec::new();
        let table = text.study().and_then(Item::as_table_like);
        let part = |key| table.and_then(|table| table.get(key)?.as_table_like());
        if let Some(cases) = part("cases").filter(|cases| !cases.is_empty()) {
            axes.push(cases_axis(cases));
        }
        if let Some(vary) = part("vary") {
            let mut walk = Walk {
                text,
                axes: &mut axes,
            };
            walk.table(vary, &root.join("vary"), &KeyPath::default())?;
        }
        let study = Study {
            repeat: study.repeat,
            warm_up: study.warm_up,
            condition,
            figures: study.figures,
            axes,
        };
        study.refuse_what_a_study_sets_itself(text, &root)?;
        Ok(study)
    }

    /// Repetitions are told apart by their seeds, so a study cannot set the seed.
    fn refuse_what_a_study_sets_itself(
        &self,
        text: &ScenarioText,
        root: &KeyPath,
    ) -> Result<(), ScenarioError> {
        let mut set = self.axes.iter().flat_map(|axis| &axis.choices);
        let is_own = |path: &KeyPath| matches!(path.0.first(), Some(Step::Key(key)) if key == "seed" || key == "study");
        if !set.any(|choice| choice.set.iter().any(|(path, _)| is_own(path))) {
            return Ok(());
        }
        let message = "a study cannot vary `seed` or `study`: repetitions have seeds of their own";
        Err(text
            .error_at(root, message.to_owned())
            .with_help("write how often in `study.repeat`".to_owned()))
    }
}

fn cases_axis(cases: &dyn TableLike) -> Axis {
    let choices = cases.iter().map(|(label, keys)| {
        let mut set = Vec::new();
        if let Some(keys) = keys.as_table_like() {
            for (key, value) in keys.iter() {
                let path = crate::scenario::file::path_of(key);
                set.extend(value_of(value).map(|value| (path, value)));
            }
        }
        Choice {
            label: label.to_owned(),
            set,
        }
    });
    Axis {
        name: CASE.to_owned(),
        choices: choices.collect(),
    }
}

/// Goes through the table of what varies, in which keys may be written with dots or as tables.
struct Walk<'a> {
    text: &'a ScenarioText,
    axes: &'a mut Vec<Axis>,
}

impl Walk<'_> {
    fn table(
        &mut self,
        table: &dyn TableLike,
        place: &KeyPath,
        path: &KeyPath,
    ) -> Result<(), ScenarioError> {
        for (name, item) in table.iter() {
            let place = place.join(name);
            let wrong = |message: String| self.text.error_at(&place, message);
            let inside = KeyPath::parse(name).map_err(&wrong)?;
            let path = KeyPath(path.0.iter().cloned().chain(inside.0).collect());
            let values = if let Some(list) = item.as_array() {
                list.iter().map(plain).collect()
            } else if let Some(list) = item.as_array_of_tables() {
                let tables = list.iter().map(|table| table.clone().into_inline_table());
                tables.map(Value::InlineTable).map(|v| plain(&v)).collect()
            } else if let Some(table) = item.as_table_like() {
                if !table.iter().any(|(key, _)| RANGE.contains(&key)) {
                    self.table(table, &place, &path)?;
                    continue;
                }
                range(table).map_err(|why| wrong(format!("`{path}`: {why}")))?
            } else {
                let message = format!(
                    "`{path}` varies over a single value: write a list of values or a range, or put it \
                     where the scenario's other keys are"
                );
                return Err(wrong(message));
            };
            if values.is_empty() {
                return Err(wrong(format!(
                    "`{path}` varies over an empty list: write at least one value"
                )));
            }
            self.axes.push(axis(path, values));
        }
        Ok(())
    }
}

fn axis(path: KeyPath, values: Vec<Value>) -> Axis {
    let choices = values.into_iter().map(|value| Choice {
        label: label(&value),
        set: vec![(path.clone(), value)],
    });
    Axis {
        choices: choices.collect(),
        name: path.to_string(),
    }
}

/// What a value is called: a text without its quotes; of a table, the values without their keys.
fn label(value: &Value) -> String {
    match value {
        Value::String(text) => text.value().clone(),
        Value::InlineTable(table) => {
            let mut parts = table.iter().map(|(key, value)| match value {
                // Of a flag, only its name tells anything.
                Value::Boolean(flag) if *flag.value() => key.to_owned(),
                Value::Boolean(_) => format!("not {key}"),
                Value::String(text) => text.value().clone(),
                other => format!("{key} {}", label(other)),
            });
            let first = parts.next().unwrap_or_default();
            parts.fold(first, |all, part| all + ", " + &part)
        }
        other => other.to_string().trim().to_owned(),
    }
}

/// The value without the comments and spaces around it.
fn plain(value: &Value) -> Value {
    let mut value = value.clone();
    value.decor_mut().clear();
    value
}

fn value_of(item: &Item) -> Option<Value> {
    match item {
        Item::Value(value) => Some(plain(value)),
        Item::Table(table) => Some(Value::InlineTable(table.clone().into_inline_table())),
        _ => None,
    }
}

/// The values of a range, with both ends if the steps meet them.
fn range(table: &dyn TableLike) -> Result<Vec<Value>, String> {
    if let Some((odd, _)) = table.iter().find(|(key, _)| !RANGE.contains(key)) {
        return Err(format!(
            "`{odd}` is not a key of a range, which has `from`, `to` and `step` or `factor`"
        ));
    }
    let amount = |key: &str| -> Result<(Amount, bool), String> {
        let item = table
            .get(key)
            .ok_or_else(|| format!("a range needs its `{key}`"))?;
        let wrong = || format!("`{key}` of a range is a number or an amount, as in 5 or \"12 h\"");
        match item.as_value() {
            Some(Value::Integer(number)) => Ok((Amount::pure(*number.value() as f64), true)),
            Some(Value::Float(number)) => Ok((Amount::pure(*number.value()), false)),
            Some(Value::String(text)) => Ok((Amount::read(text.value()).ok_or_else(wrong)?, false)),
            _ => Err(wrong()),
        }
    };
    let ((from, from_whole), (to, to_whole)) = (amount("from")?, amount("to")?);
    let is_by_step = table.contains_key("step");
    if is_by_step == table.contains_key("factor") {
        return Err("a range has either a `step` or a `factor`".to_owned());
    }
    let (by, by_whole) = amount(if is_by_step { "step" } else { "factor" })?;
    if !from.is_like(&to) || (is_by_step && !from.is_like(&by)) {
        return Err("the parts of a range must be amounts of the same kind".to_owned());
    }
    let ordered = from.in_base() <= to.in_base();
    if is_by_step && !(ordered && by.in_base() > 0.0) {
        return Err("a range goes up: `to` is not below `from`, and `step` is above 0".to_owned());
    }
    let grows = ordered && from.in_base() > 0.0 && by.in_base() > 1.0;
    if !is_by_step && !grows {
        return Err(
            "a range by a factor goes up: `from` is above 0 and `factor` above 1".to_owned(),
        );
    }
    let (first, last, by_base) = (from.in_base(), to.in_base(), by.in_base());
    // A last step that misses the end by a rounding error still counts.
    let most = last + 1e-9 * last.abs().max(by_base.abs());
    let model = if from.unit.is_empty() { &to } else { &from };
    let whole = from_whole && to_whole && by_whole;
    let mut values = Vec::new();
    for position in 0.. {
        let value = if is_by_step {
            first + by_base * f64::from(position)
        } else {
            first * by_base.powi(position)
        };
        if value > most {
            break;
        }
        if values.len() == MOST_CHOICES {
            return Err(format!("the range has more than {MOST_CHOICES} values"));
        }
        let amount = model.with_base(value);
        values.push(match (amount.unit.is_empty(), whole) {
            (true, true) => Value::from(amount.number.round() as i64),
            (true, false) => Value::from(amount.number),
            (false, _) => Value::from(amount.text()),
        });
    }
    Ok(values)
}

/// A setting as it stands in files for programs.
pub fn as_json(value: &Value) -> serde_json::Value {
    let mut table = InlineTable::new();
    table.insert("value", value.clone());
    let parsed: Result<toml::Table, _> = format!("v = {table}").parse();
    let found = parsed.ok().and_then(|mut parsed| parsed.remove("v"));
    let found = found.and_then(|v| serde_json::to_value(v).ok());
    found.map_or(serde_json::Value::Null, |mut v| v["value"].take())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Study, String> {
        let text = ScenarioText::new("study.toml", text, Vec::new()).map_err(|e| e.to_string())?;
        Study::read(&text).map_err(|e| e.to_string())
    }

    fn values(axis: &Axis) -> Vec<String> {
        let values = axis
            .choices
            .iter()
            .map(|choice| choice.set[0].1.to_string());
        values.map(|text| text.trim().to_owned()).collect()
    }

    #[test]
    fn lists_ranges_and_tables_of_keys_make_axes_in_their_order() {
        let study = read(
            "hosts = 10\n[study]\nrepeat = 3\n[study.vary]\nhosts = { from = 1000, to = 3000, step = 1000 }\n\
             jobs.delay_bound = [\"1 d\", \"7 d\"]\n\"classes[0].share\" = { from = 0.1, to = 0.3, step = 0.1 }\n\
             scheduler.assignment = [{ rule = \"random\" }, { rule = \"locality_2004\", as_shipped = true }]\n\
             network.latency = { from = \"10 ms\", to = \"1 s\", factor = 10 }\n",
        )
        .unwrap();
        let names: Vec<&str> = study.axes.iter().map(|axis| axis.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "hosts",
                "jobs.delay_bound",
                "classes[0].share",
                "scheduler.assignment",
                "network.latency"
            ]
        );
        assert_eq!(values(&study.axes[0]), ["1000", "2000", "3000"]);
        assert_eq!(values(&study.axes[2]), ["0.1", "0.2", "0.3"]);
        assert_eq!(
            values(&study.axes[4]),
            ["\"10 ms\"", "\"100 ms\"", "\"1000 ms\""]
        );
        let labels = study.axes[3]
            .choices
            .iter()
            .map(|choice| choice.label.as_str());
        assert_eq!(
            labels.collect::<Vec<_>>(),
            ["random", "locality_2004, as_shipped"]
        );
        assert_eq!(study.repeat, 3);
    }

    #[test]
    fn named_cases_set_several_keys_at_once() {
        let study = read(
            "[study.cases]\nfixed = { \"jobs.min_quorum\" = 2 }\n\
             adaptive = { \"jobs.min_quorum\" = 1, hosts = 5 }\n",
        )
        .unwrap();
        assert_eq!(study.axes[0].name, CASE);
        let second = &study.axes[0].choices[1];
        assert_eq!((second.label.as_str(), second.set.len()), ("adaptive", 2));
        assert_eq!(second.set[0].0.to_string(), "jobs.min_quorum");
    }

    #[test]
    fn a_scenario_without_a_study_is_one_combination() {
        let study = read("hosts = 10\n").unwrap();
        assert!(study.axes.is_empty() && study.repeat == 1 && study.condition.is_none());
    }

    #[test]
    fn mistakes_are_found_and_say_what_would_be_right() {
        for (text, reason) in [
            ("repeat = 0", "write at least 1"),
            ("repet = 3", "`study.repet` is not a key"),
            ("condition = \"hosts >\"", "missing at its end"),
            ("warm_up = \"mser\"", "mser_5"),
            ("vary.hosts = 5", "a list of values or a range"),
            ("vary.hosts = []", "an empty list"),
            ("vary.seed = [1, 2]", "cannot vary `seed`"),
            (
                "vary.hosts = { from = 1, to = 5 }",
                "either a `step` or a `factor`",
            ),
            (
                "vary.hosts = { from = 5, to = 1, step = 1 }",
                "a range goes up",
            ),
            (
                "vary.hosts = { from = 1, to = 5, step = 0 }",
                "a range goes up",
            ),
            ("vary.hosts = { from = 0, to = 5, factor = 2 }", "above 0"),
            (
                "vary.hosts = { from = 1, to = \"5 d\", step = 1 }",
                "of the same kind",
            ),
            (
                "vary.hosts = { from = 1, to = 5, step = 1, stop = 2 }",
                "`stop` is not a key",
            ),
            (
                "vary.hosts = { from = 1, to = 1e9, step = 1 }",
                "more than 100000",
            ),
            (
                "vary.hosts = { from = [], to = 1, step = 1 }",
                "is a number or an amount",
            ),
            ("vary.\"a b\" = [1]", "expected `.` or `[`"),
        ] {
            let message = read(&format!("[study]\n{text}\n")).expect_err(text);
            assert!(message.contains(reason), "{text}: {message}");
        }
    }

    #[test]
    fn a_value_for_programs_is_what_it_was() {
        let value: Value = "{ rule = \"a\", n = 1, f = 0.5, on = true, l = [1] }"
            .parse()
            .unwrap();
        let expected = serde_json::json!({"rule": "a", "n": 1, "f": 0.5, "on": true, "l": [1]});
        assert_eq!(as_json(&value), expected);
    }
}
