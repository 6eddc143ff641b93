//! The program as its users meet it: files, exit codes, and what is said.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

const SMALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/volunteer/small.toml");

/// What `myriad` does in `folder` with these arguments.
pub(crate) fn myriad(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("myriad").expect("the program has been built");
    command.current_dir(folder).args(arguments);
    command.output().expect("the program can be started")
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

/// The messages on standard error with their line breaks and frames taken out: where they fall
/// depends on the width of the terminal.
fn complaint(output: &Output) -> String {
    let text = text(&output.stderr);
    let plain: String = text
        .chars()
        .map(|c| {
            if "│┃·─╭╰╮╯╴|".contains(c) {
                ' '
            } else {
                c
            }
        })
        .collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs the small scenario for a short time into `folder/name`.
fn run_small(folder: &Path, name: &str, more: &[&str]) -> PathBuf {
    let mut arguments = vec![
        "run",
        SMALL,
        "--until",
        "12 h",
        "-o",
        name,
        "--progress",
        "none",
    ];
    arguments.extend(more);
    let output = myriad(folder, &arguments);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        text(&output.stderr)
    );
    assert!(
        output.stderr.is_empty(),
        "with no progress nothing is said: {}",
        text(&output.stderr)
    );
    folder.join(name)
}

pub(crate) fn json(path: PathBuf) -> Value {
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn digest(run: &Path) -> String {
    let summary = json(run.join("summary.json"));
    let digest = summary["digest"]
        .as_str()
        .expect("a summary has a digest")
        .to_owned();
    assert_eq!(digest.len(), 64, "BLAKE3 in hexadecimal");
    assert_eq!(json(run.join("manifest.json"))["digest"], digest.as_str());
    digest
}

#[test]
fn a_run_leaves_its_files_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let run = run_small(folder.path(), "out", &["--seed", "7"]);
    let mut names: Vec<_> = fs::read_dir(&run)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "engine.json",
            "manifest.json",
            "metrics.parquet",
            "population.toml",
            "report.html",
            "scenario.toml",
            "summary.json"
        ]
    );
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        1,
        "nothing is left beside it"
    );

    let engine = json(run.join("engine.json"));
    for key in [
        "events",
        "wall_s",
        "events_per_s",
        "threads",
        "partitions",
        "windows",
    ] {
        assert!(
            engine[key].as_f64().is_some_and(|n| n > 0.0),
            "{key}: {}",
            engine[key]
        );
    }
    if cfg!(target_os = "linux") {
        assert!(
            engine["peak_rss_bytes"]
                .as_u64()
                .is_some_and(|bytes| bytes > 1_000_000)
        );
        assert!(engine["cpu_s"].as_f64().is_some());
    }
    let manifest = json(run.join("manifest.json"));
    assert_eq!(manifest["seed"], 7);
    assert_eq!(manifest["completed"], true);
    assert_eq!(manifest["reached_s"], 43_200.0);
    let summary = json(run.join("summary.json"));
    assert!(
        summary["scalars"]
            .as_object()
            .is_some_and(|scalars| scalars.len() >= 5)
    );
    assert!(
        fs::read_to_string(run.join("report.html"))
            .unwrap()
            .contains("</html>")
    );
    assert!(
        fs::read(run.join("metrics.parquet"))
            .unwrap()
            .starts_with(b"PAR1")
    );
}

#[test]
fn the_digest_is_the_scenarios_and_not_the_machines() {
    let folder = tempfile::tempdir().unwrap();
    let first = run_small(folder.path(), "first", &["--threads", "1"]);
    let expected = digest(&first);
    for (number, more) in [
        &["--threads", "2", "--partitions", "5"][..],
        &[
            "--threads",
            "2",
            "--runtime",
            "arbiters",
            "--queue",
            "binary_heap",
        ],
        &["--runtime", "sequential"],
        &[
            "--runtime",
            "inline",
            "--horizon",
            "global_window",
            "--partitions",
            "3",
        ],
    ]
    .into_iter()
    .enumerate()
    {
        let run = run_small(folder.path(), &format!("run-{number}"), more);
        assert_eq!(digest(&run), expected, "{more:?}");
        // Results are equal to the byte; nothing of the execution may be in them.
        let summary = |run: &Path| fs::read(run.join("summary.json")).unwrap();
        assert_eq!(summary(&run), summary(&first), "{more:?}");
    }
    let other = run_small(folder.path(), "other", &["--seed", "2"]);
    assert_ne!(digest(&other), expected, "another seed is another run");
}

#[test]
fn a_run_directory_can_be_moved_and_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let run = run_small(folder.path(), "out", &["--set", "hosts=50", "--seed", "3"]);
    let elsewhere = tempfile::tempdir().unwrap();
    for name in ["scenario.toml", "population.toml"] {
        fs::copy(run.join(name), elsewhere.path().join(name)).unwrap();
    }
    let output = myriad(elsewhere.path(), &["run", "scenario.toml", "-o", "again"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let again = elsewhere.path().join("again");
    assert_eq!(digest(&again), digest(&run));
    let scenario = |run: &Path| fs::read_to_string(run.join("scenario.toml")).unwrap();
    assert_eq!(scenario(&again), scenario(&run));
}

#[test]
fn a_directory_that_exists_is_refused_before_anything_is_run() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("out")).unwrap();
    let output = myriad(folder.path(), &["run", SMALL, "-o", "out"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        complaint(&output).contains("out exists already"),
        "{}",
        complaint(&output)
    );
    assert_eq!(fs::read_dir(folder.path().join("out")).unwrap().count(), 0);
}

#[test]
fn runs_without_a_place_are_numbered() {
    let folder = tempfile::tempdir().unwrap();
    for number in 1..=2 {
        let output = myriad(
            folder.path(),
            &["run", SMALL, "--until", "1 h", "--set", "name=my run"],
        );
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains(&format!("runs/my-run-{number}")));
        assert!(
            folder
                .path()
                .join(format!("runs/my-run-{number}/report.html"))
                .exists()
        );
    }
}

#[test]
fn mistakes_end_with_code_two_and_name_file_line_key_and_what_would_be_right() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("bad.toml"),
        "name = \"bad\"\n[jobs]\ndelay_bond = \"7 d\"\n",
    )
    .unwrap();
    for verb in ["run", "check", "describe"] {
        let output = myriad(folder.path(), &[verb, "bad.toml"]);
        assert_eq!(output.status.code(), Some(2), "{verb}");
        assert!(
            output.stdout.is_empty(),
            "{verb} said something on standard output"
        );
        let words = complaint(&output);
        for part in [
            "bad.toml:3:1",
            "jobs.delay_bond",
            "did you mean `delay_bound`?",
        ] {
            assert!(
                words.contains(part),
                "{verb}: `{part}` is missing in: {words}"
            );
        }
    }
    for (arguments, part) in [
        (&["run", "no-such-file.toml"][..], "no-such-file.toml"),
        (&["run", "."], "is a folder"),
        (
            &["check", SMALL, "--set", "hosst=1"],
            "did you mean `hosts`?",
        ),
        (&["check", SMALL, "--until", "3 dys"], "--until 3 dys"),
        (&["run", SMALL, "--threads", "0"], "a number from 1"),
        (&["run", SMALL, "--horizon", "none_such"], "global_window"),
        (
            &["population", "no-such-table.csv", "-o", "x.toml"],
            "no-such-table.csv",
        ),
        (&["fly"], "unrecognized subcommand"),
    ] {
        let output = myriad(folder.path(), arguments);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments:?}: {}",
            complaint(&output)
        );
        assert!(
            complaint(&output).contains(part),
            "{arguments:?}: {}",
            complaint(&output)
        );
    }
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        1,
        "a mistake leaves nothing behind"
    );
}

#[test]
fn check_and_describe_say_what_would_run_and_run_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let output = myriad(folder.path(), &["check", SMALL]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("without mistakes"));
    let output = myriad(folder.path(), &["describe", SMALL, "--threads", "2"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let words = text(&output.stdout);
    for part in [
        "Cast:",
        "scheduler",
        "host",
        "hears only answers",
        "Promises",
        "cycles",
        "partitions",
    ] {
        assert!(words.contains(part), "`{part}` is missing in\n{words}");
    }
    let shorter = ["--set", "hosts=50", "--until", "6 h", "--critical-path"];
    let output = myriad(
        folder.path(),
        &[&["describe", SMALL][..], &shorter].concat(),
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("must follow each other"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_schema_is_a_schema_of_the_scenarios_that_are_shipped() {
    let folder = tempfile::tempdir().unwrap();
    let output = myriad(folder.path(), &["schema"]);
    assert!(output.status.success());
    let schema: Value = serde_json::from_slice(&output.stdout).expect("a schema is JSON");
    let keys = schema["properties"]
        .as_object()
        .expect("a scenario has keys");
    let scenario: toml::Table = fs::read_to_string(SMALL).unwrap().parse().unwrap();
    for key in scenario.keys() {
        assert!(keys.contains_key(key), "`{key}` is not in the schema");
    }
    let output = myriad(folder.path(), &["schema", "-o", "scenario.schema.json"]);
    assert!(output.status.success() && output.stdout.is_empty());
    assert_eq!(json(folder.path().join("scenario.schema.json")), schema);
}

const OLD: &str = "docs/scenarios.md is old: put the output of `myriad schema --format keys` below \
                   its line `<!-- keys -->`";

#[test]
fn the_table_of_keys_in_the_documents_is_the_schemas() {
    let folder = tempfile::tempdir().unwrap();
    let output = myriad(folder.path(), &["schema", "--format", "keys"]);
    assert!(output.status.success());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/scenarios.md");
    let document = fs::read_to_string(path).unwrap();
    let (_, table) = document
        .split_once("<!-- keys -->\n")
        .expect("the document has a place for keys");
    let shown = text(&output.stdout);
    for (line, expected) in table.trim().lines().zip(shown.trim().lines()) {
        assert_eq!(line, expected, "{OLD}");
    }
    assert_eq!(
        table.trim().lines().count(),
        shown.trim().lines().count(),
        "{OLD}"
    );
}

#[test]
fn a_population_comes_from_a_table_of_processors() {
    let folder = tempfile::tempdir().unwrap();
    let table = "cpu_model,n_hosts,avg_cores,gflops_per_core,gflops_per_host\n\
                 \"A, \"\"quoted\"\"\",10,2,3.0,6.0\n\
                 B,30,4,2.5,10.0\n";
    fs::write(folder.path().join("table.csv"), table).unwrap();
    let output = myriad(
        folder.path(),
        &["population", "table.csv", "-o", "p.toml", "--strict"],
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains("40 hosts with 3.500 cores"),
        "{}",
        text(&output.stdout)
    );
    let path = folder.path().join("p.toml").display().to_string();
    let output = myriad(
        folder.path(),
        &["check", SMALL, "--set", &format!("population.table={path}")],
    );
    assert!(output.status.success(), "{}", text(&output.stderr));

    let broken = format!("{table}C,-5,1,1,1\n");
    fs::write(folder.path().join("broken.csv"), broken).unwrap();
    let output = myriad(folder.path(), &["population", "broken.csv", "-o", "q.toml"]);
    assert!(output.status.success());
    assert!(
        text(&output.stderr).contains("line 4 is skipped"),
        "{}",
        text(&output.stderr)
    );
    let output = myriad(
        folder.path(),
        &["population", "broken.csv", "-o", "r.toml", "--strict"],
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(!folder.path().join("r.toml").exists());
}

#[test]
fn progress_for_programs_is_one_object_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let output = myriad(
        folder.path(),
        &[
            "run",
            SMALL,
            "--until",
            "6 h",
            "-o",
            "out",
            "--progress",
            "json",
        ],
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines: Vec<Value> = text(&output.stderr)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}")))
        .collect();
    let last = lines.last().expect("at least the last line");
    assert_eq!(last["finished"], true);
    assert_eq!(last["simulated_s"], 21_600.0);
}

/// The program is asked to stop, by SIGINT, in the middle of a run.
#[cfg(unix)]
#[test]
fn an_interrupted_run_reports_what_it_found() {
    use std::io::Read;
    use std::process::{Command, Stdio};

    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("myriad"))
        .current_dir(folder.path())
        .args([
            "run",
            SMALL,
            "--until",
            "20 y",
            "--set",
            "record.interval=1 d",
        ])
        .args(["-o", "out", "--progress", "json"])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // The first line of progress tells that the run is under way.
    let mut errors = child.stderr.take().unwrap();
    let mut byte = [0];
    while byte != *b"\n" {
        errors
            .read_exact(&mut byte)
            .expect("progress is shown while the run goes on");
    }
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.unwrap().success());
    let mut rest = String::new();
    errors.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest}");
    let manifest = json(folder.path().join("out/manifest.json"));
    assert_eq!(manifest["completed"], false);
    let reached = manifest["reached_s"].as_f64().unwrap();
    assert!(
        reached > 0.0 && reached < manifest["until_s"].as_f64().unwrap(),
        "{reached}"
    );
    let page = fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    assert!(page.contains("This run was interrupted after"));
}
