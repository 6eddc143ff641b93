//! Whole runs, in reading order.

mod agreement;
mod bad_scenarios;
mod benchmark;
mod checkpoints;
mod command;
mod faults;
mod hostile_input;
mod interruptions;
mod soak;
mod study;
mod trace;
mod view;
mod worlds;
