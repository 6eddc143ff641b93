//! Whole runs, in reading order.

mod agreement;
mod bad_scenarios;
mod benchmark;
mod command;
mod faults;
mod trace;
mod study;
mod worlds;
