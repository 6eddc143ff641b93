//! How does a quantity stand in a file, and in the schema of files?

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::{Bandwidth, Bytes, Duration, Flop, Fraction, QuantityError, Speed};

/// Lets a quantity stand in a file as a text with a unit.
macro_rules! stands_in_files {
    ($name:ident, $pattern:literal, $meaning:literal) => {
        impl FromStr for $name {
            type Err = QuantityError;
            fn from_str(text: &str) -> Result<Self, QuantityError> {
                Self::read(text)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.write())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Read;
                impl Visitor<'_> for Read {
                    type Value = $name;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        write!(f, "{} such as \"{}\"", $name::KIND.name, $name::KIND.example)
                    }
                    fn visit_str<E: de::Error>(self, text: &str) -> Result<$name, E> {
                        $name::read(text).map_err(E::custom)
                    }
                    fn visit_f64<E: de::Error>(self, number: f64) -> Result<$name, E> {
                        if number == 0.0 {
                            return Ok($name::default());
                        }
                        let found = number.to_string();
                        Err(E::custom(QuantityError::no_unit(&found, $name::KIND)))
                    }
                    fn visit_u64<E: de::Error>(self, number: u64) -> Result<$name, E> {
                        self.visit_f64(number as f64)
                    }
                    fn visit_i64<E: de::Error>(self, number: i64) -> Result<$name, E> {
                        self.visit_f64(number as f64)
                    }
                }
                deserializer.deserialize_any(Read)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "description": $meaning,
                    "anyOf": [{ "type": "string", "pattern": $pattern }, { "const": 0 }],
                    "examples": [$name::KIND.example],
                })
            }
        }
    };
}

stands_in_files!(
    Duration,
    r"^\s*\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*(ns|us|ms|s|min|h|d|w|y)\s*$",
    "A duration: a number and one of ns, us, ms, s, min, h, d, w, y (365.25 d)."
);
stands_in_files!(
    Bytes,
    r"^\s*\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*(B|kB|KiB|MB|MiB|GB|GiB|TB|TiB)\s*$",
    "An amount of data: a number and one of B, kB, MB, GB, TB (decimal), KiB, MiB, GiB, TiB."
);
stands_in_files!(
    Bandwidth,
    r"^\s*\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*[kMG]?(B|bit)/s\s*$",
    "A bandwidth: a number and one of B/s, kB/s, MB/s, GB/s, bit/s, kbit/s, Mbit/s, Gbit/s."
);
stands_in_files!(
    Flop,
    r"^\s*\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*[MGTP]?flop\s*$",
    "An amount of computing: a number and one of flop, Mflop, Gflop, Tflop, Pflop."
);
stands_in_files!(
    Speed,
    r"^\s*\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*[MGT]?(FLOPS|flop/s)\s*$",
    "A speed of computing: a number and one of FLOPS, MFLOPS, GFLOPS, TFLOPS (or flop/s, ...)."
);

impl FromStr for Fraction {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        Self::read(text)
    }
}

impl Serialize for Fraction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

impl<'de> Deserialize<'de> for Fraction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = Fraction;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(
                    f,
                    "a fraction: a number from 0 to 1, or a percentage such as \"13 %\""
                )
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Fraction, E> {
                Fraction::read(text).map_err(E::custom)
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Fraction, E> {
                Fraction::new(number).map_err(E::custom)
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Fraction, E> {
                self.visit_f64(number as f64)
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Fraction, E> {
                self.visit_f64(number as f64)
            }
        }
        deserializer.deserialize_any(Read)
    }
}

impl JsonSchema for Fraction {
    fn schema_name() -> Cow<'static, str> {
        "Fraction".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number from 0 to 1, or a percentage such as \"13 %\".",
            "anyOf": [
                { "type": "number", "minimum": 0, "maximum": 1 },
                { "type": "string", "pattern": r"^\s*[0-9]*\.?[0-9]*([eE][+-]?[0-9]+)?\s*%?\s*$" },
            ],
            "examples": [0.13, Fraction::KIND.example],
        })
    }
}
