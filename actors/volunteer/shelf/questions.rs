//! What do rules of assignment ask the shelf?

use kernel::SimTime;
use smallvec::SmallVec;

use super::{Asker, Shelf, Stamp};
use crate::volunteer::job::{FileId, JobId};

impl Shelf {
    /// The job of the oldest unsent instance in `file` that the asker may have.
    pub fn lowest_unsent_in(&self, file: FileId, asker: Asker) -> Option<JobId> {
        let work = self.work(self.place_of(file))?;
        let mut in_line = work.unsent.values();
        let number = in_line.find(|&&number| work.jobs[number as usize].may_go_to(asker))?;
        Some(JobId::in_file(file, *number, self.jobs_per_file))
    }

    /// The job of the oldest unsent instance at all that the asker may have.
    pub fn lowest_unsent(&self, asker: Asker) -> Option<JobId> {
        let mut in_line = self.unsent.values();
        in_line.find(|&&job| self.may_have(job, asker)).copied()
    }

    /// The job of the oldest unsent instance in `file` that is newer than all that the asker has got
    /// of this file: where he goes on.
    pub fn next_unsent_in(&self, file: FileId, asker: Asker) -> Option<JobId> {
        let work = self.work(self.place_of(file))?;
        let newest = work.newest_sent.get(&asker.who);
        let after = newest.map_or(Stamp::FIRST, |stamp| stamp.next());
        let mut in_line = work.unsent.range(after..).map(|(_, number)| number);
        let number = in_line.find(|&&number| work.jobs[number as usize].may_go_to(asker))?;
        Some(JobId::in_file(file, *number, self.jobs_per_file))
    }

    /// The job of the oldest unsent instance that was created from `from` until before `to`.
    pub fn oldest_unsent(&self, from: SimTime, to: SimTime) -> Option<JobId> {
        if from >= to {
            return None;
        }
        let window = Stamp::earliest_at(from)..Stamp::earliest_at(to);
        self.unsent.range(window).next().map(|(_, &job)| job)
    }

    /// When the oldest unsent instance of `file` was created, if there is one.
    pub fn waits_since(&self, file: FileId) -> Option<SimTime> {
        let (stamp, _) = self.work(self.place_of(file))?.unsent.first_key_value()?;
        Some(stamp.created)
    }

    /// How many jobs of `file` have unsent instances.
    pub fn jobs_waiting_in(&self, file: FileId) -> usize {
        self.work(self.place_of(file))
            .map_or(0, |work| work.unsent.len())
    }

    /// How many files are open.
    pub fn open_files(&self) -> usize {
        self.open_files.len()
    }

    /// One of the open files, in no order that means anything.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn open_file(&self, index: usize) -> FileId {
        self.file_at(self.open_files.get(index))
    }

    /// All open files in the order of their numbers, round from `first`.
    pub fn open_files_from(&self, first: FileId) -> impl Iterator<Item = FileId> + '_ {
        let first = self.place_of(first).saturating_sub(self.gone);
        let count = self.files.len() as u32;
        let places = (first.min(count)..count).chain(0..first.min(count));
        places
            .filter(|&place| self.files[place as usize].open_at.is_some())
            .map(|place| self.file_at(place + self.gone))
    }

    /// Whether the asker may have an unsent instance of the job.
    pub fn may_have(&self, job: JobId, asker: Asker) -> bool {
        self.job(job).is_some_and(|job| job.may_go_to(asker))
    }

    /// The jobs of the oldest unsent instances, at most so many.
    pub fn jobs_with_unsent(&self, most: usize) -> SmallVec<[JobId; 128]> {
        self.unsent.values().take(most).copied().collect()
    }

    /// Whether there are jobs in the file that have not been created yet.
    pub fn can_open(&self, file: FileId) -> bool {
        self.work(self.place_of(file))
            .is_some_and(|work| work.can_open(self.jobs_per_file))
    }

    /// A file that nobody has got yet.
    pub fn fresh_file(&self) -> Option<FileId> {
        (self.opened < self.ready).then(|| self.file_at(self.opened))
    }

    /// The file of the next job, if jobs are created one after another.
    pub fn next_in_sequence(&self) -> Option<FileId> {
        self.in_sequence
            .map(|place| self.file_at(place))
            .filter(|&file| self.can_open(file))
            .or_else(|| self.fresh_file())
    }

    /// The jobs of unsent instances that were created before then, the oldest first.
    pub fn waiting_before(&self, time: SimTime) -> impl Iterator<Item = JobId> + '_ {
        self.unsent
            .range(..Stamp::earliest_at(time))
            .map(|(_, &job)| job)
    }

    /// The file of a job.
    pub fn file_of(&self, job: JobId) -> FileId {
        job.file(self.jobs_per_file)
    }

    /// The first file that has not been done with; all before are gone.
    pub fn first_file(&self) -> FileId {
        self.file_at(self.gone)
    }
}
