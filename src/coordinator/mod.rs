//! Runs partitions side by side.
//!
//! The coordinator knows no domain and never looks inside a message. One thread leads: it asks every
//! partition for its earliest event, asks the horizon how far each may run, and lets the workers run
//! them. Which workers there are is the runtime's business: none but the leader (`inline`),
//! threads (`threads`), or actix actors (`arbiters`).

mod arbiters;
mod attendant;
mod board;
mod gate;
mod inline;
mod leader;
mod ledger;
mod null_messages;
mod oracle;
mod plan;
#[cfg(test)]
mod schedules;
mod stage;
mod sync;
mod threads;

use std::sync::Arc;
use std::time::Instant;

use kernel::queue::{BinaryHeapQueue, CalendarQueue, EventQueue, WindowRing};
use kernel::{Actor, Observer, SimTime, World};

pub use attendant::Attendant;
pub use ledger::{Attainable, Busiest, EngineLedger, WorkerLedger};
pub use plan::{HorizonRule, Plan, QueueRule, Runtime};

use board::Board;
use leader::{Leader, Pause};
use plan::Division;
use stage::{Partitions, Stage};

/// Looks on while a run goes on, from the leader's thread, some ten times a second.
pub trait Watcher: Sync {
    /// The run has got as far as `now` and has handled so many events.
    fn progress(&self, _now: SimTime, _events: u64) {}

    /// So busy has each worker been so far; called after [`progress`](Watcher::progress).
    fn loads(&self, _workers: &[WorkerLedger]) {}

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
    /// Nobody may go on, although there is something to do: the protocol is wrong.
    #[error("the run is stuck: {0}")]
    Stuck(String),
    /// The actix system could not be set up or lost an actor.
    #[error("the runtime failed: {0}")]
    Runtime(String),
}

/// A run to be done.
pub struct Run<'a, A: Actor, O> {
    /// Who takes part.
    pub world: World<A>,
    /// How it is executed. What is found does not depend on it.
    pub plan: &'a Plan,
    /// It goes up to, and not including, this instant.
    pub end: SimTime,
    /// An observer that has seen nothing. It is cloned for each partition, and the clones are merged
    /// at the end.
    pub observer: O,
    /// What was seen before, if the world was restored in the middle of a run.
    pub seen: Option<O>,
    /// Who is told how far it has got.
    pub watcher: &'a dyn Watcher,
    /// Who looks into it.
    pub attendant: Box<dyn Attendant<A, O>>,
}

/// Runs `world` up to, and not including, the instant `end`, with nobody looking into it.
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
    Run {
        world,
        plan,
        end,
        observer,
        seen: None,
        watcher,
        attendant: Box::new(()),
    }
    .go()
}

impl<A: Actor, O: Observer<A>> Run<'_, A, O> {
    /// Does the run.
    ///
    /// # Errors
    /// If an actor panics, in whatever runtime: the error says who was acting, when, and why.
    pub fn go(self) -> Result<Outcome<O>, RunError> {
        if self.world.is_empty() {
            return Err(RunError::EmptyWorld);
        }
        match (self.plan.runtime, self.plan.queue) {
            (Runtime::Sequential, _) => oracle::run(self),
            (_, queue) => {
                let division = self.plan.divide(self.world.promises());
                match queue {
                    QueueRule::WindowRing => self.go_divided::<WindowRing<_>>(division),
                    QueueRule::BinaryHeap => self.go_divided::<BinaryHeapQueue<_>>(division),
                    QueueRule::Calendar => self.go_divided::<CalendarQueue<_>>(division),
                }
            }
        }
    }

    fn go_divided<Q: EventQueue<A::Message>>(
        self,
        division: Division,
    ) -> Result<Outcome<O>, RunError> {
        let Run { world, plan, .. } = self;
        let began = Instant::now();
        let threads = match plan.runtime {
            Runtime::Inline => 1,
            _ => plan.threads.max(1),
        };
        let horizon = plan.horizon_for(world.promises());
        // Only round trips ask who said what.
        let groups = match horizon {
            HorizonRule::RoundTrip => world.promises().groups().count(),
            _ => 0,
        };
        let (promises, directory) = (world.promises().clone(), division.directory.clone());
        let events_before = world.events();
        let mut partitions = kernel::partition::divide::<A, O, Q>(
            world,
            division.directory,
            division.bucket,
            &self.observer,
        );
        if let (Some(first), Some(seen)) = (partitions.first_mut(), self.seen) {
            first.observer_mut().merge(seen);
        }
        let board = Board::new(partitions.len(), threads, groups);
        let stage = Stage::new(partitions, board, self.attendant, events_before);
        let stage = Arc::new(stage);
        let mut leader = Leader::new(division.protocol, self.end, threads);
        let pause = match plan.runtime {
            Runtime::Arbiters => {
                let pause;
                (leader, pause) = arbiters::run(stage.clone(), leader, self.watcher)?;
                pause
            }
            Runtime::Threads if threads > 1 => threads::run(&*stage, &mut leader, self.watcher),
            _ => inline::run(&*stage, &mut leader, self.watcher),
        };
        let stage = Arc::into_inner(stage)
            .ok_or_else(|| RunError::Runtime("a worker outlived the run".to_owned()))?;
        let board = stage.board();
        if pause == Pause::Stuck {
            let (standing, safe) = leader.last_words();
            let why = kernel::horizon::explain(&promises, &directory, standing, safe);
            return Err(RunError::Stuck(why));
        }
        if board.failure().is_none() && !leader.completed() {
            stage.leave();
        }
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
        engine.busiest = stage.busiest().map(|(actor, share)| Busiest {
            actor: promises.actor_name(actor),
            share,
        });
        engine.events_per_window = engine.events as f64 / engine.windows.max(1) as f64;
        Ok(Outcome {
            reached,
            completed,
            engine,
            observer: stage.into_observer(),
        })
    }
}

/// What a choice is called on the command line.
fn name_of(choice: &impl clap::ValueEnum) -> String {
    let name = choice
        .to_possible_value()
        .map(|value| value.get_name().to_owned());
    name.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use kernel::horizon::Horizon;
    use kernel::{Fingerprint, Safe, Standing};

    use super::*;

    /// A protocol that keeps back whoever has the earliest event.
    struct NobodyFirst;

    impl Horizon for NobodyFirst {
        fn advance(&mut self, standing: &[Standing], safe: &mut [Safe]) {
            let earliest = standing.iter().map(|partition| partition.next).min();
            safe.fill(Safe::until(earliest.expect("there is a partition")));
        }
    }

    #[test]
    fn a_run_in_which_nobody_may_go_on_ends_and_names_the_circle() {
        let world = actors::phold::Parameters {
            actors: 6,
            events_per_actor: 1,
            remote: 0.5,
            lookahead_s: 1.0,
            mean_s: 1.0,
        };
        for (runtime, threads) in [
            (Runtime::Inline, 1),
            (Runtime::Threads, 2),
            (Runtime::Arbiters, 2),
        ] {
            let plan = Plan {
                threads,
                partitions: Some(3),
                runtime,
                ..Plan::default()
            };
            let run = Run {
                world: world.build(1),
                plan: &plan,
                end: SimTime::from_nanos(u64::MAX / 2),
                observer: Fingerprint::default(),
                seen: None,
                watcher: &(),
                attendant: Box::new(()),
            };
            let mut division = plan.divide(run.world.promises());
            division.protocol = leader::Protocol::Rounds(Box::new(NobodyFirst));
            let outcome = run.go_divided::<WindowRing<_>>(division);
            let Err(RunError::Stuck(why)) = outcome else {
                panic!("{runtime:?}: the run should be stuck");
            };
            assert!(why.contains("partition 1 (node[2] to node[3])"), "{why}");
            assert!(why.contains("that is the circle"), "{why}");
        }
    }
}
