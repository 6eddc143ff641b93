//! Which series and distributions are drawn together: the pictures of a report.
//!
//! Every figure of the document that is a figure of a run is among them: new hosts per day, ages
//! and lifetimes, active hosts (section 4.1), connection intervals, latencies and throughputs (4.2),
//! times to the canonical and to the last instance (4.6), and the figures of merit (5.2).

use super::series::STATES_OF_THE_CHART;
use crate::shared::results::{Chart, ChartKind};

const CHARTS: [(&str, ChartKind, &[&str]); 17] = [
    (
        "How many hosts take part?",
        ChartKind::Lines,
        &[
            "hosts_active",
            "hosts_on",
            "hosts_in_touch",
            "hosts_credited",
        ],
    ),
    (
        "How much do the file servers carry?",
        ChartKind::Lines,
        &["bandwidth_down", "bandwidth_up"],
    ),
    (
        "How fast are jobs completed?",
        ChartKind::Lines,
        &["jobs_per_day"],
    ),
    (
        "How long do volunteers wait for credit?",
        ChartKind::LogHistogram,
        &["credit_lag"],
    ),
    (
        "How long does an instance take?",
        ChartKind::LogHistogram,
        &["latency"],
    ),
    (
        "How long does a job take to its canonical instance?",
        ChartKind::LogHistogram,
        &["time_to_canonical"],
    ),
    (
        "How long does a job take until all its instances are reported or timed out?",
        ChartKind::LogHistogram,
        &["job_settled"],
    ),
    (
        "How much disk space is in use on hosts?",
        ChartKind::Lines,
        &["host_disk_mean", "host_disk_p90"],
    ),
    (
        "How many input files does a host have?",
        ChartKind::Histogram,
        &["files_per_host"],
    ),
    (
        "How much disk space is in use on servers?",
        ChartKind::Stacked,
        &["input_bytes_on_servers", "output_bytes_on_servers"],
    ),
    (
        "How busy is the scheduler?",
        ChartKind::Lines,
        &["requests", "dispatched"],
    ),
    (
        "How many hosts are new each day?",
        ChartKind::Lines,
        &["new_hosts_per_day"],
    ),
    ("How old are hosts?", ChartKind::LogHistogram, &["host_age"]),
    (
        "How long do hosts stay?",
        ChartKind::LogHistogram,
        &["host_lifetime"],
    ),
    (
        "How much does a host achieve?",
        ChartKind::LogHistogram,
        &["host_throughput"],
    ),
    (
        "How often are hosts connected?",
        ChartKind::LogHistogram,
        &["connect_interval"],
    ),
    (
        "How long does a download take?",
        ChartKind::LogHistogram,
        &["download_time"],
    ),
];

/// The charts; without that of the connection intervals if hosts may connect at any time.
pub(super) fn charts(with_intervals: bool) -> Vec<Chart> {
    let chart = |title: &str, kind, of: &[&str]| Chart {
        title: title.to_owned(),
        kind,
        of: of.iter().map(|&name| name.to_owned()).collect(),
    };
    let states = STATES_OF_THE_CHART.map(|(_, name, _)| name);
    let title = "In which state are job instances?";
    let mut charts: Vec<Chart> = CHARTS
        .iter()
        .filter(|(_, _, of)| with_intervals || *of != ["connect_interval"])
        .map(|(title, kind, of)| chart(title, *kind, of))
        .collect();
    charts.insert(1, chart(title, ChartKind::Stacked, &states));
    charts
}
