//! No input brings the program down: not bytes that a fuzzer found, not lines without end, not
//! devices, not numbers that no machine has room for.
//!
//! Whatever is refused is refused in seconds, in little memory, by name and place.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant, SystemTime};

use actors::shared::quantity;
use kernel::{ActorId, Purpose, RandomStream};

#[path = "fuzz/checks.rs"]
mod checks;

/// A fuzz target: its name, and what it does with bytes.
type Target = (&'static str, fn(&[u8]));

/// The fuzz targets.
const TARGETS: [Target; 6] = [
    ("scenario", checks::scenario),
    ("override", checks::argument),
    ("population", checks::population),
    ("cpu_list", checks::cpu_list),
    ("quantity", checks::quantity),
    ("run", checks::run),
];

/// The files that the fuzzer has kept for a target.
fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus");
    let entries = fs::read_dir(folder.join(target)).expect("every target has a corpus");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "every target has a corpus");
    let read = |file: PathBuf| {
        let bytes = fs::read(&file).expect("the corpus can be read");
        (file, bytes)
    };
    files.into_iter().map(read).collect()
}

#[test]
fn what_was_found_by_fuzzing_is_survived() {
    for (target, check) in TARGETS {
        for (file, bytes) in corpus(target) {
            let checked = std::panic::catch_unwind(|| check(&bytes));
            assert!(checked.is_ok(), "{} is not survived", file.display());
        }
    }
}

/// What means something to some reader, or did once.
const TOKENS: [&str; 24] = [
    "0",
    "-1",
    "1e308",
    "1e-320",
    "nan",
    "inf",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551616",
    "0.1",
    "100 %",
    "1 ns",
    "100 y",
    "\"",
    "'",
    "=",
    "[",
    "]",
    "{",
    "}",
    ",",
    "\r\n",
    "\u{feff}",
];

/// `bytes` with some damage: less and other than a fuzzer that sees the code would do, but anywhere.
fn damaged(bytes: &[u8], other: &[u8], draw: &mut RandomStream) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=draw.below(4) {
        let start = draw.below(bytes.len() as u64 + 1) as usize;
        let end = (start + draw.below(12) as usize).min(bytes.len());
        let token = TOKENS[draw.below(TOKENS.len() as u64) as usize].as_bytes();
        match draw.below(7) {
            0 => bytes.truncate(start),
            1 => drop(bytes.drain(start..end)),
            2 => drop(bytes.splice(start..end, token.iter().copied())),
            3 => drop(bytes.splice(start..start, token.iter().copied())),
            4 => bytes
                .splice(start..end, [draw.below(256) as u8])
                .for_each(drop),
            5 => {
                let repeated = bytes[start..end].repeat(draw.below(40) as usize);
                bytes.splice(start..start, repeated).for_each(drop);
            }
            _ => {
                let from = draw.below(other.len() as u64 + 1) as usize;
                let to = (from + draw.below(200) as usize).min(other.len());
                bytes
                    .splice(start..end, other[from..to].iter().copied())
                    .for_each(drop);
            }
        }
    }
    bytes
}

/// Checks damaged files of a target's corpus until `enough` says so; returns how many.
fn damage(target: &str, check: fn(&[u8]), seed: u64, enough: impl Fn(u64) -> bool) -> u64 {
    let corpus = corpus(target);
    let mut draw = RandomStream::new(seed, ActorId(0), Purpose(101));
    let mut count = 0;
    while !enough(count) {
        let mut any = || &corpus[draw.below(corpus.len() as u64) as usize].1;
        let (bytes, other) = (any().clone(), any().clone());
        let bytes = damaged(&bytes, &other, &mut draw);
        if std::panic::catch_unwind(|| check(&bytes)).is_err() {
            let found = std::env::temp_dir().join(format!("myriad-{target}-{seed}-{count}"));
            let kept = fs::write(&found, &bytes);
            panic!("{target}: {} is not survived ({kept:?})", found.display());
        }
        count += 1;
    }
    count
}

#[test]
fn damaged_files_are_survived() {
    for (target, check) in TARGETS {
        let most = if target == "run" { 10 } else { 200 };
        damage(target, check, 1, |count| count == most);
    }
}

/// For longer, by hand: `MYRIAD_DAMAGE='10 min' cargo test --test main damage_for -- --ignored
/// --nocapture`. What is not survived is kept for the corpus.
#[test]
#[ignore = "as long as MYRIAD_DAMAGE says for each target, ten seconds if it says nothing"]
fn damage_for_a_while() {
    let length = std::env::var("MYRIAD_DAMAGE").unwrap_or_else(|_| "10 s".to_owned());
    let length: quantity::Duration = length.parse().expect("MYRIAD_DAMAGE is a duration");
    let length = Duration::from_nanos(length.span().nanos());
    let seed = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |t| t.as_secs());
    for (target, check) in TARGETS {
        let began = Instant::now();
        let count = damage(target, check, seed, |_| began.elapsed() > length);
        eprintln!("{target}: {count} damaged files are survived (seed {seed})");
    }
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
