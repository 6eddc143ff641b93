//! The single figures of a report, in the order in which people want to read them.

use kernel::SimTime;

use super::ratio;
use crate::shared::results::Scalar;
use crate::shared::tally::DurationHistogram;
use crate::volunteer::metrics::{Counts, Metrics, State, credit_per_instance, per_day};
use crate::volunteer::scenario::Scenario;

/// Collects the single figures.
pub(super) struct Figures<'a> {
    pub(super) metrics: &'a Metrics,
    pub(super) scenario: &'a Scenario,
    pub(super) end: SimTime,
    pub(super) scalars: Vec<Scalar>,
}

impl Figures<'_> {
    pub(super) fn add(&mut self, name: &str, value: f64, unit: &str, meaning: &str) {
        self.scalars.push(Scalar {
            name: name.to_owned(),
            value,
            unit: unit.to_owned(),
            meaning: meaning.to_owned(),
            headline: HEADLINES.contains(&name),
        });
    }

    pub(super) fn count(&mut self, name: &str, value: u64, unit: &str, meaning: &str) {
        self.add(name, value as f64, unit, meaning);
    }

    pub(super) fn scalars(mut self) -> Vec<Scalar> {
        self.about_hosts();
        self.about_jobs();
        self.about_instances();
        self.about_work();
        self.about_credit();
        self.about_bytes();
        self.about_merit();
        self.scalars
    }

    fn about_hosts(&mut self) {
        let m = self.metrics;
        let active = m.hosts_active.mean(self.end);
        let on = m.hosts_on.mean(self.end);
        self.add(
            "hosts_active",
            active,
            "hosts",
            "Hosts that take part, on average.",
        );
        let joined = m.classes.iter().map(|class| class.joined).sum();
        self.count(
            "hosts_joined",
            joined,
            "hosts",
            "Hosts that have ever taken part.",
        );
        let left = m.counts.hosts_left;
        self.count("hosts_left", left, "hosts", "Hosts that have left.");
        let meaning = "Part of the time that active hosts are switched on.";
        self.add("availability", ratio(on, active), "1", meaning);
        let requests = m.requests.total();
        self.count("requests", requests, "requests", "Scheduler requests.");
        let wanted = m.counts.requests_for_work;
        let meaning = "Answered requests that had asked for work.";
        self.count("requests_for_work", wanted, "requests", meaning);
        let vain = m.counts.requests_in_vain;
        self.count(
            "requests_in_vain",
            vain,
            "requests",
            "Those of them that got none.",
        );
        let quota = m.counts.quota_reached;
        let meaning = "Requests of hosts that had used up their quota for the day.";
        self.count("requests_beyond_quota", quota, "requests", meaning);
        let nothing = m.counts.nothing_to_send;
        let meaning = "Requests that were not filled because no instance was there.";
        self.count("requests_starved", nothing, "requests", meaning);
        let admitted = m.counts.hosts_admitted;
        let meaning = "Records made for hosts that said they were new.";
        self.count("host_records", admitted, "records", meaning);
        let refused = m.counts.hosts_refused;
        let meaning = "Requests as a new host that the governor refused.";
        self.count("host_records_refused", refused, "requests", meaning);
    }

    fn about_jobs(&mut self) {
        let Counts {
            jobs_created,
            jobs_extended,
            checks_put_off,
            jobs_failed,
            jobs_assimilated,
            jobs_retired,
            files_opened,
            files_retired,
            wrong_canonicals,
            inconclusive_checks,
            ..
        } = self.metrics.counts;
        self.count("jobs_created", jobs_created, "jobs", "Jobs created.");
        let meaning = "Jobs that began with one instance and were given more.";
        self.count("jobs_extended", jobs_extended, "jobs", meaning);
        let valid = self.metrics.jobs_completed.total();
        self.count(
            "jobs_valid",
            valid,
            "jobs",
            "Jobs with a canonical instance.",
        );
        self.count(
            "jobs_failed",
            jobs_failed,
            "jobs",
            "Jobs that can never have one.",
        );
        let meaning = "Jobs handed to the scientists, failed ones included.";
        self.count("jobs_assimilated", jobs_assimilated, "jobs", meaning);
        let meaning = "Jobs whose instances are all over and whose files are deleted.";
        self.count("jobs_retired", jobs_retired, "jobs", meaning);
        let meaning = "Jobs whose canonical output is a wrong one.";
        self.count("jobs_wrong", wrong_canonicals, "jobs", meaning);
        let meaning = "Checks of a quorum in which not enough results agreed.";
        self.count(
            "checks_inconclusive",
            inconclusive_checks,
            "checks",
            meaning,
        );
        let meaning = "Checks that are to be made again, because an output could not be read.";
        self.count("checks_put_off", checks_put_off, "checks", meaning);
        self.count(
            "files_opened",
            files_opened,
            "files",
            "Input files given to hosts.",
        );
        let meaning = "Input files whose jobs are all over.";
        self.count("files_retired", files_retired, "files", meaning);
    }

    fn about_instances(&mut self) {
        let m = self.metrics;
        let counts = m.counts;
        let created = counts.instances_created;
        self.count(
            "instances_created",
            created,
            "instances",
            "Job instances created.",
        );
        let dispatched = m.dispatched.total();
        self.count(
            "instances_dispatched",
            dispatched,
            "instances",
            "Instances sent to hosts.",
        );
        for (state, name, meaning) in [
            (
                State::Unsent,
                "instances_unsent",
                "Instances not sent yet, at the end.",
            ),
            (
                State::InProgress,
                "instances_in_progress",
                "Instances at hosts, at the end.",
            ),
            (
                State::Pending,
                "instances_pending",
                "Reported, not judged yet, at the end.",
            ),
            (State::Valid, "instances_valid", "Instances found valid."),
            (
                State::Invalid,
                "instances_invalid",
                "Instances found invalid.",
            ),
            (
                State::Error,
                "instances_error",
                "Instances that failed, or had no readable output.",
            ),
            (
                State::NoReply,
                "instances_no_reply",
                "Instances that were never reported.",
            ),
            (
                State::DidntNeed,
                "instances_didnt_need",
                "Instances never sent: job was over.",
            ),
            (
                State::NotChecked,
                "instances_not_checked",
                "Successes of jobs that failed.",
            ),
            (
                State::TooLate,
                "instances_too_late",
                "Successes after the job's end.",
            ),
        ] {
            self.count(name, m.in_state(state), "instances", meaning);
        }
        let late = counts.late_reports;
        let meaning = "Reports after the deadline that were accepted all the same.";
        self.count("late_reports", late, "instances", meaning);
        let received = counts.successes + counts.client_errors + late + counts.too_late;
        self.count(
            "results_received",
            received,
            "instances",
            "Instances reported by hosts.",
        );
        let reported = counts.successes + counts.client_errors;
        let success = ratio(counts.successes as f64, reported as f64);
        let meaning = "Successes among the instances reported in time.";
        self.add("success_fraction", success, "1", meaning);
        let meaning = "Failed, invalid and lost instances among those sent that are over.";
        self.add("failed_fraction", m.failed_fraction(), "1", meaning);
        let (valid, invalid) = (m.in_state(State::Valid), m.in_state(State::Invalid));
        let fraction = ratio(valid as f64, (valid + invalid) as f64);
        self.add(
            "valid_fraction",
            fraction,
            "1",
            "Valid instances among those compared.",
        );
    }

    fn about_work(&mut self) {
        let valid = self.metrics.in_state(State::Valid) as f64;
        let seconds = self.end.as_secs_f64();
        let flop = self.scenario.jobs.flops.flop();
        let gflops = valid * flop / seconds / 1e9;
        let meaning = "Computing of valid instances, averaged over the run.";
        self.add("throughput", gflops, "GFLOPS", meaning);
        let canonical = self.metrics.jobs_completed.total() as f64;
        let meaning = "The same, each job counted once.";
        self.add(
            "throughput_of_jobs",
            canonical * flop / seconds / 1e9,
            "GFLOPS",
            meaning,
        );
        let counts = self.metrics.counts;
        let computed = counts.computed_nanos as f64 / 1e9;
        self.add(
            "computed",
            computed,
            "s",
            "Processor time of ended computations.",
        );
        let wasted = ratio(counts.wasted_nanos as f64, counts.computed_nanos as f64);
        self.add(
            "computed_in_vain",
            wasted,
            "1",
            "The part of it that ended in failures.",
        );
        let lost = counts.instances_lost_with_hosts;
        let meaning = "Instances that hosts took with them when they left.";
        self.count("instances_lost_with_hosts", lost, "instances", meaning);
    }

    fn about_credit(&mut self) {
        let m = self.metrics;
        let credit = m.in_state(State::Valid) as f64 * credit_per_instance(self.scenario);
        self.add(
            "credit",
            credit,
            "credits",
            "Credit granted (cobblestones).",
        );
        let rate = per_day(credit, self.scenario.until.span());
        self.add("credit_per_day", rate, "credits/d", "The same per day.");
        self.durations("credit_lag", &m.credit_lag(), "from report to credit");
        self.durations(
            "latency",
            &m.latency,
            "from dispatch to report, of valid instances",
        );
        let what = "from creation of a job to its canonical instance";
        self.durations("time_to_canonical", &m.time_to_canonical, what);
        let what = "from creation of a job until all its instances are reported or timed out";
        self.durations("job_settled", &m.job_settled, what);
    }

    fn durations(&mut self, name: &str, of: &DurationHistogram, what: &str) {
        let mean = of.mean().as_secs_f64();
        self.add(
            &format!("{name}_mean"),
            mean,
            "s",
            &format!("Mean time {what}."),
        );
        for (p, suffix, word) in [
            (0.5, "median", "Median"),
            (0.9, "p90", "Ninth decile of the"),
            (0.99, "p99", "99th percentile of the"),
        ] {
            let value = of.quantile(p).as_secs_f64();
            self.add(
                &format!("{name}_{suffix}"),
                value,
                "s",
                &format!("{word} time {what}."),
            );
        }
        let worst = of.max().as_secs_f64();
        let meaning = format!("Longest time {what}.");
        self.add(&format!("{name}_worst"), worst, "s", &meaning);
    }

    fn about_bytes(&mut self) {
        let m = self.metrics;
        let down = m.bytes_down.total();
        self.count("bytes_down", down, "bytes", "Input files sent to hosts.");
        let up = m.bytes_up.total();
        self.count("bytes_up", up, "bytes", "Output files received from hosts.");
        let jobs = m.jobs_completed.total() as f64;
        let meaning = "Sent to hosts for each job with a canonical instance.";
        self.add(
            "bytes_down_per_job",
            ratio(down as f64, jobs),
            "bytes",
            meaning,
        );
        let dispatched = m.dispatched.total() as f64;
        let downloads = m.counts.downloads as f64;
        let meaning = "Input files sent for each instance dispatched.";
        self.add(
            "downloads_per_instance",
            ratio(downloads, dispatched),
            "1",
            meaning,
        );
    }
}

/// What stands in the short summary.
const HEADLINES: [&str; 17] = [
    "hosts_active",
    "availability",
    "requests",
    "jobs_created",
    "jobs_valid",
    "instances_dispatched",
    "instances_valid",
    "success_fraction",
    "failed_fraction",
    "throughput",
    "credit_per_day",
    "credit_lag_median",
    "bytes_down",
    "bytes_down_per_job",
    "jobs_per_day",
    "wasted_fraction",
    "host_disk_mean",
];
