//! How far may each partition run? The synchronisation protocol, as arithmetic without threads.
//!
//! Law: no envelope can still arrive at partition `p` that is earlier than `safe[p].until`; and none
//! can arrive at a resident of `p` that waits for answers earlier than `safe[p].answers`. A protocol
//! is tested with vectors of times, not with threads.
//!
//! All protocols here are *conservative and free of deadlock* for the same reason: every promise is
//! positive, so the partition that holds the globally earliest event is always allowed past it.
//! Each module says how its own arithmetic ensures that.

mod deadlock;
mod distance;
mod global_window;
mod pairwise_window;
mod round_trip;

pub use deadlock::explain;
pub use distance::least_delays;
pub use global_window::GlobalWindow;
pub use pairwise_window::PairwiseWindow;
pub use round_trip::RoundTrip;

use crate::partition::{Safe, Standing};

/// A synchronisation protocol in rounds: from what partitions say of themselves to how far each may
/// run.
pub trait Horizon: Send {
    /// Decides the next window. What partitions say counts undelivered mail to them.
    fn advance(&mut self, standing: &[Standing], safe: &mut [Safe]);
}
