use kernel::{SimDuration, SimTime};
use smallvec::smallvec;

use super::*;
use crate::volunteer::job::{Outcome, Output, Validity};
use crate::volunteer::messages::{Judgement, Reply, Verdict};

fn narrator() -> VolunteerNarrator {
    VolunteerNarrator::new(&Scenario::default())
}

fn words(message: impl Into<Message>) -> String {
    let mut words = String::new();
    narrator().tell(&message.into(), &mut words);
    words
}

const fn instance(job: u32, number: u8) -> InstanceId {
    InstanceId {
        job: JobId(job),
        number,
    }
}

#[test]
fn kinds_have_names_of_their_own() {
    let mut names: Vec<_> = KINDS.iter().map(|kind| kind.name).collect();
    assert!(names.iter().all(|name| {
        let mut letters = name.chars();
        letters.all(|letter| letter.is_ascii_lowercase() || letter == '_')
    }));
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), KINDS.len());
    assert_eq!(KINDS[What::OutputStored as usize].name, "output_stored");
}

#[test]
fn a_reply_concerns_the_instances_it_brings() {
    let reply = Reply {
        record: Some(3),
        show_yourself: false,
        instances: smallvec![instance(151, 0), instance(152, 2)],
        deadline: SimTime::START + SimDuration::from_days(7),
        files_to_delete: smallvec![FileId(0)],
        request_delay: SimDuration::from_secs(61),
    };
    let message = Message::from(ToHost::Replied(Box::new(reply)));
    let description = narrator().describe(&message);
    assert_eq!(KINDS[usize::from(description.kind)].name, "reply");
    assert_eq!(description.job, None, "it concerns two");
    assert!(description.concerns_job(151) && description.concerns_job(152));
    assert_eq!(
        words(message),
        "sends 151_0, 152_2, to be reported by 7 d; no request for 1 min 1 s; does not need input \
         files 0"
    );
}

#[test]
fn what_names_one_job_concerns_its_file_too() {
    let message = Message::from(ToTransitioner::InstanceReported {
        instance: instance(151, 1),
        outcome: Outcome::Success,
        output: Output::wrong(12),
    });
    let description = narrator().describe(&message);
    // The default has 150 jobs in a file.
    assert_eq!((description.job, description.file), (Some(151), Some(1)));
    assert_eq!(
        words(message),
        "has heard the report of 151_1: success (wrong: 28)"
    );
}

#[test]
fn only_what_carries_a_file_has_a_size() {
    let arrived = Message::from(ToHost::FileArrived { file: FileId(4) });
    let stored = Message::from(ToHost::OutputStored {
        instance: instance(600, 0),
    });
    assert_eq!(narrator().describe(&arrived).bytes, Some(14_000_000));
    assert_eq!(narrator().describe(&stored).bytes, None);
}

#[test]
fn a_verdict_is_told_result_by_result() {
    let verdict = Verdict {
        job: JobId(7),
        canonical: Some(2),
        retry: false,
        judged: smallvec![
            (0, Judgement::Found(Validity::Invalid)),
            (2, Judgement::Found(Validity::Valid)),
            (3, Judgement::Unreadable),
        ],
    };
    assert_eq!(
        words(ToTransitioner::Validated(Box::new(verdict))),
        "makes 7_2 canonical: 7_0 invalid, 7_2 valid, 7_3 unreadable"
    );
}

#[test]
fn what_a_host_does_follows_from_what_is_seen() {
    let narrator = narrator();
    let mut activity = Activity::default();
    assert_eq!(narrator.doing(&activity), None);
    let mut sees = |seen: Seen<'_, VolunteerActor>| {
        narrator.watch(&mut activity, seen);
        let doing = narrator.doing(&activity)?;
        Some(narrator.activities()[usize::from(doing)])
    };
    let joined = Fact::HostJoined {
        on: true,
        mflop_per_s: 1,
        cores: 2,
        connect_interval: SimDuration::ZERO,
    };
    assert_eq!(sees(Seen::Noted(&joined)), Some("idle"));
    let wanted = Message::from(ToDownloadServer::FileWanted {
        host: Address::new(ActorId(20)),
        file: FileId(1),
        line_kb_per_s: 1,
        way_back_us: 1,
    });
    assert_eq!(sees(Seen::Sent(&wanted)), Some("downloading"));
    assert_eq!(sees(Seen::Noted(&Fact::HostSwitchedOff)), Some("off"));
    assert_eq!(
        sees(Seen::Noted(&Fact::HostSwitchedOn)),
        Some("downloading")
    );
    let arrived = Message::from(ToHost::FileArrived { file: FileId(1) });
    assert_eq!(sees(Seen::Handled(&arrived)), Some("idle"));
    assert_eq!(
        sees(Seen::Noted(&Fact::ComputationBegun)),
        Some("computing")
    );
    assert_eq!(
        sees(Seen::Noted(&Fact::ComputationBegun)),
        Some("computing")
    );
    let ended = Fact::ComputationEnded {
        computed: SimDuration::from_secs(1),
        mflop_per_s: 1,
        outcome: Outcome::Success,
    };
    assert_eq!(
        sees(Seen::Noted(&ended)),
        Some("computing"),
        "one still does"
    );
    assert_eq!(sees(Seen::Noted(&Fact::HostSwitchedOff)), Some("off"));
    assert_eq!(sees(Seen::Noted(&Fact::HostSwitchedOn)), Some("idle"));
    let sent = Message::from(ToUploadServer::OutputSent {
        host: Address::new(ActorId(20)),
        instance: instance(1, 0),
        line_kb_per_s: 1,
        way_back_us: 1,
    });
    assert_eq!(sees(Seen::Sent(&sent)), Some("waiting"));
    let stored = Message::from(ToHost::OutputStored {
        instance: instance(1, 0),
    });
    assert_eq!(sees(Seen::Handled(&stored)), Some("idle"));
    let left = Fact::HostLeft {
        on: true,
        instances: 0,
    };
    assert_eq!(sees(Seen::Noted(&left)), None);
}
