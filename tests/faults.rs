//! A fault in a model ends the run with words, in every runtime, and leaves no thread waiting.

use kernel::{
    Actor, ActorId, Address, Context, Fingerprint, Group, Inbox, SimDuration, SimTime, World,
    WorldBuilder,
};
use myriad::coordinator::{HorizonRule, Plan, QueueRule, RunError, Runtime, run};

/// Talks to its neighbours every second, until one of them does something wrong.
struct Talker {
    fault: Fault,
    others: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    SpeaksTooSoon,
    Panics,
}

impl Inbox for Talker {
    type Message = u32;
    const GROUP: Group = Group(0);
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
