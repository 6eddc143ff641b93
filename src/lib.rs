//! Myriad: the application as a library, so that tests and benches can use it.

pub mod bench;
pub mod checkpoint;
pub mod cli;
pub mod codec;
pub mod commands;
pub mod coordinator;
pub mod fit;
pub mod import;
pub mod live;
pub mod placement;
pub mod report;
pub mod scenario;
#[cfg(feature = "serve")]
pub mod serve;
pub mod study;
pub mod trace;
pub mod view;
