//! What is wrong with a scenario is said where it is wrong, with what would be right.
//!
//! None of these may panic, whatever bytes they are.

use std::path::Path;

use myriad::scenario::domain::Loaded;
use myriad::scenario::volunteer::Volunteer;
use myriad::scenario::{Override, ScenarioError, ScenarioText};

/// The folder that relative paths in these scenarios start at.
fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/configs/volunteer"))
}

/// A short scenario that is right.
const RIGHT: &str = "\
domain = \"volunteer\"
name = \"right\"
until = \"1 d\"
hosts = 100

[population]
table = \"../populations/einstein-2016.toml\"

[jobs]
delay_bound = \"7 d\"
min_quorum = 3
target_nresults = 4
";

fn load(text: &str, set: &[&str]) -> Result<Loaded<Volunteer>, ScenarioError> {
    let overrides: Result<Vec<_>, _> = set.iter().map(|set| Override::parse(set)).collect();
    let text = ScenarioText::new("test.toml", text, overrides?)?;
    text.require_domain(&["volunteer"])?;
    Loaded::from_text(&text, folder())
}

/// The error of a scenario that must be refused, in one line with its help and its place.
fn refusal(text: &str, set: &[&str]) -> String {
    match load(text, set) {
        Ok(_) => panic!("this was accepted:\n{text}\n{set:?}"),
        Err(error) => {
            // Drawing it must not panic either.
            let help = error.help_text().unwrap_or("").to_owned();
            let place = error.pointed_at().unwrap_or("").to_owned();
            let line = error.line();
            let words = format!("{error} | {help} | at `{place}` line {line:?}");
            let _ = format!("{:?}", miette::Report::new(error));
            words
        }
    }
}

fn check(text: &str, set: &[&str], fragments: &[&str]) {
    let words = refusal(text, set);
    for fragment in fragments {
        assert!(
            words.contains(fragment),
            "`{fragment}` is missing in: {words}\nof:\n{text}\n{set:?}"
        );
    }
}

/// `RIGHT` with one line replaced.
fn with(line: &str, by: &str) -> String {
    assert!(RIGHT.contains(line));
    RIGHT.replace(line, by)
}

#[test]
fn the_right_one_is_accepted_however_it_is_saved() {
    assert!(load(RIGHT, &[]).is_ok_and(|loaded| loaded.frame.name == "right"));
    assert!(
        load(&format!("\u{feff}{RIGHT}"), &[]).is_ok(),
        "with a byte order mark"
    );
    assert!(
        load(&RIGHT.replace('\n', "\r\n"), &[]).is_ok(),
        "with CRLF line ends"
    );
}

#[test]
fn unknown_keys_name_the_nearest_known_one() {
    check(
        &with("hosts = 100", "hosst = 100"),
        &[],
        &["`hosst`", "`hosts`", "at `hosst` line Some(4)"],
    );
    check(
        &with("delay_bound = ", "delay_bond = "),
        &[],
        &[
            "`jobs.delay_bond`",
            "did you mean `delay_bound`?",
            "at `delay_bond` line Some(10)",
        ],
    );
    check(
        &with(
            "[jobs]",
            "[scheduler.assignment]\nrule = \"random\"\nsped = 1\n[jobs]",
        ),
        &[],
        &["sped"],
    );
    check(
        &with("[jobs]", "[job]"),
        &[],
        &["`job`", "did you mean `jobs`?"],
    );
}

#[test]
fn unknown_names_are_answered_with_the_list() {
    check(
        &with("[jobs]", "[churn]\npattern = \"stedy\"\n[jobs]"),
        &[],
        &[
            "`churn.pattern`",
            "`stedy`",
            "did you mean `steady`?",
            "`none`",
            "at `\"stedy\"`",
        ],
    );
    check(
        &with("\"volunteer\"", "\"volonteer\""),
        &[],
        &["volonteer", "did you mean `volunteer`?"],
    );
    check(
        &with("\"volunteer\"", "\"grid\""),
        &[],
        &["`grid`", "one of `volunteer`", "line Some(1)"],
    );
}

#[test]
fn quantities_are_refused_with_a_right_example() {
    let delay = |value: &str| with("\"7 d\"", value);
    check(
        &delay("\"7 dys\""),
        &[],
        &[
            "`jobs.delay_bound`",
            "7 dys",
            "\"7 d\"",
            "at `\"7 dys\"` line Some(10)",
        ],
    );
    check(&delay("\"7 MB\""), &[], &["`jobs.delay_bound`", "7 MB"]);
    check(&delay("\"-7 d\""), &[], &["`jobs.delay_bound`", "-7 d"]);
    check(&delay("\"nan d\""), &[], &["`jobs.delay_bound`"]);
    check(&delay("\"1e400 d\""), &[], &["`jobs.delay_bound`"]);
    check(
        &delay("\"99999999999999999999 y\""),
        &[],
        &["`jobs.delay_bound`"],
    );
    check(&delay("nan"), &[], &["`jobs.delay_bound`"]);
    check(&delay("7"), &[], &["`jobs.delay_bound`", "at `7`"]);
    check(&delay("true"), &[], &["`jobs.delay_bound`", "at `true`"]);
    check(&delay("[1, 2]"), &[], &["`jobs.delay_bound`"]);
    check(&delay("\"\""), &[], &["`jobs.delay_bound`"]);
}

#[test]
fn whole_numbers_are_whole_and_fit() {
    let hosts = |value: &str| with("hosts = 100", &format!("hosts = {value}"));
    check(&hosts("-1"), &[], &["`hosts`", "at `-1`"]);
    check(&hosts("1.5"), &[], &["`hosts`", "at `1.5`"]);
    check(&hosts("inf"), &[], &["`hosts`"]);
    check(&hosts("99999999999"), &[], &["`hosts`"]);
    check(&hosts("0"), &[], &["`hosts`"]);
    check(
        &hosts(&"9".repeat(400)),
        &[],
        &["overflowed", "line Some(4)"],
    );
    check(&hosts("4000000000"), &[], &["`hosts`"]);
}

#[test]
fn rules_between_keys_point_at_the_key() {
    check(
        &with("min_quorum = 3", "min_quorum = 5"),
        &[],
        &[
            "`jobs.min_quorum` is 5",
            "target_nresults",
            "at `5` line Some(11)",
        ],
    );
    // Both keys are defaults here: the message points at what there is.
    check(
        "[jobs]\ntarget_nresults = 1\n",
        &[],
        &["`jobs.min_quorum`", "line Some(1)"],
    );
    check(
        &with("until = \"1 d\"", "until = \"0 s\""),
        &[],
        &["`until`", "at `\"0 s\"`"],
    );
}

#[test]
fn arguments_are_pointed_at_when_they_are_wrong() {
    check(RIGHT, &["hosst=1"], &["`hosst`", "`hosts`", "at `hosst`"]);
    check(
        RIGHT,
        &["jobs.delay_bond=7d"],
        &["did you mean `delay_bound`?", "at `jobs.delay_bond`"],
    );
    check(RIGHT, &["jobs.delay_bound=7 dys"], &["7 dys", "at `7 dys`"]);
    check(
        RIGHT,
        &["jobs.min_quorum=9"],
        &["`jobs.min_quorum` is 9", "at `9`"],
    );
    check(RIGHT, &["hosts.count=9"], &["`hosts` is not a table"]);
    check(RIGHT, &["hosts"], &["joined by `=`"]);
    check(RIGHT, &["domain=grid"], &["`grid`", "at `grid`"]);
    assert!(load(RIGHT, &["hosts=10", "until=3d", "jobs.delay_bound=\"8 d\""]).is_ok());
}

#[test]
fn a_population_that_cannot_be_used_is_named() {
    let table = |path: &str| with("../populations/einstein-2016.toml", path);
    check(
        &table("no-such-file.toml"),
        &[],
        &["`population.table`", "no-such-file.toml", "line Some(7)"],
    );
    check(&table("."), &[], &["is a folder"]);
    check(&table("einstein-at-home.toml"), &[], &["population file"]);
    check(&table("/dev/zero"), &[], &["larger than"]);
}

#[test]
fn what_is_not_toml_is_refused_at_its_place() {
    check(
        &with("hosts = 100", "hosts = = 100"),
        &[],
        &["line Some(4)", "well-formed"],
    );
    check(
        &with("hosts = 100", "hosts = 100\nhosts = 200"),
        &[],
        &["duplicate key", "line Some(5)"],
    );
    check(&with("[jobs]", "[jobs"), &[], &["well-formed"]);
    check("\u{0}\u{1}\u{2}\u{7f}ELF", &[], &["well-formed"]);
    check("{\"hosts\": 100}", &[], &["well-formed"]);
    check(
        &format!("x = \"{}", "y".repeat(500_000)),
        &[],
        &["well-formed"],
    );
}

#[test]
fn depth_and_size_are_survived() {
    for depth in [10, 100, 10_000, 100_000] {
        refusal(
            &format!("x = {}{}", "[".repeat(depth), "]".repeat(depth)),
            &[],
        );
        refusal(
            &format!("x = {}1{}", "{a=".repeat(depth), "}".repeat(depth)),
            &[],
        );
        refusal(&format!("{}a = 1", "a.".repeat(depth)), &[]);
        refusal(&format!("[{}a]", "a.".repeat(depth)), &[]);
        refusal(RIGHT, &[&format!("{}a=1", "a.".repeat(depth))]);
        refusal(
            RIGHT,
            &[&format!("hosts={}{}", "[".repeat(depth), "]".repeat(depth))],
        );
    }
}

#[test]
fn an_empty_file_is_a_scenario_of_defaults() {
    let loaded = load("", &["population.table=../populations/einstein-2016.toml"]);
    assert!(loaded.is_ok_and(|loaded| loaded.frame.seed == 1));
}

mod whatever_the_bytes {
    use super::*;
    use proptest::prelude::*;

    /// A part of the right scenario cut out and something else put in its place.
    fn spoilt() -> impl Strategy<Value = String> {
        let pieces = prop_oneof![
            any::<String>(),
            "[\\[\\]{}\"'=.,#\n0-9a-z_ -]{0,40}",
            Just("\"7 d\"".to_owned()),
        ];
        (0..RIGHT.len(), 0..20_usize, pieces).prop_map(|(start, length, piece)| {
            let end = (start + length).min(RIGHT.len());
            format!("{}{piece}{}", &RIGHT[..start], &RIGHT[end..])
        })
    }

    proptest! {
        #[test]
        fn no_scenario_makes_the_loader_panic(text in spoilt()) {
            if let Err(error) = load(&text, &[]) {
                prop_assert!(!error.to_string().is_empty());
                let _ = format!("{:?}", miette::Report::new(error));
            }
        }

        #[test]
        fn no_override_makes_the_loader_panic(key in "[a-z_.\\[\\]0-9\"]{0,20}", value in any::<String>()) {
            let argument = format!("{key}={value}");
            if let Err(error) = load(RIGHT, &[&argument]) {
                let _ = format!("{:?}", miette::Report::new(error));
            }
        }
    }
}
