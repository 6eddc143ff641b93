//! `myriad export`: a trace for other tools.

use std::io;

use super::Failure;
use super::trace::selection;
use crate::cli::trace::{ExportArguments, ExportFormat};
use crate::report::progress::say;
use crate::report::run_directory::write_complete;
use crate::trace::Archive;
use crate::trace::export::{ExportError, chrome, ocel, perfetto, xes};

/// Writes a trace in another format.
pub fn export(arguments: &ExportArguments) -> Result<(), Failure> {
    if arguments.output.exists() {
        return Err(Failure::Asked(format!(
            "{} exists already: choose another file with -o",
            arguments.output.display()
        )));
    }
    let mut archive = Archive::open(&arguments.run)?;
    let selection = selection(&archive, arguments.filter.as_ref())?;
    // A damaged trace is another matter than a file that cannot be written.
    let mut unreadable = None;
    let mut count = 0;
    let written = write_complete(&arguments.output, |out| {
        let written = match arguments.to {
            ExportFormat::Perfetto => perfetto::write(&mut archive, &selection, out),
            ExportFormat::Chrome => chrome::write(&mut archive, &selection, out),
            ExportFormat::Xes => xes::write(&mut archive, &selection, out),
            ExportFormat::Ocel => ocel::write(&mut archive, &selection, out),
        };
        match written {
            Ok(messages) => {
                count = messages;
                Ok(())
            }
            Err(ExportError::Write(error)) => Err(error),
            Err(ExportError::Trace(error)) => {
                unreadable = Some(error);
                Err(io::ErrorKind::InvalidData.into())
            }
        }
    });
    if let Some(error) = unreadable {
        return Err(error.into());
    }
    written?;
    say(&format!(
        "{count} messages in {}",
        arguments.output.display()
    ));
    Ok(())
}
