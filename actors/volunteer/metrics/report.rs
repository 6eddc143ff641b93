//! From counts to figures, tables and charts.

use kernel::{SimDuration, SimTime};

use super::{Metrics, State};
use crate::shared::results::{Distribution, Results};
use crate::shared::tally::DurationHistogram;
use crate::volunteer::scenario::Scenario;

mod charts;
mod figures;
mod merit;
mod series;
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
            series: self.series(scenario, end),
            distributions: self.distributions(end),
            tables: vec![
                self.class_table(scenario),
                self.speed_table(),
                self.credit_lag_table(),
                self.use_table(),
            ],
            charts: charts::charts(self.connect_interval.max() > SimDuration::ZERO),
        }
    }

    fn distributions(&self, end: SimTime) -> Vec<Distribution> {
        let of_results = ("host_throughput", "Successful results a day", "results/d");
        let of_ages = ("host_age", "From a host's first to its last request", "s");
        let of_lifetimes = (
            "host_lifetime",
            "The same of hosts silent for twenty days",
            "s",
        );
        vec![
            self.credit_lag()
                .distribution("credit_lag", "From report to credit"),
            self.latency
                .distribution("latency", "From dispatch to report, of valid instances"),
            self.time_to_canonical
                .distribution("time_to_canonical", "From creation to canonical instance"),
            self.job_settled.distribution(
                "job_settled",
                "From creation until all instances are reported or timed out",
            ),
            self.job_lifetime
                .distribution("job_lifetime", "From creation until the job is deleted"),
            self.download_time
                .distribution("download_time", "Duration of a download"),
            self.connect_interval
                .distribution("connect_interval", "Network connection interval"),
            self.touch.ages().distribution(of_ages, 1e9),
            self.touch.lifetimes(end).distribution(of_lifetimes, 1e9),
            self.touch.throughput.distribution(of_results, 1e6),
            self.disk.files_per_host.distribution(
                end,
                "files_per_host",
                "Input files on a host",
                "files",
            ),
        ]
    }

    /// Of hosts of every speed together.
    pub(super) fn credit_lag(&self) -> DurationHistogram {
        let mut all = DurationHistogram::new();
        for part in &self.credit_lag {
            all.merge(part);
        }
        all
    }

    /// The fraction of the instances that were sent and are over which failed: client errors,
    /// instances that were not returned in time, and results found invalid.
    pub fn failed_fraction(&self) -> f64 {
        let failed =
            self.in_states(&[State::Error, State::NoReply, State::Invalid, State::TooLate]);
        let good = self.in_states(&[State::Valid, State::Pending, State::NotChecked]);
        ratio(failed as f64, (failed + good) as f64)
    }

    fn in_states(&self, states: &[State]) -> u64 {
        states.iter().map(|&state| self.in_state(state)).sum()
    }

    /// Instances that were sent, are over and have been judged, if they needed to be.
    fn settled_instances(&self) -> u64 {
        self.in_states(&[
            State::Valid,
            State::Invalid,
            State::NotChecked,
            State::TooLate,
            State::Error,
            State::NoReply,
        ])
    }
}

pub(super) fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

pub(super) fn percent(part: u64, whole: u64) -> f64 {
    100.0 * ratio(part as f64, whole as f64)
}
