//! Figures over simulated time.

use kernel::SimTime;

use super::super::{Metrics, State};
use crate::shared::results::Series;
use crate::shared::tally::CountSeries;
use crate::volunteer::scenario::Scenario;

/// The states of an instance, in the order of the chart.
pub(super) const STATES_OF_THE_CHART: [(State, &str, &str); 10] = [
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

impl Metrics {
    pub(super) fn series(&self, scenario: &Scenario, end: SimTime) -> Vec<Series> {
        let mut series = self.series_of_hosts(end);
        for (state, name, title) in STATES_OF_THE_CHART {
            let level = &self.instances[state as usize];
            series.push(level.samples(end, name, title, "instances"));
        }
        series.extend(self.series_of_work(end));
        series.extend(self.series_of_disk(scenario, end));
        series
    }

    fn series_of_hosts(&self, end: SimTime) -> Vec<Series> {
        let touch = &self.touch;
        vec![
            self.hosts_active
                .samples(end, "hosts_active", "Active hosts", "hosts"),
            self.hosts_on
                .samples(end, "hosts_on", "Hosts switched on", "hosts"),
            touch.in_touch.level().samples(
                end,
                "hosts_in_touch",
                "With credit, and a request within a week",
                "hosts",
            ),
            touch.credited.level().samples(
                end,
                "hosts_credited",
                "Granted credit within ten days",
                "hosts",
            ),
            touch.new_hosts.per_interval(
                end,
                "new_hosts_per_day",
                "New hosts (with credit at the end)",
                "hosts",
            ),
        ]
    }

    fn series_of_work(&self, end: SimTime) -> Vec<Series> {
        let per =
            |count: &CountSeries, name, title, unit| count.per_interval(end, name, title, unit);
        vec![
            per(&self.bytes_down, "bytes_down", "Sent to hosts", "bytes"),
            per(&self.bytes_up, "bytes_up", "Received from hosts", "bytes"),
            rate(
                &self.bytes_down,
                end,
                1.0,
                "bandwidth_down",
                "Sent to hosts",
            ),
            rate(
                &self.bytes_up,
                end,
                1.0,
                "bandwidth_up",
                "Received from hosts",
            ),
            per(
                &self.jobs_completed,
                "jobs_completed",
                "Jobs with a canonical instance",
                "jobs",
            ),
            Series {
                unit: "jobs/d".to_owned(),
                ..rate(
                    &self.jobs_completed,
                    end,
                    86_400.0,
                    "jobs_per_day",
                    "Jobs with a canonical instance",
                )
            },
            per(
                &self.dispatched,
                "dispatched",
                "Instances dispatched",
                "instances",
            ),
            per(&self.requests, "requests", "Scheduler requests", "requests"),
        ]
    }

    fn series_of_disk(&self, scenario: &Scenario, end: SimTime) -> Vec<Series> {
        let file = scenario.jobs.input_file.bytes() as f64;
        let disk = &self.disk;
        let files =
            disk.files_on_hosts
                .samples(end, "files_on_hosts", "Input files on hosts", "files");
        let hosts = self.hosts_active.samples(end, "", "", "");
        let per_host = files.values.iter().zip(&hosts.values);
        let mean = Series {
            name: "host_disk_mean".to_owned(),
            title: "Mean of the active hosts".to_owned(),
            unit: "bytes".to_owned(),
            times_s: files.times_s.clone(),
            values: per_host
                .map(|(files, hosts)| super::ratio(files * file, *hosts))
                .collect(),
        };
        let names = ("host_disk_p90", "Ninth decile", "bytes");
        let p90 = disk.files_per_host.quantile_samples(0.9, end, names);
        let inputs = disk.inputs_on_servers.samples(
            end,
            "input_bytes_on_servers",
            "Input files in use",
            "bytes",
        );
        let outputs = disk.output_bytes_on_servers.samples(
            end,
            "output_bytes_on_servers",
            "Output files",
            "bytes",
        );
        vec![
            files,
            mean,
            scaled(p90, file),
            scaled(inputs, file),
            outputs,
        ]
    }
}

/// What was counted, per `seconds`. The last interval may be cut short by the end; its rate is
/// over what there was of it.
fn rate(count: &CountSeries, end: SimTime, seconds: f64, name: &str, title: &str) -> Series {
    let mut series = count.per_interval(end, name, title, "bytes/s");
    let mut before = 0.0;
    for (value, &time) in series.values.iter_mut().zip(&series.times_s) {
        *value *= seconds / (time - before);
        before = time;
    }
    series
}

fn scaled(mut series: Series, by: f64) -> Series {
    for value in &mut series.values {
        *value *= by;
    }
    series
}
