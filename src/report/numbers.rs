//! How are figures written for people?
//!
//! With four significant digits, thousands separated, and the unit that keeps them short. Files for
//! programs hold the plain figures.

/// A unit in which figures are easier to read, and how many of the given unit it holds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scale {
    /// How many of the original unit.
    pub size: f64,
    /// Its name; empty for pure numbers.
    pub unit: &'static str,
}

const BYTES: [Scale; 6] = [
    Scale {
        size: 1e15,
        unit: "PB",
    },
    Scale {
        size: 1e12,
        unit: "TB",
    },
    Scale {
        size: 1e9,
        unit: "GB",
    },
    Scale {
        size: 1e6,
        unit: "MB",
    },
    Scale {
        size: 1e3,
        unit: "kB",
    },
    Scale {
        size: 1.0,
        unit: "B",
    },
];
const BYTES_PER_SECOND: [Scale; 4] = [
    Scale {
        size: 1e9,
        unit: "GB/s",
    },
    Scale {
        size: 1e6,
        unit: "MB/s",
    },
    Scale {
        size: 1e3,
        unit: "kB/s",
    },
    Scale {
        size: 1.0,
        unit: "B/s",
    },
];
const SECONDS: [Scale; 6] = [
    Scale {
        size: 86_400.0,
        unit: "d",
    },
    Scale {
        size: 3_600.0,
        unit: "h",
    },
    Scale {
        size: 60.0,
        unit: "min",
    },
    Scale {
        size: 1.0,
        unit: "s",
    },
    Scale {
        size: 1e-3,
        unit: "ms",
    },
    Scale {
        size: 1e-6,
        unit: "µs",
    },
];

/// The unit in which figures up to `largest` of `unit` are short; `None` if it is the given one.
pub fn scale_for(unit: &str, largest: f64) -> Option<Scale> {
    let scales: &[Scale] = match unit {
        "B" | "byte" | "bytes" => &BYTES,
        "B/s" | "bytes/s" => &BYTES_PER_SECOND,
        "s" | "seconds" => &SECONDS,
        _ => return None,
    };
    let fitting = scales.iter().find(|scale| largest.abs() >= scale.size);
    let smallest = scales.iter().find(|scale| scale.size == 1.0);
    // Zero has no size of its own; and what is tiny is written in the smallest unit.
    let chosen = if largest == 0.0 {
        smallest
    } else {
        fitting.or(scales.last())
    };
    chosen.copied()
}

/// A figure and its unit, as "14.2 GB" or "62,813 hosts".
pub fn with_unit(value: f64, unit: &str) -> String {
    let (number, unit) = parts(value, unit);
    if unit.is_empty() {
        number
    } else {
        format!("{number} {unit}")
    }
}

/// A figure and its unit apart, for columns.
pub fn parts(value: f64, unit: &str) -> (String, String) {
    if !value.is_finite() {
        return (number(value), String::new());
    }
    match scale_for(unit, value) {
        Some(scale) => (number(value / scale.size), scale.unit.to_owned()),
        None if unit == "1" => (number(value), String::new()),
        None => (number(value), unit.to_owned()),
    }
}

/// A number with thousands separated: whole numbers in full, others with four significant digits.
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let size = value.abs();
    if size >= 1e15 || (size > 0.0 && size < 1e-4) {
        return format!("{value:.3e}");
    }
    if value.fract() == 0.0 || size >= 1_000.0 {
        return grouped(&format!("{value:.0}"));
    }
    let decimals = match size {
        s if s >= 100.0 => 1,
        s if s >= 10.0 => 2,
        s if s >= 1.0 => 3,
        s if s >= 0.1 => 4,
        s if s >= 0.01 => 5,
        _ => 6,
    };
    format!("{value:.decimals$}")
}

/// An estimate, with two significant digits and no more: "63,000", "41 million".
pub fn roughly(value: f64) -> String {
    if !value.is_finite() || value < 0.0 {
        return "an unknown number of".to_owned();
    }
    let (size, word) = match value {
        v if v >= 1e12 => return format!("{value:.1e}"),
        v if v >= 1e9 => (1e9, " billion"),
        v if v >= 1e6 => (1e6, " million"),
        _ => (1.0, ""),
    };
    let scaled = value / size;
    let digits = if scaled >= 1.0 {
        scaled.log10().floor() as i32 + 1
    } else {
        1
    };
    let step = 10_f64.powi((digits - 2).max(0));
    let rounded = (scaled / step).round() * step;
    if word.is_empty() || rounded >= 10.0 {
        return format!("{}{word}", grouped(&format!("{rounded:.0}")));
    }
    format!("{scaled:.1}{word}")
}

/// A count with thousands separated.
pub fn count(value: u64) -> String {
    grouped(&value.to_string())
}

fn grouped(digits: &str) -> String {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", digits),
    };
    let mut out = String::with_capacity(digits.len() * 4 / 3 + 1);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    format!("{sign}{out}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_as_people_write_them() {
        for (value, unit, words) in [
            (62_813.0, "hosts", "62,813 hosts"),
            (1_234_567.8, "instances", "1,234,568 instances"),
            (0.2458, "1", "0.2458"),
            (15.3219, "GFLOPS", "15.32 GFLOPS"),
            (1.29e12, "bytes", "1.290 TB"),
            (999.0, "bytes", "999 B"),
            (0.0, "bytes", "0 B"),
            (0.0, "s", "0 s"),
            (5_400.0, "s", "1.500 h"),
            (0.25, "s", "250 ms"),
            (-1_000.0, "jobs", "-1,000 jobs"),
            (3.2e20, "flop", "3.200e20 flop"),
            (f64::NAN, "1", "–"),
            (f64::INFINITY, "s", "–"),
        ] {
            assert_eq!(with_unit(value, unit), words);
        }
        for (value, words) in [
            (62_813.0, "63,000"),
            (41_234_567.0, "41 million"),
            (1_234_567.0, "1.2 million"),
            (3.0, "3"),
            (0.0, "0"),
            (f64::NAN, "an unknown number of"),
        ] {
            assert_eq!(roughly(value), words);
        }
        assert_eq!(count(1_000_000), "1,000,000");
        assert_eq!(count(0), "0");
    }
}
