//! Which published measurements of availability are there?
//!
//! All distributions are in hours. The failure trace archive's fits follow B. Javadi, D. Kondo, A.
//! Iosup, D. Epema, "The Failure Trace Archive: Enabling the comparison of failure measurements and
//! models of distributed systems", J. Parallel and Distributed Computing 73 (2013).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Availability, Start};
use crate::shared::distribution::{Distribution, Family, WeightedMean};
use crate::shared::quantity::{Duration, Quantity};

/// Published fits of when machines are on and off, by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "AvailabilityPreset")]
pub enum Preset {
    /// Never off.
    Always,
    /// SETI@home hosts whose availability is truly random: 24.6 % on, with heavy tails. Only 21 %
    /// of the hosts measured are of this kind; the others are periodic or drift.
    SetiRandomHosts,
    /// The average of 330,000 BOINC hosts in February 2006: BOINC ran 81 % of the time. The source
    /// gives this fraction only; that a cycle takes a day on average, without memory, is our
    /// assumption.
    #[serde(rename = "boinc_2006")]
    Boinc2006,
    /// The cluster of a study of the RakeSearch project: 56.7 % on.
    #[serde(rename = "rakesearch_cluster")]
    RakeSearchCluster,
    /// Desktop machines at Microsoft, 1999.
    Microsoft99,
    /// Machines at the University of Notre Dame, 2007, by whether their processor was available.
    #[serde(rename = "notre_dame07")]
    NotreDame07,
    /// Peers of the Overnet file-sharing network, 2003.
    Overnet03,
    /// Skype super-peers, 2006.
    Skype06,
    /// Nodes of PlanetLab, 2005.
    #[serde(rename = "planetlab05")]
    PlanetLab05,
}

impl Preset {
    /// Every preset, as they are listed in documents.
    pub const ALL: [Preset; 9] = [
        Preset::Always,
        Preset::SetiRandomHosts,
        Preset::Boinc2006,
        Preset::RakeSearchCluster,
        Preset::Microsoft99,
        Preset::NotreDame07,
        Preset::Overnet03,
        Preset::Skype06,
        Preset::PlanetLab05,
    ];

    /// The distributions behind the name.
    pub fn availability(self) -> Availability {
        let (on, off) = match self {
            Preset::Always => return Availability::always(),
            // B. Javadi, D. Kondo, J.-M. Vincent, D. Anderson, "Discovering statistical models of
            // availability in large distributed systems", IEEE TPDS 22(11), 2011: the global fit.
            Preset::SetiRandomHosts => (weibull(0.393, 2.964), lognormal(-0.586, 2.844)),
            // D. Anderson, G. Fedak, "The computational and storage potential of volunteer
            // computing", CCGrid 2006: the fraction. The length of the cycle is ours.
            Preset::Boinc2006 => (exponential(0.81 * 24.0), exponential(0.19 * 24.0)),
            // The parameters of a simulation study of RakeSearch (repository rolan018/combos).
            Preset::RakeSearchCluster => (
                Family::Gamma {
                    shape: 0.357,
                    scale: hours(43.652),
                },
                Family::Hyperexponential {
                    phases: [(0.338, 0.029), (0.390, 30.121), (0.272, 1.069)]
                        .map(|(weight, rate)| WeightedMean {
                            weight,
                            mean: hours(1.0 / rate),
                        })
                        .to_vec(),
                },
            ),
            // The failure trace archive, from here on.
            Preset::Microsoft99 => (weibull(0.55, 35.30), weibull(0.60, 9.34)),
            Preset::NotreDame07 => (weibull(0.45, 4.16), lognormal(-1.02, 1.27)),
            Preset::Overnet03 => (weibull(0.85, 2.04), weibull(0.44, 2.98)),
            Preset::Skype06 => (weibull(0.64, 10.86), weibull(0.63, 9.48)),
            Preset::PlanetLab05 => (weibull(0.33, 19.35), weibull(0.36, 5.59)),
        };
        let checked =
            |family| Distribution::new(family).expect("a published fit is a distribution");
        let availability = Availability::alternating(checked(on), checked(off), Start::Stationary)
            .expect("published intervals have a length");
        Availability {
            preset: Some(self),
            ..availability
        }
    }
}

fn hours(hours: f64) -> Duration {
    Duration::from_base(hours * 3_600.0)
}

fn weibull(shape: f64, scale: f64) -> Family<Duration> {
    Family::Weibull {
        shape,
        scale: hours(scale),
    }
}

fn lognormal(mu: f64, sigma: f64) -> Family<Duration> {
    Family::Lognormal {
        mu,
        sigma,
        unit: Some("h".to_owned()),
    }
}

fn exponential(mean: f64) -> Family<Duration> {
    Family::Exponential { mean: hours(mean) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_on_as_often_as_published() {
        // Where a source or our notes on it give the fraction.
        let published = [
            (Preset::Always, 1.0),
            (Preset::SetiRandomHosts, 0.2458),
            (Preset::Boinc2006, 0.81),
            (Preset::RakeSearchCluster, 0.5666),
        ];
        for (preset, fraction) in published {
            let ours = preset.availability().fraction_on();
            assert!(
                (ours - fraction).abs() < 6e-5,
                "{preset:?}: {ours} is not {fraction}"
            );
        }
    }

    #[test]
    fn every_preset_can_be_built_and_says_its_name_again() {
        for preset in Preset::ALL {
            let availability = preset.availability();
            let name = serde_json::to_value(preset).expect("a name");
            let read: Availability = serde_json::from_value(name).expect("the name of a preset");
            assert_eq!(read, availability);
            let written = serde_json::to_string(&availability).expect("a table");
            let read: Availability = serde_json::from_str(&written).expect("what was written");
            assert_eq!(read, availability);
        }
    }
}
