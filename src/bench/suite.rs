//! Every job in turn, again and again, and whether all found the same.

use super::job::Job;
use super::line::Line;
use super::measurement::Measurement;

/// What is to be measured, and how often.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The jobs, in the order of the table.
    pub jobs: Vec<Job>,
    /// How often each is measured, the warm-up not counted; at least once.
    pub repetitions: u32,
}

/// Where a suite is.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The round: 0 is the warm-up.
    pub round: u32,
    /// The number of the job.
    pub number: usize,
    /// The job.
    pub job: &'a Job,
}

/// What a suite found.
#[derive(Clone, Debug)]
pub struct Findings {
    /// One line per job.
    pub lines: Vec<Line>,
    /// Which lines found something else than they should have, in words. Any makes the suite void.
    pub disagreements: Vec<String>,
}

impl Suite {
    /// Measures everything: all jobs in turn, round after round. `measure` does one job once;
    /// `announce` is told before each.
    ///
    /// # Errors
    /// The first error of `measure`, with the job that met it.
    pub fn run(
        &self,
        mut measure: impl FnMut(&Job) -> Result<Measurement, String>,
        mut announce: impl FnMut(Step<'_>),
    ) -> Result<Findings, String> {
        let rounds = self.repetitions.max(1);
        let mut digests = Vec::new();
        let mut measured: Vec<Vec<Measurement>> = vec![Vec::new(); self.jobs.len()];
        for round in 0..=rounds {
            for (number, job) in self.jobs.iter().enumerate() {
                announce(Step { round, number, job });
                // The warm-up is watched, the others are not, so that watching costs them nothing.
                let job = Job {
                    watched: round == 0,
                    ..job.clone()
                };
                let found =
                    measure(&job).map_err(|error| format!("{}: {error}", Line::describe(&job)))?;
                if round == 0 {
                    digests.push(found.digest.clone().unwrap_or_default());
                    // Its events are compared with the others', its times are not used.
                }
                measured[number].push(found);
            }
        }
        let disagreements = disagreements(&self.jobs, &digests, &measured);
        let timed: Vec<&[Measurement]> = measured.iter().map(|all| &all[1..]).collect();
        Ok(Findings {
            lines: Line::of_all(&self.jobs, &digests, &timed),
            disagreements,
        })
    }
}

/// Compares every job with the first of the same world.
fn disagreements(jobs: &[Job], digests: &[String], measured: &[Vec<Measurement>]) -> Vec<String> {
    let mut found = Vec::new();
    for (number, job) in jobs.iter().enumerate() {
        let first = jobs
            .iter()
            .position(|other| other.same_world(job))
            .expect("a job is of the same world as itself");
        if digests[number] != digests[first] {
            found.push(format!(
                "{} has the digest {}, but {} has {}",
                Line::describe(job),
                digests[number],
                Line::describe(&jobs[first]),
                digests[first],
            ));
        }
        let events = measured[first][0].events;
        if let Some(other) = measured[number].iter().find(|other| other.events != events) {
            found.push(format!(
                "{} handled {} events, but {} handled {events}",
                Line::describe(job),
                other.events,
                Line::describe(&jobs[first]),
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::job::{Subject, textbook};
    use crate::coordinator::Plan;
    use actors::phold;
    use kernel::SimDuration;

    fn suite() -> Suite {
        let job = |plan| Job {
            subject: Subject::Phold(phold::Parameters {
                actors: 50,
                events_per_actor: 1,
                remote: 0.5,
                lookahead_s: 0.1,
                mean_s: 1.0,
            }),
            until: SimDuration::from_secs(20),
            seed: 1,
            plan,
            watched: false,
        };
        let two = Plan {
            threads: 2,
            ..Plan::default()
        };
        Suite {
            jobs: vec![job(Plan::default()), job(two), job(textbook())],
            repetitions: 2,
        }
    }

    #[test]
    fn jobs_take_turns_and_only_the_first_round_is_watched() {
        let mut order = Vec::new();
        let findings = suite().run(
            |job| {
                order.push((job.plan.threads, job.watched));
                Measurement::of(job)
            },
            |_| (),
        );
        let findings = findings.unwrap();
        let round = |watched| [(1, watched), (2, watched), (1, watched)];
        assert_eq!(order, [round(true), round(false), round(false)].concat());
        assert_eq!(findings.lines.len(), 3);
        assert_eq!(findings.disagreements, Vec::<String>::new());
        assert_eq!(findings.lines[0].digest, findings.lines[2].digest);
        assert_eq!(findings.lines[0].digest.len(), 32);
    }

    #[test]
    fn a_line_that_finds_something_else_is_named() {
        let findings = suite().run(
            |job| {
                let wrong = job.plan.threads == 2;
                let seed = if wrong { 2 } else { 1 };
                Measurement::of(&Job {
                    seed,
                    ..job.clone()
                })
            },
            |_| (),
        );
        let disagreements = findings.unwrap().disagreements;
        assert!(!disagreements.is_empty());
        for sentence in disagreements {
            assert!(sentence.contains("2 threads"), "{sentence}");
        }
    }

    #[test]
    fn an_error_says_which_job_met_it() {
        let error = suite().run(|_| Err("no memory".to_owned()), |_| ());
        let error = error.unwrap_err();
        assert!(
            error.contains("phold, 50 actors") && error.contains("no memory"),
            "{error}"
        );
    }
}
