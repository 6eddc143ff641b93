//! Rules of replication and validation in whole runs, against closed forms and a second account.

use std::collections::{BTreeMap, BTreeSet};

use kernel::{ActorId, EventKey, Observer, SimDuration, SimTime, run_sequentially};

use super::laws::perfect_hosts;
use super::{inputs, run, scalar};
use crate::shared::availability::Preset;
use crate::shared::distribution::{Distribution, Family};
use crate::shared::quantity::{Bytes, Duration, Flop, Fraction};
use crate::shared::results::Results;
use crate::volunteer::job::{InstanceId, JobId, Outcome};
use crate::volunteer::messages::{Message, ToScheduler, ToTransitioner};
use crate::volunteer::platform::{Platform, PlatformShare};
use crate::volunteer::replication::Rule;
use crate::volunteer::scenario::{Majority, Pattern, Scenario};
use crate::volunteer::{Metrics, VolunteerActor, assignment};

fn days(days: u64) -> Duration {
    Duration::new(SimDuration::from_days(days))
}

fn fraction(value: f64) -> Fraction {
    Fraction::new(value).expect("a fraction")
}

/// Perfect hosts that are always there, with short jobs that are done by so many of them.
fn quorum_of(quorum: u32) -> Scenario {
    let mut scenario = Scenario {
        hosts: 60,
        until: days(12),
        ..Scenario::default()
    };
    perfect_hosts(&mut scenario);
    scenario.churn.pattern = Pattern::None;
    scenario.availability = Preset::Always.availability();
    scenario.scheduler.assignment = assignment::Rule::FirstCome;
    scenario.jobs.flops = Flop::new(4e13);
    scenario.jobs.input_file = Bytes::new(10_000);
    scenario.jobs.target_nresults = quorum;
    scenario.jobs.min_quorum = quorum;
    scenario
}

fn adaptive(quorum: u32) -> Scenario {
    let mut scenario = quorum_of(quorum);
    scenario.scheduler.replication = Rule::Adaptive { trusted_after: 10 };
    scenario
}

#[test]
fn a_larger_quorum_never_means_fewer_instances_for_a_job() {
    let mut before = 0.0;
    for quorum in 1..=5 {
        let mut scenario = quorum_of(quorum);
        scenario.errors.a_perfect = fraction(0.7);
        scenario.errors.b_erring = fraction(0.3);
        let results = run(&scenario);
        let per_job = scalar(&results, "instances_per_job");
        assert!(per_job >= f64::from(quorum), "quorum {quorum}: {per_job}");
        assert!(
            per_job >= before,
            "quorum {quorum}: {per_job} after {before}"
        );
        before = per_job;
    }
}

#[test]
fn of_three_sound_instances_for_a_quorum_of_two_one_is_wasted() {
    let mut scenario = quorum_of(3);
    scenario.jobs.min_quorum = 2;
    let results = run(&scenario);
    let of = |name| scalar(&results, name);
    let (valid, redundant) = (of("instances_valid"), of("instances_redundant"));
    // Nothing fails and nobody leaves, so only the third of three can be in vain; and not where it
    // was never sent, or came together with the second.
    assert!(
        redundant <= valid / 3.0 && redundant > valid / 6.0,
        "{redundant} of {valid}"
    );
    assert!((of("wasted_fraction") - redundant / valid).abs() < 1e-12);
    assert_eq!(of("instances_error") + of("instances_invalid"), 0.0);
}

#[test]
fn a_quarter_of_pairs_within_two_tolerances_disagree_and_a_third_result_settles_it() {
    // Two places uniform in 0 to 2 are more than 1 apart with probability 1/4. A third place is then
    // within 1 of one of them, so no job is checked in vain twice.
    let mut scenario = quorum_of(2);
    scenario.validation.place = Distribution::new(Family::Uniform {
        low: 0.0,
        high: 2.0,
    })
    .expect("a distribution");
    let results = run(&scenario);
    let jobs = scalar(&results, "jobs_valid");
    let share = scalar(&results, "checks_inconclusive") / jobs;
    let deviation = (0.25 * 0.75 / jobs).sqrt();
    assert!(jobs > 1_000.0, "a test of something: {jobs}");
    assert!((share - 0.25).abs() < 4.0 * deviation + 0.02, "{share}");
    assert_eq!(scalar(&results, "jobs_wrong"), 0.0);
    assert!(
        scalar(&results, "instances_invalid") > 0.0,
        "sound, and yet refused"
    );
}

#[test]
fn checks_that_fail_for_the_moment_are_repeated_until_they_succeed() {
    // A check of one result fails with probability p: on average p / (1 - p) times, 6 h each.
    let mut scenario = quorum_of(1);
    let soon = scalar(&run(&scenario), "time_to_canonical_mean");
    scenario.validation.transient_failure = fraction(0.3);
    let results = run(&scenario);
    let jobs = scalar(&results, "jobs_valid");
    let repeated = scalar(&results, "checks_put_off") / jobs;
    let expected = 0.3 / 0.7;
    assert!((repeated / expected - 1.0).abs() < 0.1, "{repeated}");
    let later = scalar(&results, "time_to_canonical_mean") - soon;
    let hours = later / 3_600.0;
    assert!(
        (hours / (6.0 * expected) - 1.0).abs() < 0.12,
        "{hours} h later"
    );
}

#[test]
fn the_documents_majority_needs_more_instances_than_boincs() {
    let with = |majority| {
        let mut scenario = quorum_of(3);
        scenario.errors.a_perfect = fraction(0.6);
        scenario.errors.b_erring = fraction(0.4);
        scenario.errors.wrong_output = fraction(0.9);
        scenario.validation.majority = majority;
        run(&scenario)
    };
    let of = |results: &Results, name| scalar(results, name);
    let (boinc, document) = (with(Majority::Boinc), with(Majority::Document));
    let per_job = |results| of(results, "instances_per_job");
    assert!(per_job(&document) > per_job(&boinc) + 0.05);
    // The check of early 2005 names the first result canonical, right or wrong.
    let early = with(Majority::BoincFebruary2005);
    assert!(of(&early, "jobs_wrong") > 10.0 * of(&boinc, "jobs_wrong").max(1.0));
}

/// Keeps its own account of whom adaptive replication may trust.
#[derive(Clone, Debug, Default)]
struct Auditor {
    valid_in_a_row: BTreeMap<ActorId, u32>,
    /// The same at each host's last request, after its reports.
    when_asking: BTreeMap<ActorId, u32>,
    /// The same when an instance was dispatched.
    when_sent: BTreeMap<InstanceId, u32>,
    holders: BTreeMap<InstanceId, ActorId>,
    shared: BTreeSet<JobId>,
    alone: u32,
}

impl Observer<VolunteerActor> for Auditor {
    fn on_event(&mut self, key: EventKey, _target: ActorId, message: &Message) {
        match message {
            Message::ToTransitioner(ToTransitioner::JobExtended { job, .. }) => {
                self.shared.insert(*job);
            }
            Message::ToTransitioner(ToTransitioner::InstanceDispatched {
                instance, host, ..
            }) => {
                self.holders.insert(*instance, host.id());
                self.when_sent
                    .insert(*instance, self.when_asking[&host.id()]);
            }
            Message::ToScheduler(ToScheduler::Requested(request)) => {
                for report in &request.reports {
                    if report.outcome != Outcome::Success {
                        self.valid_in_a_row.insert(request.host.id(), 0);
                    }
                }
                let host = request.host.id();
                let row = self.valid_in_a_row.get(&host).copied().unwrap_or(0);
                self.when_asking.insert(host, row);
            }
            Message::ToScheduler(ToScheduler::InstanceTimedOut { instance }) => {
                self.valid_in_a_row.insert(self.holders[instance], 0);
            }
            Message::ToScheduler(ToScheduler::InstancesJudged {
                job,
                valid,
                invalid,
            }) => {
                for number in invalid.iter() {
                    let host = self.holders[&InstanceId { job: *job, number }];
                    self.valid_in_a_row.insert(host, 0);
                }
                for number in valid.iter() {
                    let instance = InstanceId { job: *job, number };
                    if self.shared.contains(job) {
                        *self
                            .valid_in_a_row
                            .entry(self.holders[&instance])
                            .or_default() += 1;
                    } else {
                        self.alone += 1;
                        let row = self.when_sent[&instance];
                        assert!(row >= 10, "job {} alone at {}: {row}", job.0, key.time);
                    }
                }
            }
            _ => {}
        }
    }

    fn merge(&mut self, _other: Self) {
        unreachable!("a sequential run has one observer");
    }
}

#[test]
fn hosts_do_jobs_alone_only_after_ten_valid_results_in_a_row() {
    let mut scenario = adaptive(2);
    scenario.errors.a_perfect = fraction(0.8);
    scenario.errors.b_erring = fraction(0.2);
    let end = SimTime::START + scenario.until.span();
    let (auditor, _) = run_sequentially(scenario.build(&inputs()), end, Auditor::default());
    assert!(auditor.alone > 1_000, "{} jobs alone", auditor.alone);
}

#[test]
fn adaptive_replication_saves_most_of_the_second_instances() {
    let fixed = run(&quorum_of(2));
    let saving = run(&adaptive(2));
    let per_job = |results: &Results| scalar(results, "instances_per_job");
    assert!(per_job(&fixed) >= 2.0);
    assert!(per_job(&saving) < 1.3, "{}", per_job(&saving));
    let valid = |results: &Results| scalar(results, "jobs_valid");
    assert!(valid(&saving) > 1.5 * valid(&fixed));
    assert_eq!(scalar(&saving, "jobs_wrong"), 0.0);
}

#[test]
fn hosts_in_league_that_lie_seldom_get_more_lies_past_adaptive_replication() {
    let with = |mut scenario: Scenario| {
        scenario.errors.a_perfect = fraction(0.9);
        scenario.errors.e_colluding = fraction(0.1);
        scenario.errors.e_lies = fraction(0.02);
        let results = run(&scenario);
        scalar(&results, "jobs_wrong") / scalar(&results, "jobs_valid")
    };
    let (fixed, adaptive) = (with(quorum_of(2)), with(adaptive(2)));
    // Of pairs, both must be in league and lie: one in a hundred times 0.02 squared.
    assert!(fixed < 1e-3, "{fixed}");
    assert!((0.0002..0.01).contains(&adaptive), "{adaptive}");
}

/// Of which platforms the hosts are that got instances of each job.
#[derive(Clone, Debug, Default)]
struct PlatformsOfJobs {
    of_host: BTreeMap<ActorId, Option<Platform>>,
    of_job: BTreeMap<JobId, Vec<Option<Platform>>>,
}

impl Observer<VolunteerActor> for PlatformsOfJobs {
    fn on_event(&mut self, _key: EventKey, _target: ActorId, message: &Message) {
        match message {
            Message::ToScheduler(ToScheduler::Requested(request)) => {
                self.of_host.insert(request.host.id(), request.platform);
            }
            Message::ToTransitioner(ToTransitioner::InstanceDispatched {
                instance, host, ..
            }) => {
                let platforms = self.of_job.entry(instance.job).or_default();
                platforms.push(self.of_host[&host.id()]);
            }
            _ => {}
        }
    }

    fn merge(&mut self, _other: Self) {
        unreachable!("a sequential run has one observer");
    }
}

#[test]
fn homogeneous_redundancy_makes_platforms_agree_that_never_would() {
    let of = |rule| {
        let mut scenario = quorum_of(2);
        scenario.population.platforms = [("windows", 3.0, 0.0), ("linux", 1.0, 5.0)]
            .map(|(name, share, place)| PlatformShare {
                name: name.to_owned(),
                share,
                place,
            })
            .to_vec();
        scenario.scheduler.replication = rule;
        scenario.validate().expect("a scenario that makes sense");
        let end = SimTime::START + scenario.until.span();
        let observers = (PlatformsOfJobs::default(), Metrics::new(&scenario));
        let ((platforms, metrics), _) = run_sequentially(scenario.build(&inputs()), end, observers);
        (platforms, metrics.results(&scenario))
    };
    let (mixed, results) = of(Rule::FixedQuorum);
    let both = |jobs: &PlatformsOfJobs| {
        let differ = |of: &&Vec<Option<Platform>>| of.iter().any(|platform| *platform != of[0]);
        jobs.of_job.values().filter(differ).count()
    };
    assert!(both(&mixed) > 500 && scalar(&results, "checks_inconclusive") > 500.0);
    let (bound, results) = of(Rule::Homogeneous);
    assert!(bound.of_job.len() > 2_000, "a test of something");
    assert_eq!(both(&bound), 0);
    assert_eq!(scalar(&results, "checks_inconclusive"), 0.0);
    assert_eq!(scalar(&results, "instances_invalid"), 0.0);
    let hosts = bound.of_host.values();
    let linux = hosts
        .filter(|&&platform| platform == Some(Platform(1)))
        .count();
    assert!((5..=27).contains(&linux), "a quarter of sixty: {linux}");
}

/// Hosts of one processor that are always on and have other projects.
fn sharing(share: f64, cores: f64, hours: f64) -> (Scenario, super::Inputs) {
    let table = crate::shared::population::HostTable::new("one", vec![super::row(1, cores, 2.0)]);
    let mut scenario = quorum_of(1);
    scenario.hosts = 20;
    scenario.until = days(30);
    scenario.jobs.flops = Flop::new(2e9 * 3_600.0 * hours);
    scenario.jobs.delay_bound = days(28);
    scenario.other_projects.attached = Fraction::ONE;
    scenario.other_projects.share = Distribution::fixed(share);
    let table = table.expect("a table");
    (scenario, super::Inputs { table })
}

#[test]
fn a_project_gets_its_share_of_the_processors() {
    for (share, cores) in [(0.5, 1.0), (0.3, 4.0), (0.05, 2.0)] {
        let (scenario, inputs) = sharing(share, cores, 3.0);
        let (results, _) = super::run_with(&scenario, &inputs);
        let processors = 20.0 * cores * scenario.until.span().as_secs_f64();
        let part = scalar(&results, "computed") / processors;
        assert!(
            (part / share - 1.0).abs() < 0.04,
            "{share} of {cores}: {part}"
        );
    }
}

#[test]
fn other_projects_explain_latency_and_deadlines_come_first() {
    // Ten hours of computing at half a processor take twenty; unless there are only 14 for them.
    let latency = |bound: u64| {
        let (mut scenario, inputs) = sharing(0.5, 1.0, 10.0);
        scenario.jobs.delay_bound = Duration::new(SimDuration::from_hours(bound));
        scenario.jobs.time_factor = Distribution::fixed(1.0);
        scenario.client.buffer_min = Duration::new(SimDuration::ZERO);
        scenario.client.buffer_extra = Duration::new(SimDuration::ZERO);
        scenario.client.report_at = 1;
        let (results, _) = super::run_with(&scenario, &inputs);
        assert!(scalar(&results, "instances_valid") > 100.0);
        scalar(&results, "latency_median") / 3_600.0
    };
    let (relaxed, urgent) = (latency(28 * 24), latency(14));
    assert!((19.0..21.5).contains(&relaxed), "{relaxed} h");
    assert!((10.0..14.0).contains(&urgent), "{urgent} h");
}
