//! What must hold whatever the bytes are? One function per fuzz target.
//!
//! A check never panics on what is refused, and holds what is accepted to its word: what was read is
//! written and read again as the same, and what was found right can be run. The fuzz targets and the
//! tests that replay what they found (`tests/hostile_input.rs`) share this file.

#![allow(dead_code)] // A fuzz target uses one of them.

use std::fmt::{Debug, Display};
use std::path::Path;
use std::str::FromStr;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use actors::shared::quantity;
use kernel::{Fingerprint, SimTime};
use myriad::coordinator::{self, Plan, Watcher};
use myriad::import::population_file::{read_population, write_population};
use myriad::import::read_cpu_list;
use myriad::scenario::domain::{Domain, Loaded};
use myriad::scenario::volunteer::Volunteer;
use myriad::scenario::{Override, ScenarioError, ScenarioText};
use serde::Serialize;

/// A scenario that is right, and small.
const RIGHT: &str = "\
domain = \"volunteer\"
name = \"right\"
until = \"1 d\"
hosts = 10

[population]
table = \"populations/einstein-2016.toml\"

[jobs]
delay_bound = \"7 d\"
min_quorum = 3
target_nresults = 4
";

type Meaning = <Volunteer as Domain>::Scenario;

/// A population for scenarios whose own is not looked for: fuzzed paths are not followed.
fn inputs() -> &'static <Volunteer as Domain>::Inputs {
    static INPUTS: OnceLock<<Volunteer as Domain>::Inputs> = OnceLock::new();
    INPUTS.get_or_init(|| {
        let text = ScenarioText::new("right.toml", RIGHT, Vec::new()).expect("it is TOML");
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/configs"));
        let from_here = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs"));
        let folder = if folder.exists() { folder } else { from_here };
        let loaded = Loaded::<Volunteer>::from_text(&text, folder);
        loaded.expect("the shipped population is right").inputs
    })
}

/// What a scenario's text means, if it means anything.
fn meaning(text: &ScenarioText) -> Result<Meaning, ScenarioError> {
    text.require_domain(&[Volunteer::NAME])?;
    let scenario: Meaning = text.meaning()?;
    match Volunteer::problems(&scenario).first() {
        None => Ok(scenario),
        Some(problem) => {
            let path = myriad::scenario::file::path_of(&problem.key);
            Err(text.error_at(&path, format!("{}: {}", problem.found, problem.wrong)))
        }
    }
}

/// Messages must be drawn, and not be novels.
fn draw(error: ScenarioError) {
    assert!(!error.to_string().is_empty(), "an error has words");
    let drawn = format!("{:?}", miette::Report::new(error));
    assert!(drawn.len() < 100_000, "a message of {} bytes", drawn.len());
}

/// A scenario file.
pub fn scenario(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let read = ScenarioText::new("fuzzed.toml", text, Vec::new()).and_then(|text| meaning(&text));
    match read {
        Err(error) => draw(error),
        Ok(scenario) => means_itself(&scenario),
    }
}

/// A scenario that was read means the same when it is written down with all defaults and read again;
/// its size can be foretold.
fn means_itself(scenario: &Meaning) {
    let written = toml::to_string_pretty(scenario).expect("what was read can be written");
    let text = ScenarioText::new("written.toml", &written, Vec::new()).expect("it is TOML");
    let again = meaning(&text).unwrap_or_else(|error| panic!("{error}, in\n{written}"));
    let rewritten = toml::to_string_pretty(&again).expect("what was read can be written");
    assert_eq!(written, rewritten);
    let forecast = Volunteer::forecast(scenario, inputs());
    for figure in [forecast.actors, forecast.events, forecast.memory_bytes] {
        assert!(figure >= 0.0 && figure.is_finite(), "{forecast:?}");
    }
}

/// An argument of `--set`, as text.
pub fn argument(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let changed = Override::parse(text)
        .and_then(|change| ScenarioText::new("right.toml", RIGHT, vec![change]))
        .and_then(|text| meaning(&text));
    match changed {
        Err(error) => draw(error),
        Ok(scenario) => means_itself(&scenario),
    }
}

/// A population file.
pub fn population(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if let Ok(table) = read_population(text) {
        let written = write_population(&table);
        let again = read_population(&written).expect("what was written can be read");
        assert_eq!(again, table);
    }
}

/// A table of processor models.
pub fn cpu_list(bytes: &[u8]) {
    match read_cpu_list(bytes, "fuzzed") {
        Err(error) => assert!(!error.to_string().is_empty(), "an error has words"),
        Ok(import) => {
            let named = import.skipped.first.len() as u64;
            assert!(named <= import.skipped.total());
            population(write_population(&import.table).as_bytes());
        }
    }
}

/// A quantity of each kind.
pub fn quantity(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    reads_back::<quantity::Duration>(text);
    reads_back::<quantity::Bytes>(text);
    reads_back::<quantity::Bandwidth>(text);
    reads_back::<quantity::Flop>(text);
    reads_back::<quantity::Speed>(text);
    reads_back::<quantity::Fraction>(text);
}

fn reads_back<Q>(text: &str)
where
    Q: FromStr<Err = quantity::QuantityError> + Serialize + PartialEq + Debug + Display,
{
    match text.parse::<Q>() {
        Err(error) => assert!(error.to_string().len() < 1_000, "{error}"),
        Ok(value) => {
            let written = toml::Value::try_from(&value).expect("it can stand in a file");
            let written = match written.as_str() {
                Some(text) => text.to_owned(),
                None => written.to_string(),
            };
            assert_eq!(written.parse::<Q>().as_ref(), Ok(&value), "by `{written}`");
            let _ = value.to_string();
        }
    }
}

/// Ends a run that takes long.
struct Patience(Instant);

impl Watcher for Patience {
    fn should_stop(&self) -> bool {
        self.0.elapsed() > Duration::from_millis(500)
    }
}

/// A scenario that passes all checks runs, whatever its numbers are: here with ten hosts at most, for
/// three days at most.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let Ok(original) = ScenarioText::new("fuzzed.toml", text, Vec::new()) else {
        return;
    };
    let Ok(scenario) = meaning(&original) else {
        return;
    };
    let frame = Volunteer::frame(&scenario);
    let mut smaller = vec![Override::by_option("--set", "hosts", "10")];
    if frame.until.as_hours_f64() > 72.0 {
        smaller.push(Override::by_option("--until", "until", "3 d"));
    }
    let text = ScenarioText::new("fuzzed.toml", text, smaller).expect("it was TOML before");
    // Fewer hosts or less time may break a rule between keys.
    let Ok(scenario) = meaning(&text) else {
        return;
    };
    let forecast = Volunteer::forecast(&scenario, inputs());
    if forecast.memory_bytes > 1e9 || forecast.actors > 1e5 {
        return;
    }
    let end = SimTime::START + Volunteer::frame(&scenario).until;
    let world = Volunteer::build(&scenario, inputs());
    let observers = (Fingerprint::default(), Volunteer::metrics(&scenario));
    let plan = Plan::default();
    let outcome = coordinator::run(world, &plan, end, observers, &Patience(Instant::now()));
    let outcome = outcome.unwrap_or_else(|error| panic!("{error}, with\n{:?}", original));
    let _ = Volunteer::results(outcome.observer.1, &scenario);
}
