//! On what kind of machine does a host compute?
//!
//! Only what matters for results: processors and operating systems of one platform compute the same,
//! to the last digit; those of two may differ by more than a validator tolerates.

use kernel::{ActorId, RandomStream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::population::PLATFORM;
use super::scenario::Scenario;

/// A platform of the scenario, by its place in `population.platforms`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Platform(pub u8);

/// What a scenario says of a platform.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlatformShare {
    /// What it is called, such as "windows intel".
    pub name: String,
    /// How many hosts are of it, in proportion to the shares of the others.
    pub share: f64,
    /// By how much its correct outputs lie beside those of a platform of place 0, in tolerances of
    /// the validator.
    #[serde(default)]
    pub place: f64,
}

/// The most platforms a scenario may have.
pub const MOST_PLATFORMS: usize = 200;

/// The platform of the host with this number, if the scenario tells platforms apart.
pub fn platform_of(scenario: &Scenario, host: ActorId) -> Option<Platform> {
    let platforms = &scenario.population.platforms;
    let all: f64 = platforms.iter().map(|platform| platform.share).sum();
    let last = platforms.len().checked_sub(1)?;
    let mut drawn = RandomStream::new(scenario.seed, host, PLATFORM).between(0.0, all);
    let found = platforms.iter().position(|platform| {
        drawn -= platform.share;
        drawn < 0.0
    });
    Some(Platform(found.unwrap_or(last) as u8))
}

/// By how much the correct outputs of the host with this number lie aside.
pub fn place_of(scenario: &Scenario, host: ActorId) -> f64 {
    let platform = platform_of(scenario, host);
    platform.map_or(0.0, |platform| {
        scenario.population.platforms[usize::from(platform.0)].place
    })
}
