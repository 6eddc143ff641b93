//! The families against another library, their own variates and the theory of renewals. Seeds are
//! fixed, so a test that passes always passes.

use super::*;
use crate::shared::quantity::{Bytes, Duration, Speed};
use kernel::{ActorId, Purpose};
use statrs::distribution as other;
use statrs::distribution::ContinuousCDF;

fn numbers(family: Family<f64>) -> Distribution<f64> {
    Distribution::new(family).expect("valid parameters")
}

fn weibull(shape: f64, scale: f64) -> Distribution<f64> {
    numbers(Family::Weibull { shape, scale })
}

fn lognormal(mu: f64, sigma: f64) -> Distribution<f64> {
    numbers(Family::Lognormal {
        mu,
        sigma,
        unit: None,
    })
}

fn gamma(shape: f64, scale: f64) -> Distribution<f64> {
    numbers(Family::Gamma { shape, scale })
}

fn hyperexponential(phases: &[(f64, f64)]) -> Distribution<f64> {
    let phase = |&(weight, mean): &(f64, f64)| WeightedMean { weight, mean };
    numbers(Family::Hyperexponential {
        phases: phases.iter().map(phase).collect(),
    })
}

fn histogram(bins: &[(f64, f64, u32)]) -> Distribution<f64> {
    let bin = |&(from, to, count): &(f64, f64, u32)| CountedBin { from, to, count };
    numbers(Family::Histogram {
        bins: bins.iter().map(bin).collect(),
    })
}

/// One or two of each family, heavy tails among them, whose distribution functions are continuous.
fn continuous() -> Vec<Distribution<f64>> {
    vec![
        weibull(0.393, 2.964),
        weibull(2.5, 3.0),
        lognormal(-0.586, 2.844),
        lognormal(1.0, 0.4),
        gamma(0.357, 43.652),
        gamma(1.0, 2.0),
        gamma(7.3, 0.5),
        numbers(Family::Exponential { mean: 16.0 }),
        hyperexponential(&[(0.338, 34.48), (0.390, 0.0332), (0.272, 0.9355)]),
        numbers(Family::Uniform {
            low: 0.75,
            high: 1.25,
        }),
        histogram(&[(0.0, 1.0, 3), (2.0, 5.0, 5), (5.0, 5.5, 2)]),
    ]
}

fn stream(purpose: u32) -> RandomStream {
    RandomStream::new(20_261_201, ActorId(0), Purpose(purpose))
}

fn sorted(draws: usize, mut draw: impl FnMut() -> f64) -> Vec<f64> {
    let mut values: Vec<f64> = (0..draws).map(|_| draw()).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// The largest difference between the values' empirical distribution and `cdf` at each of them,
/// times the square root of their number: above 1.95 once in a thousand (Kolmogorov and Smirnov).
fn kolmogorov_smirnov(values: &[f64], cdf: &[f64]) -> f64 {
    let n = values.len() as f64;
    let distance = |(i, &p): (usize, &f64)| (p - i as f64 / n).max((i + 1) as f64 / n - p);
    let largest = cdf.iter().enumerate().map(distance).fold(0.0, f64::max);
    largest * n.sqrt()
}

#[test]
fn draws_follow_the_distribution_function() {
    for (purpose, distribution) in continuous().into_iter().enumerate() {
        let mut random = stream(purpose as u32);
        let values = sorted(40_000, || distribution.sample(&mut random));
        let cdf: Vec<f64> = values.iter().map(|&x| distribution.cdf(x)).collect();
        let statistic = kolmogorov_smirnov(&values, &cdf);
        assert!(statistic < 1.95, "{:?}: {statistic}", distribution.family());
    }
}

#[test]
fn draws_follow_the_quantile_function() {
    // The largest difference between p and the part of the draws that lie at or below the quantile
    // of p, for every family, those with atoms among them: there the part below must not be larger
    // than p, nor that at or below smaller.
    let mut all = continuous();
    all.push(Distribution::fixed(8.0));
    all.push(histogram(&[(1.0, 1.0, 8), (2.0, 3.0, 35), (4.0, 4.0, 57)]));
    for (purpose, distribution) in all.into_iter().enumerate() {
        let mut random = stream(500 + purpose as u32);
        let values = sorted(40_000, || distribution.sample(&mut random));
        let n = values.len() as f64;
        let mut largest: f64 = 0.0;
        for step in 1..1_000 {
            let p = f64::from(step) / 1_000.0;
            let quantile = distribution.quantile(p);
            // A quantile is exact to some bits only.
            let below = values.partition_point(|&x| x < quantile * (1.0 - 1e-12)) as f64 / n;
            let at_most = values.partition_point(|&x| x <= quantile * (1.0 + 1e-12)) as f64 / n;
            largest = largest.max(below - p).max(p - at_most);
        }
        let statistic = largest * n.sqrt();
        assert!(statistic < 1.95, "{:?}: {statistic}", distribution.family());
    }
}

/// (1 / mean) times the integral of 1 - F from zero to each of the ascending `values`: the residual
/// life's distribution function. Between two values, Simpson's rule on parts of equal ratio.
fn integrated_tail(distribution: &Distribution<f64>, values: &[f64]) -> Vec<f64> {
    let survival = |x: f64| 1.0 - distribution.cdf(x);
    let (mut sum, mut before) = (0.0, 0.0);
    let mut result = Vec::new();
    for &value in values {
        let mut low: f64 = before;
        for part in 1..=16 {
            let part = f64::from(part) / 16.0;
            let high = if before == 0.0 {
                value * part
            } else {
                before * libm::pow(value / before, part)
            };
            let middle = 0.5 * (low + high);
            sum += (high - low) / 6.0 * (survival(low) + 4.0 * survival(middle) + survival(high));
            low = high;
        }
        before = value;
        result.push(sum / distribution.mean());
    }
    result
}

#[test]
fn residual_lives_follow_the_integrated_tail() {
    for (purpose, distribution) in continuous().into_iter().enumerate() {
        let mut random = stream(100 + purpose as u32);
        let values = sorted(10_000, || distribution.sample_residual(&mut random));
        let statistic = kolmogorov_smirnov(&values, &integrated_tail(&distribution, &values));
        assert!(statistic < 1.95, "{:?}: {statistic}", distribution.family());
    }
    let fixed = Distribution::fixed(8.0);
    let mut random = stream(200);
    let values = sorted(10_000, || fixed.sample_residual(&mut random));
    let cdf: Vec<f64> = values.iter().map(|x| x / 8.0).collect();
    assert!(kolmogorov_smirnov(&values, &cdf) < 1.95);
}

/// The mean of draws, and five times its standard error.
fn mean_of(draws: u32, mut draw: impl FnMut() -> f64) -> (f64, f64) {
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..draws {
        let value = draw();
        sum += value;
        squares += value * value;
    }
    let n = f64::from(draws);
    let mean = sum / n;
    (mean, 5.0 * ((squares / n - mean * mean) / n).sqrt())
}

#[test]
fn means_of_draws_and_of_residual_lives_are_those_of_the_formulas() {
    // Light enough tails that a sample's mean says something.
    let light = [
        weibull(0.8, 3.0),
        lognormal(0.5, 0.6),
        gamma(0.5, 4.0),
        numbers(Family::Exponential { mean: 16.0 }),
        hyperexponential(&[(1.0, 5.0), (3.0, 1.0)]),
        numbers(Family::Uniform {
            low: 0.75,
            high: 1.25,
        }),
        histogram(&[(0.0, 1.0, 3), (2.0, 5.0, 5), (7.0, 7.0, 2)]),
    ];
    for (purpose, distribution) in light.into_iter().enumerate() {
        let mut random = stream(300 + purpose as u32);
        let (mean, margin) = mean_of(100_000, || distribution.sample(&mut random));
        let expected = distribution.mean();
        assert!(
            (mean - expected).abs() < margin,
            "{:?}: {mean}",
            distribution.family()
        );
        let (mean, margin) = mean_of(100_000, || distribution.sample_residual(&mut random));
        let expected = distribution.mean_residual();
        assert!(
            (mean - expected).abs() < margin,
            "{:?}: {mean}",
            distribution.family()
        );
    }
}

#[test]
fn moments_worked_by_hand() {
    // E[X^2] / (2 E[X]) of a fixed interval is half of it; of the uniform from 0 to 6, 12 / 6.
    assert_eq!(Distribution::fixed(8.0).mean_residual(), 4.0);
    let uniform = numbers(Family::Uniform {
        low: 0.0,
        high: 6.0,
    });
    assert_eq!((uniform.mean(), uniform.mean_residual()), (3.0, 2.0));
    let exponential = numbers(Family::Exponential { mean: 5.0 });
    assert_eq!(exponential.mean_residual(), 5.0);
    // A quarter with mean 5, three quarters with mean 1: 2, and (2 * 25 / 4 + 2 * 3 / 4) / 4.
    let mixed = hyperexponential(&[(1.0, 5.0), (3.0, 1.0)]);
    assert_eq!((mixed.mean(), mixed.mean_residual()), (2.0, 3.5));
    // Published for hosts of SETI@home, in hours: means 10.35 and 31.8, medians 1.17 and 0.56.
    let (on, off) = (weibull(0.393, 2.964), lognormal(-0.586, 2.844));
    assert!((on.mean() - 10.35).abs() < 0.005 && (off.mean() - 31.76).abs() < 0.005);
    assert!((on.quantile(0.5) - 1.17).abs() < 0.005 && (off.quantile(0.5) - 0.56).abs() < 0.005);
    // And for their lifetimes, in days: mean 212.6, median 71.8.
    let lifetime = weibull(0.58, 135.0);
    assert!((lifetime.mean() - 212.6).abs() < 0.05 && (lifetime.quantile(0.5) - 71.8).abs() < 0.05);
}

#[test]
fn distribution_functions_and_moments_agree_with_another_library() {
    fn check<L>(ours: &Distribution<f64>, theirs: &L)
    where
        L: ContinuousCDF<f64, f64> + statrs::statistics::Distribution<f64>,
    {
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1e-3);
        for x in [1e-9, 1e-3, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0, 300.0, 1e5] {
            let (a, b) = (ours.cdf(x), theirs.cdf(x));
            assert!(close(a, b), "{:?} at {x}: {a} is not {b}", ours.family());
        }
        let (a, b) = (ours.mean(), theirs.mean().expect("a mean"));
        assert!(close(a, b), "{:?}: mean {a} is not {b}", ours.family());
        let (a, b) = (
            ours.standard_deviation(),
            theirs.std_dev().expect("a deviation"),
        );
        assert!(close(a, b), "{:?}: deviation {a} is not {b}", ours.family());
    }
    let valid = "valid parameters";
    for (shape, scale) in [(0.393, 2.964), (2.5, 3.0)] {
        check(
            &weibull(shape, scale),
            &other::Weibull::new(shape, scale).expect(valid),
        );
    }
    for (mu, sigma) in [(-0.586, 2.844), (1.0, 0.4)] {
        check(
            &lognormal(mu, sigma),
            &other::LogNormal::new(mu, sigma).expect(valid),
        );
    }
    for (shape, scale) in [(0.357, 43.652), (7.3, 0.5)] {
        check(
            &gamma(shape, scale),
            &other::Gamma::new(shape, 1.0 / scale).expect(valid),
        );
    }
    let exponential = numbers(Family::Exponential { mean: 16.0 });
    check(&exponential, &other::Exp::new(1.0 / 16.0).expect(valid));
    let uniform = numbers(Family::Uniform {
        low: 0.75,
        high: 1.25,
    });
    check(&uniform, &other::Uniform::new(0.75, 1.25).expect(valid));
}

#[test]
fn quantiles_invert_the_distribution_function() {
    for distribution in continuous() {
        for p in [0.001, 0.05, 0.25, 0.5, 0.75, 0.95, 0.999] {
            let back = distribution.cdf(distribution.quantile(p));
            assert!(
                (back - p).abs() < 1e-9,
                "{:?}: {p} became {back}",
                distribution.family()
            );
        }
        assert!(distribution.quantile(0.0) >= 0.0);
        assert!(distribution.quantile(1.0) > distribution.quantile(0.999));
    }
    assert_eq!(Distribution::fixed(8.0).quantile(0.3), 8.0);
}

#[test]
fn a_histogram_is_drawn_with_exactly_the_observed_frequencies() {
    // In any order, and with an empty bin, as people write them.
    let observed = histogram(&[
        (8.0, 8.0, 13),
        (1.0, 1.0, 8),
        (3.0, 3.0, 0),
        (2.0, 2.0, 22),
        (4.0, 4.0, 57),
    ]);
    let mut random = stream(400);
    let mut counts = [0u32; 9];
    let draws = 100_000;
    for _ in 0..draws {
        counts[observed.sample(&mut random) as usize] += 1;
    }
    let chi2: f64 = [(1, 8.0), (2, 22.0), (4, 57.0), (8, 13.0)]
        .iter()
        .map(|&(value, percent)| {
            let expected = f64::from(draws) * percent / 100.0;
            let deviation = f64::from(counts[value]) - expected;
            deviation * deviation / expected
        })
        .sum();
    assert!(
        chi2 < 16.3,
        "99.9 % quantile with 3 degrees of freedom: {chi2}"
    );
    assert_eq!(
        counts.iter().sum::<u32>(),
        counts[1] + counts[2] + counts[4] + counts[8]
    );
    assert!((observed.cdf(4.0) - 0.87).abs() < 1e-12);
    assert_eq!(observed.quantile(0.5), 4.0);
}

#[test]
fn the_same_distribution_serves_durations_bytes_speeds_and_numbers() {
    let read = |text: &str| serde_json::from_str::<Distribution<Duration>>(text);
    let on = read(r#"{"distribution": "weibull", "shape": 0.393, "scale": "2.964 h"}"#);
    assert!((on.expect("valid").mean() / 3_600.0 - 10.35).abs() < 0.005);
    let off = r#"{"distribution": "lognormal", "mu": -0.586, "sigma": 2.844, "unit": "h"}"#;
    assert!((read(off).expect("valid").mean() / 3_600.0 - 31.76).abs() < 0.005);
    let always = read(r#""7 s""#).expect("a duration");
    assert_eq!(always.sample(&mut stream(0)).to_string(), "7 s");

    let mixture = r#"{"distribution": "hyperexponential", "phases":
        [{"weight": 1, "mean": "1 MB"}, {"weight": 3, "mean": "5 MB"}]}"#;
    let sizes: Distribution<Bytes> = serde_json::from_str(mixture).expect("valid");
    assert!((sizes.mean() - 4e6).abs() < 1e-6);
    let clipped = r#"{"distribution": "uniform", "low": "1 GFLOPS", "high": "3 GFLOPS"}"#;
    let speeds: Distribution<Speed> = serde_json::from_str(clipped).expect("valid");
    assert_eq!(speeds.quantile(0.5).gflops(), 2.0);
    let number: Distribution<f64> = serde_json::from_str("2").expect("a number");
    assert_eq!(number.mean(), 2.0);
}

#[test]
fn what_is_written_reads_back_as_the_same() {
    for distribution in continuous() {
        let text = serde_json::to_string(&distribution).expect("it can be written");
        let read: Distribution<f64> = serde_json::from_str(&text).expect("what was written");
        assert_eq!(read, distribution);
    }
    let fixed: Distribution<Duration> = serde_json::from_str(r#""36 h""#).expect("a duration");
    assert_eq!(
        serde_json::to_string(&fixed).expect("it can be written"),
        r#""36 h""#
    );
}

#[test]
fn errors_name_the_key_and_what_would_be_right() {
    let cases = [
        (
            r#"{"distribution": "weibull", "shape": -1, "scale": "1 h"}"#,
            "`shape` of a weibull",
        ),
        (
            r#"{"distribution": "weibull", "shape": 1, "scale": "0 h"}"#,
            "`scale` of a weibull",
        ),
        (
            r#"{"distribution": "weibull", "shape": 1, "scale": 3}"#,
            "`3` has no unit",
        ),
        (r#"{"distribution": "weibull", "shape": 1}"#, "`scale`"),
        (
            r#"{"distribution": "weibull", "shape": 1, "scale": "1 h", "mean": "1 h"}"#,
            "`mean`",
        ),
        (
            r#"{"distribution": "weibul", "shape": 1, "scale": "1 h"}"#,
            "`weibull`",
        ),
        (
            r#"{"distribution": "weibull", "shape": 0.001, "scale": "1 h"}"#,
            "no finite mean",
        ),
        (
            r#"{"distribution": "lognormal", "mu": 0, "sigma": 1}"#,
            "lacks its `unit`",
        ),
        (
            r#"{"distribution": "lognormal", "mu": 0, "sigma": 1, "unit": "MB"}"#,
            "min, h, d",
        ),
        (
            r#"{"distribution": "lognormal", "mu": 0, "sigma": -1, "unit": "h"}"#,
            "`sigma`",
        ),
        (
            r#"{"distribution": "hyperexponential", "phases": []}"#,
            "`phases`",
        ),
        (
            r#"{"distribution": "uniform", "low": "2 h", "high": "1 h"}"#,
            "not below `low`",
        ),
        (r#"{"distribution": "histogram", "bins": []}"#, "`bins`"),
        (
            r#"{"distribution": "histogram", "bins": [{"from": "0 h", "to": "2 h", "count": 0}]}"#,
            "at least one count",
        ),
        (
            r#"{"distribution": "histogram", "bins": [{"from": "0 h", "to": "2 h", "count": 1},
                {"from": "1 h", "to": "3 h", "count": 1}]}"#,
            "`from` of a histogram",
        ),
        (r#"{"shape": 1}"#, "`distribution`"),
        ("true", "a table with a `distribution`"),
        ("7", "`7` has no unit"),
    ];
    for (text, expected) in cases {
        let error = serde_json::from_str::<Distribution<Duration>>(text).expect_err(text);
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
    let negative = serde_json::from_str::<Distribution<f64>>("-2").expect_err("negative");
    assert!(
        negative
            .to_string()
            .contains("`value` of a fixed distribution is -2")
    );
}

#[test]
fn the_first_draws_are_those_of_every_version_and_machine() {
    // Golden values, in bits: a change here changes every published result.
    let drawn: Vec<u64> = continuous()
        .iter()
        .map(|distribution| distribution.sample(&mut stream(0)).to_bits())
        .collect();
    assert_eq!(drawn, GOLDEN);
}

const GOLDEN: [u64; 11] = [
    4_624_571_864_111_511_857,
    4_615_889_050_741_151_931,
    4_629_815_470_229_580_407,
    4_617_116_321_839_459_848,
    4_599_620_377_959_970_979,
    4_617_666_287_928_078_322,
    4_618_146_844_781_330_531,
    4_629_186_149_840_246_384,
    4_623_496_065_363_351_809,
    4_605_613_842_806_522_205,
    4_604_357_005_317_316_783,
];
