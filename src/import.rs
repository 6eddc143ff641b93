//! How do tables of other people become input of ours?
//!
//! Imports are lenient with single lines, since published tables have broken ones, and strict with
//! whole files. What is skipped is counted and named by line; whether that is an error is for the
//! caller to decide.

pub mod cpu_list;
pub mod lines;
pub mod population_file;
pub mod table_file;

pub use cpu_list::{Import, ImportError, Reason, Skipped, Skips, read_cpu_list};
