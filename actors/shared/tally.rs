//! How does an observer count?
//!
//! In integers, so that the order of merging does not matter and results are the same bits on any
//! number of threads. Events are counted per interval, levels (how many hosts are active) are kept
//! as steps up and down, durations go into bins of 1 % width or less. Figures for people come out
//! at the end, as [`Series`] and [`Distribution`].

use hdrhistogram::Histogram;
use kernel::{SimDuration, SimTime};
use serde::{Deserialize, Serialize};

use crate::shared::results::{Bin, Distribution, Series};

mod census;
mod moving;

pub use census::Census;
pub use moving::MovingHistogram;

/// Something that happens now and then, counted per interval of simulated time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CountSeries {
    interval: SimDuration,
    counts: Vec<u64>,
}

impl CountSeries {
    /// Nothing counted yet, in intervals of this length.
    ///
    /// # Panics
    /// If the interval is zero.
    pub fn new(interval: SimDuration) -> Self {
        assert!(
            interval > SimDuration::ZERO,
            "counts are taken over an interval"
        );
        CountSeries {
            interval,
            counts: Vec::new(),
        }
    }

    /// Counts `amount` more (events, bytes, ...) at `time`. An interval includes its start and not
    /// its end.
    #[inline]
    pub fn add(&mut self, time: SimTime, amount: u64) {
        let index = (time.nanos() / self.interval.nanos()) as usize;
        *at(&mut self.counts, index) += amount;
    }

    /// Takes over what another has counted.
    ///
    /// # Panics
    /// If its intervals are not of the same length.
    pub fn merge(&mut self, other: &CountSeries) {
        assert_eq!(
            self.interval, other.interval,
            "series of one interval are merged"
        );
        for (index, count) in other.counts.iter().enumerate() {
            *at(&mut self.counts, index) += count;
        }
    }

    /// All that was counted.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The most that was counted in one interval.
    pub fn peak(&self) -> u64 {
        self.counts.iter().copied().max().unwrap_or(0)
    }

    /// The length of the intervals.
    pub fn interval(&self) -> SimDuration {
        self.interval
    }

    /// What was counted before `time`, which is rounded up to the end of an interval.
    pub fn total_before(&self, time: SimTime) -> u64 {
        let intervals = time.nanos().div_ceil(self.interval.nanos()) as usize;
        self.counts.iter().take(intervals).sum()
    }

    /// Counts per interval up to `end`, each at the end of its interval.
    pub fn per_interval(&self, end: SimTime, name: &str, title: &str, unit: &str) -> Series {
        let count = |index: usize| self.counts.get(index).copied().unwrap_or(0);
        self.series(end, (name, title, unit), count)
    }

    /// The sum of the counts up to the end of each interval up to `end`.
    pub fn cumulative(&self, end: SimTime, name: &str, title: &str, unit: &str) -> Series {
        let mut sum = 0;
        self.series(end, (name, title, unit), |index| {
            sum += self.counts.get(index).copied().unwrap_or(0);
            sum
        })
    }

    fn series(
        &self,
        end: SimTime,
        names: (&str, &str, &str),
        mut value: impl FnMut(usize) -> u64,
    ) -> Series {
        let intervals = end.nanos().div_ceil(self.interval.nanos()) as usize;
        let step = self.interval.as_secs_f64();
        // The last interval may be cut short by the end.
        let time = |index: usize| (step * (index + 1) as f64).min(end.as_secs_f64());
        named(
            names,
            (0..intervals).map(time).collect(),
            (0..intervals).map(|index| value(index) as f64).collect(),
        )
    }
}

/// How many of something there are, known by its steps up and down.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LevelSeries {
    interval: SimDuration,
    /// The sum of the steps after the last sample and up to each sample, both times whole
    /// multiples of the interval.
    steps: Vec<i64>,
    /// The sum of all steps, and the sum of steps times their nanoseconds: enough for the exact mean.
    sum: i128,
    moment: i128,
}

impl LevelSeries {
    /// A level of zero, to be sampled at every multiple of this interval.
    ///
    /// # Panics
    /// If the interval is zero.
    pub fn new(interval: SimDuration) -> Self {
        assert!(
            interval > SimDuration::ZERO,
            "levels are sampled at an interval"
        );
        LevelSeries {
            interval,
            steps: Vec::new(),
            sum: 0,
            moment: 0,
        }
    }

    /// The level changes by `step` at `time`; a sample at the same instant sees the change.
    #[inline]
    pub fn step(&mut self, time: SimTime, step: i64) {
        let index = time.nanos().div_ceil(self.interval.nanos()) as usize;
        *at(&mut self.steps, index) += step;
        self.sum += i128::from(step);
        self.moment += i128::from(step) * i128::from(time.nanos());
    }

    /// Takes over the steps of another.
    ///
    /// # Panics
    /// If its samples are not taken at the same interval.
    pub fn merge(&mut self, other: &LevelSeries) {
        assert_eq!(
            self.interval, other.interval,
            "series of one interval are merged"
        );
        for (index, step) in other.steps.iter().enumerate() {
            *at(&mut self.steps, index) += step;
        }
        self.sum += other.sum;
        self.moment += other.moment;
    }

    /// The level after all steps.
    pub fn last(&self) -> i128 {
        self.sum
    }

    /// The mean level from the start to `end`, by time and exact. No step may lie after `end`.
    pub fn mean(&self, end: SimTime) -> f64 {
        if end == SimTime::START {
            return self.sum as f64;
        }
        let area = self.sum * i128::from(end.nanos()) - self.moment;
        area as f64 / end.nanos() as f64
    }

    /// The level at each multiple of the interval, from the start to `end`.
    pub fn samples(&self, end: SimTime, name: &str, title: &str, unit: &str) -> Series {
        let last = (end.nanos() / self.interval.nanos()) as usize;
        let step = self.interval.as_secs_f64();
        let mut level = 0;
        let mut level_at = |index: usize| {
            level += self.steps.get(index).copied().unwrap_or(0);
            level as f64
        };
        named(
            (name, title, unit),
            (0..=last).map(|index| step * index as f64).collect(),
            (0..=last).map(&mut level_at).collect(),
        )
    }
}

/// How durations are distributed: bins of at most 1 % width, exact count, mean and maximum.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DurationHistogram {
    #[serde(with = "recorded")]
    bins: Histogram<u64>,
    sum_nanos: u128,
    longest: SimDuration,
}

/// A histogram with two significant digits that grows as far as it must.
fn empty_bins() -> Histogram<u64> {
    let mut bins = Histogram::new(2).expect("two significant digits are possible");
    bins.auto(true);
    bins
}

/// A histogram is saved as its non-empty bins: a value in each, and how many there were.
mod recorded {
    use hdrhistogram::Histogram;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        bins: &Histogram<u64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let recorded = bins.iter_recorded();
        let pairs: Vec<(u64, u64)> = recorded
            .map(|bin| (bin.value_iterated_to(), bin.count_at_value()))
            .collect();
        serializer.collect_seq(pairs)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Histogram<u64>, D::Error> {
        let mut bins = super::empty_bins();
        for (value, count) in Vec::<(u64, u64)>::deserialize(deserializer)? {
            bins.record_n(value, count).map_err(D::Error::custom)?;
        }
        Ok(bins)
    }
}

impl Default for DurationHistogram {
    fn default() -> Self {
        DurationHistogram {
            bins: empty_bins(),
            sum_nanos: 0,
            longest: SimDuration::ZERO,
        }
    }
}

impl DurationHistogram {
    /// Nothing recorded yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Records a duration.
    #[inline]
    pub fn record(&mut self, duration: SimDuration) {
        let nanos = duration.nanos();
        self.bins
            .record(nanos.min(i64::MAX as u64))
            .expect("a histogram that grows has room for 292 years");
        self.sum_nanos += u128::from(nanos);
        self.longest = self.longest.max(duration);
    }

    /// Takes over what another has recorded.
    pub fn merge(&mut self, other: &DurationHistogram) {
        self.bins
            .add(&other.bins)
            .expect("a histogram that grows has room for another");
        self.sum_nanos += other.sum_nanos;
        self.longest = self.longest.max(other.longest);
    }

    /// How many durations were recorded.
    pub fn count(&self) -> u64 {
        self.bins.len()
    }

    /// Their exact sum, in nanoseconds.
    pub fn sum_nanos(&self) -> u128 {
        self.sum_nanos
    }

    /// Their mean; zero if there are none.
    pub fn mean(&self) -> SimDuration {
        let mean = self.sum_nanos / u128::from(self.count().max(1));
        SimDuration::from_nanos(u64::try_from(mean).expect("a mean is not above the largest value"))
    }

    /// The longest of them; zero if there are none.
    pub fn max(&self) -> SimDuration {
        self.longest
    }

    /// The duration that a fraction `p` of them does not exceed, to within 1 %.
    pub fn quantile(&self, p: f64) -> SimDuration {
        let upper_edge = self.bins.value_at_quantile(p.clamp(0.0, 1.0));
        SimDuration::from_nanos(upper_edge).min(self.longest)
    }

    /// The figures for a report, in seconds, with ten bins a decade.
    pub fn distribution(&self, name: &str, title: &str) -> Distribution {
        const PROBABILITIES: [f64; 9] = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];
        let quantile = |p: f64| (p, self.quantile(p).as_secs_f64());
        Distribution {
            name: name.to_owned(),
            title: title.to_owned(),
            unit: "s".to_owned(),
            count: self.count(),
            mean: self.sum_nanos as f64 / 1e9 / self.count().max(1) as f64,
            max: self.longest.as_secs_f64(),
            bins: self.bins_by_decade(),
            quantiles: match self.count() {
                0 => Vec::new(),
                _ => PROBABILITIES.map(quantile).to_vec(),
            },
        }
    }

    /// From the first bin with something in it to the last, even on a logarithmic axis.
    fn bins_by_decade(&self) -> Vec<Bin> {
        // Bin 0 holds everything below a microsecond.
        let edge_s = |bin: usize| match bin {
            0 => 0.0,
            bin => libm::exp10(bin as f64 / 10.0 - 6.1),
        };
        let mut counts: Vec<u64> = Vec::new();
        let mut bin = 0;
        for recorded in self.bins.iter_recorded() {
            let middle = self.bins.median_equivalent(recorded.value_iterated_to());
            while middle as f64 / 1e9 >= edge_s(bin + 1) {
                bin += 1;
            }
            *at(&mut counts, bin) += recorded.count_at_value();
        }
        let first = counts.iter().position(|&count| count > 0).unwrap_or(0);
        let bar = |(bin, &count): (usize, &u64)| Bin {
            low: edge_s(bin),
            high: edge_s(bin + 1),
            count,
        };
        counts.iter().enumerate().skip(first).map(bar).collect()
    }
}

/// The place of a list with this index; the list grows by zeros as far as needed.
#[inline]
fn at<T: Copy + Default>(list: &mut Vec<T>, index: usize) -> &mut T {
    if index >= list.len() {
        list.resize(index + 1, T::default());
    }
    &mut list[index]
}

fn named((name, title, unit): (&str, &str, &str), times_s: Vec<f64>, values: Vec<f64>) -> Series {
    Series {
        name: name.to_owned(),
        title: title.to_owned(),
        unit: unit.to_owned(),
        times_s,
        values,
    }
}

#[cfg(test)]
mod tests;
