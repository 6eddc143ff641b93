//! From counts to figures, tables and charts.

use kernel::SimTime;

use super::{Metrics, State};
use crate::shared::results::{Chart, ChartKind, Results, Series};
use crate::volunteer::scenario::Scenario;

mod figures;
mod tables;

use figures::Figures;

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

pub(super) fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

pub(super) fn percent(part: u64, whole: u64) -> f64 {
    100.0 * ratio(part as f64, whole as f64)
}
