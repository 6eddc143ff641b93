//! From when on does a series count?
//!
//! A run begins in a state of its own, and what it finds at first says more about that than about the
//! system. The start of a series is left out: a given time, or what MSER-5 finds.
//!
//! MSER-5 (K. P. White, "An effective truncation heuristic for bias reduction in simulation output",
//! Simulation 69(6), 1997; K. P. White, M. J. Cobb, S. C. Spratt, "A comparison of five steady-state
//! truncation heuristics for simulation", WSC 2000): of the means of five values each, leave out the
//! first d so that the squared standard error of the mean of the others is least. A minimum in the second
//! half means that the series is too short to tell.

use std::borrow::Cow;

use actors::shared::quantity::Duration;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// How the start of a series is told from the rest.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum WarmUp {
    /// Everything counts.
    #[default]
    None,
    /// What comes before this time does not count.
    Until(Duration),
    /// What MSER-5 says.
    Mser5,
}

/// The part of a series that counts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Steady {
    /// From which simulated time on, in seconds.
    pub from_s: f64,
    /// The mean from then on.
    pub mean: f64,
    /// Whether the series was long enough to tell; if not, the mean is that of its second half.
    pub is_settled: bool,
}

/// How many values make a batch.
const BATCH: usize = 5;

impl WarmUp {
    /// The mean of what counts in a series; `None` if nothing of it does.
    pub fn steady(self, times_s: &[f64], values: &[f64]) -> Option<Steady> {
        let (first, is_settled) = match self {
            WarmUp::None => (0, true),
            WarmUp::Until(time) => {
                let from_s = time.span().as_secs_f64();
                (times_s.partition_point(|&time| time < from_s), true)
            }
            WarmUp::Mser5 => match mser5(values) {
                Some(first) => (first, true),
                None => (values.len() / 2, false),
            },
        };
        let counted = values.get(first..).filter(|counted| !counted.is_empty())?;
        Some(Steady {
            from_s: *times_s.get(first)?,
            mean: counted.iter().sum::<f64>() / counted.len() as f64,
            is_settled,
        })
    }
}

/// How many values at the start of a series are to be left out; `None` if it is too short to tell.
pub fn mser5(values: &[f64]) -> Option<usize> {
    let means: Vec<f64> = values
        .chunks_exact(BATCH)
        .map(|batch| batch.iter().sum::<f64>() / BATCH as f64)
        .collect();
    // The sums of what is left are taken from the end, so one pass looks at every truncation. The mean of
    // the whole is taken off first: squares of large numbers would swallow their differences.
    let offset = means.iter().sum::<f64>() / means.len().max(1) as f64;
    let (mut sum, mut squares) = (0.0, 0.0);
    let mut least: Option<(f64, usize)> = None;
    for (left_out, mean) in means.iter().enumerate().rev() {
        let value = mean - offset;
        sum += value;
        squares += value * value;
        let count = (means.len() - left_out) as f64;
        let statistic = (squares - sum * sum / count).max(0.0) / (count * count);
        // A mean of few batches is never meant: it has no spread to speak of.
        let is_enough = means.len() - left_out >= BATCH;
        if is_enough && least.is_none_or(|(smallest, _)| statistic <= smallest) {
            least = Some((statistic, left_out));
        }
    }
    let (_, left_out) = least?;
    (left_out <= means.len() / 2).then_some(left_out * BATCH)
}

impl Serialize for WarmUp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            WarmUp::None => "none".serialize(serializer),
            WarmUp::Mser5 => "mser_5".serialize(serializer),
            WarmUp::Until(time) => time.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for WarmUp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.as_str() {
            "none" => Ok(WarmUp::None),
            "mser_5" => Ok(WarmUp::Mser5),
            text => {
                let text: de::value::StrDeserializer<'_, de::value::Error> =
                    de::IntoDeserializer::into_deserializer(text);
                Duration::deserialize(text)
                    .map(WarmUp::Until)
                    .map_err(|error| {
                        de::Error::custom(format!("{error}; or \"none\", or \"mser_5\""))
                    })
            }
        }
    }
}

impl JsonSchema for WarmUp {
    fn schema_name() -> Cow<'static, str> {
        "Warm_up".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "examples": ["none", "mser_5", "10 d"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A noise that is not random: it repeats every seven values and has mean zero.
    fn noise(position: usize) -> f64 {
        [0.3, -0.5, 0.1, 0.6, -0.4, 0.2, -0.3][position % 7]
    }

    #[test]
    fn a_series_that_climbs_and_then_stays_is_cut_where_it_stays() {
        let series: Vec<f64> = (0..400)
            .map(|i| 100.0 * (i as f64 / 80.0).min(1.0) + noise(i))
            .collect();
        let cut = mser5(&series).expect("it settles");
        assert!((75..=85).contains(&cut), "{cut}");
        let times: Vec<f64> = (0..400).map(|i| i as f64 * 3600.0).collect();
        let steady = WarmUp::Mser5.steady(&times, &series).unwrap();
        assert!((steady.mean - 100.0).abs() < 0.1, "{steady:?}");
        assert!(steady.is_settled);
    }

    #[test]
    fn the_least_statistic_of_a_small_case_is_worked_by_hand() {
        // Batch means 10, 2, 2, 2, 4, 0: of the truncations that leave at least five batches, none gives
        // ((10-10/3)^2 + ...) = 62.67 of six, and one gives mean 2, squares 8 of five: 8 / 25 is least.
        let means = [10.0, 2.0, 2.0, 2.0, 4.0, 0.0];
        let series: Vec<f64> = means.iter().flat_map(|&mean| [mean; 5]).collect();
        assert_eq!(mser5(&series), Some(5));
    }

    #[test]
    fn a_series_that_never_settles_or_is_short_says_so() {
        let climbing: Vec<f64> = (0..200).map(|i| (i as f64).powi(2)).collect();
        assert_eq!(mser5(&climbing), None);
        assert_eq!(mser5(&[1.0; 8]), None);
        assert_eq!(mser5(&[]), None);
        assert_eq!(
            mser5(&[1.0; 100]),
            Some(0),
            "what is always the same counts"
        );
        let times: Vec<f64> = (0..200).map(f64::from).collect();
        let steady = WarmUp::Mser5.steady(&times, &climbing).unwrap();
        assert!(!steady.is_settled && steady.from_s == 100.0);
    }

    #[test]
    fn a_given_warm_up_is_kept_to() {
        let until = WarmUp::Until(toml::Value::from("2 s").try_into().unwrap());
        let steady = until.steady(&[0.0, 1.0, 2.0, 3.0], &[9.0, 9.0, 1.0, 2.0]);
        assert_eq!(steady.map(|s| (s.from_s, s.mean)), Some((2.0, 1.5)));
        assert_eq!(until.steady(&[0.0, 1.0], &[9.0, 9.0]), None);
        for (text, right) in [
            ("mser_5", true),
            ("none", true),
            ("3 d", true),
            ("mser", false),
        ] {
            let read: Result<WarmUp, _> = toml::Value::from(text).try_into();
            assert_eq!(read.is_ok(), right, "{text}");
        }
    }
}
