//! How large will the run be, roughly?
//!
//! For `describe`, and for refusing what does not fit. These are estimates from means, not promises.

use super::{Behaviour, Scenario};
use crate::shared::population::HostTable;
use crate::volunteer::population;

/// What a run will roughly take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Forecast {
    /// How many hosts will have taken part.
    pub hosts: u64,
    /// How many job instances will have been dispatched.
    pub instances: u64,
    /// How many events there will have been.
    pub events: u64,
    /// Memory at the end, in bytes.
    pub memory_bytes: u64,
}

/// Measured on the scenarios of this repository.
const EVENTS_PER_INSTANCE: f64 = 12.0;
const BYTES_PER_HOST: f64 = 420.0;
const BYTES_PER_TASK: f64 = 72.0 + 48.0;
/// At the scheduler, the transitioner and in the queue of events.
const BYTES_PER_LIVE_INSTANCE: f64 = 100.0;

impl Scenario {
    /// What a run of this scenario with the hosts of this table will roughly take.
    pub fn forecast(&self, table: &HostTable) -> Forecast {
        let seconds = self.until.span().as_secs_f64();
        let joining = population::expected_arrivals(self);
        let at_start = f64::from(population::hosts_at_start(self));
        let hosts = at_start + joining;
        let active = if at_start > 0.0 {
            at_start
        } else {
            joining / 2.0
        };
        let cores = if self.population.one_core || self.behaviour.is_document() {
            1.0
        } else {
            table.mean_cores()
        };
        let on = self.availability.fraction_on();
        let flop = self.jobs.flops.flop() * self.jobs.time_factor.mean();
        let per_host_s = match &self.behaviour {
            Behaviour::Document {
                rate_per_day: Some(rate),
                ..
            } => rate.mean() / 86_400.0,
            _ => table.mean_gflops() * 1e9 * on / flop,
        };
        let instances = active * (per_host_s * seconds + cores);
        let switches = match self.behaviour {
            Behaviour::Detailed => 2.0 * active * seconds / self.availability.mean_cycle_s(),
            Behaviour::Document { .. } => 0.0,
        };
        let live = instances
            .min(active * per_host_s * self.jobs.delay_bound.span().as_secs_f64() + active * cores);
        let memory = hosts * BYTES_PER_HOST
            + active * cores * 1.3 * BYTES_PER_TASK
            + live * BYTES_PER_LIVE_INSTANCE;
        Forecast {
            hosts: hosts as u64,
            instances: instances as u64,
            events: (instances * EVENTS_PER_INSTANCE + switches) as u64,
            memory_bytes: memory as u64,
        }
    }
}
