//! Recording: what a trace holds, and that it depends on nothing but the scenario and the filter.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use kernel::SimTime;
use myriad::trace::{Archive, Fate, Heading, MessageId};
use serde_json::Value;

use crate::command::{json, myriad, text};

const SMALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/volunteer/small.toml");

/// The files of a trace.
const FILES: [&str; 3] = ["trace.bin", "messages.parquet", "states.parquet"];

/// Runs the small scenario for a day with a trace.
fn record(folder: &Path, name: &str, filter: &str, more: &[&str]) -> PathBuf {
    let mut arguments = vec!["run", SMALL, "--until", "1 d", "--set", "hosts=100"];
    arguments.extend(["-o", name, "--progress", "none", "--trace", filter]);
    arguments.extend(more);
    let output = myriad(folder, &arguments);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        text(&output.stderr)
    );
    folder.join(name)
}

fn digest(run: &Path) -> Value {
    json(run.join("summary.json"))["digest"].take()
}

/// A message, as far as the tests look at it.
#[derive(Clone, PartialEq, Debug)]
struct Seen {
    id: MessageId,
    cause: Option<MessageId>,
    sent: SimTime,
    received: SimTime,
    from: String,
    to: String,
    kind: String,
    fate: Fate,
}

fn everything(run: &Path) -> (Heading, Vec<Seen>) {
    let mut archive = Archive::open(run).expect("a trace was recorded");
    let heading = archive.heading().clone();
    let mut seen = Vec::new();
    let all = SimTime::START..SimTime::NEVER;
    let scanned = archive.scan(&all, |message| {
        seen.push(Seen {
            id: message.id,
            cause: message.cause,
            sent: message.sent,
            received: message.received,
            from: heading.actor_name(message.from),
            to: heading.actor_name(message.to),
            kind: heading.kind(message.kind).to_owned(),
            fate: message.fate,
        });
        true
    });
    scanned.expect("the trace is whole");
    assert_eq!(archive.len(), seen.len() as u64);
    (heading, seen)
}

#[test]
fn a_trace_is_the_same_to_the_byte_however_the_run_is_executed() {
    let folder = tempfile::tempdir().unwrap();
    let expected = record(
        folder.path(),
        "sequential",
        "all",
        &["--runtime", "sequential"],
    );
    let plans: [&[&str]; 4] = [
        &["--threads", "1"],
        &["--partitions", "3", "--runtime", "inline"],
        &["--partitions", "8", "--threads", "2", "--queue", "calendar"],
        &[
            "--partitions",
            "5",
            "--threads",
            "2",
            "--runtime",
            "arbiters",
        ],
    ];
    for (number, plan) in plans.iter().enumerate() {
        let run = record(folder.path(), &number.to_string(), "all", plan);
        assert_eq!(digest(&run), digest(&expected));
        for file in FILES {
            let [found, expected] = [&run, &expected].map(|run| fs::read(run.join(file)).unwrap());
            assert!(found == expected, "{file} differs with {plan:?}");
        }
    }
}

#[test]
fn a_full_trace_holds_every_event_and_its_cause() {
    let folder = tempfile::tempdir().unwrap();
    let run = record(folder.path(), "run", "all", &[]);
    let (heading, seen) = everything(&run);
    let end = heading.end;
    let handled = seen.iter().filter(|message| message.received < end);
    let events = json(run.join("engine.json"))["events"].as_u64();
    assert_eq!(
        Some(handled.count() as u64),
        events,
        "each event is a message"
    );

    let by_id: BTreeMap<_, _> = seen.iter().map(|message| (message.id, message)).collect();
    assert_eq!(by_id.len(), seen.len(), "no two messages share a name");
    for message in &seen {
        assert_eq!(message.fate == Fate::InFlight, message.received >= end);
        match message.cause {
            None => assert_eq!(message.sent, SimTime::START),
            Some(cause) => {
                let cause = by_id[&cause];
                assert_eq!(cause.received, message.sent, "{message:?}");
                assert_eq!(cause.to, message.from, "{message:?}");
                assert!(cause.fate == Fate::Delivered, "what has effects was needed");
            }
        }
    }
    let places = seen
        .windows(2)
        .filter(|pair| pair[0].received > pair[1].received);
    assert_eq!(places.count(), 0, "messages are in the order of the run");
    for fate in [Fate::Delivered, Fate::Expired, Fate::InFlight] {
        assert!(seen.iter().any(|message| message.fate == fate), "{fate:?}");
    }
}

#[test]
fn a_filtered_trace_is_what_the_filter_leaves_of_a_full_one() {
    let folder = tempfile::tempdir().unwrap();
    let (_, all) = everything(&record(folder.path(), "all", "all", &[]));
    let filter = "time=2h..6h; actors=host[0..20],scheduler; kinds=request,reply";
    let run = record(folder.path(), "some", filter, &["--partitions", "3"]);
    let (heading, some) = everything(&run);
    assert!(
        heading.filter.contains("kinds=request,reply"),
        "{heading:?}"
    );
    let hours = |hours: u64| SimTime::from_nanos(hours * 3_600_000_000_000);
    let in_time = |at: SimTime| (hours(2)..hours(6)).contains(&at);
    let among = |name: &str| {
        let place = name
            .strip_prefix("host[")
            .and_then(|rest| rest.strip_suffix(']'));
        name == "scheduler" || place.is_some_and(|place| place.parse::<u32>().unwrap() < 20)
    };
    let wanted = |message: &&Seen| {
        (in_time(message.sent) || in_time(message.received))
            && among(&message.from)
            && among(&message.to)
            && ["request", "reply"].contains(&message.kind.as_str())
    };
    let expected: Vec<_> = all.iter().filter(wanted).cloned().collect();
    assert!(expected.len() > 20, "too few to mean anything");
    assert_eq!(some, expected);
}

#[test]
fn what_hosts_do_fills_the_time_in_which_they_take_part() {
    let folder = tempfile::tempdir().unwrap();
    let run = record(folder.path(), "run", "all", &[]);
    let mut archive = Archive::open(&run).unwrap();
    let heading = archive.heading().clone();
    let intervals = archive
        .intervals(&(SimTime::START..SimTime::NEVER))
        .unwrap();
    let mut until: BTreeMap<u32, SimTime> = BTreeMap::new();
    let mut on_nanos = 0u128;
    for interval in &intervals {
        assert!(interval.start < interval.end);
        let before = until.insert(interval.actor.0, interval.end);
        if let Some(before) = before {
            assert_eq!(before, interval.start, "{interval:?}");
        }
        if heading.activity(interval.activity) != "off" {
            on_nanos += u128::from((interval.end - interval.start).nanos());
        }
    }
    // The metrics have counted from other facts how many hosts were on.
    let summary = json(run.join("summary.json"));
    let scalar = |name: &str| summary["scalars"][name]["value"].as_f64().unwrap();
    let expected = scalar("hosts_active") * scalar("availability");
    let found = on_nanos as f64 / heading.end.nanos() as f64;
    assert!(
        (found - expected).abs() < 1e-6 * expected,
        "{found} hosts on according to their states, {expected} according to the metrics"
    );
}

#[test]
fn messages_are_printed_for_people_and_for_programs() {
    let folder = tempfile::tempdir().unwrap();
    let run = record(folder.path(), "run", "kinds=request,reply", &[]);
    let (_, seen) = everything(&run);
    let run = run.to_str().unwrap();

    let table = text(&myriad(folder.path(), &["trace", run]).stdout);
    assert_eq!(
        table.lines().count(),
        seen.len() + 1,
        "a heading and the messages"
    );
    assert!(table.contains("] → scheduler: wants"), "{table}");

    let lines = text(&myriad(folder.path(), &["trace", run, "--format", "ndjson"]).stdout);
    let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(first["message_id"], seen[0].id.0);
    assert_eq!(first["cause_id"], seen[0].cause.unwrap().0);
    assert_eq!(first["received_ns"], seen[0].received.nanos());
    assert_eq!(lines.lines().count(), seen.len());

    let asked = ["trace", run, "kinds=reply; text=no work", "--format", "csv"];
    let csv = text(&myriad(folder.path(), &asked).stdout);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let head = reader.headers().unwrap().clone();
    assert_eq!(&head[0], "message_id");
    for record in reader.records() {
        let record = record.unwrap();
        assert_eq!((&record[10], &record[16]), ("reply", "delivered"));
        assert!(record[17].starts_with("sends no work"), "{record:?}");
    }

    let statistics = ["trace", run, "--statistics", "--format", "ndjson"];
    let lines = text(&myriad(folder.path(), &statistics).stdout);
    let kinds: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for kind in ["request", "reply"] {
        let found = kinds.iter().find(|object| object["kind"] == kind).unwrap();
        let of_kind = || seen.iter().filter(|message| message.kind == kind);
        assert_eq!(found["count"], of_kind().count());
        let arrived = of_kind().filter(|message| message.fate != Fate::InFlight);
        let mut delays: Vec<_> = arrived
            .map(|m| (m.received - m.sent).as_secs_f64())
            .collect();
        delays.sort_by(f64::total_cmp);
        let median = delays[(delays.len() - 1) / 2];
        let told = found["delay_p50_s"].as_f64().unwrap();
        assert!((told / median - 1.0).abs() < 0.002, "{told} for {median}");
    }
}

#[test]
fn a_filter_that_means_nothing_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    for (filter, complaint) in [
        ("tim=2d..3d", "did you mean `time`?"),
        ("actors=hots", "did you mean `host`?"),
        ("kinds=requst", "did you mean `request`?"),
        ("fates=gone", "myriad trace"),
    ] {
        let arguments = ["run", SMALL, "-o", "run", "--trace", filter];
        let output = myriad(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(2), "{filter}");
        let said = text(&output.stderr);
        assert!(said.contains(complaint), "{filter}: {said}");
        assert!(
            fs::read_dir(folder.path()).unwrap().next().is_none(),
            "nothing is left behind"
        );
    }
    let output = myriad(
        folder.path(),
        &["run", SMALL, "--set", "record.trace=kinds=x"],
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("record.trace"));
}

#[test]
fn a_run_without_a_trace_says_how_to_have_one() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("run")).unwrap();
    let output = myriad(folder.path(), &["trace", "run"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("--trace all"));
}

#[test]
fn a_damaged_trace_is_an_error_and_never_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let run = record(folder.path(), "run", "kinds=request; time=..6h", &[]);
    let path = run.join("trace.bin");
    let whole = fs::read(&path).unwrap();
    let read = |bytes: &[u8]| -> Result<u64, String> {
        fs::write(&path, bytes).unwrap();
        let mut archive = Archive::open(&path).map_err(|error| error.to_string())?;
        let mut count = 0;
        let all = SimTime::START..SimTime::NEVER;
        archive
            .scan(&all, |_| {
                count += 1;
                true
            })
            .map_err(|error| error.to_string())?;
        archive.intervals(&all).map_err(|error| error.to_string())?;
        Ok(count)
    };
    let right = read(&whole).unwrap();
    for place in (0..whole.len()).step_by(whole.len() / 150) {
        let mut spoilt = whole.clone();
        spoilt[place] ^= 0x55;
        match read(&spoilt) {
            Ok(count) => assert_eq!(count, right, "byte {place}"),
            Err(error) => assert!(error.contains("trace.bin"), "byte {place}: {error}"),
        }
        assert!(read(&whole[..place]).is_err(), "cut off at {place}");
    }
}

#[test]
fn the_first_difference_of_two_runs_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let filter = "kinds=request,reply,instance_dispatched";
    record(folder.path(), "one", filter, &[]);
    record(
        folder.path(),
        "other",
        filter,
        &["--set", "jobs.delay_bound=3 d"],
    );
    let compare = |one: &str, other: &str| {
        let output = myriad(
            folder.path(),
            &["compare", "--first-difference", one, other],
        );
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert!(compare("one", "one").starts_with("The same "));
    // The first reply tells another deadline; the request before it was the same.
    let said = compare("one", "other");
    assert!(
        said.starts_with("The first 1 messages are the same."),
        "{said}"
    );
    assert!(said.contains("to be reported by 2 d") && said.contains("to be reported by 3 d"));
    assert!(said.contains("because of"), "{said}");
    record(folder.path(), "less", "kinds=request", &[]);
    let output = myriad(
        folder.path(),
        &["compare", "--first-difference", "one", "less"],
    );
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn stories_are_told_of_messages_jobs_and_hosts() {
    let folder = tempfile::tempdir().unwrap();
    let run = record(folder.path(), "run", "all", &[]);
    let (_, seen) = everything(&run);
    let explain = |arguments: &[&str]| {
        let arguments = [&["explain", "run"], arguments].concat();
        let output = myriad(folder.path(), &arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let reply = seen.iter().find(|message| message.kind == "reply").unwrap();
    let story = explain(&["--message", &reply.id.to_string()]);
    // A reply is caused by a request, and that by the host's own plan, which began with the run.
    for part in [
        "means to contact",
        "wants",
        "sends 0_0",
        "What came of it",
        "wants input file",
    ] {
        assert!(story.contains(part), "{part}: {story}");
    }
    let job = explain(&["--job", "0"]);
    for part in [
        "has created job 0",
        "has sent 0_0 to host[",
        "has heard the report of 0_",
    ] {
        assert!(job.contains(part), "{part}: {job}");
    }
    let host = explain(&["--host", "0"]);
    assert!(
        host.contains("== off for") || host.contains("== idle for"),
        "{host}"
    );
    let output = myriad(folder.path(), &["explain", "run", "--job", "4000000"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("nothing about job 4000000"));
}

#[test]
fn exports_hold_what_the_trace_holds() {
    let folder = tempfile::tempdir().unwrap();
    let run = record(folder.path(), "run", "time=..6h", &[]);
    let (_, seen) = everything(&run);
    let arrived = || seen.iter().filter(|message| message.fate != Fate::InFlight);
    let export = |format: &str| {
        let arguments = ["export", "run", "--to", format, "-o", format];
        let output = myriad(folder.path(), &arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let again = myriad(folder.path(), &arguments);
        assert_eq!(again.status.code(), Some(2), "nothing is written over");
        fs::read(folder.path().join(format)).unwrap()
    };
    assert!(export("perfetto").len() > 10_000);

    let chrome: Value = serde_json::from_slice(&export("chrome")).unwrap();
    let events = chrome["traceEvents"].as_array().unwrap();
    let talk = arrived()
        .filter(|message| message.from != message.to)
        .count();
    for phase in ["s", "f"] {
        assert_eq!(
            events.iter().filter(|event| event["ph"] == phase).count(),
            talk
        );
    }

    let ocel: Value = serde_json::from_slice(&export("ocel")).unwrap();
    let objects: Vec<_> = ocel["objects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| &o["id"])
        .collect();
    let events = ocel["events"].as_array().unwrap();
    assert_eq!(events.len(), arrived().count());
    let mut relations = events
        .iter()
        .flat_map(|e| e["relationships"].as_array().unwrap());
    assert!(relations.all(|relation| objects.contains(&&relation["objectId"])));

    let xes = text(&export("xes"));
    assert!(xes.starts_with("<?xml") && xes.ends_with("</log>\n"));
    assert_eq!(
        xes.matches("<event>").count(),
        xes.matches("</event>").count()
    );
    assert!(xes.contains("<string key=\"concept:name\" value=\"0_0\"/>"));
}
