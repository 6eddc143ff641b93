//! Whole runs, small enough for a second.

use kernel::{SimTime, run_sequentially};

use super::{Inputs, Metrics, Scenario};
use crate::shared::population::{HostRow, HostTable};
use crate::shared::results::Results;

fn row(hosts: u32, cores: f64, gflops_per_core: f64) -> HostRow {
    HostRow {
        hosts,
        cores,
        gflops_per_core,
        gflops_per_host: cores * gflops_per_core,
    }
}

fn inputs() -> Inputs {
    let rows = vec![row(30, 2.0, 2.0), row(50, 4.0, 3.0), row(20, 8.0, 4.0)];
    Inputs {
        table: HostTable::new("test", rows).expect("a table"),
    }
}

fn run(scenario: &Scenario) -> Results {
    scenario.validate().expect("a scenario that makes sense");
    let end = SimTime::START + scenario.until.span();
    let world = scenario.build(&inputs());
    let (metrics, _) = run_sequentially(world, end, Metrics::new(scenario));
    metrics.results(scenario)
}

fn scalar(results: &Results, name: &str) -> f64 {
    let found = results.scalars.iter().find(|scalar| scalar.name == name);
    found.unwrap_or_else(|| panic!("no figure `{name}`")).value
}

#[test]
fn a_project_completes_jobs_and_grants_credit() {
    let results = run(&Scenario {
        hosts: 200,
        ..Scenario::default()
    });
    assert!(scalar(&results, "jobs_valid") > 500.0);
    assert!(scalar(&results, "credit") > 0.0);
}

#[test]
#[ignore = "prints the figures of a run, for people"]
fn figures() {
    let hosts = std::env::var("HOSTS").ok().and_then(|n| n.parse().ok());
    let scenario = Scenario {
        hosts: hosts.unwrap_or(1_000),
        ..Scenario::default()
    };
    let results = run(&scenario);
    for scalar in &results.scalars {
        println!("{:30} {:18.4} {}", scalar.name, scalar.value, scalar.unit);
    }
    for table in &results.tables {
        println!("{}", table.title);
        for row in &table.rows {
            println!("{row:?}");
        }
    }
}
