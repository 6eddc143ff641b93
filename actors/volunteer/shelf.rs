//! Which work lies ready at a scheduler?
//!
//! The scheduler's own record of files, jobs and instances: which instances are unsent, and who has
//! got the others. Of the files, a scheduler owns every `stride`-th. Instances of a job are sent in
//! the order of their numbers, so the unsent ones are always the last.
//!
//! "The instance with the lowest ID" of the document's rules is the one that was created first, as
//! IDs are given in the order of creation. A job stands in line by its oldest unsent instance; a
//! replacement for one that failed stands at the end.
//!
//! A file is *open* while something of it can be sent: it has unsent instances, or jobs that have not
//! been created yet.

use std::collections::{BTreeMap, VecDeque};

use kernel::SimTime;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

mod line;
mod open_files;
mod questions;

pub use line::Stamp;
use open_files::OpenFiles;

use super::job::{FileId, InstanceId, InstanceSet, JobId};
use super::platform::Platform;
use super::replication::Extent;

/// Whoever asks for work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asker {
    /// As far as "one instance of a job per volunteer" cares: the volunteer's number, or the host's
    /// if the rule holds per host.
    who: u32,
    /// If jobs are bound to platforms: on which one the host computes.
    platform: Option<Platform>,
}

impl Asker {
    /// The volunteer, or host, with this number.
    pub fn new(who: u32) -> Self {
        Asker {
            who,
            platform: None,
        }
    }

    /// Gets only jobs whose other instances went to this platform.
    pub fn on(self, platform: Option<Platform>) -> Self {
        Asker { platform, ..self }
    }
}

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
    /// Files of which something can be sent, by their places.
    open_files: OpenFiles,
    /// Jobs with unsent instances, by the oldest of these.
    unsent: BTreeMap<Stamp, JobId>,
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
    /// Numbers of jobs with unsent instances, by the oldest of these.
    unsent: BTreeMap<Stamp, u32>,
    /// The newest instance that each asker has got.
    newest_sent: BTreeMap<u32, Stamp>,
    /// Where it stands in the list of open files, if it does.
    open_at: Option<u32>,
}

/// A job that has been created.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct JobWork {
    /// Who has got which instance, by number.
    sent: SmallVec<[Sent; 4]>,
    /// How many instances have not been sent, and the oldest of these.
    unsent: u8,
    oldest: Stamp,
    /// Which instances have been reported.
    reported: InstanceSet,
    /// How many instances it has at first, and how large its quorum is.
    extent: Extent,
    /// The platform to which its instances are bound.
    platform: Option<Platform>,
}

/// Who has got an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Sent {
    /// The volunteer, or the host.
    who: u32,
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
            open_files: OpenFiles::default(),
            unsent: BTreeMap::new(),
            next_id: 0,
            in_sequence: None,
        }
    }

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
    pub fn open(&mut self, file: FileId, instances: u8, now: SimTime) -> (JobId, bool) {
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
            oldest: Stamp::FIRST,
            reported: InstanceSet::default(),
            extent: Extent::SINGLE,
            platform: None,
        });
        self.in_sequence = Some(place);
        let job = JobId::in_file(file, number, self.jobs_per_file);
        self.add_instances(job, instances, now);
        self.note_whether_open(place);
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
        taken.platform = taken.platform.or(asker.platform);
        let who = asker.who;
        taken.sent.push(Sent { who, record });
        let stamp = taken.oldest;
        let newest = work.newest_sent.entry(asker.who).or_insert(stamp);
        *newest = (*newest).max(stamp);
        self.leave_line_if_empty(place, number);
        InstanceId {
            job,
            number: instance,
        }
    }

    /// The transitioner has created that many more instances of the job.
    pub fn add_instances(&mut self, job: JobId, count: u8, now: SimTime) {
        let (place, number) = self.find(job);
        let stamp = Stamp {
            created: now,
            id: self.next_id,
        };
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
            entry.oldest = stamp;
            work.unsent.insert(stamp, number as u32);
            self.unsent.insert(stamp, job);
            self.note_whether_open(place);
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

    /// The extent of a job that is there.
    pub fn extent(&self, job: JobId) -> Option<Extent> {
        self.job(job).map(|job| job.extent)
    }

    /// Notes how many instances the job is to have; those beyond the first the transitioner creates.
    pub fn set_extent(&mut self, job: JobId, extent: Extent) {
        let (place, number) = self.find(job);
        let work = self.work_mut(place);
        if let Some(job) = work.and_then(|work| work.jobs.get_mut(number)) {
            job.extent = extent;
        }
    }

    /// The job's instances may go to any platform again.
    pub fn free_platform(&mut self, job: JobId) {
        let (place, number) = self.find(job);
        let work = self.work_mut(place);
        if let Some(job) = work.and_then(|work| work.jobs.get_mut(number)) {
            job.platform = None;
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
            work.newest_sent = BTreeMap::new();
        }
        self.note_whether_open(place);
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
            let stamp = job.oldest;
            work.unsent.remove(&stamp);
            self.unsent.remove(&stamp);
            self.note_whether_open(place);
        }
    }

    /// Keeps the list of open files true after something about the file has changed.
    fn note_whether_open(&mut self, place: u32) {
        let all = self.jobs_per_file;
        let Some(work) = self.work(place) else {
            return;
        };
        let open = !work.unsent.is_empty() || work.can_open(all);
        match (open, work.open_at) {
            (true, None) => {
                let at = self.open_files.insert(place);
                self.set_open_at(place, Some(at));
            }
            (false, Some(at)) => {
                self.set_open_at(place, None);
                // Another file takes its entry in the list.
                if let Some(moved) = self.open_files.remove(at) {
                    self.set_open_at(moved, Some(at));
                }
            }
            _ => {}
        }
    }

    fn set_open_at(&mut self, place: u32, at: Option<u32>) {
        let work = self.work_mut(place).expect("an open file is on the shelf");
        work.open_at = at;
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

impl FileWork {
    /// Whether there are jobs that have not been created yet. A file that is done with has dropped
    /// its jobs; it is not open again.
    fn can_open(&self, jobs_per_file: u32) -> bool {
        self.deleted < jobs_per_file && self.jobs.len() < jobs_per_file as usize
    }
}

impl JobWork {
    fn may_go_to(&self, asker: Asker) -> bool {
        let fits = match (self.platform, asker.platform) {
            (Some(bound), Some(platform)) => bound == platform,
            _ => true,
        };
        self.unsent > 0 && fits && self.sent.iter().all(|sent| sent.who != asker.who)
    }
}

#[cfg(test)]
mod tests;
