//! The special functions that distributions need, the same on every machine.
//!
//! Only `libm` and the four operations are used, so results are the same bits everywhere. The
//! variates of `rand_distr` are not: its logarithms become the platform's as soon as any crate of
//! the build turns on `num-traits/std`, which happens without anyone noticing.

use kernel::RandomStream;
use rand::Rng;

/// The largest relative error we care about in iterations.
const PRECISION: f64 = 1e-15;

/// The standard normal distribution function.
pub(super) fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

/// The standard normal quantile, to about 16 digits (Wichura, algorithm AS 241, Applied Statistics
/// 37:477, 1988).
pub(super) fn normal_quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * polynomial(&CENTRE_ABOVE, r) / polynomial(&CENTRE_BELOW, r);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    let r = (-libm::log(tail)).sqrt();
    let z = if r <= 5.0 {
        polynomial(&MIDDLE_ABOVE, r - 1.6) / polynomial(&MIDDLE_BELOW, r - 1.6)
    } else if r.is_finite() {
        polynomial(&TAIL_ABOVE, r - 5.0) / polynomial(&TAIL_BELOW, r - 5.0)
    } else {
        f64::INFINITY
    };
    if q < 0.0 { -z } else { z }
}

/// A standard normal variate, by inversion: one draw, no rejection, no tables.
///
/// One random bit is the sign and 53 are a probability in (0, 1/2], so both tails reach 8.2
/// standard deviations.
#[inline]
pub(super) fn normal(random: &mut RandomStream) -> f64 {
    let bits = random.next_u64();
    let probability = ((bits >> 11) + 1) as f64 * (1.0 / (1u64 << 54) as f64);
    let z = normal_quantile(probability);
    // The lowest bits are not part of the probability.
    if bits & 1 == 0 { z } else { -z }
}

/// An exponential variate of mean one, by inversion.
#[inline]
pub(super) fn exponential(random: &mut RandomStream) -> f64 {
    -libm::log(random.uniform_positive())
}

/// A power of a positive number, to a few units of the 14th digit: enough for a variate, and twice
/// as fast as the correctly rounded one.
#[inline]
pub(super) fn power(base: f64, exponent: f64) -> f64 {
    libm::exp(exponent * libm::log(base))
}

/// A gamma variate of scale one (Marsaglia and Tsang, ACM TOMS 26:363, 2000); a shape below one is
/// drawn as a larger one and shrunk by a power of a uniform number, as they advise.
pub(super) fn gamma(shape: f64, random: &mut RandomStream) -> f64 {
    if shape < 1.0 {
        let shrink = power(random.uniform_positive(), 1.0 / shape);
        return gamma(shape + 1.0, random) * shrink;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(random);
        let root = 1.0 + c * x;
        if root <= 0.0 {
            continue;
        }
        let v = root * root * root;
        let u = random.uniform_positive();
        let x2 = x * x;
        if u < 1.0 - 0.0331 * x2 * x2 || libm::log(u) < 0.5 * x2 + d * (1.0 - v + libm::log(v)) {
            return d * v;
        }
    }
}

/// The gamma distribution function of scale one: the regularised lower incomplete gamma function,
/// by its series below `shape + 1` and by Lentz's continued fraction above (Numerical Recipes, 6.2).
pub(super) fn gamma_cdf(shape: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x.is_infinite() {
        return 1.0;
    }
    let weight = libm::exp(shape * libm::log(x) - x - libm::lgamma(shape));
    if x < shape + 1.0 {
        let (mut term, mut sum, mut n) = (1.0 / shape, 1.0 / shape, shape);
        while term > sum * PRECISION {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return sum * weight;
    }
    let tiny = f64::MIN_POSITIVE / PRECISION;
    let mut b = x + 1.0 - shape;
    let (mut c, mut d) = (1.0 / tiny, 1.0 / b);
    let mut h = d;
    for i in 1..100_000 {
        let i = f64::from(i);
        let a = -i * (i - shape);
        b += 2.0;
        d = 1.0 / away_from_zero(a * d + b, tiny);
        c = away_from_zero(b + a / c, tiny);
        h *= d * c;
        if (d * c - 1.0).abs() < PRECISION {
            break;
        }
    }
    1.0 - weight * h
}

fn away_from_zero(value: f64, tiny: f64) -> f64 {
    if value.abs() < tiny { tiny } else { value }
}

/// The argument at which a rising function of positive numbers reaches `level`, by halving the
/// interval of its logarithm until two neighbouring numbers are left.
pub(super) fn inverse(rising: impl Fn(f64) -> f64, level: f64) -> f64 {
    let (mut low, mut high) = (f64::MIN_POSITIVE.to_bits(), f64::MAX.to_bits());
    // The bits of positive numbers are ordered like the numbers.
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if rising(f64::from_bits(middle)) < level {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::from_bits(high)
}

/// The polynomial with these coefficients, the constant first.
#[inline]
fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

// The coefficients of AS 241 (PPND16), numerator above and denominator below.
const CENTRE_ABOVE: [f64; 8] = [
    3.387_132_872_796_366_5,
    133.141_667_891_784_38,
    1_971.590_950_306_551_3,
    13_731.693_765_509_46,
    45_921.953_931_549_87,
    67_265.770_927_008_7,
    33_430.575_583_588_13,
    2_509.080_928_730_122_7,
];
const CENTRE_BELOW: [f64; 8] = [
    1.0,
    42.313_330_701_600_91,
    687.187_007_492_057_9,
    5_394.196_021_424_751,
    21_213.794_301_586_597,
    39_307.895_800_092_71,
    28_729.085_735_721_943,
    5_226.495_278_852_854,
];
const MIDDLE_ABOVE: [f64; 8] = [
    1.423_437_110_749_683_5,
    4.630_337_846_156_546,
    5.769_497_221_460_691,
    3.647_848_324_763_204_5,
    1.270_458_252_452_368_4,
    0.241_780_725_177_450_6,
    0.022_723_844_989_269_184,
    7.745_450_142_783_414e-4,
];
const MIDDLE_BELOW: [f64; 8] = [
    1.0,
    2.053_191_626_637_759,
    1.676_384_830_183_803_8,
    0.689_767_334_985_1,
    0.148_103_976_427_480_08,
    0.015_198_666_563_616_457,
    5.475_938_084_995_345e-4,
    1.050_750_071_644_416_9e-9,
];
const TAIL_ABOVE: [f64; 8] = [
    6.657_904_643_501_103,
    5.463_784_911_164_114,
    1.784_826_539_917_291_3,
    0.296_560_571_828_504_87,
    0.026_532_189_526_576_124,
    0.001_242_660_947_388_078_4,
    2.711_555_568_743_487_6e-5,
    2.010_334_399_292_288_1e-7,
];
const TAIL_BELOW: [f64; 8] = [
    1.0,
    0.599_832_206_555_888,
    0.136_929_880_922_735_8,
    0.014_875_361_290_850_615,
    7.868_691_311_456_133e-4,
    1.846_318_317_510_054_8e-5,
    1.421_511_758_316_446e-7,
    2.044_263_103_389_939_8e-15,
];

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{ContinuousCDF, Gamma, Normal};

    fn check(what: &str, ours: f64, theirs: f64) {
        let error = (ours - theirs).abs();
        assert!(
            error <= 1e-10 * theirs.abs().max(1e-3),
            "{what}: {ours} is not {theirs}"
        );
    }

    #[test]
    fn the_normal_distribution_agrees_with_another_library() {
        let normal = Normal::standard();
        for step in -80..=80 {
            let z = f64::from(step) / 10.0;
            check("distribution function", normal_cdf(z), normal.cdf(z));
            // Above, 1 - p has lost what distinguishes one z from the next.
            if z < 5.0 {
                check("quantile", normal_quantile(normal_cdf(z)), z);
            }
        }
        // Published: the 97.5 % quantile.
        check("97.5 %", normal_quantile(0.975), 1.959_963_984_540_054);
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
    }

    #[test]
    fn the_gamma_distribution_agrees_with_another_library() {
        for shape in [0.05, 0.357, 0.9, 1.0, 1.7, 3.5445, 40.0, 900.0] {
            let theirs = Gamma::new(shape, 1.0).expect("a valid shape");
            for factor in [1e-6, 0.01, 0.3, 0.9, 1.0, 1.1, 2.0, 5.0, 20.0] {
                let x = shape * factor;
                check("distribution function", gamma_cdf(shape, x), theirs.cdf(x));
            }
        }
    }

    #[test]
    fn an_inverse_finds_its_way_back() {
        let rising = |x: f64| gamma_cdf(0.357, x);
        for x in [1e-12, 0.003, 0.4, 7.0] {
            check("inverse", inverse(rising, rising(x)), x);
        }
    }
}
