//! `myriad bench` as its users meet it.

use std::collections::BTreeSet;
use std::fs;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

fn bench(arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("myriad").expect("the program has been built");
    command.arg("bench").args(arguments);
    command.output().expect("the program can be started")
}

fn lines(output: &Output) -> Vec<Value> {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let found: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {:?}", output.stdout));
    found.as_array().expect("an array of lines").clone()
}

#[test]
fn every_plan_is_measured_on_every_world_and_finds_the_same_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let (csv, page) = (folder.path().join("b.csv"), folder.path().join("b.html"));
    let found = lines(&bench(&[
        "phold",
        "--actors",
        "50,80",
        "--events",
        "20000",
        "--threads",
        "1,2",
        "--queue",
        "window_ring,calendar",
        "--repeat",
        "2",
        "--json",
        "--csv",
        csv.to_str().unwrap(),
        "-o",
        page.to_str().unwrap(),
    ]));
    // Two queues on one and two threads, and the loop over a binary heap, for two worlds.
    assert_eq!(found.len(), 2 * 5);
    for actors in [50, 80] {
        let of_world = found.iter().filter(|line| line["actors"] == actors);
        let digests: BTreeSet<&str> = of_world
            .clone()
            .map(|line| line["digest"].as_str().expect("a digest"))
            .collect();
        assert_eq!(digests.len(), 1, "{digests:?}");
        for line in of_world {
            let figure = |name: &str| line[name].as_f64().unwrap_or_else(|| panic!("{name}"));
            let rate = figure("events") / figure("wall_s");
            // The median of two rates is not quite the rate of the median time.
            assert!(figure("events_per_s") >= 0.99 * rate);
            assert!((figure("events") - 20_000.0).abs() < 2_000.0);
            assert!(figure("speed_up") > 0.0 && figure("over_binary_heap") > 0.0);
            assert!(figure("waiting_share") < 1.0);
        }
    }
    assert_eq!(fs::read_to_string(csv).unwrap().lines().count(), 11);
    assert!(fs::read_to_string(page).unwrap().contains("<svg"));
}

#[test]
fn scenarios_are_measured_with_several_numbers_of_hosts() {
    let small = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/volunteer/small.toml");
    let found = lines(&bench(&[
        "volunteer",
        "--scenario",
        small,
        "--hosts",
        "20,40",
        "--until",
        "12h",
        "--threads",
        "1",
        "--repeat",
        "1",
        "--json",
    ]));
    let hosts: Vec<u64> = found
        .iter()
        .map(|line| line["hosts"].as_u64().unwrap())
        .collect();
    assert_eq!(hosts, [20, 20, 40, 40]);
    assert_eq!(found[0]["until_s"], 43_200.0);
    assert_eq!(found[0]["digest"], found[1]["digest"]);
    assert_ne!(found[0]["digest"], found[2]["digest"]);
}

#[test]
fn what_cannot_be_measured_is_said_before_anything_is() {
    for (arguments, expected) in [
        (&["phold", "--remote", "1.5"][..], "not a probability"),
        (&["phold", "--lookahead", "0"], "must be positive"),
        (&["phold", "--threads", "0"], "a number from 1"),
        (&["phold", "--partitions", "none"], "`auto` or a number"),
        (&["volunteer", "--scenario", "missing.toml"], "missing.toml"),
    ] {
        let output = bench(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}
