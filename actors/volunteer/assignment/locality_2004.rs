//! Algorithm 1 of the document: locality scheduling of September 2004, as intended.
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
//! Two things are as the document means them, not as the first revision did them. Jobs of a file
//! are created when they are needed, so a host goes on with its file until the file's last job; and
//! a host is told to delete a file when nothing in it is left for it (the revision of 2004 did so
//! when a file *had* work, by a slip). When none of the host's files has work for it, it gets new
//! file work, or it would never get any again.

use kernel::RandomStream;
use serde::{Deserialize, Serialize};

use super::{Assignment, Decision, FilesOfHost};
use crate::volunteer::shelf::{Asker, Shelf};

/// Work for the files that the host has; else the oldest unsent instance; else a new file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Locality2004;

impl Assignment for Locality2004 {
    fn choose(
        &mut self,
        asker: Asker,
        files: &mut FilesOfHost,
        shelf: &Shelf,
        _random: &mut RandomStream,
    ) -> Decision {
        while let Some(&file) = files.present.first() {
            if let Some(job) = shelf.lowest_unsent_in(file, asker) {
                return Decision::Take(job);
            }
            if shelf.can_open(file) {
                return Decision::Open(file);
            }
            files.present.remove(0);
            files.finished.push(file);
        }
        match shelf.lowest_unsent(asker) {
            Some(job) => Decision::Take(job),
            None => shelf.fresh_file().map_or(Decision::Nothing, Decision::Open),
        }
    }
}
