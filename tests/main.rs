//! Whole runs, in reading order.

mod agreement;
mod bad_scenarios;
mod command;
mod worlds;
