//! A small record made by hand, for the tests of reports.

use actors::shared::results::{
    Bin, Cell, Chart, ChartKind, Column, Distribution, Results, Scalar, Series, Table,
};
use serde_json::json;

use super::machine::Usage;
use super::record::{Engine, LAYOUT, Manifest, RunRecord};

fn scalar(name: &str, value: f64, unit: &str, headline: bool) -> Scalar {
    Scalar {
        name: name.to_owned(),
        value,
        unit: unit.to_owned(),
        meaning: format!("What {name} means."),
        headline,
    }
}

fn series(name: &str, title: &str, unit: &str, value: impl Fn(f64) -> f64) -> Series {
    let times_s: Vec<f64> = (0..=336).map(|hour| f64::from(hour) * 3600.0).collect();
    Series {
        name: name.to_owned(),
        title: title.to_owned(),
        unit: unit.to_owned(),
        values: times_s.iter().map(|&time| value(time / 86_400.0)).collect(),
        times_s,
    }
}

/// Results with something of every kind, and a name that tries to be markup.
pub fn results() -> Results {
    let bins = (0..24).map(|i| Bin {
        low: if i == 0 { 0.0 } else { 10.0 * 1.8_f64.powi(i) },
        high: 10.0 * 1.8_f64.powi(i + 1),
        count: (1000.0 * (-f64::from(i - 11).powi(2) / 20.0).exp()) as u64,
    });
    Results {
        scalars: vec![
            scalar("hosts_active_mean", 62_813.0, "hosts", true),
            scalar("bytes_served", 1.29e15, "bytes", true),
            scalar("success_fraction", 0.8713, "1", true),
            scalar("not_a_headline", 1.0, "1", false),
        ],
        series: vec![
            series("hosts_active", "Hosts active", "hosts", |d| {
                62_000.0 + 800.0 * d.sin()
            }),
            series("hosts_on", "Hosts switched on", "hosts", |d| {
                15_400.0 + 500.0 * (d * std::f64::consts::TAU).sin()
            }),
            series(
                "unsent",
                "Unsent </script><script>alert(1)",
                "instances",
                |d| 4_000.0 + 90.0 * d,
            ),
            series("in_progress", "In progress", "instances", |d| {
                250_000.0 - 1_000.0 * d
            }),
            series("over", "Over & done", "instances", |d| 90_000.0 * d),
            series("served", "Bytes served", "bytes", |d| {
                2.0e12 + 2.0e11 * (d * std::f64::consts::TAU).cos()
            }),
        ],
        distributions: vec![Distribution {
            name: "credit_lag".to_owned(),
            title: "Credit lag".to_owned(),
            unit: "s".to_owned(),
            count: 7_900,
            mean: 40_000.0,
            max: 1.3e7,
            bins: bins.collect(),
            quantiles: vec![(0.5, 3600.0), (0.9, 200_000.0), (0.99, 900_000.0)],
        }],
        tables: vec![Table {
            name: "host_classes".to_owned(),
            title: "Host classes".to_owned(),
            columns: vec![
                Column {
                    title: "class".to_owned(),
                    unit: String::new(),
                },
                Column {
                    title: "hosts".to_owned(),
                    unit: "hosts".to_owned(),
                },
            ],
            rows: vec![
                vec![Cell::Text("A <perfect>".to_owned()), Cell::Number(15_703.0)],
                vec![Cell::Text("B".to_owned()), Cell::Number(21_984.5)],
            ],
        }],
        charts: vec![
            chart(
                "How many hosts take part?",
                ChartKind::Lines,
                &["hosts_active", "hosts_on"],
            ),
            chart(
                "Where are the instances?",
                ChartKind::Stacked,
                &["unsent", "in_progress", "over"],
            ),
            chart("How much is served?", ChartKind::Lines, &["served"]),
            chart(
                "How long does credit take?",
                ChartKind::LogHistogram,
                &["credit_lag"],
            ),
            chart(
                "And on a linear axis?",
                ChartKind::Histogram,
                &["credit_lag"],
            ),
        ],
    }
}

fn chart(title: &str, kind: ChartKind, of: &[&str]) -> Chart {
    Chart {
        title: title.to_owned(),
        kind,
        of: of.iter().map(|&name| name.to_owned()).collect(),
    }
}

/// A record of a run that never was.
pub fn record() -> RunRecord {
    let ledger = json!({"events": 1_234_567, "windows": 400, "threads": 2, "partitions": 8});
    RunRecord {
        manifest: Manifest {
            myriad: "0.1.0".to_owned(),
            layout: LAYOUT,
            name: "sample <b>\u{1b}[31m".to_owned(),
            domain: "volunteer".to_owned(),
            seed: 1,
            until_s: 14.0 * 86_400.0,
            reached_s: 14.0 * 86_400.0,
            completed: true,
            digest: "00ff".to_owned(),
            arguments: ["myriad", "run", "it's here.toml"]
                .map(str::to_owned)
                .to_vec(),
            started: "2026-12-01T00:00:00Z".to_owned(),
            resumed_s: Vec::new(),
            host: "x86_64-linux".to_owned(),
        },
        results: results(),
        engine: Engine::new(&ledger, 2.0, Usage::default(), 14.0 * 86_400.0),
        scenario: "name = \"sample <b>\"\nseed = 1\n".to_owned(),
    }
}
