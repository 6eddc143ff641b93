//! Runs partitions side by side.
//!
//! The coordinator knows no domain and never looks inside a message. One thread leads: it asks every
//! partition for its earliest event, asks the horizon how far each may run, and lets the workers run
//! them. Which workers there are is the runtime's business: none but the leader (`inline`),
//! threads (`threads`), or actix actors (`arbiters`).

mod arbiters;
mod board;
mod gate;
mod inline;
mod leader;
mod ledger;
mod plan;
mod stage;
mod threads;

use std::sync::Arc;
use std::time::Instant;

use kernel::queue::{BinaryHeapQueue, CalendarQueue, EventQueue, WindowRing};
use kernel::{Actor, Observer, SimTime, World, run_sequentially};

pub use ledger::{Attainable, EngineLedger, WorkerLedger};
pub use plan::{HorizonRule, Plan, QueueRule, Runtime};

use leader::Leader;
use stage::{Partitions, Stage};

/// Looks on while a run goes on, from the leader's thread, some ten times a second.
pub trait Watcher: Sync {
    /// The run has got as far as `now` and has handled so many events.
    fn progress(&self, _now: SimTime, _events: u64) {}

    /// Whether the run should end before its time.
    fn should_stop(&self) -> bool {
        false
    }
}

/// Nobody looks on.
impl Watcher for () {}

/// What a run found, and what it cost.
#[derive(Debug)]
pub struct Outcome<O> {
    /// What was observed, over all partitions.
    pub observer: O,
    /// What the run cost.
    pub engine: EngineLedger,
    /// How far it got: everything earlier has happened.
    pub reached: SimTime,
    /// Whether it got to its end.
    pub completed: bool,
}

/// Why a run did not end well.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A world without actors.
    #[error("the world has no actors: there is nothing to run")]
    EmptyWorld,
    /// An actor, a policy or an observer panicked; a broken promise is one case of it.
    #[error("the run was stopped by a fault in the model: {0}")]
    Panicked(String),
    /// The actix system could not be set up or lost an actor.
    #[error("the runtime failed: {0}")]
    Runtime(String),
}

/// Runs `world` up to, and not including, the instant `end`.
///
/// `observer` is cloned for each partition, and the clones are merged at the end. What it has seen
/// depends on the world only, never on `plan`.
///
/// # Errors
/// If an actor panics, in whatever runtime: the error says who was acting, when, and why.
pub fn run<A: Actor, O: Observer<A>>(
    world: World<A>,
    plan: &Plan,
    end: SimTime,
    observer: O,
    watcher: &dyn Watcher,
) -> Result<Outcome<O>, RunError> {
    if world.is_empty() {
        return Err(RunError::EmptyWorld);
    }
    if plan.runtime == Runtime::Sequential {
        return run_oracle(world, end, observer);
    }
    match plan.queue {
        QueueRule::WindowRing => {
            run_with::<A, O, WindowRing<_>>(world, plan, end, observer, watcher)
        }
        QueueRule::BinaryHeap => {
            run_with::<A, O, BinaryHeapQueue<_>>(world, plan, end, observer, watcher)
        }
        QueueRule::Calendar => {
            run_with::<A, O, CalendarQueue<_>>(world, plan, end, observer, watcher)
        }
    }
}

fn run_oracle<A: Actor, O: Observer<A>>(
    world: World<A>,
    end: SimTime,
    observer: O,
) -> Result<Outcome<O>, RunError> {
    let began = Instant::now();
    let run = std::panic::AssertUnwindSafe(|| run_sequentially(world, end, observer));
    let (observer, events) = std::panic::catch_unwind(run)
        .map_err(|panic| RunError::Panicked(stage::panic_text(&*panic)))?;
    Ok(Outcome {
        observer,
        engine: EngineLedger {
            events,
            threads: 1,
            partitions: 1,
            horizon: "none".to_owned(),
            queue: "ordered_map".to_owned(),
            runtime: "sequential".to_owned(),
            wall_s: began.elapsed().as_secs_f64(),
            ..EngineLedger::default()
        },
        reached: end,
        completed: true,
    })
}

fn run_with<A: Actor, O: Observer<A>, Q: EventQueue<A::Message>>(
    world: World<A>,
    plan: &Plan,
    end: SimTime,
    observer: O,
    watcher: &dyn Watcher,
) -> Result<Outcome<O>, RunError> {
    let began = Instant::now();
    let threads = match plan.runtime {
        Runtime::Inline => 1,
        _ => plan.threads.max(1),
    };
    let division = plan.divide(world.promises());
    let horizon = plan.horizon_for(world.promises());
    let partitions =
        kernel::partition::divide::<A, O, Q>(world, division.directory, division.bucket, &observer);
    let stage = Arc::new(Stage::new(partitions, threads));
    let mut leader = Leader::new(division.horizon, end, threads);
    match plan.runtime {
        Runtime::Arbiters => leader = arbiters::run(stage.clone(), leader, watcher)?,
        Runtime::Threads if threads > 1 => threads::run(&*stage, &mut leader, watcher),
        _ => inline::run(&*stage, &mut leader, watcher),
    }
    let stage = Arc::into_inner(stage)
        .ok_or_else(|| RunError::Runtime("a worker outlived the run".to_owned()))?;
    let board = stage.board();
    if let Some(failure) = board.failure() {
        return Err(RunError::Panicked(failure));
    }
    let (reached, completed) = (leader.reached(), leader.completed());
    let mut engine = leader.into_ledger(began.elapsed());
    engine.events = board.events();
    engine.events_by_partition = board.events_by_partition();
    engine.threads = threads;
    engine.partitions = board.partitions();
    engine.horizon = name_of(&horizon);
    engine.queue = name_of(&plan.queue);
    engine.runtime = name_of(&plan.runtime);
    engine.events_per_window = engine.events as f64 / engine.windows.max(1) as f64;
    Ok(Outcome {
        reached,
        completed,
        engine,
        observer: stage.into_observer(),
    })
}

/// What a choice is called on the command line.
fn name_of(choice: &impl clap::ValueEnum) -> String {
    let name = choice
        .to_possible_value()
        .map(|value| value.get_name().to_owned());
    name.unwrap_or_default()
}
