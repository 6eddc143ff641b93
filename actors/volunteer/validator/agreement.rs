//! Which results agree, and which one is canonical?
//!
//! BOINC's `check_set` and `check_pair` (`validate_util2.cpp`), without files, messages or chance.
//! Agreement need not be transitive: if outputs differ by less than a tolerance, *a* may agree with
//! *b* and *b* with *c*, but not *a* with *c*. Then the order of the results decides.

use crate::volunteer::job::{InstanceSet, Output, Validity};
use crate::volunteer::messages::{Candidate, Check, Judgement, Verdict};
use crate::volunteer::scenario::Majority;

/// Looks for a canonical instance among the viable results: the first, in order of their numbers,
/// that agrees with enough of them (itself included). Those that agree with it are valid, all others
/// invalid. Results in `unreachable` cannot be read at the moment: they are as if not there, and the
/// verdict asks for another check.
pub(super) fn check_set(check: &Check, majority: Majority, unreachable: InstanceSet) -> Verdict {
    let here = |result: &&Candidate| {
        result.output != Output::MISSING && !unreachable.contains(result.number)
    };
    let good = || check.results.iter().filter(here);
    let enough = needed(majority, check);
    let agreeing = |with: &Candidate| good().filter(|r| r.output.agrees(with.output)).count();
    let canonical = (good().count() >= usize::from(check.quorum))
        .then(|| good().find(|result| agreeing(result) >= enough))
        .flatten();
    let retry = !unreachable.is_empty();
    let judge = |result: &Candidate| match canonical {
        _ if result.output == Output::MISSING => Some(Judgement::Unreadable),
        _ if unreachable.contains(result.number) => None,
        // What was seen stays new, so that it is looked at again together with the rest.
        None if retry => None,
        None => Some(Judgement::Found(Validity::Inconclusive)),
        Some(canonical) => Some(found(result.output.agrees(canonical.output))),
    };
    verdict(check, canonical.map(|result| result.number), retry, judge)
}

/// Compares each new result with the canonical one.
pub(super) fn check_pairs(check: &Check, canonical: Output, unreachable: InstanceSet) -> Verdict {
    let judge = |result: &Candidate| match result.output {
        _ if unreachable.contains(result.number) => None,
        Output::MISSING => Some(Judgement::Unreadable),
        output => Some(found(output.agrees(canonical))),
    };
    verdict(check, None, !unreachable.is_empty(), judge)
}

/// How many must agree.
fn needed(majority: Majority, check: &Check) -> usize {
    let quorum = usize::from(check.quorum);
    match majority {
        Majority::Boinc => quorum / 2 + 1,
        Majority::Document => quorum,
        Majority::BoincFebruary2005 => (check.results.len() / 2).max(1),
    }
}

fn found(agrees: bool) -> Judgement {
    Judgement::Found(match agrees {
        true => Validity::Valid,
        false => Validity::Invalid,
    })
}

fn verdict(
    check: &Check,
    canonical: Option<u8>,
    retry: bool,
    judge: impl Fn(&Candidate) -> Option<Judgement>,
) -> Verdict {
    let judged = |result: &Candidate| Some((result.number, judge(result)?));
    Verdict {
        job: check.job,
        canonical,
        judged: check.results.iter().filter_map(judged).collect(),
        retry,
    }
}

#[cfg(test)]
mod tests {
    use kernel::{ActorId, Address, SimTime};

    use super::*;
    use crate::volunteer::job::JobId;

    fn check(outputs: &[Output], quorum: u8, canonical: Option<Output>) -> Check {
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
            quorum,
            canonical,
            results: results.collect(),
        }
    }

    fn set(outputs: &[Output], quorum: u8) -> Verdict {
        let nobody = InstanceSet::default();
        check_set(&check(outputs, quorum, None), Majority::Boinc, nobody)
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
        let verdict = set(&[Output::wrong(1), RIGHT, RIGHT], 3);
        assert_eq!(verdict.canonical, Some(1));
        assert_eq!(found(&verdict), [INVALID, VALID, VALID]);
    }

    #[test]
    fn the_document_wants_as_many_equal_results_as_its_quorum() {
        let outputs = [Output::wrong(1), RIGHT, RIGHT, RIGHT];
        let canonical = |outputs: &[Output], majority| {
            check_set(&check(outputs, 3, None), majority, InstanceSet::default()).canonical
        };
        assert_eq!(canonical(&outputs[..3], Majority::Document), None);
        assert_eq!(canonical(&outputs[..3], Majority::Boinc), Some(1));
        assert_eq!(canonical(&outputs, Majority::Document), Some(1));
    }

    #[test]
    fn three_different_results_are_no_majority() {
        // Field case 8: the check of February 2005 took half of three, rounded down to one, for a
        // majority, so the first result won.
        let outputs = [Output::wrong(1), Output::wrong(2), RIGHT];
        let verdict = set(&outputs, 3);
        assert_eq!(verdict.canonical, None);
        assert_eq!(found(&verdict), [INCONCLUSIVE; 3]);
        let then = Majority::BoincFebruary2005;
        let verdict = check_set(&check(&outputs, 3, None), then, InstanceSet::default());
        assert_eq!(verdict.canonical, Some(0));
        assert_eq!(found(&verdict), [VALID, INVALID, INVALID]);
    }

    #[test]
    fn how_many_must_agree_follows_from_the_quorum() {
        let wrong = |n: u32| Output::wrong(n);
        let agree = |outputs: &[Output], quorum| set(outputs, quorum).canonical;
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
    fn agreement_within_a_tolerance_is_not_transitive_and_the_order_decides() {
        // Tolerance one: the middle agrees with both ends, which do not agree with each other.
        let [low, middle, high] = [0.0, 0.8, 1.6].map(Output::correct);
        assert!(low.agrees(middle) && middle.agrees(high) && !low.agrees(high));
        let verdict = set(&[low, middle, high], 3);
        assert_eq!(verdict.canonical, Some(0), "the first with a majority");
        assert_eq!(found(&verdict), [VALID, VALID, INVALID]);
        let verdict = set(&[middle, low, high], 3);
        assert_eq!(found(&verdict), [VALID; 3]);
        // With a quorum of four three must agree: only the middle has so many.
        let far = Output::correct(5.0);
        let verdict = set(&[low, high, far, middle], 4);
        assert_eq!(verdict.canonical, Some(3));
        assert_eq!(found(&verdict), [VALID, VALID, INVALID, VALID]);
    }

    #[test]
    fn colluding_hosts_can_win() {
        let lie = Output::AGREED_LIE;
        let verdict = set(&[lie, RIGHT, lie], 3);
        assert_eq!(verdict.canonical, Some(0));
        assert_eq!(found(&verdict), [VALID, INVALID, VALID]);
    }

    #[test]
    fn an_unreadable_output_is_an_error_and_not_in_the_quorum() {
        // Field case 11 (BOINC issue 705): the output file is missing at validation.
        let verdict = set(&[RIGHT, Output::MISSING, RIGHT], 3);
        assert_eq!(verdict.canonical, None);
        assert_eq!(
            found(&verdict),
            [INCONCLUSIVE, Judgement::Unreadable, INCONCLUSIVE]
        );
    }

    #[test]
    fn what_cannot_be_read_at_the_moment_is_looked_at_again() {
        let mut third = InstanceSet::default();
        third.insert(2);
        let outputs = [RIGHT, Output::MISSING, RIGHT];
        let verdict = check_set(&check(&outputs, 2, None), Majority::Boinc, third);
        assert!(verdict.retry && verdict.canonical.is_none());
        assert_eq!(verdict.judged.as_slice(), [(1, Judgement::Unreadable)]);
        // If the others suffice, they are judged now.
        let outputs = [RIGHT, RIGHT, Output::wrong(1)];
        let verdict = check_set(&check(&outputs, 2, None), Majority::Boinc, third);
        assert_eq!((verdict.canonical, verdict.retry), (Some(0), true));
        assert_eq!(found(&verdict), [VALID, VALID]);
        let verdict = check_pairs(&check(&outputs, 2, Some(RIGHT)), RIGHT, third);
        assert_eq!((found(&verdict), verdict.retry), (vec![VALID; 2], true));
    }

    #[test]
    fn later_results_are_compared_with_the_canonical_one() {
        let late = check(&[RIGHT, Output::wrong(9), Output::MISSING], 3, Some(RIGHT));
        let verdict = check_pairs(&late, RIGHT, InstanceSet::default());
        assert_eq!(found(&verdict), [VALID, INVALID, Judgement::Unreadable]);
        assert_eq!(verdict.canonical, None);
    }
}
