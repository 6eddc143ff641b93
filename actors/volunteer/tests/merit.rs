//! The figures of merit, against a second computation that remembers every message.

use std::collections::BTreeMap;

use kernel::{ActorId, EventKey, Observer, SimDuration, SimTime, run_sequentially};

use super::laws::everything;
use super::{inputs, scalar};
use crate::shared::quantity::Duration;
use crate::shared::results::{Distribution, Results, Series};
use crate::volunteer::host::SpeedClass;
use crate::volunteer::job::{InstanceId, JobId, Outcome};
use crate::volunteer::messages::{Message, ToHost, ToScheduler, ToTransitioner};
use crate::volunteer::scenario::Scenario;
use crate::volunteer::{Fact, Metrics, VolunteerActor};

/// Remembers everything, and computes only at the end.
#[derive(Clone, Debug, Default)]
struct Notebook {
    speeds: BTreeMap<ActorId, u32>,
    joined: BTreeMap<ActorId, SimTime>,
    left: BTreeMap<ActorId, SimTime>,
    requests: BTreeMap<ActorId, Vec<SimTime>>,
    /// Successes of each host that the scheduler has taken. Those of a file whose jobs are all
    /// forgotten it does not know any more.
    successes: BTreeMap<ActorId, u32>,
    /// Who got an instance, when it was sent, and when it was reported.
    sent: BTreeMap<InstanceId, (ActorId, SimTime)>,
    reported: BTreeMap<InstanceId, SimTime>,
    /// When schedulers learnt that an instance is valid.
    valid: BTreeMap<InstanceId, SimTime>,
    /// Files on each host, after each change.
    files: BTreeMap<ActorId, Vec<(SimTime, i64)>>,
    retired: Vec<JobId>,
    downloads: Vec<(SimTime, u64)>,
}

impl Observer<VolunteerActor> for Notebook {
    fn on_event(&mut self, key: EventKey, target: ActorId, message: &Message) {
        match message {
            Message::ToScheduler(ToScheduler::Requested(request)) => {
                let requests = self.requests.entry(request.host.id()).or_default();
                requests.push(key.time);
                for report in &request.reports {
                    self.reported.insert(report.instance, key.time);
                }
            }
            Message::ToHost(ToHost::Replied(reply)) => {
                let requests = &self.requests[&target];
                let sent = *requests.last().expect("an answer has a question");
                for &instance in &reply.instances {
                    self.sent.insert(instance, (target, sent));
                }
            }
            Message::ToScheduler(ToScheduler::InstancesJudged { job, valid, .. }) => {
                for number in valid.iter() {
                    let instance = InstanceId { job: *job, number };
                    self.valid.insert(instance, key.time);
                }
            }
            Message::ToTransitioner(ToTransitioner::InstanceReported {
                instance,
                outcome: Outcome::Success,
                ..
            }) => *self.successes.entry(self.sent[instance].0).or_default() += 1,
            Message::ToScheduler(ToScheduler::JobDeleted { job }) => self.retired.push(*job),
            _ => {}
        }
    }

    fn on_fact(&mut self, time: SimTime, actor: ActorId, fact: &Fact) {
        let mut change_files = |by: i64| {
            let files = self.files.entry(actor).or_default();
            let before = files.last().map_or(0, |&(_, files)| files);
            files.push((time, before + by));
        };
        match *fact {
            Fact::HostJoined { mflop_per_s, .. } => {
                self.speeds.insert(actor, mflop_per_s);
                self.joined.insert(actor, time);
            }
            Fact::HostLeft { .. } => {
                self.left.insert(actor, time);
            }
            Fact::FileStored { .. } => change_files(1),
            Fact::FileDropped { .. } => change_files(-1),
            Fact::Downloaded { bytes, .. } => self.downloads.push((time, bytes)),
            _ => {}
        }
    }

    fn merge(&mut self, _other: Self) {
        unreachable!("a sequential run has one observer");
    }
}

impl Notebook {
    fn is_active(&self, host: ActorId, time: SimTime) -> bool {
        self.joined[&host] <= time && self.left.get(&host).is_none_or(|&left| left > time)
    }

    fn files_of(&self, host: ActorId, time: SimTime) -> i64 {
        let changes = self.files.get(&host).map_or(&[][..], |changes| changes);
        let before = changes.iter().rev().find(|change| change.0 <= time);
        before.map_or(0, |change| change.1)
    }

    /// When each host's first credit became known.
    fn first_credits(&self) -> BTreeMap<ActorId, SimTime> {
        let mut first: BTreeMap<ActorId, SimTime> = BTreeMap::new();
        for (instance, &time) in &self.valid {
            let entry = first.entry(self.sent[instance].0).or_insert(time);
            *entry = time.min(*entry);
        }
        first
    }
}

/// Forty days, because a host counts as gone after twenty.
fn scenario() -> Scenario {
    let days = |days| Duration::new(SimDuration::from_days(days));
    let mut scenario = Scenario {
        until: days(40),
        ..everything(90)
    };
    scenario.jobs.flops = crate::shared::quantity::Flop::new(1e14);
    scenario
}

fn observed() -> (Scenario, Notebook, Results) {
    let scenario = scenario();
    let end = SimTime::START + scenario.until.span();
    let observers = (Notebook::default(), Metrics::new(&scenario));
    let ((notebook, metrics), _) = run_sequentially(scenario.build(&inputs()), end, observers);
    let results = metrics.results(&scenario);
    (scenario, notebook, results)
}

fn series<'a>(results: &'a Results, name: &str) -> &'a Series {
    let found = results.series.iter().find(|series| series.name == name);
    found.unwrap_or_else(|| panic!("no series `{name}`"))
}

fn distribution<'a>(results: &'a Results, name: &str) -> &'a Distribution {
    let found = results.distributions.iter().find(|d| d.name == name);
    found.unwrap_or_else(|| panic!("no distribution `{name}`"))
}

fn hours(hours: u64) -> SimTime {
    SimTime::START + SimDuration::from_hours(hours)
}

fn check_activity(scenario: &Scenario, notebook: &Notebook, results: &Results) {
    let credits = notebook.first_credits();
    let in_touch = series(results, "hosts_in_touch");
    for hour in [30, 200, 700, 960] {
        let now = hours(hour);
        let expected = credits.iter().filter(|&(host, &credit)| {
            let mut requests = notebook.requests[host].iter();
            credit <= now
                && requests
                    .any(|&r| r <= now && now.saturating_since(r) < SimDuration::from_days(7))
        });
        assert_eq!(
            in_touch.values[hour as usize],
            expected.count() as f64,
            "at {hour} h"
        );
    }
    let credited = series(results, "hosts_credited");
    for hour in [200, 700, 960] {
        let now = hours(hour);
        let mut hosts: Vec<ActorId> = Vec::new();
        for (instance, &time) in &notebook.valid {
            if time <= now && now.saturating_since(time) < SimDuration::from_days(10) {
                hosts.push(notebook.sent[instance].0);
            }
        }
        hosts.sort_unstable();
        hosts.dedup();
        assert_eq!(
            credited.values[hour as usize],
            hosts.len() as f64,
            "at {hour} h"
        );
    }
    let end = SimTime::START + scenario.until.span();
    let mut ages: Vec<f64> = Vec::new();
    let mut lifetimes: Vec<f64> = Vec::new();
    let mut rates: Vec<f64> = Vec::new();
    let mut new_hosts = vec![0.0; 40];
    for host in credits.keys() {
        let requests = &notebook.requests[host];
        let (first, last) = (requests[0], requests[requests.len() - 1]);
        let age = (last - first).as_secs_f64();
        ages.push(age);
        if end.saturating_since(last) > SimDuration::from_days(20) {
            lifetimes.push(age);
        }
        if age >= 86_400.0 {
            rates.push(f64::from(notebook.successes[host]) * 86_400.0 / age);
        }
        new_hosts[(first.as_secs_f64() / 86_400.0) as usize] += 1.0;
    }
    assert!(
        ages.len() > 60 && lifetimes.len() > 10,
        "a test of something"
    );
    for (name, expected) in [
        ("host_age", ages),
        ("host_lifetime", lifetimes),
        ("host_throughput", rates),
    ] {
        let found = distribution(results, name);
        let mean = expected.iter().sum::<f64>() / expected.len() as f64;
        assert_eq!(found.count, expected.len() as u64, "{name}");
        assert!(
            (found.mean / mean - 1.0).abs() < 1e-4,
            "{name}: {} {mean}",
            found.mean
        );
    }
    assert_eq!(series(results, "new_hosts_per_day").values, new_hosts);
}

fn check_credit_lag(scenario: &Scenario, notebook: &Notebook, results: &Results) {
    let feeder = scenario.servers.feeder_period.span();
    let mut lags: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (instance, &told) in &notebook.valid {
        let class = SpeedClass::of(notebook.speeds[&notebook.sent[instance].0]).place();
        let lag = (told - notebook.reported[instance]).saturating_sub(feeder);
        lags.entry(class).or_default().push(lag.as_secs_f64());
    }
    let table = results
        .tables
        .iter()
        .find(|table| table.name == "credit_lag");
    let rows = &table.expect("a table").rows;
    let number = |row: usize, column: usize| match rows[row][column] {
        crate::shared::results::Cell::Number(value) => value,
        _ => panic!("a number was expected"),
    };
    assert!(lags.len() >= 3, "hosts of several speeds");
    for (&class, of_class) in &mut lags {
        of_class.sort_by(f64::total_cmp);
        let count = of_class.len();
        // What was judged in the last seconds has not reached the scheduler.
        assert!((number(class, 1) - count as f64).abs() <= 3.0);
        let mean = of_class.iter().sum::<f64>() / count as f64;
        assert!(
            (number(class, 2) / mean - 1.0).abs() < 0.01,
            "mean of {class}"
        );
        let median = of_class[count.div_ceil(2) - 1];
        assert!(
            (number(class, 3) / median - 1.0).abs() < 0.03,
            "median of {class}"
        );
        let worst = of_class[count - 1];
        assert!(
            (number(class, 6) / worst - 1.0).abs() < 1e-6,
            "worst of {class}"
        );
    }
}

fn check_disk(scenario: &Scenario, notebook: &Notebook, results: &Results) {
    let size = scenario.jobs.input_file.bytes() as f64;
    let hosts = || notebook.joined.keys().copied();
    for hour in [100, 500, 900] {
        let now = hours(hour);
        let active = hosts().filter(|&host| notebook.is_active(host, now));
        let mut files: Vec<i64> = active.map(|host| notebook.files_of(host, now)).collect();
        files.sort_unstable();
        let mean = files.iter().sum::<i64>() as f64 / files.len() as f64;
        let at = |name| series(results, name).values[hour as usize] / size;
        assert!((at("host_disk_mean") - mean).abs() < 1e-9, "at {hour} h");
        let ninth = files[(files.len() * 9).div_ceil(10) - 1];
        assert_eq!(at("host_disk_p90"), ninth as f64, "at {hour} h");
    }
    // Over the whole time, by the hour.
    let (mut all, mut files) = (0.0, 0.0);
    for hour in 0..960 {
        let now = hours(hour) + SimDuration::from_secs(1_800);
        for host in hosts().filter(|&host| notebook.joined[&host] <= now) {
            if notebook.is_active(host, now) {
                all += 1.0;
                files += notebook.files_of(host, now) as f64;
            }
        }
    }
    let mean = scalar(results, "files_per_host_mean");
    assert!(
        (mean / (files / all) - 1.0).abs() < 0.01,
        "{mean} files a host"
    );
    assert!((scalar(results, "host_disk_mean") - mean * size).abs() < 1.0);
}

fn check_jobs(scenario: &Scenario, notebook: &Notebook, results: &Results) {
    let bound = scenario.jobs.delay_bound.span();
    let mut settled: BTreeMap<JobId, (SimTime, SimTime)> = BTreeMap::new();
    for (&instance, &(_, sent)) in &notebook.sent {
        let reported = notebook.reported.get(&instance).copied();
        let over = reported.unwrap_or(SimTime::NEVER).min(sent + bound);
        // A job is created when its first instance is sent.
        let (created, last) = settled.entry(instance.job).or_insert((sent, over));
        *created = (*created).min(sent);
        *last = (*last).max(over);
    }
    let times = notebook.retired.iter().map(|job| settled[job]);
    let times: Vec<f64> = times.map(|(from, to)| (to - from).as_secs_f64()).collect();
    assert!(times.len() > 100, "a test of something");
    let found = distribution(results, "job_settled");
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    assert!(found.count.abs_diff(times.len() as u64) <= 3);
    assert!(
        (found.mean / mean - 1.0).abs() < 0.01,
        "{} {mean}",
        found.mean
    );
}

fn check_bandwidth(notebook: &Notebook, results: &Results) {
    let mut by_hour = [0.0; 960];
    for &(time, bytes) in &notebook.downloads {
        by_hour[(time.as_secs_f64() / 3_600.0) as usize] += bytes as f64;
    }
    let peak = by_hour.iter().fold(0.0, |most: f64, &b| most.max(b)) / 3_600.0;
    let mean = by_hour.iter().sum::<f64>() / (960.0 * 3_600.0);
    assert!((scalar(results, "bandwidth_down_peak") / peak - 1.0).abs() < 1e-9);
    assert!((scalar(results, "bandwidth_down") / mean - 1.0).abs() < 1e-9);
    let over_time = &series(results, "bandwidth_down").values;
    assert!((over_time[500] * 3_600.0 - by_hour[500]).abs() < 1.0);
}

#[test]
fn figures_of_merit_agree_with_a_second_computation_from_every_message() {
    let (scenario, notebook, results) = observed();
    check_activity(&scenario, &notebook, &results);
    check_credit_lag(&scenario, &notebook, &results);
    check_disk(&scenario, &notebook, &results);
    check_jobs(&scenario, &notebook, &results);
    check_bandwidth(&notebook, &results);
}

#[test]
fn every_chart_names_what_is_there() {
    let results = super::run(&Scenario {
        hosts: 20,
        until: Duration::new(SimDuration::from_days(2)),
        ..Scenario::default()
    });
    for name in results.charts.iter().flat_map(|chart| &chart.of) {
        let in_series = results.series.iter().any(|series| series.name == *name);
        let in_distributions = results.distributions.iter().any(|d| d.name == *name);
        assert!(
            in_series || in_distributions,
            "`{name}` is drawn but not there"
        );
    }
}
