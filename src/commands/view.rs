//! `myriad view`: the messages of a run as a sequence chart, in a page or from a server.

use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;

use super::Failure;
use super::run::print;
use super::trace::selection;
use crate::cli::view::ViewArguments;
use crate::report::numbers;
use crate::trace::Archive;
use crate::view::reading::{self, ReadingError};
use crate::view::{Conversation, offline};

/// The page beside the other files of a run.
const PAGE: &str = "messages.html";

/// The most messages in one page: a browser draws them with ease, and the page stays below 20 MB.
const MOST: usize = 1_000_000;

/// Writes the page, or serves the trace.
pub fn view(arguments: &ViewArguments) -> Result<(), Failure> {
    if let Some(address) = arguments.serve.serve {
        return serve(arguments, address);
    }
    let mut archive = Archive::open(&arguments.run)?;
    let selection = selection(&archive, arguments.filter.as_ref())?;
    let conversation = reading::read(
        &mut archive,
        |message| selection.wants_message(message),
        MOST,
    );
    let conversation = conversation.map_err(|error| match error {
        ReadingError::Trace(error) => Failure::Trace(error),
        other => Failure::Asked(other.to_string()),
    })?;
    let page = offline(&conversation);
    let path = arguments.output.clone();
    let path = path.unwrap_or_else(|| arguments.run.join(PAGE));
    write(&path, page.as_bytes())?;
    print(&format!("{}\n", outcome(&conversation, page.len(), &path)))
}

/// Serves the trace until the program is interrupted.
#[cfg(feature = "serve")]
fn serve(arguments: &ViewArguments, address: SocketAddr) -> Result<(), Failure> {
    use crate::serve::trace::{ServedTrace, routes};

    let trace = ServedTrace::open(&arguments.run, arguments.filter.as_ref())?;
    let server =
        crate::serve::Server::start(address, arguments.serve.serve_anywhere, routes(trace))?;
    print(&format!("{}\n", server.url()))?;
    crate::report::progress::say("serving until interrupted");
    server.wait();
    Ok(())
}

/// A program without a server says how to get one.
#[cfg(not(feature = "serve"))]
fn serve(_: &ViewArguments, _: SocketAddr) -> Result<(), Failure> {
    Err(Failure::Asked(super::NO_SERVER.to_owned()))
}

fn outcome(conversation: &Conversation, size: usize, path: &Path) -> String {
    format!(
        "{} messages among {} actors, {}: {}",
        numbers::count(conversation.messages.len() as u64),
        numbers::count(conversation.actors.len() as u64),
        numbers::with_unit(size as f64, "bytes"),
        path.display()
    )
}

/// Writes a file that is there as a whole or not at all.
fn write(path: &Path, contents: &[u8]) -> Result<(), Failure> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let partial = path.with_file_name(name);
    let written = std::fs::File::create(&partial)
        .and_then(|mut file| file.write_all(contents).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&partial, path));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&partial);
        Failure::Asked(format!("cannot write {}: {error}", path.display()))
    })
}
