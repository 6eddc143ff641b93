//! What did one run cost?

use std::time::Instant;

use kernel::{Actor, Fingerprint, Observer, SimTime, World};
use serde::{Deserialize, Serialize};

use super::job::{Job, Subject};
use crate::coordinator::{self, Attainable, EngineLedger};
use crate::report::machine::Usage;
use crate::scenario::domain::Domain;
use crate::scenario::volunteer::Volunteer;

/// The cost of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// How many actors there were.
    pub actors: u64,
    /// How many events were handled.
    pub events: u64,
    /// In how many windows.
    pub windows: u64,
    /// In how many partitions.
    pub partitions: usize,
    /// Making the actors, in seconds: not part of `wall_s`.
    pub build_s: f64,
    /// Dividing the world, starting all actors and running all windows, in seconds.
    pub wall_s: f64,
    /// Time of all processors in the same span, in seconds, if the system tells.
    pub cpu_s: Option<f64>,
    /// Time of all processors for building, too, in seconds, if the system tells.
    pub cpu_with_build_s: Option<f64>,
    /// The most memory held, less what the process held before the world was built, in bytes, if the
    /// system tells. Only a process that measures once can tell.
    pub memory_bytes: Option<u64>,
    /// The share of the workers' time spent on handling events.
    pub computing_share: f64,
    /// The share spent on mail between partitions.
    pub exchanging_share: f64,
    /// The share spent waiting, for others or while the leader ran a small window alone.
    pub waiting_share: f64,
    /// The share of all events that the busiest partition handled.
    pub busiest_partition_share: f64,
    /// The speed-up that 8 workers could reach with these partitions and windows: a projection from
    /// the work of each window ([`Attainable`]).
    pub attainable_8: Option<f64>,
    /// The same for 64 workers.
    pub attainable_64: Option<f64>,
    /// A digest of all events, if the run was watched.
    pub digest: Option<String>,
}

impl Measurement {
    /// Does a job, once, in this process.
    ///
    /// # Errors
    /// If the world cannot be built or its run fails, in words.
    pub fn of(job: &Job) -> Result<Self, String> {
        match &job.subject {
            Subject::Phold(parameters) => {
                if let Some(problem) = parameters.problem() {
                    return Err(problem);
                }
                measure(job, || parameters.build(job.seed), ())
            }
            Subject::Volunteer(file) => {
                let loaded = file.load(job.seed).map_err(|error| error.to_string())?;
                let (scenario, inputs) = (&loaded.scenario, &loaded.inputs);
                // Whoever runs a scenario wants its results: gathering them is part of the work.
                let metrics = Volunteer::metrics(scenario);
                measure(job, || Volunteer::build(scenario, inputs), metrics)
            }
        }
    }

    /// Events handled per second on the wall clock.
    pub fn events_per_s(&self) -> f64 {
        // A run shorter than the clock can tell must not divide by zero.
        self.events as f64 / self.wall_s.max(1e-9)
    }

    /// Events handled per second of processor time, if the system tells.
    pub fn events_per_cpu_s(&self) -> Option<f64> {
        let cpu_s = self.cpu_s.filter(|cpu_s| *cpu_s > 0.0)?;
        Some(self.events as f64 / cpu_s)
    }
}

fn measure<A: Actor, O: Observer<A>>(
    job: &Job,
    build: impl FnOnce() -> World<A>,
    observer: O,
) -> Result<Measurement, String> {
    let before = Usage::now();
    let began = Instant::now();
    let world = build();
    let build_s = began.elapsed().as_secs_f64();
    let actors = world.len() as u64;
    let built = Usage::now();
    let end = SimTime::START + job.until;
    let (engine, digest) = if job.watched {
        let watchers = (observer, Fingerprint::default());
        let outcome = coordinator::run(world, &job.plan, end, watchers, &());
        let outcome = outcome.map_err(|error| error.to_string())?;
        let digest = outcome.observer.1.to_string();
        (outcome.engine, Some(digest))
    } else {
        let outcome = coordinator::run(world, &job.plan, end, observer, &());
        (outcome.map_err(|error| error.to_string())?.engine, None)
    };
    let after = Usage::now();
    let peak = after.peak_rss_bytes.zip(before.peak_rss_bytes);
    let [computing_share, exchanging_share, waiting_share] = shares(&engine);
    Ok(Measurement {
        actors,
        events: engine.events,
        windows: engine.windows,
        partitions: engine.partitions,
        build_s,
        wall_s: engine.wall_s,
        cpu_s: after.since(built).cpu_s,
        cpu_with_build_s: after.since(before).cpu_s,
        memory_bytes: peak.map(|(after, before)| after.saturating_sub(before)),
        computing_share,
        exchanging_share,
        waiting_share,
        busiest_partition_share: busiest_share(&engine),
        attainable_8: attainable(&engine.attainable, 8),
        attainable_64: attainable(&engine.attainable, 64),
        digest,
    })
}

/// How the time of all workers was spent: computing, exchanging, and the rest.
fn shares(engine: &EngineLedger) -> [f64; 3] {
    if engine.workers.is_empty() {
        // The oracle keeps no books: it does nothing but handle events.
        return [1.0, 0.0, 0.0];
    }
    let all = engine.wall_s * engine.workers.len() as f64;
    let computing: f64 = engine.workers.iter().map(|worker| worker.computing_s).sum();
    let exchanging: f64 = engine
        .workers
        .iter()
        .map(|worker| worker.exchanging_s)
        .sum();
    let (computing, exchanging) = (computing / all, exchanging / all);
    [
        computing,
        exchanging,
        (1.0 - computing - exchanging).max(0.0),
    ]
}

fn attainable(projections: &[Attainable], workers: u32) -> Option<f64> {
    let projection = projections.iter().find(|one| one.workers == workers);
    projection.map(|one| one.speed_up)
}

fn busiest_share(engine: &EngineLedger) -> f64 {
    match engine.events_by_partition.iter().max() {
        Some(&most) if engine.events > 0 => most as f64 / engine.events as f64,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::job::{ScenarioFile, textbook};
    use crate::coordinator::{Plan, WorkerLedger};
    use actors::phold;
    use kernel::SimDuration;

    fn job(plan: Plan, watched: bool) -> Job {
        Job {
            subject: Subject::Phold(phold::Parameters {
                actors: 100,
                events_per_actor: 3,
                remote: 0.5,
                lookahead_s: 0.1,
                mean_s: 0.9,
            }),
            until: SimDuration::from_secs(50),
            seed: 5,
            plan,
            watched,
        }
    }

    #[test]
    fn as_many_events_are_counted_as_renewal_theory_expects() {
        let measured = Measurement::of(&job(Plan::default(), false)).unwrap();
        // 300 independent renewals of mean 1 s and variance 0.81 s^2: over a time t each has handled
        // t/m + (v - m^2)/(2 m^2) on average, with a variance of t v / m^3.
        let expected = 300.0 * (50.0 + (0.81 - 1.0) / 2.0);
        let deviation = (300.0_f64 * 50.0 * 0.81).sqrt();
        let off = (measured.events as f64 - expected).abs() / deviation;
        assert!(off < 4.0, "{} events, {expected} expected", measured.events);
        assert_eq!(measured.actors, 100);
        assert_eq!(measured.digest, None);
        assert!(measured.wall_s > 0.0 && measured.build_s > 0.0);
    }

    #[test]
    fn a_scenario_is_measured_with_as_many_hosts_as_asked_for() {
        let small = Job {
            subject: Subject::Volunteer(ScenarioFile {
                file: concat!(env!("CARGO_MANIFEST_DIR"), "/configs/volunteer/small.toml").into(),
                hosts: Some(30),
                until: Some("1 d".to_owned()),
                set: Vec::new(),
            }),
            until: SimDuration::from_days(1),
            ..job(Plan::default(), false)
        };
        let measured = Measurement::of(&small).unwrap();
        assert!(
            (30..200).contains(&measured.actors),
            "{} actors",
            measured.actors
        );
        assert!(measured.events > 100, "{} events", measured.events);
    }

    #[test]
    fn digests_are_equal_where_worlds_are() {
        let digest = |plan, seed| {
            let job = Job {
                seed,
                ..job(plan, true)
            };
            Measurement::of(&job).unwrap().digest.unwrap()
        };
        let two = Plan {
            threads: 2,
            ..Plan::default()
        };
        assert_eq!(digest(two.clone(), 5), digest(textbook(), 5));
        assert_ne!(digest(two.clone(), 5), digest(two, 6));
    }

    #[test]
    fn time_that_is_in_nobodys_books_was_spent_waiting() {
        let worker = |computing_s, exchanging_s| WorkerLedger {
            computing_s,
            exchanging_s,
            ..WorkerLedger::default()
        };
        let engine = EngineLedger {
            wall_s: 2.0,
            workers: vec![worker(2.0, 0.0), worker(0.5, 0.5)],
            ..EngineLedger::default()
        };
        assert_eq!(shares(&engine), [0.625, 0.125, 0.25]);
    }

    #[test]
    fn an_impossible_world_is_refused_in_words() {
        let mut job = job(Plan::default(), false);
        if let Subject::Phold(parameters) = &mut job.subject {
            parameters.remote = 1.5;
        }
        assert!(Measurement::of(&job).unwrap_err().contains("probability"));
    }
}
