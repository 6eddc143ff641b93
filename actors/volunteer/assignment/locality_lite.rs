//! Locality scheduling "lite", of 2012: among the jobs in the feeder's slots, those whose files the
//! host has.
//!
//! The scheduler goes round the slots from a random one and gives each job points: ten if the host
//! has the job's file. It sends what has the most. *As shipped*, since 27 August 2012, the test
//! whether the host has a file is the wrong way round: it succeeds as soon as the host has any
//! *other* file. So a host with one file prefers everything but the jobs of that file.

use kernel::RandomStream;
use serde::{Deserialize, Serialize};

use super::random::shown_in_slots;
use super::visit::Visit;
use super::{Assignment, Decision};
use crate::volunteer::job::{FileId, JobId};
use crate::volunteer::shelf::Shelf;

/// A job in the slots whose file the host has, if there is one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LocalityLite {
    /// How many jobs with unsent instances the feeder shows.
    pub slots: u32,
    /// Whether the test for a file is the wrong way round, as in BOINC since 2012.
    pub as_shipped: bool,
}

impl Assignment for LocalityLite {
    fn choose(&mut self, visit: &mut Visit, shelf: &Shelf, random: &mut RandomStream) -> Decision {
        let shown = match shown_in_slots(shelf, self.slots) {
            Ok(shown) => shown,
            Err(decision) => return decision,
        };
        let first = random.below(shown.len() as u64) as usize;
        let (before, from_there) = shown.split_at(first);
        let mut best = None;
        for &job in from_there.iter().chain(before) {
            if !shelf.may_have(job, visit.asker) {
                continue;
            }
            if self.looks_local(shelf.file_of(job), &visit.present) {
                return Decision::Take(job);
            }
            best = best.or(Some(job));
        }
        best.map_or(Decision::Nothing, |job: JobId| Decision::Take(job))
    }
}

impl LocalityLite {
    fn looks_local(&self, file: FileId, present: &[FileId]) -> bool {
        if self.as_shipped {
            present.iter().any(|&other| other != file)
        } else {
            present.contains(&file)
        }
    }
}
