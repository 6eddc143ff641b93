//! `myriad schema`: what can stand in a scenario file?

use super::{Failure, run::print};
use crate::cli::{SchemaArguments, SchemaFormat};
use crate::report::run_directory::write_text;
use crate::scenario::domain::Domain;
use crate::scenario::keys;
use crate::scenario::volunteer::Volunteer;

/// Prints or writes the schema.
pub fn schema(arguments: &SchemaArguments) -> Result<(), Failure> {
    let schema = schemars::schema_for!(<Volunteer as Domain>::Scenario);
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
