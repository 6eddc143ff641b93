//! What is computed: files, jobs and their instances.
//!
//! The project's work is an unbounded sequence of input files; each has `jobs_per_file` jobs, and
//! each job is done by several hosts: its instances (the document, sections 2.2 and 5.1; the words
//! and codes are those of BOINC's `boinc_db_types.h`). Numbers are dense, so that whoever keeps
//! something per file or per job can index by them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An input file, by its place in the project's sequence of files.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// A job: its file's number times `jobs_per_file`, plus its place in the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct JobId(pub u32);

impl JobId {
    /// The job at `place` in `file`.
    ///
    /// # Panics
    /// If the run has more than 2^32 jobs; scenarios are checked so that it has not.
    pub fn in_file(file: FileId, place: u32, jobs_per_file: u32) -> Self {
        let first = file.0.checked_mul(jobs_per_file);
        let number = first.and_then(|first| first.checked_add(place));
        JobId(number.expect("a run has fewer than 2^32 jobs"))
    }

    /// The file that the job analyses.
    pub fn file(self, jobs_per_file: u32) -> FileId {
        FileId(self.0 / jobs_per_file)
    }

    /// The job's place in its file, from zero.
    pub fn place(self, jobs_per_file: u32) -> u32 {
        self.0 % jobs_per_file
    }
}

/// The most instances a job may have: sets of instances travel as the bits of one word.
pub const MOST_INSTANCES: u32 = 32;

/// An instance of a job: to be done by one host.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct InstanceId {
    /// Of which job.
    pub job: JobId,
    /// Which of its instances, in order of creation; below [`MOST_INSTANCES`].
    pub number: u8,
}

impl fmt::Display for InstanceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.job.0, self.number)
    }
}

/// A set of instances of one job, as bits by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct InstanceSet(pub u32);

impl InstanceSet {
    /// Puts an instance in.
    pub fn insert(&mut self, number: u8) {
        self.0 |= 1 << number;
    }

    /// Whether this instance is in.
    pub fn contains(self, number: u8) -> bool {
        self.0 & (1 << number) != 0
    }

    /// Whether nobody is in.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many are in.
    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The numbers of those in the set, ascending.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..MOST_INSTANCES as u8).filter(move |number| self.0 & (1 << number) != 0)
    }
}

/// How an instance ended (BOINC's `RESULT_OUTCOME`, without `COULDNT_SEND` and `CLIENT_DETACHED`,
/// which nothing in this model causes).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// Computed, uploaded and reported; what it is worth, the validator decides.
    Success,
    /// The host reported a failure.
    ClientError,
    /// Nothing was reported by the deadline.
    NoReply,
    /// Never dispatched, because the job was over before.
    DidntNeed,
    /// The validator could not read the output.
    ValidateError,
}

/// What a computation produced, as far as a validator can tell one from another.
///
/// The document lets outputs agree or not; so an output here is a value. Correct outputs of a job
/// lie on a line, mostly all at one place; two of them agree if they are no further apart than the
/// validator's tolerance, which is the unit of length. Wrong ones agree with nothing but themselves,
/// and differ from each other unless hosts collude.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Output(pub u32);

impl Output {
    /// There is no readable output file.
    pub const MISSING: Output = Output(0);
    /// What the application computes on a sound machine.
    pub const CORRECT: Output = Output(1);
    /// What colluding hosts have agreed to say.
    pub const AGREED_LIE: Output = Output(2);

    /// A correct output at this place, in tolerances of the validator. Places are kept to the
    /// thousandth.
    pub fn correct(place: f64) -> Self {
        // The cast saturates, and takes what is no number for zero.
        match (place * THOUSANDTHS + 0.5) as u32 {
            0 => Output::CORRECT,
            place => Output(RIGHT | place.min(RIGHT - 1)),
        }
    }

    /// Whether it is correct.
    pub fn is_right(self) -> bool {
        self.place().is_some()
    }

    /// Whether a validator finds that two outputs agree. Not transitive among correct ones.
    pub fn agrees(self, other: Output) -> bool {
        match (self.place(), other.place()) {
            (Some(one), Some(other)) => one.abs_diff(other) <= THOUSANDTHS as u32,
            _ => self == other && self != Output::MISSING,
        }
    }

    fn place(self) -> Option<u32> {
        match self {
            Output::CORRECT => Some(0),
            Output(word) => (word & RIGHT != 0).then_some(word & !RIGHT),
        }
    }

    /// A wrong output of the host with this number: no two hosts produce the same.
    pub fn wrong(host: u32) -> Self {
        Output(host.saturating_add(16) & !RIGHT)
    }
}

/// Marks a correct output that is not at the usual place; the rest of the word is its place.
const RIGHT: u32 = 1 << 31;
/// How many parts of a tolerance are told apart.
const THOUSANDTHS: f64 = 1_000.0;

/// What the validator thinks of a successful instance (BOINC's `VALIDATE_STATE`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Validity {
    /// Not looked at yet.
    Init,
    /// Agrees with the canonical instance; credit is granted.
    Valid,
    /// Does not agree with it.
    Invalid,
    /// The job failed before anybody could tell.
    NoCheck,
    /// Looked at, but there is no quorum of equal outputs yet.
    Inconclusive,
    /// Reported after the canonical output was deleted.
    TooLate,
}

/// Why a job can never have a canonical instance (BOINC's `WU_ERROR` bits).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct ErrorMask(pub u8);

impl ErrorMask {
    /// More than `max_error_results` instances failed.
    pub const TOO_MANY_ERRORS: u8 = 2;
    /// More than `max_success_results` succeeded without agreeing.
    pub const TOO_MANY_SUCCESSES: u8 = 4;
    /// More instances would be needed than `max_total_results` allows.
    pub const TOO_MANY_TOTAL: u8 = 8;

    /// Whether nothing is wrong.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_knows_its_file_and_its_place() {
        let job = JobId::in_file(FileId(7), 149, 150);
        assert_eq!(job, JobId(1199));
        assert_eq!((job.file(150), job.place(150)), (FileId(7), 149));
    }

    #[test]
    fn a_set_of_instances_remembers_who_is_in() {
        let mut set = InstanceSet::default();
        assert!(set.is_empty());
        set.insert(3);
        set.insert(31);
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 31]);
        assert_eq!(set.len(), 2);
    }
}
