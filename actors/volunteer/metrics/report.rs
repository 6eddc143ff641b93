//! From counts to figures, tables and charts.

use kernel::SimTime;

use super::{Class, Counts, Metrics, SPEED_BOUNDS, State, credit_per_instance, per_day};
use crate::shared::results::{Cell, Chart, ChartKind, Column, Results, Scalar, Series, Table};
use crate::shared::tally::DurationHistogram;
use crate::volunteer::scenario::Scenario;

impl Metrics {
    /// What the run found. The scenario is the one it was made for.
    pub fn results(self, scenario: &Scenario) -> Results {
        let end = SimTime::START + scenario.until.span();
        let figures = Figures {
            metrics: &self,
            scenario,
            end,
            scalars: Vec::new(),
        };
        Results {
            scalars: figures.scalars(),
            series: self.series(end),
            distributions: vec![
                self.credit_lag
                    .distribution("credit_lag", "From report to credit"),
                self.latency
                    .distribution("latency", "From dispatch to report, of valid instances"),
                self.time_to_canonical
                    .distribution("time_to_canonical", "From creation to canonical instance"),
                self.job_lifetime
                    .distribution("job_lifetime", "From creation until all instances are over"),
                self.download_time
                    .distribution("download_time", "Duration of a download"),
            ],
            tables: vec![self.class_table(scenario), self.speed_table()],
            charts: charts(),
        }
    }

    fn series(&self, end: SimTime) -> Vec<Series> {
        let mut series = vec![
            self.hosts_active
                .samples(end, "hosts_active", "Active hosts", "hosts"),
            self.hosts_on
                .samples(end, "hosts_on", "Hosts switched on", "hosts"),
        ];
        for (state, name, title) in STATES_OF_THE_CHART {
            let level = &self.instances[state as usize];
            series.push(level.samples(end, name, title, "instances"));
        }
        let per = |count: &super::CountSeries, name, title, unit| {
            count.per_interval(end, name, title, unit)
        };
        series.push(per(
            &self.bytes_down,
            "bytes_down",
            "Sent to hosts",
            "bytes",
        ));
        series.push(per(
            &self.bytes_up,
            "bytes_up",
            "Received from hosts",
            "bytes",
        ));
        series.push(per(
            &self.jobs_completed,
            "jobs_completed",
            "Jobs with a canonical instance",
            "jobs",
        ));
        series.push(per(
            &self.dispatched,
            "dispatched",
            "Instances dispatched",
            "instances",
        ));
        series.push(per(
            &self.requests,
            "requests",
            "Scheduler requests",
            "requests",
        ));
        series.push(self.files_on_hosts.samples(
            end,
            "files_on_hosts",
            "Input files on hosts",
            "files",
        ));
        series.push(self.output_bytes_on_servers.samples(
            end,
            "output_bytes_on_servers",
            "Output files on servers",
            "bytes",
        ));
        series
    }

    /// The fraction of the instances that were sent and are over which failed: client errors,
    /// instances that were not returned in time, and results found invalid.
    pub fn failed_fraction(&self) -> f64 {
        let sum = |states: &[State]| states.iter().map(|&s| self.in_state(s)).sum::<u64>() as f64;
        let failed = sum(&[State::Error, State::NoReply, State::Invalid, State::TooLate]);
        let good = sum(&[State::Valid, State::Pending, State::NotChecked]);
        ratio(failed, failed + good)
    }

    fn class_table(&self, scenario: &Scenario) -> Table {
        let credit = credit_per_instance(scenario);
        let rows = Class::ALL.iter().map(|&class| {
            let by = &self.classes[class as usize];
            let over = by.successes + by.errors + by.timeouts;
            vec![
                Cell::Text(class.title().to_owned()),
                Cell::Number(by.joined as f64),
                Cell::Number(over as f64),
                Cell::Number(percent(by.successes, over)),
                Cell::Number(percent(by.errors, over)),
                Cell::Number(percent(by.timeouts, over)),
                Cell::Number(by.valid as f64),
                Cell::Number(by.invalid as f64),
                Cell::Number(by.valid as f64 * credit),
            ]
        });
        Table {
            name: "host_classes".to_owned(),
            title: "Classes of hosts".to_owned(),
            columns: columns(&[
                ("Class", ""),
                ("Hosts", "hosts"),
                ("Instances over", "instances"),
                ("Success", "%"),
                ("Error", "%"),
                ("No reply", "%"),
                ("Valid", "instances"),
                ("Invalid", "instances"),
                ("Credit", "credits"),
            ]),
            rows: rows.collect(),
        }
    }

    fn speed_table(&self) -> Table {
        let rows = self.speeds.iter().enumerate().map(|(class, by)| {
            let gflops = |class: usize| SPEED_BOUNDS[class] / 1_000;
            let title = match class {
                0 => format!("below {}", gflops(0)),
                class if class == SPEED_BOUNDS.len() => format!("{} and more", gflops(class - 1)),
                class => format!("{} to {}", gflops(class - 1), gflops(class)),
            };
            let per_host = by.computed as f64 / by.joined.max(1) as f64;
            vec![
                Cell::Text(title),
                Cell::Number(by.joined as f64),
                Cell::Number(by.cores as f64 / by.joined.max(1) as f64),
                Cell::Number(by.computed as f64),
                Cell::Number(per_host),
                Cell::Number(percent(by.failed, by.computed)),
            ]
        });
        Table {
            name: "host_speeds".to_owned(),
            title: "Hosts by speed".to_owned(),
            columns: columns(&[
                ("GFLOPS", ""),
                ("Hosts", "hosts"),
                ("Processors a host", "1"),
                ("Computations", "instances"),
                ("Computations a host", "instances"),
                ("Failed", "%"),
            ]),
            rows: rows.collect(),
        }
    }
}

const STATES_OF_THE_CHART: [(State, &str, &str); 10] = [
    (State::Unsent, "instances_unsent", "Unsent"),
    (State::InProgress, "instances_in_progress", "In progress"),
    (State::Pending, "instances_pending", "Reported, not judged"),
    (State::Valid, "instances_valid", "Valid"),
    (State::Invalid, "instances_invalid", "Invalid"),
    (State::Error, "instances_error", "Failed"),
    (State::NoReply, "instances_no_reply", "Timed out"),
    (State::DidntNeed, "instances_didnt_need", "Not needed"),
    (State::NotChecked, "instances_not_checked", "Not checked"),
    (State::TooLate, "instances_too_late", "Too late"),
];

fn charts() -> Vec<Chart> {
    let chart = |title: &str, kind, of: &[&str]| Chart {
        title: title.to_owned(),
        kind,
        of: of.iter().map(|&name| name.to_owned()).collect(),
    };
    let states = STATES_OF_THE_CHART.map(|(_, name, _)| name);
    vec![
        chart(
            "How many hosts take part?",
            ChartKind::Lines,
            &["hosts_active", "hosts_on"],
        ),
        chart(
            "In which state are job instances?",
            ChartKind::Stacked,
            &states,
        ),
        chart(
            "How much do the file servers carry?",
            ChartKind::Lines,
            &["bytes_down", "bytes_up"],
        ),
        chart(
            "How fast are jobs completed?",
            ChartKind::Lines,
            &["jobs_completed"],
        ),
        chart(
            "How long do volunteers wait for credit?",
            ChartKind::LogHistogram,
            &["credit_lag"],
        ),
        chart(
            "How long does an instance take?",
            ChartKind::LogHistogram,
            &["latency"],
        ),
        chart(
            "How long does a job take to its canonical instance?",
            ChartKind::LogHistogram,
            &["time_to_canonical"],
        ),
        chart(
            "How busy is the scheduler?",
            ChartKind::Lines,
            &["requests", "dispatched"],
        ),
        chart(
            "How much disk space is in use on servers?",
            ChartKind::Lines,
            &["output_bytes_on_servers"],
        ),
    ]
}

/// Collects the single figures.
struct Figures<'a> {
    metrics: &'a Metrics,
    scenario: &'a Scenario,
    end: SimTime,
    scalars: Vec<Scalar>,
}

impl Figures<'_> {
    fn add(&mut self, name: &str, value: f64, unit: &str, meaning: &str) {
        self.scalars.push(Scalar {
            name: name.to_owned(),
            value,
            unit: unit.to_owned(),
            meaning: meaning.to_owned(),
            headline: HEADLINES.contains(&name),
        });
    }

    fn count(&mut self, name: &str, value: u64, unit: &str, meaning: &str) {
        self.add(name, value as f64, unit, meaning);
    }

    fn scalars(mut self) -> Vec<Scalar> {
        self.about_hosts();
        self.about_jobs();
        self.about_instances();
        self.about_work();
        self.about_credit();
        self.about_bytes();
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
    }

    fn about_jobs(&mut self) {
        let Counts {
            jobs_created,
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
        self.durations("credit_lag", &m.credit_lag, "from report to credit");
        self.durations(
            "latency",
            &m.latency,
            "from dispatch to report, of valid instances",
        );
        let what = "from creation of a job to its canonical instance";
        self.durations("time_to_canonical", &m.time_to_canonical, what);
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
        let rate = down as f64 / self.end.as_secs_f64();
        self.add("bandwidth_down", rate, "bytes/s", "The same, on average.");
    }
}

/// What stands in the short summary.
const HEADLINES: [&str; 14] = [
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
];

fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * ratio(part as f64, whole as f64)
}

fn columns(titles: &[(&str, &str)]) -> Vec<Column> {
    let column = |&(title, unit): &(&str, &str)| Column {
        title: title.to_owned(),
        unit: unit.to_owned(),
    };
    titles.iter().map(column).collect()
}
