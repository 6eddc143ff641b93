//! How much disk space is in use, on hosts and on servers?
//!
//! What is counted is input files on hosts, and input and output files on servers; the space in
//! which an instance computes is not, for no policy changes it.

use kernel::{SimDuration, SimTime};
use serde::{Deserialize, Serialize};

use crate::shared::tally::{Census, LevelSeries};
use crate::volunteer::facts::Fact;

/// Files on hosts and servers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Disk {
    /// Input files on all hosts.
    pub(super) files_on_hosts: LevelSeries,
    /// Hosts by the number of their input files.
    pub(super) files_per_host: Census,
    /// Input files that were opened and are not done with.
    pub(super) inputs_on_servers: LevelSeries,
    /// Bytes of output files that were received and not deleted.
    pub(super) output_bytes_on_servers: LevelSeries,
}

impl Disk {
    pub(super) fn new(interval: SimDuration) -> Self {
        Disk {
            files_on_hosts: LevelSeries::new(interval),
            files_per_host: Census::new(interval),
            inputs_on_servers: LevelSeries::new(interval),
            output_bytes_on_servers: LevelSeries::new(interval),
        }
    }

    #[inline]
    pub(super) fn on_fact(&mut self, time: SimTime, fact: &Fact) {
        match *fact {
            Fact::HostJoined { .. } => self.files_per_host.enter(time, 0),
            // Its files were dropped before.
            Fact::HostLeft { .. } => self.files_per_host.leave(time, 0),
            Fact::FileStored { files } => {
                self.files_on_hosts.step(time, 1);
                self.files_per_host.leave(time, files - 1);
                self.files_per_host.enter(time, files);
            }
            Fact::FileDropped { files } => {
                self.files_on_hosts.step(time, -1);
                self.files_per_host.leave(time, files + 1);
                self.files_per_host.enter(time, files);
            }
            Fact::FileOpened => self.inputs_on_servers.step(time, 1),
            Fact::FileRetired => self.inputs_on_servers.step(time, -1),
            Fact::Uploaded { bytes, .. } => self.output_bytes_on_servers.step(time, bytes as i64),
            Fact::OutputsDeleted { bytes } => {
                self.output_bytes_on_servers.step(time, -(bytes as i64));
            }
            _ => {}
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.files_on_hosts.merge(&other.files_on_hosts);
        self.files_per_host.merge(&other.files_per_host);
        self.inputs_on_servers.merge(&other.inputs_on_servers);
        self.output_bytes_on_servers
            .merge(&other.output_bytes_on_servers);
    }
}
