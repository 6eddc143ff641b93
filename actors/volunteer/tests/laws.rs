//! What must hold in any run, and numbers that follow from theory.

use std::collections::{BTreeMap, BTreeSet};

use kernel::{ActorId, EventKey, Fingerprint, Observer, SimDuration, SimTime, run_sequentially};

use super::{inputs, run, run_with, scalar, shipped};
use crate::shared::availability::{Availability, Start};
use crate::shared::distribution::{Distribution, Family};
use crate::shared::quantity::{Bandwidth, Bytes, Duration, Flop, Fraction};
use crate::volunteer::job::{InstanceId, JobId, Outcome};
use crate::volunteer::messages::{Message, ToHost, ToScheduler, ToTransitioner};
use crate::volunteer::scenario::{Pattern, Scenario};
use crate::volunteer::{Fact, Inputs, Metrics, VolunteerActor, assignment, quota, scenario};

/// Follows every instance through the messages about it, and checks what it sees.
#[derive(Clone, Debug, Default)]
struct Witness {
    users: BTreeMap<ActorId, u32>,
    holders: BTreeMap<InstanceId, ActorId>,
    users_of_job: BTreeMap<JobId, BTreeSet<u32>>,
    stored: BTreeSet<InstanceId>,
    reported: BTreeSet<InstanceId>,
    timed_out: BTreeSet<InstanceId>,
    withdrawn: BTreeSet<InstanceId>,
    created: u64,
    computed: Vec<SimTime>,
}

impl Witness {
    fn reply(&mut self, host: ActorId, instances: &[InstanceId]) {
        for &instance in instances {
            let before = self.holders.insert(instance, host);
            assert_eq!(before, None, "{instance} is dispatched to one host");
            let user = self.users[&host];
            let news = self
                .users_of_job
                .entry(instance.job)
                .or_default()
                .insert(user);
            assert!(
                news,
                "volunteer {user} gets one instance of job {}",
                instance.job.0
            );
        }
    }
}

impl Observer<VolunteerActor> for Witness {
    fn on_event(&mut self, key: EventKey, target: ActorId, message: &Message) {
        match message {
            Message::ToScheduler(ToScheduler::Requested(request)) => {
                self.users.insert(request.host.id(), request.user);
                for report in &request.reports {
                    let stored = self.stored.contains(&report.instance);
                    assert_eq!(
                        stored,
                        report.outcome == Outcome::Success,
                        "{} is reported after its upload",
                        report.instance
                    );
                    let holder = self.holders.get(&report.instance);
                    assert_eq!(holder, Some(&key.source), "it was sent to this host");
                }
            }
            Message::ToHost(ToHost::Replied(reply)) => self.reply(target, &reply.instances),
            Message::ToHost(ToHost::OutputStored { instance }) => {
                assert!(self.stored.insert(*instance), "{instance} is uploaded once");
            }
            Message::ToHost(ToHost::ComputationEnded { .. }) => self.computed.push(key.time),
            Message::ToTransitioner(ToTransitioner::InstanceReported { instance, .. }) => {
                assert!(
                    self.reported.insert(*instance),
                    "{instance} is reported once"
                );
            }
            Message::ToTransitioner(ToTransitioner::InstanceWithdrawn { instance }) => {
                assert!(
                    self.withdrawn.insert(*instance),
                    "{instance} is withdrawn once"
                );
            }
            Message::ToScheduler(ToScheduler::InstanceTimedOut { instance }) => {
                assert!(
                    self.timed_out.insert(*instance),
                    "{instance} times out once"
                );
            }
            _ => {}
        }
    }

    fn on_fact(&mut self, _time: SimTime, _actor: ActorId, fact: &Fact) {
        if let Fact::InstancesCreated { count } = fact {
            self.created += u64::from(*count);
        }
    }

    fn merge(&mut self, _other: Self) {
        unreachable!("a sequential run has one observer");
    }
}

/// A run of so many hosts with everything switched on that can be.
pub(super) fn everything(hosts: u32) -> Scenario {
    let mut scenario = Scenario {
        hosts,
        until: Duration::new(SimDuration::from_days(10)),
        ..Scenario::default()
    };
    let fraction = |value| Fraction::new(value).expect("a fraction");
    let hours = |hours| Duration::new(SimDuration::from_hours(hours));
    scenario.jobs.flops = Flop::new(3e13);
    scenario.jobs.jobs_per_file = 12;
    scenario.jobs.delay_bound = hours(48);
    scenario.churn.lifetime =
        Distribution::new(Family::Exponential { mean: hours(240) }).expect("a distribution");
    scenario.client.connect_interval = Distribution::new(Family::Uniform {
        low: hours(0),
        high: hours(12),
    })
    .expect("a distribution");
    scenario.errors.colluding = fraction(0.3);
    scenario.errors.unreadable = fraction(0.2);
    scenario.population.hosts_per_user = 3.0;
    scenario.servers.download_bandwidth = Bandwidth::new(2e6);
    scenario.servers.schedulers = 3;
    scenario.servers.transitioners = 2;
    scenario.servers.validators = 2;
    scenario.servers.download_servers = 2;
    scenario.servers.upload_servers = 2;
    scenario
}

fn witness(scenario: &Scenario) -> (Witness, Metrics) {
    scenario.validate().expect("a scenario that makes sense");
    let end = SimTime::START + scenario.until.span();
    let world = scenario.build(&inputs());
    let observers = (Witness::default(), Metrics::new(scenario));
    run_sequentially(world, end, observers).0
}

fn check_instances(scenario: &Scenario) {
    let (witness, metrics) = witness(scenario);
    let results = metrics.results(scenario);
    let of = |name: &str| scalar(&results, name) as u64;
    let dispatched = witness.holders.len() as u64;
    assert!(dispatched > 1_000, "a test of something: {dispatched}");
    // What hosts and schedulers saw, and what the transitioners' states say.
    let by_state: u64 = [
        "instances_unsent",
        "instances_in_progress",
        "instances_pending",
        "instances_valid",
        "instances_invalid",
        "instances_error",
        "instances_no_reply",
        "instances_didnt_need",
        "instances_not_checked",
        "instances_too_late",
    ]
    .iter()
    .map(|name| of(name))
    .sum();
    assert_eq!(witness.created, by_state, "every instance is in one state");
    assert_eq!(of("instances_didnt_need"), witness.withdrawn.len() as u64);
    let ended: BTreeSet<_> = witness.reported.union(&witness.timed_out).collect();
    assert!(witness.withdrawn.iter().all(|gone| !ended.contains(gone)));
    assert!(
        witness
            .withdrawn
            .iter()
            .all(|gone| !witness.holders.contains_key(gone))
    );
    // Replies that are on their way at the end have been dispatched, too; and a few timeouts may
    // not have reached the scheduler.
    let in_progress = dispatched - ended.len() as u64;
    assert!(of("instances_in_progress").abs_diff(in_progress) <= dispatched / 200 + 5);
    assert_eq!(
        of("instances_dispatched") - dispatched,
        of("instances_dispatched") - dispatched
    );
    let late: BTreeSet<_> = witness.reported.intersection(&witness.timed_out).collect();
    let accepted = of("late_reports") + of("instances_too_late");
    assert!(accepted <= late.len() as u64);
}

#[test]
fn every_instance_is_sent_once_ends_once_and_is_counted_once() {
    check_instances(&everything(400));
}

#[test]
fn the_other_rules_of_assignment_and_quota_keep_the_same_laws() {
    let mut scenario = everything(250);
    scenario.scheduler.assignment = assignment::Rule::FirstCome;
    scenario.scheduler.quota = quota::Rule::Boinc2005 {
        daily_result_quota: 8,
    };
    check_instances(&scenario);
    scenario.scheduler.assignment = assignment::Rule::Random { slots: 100 };
    scenario.scheduler.quota = quota::Rule::BoincNow {
        daily_result_quota: 8,
    };
    check_instances(&scenario);
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_seed_another() {
    let digest = |seed| {
        let scenario = Scenario {
            seed,
            ..everything(100)
        };
        let end = SimTime::START + scenario.until.span();
        let world = scenario.build(&inputs());
        run_sequentially(world, end, Fingerprint::default()).0
    };
    assert_eq!(digest(1), digest(1));
    assert_ne!(digest(1), digest(2));
}

pub(super) fn perfect_hosts(scenario: &mut Scenario) {
    scenario.errors.a_perfect = Fraction::ONE;
    scenario.errors.b_erring = Fraction::ZERO;
    scenario.errors.d_few_contacts = Fraction::ZERO;
    scenario.errors.d_many_contacts = Fraction::ZERO;
    scenario.errors.f_one_contact = Fraction::ZERO;
}

#[test]
fn a_task_does_not_compute_while_its_machine_is_off() {
    // Field case 9 (simgrid issues 123 and 394): ten hours of work, less what it takes to get it;
    // on for 1 h, off for 9 h: done at 91 h, not at 10 h.
    let hours = |hours| Distribution::fixed(Duration::new(SimDuration::from_hours(hours)));
    let mut scenario = Scenario {
        hosts: 1,
        availability: Availability::alternating(hours(1), hours(9), Start::ColdStart)
            .expect("intervals with a length"),
        ..Scenario::default()
    };
    scenario.churn.pattern = Pattern::None;
    perfect_hosts(&mut scenario);
    scenario.client.first_contact_within = Duration::new(SimDuration::ZERO);
    scenario.client.notice_delay = Duration::new(SimDuration::ZERO);
    scenario.jobs.input_file = Bytes::new(1_000);
    // At 2 Gflop/s; a second is left for request and download.
    scenario.jobs.flops = Flop::new((36_000.0 - 1.0) * 2e9);
    scenario.jobs.time_factor = Distribution::fixed(1.0);
    let table = crate::shared::population::HostTable::new("one", vec![super::row(1, 1.0, 2.0)]);
    let inputs = Inputs {
        table: table.expect("a table"),
    };
    let end = SimTime::START + SimDuration::from_days(5);
    let (witness, _) = run_sequentially(scenario.build(&inputs), end, Witness::default());
    let done = witness.computed.first().expect("it is done").as_secs_f64() / 3_600.0;
    assert!((90.9..=91.0).contains(&done), "done at {done} h");
}

#[test]
fn as_many_hosts_are_active_as_littles_law_says() {
    // L = lambda W: the rate of arrivals times the mean lifetime, whatever its distribution.
    let mut scenario = Scenario {
        hosts: 400,
        until: Duration::new(SimDuration::from_days(60)),
        ..Scenario::default()
    };
    scenario.jobs.flops = Flop::new(1e16);
    for (shape, start) in [
        (0.58, scenario::Start::Equilibrium),
        (1.0, scenario::Start::Equilibrium),
    ] {
        scenario.churn.start = start;
        scenario.churn.lifetime = Distribution::new(Family::Weibull {
            shape,
            scale: Duration::new(SimDuration::from_days(5)),
        })
        .expect("a distribution");
        let active = scalar(&run(&scenario), "hosts_active");
        // The number at any time is Poisson, so its deviation is 20; it is averaged over some
        // lifetimes, which are long for a shape of 0.58.
        assert!((active - 400.0).abs() < 45.0, "shape {shape}: {active}");
    }
}

#[test]
fn jobs_in_flight_follow_littles_law() {
    // Jobs in flight = rate of creation times mean time to the end, for jobs that all end.
    let (mut scenario, inputs) = shipped("small");
    scenario.hosts = 200;
    scenario.until = Duration::new(SimDuration::from_days(20));
    let (results, _) = run_with(&scenario, &inputs);
    let lifetime = results
        .distributions
        .iter()
        .find(|distribution| distribution.name == "job_lifetime")
        .expect("a distribution");
    let created = scalar(&results, "jobs_created");
    let retired = scalar(&results, "jobs_retired");
    let rate = created / scenario.until.span().as_secs_f64();
    let in_flight_at_end = created - retired;
    let expected = rate * lifetime.mean;
    assert!(
        retired > 0.8 * created,
        "most jobs end: {retired} of {created}"
    );
    assert!(
        (in_flight_at_end / expected - 1.0).abs() < 0.35,
        "{in_flight_at_end} jobs in flight, {expected} by Little's law"
    );
}

#[test]
fn hosts_are_on_as_often_as_their_availability_says_from_the_first_hour() {
    let mut scenario = Scenario {
        hosts: 3_000,
        until: Duration::new(SimDuration::from_days(3)),
        ..Scenario::default()
    };
    scenario.churn.pattern = Pattern::None;
    perfect_hosts(&mut scenario);
    scenario.jobs.flops = Flop::new(1e17);
    let results = run(&scenario);
    let on = results
        .series
        .iter()
        .find(|series| series.name == "hosts_on");
    let on = &on.expect("a series").values;
    let expected = scenario.availability.fraction_on();
    // Four standard errors of a share of 3,000 hosts.
    let tolerance = 4.0 * (expected * (1.0 - expected) / 3_000.0).sqrt();
    for hour in [1, 24, 72] {
        let share = on[hour] / 3_000.0;
        assert!((share - expected).abs() < tolerance, "at {hour} h: {share}");
    }
}
