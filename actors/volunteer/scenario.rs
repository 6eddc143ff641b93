//! What does a scenario of volunteer computing say?
//!
//! Everything has a default, so that a file can be short; the defaults are those of Einstein@home as
//! the document describes it, or of BOINC where the document is silent. How a file is read is no
//! business of this module: it holds what a file means.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::shared::availability::Availability;
use crate::shared::quantity::Duration;

mod behaviour;
mod calibration;
mod check;
mod forecast;
mod hosts;
mod project;

pub use behaviour::Behaviour;
pub use check::Problem;
pub use forecast::Forecast;
pub use hosts::{
    Churn, Client, ClockJumps, Errors, Network, OtherProjects, Pattern, Peak, Population, Start,
};
pub use project::{Governor, Jobs, Majority, Record, Scheduler, Servers, Validation};

/// A volunteer computing project and its hosts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Scenario {
    /// Which world this is about: always "volunteer".
    pub domain: Domain,
    /// What the scenario is called, in reports and names of directories.
    pub name: String,
    /// How long a time is simulated.
    pub until: Duration,
    /// The seed of all random numbers: the same seed gives the same run, to the byte.
    pub seed: u64,
    /// How many hosts take part: at the start, and on average later.
    pub hosts: u32,
    /// How the doings of hosts are modelled.
    pub behaviour: Behaviour,
    /// What the hosts are like.
    pub population: Population,
    /// When machines are on.
    pub availability: Availability,
    /// How volunteers come and go.
    pub churn: Churn,
    /// What goes wrong on hosts.
    pub errors: Errors,
    /// How the client on a host behaves.
    pub client: Client,
    /// What hosts do for other projects.
    pub other_projects: OtherProjects,
    /// The way between hosts and servers.
    pub network: Network,
    /// What is computed.
    pub jobs: Jobs,
    /// Who gets which work.
    pub scheduler: Scheduler,
    /// When do results agree?
    pub validation: Validation,
    /// The project's servers and daemons.
    pub servers: Servers,
    /// What is recorded.
    pub record: Record,
}

/// The worlds that this module knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Domain {
    /// Volunteer computing.
    #[default]
    Volunteer,
}

impl Default for Scenario {
    fn default() -> Self {
        Scenario {
            domain: Domain::Volunteer,
            name: "volunteer".to_owned(),
            until: hosts::days(14),
            seed: 1,
            hosts: 1_000,
            behaviour: Behaviour::Detailed,
            population: Population::default(),
            availability: crate::shared::availability::Preset::SetiRandomHosts.availability(),
            churn: Churn::default(),
            errors: Errors::default(),
            client: Client::default(),
            other_projects: OtherProjects::default(),
            network: Network::default(),
            jobs: Jobs::default(),
            scheduler: Scheduler::default(),
            validation: Validation::default(),
            servers: Servers::default(),
            record: Record::default(),
        }
    }
}
