//! Our own rule: hosts of one pace go through a file together.
//!
//! What the rules of the document leave to chance is who meets whom at a file. A host that needs a
//! new file is sent wherever something unsent lies, so a file gets more hosts than its jobs need,
//! each of which downloads it; and fast and slow hosts meet, so that the fast ones wait for their
//! credit. This rule makes *convoys* (Figure 3a of the document): a file has a number of places, and
//! they are taken by hosts of nearly the same pace. With as many places as a job has instances, every
//! job must wait for the slowest host of the convoy; with twice as many, a job is done by those that
//! come first, and a convoy that has lost a host needs no other.
//!
//! * A host goes on with its own file, the lowest unsent instance first.
//! * One that needs a new file takes a place in a convoy of its pace that is being formed; else it
//!   begins one with a new file.
//! * A convoy that has lost a host (Figure 3b) shows this by an instance that nobody takes: one that
//!   has waited longer than `patience` gives its convoy another place, for a host that is at least
//!   as fast. One place at a time, since the newcomer must be given the time to catch up.
//! * A host that has run ahead by `lead` jobs (Figure 3c) either gets an *extra file* and goes on
//!   with both in turn, or its file gets *more hosts*, as the document proposes.
//!
//! So why should it be better? A file is downloaded by hardly more hosts than must have it, and
//! whoever reports a result waits only for hosts that are as fast as he is.

use std::collections::BTreeMap;

use kernel::{RandomStream, SimDuration, SimTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::visit::{Visit, ago};
use super::{Assignment, Decision};
use crate::volunteer::job::{FileId, JobId};
use crate::volunteer::shelf::Shelf;

/// What is done about a host that runs ahead of the others in its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ahead {
    /// It gets another file besides, and goes on with both in turn.
    #[default]
    ExtraFile,
    /// Its file gets another place, for a host that is at least as fast as the convoy.
    MoreHosts,
    /// Nothing.
    LetRun,
}

/// Places in convoys of one pace.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Convoys {
    /// How many hosts a convoy has at first.
    pub places: u32,
    /// Hosts whose paces differ by less than this factor may be in one convoy.
    pub pace_ratio: f64,
    /// An instance that waits for longer than this shows that its convoy needs another host.
    pub patience: SimDuration,
    /// A host that is so many jobs ahead has run too far; 0: none ever has.
    pub lead: u32,
    /// What is done then.
    pub ahead: Ahead,
    /// What is known of each file in work.
    convoys: BTreeMap<FileId, Convoy>,
    /// The convoy of each pace that is being formed.
    forming: BTreeMap<i32, FileId>,
}

/// The hosts of a file.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Convoy {
    pace: i32,
    free_places: u32,
    /// When a host last joined.
    joined: SimTime,
}

/// A host has no more files than this at a time, however far it runs ahead.
const MOST_FILES: usize = 3;

/// How many instances that have waited too long are looked at.
const MOST_LOOKED_AT: usize = 256;

impl Assignment for Convoys {
    fn choose(&mut self, visit: &mut Visit, shelf: &Shelf, _random: &mut RandomStream) -> Decision {
        match self.own_file(visit, shelf) {
            Own::Work(decision) => decision,
            Own::Ahead { otherwise } if self.ahead == Ahead::ExtraFile => self
                .another_file(visit, shelf)
                .unwrap_or(Decision::Open(otherwise)),
            Own::Ahead { otherwise } => {
                if self.ahead == Ahead::MoreHosts {
                    self.make_place(otherwise, visit.now);
                }
                Decision::Open(otherwise)
            }
            Own::Nothing => self.another_file(visit, shelf).unwrap_or(Decision::Nothing),
        }
    }
}

/// What the host's own files have for it.
enum Own {
    Work(Decision),
    /// Only jobs that nobody else has got to yet; the least far ahead it is in this file.
    Ahead {
        otherwise: FileId,
    },
    Nothing,
}

impl Convoys {
    /// The rule with empty roads.
    pub fn new(
        places: u32,
        pace_ratio: f64,
        patience: SimDuration,
        lead: u32,
        ahead: Ahead,
    ) -> Self {
        Convoys {
            places,
            pace_ratio,
            patience,
            lead,
            ahead,
            convoys: BTreeMap::new(),
            forming: BTreeMap::new(),
        }
    }

    fn own_file(&self, visit: &mut Visit, shelf: &Shelf) -> Own {
        // First where others are ahead of it; then where it is the least far ahead of others.
        let behind = |&file: &FileId| shelf.lowest_unsent_in(file, visit.asker);
        if let Some(job) = visit.present.iter().find_map(behind) {
            return Own::Work(Decision::Take(job));
        }
        let finished = &mut visit.finished;
        visit.present.retain(|file| {
            let goes_on = shelf.can_open(*file);
            if !goes_on {
                finished.push(*file);
            }
            goes_on
        });
        let waiting = |file: &FileId| shelf.jobs_waiting_in(*file);
        let Some(&file) = visit.present.iter().min_by_key(|&file| waiting(file)) else {
            return Own::Nothing;
        };
        let too_far = self.lead > 0 && waiting(&file) >= self.lead as usize;
        if too_far && visit.present.len() < MOST_FILES {
            Own::Ahead { otherwise: file }
        } else {
            Own::Work(Decision::Open(file))
        }
    }

    fn another_file(&mut self, visit: &Visit, shelf: &Shelf) -> Option<Decision> {
        let pace = self.pace_of(visit.mflop_per_s);
        if let Some(job) = self.place_that_was_left(visit, shelf, pace) {
            self.join(shelf.file_of(job), visit.now);
            return Some(Decision::Take(job));
        }
        if let Some(decision) = self.place_in_forming(visit, shelf, pace) {
            return Some(decision);
        }
        let file = shelf.fresh_file();
        let Some(file) = file else {
            // Rather a wrong convoy than no work.
            return shelf.lowest_unsent(visit.asker).map(Decision::Take);
        };
        self.forget_files_before(shelf.first_file());
        let convoy = Convoy {
            pace,
            free_places: self.places.saturating_sub(1),
            joined: visit.now,
        };
        self.convoys.insert(file, convoy);
        self.forming.insert(pace, file);
        Some(Decision::Open(file))
    }

    /// The oldest instance that has waited too long, in a convoy that nobody has joined meanwhile,
    /// and that the host is fast enough for. After twice the time, any host will do.
    fn place_that_was_left(&self, visit: &Visit, shelf: &Shelf, pace: i32) -> Option<JobId> {
        let long_ago = ago(visit.now, self.patience);
        let very_long_ago = ago(visit.now, self.patience * 2);
        let fits = |job: JobId| {
            let file = shelf.file_of(job);
            let Some(convoy) = self.convoys.get(&file) else {
                return true;
            };
            let desperate = shelf
                .waits_since(file)
                .is_some_and(|since| since < very_long_ago);
            convoy.joined <= long_ago && (pace >= convoy.pace || desperate)
        };
        shelf
            .waiting_before(long_ago)
            .take(MOST_LOOKED_AT)
            .find(|&job| fits(job) && shelf.may_have(job, visit.asker))
    }

    fn place_in_forming(&mut self, visit: &Visit, shelf: &Shelf, pace: i32) -> Option<Decision> {
        let file = *self.forming.get(&pace)?;
        let decision = match shelf.lowest_unsent_in(file, visit.asker) {
            Some(job) => Decision::Take(job),
            None if visit.present.contains(&file) => return None,
            None => shelf.can_open(file).then_some(Decision::Open(file))?,
        };
        self.join(file, visit.now);
        Some(decision)
    }

    fn join(&mut self, file: FileId, now: SimTime) {
        let Some(convoy) = self.convoys.get_mut(&file) else {
            return;
        };
        convoy.joined = now;
        convoy.free_places = convoy.free_places.saturating_sub(1);
        if convoy.free_places == 0 && self.forming.get(&convoy.pace) == Some(&file) {
            self.forming.remove(&convoy.pace);
        }
    }

    /// Gives the convoy one more place, unless somebody has joined of late or another of its pace is
    /// being formed.
    fn make_place(&mut self, file: FileId, now: SimTime) {
        let long_ago = ago(now, self.patience);
        if let Some(convoy) = self.convoys.get_mut(&file)
            && convoy.joined <= long_ago
            && !self.forming.contains_key(&convoy.pace)
        {
            convoy.free_places = 1;
            self.forming.insert(convoy.pace, file);
        }
    }

    fn forget_files_before(&mut self, first: FileId) {
        while let Some(entry) = self.convoys.first_entry()
            && *entry.key() < first
        {
            entry.remove();
        }
    }

    /// Paces on a logarithmic scale: two hosts of one step differ by less than `pace_ratio`.
    fn pace_of(&self, mflop_per_s: u32) -> i32 {
        let pace = f64::from(mflop_per_s.max(1));
        libm::floor(libm::log(pace) / libm::log(self.pace_ratio)) as i32
    }
}
