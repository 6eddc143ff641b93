//! Who says what to whom? The whole conversation, by listener.
//!
//! A message says what happened, seen by the listener. It is small, since millions are on their way
//! at once: what is large travels in a box. There are no floating-point numbers in it, because a
//! message's hash is part of a run's fingerprint.

use kernel::{Address, Envelope, SimDuration, SimTime};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::host::{Host, SpeedClass};
use super::job::{FileId, InstanceId, InstanceSet, JobId, Outcome, Output, Validity};
use super::platform::Platform;
use super::replication::Extent;
use super::scheduler::Scheduler;

/// Everything that anyone in the world of volunteer computing may hear.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
#[allow(missing_docs)] // One variant per member of the cast.
pub enum Message {
    ToScheduler(ToScheduler),
    ToTransitioner(ToTransitioner),
    ToValidator(ToValidator),
    ToAssimilator(ToAssimilator),
    ToFileDeleter(ToFileDeleter),
    ToWorkGenerator(ToWorkGenerator),
    ToDownloadServer(ToDownloadServer),
    ToUploadServer(ToUploadServer),
    ToHost(ToHost),
}

const _: () = assert!(size_of::<Envelope<Message>>() <= 48);

/// What a scheduler hears.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub enum ToScheduler {
    /// A host's scheduler request; answered by [`ToHost::Replied`].
    Requested(Box<Request>),
    /// The work generator has put input files on the download servers: `count` of this scheduler's
    /// files are usable in addition.
    FilesReady {
        /// How many.
        count: u32,
    },
    /// The transitioner has created further instances of a job.
    InstancesCreated {
        /// Of which job.
        job: JobId,
        /// How many.
        count: u8,
    },
    /// The job is decided: instances that are still unsent must not be sent any more.
    UnsentNotNeeded {
        /// Which job.
        job: JobId,
    },
    /// All instances of the job have failed so far: it need not stay on one platform.
    PlatformFreed {
        /// Which job.
        job: JobId,
    },
    /// An instance's deadline has passed without a report.
    InstanceTimedOut {
        /// Which instance.
        instance: InstanceId,
    },
    /// The validator has judged some instances of a job.
    InstancesJudged {
        /// Of which job.
        job: JobId,
        /// Those that were marked valid.
        valid: InstanceSet,
        /// Those that were marked invalid.
        invalid: InstanceSet,
    },
    /// The job's files are gone; its record may go, too.
    JobDeleted {
        /// Which job.
        job: JobId,
    },
}

/// What a host tells its scheduler about itself, its results and its wishes.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub struct Request {
    /// Who asks.
    pub host: Address<Host>,
    /// The number of its record at the scheduler; `None` at its first contact.
    pub record: Option<u32>,
    /// Whose machine it is.
    pub user: u32,
    /// On what platform it computes, if the scenario tells platforms apart.
    pub platform: Option<Platform>,
    /// How many processors it has.
    pub cores: u32,
    /// The speed of each, as its benchmark has it, in flop/s.
    pub speed_flop_per_s: u64,
    /// Its main memory, in bytes; zero if unknown.
    pub memory_bytes: u64,
    /// Free disk space, in bytes.
    pub disk_free_bytes: u64,
    /// The most disk space the project may use in bytes; zero: no limit.
    pub disk_limit_bytes: u64,
    /// How much of it the project uses already.
    pub disk_used_bytes: u64,
    /// The part of the time the client is on, in millionths, as the client has measured it.
    pub on_fraction_millionths: u32,
    /// What its line carries towards it in kB/s, as the client has measured it; zero if it has not
    /// downloaded anything yet.
    pub line_kb_per_s: u32,
    /// How long all its processors are busy with what it has.
    pub queue_delay: SimDuration,
    /// How much more processor time, by the wall clock, it would like to fill.
    pub work_wanted: SimDuration,
    /// How many of its processors are idle.
    pub idle_cores: u32,
    /// What it has finished since the last reply.
    pub reports: SmallVec<[Report; 2]>,
    /// The project's input files it has.
    pub files: SmallVec<[FileId; 4]>,
    /// How long the answer travels.
    pub way_back: SimDuration,
    /// The volunteer has shown himself on the project's web site, as he was asked to.
    pub after_web_interaction: bool,
}

impl Request {
    /// How fast the host is, with all its processors together.
    pub fn speed(&self) -> SpeedClass {
        let flop_per_s = self.speed_flop_per_s.saturating_mul(u64::from(self.cores));
        SpeedClass::of(u32::try_from(flop_per_s / 1_000_000).unwrap_or(u32::MAX))
    }

    /// What the host computes by the wall clock, all processors together, in Mflop/s.
    pub fn mflop_per_s(&self) -> u32 {
        let while_on = u128::from(self.speed_flop_per_s) * u128::from(self.cores);
        let by_the_clock = while_on * u128::from(self.on_fraction_millionths) / 1_000_000;
        u32::try_from(by_the_clock / 1_000_000).unwrap_or(u32::MAX)
    }
}

/// One finished instance in a request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Report {
    /// Which instance.
    pub instance: InstanceId,
    /// Success or client error.
    pub outcome: Outcome,
    /// What the output file holds.
    pub output: Output,
}

/// A scheduler's answer.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub struct Reply {
    /// The number of the host's record, to name in later requests; `None` if it has got none.
    pub record: Option<u32>,
    /// The volunteer has so many hosts already that he must first show himself on the project's web
    /// site.
    pub show_yourself: bool,
    /// The instances to compute.
    pub instances: SmallVec<[InstanceId; 4]>,
    /// When their results must be reported.
    pub deadline: SimTime,
    /// Input files that are not needed any more.
    pub files_to_delete: SmallVec<[FileId; 4]>,
    /// No further request before this much time has passed.
    pub request_delay: SimDuration,
}

/// What a transitioner hears.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub enum ToTransitioner {
    /// A job was created, with as many unsent instances as are its target.
    JobCreated {
        /// Which job.
        job: JobId,
        /// How many instances it has, and how large its quorum is.
        extent: Extent,
    },
    /// A job needs more instances and a larger quorum than it began with.
    JobExtended {
        /// Which job.
        job: JobId,
        /// How many instances it is to have, and how large its quorum is.
        extent: Extent,
    },
    /// A scheduler has sent an instance to a host, one polling period ago.
    InstanceDispatched {
        /// Which instance.
        instance: InstanceId,
        /// To whom.
        host: Address<Host>,
        /// How fast that host is.
        speed: SpeedClass,
    },
    /// A host has reported an instance to a scheduler, one polling period ago.
    InstanceReported {
        /// Which instance.
        instance: InstanceId,
        /// Success or client error.
        outcome: Outcome,
        /// What the output file holds.
        output: Output,
    },
    /// A scheduler has withdrawn an unsent instance.
    InstanceWithdrawn {
        /// Which instance.
        instance: InstanceId,
    },
    /// The validator has looked at a job's results.
    Validated(Box<Verdict>),
    /// The assimilator has taken over the canonical output, or the job's failure.
    JobAssimilated {
        /// Which job.
        job: JobId,
    },
    /// A deadline of the job has passed.
    DeadlinePassed {
        /// Which job.
        job: JobId,
    },
}

/// What a validator hears.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub enum ToValidator {
    /// A job has results to validate; answered by [`ToTransitioner::Validated`].
    ValidationNeeded(Box<Check>),
}

/// The results of a job, for the validator.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub struct Check {
    /// Which job.
    pub job: JobId,
    /// How many successful results it takes before they are compared.
    pub quorum: u8,
    /// Output of the canonical instance, if there is one.
    pub canonical: Option<Output>,
    /// The viable results, in order of their numbers; only new ones if there is a canonical one.
    pub results: SmallVec<[Candidate; 4]>,
}

/// A result to be validated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Candidate {
    /// The instance's number.
    pub number: u8,
    /// What it says.
    pub output: Output,
    /// Who computed it.
    pub host: Address<Host>,
    /// How fast that host is.
    pub speed: SpeedClass,
    /// When it was sent to the host.
    pub sent: SimTime,
    /// When the host reported it.
    pub received: SimTime,
}

/// What the validator found.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub struct Verdict {
    /// Which job.
    pub job: JobId,
    /// The canonical instance, if this check has found one.
    pub canonical: Option<u8>,
    /// What became of each result on which there is a judgement.
    pub judged: SmallVec<[(u8, Judgement); 4]>,
    /// Whether some results could not be read at the moment, so that another check is wanted.
    pub retry: bool,
}

/// What became of a result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Judgement {
    /// It has this validity now.
    Found(Validity),
    /// Its output could not be read: outcome "validate error", and invalid.
    Unreadable,
}

/// What an assimilator hears.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub enum ToAssimilator {
    /// The job has a canonical instance, or has failed.
    JobReady {
        /// Which job.
        job: JobId,
        /// Whether it failed.
        failed: bool,
    },
}

/// What a file deleter hears.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub enum ToFileDeleter {
    /// All instances of the job are over and validated.
    OutputsDeletable {
        /// Which job.
        job: JobId,
        /// How many output files there are.
        outputs: u32,
    },
}

/// What a work generator hears.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub enum ToWorkGenerator {
    /// A scheduler is running out of input files.
    FilesWanted {
        /// Who asks.
        scheduler: Address<Scheduler>,
        /// How many it wants.
        count: u32,
    },
}

/// What a download server hears.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub enum ToDownloadServer {
    /// A host wants an input file; answered by [`ToHost::FileArrived`].
    FileWanted {
        /// Who wants it.
        host: Address<Host>,
        /// Which file.
        file: FileId,
        /// The most its line carries, in kB/s.
        line_kb_per_s: u32,
        /// How long the answer travels, in microseconds.
        way_back_us: u32,
    },
    /// A transfer may have finished.
    TransferDue,
}

/// What an upload server hears.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub enum ToUploadServer {
    /// A host sends an output file; answered by [`ToHost::OutputStored`].
    OutputSent {
        /// Who sends it.
        host: Address<Host>,
        /// Of which instance.
        instance: InstanceId,
        /// The most its line carries, in kB/s.
        line_kb_per_s: u32,
        /// How long the answer travels, in microseconds.
        way_back_us: u32,
    },
    /// A transfer may have finished.
    TransferDue,
}

/// What a host hears: from others only answers, the rest from itself.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub enum ToHost {
    /// The volunteer has attached the machine to the project.
    Joined,
    /// The machine was switched on.
    SwitchedOn,
    /// The machine was switched off.
    SwitchedOff,
    /// The machine's time with the project is over.
    Left,
    /// It is time to contact the scheduler, if nothing has come between.
    ContactDue,
    /// It is time to report what has been computed: in the document's model, a multiple of the
    /// connection interval.
    ReportDue,
    /// A running instance is done, or has failed.
    ComputationEnded {
        /// Which instance.
        instance: InstanceId,
    },
    /// The time slice is over for which the host's processors were given out to its projects.
    SliceEnded,
    /// The scheduler's answer to a request.
    Replied(Box<Reply>),
    /// A download is complete.
    FileArrived {
        /// Which file.
        file: FileId,
    },
    /// A download has not got through.
    DownloadFailed {
        /// Of which file.
        file: FileId,
    },
    /// It is time to try downloads again that have failed.
    RetryDue,
    /// The machine's clock was set.
    ClockSet {
        /// It is ahead now; or right.
        ahead: bool,
    },
    /// An upload is complete.
    OutputStored {
        /// Of which instance.
        instance: InstanceId,
    },
}

macro_rules! part_of_the_conversation {
    ($($kind:ident),*) => {
        $(impl From<$kind> for Message {
            fn from(message: $kind) -> Self {
                Message::$kind(message)
            }
        })*
    };
}
part_of_the_conversation!(
    ToScheduler,
    ToTransitioner,
    ToValidator,
    ToAssimilator,
    ToFileDeleter,
    ToWorkGenerator,
    ToDownloadServer,
    ToUploadServer,
    ToHost
);
