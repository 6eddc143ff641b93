//! When is a machine on, and when is it off?
//!
//! An alternating renewal process: intervals of being on and of being off take turns, each drawn
//! from its own distribution. [`Availability`] holds the parameters, shared by all hosts;
//! [`Switching`] is what one host keeps: its own random numbers and which state it is in. The host
//! schedules the next switch for itself.
//!
//! In the stationary start a machine is met at any moment of a process that has always been
//! running: on with probability E\[on\] / (E\[on\] + E\[off\]), and what is left of the present interval
//! is its residual life. The fraction of machines that are on is then the same at all times. In the
//! cold start everybody is switched on at the start, as other simulators have it; with heavy tails
//! that bias is still there after a year.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use kernel::{RandomStream, SimDuration};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::shared::distribution::Distribution;
use crate::shared::quantity::Duration;

mod preset;

pub use preset::Preset;

/// How machines switch on and off.
#[derive(Clone, PartialEq, Debug)]
pub struct Availability {
    /// The name under which it stands in the scenario, if it has one.
    preset: Option<Preset>,
    start: Start,
    pattern: Pattern,
}

#[derive(Clone, PartialEq, Debug)]
enum Pattern {
    Always,
    Alternating {
        on: Distribution<Duration>,
        off: Distribution<Duration>,
        fraction_on: f64,
    },
}

/// The state in which machines are met at the start of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// As if the process had been running forever.
    #[default]
    Stationary,
    /// Every machine is switched on at the start, to reproduce simulators that do so.
    ColdStart,
}

impl Availability {
    /// Machines that are never off.
    pub const fn always() -> Self {
        Availability {
            preset: Some(Preset::Always),
            start: Start::Stationary,
            pattern: Pattern::Always,
        }
    }

    /// Machines whose intervals of being on and off have these distributions.
    pub fn alternating(
        on: Distribution<Duration>,
        off: Distribution<Duration>,
        start: Start,
    ) -> Result<Self, AvailabilityError> {
        for (key, interval) in [("on", &on), ("off", &off)] {
            if interval.mean() <= 0.0 {
                return Err(AvailabilityError::NoLength(key));
            }
        }
        let fraction_on = on.mean() / (on.mean() + off.mean());
        Ok(Availability {
            preset: None,
            start,
            pattern: Pattern::Alternating {
                on,
                off,
                fraction_on,
            },
        })
    }

    /// The same machines, met otherwise at the start.
    pub fn starting(mut self, start: Start) -> Self {
        self.start = start;
        self
    }

    /// The fraction of machines that are on in the long run: E\[on\] / (E\[on\] + E\[off\]).
    pub fn fraction_on(&self) -> f64 {
        match self.pattern {
            Pattern::Always => 1.0,
            Pattern::Alternating { fraction_on, .. } => fraction_on,
        }
    }

    /// The mean time from one switching-on to the next, in seconds; infinite if there is none.
    pub fn mean_cycle_s(&self) -> f64 {
        match &self.pattern {
            Pattern::Always => f64::INFINITY,
            Pattern::Alternating { on, off, .. } => on.mean() + off.mean(),
        }
    }

    /// In which state machines are met at the start.
    pub fn start(&self) -> Start {
        self.start
    }
}

/// One machine's switching: its own random numbers, and whether it is on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Switching {
    random: RandomStream,
    on: bool,
}

impl Switching {
    /// A machine as it is met at the start of a run, and for how long it stays as it is.
    ///
    /// `random` is a stream that serves nothing else, so that what a host does with its time does
    /// not change when it is on.
    pub fn begin(availability: &Availability, random: RandomStream) -> (Self, SimDuration) {
        Self::met(availability, availability.start, random)
    }

    /// A machine that is switched on at this moment for the first time, such as that of a volunteer
    /// who has just joined, and for how long it stays on.
    pub fn newly_on(availability: &Availability, random: RandomStream) -> (Self, SimDuration) {
        Self::met(availability, Start::ColdStart, random)
    }

    fn met(
        availability: &Availability,
        start: Start,
        mut random: RandomStream,
    ) -> (Self, SimDuration) {
        let Pattern::Alternating {
            on,
            off,
            fraction_on,
        } = &availability.pattern
        else {
            return (Switching { random, on: true }, SimDuration::FOREVER);
        };
        let (is_on, interval) = match start {
            Start::ColdStart => (true, on.sample(&mut random)),
            Start::Stationary if random.chance(*fraction_on) => {
                (true, on.sample_residual(&mut random))
            }
            Start::Stationary => (false, off.sample_residual(&mut random)),
        };
        (Switching { random, on: is_on }, some_time(interval))
    }

    /// Whether the machine is on.
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Switches the machine over and returns for how long it stays as it is now.
    ///
    /// `availability` is the one it began with.
    pub fn switch(&mut self, availability: &Availability) -> SimDuration {
        let Pattern::Alternating { on, off, .. } = &availability.pattern else {
            return SimDuration::FOREVER;
        };
        self.on = !self.on;
        let interval = if self.on { on } else { off };
        some_time(interval.sample(&mut self.random))
    }
}

/// An interval takes at least one nanosecond, so that time goes on whatever is drawn.
fn some_time(interval: Duration) -> SimDuration {
    interval.span().max(SimDuration::NANOSECOND)
}

/// Why this does not say when machines are on, and what would.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AvailabilityError {
    /// An interval of no length.
    #[error("`{0}` has a mean of zero, so machines would switch forever: write a longer duration")]
    NoLength(&'static str),
    /// Neither a preset nor two distributions.
    #[error(
        "an availability needs either a `preset` or both `on` and `off`, as in \
         {{ preset = \"seti_random_hosts\" }} or {{ on = \"8 h\", off = \"16 h\" }}"
    )]
    Incomplete,
    /// A preset and a distribution.
    #[error("`preset` already says how long machines are on and off: remove it, or `on` and `off`")]
    Twice,
}

/// An availability as it stands in a scenario.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AvailabilityTable")]
struct Written {
    /// A published fit, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    preset: Option<Preset>,
    /// How long a machine stays on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    on: Option<Distribution<Duration>>,
    /// How long a machine stays off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    off: Option<Distribution<Duration>>,
    /// How machines are met at the start.
    #[serde(default)]
    start: Start,
}

impl TryFrom<Written> for Availability {
    type Error = AvailabilityError;
    fn try_from(written: Written) -> Result<Self, AvailabilityError> {
        let availability = match (written.preset, written.on, written.off) {
            (Some(preset), None, None) => preset.availability(),
            (None, Some(on), Some(off)) => Availability::alternating(on, off, written.start)?,
            (None, ..) => return Err(AvailabilityError::Incomplete),
            (Some(_), ..) => return Err(AvailabilityError::Twice),
        };
        Ok(availability.starting(written.start))
    }
}

impl Serialize for Availability {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut written = Written {
            preset: self.preset,
            start: self.start,
            ..Written::default()
        };
        if let (None, Pattern::Alternating { on, off, .. }) = (self.preset, &self.pattern) {
            written.on = Some(on.clone());
            written.off = Some(off.clone());
        }
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Availability {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read(PhantomData<()>);
        impl<'de> Visitor<'de> for Read {
            type Value = Availability;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(
                    f,
                    "the name of a preset such as \"seti_random_hosts\", or a table with `on` and \
                     `off`"
                )
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<Availability, E> {
                Preset::deserialize(name.into_deserializer()).map(Preset::availability)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Availability, A::Error> {
                let written = Written::deserialize(MapAccessDeserializer::new(map))?;
                Availability::try_from(written).map_err(de::Error::custom)
            }
        }
        deserializer.deserialize_any(Read(PhantomData))
    }
}

impl JsonSchema for Availability {
    fn schema_name() -> Cow<'static, str> {
        "Availability".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let preset = generator.subschema_for::<Preset>();
        let written = generator.subschema_for::<Written>();
        json_schema!({
            "description": "When machines are on: a preset's name, or a table with `on` and `off`.",
            "anyOf": [preset, written],
        })
    }
}

#[cfg(test)]
mod tests;
