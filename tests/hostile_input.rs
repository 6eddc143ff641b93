//! No input brings the program down: not bytes that a fuzzer found, not lines without end, not
//! devices, not numbers that no machine has room for.
//!
//! Whatever is refused is refused in seconds, in little memory, by name and place.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[path = "fuzz/checks.rs"]
mod checks;

/// Checks every file that the fuzzer has kept for a target.
fn replay(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus");
    let entries = fs::read_dir(folder.join(target)).expect("every target has a corpus");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "every target has a corpus");
    for file in files {
        let bytes = fs::read(&file).expect("the corpus can be read");
        let checked = std::panic::catch_unwind(|| check(&bytes));
        assert!(checked.is_ok(), "{} is not survived", file.display());
    }
}

#[test]
fn what_was_found_by_fuzzing_scenarios_is_survived() {
    replay("scenario", checks::scenario);
    replay("override", checks::argument);
}

#[test]
fn what_was_found_by_fuzzing_tables_is_survived() {
    replay("population", checks::population);
    replay("cpu_list", checks::cpu_list);
}

#[test]
fn what_was_found_by_fuzzing_quantities_is_survived() {
    replay("quantity", checks::quantity);
}

#[test]
fn what_passes_the_checks_runs() {
    replay("run", checks::run);
}

/// What `myriad` says to these arguments, with so much processor time and memory as none of them may
/// need: beyond it the program is ended. Waiting for something that never comes ends, too.
fn myriad(folder: &Path, arguments: &[&str]) -> Output {
    const LIMITS: &str = "ulimit -t 20; ulimit -v 1500000; exec timeout 300 \"$@\"";
    Command::new("sh")
        .args(["-c", LIMITS, "sh"])
        .arg(assert_cmd::cargo::cargo_bin("myriad"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program can be started")
}

/// The message with which `myriad` refuses these arguments: exit code 2 (or 1), and no panic.
fn refusal(folder: &Path, arguments: &[&str]) -> String {
    let output = myriad(folder, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code();
    assert!(
        matches!(code, Some(1 | 2)),
        "{arguments:?} ended with {:?}: {said}",
        output.status
    );
    assert!(!said.contains("panicked"), "{arguments:?}: {said}");
    assert!(said.len() < 20_000, "{arguments:?}: {} bytes", said.len());
    // Lines are broken to the width of a terminal.
    said.split_whitespace()
        .filter(|word| !"│┃╭╰─▶·".contains(word))
        .collect::<Vec<_>>()
        .join(" ")
}

fn check(folder: &Path, arguments: &[&str], fragments: &[&str]) {
    let said = refusal(folder, arguments);
    for fragment in fragments {
        assert!(
            said.contains(fragment),
            "{arguments:?} says nothing of `{fragment}`: {said}"
        );
    }
}

/// A file of `bytes` and then nothing for `size` bytes, which takes no room on the disk.
fn sparse(path: &Path, bytes: &[u8], size: u64) {
    let mut file = File::create(path).expect("a file can be made");
    file.write_all(bytes).expect("a few bytes fit");
    file.set_len(size).expect("a hole costs nothing");
}

const HEADER: &[u8] = b"cpu_model,n_hosts,avg_cores,gflops_per_core,gflops_per_host\n";

#[test]
#[cfg(target_os = "linux")]
fn files_without_end_are_refused_in_time_and_by_name() {
    let folder = tempfile::tempdir().expect("there is a place for temporary files");
    let here = folder.path();
    for verb in ["run", "check", "describe"] {
        check(here, &[verb, "/dev/zero"], &["/dev/zero", "1 MiB"]);
    }
    check(
        here,
        &["population", "/dev/zero", "-o", "p.toml"],
        &["/dev/zero: line 1 is beyond the first 64 MiB"],
    );
    sparse(&here.join("long.toml"), b"name = \"", 3 << 30);
    check(here, &["run", "long.toml"], &["long.toml", "1 MiB"]);
    sparse(&here.join("long.csv"), HEADER, 3 << 30);
    check(
        here,
        &["population", "long.csv", "-o", "p.toml"],
        &["long.csv: line 2 is beyond the first 64 MiB"],
    );
    fs::write(
        here.join("s.toml"),
        "[population]\ntable = \"long.toml\"\n[jobs]\ndelay_bound = \"7 d\"\n",
    )
    .expect("a file can be made");
    check(
        here,
        &["check", "s.toml"],
        &["population.table", "long.toml", "8 MiB"],
    );
}

#[test]
#[cfg(target_os = "linux")]
fn long_lines_and_thousands_of_mistakes_are_counted_not_kept() {
    let folder = tempfile::tempdir().expect("there is a place for temporary files");
    let here = folder.path();
    let mut table = HEADER.to_vec();
    table.extend(b"good,10,4.0,2.0,8.0\n");
    table.extend(vec![b'x'; 8 << 20]);
    table.push(b'\n');
    table.extend(b"bad,0,4.0,2.0,8.0\n".repeat(20_000));
    fs::write(here.join("t.csv"), table).expect("a file can be made");
    let lenient = myriad(here, &["population", "t.csv", "-o", "p.toml"]);
    assert!(lenient.status.success());
    let said = String::from_utf8_lossy(&lenient.stderr);
    assert!(
        said.contains("line 3 is skipped: it has 8388608 bytes"),
        "{said}"
    );
    assert!(
        said.contains("line 4 is skipped: `n_hosts` (column 2) is `0`"),
        "{said}"
    );
    assert!(said.contains("and 19,981 more lines"), "{said}");
    assert!(said.contains("20,000 with an unusable `n_hosts`"), "{said}");
    assert!(said.lines().count() < 30, "{said}");
    check(
        here,
        &["population", "t.csv", "-o", "q.toml", "--strict"],
        &["t.csv: 20,001 lines cannot be used", "--strict"],
    );
    assert!(!here.join("q.toml").exists());
}
