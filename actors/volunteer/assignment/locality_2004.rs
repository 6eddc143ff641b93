//! Algorithm 1 of the document: locality scheduling of September 2004, as intended and as shipped.
//!
//! ```text
//! function send_new_file_work
//!     send result R with lowest ID such that no result of its job has been sent to U
//!     if none: create new file f; send result R from f with lowest ID
//! function send_results_for_file(f)
//!     send result R with lowest ID such that R.file == f
//!         and no result of its job has been sent to U
//! if F is empty: send_new_file_work()
//! else for f in F: if send_results_for_file(f) break
//! ```
//!
//! Jobs of a file are created when they are needed, so a host goes on with its file until the file's
//! last job. When none of the host's files has work for it, it gets new file work, or it would never
//! get any again.
//!
//! *As intended*, a host is told to delete a file when nothing in it is left for it. *As shipped*
//! (revision 1.1), the program counted what it had failed to send instead of what it had sent, so
//! the host was told to delete just those files of which it had been sent something; it keeps the
//! file for what it was sent, and must fetch it again for more.

use kernel::RandomStream;
use serde::{Deserialize, Serialize};

use super::visit::{Step, Visit, lowest_in_file};
use super::{Assignment, Decision};
use crate::volunteer::shelf::Shelf;

/// Work for the files that the host has; else the oldest unsent instance; else a new file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Locality2004 {
    /// Whether the wrong files are deleted, as the first revision did.
    pub as_shipped: bool,
}

impl Assignment for Locality2004 {
    fn choose(&mut self, visit: &mut Visit, shelf: &Shelf, _random: &mut RandomStream) -> Decision {
        let own = if self.as_shipped {
            own_files_as_shipped(visit, shelf)
        } else {
            visit.own_files(shelf, lowest_in_file)
        };
        own.unwrap_or_else(|| match shelf.lowest_unsent(visit.asker) {
            Some(job) => Decision::Take(job),
            None => shelf.fresh_file().map_or(Decision::Nothing, Decision::Open),
        })
    }
}

/// Work for the files that the host had when it asked; each that is reached is to be deleted: those
/// with work by the slip, those without as intended.
fn own_files_as_shipped(visit: &mut Visit, shelf: &Shelf) -> Option<Decision> {
    if visit.step == Step::AnyFile {
        return None;
    }
    while let Some(&file) = visit.present.first() {
        if !visit.finished.contains(&file) {
            visit.finished.push(file);
        }
        if let Some(decision) = lowest_in_file(shelf, file, visit.asker) {
            return Some(decision);
        }
        visit.present.remove(0);
    }
    visit.step = Step::AnyFile;
    None
}
