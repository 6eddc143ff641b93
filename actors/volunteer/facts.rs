//! What can an observer learn? What happened, in the past tense.

use kernel::{ActorId, SimDuration, SimTime};
use serde::{Deserialize, Serialize};

use super::host::SpeedClass;
use super::job::{ErrorMask, Outcome};

/// Something that happened in the world of volunteer computing, for those who watch from outside.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub enum Fact {
    // Hosts.
    /// The host takes part from now on.
    HostJoined {
        /// Whether it is switched on.
        on: bool,
        /// Speed of all its processors together, in Mflop/s.
        mflop_per_s: u32,
        /// The number of its processors.
        cores: u32,
        /// The volunteer's network connection interval.
        connect_interval: SimDuration,
    },
    /// The host does not take part any more.
    HostLeft {
        /// Whether it was switched on.
        on: bool,
        /// How many unfinished instances it took with it.
        instances: u32,
    },
    /// The host was switched on.
    HostSwitchedOn,
    /// The host was switched off.
    HostSwitchedOff,
    /// The host has got a reply.
    HostServed {
        /// How many instances it got.
        instances: u32,
        /// Whether it had wanted any.
        wanted: bool,
    },
    /// The host has an input file that it did not have before.
    FileStored {
        /// How many it has now.
        files: u32,
    },
    /// The host has deleted an input file.
    FileDropped {
        /// How many it has left.
        files: u32,
    },
    /// A processor of the host has taken up an instance, or goes on with one that was interrupted
    /// while the host was off.
    ComputationBegun,
    /// All computations were interrupted: what goes on, begins again. (A host that is switched off does
    /// not note this.)
    ComputationsPaused,
    /// A processor of the host has worked off an instance.
    ComputationEnded {
        /// For how long it computed.
        computed: SimDuration,
        /// Speed of all processors of the host together, in Mflop/s.
        mflop_per_s: u32,
        /// Success or client error.
        outcome: Outcome,
    },

    // Schedulers and transitioners.
    /// A scheduler has handled a request.
    RequestHandled {
        /// How many instances were reported.
        reports: u32,
        /// How many instances were sent.
        instances: u32,
    },
    /// A scheduler has heard from a host.
    HostHeard {
        /// When it did so for the first time.
        first: SimTime,
        /// When it did so last, before this time; `None` if never.
        before: Option<SimTime>,
        /// Whether the host has ever been granted credit.
        credited: bool,
        /// How many successful instances it had reported before this request, and with it.
        successes: (u32, u32),
    },
    /// A scheduler has learnt that a host was granted credit.
    HostCredited {
        /// When it first heard from the host.
        first: SimTime,
        /// When it last heard from it.
        last: SimTime,
        /// When it learnt last of credit, before this time; `None` if never.
        before: Option<SimTime>,
        /// How many successful instances the host has reported.
        successes: u32,
    },
    /// A scheduler has made a record for a host that said it was new.
    HostAdmitted,
    /// A request as a new host was refused: the volunteer must show himself first.
    HostRefused,
    /// A request found no instance, although the host could have taken one.
    NothingToSend,
    /// A host has used up its quota for the day.
    QuotaReached,
    /// An input file was opened: one of its jobs was created for the first time.
    FileOpened,
    /// All jobs of an input file are over.
    FileRetired,
    /// A job was created.
    JobCreated,
    /// A job that had begun with a single instance was given more, because a host that is not
    /// trusted has got it.
    JobExtended,
    /// Instances were created, unsent.
    InstancesCreated {
        /// How many.
        count: u32,
    },
    /// An instance was sent to a host.
    InstanceDispatched,
    /// An unsent instance was withdrawn: it ended as "didn't need".
    InstanceWithdrawn,
    /// An instance in progress has ended.
    InstanceOver {
        /// How.
        outcome: Outcome,
        /// On which host.
        host: ActorId,
        /// How long after it was sent.
        latency: SimDuration,
    },
    /// An instance that had been given up was reported after all.
    LateReportAccepted {
        /// As what.
        outcome: Outcome,
    },
    /// A result came when the job's files had been deleted.
    ResultTooLate,
    /// A successful instance will not be validated: its job has failed.
    ResultNotChecked,
    /// A job has failed.
    JobFailed {
        /// Why.
        error_mask: ErrorMask,
    },
    /// A job and its instances are over, and its files are deleted.
    JobRetired {
        /// How long after it was created.
        lifetime: SimDuration,
        /// How long after it was created all of its instances had been reported or had timed out.
        settled: SimDuration,
    },

    // Validator and assimilator.
    /// A result was found valid, and credit was granted.
    ResultValid {
        /// Who computed it.
        host: ActorId,
        /// From report to credit.
        credit_lag: SimDuration,
        /// From dispatch to report.
        latency: SimDuration,
        /// How fast the host is.
        speed: SpeedClass,
        /// Whether it was among those that made the quorum; if not, it came after the canonical
        /// instance was found, and nobody needed it.
        needed: bool,
    },
    /// A result was found invalid.
    ResultInvalid {
        /// Who computed it.
        host: ActorId,
        /// Whether its output could not even be read.
        unreadable: bool,
    },
    /// A check has found no quorum.
    CheckInconclusive,
    /// A check could not read all results, and is to be made again.
    CheckPutOff,
    /// A job has got its canonical instance.
    CanonicalFound {
        /// How long after the job was created.
        after: SimDuration,
        /// Whether the canonical output is a wrong one.
        wrong: bool,
    },
    /// A canonical output, or a failure, was handed to the scientists.
    JobAssimilated {
        /// Whether the job failed.
        failed: bool,
    },

    // File servers.
    /// A download server has sent a file.
    Downloaded {
        /// Its size.
        bytes: u64,
        /// How long it took at the server.
        took: SimDuration,
    },
    /// An upload server has received a file.
    Uploaded {
        /// Its size.
        bytes: u64,
        /// How long it took at the server.
        took: SimDuration,
    },
    /// Output files were deleted.
    OutputsDeleted {
        /// Their size together.
        bytes: u64,
    },
}
