//! How long does a job take on a core whose machine is off at times?
//!
//! A job makes progress only while its machine is on. What is left is kept as time at full speed,
//! in whole nanoseconds, so pausing and resuming loses nothing, however often it happens.

use kernel::{SimDuration, SimTime};
use serde::{Deserialize, Serialize};

/// The computing that a job still needs on one core, and since when it is under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Computation {
    /// What was left at `since`, as time at full speed.
    left: SimDuration,
    /// When it was last resumed; [`SimTime::NEVER`] while it is paused.
    since: SimTime,
}

// A host holds several of these, and there are millions of hosts.
const _: () = assert!(size_of::<Computation>() <= 24);

impl Computation {
    /// A computation that takes `work` on a machine that is always on; not yet under way.
    pub const fn new(work: SimDuration) -> Self {
        Computation {
            left: work,
            since: SimTime::NEVER,
        }
    }

    /// Whether it is under way.
    pub fn is_running(&self) -> bool {
        self.since != SimTime::NEVER
    }

    /// Lets it run from `now` and returns when it will be done if nothing pauses it. One that is
    /// under way already goes on as it was.
    pub fn resume(&mut self, now: SimTime) -> SimTime {
        if !self.is_running() {
            self.since = now;
        }
        self.since + self.left
    }

    /// Stops it at `now`; what has been computed is kept. One that is paused stays so.
    pub fn pause(&mut self, now: SimTime) {
        self.left = self.remaining(now);
        self.since = SimTime::NEVER;
    }

    /// Stops it at `now` and loses what was computed since the last checkpoint: checkpoints are
    /// written each time `interval` of computing is complete, counted from the resumption. A zero
    /// interval loses nothing.
    pub fn interrupt(&mut self, now: SimTime, interval: SimDuration) {
        let done = self.done_since_resumption(now).nanos();
        let kept = match interval.nanos() {
            0 => done,
            step => done / step * step,
        };
        self.left = self.left.saturating_sub(SimDuration::from_nanos(kept));
        self.since = SimTime::NEVER;
    }

    /// What is left at `now`, as time at full speed.
    pub fn remaining(&self, now: SimTime) -> SimDuration {
        self.left.saturating_sub(self.done_since_resumption(now))
    }

    /// Whether nothing is left at `now`.
    pub fn is_done(&self, now: SimTime) -> bool {
        self.remaining(now) == SimDuration::ZERO
    }

    fn done_since_resumption(&self, now: SimTime) -> SimDuration {
        // While paused, `since` is later than any `now`, and the difference is zero.
        now.saturating_since(self.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(hours: u64) -> SimTime {
        SimTime::START + SimDuration::from_hours(hours)
    }

    /// A machine that is on for `on` and off for `off` hours, over and over: when is the job done?
    fn completion(work: u64, on: u64, off: u64) -> SimTime {
        let mut job = Computation::new(SimDuration::from_hours(work));
        let mut now = SimTime::START;
        loop {
            let done = job.resume(now);
            let switched_off = now + SimDuration::from_hours(on);
            if done <= switched_off {
                return done;
            }
            job.pause(switched_off);
            now = switched_off + SimDuration::from_hours(off);
        }
    }

    #[test]
    fn a_job_does_not_compute_while_its_machine_is_off() {
        // Ten hours of work, on 1 h and off 9 h: nine full rounds of 10 h, and one hour more. A
        // well-known simulator says 10 h (simgrid issues 123 and 394).
        assert_eq!(completion(10, 1, 9), hours(91));
        assert_eq!(completion(10, 20, 9), hours(10));
        assert_eq!(completion(10, 5, 1), hours(11));
    }

    #[test]
    fn many_pauses_lose_nothing() {
        let work = SimDuration::from_nanos(1_000_003);
        let mut job = Computation::new(work);
        let mut now = SimTime::START;
        for round in 0..1_000 {
            job.resume(now);
            now += SimDuration::from_nanos(997);
            job.pause(now);
            now += SimDuration::from_nanos(round);
        }
        assert_eq!(
            job.remaining(now),
            SimDuration::from_nanos(1_000_003 - 997_000)
        );
        assert_eq!(job.resume(now), now + SimDuration::from_nanos(3_003));
    }

    #[test]
    fn doing_something_twice_changes_nothing() {
        let mut job = Computation::new(SimDuration::from_hours(10));
        assert!(!job.is_running());
        assert_eq!(job.resume(hours(1)), hours(11));
        assert_eq!(job.resume(hours(4)), hours(11), "it is under way since 1 h");
        job.pause(hours(5));
        job.pause(hours(7));
        assert_eq!(job.remaining(hours(9)), SimDuration::from_hours(6));
        assert_eq!(job.resume(hours(9)), hours(15));
        assert!(!job.is_done(hours(14)) && job.is_done(hours(15)));
        assert_eq!(job.remaining(hours(20)), SimDuration::ZERO);
    }

    #[test]
    fn an_interruption_goes_back_to_the_last_checkpoint() {
        let mut job = Computation::new(SimDuration::from_hours(10));
        job.resume(hours(0));
        job.interrupt(hours(5), SimDuration::from_hours(2));
        assert_eq!(job.remaining(hours(5)), SimDuration::from_hours(6));
        job.resume(hours(6));
        job.interrupt(hours(7), SimDuration::ZERO);
        assert_eq!(job.remaining(hours(7)), SimDuration::from_hours(5));
    }
}
