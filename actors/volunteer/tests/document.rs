//! The document's model of hosts (section 4): closed forms, and the statistics of each class.

use std::collections::BTreeMap;

use kernel::{ActorId, Observer, SimDuration, SimTime, run_sequentially};

use super::{inputs, run, scalar};
use crate::shared::distribution::{Distribution, Family};
use crate::shared::quantity::{Duration, Fraction};
use crate::volunteer::host::Class;
use crate::volunteer::job::Outcome;
use crate::volunteer::project::Project;
use crate::volunteer::scenario::{Behaviour, Pattern, Peak, Scenario, Start};
use crate::volunteer::{Fact, VolunteerActor, assignment, population, quota};

/// An instance that is over.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Over {
    at: SimTime,
    latency: SimDuration,
    outcome: Outcome,
}

/// Notes what becomes of each host's instances.
#[derive(Clone, Debug, Default)]
struct Diary {
    joined: BTreeMap<ActorId, SimTime>,
    over: BTreeMap<ActorId, Vec<Over>>,
}

impl Observer<VolunteerActor> for Diary {
    fn on_fact(&mut self, time: SimTime, actor: ActorId, fact: &Fact) {
        match *fact {
            Fact::HostJoined { .. } => {
                self.joined.insert(actor, time);
            }
            Fact::InstanceOver {
                outcome,
                host,
                latency,
            } => self.over.entry(host).or_default().push(Over {
                at: time,
                latency,
                outcome,
            }),
            _ => {}
        }
    }

    fn merge(&mut self, _other: Self) {
        unreachable!("one observer watches a sequential run");
    }
}

fn hours(hours: u64) -> Duration {
    Duration::new(SimDuration::from_hours(hours))
}

fn days(days: u64) -> Duration {
    Duration::new(SimDuration::from_days(days))
}

fn fraction(value: f64) -> Fraction {
    Fraction::new(value).expect("a fraction")
}

/// Hosts of four instances a day, perfect ones who stay.
fn document(hosts: u32, for_days: u64) -> Scenario {
    let mut scenario = Scenario {
        hosts,
        until: days(for_days),
        behaviour: Behaviour::Document {
            rate_per_day: Some(Distribution::fixed(4.0)),
            failing_rate_per_day: None,
        },
        ..Scenario::default()
    };
    scenario.churn.pattern = Pattern::None;
    scenario.scheduler.quota = quota::Rule::Unlimited;
    scenario.scheduler.assignment = assignment::Rule::FirstCome;
    scenario.population.hosts_per_user = 1.0;
    only(Class::Perfect, &mut scenario);
    scenario
}

fn only(class: Class, scenario: &mut Scenario) {
    let share = |of| fraction(f64::from(u8::from(class == of)));
    let errors = &mut scenario.errors;
    errors.a_perfect = share(Class::Perfect);
    errors.b_erring = share(Class::Erring);
    errors.d_few_contacts = share(Class::FewContacts);
    errors.d_many_contacts = share(Class::ManyContacts);
    errors.f_one_contact = share(Class::OneContact);
}

fn diary(scenario: &Scenario) -> Diary {
    scenario.validate().expect("a scenario that makes sense");
    let end = SimTime::START + scenario.until.span();
    run_sequentially(scenario.build(&inputs()), end, Diary::default()).0
}

/// Mean and variance.
fn moments(values: impl Iterator<Item = f64> + Clone) -> (f64, f64, f64) {
    let n = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / n;
    let variance = values.map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
    (n, mean, variance)
}

#[test]
fn without_a_grid_the_latency_is_the_processing_time() {
    let diary = diary(&document(100, 20));
    let latencies = diary.over.values().flatten();
    let (n, mean, variance) = moments(latencies.map(|over| over.latency.as_hours_f64()));
    // X / T with T = 4 / d: uniform from 4.5 h to 7.5 h, whose variance is 3 h squared by 12.
    assert!(n > 7_000.0, "{n}");
    assert!((mean - 6.0).abs() < 5.0 * (0.75 / n).sqrt(), "{mean}");
    assert!((variance - 0.75).abs() < 0.05, "{variance}");
}

#[test]
fn a_report_waits_for_the_hosts_own_grid_and_the_wait_is_uniform() {
    let mut scenario = document(200, 20);
    scenario.client.connect_interval = Distribution::fixed(hours(12));
    let diary = diary(&scenario);
    // The wait is uniform in one interval and independent of the processing time.
    let latencies = || {
        let all = diary.over.values().flatten();
        all.map(|over| over.latency.as_hours_f64())
    };
    let (n, mean, variance) = moments(latencies());
    let expected = 0.75 + 12.0;
    assert!(
        (mean - (6.0 + 6.0)).abs() < 5.0 * (expected / n).sqrt(),
        "{mean}"
    );
    assert!((variance - expected).abs() < 0.6, "{variance}");
    assert!(latencies().all(|hours| (4.5..19.51).contains(&hours)));
    // All reports of a host come at the same time of its interval, and hosts differ.
    let interval = SimDuration::from_hours(12).nanos();
    let phase = |over: &Over| over.at.nanos() % interval;
    let mut phases: Vec<u64> = Vec::new();
    for reports in diary.over.values() {
        let phases_of_host: Vec<u64> = reports.iter().map(phase).collect();
        let (least, most) = (phases_of_host.iter().min(), phases_of_host.iter().max());
        assert_eq!(least, most, "always on the grid");
        phases.push(phases_of_host[0] * 4 / interval);
    }
    let in_first_quarter = phases.iter().filter(|&&quarter| quarter == 0).count();
    assert!((30..70).contains(&in_first_quarter), "{in_first_quarter}");
}

#[test]
fn dispatches_are_a_poisson_process() {
    // Reports without a grid are dispatches, shifted at random: again a Poisson process. For one,
    // the variance of counts is their mean: 4 / d for 30 d.
    let diary = diary(&document(400, 31));
    let window = SimTime::START + SimDuration::from_days(1)..SimTime::NEVER;
    let counts = diary.over.values().map(|all| {
        let in_window = all.iter().filter(|over| window.contains(&over.at));
        in_window.count() as f64
    });
    let (n, mean, variance) = moments(counts);
    assert_eq!(n, 400.0);
    assert!(
        (mean - 120.0).abs() < 5.0 * (120.0f64 / 400.0).sqrt(),
        "{mean}"
    );
    // The deviation of a variance from n normal values is sqrt(2 / n) of it.
    let dispersion = variance / mean;
    assert!(
        (dispersion - 1.0).abs() < 5.0 * (2.0f64 / 400.0).sqrt(),
        "{dispersion}"
    );
}

#[test]
fn as_many_hosts_and_instances_are_there_as_littles_law_says() {
    let mut scenario = document(500, 60);
    scenario.churn.pattern = Pattern::Steady;
    scenario.churn.lifetime = Distribution::new(Family::Histogram {
        bins: vec![
            crate::shared::distribution::CountedBin {
                from: days(1),
                to: days(5),
                count: 70,
            },
            crate::shared::distribution::CountedBin {
                from: days(20),
                to: days(40),
                count: 30,
            },
        ],
    })
    .expect("a histogram");
    // Two thirds of those who come do not stay; they must not count.
    scenario.errors.a_perfect = fraction(0.4);
    scenario.errors.f_one_contact = fraction(0.6);
    scenario.client.connect_interval = Distribution::fixed(hours(24));
    let results = run(&scenario);
    let active = scalar(&results, "hosts_active");
    assert!((active / 500.0 - 1.0).abs() < 0.08, "{active}");
    // In progress: 500 hosts x 4 / d x (6 h + half of 24 h), those that are lost with their hosts
    // until their deadlines, and those of the hosts that left at once.
    let arrivals = population::expected_arrivals(&scenario) / 60.0;
    let staying = arrivals * 0.4;
    let lost_per_host = 4.0 * 0.75;
    let expected =
        500.0 * 4.0 * 0.75 + staying * lost_per_host * (7.0 - 0.75 / 2.0) + arrivals * 0.6 * 7.0;
    let series = results
        .series
        .iter()
        .find(|series| series.name == "instances_in_progress")
        .expect("a series");
    let settled = &series.values[20 * 24..];
    let mean = settled.iter().sum::<f64>() / settled.len() as f64;
    assert!(
        (mean / expected - 1.0).abs() < 0.08,
        "{mean} in progress, {expected} by Little's law"
    );
}

#[test]
fn each_class_of_hosts_fails_as_the_document_says() {
    let mut scenario = document(300, 120);
    scenario.churn.pattern = Pattern::Steady;
    scenario.churn.start = Start::Empty;
    scenario.churn.lifetime = Distribution::fixed(days(20));
    scenario.behaviour = Behaviour::Document {
        rate_per_day: Some(Distribution::fixed(1.0)),
        failing_rate_per_day: Some(Distribution::fixed(40.0)),
    };
    scenario.scheduler.quota = quota::Rule::Unlimited;
    scenario.errors.a_perfect = fraction(0.25);
    scenario.errors.b_erring = fraction(0.35);
    scenario.errors.d_few_contacts = fraction(0.05);
    scenario.errors.d_many_contacts = fraction(0.05);
    scenario.errors.f_one_contact = fraction(0.30);
    scenario.errors.wrong_output = Fraction::ZERO;
    let diary = diary(&scenario);
    let end = SimTime::START + SimDuration::from_days(90);
    let mut hosts: BTreeMap<Class, Vec<&[Over]>> = BTreeMap::new();
    // Those whose time is over, so that everything of theirs is over.
    for (&host, _) in diary.joined.iter().filter(|&(_, &joined)| joined < end) {
        let class = population::class(&scenario, host, false);
        let over = diary.over.get(&host).map_or(&[][..], Vec::as_slice);
        hosts.entry(class).or_default().push(over);
    }
    let all: usize = hosts.values().map(Vec::len).sum();
    let share = |class| hosts[&class].len() as f64 / all as f64;
    let tolerance = 4.0 * (0.25 / all as f64).sqrt();
    assert!((share(Class::OneContact) - 0.30).abs() < tolerance);
    assert!((share(Class::Perfect) - 0.25).abs() < tolerance);

    let reported = |over: &&Over| over.outcome != Outcome::NoReply;
    for instances in &hosts[&Class::Perfect] {
        let failed = |over: &Over| over.outcome == Outcome::ClientError;
        assert!(!instances.iter().any(failed), "A never fails");
    }
    for instances in &hosts[&Class::OneContact] {
        assert_eq!(instances.len(), 1, "F is sent something once");
        assert_eq!(instances[0].outcome, Outcome::NoReply, "and never returns");
    }
    for instances in &hosts[&Class::FewContacts] {
        assert!(instances.len() <= scenario.errors.few_contacts as usize);
        let good = |over: &Over| over.outcome == Outcome::Success;
        assert!(!instances.iter().any(good), "D always fails");
    }
    let (n, contacts, _) = moments(
        hosts[&Class::ManyContacts]
            .iter()
            .map(|over| over.len() as f64),
    );
    // 1 + 40 / d x 20 d, of which all are over.
    assert!(
        (contacts - 801.0).abs() < 5.0 * (801.0 / n).sqrt(),
        "{contacts}"
    );
    // B: an error rate uniform from 0 to 1 makes a failed fraction with mean 1/2 and variance 1/12,
    // plus that of about twenty trials: 1/6 of one over their number.
    let failed_fraction = |over: &&[Over]| {
        let all = over.iter().filter(reported).count() as f64;
        let failed = |over: &&Over| over.outcome == Outcome::ClientError;
        over.iter().filter(failed).count() as f64 / all.max(1.0)
    };
    let (n, mean, variance) = moments(hosts[&Class::Erring].iter().map(failed_fraction));
    assert!((mean - 0.5).abs() < 5.0 * (0.1 / n).sqrt(), "{mean}");
    let expected = 1.0 / 12.0 + 1.0 / 6.0 / 20.0;
    assert!((variance - expected).abs() < 0.025, "{variance}");
}

#[test]
fn thirteen_percent_of_the_instances_fail_without_a_pilot_run() {
    // The document, section 4.4, with its quota, and hosts of different rates.
    let mut scenario = document(2_000, 60);
    scenario.churn.pattern = Pattern::Steady;
    scenario.churn.lifetime =
        Distribution::new(Family::Exponential { mean: days(60) }).expect("a distribution");
    let rate = Family::Lognormal {
        mu: 0.3,
        sigma: 0.5,
        unit: None,
    };
    scenario.behaviour = Behaviour::Document {
        rate_per_day: Some(Distribution::new(rate).expect("a distribution")),
        failing_rate_per_day: None,
    };
    scenario.scheduler.quota = quota::Rule::Document { per_cpu: 8 };
    scenario.errors = crate::volunteer::scenario::Errors {
        failed_instances: fraction(0.13),
        ..Default::default()
    };
    scenario.client.connect_interval = Distribution::fixed(hours(8));
    let settled = scenario.settled();
    let sum = |s: &Scenario| s.errors.a_perfect.value() + s.errors.b_erring.value();
    assert!((sum(&settled) - 0.6).abs() < 1e-12);
    assert!(settled.errors.b_erring.value() > 0.0 && settled.errors.a_perfect.value() > 0.0);
    let failed = |seed| {
        scenario.seed = seed;
        scalar(&run(&scenario), "failed_fraction")
    };
    let failed = [1, 2].map(failed).iter().sum::<f64>() / 2.0;
    // What was sent in the last days and will never be returned is not counted yet.
    assert!((failed - 0.13).abs() < 0.008, "{failed}");
}

#[test]
fn peaks_bring_their_hosts_when_they_begin() {
    let mut scenario = document(100, 60);
    scenario.churn.pattern = Pattern::Steady;
    scenario.churn.start = Start::Empty;
    scenario.churn.lifetime = Distribution::fixed(days(1_000));
    scenario.churn.steady_from = days(50);
    let peak = |at, hosts, decay| Peak {
        at: days(at),
        hosts,
        decay: days(decay),
    };
    scenario.churn.peaks = vec![peak(0, 400, 1), peak(25, 900, 2)];
    let times: Vec<f64> = diary(&scenario)
        .joined
        .values()
        .map(|time| time.as_secs_f64() / 86_400.0)
        .collect();
    let between = |from: f64, to: f64| times.iter().filter(|t| (from..to).contains(t)).count();
    let near =
        |found: usize, expected: f64| (found as f64 - expected).abs() < 4.5 * expected.sqrt();
    assert!(near(between(0.0, 20.0), 400.0));
    assert_eq!(between(20.0, 25.0), 0, "nobody joins before the next peak");
    // The mean of an exponential decay: after one mean, all but 1 / e have joined.
    assert!(near(between(25.0, 27.0), 900.0 * (1.0 - libm::exp(-1.0))));
    assert!(near(between(25.0, 45.0), 900.0));
    // 100 hosts who stay 1,000 days: one every ten days.
    assert!(between(50.0, 60.0) <= 8);
    let first_host = Project::new(&scenario, 1.0).first_host();
    assert!(times.len() > first_host as usize);
}
