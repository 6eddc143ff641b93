//! However a run is executed, it finds what the oracle finds.
//!
//! Small worlds run with every runtime, protocol and queue, on 1, 2, 3 and 8 partitions and 1, 2 and
//! 4 workers, and with every placement; every shipped scenario with a fifth of these plans, another
//! fifth each. A disagreement is reported as the first event that differs, not as two digests.

use std::path::{Path, PathBuf};

use actors::phold;
use clap::ValueEnum;
use kernel::{Actor, Fingerprint, SimDuration, SimTime, Transcript, World, run_sequentially};
use myriad::coordinator::{HorizonRule, Plan, QueueRule, Runtime, run};
use myriad::placement::Placement;
use myriad::scenario::domain::{Domain, Loaded};
use myriad::scenario::volunteer::Volunteer;
use myriad::scenario::{Override, ScenarioText};

use crate::worlds::random_world;

/// The protocols in rounds.
const ROUNDS: [HorizonRule; 3] = [
    HorizonRule::GlobalWindow,
    HorizonRule::PairwiseWindow,
    HorizonRule::RoundTrip,
];

/// Every plan worth telling apart with these protocols.
fn plans(horizons: &[HorizonRule]) -> Vec<Plan> {
    let mut plans = Vec::new();
    let mut placements = Placement::value_variants().iter().copied().cycle();
    for &horizon in horizons {
        for queue in [
            QueueRule::WindowRing,
            QueueRule::BinaryHeap,
            QueueRule::Calendar,
        ] {
            for partitions in [1, 2, 3, 8] {
                for (runtime, workers) in [
                    (Runtime::Inline, 1),
                    (Runtime::Threads, 1),
                    (Runtime::Threads, 2),
                    (Runtime::Threads, 4),
                    (Runtime::Arbiters, 1),
                    (Runtime::Arbiters, 2),
                    (Runtime::Arbiters, 4),
                ] {
                    plans.push(Plan {
                        threads: workers,
                        partitions: Some(partitions),
                        runtime,
                        horizon,
                        queue,
                        // Each in its turn: every one meets every horizon, queue and runtime.
                        placement: placements.next(),
                    });
                }
            }
        }
    }
    plans
}

/// Runs the world that `build` makes with each plan and compares with the oracle.
fn agrees<A: Actor>(
    what: &str,
    build: impl Fn() -> World<A>,
    end: SimTime,
    plans: impl IntoIterator<Item = Plan>,
) {
    let events = agrees_with(what, plans, build, end);
    assert!(
        events > 1_000,
        "{what}: too short a run to mean anything: {events} events"
    );
}

/// Runs the world that `build` makes with these plans and compares with the oracle; returns how many
/// events there are.
pub fn agrees_with<A: Actor>(
    what: &str,
    plans: impl IntoIterator<Item = Plan>,
    build: impl Fn() -> World<A>,
    end: SimTime,
) -> u64 {
    let (expected, events) = run_sequentially(build(), end, Fingerprint::default());
    for plan in plans {
        let outcome = run(build(), &plan, end, Fingerprint::default(), &())
            .unwrap_or_else(|error| panic!("{what}, {plan:?}: {error}"));
        assert!(outcome.completed);
        if outcome.observer != expected {
            explain(what, &build, end, &plan);
        }
        assert_eq!(outcome.engine.events, events, "{what}, {plan:?}");
    }
    events
}

/// Runs again, keeping every event, and says which is the first that differs.
fn explain<A: Actor>(what: &str, build: &impl Fn() -> World<A>, end: SimTime, plan: &Plan) -> ! {
    let promises = build().promises().clone();
    let (oracle, _) = run_sequentially(build(), end, Transcript::default());
    let other = run(build(), plan, end, Transcript::default(), &()).expect("it ran before");
    let name = |id| promises.actor_name(id);
    let difference = oracle.first_difference(other.observer, name);
    panic!(
        "{what} with {plan:?} differs from the oracle {}",
        difference.unwrap_or_else(|| "only now and then: the plan does not repeat itself".into())
    );
}

fn after(seconds: f64) -> SimTime {
    SimTime::START + SimDuration::from_secs_f64(seconds)
}

#[test]
fn phold_agrees_with_the_oracle() {
    let parameters = phold::Parameters {
        actors: 60,
        events_per_actor: 2,
        remote: 0.5,
        lookahead_s: 0.1,
        mean_s: 1.0,
    };
    let plans = [plans(&ROUNDS), plans(&[HorizonRule::NullMessages])].concat();
    agrees("phold", || parameters.build(7), after(20.0), plans);
}

#[test]
fn random_worlds_agree_with_the_oracle() {
    let mut events = 0;
    for seed in 0..8 {
        let what = format!("random world {seed}");
        let world = || random_world(seed);
        let end = SimTime::from_nanos(15_000);
        events += agrees_with(&what, plans(&ROUNDS), world, end);
        // Where promises are a nanosecond, announcements grow by one at a time.
        let end = SimTime::from_nanos(400);
        agrees_with(&what, plans(&[HorizonRule::NullMessages]), world, end);
    }
    assert!(
        events > 8_000,
        "too short to mean anything: {events} events"
    );
}

/// The scenarios that are shipped.
fn scenarios() -> Vec<PathBuf> {
    let mut scenarios: Vec<_> = std::fs::read_dir(folder())
        .expect("the scenarios are shipped")
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    scenarios.sort();
    assert!(scenarios.len() >= 3, "the shipped scenarios: {scenarios:?}");
    scenarios
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/volunteer")
}

/// Runs a shipped scenario, with fewer hosts and less time, with each plan.
fn scenario_agrees(path: &Path, smaller: [&str; 2], plans: impl IntoIterator<Item = Plan>) {
    let smaller = smaller.map(|text| Override::parse(text).expect("a key and a value"));
    let text = ScenarioText::read(path, smaller.to_vec());
    let text = text.expect("shipped scenarios are right");
    let loaded = Loaded::<Volunteer>::from_text(&text, &folder()).expect("and complete");
    let end = SimTime::START + loaded.frame.until;
    let build = || Volunteer::build(&loaded.scenario, &loaded.inputs);
    agrees(&loaded.frame.name, build, end, plans);
}

#[test]
fn every_scenario_agrees_with_the_oracle() {
    // A step that shares no factor with the numbers of runtimes, partitions, queues and protocols.
    const STEP: usize = 5;
    for (number, path) in scenarios().iter().enumerate() {
        let some = plans(&ROUNDS).into_iter().skip(number % STEP).step_by(STEP);
        scenario_agrees(path, ["hosts=150", "until=\"2 d\""], some);
    }
}

/// With latencies of milliseconds between events minutes apart, most of what partitions say to each
/// other is that they have nothing to say: an hour of a few hosts is enough.
#[test]
fn a_conversation_over_null_messages_agrees_with_the_oracle() {
    let plans = [(1, 2), (2, 3), (4, 8)].map(|(threads, partitions)| Plan {
        threads,
        partitions: Some(partitions),
        horizon: HorizonRule::NullMessages,
        ..Plan::default()
    });
    let path = folder().join("eah.toml");
    scenario_agrees(&path, ["hosts=150", "until=\"2 h\""], plans);
}
