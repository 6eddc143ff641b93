//! Locality scheduling as BOINC has it today (`sched_locality`, 2026).
//!
//! Algorithm 4 with twenty years of settings: the host's files are gone through from a random one or
//! in the order of their numbers; a working set is tried five times before all files are gone
//! through; the window of ages begins and ends on full hours; a host is told to delete a file only
//! if the project says so; and a part of the requests is answered without regard to files.

use kernel::{RandomStream, SimDuration, SimTime};
use serde::{Deserialize, Serialize};

use super::first_come::FirstCome;
use super::visit::{Step, Visit, ago, next_in_file};
use super::{Assignment, Decision};
use crate::volunteer::shelf::Shelf;

/// How often a file is drawn from the working set before all are gone through.
const TRIES: u32 = 5;

/// Algorithm 4 with today's settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LocalityToday {
    /// An instance that has waited for so long goes to the next host with a fast line.
    pub send_timeout: SimDuration,
    /// From this on a line is fast, in kB/s.
    pub fast_line_kb_per_s: u32,
    /// How many files the work generator keeps in work.
    pub working_set: u32,
    /// Whether the host's files are gone through in the order of their numbers.
    pub sorted: bool,
    /// Whether hosts are told to delete files in which there is nothing left for them.
    pub deletes_files: bool,
    /// Which part of the requests is answered with regard to files.
    pub fraction: f64,
}

impl Assignment for LocalityToday {
    fn choose(&mut self, visit: &mut Visit, shelf: &Shelf, random: &mut RandomStream) -> Decision {
        if visit.step == Step::Begin {
            // Whoever is in the other part stays there for the whole request.
            let with_regard = self.fraction >= 1.0 || random.chance(self.fraction);
            visit.step = if with_regard {
                Step::Laggards
            } else {
                Step::WithoutRegard
            };
        }
        if visit.step == Step::WithoutRegard {
            return FirstCome.choose(visit, shelf, random);
        }
        let decision = self.with_regard_to_files(visit, shelf, random);
        if !self.deletes_files {
            visit.finished.clear();
        }
        decision
    }
}

impl LocalityToday {
    fn with_regard_to_files(
        &mut self,
        visit: &mut Visit,
        shelf: &Shelf,
        random: &mut RandomStream,
    ) -> Decision {
        if let Some(more) = visit.more_of_current(shelf, next_in_file) {
            return more;
        }
        if visit.step == Step::Laggards {
            visit.step = Step::OwnFiles;
            if self.sorted {
                visit.present.sort_unstable();
            } else {
                visit.begin_anywhere(random);
            }
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
            if let Some(instance) = self.of_random_age(visit, shelf, random) {
                return instance;
            }
        }
        visit.step = Step::OldInstance;
        (0..TRIES)
            .find_map(|_| visit.random_file(shelf, self.working_set, next_in_file, random))
            .or_else(|| visit.any_file(shelf, next_in_file, random))
            .unwrap_or(Decision::Nothing)
    }

    fn of_random_age(
        &self,
        visit: &mut Visit,
        shelf: &Shelf,
        random: &mut RandomStream,
    ) -> Option<Decision> {
        let half = self.send_timeout / 2;
        let part = SimDuration::from_secs_f64(half.as_secs_f64() * random.uniform());
        let to = ago(visit.now, half);
        let from = SimTime::START + to.saturating_since(SimTime::START + part);
        visit.old_instance(shelf, full_hour(from), full_hour(to))
    }
}

/// The last full hour up to then.
fn full_hour(time: SimTime) -> SimTime {
    let hour = SimDuration::from_hours(1).nanos();
    SimTime::from_nanos(time.nanos() / hour * hour)
}
