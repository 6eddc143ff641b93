//! What is said about hosts, their volunteers and the way to them?

use kernel::SimDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::shared::distribution::{CountedBin, Distribution, Family};
use crate::shared::quantity::{Bandwidth, Bytes, Duration, Fraction};
use crate::volunteer::platform::PlatformShare;

/// What the hosts are like.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Population {
    /// The file with the joint histogram of processors and speed, relative to the scenario's file.
    pub table: String,
    /// Counts each host as one processor that is as fast as all of its processors together, as
    /// simulators do that know no others.
    pub one_core: bool,
    /// Platforms that compute differently, if that matters: see `scheduler.replication` and
    /// `validation`. Empty: all hosts compute alike.
    pub platforms: Vec<PlatformShare>,
    /// Main memory per processor. The default is the 2016 value of the growth laws for SETI@home
    /// hosts of E. Heien, D. Kondo, D. Anderson, "Correlated resource models of Internet end
    /// hosts" (arXiv 1011.5568), of which we have the parameters at second hand.
    pub memory_per_core: Distribution<Bytes>,
    /// Free disk space. Default as for memory: log-normal, mean 466 GB, deviation 732 GB.
    pub disk_free: Distribution<Bytes>,
    /// The most disk space a volunteer lets the project use; 0 means no limit.
    pub disk_limit: Bytes,
    /// How many hosts a volunteer has on average; the number is geometric. Our assumption: no
    /// source gives it.
    pub hosts_per_user: f64,
}

/// How volunteers come and go.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Churn {
    /// Whether hosts come and go at all.
    pub pattern: Pattern,
    /// How long a host takes part. The default is the fit to 2.7 million SETI@home hosts of E.
    /// Heien, D. Kondo, D. Anderson (arXiv 1011.5568), mean 212.6 days.
    pub lifetime: Distribution<Duration>,
    /// Who is there at the start.
    pub start: Start,
    /// Before this time, only the peaks bring hosts.
    pub steady_from: Duration,
    /// Launches and the like, which bring hosts besides those that join steadily.
    pub peaks: Vec<Peak>,
}

/// Many hosts that join within a short time.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Peak {
    /// When it begins.
    pub at: Duration,
    /// How many hosts it brings, on average.
    pub hosts: u32,
    /// How long after its beginning a host of the peak joins, on average: the rate decays
    /// exponentially.
    pub decay: Duration,
}

/// Whether hosts come and go.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Hosts join in a Poisson process whose rate keeps their mean number at `hosts` (the document,
    /// section 4.1), and leave at the end of their lifetimes.
    Steady,
    /// The hosts of the start stay, and nobody joins.
    None,
}

/// Who is there at the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// `hosts` hosts, each in the middle of its lifetime, as if the project had been running
    /// forever.
    Equilibrium,
    /// Nobody: the project has just opened.
    Empty,
}

/// What goes wrong on hosts: the document's classes (section 4.4), as fractions of the hosts that
/// join. Together they make one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Errors {
    /// Class A: perfect citizens, whose instances never fail.
    pub a_perfect: Fraction,
    /// Class B: each host has an error rate of its own.
    pub b_erring: Fraction,
    /// Class D, first kind: every instance fails at once, and the host gives up after a few
    /// contacts.
    pub d_few_contacts: Fraction,
    /// Class D, second kind: every instance fails at once, and the host goes on asking.
    pub d_many_contacts: Fraction,
    /// Class F: contacts the project once, takes instances, and never returns.
    pub f_one_contact: Fraction,
    /// Which part of all instances fails: unless it is 0, classes A and B, which keep their sum, are
    /// divided so that it does. For `behaviour.model = "document"` with a `rate_per_day`; for the
    /// detailed host, pilot runs are needed. The document: 13 %.
    pub failed_instances: Fraction,
    /// Of the hosts of class D, how many claim to be new at each contact (the document, section
    /// 2.3).
    pub new_identity: Fraction,
    /// Class E, not in the document: hosts in league. When they lie, all say the same.
    pub e_colluding: Fraction,
    /// How many of the instances of class E are lies; the others are computed properly.
    pub e_lies: Fraction,
    /// The error rates of class B: the probability that an instance fails. The document: uniform
    /// from 0 to 1.
    pub b_error_rate: Distribution<f64>,
    /// Of the errors of class B, how many come back as a success with a wrong output, which only
    /// validation can find; the others are reported as failures. Our assumption.
    pub wrong_output: Fraction,
    /// Of the wrong outputs, how many are equal to each other, because the hosts collude.
    pub colluding: Fraction,
    /// Of the wrong outputs, how many cannot even be read by the validator.
    pub unreadable: Fraction,
    /// When an instance of class B that will fail does so, as a part of its computing time.
    pub failure_at: Distribution<f64>,
    /// After how much computing an instance of class D fails ("within a few seconds").
    pub quick_failure: Distribution<Duration>,
    /// No instance fails sooner than this after it was started.
    pub least_failure: Duration,
    /// How often a host of class D, first kind, contacts the scheduler.
    pub few_contacts: u32,
    /// Hosts whose clock jumps ahead and is set right later.
    pub clock_jumps: ClockJumps,
}

/// Hosts whose clock jumps ahead once, and is set right later.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ClockJumps {
    /// Which part of the hosts.
    pub hosts: Fraction,
    /// How long after the host has joined.
    pub after: Distribution<Duration>,
    /// By how much.
    pub by: Duration,
    /// How long the clock is wrong.
    pub lasts: Duration,
}

impl Default for ClockJumps {
    fn default() -> Self {
        ClockJumps {
            hosts: Fraction::ZERO,
            after: distribution(Family::Exponential { mean: days(30) }),
            by: days(30),
            lasts: seconds(3_600),
        }
    }
}

/// How the client on a host behaves (the BOINC client of 2026, as far as it is modelled).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Client {
    /// More work is fetched when a processor will be idle within this time. BOINC: 0.1 d.
    pub buffer_min: Duration,
    /// ... and as much as lasts this much longer. BOINC: 0.5 d.
    pub buffer_extra: Duration,
    /// The volunteer's network connection interval: contacts happen at multiples of it since the
    /// host was created (the document, section 4.2); 0 means at any time.
    pub connect_interval: Distribution<Duration>,
    /// How long the client takes to notice that there is something to ask or to tell. BOINC's looks
    /// every 60 s, so this is half of that on average.
    pub notice_delay: Duration,
    /// A result is reported at the latest this long after its upload. BOINC: 1 h.
    pub report_delay: Duration,
    /// ... or when so many wait. BOINC: 64.
    pub report_at: u32,
    /// ... or when its deadline is so close. BOINC: 1 d.
    pub deadline_margin: Duration,
    /// The wait after a first request for work that brought none; it doubles each time. BOINC:
    /// 600 s.
    pub backoff_least: Duration,
    /// The longest such wait, before it is multiplied by a number uniform in 0.5 to 1.5. BOINC:
    /// 86,400 s.
    pub backoff_most: Duration,
    /// The wait before a download that has failed for the first time is tried again; it doubles each
    /// time, and is multiplied by a number uniform in 0.5 to 1. BOINC: 120 s.
    pub transfer_backoff_least: Duration,
    /// The longest such wait. BOINC: 6 h.
    pub transfer_backoff_most: Duration,
    /// A download that has failed for so long is given up, and its instances fail. BOINC: 90 d.
    pub transfer_gives_up: Duration,
    /// Hosts that are there at the start contact the project for the first time within this time,
    /// so that they do not all come at once.
    pub first_contact_within: Duration,
}

/// What hosts do for other projects: it takes processors from this one, and so explains a part of
/// its latency (the document, section 4.2). The others always have work.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OtherProjects {
    /// How many of the hosts take part in other projects, too. D. Anderson and G. Fedak, "The
    /// computational and storage potential of volunteer computing" (2006), had 17 %, as we know at
    /// second hand.
    pub attached: Fraction,
    /// Of such a host, what part is for this project: its resource share over that of all. The
    /// default is one other project with an equal share.
    pub share: Distribution<f64>,
    /// For how long processors are given to projects at a time. BOINC: 60 min.
    pub time_slice: Duration,
    /// After how long half of what a project has had is forgotten. BOINC: 10 d.
    pub half_life: Duration,
}

/// The way between hosts and servers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Network {
    /// No message between a host and a server takes less: the lookahead of a parallel run.
    pub least_latency: Duration,
    /// How long a message takes each way, one value per host.
    pub latency: Distribution<Duration>,
    /// What a host's line carries towards the host.
    pub download: Distribution<Bandwidth>,
    /// What a host's line carries from the host.
    pub upload: Distribution<Bandwidth>,
}

pub(super) const fn days(days: u64) -> Duration {
    Duration::new(SimDuration::from_days(days))
}

pub(super) const fn seconds(secs: u64) -> Duration {
    Duration::new(SimDuration::from_secs(secs))
}

const fn millis(millis: u64) -> Duration {
    Duration::new(SimDuration::from_millis(millis))
}

fn distribution<Q: crate::shared::quantity::Quantity>(family: Family<Q>) -> Distribution<Q> {
    Distribution::new(family).expect("a default is a distribution")
}

pub(super) fn fraction(value: f64) -> Fraction {
    Fraction::new(value).expect("a default is a fraction")
}

impl Default for Population {
    fn default() -> Self {
        // The growth laws' ratios at the beginning of 2016, as shares of ten thousand.
        let shares = [
            (256, 9),
            (512, 197),
            (768, 147),
            (1_024, 2_123),
            (1_536, 2_094),
            (2_048, 3_495),
            (4_096, 1_935),
        ];
        let bins = shares.map(|(mebibytes, count)| {
            let size = Bytes::new(mebibytes << 20);
            CountedBin {
                from: size,
                to: size,
                count,
            }
        });
        Population {
            table: "../populations/einstein-2016.toml".to_owned(),
            one_core: false,
            platforms: Vec::new(),
            memory_per_core: distribution(Family::Histogram {
                bins: bins.to_vec(),
            }),
            disk_free: distribution(Family::Lognormal {
                mu: 5.522,
                sigma: 1.115,
                unit: Some("GB".to_owned()),
            }),
            disk_limit: Bytes::new(0),
            hosts_per_user: 1.5,
        }
    }
}

impl Default for Churn {
    fn default() -> Self {
        Churn {
            pattern: Pattern::Steady,
            lifetime: distribution(Family::Weibull {
                shape: 0.58,
                scale: days(135),
            }),
            start: Start::Equilibrium,
            steady_from: seconds(0),
            peaks: Vec::new(),
        }
    }
}

impl Default for Errors {
    fn default() -> Self {
        Errors {
            a_perfect: fraction(0.25),
            b_erring: fraction(0.35),
            d_few_contacts: fraction(0.05),
            d_many_contacts: fraction(0.05),
            f_one_contact: fraction(0.30),
            failed_instances: Fraction::ZERO,
            new_identity: Fraction::ZERO,
            e_colluding: Fraction::ZERO,
            e_lies: Fraction::ONE,
            b_error_rate: distribution(Family::Uniform {
                low: 0.0,
                high: 1.0,
            }),
            wrong_output: fraction(0.2),
            colluding: Fraction::ZERO,
            unreadable: Fraction::ZERO,
            failure_at: distribution(Family::Uniform {
                low: 0.0,
                high: 1.0,
            }),
            quick_failure: distribution(Family::Uniform {
                low: seconds(2),
                high: seconds(10),
            }),
            least_failure: seconds(2),
            few_contacts: 5,
            clock_jumps: ClockJumps::default(),
        }
    }
}

impl Default for Client {
    fn default() -> Self {
        Client {
            buffer_min: seconds(8_640),
            buffer_extra: seconds(43_200),
            connect_interval: Distribution::fixed(seconds(0)),
            notice_delay: seconds(30),
            report_delay: seconds(3_600),
            report_at: 64,
            deadline_margin: days(1),
            backoff_least: seconds(600),
            backoff_most: seconds(86_400),
            transfer_backoff_least: seconds(120),
            transfer_backoff_most: seconds(21_600),
            transfer_gives_up: days(90),
            first_contact_within: seconds(3_600),
        }
    }
}

impl Default for OtherProjects {
    fn default() -> Self {
        OtherProjects {
            attached: Fraction::ZERO,
            share: Distribution::fixed(0.5),
            time_slice: seconds(3_600),
            half_life: days(10),
        }
    }
}

impl Default for Network {
    fn default() -> Self {
        Network {
            least_latency: millis(20),
            latency: distribution(Family::Uniform {
                low: millis(20),
                high: millis(150),
            }),
            download: Distribution::fixed(Bandwidth::new(10e6 / 8.0)),
            upload: Distribution::fixed(Bandwidth::new(1e6 / 8.0)),
        }
    }
}
