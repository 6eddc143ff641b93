//! Whole runs, in reading order.

mod agreement;
mod bad_scenarios;
mod benchmark;
mod command;
mod faults;
mod hostile_input;
mod soak;
mod study;
mod trace;
mod view;
mod worlds;
