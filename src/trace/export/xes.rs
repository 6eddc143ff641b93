//! An event log in XES (IEEE 1849-2016): a case per job instance, an event per message about it.
//!
//! Cases need all their events together, so the selected messages are held in memory.

use std::collections::BTreeMap;
use std::io::{self, Write};

use actors::shared::narration::InstanceName;

use super::{ExportError, date, each_message};
use crate::trace::archive::{Archive, Heading};
use crate::trace::filter::Selection;
use crate::trace::message::Fate;
use crate::trace::story::Told;

/// Writes the selected messages that concern job instances. Returns how many messages there were.
///
/// # Errors
/// If the trace cannot be read, or the file not written.
pub fn write(
    archive: &mut Archive,
    selection: &Selection,
    mut out: impl Write,
) -> Result<u64, ExportError> {
    let heading = archive.heading().clone();
    let mut cases: BTreeMap<InstanceName, Vec<Told>> = BTreeMap::new();
    let mut count = 0;
    each_message(archive, selection, |message| {
        // What has not arrived has not happened to the instance.
        if message.fate != Fate::InFlight && !message.instances.is_empty() {
            count += 1;
            for &instance in message.instances {
                cases.entry(instance).or_default().push(Told::of(message));
            }
        }
        Ok(())
    })?;
    begin(&mut out, &heading)?;
    for (instance, events) in &cases {
        writeln!(out, "  <trace>")?;
        string(&mut out, 4, "concept:name", &instance.to_string())?;
        writeln!(out, "    <int key=\"job\" value=\"{}\"/>", instance.job)?;
        for event in events {
            write_event(&mut out, &heading, event)?;
        }
        writeln!(out, "  </trace>")?;
    }
    writeln!(out, "</log>")?;
    out.flush()?;
    Ok(count)
}

fn begin(out: &mut impl Write, heading: &Heading) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<log xes.version=\"1849-2016\" xes.features=\"\" xmlns=\"http://www.xes-standard.org/\">"
    )?;
    for (name, prefix) in [
        ("Concept", "concept"),
        ("Time", "time"),
        ("Organizational", "org"),
        ("Lifecycle", "lifecycle"),
    ] {
        writeln!(
            out,
            "  <extension name=\"{name}\" prefix=\"{prefix}\" \
             uri=\"http://www.xes-standard.org/{prefix}.xesext\"/>"
        )?;
    }
    writeln!(out, "  <classifier name=\"Kind\" keys=\"concept:name\"/>")?;
    string(out, 2, "concept:name", &heading.name)
}

fn write_event(out: &mut impl Write, heading: &Heading, event: &Told) -> io::Result<()> {
    writeln!(out, "    <event>")?;
    string(out, 6, "concept:name", heading.kind(event.kind))?;
    let received = date(event.received);
    writeln!(
        out,
        "      <date key=\"time:timestamp\" value=\"{received}\"/>"
    )?;
    string(out, 6, "lifecycle:transition", "complete")?;
    string(out, 6, "org:resource", &heading.actor_name(event.from()))?;
    string(out, 6, "to", &heading.actor_name(event.to))?;
    writeln!(
        out,
        "      <date key=\"sent\" value=\"{}\"/>",
        date(event.sent)
    )?;
    string(out, 6, "fate", event.fate.name())?;
    string(out, 6, "message_id", &event.id.to_string())?;
    string(out, 6, "text", &event.text)?;
    writeln!(out, "    </event>")
}

fn string(out: &mut impl Write, indent: usize, key: &str, value: &str) -> io::Result<()> {
    let value = escaped(value);
    writeln!(
        out,
        "{:indent$}<string key=\"{key}\" value=\"{value}\"/>",
        ""
    )
}

/// Text as it stands in an attribute of XML 1.0, which has no control characters at all.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_breaks_the_file() {
        assert_eq!(
            escaped("a <b> & \"c\"\n\0d"),
            "a &lt;b&gt; &amp; &quot;c&quot; \u{fffd}d"
        );
    }
}
