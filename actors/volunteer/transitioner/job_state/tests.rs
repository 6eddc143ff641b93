//! Transitions of single jobs, by the cases that BOINC's users and developers met in the field.

use kernel::ActorId;

use super::*;
use crate::shared::quantity::Duration;
use crate::volunteer::job::JobId;

const HOST: Address<Host> = Address::new(ActorId(100));

fn rules(target: u32, quorum: u32, most: [u32; 3]) -> Jobs {
    let [max_error_results, max_total_results, max_success_results] = most;
    Jobs {
        target_nresults: target,
        min_quorum: quorum,
        max_error_results,
        max_total_results,
        max_success_results,
        delay_bound: Duration::new(SimDuration::from_days(7)),
        ..Jobs::default()
    }
}

fn hour(hour: u64) -> SimTime {
    SimTime::START + SimDuration::from_hours(hour)
}

/// A job on its way, at the first hour unless a test says otherwise.
struct Story {
    rules: Jobs,
    job: JobState,
}

impl Story {
    fn begin(rules: Jobs) -> Self {
        let job = JobState::new(Extent::replicated(&rules), hour(0));
        Story { rules, job }
    }

    fn send(&mut self, number: u8, at: SimTime) {
        self.job.dispatch(number, HOST, SpeedClass::default(), at);
    }

    fn transition(&mut self, at: SimTime) -> Steps {
        self.job.transition(&self.rules, at)
    }

    /// Sends an instance and has it reported.
    fn report(&mut self, number: u8, outcome: Outcome, output: Output) -> Steps {
        self.send(number, hour(1));
        self.job.report(number, outcome, output, hour(2));
        self.transition(hour(2))
    }

    fn fail(&mut self, number: u8) -> Steps {
        self.report(number, Outcome::ClientError, Output::MISSING)
    }

    fn succeed(&mut self, number: u8, output: Output) -> Steps {
        self.report(number, Outcome::Success, output)
    }

    fn hear(&mut self, canonical: Option<u8>, judged: &[(u8, Judgement)]) -> Steps {
        let verdict = Verdict {
            job: JobId(0),
            canonical,
            judged: judged.iter().copied().collect(),
            retry: false,
        };
        self.job.take_verdict(&verdict, &self.rules, SimTime::NEVER);
        self.transition(hour(3))
    }

    /// The validator could not read anything, and is to look again in the ninth hour.
    fn hear_nothing_yet(&mut self) -> Steps {
        let verdict = Verdict {
            job: JobId(0),
            canonical: None,
            judged: Default::default(),
            retry: true,
        };
        self.job.take_verdict(&verdict, &self.rules, hour(9));
        self.transition(hour(3))
    }
}

const VALID: Judgement = Judgement::Found(Validity::Valid);
const INVALID: Judgement = Judgement::Found(Validity::Invalid);
const INCONCLUSIVE: Judgement = Judgement::Found(Validity::Inconclusive);

/// Has instances of a job of quorum one fail one after another until the job has failed; returns
/// the error mask and how many instances there were.
fn errors_until_failure(max_error: u32, max_total: u32) -> (u8, u32, usize) {
    let mut story = Story::begin(rules(1, 1, [max_error, max_total, 5]));
    let mut assimilated = 0;
    for number in 0.. {
        let steps = story.fail(number);
        assimilated += u32::from(steps.assimilate.is_some());
        if steps.create == 0 {
            let again = story.transition(hour(4));
            assert_eq!((again.create, again.assimilate), (0, None), "decided once");
            break;
        }
    }
    (
        story.job.error_mask.0,
        assimilated,
        story.job.instances.len(),
    )
}

#[test]
fn a_job_fails_when_more_instances_would_be_needed_than_are_allowed() {
    // Field case 1 (BOINC issue 84): five errors are not more than five, but a sixth instance is
    // not allowed.
    assert_eq!(errors_until_failure(5, 5), (8, 1, 5));
}

#[test]
fn a_job_fails_with_more_errors_than_allowed_not_with_as_many() {
    // Field case 1: with room for a seventh instance, the sixth error is one too many.
    assert_eq!(errors_until_failure(5, 7), (2, 1, 6));
    assert_eq!(errors_until_failure(5, 6), (10, 1, 6), "both at once");
}

#[test]
fn an_invalid_result_is_replaced() {
    // Field case 2 (BOINC issue 1005): it used to count as a success, and the job hung forever.
    let mut story = Story::begin(rules(1, 1, [3, 3, 3]));
    let steps = story.succeed(0, Output::wrong(7));
    assert!(steps.validate.is_some());
    let steps = story.hear(None, &[(0, INVALID)]);
    assert_eq!(steps.create, 1);
    assert_eq!(story.job.instances.len(), 2);
}

#[test]
fn three_different_results_raise_the_target_to_four() {
    // Field case 8: no canonical instance, three inconclusive results, one more instance.
    let mut story = Story::begin(rules(3, 3, [6, 16, 14]));
    for number in 0..2 {
        assert_eq!(
            story.succeed(number, Output::wrong(number.into())).validate,
            None
        );
    }
    let steps = story.succeed(2, Output::wrong(2));
    let (canonical, results) = steps.validate.expect("three results are a quorum of three");
    assert_eq!((canonical, results.len()), (None, 3));
    let steps = story.hear(
        None,
        &[(0, INCONCLUSIVE), (1, INCONCLUSIVE), (2, INCONCLUSIVE)],
    );
    assert_eq!((steps.create, steps.assimilate), (1, None));
    assert_eq!(story.job.target, 4);
    // The fourth is compared with all of them.
    let steps = story.succeed(3, Output::wrong(1));
    assert_eq!(steps.validate.expect("a new result").1.len(), 4);
}

#[test]
fn an_unreadable_result_counts_as_an_error() {
    // Field case 11 (BOINC issue 705).
    let mut story = Story::begin(rules(1, 1, [0, 5, 5]));
    story.succeed(0, Output::MISSING);
    let steps = story.hear(None, &[(0, Judgement::Unreadable)]);
    assert_eq!(
        steps.assimilate,
        Some(ErrorMask(ErrorMask::TOO_MANY_ERRORS))
    );
}

#[test]
fn too_many_successes_that_do_not_agree_are_an_error() {
    let mut story = Story::begin(rules(2, 2, [6, 16, 2]));
    story.succeed(0, Output::wrong(0));
    story.succeed(1, Output::wrong(1));
    let steps = story.hear(None, &[(0, INCONCLUSIVE), (1, INCONCLUSIVE)]);
    assert_eq!(
        (steps.create, steps.assimilate),
        (1, None),
        "two are not more than two"
    );
    story.succeed(2, Output::wrong(2));
    let steps = story.hear(
        None,
        &[(0, INCONCLUSIVE), (1, INCONCLUSIVE), (2, INCONCLUSIVE)],
    );
    assert_eq!(
        steps.assimilate,
        Some(ErrorMask(ErrorMask::TOO_MANY_SUCCESSES))
    );
    assert_eq!(steps.not_checked, 3);
}

#[test]
fn an_instance_times_out_after_its_deadline_and_not_at_it() {
    let mut story = Story::begin(rules(1, 1, [5, 5, 5]));
    story.send(0, hour(0));
    let deadline = hour(7 * 24);
    let steps = story.transition(deadline);
    assert_eq!(
        (steps.timed_out.len(), steps.next_look),
        (0, Some(deadline))
    );
    let steps = story.transition(deadline + SimDuration::NANOSECOND);
    assert_eq!((steps.timed_out.len(), steps.create), (1, 1));
    assert_eq!(steps.next_look, None);
}

#[test]
fn timeouts_do_not_count_as_errors() {
    let mut story = Story::begin(rules(1, 1, [0, 3, 3]));
    story.send(0, hour(0));
    let steps = story.transition(hour(8 * 24));
    assert_eq!((steps.create, steps.assimilate), (1, None));
}

#[test]
fn a_late_result_is_accepted() {
    let mut story = Story::begin(rules(1, 1, [5, 5, 5]));
    story.send(0, hour(0));
    story.transition(hour(8 * 24));
    let taken = story
        .job
        .report(0, Outcome::Success, Output::CORRECT, hour(9 * 24));
    assert_eq!(taken, ReportTaken::Late);
    let steps = story.transition(hour(9 * 24));
    assert!(steps.validate.is_some());
    let again = story
        .job
        .report(0, Outcome::Success, Output::CORRECT, hour(9 * 24));
    assert_eq!(again, ReportTaken::Ignored, "but only once");
}

#[test]
fn what_is_unsent_is_not_needed_once_there_is_a_canonical_instance() {
    let mut story = Story::begin(rules(4, 3, [6, 16, 14]));
    for number in 0..3 {
        story.succeed(number, Output::CORRECT);
    }
    let steps = story.hear(Some(0), &[(0, VALID), (1, VALID), (2, VALID)]);
    assert!(steps.withdraw && steps.assimilate.is_some_and(ErrorMask::is_empty));
    story.job.assimilated();
    assert!(
        !story.transition(hour(4)).delete,
        "the fourth may be under way"
    );
    story.job.withdraw(3);
    let steps = story.transition(hour(4));
    assert_eq!((steps.delete, steps.outputs), (true, 3));
}

#[test]
fn an_instance_under_way_is_awaited_and_compared_with_the_canonical_one() {
    let mut story = Story::begin(rules(4, 3, [6, 16, 14]));
    story.send(3, hour(1));
    for number in 0..3 {
        story.succeed(number, Output::CORRECT);
    }
    let steps = story.hear(Some(0), &[(0, VALID), (1, VALID), (2, VALID)]);
    assert!(!steps.withdraw);
    story.job.assimilated();
    assert!(!story.transition(hour(4)).delete);
    story
        .job
        .report(3, Outcome::Success, Output::CORRECT, hour(5));
    let (canonical, results) = story.transition(hour(5)).validate.expect("a pair to check");
    assert_eq!((canonical, results.len()), (Some(Output::CORRECT), 1));
    assert!(story.hear(None, &[(3, VALID)]).delete);
}

#[test]
fn instances_are_created_up_to_what_is_allowed() {
    // Partial creation: three are needed, two are allowed.
    let mut story = Story::begin(rules(3, 3, [6, 5, 14]));
    for number in 0..3 {
        story.send(number, hour(0));
    }
    let steps = story.transition(hour(8 * 24));
    assert_eq!(
        (steps.timed_out.len(), steps.create, steps.assimilate),
        (3, 2, None)
    );
}

#[test]
fn a_check_that_could_not_read_is_made_again_later_or_when_a_new_result_comes() {
    let mut story = Story::begin(rules(4, 3, [6, 16, 14]));
    for number in 0..3 {
        story.succeed(number, Output::CORRECT);
    }
    let steps = story.hear_nothing_yet();
    assert!(
        steps.validate.is_none() && steps.create == 0,
        "put off: {steps:?}"
    );
    assert_eq!(steps.next_look, Some(hour(9)));
    assert!(story.transition(hour(8)).validate.is_none());
    let steps = story.transition(hour(9));
    assert_eq!(steps.validate.expect("a check").1.len(), 3);
    // Or sooner, if another result comes.
    story.hear_nothing_yet();
    let steps = story.succeed(3, Output::CORRECT);
    assert_eq!(steps.validate.expect("a check").1.len(), 4);
}

#[test]
fn a_job_of_one_instance_gets_the_others_when_its_host_is_not_trusted() {
    let rules = rules(2, 2, [6, 16, 14]);
    let mut job = JobState::new(Extent::SINGLE, hour(0));
    job.dispatch(0, HOST, SpeedClass::default(), hour(1));
    assert_eq!(job.transition(&rules, hour(1)).create, 0);
    job.extend(Extent::replicated(&rules));
    assert_eq!(job.transition(&rules, hour(1)).create, 1);
    job.report(0, Outcome::Success, Output::CORRECT, hour(2));
    assert!(
        job.transition(&rules, hour(2)).validate.is_none(),
        "one is no quorum of two"
    );
    // A trusted host's job is checked as soon as its only instance is there.
    let mut job = JobState::new(Extent::SINGLE, hour(0));
    job.dispatch(0, HOST, SpeedClass::default(), hour(1));
    job.report(0, Outcome::Success, Output::CORRECT, hour(2));
    let steps = job.transition(&rules, hour(2));
    assert_eq!(
        (steps.validate.expect("a check").1.len(), steps.quorum),
        (1, 1)
    );
}

#[test]
fn a_job_is_free_of_its_platform_when_all_of_it_has_failed() {
    let mut story = Story::begin(rules(2, 2, [6, 16, 14]));
    story.send(0, hour(1));
    story.send(1, hour(1));
    story
        .job
        .report(0, Outcome::ClientError, Output::MISSING, hour(2));
    let steps = story.transition(hour(2));
    assert_eq!(
        (steps.create, steps.free_platform),
        (1, false),
        "one is in progress"
    );
    story
        .job
        .report(1, Outcome::ClientError, Output::MISSING, hour(2));
    let steps = story.transition(hour(2));
    assert_eq!((steps.create, steps.free_platform), (1, true));
    assert!(!story.transition(hour(2)).free_platform, "said once");
}
