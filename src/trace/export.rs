//! A trace for tools that others have made.
//!
//! Each file knows one format. Simulated time zero is the start of 1970 where a format has dates.

use std::io::{self, Write};

use kernel::SimTime;

use super::TraceError;
use super::archive::Archive;
use super::filter::Selection;
use super::message::Message;

pub mod chrome;
pub mod ocel;
pub mod perfetto;
pub mod xes;

/// Why an export did not come about.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// Calls `each` with every message that is selected, until it fails.
fn each_message(
    archive: &mut Archive,
    selection: &Selection,
    mut each: impl FnMut(&Message<'_>) -> io::Result<()>,
) -> Result<u64, ExportError> {
    let mut written = Ok(());
    let mut count = 0;
    archive.scan(&selection.span(), |message| {
        if selection.wants_message(message) {
            written = each(message);
            count += 1;
        }
        written.is_ok()
    })?;
    written?;
    Ok(count)
}

/// An instant as a date of RFC 3339, to the microsecond (what process mining tools keep).
fn date(at: SimTime) -> String {
    let since = std::time::Duration::from_nanos(at.nanos());
    let at = std::time::SystemTime::UNIX_EPOCH + since;
    humantime::format_rfc3339_micros(at).to_string()
}

/// Writes items of a JSON array, with commas between them.
struct Items<W> {
    out: W,
    first: bool,
}

impl<W: Write> Items<W> {
    fn new(out: W) -> Self {
        Items { out, first: true }
    }

    fn item(&mut self, item: &impl serde::Serialize) -> io::Result<()> {
        let separator: &[u8] = if self.first { b"\n" } else { b",\n" };
        self.first = false;
        self.out.write_all(separator)?;
        Ok(serde_json::to_writer(&mut self.out, item)?)
    }
}
