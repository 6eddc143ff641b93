//! Which parameters make these values most likely?
//!
//! Closed forms where there are any. Weibull's and the gamma distribution's shapes are the zeros of
//! monotone functions and are found by bisection, which cannot miss (N. L. Johnson, S. Kotz, N.
//! Balakrishnan, "Continuous Univariate Distributions" 1, chapters 17 and 21). The mixture of two
//! exponentials is fitted by expectation and maximisation ([`super::mixture`]).

use statrs::function::erf::erfc;
use statrs::function::gamma::{digamma, gamma_lr, ln_gamma};

use super::mixture;

/// A family with its parameters, in the unit of the values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Family {
    /// Without memory.
    Exponential {
        /// The mean.
        mean: f64,
    },
    /// P(X > x) = exp(-(x / scale)^shape).
    Weibull {
        /// The shape k.
        shape: f64,
        /// The scale lambda.
        scale: f64,
    },
    /// The logarithm is normal.
    Lognormal {
        /// The mean of the logarithm.
        mu: f64,
        /// Its standard deviation.
        sigma: f64,
    },
    /// Density proportional to x^(shape - 1) exp(-x / scale).
    Gamma {
        /// The shape k.
        shape: f64,
        /// The scale theta.
        scale: f64,
    },
    /// One of two exponentials.
    Hyperexponential {
        /// The probability of the first.
        weight: f64,
        /// Its mean, the smaller one.
        short: f64,
        /// The mean of the other.
        long: f64,
    },
    /// Anything between two bounds.
    Uniform {
        /// The least value.
        low: f64,
        /// The largest.
        high: f64,
    },
}

/// What all fits need of the values.
struct Moments {
    count: f64,
    mean: f64,
    /// The mean of the logarithms; not finite if a value is zero.
    log_mean: f64,
}

/// Every family that can hold these values, fitted. Values are zero or more, ascending; families whose
/// values are above zero are left out if there is a zero, and all but the exponential and the uniform
/// one if all values are the same.
pub fn fit(values: &[f64]) -> Vec<Family> {
    let count = values.len() as f64;
    let (Some(&low), Some(&high)) = (values.first(), values.last()) else {
        return Vec::new();
    };
    let moments = Moments {
        count,
        mean: values.iter().sum::<f64>() / count,
        log_mean: values.iter().map(|value| value.ln()).sum::<f64>() / count,
    };
    let mut fits = Vec::new();
    if moments.mean > 0.0 {
        let mean = moments.mean;
        fits.push(Family::Exponential { mean });
    }
    if high > low {
        if low > 0.0 {
            fits.push(weibull(values, &moments));
            fits.push(lognormal(values, &moments));
            fits.push(gamma(&moments));
        }
        fits.extend(mixture::hyperexponential(values));
        fits.push(Family::Uniform { low, high });
    }
    fits
}

fn lognormal(values: &[f64], moments: &Moments) -> Family {
    let mu = moments.log_mean;
    let squares: f64 = values.iter().map(|value| (value.ln() - mu).powi(2)).sum();
    Family::Lognormal {
        mu,
        sigma: (squares / moments.count).sqrt(),
    }
}

/// The shape is where sum(x^k ln x) / sum(x^k) - 1/k = mean(ln x).
fn weibull(values: &[f64], moments: &Moments) -> Family {
    // Relative to the largest, no power overflows.
    let largest = values.last().copied().unwrap_or(1.0);
    let logs: Vec<f64> = values.iter().map(|value| (value / largest).ln()).collect();
    let log_mean = moments.log_mean - largest.ln();
    let excess = |shape: f64| {
        let (mut powers, mut weighted) = (0.0, 0.0);
        for &log in &logs {
            let power = (shape * log).exp();
            powers += power;
            weighted += power * log;
        }
        weighted / powers - 1.0 / shape - log_mean
    };
    let shape = zero_of(excess);
    let powers: f64 = logs.iter().map(|log| (shape * log).exp()).sum();
    Family::Weibull {
        shape,
        scale: largest * ((powers / moments.count).ln() / shape).exp(),
    }
}

/// The shape is where ln(k) - digamma(k) = ln(mean) - mean(ln x).
fn gamma(moments: &Moments) -> Family {
    let target = moments.mean.ln() - moments.log_mean;
    let shape = zero_of(|shape| target - (shape.ln() - digamma(shape)));
    Family::Gamma {
        shape,
        scale: moments.mean / shape,
    }
}

/// Where a rising function of a positive number is zero, by bisection of its logarithm.
fn zero_of(rising: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-14.0_f64, 14.0_f64);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if rising(middle.exp()) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    (0.5 * (low + high)).exp()
}

impl Family {
    /// Its name in a scenario.
    pub fn name(&self) -> &'static str {
        match self {
            Family::Exponential { .. } => "exponential",
            Family::Weibull { .. } => "weibull",
            Family::Lognormal { .. } => "lognormal",
            Family::Gamma { .. } => "gamma",
            Family::Hyperexponential { .. } => "hyperexponential",
            Family::Uniform { .. } => "uniform",
        }
    }

    /// How many parameters were chosen.
    pub fn parameters(&self) -> usize {
        match self {
            Family::Exponential { .. } => 1,
            Family::Hyperexponential { .. } => 3,
            _ => 2,
        }
    }

    /// The logarithm of the density at `x`.
    pub fn log_density(&self, x: f64) -> f64 {
        match *self {
            Family::Exponential { mean } => -x / mean - mean.ln(),
            Family::Weibull { shape, scale } => {
                let relative = x / scale;
                (shape / scale).ln() + (shape - 1.0) * relative.ln() - relative.powf(shape)
            }
            Family::Lognormal { mu, sigma } => {
                let z = (x.ln() - mu) / sigma;
                -0.5 * z * z - x.ln() - sigma.ln() - 0.5 * std::f64::consts::TAU.ln()
            }
            Family::Gamma { shape, scale } => {
                (shape - 1.0) * (x / scale).ln() - x / scale - ln_gamma(shape) - scale.ln()
            }
            Family::Hyperexponential {
                weight,
                short,
                long,
            } => {
                let density = |mean: f64| (-x / mean).exp() / mean;
                (weight * density(short) + (1.0 - weight) * density(long)).ln()
            }
            Family::Uniform { low, high } => {
                if (low..=high).contains(&x) {
                    -(high - low).ln()
                } else {
                    f64::NEG_INFINITY
                }
            }
        }
    }

    /// The probability of a value of at most `x`.
    pub fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 {
            return 0.0;
        }
        match *self {
            Family::Exponential { mean } => -(-x / mean).exp_m1(),
            Family::Weibull { shape, scale } => -(-(x / scale).powf(shape)).exp_m1(),
            Family::Lognormal { mu, sigma } => {
                0.5 * erfc((mu - x.ln()) / (sigma * std::f64::consts::SQRT_2))
            }
            Family::Gamma { shape, scale } => gamma_lr(shape, x / scale),
            Family::Hyperexponential {
                weight,
                short,
                long,
            } => 1.0 - weight * (-x / short).exp() - (1.0 - weight) * (-x / long).exp(),
            Family::Uniform { low, high } => ((x - low) / (high - low)).clamp(0.0, 1.0),
        }
    }

    /// The line to paste into a scenario; values are in `unit`, or pure numbers if it is empty.
    pub fn line(&self, unit: &str) -> String {
        let amount = |value: f64| {
            let value = significant(value);
            if unit.is_empty() {
                format!("{value:?}")
            } else {
                format!("\"{value} {unit}\"")
            }
        };
        let number = significant;
        let name = self.name();
        match *self {
            Family::Exponential { mean } => {
                format!("{{ distribution = \"{name}\", mean = {} }}", amount(mean))
            }
            Family::Weibull { shape, scale } | Family::Gamma { shape, scale } => format!(
                "{{ distribution = \"{name}\", shape = {:?}, scale = {} }}",
                number(shape),
                amount(scale)
            ),
            Family::Lognormal { mu, sigma } => {
                let unit = match unit {
                    "" => String::new(),
                    unit => format!(", unit = \"{unit}\""),
                };
                let (mu, sigma) = (number(mu), number(sigma));
                format!("{{ distribution = \"{name}\", mu = {mu:?}, sigma = {sigma:?}{unit} }}")
            }
            Family::Hyperexponential {
                weight,
                short,
                long,
            } => format!(
                "{{ distribution = \"{name}\", phases = [{{ weight = {:?}, mean = {} }}, {{ weight = {:?}, mean = {} }}] }}",
                number(weight),
                amount(short),
                number(1.0 - weight),
                amount(long)
            ),
            Family::Uniform { low, high } => format!(
                "{{ distribution = \"{name}\", low = {}, high = {} }}",
                amount(low),
                amount(high)
            ),
        }
    }
}

/// Five significant digits: more than any sample knows.
fn significant(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actors::shared::distribution::Distribution;
    use actors::shared::quantity::Duration;
    use kernel::{ActorId, Purpose, RandomStream};

    /// Draws of the simulator's own distributions, so that fits and draws check each other.
    fn drawn(text: &str, count: usize) -> Vec<f64> {
        let table: toml::Table = format!("d = {text}").parse().unwrap();
        let distribution: Distribution<Duration> = table["d"].clone().try_into().unwrap();
        let mut random = RandomStream::new(9, ActorId(1), Purpose(2));
        let draw = |_| distribution.sample(&mut random).span().as_secs_f64() / 3_600.0;
        let mut values: Vec<f64> = (0..count).map(draw).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    fn near(found: f64, expected: f64, part: f64) {
        assert!(
            (found / expected - 1.0).abs() < part,
            "{found} is not {expected}"
        );
    }

    #[test]
    fn parameters_of_samples_come_back() {
        let of = |text: &str, name: &str| {
            let fits = fit(&drawn(text, 20_000));
            fits.into_iter()
                .find(|family| family.name() == name)
                .unwrap()
        };
        match of(
            "{ distribution = \"exponential\", mean = \"5 h\" }",
            "exponential",
        ) {
            Family::Exponential { mean } => near(mean, 5.0, 0.03),
            other => panic!("{other:?}"),
        }
        match of(
            "{ distribution = \"weibull\", shape = 0.58, scale = \"135 h\" }",
            "weibull",
        ) {
            Family::Weibull { shape, scale } => {
                near(shape, 0.58, 0.02);
                near(scale, 135.0, 0.05);
            }
            other => panic!("{other:?}"),
        }
        match of(
            "{ distribution = \"gamma\", shape = 0.4, scale = \"8 h\" }",
            "gamma",
        ) {
            Family::Gamma { shape, scale } => {
                near(shape, 0.4, 0.03);
                near(scale, 8.0, 0.05);
            }
            other => panic!("{other:?}"),
        }
        match of(
            "{ distribution = \"lognormal\", mu = -0.6, sigma = 1.9, unit = \"h\" }",
            "lognormal",
        ) {
            Family::Lognormal { mu, sigma } => {
                near(mu, -0.6, 0.07);
                near(sigma, 1.9, 0.02);
            }
            other => panic!("{other:?}"),
        }
        let two = "{ distribution = \"hyperexponential\", phases = [{ weight = 0.3, mean = \"1 h\" }, { weight = 0.7, mean = \"20 h\" }] }";
        match of(two, "hyperexponential") {
            Family::Hyperexponential {
                weight,
                short,
                long,
            } => {
                near(weight, 0.3, 0.08);
                near(short, 1.0, 0.1);
                near(long, 20.0, 0.04);
            }
            other => panic!("{other:?}"),
        }
        match of(
            "{ distribution = \"uniform\", low = \"2 h\", high = \"3 h\" }",
            "uniform",
        ) {
            Family::Uniform { low, high } => {
                near(low, 2.0, 0.001);
                near(high, 3.0, 0.001);
            }
            other => panic!("{other:?}"),
        }
    }

    /// Failures of the air conditioning of aircraft 7912: 30 intervals in hours (F. Proschan,
    /// "Theoretical explanation of observed decreasing failure rate", Technometrics 5, 1963).
    pub(crate) const AIRCRAFT_7912: [f64; 30] = [
        23.0, 261.0, 87.0, 7.0, 120.0, 14.0, 62.0, 47.0, 225.0, 71.0, 246.0, 21.0, 42.0, 20.0, 5.0,
        12.0, 120.0, 11.0, 3.0, 14.0, 71.0, 11.0, 14.0, 11.0, 16.0, 90.0, 1.0, 16.0, 52.0, 95.0,
    ];

    #[test]
    fn published_fits_of_well_known_data_come_out() {
        let mut values = AIRCRAFT_7912.to_vec();
        values.sort_by(f64::total_cmp);
        for family in fit(&values) {
            match family {
                // The mean of the data is 59.6 h; the published Weibull fit has shape 0.8536 and scale
                // 54.6 h, the gamma fit shape 0.8119 (J. F. Lawless, "Statistical Models and Methods for
                // Lifetime Data", and many after him).
                Family::Exponential { mean } => near(mean, 59.6, 1e-9),
                Family::Weibull { shape, scale } => {
                    near(shape, 0.8536, 0.001);
                    near(scale, 54.6, 0.002);
                }
                Family::Gamma { shape, scale } => {
                    near(shape, 0.8119, 0.001);
                    near(shape * scale, 59.6, 1e-9);
                }
                _ => {}
            }
        }
    }

    #[test]
    fn densities_are_the_slopes_of_their_distributions() {
        let families = [
            Family::Exponential { mean: 2.0 },
            Family::Weibull {
                shape: 0.7,
                scale: 3.0,
            },
            Family::Lognormal {
                mu: 0.3,
                sigma: 0.8,
            },
            Family::Gamma {
                shape: 2.5,
                scale: 0.6,
            },
            Family::Hyperexponential {
                weight: 0.4,
                short: 0.5,
                long: 5.0,
            },
            Family::Uniform {
                low: 0.5,
                high: 4.0,
            },
        ];
        for family in families {
            for x in [0.6, 1.0, 2.3, 3.9] {
                let slope = (family.cdf(x + 1e-5) - family.cdf(x - 1e-5)) / 2e-5;
                near(family.log_density(x).exp(), slope, 1e-5);
            }
        }
    }

    #[test]
    fn lines_can_be_pasted_and_mean_what_was_fitted() {
        let values = drawn(
            "{ distribution = \"gamma\", shape = 2.0, scale = \"3 h\" }",
            500,
        );
        for family in fit(&values) {
            let table: toml::Table = format!("d = {}", family.line("h")).parse().unwrap();
            let pasted: Distribution<Duration> = table["d"].clone().try_into().unwrap();
            for x in [1.0, 5.0, 9.0] {
                let nanos = (x * 3_600e9) as u64;
                let at = Duration::new(kernel::SimDuration::from_nanos(nanos));
                let (found, expected) = (pasted.cdf(at), family.cdf(x));
                assert!(
                    (found - expected).abs() < 1e-3,
                    "{family:?} at {x}: {found} and {expected}"
                );
            }
        }
    }

    #[test]
    fn odd_values_are_fitted_by_what_can_hold_them() {
        let names =
            |values: &[f64]| -> Vec<&str> { fit(values).iter().map(Family::name).collect() };
        assert_eq!(names(&[]), [""; 0]);
        assert_eq!(names(&[3.0, 3.0]), ["exponential"]);
        assert_eq!(names(&[0.0, 0.0]), [""; 0]);
        assert!(!names(&[0.0, 1.0, 2.0]).contains(&"weibull"));
        for values in [[1e-300, 1e300], [1.0, 1.0 + 1e-12]] {
            for family in fit(&values) {
                assert!(family.cdf(1.0).is_finite(), "{family:?}");
            }
        }
    }
}
