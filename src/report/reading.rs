//! A run again, from the files of its directory: for pages that are made later.

use std::fs::{self, File};
use std::path::Path;

use actors::shared::results::{Bin, Distribution, Results, Scalar};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::metrics_file::read_metrics;
use super::record::RunRecord;

/// Reads a run directory.
pub fn read_run(path: &Path) -> Result<RunRecord, String> {
    let text = |name: &str| {
        let file = path.join(name);
        fs::read_to_string(&file)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))
    };
    let summary: Value = parsed(path, "summary.json", &text("summary.json")?)?;
    let metrics = path.join("metrics.parquet");
    let unreadable =
        |error: &dyn std::fmt::Display| format!("cannot read {}: {error}", metrics.display());
    let opened = File::open(&metrics).map_err(|error| unreadable(&error))?;
    let part = |key: &str| summary.get(key).cloned().unwrap_or_default();
    let results = Results {
        scalars: scalars(&summary),
        series: read_metrics(opened).map_err(|error| unreadable(&error))?,
        distributions: distributions(&summary),
        tables: tables(&summary)?,
        // A run of an earlier version did not write down its charts.
        charts: serde_json::from_value(part("charts")).unwrap_or_default(),
    };
    Ok(RunRecord {
        manifest: parsed(path, "manifest.json", &text("manifest.json")?)?,
        results,
        engine: parsed(path, "engine.json", &text("engine.json")?)?,
        scenario: text("scenario.toml")?,
    })
}

fn parsed<T: DeserializeOwned>(path: &Path, name: &str, text: &str) -> Result<T, String> {
    let file = path.join(name);
    serde_json::from_str(text).map_err(|error| format!("{}: {error}", file.display()))
}

fn word(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

/// The figures, headlines first and in their order.
fn scalars(summary: &Value) -> Vec<Scalar> {
    let headlines: Vec<&str> = summary["headlines"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let all = summary["scalars"].as_object().into_iter().flatten();
    let mut scalars: Vec<Scalar> = all
        .map(|(name, told)| Scalar {
            name: name.clone(),
            value: told["value"].as_f64().unwrap_or(f64::NAN),
            unit: word(told, "unit"),
            meaning: word(told, "meaning"),
            headline: headlines.contains(&name.as_str()),
        })
        .collect();
    scalars.sort_by_key(|scalar| {
        let place = headlines.iter().position(|name| *name == scalar.name);
        place.unwrap_or(headlines.len())
    });
    scalars
}

fn distributions(summary: &Value) -> Vec<Distribution> {
    let all = summary["distributions"].as_object().into_iter().flatten();
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let of = |(name, told): (&String, &Value)| {
        let bins = told["bins"].as_array().into_iter().flatten();
        let quantiles = told["quantiles"].as_object().into_iter().flatten();
        let mut quantiles: Vec<(f64, f64)> = quantiles
            .filter_map(|(p, value)| Some((p.parse().ok()?, value.as_f64()?)))
            .collect();
        quantiles.sort_by(|a, b| a.0.total_cmp(&b.0));
        Distribution {
            name: name.clone(),
            title: word(told, "title"),
            unit: word(told, "unit"),
            count: told["count"].as_u64().unwrap_or_default(),
            mean: number(&told["mean"]),
            max: number(&told["max"]),
            bins: bins
                .map(|bin| Bin {
                    low: number(&bin[0]),
                    high: number(&bin[1]),
                    count: bin[2].as_u64().unwrap_or_default(),
                })
                .collect(),
            quantiles,
        }
    };
    all.map(of).collect()
}

fn tables(summary: &Value) -> Result<Vec<actors::shared::results::Table>, String> {
    let all = summary["tables"].as_object().into_iter().flatten();
    all.map(|(name, told)| {
        let mut told = told.clone();
        told["name"] = Value::from(name.as_str());
        serde_json::from_value(told).map_err(|error| format!("the table {name}: {error}"))
    })
    .collect()
}
