//! Algorithm 3 of the document: locality scheduling of 17 January 2005.
//!
//! ```text
//! If there's an unsent result R older than 7 days, and feasible, send it
//! for f in F: if send_results_for_file(f) return
//! If there's an unsent result R older than 2 hours, send it
//! Select a file f randomly from the set of files with unsent results
//!     if send_results_for_file(f) return
//!     for all unsent results R, enumerated starting from f: if feasible, send
//! ```
//!
//! What the program did besides, the document leaves out: it went round the host's files from a
//! random one; after an old result it went on with that result's file; it asked the work generator
//! for more jobs of a file before it gave the file up; and it began again as long as the host wanted
//! work and got some. "The set of files with unsent results" is the work generator's working set.

use kernel::{RandomStream, SimDuration, SimTime};
use serde::{Deserialize, Serialize};

use super::visit::{Step, Visit, ago, lowest_in_file};
use super::{Assignment, Decision};
use crate::volunteer::shelf::Shelf;

/// Very old instances; the host's own files; old instances; a file at random.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Locality2005January {
    /// An instance that has waited for so long goes to the next host.
    pub old_after: SimDuration,
    /// An instance that has waited for so long goes to the next host that needs a new file.
    pub waiting_after: SimDuration,
    /// How many files the work generator keeps in work.
    pub working_set: u32,
}

impl Assignment for Locality2005January {
    fn choose(&mut self, visit: &mut Visit, shelf: &Shelf, random: &mut RandomStream) -> Decision {
        if let Some(more) = visit.more_of_current(shelf, lowest_in_file) {
            return more;
        }
        let old = |visit: &mut Visit, after| {
            visit.old_instance(shelf, SimTime::START, ago(visit.now, after))
        };
        if visit.step == Step::Begin {
            visit.step = Step::OwnFiles;
            visit.begin_anywhere(random);
            if let Some(instance) = old(visit, self.old_after) {
                return instance;
            }
        }
        if visit.step == Step::OwnFiles {
            if let Some(own) = visit.own_files(shelf, lowest_in_file) {
                return own;
            }
            visit.step = Step::OldInstance;
        }
        if visit.step == Step::OldInstance {
            visit.step = Step::AnyFile;
            if let Some(instance) = old(visit, self.waiting_after) {
                return instance;
            }
        }
        visit.step = Step::Begin;
        visit
            .random_file(shelf, self.working_set, lowest_in_file, random)
            .or_else(|| visit.any_file(shelf, lowest_in_file, random))
            .unwrap_or(Decision::Nothing)
    }
}
