//! The validator: do outputs agree, and which one is canonical?
//!
//! BOINC's `check_set` and `check_pair` (`validator.cpp`, `validate_util2.cpp`). A check comes with
//! all that it needs, so validators keep nothing between checks.

use std::sync::Arc;

use kernel::{Group, Inbox, Linked};
use serde::{Deserialize, Serialize};

use super::Context;
use super::facts::Fact;
use super::job::{InstanceSet, Output, Validity};
use super::messages::{
    Candidate, Check, Judgement, ToScheduler, ToTransitioner, ToValidator, Verdict,
};
use super::project::Project;

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
        let verdict = match check.canonical {
            Some(canonical) => check_pairs(&check, canonical),
            None => check_set(&check, self.project.scenario.jobs.min_quorum),
        };
        self.announce(&check, &verdict, ctx);
        let delay = self.project.scenario.servers.transitioner_period.span();
        let transitioner = self.project.transitioner_of(check.job);
        let validated = ToTransitioner::Validated(Box::new(verdict));
        ctx.send(transitioner, validated, delay);
    }

    /// Grants credit to the valid, and tells the scheduler for its quotas.
    fn announce(&self, check: &Check, verdict: &Verdict, ctx: &mut Context<'_>) {
        let (mut valid, mut invalid) = (InstanceSet::default(), InstanceSet::default());
        let mut inconclusive = false;
        for (result, &(number, judgement)) in check.results.iter().zip(&verdict.judged) {
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

/// Looks for a canonical instance among the viable results: the first that agrees with at least
/// `min_quorum / 2 + 1` of them (itself included). Its like are valid, all others invalid.
fn check_set(check: &Check, min_quorum: u32) -> Verdict {
    let readable = |result: &&Candidate| result.output != Output::MISSING;
    let good = check.results.iter().filter(readable).count();
    let agreeing = |with: &Candidate| {
        let same = |other: &&Candidate| other.output == with.output;
        check.results.iter().filter(same).count()
    };
    let needed = min_quorum as usize / 2 + 1;
    let canonical = (good >= min_quorum as usize)
        .then(|| check.results.iter().filter(readable))
        .and_then(|mut results| results.find(|result| agreeing(result) >= needed));
    let judge = |result: &Candidate| match canonical {
        _ if result.output == Output::MISSING => Judgement::Unreadable,
        None => Judgement::Found(Validity::Inconclusive),
        Some(canonical) if result.output == canonical.output => Judgement::Found(Validity::Valid),
        Some(_) => Judgement::Found(Validity::Invalid),
    };
    verdict(check, canonical.map(|result| result.number), judge)
}

/// Compares each new result with the canonical one.
fn check_pairs(check: &Check, canonical: Output) -> Verdict {
    let judge = |result: &Candidate| match result.output {
        Output::MISSING => Judgement::Unreadable,
        output if output == canonical => Judgement::Found(Validity::Valid),
        _ => Judgement::Found(Validity::Invalid),
    };
    verdict(check, None, judge)
}

fn verdict(
    check: &Check,
    canonical: Option<u8>,
    judge: impl Fn(&Candidate) -> Judgement,
) -> Verdict {
    let judged = check.results.iter();
    Verdict {
        job: check.job,
        canonical,
        judged: judged
            .map(|result| (result.number, judge(result)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use kernel::{ActorId, Address, SimTime};

    use super::*;
    use crate::volunteer::job::JobId;

    fn check(outputs: &[Output], canonical: Option<Output>) -> Check {
        let results = (0..).zip(outputs).map(|(number, &output)| Candidate {
            number,
            output,
            host: Address::new(ActorId(u32::from(number))),
            speed: Default::default(),
            sent: SimTime::START,
            received: SimTime::START,
        });
        Check {
            job: JobId(0),
            canonical,
            results: results.collect(),
        }
    }

    fn found(verdict: &Verdict) -> Vec<Judgement> {
        verdict.judged.iter().map(|&(_, found)| found).collect()
    }

    const RIGHT: Output = Output::CORRECT;
    const VALID: Judgement = Judgement::Found(Validity::Valid);
    const INVALID: Judgement = Judgement::Found(Validity::Invalid);
    const INCONCLUSIVE: Judgement = Judgement::Found(Validity::Inconclusive);

    #[test]
    fn two_of_three_equal_results_make_a_quorum_of_three() {
        let verdict = check_set(&check(&[Output::wrong(1), RIGHT, RIGHT], None), 3);
        assert_eq!(verdict.canonical, Some(1));
        assert_eq!(found(&verdict), [INVALID, VALID, VALID]);
    }

    #[test]
    fn three_different_results_are_no_majority() {
        // Field case 8: the check of 2005 took half of three, rounded down to one, for a majority.
        let outputs = [Output::wrong(1), Output::wrong(2), RIGHT];
        let verdict = check_set(&check(&outputs, None), 3);
        assert_eq!(verdict.canonical, None);
        assert_eq!(found(&verdict), [INCONCLUSIVE; 3]);
    }

    #[test]
    fn how_many_must_agree_follows_from_the_quorum() {
        let wrong = |n: u32| Output::wrong(n);
        let agree = |outputs: &[Output], quorum| check_set(&check(outputs, None), quorum).canonical;
        assert_eq!(agree(&[RIGHT], 1), Some(0));
        assert_eq!(agree(&[RIGHT, wrong(1)], 2), None);
        assert_eq!(agree(&[RIGHT, RIGHT], 2), Some(0));
        assert_eq!(agree(&[wrong(1), wrong(2), RIGHT, RIGHT], 4), None);
        assert_eq!(agree(&[wrong(1), RIGHT, RIGHT, RIGHT], 4), Some(1));
        assert_eq!(
            agree(&[RIGHT, RIGHT], 3),
            None,
            "fewer than the quorum are not compared"
        );
    }

    #[test]
    fn colluding_hosts_can_win() {
        let lie = Output::AGREED_LIE;
        let verdict = check_set(&check(&[lie, RIGHT, lie], None), 3);
        assert_eq!(verdict.canonical, Some(0));
        assert_eq!(found(&verdict), [VALID, INVALID, VALID]);
    }

    #[test]
    fn an_unreadable_output_is_an_error_and_not_in_the_quorum() {
        // Field case 11 (BOINC issue 705): the output file is missing at validation.
        let verdict = check_set(&check(&[RIGHT, Output::MISSING, RIGHT], None), 3);
        assert_eq!(verdict.canonical, None);
        assert_eq!(
            found(&verdict),
            [INCONCLUSIVE, Judgement::Unreadable, INCONCLUSIVE]
        );
    }

    #[test]
    fn later_results_are_compared_with_the_canonical_one() {
        let late = check(&[RIGHT, Output::wrong(9), Output::MISSING], Some(RIGHT));
        let verdict = check_pairs(&late, RIGHT);
        assert_eq!(found(&verdict), [VALID, INVALID, Judgement::Unreadable]);
        assert_eq!(verdict.canonical, None);
    }
}
