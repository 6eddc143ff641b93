//! The runtime without helpers: all partitions, one after another, on the calling thread.
//!
//! Not a toy: it is what one thread does best, the runtime to debug in, and the step between the
//! oracle and threads when something disagrees (if queue or partition are wrong, this differs; if
//! mail or threads are wrong, only the others do).

use kernel::queue::EventQueue;
use kernel::{Actor, Observer};

use super::Watcher;
use super::leader::Leader;
use super::stage::Stage;

pub(super) fn run<A: Actor, O: Observer<A>, Q: EventQueue<A::Message>>(
    stage: Stage<A, O, Q>,
    mut leader: Leader,
    watcher: &dyn Watcher,
) -> (Stage<A, O, Q>, Leader) {
    stage.start();
    if stage.failure().is_none() {
        leader.lead(&stage, None, watcher, None);
    }
    (stage, leader)
}
