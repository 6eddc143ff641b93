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
use kernel::SimTime;

use super::gate::Gate;
use super::leader::{Leader, Pause};
use super::stage::Partitions;
use super::threads::{dismiss, help};
use super::{RunError, Watcher, WorkerLedger};

/// How long actors stay away from their mailboxes.
const SLICE: Duration = Duration::from_millis(100);

/// Runs partitions with as many arbiters as there are workers.
pub(super) fn run(
    partitions: Arc<dyn Partitions>,
    leader: Leader,
    watcher: &dyn Watcher,
) -> Result<(Leader, Pause), RunError> {
    partitions.start();
    if partitions.board().failure().is_some() {
        return Ok((leader, Pause::Over));
    }
    // A system occupies its thread, which might belong to another runtime already.
    std::thread::scope(|scope| {
        let system = scope.spawn(|| run_system(partitions, leader, watcher));
        system
            .join()
            .map_err(|_| RunError::Runtime("the actix system panicked".to_owned()))?
    })
}

fn run_system(
    partitions: Arc<dyn Partitions>,
    leader: Leader,
    watcher: &dyn Watcher,
) -> Result<(Leader, Pause), RunError> {
    let system = System::new();
    let count = partitions.board().workers();
    let gate = Arc::new(Gate::new(count));
    let arbiters: Vec<Arbiter> = (0..count).map(|_| Arbiter::new()).collect();
    let outcome = system.block_on(async {
        let workers: Vec<Addr<Worker>> = (1..count)
            .map(|number| {
                let worker = Worker {
                    number,
                    partitions: Arc::clone(&partitions),
                    gate: Arc::clone(&gate),
                };
                Worker::start_in_arbiter(&arbiters[number].handle(), move |_| worker)
            })
            .collect();
        let coordinator = Coordinator {
            partitions,
            gate,
            workers,
            leader: Some(leader),
        };
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
    outcome
}

/// Asks the coordinator for slice after slice, and looks on in between.
async fn drive(
    coordinator: &Addr<Coordinator>,
    watcher: &dyn Watcher,
) -> Result<(Leader, Pause), RunError> {
    let lost = |error| RunError::Runtime(format!("the coordinator was lost: {error}"));
    let pause = loop {
        let report = coordinator.send(LeadSlice).await.map_err(lost)?;
        watcher.progress(report.now, report.events);
        watcher.loads(&report.workers);
        if report.pause != Pause::Slice || watcher.should_stop() {
            break report.pause;
        }
    };
    let leader = coordinator.send(Finish).await.map_err(lost)?;
    let finished = || RunError::Runtime("the coordinator had finished before".to_owned());
    leader.map(|leader| (leader, pause)).ok_or_else(finished)
}

/// Leads the run, slice by slice.
struct Coordinator {
    partitions: Arc<dyn Partitions>,
    gate: Arc<Gate>,
    workers: Vec<Addr<Worker>>,
    leader: Option<Leader>,
}

/// Runs partitions in shared windows.
struct Worker {
    number: usize,
    partitions: Arc<dyn Partitions>,
    gate: Arc<Gate>,
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
    workers: Vec<WorkerLedger>,
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
        let board = self.partitions.board();
        board.over.store(false, SeqCst);
        let seen = self.gate.opened();
        for worker in &self.workers {
            worker.do_send(JoinSlice { seen });
        }
        let pause = leader.lead(&*self.partitions, Some(&self.gate), &(), Some(SLICE));
        dismiss(&*self.partitions, &self.gate, self.workers.len());
        SliceReport {
            pause,
            now: leader.reached(),
            workers: leader.loads(),
            events: board.events(),
        }
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
        help(&*self.partitions, &self.gate, self.number, seen);
    }
}
