//! Each rule on cases that can be followed on paper: one host asks at a time, for one instance.

use std::collections::BTreeMap;

use kernel::{ActorId, Purpose, RandomStream, SimDuration, SimTime};

use super::{Ahead, Decision, Rule, RuleAtWork, Visit};
use crate::volunteer::job::FileId;
use crate::volunteer::scenario::Scenario;
use crate::volunteer::shelf::{Asker, Shelf};

const JOBS_PER_FILE: u32 = 4;
const INSTANCES: u8 = 3;
const HOUR: SimDuration = SimDuration::from_hours(1);
const DAY: SimDuration = SimDuration::from_days(1);

/// A scheduler's desk: jobs of three instances, files of four jobs. Who asks has done what it got
/// before, and deletes the files that it is told to.
struct Desk {
    rule: RuleAtWork,
    shelf: Shelf,
    random: RandomStream,
    now: SimTime,
    files: BTreeMap<u32, Vec<FileId>>,
    downloads: u32,
    mflop_per_s: BTreeMap<u32, u32>,
    line_kb_per_s: u32,
}

/// The numbers of a file and of the job in it.
type Got = Option<(u32, u32)>;

impl Desk {
    fn new(rule: &str) -> Self {
        let rule: Rule = toml::from_str(rule).expect("a rule");
        let mut scenario = Scenario {
            hosts: 6,
            ..Scenario::default()
        };
        scenario.jobs.target_nresults = u32::from(INSTANCES);
        let mut shelf = Shelf::new(JOBS_PER_FILE, 1, 0);
        shelf.add_files(100);
        Desk {
            rule: rule.build(&scenario),
            shelf,
            random: RandomStream::new(1, ActorId(0), Purpose::GENERAL),
            now: SimTime::START,
            files: BTreeMap::new(),
            downloads: 0,
            mflop_per_s: BTreeMap::new(),
            line_kb_per_s: 1_000,
        }
    }

    fn choose(&mut self, host: u32) -> (Decision, Visit) {
        let present = self.files.entry(host).or_default();
        let mut visit = Visit {
            mflop_per_s: self.mflop_per_s.get(&host).copied().unwrap_or(1_000),
            line_kb_per_s: self.line_kb_per_s,
            ..Visit::new(
                Asker::new(host),
                self.now,
                present.iter().copied().collect(),
            )
        };
        let rule = self.rule.rule();
        let decision = rule.choose(&mut visit, &self.shelf, &mut self.random);
        (decision, visit)
    }

    fn ask(&mut self, host: u32) -> Got {
        let (decision, visit) = self.choose(host);
        let job = match decision {
            Decision::Take(job) => job,
            Decision::Open(file) => self.shelf.open(file, INSTANCES, self.now).0,
            Decision::Nothing => return None,
        };
        self.shelf.take(job, Asker::new(host), host);
        let file = job.file(JOBS_PER_FILE);
        let files = self.files.entry(host).or_default();
        if !files.contains(&file) {
            files.push(file);
            self.downloads += 1;
        }
        files.retain(|file| !visit.finished.contains(file));
        Some((file.0, job.place(JOBS_PER_FILE)))
    }

    /// Everybody asks in turn.
    fn round(&mut self, hosts: &[u32]) -> Vec<Got> {
        hosts.iter().map(|&host| self.ask(host)).collect()
    }
}

fn all(file: u32, job: u32, hosts: usize) -> Vec<Got> {
    vec![Some((file, job)); hosts]
}

const KEEPING_FILES: [&str; 5] = [
    r#"rule = "locality_2004""#,
    "rule = \"locality_2005_january\"\nworking_set = 1",
    "rule = \"locality_2005_february\"\nworking_set = 1",
    "rule = \"locality_today\"\nworking_set = 1",
    "rule = \"convoys\"\nplaces = 3",
];

#[test]
fn figure_3a_three_hosts_go_through_a_file_side_by_side() {
    for rule in KEEPING_FILES {
        let mut desk = Desk::new(rule);
        for file in 0..3 {
            for job in 0..JOBS_PER_FILE {
                let got = desk.round(&[1, 2, 3]);
                assert_eq!(got, all(file, job, 3), "{rule}");
            }
        }
        assert_eq!(desk.downloads, 9, "{rule}: each file to each of the three");
        assert!(desk.files.values().all(|files| files.len() == 1), "{rule}");
    }
}

#[test]
fn figure_3b_a_host_that_stops_is_replaced_by_a_new_one() {
    // The place of H1, who has left after two jobs, is taken by H5. Alone with an instance that is
    // too old to be chance, every rule finds it; the present rules in a file at random, of which
    // there is one.
    for rule in KEEPING_FILES {
        let mut desk = Desk::new(rule);
        desk.round(&[1, 2, 3]);
        desk.round(&[1, 2, 3]);
        assert_eq!(desk.round(&[2, 3]), all(0, 2, 2), "{rule}");
        desk.now += DAY * 3;
        assert_eq!(desk.ask(5), Some((0, 2)), "{rule}");
        assert_eq!(desk.round(&[2, 3, 5]), all(0, 3, 3), "{rule}");
        assert_eq!(desk.round(&[2, 3, 5]), all(1, 0, 3), "{rule}");
    }
}

#[test]
fn figure_3c_a_fast_host_runs_ahead_and_its_file_goes_to_more_hosts() {
    let mut desk = Desk::new(KEEPING_FILES[0]);
    desk.round(&[1, 2, 3]);
    for job in 1..JOBS_PER_FILE {
        assert_eq!(desk.ask(1), Some((0, job)));
    }
    assert_eq!(desk.ask(1), Some((1, 0)), "unboundedly ahead");
    // Others help: a new host begins at the oldest job that lacks one.
    assert_eq!(desk.ask(4), Some((0, 1)));
    assert_eq!(desk.ask(2), Some((0, 1)));
    assert_eq!(desk.ask(5), Some((0, 2)));
}

#[test]
fn figure_3c_a_fast_host_gets_an_extra_file_and_takes_turns() {
    let mut desk = Desk::new("rule = \"convoys\"\nplaces = 3\nlead = 2\nahead = \"extra_file\"");
    desk.round(&[1, 2, 3]);
    assert_eq!(desk.ask(1), Some((0, 1)));
    assert_eq!(desk.ask(1), Some((0, 2)), "one job ahead is not too far");
    assert_eq!(desk.ask(1), Some((1, 0)), "two are: an extra file");
    assert_eq!(desk.ask(1), Some((1, 1)), "there it is one ahead");
    // Another host has gone on in the first file: only one job is waiting for anybody else there.
    desk.ask(2);
    desk.ask(3);
    assert_eq!(desk.ask(1), Some((0, 3)));
}

#[test]
fn figure_3c_or_its_file_gets_one_more_host_of_its_pace() {
    let mut desk = Desk::new("rule = \"convoys\"\nplaces = 3\nlead = 2\nahead = \"more_hosts\"");
    desk.round(&[1, 2, 3]);
    desk.now += DAY * 3;
    for job in 1..JOBS_PER_FILE {
        assert_eq!(desk.ask(1), Some((0, job)));
    }
    assert_eq!(desk.ask(4), Some((0, 1)), "the additional host");
    assert_eq!(desk.ask(5), Some((1, 0)), "only one is let in");
}

#[test]
fn convoys_are_of_one_pace() {
    let mut desk = Desk::new("rule = \"convoys\"\nplaces = 3\npace_ratio = 1.5");
    for (host, mflop_per_s) in [(1, 1_000), (2, 9_000), (3, 1_050), (4, 9_100)] {
        desk.mflop_per_s.insert(host, mflop_per_s);
    }
    assert_eq!(
        desk.round(&[1, 2, 3, 4]),
        [Some((0, 0)), Some((1, 0)), Some((0, 0)), Some((1, 0))]
    );
}

#[test]
fn as_shipped_in_2004_a_host_deletes_the_file_it_works_on() {
    let mut desk = Desk::new(r#"rule = "locality_2004_as_shipped""#);
    assert_eq!(desk.ask(1), Some((0, 0)));
    assert_eq!(desk.files[&1], [FileId(0)], "a new file is kept");
    assert_eq!(desk.ask(1), Some((0, 1)));
    assert_eq!(desk.files[&1], [], "of which it was sent something more");
    // So it comes without a file and gets the lowest unsent instance of all.
    assert_eq!(desk.ask(1), Some((1, 0)));
    assert_eq!(desk.downloads, 2);
    // As intended, it goes on with its file.
    let mut desk = Desk::new(r#"rule = "locality_2004""#);
    for job in 0..JOBS_PER_FILE {
        assert_eq!(desk.ask(1), Some((0, job)));
    }
    assert_eq!(desk.downloads, 1);
}

#[test]
fn in_january_what_is_seven_days_old_comes_before_the_hosts_own_file() {
    let mut desk = Desk::new("rule = \"locality_2005_january\"\nworking_set = 2");
    // Two files are in work; which, the random numbers decide.
    let first = desk.ask(1).expect("work").0;
    let other = (2..100)
        .find(|&host| desk.ask(host).expect("work").0 != first)
        .expect("somebody works on the other file");
    desk.now += DAY * 7;
    assert_eq!(desk.ask(1).expect("work").0, first, "not older than 7 days");
    desk.now += SimDuration::NANOSECOND;
    // The oldest instance that has waited so long is of its own file, and its own job: only one is
    // looked at. The other host may have it.
    assert_eq!(desk.ask(other), Some((first, 0)));
}

#[test]
fn in_january_what_is_two_hours_old_goes_to_hosts_that_need_a_file() {
    // Many files in the working set, so that chance hardly hits the one that is open.
    let rule = "rule = \"locality_2005_january\"\nworking_set = 1000000";
    let mut desk = Desk::new(rule);
    assert_eq!(desk.ask(1), Some((0, 0)));
    desk.now += HOUR * 2;
    assert_eq!(desk.ask(2), Some((1, 0)), "not yet older than two hours");
    desk.now += HOUR;
    assert_eq!(desk.ask(3), Some((0, 0)));
    assert_eq!(desk.ask(1), Some((0, 1)), "who has a file goes on with it");
}

#[test]
fn in_february_laggards_go_over_fast_lines_only() {
    let rule = "rule = \"locality_2005_february\"\nworking_set = 1000000";
    let mut desk = Desk::new(rule);
    assert_eq!(desk.ask(1), Some((0, 0)));
    desk.now += DAY;
    assert_eq!(desk.ask(2), Some((1, 0)));
    desk.now += DAY * 6 + HOUR;
    desk.line_kb_per_s = 100;
    assert_eq!(desk.ask(2), Some((1, 1)), "100 kB/s is not fast");
    desk.line_kb_per_s = 101;
    assert_eq!(desk.ask(2), Some((0, 0)), "before its own file");
}

#[test]
fn in_february_the_age_that_is_looked_for_is_random() {
    // An instance that is older than 3.5 d by the part x of 3.5 d is seen by 1 - x of the hosts.
    let seen = |days: u64, hours: u64| {
        (0..400)
            .filter(|&seed| {
                let mut desk =
                    Desk::new("rule = \"locality_2005_february\"\nworking_set = 1000000");
                desk.random = RandomStream::new(seed, ActorId(0), Purpose::GENERAL);
                desk.ask(1);
                desk.now += DAY * days + HOUR * hours;
                desk.line_kb_per_s = 0;
                desk.ask(2) == Some((0, 0))
            })
            .count()
    };
    assert_eq!(seen(3, 12), 0, "until before 3.5 d");
    assert!(seen(3, 13) > 385, "99 % of the hosts");
    let half = seen(5, 6);
    assert!((160..240).contains(&half), "half of the hosts: {half}");
    assert!(seen(6, 23) < 15, "1 % of the hosts");
}

#[test]
fn since_february_one_goes_through_a_file_forwards_only() {
    for (rule, expected) in [
        ("locality_2005_january", (0, 0)),
        ("locality_2005_february", (0, 2)),
        ("locality_today", (0, 2)),
    ] {
        let mut desk = Desk::new(&format!("rule = \"{rule}\"\nworking_set = 1"));
        desk.round(&[1, 2]);
        desk.round(&[1, 2]);
        // Somebody new is sent the second job; the first still lacks a host.
        let job = crate::volunteer::job::JobId(1);
        desk.shelf.take(job, Asker::new(3), 3);
        desk.files.insert(3, vec![FileId(0)]);
        assert_eq!(desk.ask(3), Some(expected), "{rule}");
    }
}

#[test]
fn today_a_project_may_keep_files_sort_them_or_not_look_at_them() {
    let with = |settings: &str| Desk::new(&format!("rule = \"locality_today\"\n{settings}"));
    // Files in which there is nothing left are only deleted if the project says so.
    for (settings, kept) in [("", 1), ("deletes_files = false", 2)] {
        let mut desk = with(&format!("{settings}\nworking_set = 1"));
        for _ in 0..=JOBS_PER_FILE {
            desk.ask(1);
        }
        assert_eq!(desk.files[&1].len(), kept, "{settings}");
    }
    // In order: of two files, always the first.
    for seed in 0..20 {
        let mut desk = with("sorted = true\nworking_set = 1");
        desk.random = RandomStream::new(seed, ActorId(0), Purpose::GENERAL);
        desk.shelf.open(FileId(0), INSTANCES, SimTime::START);
        desk.shelf.open(FileId(1), INSTANCES, SimTime::START);
        desk.files.insert(1, vec![FileId(1), FileId(0)]);
        assert_eq!(desk.ask(1), Some((0, 0)));
    }
    // Without regard to files, it is the oldest instance: as `first_come`.
    let mut desk = with("fraction = \"0 %\"");
    let mut plain = Desk::new(r#"rule = "first_come""#);
    for host in [1, 2, 1, 3, 1, 2, 4, 5, 1] {
        assert_eq!(desk.ask(host), plain.ask(host));
    }
}

#[test]
fn lite_prefers_the_hosts_own_file_and_as_shipped_every_other() {
    let first_jobs = |rule: &str| {
        // Two slots: the second job of the first file, and the first of the second.
        let mut desk = Desk::new(rule);
        let (first, _) = desk.shelf.open(FileId(0), INSTANCES, SimTime::START);
        desk.shelf.open(FileId(0), INSTANCES, SimTime::START);
        desk.shelf.open(FileId(1), INSTANCES, SimTime::START);
        for asker in 1..=3 {
            desk.shelf.take(first, Asker::new(asker), asker);
        }
        desk.files.insert(1, vec![FileId(0)]);
        desk.files.insert(2, vec![FileId(1)]);
        desk.round(&[1, 2])
    };
    let as_intended = first_jobs("rule = \"locality_lite\"\nslots = 2");
    assert_eq!(as_intended, [Some((0, 1)), Some((1, 0))]);
    let as_shipped = first_jobs("rule = \"locality_lite_as_shipped\"\nslots = 2");
    assert_eq!(as_shipped, [Some((1, 0)), Some((0, 1))]);
}

#[test]
fn a_host_that_has_had_everything_gets_nothing() {
    for rule in KEEPING_FILES.iter().chain(&[
        r#"rule = "first_come""#,
        r#"rule = "random""#,
        r#"rule = "locality_lite""#,
    ]) {
        let mut desk = Desk::new(rule);
        desk.shelf = Shelf::new(JOBS_PER_FILE, 1, 0);
        desk.shelf.add_files(1);
        for _ in 0..JOBS_PER_FILE {
            assert!(desk.ask(1).is_some(), "{rule}");
        }
        assert_eq!(desk.ask(1), None, "{rule}");
        assert!(desk.ask(2).is_some(), "{rule}: but another does");
    }
}

#[test]
fn the_memory_of_a_rule_can_be_saved_and_restored() {
    let mut desk = Desk::new("rule = \"convoys\"\nplaces = 3\nlead = 2");
    desk.round(&[1, 2, 4]);
    desk.round(&[1, 1]);
    let saved = serde_json::to_string(&desk.rule.clone()).expect("it can be written");
    let mut other = Desk::new("rule = \"convoys\"\nplaces = 3\nlead = 2");
    other.round(&[1, 2, 4]);
    other.round(&[1, 1]);
    other.rule = serde_json::from_str(&saved).expect("what was written");
    for host in [3, 1, 2, 1, 5, 4] {
        assert_eq!(desk.ask(host), other.ask(host));
    }
    let ahead: Ahead = serde_json::from_str("\"more_hosts\"").expect("a name");
    assert_eq!(ahead, Ahead::MoreHosts);
}

#[test]
fn relabelling_the_hosts_changes_nothing() {
    // The same hosts ask in the same order, once as 1, 2, 3, ..., once under other numbers.
    for rule in [
        r#"rule = "first_come""#,
        r#"rule = "random""#,
        r#"rule = "locality_2004""#,
        r#"rule = "locality_2004_as_shipped""#,
        r#"rule = "locality_2005_january""#,
        r#"rule = "locality_2005_february""#,
        r#"rule = "locality_today""#,
        r#"rule = "locality_lite""#,
        r#"rule = "locality_lite_as_shipped""#,
        "rule = \"convoys\"\nlead = 2",
    ] {
        let got = |label: fn(u32) -> u32| {
            let mut desk = Desk::new(rule);
            let mut order = RandomStream::new(9, ActorId(0), Purpose(1));
            let mut got = Vec::new();
            for host in 0..12 {
                let mflop_per_s = 1_000 * (1 + host % 3);
                desk.mflop_per_s.insert(label(host), mflop_per_s);
            }
            for _ in 0..250 {
                let host = order.below(12) as u32;
                desk.now += HOUR;
                got.push(desk.ask(label(host)));
            }
            got
        };
        assert_eq!(got(|host| host), got(|host| 1_000 - 7 * host), "{rule}");
    }
}
