//! What is measured? A world, for so long, executed like this.

use std::path::{Path, PathBuf};

use actors::phold;
use kernel::SimDuration;
use serde::{Deserialize, Serialize};

use crate::coordinator::{HorizonRule, Plan, QueueRule, Runtime};
use crate::scenario::domain::{Domain, Loaded};
use crate::scenario::volunteer::Volunteer;
use crate::scenario::{Override, ScenarioError, ScenarioText};

/// One thing to measure. It travels to the measuring process as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Which world.
    pub subject: Subject,
    /// How long is simulated.
    pub until: SimDuration,
    /// The seed of all random numbers.
    pub seed: u64,
    /// How it is executed.
    pub plan: Plan,
    /// Whether a digest of all events is taken. That takes time: such a run is not for timing.
    pub watched: bool,
}

/// Which world is simulated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// The synthetic workload.
    Phold(phold::Parameters),
    /// A scenario of volunteer computing.
    Volunteer(ScenarioFile),
}

/// A scenario in a file, with what is different in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScenarioFile {
    /// Where it is.
    pub file: PathBuf,
    /// Another number of hosts.
    #[serde(default)]
    pub hosts: Option<u64>,
    /// Another time to stop at, as it stands in scenarios.
    #[serde(default)]
    pub until: Option<String>,
    /// Other keys, as `key=value`.
    pub set: Vec<String>,
}

impl ScenarioFile {
    /// Reads and checks the scenario, for runs with this seed.
    ///
    /// # Errors
    /// What is wrong with the file or with what is different in it.
    pub fn load(&self, seed: u64) -> Result<Loaded<Volunteer>, ScenarioError> {
        let mut overrides = Vec::new();
        for set in &self.set {
            overrides.push(Override::parse(set)?);
        }
        let mut option = |name: &str, key: &str, value: &str| {
            overrides.push(Override::by_option(name, key, value));
        };
        if let Some(hosts) = self.hosts {
            option("--hosts", "hosts", &hosts.to_string());
        }
        if let Some(until) = &self.until {
            option("--until", "until", until);
        }
        option("--seed", "seed", &seed.to_string());
        let text = ScenarioText::read(&self.file, overrides)?;
        text.require_domain(&[Volunteer::NAME])?;
        let folder = self.file.parent().unwrap_or(Path::new(""));
        Loaded::from_text(&text, folder)
    }
}

impl Subject {
    /// What it is called in tables and files.
    pub fn name(&self) -> &'static str {
        match self {
            Subject::Phold(_) => "phold",
            Subject::Volunteer(_) => "volunteer",
        }
    }
}

impl Job {
    /// Whether both simulate the same world for the same time: then they must find the same.
    pub fn same_world(&self, other: &Job) -> bool {
        self.subject == other.subject && self.until == other.until && self.seed == other.seed
    }

    /// Whether this is our own sequential loop over the standard library's binary heap, in one
    /// partition: what a textbook simulator does.
    pub fn is_textbook(&self) -> bool {
        self.plan == textbook()
    }
}

/// One thread, one partition, a binary heap.
pub fn textbook() -> Plan {
    Plan {
        threads: 1,
        partitions: Some(1),
        runtime: Runtime::Threads,
        horizon: HorizonRule::Auto,
        queue: QueueRule::BinaryHeap,
        placement: None,
    }
}

/// For how long PHOLD is simulated so that about `events` happen, and at least `per_token` per token.
///
/// A token is passed on every `lookahead + mean` seconds on average. Fewer than some five times per
/// token would measure how a fresh set of events is filled, not how it is kept.
pub fn phold_time(parameters: &phold::Parameters, events: f64, per_token: f64) -> SimDuration {
    let tokens = f64::from(parameters.actors) * f64::from(parameters.events_per_actor);
    let rounds = (events / tokens.max(1.0)).max(per_token);
    SimDuration::from_secs_f64(rounds * (parameters.lookahead_s + parameters.mean_s))
}

/// The plans to compare: every combination of what stands in each list.
#[derive(Clone, Debug)]
pub struct Axes {
    /// Numbers of threads.
    pub threads: Vec<usize>,
    /// Numbers of partitions; `None`: as many as suit the threads.
    pub partitions: Vec<Option<usize>>,
    /// Who runs the workers.
    pub runtimes: Vec<Runtime>,
    /// Synchronisation protocols.
    pub horizons: Vec<HorizonRule>,
    /// Pending-event sets.
    pub queues: Vec<QueueRule>,
    /// Whether [`textbook`] is compared, too.
    pub baseline: bool,
}

impl Axes {
    /// All plans, in the order of the lists; the textbook's last, and none twice.
    pub fn plans(&self) -> Vec<Plan> {
        let mut plans = Vec::new();
        for &queue in &self.queues {
            for &horizon in &self.horizons {
                for &runtime in &self.runtimes {
                    for &partitions in &self.partitions {
                        plans.extend(self.threads.iter().map(|&threads| Plan {
                            threads,
                            partitions,
                            runtime,
                            horizon,
                            queue,
                            placement: None,
                        }));
                    }
                }
            }
        }
        if self.baseline {
            plans.push(textbook());
        }
        let mut unique: Vec<Plan> = Vec::new();
        for plan in plans {
            if !unique.contains(&plan) {
                unique.push(plan);
            }
        }
        unique
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_is_measured_once() {
        let axes = Axes {
            threads: vec![1, 2, 2],
            partitions: vec![None, Some(8)],
            runtimes: vec![Runtime::Threads],
            horizons: vec![HorizonRule::Auto, HorizonRule::GlobalWindow],
            queues: vec![QueueRule::WindowRing, QueueRule::Calendar],
            baseline: true,
        };
        assert_eq!(axes.plans().len(), 2 * 2 * 2 * 2 + 1);
        assert_eq!(axes.plans().last(), Some(&textbook()));
    }

    #[test]
    fn a_run_is_long_enough_for_its_tokens() {
        let mut parameters = phold::Parameters {
            actors: 1_000,
            events_per_actor: 2,
            remote: 0.5,
            lookahead_s: 0.5,
            mean_s: 1.0,
        };
        // 1,000 rounds of 1.5 s, then 5 rounds of 1.5 s.
        let time = phold_time(&parameters, 2e6, 5.0);
        assert_eq!(time, SimDuration::from_secs(1_500));
        parameters.actors = 1_000_000;
        assert_eq!(
            phold_time(&parameters, 2e6, 5.0),
            SimDuration::from_millis(7_500)
        );
    }
}
