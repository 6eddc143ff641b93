//! `myriad check`: is the scenario right, and what would run?

use super::{Asked, Failure, run::print};
use crate::cli::CheckArguments;
use crate::report::numbers;
use crate::scenario::domain::Domain;
use crate::scenario::error::printable;
use crate::scenario::volunteer::Volunteer;

/// Reads and checks a scenario and says in a few lines what it is.
pub fn check(arguments: &CheckArguments) -> Result<(), Failure> {
    let loaded = Asked::read(&arguments.scenario)?.load()?;
    let forecast = Volunteer::forecast(&loaded.scenario, &loaded.inputs);
    print(&format!(
        "{} is a {} scenario without mistakes.\n\
         It would simulate {} with seed {}: about {} actors and {} events in {} of memory.\n",
        printable(&loaded.frame.name),
        Volunteer::NAME,
        loaded.frame.until,
        loaded.frame.seed,
        numbers::roughly(forecast.actors),
        numbers::roughly(forecast.events),
        numbers::with_unit(forecast.memory_bytes, "bytes"),
    ))
}
