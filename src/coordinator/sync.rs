//! What threads share: the standard library's, under names that a model checker can take over.
//!
//! Files that say `use super::sync` are compiled a second time by the tests, beside a module of this
//! name in which every access is a choice between schedules (`schedules`).

pub(super) use std::hint::spin_loop;
pub(super) use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
pub(super) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
pub(super) use std::thread::yield_now;

/// How often a thread looks before it sleeps, if so many take part: for some tens of microseconds
/// with a core for everyone, else it makes room at once.
pub(super) fn spins(threads: usize) -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if threads <= cores { 2_000 } else { 20 }
}
