//! First come, first served: the oldest unsent instance that the volunteer may have.
//!
//! The simplest rule, and what a project gets that does not care where its files are.

use kernel::RandomStream;
use serde::{Deserialize, Serialize};

use super::{Assignment, Decision, Visit};
use crate::volunteer::shelf::Shelf;

/// The oldest unsent instance; the next job in the sequence if there is none.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FirstCome;

impl Assignment for FirstCome {
    fn choose(&mut self, visit: &mut Visit, shelf: &Shelf, _random: &mut RandomStream) -> Decision {
        if let Some(job) = shelf.lowest_unsent(visit.asker) {
            return Decision::Take(job);
        }
        shelf
            .next_in_sequence()
            .map_or(Decision::Nothing, Decision::Open)
    }
}
