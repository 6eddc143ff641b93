//! One thread per worker: the calling thread leads, the others help.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Watcher;
use super::gate::Gate;
use super::leader::{Leader, Pause};
use super::stage::{Partitions, panic_text};
use super::sync::Ordering::SeqCst;

pub(super) fn run(
    partitions: &dyn Partitions,
    leader: &mut Leader,
    watcher: &dyn Watcher,
) -> Pause {
    partitions.start();
    if partitions.board().failure().is_some() {
        return Pause::Over;
    }
    let workers = partitions.board().workers();
    let gate = Gate::new(workers);
    std::thread::scope(|scope| {
        let gate = &gate;
        for worker in 1..workers {
            let spawned = std::thread::Builder::new()
                .name(format!("worker-{worker}"))
                .spawn_scoped(scope, move || help(partitions, gate, worker, 0));
            if let Err(error) = spawned {
                let board = partitions.board();
                board.fail(format!("the system refuses thread {worker}: {error}"));
                // Those that are there must be sent home, or the scope would wait for them forever.
                dismiss(partitions, gate, worker - 1);
                return Pause::Over;
            }
        }
        let pause = leader.lead(partitions, Some(gate), watcher, None);
        dismiss(partitions, gate, workers - 1);
        pause
    })
}

/// Helps in window after window, from the one after `seen`, until the board says that it is over.
pub(super) fn help(partitions: &dyn Partitions, gate: &Gate, worker: usize, mut seen: u64) {
    loop {
        seen = gate.pass(seen);
        let over = partitions.board().over.load(SeqCst);
        if !over {
            // Whatever happens, the leader waits for a report.
            let work = AssertUnwindSafe(|| partitions.work(worker, seen));
            if let Err(panic) = catch_unwind(work) {
                let said = panic_text(&*panic);
                partitions.board().fail(format!("worker {worker}: {said}"));
            }
        }
        gate.report();
        if over {
            return;
        }
    }
}

/// Sends so many helpers home and waits until they have left.
pub(super) fn dismiss(partitions: &dyn Partitions, gate: &Gate, helpers: usize) {
    partitions.board().over.store(true, SeqCst);
    gate.open();
    gate.gather(helpers);
}
