//! Random worlds with random plans against the oracle, for as long as one likes.
//!
//! `cargo test` looks at some dozens. For more, by hand:
//!
//! ```text
//! MYRIAD_SOAK='1 h' cargo test --test main soak -- --ignored --nocapture
//! ```
//!
//! goes on for so long, from a world that was not looked at before; `MYRIAD_SOAK_FROM=17` says from
//! which. A disagreement ends it with the command that repeats that one world.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant, SystemTime};

use actors::shared::quantity;
use clap::ValueEnum;
use kernel::{ActorId, Purpose, RandomStream, SimTime};
use myriad::coordinator::{HorizonRule, Plan, QueueRule, Runtime};
use myriad::placement::Placement;

use crate::agreement::agrees_with;
use crate::worlds::{Size, random_world_of};

/// How many plans each world is run with.
const PLANS_PER_WORLD: usize = 6;

/// One of the values, by chance.
fn any<T: ValueEnum + Clone>(draw: &mut RandomStream) -> T {
    let values = T::value_variants();
    values[draw.below(values.len() as u64) as usize].clone()
}

/// A plan by chance, as odd as a user may ask for.
fn random_plan(draw: &mut RandomStream) -> Plan {
    let partitions = match draw.below(4) {
        0 => None,
        1 => Some(1 + draw.below(4) as usize),
        2 => Some(1 + draw.below(60) as usize),
        _ => Some(1 + draw.below(200) as usize),
    };
    let horizon = any::<HorizonRule>(draw);
    // Where promises are a nanosecond, announcements grow by one at a time: among few, then, and
    // without waiting for each other's turn on the processor.
    let paired = horizon == HorizonRule::NullMessages;
    Plan {
        threads: if paired {
            1
        } else {
            1 + draw.below(5) as usize
        },
        partitions: if paired { Some(3) } else { partitions },
        runtime: any::<Runtime>(draw),
        horizon,
        queue: any::<QueueRule>(draw),
        placement: Some(any::<Placement>(draw)).filter(|_| draw.chance(0.8)),
    }
}

/// Runs the world of a seed with some plans; says how to repeat it if any disagrees.
fn look_at(seed: u64) -> u64 {
    let looked = catch_unwind(AssertUnwindSafe(|| {
        let mut draw = RandomStream::new(seed, ActorId(u32::MAX), Purpose(100));
        let plans: Vec<Plan> = (0..PLANS_PER_WORLD)
            .map(|_| random_plan(&mut draw))
            .collect();
        let (_, length) = random_world_of(seed, Size::Any);
        let end = SimTime::START + length;
        let world = || random_world_of(seed, Size::Any).0;
        agrees_with(&format!("random world {seed}"), plans, world, end)
    }));
    looked.unwrap_or_else(|panic| {
        eprintln!(
            "to repeat it: MYRIAD_SOAK='1 s' MYRIAD_SOAK_FROM={seed} cargo test --test main \
             soak -- --ignored --nocapture"
        );
        resume_unwind(panic)
    })
}

#[test]
fn dozens_of_random_worlds_agree_with_the_oracle() {
    let began = Instant::now();
    let mut events = 0;
    for seed in 1_000..1_060 {
        events += look_at(seed);
        // A busy machine looks at fewer.
        if began.elapsed() > Duration::from_secs(20) {
            break;
        }
    }
    assert!(
        events > 10_000,
        "too little to mean anything: {events} events"
    );
}

#[test]
#[ignore = "as long as MYRIAD_SOAK says, a minute if it says nothing"]
fn soak() {
    let variable = |name: &str| std::env::var(name).ok();
    let length = variable("MYRIAD_SOAK").unwrap_or_else(|| "1 min".to_owned());
    let length: quantity::Duration = length
        .parse()
        .unwrap_or_else(|e| panic!("MYRIAD_SOAK: {e}"));
    let length = Duration::from_nanos(length.span().nanos());
    let from = match variable("MYRIAD_SOAK_FROM") {
        Some(text) => text.parse().expect("MYRIAD_SOAK_FROM is a whole number"),
        None => SystemTime::UNIX_EPOCH.elapsed().map_or(0, |t| t.as_secs()) << 20,
    };
    let (began, mut told) = (Instant::now(), Instant::now());
    let (mut worlds, mut events) = (0, 0);
    // The first is looked at however little time there is.
    while worlds == 0 || began.elapsed() < length {
        events += look_at(from + worlds);
        worlds += 1;
        if told.elapsed() > Duration::from_secs(10) {
            told = Instant::now();
            let seconds = began.elapsed().as_secs();
            eprintln!("{seconds} s: {worlds} worlds agree, {events} events each with the oracle");
        }
    }
    eprintln!(
        "{worlds} worlds from {from} on, {} runs and {events} events of the oracle: all agree",
        worlds * PLANS_PER_WORLD as u64
    );
}
