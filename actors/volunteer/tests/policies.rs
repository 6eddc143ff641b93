//! What must hold for every rule of assignment, and the quotas step by step.

use std::sync::Arc;

use kernel::{Rehearsal, SimDuration, SimTime};

use super::stage::{request, scheduler};
use super::{inputs, run, scalar};
use crate::shared::quantity::{Bytes, Duration, Flop};
use crate::volunteer::actor::VolunteerActor;
use crate::volunteer::assignment::Rule;
use crate::volunteer::job::{InstanceId, InstanceSet, Outcome, Output};
use crate::volunteer::messages::{Message, Reply, Report, Request, ToHost, ToScheduler};
use crate::volunteer::scenario::{Behaviour, Scenario};
use crate::volunteer::{Fact, quota};

/// Every rule of assignment, by name.
const RULES: [&str; 10] = [
    "first_come",
    "random",
    "locality_2004",
    "locality_2004_as_shipped",
    "locality_2005_january",
    "locality_2005_february",
    "locality_today",
    "locality_lite",
    "locality_lite_as_shipped",
    "convoys",
];

fn rule(name: &str) -> Rule {
    toml::from_str(&format!("rule = \"{name}\"")).expect("a rule")
}

/// A world in which much happens in a short time.
fn brisk(rule_name: &str) -> Scenario {
    let mut scenario = Scenario {
        hosts: 60,
        until: Duration::new(SimDuration::from_days(8)),
        ..Scenario::default()
    };
    scenario.jobs.flops = Flop::new(4e13);
    scenario.jobs.jobs_per_file = 12;
    scenario.jobs.delay_bound = Duration::new(SimDuration::from_days(2));
    scenario.scheduler.assignment = rule(rule_name);
    scenario
}

#[test]
fn a_smaller_file_never_means_more_bytes() {
    for name in RULES {
        let bytes = |behaviour: &Behaviour, megabytes: u64| {
            let mut scenario = brisk(name);
            scenario.behaviour = behaviour.clone();
            scenario.jobs.input_file = Bytes::new(megabytes * 1_000_000);
            scalar(&run(&scenario), "bytes_down")
        };
        let document = Behaviour::Document {
            rate_per_day: None,
            failing_rate_per_day: None,
        };
        for behaviour in [Behaviour::Detailed, document] {
            let (large, small) = (bytes(&behaviour, 40), bytes(&behaviour, 10));
            assert!(small < large, "{name}: {small} is not below {large}");
        }
    }
}

#[test]
fn more_quorum_never_means_fewer_instances_for_a_job() {
    for name in ["first_come", "locality_2004", "convoys"] {
        let mut before = 0.0;
        for quorum in 1..=4 {
            let mut scenario = brisk(name);
            scenario.jobs.min_quorum = quorum;
            scenario.jobs.target_nresults = quorum;
            let results = run(&scenario);
            let jobs = scalar(&results, "jobs_valid");
            let per_job = scalar(&results, "instances_dispatched") / jobs;
            assert!(
                per_job > before,
                "{name}: {per_job} for a quorum of {quorum}"
            );
            before = per_job;
        }
    }
}

#[test]
fn every_rule_is_repeatable_and_keeps_everybody_at_work() {
    let mut jobs_of_first_come = 0.0;
    for name in RULES {
        let scenario = brisk(name);
        let dispatched = |scenario: &Scenario| scalar(&run(scenario), "instances_dispatched");
        let (once, again) = (dispatched(&scenario), dispatched(&scenario));
        assert_eq!(once, again, "{name}");
        if name == "first_come" {
            jobs_of_first_come = once;
        }
        let part = once / jobs_of_first_come;
        assert!(part > 0.8, "{name}: {part} of what first_come dispatches");
    }
}

#[test]
fn files_that_are_kept_are_downloaded_less_often() {
    let per_instance = |name| scalar(&run(&brisk(name)), "downloads_per_instance");
    let none = per_instance("first_come");
    for name in ["locality_2004", "locality_2005_february", "convoys"] {
        let kept = per_instance(name);
        assert!(kept < 0.7 * none, "{name}: {kept}, without regard {none}");
    }
    let (intended, shipped) = (
        per_instance("locality_2004"),
        per_instance("locality_2004_as_shipped"),
    );
    assert!(shipped > 1.3 * intended, "{shipped} as shipped, {intended}");
}

// Quotas, day by day.

/// A host with one processor, as its scheduler sees it.
struct Member {
    stage: Rehearsal<VolunteerActor>,
    scenario: Arc<Scenario>,
    record: Option<u32>,
    day: u64,
    held: Vec<InstanceId>,
}

impl Member {
    fn new(rule: quota::Rule) -> Self {
        let mut scenario = Scenario::default();
        scenario.scheduler.quota = rule;
        scenario.scheduler.max_wus_to_send = 1_000;
        Member {
            stage: scheduler(&scenario),
            scenario: Arc::new(scenario),
            record: None,
            day: 0,
            held: Vec::new(),
        }
    }

    /// Asks for as much as it can get, at noon of the next day. Returns how much that is.
    fn next_day(&mut self) -> usize {
        let wish = Request {
            record: self.record,
            cores: 1,
            idle_cores: 40,
            work_wanted: SimDuration::ZERO,
            ..request(&self.scenario, 0)
        };
        let reply = self.ask(wish, SimDuration::from_hours(12));
        self.day += 1;
        self.record = reply.record;
        self.held.extend(&reply.instances);
        reply.instances.len()
    }

    /// Reports one of its instances, in a request that asks for nothing.
    fn reports(&mut self, outcome: Outcome) -> InstanceId {
        let instance = self.held.pop().expect("it has one");
        let report = Report {
            instance,
            outcome,
            output: Output::CORRECT,
        };
        let request = Request {
            record: self.record,
            work_wanted: SimDuration::ZERO,
            idle_cores: 0,
            reports: [report].into_iter().collect(),
            ..request(&self.scenario, 0)
        };
        self.day -= 1;
        self.ask(request, SimDuration::from_hours(20));
        self.day += 1;
        instance
    }

    fn times_out(&mut self) {
        let instance = self.held.pop().expect("it has one");
        self.tell(ToScheduler::InstanceTimedOut { instance });
    }

    fn is_judged(&mut self, instance: InstanceId, valid: bool) {
        let mut one = InstanceSet::default();
        one.insert(instance.number);
        let none = InstanceSet::default();
        let (valid, invalid) = if valid { (one, none) } else { (none, one) };
        let job = instance.job;
        self.tell(ToScheduler::InstancesJudged {
            job,
            valid,
            invalid,
        });
    }

    fn tell(&mut self, message: ToScheduler) {
        let now = SimTime::START + SimDuration::from_days(self.day);
        self.stage.tell(now, message);
    }

    fn ask(&mut self, request: Request, at: SimDuration) -> Reply {
        let now = SimTime::START + SimDuration::from_days(self.day) + at;
        let said = self
            .stage
            .tell(now, ToScheduler::Requested(Box::new(request)));
        let mut letters = said.letters.into_iter();
        letters
            .find_map(|letter| match letter.message {
                Message::ToHost(ToHost::Replied(reply)) => Some(*reply),
                _ => None,
            })
            .expect("every request is answered")
    }
}

#[test]
fn the_documents_quota_day_by_day() {
    let mut host = Member::new(quota::Rule::Document { per_cpu: 8 });
    assert_eq!(host.next_day(), 8, "K times the number of processors");
    host.reports(Outcome::ClientError);
    host.times_out();
    assert_eq!(host.next_day(), 6, "an error and a timeout, one each");
    let good = host.reports(Outcome::Success);
    assert_eq!(
        host.next_day(),
        6,
        "a success is worth nothing until validated"
    );
    host.is_judged(good, true);
    assert_eq!(
        host.next_day(),
        12,
        "doubled, and beyond K: there is no other limit"
    );
    for _ in 0..15 {
        host.reports(Outcome::ClientError);
    }
    assert_eq!(host.next_day(), 1, "down to a limit of 1");
    let bad = host.reports(Outcome::Success);
    host.is_judged(bad, false);
    assert_eq!(host.next_day(), 1, "an invalid result changes nothing");
}

#[test]
fn the_quota_of_2005_day_by_day() {
    let mut host = Member::new(quota::Rule::Boinc2005 {
        daily_result_quota: 8,
    });
    assert_eq!(host.next_day(), 8);
    for _ in 0..5 {
        host.reports(Outcome::ClientError);
    }
    assert_eq!(host.next_day(), 3);
    let good = host.reports(Outcome::Success);
    assert_eq!(host.next_day(), 6, "doubled when it is reported");
    host.is_judged(good, true);
    assert_eq!(host.next_day(), 6, "not when it is validated");
    host.reports(Outcome::Success);
    assert_eq!(host.next_day(), 8, "never beyond the quota");
}

#[test]
fn todays_quota_day_by_day() {
    let mut host = Member::new(quota::Rule::BoincNow {
        daily_result_quota: 8,
    });
    assert!(host.next_day() > 8, "the first contact is not limited");
    assert_eq!(host.next_day(), 8);
    let good = host.reports(Outcome::Success);
    assert_eq!(host.next_day(), 8, "at the quota, a report lifts nothing");
    host.is_judged(good, true);
    assert_eq!(host.next_day(), 9, "a valid result does, beyond the quota");
    let bad = host.reports(Outcome::Success);
    host.is_judged(bad, false);
    assert_eq!(host.next_day(), 8, "an invalid one takes that away again");
    host.reports(Outcome::ClientError);
    assert_eq!(host.next_day(), 7);
    host.reports(Outcome::Success);
    assert_eq!(host.next_day(), 8, "below the quota, a report doubles");
}

#[test]
fn who_claims_to_be_new_each_time_escapes_the_quota_but_not_the_governor() {
    let records = |every| {
        let mut scenario = Scenario::default();
        scenario.scheduler.quota = quota::Rule::Document { per_cpu: 8 };
        scenario.scheduler.governor.every = every;
        let mut stage = scheduler(&scenario);
        let (mut sent, mut refused) = (0, 0);
        for contact in 0..20 {
            let at = SimTime::START + SimDuration::from_hours(contact);
            let asked = ToScheduler::Requested(Box::new(request(&scenario, 0)));
            let said = stage.tell(at, asked);
            let refuses = |fact: &Fact| *fact == Fact::HostRefused;
            refused += said.facts.iter().filter(|&fact| refuses(fact)).count();
            for letter in said.letters {
                if let Message::ToHost(ToHost::Replied(reply)) = letter.message {
                    sent += reply.instances.len();
                    assert_eq!(reply.show_yourself, reply.record.is_none());
                }
            }
        }
        // Its volunteer shows himself, at last.
        let request = Request {
            after_web_interaction: true,
            ..request(&scenario, 0)
        };
        let at = SimTime::START + SimDuration::from_days(1);
        let said = stage.tell(at, ToScheduler::Requested(Box::new(request)));
        assert!(!said.facts.contains(&Fact::HostRefused));
        (sent, refused)
    };
    let (without, none) = records(0);
    let (with, refused) = records(5);
    assert_eq!((none, refused), (0, 15));
    assert_eq!(
        with * 4,
        without,
        "a quarter of the contacts, a quarter of the work"
    );
}

#[test]
fn in_a_whole_run_the_governor_stops_the_impostors_and_nobody_else() {
    let mut scenario = super::shipped("bad-hosts").0;
    scenario.hosts = 120;
    scenario.until = Duration::new(SimDuration::from_days(4));
    let end = SimTime::START + scenario.until.span();
    let mut with = |every| {
        scenario.scheduler.governor.every = every;
        let world = scenario.build(&inputs());
        let metrics = crate::volunteer::Metrics::new(&scenario);
        let (metrics, _) = kernel::run_sequentially(world, end, metrics);
        let results = metrics.results(&scenario);
        let of = |name: &str| scalar(&results, name);
        (of("host_records"), of("hosts_joined"), of("jobs_valid"))
    };
    let (records, hosts, _) = with(0);
    assert!(records > 3.0 * hosts, "{records} records of {hosts} hosts");
    let (records, hosts, jobs) = with(20);
    assert!(records < 2.5 * hosts, "{records} records of {hosts} hosts");
    assert!(jobs > 0.0);
}
