//! Single actors on an empty stage.

use std::sync::Arc;

use kernel::{ActorId, Address, Promises, Rehearsal, Said, SimDuration, SimTime, World};

use super::inputs;
use crate::volunteer::actor::VolunteerActor;
use crate::volunteer::host::Host;
use crate::volunteer::job::{InstanceId, JobId, Outcome, Output};
use crate::volunteer::messages::{Message, Reply, Report, Request, ToHost, ToScheduler};
use crate::volunteer::project::Project;
use crate::volunteer::scenario::Scenario;
use crate::volunteer::scheduler::Scheduler;
use crate::volunteer::{Fact, quota};

const DAY: SimDuration = SimDuration::from_days(1);
const SECOND: SimDuration = SimDuration::from_secs(1);

fn promises(scenario: &Scenario) -> Arc<Promises> {
    let world: World<VolunteerActor> = scenario.build(&inputs());
    world.promises().clone()
}

/// A scheduler with plenty of files.
pub(super) fn scheduler(scenario: &Scenario) -> Rehearsal<VolunteerActor> {
    let project = Arc::new(Project::new(scenario, 4e9));
    let actor = VolunteerActor::from(Scheduler::new(project, 0));
    let mut stage = Rehearsal::new(actor, ActorId(0), 1, promises(scenario));
    stage.start();
    stage
}

fn host_address(scenario: &Scenario, number: u32) -> Address<Host> {
    Address::new(ActorId(Project::new(scenario, 4e9).first_host() + number))
}

pub(super) fn request(scenario: &Scenario, number: u32) -> Request {
    Request {
        host: host_address(scenario, number),
        record: None,
        user: number,
        platform: None,
        cores: 4,
        speed_flop_per_s: 3_000_000_000,
        memory_bytes: 4 << 30,
        disk_free_bytes: 300_000_000_000,
        disk_limit_bytes: 0,
        disk_used_bytes: 0,
        on_fraction_millionths: 1_000_000,
        line_kb_per_s: 1_250,
        queue_delay: SimDuration::ZERO,
        work_wanted: SimDuration::from_secs(100_000),
        idle_cores: 4,
        reports: Default::default(),
        files: Default::default(),
        way_back: SimDuration::from_millis(50),
        after_web_interaction: false,
    }
}

fn reply(said: Said<VolunteerActor>) -> Reply {
    said.letters
        .into_iter()
        .find_map(|letter| match letter.message {
            Message::ToHost(ToHost::Replied(reply)) => Some(*reply),
            _ => None,
        })
        .expect("every request is answered")
}

#[test]
fn a_quota_of_one_is_one_instance_a_day_for_the_whole_host() {
    // Field case 4 (BOINC issue 3073): four processors, one instance; another the next day.
    let mut scenario = Scenario::default();
    scenario.scheduler.quota = quota::Rule::BoincNow {
        daily_result_quota: 1,
    };
    let mut stage = scheduler(&scenario);
    let asks = |stage: &mut Rehearsal<VolunteerActor>, at: SimDuration, record| {
        let ask = Request {
            record,
            ..request(&scenario, 0)
        };
        let asked = ToScheduler::Requested(Box::new(ask));
        reply(stage.tell(SimTime::START + at, asked))
    };
    // The first contact is not limited; the second is.
    let first = asks(&mut stage, SimDuration::ZERO, None);
    let today = asks(&mut stage, SECOND * 3_600, first.record);
    assert_eq!(today.instances.len(), 0);
    assert!(SimTime::START + SECOND * 3_600 + today.request_delay >= SimTime::START + DAY);
    let tomorrow = asks(&mut stage, DAY, first.record);
    assert_eq!(tomorrow.instances.len(), 1);
    let again = asks(&mut stage, DAY + SECOND * 3_600, first.record);
    assert_eq!(again.instances.len(), 0);
    let day_after = asks(&mut stage, DAY * 2, first.record);
    assert_eq!(day_after.instances.len(), 1);
}

#[test]
fn a_request_that_comes_too_soon_is_heard_but_gets_no_work() {
    // Field case 7 (BOINC issues 3287 and 412).
    let scenario = Scenario::default();
    let interval = scenario.scheduler.min_sendwork_interval.span();
    let mut stage = scheduler(&scenario);
    let asked = ToScheduler::Requested(Box::new(request(&scenario, 0)));
    let first = reply(stage.tell(SimTime::START, asked));
    let finished = first.instances[0];
    let soon = Request {
        record: first.record,
        reports: [Report {
            instance: finished,
            outcome: Outcome::Success,
            output: Output::CORRECT,
        }]
        .into_iter()
        .collect(),
        ..request(&scenario, 0)
    };
    let at = SimTime::START + interval / 2;
    let said = stage.tell(at, ToScheduler::Requested(Box::new(soon)));
    let accepted = said.facts.iter().any(|fact| match fact {
        Fact::RequestHandled { reports, .. } => *reports == 1,
        _ => false,
    });
    let passed_on = said
        .letters
        .iter()
        .any(|letter| matches!(letter.message, Message::ToTransitioner(_)));
    assert!(accepted && passed_on);
    let reply = reply(said);
    assert_eq!(reply.instances.len(), 0);
    assert!(reply.request_delay >= interval + interval / 100);
}

#[test]
fn two_hosts_of_a_volunteer_never_get_instances_of_one_job() {
    // Field case 3 (BOINC issue 4303): both ask at the same time.
    let mut scenario = Scenario::default();
    scenario.scheduler.assignment = crate::volunteer::assignment::Rule::FirstCome;
    let mut stage = scheduler(&scenario);
    let mut jobs: Vec<JobId> = Vec::new();
    for number in 0..2 {
        let ask = Request {
            user: 7,
            ..request(&scenario, number)
        };
        let said = stage.tell(SimTime::START, ToScheduler::Requested(Box::new(ask)));
        jobs.extend(reply(said).instances.iter().map(|instance| instance.job));
    }
    let all = jobs.len();
    assert!(all > 2, "both got work: {jobs:?}");
    jobs.sort_unstable();
    jobs.dedup();
    assert_eq!(jobs.len(), all);
    // The hosts of another volunteer get the same jobs.
    let asked = ToScheduler::Requested(Box::new(request(&scenario, 3)));
    let other = reply(stage.tell(SimTime::START, asked));
    assert!(jobs.contains(&other.instances[0].job));
}

#[test]
fn a_report_of_something_unknown_is_acknowledged_and_ignored() {
    let scenario = Scenario::default();
    let mut stage = scheduler(&scenario);
    let unknown = Report {
        instance: InstanceId {
            job: JobId(4_000),
            number: 3,
        },
        outcome: Outcome::Success,
        output: Output::CORRECT,
    };
    let ask = Request {
        work_wanted: SimDuration::ZERO,
        idle_cores: 0,
        reports: [unknown, unknown].into_iter().collect(),
        ..request(&scenario, 0)
    };
    let said = stage.tell(SimTime::START, ToScheduler::Requested(Box::new(ask)));
    let only_a_reply = said
        .letters
        .iter()
        .all(|letter| matches!(letter.message, Message::ToHost(_)));
    assert!(only_a_reply, "{:?}", said.letters);
}
