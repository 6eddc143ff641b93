//! File servers: input files go down, output files come up.
//!
//! Download and upload are apart, as BOINC's data servers and file upload handler are: a host that
//! has heard from the one must compute before it speaks to the other.

use std::sync::Arc;

use kernel::{Address, Group, Inbox, Linked, SimDuration};
use serde::{Deserialize, Serialize};

use super::Context;
use super::facts::Fact;
use super::host::Host;
use super::job::{FileId, InstanceId};
use super::messages::{ToDownloadServer, ToHost, ToUploadServer};
use super::project::Project;

mod shared_line;

use shared_line::{Done, SharedLine};

/// A transfer in which nothing happens is broken off after this. BOINC: 300 s.
const TRANSFER_TIMEOUT: SimDuration = SimDuration::from_secs(300);

/// Sends input files to hosts.
#[derive(Debug, Serialize, Deserialize)]
pub struct DownloadServer {
    pub(super) project: Linked<Project>,
    line: SharedLine<FileId>,
}

/// Receives output files from hosts.
#[derive(Debug, Serialize, Deserialize)]
pub struct UploadServer {
    pub(super) project: Linked<Project>,
    line: SharedLine<InstanceId>,
}

impl Inbox for DownloadServer {
    type Message = ToDownloadServer;
    const GROUP: Group = Group(6);
}

impl Inbox for UploadServer {
    type Message = ToUploadServer;
    const GROUP: Group = Group(7);
}

impl DownloadServer {
    /// A download server of a project.
    pub fn new(project: Arc<Project>) -> Self {
        DownloadServer {
            project: project.into(),
            line: SharedLine::new(),
        }
    }

    pub(super) fn receive(&mut self, message: ToDownloadServer, ctx: &mut Context<'_>) {
        let scenario = &self.project.scenario;
        let size = scenario.jobs.input_file;
        let bytes = size.bytes();
        match message {
            ToDownloadServer::FileWanted {
                host,
                file,
                line_kb_per_s,
                way_back_us,
            } => {
                let caller = Caller::new(host, line_kb_per_s, way_back_us, bytes);
                if self.project.is_unreachable(file) {
                    let waited = caller.at_least.max(TRANSFER_TIMEOUT);
                    let failed = ToHost::DownloadFailed { file };
                    ctx.send(host, failed, waited + caller.way_back);
                } else {
                    let alone = scenario.servers.download_bandwidth.time_for(size);
                    self.line.begin(ctx.now(), alone, caller, file);
                }
            }
            ToDownloadServer::TransferDue => {
                while let Some(done) = self.line.finished(ctx.now()) {
                    let took = answer(&done, ToHost::FileArrived { file: done.what }, ctx);
                    ctx.note(Fact::Downloaded { bytes, took });
                }
            }
        }
        if let Some(delay) = self.line.wake_after(ctx.now()) {
            ctx.schedule(ToDownloadServer::TransferDue, delay);
        }
    }
}

impl UploadServer {
    /// An upload server of a project.
    pub fn new(project: Arc<Project>) -> Self {
        UploadServer {
            project: project.into(),
            line: SharedLine::new(),
        }
    }

    pub(super) fn receive(&mut self, message: ToUploadServer, ctx: &mut Context<'_>) {
        let scenario = &self.project.scenario;
        let size = scenario.jobs.output_file;
        let bytes = size.bytes();
        match message {
            ToUploadServer::OutputSent {
                host,
                instance,
                line_kb_per_s,
                way_back_us,
            } => {
                let caller = Caller::new(host, line_kb_per_s, way_back_us, bytes);
                let alone = scenario.servers.upload_bandwidth.time_for(size);
                self.line.begin(ctx.now(), alone, caller, instance);
            }
            ToUploadServer::TransferDue => {
                while let Some(done) = self.line.finished(ctx.now()) {
                    let stored = ToHost::OutputStored {
                        instance: done.what,
                    };
                    let took = answer(&done, stored, ctx);
                    ctx.note(Fact::Uploaded { bytes, took });
                }
            }
        }
        if let Some(delay) = self.line.wake_after(ctx.now()) {
            ctx.schedule(ToUploadServer::TransferDue, delay);
        }
    }
}

/// At the other end of a transfer: who, and over what line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Caller {
    host: Address<Host>,
    /// The least time that the host's own line needs.
    at_least: SimDuration,
    way_back: SimDuration,
}

impl Caller {
    fn new(host: Address<Host>, line_kb_per_s: u32, way_back_us: u32, bytes: u64) -> Self {
        Caller {
            host,
            at_least: time_on_line(bytes, line_kb_per_s),
            way_back: SimDuration::from_nanos(u64::from(way_back_us) * 1_000),
        }
    }
}

/// The least time that so many bytes need on a host's own line, however idle the server.
pub(super) fn time_on_line(bytes: u64, line_kb_per_s: u32) -> SimDuration {
    let microseconds = u128::from(bytes) * 1_000 / u128::from(line_kb_per_s.max(1));
    let nanos = u64::try_from(microseconds * 1_000).unwrap_or(u64::MAX);
    SimDuration::from_nanos(nanos)
}

/// Tells the host that its transfer is complete; where its own line is the slower one, that is when
/// the line is through. Returns how long the transfer took.
fn answer<T>(done: &Done<T>, message: ToHost, ctx: &mut Context<'_>) -> SimDuration {
    let elapsed = ctx.now() - done.begun;
    let rest = done.caller.at_least.saturating_sub(elapsed);
    ctx.send(done.caller.host, message, rest + done.caller.way_back);
    elapsed + rest
}
