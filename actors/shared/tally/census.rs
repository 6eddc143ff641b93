//! How many members of a population have how many of something?
//!
//! One [`LevelSeries`] per number, so that the distribution is known at every sample and, weighted
//! by time, exactly over the whole run. Members above the highest number are counted there.

use kernel::{SimDuration, SimTime};
use serde::{Deserialize, Serialize};

use super::LevelSeries;
use crate::shared::results::{Bin, Distribution, Series};

/// How many members have how many of something, over time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Census {
    interval: SimDuration,
    levels: Vec<LevelSeries>,
}

/// Larger numbers are not told apart.
const HIGHEST: usize = 255;

impl Census {
    /// No members yet; samples are taken at every multiple of this interval.
    ///
    /// # Panics
    /// If the interval is zero.
    pub fn new(interval: SimDuration) -> Self {
        Census {
            interval,
            levels: vec![LevelSeries::new(interval)],
        }
    }

    /// A member with so many joins.
    #[inline]
    pub fn enter(&mut self, time: SimTime, number: u32) {
        self.level(number).step(time, 1);
    }

    /// A member with so many leaves.
    #[inline]
    pub fn leave(&mut self, time: SimTime, number: u32) {
        self.level(number).step(time, -1);
    }

    /// Takes over the members of another.
    ///
    /// # Panics
    /// If its samples are not taken at the same interval.
    pub fn merge(&mut self, other: &Census) {
        while self.levels.len() < other.levels.len() {
            self.levels.push(LevelSeries::new(self.interval));
        }
        for (mine, its) in self.levels.iter_mut().zip(&other.levels) {
            mine.merge(its);
        }
    }

    /// The mean number, over members and time.
    pub fn mean(&self, end: SimTime) -> f64 {
        let members = self.members(end);
        let weighted = members.iter().enumerate().map(|(n, m)| n as f64 * m);
        let all: f64 = members.iter().sum();
        if all > 0.0 {
            weighted.sum::<f64>() / all
        } else {
            0.0
        }
    }

    /// The smallest number that at least a part `p` of the members do not exceed, over the whole
    /// time up to `end`.
    pub fn quantile(&self, p: f64, end: SimTime) -> f64 {
        quantile(&self.members(end), p)
    }

    /// The same at each sample.
    pub fn quantile_samples(
        &self,
        p: f64,
        end: SimTime,
        (name, title, unit): (&str, &str, &str),
    ) -> Series {
        let samples: Vec<Series> = self
            .levels
            .iter()
            .map(|level| level.samples(end, name, title, unit))
            .collect();
        let mut series = samples[0].clone();
        for (index, value) in series.values.iter_mut().enumerate() {
            let members: Vec<f64> = samples.iter().map(|s| s.values[index]).collect();
            *value = quantile(&members, p);
        }
        series
    }

    /// The figures for a report: how many members have each number, on average over time, rounded.
    pub fn distribution(&self, end: SimTime, name: &str, title: &str, unit: &str) -> Distribution {
        const PROBABILITIES: [f64; 6] = [0.1, 0.25, 0.5, 0.75, 0.9, 0.99];
        let members = self.members(end);
        let bins = members.iter().enumerate().map(|(number, &members)| Bin {
            low: number as f64,
            high: number as f64 + 1.0,
            count: (members + 0.5) as u64,
        });
        let all: f64 = members.iter().sum();
        Distribution {
            name: name.to_owned(),
            title: title.to_owned(),
            unit: unit.to_owned(),
            count: (all + 0.5) as u64,
            mean: self.mean(end),
            max: (members.len() - 1) as f64,
            bins: bins.collect(),
            quantiles: match all > 0.0 {
                true => PROBABILITIES.map(|p| (p, quantile(&members, p))).to_vec(),
                false => Vec::new(),
            },
        }
    }

    /// How many members have each number, on average over time.
    fn members(&self, end: SimTime) -> Vec<f64> {
        self.levels.iter().map(|level| level.mean(end)).collect()
    }

    fn level(&mut self, number: u32) -> &mut LevelSeries {
        let number = (number as usize).min(HIGHEST);
        while self.levels.len() <= number {
            self.levels.push(LevelSeries::new(self.interval));
        }
        &mut self.levels[number]
    }
}

fn quantile(members: &[f64], p: f64) -> f64 {
    let wanted = members.iter().sum::<f64>() * p;
    let mut sum = 0.0;
    let found = members.iter().position(|&members| {
        sum += members;
        // A hair, because the sum of the parts may round below the whole.
        sum > 0.0 && sum >= wanted * (1.0 - 1e-12)
    });
    found.unwrap_or(0) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hour(hour: u64) -> SimTime {
        SimTime::START + SimDuration::from_hours(hour)
    }

    /// Three hosts for four hours: one has never a file; one gets its first after an hour and its
    /// second after three; one leaves after two hours with three files.
    fn census() -> Census {
        let mut census = Census::new(SimDuration::from_hours(1));
        for _ in 0..3 {
            census.enter(hour(0), 0);
        }
        for (time, from, to) in [(1, 0, 1), (3, 1, 2), (0, 0, 3)] {
            census.leave(hour(time), from);
            census.enter(hour(time), to);
        }
        census.leave(hour(2), 3);
        census
    }

    #[test]
    fn numbers_are_weighted_by_the_time_members_have_them() {
        // Member-hours: five without a file, two with one, one with two, two with three.
        let census = census();
        assert!((census.mean(hour(4)) - (2.0 + 2.0 + 6.0) / 10.0).abs() < 1e-12);
        assert_eq!(census.quantile(0.5, hour(4)), 0.0);
        assert_eq!(census.quantile(0.7, hour(4)), 1.0);
        assert_eq!(census.quantile(0.8, hour(4)), 2.0);
        assert_eq!(census.quantile(0.9, hour(4)), 3.0);
        let series = census.quantile_samples(0.5, hour(4), ("n", "N", "files"));
        assert_eq!(series.values, [0.0, 1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn merged_halves_are_the_whole() {
        let whole = census();
        let (mut first, mut second) = (whole.clone(), Census::new(SimDuration::from_hours(1)));
        first.enter(hour(1), 9);
        second.leave(hour(1), 9);
        second.merge(&first);
        let of =
            |census: &Census| census.distribution(hour(4), "n", "N", "files").bins[..4].to_vec();
        let counts = |bins: Vec<Bin>| bins.iter().map(|bin| bin.count).collect::<Vec<_>>();
        assert_eq!(counts(of(&second)), counts(of(&whole)));
        assert_eq!(second.quantile(0.9, hour(4)), 3.0);
    }
}
