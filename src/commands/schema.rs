//! `myriad schema`: what can stand in a scenario file?

use serde_json::{Value, json};

use super::{Failure, run::print};
use crate::cli::{SchemaArguments, SchemaFormat};
use crate::report::run_directory::write_text;
use crate::scenario::domain::Domain;
use crate::scenario::keys;
use crate::scenario::volunteer::Volunteer;
use crate::study::table::StudyTable;

/// Prints or writes the schema.
pub fn schema(arguments: &SchemaArguments) -> Result<(), Failure> {
    let mut schema = schemars::schema_for!(<Volunteer as Domain>::Scenario);
    add_study(&mut schema);
    let text = match arguments.format {
        SchemaFormat::Json => {
            let mut text = serde_json::to_string_pretty(&schema).expect("a schema is plain data");
            text.push('\n');
            text
        }
        SchemaFormat::Keys => keys::as_markdown(schema.as_value()),
    };
    match &arguments.output {
        Some(path) => Ok(write_text(path, &text)?),
        None => print(&text),
    }
}

/// A file may also say which runs are made of its scenario.
fn add_study(schema: &mut schemars::Schema) {
    let mut study = schemars::schema_for!(StudyTable).to_value();
    let mut take = |key: &str| study.as_object_mut().and_then(|study| study.remove(key));
    take("$schema");
    let parts = take("$defs").unwrap_or_default();
    let whole = schema.ensure_object();
    for (place, parts) in [("$defs", parts), ("properties", json!({ "study": study }))] {
        let there = whole.entry(place).or_insert_with(|| json!({}));
        if let (Some(there), Value::Object(parts)) = (there.as_object_mut(), parts) {
            there.extend(parts);
        }
    }
}
