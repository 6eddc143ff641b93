//! The validator: do outputs agree, and which one is canonical?
//!
//! BOINC's `validator.cpp`; who agrees with whom is in `agreement`. A check comes with all that it
//! needs, so validators keep nothing between checks.

use std::sync::Arc;

use kernel::{Group, Inbox, Linked};
use serde::{Deserialize, Serialize};

use super::Context;
use super::facts::Fact;
use super::job::{InstanceSet, Validity};
use super::messages::{Check, Judgement, ToScheduler, ToTransitioner, ToValidator, Verdict};
use super::project::Project;

mod agreement;

use agreement::{check_pairs, check_set};

/// Validates results, and grants credit.
#[derive(Debug, Serialize, Deserialize)]
pub struct Validator {
    pub(super) project: Linked<Project>,
}

impl Inbox for Validator {
    type Message = ToValidator;
    const GROUP: Group = Group(2);
}

impl Validator {
    /// A validator of a project.
    pub fn new(project: Arc<Project>) -> Self {
        Validator {
            project: project.into(),
        }
    }

    pub(super) fn receive(&mut self, message: ToValidator, ctx: &mut Context<'_>) {
        let ToValidator::ValidationNeeded(check) = message;
        let unreachable = self.unreachable(&check, ctx);
        let verdict = match check.canonical {
            Some(canonical) => check_pairs(&check, canonical, unreachable),
            None => check_set(
                &check,
                self.project.scenario.validation.majority,
                unreachable,
            ),
        };
        self.announce(&check, &verdict, ctx);
        let delay = self.project.scenario.servers.transitioner_period.span();
        let transitioner = self.project.transitioner_of(check.job);
        let validated = ToTransitioner::Validated(Box::new(verdict));
        ctx.send(transitioner, validated, delay);
    }

    /// The results whose output cannot be read just now, as when a file server is not mounted.
    fn unreachable(&self, check: &Check, ctx: &mut Context<'_>) -> InstanceSet {
        let mut unreachable = InstanceSet::default();
        let failure = self.project.scenario.validation.transient_failure.value();
        if failure > 0.0 {
            for result in &check.results {
                if ctx.random().chance(failure) {
                    unreachable.insert(result.number);
                }
            }
        }
        unreachable
    }

    /// Grants credit to the valid, and tells the scheduler for its quotas.
    fn announce(&self, check: &Check, verdict: &Verdict, ctx: &mut Context<'_>) {
        let (mut valid, mut invalid) = (InstanceSet::default(), InstanceSet::default());
        let mut inconclusive = false;
        for &(number, judgement) in &verdict.judged {
            let mut results = check.results.iter();
            let result = results
                .find(|result| result.number == number)
                .expect("what is judged was to be checked");
            match judgement {
                Judgement::Found(Validity::Valid) => {
                    valid.insert(number);
                    ctx.note(Fact::ResultValid {
                        host: result.host.id(),
                        credit_lag: ctx.now() - result.received,
                        latency: result.received - result.sent,
                        speed: result.speed,
                        needed: verdict.canonical.is_some(),
                    });
                }
                Judgement::Found(Validity::Inconclusive) => inconclusive = true,
                Judgement::Found(_) | Judgement::Unreadable => {
                    invalid.insert(number);
                    ctx.note(Fact::ResultInvalid {
                        host: result.host.id(),
                        unreadable: judgement == Judgement::Unreadable,
                    });
                }
            }
        }
        if inconclusive {
            ctx.note(Fact::CheckInconclusive);
        }
        if verdict.retry {
            ctx.note(Fact::CheckPutOff);
        }
        if !valid.is_empty() || !invalid.is_empty() {
            let judged = ToScheduler::InstancesJudged {
                job: check.job,
                valid,
                invalid,
            };
            let delay = self.project.scenario.servers.feeder_period.span();
            ctx.send(self.project.scheduler_of(check.job), judged, delay);
        }
    }
}
