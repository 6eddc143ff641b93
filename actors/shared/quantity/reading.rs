//! What does `"1.5 h"` mean, and how is it written so that it means the same again?
//!
//! Decimal numbers are read exactly: whole quantities (nanoseconds, bytes) in integer arithmetic,
//! the others by moving the decimal point before the one rounding that a binary number needs. So
//! `"1.1 s"` is 1,100,000,000 ns and not one more.

use std::fmt;

/// A unit and its size in the base unit of its quantity: `times * 10^exponent / over`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unit {
    /// Its name, as written after the number.
    pub name: &'static str,
    times: u64,
    exponent: i32,
    over: u32,
}

impl Unit {
    /// A unit of `times` base units.
    pub(super) const fn of(name: &'static str, times: u64) -> Self {
        Unit {
            name,
            times,
            exponent: 0,
            over: 1,
        }
    }

    /// A unit of `10^exponent` base units.
    pub(super) const fn decimal(name: &'static str, exponent: i32) -> Self {
        Unit {
            name,
            times: 1,
            exponent,
            over: 1,
        }
    }

    /// A unit of `10^exponent` eighths: bits where the base unit is the byte.
    pub(super) const fn bits(name: &'static str, exponent: i32) -> Self {
        Unit {
            name,
            times: 1,
            exponent,
            over: 8,
        }
    }

    /// The size of the unit in base units.
    pub fn size(&self) -> f64 {
        let power = libm::exp10(f64::from(self.exponent));
        power * self.times as f64 / f64::from(self.over)
    }
}

/// Why a text or number is not a quantity, and what would be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QuantityError {
    found: String,
    problem: Problem,
    kind: Kind,
}

/// What a kind of quantity is called, which units it has, and how one is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// Its name with its article: "a duration".
    pub name: &'static str,
    /// Its units, from small to large.
    pub units: &'static [Unit],
    /// One as it stands in a file: "7 d".
    pub example: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Problem {
    NotOne,
    NoUnit,
    Negative,
    TooLarge,
    OutsideUnitInterval,
}

impl QuantityError {
    fn new(found: &str, problem: Problem, kind: Kind) -> Self {
        // A pasted novel should not come back in full.
        let mut shown: String = found.chars().take(40).collect();
        if shown.len() < found.len() {
            shown.push('…');
        }
        QuantityError {
            found: shown,
            problem,
            kind,
        }
    }

    pub(super) fn no_unit(found: &str, kind: Kind) -> Self {
        Self::new(found, Problem::NoUnit, kind)
    }

    pub(super) fn outside_unit_interval(found: &str, kind: Kind) -> Self {
        Self::new(found, Problem::OutsideUnitInterval, kind)
    }
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (found, kind) = (&self.found, self.kind);
        match self.problem {
            Problem::NotOne => write!(f, "`{found}` is not {}: ", kind.name)?,
            Problem::NoUnit => write!(f, "`{found}` has no unit, so it is not {}: ", kind.name)?,
            Problem::Negative => {
                return write!(
                    f,
                    "`{found}` is negative, and {} is zero or more, as in \"{}\"",
                    kind.name, kind.example
                );
            }
            Problem::TooLarge => {
                return write!(
                    f,
                    "`{found}` is too large for {}; a usual one is \"{}\"",
                    kind.name, kind.example
                );
            }
            Problem::OutsideUnitInterval => {
                return write!(
                    f,
                    "`{found}` is not {}: write a number from 0 to 1, or a percentage from 0 % to \
                     100 %, as in \"{}\"",
                    kind.name, kind.example
                );
            }
        }
        write!(f, "write a number and one of ")?;
        for (position, unit) in kind.units.iter().enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            write!(f, "{comma}{}", unit.name)?;
        }
        write!(f, ", as in \"{}\"", kind.example)
    }
}

impl std::error::Error for QuantityError {}

/// A number and its unit, taken apart; the number is `digits * 10^exponent`.
struct Parsed<'a> {
    negative: bool,
    digits: &'a str,
    exponent: i32,
    unit: Option<Unit>,
}

/// Takes `"-1.5e3 kB"` apart into sign, digits and unit.
fn parse(text: &str, kind: Kind) -> Result<Parsed<'_>, QuantityError> {
    let not_one = || QuantityError::new(text, Problem::NotOne, kind);
    let trimmed = text.trim();
    let (negative, unsigned) = match trimmed.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, trimmed.strip_prefix('+').unwrap_or(trimmed)),
    };
    let bytes = unsigned.as_bytes();
    let count_digits = |from: usize| {
        let tail = bytes.get(from..).unwrap_or_default();
        tail.iter().take_while(|b| b.is_ascii_digit()).count()
    };

    let mut end = count_digits(0);
    if bytes.get(end) == Some(&b'.') {
        end += 1 + count_digits(end + 1);
    }
    let digits = &unsigned[..end];
    if !digits.bytes().any(|b| b.is_ascii_digit()) {
        return Err(not_one());
    }
    let mut exponent = 0;
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let signed = matches!(bytes.get(end + 1), Some(b'+' | b'-'));
        let start = end + 1 + usize::from(signed);
        let length = count_digits(start);
        if length > 0 {
            let written = &unsigned[end + 1..start + length];
            // No quantity needs more; and with this bound no sum of exponents overflows.
            exponent = match written.parse::<i32>() {
                Ok(value) if value.abs() <= 9_999 => value,
                _ => return Err(not_one()),
            };
            end = start + length;
        }
    }
    let name = unsigned[end..].trim();
    let unit = kind.units.iter().find(|unit| unit.name == name).copied();
    if unit.is_none() && !name.is_empty() {
        return Err(not_one());
    }
    Ok(Parsed {
        negative,
        digits,
        exponent,
        unit,
    })
}

impl Parsed<'_> {
    fn is_zero(&self) -> bool {
        self.digits.bytes().all(|b| b == b'0' || b == b'.')
    }

    /// The unit and nothing wrong with the sign, or what is wrong; `None` is a plain zero.
    fn unit(&self, text: &str, kind: Kind) -> Result<Option<Unit>, QuantityError> {
        match self.unit {
            _ if self.negative && !self.is_zero() => {
                Err(QuantityError::new(text, Problem::Negative, kind))
            }
            Some(unit) => Ok(Some(unit)),
            None if self.is_zero() => Ok(None),
            None => Err(QuantityError::new(text, Problem::NoUnit, kind)),
        }
    }
}

/// Reads a quantity of whole base units; a remainder is rounded up.
pub(super) fn read_whole(text: &str, kind: Kind) -> Result<u64, QuantityError> {
    let parsed = parse(text, kind)?;
    let Some(unit) = parsed.unit(text, kind)? else {
        return Ok(0);
    };
    if parsed.is_zero() {
        return Ok(0);
    }
    let too_large = || QuantityError::new(text, Problem::TooLarge, kind);
    let (whole, decimals) = parsed.digits.split_once('.').unwrap_or((parsed.digits, ""));
    let decimals = decimals.trim_end_matches('0');
    let mut mantissa: u128 = 0;
    for digit in whole.bytes().chain(decimals.bytes()) {
        mantissa = mantissa
            .checked_mul(10)
            .and_then(|m| m.checked_add(u128::from(digit - b'0')))
            .ok_or_else(too_large)?;
    }
    let places = i32::try_from(decimals.len()).map_err(|_| too_large())?;
    let exponent = parsed.exponent + unit.exponent - places;
    let product = mantissa
        .checked_mul(u128::from(unit.times))
        .ok_or_else(too_large)?;
    let power = 10u128.checked_pow(exponent.unsigned_abs());
    let value = match (exponent >= 0, power) {
        (true, Some(power)) => product.checked_mul(power).ok_or_else(too_large)?,
        (true, None) => return Err(too_large()),
        (false, Some(power)) => product.div_ceil(power),
        // Smaller than any base unit, but not nothing.
        (false, None) => 1,
    };
    u64::try_from(value).map_err(|_| too_large())
}

/// Reads a quantity measured by a binary number.
pub(super) fn read_real(text: &str, kind: Kind) -> Result<f64, QuantityError> {
    let parsed = parse(text, kind)?;
    let Some(unit) = parsed.unit(text, kind)? else {
        return Ok(0.0);
    };
    let exponent = parsed.exponent + unit.exponent;
    let value: f64 = format!("{}e{exponent}", parsed.digits)
        .parse()
        .map_err(|_| QuantityError::new(text, Problem::NotOne, kind))?;
    let value = value * unit.times as f64 / f64::from(unit.over);
    if value.is_finite() {
        Ok(value)
    } else {
        Err(QuantityError::new(text, Problem::TooLarge, kind))
    }
}

/// Writes whole base units in the largest unit that needs no decimals.
pub(super) fn write_whole(value: u64, kind: Kind) -> String {
    let fits =
        |unit: &&Unit| unit.over == 1 && unit.exponent == 0 && value.is_multiple_of(unit.times);
    match kind.units.iter().rev().find(fits) {
        Some(unit) if value > 0 => format!("{} {}", value / unit.times, unit.name),
        _ => format!("{value} {}", kind.units[0].name),
    }
}

/// Writes a binary number in the unit that makes the shortest text which reads back as the same.
pub(super) fn write_real(value: f64, kind: Kind) -> String {
    let in_unit = |unit: &Unit| format!("{} {}", value / unit.size(), unit.name);
    kind.units
        .iter()
        .rev()
        .map(in_unit)
        .filter(|text| read_real(text, kind) == Ok(value))
        .min_by_key(String::len)
        // The base unit is the first of every kind, and its text is exact.
        .unwrap_or_else(|| in_unit(&kind.units[0]))
}

/// Writes a value for people: three or four digits in the largest unit of which it has one.
pub(super) fn write_rounded(value: f64, kind: Kind, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let unit = kind
        .units
        .iter()
        .filter(|unit| value >= unit.size())
        // Of two names for one size the first is the usual one, and `max_by` returns the last.
        .rev()
        .max_by(|a, b| a.size().total_cmp(&b.size()))
        .unwrap_or(&kind.units[0]);
    let number = value / unit.size();
    let decimals = match number {
        n if n >= 100.0 => 0,
        n if n >= 10.0 => 1,
        _ => 2,
    };
    let text = format!("{number:.decimals$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    write!(f, "{text} {}", unit.name)
}
