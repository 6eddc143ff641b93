//! What is known about a run once it is over?
//!
//! Two halves that do not mix: what the model found (repeatable: [`Results`] and their [`digest`]),
//! and what the run cost ([`Engine`]: different each time). The [`Manifest`] says how to repeat it.

use std::time::SystemTime;

use actors::shared::results::Results;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::machine::Usage;

/// All that is reported of one run.
#[derive(Debug)]
pub struct RunRecord {
    /// How the run came about.
    pub manifest: Manifest,
    /// What the model found.
    pub results: Results,
    /// What the run cost.
    pub engine: Engine,
    /// The scenario with defaults and overrides written out, as a file that can be run again.
    pub scenario: String,
}

/// How a run came about, and how to repeat it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the program.
    pub myriad: String,
    /// The version of the layout of the run directory.
    pub layout: u32,
    /// The scenario's name.
    pub name: String,
    /// The kind of world.
    pub domain: String,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Simulated time that was asked for, in seconds.
    pub until_s: f64,
    /// Simulated time that was reached, in seconds.
    pub reached_s: f64,
    /// Whether the run went to its end. The results of one that did not are of the time reached.
    pub completed: bool,
    /// A hash of everything that happened and was found ([`digest`]).
    pub digest: String,
    /// The command line, word by word.
    pub arguments: Vec<String>,
    /// When the run began (RFC 3339, UTC).
    pub started: String,
    /// The simulated times, in seconds, at which it went on in another process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed_s: Vec<f64>,
    /// Architecture and system of the machine.
    pub host: String,
}

/// The present layout of run directories.
pub const LAYOUT: u32 = 1;

/// An instant as it stands in a manifest.
pub fn timestamp(at: SystemTime) -> String {
    humantime::format_rfc3339_seconds(at).to_string()
}

/// The machine a program runs on, as it stands in a manifest.
pub fn host() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}

/// What a run cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Engine {
    /// How many messages were handled.
    pub events: u64,
    /// Time on the wall clock, in seconds.
    pub wall_s: f64,
    /// Time of all processors together, in seconds; `None` where the system does not tell.
    pub cpu_s: Option<f64>,
    /// Messages handled per second on the wall clock.
    pub events_per_s: f64,
    /// Simulated days per second on the wall clock.
    pub simulated_days_per_s: f64,
    /// The most memory held at any time, in bytes; `None` where the system does not tell.
    pub peak_rss_bytes: Option<u64>,
    /// How many threads worked.
    pub threads: u64,
    /// Into how many partitions the actors were divided.
    pub partitions: u64,
    /// How many windows were run.
    pub windows: u64,
    /// Whatever else the engine tells of itself.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl Engine {
    /// Puts the engine's own ledger together with what the clock and the system say.
    pub fn new(ledger: &impl Serialize, wall_s: f64, usage: Usage, simulated_s: f64) -> Self {
        let mut more = match serde_json::to_value(ledger) {
            Ok(Value::Object(entries)) => entries,
            _ => Map::new(),
        };
        let mut take = |key: &str| {
            let value = more.remove(key);
            value.as_ref().and_then(Value::as_u64).unwrap_or(0)
        };
        let events = take("events");
        let (threads, partitions, windows) = (take("threads"), take("partitions"), take("windows"));
        // Ours is on the same clock as the use of the processors.
        more.remove("wall_s");
        // A run shorter than the clock can tell must not divide by zero.
        let per_second = |amount: f64| amount / wall_s.max(1e-9);
        Engine {
            events,
            wall_s,
            cpu_s: usage.cpu_s,
            events_per_s: per_second(events as f64),
            simulated_days_per_s: per_second(simulated_s / 86_400.0),
            peak_rss_bytes: usage.peak_rss_bytes,
            threads,
            partitions,
            windows,
            more,
        }
    }
}

/// A hash of a run: BLAKE3 over the number and fingerprint of its events and over its results.
///
/// It is equal for the same scenario and seed on any number of threads and partitions, with any
/// runtime, horizon and queue, on any machine.
pub fn digest(events: u64, fingerprint: &str, results: &Results) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(format!("myriad results {LAYOUT}\n{events}\n{fingerprint}\n").as_bytes());
    // Fields are written in the order of their declaration and numbers in their shortest form that
    // reads back the same, so equal results are equal bytes.
    serde_json::to_writer(&mut hasher, results)
        .expect("results are plain data and a hasher takes all");
    hasher.finalize().to_hex().to_string()
}

/// The results alone, for programs: figures by name, with their units.
pub fn summary(record: &RunRecord) -> Value {
    let manifest = &record.manifest;
    let results = &record.results;
    let scalars = results.scalars.iter().map(|scalar| {
        let entry = json!({
            "value": scalar.value,
            "unit": scalar.unit,
            "meaning": scalar.meaning,
        });
        (scalar.name.clone(), entry)
    });
    let distributions = results.distributions.iter().map(|distribution| {
        let quantiles = distribution
            .quantiles
            .iter()
            .map(|&(p, value)| (p.to_string(), json!(value)));
        let entry = json!({
            "title": distribution.title,
            "unit": distribution.unit,
            "count": distribution.count,
            "mean": distribution.mean,
            "max": distribution.max,
            "quantiles": quantiles.collect::<Map<_, _>>(),
            // Three numbers a bin: from, to, count.
            "bins": distribution.bins.iter().map(|bin| json!([bin.low, bin.high, bin.count])).collect::<Vec<_>>(),
        });
        (distribution.name.clone(), entry)
    });
    let tables = results.tables.iter().map(|table| {
        let entry = json!({
            "title": table.title,
            "columns": table.columns,
            "rows": table.rows,
        });
        (table.name.clone(), entry)
    });
    let headlines = results.scalars.iter().filter(|scalar| scalar.headline);
    json!({
        "name": manifest.name,
        "domain": manifest.domain,
        "seed": manifest.seed,
        "until_s": manifest.until_s,
        "reached_s": manifest.reached_s,
        "completed": manifest.completed,
        "digest": manifest.digest,
        "headlines": headlines.map(|scalar| &scalar.name).collect::<Vec<_>>(),
        "scalars": scalars.collect::<Map<_, _>>(),
        "distributions": distributions.collect::<Map<_, _>>(),
        "tables": tables.collect::<Map<_, _>>(),
        "charts": results.charts,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_digest_changes_with_anything_that_was_found_and_with_nothing_else() {
        let results = sample::results();
        let before = digest(10, "ab", &results);
        assert_eq!(digest(10, "ab", &results.clone()), before);
        assert_ne!(digest(11, "ab", &results), before);
        assert_ne!(digest(10, "ac", &results), before);
        let mut other = results;
        other.scalars[0].value += 1e-9;
        assert_ne!(digest(10, "ab", &other), before);
    }

    #[test]
    fn a_summary_gives_figures_by_name_with_their_units() {
        let summary = summary(&sample::record());
        assert_eq!(summary["scalars"]["hosts_active_mean"]["unit"], "hosts");
        assert_eq!(
            summary["distributions"]["credit_lag"]["quantiles"]["0.5"],
            3600.0
        );
        assert_eq!(
            summary["tables"]["host_classes"]["rows"][0][0],
            "A <perfect>"
        );
        assert_eq!(summary["digest"], "00ff");
        assert!(summary.get("engine").is_none());
    }

    #[test]
    fn an_engine_ledger_keeps_what_it_tells_beyond_the_usual() {
        let ledger = json!({"events": 100, "windows": 4, "threads": 2, "partitions": 8, "mail": 7});
        let engine = Engine::new(&ledger, 2.0, Usage::default(), 86_400.0);
        assert_eq!((engine.events, engine.windows, engine.threads), (100, 4, 2));
        assert_eq!(engine.events_per_s, 50.0);
        assert_eq!(engine.simulated_days_per_s, 0.5);
        let written = serde_json::to_value(&engine).unwrap();
        assert_eq!(written["mail"], 7);
        assert_eq!(written["partitions"], 8);
    }
}
