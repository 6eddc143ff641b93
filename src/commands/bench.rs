//! `myriad bench`: how fast is it, and does it find the same on every plan?
//!
//! Each measurement is made by a child process: this program with the hidden verb `bench-one`, which
//! takes a job as JSON and prints its measurement as JSON.

use std::io::{IsTerminal, Write};
use std::process::{Command, Stdio};

use actors::phold;
use kernel::SimDuration;

use super::{Failure, run::print};
use crate::bench::job::{ScenarioFile, phold_time};
use crate::bench::{Findings, Job, Line, Measurement, Step, Subject, Suite, page, table};
use crate::cli::bench::{
    BenchOutput, BenchSubject, ExecutionLists, PholdArguments, VolunteerArguments,
};
use crate::coordinator::Plan;
use crate::report::progress::say;
use crate::report::run_directory::write_text;
use crate::scenario::domain::Forecast;

/// A run handles at least so many events per token, whatever `--events` says.
const ROUNDS: f64 = 5.0;

/// Measures what is asked for and shows what was found.
pub fn bench(subject: &BenchSubject) -> Result<(), Failure> {
    match subject {
        BenchSubject::Phold(arguments) => {
            let worlds = phold_worlds(arguments)?;
            run(worlds, &arguments.execution, &arguments.output)
        }
        BenchSubject::Volunteer(arguments) => {
            let worlds = volunteer_worlds(arguments)?;
            run(worlds, &arguments.execution, &arguments.output)
        }
    }
}

/// Does one job and prints its measurement: what a child process is for.
pub fn bench_one(job: &str) -> Result<(), Failure> {
    let job: Job = serde_json::from_str(job)
        .map_err(|error| Failure::Asked(format!("this is not a job of `bench`: {error}")))?;
    let measured = Measurement::of(&job).map_err(Failure::Run)?;
    let text = serde_json::to_string(&measured).expect("a measurement is plain data");
    print(&(text + "\n"))
}

/// Every combination of PHOLD's parameters, each with the time it is simulated.
fn phold_worlds(arguments: &PholdArguments) -> Result<Vec<Job>, Failure> {
    let mut worlds = Vec::new();
    for &actors in &arguments.actors {
        for &events_per_actor in &arguments.events_per_actor {
            for &remote in &arguments.remote {
                for &lookahead_s in &arguments.lookahead {
                    for &mean_s in &arguments.mean {
                        let parameters = phold::Parameters {
                            actors,
                            events_per_actor,
                            remote,
                            lookahead_s,
                            mean_s,
                        };
                        worlds.push(phold_world(parameters, arguments)?);
                    }
                }
            }
        }
    }
    Ok(worlds)
}

fn phold_world(parameters: phold::Parameters, arguments: &PholdArguments) -> Result<Job, Failure> {
    if let Some(problem) = parameters.problem() {
        return Err(Failure::Asked(problem));
    }
    if !(arguments.events.is_finite() && arguments.events >= 1.0) {
        return Err(Failure::Asked(format!(
            "--events {} is not a number of events; 4000000 would be one",
            arguments.events
        )));
    }
    let actors = f64::from(parameters.actors);
    super::describe::refuse_what_does_not_fit(
        &Forecast {
            actors,
            events: arguments.events,
            memory_bytes: actors
                * (BYTES_PER_ACTOR + f64::from(parameters.events_per_actor) * BYTES_PER_EVENT),
        },
        None,
    )?;
    let until = match arguments.until {
        Some(until) => until.span(),
        None => phold_time(&parameters, arguments.events, ROUNDS),
    };
    let seed = arguments.execution.seed;
    Ok(job(Subject::Phold(parameters), until, seed))
}

/// The scenario with every number of hosts. It is read here, too, so that what is wrong with it is said
/// before anything is measured.
fn volunteer_worlds(arguments: &VolunteerArguments) -> Result<Vec<Job>, Failure> {
    let hosts: Vec<Option<u64>> = match &arguments.hosts[..] {
        [] => vec![None],
        some => some.iter().copied().map(Some).collect(),
    };
    if arguments.scenario.to_str().is_none() {
        return Err(Failure::Asked(format!(
            "{}: a scenario is handed on to the measuring processes by its name, which must be UTF-8",
            arguments.scenario.display()
        )));
    }
    let world = |hosts| {
        let file = ScenarioFile {
            file: arguments.scenario.clone(),
            hosts,
            until: arguments.until.clone(),
            set: arguments.set.clone(),
        };
        let seed = arguments.execution.seed;
        let until = file.load(seed)?.frame.until;
        Ok(job(Subject::Volunteer(file), until, seed))
    };
    hosts.into_iter().map(world).collect()
}

/// A job whose plan is yet to be chosen.
fn job(subject: Subject, until: SimDuration, seed: u64) -> Job {
    Job {
        subject,
        until,
        seed,
        plan: Plan::default(),
        watched: false,
    }
}

/// What an actor of PHOLD and a pending event take at least, with room to grow: measured at a million.
const BYTES_PER_ACTOR: f64 = 80.0;
const BYTES_PER_EVENT: f64 = 40.0;

/// Measures every world with every plan.
fn run(worlds: Vec<Job>, lists: &ExecutionLists, output: &BenchOutput) -> Result<(), Failure> {
    let plans = lists.axes().plans();
    let jobs = worlds.iter().flat_map(|world| {
        plans.iter().map(|plan| Job {
            plan: plan.clone(),
            ..world.clone()
        })
    });
    let suite = Suite {
        jobs: jobs.collect(),
        repetitions: lists.repeat,
    };
    let announcer = Announcer::new(&suite);
    let findings = suite.run(measure_in_a_child, |step| announcer.announce(step));
    announcer.finish();
    show(&findings.map_err(Failure::Run)?, output)
}

fn measure_in_a_child(job: &Job) -> Result<Measurement, String> {
    let program = std::env::current_exe()
        .map_err(|error| format!("this program cannot be found to measure with: {error}"))?;
    let child = Command::new(program)
        .arg("bench-one")
        .arg(serde_json::to_string(job).expect("a job is plain data"))
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("a process to measure with cannot be started: {error}"))?;
    if !child.status.success() {
        let said = String::from_utf8_lossy(&child.stderr);
        let said = said.trim().trim_start_matches("myriad: ");
        return Err(if said.is_empty() {
            format!("the measuring process ended with {}", child.status)
        } else {
            said.to_owned()
        });
    }
    serde_json::from_slice(&child.stdout)
        .map_err(|error| format!("the measuring process gave no measurement: {error}"))
}

/// Shows the findings; if they are void, says so last.
fn show(findings: &Findings, output: &BenchOutput) -> Result<(), Failure> {
    let lines = &findings.lines;
    if let Some(path) = &output.csv {
        let text = table::as_csv(lines).map_err(|error| Failure::Run(error.to_string()))?;
        write_text(path, &text)?;
    }
    if let Some(path) = &output.output {
        let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
        let words: Vec<String> = words.collect();
        write_text(path, &page::as_html(findings, &words.join(" ")))?;
    }
    if output.json {
        let text = serde_json::to_string_pretty(lines).expect("lines are plain data");
        print(&(text + "\n"))?;
    } else {
        print(&(table::as_text(lines) + "\n"))?;
    }
    if findings.disagreements.is_empty() {
        return Ok(());
    }
    Err(Failure::Disagreement(findings.disagreements.join("\n")))
}

/// Says on standard error what is being measured: one changing line on a terminal, else a line a round.
struct Announcer {
    jobs: usize,
    rounds: u32,
    terminal: bool,
}

impl Announcer {
    fn new(suite: &Suite) -> Self {
        Announcer {
            jobs: suite.jobs.len(),
            rounds: suite.repetitions,
            terminal: std::io::stderr().is_terminal(),
        }
    }

    fn announce(&self, step: Step<'_>) {
        let round = match step.round {
            0 => "warm-up".to_owned(),
            round => format!("round {round} of {}", self.rounds),
        };
        if self.terminal {
            let (number, job) = (step.number + 1, Line::describe(step.job));
            erase_and_write(&format!("{round}, {number}/{}: {job}", self.jobs));
        } else if step.number == 0 {
            say(&format!("{round}, {} lines", self.jobs));
        }
    }

    fn finish(&self) {
        if self.terminal {
            erase_and_write("");
        }
    }
}

/// Goes back to the start of the line, erases what stands there, and writes. If nobody can read it any
/// more, the measuring goes on all the same.
fn erase_and_write(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = write!(out, "\r\x1b[K{text}").and_then(|()| out.flush());
}
