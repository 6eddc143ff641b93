//! In which order does everything happen?
//!
//! The order of events is a key that the sender alone makes. No partition, thread or arrival order
//! is in it, so the same scenario and seed give the same run however it is executed.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::actor::ActorId;
use crate::time::SimTime;

/// The place of an event in the run. No two events share a key.
///
/// The order of the fields is the order of events: time, then source, then the source's own count.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct EventKey {
    /// When the message is received.
    pub time: SimTime,
    /// Who sent it.
    pub source: ActorId,
    /// How many messages the source had sent before.
    pub number: u32,
}

impl fmt::Display for EventKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "t = {:.9} s, source {}, number {}",
            self.time.as_secs_f64(),
            self.source.0,
            self.number
        )
    }
}

/// A message on its way: the letter.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Envelope<M> {
    /// Its place in the run.
    pub key: EventKey,
    /// Who receives it.
    pub target: ActorId,
    /// What it says.
    pub message: M,
}
