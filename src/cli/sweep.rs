//! The options of `myriad sweep`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

use super::plan::repetitions;
use super::{ProgressStyle, ScenarioArguments};

/// The options of `sweep`.
#[derive(Debug, Args)]
pub struct SweepArguments {
    /// Which scenario, with its study.
    #[command(flatten)]
    pub scenario: ScenarioArguments,
    /// The directory of the study; if it is there already, what is done in it is not run again
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// How often every combination is run [default: as `study.repeat` says]
    #[arg(long, value_name = "N", value_parser = repetitions())]
    pub reps: Option<u32>,
    /// How many runs are at work at a time [default: one per core, if the memory suffices]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1_024))]
    pub jobs: Option<u16>,
    /// Run only this part of the study, as in 2/3; `collect` puts parts together
    #[arg(long, value_name = "I/N", conflicts_with = "precision")]
    pub shard: Option<Shard>,
    /// Repeat until the confidence interval of each figure is as narrow as this part of its mean, as in 0.05@0.95
    #[arg(long, value_name = "WIDTH@CONFIDENCE")]
    pub precision: Option<Precision>,
    /// With --precision: repeat no combination more often than this
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = repetitions())]
    pub most_reps: u32,
    /// With --precision: the figures that must be tight [default: those of `study.figures`]
    #[arg(long, value_name = "NAME", requires = "precision")]
    pub figure: Vec<String>,
    /// How to show progress
    #[arg(long, value_enum, default_value_t)]
    pub progress: ProgressStyle,
}

/// A part of a study.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Which part, from 1.
    pub part: u32,
    /// Of how many.
    pub of: u32,
}

impl Shard {
    /// Whether the run with this number, from 1, is in the part.
    pub fn holds(self, number: usize) -> bool {
        (number - 1) % self.of as usize == self.part as usize - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('/').and_then(|(part, of)| {
            Some(Shard {
                part: part.trim().parse().ok()?,
                of: of.trim().parse().ok()?,
            })
        });
        parsed
            .filter(|shard| (1..=shard.of).contains(&shard.part))
            .ok_or_else(|| "expected a part and how many there are, as in 1/3 or 3/3".to_owned())
    }
}

/// How narrow an interval is asked for, and how sure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Precision {
    /// Half the width of the interval, as a part of the mean.
    pub width: f64,
    /// How sure, as 0.95.
    pub confidence: f64,
}

impl FromStr for Precision {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (width, confidence) = text.split_once('@').unwrap_or((text, "0.95"));
        let between = |text: &str| {
            let number: f64 = text.trim().parse().ok()?;
            (number > 0.0 && number < 1.0).then_some(number)
        };
        between(width)
            .zip(between(confidence))
            .map(|(width, confidence)| Precision { width, confidence })
            .ok_or_else(|| {
                "expected half the width of the interval as a part of the mean, and how sure, both \
                 between 0 and 1, as in 0.05@0.95"
                    .to_owned()
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_is_in_exactly_one_part() {
        let parts: Vec<Shard> = ["1/3", "2/3", "3/3"].map(|t| t.parse().unwrap()).to_vec();
        for number in 1..=10 {
            assert_eq!(parts.iter().filter(|part| part.holds(number)).count(), 1);
        }
        for wrong in ["0/3", "4/3", "1", "1/0", "a/b", ""] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_precision_is_a_width_and_a_confidence() {
        let precision = Precision {
            width: 0.05,
            confidence: 0.95,
        };
        assert_eq!("0.05@0.95".parse(), Ok(precision));
        assert_eq!("0.05".parse(), Ok(precision));
        for wrong in ["5@0.95", "0.05@95", "0@0.9", "x@y", "nan@0.5"] {
            assert!(wrong.parse::<Precision>().is_err(), "{wrong}");
        }
    }
}
