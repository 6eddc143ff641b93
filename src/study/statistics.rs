//! How sure are we?
//!
//! Means over independent repetitions with Student's confidence intervals (W. S. Gosset, "The probable
//! error of a mean", 1908), and differences of repetitions that have a seed in common, pair by pair.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean over repetitions, and how far it may be off.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Over how many repetitions.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation; zero of a single one.
    pub deviation: f64,
    /// Half the width of the confidence interval; infinite of a single repetition.
    pub half_width: f64,
}

impl Estimate {
    /// The mean of `values` with its interval at this level of confidence, as 0.95. Values that are not
    /// finite are left out; `None` if there are no others.
    pub fn of(values: &[f64], confidence: f64) -> Option<Self> {
        let values: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        let count = values.len();
        if count == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let freedom = count as f64 - 1.0;
        let deviation = if count > 1 {
            (squares / freedom).sqrt()
        } else {
            0.0
        };
        let half_width = if count > 1 {
            student_quantile(0.5 + confidence / 2.0, freedom) * deviation / (count as f64).sqrt()
        } else {
            f64::INFINITY
        };
        Some(Estimate {
            count,
            mean,
            deviation,
            half_width,
        })
    }

    /// Half the width of the interval as a part of the mean; zero if there is no spread at all.
    pub fn relative_half_width(&self) -> f64 {
        if self.half_width == 0.0 {
            0.0
        } else {
            self.half_width / self.mean.abs()
        }
    }

    /// Both ends of the interval.
    pub fn interval(&self) -> (f64, f64) {
        (self.mean - self.half_width, self.mean + self.half_width)
    }

    /// Whether the interval leaves zero out.
    pub fn is_sure(&self) -> bool {
        self.mean.abs() > self.half_width
    }
}

/// The difference of two lists whose values belong together pair by pair: second minus first.
pub fn paired(first: &[f64], second: &[f64], confidence: f64) -> Option<Estimate> {
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| b - a).collect();
    Estimate::of(&differences, confidence)
}

/// The probability of a mean as far from zero as this one, or farther, if the true mean were zero
/// (two-sided); `None` of fewer than two values. Differences without any spread are certain.
pub fn chance_of_nothing(estimate: &Estimate) -> Option<f64> {
    if estimate.count < 2 {
        return None;
    }
    if estimate.deviation == 0.0 {
        return Some(if estimate.mean == 0.0 { 1.0 } else { 0.0 });
    }
    let t = estimate.mean / (estimate.deviation / (estimate.count as f64).sqrt());
    let law = student(estimate.count as f64 - 1.0);
    Some(2.0 * law.cdf(-t.abs()))
}

/// The value that Student's t with so many degrees of freedom does not exceed with probability `p`.
pub fn student_quantile(p: f64, freedom: f64) -> f64 {
    student(freedom).inverse_cdf(p)
}

fn student(freedom: f64) -> StudentsT {
    StudentsT::new(0.0, 1.0, freedom).expect("degrees of freedom are above zero")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64, tolerance: f64) {
        assert!(
            (found - expected).abs() <= tolerance,
            "{found} is not {expected}"
        );
    }

    #[test]
    fn quantiles_are_those_of_the_published_table() {
        // NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2.
        for (freedom, p, expected) in [
            (1.0, 0.975, 12.706),
            (2.0, 0.975, 4.303),
            (9.0, 0.975, 2.262),
            (9.0, 0.95, 1.833),
            (30.0, 0.995, 2.750),
            (100.0, 0.9, 1.290),
        ] {
            near(student_quantile(p, freedom), expected, 5e-4);
        }
    }

    #[test]
    fn gossets_own_example_comes_out() {
        // The additional hours of sleep of ten patients with two drugs (the data of his paper of 1908).
        // Differences: mean 1.58, standard deviation 1.23, t = 4.06, two-sided p = 0.00283.
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let difference = paired(&first, &second, 0.95).unwrap();
        near(difference.mean, 1.58, 1e-9);
        near(difference.deviation, 1.229_995, 1e-6);
        let (low, high) = difference.interval();
        near(low, 0.700_114, 1e-5);
        near(high, 2.459_886, 1e-5);
        near(chance_of_nothing(&difference).unwrap(), 0.002_833, 1e-6);
        assert!(difference.is_sure());
    }

    #[test]
    fn a_single_value_says_nothing_of_its_spread() {
        let one = Estimate::of(&[5.0], 0.95).unwrap();
        assert_eq!((one.mean, one.half_width), (5.0, f64::INFINITY));
        assert!(!one.is_sure() && chance_of_nothing(&one).is_none());
        assert_eq!(Estimate::of(&[], 0.95), None);
        let same = Estimate::of(&[3.0, 3.0, f64::NAN], 0.95).unwrap();
        assert_eq!((same.count, same.half_width), (2, 0.0));
        assert_eq!(chance_of_nothing(&same), Some(0.0));
    }

    #[test]
    fn an_interval_holds_the_true_mean_as_often_as_it_says() {
        let mut random = kernel::RandomStream::new(3, kernel::ActorId(0), kernel::Purpose(1));
        let mut held = 0;
        for _ in 0..4_000 {
            // Six sums of twelve uniforms: normal enough.
            let normal = |_| (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
            let values: Vec<f64> = (0..6).map(normal).collect();
            let estimate = Estimate::of(&values, 0.9).unwrap();
            held += usize::from(!estimate.is_sure());
        }
        // 3,600 are expected, with a standard deviation of 19.
        assert!((3_520..=3_680).contains(&held), "{held}");
    }
}
