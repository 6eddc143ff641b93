//! Which hosts did how much? The tables of a report.

use super::percent;
use crate::shared::results::{Cell, Column, Table};
use crate::volunteer::host::Class;
use crate::volunteer::metrics::{Metrics, SPEED_BOUNDS, credit_per_instance};
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

fn columns(titles: &[(&str, &str)]) -> Vec<Column> {
    let column = |&(title, unit): &(&str, &str)| Column {
        title: title.to_owned(),
        unit: unit.to_owned(),
    };
    titles.iter().map(column).collect()
}
