//! What can be seen of a volunteer computing project while its run goes on?

use super::{Metrics, State};
use crate::shared::gauge::{Gauge, Reading};
use crate::shared::tally::DurationHistogram;

impl Metrics {
    /// The figures as they stand.
    pub fn gauges(&self) -> Vec<Gauge> {
        let gauge = |group, name, title, unit, reading, value| Gauge {
            name,
            title,
            group,
            unit,
            reading,
            value,
        };
        let level =
            |group, name, title, value| gauge(group, name, title, "1", Reading::Level, value);
        let rate = |group, name, title, unit, total: u64| {
            gauge(group, name, title, unit, Reading::Rate, total as f64)
        };
        let state = |state| self.in_state(state) as f64;
        let lag_nanos: u128 = self
            .credit_lag
            .iter()
            .map(DurationHistogram::sum_nanos)
            .sum();
        let credits: u64 = self.credit_lag.iter().map(DurationHistogram::count).sum();
        vec![
            level(
                "hosts",
                "hosts_active",
                "taking part",
                self.hosts_active.last() as f64,
            ),
            level(
                "hosts",
                "hosts_on",
                "switched on",
                self.hosts_on.last() as f64,
            ),
            level(
                "job instances",
                "instances_unsent",
                "unsent",
                state(State::Unsent),
            ),
            level(
                "job instances",
                "instances_in_progress",
                "in progress",
                state(State::InProgress),
            ),
            level(
                "job instances",
                "instances_pending",
                "waiting for validation",
                state(State::Pending),
            ),
            rate(
                "jobs",
                "jobs_completed",
                "jobs completed",
                "1",
                self.jobs_completed.total(),
            ),
            rate(
                "jobs",
                "instances_dispatched",
                "instances dispatched",
                "1",
                self.dispatched.total(),
            ),
            rate(
                "bandwidth",
                "bytes_down",
                "downloads",
                "bytes",
                self.bytes_down.total(),
            ),
            rate(
                "bandwidth",
                "bytes_up",
                "uploads",
                "bytes",
                self.bytes_up.total(),
            ),
            gauge(
                "credit lag",
                "credit_lag_sum",
                "mean credit lag",
                "s",
                Reading::MeanOfNext,
                lag_nanos as f64 / 1e9,
            ),
            gauge(
                "credit lag",
                "credits_granted",
                "credits granted",
                "1",
                Reading::Hidden,
                credits as f64,
            ),
        ]
    }
}
