//! What does a host, of whatever model, ask of the file servers?
//!
//! It knows its own line, so it knows how long an answer takes at least.

use super::Host;
use super::traits::Traits;
use crate::volunteer::Context;
use crate::volunteer::file_server::time_on_line;
use crate::volunteer::job::{FileId, InstanceId};
use crate::volunteer::messages::{ToDownloadServer, ToUploadServer};
use crate::volunteer::project::Project;

impl Traits {
    /// Asks the host's download server for an input file.
    pub(in crate::volunteer) fn ask_for_file(
        &self,
        project: &Project,
        file: FileId,
        ctx: &mut Context<'_>,
    ) {
        let me = ctx.me::<Host>();
        let wanted = ToDownloadServer::FileWanted {
            host: me,
            file,
            line_kb_per_s: self.download_kb_per_s,
            way_back_us: self.latency_us,
        };
        let server = project.download_server_of(me.id());
        let bytes = project.scenario.jobs.input_file.bytes();
        let line = time_on_line(bytes, self.download_kb_per_s);
        let latency = self.latency();
        ctx.ask_patiently(server, wanted, latency, line + latency);
    }

    /// Sends the output of an instance to the host's upload server.
    pub(in crate::volunteer) fn send_output(
        &self,
        project: &Project,
        instance: InstanceId,
        ctx: &mut Context<'_>,
    ) {
        let me = ctx.me::<Host>();
        let sent = ToUploadServer::OutputSent {
            host: me,
            instance,
            line_kb_per_s: self.upload_kb_per_s,
            way_back_us: self.latency_us,
        };
        let server = project.upload_server_of(me.id());
        let bytes = project.scenario.jobs.output_file.bytes();
        let line = time_on_line(bytes, self.upload_kb_per_s);
        let latency = self.latency();
        ctx.ask_patiently(server, sent, latency, line + latency);
    }
}
