//! A fault in a model ends the run with words, in every runtime, and leaves no thread waiting.

use std::sync::Arc;

use kernel::{
    Actor, ActorId, Address, Context, Fingerprint, Group, Inbox, OtherKind, Saved, SimDuration,
    SimTime, World, WorldBuilder,
};
use myriad::checkpoint::{Checkpointer, Every, Folder, Identity, Limits, Requests, load};
use myriad::coordinator::{HorizonRule, Plan, QueueRule, Run, RunError, Runtime, run};
use myriad::report::RunDirectory;
use serde::{Deserialize, Serialize};

/// Talks to its neighbours every second, until one of them does something wrong.
#[derive(Serialize, Deserialize)]
struct Talker {
    fault: Fault,
    others: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Fault {
    None,
    SpeaksTooSoon,
    Panics,
}

impl Inbox for Talker {
    type Message = u32;
    const GROUP: Group = Group(0);
}

impl Saved for Talker {
    fn relink(&mut self, _fresh: &Self) -> Result<(), OtherKind> {
        Ok(())
    }
}

const PROMISE: SimDuration = SimDuration::from_millis(100);

impl Actor for Talker {
    type Message = u32;
    type Fact = ();

    fn start(&mut self, ctx: &mut Context<'_, Self>) {
        ctx.schedule(0u32, SimDuration::from_millis(10));
    }

    fn receive(&mut self, count: u32, ctx: &mut Context<'_, Self>) {
        let me = ctx.me::<Talker>().id().0;
        let neighbour = Address::<Talker>::new(ActorId((me + 1) % self.others));
        let due = count == 50;
        match self.fault {
            Fault::Panics if due => panic!("this talker has lost its tongue"),
            Fault::SpeaksTooSoon if due => {
                ctx.send(
                    neighbour,
                    count,
                    PROMISE.saturating_sub(SimDuration::NANOSECOND),
                );
            }
            _ => ctx.send(neighbour, count + 1, PROMISE),
        }
    }
}

fn talkers(fault: Fault) -> World<Talker> {
    let others = 40;
    let mut world = WorldBuilder::new(1);
    world.group::<Talker>("talker");
    world.edge::<Talker, Talker>(PROMISE);
    for number in 0..others {
        let fault = if number == 17 { fault } else { Fault::None };
        world.add::<Talker>(Talker { fault, others });
    }
    world.build()
}

/// Every runtime, alone and with helpers, on one partition and on several.
fn fails_everywhere(fault: Fault, words: &[&str]) {
    for runtime in [
        Runtime::Sequential,
        Runtime::Inline,
        Runtime::Threads,
        Runtime::Arbiters,
    ] {
        for (threads, partitions) in [(1, 1), (1, 8), (2, 8), (4, 8)] {
            let plan = Plan {
                threads,
                partitions: Some(partitions),
                runtime,
                horizon: HorizonRule::GlobalWindow,
                queue: QueueRule::WindowRing,
                placement: None,
            };
            let end = SimTime::START + SimDuration::from_secs(100);
            let outcome = run(talkers(fault), &plan, end, Fingerprint::default(), &());
            let Err(RunError::Panicked(said)) = outcome else {
                panic!("{plan:?}: the run should have failed in the model");
            };
            for word in words {
                assert!(said.contains(word), "{plan:?}: no `{word}` in: {said}");
            }
        }
    }
}

#[test]
fn a_broken_promise_names_actor_promise_and_time() {
    // Number 17 is wrong when it handles its count of 50, at 10 ms + 50 x 100 ms; sender and
    // target share a partition in most of these plans, and it is trapped all the same.
    fails_everywhere(
        Fault::SpeaksTooSoon,
        &[
            "broken promise",
            "talker[17]",
            "5 s 10 ms",
            "at least 100 ms",
        ],
    );
}

#[test]
fn a_panic_ends_the_run_with_its_words() {
    fails_everywhere(
        Fault::Panics,
        &["lost its tongue", "talker[17]", "5 s 10 ms", "talker[16]"],
    );
}

#[test]
fn the_others_go_on_if_nobody_is_at_fault() {
    let end = SimTime::START + SimDuration::from_secs(10);
    let plan = Plan {
        threads: 2,
        runtime: Runtime::Arbiters,
        ..Plan::default()
    };
    let outcome = run(
        talkers(Fault::None),
        &plan,
        end,
        Fingerprint::default(),
        &(),
    );
    // Forty actors, one event each every 100 ms from 10 ms on, 10 s excluded.
    assert_eq!(outcome.expect("no fault").engine.events, 40 * 100);
}

#[test]
fn the_last_checkpoint_outlives_a_panic() {
    for (runtime, threads) in [
        (Runtime::Sequential, 1),
        (Runtime::Inline, 1),
        (Runtime::Threads, 2),
        (Runtime::Arbiters, 2),
    ] {
        let plan = Plan {
            threads,
            partitions: Some(8),
            runtime,
            ..Plan::default()
        };
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("run");
        let directory = Arc::new(RunDirectory::at(&target).unwrap());
        let identity = Identity::new::<Talker, Fingerprint>("talkers", [7; 32]);
        let every = Every::Simulated(SimDuration::from_secs(2));
        let checkpointer = Checkpointer::new(
            identity.clone(),
            directory,
            (Some(every), Limits::default()),
            Requests::default(),
        );
        let outcome = Run {
            world: talkers(Fault::Panics),
            plan: &plan,
            end: SimTime::START + SimDuration::from_secs(100),
            observer: Fingerprint::default(),
            seen: None,
            watcher: &(),
            attendant: Box::new(checkpointer),
        }
        .go();
        assert!(matches!(outcome, Err(RunError::Panicked(_))), "{plan:?}");
        // At 5 s it panics; at 2 s and 4 s all was well.
        let found = Folder::of(&target).newest_first();
        assert_eq!(found.len(), 2, "{plan:?}");
        let fresh = talkers(Fault::Panics);
        let blank = Fingerprint::default();
        let restored = load(&found[0], &identity, fresh, &blank).unwrap();
        let four = SimTime::START + SimDuration::from_secs(4);
        assert!(restored.reached >= four, "{plan:?}: {}", restored.reached);
        assert_eq!(restored.observer.events(), 40 * 40, "{plan:?}");
    }
}
