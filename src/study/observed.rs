//! How do the distributions of a run compare with those of real data?
//!
//! Real data are a CSV file with the columns `distribution` (the name of one in `summary.json`, such as
//! `latency`), `value` (in its base unit: seconds, bytes) and, if you like, `count` (how often). A run's
//! distributions are histograms, so both are compared where the bins end.

use std::collections::BTreeMap;
use std::path::Path;

use crate::import::table_file::open_table;

/// A distribution as points: a value, and the part that is not larger. Ascending.
pub type Curve = Vec<(f64, f64)>;

/// Real data, by the name of the distribution: counts by value, ascending.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// By name: values and how often each was seen, ascending.
    pub distributions: BTreeMap<String, Vec<(f64, f64)>>,
    /// How many lines could not be used.
    pub skipped: usize,
}

impl Observed {
    /// Reads a file of real data.
    pub fn read(path: &Path) -> Result<Self, String> {
        let name = path.display();
        let (mut reader, heads) = open_table(path)?;
        let place = |wanted: &str| heads.iter().position(|head| head == wanted);
        let (Some(which), Some(value)) = (place("distribution"), place("value")) else {
            return Err(format!(
                "{name} needs the columns `distribution` and `value`, and may have `count`; it has {}",
                heads.iter().collect::<Vec<_>>().join(", ")
            ));
        };
        let count = place("count");
        let mut observed = Observed::default();
        for record in reader.records() {
            let record = match record {
                Ok(record) => record,
                Err(error) if error.is_io_error() => return Err(format!("{name}: {error}")),
                Err(_) => {
                    observed.skipped += 1;
                    continue;
                }
            };
            let number = |position: usize| {
                let number: f64 = record.get(position)?.parse().ok()?;
                (number.is_finite() && number >= 0.0).then_some(number)
            };
            let often = count.map_or(Some(1.0), number);
            match (record.get(which), number(value), often) {
                (Some(which), Some(value), Some(often)) if !which.is_empty() => {
                    let values = observed.distributions.entry(which.to_owned()).or_default();
                    values.push((value, often));
                }
                _ => observed.skipped += 1,
            }
        }
        for values in observed.distributions.values_mut() {
            values.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        observed
            .distributions
            .retain(|_, values| values.iter().any(|value| value.1 > 0.0));
        Ok(observed)
    }
}

/// The curve of counted values, which are ascending.
pub fn curve(values: &[(f64, f64)]) -> Curve {
    let all: f64 = values.iter().map(|value| value.1).sum();
    let mut sum = 0.0;
    let mut curve = Curve::new();
    for &(value, count) in values {
        sum += count;
        match curve.last_mut() {
            Some(last) if last.0 == value => last.1 = sum / all,
            _ => curve.push((value, sum / all)),
        }
    }
    curve
}

/// The part of a distribution that is not larger than `value`.
pub fn part(curve: &[(f64, f64)], value: f64) -> f64 {
    let after = curve.partition_point(|point| point.0 <= value);
    after.checked_sub(1).map_or(0.0, |last| curve[last].1)
}

/// The largest difference between two distributions where the bins of the first end, and where it is.
pub fn distance(binned: &[(f64, f64)], other: &[(f64, f64)]) -> (f64, f64) {
    let differences = binned
        .iter()
        .map(|&(edge, there)| ((there - part(other, edge)).abs(), edge));
    differences.fold(
        (0.0, 0.0),
        |most, next| if next.0 > most.0 { next } else { most },
    )
}

/// The value that the given part does not exceed.
pub fn quantile(curve: &[(f64, f64)], p: f64) -> f64 {
    let at = curve.iter().find(|point| point.1 >= p);
    at.or(curve.last()).map_or(f64::NAN, |point| point.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Observed, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.csv");
        std::fs::write(&path, text).unwrap();
        Observed::read(&path)
    }

    #[test]
    fn data_are_read_with_their_counts_and_bad_lines_are_counted() {
        let observed = read(
            "# from the project's database\ndistribution,value,count\nlatency,10,3\nlatency,5,1\nlatency,x,1\n\
             credit_lag,7,2\n,1,1\nempty,1,0\n",
        )
        .unwrap();
        assert_eq!(observed.distributions["latency"], [(5.0, 1.0), (10.0, 3.0)]);
        assert_eq!(observed.skipped, 2);
        assert!(!observed.distributions.contains_key("empty"));
        assert!(read("a,b\n1,2\n").unwrap_err().contains("it has a, b"));
    }

    #[test]
    fn the_distance_of_a_small_case_is_worked_by_hand() {
        let one = curve(&[(1.0, 1.0), (2.0, 1.0), (3.0, 2.0)]);
        assert_eq!(one, [(1.0, 0.25), (2.0, 0.5), (3.0, 1.0)]);
        let other = curve(&[(1.5, 1.0), (2.0, 1.0), (2.0, 1.0), (9.0, 1.0)]);
        assert_eq!(part(&other, 1.7), 0.25);
        assert_eq!(part(&other, 0.0), 0.0);
        assert_eq!(distance(&one, &other), (0.25, 1.0));
        assert_eq!(quantile(&one, 0.5), 2.0);
        assert_eq!(quantile(&one, 1.0), 3.0);
        assert!(quantile(&[], 0.5).is_nan());
    }
}
