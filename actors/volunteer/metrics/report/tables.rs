//! Which hosts did how much? The tables of a report.

use super::percent;
use crate::shared::results::{Cell, Column, Table};
use crate::shared::tally::DurationHistogram;
use crate::volunteer::host::{Class, SpeedClass};
use crate::volunteer::metrics::{Metrics, State, credit_per_instance};
use crate::volunteer::scenario::Scenario;

impl Metrics {
    pub(super) fn class_table(&self, scenario: &Scenario) -> Table {
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

    pub(super) fn speed_table(&self) -> Table {
        let rows = SpeedClass::all().zip(&self.speeds).map(|(class, by)| {
            let per_host = by.computed as f64 / by.joined.max(1) as f64;
            vec![
                Cell::Text(class.title()),
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

impl Metrics {
    /// Credit lag, by the speed of the host whose result was found valid.
    pub(super) fn credit_lag_table(&self) -> Table {
        let row = |title: String, lag: &DurationHistogram| {
            let quantile = |p: f64| Cell::Number(lag.quantile(p).as_secs_f64());
            vec![
                Cell::Text(title),
                Cell::Number(lag.count() as f64),
                Cell::Number(lag.mean().as_secs_f64()),
                quantile(0.5),
                quantile(0.9),
                quantile(0.99),
                Cell::Number(lag.max().as_secs_f64()),
            ]
        };
        let classes = SpeedClass::all().zip(&self.credit_lag);
        let mut rows: Vec<_> = classes
            .map(|(class, lag)| row(class.title(), lag))
            .collect();
        rows.push(row("all".to_owned(), &self.credit_lag()));
        Table {
            name: "credit_lag".to_owned(),
            title: "From report to credit, by the speed of the host".to_owned(),
            columns: columns(&[
                ("GFLOPS", ""),
                ("Valid", "instances"),
                ("Mean", "s"),
                ("Median", "s"),
                ("90 %", "s"),
                ("99 %", "s"),
                ("Worst", "s"),
            ]),
            rows,
        }
    }

    /// What became of the instances that were sent.
    pub(super) fn use_table(&self) -> Table {
        let needed = self.counts.valid_needed;
        let of = |state| self.in_state(state);
        let over = self.settled_instances();
        let rows = [
            ("valid, and needed for the quorum", needed),
            ("valid, but not needed", of(State::Valid) - needed),
            ("invalid", of(State::Invalid)),
            ("failed", of(State::Error)),
            ("timed out", of(State::NoReply)),
            ("reported after the job's end", of(State::TooLate)),
            ("not checked, since the job failed", of(State::NotChecked)),
        ];
        let rows = rows.map(|(title, count)| {
            vec![
                Cell::Text(title.to_owned()),
                Cell::Number(count as f64),
                Cell::Number(percent(count, over)),
            ]
        });
        Table {
            name: "instance_use".to_owned(),
            title: "What became of the instances that are over".to_owned(),
            columns: columns(&[
                ("Instances that were", ""),
                ("Instances", "instances"),
                ("Part", "%"),
            ]),
            rows: rows.to_vec(),
        }
    }
}

fn columns(titles: &[(&str, &str)]) -> Vec<Column> {
    let column = |&(title, unit): &(&str, &str)| Column {
        title: title.to_owned(),
        unit: unit.to_owned(),
    };
    titles.iter().map(column).collect()
}
