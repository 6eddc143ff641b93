//! What does a run show while it goes on?
//!
//! A few figures, taken between two windows; they are read off, not computed over time: whoever looks
//! twice can see what has changed. All results come at the end, as [`Results`](super::results::Results).

use serde::Serialize;

/// A figure of a run that goes on.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Gauge {
    /// Its name: `hosts_active`.
    pub name: &'static str,
    /// What it is called for people.
    pub title: &'static str,
    /// The figures it is shown with: those of one group share a unit.
    pub group: &'static str,
    /// Its unit; of a total, that of what is added up.
    pub unit: &'static str,
    /// How it is read.
    pub reading: Reading,
    /// Its value now.
    pub value: f64,
}

/// How a gauge is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// As it is.
    Level,
    /// It only grows: shown is how much in a second of simulated time.
    Rate,
    /// It only grows, and so does the gauge after it, which counts: shown is the mean of what has come.
    MeanOfNext,
    /// It counts for the gauge before it, and is not shown itself.
    Hidden,
}
