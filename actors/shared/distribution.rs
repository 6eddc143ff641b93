//! How is a quantity distributed, and how is one drawn?
//!
//! A [`Distribution`] of durations, amounts of data, speeds or pure numbers stands in a scenario as
//!
//! ```toml
//! on       = { distribution = "weibull", shape = 0.393, scale = "2.964 h" }
//! off      = { distribution = "lognormal", mu = -0.586, sigma = 2.844, unit = "h" }
//! lifetime = { distribution = "exponential", mean = "200 d" }
//! delay    = "7 s"   # always this value
//! ```
//!
//! It is checked when it is read, so a distribution that exists can be drawn from. Drawing
//! allocates nothing and uses portable mathematics only: the same bits on every machine.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use kernel::RandomStream;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::shared::quantity::Quantity;

mod law;
mod special;

use law::Law;

/// A distribution of quantities that are zero or more.
#[derive(Clone, PartialEq, Debug)]
pub struct Distribution<Q> {
    family: Family<Q>,
    law: Law,
}

/// The families of distributions, with their parameters as they stand in a scenario.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "distribution", rename_all = "snake_case", deny_unknown_fields)]
#[serde(bound = "Q: Quantity")]
#[schemars(bound = "Q: Quantity", rename = "FamilyOf_{Q}")]
pub enum Family<Q> {
    /// P(X > x) = exp(-(x / scale)^shape). A shape below 1 is a heavy tail.
    Weibull {
        /// The shape k.
        shape: f64,
        /// The scale lambda.
        scale: Q,
    },
    /// The logarithm of the value, measured in `unit`, is normal.
    Lognormal {
        /// Mean of the natural logarithm.
        mu: f64,
        /// Standard deviation of the natural logarithm.
        sigma: f64,
        /// The unit of which the logarithm is taken, such as "h". Pure numbers need none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unit: Option<String>,
    },
    /// Density proportional to x^(shape - 1) exp(-x / scale).
    Gamma {
        /// The shape k.
        shape: f64,
        /// The scale theta (not the rate).
        scale: Q,
    },
    /// Without memory.
    Exponential {
        /// The mean.
        mean: Q,
    },
    /// One of several exponential distributions, chosen by weight.
    Hyperexponential {
        /// The distributions to choose from.
        phases: Vec<WeightedMean<Q>>,
    },
    /// Anything from `low` to `high`, all equally likely.
    Uniform {
        /// The least value.
        low: Q,
        /// The bound that is not reached.
        high: Q,
    },
    /// Always the same.
    Fixed {
        /// The value.
        value: Q,
    },
    /// As observed: each bin with exactly its share of the counts, even inside a bin.
    Histogram {
        /// The bins, in any order.
        bins: Vec<CountedBin<Q>>,
    },
}

/// One part of a hyperexponential distribution.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, bound = "Q: Quantity")]
#[schemars(bound = "Q: Quantity", rename = "WeightedMeanOf_{Q}")]
pub struct WeightedMean<Q> {
    /// How often this part is chosen, relative to the other weights.
    pub weight: f64,
    /// The mean of this part.
    pub mean: Q,
}

/// One bin of a histogram.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, bound = "Q: Quantity")]
#[schemars(bound = "Q: Quantity", rename = "CountedBinOf_{Q}")]
pub struct CountedBin<Q> {
    /// The least value of the bin.
    pub from: Q,
    /// The bound of the bin; equal to `from` if all its values are the same.
    pub to: Q,
    /// How many values were observed in it.
    pub count: u32,
}

impl<Q: Quantity> Distribution<Q> {
    /// The distribution of this family and parameters, or what is wrong with them.
    pub fn new(family: Family<Q>) -> Result<Self, DistributionError> {
        let law = family.law()?;
        let mean = law.mean();
        if !mean.is_finite() {
            return Err(DistributionError(format!(
                "a {} distribution with these parameters has no finite mean: write a larger shape \
                 or a smaller sigma",
                family.name()
            )));
        }
        Ok(Distribution { family, law })
    }

    /// The distribution that is always `value`.
    pub fn fixed(value: Q) -> Self {
        Distribution {
            law: Law::Fixed(value.to_base()),
            family: Family::Fixed { value },
        }
    }

    /// Family and parameters.
    pub fn family(&self) -> &Family<Q> {
        &self.family
    }

    /// Draws a value.
    #[inline]
    pub fn sample(&self, random: &mut RandomStream) -> Q {
        Q::from_base(self.law.draw(random))
    }

    /// Draws what is left of an interval, at an instant of a renewal process that has run forever
    /// and whose intervals have this distribution: its forward recurrence time, exactly.
    pub fn sample_residual(&self, random: &mut RandomStream) -> Q {
        Q::from_base(self.law.draw_residual(random))
    }

    /// The mean, in base units (seconds, bytes, ...).
    pub fn mean(&self) -> f64 {
        self.law.mean()
    }

    /// The mean of [`sample_residual`](Self::sample_residual), in base units: E\[X^2\] / (2 E\[X\]).
    /// It may be infinite.
    pub fn mean_residual(&self) -> f64 {
        self.law.second_moment() / (2.0 * self.law.mean())
    }

    /// The standard deviation, in base units. It may be infinite.
    pub fn standard_deviation(&self) -> f64 {
        let mean = self.law.mean();
        (self.law.second_moment() - mean * mean).max(0.0).sqrt()
    }

    /// The value that is exceeded with probability `1 - p`; the median for `p` = 0.5.
    pub fn quantile(&self, p: f64) -> Q {
        Q::from_base(self.law.quantile(p))
    }

    /// The probability of a value of at most `x`.
    pub fn cdf(&self, x: Q) -> f64 {
        self.law.cdf(x.to_base())
    }
}

/// Why parameters are not those of a distribution, and what would be right.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct DistributionError(String);

impl<Q: Quantity> Family<Q> {
    fn name(&self) -> &'static str {
        match self {
            Family::Weibull { .. } => "weibull",
            Family::Lognormal { .. } => "lognormal",
            Family::Gamma { .. } => "gamma",
            Family::Exponential { .. } => "exponential",
            Family::Hyperexponential { .. } => "hyperexponential",
            Family::Uniform { .. } => "uniform",
            Family::Fixed { .. } => "fixed",
            Family::Histogram { .. } => "histogram",
        }
    }

    /// The mathematics of these parameters, in base units.
    fn law(&self) -> Result<Law, DistributionError> {
        let positive = |key: &str, value: f64| self.positive(key, value);
        Ok(match self {
            Family::Weibull { shape, scale } => Law::Weibull {
                shape: positive("shape", *shape)?,
                scale: positive("scale", scale.to_base())?,
            },
            Family::Lognormal { mu, sigma, unit } => {
                self.lognormal(*mu, *sigma, unit.as_deref())?
            }
            Family::Gamma { shape, scale } => Law::Gamma {
                shape: positive("shape", *shape)?,
                scale: positive("scale", scale.to_base())?,
            },
            Family::Exponential { mean } => Law::Exponential {
                mean: positive("mean", mean.to_base())?,
            },
            Family::Hyperexponential { phases } => {
                self.at_least_one("phases", phases)?;
                let part = |part: &WeightedMean<Q>| {
                    let weight = positive("weight", part.weight)?;
                    Ok((weight, positive("mean", part.mean.to_base())?))
                };
                Law::hyperexponential(&phases.iter().map(part).collect::<Result<Vec<_>, _>>()?)
            }
            Family::Uniform { low, high } => self.uniform(low.to_base(), high.to_base())?,
            Family::Fixed { value } => Law::Fixed(self.not_negative("value", value.to_base())?),
            Family::Histogram { bins } => self.histogram(bins)?,
        })
    }

    fn lognormal(&self, mu: f64, sigma: f64, unit: Option<&str>) -> Result<Law, DistributionError> {
        let name = unit.unwrap_or("1");
        let Some(unit_in_base) = Q::unit_in_base(name) else {
            let known: Vec<&str> = Q::KIND.units.iter().map(|unit| unit.name).collect();
            let found = match unit {
                Some(unit) => format!("`unit` of a lognormal distribution is \"{unit}\""),
                None => "a lognormal distribution lacks its `unit`".to_owned(),
            };
            return Err(DistributionError(format!(
                "{found}: write the unit of which mu is the logarithm, one of {}",
                known.join(", ")
            )));
        };
        if !mu.is_finite() {
            return Err(self.wrong("mu", mu, "a finite number, the mean of the logarithm"));
        }
        Ok(Law::Lognormal {
            mu: mu + libm::log(unit_in_base),
            sigma: self.not_negative("sigma", sigma)?,
        })
    }

    fn uniform(&self, low: f64, high: f64) -> Result<Law, DistributionError> {
        let low = self.not_negative("low", low)?;
        if !high.is_finite() || high < low {
            return Err(self.wrong("high", high, "a value that is not below `low`"));
        }
        Ok(Law::Uniform { low, high })
    }

    fn histogram(&self, bins: &[CountedBin<Q>]) -> Result<Law, DistributionError> {
        self.at_least_one("bins", bins)?;
        let mut bars = Vec::with_capacity(bins.len());
        for bin in bins {
            let low = self.not_negative("from", bin.from.to_base())?;
            let high = bin.to.to_base();
            if !high.is_finite() || high < low {
                return Err(self.wrong("to", high, "a value that is not below `from`"));
            }
            if bin.count > 0 {
                bars.push((low, high, u64::from(bin.count)));
            }
        }
        if bars.is_empty() {
            return Err(self.wrong("count", 0.0, "at least one count above zero"));
        }
        // Ascending, so that quantiles can walk along them.
        bars.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        if let Some(pair) = bars.windows(2).find(|pair| pair[1].0 < pair[0].1) {
            return Err(self.wrong(
                "from",
                pair[1].0,
                "a value at or after the `to` of the bin before",
            ));
        }
        Ok(Law::histogram(&bars))
    }

    fn positive(&self, key: &str, value: f64) -> Result<f64, DistributionError> {
        if value.is_finite() && value > 0.0 {
            Ok(value)
        } else {
            Err(self.wrong(key, value, "a value above zero"))
        }
    }

    fn not_negative(&self, key: &str, value: f64) -> Result<f64, DistributionError> {
        if value.is_finite() && value >= 0.0 {
            Ok(value)
        } else {
            Err(self.wrong(key, value, "a value of zero or more"))
        }
    }

    fn at_least_one<T>(&self, key: &str, list: &[T]) -> Result<(), DistributionError> {
        if list.is_empty() {
            return Err(DistributionError(format!(
                "`{key}` of a {} distribution is empty: write at least one",
                self.name()
            )));
        }
        Ok(())
    }

    fn wrong(&self, key: &str, found: f64, right: &str) -> DistributionError {
        DistributionError(format!(
            "`{key}` of a {} distribution is {found}: write {right}",
            self.name()
        ))
    }
}

/// A fixed value is written as the value alone, everything else as a table.
impl<Q: Quantity> Serialize for Distribution<Q> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.family {
            Family::Fixed { value } => value.serialize(serializer),
            family => family.serialize(serializer),
        }
    }
}

impl<'de, Q: Quantity> Deserialize<'de> for Distribution<Q> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read<Q>(PhantomData<Q>);

        impl<Q: Quantity> Read<Q> {
            fn family<E: de::Error>(family: Family<Q>) -> Result<Distribution<Q>, E> {
                Distribution::new(family).map_err(E::custom)
            }
        }

        impl<'de, Q: Quantity> Visitor<'de> for Read<Q> {
            type Value = Distribution<Q>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let kind = Q::KIND;
                write!(
                    f,
                    "{} such as {}, or a table with a `distribution` and its parameters",
                    kind.name, kind.example
                )
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                let value = Q::deserialize(text.into_deserializer())?;
                Self::family(Family::Fixed { value })
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
                let value = Q::deserialize(number.into_deserializer())?;
                Self::family(Family::Fixed { value })
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
                self.visit_f64(number as f64)
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
                self.visit_f64(number as f64)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                Self::family(Family::deserialize(MapAccessDeserializer::new(map))?)
            }
        }
        deserializer.deserialize_any(Read(PhantomData))
    }
}

impl<Q: Quantity> JsonSchema for Distribution<Q> {
    fn schema_name() -> Cow<'static, str> {
        format!("DistributionOf_{}", Q::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<Q>();
        let family = generator.subschema_for::<Family<Q>>();
        json_schema!({
            "description": "A value that is always the same, or a table that names a distribution.",
            "anyOf": [value, family],
        })
    }
}

#[cfg(test)]
mod tests;
