//! What do the host's other projects leave to this one?
//!
//! The rules of BOINC's client, as far as one project can see them. Processors are given out for a
//! time slice at a time, to the project that is furthest behind its resource share; what happened
//! long ago is forgotten with a half-life ("recent estimated credit"). Other projects always have
//! work. Instances that would miss their deadlines at this pace go first, whosever turn it is, and
//! the time is paid back later.
//!
//! Hosts of this project alone have nothing of this: no state, no events.

use kernel::{SimDuration, SimTime};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::{Host, Stage};
use crate::volunteer::Context;
use crate::volunteer::facts::Fact;
use crate::volunteer::messages::ToHost;

/// This project among others on a host.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Others {
    /// How many processors this project is entitled to, on average.
    due: f64,
    /// The processor time that this project is behind its share, in seconds; below zero: ahead.
    behind_s: f64,
    /// Up to when that is known.
    as_of: SimTime,
    /// How many processors this project has in the present slice.
    granted: u16,
    /// When the present slice ends; `NEVER` if there is none.
    slice_ends: SimTime,
}

impl Others {
    fn new(share: f64, cores: u16) -> Self {
        Others {
            due: share * f64::from(cores),
            behind_s: 0.0,
            as_of: SimTime::START,
            granted: 0,
            slice_ends: SimTime::NEVER,
        }
    }

    /// Takes into account that this project has used so many processors since the last time.
    fn settle(&mut self, now: SimTime, used: usize, half_life: SimDuration) {
        let elapsed = now.saturating_since(self.as_of).as_secs_f64();
        self.as_of = now;
        let kept = libm::exp2(-elapsed / half_life.as_secs_f64());
        self.behind_s = self.behind_s * kept + (self.due - used as f64) * elapsed;
    }

    /// How many processors this project gets in a slice, if nothing is urgent: as many as bring it
    /// nearest to its share at the end of it.
    fn turn(&self, slice: SimDuration, cores: u16) -> u16 {
        let processors = self.due + self.behind_s / slice.as_secs_f64();
        // The cast saturates at zero.
        ((processors + 0.5) as u16).min(cores)
    }
}

impl Host {
    /// The host takes part in other projects, too; this one is entitled to `share` of it.
    pub fn share_with_others(&mut self, share: f64) {
        self.others = Some(Box::new(Others::new(share, self.traits.cores)));
    }

    /// How many processors this project may use now.
    pub(super) fn processors_granted(&self) -> usize {
        match &self.others {
            Some(others) => usize::from(others.granted),
            None => usize::from(self.traits.cores),
        }
    }

    /// The processors that this project counts on: so many, each for this part of the time that the
    /// machine is on, in millionths.
    pub(super) fn processors_expected(&self) -> (u16, u32) {
        match &self.others {
            Some(others) => {
                let whole = libm::ceil(others.due).max(1.0);
                (whole as u16, (others.due / whole * 1e6) as u32)
            }
            None => (self.traits.cores.max(1), 1_000_000),
        }
    }

    /// No computation goes on beyond this instant without being looked at.
    pub(super) fn next_interruption(&self) -> SimTime {
        let slice_ends = self.others.as_ref().map(|others| others.slice_ends);
        self.switches_at.min(slice_ends.unwrap_or(SimTime::NEVER))
    }

    /// To be called before the number of running tasks changes.
    pub(super) fn settle_with_others(&mut self, now: SimTime) {
        if let Some(others) = &mut self.others {
            let running = self.tasks.iter().filter(|t| t.stage == Stage::Running);
            let half_life = self.project.scenario.other_projects.half_life.span();
            others.settle(now, running.count(), half_life);
        }
    }

    /// Nobody computes while the machine is off.
    pub(super) fn end_slice_by_switching_off(&mut self, now: SimTime) {
        self.settle_with_others(now);
        if let Some(others) = &mut self.others {
            others.slice_ends = SimTime::NEVER;
        }
    }

    /// The machine is on again: nothing was due to anybody in the meantime.
    pub(super) fn resume_sharing(&mut self, now: SimTime) {
        if let Some(others) = &mut self.others {
            others.as_of = now;
        }
    }

    /// Begins a slice if none is under way and there is something to compute.
    pub(super) fn begin_slice_if_needed(&mut self, ctx: &mut Context<'_>) {
        let now = ctx.now();
        let Some(others) = &self.others else {
            return;
        };
        let waits = |stage| matches!(stage, Stage::Ready | Stage::Running);
        let something = self.tasks.iter().any(|task| waits(task.stage));
        if others.slice_ends != SimTime::NEVER || !something {
            return;
        }
        self.settle_with_others(now);
        let urgent = self.bring_urgent_to_front(now);
        let slice = self.project.scenario.other_projects.time_slice.span();
        let cores = self.traits.cores;
        let switches_at = self.switches_at;
        let others = self.others.as_mut().expect("it has just been there");
        others.granted = others.turn(slice, cores).max(urgent.min(cores));
        others.slice_ends = now + slice;
        if others.slice_ends < switches_at {
            ctx.schedule(ToHost::SliceEnded, slice);
        }
    }

    /// A slice is over: who computes next is decided anew.
    pub(super) fn end_slice(&mut self, ctx: &mut Context<'_>) {
        let now = ctx.now();
        let current = self.others.as_ref().is_some_and(|o| o.slice_ends == now);
        if !current || !self.is_on() {
            return;
        }
        self.settle_with_others(now);
        ctx.note(Fact::ComputationsPaused);
        for task in &mut self.tasks {
            if task.stage == Stage::Running {
                task.computation.pause(now);
                task.stage = Stage::Ready;
            }
        }
        if let Some(others) = &mut self.others {
            others.slice_ends = SimTime::NEVER;
        }
        self.start_ready(ctx);
    }

    /// Puts the ready tasks that would miss their deadlines at this project's pace first, the
    /// earliest deadline before the others; returns how many there are.
    fn bring_urgent_to_front(&mut self, now: SimTime) -> u16 {
        let (processors, _) = self.processors_expected();
        let scenario = &self.project.scenario;
        // The client leaves time for reporting; and it looks at this once a slice.
        let margin = scenario.client.buffer_min.span() + scenario.other_projects.time_slice.span();
        let mut ahead = SimDuration::ZERO;
        let mut urgent: SmallVec<[(SimTime, usize); 8]> = SmallVec::new();
        for (place, task) in self.tasks.iter().enumerate() {
            if !task.is_work() {
                continue;
            }
            let left = self.estimate(task, now);
            ahead += left;
            let pace = self.by_the_wall_clock((ahead / u64::from(processors)).max(left), now);
            if now + pace + margin > task.deadline
                && matches!(task.stage, Stage::Ready | Stage::Running)
            {
                urgent.push((task.deadline, place));
            }
        }
        if !urgent.is_empty() {
            urgent.sort_unstable();
            let first: SmallVec<[_; 8]> = urgent.iter().map(|&(_, p)| self.tasks[p]).collect();
            let mut place = 0;
            self.tasks.retain(|_| {
                place += 1;
                !urgent.iter().any(|&(_, urgent)| urgent == place - 1)
            });
            self.tasks.splice(0..0, first);
        }
        urgent.len() as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: SimDuration = SimDuration::from_hours(1);

    /// How many processors a project gets in each slice, if it always has work.
    fn turns(share: f64, cores: u16, slices: usize) -> Vec<u16> {
        let mut others = Others::new(share, cores);
        let mut now = SimTime::START;
        let turn = |_| {
            let granted = others.turn(HOUR, cores);
            now += HOUR;
            others.settle(now, usize::from(granted), SimDuration::from_days(10));
            granted
        };
        (0..slices).map(turn).collect()
    }

    #[test]
    fn processors_are_divided_by_shares_over_time() {
        assert_eq!(turns(0.5, 4, 4), [2, 2, 2, 2]);
        assert_eq!(turns(0.5, 1, 6), [1, 0, 1, 0, 1, 0]);
        assert_eq!(turns(1.0, 3, 3), [3, 3, 3]);
        for (share, cores) in [(0.1, 1), (0.3, 4), (0.77, 8), (0.013, 2)] {
            let all: u32 = turns(share, cores, 10_000)
                .iter()
                .map(|&t| u32::from(t))
                .sum();
            let due = share * f64::from(cores) * 10_000.0;
            assert!(
                (f64::from(all) / due - 1.0).abs() < 0.02,
                "{share} {cores}: {all}"
            );
        }
    }

    #[test]
    fn who_had_no_work_catches_up_but_not_for_ever() {
        let half_life = SimDuration::from_days(10);
        let mut others = Others::new(0.25, 4);
        others.settle(SimTime::START + HOUR, 0, half_life);
        assert_eq!(others.turn(HOUR, 4), 2, "an hour of one processor is owed");
        // After half a life without being due anything, half of a debt is forgotten.
        others.due = 0.0;
        others.settle(SimTime::START + HOUR + half_life, 0, half_life);
        assert!((others.behind_s - 1_800.0).abs() < 1.0);
    }
}
