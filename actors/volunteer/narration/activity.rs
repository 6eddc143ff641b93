//! What is a host doing?

use crate::volunteer::facts::Fact;
use crate::volunteer::messages::{Message, ToDownloadServer, ToHost, ToScheduler, ToUploadServer};

/// What a host has been seen doing. It does several things at once; the first that applies of
/// off, computing, downloading, waiting and idle is what it is said to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Activity {
    takes_part: bool,
    on: bool,
    /// Processors that compute.
    computing: u32,
    /// Input files that are on their way; they come in even while the machine is off.
    downloads: u32,
    /// Questions to schedulers and upload servers that have not been answered.
    questions: u32,
}

const OFF: u8 = 0;
const IDLE: u8 = 1;
const DOWNLOADING: u8 = 2;
const COMPUTING: u8 = 3;
const WAITING: u8 = 4;

impl Activity {
    pub(super) const NAMES: [&'static str; 5] =
        ["off", "idle", "downloading", "computing", "waiting"];

    pub(super) fn handled(&mut self, message: &Message) {
        match message {
            Message::ToHost(ToHost::FileArrived { .. } | ToHost::DownloadFailed { .. }) => {
                less(&mut self.downloads);
            }
            Message::ToHost(ToHost::Replied(_) | ToHost::OutputStored { .. }) => {
                less(&mut self.questions);
            }
            _ => {}
        }
    }

    pub(super) fn sent(&mut self, message: &Message) {
        match message {
            Message::ToDownloadServer(ToDownloadServer::FileWanted { .. }) => self.downloads += 1,
            Message::ToScheduler(ToScheduler::Requested(_))
            | Message::ToUploadServer(ToUploadServer::OutputSent { .. }) => self.questions += 1,
            _ => {}
        }
    }

    pub(super) fn noted(&mut self, fact: &Fact) {
        match fact {
            Fact::HostJoined { on, .. } => {
                self.takes_part = true;
                self.on = *on;
            }
            Fact::HostLeft { .. } => self.takes_part = false,
            Fact::HostSwitchedOn => self.on = true,
            Fact::HostSwitchedOff => {
                self.on = false;
                // What was interrupted begins again when the machine is on.
                self.computing = 0;
            }
            Fact::ComputationsPaused => self.computing = 0,
            Fact::ComputationBegun => self.computing += 1,
            Fact::ComputationEnded { .. } => less(&mut self.computing),
            _ => {}
        }
    }

    pub(super) fn doing(&self) -> Option<u8> {
        self.takes_part.then_some(match self {
            Activity { on: false, .. } => OFF,
            Activity { computing: 1.., .. } => COMPUTING,
            Activity { downloads: 1.., .. } => DOWNLOADING,
            Activity { questions: 1.., .. } => WAITING,
            _ => IDLE,
        })
    }
}

fn less(count: &mut u32) {
    *count = count.saturating_sub(1);
}
