//! How is a quantity distributed whose values change?
//!
//! A member whose value changes is taken out of one bin and put into another, so that at the end
//! everybody stands where he is then. Bins are a tenth of a decade wide, and found with integers
//! only.

use serde::{Deserialize, Serialize};

use crate::shared::results::{Bin, Distribution};

/// A histogram from which values may be taken back.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct MovingHistogram {
    /// Below zero where another part of the run, merged later, has put in what was taken out here.
    counts: Vec<i64>,
    sum: i128,
}

/// Ten steps to a decade, in billionths: 10^(k/10).
const STEPS: [u64; 10] = [
    1_000_000_000,
    1_258_925_412,
    1_584_893_192,
    1_995_262_315,
    2_511_886_432,
    3_162_277_660,
    3_981_071_706,
    5_011_872_336,
    6_309_573_445,
    7_943_282_347,
];
const STEPS_TO_A_DECADE: usize = STEPS.len();

impl MovingHistogram {
    /// Puts a value in.
    #[inline]
    pub fn add(&mut self, value: u64) {
        self.change(value, 1);
    }

    /// Takes back a value that was put in.
    #[inline]
    pub fn take_back(&mut self, value: u64) {
        self.change(value, -1);
    }

    /// Takes over what another has counted.
    pub fn merge(&mut self, other: &MovingHistogram) {
        for (bin, count) in other.counts.iter().enumerate() {
            *super::at(&mut self.counts, bin) += count;
        }
        self.sum += other.sum;
    }

    /// How many values are in it.
    pub fn count(&self) -> u64 {
        self.counts().sum()
    }

    /// Their exact mean; zero if there are none.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count().max(1) as f64
    }

    /// The value below which a part `p` lies, evenly within its bin.
    pub fn quantile(&self, p: f64) -> f64 {
        let wanted = self.count() as f64 * p;
        let mut below = 0.0;
        for (bin, count) in self.counts().enumerate() {
            let count = count as f64;
            if count > 0.0 && below + count >= wanted {
                let part = ((wanted - below) / count).clamp(0.0, 1.0);
                return lower_edge(bin) + part * (lower_edge(bin + 1) - lower_edge(bin));
            }
            below += count;
        }
        0.0
    }

    /// The figures for a report, in units each of which is `size` of those that were counted. The
    /// largest value is known only by its bin.
    pub fn distribution(&self, (name, title, unit): (&str, &str, &str), size: f64) -> Distribution {
        const PROBABILITIES: [f64; 9] = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];
        let first = self.counts().position(|count| count > 0).unwrap_or(0);
        let last = self.counts().collect::<Vec<_>>();
        let last = last.iter().rposition(|&count| count > 0);
        let bins = self
            .counts()
            .enumerate()
            .skip(first)
            .map(|(bin, count)| Bin {
                low: lower_edge(bin) / size,
                high: lower_edge(bin + 1) / size,
                count,
            });
        Distribution {
            name: name.to_owned(),
            title: title.to_owned(),
            unit: unit.to_owned(),
            count: self.count(),
            mean: self.mean() / size,
            max: last.map_or(0.0, |bin| lower_edge(bin + 1) / size),
            bins: bins.take(last.map_or(0, |last| last + 1 - first)).collect(),
            quantiles: match last {
                Some(_) => PROBABILITIES.map(|p| (p, self.quantile(p) / size)).to_vec(),
                None => Vec::new(),
            },
        }
    }

    #[inline]
    fn change(&mut self, value: u64, by: i64) {
        *super::at(&mut self.counts, bin_of(value)) += by;
        self.sum += i128::from(by) * i128::from(value);
    }

    fn counts(&self) -> impl Iterator<Item = u64> {
        let count = |&count: &i64| {
            u64::try_from(count).expect("no more values are taken back than were put in")
        };
        self.counts.iter().map(count)
    }
}

/// Bin 0 holds zero; then come ten bins to a decade, from one on.
fn bin_of(value: u64) -> usize {
    let Some(decade) = value.checked_ilog10() else {
        return 0;
    };
    let fine = u128::from(value) * u128::from(STEPS[0]);
    let size = 10_u128.pow(decade);
    let step = STEPS.partition_point(|&step| u128::from(step) * size <= fine);
    STEPS_TO_A_DECADE * decade as usize + step
}

fn lower_edge(bin: usize) -> f64 {
    let Some(bin) = bin.checked_sub(1) else {
        return 0.0;
    };
    let (decade, step) = (bin / STEPS_TO_A_DECADE, bin % STEPS_TO_A_DECADE);
    STEPS[step] as f64 / STEPS[0] as f64 * 10_u128.pow(decade as u32) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_between_the_edges_of_its_bin() {
        let values = [
            0,
            1,
            2,
            9,
            10,
            11,
            99,
            100,
            126,
            12_589,
            999_999_999,
            u64::MAX,
        ];
        for value in values {
            let bin = bin_of(value);
            assert!(lower_edge(bin) <= value as f64, "{value} in {bin}");
            assert!(value as f64 <= lower_edge(bin + 1), "{value} in {bin}");
        }
        assert_eq!((bin_of(1), bin_of(10), bin_of(100)), (1, 11, 21));
    }

    #[test]
    fn who_moves_is_counted_where_he_is_last() {
        let mut ages = MovingHistogram::default();
        ages.add(5);
        ages.add(700);
        ages.take_back(5);
        ages.add(50);
        let distribution = ages.distribution(("n", "N", "s"), 10.0);
        assert_eq!((distribution.count, distribution.mean), (2, 37.5));
        let full: Vec<_> = distribution
            .bins
            .iter()
            .filter(|bin| bin.count > 0)
            .collect();
        assert_eq!(full.len(), 2);
        assert!(full[0].low <= 5.0 && 5.0 < full[0].high);
        assert!(full[1].low <= 70.0 && 70.0 < full[1].high);
    }

    #[test]
    fn what_one_part_takes_back_another_may_have_put_in() {
        let (mut one, mut other) = (MovingHistogram::default(), MovingHistogram::default());
        one.take_back(40);
        one.add(80);
        other.add(40);
        other.merge(&one);
        assert_eq!((other.count(), other.mean()), (1, 80.0));
        assert_eq!(
            MovingHistogram::default()
                .distribution(("n", "N", "s"), 1.0)
                .count,
            0
        );
    }
}
