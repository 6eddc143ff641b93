//! The kernel: time, actors, letters and their order.
//!
//! It knows no domain, no thread, no file, no wall clock and no serialisation format. In reading
//! order:
//!
//! * [`SimTime`], [`SimDuration`]: when, and how long ([`time`]);
//! * [`Actor`], [`Address`]: who takes part ([`actor`]);
//! * [`Context`]: all that an actor may touch ([`context`]);
//! * [`EventKey`], [`Envelope`]: the order of everything ([`envelope`]);
//! * [`RandomStream`]: chance, owned by actors ([`random`], [`variates`]);
//! * [`World`], [`Promises`]: who exists and what they have promised ([`world`], [`promise`]);
//! * [`run_sequentially`]: the oracle ([`sequential`]);
//! * [`Observer`], [`Fingerprint`], [`Transcript`], [`CriticalPath`]: who watches ([`observer`],
//!   [`fingerprint`], [`critical_path`]);
//! * [`Saved`], [`Linked`]: what can be written down and taken up again ([`saved`]);
//! * [`Standstill`], [`Restoration`]: a run between two windows ([`standstill`]);
//! * [`Rehearsal`]: one actor on an empty stage, for tests ([`rehearsal`]).
//!
//! Invariants:
//!
//! 1. The order of events is a key that the sender alone makes. Nothing of partitions, threads or
//!    arrival is in it.
//! 2. An actor's state changes only while it handles a message, and depends only on its own state,
//!    its own random numbers and that message.
//! 3. A delay of zero exists only towards oneself. What is said to another takes at least what was
//!    promised, or the run stops.

pub mod actor;
pub mod context;
pub mod critical_path;
pub mod directory;
pub mod envelope;
pub mod fingerprint;
pub mod horizon;
pub mod observer;
pub mod partition;
pub mod promise;
pub mod queue;
pub mod random;
pub mod rehearsal;
pub mod saved;
pub mod sequential;
pub mod standstill;
pub mod time;
pub mod variates;
pub mod world;

pub use actor::{Actor, ActorId, Address, Group, Inbox};
pub use context::{Context, Desk};
pub use critical_path::CriticalPath;
pub use directory::Directory;
pub use envelope::{Envelope, EventKey};
pub use fingerprint::{Fingerprint, Transcript};
pub use observer::Observer;
pub use partition::{Partition, Safe, Standing, Times};
pub use promise::Promises;
pub use random::{Purpose, RandomStream};
pub use rehearsal::{Rehearsal, Said};
pub use saved::{Linked, OtherKind, Saved, SavedActor};
pub use sequential::{Sequential, run_sequentially};
pub use standstill::{Member, Restoration, Standstill, Unfit};
pub use time::{SimDuration, SimTime};
pub use world::{World, WorldBuilder};
