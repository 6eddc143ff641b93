//! Trace events in JSON, as Chrome's own viewer and many others read them.
//!
//! A process per group, a thread per actor. Times are in microseconds, with decimals. Whatever happens
//! takes a nanosecond here, since an arrow needs something that it can begin and end at.

use std::io::Write;

use kernel::{ActorId, SimTime};
use serde_json::{Value, json};

use super::{ExportError, Items, each_message};
use crate::trace::archive::{Archive, Heading};
use crate::trace::filter::Selection;
use crate::trace::message::{Fate, Message};

/// Processes of what actors do are numbered from here.
const ACTIVITIES: usize = 1_000;

/// Writes the selected messages and what watched actors do. Returns how many messages there were.
///
/// # Errors
/// If the trace cannot be read, or the file not written.
pub fn write(
    archive: &mut Archive,
    selection: &Selection,
    mut out: impl Write,
) -> Result<u64, ExportError> {
    let heading = archive.heading().clone();
    out.write_all(b"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?;
    let mut items = Items::new(&mut out);
    for (process, (name, _)) in heading.groups.iter().enumerate() {
        items.item(&naming("process_name", process + 1, 0, name))?;
    }
    let mut named = std::collections::HashSet::new();
    let count = each_message(archive, selection, |message| {
        for actor in [message.from, message.to] {
            if named.insert(actor) {
                let name = heading.actor_name(actor);
                let (process, thread) = place(&heading, actor);
                items.item(&naming("thread_name", process, thread, &name))?;
            }
        }
        write_message(&mut items, &heading, message)
    })?;
    let mut watched = std::collections::HashSet::new();
    for interval in archive.intervals(&selection.span())? {
        let actor = interval.actor;
        if !selection.watches(actor) {
            continue;
        }
        let (process, thread) = place(&heading, actor);
        let process = process + ACTIVITIES;
        if watched.insert(process as u32) {
            let (group, _) = &heading.groups[process - ACTIVITIES - 1];
            let name = format!("{group}: states");
            items.item(&naming("process_name", process, 0, &name))?;
        }
        items.item(&json!({
            "ph": "X", "name": heading.activity(interval.activity), "cat": "state",
            "pid": process, "tid": thread,
            "ts": micros(interval.start),
            "dur": interval.end.saturating_since(interval.start).nanos() as f64 / 1e3,
        }))?;
    }
    out.write_all(b"\n]}\n")?;
    out.flush()?;
    Ok(count)
}

fn write_message<W: Write>(
    items: &mut Items<W>,
    heading: &Heading,
    message: &Message<'_>,
) -> std::io::Result<()> {
    let kind = heading.kind(message.kind);
    let arguments = json!({
        "text": message.text,
        "message_id": message.id.to_string(),
        "cause_id": message.cause.map(|cause| cause.to_string()),
        "job": message.job,
        "file": message.file,
        "bytes": message.bytes,
        "fate": message.fate.name(),
    });
    let mut happens = |actor: ActorId, at: SimTime, name: &str, category: &str, arrow: &str| {
        let (process, thread) = place(heading, actor);
        items.item(&json!({
            "ph": "X", "name": name, "cat": category, "pid": process, "tid": thread,
            "ts": micros(at), "dur": 0.001, "args": arguments,
        }))?;
        if arrow.is_empty() {
            return Ok(());
        }
        items.item(&json!({
            "ph": arrow, "bp": "e", "name": kind, "cat": "message", "id": message.id.to_string(),
            "pid": process, "tid": thread, "ts": micros(at),
        }))
    };
    let arrives = message.fate != Fate::InFlight;
    if message.is_timer() {
        return if arrives {
            happens(message.to, message.received, kind, "timer", "")
        } else {
            Ok(())
        };
    }
    let name = format!("{kind} → {}", heading.actor_name(message.to));
    happens(
        message.from,
        message.sent,
        &name,
        "sent",
        if arrives { "s" } else { "" },
    )?;
    if arrives {
        happens(message.to, message.received, kind, "received", "f")?;
    }
    Ok(())
}

/// The process and the thread of an actor.
fn place(heading: &Heading, actor: ActorId) -> (usize, u32) {
    let group = heading
        .groups
        .iter()
        .position(|(_, all)| all.contains(&actor.0));
    (group.unwrap_or(heading.groups.len()) + 1, actor.0 + 1)
}

fn micros(at: SimTime) -> f64 {
    at.nanos() as f64 / 1e3
}

fn naming(what: &str, process: usize, thread: u32, name: &str) -> Value {
    json!({"ph": "M", "name": what, "pid": process, "tid": thread, "args": {"name": name}})
}
