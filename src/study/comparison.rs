//! What differs, by how much, and how surely?
//!
//! Runs with the same seed have the same hosts and the same luck, so their differences are taken pair by
//! pair, with Student's interval. A run has dozens of figures, of which some would differ "surely" by
//! chance alone; probabilities are therefore corrected for their number (S. Holm, "A simple sequentially
//! rejective multiple test procedure", 1979). First come the sure differences, the largest first.

use std::collections::BTreeMap;

use serde::Serialize;

use super::collection::Figure;
use super::sample::Sample;
use super::statistics::{Estimate, chance_of_nothing, paired};

/// Two samples, compared.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// What the first is called.
    pub first: String,
    /// What the second is called.
    pub second: String,
    /// How many pairs of runs have a seed in common.
    pub pairs: usize,
    /// How sure the intervals are, as 0.95.
    pub confidence: f64,
    /// The keys of the scenarios that differ.
    pub keys: Vec<KeyDifference>,
    /// Every figure, the sure and large differences first.
    pub figures: Vec<FigureDifference>,
}

/// A key that differs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct KeyDifference {
    /// Which, as `jobs.delay_bound`.
    pub key: String,
    /// What it is in the first; empty if it is not there.
    pub first: String,
    /// What it is in the second.
    pub second: String,
}

/// A figure in both samples.
#[derive(Clone, Debug, Serialize)]
pub struct FigureDifference {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// What it means.
    pub meaning: String,
    /// Its mean in the first sample, over the pairs.
    pub first: f64,
    /// Its mean in the second.
    pub second: f64,
    /// Second minus first, on average over the pairs.
    pub difference: f64,
    /// Half the width of the interval of that; `None` of a single pair.
    pub half_width: Option<f64>,
    /// The difference as a part of the first; `None` if the first is zero and the second is not.
    pub relative: Option<f64>,
    /// The probability of such a difference if there were none, corrected for the number of figures.
    pub chance: Option<f64>,
    /// What can be said.
    pub verdict: Verdict,
}

/// What can be said of a difference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is there, whatever chance does.
    Sure,
    /// Its own interval leaves out zero, but with so many figures that would happen to some by chance.
    Likely,
    /// It may be chance.
    Unsure,
    /// There is a single pair, so nothing is known of chance.
    Unknown,
    /// There is none.
    Equal,
}

impl Verdict {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Sure => "sure",
            Verdict::Likely => "likely",
            Verdict::Unsure => "may be chance",
            Verdict::Unknown => "one pair only",
            Verdict::Equal => "equal",
        }
    }
}

impl Comparison {
    /// Compares two samples. `None` if no runs of theirs have a seed in common.
    pub fn of(
        first: &Sample,
        second: &Sample,
        figures: &BTreeMap<String, Figure>,
        confidence: f64,
    ) -> Option<Self> {
        let pairs = first
            .runs
            .keys()
            .filter(|seed| second.runs.contains_key(seed));
        let pairs = pairs.count();
        if pairs == 0 {
            return None;
        }
        let mut found: Vec<FigureDifference> = figures
            .iter()
            .filter_map(|(name, figure)| difference(first, second, name, figure, confidence))
            .collect();
        correct(&mut found, 1.0 - confidence);
        let size = |figure: &FigureDifference| figure.relative.map_or(f64::INFINITY, f64::abs);
        found.sort_by(|a, b| {
            let by_size = size(b).total_cmp(&size(a));
            a.verdict
                .cmp(&b.verdict)
                .then(by_size)
                .then(a.name.cmp(&b.name))
        });
        Some(Comparison {
            first: first.title.clone(),
            second: second.title.clone(),
            pairs,
            confidence,
            keys: key_differences(&first.scenario, &second.scenario),
            figures: found,
        })
    }
}

fn difference(
    first: &Sample,
    second: &Sample,
    name: &str,
    figure: &Figure,
    confidence: f64,
) -> Option<FigureDifference> {
    let (one, other) = first.pairs(second, name);
    let estimate = paired(&one, &other, confidence)?;
    let mean = |values: &[f64]| Estimate::of(values, confidence).map(|estimate| estimate.mean);
    let (first, second) = (mean(&one)?, mean(&other)?);
    let relative = match (estimate.mean == 0.0, first == 0.0) {
        (true, _) => Some(0.0),
        (false, true) => None,
        (false, false) => Some(estimate.mean / first.abs()),
    };
    let is_equal = estimate.mean == 0.0 && estimate.deviation == 0.0;
    Some(FigureDifference {
        name: name.to_owned(),
        unit: figure.unit.clone(),
        meaning: figure.meaning.clone(),
        first,
        second,
        difference: estimate.mean,
        half_width: (estimate.count > 1).then_some(estimate.half_width),
        relative,
        chance: chance_of_nothing(&estimate),
        verdict: if is_equal {
            Verdict::Equal
        } else {
            Verdict::Unknown
        },
    })
}

/// Holm's correction: the smallest of m probabilities times m, the next times m - 1, and never less than
/// the one before.
fn correct(figures: &mut [FigureDifference], level: f64) {
    let unequal = |figure: &&mut FigureDifference| figure.verdict != Verdict::Equal;
    let mut tested: Vec<&mut FigureDifference> = figures.iter_mut().filter(unequal).collect();
    tested.retain(|figure| figure.chance.is_some());
    tested.sort_by(|a, b| {
        a.chance
            .partial_cmp(&b.chance)
            .expect("chances are numbers")
    });
    let count = tested.len();
    let mut least = 0.0_f64;
    for (position, figure) in tested.into_iter().enumerate() {
        let raw = figure.chance.expect("the others were left out");
        least = least.max(raw * (count - position) as f64).min(1.0);
        figure.chance = Some(least);
        figure.verdict = match (least < level, raw < level) {
            (true, _) => Verdict::Sure,
            (false, true) => Verdict::Likely,
            (false, false) => Verdict::Unsure,
        };
    }
}

/// The keys in which two scenarios differ, of those that have everything written out.
pub fn key_differences(first: &toml::Table, second: &toml::Table) -> Vec<KeyDifference> {
    let (mut one, mut other) = (BTreeMap::new(), BTreeMap::new());
    flatten(first, "", &mut one);
    flatten(second, "", &mut other);
    let keys: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let differing = keys
        .into_iter()
        .filter(|key| one.get(*key) != other.get(*key));
    differing
        .map(|key| KeyDifference {
            key: key.clone(),
            first: one.get(key).cloned().unwrap_or_default(),
            second: other.get(key).cloned().unwrap_or_default(),
        })
        .collect()
}

fn flatten(table: &toml::Table, prefix: &str, found: &mut BTreeMap<String, String>) {
    for (key, value) in table {
        let path = if prefix.is_empty() {
            key.clone()
        } else {
            format!("{prefix}.{key}")
        };
        match value {
            toml::Value::Table(inside) => flatten(inside, &path, found),
            toml::Value::String(text) => {
                found.insert(path, text.clone());
            }
            other => {
                found.insert(path, other.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::sample::SampleRun;

    fn sample(title: &str, scenario: &str, figures: &[(&str, &[f64])]) -> Sample {
        let count = figures[0].1.len();
        let run = |position: usize| {
            let figures = figures
                .iter()
                .map(|(name, values)| ((*name).to_owned(), values[position]));
            let path = "x".into();
            (
                10 + position as u64,
                SampleRun {
                    path,
                    figures: figures.collect(),
                },
            )
        };
        Sample {
            title: title.to_owned(),
            path: "x".into(),
            runs: (0..count).map(run).collect(),
            scenario: scenario.parse().unwrap(),
        }
    }

    fn figures(names: &[&str]) -> BTreeMap<String, Figure> {
        names
            .iter()
            .map(|name| ((*name).to_owned(), Figure::default()))
            .collect()
    }

    #[test]
    fn sure_and_large_differences_come_first_and_luck_is_called_luck() {
        let names = ["same", "small", "large", "noise"];
        let first = sample(
            "a",
            "hosts = 1\n[jobs]\nq = 3\n",
            &[
                ("same", &[5.0, 6.0, 7.0, 8.0]),
                ("small", &[100.0, 140.0, 90.0, 120.0]),
                ("large", &[10.0, 20.0, 30.0, 40.0]),
                ("noise", &[1.0, 9.0, 2.0, 8.0]),
            ],
        );
        // Between repetitions "small" varies by half; between the two of a pair it is one more, surely.
        let second = sample(
            "b",
            "hosts = 2\n[jobs]\nq = 3\nr = [1]\n",
            &[
                ("same", &[5.0, 6.0, 7.0, 8.0]),
                ("small", &[101.0, 141.01, 91.0, 120.99]),
                ("large", &[20.0, 30.1, 39.9, 50.0]),
                ("noise", &[8.0, 1.0, 9.0, 3.0]),
            ],
        );
        let compared = Comparison::of(&first, &second, &figures(&names), 0.95).unwrap();
        let order: Vec<_> = compared
            .figures
            .iter()
            .map(|f| (f.name.as_str(), f.verdict))
            .collect();
        assert_eq!(
            order,
            [
                ("large", Verdict::Sure),
                ("small", Verdict::Sure),
                ("noise", Verdict::Unsure),
                ("same", Verdict::Equal),
            ]
        );
        assert!((compared.figures[0].relative.unwrap() - 0.4).abs() < 1e-12);
        let keys: Vec<_> = compared
            .keys
            .iter()
            .map(|k| (k.key.as_str(), k.first.as_str(), k.second.as_str()))
            .collect();
        assert_eq!(keys, [("hosts", "1", "2"), ("jobs.r", "", "[1]")]);
    }

    #[test]
    fn holms_correction_is_that_of_his_rule() {
        let mut list: Vec<FigureDifference> = [0.04, 0.01, 0.03]
            .into_iter()
            .map(|chance| FigureDifference {
                name: String::new(),
                unit: String::new(),
                meaning: String::new(),
                first: 1.0,
                second: 1.0,
                difference: 1.0,
                half_width: None,
                relative: None,
                chance: Some(chance),
                verdict: Verdict::Unknown,
            })
            .collect();
        correct(&mut list, 0.05);
        let chances: Vec<f64> = list.iter().map(|figure| figure.chance.unwrap()).collect();
        // 0.01 x 3, 0.03 x 2, and 0.04 x 1 raised to the one before.
        for (found, expected) in chances.iter().zip([0.06, 0.03, 0.06]) {
            assert!((found - expected).abs() < 1e-12, "{chances:?}");
        }
        assert_eq!(list[1].verdict, Verdict::Sure);
        assert_eq!(list[0].verdict, Verdict::Likely);
    }

    #[test]
    fn single_runs_say_how_much_and_nothing_of_chance() {
        let one = sample("a", "", &[("x", &[0.0])]);
        let other = sample("b", "", &[("x", &[3.0])]);
        let compared = Comparison::of(&one, &other, &figures(&["x", "y"]), 0.95).unwrap();
        let x = &compared.figures[0];
        assert_eq!(
            (x.verdict, x.relative, x.half_width),
            (Verdict::Unknown, None, None)
        );
        let mut elsewhere = other;
        elsewhere.runs = elsewhere
            .runs
            .into_iter()
            .map(|(seed, run)| (seed + 1, run))
            .collect();
        assert!(Comparison::of(&one, &elsewhere, &figures(&["x"]), 0.95).is_none());
    }
}
