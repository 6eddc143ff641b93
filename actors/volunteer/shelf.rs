//! Which work lies ready at a scheduler?
//!
//! The scheduler's own record of files, jobs and instances: which instances are unsent, and who has
//! got the others. Of the files, a scheduler owns every `stride`-th. Instances of a job are sent in
//! the order of their numbers, so the unsent ones are always the last.
//!
//! "The instance with the lowest ID" of the document's rules is the one that was created first, as
//! IDs are given in the order of creation. A job stands in line by its oldest unsent instance; a
//! replacement for one that failed stands at the end.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::job::{FileId, InstanceId, InstanceSet, JobId};

/// Whoever asks for work, as far as "one instance of a job per volunteer" cares: the volunteer's
/// number, or the host's if the rule holds per host.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Asker(pub u32);

/// The work that lies ready at one scheduler.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Shelf {
    jobs_per_file: u32,
    stride: u32,
    offset: u32,
    /// Files by their place among this scheduler's, the first `gone` of which have been dropped.
    files: VecDeque<FileWork>,
    gone: u32,
    /// How many files are usable in all; the next fresh one has the number of opened ones.
    ready: u32,
    opened: u32,
    /// Jobs with unsent instances, by the ID of the oldest.
    unsent: BTreeMap<u64, JobId>,
    next_id: u64,
    /// Place of the file whose jobs are given out in sequence.
    in_sequence: Option<u32>,
}

/// A file that has been opened.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct FileWork {
    jobs: Vec<JobWork>,
    /// How many jobs are deleted.
    deleted: u32,
    /// Numbers of jobs with unsent instances, by the ID of the oldest.
    unsent: BTreeMap<u64, u32>,
}

/// A job that has been created.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct JobWork {
    /// Who has got which instance, by number.
    sent: SmallVec<[Sent; 4]>,
    /// How many instances have not been sent, and the ID of the oldest.
    unsent: u8,
    oldest: u64,
    /// Which instances have been reported.
    reported: InstanceSet,
}

/// Who has got an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Sent {
    asker: Asker,
    /// The host's record.
    record: u32,
}

/// What a report of an instance means to the scheduler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reported {
    /// The host had it, and reports it for the first time.
    News,
    /// It is unknown, was never sent to this host, or was reported before: acknowledge and forget.
    Ignore,
}

impl Shelf {
    /// An empty shelf for the scheduler number `offset` of `stride`.
    pub fn new(jobs_per_file: u32, stride: u32, offset: u32) -> Self {
        Shelf {
            jobs_per_file,
            stride,
            offset,
            files: VecDeque::new(),
            gone: 0,
            ready: 0,
            opened: 0,
            unsent: BTreeMap::new(),
            next_id: 0,
            in_sequence: None,
        }
    }

    // What rules of assignment ask.

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
        // A file that is done with has dropped its jobs; it is not open again.
        self.work(self.place_of(file)).is_some_and(|work| {
            work.deleted < self.jobs_per_file && work.jobs.len() < self.jobs_per_file as usize
        })
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

    // What the scheduler does.

    /// How many files are ready that nobody has got yet.
    pub fn fresh_files(&self) -> u32 {
        self.ready - self.opened
    }

    /// Puts that many more files on the shelf.
    pub fn add_files(&mut self, count: u32) {
        self.ready += count;
    }

    /// Creates the next job of `file` with that many unsent instances. Tells whether it is the
    /// file's first.
    ///
    /// # Panics
    /// If the file has no further job: a rule opens only what can be opened.
    pub fn open(&mut self, file: FileId, instances: u8) -> (JobId, bool) {
        let place = self.place_of(file);
        let fresh = place == self.opened && place < self.ready;
        if fresh {
            self.files.push_back(FileWork::default());
            self.opened += 1;
        }
        let most = self.jobs_per_file as usize;
        let work = self.work_mut(place).expect("a rule opens files that exist");
        assert!(
            work.jobs.len() < most,
            "a rule opens no more jobs than a file has"
        );
        let number = work.jobs.len() as u32;
        work.jobs.push(JobWork {
            sent: SmallVec::new(),
            unsent: 0,
            oldest: 0,
            reported: InstanceSet::default(),
        });
        self.in_sequence = Some(place);
        let job = JobId::in_file(file, number, self.jobs_per_file);
        self.add_instances(job, instances);
        (job, fresh)
    }

    /// Takes the next unsent instance of `job` for a host.
    ///
    /// # Panics
    /// If there is none, or the asker has had one: rules do not choose such a job.
    pub fn take(&mut self, job: JobId, asker: Asker, record: u32) -> InstanceId {
        let (place, number) = self.find(job);
        let work = self.work_mut(place).expect("a rule takes jobs that exist");
        let taken = &mut work.jobs[number];
        assert!(
            taken.may_go_to(asker),
            "one instance of a job per volunteer"
        );
        taken.unsent -= 1;
        let instance = taken.sent.len() as u8;
        taken.sent.push(Sent { asker, record });
        self.leave_line_if_empty(place, number);
        InstanceId {
            job,
            number: instance,
        }
    }

    /// The transitioner has created that many more instances of the job.
    pub fn add_instances(&mut self, job: JobId, count: u8) {
        let (place, number) = self.find(job);
        let id = self.next_id;
        self.next_id += u64::from(count);
        let Some(work) = self.work_mut(place) else {
            return;
        };
        let Some(entry) = work.jobs.get_mut(number) else {
            return;
        };
        let alone = entry.unsent == 0;
        entry.unsent += count;
        if alone && count > 0 {
            entry.oldest = id;
            work.unsent.insert(id, number as u32);
            self.unsent.insert(id, job);
        }
    }

    /// Takes the unsent instances of the job off the shelf; returns which they were.
    pub fn withdraw(&mut self, job: JobId) -> InstanceSet {
        let (place, number) = self.find(job);
        let mut withdrawn = InstanceSet::default();
        let work = self.work_mut(place);
        let Some(taken) = work.and_then(|work| work.jobs.get_mut(number)) else {
            return withdrawn;
        };
        let first = taken.sent.len() as u8;
        for instance in first..first + taken.unsent {
            withdrawn.insert(instance);
        }
        taken.unsent = 0;
        self.leave_line_if_empty(place, number);
        withdrawn
    }

    /// Notes that a host reports an instance.
    pub fn report(&mut self, instance: InstanceId, record: u32) -> Reported {
        let (place, number) = self.find(instance.job);
        let Some(job) = self
            .work_mut(place)
            .and_then(|work| work.jobs.get_mut(number))
        else {
            return Reported::Ignore;
        };
        let had_it = job
            .sent
            .get(usize::from(instance.number))
            .is_some_and(|sent| sent.record == record);
        let before = job.reported;
        job.reported.insert(instance.number);
        if had_it && job.reported != before {
            Reported::News
        } else {
            job.reported = before;
            Reported::Ignore
        }
    }

    /// The record of the host that has got an instance.
    pub fn holder(&self, instance: InstanceId) -> Option<u32> {
        let sent = &self.job(instance.job)?.sent;
        sent.get(usize::from(instance.number))
            .map(|sent| sent.record)
    }

    /// Forgets a job. Tells whether it was the last of its file.
    pub fn delete(&mut self, job: JobId) -> bool {
        let (place, _) = self.find(job);
        let all = self.jobs_per_file;
        let Some(work) = self.work_mut(place) else {
            return false;
        };
        work.deleted += 1;
        let done = work.deleted == all;
        if done {
            work.jobs = Vec::new();
        }
        while self.files.front().is_some_and(|work| work.deleted == all) {
            self.files.pop_front();
            self.gone += 1;
        }
        done
    }

    fn leave_line_if_empty(&mut self, place: u32, number: usize) {
        let Some(work) = self.work_mut(place) else {
            return;
        };
        let job = &work.jobs[number];
        if job.unsent == 0 {
            let id = job.oldest;
            work.unsent.remove(&id);
            self.unsent.remove(&id);
        }
    }

    fn find(&self, job: JobId) -> (u32, usize) {
        let place = self.place_of(job.file(self.jobs_per_file));
        (place, job.place(self.jobs_per_file) as usize)
    }

    fn place_of(&self, file: FileId) -> u32 {
        file.0 / self.stride
    }

    fn file_at(&self, place: u32) -> FileId {
        FileId(place * self.stride + self.offset)
    }

    fn work(&self, place: u32) -> Option<&FileWork> {
        self.files.get(place.checked_sub(self.gone)? as usize)
    }

    fn work_mut(&mut self, place: u32) -> Option<&mut FileWork> {
        self.files.get_mut(place.checked_sub(self.gone)? as usize)
    }

    fn job(&self, job: JobId) -> Option<&JobWork> {
        let (place, number) = self.find(job);
        self.work(place)?.jobs.get(number)
    }
}

impl JobWork {
    fn may_go_to(&self, asker: Asker) -> bool {
        self.unsent > 0 && self.sent.iter().all(|sent| sent.asker != asker)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelf() -> Shelf {
        let mut shelf = Shelf::new(3, 2, 1);
        shelf.add_files(2);
        shelf
    }

    #[test]
    fn a_scheduler_owns_every_stride_th_file() {
        let mut shelf = shelf();
        assert_eq!(shelf.fresh_file(), Some(FileId(1)));
        let (job, fresh) = shelf.open(FileId(1), 2);
        assert_eq!((job, fresh), (JobId(3), true));
        assert_eq!(shelf.fresh_file(), Some(FileId(3)));
        shelf.open(FileId(3), 2);
        assert_eq!(shelf.fresh_file(), None);
    }

    #[test]
    fn a_volunteer_gets_one_instance_of_a_job() {
        // Field case 3 (BOINC issue 4303): two hosts of one volunteer, two unsent instances.
        let mut shelf = shelf();
        let (job, _) = shelf.open(FileId(1), 2);
        let (first_host, second_host) = (0, 1);
        shelf.take(job, Asker(7), first_host);
        assert_eq!(
            shelf.lowest_unsent(Asker(7)),
            None,
            "for {second_host}, too"
        );
        assert_eq!(shelf.lowest_unsent(Asker(8)), Some(job));
    }

    #[test]
    fn unsent_instances_are_found_again_after_more_were_created() {
        let mut shelf = shelf();
        let (first, _) = shelf.open(FileId(1), 1);
        let (second, _) = shelf.open(FileId(1), 1);
        shelf.take(first, Asker(1), 1);
        assert_eq!(shelf.lowest_unsent(Asker(2)), Some(second));
        shelf.add_instances(first, 1);
        assert_eq!(
            shelf.lowest_unsent(Asker(2)),
            Some(second),
            "created before"
        );
        shelf.take(second, Asker(2), 2);
        assert_eq!(shelf.lowest_unsent(Asker(2)), Some(first));
        assert_eq!(shelf.lowest_unsent(Asker(1)), None);
        assert_eq!(shelf.withdraw(first).iter().collect::<Vec<_>>(), [1]);
        assert_eq!(shelf.lowest_unsent(Asker(2)), None);
    }

    #[test]
    fn a_report_counts_once_and_only_from_the_host_that_has_the_instance() {
        let mut shelf = shelf();
        let (job, _) = shelf.open(FileId(1), 2);
        let instance = shelf.take(job, Asker(1), 4);
        assert_eq!(shelf.report(instance, 5), Reported::Ignore);
        assert_eq!(shelf.report(instance, 4), Reported::News);
        assert_eq!(shelf.report(instance, 4), Reported::Ignore);
        let unknown = InstanceId {
            job: JobId(5),
            number: 0,
        };
        assert_eq!(shelf.report(unknown, 4), Reported::Ignore);
    }

    #[test]
    fn a_file_goes_when_all_its_jobs_are_gone() {
        let mut shelf = shelf();
        let jobs: Vec<JobId> = (0..3).map(|_| shelf.open(FileId(1), 1).0).collect();
        assert!(!shelf.can_open(FileId(1)));
        for _ in 0..3 {
            let (job, _) = shelf.open(FileId(3), 1);
            shelf.delete(job);
        }
        assert!(
            !shelf.can_open(FileId(3)),
            "done with, though an older file is not"
        );
        assert!(!shelf.delete(jobs[1]));
        assert!(!shelf.delete(jobs[0]));
        assert!(shelf.delete(jobs[2]));
        assert_eq!(shelf.lowest_unsent_in(FileId(1), Asker(1)), None);
        assert!(!shelf.can_open(FileId(1)));
    }
}
