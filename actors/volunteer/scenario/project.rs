//! What is said about the project: its jobs, its rules and its servers?

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hosts::{days, fraction, seconds};
use crate::shared::distribution::{Distribution, Family};
use crate::shared::quantity::{Bandwidth, Bytes, Duration, Flop, Fraction};
use crate::volunteer::{assignment, quota, replication};

/// What is computed (the document, sections 2.2, 3 and 5.1).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Jobs {
    /// The size of an input file. Einstein@home: 14 MB.
    pub input_file: Bytes,
    /// The part of instances whose input a host has at hand, whatever files it was sent before: for
    /// projects whose input files have no identity. Einstein@home: none.
    pub input_at_hand: Fraction,
    /// How many jobs analyse the same input file. Einstein@home: 150.
    pub jobs_per_file: u32,
    /// The computing that an instance needs.
    pub flops: Flop,
    /// By what the computing time of an instance differs from that, as a factor. The document:
    /// uniform from 0.75 to 1.25.
    pub time_factor: Distribution<f64>,
    /// The memory that an instance needs.
    pub memory: Bytes,
    /// The disk space that an instance needs, besides its input file.
    pub disk: Bytes,
    /// The size of an instance's output file.
    pub output_file: Bytes,
    /// How many instances a job has at first. Einstein@home: 4.
    pub target_nresults: u32,
    /// How many successful instances are needed before they are compared. Einstein@home: 3.
    pub min_quorum: u32,
    /// How long after its dispatch an instance must be reported. Einstein@home: 7 d.
    pub delay_bound: Duration,
    /// A job fails when more instances than this have failed.
    pub max_error_results: u32,
    /// A job fails when more instances than this would be needed; at most 32.
    pub max_total_results: u32,
    /// A job fails when more instances than this succeed without agreeing.
    pub max_success_results: u32,
}

/// Who gets which work (the document, sections 2.3 and 5.1).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Scheduler {
    /// Which instance does a host get?
    pub assignment: assignment::Rule,
    /// How many instances does a host get in a day?
    pub quota: quota::Rule,
    /// May anybody have any number of host records?
    pub governor: Governor,
    /// How many instances does a job get, and who may share it?
    pub replication: replication::Rule,
    /// How long a host waits from a reply to its next request, at least. Never less than 1.01
    /// times `min_sendwork_interval`.
    pub request_delay: Duration,
    /// A request that comes sooner than this after the host's last one gets no work.
    pub min_sendwork_interval: Duration,
    /// The most instances in one reply, per processor. BOINC: 10.
    pub max_wus_to_send: u32,
    /// More processors than this do not count. BOINC: 64.
    pub max_ncpus: u32,
    /// Whether a volunteer gets at most one instance of a job, over all hosts. If not, the rule
    /// holds per host.
    pub one_result_per_user: bool,
    /// How many input files the work generator keeps ready that no host has got yet; 0: as many as
    /// hosts may want within a minute or so.
    pub files_ahead: u32,
}

/// The governor that the document considers (section 2.3), against hosts that claim to be new again
/// and again: a volunteer must do something on the project's web site for each N hosts.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Governor {
    /// N: how many host records a volunteer gets for each web interaction; 0: any number.
    pub every: u32,
    /// How long a volunteer takes to follow the request. One whose host claims to be new at each
    /// contact never does: he does not know.
    pub answered_after: Duration,
}

impl Default for Governor {
    fn default() -> Self {
        Scheduler::default().governor
    }
}

/// When do results agree? (The document, section 2.2; BOINC's validator.)
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Validation {
    /// How many results must agree before one of them is canonical.
    pub majority: Majority,
    /// Where on a line a correct output lies, in tolerances of the validator; drawn for each
    /// instance. Two correct outputs agree if they are at most 1 apart. 0: all are equal.
    pub place: Distribution<f64>,
    /// How often an output cannot be read at the moment of a check.
    pub transient_failure: Fraction,
    /// How long after such a failure a job is checked again, unless a new result comes before.
    /// BOINC: 6 h.
    pub retry_after: Duration,
}

/// How many results must agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Majority {
    /// BOINC's: half of `jobs.min_quorum`, rounded down, and one more.
    Boinc,
    /// The document's "quorum of equivalent instances": `jobs.min_quorum`.
    Document,
    /// BOINC's of February to September 2005: half of the results that are there, rounded down. Of
    /// two or three results, the first always wins.
    #[serde(rename = "boinc_february_2005")]
    BoincFebruary2005,
}

/// The project's servers and daemons. Daemons look for work at intervals; what one hands over to
/// another is seen after that other's interval.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Servers {
    /// How many schedulers share the volunteers and files.
    pub schedulers: u32,
    /// How many transitioners share the jobs.
    pub transitioners: u32,
    /// How many validators share the jobs.
    pub validators: u32,
    /// How many download servers share the hosts.
    pub download_servers: u32,
    /// How many upload servers share the hosts.
    pub upload_servers: u32,
    /// What each download server's line carries.
    pub download_bandwidth: Bandwidth,
    /// What each upload server's line carries.
    pub upload_bandwidth: Bandwidth,
    /// Which part of the input files cannot be downloaded, because their server is out of reach.
    pub unreachable_files: Fraction,
    /// How often the transitioner looks for jobs to handle. BOINC: 5 s.
    pub transitioner_period: Duration,
    /// How often the validator looks for results to validate. BOINC: 5 s.
    pub validator_period: Duration,
    /// How often the assimilator looks for jobs that are decided. BOINC: 10 s.
    pub assimilator_period: Duration,
    /// How often the file deleter looks for files to delete. BOINC: 5 s.
    pub file_deleter_period: Duration,
    /// How often the feeder brings new instances to the scheduler. BOINC: 5 s.
    pub feeder_period: Duration,
    /// How often the work generator looks whether files are wanted.
    pub work_generator_period: Duration,
}

/// What is recorded.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Record {
    /// The time between two points of a series.
    pub interval: Duration,
    /// Which messages are recorded: empty for none, "all", or a filter such as "time=2d..3d;
    /// actors=host[0..20],scheduler; kinds=request,reply".
    pub trace: String,
}

impl Default for Jobs {
    fn default() -> Self {
        Jobs {
            input_file: Bytes::new(14_000_000),
            input_at_hand: fraction(0.0),
            jobs_per_file: 150,
            flops: Flop::new(1.05e14),
            time_factor: Distribution::new(Family::Uniform {
                low: 0.75,
                high: 1.25,
            })
            .expect("a default is a distribution"),
            memory: Bytes::new(70_000_000),
            disk: Bytes::new(100_000_000),
            output_file: Bytes::new(204_800),
            target_nresults: 4,
            min_quorum: 3,
            delay_bound: days(7),
            max_error_results: 6,
            max_total_results: 16,
            max_success_results: 14,
        }
    }
}

impl Default for Scheduler {
    fn default() -> Self {
        Scheduler {
            assignment: assignment::Rule::Locality2004,
            quota: quota::Rule::Document { per_cpu: 8 },
            governor: Governor {
                every: 0,
                answered_after: days(1),
            },
            replication: replication::Rule::FixedQuorum,
            request_delay: seconds(60),
            min_sendwork_interval: seconds(60),
            max_wus_to_send: 10,
            max_ncpus: 64,
            one_result_per_user: true,
            files_ahead: 0,
        }
    }
}

impl Default for Validation {
    fn default() -> Self {
        Validation {
            majority: Majority::Boinc,
            place: Distribution::fixed(0.0),
            transient_failure: Fraction::ZERO,
            retry_after: seconds(6 * 3_600),
        }
    }
}

impl Default for Servers {
    fn default() -> Self {
        Servers {
            schedulers: 1,
            transitioners: 1,
            validators: 1,
            download_servers: 1,
            upload_servers: 1,
            download_bandwidth: Bandwidth::new(1e9 / 8.0),
            upload_bandwidth: Bandwidth::new(1e9 / 8.0),
            unreachable_files: Fraction::ZERO,
            transitioner_period: seconds(5),
            validator_period: seconds(5),
            assimilator_period: seconds(10),
            file_deleter_period: seconds(5),
            feeder_period: seconds(5),
            work_generator_period: seconds(5),
        }
    }
}

impl Default for Record {
    fn default() -> Self {
        Record {
            interval: seconds(3_600),
            trace: String::new(),
        }
    }
}
