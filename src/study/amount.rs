//! What does a value of a scenario amount to?
//!
//! A number, or a text with a number and a unit, whatever it is a quantity of: enough to step through a
//! range and to compare two values.

use actors::shared::quantity::{Bandwidth, Bytes, Duration, Flop, Quantity, Speed};

/// A number with its unit.
#[derive(Clone, PartialEq, Debug)]
pub struct Amount {
    /// How many of the unit.
    pub number: f64,
    /// The name of the unit; empty for a pure number.
    pub unit: String,
    /// How many base units the unit holds.
    size: f64,
    /// What it is an amount of; amounts of the same kind can be compared.
    kind: &'static str,
}

impl Amount {
    /// A pure number.
    pub fn pure(number: f64) -> Self {
        Amount {
            number,
            unit: String::new(),
            size: 1.0,
            kind: "a number",
        }
    }

    /// Reads "7 d", "14 MB", "13 %" or "0.5"; `None` if it is none of them.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_number = |c: char| c.is_ascii_digit() || "+-._".contains(c);
        let mut end = text.find(|c| !is_number(c)).unwrap_or(text.len());
        // An exponent is a part of the number if digits follow it.
        if let Some(rest) = text[end..].strip_prefix(['e', 'E']) {
            let digits = rest.trim_start_matches(['+', '-']);
            if digits.starts_with(|c: char| c.is_ascii_digit()) {
                let signs = rest.len() - digits.len();
                let length = digits
                    .find(|c: char| !c.is_ascii_digit())
                    .unwrap_or(digits.len());
                end += 1 + signs + length;
            }
        }
        let number: f64 = text[..end].replace('_', "").parse().ok()?;
        let unit = text[end..].trim();
        let (kind, size) = kind_of(unit)?;
        number.is_finite().then(|| Amount {
            number,
            unit: unit.to_owned(),
            size,
            kind,
        })
    }

    /// The amount in base units, such as seconds or bytes.
    pub fn in_base(&self) -> f64 {
        self.number * self.size
    }

    /// What it is an amount of.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Whether the two can be compared. Zero is zero of anything.
    pub fn is_like(&self, other: &Amount) -> bool {
        let is_bare_zero = |amount: &Amount| amount.unit.is_empty() && amount.number == 0.0;
        self.kind == other.kind || is_bare_zero(self) || is_bare_zero(other)
    }

    /// So many base units, written in the unit of `self`.
    pub fn with_base(&self, base: f64) -> Amount {
        Amount {
            // Twelve digits: what steps of a tenth add up to is written as people would.
            number: rounded(base / self.size),
            ..self.clone()
        }
    }

    /// As it would stand in a scenario.
    pub fn text(&self) -> String {
        if self.unit.is_empty() {
            format!("{}", self.number)
        } else {
            format!("{} {}", self.number, self.unit)
        }
    }
}

fn kind_of(unit: &str) -> Option<(&'static str, f64)> {
    let found = match unit {
        "" => ("a number", 1.0),
        "%" => ("a number", 0.01),
        _ => None
            .or_else(|| Some((Duration::KIND.name, Duration::unit_in_base(unit)?)))
            .or_else(|| Some((Bytes::KIND.name, Bytes::unit_in_base(unit)?)))
            .or_else(|| Some((Bandwidth::KIND.name, Bandwidth::unit_in_base(unit)?)))
            .or_else(|| Some((Flop::KIND.name, Flop::unit_in_base(unit)?)))
            .or_else(|| Some((Speed::KIND.name, Speed::unit_in_base(unit)?)))?,
    };
    Some(found)
}

fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_every_kind_are_read() {
        for (text, base, kind) in [
            ("7 d", 604_800.0, "a duration"),
            ("1.05e14 flop", 1.05e14, "an amount of computing"),
            ("14MB", 14e6, "an amount of data"),
            ("10 Mbit/s", 1.25e6, "a bandwidth"),
            ("13 %", 0.13, "a number"),
            ("1e3", 1e3, "a number"),
            ("-2", -2.0, "a number"),
        ] {
            let amount = Amount::read(text).unwrap_or_else(|| panic!("{text}"));
            assert!(
                (amount.in_base() - base).abs() < 1e-9 * base.abs(),
                "{text}"
            );
            assert_eq!(amount.kind(), kind, "{text}");
        }
        for text in ["", "d", "locality_2004", "3 parsecs", "1 2", "nan", "e5"] {
            assert_eq!(Amount::read(text), None, "{text}");
        }
    }

    #[test]
    fn a_step_is_written_in_the_unit_of_its_model() {
        let model = Amount::read("12 h").unwrap();
        assert_eq!(model.with_base(3.0 * 86_400.0).text(), "72 h");
        assert_eq!(Amount::pure(0.1).with_base(0.1 + 0.2).text(), "0.3");
    }
}
