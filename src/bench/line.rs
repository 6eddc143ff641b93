//! One line of the table: a job's measurements in one set of figures.

use serde::Serialize;

use super::job::{Job, Subject};
use super::measurement::Measurement;

/// What the measurements of one job come to. Times are medians.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// Which kind of world.
    pub world: &'static str,
    /// How many actors it has.
    pub actors: u64,
    /// PHOLD: tokens each actor starts with.
    pub events_per_actor: Option<u32>,
    /// PHOLD: the probability that a token goes to an actor chosen among all.
    pub remote: Option<f64>,
    /// PHOLD: the least delay, in seconds.
    pub lookahead_s: Option<f64>,
    /// PHOLD: the mean of the exponential part of the delay, in seconds.
    pub mean_s: Option<f64>,
    /// Volunteer computing: the scenario's file.
    pub scenario: Option<String>,
    /// Volunteer computing: how many hosts, if not as many as the file says.
    pub hosts: Option<u64>,
    /// How long is simulated, in seconds.
    pub until_s: f64,
    /// The seed.
    pub seed: u64,
    /// The pending-event set.
    pub queue: String,
    /// The synchronisation protocol, as asked for.
    pub horizon: String,
    /// Who runs the workers.
    pub runtime: String,
    /// How many threads work.
    pub threads: usize,
    /// Into how many partitions the actors are divided.
    pub partitions: usize,
    /// How often it was measured.
    pub repetitions: usize,
    /// How many events were handled.
    pub events: u64,
    /// In how many windows.
    pub windows: u64,
    /// Events per window, on average.
    pub events_per_window: f64,
    /// Making the actors, in seconds.
    pub build_s: f64,
    /// Starting all actors and running, in seconds.
    pub wall_s: f64,
    /// Time of all processors in the same span, in seconds.
    pub cpu_s: Option<f64>,
    /// Time of all processors for building, too, in seconds.
    pub cpu_with_build_s: Option<f64>,
    /// Events per second on the wall clock.
    pub events_per_s: f64,
    /// The slowest repetition's.
    pub events_per_s_slowest: f64,
    /// The fastest repetition's.
    pub events_per_s_fastest: f64,
    /// Events per second of processor time: on a busy machine steadier than the wall clock.
    pub events_per_cpu_s: Option<f64>,
    /// How many times as fast as one thread with the same queue and horizon (the fastest such line,
    /// if there are several), if there is such a line: the median of the rounds' ratios.
    pub speed_up: Option<f64>,
    /// The speed-up over the number of threads.
    pub efficiency: Option<f64>,
    /// How many times as fast as our own sequential loop over a binary heap, if that was measured.
    pub over_binary_heap: Option<f64>,
    /// The share of the workers' time spent handling events.
    pub computing_share: f64,
    /// The share spent on mail between partitions.
    pub exchanging_share: f64,
    /// The share spent waiting.
    pub waiting_share: f64,
    /// The share of all events that the busiest partition handled.
    pub busiest_partition_share: f64,
    /// A projection, not a measurement: the speed-up that 8 workers could reach at best with these
    /// partitions and windows. Only a line with many partitions says something about many workers.
    pub attainable_8: Option<f64>,
    /// The same for 64 workers.
    pub attainable_64: Option<f64>,
    /// Growth of the process at its peak, in bytes: world, pending events and everything else.
    pub memory_bytes: Option<u64>,
    /// The same per actor.
    pub bytes_per_actor: Option<f64>,
    /// A digest of all events.
    pub digest: String,
}

impl Line {
    /// A job in words, for messages.
    pub fn describe(job: &Job) -> String {
        let plan = &job.plan;
        let partitions = match plan.partitions {
            Some(count) => format!("{count} partitions"),
            None => "partitions as they suit".to_owned(),
        };
        let size = match &job.subject {
            Subject::Phold(parameters) => format!("{} actors", parameters.actors),
            Subject::Volunteer(file) => match file.hosts {
                Some(hosts) => format!("{}, {hosts} hosts", file.file.display()),
                None => file.file.display().to_string(),
            },
        };
        format!(
            "{}, {size}, {}, horizon {}, runtime {}, {} threads, {partitions}",
            job.subject.name(),
            called(&plan.queue),
            called(&plan.horizon),
            called(&plan.runtime),
            plan.threads,
        )
    }

    /// One line for each job. `digests` and `measured` are in the order of `jobs`; each job has been
    /// measured at least once, and all equally often.
    pub fn of_all(jobs: &[Job], digests: &[String], measured: &[&[Measurement]]) -> Vec<Line> {
        let mut lines: Vec<Line> = jobs
            .iter()
            .zip(digests)
            .zip(measured)
            .map(|((job, digest), measured)| Line::alone(job, digest, measured))
            .collect();
        for (number, job) in jobs.iter().enumerate() {
            let against = |other: usize| median_ratio(measured[other], measured[number]);
            let one_thread = jobs.iter().enumerate().filter(|(_, other)| {
                other.same_world(job)
                    && other.plan.threads == 1
                    && other.plan.queue == job.plan.queue
                    && other.plan.horizon == job.plan.horizon
            });
            let fastest = one_thread
                .map(|(other, _)| other)
                .min_by(|&a, &b| lines[a].wall_s.total_cmp(&lines[b].wall_s));
            let textbook = jobs
                .iter()
                .position(|other| other.same_world(job) && other.is_textbook());
            let speed_up = fastest.map(against);
            let over_binary_heap = textbook.map(against);
            let line = &mut lines[number];
            line.efficiency = speed_up.map(|ratio| ratio / line.threads as f64);
            line.speed_up = speed_up;
            line.over_binary_heap = over_binary_heap;
        }
        lines
    }

    /// Everything that does not need other lines.
    fn alone(job: &Job, digest: &str, measured: &[Measurement]) -> Line {
        let (phold, scenario) = match &job.subject {
            Subject::Phold(parameters) => (Some(parameters), None),
            Subject::Volunteer(file) => (None, Some(file)),
        };
        let first = &measured[0];
        let of = |figure: fn(&Measurement) -> f64| median(measured.iter().map(figure));
        let optional = |figure: fn(&Measurement) -> Option<f64>| {
            let figures: Option<Vec<f64>> = measured.iter().map(figure).collect();
            figures.map(|figures| median(figures.into_iter()))
        };
        let memory = optional(|one| one.memory_bytes.map(|bytes| bytes as f64));
        let rates = || measured.iter().map(Measurement::events_per_s);
        Line {
            world: job.subject.name(),
            actors: first.actors,
            events_per_actor: phold.map(|phold| phold.events_per_actor),
            remote: phold.map(|phold| phold.remote),
            lookahead_s: phold.map(|phold| phold.lookahead_s),
            mean_s: phold.map(|phold| phold.mean_s),
            scenario: scenario.map(|scenario| scenario.file.display().to_string()),
            hosts: scenario.and_then(|scenario| scenario.hosts),
            until_s: job.until.as_secs_f64(),
            seed: job.seed,
            queue: called(&job.plan.queue),
            horizon: called(&job.plan.horizon),
            runtime: called(&job.plan.runtime),
            threads: job.plan.threads,
            partitions: first.partitions,
            repetitions: measured.len(),
            events: first.events,
            windows: first.windows,
            events_per_window: first.events as f64 / first.windows.max(1) as f64,
            build_s: of(|one| one.build_s),
            wall_s: of(|one| one.wall_s),
            cpu_s: optional(|one| one.cpu_s),
            cpu_with_build_s: optional(|one| one.cpu_with_build_s),
            events_per_s: of(Measurement::events_per_s),
            events_per_s_slowest: rates().fold(f64::INFINITY, f64::min),
            events_per_s_fastest: rates().fold(0.0, f64::max),
            events_per_cpu_s: optional(Measurement::events_per_cpu_s),
            speed_up: None,
            efficiency: None,
            over_binary_heap: None,
            computing_share: of(|one| one.computing_share),
            exchanging_share: of(|one| one.exchanging_share),
            waiting_share: of(|one| one.waiting_share),
            busiest_partition_share: of(|one| one.busiest_partition_share),
            attainable_8: optional(|one| one.attainable_8),
            attainable_64: optional(|one| one.attainable_64),
            memory_bytes: memory.map(|bytes| bytes as u64),
            bytes_per_actor: memory.map(|bytes| bytes / first.actors.max(1) as f64),
            digest: digest.to_owned(),
        }
    }
}

/// What a choice is called on the command line.
pub fn called(choice: &impl clap::ValueEnum) -> String {
    let name = choice.to_possible_value();
    name.map(|name| name.get_name().to_owned())
        .unwrap_or_default()
}

/// The median: of an even number of figures, the mean of the middle two. Zero of none.
pub fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = figures.collect();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        count if count % 2 == 1 => sorted[count / 2],
        count => f64::midpoint(sorted[count / 2 - 1], sorted[count / 2]),
    }
}

/// How many times as fast `measured` was as `base`, round by round: what slows the machine down in a
/// round slows both.
fn median_ratio(base: &[Measurement], measured: &[Measurement]) -> f64 {
    let rounds = base.iter().zip(measured);
    median(rounds.map(|(base, one)| base.wall_s / one.wall_s.max(1e-9)))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::bench::job::textbook;
    use crate::coordinator::Plan;
    use actors::phold;
    use kernel::SimDuration;

    pub(in crate::bench) fn job(plan: Plan) -> Job {
        Job {
            subject: Subject::Phold(phold::Parameters {
                actors: 1_000,
                events_per_actor: 1,
                remote: 0.5,
                lookahead_s: 0.1,
                mean_s: 1.0,
            }),
            until: SimDuration::from_secs(10),
            seed: 1,
            plan,
            watched: false,
        }
    }

    pub(in crate::bench) fn measurement(wall_s: f64) -> Measurement {
        Measurement {
            actors: 1_000,
            events: 1_000_000,
            windows: 100,
            partitions: 4,
            build_s: 0.01,
            wall_s,
            cpu_s: Some(wall_s),
            cpu_with_build_s: Some(wall_s + 0.01),
            memory_bytes: Some(200_000),
            computing_share: 0.7,
            exchanging_share: 0.1,
            waiting_share: 0.2,
            busiest_partition_share: 0.25,
            attainable_8: Some(4.0),
            attainable_64: Some(4.0),
            digest: None,
        }
    }

    /// Lines as of a suite of one, two and the textbook's thread, with a machine that stalls once.
    pub(in crate::bench) fn sample() -> Vec<Line> {
        let two = Plan {
            threads: 2,
            ..Plan::default()
        };
        let jobs = [job(Plan::default()), job(two), job(textbook())];
        let walls = [[0.2, 0.8, 0.2], [0.1, 0.4, 0.16], [0.6, 2.4, 0.6]];
        let measured = walls.map(|walls| walls.map(measurement));
        let measured: Vec<&[Measurement]> = measured.iter().map(|one| &one[..]).collect();
        Line::of_all(&jobs, &vec!["ab".repeat(16); 3], &measured)
    }

    #[test]
    fn lines_are_compared_round_by_round_with_one_thread_and_with_the_textbook() {
        let lines = sample();
        assert_eq!(lines[0].speed_up, Some(1.0));
        // The ratios are 2, 2 and 1.25, although the middle round was four times as slow.
        assert_eq!(lines[1].speed_up, Some(2.0));
        assert_eq!(lines[1].efficiency, Some(1.0));
        assert_eq!(lines[1].events_per_s, 1e6 / 0.16);
        assert_eq!(lines[1].events_per_s_slowest, 1e6 / 0.4);
        assert!((lines[1].over_binary_heap.unwrap() - 6.0).abs() < 1e-9);
        assert_eq!(lines[2].speed_up, Some(1.0), "of its own queue");
        assert_eq!(lines[0].bytes_per_actor, Some(200.0));
        assert_eq!(lines[0].events_per_window, 10_000.0);
    }

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0].into_iter()), 2.5);
        assert_eq!(median(std::iter::empty()), 0.0);
    }
}
