//! An unsent instance at random, as from the slots of BOINC's feeder.
//!
//! The feeder shows the scheduler a number of jobs with unsent instances; the scheduler goes round
//! them from a random one and takes the first that the volunteer may have.

use kernel::RandomStream;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::{Assignment, Decision, Visit};
use crate::volunteer::job::JobId;
use crate::volunteer::shelf::Shelf;

/// An unsent instance of one of the jobs in the slots.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Random {
    /// How many jobs with unsent instances the feeder shows.
    pub slots: u32,
}

impl Assignment for Random {
    fn choose(&mut self, visit: &mut Visit, shelf: &Shelf, random: &mut RandomStream) -> Decision {
        let shown = match shown_in_slots(shelf, self.slots) {
            Ok(shown) => shown,
            Err(decision) => return decision,
        };
        let first = random.below(shown.len() as u64) as usize;
        let (before, from_there) = shown.split_at(first);
        from_there
            .iter()
            .chain(before)
            .find(|&&job| shelf.may_have(job, visit.asker))
            .map_or(Decision::Nothing, |&job| Decision::Take(job))
    }
}

/// The jobs in the feeder's slots: those of the oldest unsent instances. If there are none, or too
/// few although there are more jobs to create: what to do instead.
pub(super) fn shown_in_slots(
    shelf: &Shelf,
    slots: u32,
) -> Result<SmallVec<[JobId; 128]>, Decision> {
    let slots = slots.max(1) as usize;
    let shown = shelf.jobs_with_unsent(slots);
    // The slots are full as long as there are jobs: open one whenever they are not.
    if shown.len() < slots
        && let Some(file) = shelf.next_in_sequence()
    {
        return Err(Decision::Open(file));
    }
    if shown.is_empty() {
        return Err(Decision::Nothing);
    }
    Ok(shown)
}
