//! Algorithm 4, which the document leaves empty: locality scheduling of 15 February 2005.
//!
//! Reconstructed from the program of the minute that the document names (revision 1.45). T is 7
//! days, U the volunteer, H the host:
//!
//! ```text
//! if H's line is fast: send_old(created before now - T)         laggards only over fast lines
//! for f in F, round from a random one, while work is needed:
//!     if nothing of f could be sent: tell H to delete f
//! while work is needed:
//!     B = now - T / 2;  A = B - x T / 2, x uniform in (0, 1)
//!     send_old(created in (A, B))
//!     f = a random file of the working set: send_for_file(f)
//!     else all files, round from a random one: send_for_file, until something is sent
//! send_old: take ONE unsent result in the window, the lowest; if U may have it, send it, and then
//!     send_for_file(its file)
//! send_for_file(f): the lowest unsent result of f behind the last that U has got of f; if there is
//!     none, ask the work generator for more jobs of f
//! ```
//!
//! What is new against January: the window of ages that differs from request to request, so that not
//! every host in need is sent to the same file; laggards only for fast lines; and one goes through a
//! file forwards only.

use kernel::{RandomStream, SimDuration, SimTime};
use serde::{Deserialize, Serialize};

use super::visit::{Step, Visit, ago, next_in_file};
use super::{Assignment, Decision};
use crate::volunteer::shelf::Shelf;

/// Laggards for fast lines; the host's own files; an instance of a random age; a file at random.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Locality2005February {
    /// T: an instance that has waited for so long goes to the next host with a fast line.
    pub send_timeout: SimDuration,
    /// From this on a line is fast, in kB/s.
    pub fast_line_kb_per_s: u32,
    /// How many files the work generator keeps in work.
    pub working_set: u32,
}

impl Assignment for Locality2005February {
    fn choose(&mut self, visit: &mut Visit, shelf: &Shelf, random: &mut RandomStream) -> Decision {
        if let Some(more) = visit.more_of_current(shelf, next_in_file) {
            return more;
        }
        if visit.step == Step::Begin {
            visit.step = Step::OwnFiles;
            visit.begin_anywhere(random);
            let laggard = visit.laggard(shelf, self.send_timeout, self.fast_line_kb_per_s);
            if let Some(laggard) = laggard {
                return laggard;
            }
        }
        if visit.step == Step::OwnFiles {
            if let Some(own) = visit.own_files(shelf, next_in_file) {
                return own;
            }
            visit.step = Step::OldInstance;
        }
        if visit.step == Step::OldInstance {
            visit.step = Step::AnyFile;
            let half = self.send_timeout / 2;
            let part = SimDuration::from_secs_f64(half.as_secs_f64() * random.uniform());
            let to = ago(visit.now, half);
            let from = SimTime::START + to.saturating_since(SimTime::START + part);
            if let Some(instance) = visit.old_instance(shelf, from, to) {
                return instance;
            }
        }
        visit.step = Step::OldInstance;
        visit
            .random_file(shelf, self.working_set, next_in_file, random)
            .or_else(|| visit.any_file(shelf, next_in_file, random))
            .unwrap_or(Decision::Nothing)
    }
}
