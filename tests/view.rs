//! The page of messages in a browser without a screen: what it counts is what `myriad trace` counts.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::command::{myriad, text};

const SMALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/volunteer/small.toml");

/// A browser that can be driven without a screen, if there is one.
fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("MYRIAD_BROWSER").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let all = std::env::split_paths(&path).flat_map(|folder| usual.map(|name| folder.join(name)));
    named.into_iter().chain(all).find(|file| file.is_file())
}

/// What stands in the element `id` of a page after its own scripts have run.
fn dumped(browser: &Path, folder: &Path, address: &str, id: &str) -> String {
    let out = fs::File::create(folder.join("dump.html")).unwrap();
    let mut child = Command::new(browser)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
        ])
        .args([
            "--window-size=1280,800",
            "--virtual-time-budget=20000",
            "--dump-dom",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ))
        .arg(address)
        .stdout(out)
        .stderr(Stdio::null())
        .spawn()
        .expect("the browser starts");
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > Duration::from_secs(120) {
            let _ = child.kill();
            panic!("the browser does not come back from {address}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let page = fs::read_to_string(folder.join("dump.html")).unwrap();
    let begin = page.find(&format!("<pre id=\"{id}\""));
    let begin = begin.unwrap_or_else(|| panic!("the page has no `{id}`"));
    let inside = &page[begin..];
    let inside = &inside[inside.find('>').unwrap() + 1..inside.find("</pre>").unwrap()];
    inside
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// The messages of a run as `myriad trace` prints them.
fn traced(folder: &Path, filter: &str) -> Vec<Value> {
    let output = myriad(folder, &["trace", "run", filter, "--format", "ndjson"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines = text(&output.stdout);
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn the_page_of_messages_counts_draws_filters_and_jumps() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let run = [
        "run",
        SMALL,
        "--until",
        "2 d",
        "--set",
        "hosts=30",
        "-o",
        "run",
        "--progress",
        "none",
    ];
    let output = myriad(folder, &[&run[..], &["--trace", "all"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = myriad(folder, &["view", "run", "-o", "page.html"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let messages = traced(folder, "all");
    let count = messages.len();
    assert!(count > 500, "only {count} messages");
    assert!(!folder.join("page.html.partial").exists());

    let Some(browser) = browser() else {
        eprintln!(
            "skipped: no browser found (set MYRIAD_BROWSER to one that knows --headless=new)"
        );
        return;
    };
    let address = format!("file://{}#selftest", folder.join("page.html").display());
    let found: Value =
        serde_json::from_str(&dumped(&browser, folder, &address, "selftest")).unwrap();
    assert_eq!(found["failures"], Value::Array(Vec::new()), "{found:#}");
    assert_eq!(found["messages"], count);
    let mut kinds = BTreeMap::<&str, u64>::new();
    for message in &messages {
        *kinds.entry(message["kind"].as_str().unwrap()).or_default() += 1;
    }
    for (kind, number) in found["kinds"].as_object().unwrap() {
        assert_eq!(
            kinds.get(kind.as_str()).copied().unwrap_or(0),
            number.as_u64().unwrap(),
            "{kind}"
        );
    }
    let jobs = found["jobs"].as_object().unwrap();
    assert!(!jobs.is_empty());
    for (job, number) in jobs {
        let of_job = traced(folder, &format!("jobs={job}")).len();
        assert_eq!(number, of_job, "job {job}");
    }
}

#[test]
fn a_filter_that_chooses_nothing_and_a_run_without_a_trace_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let run = [
        "run",
        SMALL,
        "--until",
        "2 h",
        "--set",
        "hosts=5",
        "-o",
        "run",
        "--progress",
        "none",
    ];
    assert!(myriad(folder, &run).status.success());
    let output = myriad(folder, &["view", "run"]);
    assert!(!output.status.success());
    assert!(
        text(&output.stderr).contains("--trace"),
        "{}",
        text(&output.stderr)
    );
    let run = [
        "run",
        SMALL,
        "--until",
        "2 h",
        "--set",
        "hosts=5",
        "-o",
        "traced",
        "--progress",
        "none",
    ];
    assert!(
        myriad(folder, &[&run[..], &["--trace", "all"]].concat())
            .status
            .success()
    );
    let output = myriad(folder, &["view", "traced", "time=300d..301d"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("chooses none"),
        "{}",
        text(&output.stderr)
    );
    assert!(!folder.join("traced/messages.html").exists());
}
