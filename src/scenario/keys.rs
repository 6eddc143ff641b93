//! Which keys are there? From the JSON schema of a scenario to a table for people.

use std::fmt::Write;

use serde_json::{Map, Value};

/// One key that can stand in a scenario.
#[derive(Clone, PartialEq, Debug)]
pub struct Key {
    /// Where it stands, as `jobs.delay_bound`.
    pub path: String,
    /// What can stand behind it, in words.
    pub kind: String,
    /// What it is if it is not written, as JSON; empty if it must be written or has no fixed one.
    pub default: String,
    /// What it means.
    pub meaning: String,
}

/// A longer default would push the meaning out of sight.
const LONGEST_DEFAULT: usize = 120;

/// Deeper than any scenario: a schema may refer to itself.
const DEEPEST: usize = 6;

/// Every key of the schema, in the order of the alphabet within its table.
pub fn keys(schema: &Value) -> Vec<Key> {
    let mut found = Vec::new();
    collect(schema, schema, "", schema.get("default"), 0, &mut found);
    found
}

/// The keys as a table in Markdown.
pub fn as_markdown(schema: &Value) -> String {
    let mut out = "| key | value | default | meaning |\n|---|---|---|---|\n".to_owned();
    for key in keys(schema) {
        let default = match key.default.len() {
            0 => String::new(),
            1..=LONGEST_DEFAULT => format!("`{}`", key.default),
            _ => "longer: see the `scenario.toml` of a run".to_owned(),
        };
        let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} |",
            key.path,
            cell(&key.kind),
            cell(&default),
            cell(&key.meaning)
        );
    }
    out
}

fn collect(
    root: &Value,
    schema: &Value,
    path: &str,
    default: Option<&Value>,
    depth: usize,
    found: &mut Vec<Key>,
) {
    let resolved = resolve(root, schema);
    let Some(properties) = resolved.get("properties").and_then(Value::as_object) else {
        return;
    };
    for (name, property) in properties {
        let path = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        let target = resolve(root, property);
        let value = property.get("default").or_else(|| default?.get(name));
        let is_table = target.get("properties").is_some() && !has_alternatives(target);
        if is_table && depth < DEEPEST {
            collect(root, property, &path, value, depth + 1, found);
            continue;
        }
        found.push(Key {
            kind: kind(root, property),
            default: value.map(as_toml).unwrap_or_default(),
            meaning: meaning(property)
                .or_else(|| meaning(target))
                .unwrap_or_default(),
            path,
        });
    }
}

fn has_alternatives(schema: &Value) -> bool {
    schema.get("oneOf").is_some() || schema.get("anyOf").is_some()
}

fn meaning(schema: &Value) -> Option<String> {
    schema.get("description")?.as_str().map(str::to_owned)
}

/// Follows a reference within the schema, once for each that stands on the way.
fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..DEEPEST {
        let reference = schema.get("$ref").and_then(Value::as_str);
        let pointed = reference
            .and_then(|reference| reference.strip_prefix('#'))
            .and_then(|pointer| root.pointer(pointer));
        match pointed {
            Some(pointed) => schema = pointed,
            None => break,
        }
    }
    schema
}

fn kind(root: &Value, property: &Value) -> String {
    let target = resolve(root, property);
    if let Some(names) = names_of(root, target) {
        return names;
    }
    if let Some(title) = title_of(property) {
        return title;
    }
    match target.get("type") {
        Some(Value::String(kind)) => in_words(kind, target),
        Some(Value::Array(kinds)) => {
            let kinds = kinds
                .iter()
                .filter_map(Value::as_str)
                .filter(|&kind| kind != "null");
            kinds
                .map(|kind| in_words(kind, target))
                .collect::<Vec<_>>()
                .join(" or ")
        }
        _ => String::new(),
    }
}

fn title_of(property: &Value) -> Option<String> {
    // The name of a type, as `#/$defs/Duration`.
    let reference = property.get("$ref")?.as_str()?;
    let name = reference.rsplit('/').next()?;
    // `DistributionOf_Duration` is a distribution of duration, and a double is a number to people.
    let words = name.replace("Of_", " of ").replace('_', " ").to_lowercase();
    Some(words.replace("double", "number"))
}

fn in_words(kind: &str, schema: &Value) -> String {
    let minimum = schema.get("minimum").and_then(Value::as_f64);
    match kind {
        "integer" if minimum == Some(0.0) => "whole number".to_owned(),
        "integer" => "integer".to_owned(),
        "boolean" => "true or false".to_owned(),
        "string" => "text".to_owned(),
        "array" => "list".to_owned(),
        "object" => "table".to_owned(),
        other => other.to_owned(),
    }
}

/// The names to choose from, of an enumeration or of a table with a tag.
fn names_of(root: &Value, schema: &Value) -> Option<String> {
    if let Some(names) = schema.get("enum").and_then(Value::as_array) {
        return Some(joined(names.iter().filter_map(Value::as_str)));
    }
    let choices = schema
        .get("oneOf")
        .or_else(|| schema.get("anyOf"))?
        .as_array()?;
    let mut names = Vec::new();
    for choice in choices {
        let choice = resolve(root, choice);
        if let Some(name) = choice.get("const").and_then(Value::as_str) {
            names.push(name.to_owned());
        } else if let Some(list) = choice.get("enum").and_then(Value::as_array) {
            names.extend(list.iter().filter_map(Value::as_str).map(str::to_owned));
        } else if let Some(properties) = choice.get("properties").and_then(Value::as_object) {
            names.push(tagged(properties));
        }
    }
    (!names.is_empty()).then(|| joined(names.iter().map(String::as_str)))
}

fn tagged(properties: &Map<String, Value>) -> String {
    let tag = properties
        .iter()
        .find_map(|(key, value)| Some((key, value.get("const")?.as_str()?)));
    let others = |tag: &str| {
        let keys = properties.keys().filter(|key| *key != tag);
        keys.map(|key| format!(", {key}")).collect::<String>()
    };
    match tag {
        Some((key, name)) => format!("{{ {key} = \"{name}\"{} }}", others(key)),
        None => format!("{{ {} }}", others("").trim_start_matches(", ")),
    }
}

fn joined<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A default as it would stand in a scenario file.
fn as_toml(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Object(entries) => {
            let entries = entries
                .iter()
                .map(|(key, value)| format!("{key} = {}", as_toml(value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Array(values) => {
            format!(
                "[{}]",
                values.iter().map(as_toml).collect::<Vec<_>>().join(", ")
            )
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::JsonSchema;
    use serde::Serialize;

    #[derive(Serialize, JsonSchema, Default)]
    #[serde(default)]
    struct Scenario {
        /// How many.
        hosts: u32,
        /// The work.
        jobs: Jobs,
        rule: Rule,
    }

    #[derive(Serialize, JsonSchema)]
    #[serde(default)]
    struct Jobs {
        /// How long | at most.
        delay: String,
    }

    impl Default for Jobs {
        fn default() -> Self {
            Jobs {
                delay: "7 d".to_owned(),
            }
        }
    }

    #[derive(Serialize, JsonSchema, Default)]
    #[serde(tag = "rule", rename_all = "snake_case")]
    enum Rule {
        #[default]
        FirstCome,
        // Only its place in the schema is of interest here.
        #[allow(dead_code)]
        Fastest { threshold: f64 },
    }

    #[test]
    fn every_key_has_its_place_kind_default_and_meaning() {
        let schema = schemars::schema_for!(Scenario);
        let keys = keys(schema.as_value());
        let of = |path: &str| keys.iter().find(|key| key.path == path).unwrap();
        assert_eq!(of("hosts").kind, "whole number");
        assert_eq!(of("hosts").default, "0");
        assert_eq!(of("hosts").meaning, "How many.");
        assert_eq!(of("jobs.delay").default, "\"7 d\"");
        assert!(
            of("rule").kind.contains("rule = \"fastest\", threshold"),
            "{}",
            of("rule").kind
        );
        assert_eq!(keys.len(), 3);
        assert!(as_markdown(schema.as_value()).contains("How long \\| at most."));
    }
}
