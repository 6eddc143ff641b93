//! How much is it? Values with units, as they stand in scenario files.
//!
//! Each type reads a text with a number and a unit (`"7 d"`, `"14 MB"`, `"10 Mbit/s"`), refuses what
//! has no unit (except 0), what is negative and what does not fit, and writes a text that reads back
//! as the very same value. Prefixes are decimal (1 kB = 1,000 B) unless they say `i` (1 KiB =
//! 1,024 B), as the SI and IEC 80000-13 have it.

use std::fmt;

use kernel::SimDuration;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

mod files;
mod reading;

pub use reading::{Kind, QuantityError, Unit};
use reading::{read_real, read_whole, write_real, write_rounded, write_whole};

/// What a [`Distribution`](crate::shared::distribution::Distribution) can be a distribution of.
pub trait Quantity:
    Copy + PartialOrd + fmt::Debug + Serialize + DeserializeOwned + JsonSchema
{
    /// Its name, units and an example.
    const KIND: Kind;
    /// The value in base units: seconds, bytes, bytes per second, flop, flop per second, or 1.
    fn to_base(self) -> f64;
    /// From base units. What is negative or NaN becomes zero; what is too large, the largest value.
    fn from_base(value: f64) -> Self;
    /// The size of a unit in base units, by the unit's name.
    fn unit_in_base(name: &str) -> Option<f64>;
}

/// A span of time. Base unit for distributions: the second.
///
/// A year is 365.25 days. What lies between two nanoseconds is rounded up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Duration(SimDuration);

impl Duration {
    const KIND: Kind = Kind {
        name: "a duration",
        units: &[
            Unit::of("ns", 1),
            Unit::of("us", 1_000),
            Unit::of("ms", 1_000_000),
            Unit::of("s", 1_000_000_000),
            Unit::of("min", 60_000_000_000),
            Unit::of("h", 3_600_000_000_000),
            Unit::of("d", 86_400_000_000_000),
            Unit::of("w", 604_800_000_000_000),
            Unit::of("y", 31_557_600_000_000_000),
        ],
        example: "7 d",
    };

    /// The duration of a simulated span.
    pub const fn new(span: SimDuration) -> Self {
        Duration(span)
    }

    /// The span, for arithmetic with simulated time.
    pub const fn span(self) -> SimDuration {
        self.0
    }

    fn read(text: &str) -> Result<Self, QuantityError> {
        read_whole(text, Self::KIND).map(|nanos| Duration(SimDuration::from_nanos(nanos)))
    }

    fn write(self) -> String {
        // Weeks and years are for reading only: "14 d" says more than "2 w".
        const WRITTEN: Kind = Kind {
            units: Duration::KIND.units.split_at(7).0,
            ..Duration::KIND
        };
        write_whole(self.0.nanos(), WRITTEN)
    }
}

impl From<SimDuration> for Duration {
    fn from(span: SimDuration) -> Self {
        Duration(span)
    }
}

impl From<Duration> for SimDuration {
    fn from(duration: Duration) -> Self {
        duration.0
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Quantity for Duration {
    const KIND: Kind = Duration::KIND;
    fn to_base(self) -> f64 {
        self.0.as_secs_f64()
    }
    fn from_base(value: f64) -> Self {
        Duration(SimDuration::from_secs_f64(value))
    }
    fn unit_in_base(name: &str) -> Option<f64> {
        size_of_unit(Self::KIND, name).map(|nanos| nanos / 1e9)
    }
}

/// An amount of data. Base unit: the byte; what lies between two is rounded up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Bytes(u64);

impl Bytes {
    const KIND: Kind = Kind {
        name: "an amount of data",
        units: &[
            Unit::of("B", 1),
            Unit::of("kB", 1_000),
            Unit::of("KiB", 1 << 10),
            Unit::of("MB", 1_000_000),
            Unit::of("MiB", 1 << 20),
            Unit::of("GB", 1_000_000_000),
            Unit::of("GiB", 1 << 30),
            Unit::of("TB", 1_000_000_000_000),
            Unit::of("TiB", 1 << 40),
        ],
        example: "14 MB",
    };

    /// That many bytes.
    pub const fn new(bytes: u64) -> Self {
        Bytes(bytes)
    }

    /// How many bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }

    fn read(text: &str) -> Result<Self, QuantityError> {
        read_whole(text, Self::KIND).map(Bytes)
    }

    fn write(self) -> String {
        write_whole(self.0, Self::KIND)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DECIMAL: Kind = Kind {
            units: &[
                Bytes::KIND.units[0],
                Bytes::KIND.units[1],
                Bytes::KIND.units[3],
                Bytes::KIND.units[5],
                Bytes::KIND.units[7],
            ],
            ..Bytes::KIND
        };
        write_rounded(self.0 as f64, DECIMAL, f)
    }
}

impl Quantity for Bytes {
    const KIND: Kind = Bytes::KIND;
    fn to_base(self) -> f64 {
        self.0 as f64
    }
    fn from_base(value: f64) -> Self {
        // The cast saturates, and NaN becomes zero.
        Bytes(value.ceil() as u64)
    }
    fn unit_in_base(name: &str) -> Option<f64> {
        size_of_unit(Self::KIND, name)
    }
}

/// Defines a quantity that is measured by a binary number.
macro_rules! real_quantity {
    ($(#[$meta:meta])* $name:ident, $called:literal, $example:literal, [$($unit:expr),* $(,)?]) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
        pub struct $name(f64);

        impl $name {
            const KIND: Kind = Kind { name: $called, units: &[$($unit),*], example: $example };

            fn read(text: &str) -> Result<Self, QuantityError> {
                read_real(text, Self::KIND).map($name)
            }

            fn write(self) -> String {
                write_real(self.0, Self::KIND)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_rounded(self.0, Self::KIND, f)
            }
        }

        impl Quantity for $name {
            const KIND: Kind = $name::KIND;
            fn to_base(self) -> f64 {
                self.0
            }
            fn from_base(value: f64) -> Self {
                // NaN compares with nothing, so it becomes zero, too.
                $name(if value > 0.0 { value.min(f64::MAX) } else { 0.0 })
            }
            fn unit_in_base(name: &str) -> Option<f64> {
                size_of_unit(Self::KIND, name)
            }
        }
    };
}

real_quantity!(
    /// A rate of data transfer. Base unit: bytes per second; `bit` counts bits.
    Bandwidth, "a bandwidth", "10 Mbit/s", [
        Unit::decimal("B/s", 0),
        Unit::decimal("kB/s", 3),
        Unit::decimal("MB/s", 6),
        Unit::decimal("GB/s", 9),
        Unit::bits("bit/s", 0),
        Unit::bits("kbit/s", 3),
        Unit::bits("Mbit/s", 6),
        Unit::bits("Gbit/s", 9),
    ]
);

real_quantity!(
    /// An amount of computing. Base unit: one floating-point operation.
    Flop, "an amount of computing", "1.05e14 flop", [
        Unit::decimal("flop", 0),
        Unit::decimal("Mflop", 6),
        Unit::decimal("Gflop", 9),
        Unit::decimal("Tflop", 12),
        Unit::decimal("Pflop", 15),
    ]
);

real_quantity!(
    /// A speed of computing. Base unit: floating-point operations per second.
    Speed, "a speed", "15.3 GFLOPS", [
        Unit::decimal("FLOPS", 0),
        Unit::decimal("MFLOPS", 6),
        Unit::decimal("GFLOPS", 9),
        Unit::decimal("TFLOPS", 12),
        Unit::decimal("flop/s", 0),
        Unit::decimal("Mflop/s", 6),
        Unit::decimal("Gflop/s", 9),
        Unit::decimal("Tflop/s", 12),
    ]
);

impl Bandwidth {
    /// That many bytes per second; what is negative or not a number becomes zero.
    pub fn new(bytes_per_s: f64) -> Self {
        Self::from_base(bytes_per_s)
    }

    /// Bytes per second.
    pub const fn bytes_per_s(self) -> f64 {
        self.0
    }

    /// How long `amount` takes when it has this bandwidth to itself; forever at bandwidth zero.
    pub fn time_for(self, amount: Bytes) -> SimDuration {
        SimDuration::from_secs_f64(amount.0 as f64 / self.0)
    }
}

impl Flop {
    /// That many floating-point operations; what is negative or not a number becomes zero.
    pub fn new(flop: f64) -> Self {
        Self::from_base(flop)
    }

    /// How many floating-point operations.
    pub const fn flop(self) -> f64 {
        self.0
    }

    /// How long this takes at `speed`, without interruption; forever at speed zero.
    pub fn time_at(self, speed: Speed) -> SimDuration {
        SimDuration::from_secs_f64(self.0 / speed.0)
    }
}

impl Speed {
    /// That many floating-point operations per second; what is negative or NaN becomes zero.
    pub fn new(flop_per_s: f64) -> Self {
        Self::from_base(flop_per_s)
    }

    /// That many billions of floating-point operations per second.
    pub fn from_gflops(gflops: f64) -> Self {
        Self::from_base(gflops * 1e9)
    }

    /// Floating-point operations per second.
    pub const fn flop_per_s(self) -> f64 {
        self.0
    }

    /// Billions of floating-point operations per second.
    pub fn gflops(self) -> f64 {
        self.0 / 1e9
    }
}

/// A part of a whole or a probability, from 0 to 1: a number, or a percentage such as `"13 %"`.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Fraction(f64);

impl Fraction {
    const KIND: Kind = Kind {
        name: "a fraction",
        units: &[Unit::decimal("%", -2)],
        example: "13 %",
    };
    /// Nothing of it; never.
    pub const ZERO: Fraction = Fraction(0.0);
    /// All of it; always.
    pub const ONE: Fraction = Fraction(1.0);

    /// The fraction `value`, if it lies from 0 to 1.
    pub fn new(value: f64) -> Result<Self, QuantityError> {
        if (0.0..=1.0).contains(&value) {
            Ok(Fraction(value))
        } else {
            let found = value.to_string();
            Err(QuantityError::outside_unit_interval(&found, Self::KIND))
        }
    }

    /// The fraction as a number from 0 to 1.
    pub const fn value(self) -> f64 {
        self.0
    }

    fn read(text: &str) -> Result<Self, QuantityError> {
        let outside = || QuantityError::outside_unit_interval(text, Self::KIND);
        let value = match text.trim().strip_suffix('%') {
            Some(_) => read_real(text, Self::KIND).map_err(|_| outside())?,
            None => text.trim().parse().map_err(|_| outside())?,
        };
        Self::new(value).map_err(|_| outside())
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = format!("{:.2}", self.0 * 100.0);
        write!(
            f,
            "{} %",
            percent.trim_end_matches('0').trim_end_matches('.')
        )
    }
}

impl Quantity for Fraction {
    const KIND: Kind = Fraction::KIND;
    fn to_base(self) -> f64 {
        self.0
    }
    fn from_base(value: f64) -> Self {
        // NaN compares with nothing, so it becomes zero, too.
        Fraction(if value > 0.0 { value.min(1.0) } else { 0.0 })
    }
    fn unit_in_base(name: &str) -> Option<f64> {
        size_of_unit(Self::KIND, name)
    }
}

/// Pure numbers are quantities, too; their only unit is `"1"`.
impl Quantity for f64 {
    const KIND: Kind = Kind {
        name: "a number",
        units: &[Unit::decimal("1", 0)],
        example: "2.5",
    };
    fn to_base(self) -> f64 {
        self
    }
    fn from_base(value: f64) -> Self {
        value
    }
    fn unit_in_base(name: &str) -> Option<f64> {
        (name == "1").then_some(1.0)
    }
}

fn size_of_unit(kind: Kind, name: &str) -> Option<f64> {
    let unit = kind.units.iter().find(|unit| unit.name == name)?;
    Some(unit.size())
}

#[cfg(test)]
mod tests;
