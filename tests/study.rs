//! Studies as their users meet them: planned, run, resumed, collected.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use actors::volunteer::VolunteerActor;
use actors::volunteer::facts::Fact;
use kernel::{ActorId, Observer, SimTime, run_sequentially};
use myriad::scenario::domain::{Domain, Loaded};
use myriad::scenario::volunteer::Volunteer;
use myriad::scenario::{Override, ScenarioText};
use serde_json::Value;

const CONFIGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/volunteer");

fn myriad(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = assert_cmd::Command::cargo_bin("myriad").expect("the program has been built");
    command.current_dir(folder).args(arguments);
    command.output().expect("the program can be started")
}

fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = myriad(folder, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

/// A folder with a small study in it: four combinations of which one is left out, twice each.
fn folder_with_study() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let population = format!("{CONFIGS}/../populations/einstein-2016.toml");
    fs::copy(population, folder.path().join("population.toml")).unwrap();
    let text = "name = \"tiny\"\nuntil = \"4 h\"\nhosts = 60\nseed = 11\n\
                [population]\ntable = \"population.toml\"\n\
                [jobs]\nflops = \"2e13 flop\"\n\
                [study]\nrepeat = 2\nwarm_up = \"1 h\"\n\
                condition = \"not (hosts == 60 and scheduler.assignment.rule == 'random')\"\n\
                figures = [\"instances_dispatched\", \"bytes_down\"]\n\
                [study.vary]\nhosts = [30, 60]\n\
                scheduler.assignment = [{ rule = \"first_come\" }, { rule = \"random\" }]\n";
    fs::write(folder.path().join("tiny.toml"), text).unwrap();
    folder
}

fn json(path: PathBuf) -> Value {
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn a_plan_lists_every_run_and_runs_none() {
    let folder = folder_with_study();
    let table = done(folder.path(), &["plan", "tiny.toml"]);
    assert!(
        table.contains("6 runs of 3 combinations, 1 left out"),
        "{table}"
    );
    let csv = done(
        folder.path(),
        &["plan", "tiny.toml", "--format", "csv", "--reps", "3"],
    );
    assert_eq!(csv.lines().count(), 10, "{csv}");
    assert_eq!(csv.lines().nth(4), Some("4,1,2,12,30,first_come"), "{csv}");
    let list = done(folder.path(), &["plan", "tiny.toml", "--format", "json"]);
    let list: Value = serde_json::from_str(&list).unwrap();
    assert_eq!(list[1]["set"]["scheduler.assignment"]["rule"], "random");
    assert_eq!(
        (&list[5]["seed"], &list[5]["combination"]),
        (&12.into(), &3.into())
    );
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        2,
        "nothing was run"
    );

    // A study is no part of the scenario: the file also runs, and is checked, as it is.
    assert!(done(folder.path(), &["check", "tiny.toml"]).contains("without mistakes"));
    let wrong = myriad(
        folder.path(),
        &["plan", "tiny.toml", "--set", "study.repeat=0"],
    );
    assert_eq!(wrong.status.code(), Some(2));
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(
        said.contains("write at least 1") && said.contains("--set study.repeat=0"),
        "{said}"
    );
}

#[test]
fn a_run_that_fails_harms_no_other_and_is_run_again() {
    let folder = folder_with_study();
    let sweep = ["sweep", "tiny.toml", "-o", "s", "--progress", "none"];
    // Something that the program did not make stands where a run's directory would be.
    fs::create_dir_all(folder.path().join("s/c02")).unwrap();
    fs::write(folder.path().join("s/c02/r001"), "in the way").unwrap();
    let output = myriad(folder.path(), &sweep);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("c02/r001 failed") && said.contains("exists already"),
        "{said}"
    );
    let summary = String::from_utf8(output.stdout).unwrap();
    assert!(
        summary.contains("5 runs done now, 0 before, 1 failed"),
        "{summary}"
    );

    fs::remove_file(folder.path().join("s/c02/r001")).unwrap();
    let summary = done(folder.path(), &sweep);
    assert!(
        summary.contains("1 runs done now, 5 before, 0 failed"),
        "{summary}"
    );
    let ledger = fs::read_to_string(folder.path().join("s/ledger.jsonl")).unwrap();
    assert_eq!(ledger.lines().count(), 7);
    assert_eq!(ledger.matches("\"failed\"").count(), 1);

    // More repetitions go on where it ended, and another study is refused.
    let mut more = sweep.to_vec();
    more.extend(["--reps", "3"]);
    assert!(done(folder.path(), &more).contains("3 runs done now, 6 before"));
    let mut other = sweep.to_vec();
    other.extend(["--set", "hosts=61", "--set", "study.vary.hosts=[30,61]"]);
    let refused = myriad(folder.path(), &other);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("holds another study"));
}

#[test]
fn shards_make_one_table_and_each_row_is_what_a_run_by_hand_finds() {
    let folder = folder_with_study();
    for part in ["1/2", "2/2"] {
        let place = format!("part-{}", &part[..1]);
        let sweep = [
            "sweep",
            "tiny.toml",
            "-o",
            &place,
            "--progress",
            "none",
            "--shard",
            part,
        ];
        assert!(done(folder.path(), &sweep).contains("3 runs done now"));
    }
    done(
        folder.path(),
        &["collect", "part-1", "part-2", "-o", "all.csv"],
    );
    done(
        folder.path(),
        &["collect", "part-1", "part-2", "-o", "all.parquet"],
    );
    assert!(
        fs::read(folder.path().join("all.parquet"))
            .unwrap()
            .starts_with(b"PAR1")
    );
    let mut csv = csv::Reader::from_path(folder.path().join("all.csv")).unwrap();
    let rows: Vec<BTreeMap<String, String>> = csv.deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 6);
    assert!(
        rows.iter()
            .enumerate()
            .all(|(i, row)| row["run"] == (i + 1).to_string())
    );

    let set = [
        "--set",
        "hosts=30",
        "--set",
        "scheduler.assignment={rule=\"random\"}",
    ];
    let mut by_hand = vec!["run", "tiny.toml", "-o", "hand", "--seed", "12"];
    by_hand.extend(set);
    done(folder.path(), &by_hand);
    let summary = json(folder.path().join("hand/summary.json"));
    for figure in ["instances_dispatched", "bytes_down", "credit_lag_mean"] {
        let expected = summary["scalars"][figure]["value"].as_f64().unwrap();
        assert_eq!(
            rows[4][figure].parse::<f64>().unwrap(),
            expected,
            "{figure}"
        );
    }
    assert!(
        rows[4].contains_key("hosts_active_steady"),
        "the mean after the warm-up"
    );
    let of_another = ["collect", "part-1", "hand", "-o", "x.csv"];
    assert_eq!(myriad(folder.path(), &of_another).status.code(), Some(2));
}

#[test]
fn a_precision_is_reached_by_more_repetitions_or_the_cap_is_said() {
    let folder = folder_with_study();
    let precise = |most: &'static str, width: &'static str, place: &'static str| {
        let mut words = vec!["sweep", "tiny.toml", "-o", place, "--progress", "none"];
        words.extend([
            "--set",
            "study.vary.hosts=[30]",
            "--set",
            "study.condition=",
        ]);
        words.extend(["--precision", width, "--figure", "instances_dispatched"]);
        words.extend(["--most-reps", most]);
        myriad(folder.path(), &words)
    };
    let loose = precise("4", "0.9@0.5", "loose");
    let said = String::from_utf8_lossy(&loose.stdout).into_owned();
    assert!(
        said.contains("6 runs done now"),
        "three repetitions of two: {said}"
    );
    let capped = precise("4", "0.0001@0.99", "capped");
    assert!(capped.status.success());
    assert!(String::from_utf8_lossy(&capped.stdout).contains("8 runs done now"));
    let said = String::from_utf8_lossy(&capped.stderr).into_owned();
    assert!(said.contains("is not tight after 4 repetitions"), "{said}");
}

/// Like Ctrl-C at a terminal, which every process of the group hears.
#[cfg(unix)]
#[test]
fn an_interrupted_study_goes_on_where_it_was() {
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let folder = folder_with_study();
    let words = [
        "sweep",
        "tiny.toml",
        "-o",
        "s",
        "--set",
        "until=\"4 h\"",
        "--set",
    ];
    let slow = "study.cases={ quick = { until = \"4 h\" }, slow = { until = \"20 y\", record.interval = \"1 d\" } }";
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("myriad"))
        .current_dir(folder.path())
        .args(words)
        .args([slow, "--jobs", "2", "--progress", "none", "--reps", "1"])
        .args([
            "--set",
            "study.vary={hosts=[30]}",
            "--set",
            "study.condition=",
        ])
        .process_group(0)
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while !folder.path().join("s/c01/r001/manifest.json").exists() {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "the quick run is done soon"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let group = format!("-{}", child.id());
    let killed = Command::new("kill").args(["-INT", "--", &group]).status();
    assert!(killed.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let ledger = fs::read_to_string(folder.path().join("s/ledger.jsonl")).unwrap();
    assert!(
        ledger.contains("\"completed\"") && ledger.contains("\"interrupted\""),
        "{ledger}"
    );
    let collected = done(folder.path(), &["collect", "s", "-o", "so-far.csv"]);
    assert!(
        collected.contains("1 runs of 2 combinations"),
        "{collected}"
    );
}

/// When each host joined, left, was on and off; and how long each of its computations took and how it
/// ended.
#[derive(Clone, Default)]
struct Weather {
    presence: BTreeMap<ActorId, Vec<String>>,
    fates: BTreeMap<ActorId, Vec<String>>,
}

impl Observer<VolunteerActor> for Weather {
    fn on_fact(&mut self, time: SimTime, actor: ActorId, fact: &Fact) {
        match fact {
            Fact::HostJoined { .. } | Fact::HostSwitchedOn | Fact::HostSwitchedOff => {
                let line = format!("{time:?} {fact:?}");
                self.presence.entry(actor).or_default().push(line);
            }
            // Not what it takes with it: that is the policy's doing.
            Fact::HostLeft { on, .. } => {
                let line = format!("{time:?} left {on}");
                self.presence.entry(actor).or_default().push(line);
            }
            Fact::ComputationEnded {
                computed, outcome, ..
            } => {
                let line = format!("{computed:?} {outcome:?}");
                self.fates.entry(actor).or_default().push(line);
            }
            _ => {}
        }
    }

    fn merge(&mut self, other: Self) {
        self.presence.extend(other.presence);
        self.fates.extend(other.fates);
    }
}

fn weather(set: &[&str]) -> Weather {
    let common = [
        "hosts=80",
        "until=\"6 d\"",
        "seed=4",
        // One processor and one instance at a time, so that instances end in the order in which they came.
        "population.one_core=true",
        "client.buffer_min=\"0 s\"",
        "client.buffer_extra=\"0 s\"",
        // Hosts that leave after a number of contacts leave when a policy has served them.
        "errors.f_one_contact=0",
        "errors.d_few_contacts=0",
        "errors.b_erring=0.7",
    ];
    let common = common.iter().chain(set);
    let overrides = common.map(|text| Override::parse(text).unwrap());
    let path = Path::new(CONFIGS).join("small.toml");
    let text = ScenarioText::read(&path, overrides.collect()).unwrap();
    let loaded = Loaded::<Volunteer>::from_text(&text, Path::new(CONFIGS)).unwrap();
    let world = Volunteer::build(&loaded.scenario, &loaded.inputs);
    let end = SimTime::START + loaded.frame.until;
    run_sequentially(world, end, Weather::default()).0
}

#[test]
fn hosts_times_off_and_errors_are_the_same_under_any_policy() {
    let first = weather(&["scheduler.quota={rule=\"unlimited\"}"]);
    // Hosts that are refused work draw random waits, which others do not.
    let second = weather(&[
        "scheduler.assignment={rule=\"random\"}",
        "scheduler.quota={rule=\"boinc_2005\", daily_result_quota=1}",
        "scheduler.files_ahead=1",
    ]);
    assert!(first.presence.values().map(Vec::len).sum::<usize>() > 500);
    for (host, times) in &first.presence {
        assert_eq!(Some(times), second.presence.get(host), "host {host:?}");
    }
    assert_eq!(first.presence.len(), second.presence.len());
    let mut compared = 0;
    for (host, fates) in &first.fates {
        let Some(others) = second.fates.get(host) else {
            continue;
        };
        for (one, other) in fates.iter().zip(others) {
            assert_eq!(one, other, "host {host:?}: {fates:?} and {others:?}");
            compared += 1;
        }
    }
    assert!(compared > 150, "{compared} fates compared");
    assert_ne!(
        first.fates, second.fates,
        "the second policy gives out less work"
    );
}

/// A study of two policies, twice each, in `folder/s`.
fn swept() -> tempfile::TempDir {
    let folder = folder_with_study();
    let words = ["sweep", "tiny.toml", "-o", "s", "--progress", "none"];
    let vary = "study.vary.hosts=[40]";
    done(
        folder.path(),
        &[&words[..], &["--set", vary, "--set", "study.condition="]].concat(),
    );
    folder
}

#[test]
fn a_comparison_pairs_runs_by_seed_and_says_what_differs() {
    let folder = swept();
    let text = done(folder.path(), &["compare", "s"]);
    for part in [
        "first_come",
        "random",
        "2 pairs",
        "scheduler.assignment.rule",
        "verdict",
    ] {
        assert!(text.contains(part), "`{part}` is missing in\n{text}");
    }
    let list = done(
        folder.path(),
        &["compare", "s/c01", "s/c02", "--format", "json"],
    );
    let list: Value = serde_json::from_str(&list).unwrap();
    let figures = list[0]["figures"].as_array().unwrap();
    let bytes = figures
        .iter()
        .find(|figure| figure["name"] == "bytes_down")
        .unwrap();
    let value = |run: &str| {
        let summary = json(folder.path().join("s").join(run).join("summary.json"));
        summary["scalars"]["bytes_down"]["value"].as_f64().unwrap()
    };
    let pairs = [
        value("c02/r001") - value("c01/r001"),
        value("c02/r002") - value("c01/r002"),
    ];
    let mean = (pairs[0] + pairs[1]) / 2.0;
    assert!((bytes["difference"].as_f64().unwrap() - mean).abs() <= 1e-9 * mean.abs());
    // Of two: the standard error is half their distance, and Student's quantile is 12.706.
    let half = 12.706_2 * (pairs[0] - pairs[1]).abs() / 2.0;
    let found = bytes["half_width"].as_f64().unwrap();
    assert!(
        (found - half).abs() <= 1e-4 * half + 1e-9,
        "{found} is not {half}"
    );

    let same = done(folder.path(), &["compare", "s/c01/r001", "s/c01/r001"]);
    assert!(same.contains("No figure differs"), "{same}");
    let strangers = myriad(folder.path(), &["compare", "s/c01/r001", "s/c01/r002"]);
    assert_eq!(
        strangers.status.code(),
        Some(2),
        "they have different seeds"
    );
    let keys = done(
        folder.path(),
        &["compare", "s/c01/scenario.toml", "s/c02/scenario.toml"],
    );
    assert!(
        keys.contains("scheduler.assignment.rule") && !keys.contains("until"),
        "{keys}"
    );
}

#[test]
fn fits_and_validations_read_what_people_have() {
    let folder = swept();
    let hours = [
        23, 261, 87, 7, 120, 14, 62, 47, 225, 71, 246, 21, 42, 20, 5, 12, 120, 11, 3, 14, 71, 11,
        14, 11, 16, 90, 1, 16, 52, 95,
    ];
    let csv: String = hours.iter().map(|hour| format!("{hour}\n")).collect();
    fs::write(
        folder.path().join("data.csv"),
        format!("hours\n{csv}broken\n"),
    )
    .unwrap();
    let words = [
        "fit", "data.csv", "--column", "hours", "--unit", "h", "-o", "fit.html",
    ];
    let text = done(folder.path(), &words);
    assert!(
        text.contains("{ distribution = \"weibull\", shape = 0.853"),
        "{text}"
    );
    assert!(
        fs::read_to_string(folder.path().join("fit.html"))
            .unwrap()
            .contains("<svg")
    );
    let wrong = myriad(folder.path(), &["fit", "data.csv", "--column", "days"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("it has hours"));

    // A run's own latencies, as someone else might have published them: nothing is more like it.
    let summary = json(folder.path().join("s/c01/r001/summary.json"));
    let bins = summary["distributions"]["download_time"]["bins"]
        .as_array()
        .unwrap();
    let rows: String = bins
        .iter()
        .map(|bin| format!("download_time,{},{}\n", bin[1], bin[2]))
        .collect();
    fs::write(
        folder.path().join("real.csv"),
        format!("distribution,value,count\n{rows}x,1,1\n"),
    )
    .unwrap();
    let words = [
        "validate",
        "s/c01/r001",
        "--against",
        "real.csv",
        "-o",
        "validate.html",
    ];
    let text = done(folder.path(), &words);
    assert!(text.contains("0.0000"), "{text}");
    let other = done(
        folder.path(),
        &["validate", "s/c02", "--against", "real.csv"],
    );
    assert!(
        other.contains("simulated") && other.contains("observed"),
        "{other}"
    );
}

/// What a real browser makes of a page: its document after it was loaded, and its complaints. `None` where
/// there is no browser.
fn in_browser(page: &Path) -> Option<(String, String)> {
    let profile = tempfile::tempdir().unwrap();
    let output = std::process::Command::new("chromium")
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
        ])
        .args([
            "--disable-background-networking",
            "--virtual-time-budget=3000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .ok()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some((text(&output.stdout), text(&output.stderr)))
}

#[test]
fn pages_load_in_a_browser_without_a_complaint_and_their_charts_are_drawn() {
    let folder = swept();
    let words = ["report", "s", "--pictures", "pictures"];
    assert!(done(folder.path(), &words).contains("s/report.html"));
    assert!(folder.path().join("pictures/bytes-down.svg").exists());
    done(
        folder.path(),
        &["report", "s/c01", "s/c02", "-o", "two.html"],
    );
    let run = folder.path().join("s/c01/r001/report.html");
    let before = fs::read_to_string(&run).unwrap();
    done(folder.path(), &["report", "s/c01/r001"]);
    let after = fs::read_to_string(&run).unwrap();
    assert_eq!(
        before.matches("<figure").count(),
        after.matches("<figure").count()
    );
    for (page, mark) in [
        ("s/report.html", "<svg"),
        ("two.html", "<svg"),
        ("s/c01/r001/report.html", "<canvas"),
    ] {
        let path = folder.path().join(page);
        let text = fs::read_to_string(&path).unwrap();
        // Whatever a page may load, its policy names; it names nothing that is not in the page.
        assert!(text.contains("default-src 'none'"), "{page}");
        let Some((document, said)) = in_browser(&path) else {
            eprintln!("no `chromium` on this machine: pages are not tried in a browser");
            return;
        };
        let charts = document.matches("<figure").count();
        assert!(charts >= 2, "{page}: {charts} charts");
        assert!(
            document.matches(mark).count() >= charts,
            "{page}: not every chart is drawn"
        );
        assert!(!said.contains("CONSOLE"), "{page}: {said}");
    }
}
