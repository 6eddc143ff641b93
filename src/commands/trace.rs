//! `myriad trace`: the messages of a run, filtered and printed.

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use super::Failure;
use crate::cli::trace::{TraceArguments, TraceFormat};
use crate::trace::filter::Selection;
use crate::trace::statistics::Statistics;
use crate::trace::telling::{clock, ends};
use crate::trace::{Archive, Filter, Heading, Message};

mod statistics;

/// Prints messages, or their statistics.
pub fn trace(arguments: &TraceArguments) -> Result<(), Failure> {
    let mut archive = Archive::open(&arguments.run)?;
    let selection = selection(&archive, arguments.filter.as_ref())?;
    let out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    if arguments.statistics {
        let statistics = Statistics::of(&mut archive, &selection)?;
        return listened(statistics::print(
            &statistics,
            archive.heading(),
            arguments.format,
            out,
        ));
    }
    listened(print(&mut archive, &selection, arguments.format, out)?)
}

/// Prints every message that is selected. A damaged archive is one thing, and an output that takes no
/// more another.
fn print(
    archive: &mut Archive,
    selection: &Selection,
    format: TraceFormat,
    out: impl Write,
) -> Result<io::Result<()>, Failure> {
    let heading = archive.heading().clone();
    let mut printer = match Printer::begin(format, out) {
        Ok(printer) => printer,
        Err(error) => return Ok(Err(error)),
    };
    let mut printed = Ok(());
    archive.scan(&selection.span(), |message| {
        if selection.wants_message(message) {
            printed = printer.message(&heading, message);
        }
        printed.is_ok()
    })?;
    Ok(printed.and_then(|()| printer.finish()))
}

/// What a filter selects among the messages of an archive; without one, all.
pub(super) fn selection(archive: &Archive, filter: Option<&Filter>) -> Result<Selection, Failure> {
    let filter = filter.cloned().unwrap_or_default();
    let selection = filter.resolve(archive.heading().names());
    selection.map_err(|error| Failure::Trace(error.into()))
}

/// Whoever closed the output, as `head` does, has seen enough.
pub(super) fn listened(printed: io::Result<()>) -> Result<(), Failure> {
    match printed {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::NobodyListens),
        Err(error) => Err(Failure::Run(format!(
            "cannot write to standard output: {error}"
        ))),
    }
}

/// A message as programs read it: the columns of `messages.parquet`.
#[derive(Serialize)]
struct Row<'a> {
    message_id: u64,
    cause_id: Option<u64>,
    sent_s: f64,
    received_s: f64,
    sent_ns: u64,
    received_ns: u64,
    from: String,
    to: String,
    from_id: u32,
    to_id: u32,
    kind: &'a str,
    job: Option<u32>,
    instance: Option<u8>,
    instances: Vec<String>,
    file: Option<u32>,
    bytes: Option<u64>,
    fate: &'static str,
    text: &'a str,
}

impl<'a> Row<'a> {
    fn of(heading: &'a Heading, message: &Message<'a>) -> Self {
        Row {
            message_id: message.id.0,
            cause_id: message.cause.map(|cause| cause.0),
            sent_s: message.sent.as_secs_f64(),
            received_s: message.received.as_secs_f64(),
            sent_ns: message.sent.nanos(),
            received_ns: message.received.nanos(),
            from: heading.actor_name(message.from),
            to: heading.actor_name(message.to),
            from_id: message.from.0,
            to_id: message.to.0,
            kind: heading.kind(message.kind),
            job: message.job,
            instance: match message.instances {
                [only] => Some(only.number),
                _ => None,
            },
            instances: message.instances.iter().map(ToString::to_string).collect(),
            file: message.file,
            bytes: message.bytes,
            fate: message.fate.name(),
            text: message.text,
        }
    }

    /// The fields as CSV has them: several instances in one field, separated by spaces.
    fn fields(&self) -> [String; 18] {
        fn some(value: Option<impl ToString>) -> String {
            value.map_or_else(String::new, |value| value.to_string())
        }
        [
            self.message_id.to_string(),
            some(self.cause_id),
            self.sent_s.to_string(),
            self.received_s.to_string(),
            self.sent_ns.to_string(),
            self.received_ns.to_string(),
            self.from.clone(),
            self.to.clone(),
            self.from_id.to_string(),
            self.to_id.to_string(),
            self.kind.to_owned(),
            some(self.job),
            some(self.instance),
            self.instances.join(" "),
            some(self.file),
            some(self.bytes),
            self.fate.to_owned(),
            self.text.to_owned(),
        ]
    }
}

const COLUMNS: [&str; 18] = [
    "message_id",
    "cause_id",
    "sent_s",
    "received_s",
    "sent_ns",
    "received_ns",
    "from",
    "to",
    "from_id",
    "to_id",
    "kind",
    "job",
    "instance",
    "instances",
    "file",
    "bytes",
    "fate",
    "text",
];

/// Prints one message after another.
enum Printer<W: Write> {
    Table(W),
    Ndjson(W),
    Csv(Box<csv::Writer<W>>),
}

impl<W: Write> Printer<W> {
    fn begin(format: TraceFormat, mut out: W) -> io::Result<Self> {
        match format {
            TraceFormat::Table => {
                let head = ["message", "cause", "sent", "received", "fate", "kind"];
                let [message, cause, sent, received, fate, kind] = head;
                writeln!(
                    out,
                    "{message:>11} {cause:>11} {sent:>17} {received:>17} {fate:<9} {kind:<19} \
                     from → to: what it says"
                )?;
                Ok(Printer::Table(out))
            }
            TraceFormat::Ndjson => Ok(Printer::Ndjson(out)),
            TraceFormat::Csv => {
                let mut out = csv::Writer::from_writer(out);
                out.write_record(COLUMNS)?;
                Ok(Printer::Csv(Box::new(out)))
            }
        }
    }

    fn message(&mut self, heading: &Heading, message: &Message<'_>) -> io::Result<()> {
        match self {
            Printer::Table(out) => {
                let cause = message
                    .cause
                    .map_or_else(|| "start".to_owned(), |id| id.to_string());
                writeln!(
                    out,
                    "{:>11} {cause:>11} {:>17} {:>17} {:<9} {:<19} {}: {}",
                    message.id.to_string(),
                    clock(message.sent),
                    clock(message.received),
                    message.fate.name(),
                    heading.kind(message.kind),
                    ends(heading, message),
                    message.text
                )
            }
            Printer::Ndjson(out) => {
                serde_json::to_writer(&mut *out, &Row::of(heading, message))?;
                out.write_all(b"\n")
            }
            Printer::Csv(out) => Ok(out.write_record(Row::of(heading, message).fields())?),
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        match self {
            Printer::Table(out) | Printer::Ndjson(out) => out.flush(),
            Printer::Csv(out) => out.flush(),
        }
    }
}
