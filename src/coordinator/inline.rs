//! The runtime without helpers: all partitions, one after another, on the calling thread.
//!
//! Not a toy: it is what one thread does best, the runtime to debug in, and the step between the
//! oracle and threads when something disagrees (if queue or partition are wrong, this differs; if
//! mail or threads are wrong, only the others do).

use super::Watcher;
use super::leader::{Leader, Pause};
use super::stage::Partitions;

pub(super) fn run(
    partitions: &dyn Partitions,
    leader: &mut Leader,
    watcher: &dyn Watcher,
) -> Pause {
    partitions.start();
    if partitions.board().failure().is_some() {
        return Pause::Over;
    }
    leader.lead(partitions, None, watcher, None)
}
