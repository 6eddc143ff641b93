//! Cases from the field that need a host of flesh and blood: downloads that do not get through, and a
//! clock that jumps.

use std::collections::BTreeMap;
use std::sync::Arc;

use kernel::{ActorId, Purpose, RandomStream, Rehearsal, SimDuration, SimTime};

use super::{inputs, run, scalar};
use crate::shared::availability::{Availability, Switching};
use crate::shared::quantity::{Duration, Flop, Fraction};
use crate::volunteer::VolunteerActor;
use crate::volunteer::host::Host;
use crate::volunteer::job::{FileId, InstanceId, JobId, Outcome};
use crate::volunteer::messages::{Message, Reply, Request, ToDownloadServer, ToHost};
use crate::volunteer::messages::{ToScheduler, ToUploadServer};
use crate::volunteer::population;
use crate::volunteer::project::Project;
use crate::volunteer::scenario::{Pattern, Scenario};

const MINUTE: SimDuration = SimDuration::from_secs(60);
const HOUR: SimDuration = SimDuration::from_hours(1);

/// A host on its own, with servers that do as the test says. Every job has a file of its own.
struct World {
    stage: Rehearsal<VolunteerActor>,
    scenario: Scenario,
    /// What is on its way, in order.
    due: BTreeMap<(SimTime, u64), Message>,
    sent: u64,
    now: SimTime,
    unreachable: Option<FileId>,
    /// How many instances the scheduler still gives out, and how long a wait it asks for.
    instances: u32,
    request_delay: SimDuration,
    requests: Vec<(SimTime, Request)>,
    tries: Vec<(SimTime, FileId)>,
}

impl World {
    fn new(change: impl Fn(&mut Scenario)) -> Self {
        let mut scenario = Scenario {
            hosts: 1,
            until: Duration::new(SimDuration::from_days(200)),
            availability: Availability::always(),
            ..Scenario::default()
        };
        scenario.churn.pattern = Pattern::None;
        scenario.jobs.jobs_per_file = 1;
        scenario.jobs.flops = Flop::new(2e13);
        scenario.errors.a_perfect = Fraction::ONE;
        scenario.errors.b_erring = Fraction::ZERO;
        scenario.errors.d_few_contacts = Fraction::ZERO;
        scenario.errors.d_many_contacts = Fraction::ZERO;
        scenario.errors.f_one_contact = Fraction::ZERO;
        change(&mut scenario);
        scenario.validate().expect("a scenario that makes sense");
        let project = Arc::new(Project::new(&scenario, 4e9));
        let first = project.first_host();
        let participants = population::participants(&scenario, &inputs().table, first);
        let participant = participants.into_iter().next().expect("one host");
        let id = ActorId(first);
        let random = RandomStream::new(1, id, Purpose(99));
        let switching = Switching::begin(&scenario.availability, random);
        let host = Host::new(
            project,
            participant.traits,
            switching,
            participant.joins_at,
            participant.leaves_at,
        );
        let promises = scenario.build(&inputs()).promises().clone();
        let mut world = World {
            stage: Rehearsal::new(VolunteerActor::from(host), id, 1, promises),
            scenario,
            due: BTreeMap::new(),
            sent: 0,
            now: SimTime::START,
            unreachable: None,
            instances: 0,
            request_delay: MINUTE * 2,
            requests: Vec::new(),
            tries: Vec::new(),
        };
        let said = world.stage.start();
        world.take(said.letters);
        world
    }

    fn at(&mut self, time: SimTime, message: ToHost) {
        self.sent += 1;
        self.due.insert((time, self.sent), message.into());
    }

    fn run_until(&mut self, end: SimTime) {
        while let Some(entry) = self.due.first_entry()
            && entry.key().0 <= end
        {
            let ((time, _), message) = entry.remove_entry();
            self.now = time;
            let said = self.stage.tell(time, message);
            self.take(said.letters);
        }
        self.now = end;
    }

    fn take(&mut self, letters: Vec<kernel::Envelope<Message>>) {
        for letter in letters {
            let time = letter.key.time;
            match letter.message {
                Message::ToHost(message) => self.at(time, message),
                Message::ToScheduler(ToScheduler::Requested(request)) => {
                    self.answer(time, *request);
                }
                Message::ToDownloadServer(ToDownloadServer::FileWanted { file, .. }) => {
                    self.tries.push((time, file));
                    if self.unreachable == Some(file) {
                        self.at(time + MINUTE * 5, ToHost::DownloadFailed { file });
                    } else {
                        self.at(time + MINUTE, ToHost::FileArrived { file });
                    }
                }
                Message::ToUploadServer(ToUploadServer::OutputSent { instance, .. }) => {
                    self.at(time + MINUTE, ToHost::OutputStored { instance });
                }
                other => panic!("a host says nothing like {other:?}"),
            }
        }
    }

    fn answer(&mut self, time: SimTime, request: Request) {
        let wants = request.idle_cores > 0 || request.work_wanted > SimDuration::ZERO;
        let count = if wants {
            std::mem::take(&mut self.instances)
        } else {
            0
        };
        let reply = Reply {
            record: Some(0),
            show_yourself: false,
            instances: (0..count)
                .map(|job| InstanceId {
                    job: JobId(job),
                    number: 0,
                })
                .collect(),
            deadline: time + SimDuration::from_days(150),
            files_to_delete: Default::default(),
            request_delay: self.request_delay,
        };
        self.requests.push((time, request));
        let back = time + SimDuration::from_millis(50);
        self.at(back, ToHost::Replied(Box::new(reply)));
    }

    fn wants_work(request: &Request) -> bool {
        request.idle_cores > 0 || request.work_wanted > SimDuration::ZERO
    }
}

#[test]
fn a_stalled_download_stops_work_fetch_but_not_computing() {
    // Field case 12 (BOINC issue 3193): one of ten files is out of reach.
    let mut world = World::new(|_| {});
    let bad = FileId(3);
    world.unreachable = Some(bad);
    world.instances = 10;
    let days = |days| SimTime::START + SimDuration::from_days(days);
    world.run_until(days(20));
    let reports = |world: &World| -> Vec<(FileId, Outcome)> {
        let all = world.requests.iter().flat_map(|(_, r)| r.reports.iter());
        all.map(|report| (FileId(report.instance.job.0), report.outcome))
            .collect()
    };
    // Everything else is fetched, computed and reported.
    let good = reports(&world);
    assert_eq!(good.len(), 9, "{good:?}");
    assert!(
        good.iter()
            .all(|&(file, outcome)| file != bad && outcome == Outcome::Success)
    );
    // From the first failure on, no request wants work.
    let tries_of_bad: Vec<SimTime> = world
        .tries
        .iter()
        .filter(|(_, file)| *file == bad)
        .map(|(time, _)| *time)
        .collect();
    let stalled_at = tries_of_bad[0] + MINUTE * 5;
    let later = |&&(time, _): &&(SimTime, Request)| time > stalled_at;
    assert!(world.requests.iter().filter(later).count() > 0);
    let wanting = world.requests.iter().filter(later);
    assert_eq!(wanting.filter(|(_, r)| World::wants_work(r)).count(), 0);
    // It is tried again after 120 s x 2^n x U(0.5, 1), at most 6 h x U(0.5, 1).
    for (n, pair) in tries_of_bad.windows(2).enumerate() {
        let wait = (pair[1] - pair[0]).saturating_sub(MINUTE * 5);
        let most = (MINUTE * 2 * (1 << n.min(20))).min(HOUR * 6);
        assert!(
            wait >= most / 2 && wait <= most + SimDuration::from_secs(1),
            "after failure {}: {wait}, at most {most}",
            n + 1
        );
    }
    // After 90 days it is given up, reported as an error, and work is fetched again.
    world.run_until(days(89));
    assert_eq!(reports(&world).len(), 9);
    world.run_until(days(92));
    assert_eq!(reports(&world)[9..], [(bad, Outcome::ClientError)]);
    let last = &world.requests.last().expect("requests").1;
    assert!(World::wants_work(last));
}

#[test]
fn after_three_failures_all_downloads_of_the_project_wait() {
    let mut world = World::new(|_| {});
    world.unreachable = Some(FileId(0));
    world.instances = 1;
    world.run_until(SimTime::START + HOUR * 4);
    let failures = world.tries.len();
    assert!(failures >= 4, "{failures}");
    // Work that comes now, as if it had been asked for, must wait for the next try.
    let instance = InstanceId {
        job: JobId(7),
        number: 0,
    };
    let reply = Reply {
        record: Some(0),
        show_yourself: false,
        instances: [instance].into_iter().collect(),
        deadline: SimTime::START + SimDuration::from_days(150),
        files_to_delete: Default::default(),
        request_delay: MINUTE * 2,
    };
    // In the middle of a wait: after the answer to the last try.
    let last = world.tries.last().expect("tries").0;
    world.unreachable = None;
    let at = last + MINUTE * 6;
    world.run_until(at);
    let before = world.tries.len();
    world.at(at, ToHost::Replied(Box::new(reply)));
    world.run_until(at + MINUTE);
    assert_eq!(world.tries.len(), before, "nothing is tried");
    world.run_until(at + HOUR * 6);
    let files: Vec<FileId> = world.tries[before..].iter().map(|t| t.1).collect();
    assert!(
        files.contains(&FileId(7)) && files.contains(&FileId(0)),
        "{files:?}"
    );
}

#[test]
fn a_clock_that_is_set_back_takes_all_waiting_with_it() {
    // Field case 5 (BOINC issue 566): 30 days ahead, a long wait is asked for, and the clock is set
    // right: the host is heard of again within minutes.
    let contacts_after = |by: SimDuration| {
        let mut world = World::new(|scenario| {
            scenario.errors.clock_jumps.hosts = Fraction::new(1e-12).expect("a fraction");
            scenario.errors.clock_jumps.by = Duration::new(by);
            scenario.errors.clock_jumps.lasts = Duration::new(HOUR * 3);
        });
        world.request_delay = SimDuration::from_days(2);
        let begin = SimTime::START + HOUR * 5;
        world.run_until(begin);
        // There has been a request by now, and another is not allowed for two days.
        assert_eq!(world.requests.len(), 1);
        world.at(begin, ToHost::ClockSet { ahead: true });
        world.run_until(begin + MINUTE * 179);
        let while_ahead = world.requests.len() - 1;
        let before = world.requests.len();
        world.run_until(begin + HOUR * 3 + MINUTE * 5);
        (while_ahead, world.requests.len() - before, world)
    };
    let (while_ahead, soon, world) = contacts_after(SimDuration::from_days(30));
    assert_eq!(while_ahead, 1, "by that clock, two days are over");
    assert_eq!(
        soon, 1,
        "and now the two days it was asked to wait are forgotten"
    );
    assert!(world.scenario.errors.clock_jumps.by.span() > HOUR);
    // A clock that is corrected by less than a minute has not jumped: nothing is forgotten.
    let (while_ahead, soon, _) = contacts_after(SimDuration::from_secs(50));
    assert_eq!((while_ahead, soon), (0, 0));
}

#[test]
fn unreachable_files_and_jumping_clocks_in_a_whole_run() {
    let mut scenario = Scenario {
        hosts: 80,
        until: Duration::new(SimDuration::from_days(12)),
        ..Scenario::default()
    };
    scenario.jobs.flops = Flop::new(4e13);
    scenario.jobs.jobs_per_file = 8;
    scenario.client.transfer_gives_up = Duration::new(SimDuration::from_days(1));
    let usual = scalar(&run(&scenario), "jobs_valid");
    scenario.servers.unreachable_files = Fraction::new(0.1).expect("a fraction");
    scenario.errors.clock_jumps.hosts = Fraction::new(0.3).expect("a fraction");
    let results = run(&scenario);
    let jobs = scalar(&results, "jobs_valid");
    assert!(jobs > 0.4 * usual && jobs < usual, "{jobs} of {usual}");
}
