//! The mathematics of the families, on plain numbers in base units.
//!
//! Besides the distribution of an interval there is that of what is *left* of it. In a renewal
//! process that has run forever, the interval that covers a given instant is drawn with a
//! probability proportional to its length, and the instant lies anywhere in it with the same
//! probability. So the residual life is a uniform part of a length-biased interval (Cox, *Renewal
//! Theory*, 1962, section 5.4), and for every family here that biased interval has a closed form.

use kernel::RandomStream;

use super::special;

/// A distribution of numbers that are zero or more.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Law {
    Weibull { shape: f64, scale: f64 },
    Lognormal { mu: f64, sigma: f64 },
    Gamma { shape: f64, scale: f64 },
    Exponential { mean: f64 },
    Hyperexponential(Box<[Phase]>),
    Uniform { low: f64, high: f64 },
    Fixed(f64),
    Histogram(Box<[Bar]>),
}

/// One of several exponential distributions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Phase {
    pub mean: f64,
    /// The probability of this phase or one before it.
    up_to: f64,
    /// The same for the length-biased draw.
    biased_up_to: f64,
}

/// One bar of a histogram: values spread evenly from `low` to `high`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Bar {
    pub low: f64,
    pub high: f64,
    /// How many observations are in this bar or one before it.
    up_to: u64,
    /// The sum of the observations up to here, as a part of the sum of all.
    biased_up_to: f64,
}

impl Law {
    /// A mixture of exponential distributions: (weight, mean) of each.
    pub(super) fn hyperexponential(phases: &[(f64, f64)]) -> Law {
        let total: f64 = phases.iter().map(|(weight, _)| weight).sum();
        let biased_total: f64 = phases.iter().map(|(weight, mean)| weight * mean).sum();
        let (mut sum, mut biased) = (0.0, 0.0);
        let phase = |&(weight, mean): &(f64, f64)| {
            sum += weight;
            biased += weight * mean;
            Phase {
                mean,
                up_to: sum / total,
                biased_up_to: biased / biased_total,
            }
        };
        Law::Hyperexponential(phases.iter().map(phase).collect())
    }

    /// Observed values: (low, high, count) of each bar.
    pub(super) fn histogram(bars: &[(f64, f64, u64)]) -> Law {
        let weight = |&(low, high, count): &(f64, f64, u64)| count as f64 * 0.5 * (low + high);
        let biased_total: f64 = bars.iter().map(weight).sum();
        let (mut sum, mut biased) = (0, 0.0);
        let bar = |bar: &(f64, f64, u64)| {
            sum += bar.2;
            biased += weight(bar);
            Bar {
                low: bar.0,
                high: bar.1,
                up_to: sum,
                biased_up_to: biased / biased_total,
            }
        };
        Law::Histogram(bars.iter().map(bar).collect())
    }

    /// Draws a value.
    #[inline]
    pub(super) fn draw(&self, random: &mut RandomStream) -> f64 {
        match self {
            Law::Weibull { shape, scale } => {
                scale * special::power(special::exponential(random), 1.0 / shape)
            }
            Law::Lognormal { mu, sigma } => libm::exp(mu + sigma * special::normal(random)),
            Law::Gamma { shape, scale } => scale * special::gamma(*shape, random),
            Law::Exponential { mean } => mean * special::exponential(random),
            Law::Hyperexponential(phases) => {
                let u = random.uniform();
                let chosen = phases.iter().find(|phase| u < phase.up_to);
                chosen.unwrap_or(last(phases)).mean * special::exponential(random)
            }
            Law::Uniform { low, high } => random.between(*low, *high),
            Law::Fixed(value) => *value,
            Law::Histogram(bars) => {
                let rank = random.below(last(bars).up_to);
                let bar = bars[bars.partition_point(|bar| bar.up_to <= rank)];
                random.between(bar.low, bar.high)
            }
        }
    }

    /// Draws what is left, at an instant of a process that has run forever, of the interval that
    /// covers the instant.
    pub(super) fn draw_residual(&self, random: &mut RandomStream) -> f64 {
        let covering = match self {
            // x^k f(x) in terms of y = (x / scale)^k is y^(1/k) e^-y: a gamma density.
            Law::Weibull { shape, scale } => {
                let y = special::gamma(1.0 + 1.0 / shape, random);
                scale * special::power(y, 1.0 / shape)
            }
            Law::Lognormal { mu, sigma } => {
                libm::exp(mu + sigma * sigma + sigma * special::normal(random))
            }
            Law::Gamma { shape, scale } => scale * special::gamma(shape + 1.0, random),
            // No memory: what is left is as long as the whole.
            Law::Exponential { .. } => return self.draw(random),
            Law::Hyperexponential(phases) => {
                let u = random.uniform();
                let chosen = phases.iter().find(|phase| u < phase.biased_up_to);
                return chosen.unwrap_or(last(phases)).mean * special::exponential(random);
            }
            Law::Uniform { low, high } => length_biased(*low, *high, random),
            Law::Fixed(value) => *value,
            Law::Histogram(bars) => {
                let u = random.uniform();
                let chosen = bars.iter().find(|bar| u < bar.biased_up_to);
                let bar = chosen.unwrap_or(last(bars));
                length_biased(bar.low, bar.high, random)
            }
        };
        random.uniform() * covering
    }

    /// The mean.
    pub(super) fn mean(&self) -> f64 {
        match self {
            Law::Weibull { shape, scale } => scale * libm::tgamma(1.0 + 1.0 / shape),
            Law::Lognormal { mu, sigma } => libm::exp(mu + 0.5 * sigma * sigma),
            Law::Gamma { shape, scale } => shape * scale,
            Law::Exponential { mean } => *mean,
            Law::Hyperexponential(phases) => {
                weights(phases).map(|(weight, mean)| weight * mean).sum()
            }
            Law::Uniform { low, high } => 0.5 * (low + high),
            Law::Fixed(value) => *value,
            Law::Histogram(bars) => shares(bars).map(|(s, a, b)| s * 0.5 * (a + b)).sum(),
        }
    }

    /// The mean of the squares.
    pub(super) fn second_moment(&self) -> f64 {
        match self {
            Law::Weibull { shape, scale } => scale * scale * libm::tgamma(1.0 + 2.0 / shape),
            Law::Lognormal { mu, sigma } => libm::exp(2.0 * mu + 2.0 * sigma * sigma),
            Law::Gamma { shape, scale } => shape * (shape + 1.0) * scale * scale,
            Law::Exponential { mean } => 2.0 * mean * mean,
            Law::Hyperexponential(phases) => weights(phases)
                .map(|(weight, mean)| 2.0 * weight * mean * mean)
                .sum(),
            Law::Uniform { low, high } => square_between(*low, *high),
            Law::Fixed(value) => value * value,
            Law::Histogram(bars) => shares(bars).map(|(s, a, b)| s * square_between(a, b)).sum(),
        }
    }

    /// The probability of a value of at most `x`.
    pub(super) fn cdf(&self, x: f64) -> f64 {
        if x.is_nan() || x < 0.0 {
            return 0.0;
        }
        match self {
            Law::Weibull { shape, scale } => -libm::expm1(-libm::pow(x / scale, *shape)),
            Law::Lognormal { mu, sigma: 0.0 } => f64::from(u8::from(x >= libm::exp(*mu))),
            Law::Lognormal { mu, sigma } => special::normal_cdf((libm::log(x) - mu) / sigma),
            Law::Gamma { shape, scale } => special::gamma_cdf(*shape, x / scale),
            Law::Exponential { mean } => -libm::expm1(-x / mean),
            Law::Hyperexponential(phases) => weights(phases)
                .map(|(weight, mean)| weight * -libm::expm1(-x / mean))
                .sum(),
            Law::Uniform { low, high } => part_below(x, *low, *high),
            Law::Fixed(value) => f64::from(u8::from(x >= *value)),
            Law::Histogram(bars) => shares(bars).map(|(s, a, b)| s * part_below(x, a, b)).sum(),
        }
    }

    /// The value that is exceeded with probability `1 - p`.
    pub(super) fn quantile(&self, p: f64) -> f64 {
        let p = p.clamp(0.0, 1.0);
        match self {
            Law::Weibull { shape, scale } => scale * libm::pow(-libm::log1p(-p), 1.0 / shape),
            Law::Lognormal { mu, sigma: 0.0 } => libm::exp(*mu),
            Law::Lognormal { mu, sigma } => libm::exp(mu + sigma * special::normal_quantile(p)),
            Law::Exponential { mean } => mean * -libm::log1p(-p),
            Law::Gamma { .. } | Law::Hyperexponential(_) if p == 0.0 => 0.0,
            Law::Gamma { .. } | Law::Hyperexponential(_) if p == 1.0 => f64::INFINITY,
            Law::Gamma { .. } | Law::Hyperexponential(_) => special::inverse(|x| self.cdf(x), p),
            Law::Uniform { low, high } => low + p * (high - low),
            Law::Fixed(value) => *value,
            Law::Histogram(bars) => {
                let rank = p * last(bars).up_to as f64;
                let index = bars.partition_point(|bar| (bar.up_to as f64) < rank);
                let bar = bars.get(index).unwrap_or(last(bars));
                let before = index.checked_sub(1).map_or(0, |i| bars[i].up_to);
                let part = (rank - before as f64) / (bar.up_to - before) as f64;
                bar.low + part.clamp(0.0, 1.0) * (bar.high - bar.low)
            }
        }
    }
}

fn last<T>(parts: &[T]) -> &T {
    parts
        .last()
        .expect("a mixture or histogram has at least one part")
}

/// A value from `low` to `high` with a density proportional to the value.
fn length_biased(low: f64, high: f64, random: &mut RandomStream) -> f64 {
    (low * low + random.uniform() * (high * high - low * low)).sqrt()
}

/// The mean square of a value uniform from `low` to `high`.
fn square_between(low: f64, high: f64) -> f64 {
    (low * low + low * high + high * high) / 3.0
}

/// Which part of the interval from `low` to `high` lies below `x`.
fn part_below(x: f64, low: f64, high: f64) -> f64 {
    if x >= high {
        1.0
    } else {
        ((x - low) / (high - low)).max(0.0)
    }
}

/// The probability and mean of each phase.
fn weights(phases: &[Phase]) -> impl Iterator<Item = (f64, f64)> {
    let mut before = 0.0;
    phases.iter().map(move |phase| {
        let weight = phase.up_to - before;
        before = phase.up_to;
        (weight, phase.mean)
    })
}

/// The share and edges of each bar.
fn shares(bars: &[Bar]) -> impl Iterator<Item = (f64, f64, f64)> {
    let total = last(bars).up_to as f64;
    let mut before = 0;
    bars.iter().map(move |bar| {
        let count = bar.up_to - before;
        before = bar.up_to;
        (count as f64 / total, bar.low, bar.high)
    })
}
