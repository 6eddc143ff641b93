//! One thread per worker: the calling thread leads, the others help.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering::SeqCst;

use kernel::queue::EventQueue;
use kernel::{Actor, Observer};

use super::Watcher;
use super::gate::Gate;
use super::leader::Leader;
use super::stage::Stage;

pub(super) fn run<A: Actor, O: Observer<A>, Q: EventQueue<A::Message>>(
    stage: Stage<A, O, Q>,
    mut leader: Leader,
    watcher: &dyn Watcher,
) -> (Stage<A, O, Q>, Leader) {
    stage.start();
    if stage.failure().is_some() {
        return (stage, leader);
    }
    let workers = stage.workers();
    let gate = Gate::new(workers);
    std::thread::scope(|scope| {
        for worker in 1..workers {
            let (stage, gate) = (&stage, &gate);
            std::thread::Builder::new()
                .name(format!("worker-{worker}"))
                .spawn_scoped(scope, move || help(stage, gate, worker, 0))
                .expect("the system lets a run have its threads");
        }
        // Helpers must be sent home even if leading fails, or the scope would wait for them forever.
        let led = catch_unwind(AssertUnwindSafe(|| {
            leader.lead(&stage, Some(&gate), watcher, None)
        }));
        dismiss(&stage, &gate);
        if let Err(panic) = led {
            resume_unwind(panic);
        }
    });
    (stage, leader)
}

/// Helps in window after window, from the one after `seen`, until the stage says that it is over.
pub(super) fn help<A: Actor, O: Observer<A>, Q: EventQueue<A::Message>>(
    stage: &Stage<A, O, Q>,
    gate: &Gate,
    worker: usize,
    mut seen: u64,
) {
    loop {
        seen = gate.pass(seen);
        let over = stage.over.load(SeqCst);
        if !over {
            stage.work(worker, seen);
        }
        gate.report();
        if over {
            return;
        }
    }
}

/// Sends the helpers home and waits until they have left.
pub(super) fn dismiss<A: Actor, O: Observer<A>, Q: EventQueue<A::Message>>(
    stage: &Stage<A, O, Q>,
    gate: &Gate,
) {
    stage.over.store(true, SeqCst);
    gate.open();
    gate.gather(stage.workers() - 1);
}
