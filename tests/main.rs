//! Whole runs, in reading order.

mod agreement;
mod bad_scenarios;
mod benchmark;
mod command;
mod faults;
mod soak;
mod study;
mod trace;
mod view;
mod worlds;
