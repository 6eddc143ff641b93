//! Whatever ends a run's process, the run goes on and finds what it would have found.
//!
//! Real processes, real signals. The moments at which they fall differ from time to time; what must
//! hold does not.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

const SMALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/volunteer/small.toml");
/// Long enough to be interrupted several times, short enough to be run several times.
const LENGTH: &str = "20 d";

fn program(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("myriad"));
    command.current_dir(folder).args(arguments);
    command
}

fn start(folder: &Path, arguments: &[&str]) -> Child {
    program(folder, arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started")
}

fn done(folder: &Path, arguments: &[&str]) -> Output {
    let output = program(folder, arguments).output();
    output.expect("the program can be started")
}

/// The command line of a run of a hundred hosts into `out`.
fn begin<'a>(out: &'a str, until: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["run", SMALL, "--set", "hosts=100", "--until", until];
    words.extend(["--progress", "none", "-o", out]);
    words.extend(more);
    words
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status();
    assert!(sent.expect("there is a program `kill`").success());
}

/// Waits until something is so, or the child has ended; fails after some minutes.
fn wait_for(child: &mut Child, what: &str, so: impl Fn() -> bool) {
    let began = Instant::now();
    while !so() {
        if child.try_wait().expect("it is our child").is_some() {
            return;
        }
        assert!(
            began.elapsed() < Duration::from_secs(240),
            "no {what} in minutes"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn checkpoints(run: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(run.join("checkpoints"))
        .into_iter()
        .flatten()
        .flatten();
    let paths = entries.map(|entry| entry.path());
    let mut whole: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|it| it == "checkpoint"))
        .collect();
    whole.sort();
    whole
}

fn json(path: PathBuf) -> Value {
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"))
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Everything that a run found, file by file; the digest is over all events and results.
fn same_results(one: &Path, other: &Path) {
    for file in [
        "summary.json",
        "metrics.parquet",
        "scenario.toml",
        "population.toml",
    ] {
        let [here, there] = [one, other].map(|run| fs::read(run.join(file)).unwrap());
        assert!(
            here == there,
            "{file} differs between {one:?} and {other:?}"
        );
    }
    let digest = |run: &Path| json(run.join("manifest.json"))["digest"].clone();
    assert_eq!(digest(one), digest(other));
    assert_eq!(json(other.join("manifest.json"))["completed"], true);
    assert!(!other.join("unfinished.json").exists());
    assert!(!other.join("checkpoints").exists());
}

/// The run that nobody interrupts.
fn whole(folder: &Path, until: &str) -> PathBuf {
    let output = done(folder, &begin("whole", until, &[]));
    assert!(output.status.success(), "{}", errors(&output));
    folder.join("whole")
}

#[test]
fn a_run_that_is_killed_again_and_again_finds_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let whole = whole(folder.path(), LENGTH);
    let run = folder.path().join("out");
    let often = ["--checkpoint-every", "1 d simulated"];
    // Every time it goes on with other threads, partitions, runtime, horizon and queue.
    let plans: [&[&str]; 4] = [
        &[
            "--threads",
            "2",
            "--partitions",
            "6",
            "--horizon",
            "round_trip",
        ],
        &["--runtime", "sequential"],
        &[
            "--runtime",
            "arbiters",
            "--threads",
            "2",
            "--queue",
            "calendar",
        ],
        &[
            "--runtime",
            "inline",
            "--partitions",
            "3",
            "--horizon",
            "pairwise_window",
        ],
    ];
    let mut child = start(folder.path(), &begin("out", LENGTH, &often));
    let mut kills = 0;
    for (number, plan) in plans.into_iter().enumerate() {
        let before = checkpoints(&run).pop();
        wait_for(&mut child, "further checkpoint", || {
            checkpoints(&run).pop() > before
        });
        // At any moment: while it runs, while it writes, while it renames.
        std::thread::sleep(Duration::from_millis(17 * number as u64));
        signal(&child, "-KILL");
        let killed = child.wait().unwrap().code().is_none();
        kills += u32::from(killed);
        if !killed {
            break;
        }
        let mut arguments = vec!["resume", "out", "--progress", "none"];
        arguments.extend(often);
        arguments.extend(plan);
        child = start(folder.path(), &arguments);
    }
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "after {kills} kills: {}",
        errors(&output)
    );
    assert!(kills >= 1, "the run is too short to be killed");
    same_results(&whole, &run);
    let manifest = json(run.join("manifest.json"));
    assert_eq!(
        manifest["resumed_s"].as_array().unwrap().len(),
        kills as usize
    );
}

#[test]
fn an_interrupted_run_reports_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let whole = whole(folder.path(), "40 d");
    let run = folder.path().join("out");
    let mut child = start(folder.path(), &begin("out", "40 d", &["--threads", "2"]));
    // Not visible before there is something to see; with the mark in it, it listens to signals.
    let begun = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap().flatten();
        let mut hidden = entries.filter(|entry| {
            let name = entry.file_name().into_string().unwrap();
            name.starts_with(".out.partial")
        });
        hidden.any(|entry| entry.path().join("unfinished.json").exists())
    };
    wait_for(&mut child, "run", || begun(folder.path()));
    // A checkpoint on request, and the run goes on.
    signal(&child, "-USR1");
    wait_for(&mut child, "checkpoint on request", || {
        checkpoints(&run).len() == 1
    });
    let meanwhile = done(folder.path(), &["resume", "out"]);
    assert_eq!(meanwhile.status.code(), Some(2));
    assert!(
        errors(&meanwhile).contains("by another process"),
        "{}",
        errors(&meanwhile)
    );
    signal(&child, "-TERM");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", errors(&output));
    assert!(
        errors(&output).contains("`myriad resume out` goes on"),
        "{}",
        errors(&output)
    );
    let manifest = json(run.join("manifest.json"));
    assert_eq!(manifest["completed"], false);
    let page = fs::read_to_string(run.join("report.html")).unwrap();
    assert!(page.contains("This run was interrupted after"));
    assert_eq!(checkpoints(&run).len(), 2);
    assert!(run.join("unfinished.json").exists());

    // The newer one is damaged: the one before it is as good, only older.
    let newest = checkpoints(&run).pop().unwrap();
    let mut bytes = fs::read(&newest).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(&newest, bytes).unwrap();
    let resumed = done(folder.path(), &["resume", "out", "--progress", "none"]);
    assert!(resumed.status.success(), "{}", errors(&resumed));
    assert!(
        errors(&resumed).contains("000002.checkpoint is damaged"),
        "{}",
        errors(&resumed)
    );
    same_results(&whole, &run);

    let again = done(folder.path(), &["resume", "out"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(
        errors(&again).contains("nothing to resume"),
        "{}",
        errors(&again)
    );
    let nowhere = done(folder.path(), &["resume", "elsewhere"]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(
        errors(&nowhere).contains("not a run directory"),
        "{}",
        errors(&nowhere)
    );
}

#[test]
fn limits_end_a_run_in_good_order() {
    let folder = tempfile::tempdir().unwrap();
    let over = |out: &str, limit: [&str; 2]| {
        // Of a run that would take a minute.
        let arguments = begin(out, "3 y", &limit);
        let output = done(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
        assert!(
            errors(&output).contains("`myriad resume"),
            "{}",
            errors(&output)
        );
        assert_eq!(
            json(folder.path().join(out).join("manifest.json"))["completed"],
            false
        );
        assert_eq!(checkpoints(&folder.path().join(out)).len(), 1);
        errors(&output)
    };
    let said = over("wall", ["--wall-limit", "400 ms"]);
    assert!(
        said.contains("stopped after 400 ms on the wall clock"),
        "{said}"
    );
    let said = over("memory", ["--memory-limit", "12 MB"]);
    assert!(
        said.contains("stopped with more than 12 MB of memory"),
        "{said}"
    );
    let output = done(
        folder.path(),
        &begin("none", LENGTH, &["--memory-limit", "10 kB"]),
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(
        errors(&output).contains("the limit is"),
        "{}",
        errors(&output)
    );
    assert!(!folder.path().join("none").exists());
}

#[test]
fn a_scenario_that_was_changed_is_not_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let output = done(
        folder.path(),
        &begin("out", LENGTH, &["--wall-limit", "1 ms"]),
    );
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    let path = folder.path().join("out/scenario.toml");
    let text = fs::read_to_string(&path).unwrap();
    let line = text
        .lines()
        .find(|line| line.starts_with("hosts ="))
        .unwrap();
    fs::write(&path, text.replace(line, "hosts = 101")).unwrap();
    let resumed = done(folder.path(), &["resume", "out", "--progress", "none"]);
    assert_eq!(resumed.status.code(), Some(2));
    assert!(
        errors(&resumed).contains("another scenario"),
        "{}",
        errors(&resumed)
    );
    assert_eq!(checkpoints(&folder.path().join("out")).len(), 1);
}

#[test]
fn a_full_disk_and_a_vanished_directory_are_named_and_harm_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // A file may get no longer than 100 blocks of 512 bytes: the scenario does, no checkpoint does.
    let limited = format!(
        "trap '' XFSZ; ulimit -f 100; exec {} {} --checkpoint-every '10 d simulated'",
        assert_cmd::cargo::cargo_bin("myriad").display(),
        begin("full", LENGTH, &[])
            .iter()
            .map(|word| format!("'{word}'"))
            .collect::<Vec<_>>()
            .join(" "),
    );
    let output = Command::new("sh")
        .current_dir(folder.path())
        .args(["-c", &limited])
        .output()
        .unwrap();
    let said = errors(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("no checkpoint: cannot write") && said.contains("000001.checkpoint"),
        "{said}"
    );
    assert!(said.contains("File too large"), "{said}");

    let run = folder.path().join("gone");
    let often = ["--checkpoint-every", "1 d simulated"];
    let mut child = start(folder.path(), &begin("gone", LENGTH, &often));
    wait_for(&mut child, "checkpoint", || !checkpoints(&run).is_empty());
    fs::rename(&run, folder.path().join("elsewhere")).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = errors(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("gone") && said.contains("No such file"),
        "{said}"
    );
    // What was complete is still good, wherever it is now.
    let resumed = done(
        folder.path(),
        &["resume", "elsewhere", "--progress", "none"],
    );
    assert!(resumed.status.success(), "{}", errors(&resumed));
}
