//! A run that is saved and taken up again finds what it would have found without.
//!
//! Saved under any plan, taken up under any other: threads, partitions, runtime, horizon and queue.
//! No window goes beyond a simulated instant at which somebody wants to look, so what is saved there
//! is the same to the byte, whoever saves it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use actors::phold;
use kernel::{
    Fingerprint, Observer, Saved, SavedActor, SimDuration, SimTime, Standstill, World,
    run_sequentially,
};
use myriad::checkpoint::content::{self, Problem};
use myriad::checkpoint::{CheckpointError, Identity, load, save};
use myriad::coordinator::{Attendant, HorizonRule, Plan, QueueRule, Run, Runtime, Watcher};
use myriad::scenario::domain::{Domain, Loaded};
use myriad::scenario::volunteer::Volunteer;
use myriad::scenario::{Override, ScenarioText};

use crate::worlds::{Player, random_world};

/// Plans that differ in everything.
fn plans() -> Vec<Plan> {
    let plan = |runtime, threads, partitions, horizon, queue| Plan {
        threads,
        partitions: Some(partitions),
        runtime,
        horizon,
        queue,
        placement: None,
    };
    use HorizonRule::{GlobalWindow, NullMessages, PairwiseWindow, RoundTrip};
    use QueueRule::{BinaryHeap, Calendar, WindowRing};
    vec![
        plan(Runtime::Sequential, 1, 1, GlobalWindow, WindowRing),
        plan(Runtime::Inline, 1, 1, GlobalWindow, WindowRing),
        plan(Runtime::Threads, 2, 3, RoundTrip, BinaryHeap),
        plan(Runtime::Arbiters, 2, 8, PairwiseWindow, Calendar),
        plan(Runtime::Threads, 4, 8, GlobalWindow, Calendar),
        plan(Runtime::Inline, 1, 2, RoundTrip, WindowRing),
        plan(Runtime::Arbiters, 3, 3, RoundTrip, BinaryHeap),
        plan(Runtime::Threads, 2, 4, NullMessages, WindowRing),
    ]
}

/// Saves the run at an instant and then wants it to stop.
struct SaveOnce {
    at: SimTime,
    identity: Identity,
    saved: Arc<Mutex<Vec<u8>>>,
    stop: Arc<AtomicBool>,
}

impl<A: SavedActor, O: Saved + 'static> Attendant<A, O> for SaveOnce {
    fn attend(&mut self, run: &dyn Standstill<A, O>) -> SimTime {
        if run.reached() < self.at {
            return self.at;
        }
        let mut saved = self.saved.lock().unwrap();
        if saved.is_empty() {
            save(run, &self.identity, &mut *saved).expect("memory takes all");
            self.stop.store(true, Relaxed);
        }
        SimTime::NEVER
    }
}

struct Until(Arc<AtomicBool>);

impl Watcher for Until {
    fn should_stop(&self) -> bool {
        self.0.load(Relaxed)
    }
}

/// What is saved of a run under this plan at this instant.
fn saved_at<A: SavedActor, O: Observer<A> + Saved>(
    world: World<A>,
    observer: &O,
    plan: &Plan,
    (at, end): (SimTime, SimTime),
    identity: &Identity,
) -> Vec<u8> {
    let saved: Arc<Mutex<Vec<u8>>> = Arc::default();
    let stop: Arc<AtomicBool> = Arc::default();
    let attendant = SaveOnce {
        at,
        identity: identity.clone(),
        saved: saved.clone(),
        stop: stop.clone(),
    };
    // Arbiters hear only some ten times a second that they should stop, and may have come to the end.
    Run {
        world,
        plan,
        end,
        observer: observer.clone(),
        seen: None,
        watcher: &Until(stop),
        attendant: Box::new(attendant),
    }
    .go()
    .unwrap_or_else(|error| panic!("{plan:?}: {error}"));
    std::mem::take(&mut *saved.lock().unwrap())
}

/// Saves under every plan and goes on under the next, and compares with a run that was not stopped.
fn survives<A: SavedActor, O: Observer<A> + Saved>(
    what: &str,
    build: impl Fn() -> World<A>,
    observer: O,
    when: (SimTime, SimTime),
    found: impl Fn(O) -> String,
) {
    let identity = Identity::new::<A, O>("test", [1; 32]);
    let (at, end) = when;
    let (expected, _) = run_sequentially(build(), end, observer.clone());
    let expected = found(expected);
    let plans = plans();
    let first = saved_at(build(), &observer, &plans[0], when, &identity);
    for (number, plan) in plans.iter().enumerate() {
        let saved = saved_at(build(), &observer, plan, when, &identity);
        assert!(saved == first, "{what}: saved by {plan:?}, other bytes");
        let next = &plans[(number + 2) % plans.len()];
        let length = saved.len() as u64;
        let restored = content::read(&saved[..], length, &identity, build(), &observer);
        let restored = restored.unwrap_or_else(|problem| panic!("{what}: {problem:?}"));
        assert!(restored.reached >= at);
        let outcome = Run {
            world: restored.world,
            plan: next,
            end,
            observer: observer.clone(),
            seen: Some(restored.observer),
            watcher: &(),
            attendant: Box::new(()),
        }
        .go()
        .unwrap_or_else(|error| panic!("{what}, {next:?}: {error}"));
        assert!(outcome.completed);
        let found = found(outcome.observer);
        assert_eq!(found, expected, "{what}: from {plan:?} to {next:?}");
    }
}

fn after(seconds: f64) -> SimTime {
    SimTime::START + SimDuration::from_secs_f64(seconds)
}

fn digest(fingerprint: Fingerprint) -> String {
    format!("{} {fingerprint}", fingerprint.events())
}

#[test]
fn a_synthetic_workload_survives() {
    let parameters = phold::Parameters {
        actors: 60,
        events_per_actor: 2,
        remote: 0.5,
        lookahead_s: 0.1,
        mean_s: 1.0,
    };
    let build = || parameters.build(7);
    let when = (after(7.7), after(20.0));
    survives("phold", build, Fingerprint::default(), when, digest);
}

#[test]
fn random_worlds_survive() {
    for seed in 0..8 {
        let what = format!("world {seed}");
        let at = after((1 + seed) as f64 * 11e-6);
        let build = || random_world(seed);
        let when = (at, after(120e-6));
        survives(&what, build, Fingerprint::default(), when, digest);
    }
}

/// The small scenario, shortened, with these overrides besides.
fn small(more: &[&str]) -> Loaded<Volunteer> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/volunteer/small.toml");
    let sets = ["until=2 d", "hosts=150"].iter().chain(more);
    let overrides = sets.map(|set| Override::parse(set).unwrap()).collect();
    let text = ScenarioText::read(&path, overrides).unwrap();
    Loaded::from_text(&text, path.parent().unwrap()).unwrap()
}

#[test]
fn a_project_survives_with_all_that_was_observed() {
    // Erring hosts and arrivals, so that every kind of actor and message is in what is saved.
    let loaded = small(&["jobs.delay_bound=12 h"]);
    let Loaded {
        scenario, inputs, ..
    } = &loaded;
    let observer = (Fingerprint::default(), Volunteer::metrics(scenario));
    let found = |(fingerprint, metrics): (Fingerprint, _)| {
        let results = Volunteer::results(metrics, scenario);
        format!(
            "{} {}",
            digest(fingerprint),
            serde_json::to_string(&results).unwrap()
        )
    };
    let build = || Volunteer::build(scenario, inputs);
    let when = (after(86_400.0 + 0.5), after(2.0 * 86_400.0));
    survives("a project", build, observer, when, found);
}

#[test]
fn what_is_not_of_this_run_is_refused_with_the_reason() {
    let build = || random_world(3);
    let blank = Fingerprint::default();
    let identity = Identity::new::<Player, Fingerprint>("test", [1; 32]);
    let plan = Plan::default();
    let when = (after(20e-6), after(60e-6));
    let saved = saved_at(build(), &blank, &plan, when, &identity);
    let refused = |identity: &Identity, world| {
        let restored = content::read(&saved[..], saved.len() as u64, identity, world, &blank);
        match restored.map(|_| ()) {
            Err(Problem::Other(why)) => why,
            other => panic!("it should be refused as another: {other:?}"),
        }
    };
    let mut other = identity.clone();
    other.scenario[0] ^= 1;
    assert!(refused(&other, build()).contains("another scenario"));
    let mut other = identity.clone();
    other.shape[0] ^= 1;
    assert!(refused(&other, build()).contains("another build"));
    let mut other = identity.clone();
    other.program = "9.9.9".to_owned();
    assert!(refused(&other, build()).contains("version"));
    let mut other = identity.clone();
    other.domain = "grid".to_owned();
    assert!(refused(&other, build()).contains("`test`, not `grid`"));
    // All agrees, and yet the world is another one.
    let why = refused(&identity, random_world(4));
    assert!(why.contains("does not fit its scenario"), "{why}");
}

#[test]
fn a_damaged_file_is_refused_by_its_name() {
    let build = || random_world(3);
    let blank = Fingerprint::default();
    let identity = Identity::new::<Player, Fingerprint>("test", [1; 32]);
    let when = (after(20e-6), after(60e-6));
    let saved = saved_at(build(), &blank, &Plan::default(), when, &identity);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("000001.checkpoint");
    let loaded = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        load(&path, &identity, build(), &blank)
    };
    assert!(loaded(&saved).is_ok());
    // Every single byte, with one of its bits flipped; and every length.
    for place in 0..saved.len() {
        let mut wrong = saved.clone();
        wrong[place] ^= 1 << (place % 8);
        let error = loaded(&wrong).expect_err("a bit was flipped");
        assert!(error.to_string().contains("000001.checkpoint"), "{error}");
        assert!(loaded(&saved[..place]).is_err(), "cut to {place} bytes");
    }
    let missing = load(Path::new("no.checkpoint"), &identity, build(), &blank);
    assert!(matches!(missing, Err(CheckpointError::Refused { .. })));
}
