//! However a run is executed, it finds what the oracle finds.
//!
//! Every world runs with every runtime, horizon and queue, on 1, 2, 3 and 8 partitions and 1, 2 and
//! 4 workers. A disagreement is reported as the first event that differs, not as two digests.

use std::path::Path;

use actors::phold;
use kernel::{Actor, Fingerprint, SimDuration, SimTime, Transcript, World, run_sequentially};
use myriad::coordinator::{HorizonRule, Plan, QueueRule, Runtime, run};
use myriad::scenario::domain::{Domain, Loaded};
use myriad::scenario::volunteer::Volunteer;
use myriad::scenario::{Override, ScenarioText};

use crate::worlds::random_world;

/// Every plan worth telling apart.
fn plans() -> Vec<Plan> {
    let mut plans = Vec::new();
    for horizon in [
        HorizonRule::GlobalWindow,
        HorizonRule::PairwiseWindow,
        HorizonRule::RoundTrip,
    ] {
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
                    });
                }
            }
        }
    }
    plans
}

/// Runs the world that `build` makes with every plan and compares with the oracle.
fn agrees<A: Actor>(what: &str, build: impl Fn() -> World<A>, end: SimTime) {
    let (expected, events) = run_sequentially(build(), end, Fingerprint::default());
    assert!(
        events > 1_000,
        "{what}: too short a run to mean anything: {events} events"
    );
    for plan in plans() {
        let outcome = run(build(), &plan, end, Fingerprint::default(), &())
            .unwrap_or_else(|error| panic!("{what}, {plan:?}: {error}"));
        assert!(outcome.completed);
        if outcome.observer != expected {
            explain(what, &build, end, &plan);
        }
        assert_eq!(outcome.engine.events, events, "{what}, {plan:?}");
    }
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
    agrees("phold", || parameters.build(7), after(20.0));
}

#[test]
fn random_worlds_agree_with_the_oracle() {
    for seed in 0..8 {
        let end = SimTime::from_nanos(30_000);
        agrees(&format!("random world {seed}"), || random_world(seed), end);
    }
}

/// Every scenario that is shipped, with fewer hosts and less time.
#[test]
fn every_scenario_agrees_with_the_oracle() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/volunteer");
    let mut scenarios: Vec<_> = std::fs::read_dir(&folder)
        .expect("the scenarios are shipped")
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    scenarios.sort();
    assert!(scenarios.len() >= 3, "the shipped scenarios: {scenarios:?}");
    for path in scenarios {
        let smaller = ["hosts=150", "until=\"1 d\""];
        let smaller = smaller.map(|text| Override::parse(text).expect("a key and a value"));
        let text = ScenarioText::read(&path, smaller.to_vec());
        let text = text.expect("shipped scenarios are right");
        let loaded = Loaded::<Volunteer>::from_text(&text, &folder).expect("and complete");
        let end = SimTime::START + loaded.frame.until;
        let build = || Volunteer::build(&loaded.scenario, &loaded.inputs);
        agrees(&loaded.frame.name, build, end);
    }
}
