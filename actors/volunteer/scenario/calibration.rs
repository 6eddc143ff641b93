//! How many hosts are perfect, if so many instances fail?
//!
//! The document knows the fraction of instances that fail (13 %), not that of erring hosts: "we
//! adjust the relative percentages of hosts in categories A and B in order to obtain, within our
//! simulation, an overall average error rate of 13 %" (section 4.4). So do we, with small pilot runs.

use kernel::{SimTime, run_sequentially};

use super::Scenario;
use crate::shared::quantity::Fraction;
use crate::volunteer::metrics::Metrics;
use crate::volunteer::world::Inputs;

/// Pilot runs have at most so many hosts.
const PILOT_HOSTS: u32 = 2_000;

impl Scenario {
    /// The scenario with its classes A and B, which keep their sum, divided so that `failed` of the
    /// instances fail, as nearly as possible.
    ///
    /// The failed fraction is nearly linear in the share of class B, so two pilot runs and the line
    /// through them would do; the line is drawn once more through the better of them and the guess.
    pub fn calibrated(&self, inputs: &Inputs, failed: Fraction) -> Scenario {
        let both = self.errors.a_perfect.value() + self.errors.b_erring.value();
        let with = |erring: f64| {
            let mut scenario = self.clone();
            let erring = erring.clamp(0.0, both);
            let fraction = |value| Fraction::new(value).expect("a part of two fractions");
            scenario.errors.a_perfect = fraction(both - erring);
            scenario.errors.b_erring = fraction(erring);
            scenario.errors.failed_instances = Fraction::ZERO;
            scenario
        };
        let wanted = failed.value();
        let (mut low, mut high) = (0.0, both);
        let mut failed_low = with(low).failed_in_pilot(inputs);
        let mut failed_high = with(high).failed_in_pilot(inputs);
        let mut guess = low;
        for _ in 0..3 {
            let slope = (failed_high - failed_low) / (high - low);
            if !(slope.is_finite() && slope > 0.0) {
                break;
            }
            guess = (low + (wanted - failed_low) / slope).clamp(0.0, both);
            let found = with(guess).failed_in_pilot(inputs);
            if found < wanted {
                (low, failed_low) = (guess, found);
            } else {
                (high, failed_high) = (guess, found);
            }
        }
        with(guess)
    }

    /// The fraction of instances that fail in a small run of this scenario.
    fn failed_in_pilot(&self, inputs: &Inputs) -> f64 {
        let mut pilot = self.clone();
        pilot.hosts = pilot.hosts.min(PILOT_HOSTS);
        let end = SimTime::START + pilot.until.span();
        let world = pilot.build(inputs);
        let (metrics, _) = run_sequentially(world, end, Metrics::new(&pilot));
        metrics.failed_fraction()
    }
}
