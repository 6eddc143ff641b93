//! One request being served: who asks, what he has, and how far the search has come.
//!
//! A rule is asked again and again until the host has what it wants, so what a search must remember
//! from one instance to the next stands here and not in the rule.

use kernel::{RandomStream, SimDuration, SimTime};
use smallvec::SmallVec;

use super::Decision;
use crate::volunteer::job::{FileId, JobId};
use crate::volunteer::shelf::{Asker, Shelf};

/// A request being served.
#[derive(Clone, Debug)]
pub struct Visit {
    /// Who asks.
    pub asker: Asker,
    /// When.
    pub now: SimTime,
    /// What the host computes by the wall clock, all processors together, in Mflop/s.
    pub mflop_per_s: u32,
    /// What the host's line carries towards it, in kB/s, as the client has measured it; 0: it has
    /// not downloaded anything yet.
    pub line_kb_per_s: u32,
    /// The files that the host has, or gets with this reply, as far as they may have work for it.
    pub present: SmallVec<[FileId; 4]>,
    /// Files that the host should delete.
    pub finished: SmallVec<[FileId; 4]>,
    /// The file of which it is getting instances.
    pub current: Option<FileId>,
    /// What comes next.
    pub step: Step,
}

/// How far a search has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Step {
    /// Nothing has been looked at.
    Begin,
    /// Instances that have waited very long come first.
    Laggards,
    /// The host's own files are being looked through.
    OwnFiles,
    /// It needs another file: first, is there an instance that has waited for long?
    OldInstance,
    /// ... then, any file in work.
    AnyFile,
    /// The files are not looked at.
    WithoutRegard,
}

/// Takes the next instance of a file for an asker: of a job that exists, or of the file's next job.
pub(super) type InFile = fn(&Shelf, FileId, Asker) -> Option<Decision>;

/// The lowest unsent instance in the file whose job the asker has had nothing of; else the file's
/// next job.
pub(super) fn lowest_in_file(shelf: &Shelf, file: FileId, asker: Asker) -> Option<Decision> {
    take_or_open(shelf, file, shelf.lowest_unsent_in(file, asker))
}

/// The lowest unsent instance in the file behind the newest that the asker has got of it; else the
/// file's next job.
pub(super) fn next_in_file(shelf: &Shelf, file: FileId, asker: Asker) -> Option<Decision> {
    take_or_open(shelf, file, shelf.next_unsent_in(file, asker))
}

fn take_or_open(shelf: &Shelf, file: FileId, found: Option<JobId>) -> Option<Decision> {
    match found {
        Some(job) => Some(Decision::Take(job)),
        None => shelf.can_open(file).then_some(Decision::Open(file)),
    }
}

impl Visit {
    /// A request from `asker`, whose host has the files `present`.
    pub fn new(asker: Asker, now: SimTime, present: SmallVec<[FileId; 4]>) -> Self {
        Visit {
            asker,
            now,
            mflop_per_s: 0,
            line_kb_per_s: 0,
            present,
            finished: SmallVec::new(),
            current: None,
            step: Step::Begin,
        }
    }

    /// Lets the round of the host's files begin at any of them.
    pub(super) fn begin_anywhere(&mut self, random: &mut RandomStream) {
        if self.present.len() > 1 {
            let first = random.below(self.present.len() as u64) as usize;
            self.present.rotate_left(first);
        }
    }

    /// An instance that has waited for longer than `timeout`, if the host's line is fast.
    pub(super) fn laggard(
        &mut self,
        shelf: &Shelf,
        timeout: SimDuration,
        fast_line_kb_per_s: u32,
    ) -> Option<Decision> {
        if timeout == SimDuration::ZERO || self.line_kb_per_s <= fast_line_kb_per_s {
            return None;
        }
        self.old_instance(shelf, SimTime::START, ago(self.now, timeout))
    }

    /// More of the file that the host is getting already.
    pub(super) fn more_of_current(&mut self, shelf: &Shelf, in_file: InFile) -> Option<Decision> {
        let decision = in_file(shelf, self.current?, self.asker);
        if decision.is_none() {
            self.current = None;
        }
        decision
    }

    /// Something of the host's own files, in their order; those in which there is nothing left for
    /// it, it should delete.
    pub(super) fn own_files(&mut self, shelf: &Shelf, in_file: InFile) -> Option<Decision> {
        while let Some(&file) = self.present.first() {
            if let Some(decision) = in_file(shelf, file, self.asker) {
                self.current = Some(file);
                return Some(decision);
            }
            self.present.remove(0);
            self.finished.push(file);
        }
        None
    }

    /// The oldest instance that was created from `from` until before `to`, if the asker may have it.
    /// Only one is looked at.
    pub(super) fn old_instance(
        &mut self,
        shelf: &Shelf,
        from: SimTime,
        to: SimTime,
    ) -> Option<Decision> {
        let job = shelf.oldest_unsent(from, to)?;
        if !shelf.may_have(job, self.asker) {
            return None;
        }
        self.current = Some(shelf.file_of(job));
        Some(Decision::Take(job))
    }

    /// Something of a file that was chosen at random from a working set of so many: open ones, or
    /// one that nobody has got yet.
    pub(super) fn random_file(
        &mut self,
        shelf: &Shelf,
        working_set: u32,
        in_file: InFile,
        random: &mut RandomStream,
    ) -> Option<Decision> {
        let open = shelf.open_files();
        let among = open.max(working_set as usize).max(1);
        let index = random.below(among as u64) as usize;
        let file = if index < open {
            shelf.open_file(index)
        } else if let Some(fresh) = shelf.fresh_file() {
            self.current = Some(fresh);
            return Some(Decision::Open(fresh));
        } else if open > 0 {
            shelf.open_file(index % open)
        } else {
            return None;
        };
        let decision = in_file(shelf, file, self.asker)?;
        self.current = Some(file);
        Some(decision)
    }

    /// The first of all open files, round from a random one, that has something for the asker; else
    /// one that nobody has got yet.
    pub(super) fn any_file(
        &mut self,
        shelf: &Shelf,
        in_file: InFile,
        random: &mut RandomStream,
    ) -> Option<Decision> {
        let open = shelf.open_files();
        if open > 0 {
            let first = shelf.open_file(random.below(open as u64) as usize);
            for file in shelf.open_files_from(first) {
                if let Some(decision) = in_file(shelf, file, self.asker) {
                    self.current = Some(file);
                    return Some(decision);
                }
            }
        }
        let fresh = shelf.fresh_file()?;
        self.current = Some(fresh);
        Some(Decision::Open(fresh))
    }
}

/// The time so long ago, but not before the start of the run.
pub(super) fn ago(now: SimTime, span: SimDuration) -> SimTime {
    SimTime::START + now.saturating_since(SimTime::START + span)
}
