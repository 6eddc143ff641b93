//! Workers and coordinator as actix actors. The only file that knows actix.
//!
//! An actix message between threads costs as much as a thousand simulated events, so none carries
//! any of those. Actors exchange *control* messages: the calling thread asks the coordinator for a
//! slice of the run, the coordinator asks the workers to join it, and for some tenths of a second
//! they all go through windows behind the same gate as plain threads do. Between slices everybody is
//! back at its mailbox, where a pause, a question or an end would be heard.
//!
//! actix swallows a panic in a handler: the actor is gone, later messages vanish, the process exits
//! with zero. So panics of the model are caught where partitions are run, and a mailbox that is
//! closed unexpectedly ends the run with an error.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use actix::prelude::{Actor, Addr, Arbiter, Context, Handler, Message, MessageResponse, System};
use kernel::queue::EventQueue;
use kernel::{Actor as Simulated, Observer, SimTime};

use super::gate::Gate;
use super::leader::{Leader, Pause};
use super::stage::Stage;
use super::threads::{dismiss, help};
use super::{RunError, Watcher};

/// How long actors stay away from their mailboxes.
const SLICE: Duration = Duration::from_millis(100);

/// Runs a stage with as many arbiters as it has workers.
pub(super) fn run<A: Simulated, O: Observer<A>, Q: EventQueue<A::Message>>(
    stage: Stage<A, O, Q>,
    leader: Leader,
    watcher: &dyn Watcher,
) -> Result<(Stage<A, O, Q>, Leader), RunError> {
    stage.start();
    if stage.failure().is_some() {
        return Ok((stage, leader));
    }
    // A system occupies its thread, which might belong to another runtime already.
    std::thread::scope(|scope| {
        let system = scope.spawn(|| run_system(stage, leader, watcher));
        system
            .join()
            .map_err(|_| RunError::Runtime("the actix system panicked".to_owned()))?
    })
}

fn run_system<A: Simulated, O: Observer<A>, Q: EventQueue<A::Message>>(
    stage: Stage<A, O, Q>,
    leader: Leader,
    watcher: &dyn Watcher,
) -> Result<(Stage<A, O, Q>, Leader), RunError> {
    let system = System::new();
    let gate = Arc::new(Gate::new(stage.workers()));
    let stage = Arc::new(stage);
    let arbiters: Vec<Arbiter> = (0..stage.workers()).map(|_| Arbiter::new()).collect();
    let outcome = system.block_on(async {
        let workers: Vec<Addr<Worker>> = (1..stage.workers())
            .map(|number| {
                let (stage, gate) = (Arc::clone(&stage), Arc::clone(&gate));
                let worker = Worker {
                    help: Box::new(move |seen| help(&stage, &gate, number, seen)),
                };
                Worker::start_in_arbiter(&arbiters[number].handle(), move |_| worker)
            })
            .collect();
        let coordinator = coordinator(Arc::clone(&stage), gate, workers, leader);
        let coordinator =
            Coordinator::start_in_arbiter(&arbiters[0].handle(), move |_| coordinator);
        drive(&coordinator, watcher).await
    });
    for arbiter in &arbiters {
        arbiter.stop();
    }
    for arbiter in arbiters {
        // A thread that panicked has already been reported by its closed mailbox.
        let _ = arbiter.join();
    }
    let leader = outcome?;
    let stage = Arc::try_unwrap(stage)
        .map_err(|_| RunError::Runtime("an actor outlived its arbiter".to_owned()))?;
    Ok((stage, leader))
}

/// Asks the coordinator for slice after slice, and looks on in between.
async fn drive(coordinator: &Addr<Coordinator>, watcher: &dyn Watcher) -> Result<Leader, RunError> {
    let lost = |error| RunError::Runtime(format!("the coordinator was lost: {error}"));
    loop {
        let report = coordinator.send(LeadSlice).await.map_err(lost)?;
        watcher.progress(report.now, report.events);
        if report.pause == Pause::Over || watcher.should_stop() {
            break;
        }
    }
    let leader = coordinator.send(Finish).await.map_err(lost)?;
    leader.ok_or_else(|| RunError::Runtime("the coordinator had finished before".to_owned()))
}

/// Leads the run, slice by slice.
struct Coordinator {
    leader: Option<Leader>,
    lead: Box<dyn Fn(&mut Leader) -> SliceReport + Send>,
}

/// Runs partitions in shared windows.
struct Worker {
    /// Helps in all windows after the one numbered so, until the slice is over.
    help: Box<dyn Fn(u64) + Send>,
}

fn coordinator<A: Simulated, O: Observer<A>, Q: EventQueue<A::Message>>(
    stage: Arc<Stage<A, O, Q>>,
    gate: Arc<Gate>,
    workers: Vec<Addr<Worker>>,
    leader: Leader,
) -> Coordinator {
    Coordinator {
        leader: Some(leader),
        lead: Box::new(move |leader| {
            stage.over.store(false, SeqCst);
            let seen = gate.opened();
            for worker in &workers {
                worker.do_send(JoinSlice { seen });
            }
            let pause = leader.lead(&stage, Some(&gate), &(), Some(SLICE));
            dismiss(&stage, &gate);
            SliceReport {
                pause,
                now: leader.reached(),
                events: stage.events(),
            }
        }),
    }
}

/// To the coordinator: lead for a while, then say how far the run has got.
#[derive(Message)]
#[rtype(result = "SliceReport")]
struct LeadSlice;

/// To the coordinator: the run is over, give back the books.
#[derive(Message)]
#[rtype(result = "Option<Leader>")]
struct Finish;

/// To a worker: help in all windows after the one numbered so, until the slice is over.
#[derive(Message)]
#[rtype(result = "()")]
struct JoinSlice {
    seen: u64,
}

/// How far a run has got.
#[derive(MessageResponse)]
struct SliceReport {
    pause: Pause,
    now: SimTime,
    events: u64,
}

impl Actor for Coordinator {
    type Context = Context<Self>;
}

impl Actor for Worker {
    type Context = Context<Self>;
}

impl Handler<LeadSlice> for Coordinator {
    type Result = SliceReport;

    fn handle(&mut self, LeadSlice: LeadSlice, _: &mut Self::Context) -> SliceReport {
        let leader = self.leader.as_mut().expect("nobody asks after the finish");
        (self.lead)(leader)
    }
}

impl Handler<Finish> for Coordinator {
    type Result = Option<Leader>;

    fn handle(&mut self, Finish: Finish, _: &mut Self::Context) -> Option<Leader> {
        self.leader.take()
    }
}

impl Handler<JoinSlice> for Worker {
    type Result = ();

    fn handle(&mut self, JoinSlice { seen }: JoinSlice, _: &mut Self::Context) {
        (self.help)(seen);
    }
}
