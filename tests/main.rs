//! Whole runs, in reading order.

mod agreement;
mod worlds;
