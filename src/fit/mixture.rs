//! Which two exponentials make these values most likely, and in which mixture?
//!
//! Expectation and maximisation (A. P. Dempster, N. M. Laird, D. B. Rubin, 1977): how likely is each value
//! of the first part, given the present parameters; and which parameters are the most likely, given that.
//! The likelihood never falls. It may end on a hill that is not the highest, so several starts are tried.

use super::families::Family;

/// Where the values are cut in two for a start, as a part of them.
const STARTS: [f64; 3] = [0.2, 0.5, 0.85];
/// So many rounds at most.
const MOST_ROUNDS: usize = 2_000;
/// A gain per value below this ends the climb.
const LEAST_GAIN: f64 = 1e-10;

/// The most likely mixture of two, if there is one; `values` are ascending.
pub(super) fn hyperexponential(values: &[f64]) -> Option<Family> {
    if values.len() < 4 {
        return None;
    }
    let starts = STARTS.iter().map(|&cut| climb(values, start(values, cut)));
    let best = starts
        .filter(|(likelihood, _)| likelihood.is_finite())
        .max_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, parts)| {
        let (weight, short, long) = parts;
        if short <= long {
            Family::Hyperexponential {
                weight,
                short,
                long,
            }
        } else {
            Family::Hyperexponential {
                weight: 1.0 - weight,
                short: long,
                long: short,
            }
        }
    })
}

fn start(values: &[f64], cut: f64) -> (f64, f64, f64) {
    let at = ((values.len() as f64 * cut) as usize).clamp(1, values.len() - 1);
    let mean = |part: &[f64]| {
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        mean.max(f64::MIN_POSITIVE)
    };
    (cut, mean(&values[..at]), mean(&values[at..]))
}

fn climb(values: &[f64], start: (f64, f64, f64)) -> (f64, (f64, f64, f64)) {
    let count = values.len() as f64;
    let (mut weight, mut first, mut second) = start;
    let mut likelihood = f64::NEG_INFINITY;
    for _ in 0..MOST_ROUNDS {
        let (mut of_first, mut sum_first, mut sum_second, mut now) = (0.0, 0.0, 0.0, 0.0);
        for &value in values {
            let one = weight / first * (-value / first).exp();
            let other = (1.0 - weight) / second * (-value / second).exp();
            let all = one + other;
            let share = if all > 0.0 { one / all } else { 0.0 };
            of_first += share;
            sum_first += share * value;
            sum_second += (1.0 - share) * value;
            now += all.max(f64::MIN_POSITIVE).ln();
        }
        let is_degenerate = of_first < 1e-9 * count || of_first > (1.0 - 1e-9) * count;
        if is_degenerate || now - likelihood < LEAST_GAIN * count {
            likelihood = likelihood.max(now);
            break;
        }
        likelihood = now;
        weight = of_first / count;
        first = (sum_first / of_first).max(f64::MIN_POSITIVE);
        second = (sum_second / (count - of_first)).max(f64::MIN_POSITIVE);
    }
    (likelihood, (weight, first, second))
}
