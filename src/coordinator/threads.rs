//! One thread per worker: the calling thread leads, the others help.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering::SeqCst;

use super::Watcher;
use super::gate::Gate;
use super::leader::Leader;
use super::stage::Partitions;

pub(super) fn run(partitions: &dyn Partitions, leader: &mut Leader, watcher: &dyn Watcher) {
    partitions.start();
    if partitions.board().failure().is_some() {
        return;
    }
    let workers = partitions.board().workers();
    let gate = Gate::new(workers);
    std::thread::scope(|scope| {
        for worker in 1..workers {
            let gate = &gate;
            std::thread::Builder::new()
                .name(format!("worker-{worker}"))
                .spawn_scoped(scope, move || help(partitions, gate, worker, 0))
                .expect("the system lets a run have its threads");
        }
        // Helpers must be sent home even if leading fails, or the scope would wait for them forever.
        let led = catch_unwind(AssertUnwindSafe(|| {
            leader.lead(partitions, Some(&gate), watcher, None)
        }));
        dismiss(partitions, &gate);
        if let Err(panic) = led {
            resume_unwind(panic);
        }
    });
}

/// Helps in window after window, from the one after `seen`, until the board says that it is over.
pub(super) fn help(partitions: &dyn Partitions, gate: &Gate, worker: usize, mut seen: u64) {
    loop {
        seen = gate.pass(seen);
        let over = partitions.board().over.load(SeqCst);
        if !over {
            partitions.work(worker, seen);
        }
        gate.report();
        if over {
            return;
        }
    }
}

/// Sends the helpers home and waits until they have left.
pub(super) fn dismiss(partitions: &dyn Partitions, gate: &Gate) {
    let board = partitions.board();
    board.over.store(true, SeqCst);
    gate.open();
    gate.gather(board.workers() - 1);
}
