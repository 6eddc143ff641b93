//! How well does a fitted distribution agree with the values?
//!
//! The Kolmogorov–Smirnov distance is the largest difference between the two distributions. Its usual
//! probability is that of a distribution which was known beforehand; of one that was fitted to the same
//! values it is far too large (H. W. Lilliefors, 1967). So for samples that are not too large it is found
//! by drawing samples of the fitted distribution, fitting them again, and counting how many are as far off
//! (parametric bootstrap). For larger ones the usual, too large one is given, and called so.

use kernel::{ActorId, Purpose, RandomStream};

use super::families::{Family, fit};

/// A fit and how good it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Judged {
    /// The fit.
    pub family: Family,
    /// The logarithm of the likelihood.
    pub log_likelihood: f64,
    /// Akaike's criterion: the smaller, the better.
    pub aic: f64,
    /// The Kolmogorov–Smirnov distance.
    pub distance: f64,
    /// The probability of a distance as large, if the family were right.
    pub chance: f64,
    /// Whether that is by bootstrap; if not, it is an upper bound.
    pub is_bootstrap: bool,
}

/// Larger samples are not fitted again and again.
const LARGEST_BOOTSTRAP: usize = 1_000;
/// So many samples are drawn.
const DRAWN: usize = 200;

/// Judges every family that can hold the values, the best by Akaike's criterion first. `values` are
/// ascending.
pub fn judge(values: &[f64]) -> Vec<Judged> {
    let mut judged: Vec<Judged> = fit(values)
        .into_iter()
        .map(|family| judge_one(family, values))
        .filter(|judged| judged.aic.is_finite())
        .collect();
    judged.sort_by(|a, b| a.aic.total_cmp(&b.aic));
    judged
}

fn judge_one(family: Family, values: &[f64]) -> Judged {
    let log_likelihood: f64 = values.iter().map(|&value| family.log_density(value)).sum();
    let distance = distance(values, |x| family.cdf(x));
    let is_bootstrap = values.len() <= LARGEST_BOOTSTRAP;
    let chance = if is_bootstrap {
        bootstrap(&family, values.len(), distance)
    } else {
        kolmogorov(distance, values.len() as f64)
    };
    Judged {
        family,
        log_likelihood,
        aic: 2.0 * family.parameters() as f64 - 2.0 * log_likelihood,
        distance,
        chance,
        is_bootstrap,
    }
}

/// The largest difference between the distribution of the values, which are ascending, and `cdf`.
pub fn distance(values: &[f64], cdf: impl Fn(f64) -> f64) -> f64 {
    let count = values.len() as f64;
    let differences = values.iter().enumerate().map(|(position, &value)| {
        let expected = cdf(value);
        let (before, after) = (position as f64 / count, (position + 1) as f64 / count);
        (after - expected).abs().max((expected - before).abs())
    });
    differences.fold(0.0, f64::max)
}

/// The probability of a distance of at least `distance` for so many values (M. A. Stephens' form of
/// Kolmogorov's limit, good from about five values on).
pub fn kolmogorov(distance: f64, count: f64) -> f64 {
    let root = count.sqrt();
    let lambda = (root + 0.12 + 0.11 / root) * distance;
    if lambda < 0.2 {
        return 1.0;
    }
    let mut sum = 0.0;
    for k in 1..=100 {
        let k = f64::from(k);
        let sign = if k % 2.0 == 1.0 { 1.0 } else { -1.0 };
        sum += sign * (-2.0 * k * k * lambda * lambda).exp();
    }
    (2.0 * sum).clamp(0.0, 1.0)
}

fn bootstrap(family: &Family, count: usize, distance_found: f64) -> f64 {
    let mut random = RandomStream::new(1, ActorId(0), Purpose(1));
    let mut as_far = 0;
    for _ in 0..DRAWN {
        let mut sample: Vec<f64> = (0..count).map(|_| draw(family, &mut random)).collect();
        sample.sort_by(f64::total_cmp);
        let again = fit(&sample);
        let again = again.iter().find(|other| other.name() == family.name());
        let far = again.map_or(0.0, |again| distance(&sample, |x| again.cdf(x)));
        as_far += usize::from(far >= distance_found);
    }
    // The values themselves are one of the samples that could have been drawn.
    (as_far + 1) as f64 / (DRAWN + 1) as f64
}

/// A value of the family, by inverting its distribution.
fn draw(family: &Family, random: &mut RandomStream) -> f64 {
    let p = random.uniform_positive();
    match *family {
        Family::Exponential { mean } => -mean * p.ln(),
        Family::Weibull { shape, scale } => scale * (-p.ln()).powf(1.0 / shape),
        Family::Uniform { low, high } => low + (high - low) * p,
        Family::Hyperexponential {
            weight,
            short,
            long,
        } => {
            let mean = if random.uniform() < weight {
                short
            } else {
                long
            };
            -mean * p.ln()
        }
        Family::Lognormal { mu, sigma } => {
            // Box and Muller.
            let angle = std::f64::consts::TAU * random.uniform();
            (mu + sigma * (-2.0 * p.ln()).sqrt() * angle.cos()).exp()
        }
        Family::Gamma { shape, scale } => scale * standard_gamma(shape, random),
    }
}

/// G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables", 2000.
fn standard_gamma(shape: f64, random: &mut RandomStream) -> f64 {
    if shape < 1.0 {
        let boost = random.uniform_positive().powf(1.0 / shape);
        return standard_gamma(shape + 1.0, random) * boost;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let radius = (-2.0 * random.uniform_positive().ln()).sqrt();
        let normal = radius * (std::f64::consts::TAU * random.uniform()).cos();
        let v = (1.0 + c * normal).powi(3);
        if v > 0.0 {
            let bound = 0.5 * normal * normal + d - d * v + d * v.ln();
            if random.uniform_positive().ln() < bound {
                return d * v;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_of_a_small_case_is_worked_by_hand() {
        // Of 0.1, 0.6, 0.7 from the uniform distribution: just before 0.6 a third is there, not 0.6;
        // at 0.7 all is there, not 0.7.
        let found = distance(&[0.1, 0.6, 0.7], |x| x);
        assert!((found - 0.3).abs() < 1e-12, "{found}");
    }

    #[test]
    fn probabilities_are_those_of_the_published_table() {
        // Critical values 1.36 / sqrt(n) at 5 % and 1.63 / sqrt(n) at 1 %, for large n (Smirnov, 1948).
        assert!((kolmogorov(1.3581 / 1e4, 1e8) - 0.05).abs() < 2e-4);
        assert!((kolmogorov(1.6276 / 1e4, 1e8) - 0.01).abs() < 1e-4);
        // And 0.294 for n = 20 at 5 %.
        assert!((kolmogorov(0.294, 20.0) - 0.05).abs() < 2e-3);
        assert_eq!(kolmogorov(0.0, 10.0), 1.0);
    }

    #[test]
    fn the_right_family_is_found_and_wrong_ones_are_refused() {
        let mut random = RandomStream::new(4, ActorId(0), Purpose(3));
        let family = Family::Weibull {
            shape: 0.6,
            scale: 100.0,
        };
        let mut values: Vec<f64> = (0..400).map(|_| draw(&family, &mut random)).collect();
        values.sort_by(f64::total_cmp);
        let judged = judge(&values);
        assert_eq!(judged[0].family.name(), "weibull");
        // The distance is 0.93 / sqrt(n). Of a Weibull distribution with both parameters fitted, 0.874 / sqrt(n)
        // is the 5 % point and 0.939 / sqrt(n) the 2.5 % point (M. Chandra, N. D. Singpurwalla, M. A.
        // Stephens, 1981).
        let chance = judged[0].chance;
        assert!((0.01..0.07).contains(&chance), "{:?}", judged[0]);
        let exponential = judged
            .iter()
            .find(|j| j.family.name() == "exponential")
            .unwrap();
        assert!(exponential.chance < 0.01, "{exponential:?}");
    }

    #[test]
    fn fitted_distributions_are_not_flattered() {
        // An exponential with a fitted mean: the 5 % point of Lilliefors' table (1969) is 1.08 / sqrt(n)
        // for large n, where the usual one is 1.36 / sqrt(n).
        let (count, family) = (100, Family::Exponential { mean: 7.0 });
        let chance = bootstrap(&family, count, 1.08 / 10.0);
        assert!((0.01..0.11).contains(&chance), "{chance}");
        assert!(kolmogorov(1.08 / 10.0, 100.0) > 0.15);
    }
}
