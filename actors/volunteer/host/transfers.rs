//! What does a host do about downloads that do not get through, and about a clock that jumps?
//!
//! The rules of the BOINC client. A file is tried again after a wait that doubles with each failure;
//! after three failures no file of the project is tried until then. While a download is stalled no
//! work is fetched, but what is there is computed. A download without a byte for 90 days is given
//! up, and its instances fail. When the clock is set back by more than a minute, times that were
//! noted by it mean nothing any more and are forgotten.

use kernel::{SimDuration, SimTime};
use serde::{Deserialize, Serialize};

use super::{Host, Stage};
use crate::volunteer::Context;
use crate::volunteer::job::{FileId, Outcome, Output};
use crate::volunteer::messages::ToHost;

/// A download that has failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Stalled {
    file: FileId,
    failures: u32,
    since: SimTime,
    retry_at: SimTime,
}

impl Stalled {
    pub(super) fn is_of(&self, file: FileId) -> bool {
        self.file == file
    }
}

/// After so many failures of one file, all files wait.
const MANY_FAILURES: u32 = 3;

/// A clock that is set back by more than this was wrong before.
const MOST_DRIFT: SimDuration = SimDuration::from_secs(60);

impl Host {
    /// Whether a download of this file may be tried.
    pub(super) fn may_download(&self, file: FileId, now: SimTime) -> bool {
        let holds_up = |stalled: &Stalled| {
            let concerns = stalled.file == file || stalled.failures >= MANY_FAILURES;
            concerns && stalled.retry_at > now
        };
        !self.stalled.iter().any(holds_up)
    }

    pub(super) fn download_failed(&mut self, file: FileId, ctx: &mut Context<'_>) {
        let now = ctx.now();
        for place in 0..self.tasks.len() {
            let task = &self.tasks[place];
            if task.stage == Stage::Downloading && self.file_of(task) == file {
                self.tasks[place].stage = Stage::Missing;
            }
        }
        let client = &self.project.scenario.client;
        let known = self.stalled.iter().position(|stalled| stalled.file == file);
        let place = known.unwrap_or_else(|| {
            self.stalled.push(Stalled {
                file,
                failures: 0,
                since: now,
                retry_at: now,
            });
            self.stalled.len() - 1
        });
        let stalled = &mut self.stalled[place];
        if now - stalled.since >= client.transfer_gives_up.span() {
            self.stalled.remove(place);
            self.give_up(file, ctx);
            return;
        }
        let doubled = client.transfer_backoff_least.span() * (1 << stalled.failures.min(20));
        let wait = doubled
            .min(client.transfer_backoff_most.span())
            .as_secs_f64();
        let wait = SimDuration::from_secs_f64(wait * ctx.random().between(0.5, 1.0));
        stalled.failures += 1;
        stalled.retry_at = now + wait;
        ctx.schedule(ToHost::RetryDue, wait);
    }

    /// Tries what is missing and may be tried again, if the machine is on; and says what there is to
    /// say about it.
    pub(super) fn retry_downloads(&mut self, ctx: &mut Context<'_>) {
        if !self.is_on() {
            return;
        }
        for place in 0..self.tasks.len() {
            if self.tasks[place].stage == Stage::Missing {
                self.fetch_input(place, ctx);
            }
        }
        self.plan_contact(ctx);
    }

    fn give_up(&mut self, file: FileId, ctx: &mut Context<'_>) {
        let since = ctx.now();
        for place in 0..self.tasks.len() {
            let task = &self.tasks[place];
            if task.stage == Stage::Missing && self.file_of(task) == file {
                let task = &mut self.tasks[place];
                task.outcome = Outcome::ClientError;
                task.output = Output::MISSING;
                task.stage = Stage::Reportable { since };
            }
        }
        // The client takes as long as with a computation that fails to see that there is something
        // to report.
        let seen = self.project.scenario.errors.least_failure.span();
        ctx.schedule(ToHost::RetryDue, seen);
    }

    /// The clock jumps ahead, or is set right. By a clock that jumps ahead, everything is due so much
    /// sooner; when it is set back, what was noted by it is forgotten. But the client has just been
    /// told how long to wait at least, and does.
    pub(super) fn set_clock(&mut self, ahead: bool, ctx: &mut Context<'_>) {
        let jumps = &self.project.scenario.errors.clock_jumps;
        let by = jumps.by.span();
        if ahead {
            ctx.schedule(ToHost::ClockSet { ahead: false }, jumps.lasts.span());
        }
        self.clock_ahead = if ahead { by } else { SimDuration::ZERO };
        let shifted = |time: SimTime| match ahead {
            true => SimTime::START + time.saturating_since(SimTime::START + by),
            false if by > MOST_DRIFT => SimTime::START,
            false => time + by,
        };
        let least = self
            .silent_until
            .min(ctx.now() + self.project.request_delay);
        self.silent_until = shifted(self.silent_until).max(least);
        self.backed_off_until = shifted(self.backed_off_until);
        if self.is_on() {
            self.plan_contact(ctx);
        }
    }
}
