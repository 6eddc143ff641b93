use kernel::ActorId;

use super::*;

fn read(text: &str) -> Filter {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refused(text: &str) -> String {
    text.parse::<Filter>().unwrap_err().to_string()
}

fn seconds(seconds: u64) -> SimTime {
    SimTime::from_nanos(seconds * 1_000_000_000)
}

fn world() -> (Vec<(String, Range<u32>)>, Vec<String>) {
    let groups = [
        ("scheduler", 0..2),
        ("download server", 2..3),
        ("host", 3..103),
    ];
    let kinds = ["request", "reply", "file_wanted"];
    (
        groups
            .map(|(name, members)| (name.to_owned(), members))
            .to_vec(),
        kinds.map(str::to_owned).to_vec(),
    )
}

fn resolve(text: &str) -> Result<Selection, FilterError> {
    let (groups, kinds) = world();
    read(text).resolve(Names {
        groups: &groups,
        kinds: &kinds,
    })
}

fn wants(selection: &Selection, from: u32, to: u32) -> bool {
    selection.wants(seconds(1), seconds(2), ActorId(from), ActorId(to))
}

#[test]
fn a_filter_reads_back_as_it_was_written() {
    for text in [
        "all",
        "time=2d..3d; actors=host[0..20],scheduler; kinds=request,reply",
        "time=..12h,5d..; with=download server[0]; jobs=17,20..30",
        "fates=in_flight; text=No Work",
    ] {
        let filter = read(text);
        assert_eq!(read(&filter.to_string()), filter, "{text} became {filter}");
    }
}

#[test]
fn mistakes_are_named_with_what_would_be_right() {
    for (text, what, help) in [
        ("", "says nothing", "`all`"),
        ("host[3]", "no condition", "time=2d..3d"),
        (
            "tim=2d..3d",
            "no condition called `tim`",
            "did you mean `time`?",
        ),
        ("time=2d", "no interval of time", "2d..3d"),
        ("time=3d..2d", "ends before it begins", "2d..3d"),
        ("time=2..3", "no interval of time", "2d..3d"),
        ("actors=host[3", "a `]` is missing", "host[7]"),
        ("actors=host[x]", "names no actors", "host[7]"),
        ("actors=host[5..5]", "names no actors", "host[7]"),
        ("actors=host[4294967295]", "names no actors", "host[7]"),
        ("actors=,", "names no actors", "host[7]"),
        ("jobs=a", "names no jobs", "20..30"),
        ("fates=lost", "no fate called `lost`", "delivered"),
        ("kinds=", "lists nothing", "leave the condition out"),
        ("jobs=1; jobs=2", "stands twice", "commas"),
    ] {
        let error = refused(text);
        assert!(error.contains(what), "{text}: {error}");
        assert!(error.contains(help), "{text}: {error}");
    }
}

#[test]
fn names_of_nobody_are_found_out_in_their_world() {
    for (text, what, help) in [
        (
            "actors=hots",
            "no actors called `hots`",
            "did you mean `host`?",
        ),
        ("with=host[100]", "no host[100]", "from 0 to 99"),
        ("kinds=requst", "kind `requst`", "did you mean `request`?"),
    ] {
        let error = resolve(text).unwrap_err().to_string();
        assert!(error.contains(what), "{text}: {error}");
        assert!(error.contains(help), "{text}: {error}");
    }
}

#[test]
fn actors_means_both_ends_and_with_means_one() {
    let both = resolve("actors=host[0..20],scheduler").unwrap();
    assert!(wants(&both, 3, 0) && wants(&both, 0, 22) && wants(&both, 3, 3));
    assert!(!wants(&both, 3, 2), "the download server is not listed");
    assert!(!wants(&both, 23, 0), "host[20] is not listed");
    let one = resolve("with=host[3]").unwrap();
    assert!(wants(&one, 6, 2) && wants(&one, 0, 6) && !wants(&one, 0, 7));
    assert!(one.watches(ActorId(6)) && !one.watches(ActorId(7)));
    // Names with spaces may be written with anything between their words.
    for name in ["download server", "download_server", "Download-Server"] {
        assert!(
            wants(&resolve(&format!("with={name}")).unwrap(), 2, 50),
            "{name}"
        );
    }
}

#[test]
fn a_message_is_wanted_if_it_is_sent_or_received_in_time() {
    let selection = resolve("time=10s..20s").unwrap();
    let wanted =
        |sent, received| selection.wants(seconds(sent), seconds(received), ActorId(0), ActorId(3));
    assert!(wanted(10, 30) && wanted(5, 10) && wanted(12, 13));
    assert!(!wanted(5, 30), "it only flies over");
    assert!(!wanted(5, 9) && !wanted(20, 21), "the end is not in it");
    assert_eq!(selection.span(), seconds(10)..seconds(20));
}

#[test]
fn what_only_a_finished_trace_knows_cannot_decide_what_is_recorded() {
    for text in ["fates=gone", "text=no work"] {
        let error = read(text).check_for_recording().unwrap_err().to_string();
        assert!(error.contains("myriad trace"), "{error}");
    }
    assert_eq!(read("time=..1d").check_for_recording(), Ok(()));
}
