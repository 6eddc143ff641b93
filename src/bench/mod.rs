//! How fast is it, on how many threads, and does it find the same every time?
//!
//! A benchmark is a list of [`Job`]s: a world, how long it is simulated, and a plan. Each is measured
//! several times, all jobs in turn (A B C A B C ...), so that a machine that slows down slows all of
//! them. Every measurement is made by a process of its own, so that memory is counted honestly and
//! nobody inherits a warm allocator. The first round warms up and takes a digest of all events; runs
//! of equal worlds must have equal digests, or the whole benchmark is void ([`suite`]).
//!
//! In reading order: what is measured ([`job`]), once ([`measurement`]), again and again ([`suite`]),
//! what comes of it ([`mod@line`]), and how it is shown ([`table`], [`page`]).

pub mod job;
pub mod line;
pub mod measurement;
pub mod page;
pub mod suite;
pub mod table;

pub use job::{Axes, Job, Subject};
pub use line::Line;
pub use measurement::Measurement;
pub use suite::{Findings, Step, Suite};
