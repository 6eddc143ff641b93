//! Does the scenario make sense as a whole?
//!
//! Single values were checked when they were read. Here are the rules between them, and the bounds
//! beyond which nobody means what is written.

use kernel::SimDuration;
use serde::Serialize;

use super::{Behaviour, Pattern, Scenario};
use crate::shared::quantity::{Duration, Fraction};
use crate::volunteer::assignment;
use crate::volunteer::job::MOST_INSTANCES;
use crate::volunteer::platform::{MOST_PLATFORMS, PlatformShare};
use crate::volunteer::replication::Rule;

/// What is wrong with a scenario, and what would be right.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Problem {
    /// The key, with dots: `jobs.min_quorum`.
    pub key: String,
    /// What it says.
    pub found: String,
    /// Why that is wrong.
    pub wrong: String,
    /// What would be right.
    pub right: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "`{} = {}`: {}; {}",
            self.key, self.found, self.wrong, self.right
        )
    }
}

/// Collects problems; one line per rule.
#[derive(Default)]
struct Checks(Vec<Problem>);

impl Checks {
    fn require(
        &mut self,
        holds: bool,
        key: &str,
        found: impl ToString,
        wrong: impl Into<String>,
        right: impl Into<String>,
    ) {
        if !holds {
            self.0.push(Problem {
                key: key.to_owned(),
                found: found.to_string(),
                wrong: wrong.into(),
                right: right.into(),
            });
        }
    }

    fn at_least_one(&mut self, key: &str, found: u32) {
        self.require(
            found >= 1,
            key,
            found,
            "there must be one",
            "write 1 or more",
        );
    }

    fn some_time(&mut self, key: &str, found: Duration) {
        let holds = found.span() > SimDuration::ZERO;
        let right = "write a duration above zero, such as \"5 s\"";
        self.require(holds, key, found, "it must take some time", right);
    }
}

impl Scenario {
    /// Finds what does not fit together.
    ///
    /// # Errors
    /// All problems, each with its key, what was found and what would be right.
    pub fn validate(&self) -> Result<(), Vec<Problem>> {
        let mut checks = Checks::default();
        self.check_run(&mut checks);
        self.check_hosts(&mut checks);
        self.check_jobs(&mut checks);
        self.check_project(&mut checks);
        if checks.0.is_empty() {
            Ok(())
        } else {
            Err(checks.0)
        }
    }

    fn check_run(&self, checks: &mut Checks) {
        checks.some_time("until", self.until);
        let years = self.until.span().as_hours_f64() / 8_766.0;
        let right = "write a shorter time, such as \"14 d\"";
        checks.require(
            years <= 100.0,
            "until",
            self.until,
            "longer than a century",
            right,
        );
        checks.at_least_one("hosts", self.hosts);
        let right = "write at most 20000000";
        checks.require(
            self.hosts <= 20_000_000,
            "hosts",
            self.hosts,
            "too many hosts",
            right,
        );
        checks.some_time("record.interval", self.record.interval);
        let points = self.until.span().nanos() / self.record.interval.span().nanos().max(1);
        checks.require(
            points <= 1_000_000,
            "record.interval",
            self.record.interval,
            format!("that makes {points} points in the run"),
            "write a longer interval: a series has at most 1,000,000 points",
        );
        let named = !self.name.is_empty() && self.name.len() <= 100;
        let wrong = "a name has 1 to 100 characters";
        checks.require(named, "name", &self.name, wrong, "write a short name");
    }

    fn check_hosts(&self, checks: &mut Checks) {
        let per_user = self.population.hosts_per_user;
        checks.require(
            (1.0..=10_000.0).contains(&per_user),
            "population.hosts_per_user",
            per_user,
            "a volunteer has at least one host",
            "write a number from 1 to 10000",
        );
        let errors = &self.errors;
        let classes = [
            errors.a_perfect,
            errors.b_erring,
            errors.d_few_contacts,
            errors.d_many_contacts,
            errors.f_one_contact,
            errors.e_colluding,
        ];
        let sum: f64 = classes.iter().map(|class| class.value()).sum();
        checks.require(
            (sum - 1.0).abs() < 1e-9,
            "errors.a_perfect",
            errors.a_perfect,
            format!("the classes of hosts make {sum} together"),
            "let a_perfect, b_erring, d_few_contacts, d_many_contacts, f_one_contact and e_colluding make 1",
        );
        let lasting = [errors.a_perfect, errors.b_erring, errors.e_colluding];
        let lasting: f64 = lasting.iter().map(|class| class.value()).sum();
        checks.require(
            self.churn.pattern == Pattern::None || lasting + errors.d_many_contacts.value() > 0.0,
            "errors.f_one_contact",
            errors.f_one_contact,
            "all hosts leave at once, so their mean number cannot be kept",
            "give some part to a_perfect, b_erring or d_many_contacts",
        );
        checks.require(
            errors.b_error_rate.quantile(1.0 - 1e-9) <= 1.0,
            "errors.b_error_rate",
            errors.b_error_rate.mean(),
            "an error rate is a probability",
            "write a distribution between 0 and 1",
        );
        checks.some_time("errors.least_failure", errors.least_failure);
        self.check_behaviour(checks);
        self.check_arrivals(checks);
        checks.at_least_one("errors.few_contacts", errors.few_contacts);
        checks.some_time("network.least_latency", self.network.least_latency);
        for (key, line) in [
            ("network.download", &self.network.download),
            ("network.upload", &self.network.upload),
        ] {
            let right = "write a bandwidth above zero, such as \"10 Mbit/s\"";
            checks.require(
                line.mean() > 0.0,
                key,
                line.mean(),
                "nothing gets through",
                right,
            );
        }
        if self.churn.pattern == Pattern::Steady {
            let mean = self.churn.lifetime.mean();
            checks.require(
                mean >= 60.0,
                "churn.lifetime",
                format!("mean {mean} s"),
                "hosts would leave before they can do anything",
                "write a lifetime of a minute or more, on average",
            );
        }
        self.check_other_projects(checks);
        let client = &self.client;
        checks.require(
            client.backoff_least <= client.backoff_most,
            "client.backoff_least",
            client.backoff_least,
            format!("more than client.backoff_most, {}", client.backoff_most),
            "write at most that",
        );
        checks.at_least_one("client.report_at", client.report_at);
        checks.some_time(
            "client.transfer_backoff_least",
            client.transfer_backoff_least,
        );
        checks.require(
            client.transfer_backoff_least <= client.transfer_backoff_most,
            "client.transfer_backoff_least",
            client.transfer_backoff_least,
            format!(
                "more than client.transfer_backoff_most, {}",
                client.transfer_backoff_most
            ),
            "write at most that",
        );
    }

    fn check_behaviour(&self, checks: &mut Checks) {
        let rate_given = match &self.behaviour {
            Behaviour::Detailed => false,
            Behaviour::Document {
                rate_per_day,
                failing_rate_per_day,
            } => {
                for (key, rate) in [
                    ("behaviour.rate_per_day", rate_per_day),
                    ("behaviour.failing_rate_per_day", failing_rate_per_day),
                ] {
                    let Some(rate) = rate else { continue };
                    let holds = rate.mean() > 0.0 && rate.mean() <= 100_000.0;
                    let right = "write a distribution whose mean is above zero and at most 100000";
                    checks.require(holds, key, rate.mean(), "no rate of a host", right);
                }
                rate_per_day.is_some()
            }
        };
        let failed = self.errors.failed_instances;
        if failed > Fraction::ZERO {
            checks.require(
                rate_given && self.churn.pattern == Pattern::Steady,
                "errors.failed_instances",
                failed,
                "the shares of classes A and B cannot be computed for these hosts",
                "set behaviour.model = \"document\" with a rate_per_day and churn.pattern = \
                 \"steady\", or give errors.a_perfect and errors.b_erring",
            );
        }
        if let assignment::Rule::Convoys { pace_ratio, .. } = self.scheduler.assignment {
            checks.require(
                (1.001..=1e6).contains(&pace_ratio),
                "scheduler.assignment.pace_ratio",
                pace_ratio,
                "no factor by which paces may differ",
                "write a number from 1.001 to 1000000, such as 1.25",
            );
        }
    }

    fn check_arrivals(&self, checks: &mut Checks) {
        let churn = &self.churn;
        let peaks = &churn.peaks;
        checks.require(
            peaks.is_empty() || churn.pattern == Pattern::Steady,
            "churn.peaks",
            peaks.len(),
            "churn.pattern = \"none\" means that nobody joins",
            "remove the peaks, or set churn.pattern = \"steady\"",
        );
        let all: u64 = peaks.iter().map(|peak| u64::from(peak.hosts)).sum();
        checks.require(
            peaks.len() <= 1_000 && all <= 20_000_000,
            "churn.peaks",
            peaks.len(),
            format!("they bring {all} hosts"),
            "write at most 1000 peaks of 20000000 hosts together",
        );
        for peak in peaks {
            checks.require(
                peak.decay.span() > SimDuration::ZERO,
                "churn.peaks",
                peak.decay,
                "the hosts of a peak join within some time",
                "write a `decay` above zero, such as \"1 d\"",
            );
        }
    }

    fn check_other_projects(&self, checks: &mut Checks) {
        let others = &self.other_projects;
        let (least, most) = (
            others.share.quantile(0.0),
            others.share.quantile(1.0 - 1e-9),
        );
        checks.require(
            least >= 0.001 && most <= 1.0,
            "other_projects.share",
            format!("{least} to {most}"),
            "this project has some part of the host, and no more than all of it",
            "write a distribution between 0.001 and 1",
        );
        checks.require(
            others.attached.value() == 0.0 || self.behaviour == Behaviour::Detailed,
            "other_projects.attached",
            others.attached,
            "in the document's model of a host, its rate says what it does for this project",
            "write 0, or behaviour.model = \"detailed\"",
        );
        let slice = others.time_slice;
        checks.require(
            slice.span() >= SimDuration::from_secs(60),
            "other_projects.time_slice",
            slice,
            "projects cannot take turns so fast",
            "write a minute or more",
        );
        checks.some_time("other_projects.half_life", others.half_life);
    }

    fn check_jobs(&self, checks: &mut Checks) {
        let jobs = &self.jobs;
        checks.at_least_one("jobs.jobs_per_file", jobs.jobs_per_file);
        let right = "write at most 1000000";
        let few = jobs.jobs_per_file <= 1_000_000;
        checks.require(
            few,
            "jobs.jobs_per_file",
            jobs.jobs_per_file,
            "too many",
            right,
        );
        checks.at_least_one("jobs.min_quorum", jobs.min_quorum);
        let right = "write an amount above zero, such as \"1.05e14 flop\"";
        let some = jobs.flops.flop() > 0.0;
        checks.require(some, "jobs.flops", jobs.flops, "nothing to compute", right);
        let some = jobs.time_factor.mean() > 0.0;
        let right = "write factors above zero";
        checks.require(some, "jobs.time_factor", "0", "nothing to compute", right);
        checks.require(
            jobs.min_quorum <= jobs.target_nresults,
            "jobs.min_quorum",
            jobs.min_quorum,
            format!("more than jobs.target_nresults, {}", jobs.target_nresults),
            "write at most that, or raise jobs.target_nresults",
        );
        checks.require(
            jobs.target_nresults <= jobs.max_total_results,
            "jobs.max_total_results",
            jobs.max_total_results,
            format!("less than jobs.target_nresults, {}", jobs.target_nresults),
            "write at least that",
        );
        checks.require(
            jobs.max_total_results <= MOST_INSTANCES,
            "jobs.max_total_results",
            jobs.max_total_results,
            "too many instances for one job",
            format!("write at most {MOST_INSTANCES}"),
        );
        checks.require(
            jobs.max_success_results <= MOST_INSTANCES,
            "jobs.max_success_results",
            jobs.max_success_results,
            "more than a job can have instances",
            format!("write at most {MOST_INSTANCES}"),
        );
        checks.some_time("jobs.delay_bound", jobs.delay_bound);
        // Jobs are numbered in 32 bits; hosts open at most a file each in any sensible run.
        let numbers = u64::from(self.hosts.max(1_000)) * u64::from(jobs.jobs_per_file);
        checks.require(
            numbers <= u64::from(u32::MAX),
            "jobs.jobs_per_file",
            jobs.jobs_per_file,
            format!("with {} hosts there may be {numbers} jobs", self.hosts),
            "write a smaller number, so that hosts times jobs_per_file stays below 4294967296",
        );
        self.check_sizes(checks);
        self.check_replication(checks);
    }

    fn check_replication(&self, checks: &mut Checks) {
        let validation = &self.validation;
        checks.some_time("validation.retry_after", validation.retry_after);
        checks.require(
            validation.transient_failure.value() < 1.0,
            "validation.transient_failure",
            validation.transient_failure,
            "no output could ever be read",
            "write a fraction below 1",
        );
        let furthest = validation.place.quantile(1.0 - 1e-9);
        checks.require(
            furthest <= 1e6,
            "validation.place",
            furthest,
            "nobody is so many tolerances apart",
            "write a distribution of small numbers: its unit is the validator's tolerance",
        );
        let platforms = &self.population.platforms;
        let wanted = self.scheduler.replication == Rule::Homogeneous;
        checks.require(
            !wanted || !platforms.is_empty(),
            "population.platforms",
            "[]",
            "with homogeneous redundancy, hosts are of some platform",
            "write at least one, such as [{ name = \"windows\", share = 9 }, { name = \"linux\", share = 1 }]",
        );
        checks.require(
            platforms.len() <= MOST_PLATFORMS,
            "population.platforms",
            platforms.len(),
            "too many",
            format!("write at most {MOST_PLATFORMS}"),
        );
        for platform in platforms {
            let PlatformShare { name, share, place } = platform;
            checks.require(
                (1e-9..=1e9).contains(share) && (0.0..=1e6).contains(place),
                "population.platforms",
                format!("{{ name = {name:?}, share = {share}, place = {place} }}"),
                "no hosts, or outputs too far away",
                "write a share above 0 and a place from 0 to 1000000",
            );
        }
        if let Rule::Adaptive { trusted_after } = self.scheduler.replication {
            checks.at_least_one("scheduler.replication.trusted_after", trusted_after);
            checks.require(
                self.jobs.target_nresults >= 2,
                "jobs.target_nresults",
                self.jobs.target_nresults,
                "with adaptive replication, jobs of hosts that are not trusted are compared",
                "write 2 or more, or scheduler.replication = { rule = \"fixed_quorum\" }",
            );
        }
    }

    fn check_sizes(&self, checks: &mut Checks) {
        const TERABYTE: u64 = 1_000_000_000_000;
        for (key, size) in [
            ("jobs.input_file", self.jobs.input_file),
            ("jobs.output_file", self.jobs.output_file),
            ("jobs.memory", self.jobs.memory),
            ("jobs.disk", self.jobs.disk),
        ] {
            let right = "write at most \"1 TB\"";
            checks.require(
                size.bytes() <= TERABYTE,
                key,
                size,
                "no host could hold it",
                right,
            );
        }
    }

    fn check_project(&self, checks: &mut Checks) {
        let servers = &self.servers;
        for (key, count) in [
            ("servers.schedulers", servers.schedulers),
            ("servers.transitioners", servers.transitioners),
            ("servers.validators", servers.validators),
            ("servers.download_servers", servers.download_servers),
            ("servers.upload_servers", servers.upload_servers),
        ] {
            checks.at_least_one(key, count);
            checks.require(count <= 4_096, key, count, "too many", "write at most 4096");
        }
        for (key, period) in [
            ("servers.transitioner_period", servers.transitioner_period),
            ("servers.validator_period", servers.validator_period),
            ("servers.assimilator_period", servers.assimilator_period),
            ("servers.file_deleter_period", servers.file_deleter_period),
            ("servers.feeder_period", servers.feeder_period),
            (
                "servers.work_generator_period",
                servers.work_generator_period,
            ),
        ] {
            checks.some_time(key, period);
        }
        for (key, line) in [
            ("servers.download_bandwidth", servers.download_bandwidth),
            ("servers.upload_bandwidth", servers.upload_bandwidth),
        ] {
            let right = "write at least \"1 kB/s\"";
            checks.require(
                line.bytes_per_s() >= 1e3,
                key,
                line,
                "nothing gets through",
                right,
            );
        }
        checks.at_least_one("scheduler.max_wus_to_send", self.scheduler.max_wus_to_send);
        checks.at_least_one("scheduler.max_ncpus", self.scheduler.max_ncpus);
        let ahead = self.scheduler.files_ahead;
        let right = "write at most 1000000, or 0 for a fitting number";
        let few = ahead <= 1_000_000;
        checks.require(
            few,
            "scheduler.files_ahead",
            ahead,
            "more than anybody needs",
            right,
        );
    }
}
