//! An object-centric event log: OCEL 2.0 in JSON (<https://www.ocel-standard.org>).
//!
//! Events are messages that arrived; objects are the jobs, job instances and files they concern, and
//! the actors between whom they went.

use std::collections::BTreeSet;
use std::io::Write;

use serde_json::{Value, json};

use super::{ExportError, Items, date, each_message};
use crate::trace::archive::{Archive, Heading};
use crate::trace::filter::Selection;
use crate::trace::message::{Fate, Message};

/// The types of objects that are not actors.
const MATTERS: [&str; 3] = ["job", "instance", "file"];

/// An object: its type, and its name.
type Object = (String, String);

/// Writes the selected messages. Returns how many there were.
///
/// # Errors
/// If the trace cannot be read, or the file not written.
pub fn write(
    archive: &mut Archive,
    selection: &Selection,
    mut out: impl Write,
) -> Result<u64, ExportError> {
    let heading = archive.heading().clone();
    let attribute = |name: &str, kind: &str| json!({"name": name, "type": kind});
    let attributes = [
        attribute("text", "string"),
        attribute("fate", "string"),
        attribute("sent", "time"),
        attribute("bytes", "integer"),
        attribute("message_id", "string"),
    ];
    let event_types = heading
        .kinds
        .iter()
        .map(|kind| json!({"name": kind, "attributes": attributes}));
    let event_types: Vec<_> = event_types.collect();
    let groups = heading.groups.iter().map(|(name, _)| name.as_str());
    let object_types: Vec<_> = MATTERS
        .into_iter()
        .chain(groups)
        .map(|name| json!({"name": name, "attributes": []}))
        .collect();
    write!(
        out,
        "{{\"eventTypes\":{},\n\"objectTypes\":{},\n\"events\":[",
        Value::from(event_types),
        Value::from(object_types)
    )?;
    let mut objects = BTreeSet::new();
    let mut items = Items::new(&mut out);
    let mut count = 0;
    each_message(archive, selection, |message| {
        if message.fate == Fate::InFlight {
            return Ok(());
        }
        count += 1;
        items.item(&event(message, &heading, &mut objects))
    })?;
    out.write_all(b"\n],\n\"objects\":[")?;
    let mut items = Items::new(&mut out);
    for (kind, name) in &objects {
        items.item(&json!({"id": name, "type": kind, "attributes": [], "relationships": []}))?;
    }
    out.write_all(b"\n]}\n")?;
    out.flush()?;
    Ok(count)
}

fn event(message: &Message<'_>, heading: &Heading, objects: &mut BTreeSet<Object>) -> Value {
    let mut relationships = Vec::new();
    let mut relates = |kind: &str, name: String, qualifier: &str| {
        relationships.push(json!({"objectId": &name, "qualifier": qualifier}));
        objects.insert((kind.to_owned(), name));
    };
    let from = heading.actor_name(message.from);
    relates(group(heading, message.from.0), from, "sender");
    if !message.is_timer() {
        let to = heading.actor_name(message.to);
        relates(group(heading, message.to.0), to, "target");
    }
    let jobs: BTreeSet<u32> = message
        .instances
        .iter()
        .map(|instance| instance.job)
        .chain(message.job)
        .collect();
    for job in jobs {
        relates("job", format!("job {job}"), "job");
    }
    for instance in message.instances {
        relates("instance", format!("instance {instance}"), "instance");
    }
    if let Some(file) = message.file {
        relates("file", format!("file {file}"), "file");
    }
    let attribute = |name: &str, value: Value| json!({"name": name, "value": value});
    let mut attributes = vec![
        attribute("text", message.text.into()),
        attribute("fate", message.fate.name().into()),
        attribute("sent", date(message.sent).into()),
        attribute("message_id", message.id.to_string().into()),
    ];
    attributes.extend(message.bytes.map(|bytes| attribute("bytes", bytes.into())));
    json!({
        "id": message.id.to_string(),
        "type": heading.kind(message.kind),
        "time": date(message.received),
        "attributes": attributes,
        "relationships": relationships,
    })
}

fn group(heading: &Heading, actor: u32) -> &str {
    let found = heading.groups.iter().find(|(_, all)| all.contains(&actor));
    found.map_or("actor", |(name, _)| name)
}
