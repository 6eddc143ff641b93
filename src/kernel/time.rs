//! When is it, and how long does it take?
//!
//! Time is integer, in nanoseconds, so that it adds up the same way on every machine and in every
//! order. There are two types: an instant and a span. Seconds as `f64` exist only at the border.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

use serde::{Deserialize, Serialize};

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// An instant of simulated time, in nanoseconds since the start of the run. It reaches 584 years.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct SimTime(u64);

/// A span of simulated time, in nanoseconds.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct SimDuration(u64);

impl SimTime {
    /// The start of every run.
    pub const START: SimTime = SimTime(0);
    /// Later than anything that happens: the time of an event that does not exist.
    pub const NEVER: SimTime = SimTime(u64::MAX);

    /// The instant `nanos` nanoseconds after the start.
    pub const fn from_nanos(nanos: u64) -> Self {
        SimTime(nanos)
    }

    /// Nanoseconds since the start.
    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start, for people and files; never for arithmetic inside a model.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND as f64
    }

    /// The span from `earlier` to here, or zero if `earlier` is later.
    pub const fn saturating_since(self, earlier: SimTime) -> SimDuration {
        SimDuration(self.0.saturating_sub(earlier.0))
    }

    /// The first instant at or after this one that lies a whole number of `step`s after `origin`.
    ///
    /// A zero step leaves the instant as it is.
    pub fn rounded_up_to_grid(self, origin: SimTime, step: SimDuration) -> SimTime {
        if step.0 == 0 || self <= origin {
            return self.max(origin);
        }
        let steps = (self - origin).0.div_ceil(step.0);
        SimTime(origin.0.saturating_add(steps.saturating_mul(step.0)))
    }
}

impl SimDuration {
    /// No time at all.
    pub const ZERO: SimDuration = SimDuration(0);
    /// Longer than any run.
    pub const FOREVER: SimDuration = SimDuration(u64::MAX);
    /// The shortest span there is.
    pub const NANOSECOND: SimDuration = SimDuration(1);

    /// A span of `nanos` nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        SimDuration(nanos)
    }

    /// A span of `millis` milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        SimDuration(millis.saturating_mul(NANOS_PER_SECOND / 1_000))
    }

    /// A span of `secs` seconds.
    pub const fn from_secs(secs: u64) -> Self {
        SimDuration(secs.saturating_mul(NANOS_PER_SECOND))
    }

    /// A span of `hours` hours.
    pub const fn from_hours(hours: u64) -> Self {
        Self::from_secs(hours.saturating_mul(3_600))
    }

    /// A span of `days` days of 24 hours.
    pub const fn from_days(days: u64) -> Self {
        Self::from_hours(days.saturating_mul(24))
    }

    /// Seconds to a span, rounded up: a delay never shrinks below a promise.
    ///
    /// Negative numbers and NaN give zero; what does not fit gives [`SimDuration::FOREVER`].
    pub fn from_secs_f64(secs: f64) -> Self {
        let nanos = secs * NANOS_PER_SECOND as f64;
        if nanos.is_nan() || nanos <= 0.0 {
            SimDuration(0)
        } else {
            // The cast saturates, so "too long" becomes FOREVER.
            SimDuration(nanos.ceil() as u64)
        }
    }

    /// The span in nanoseconds.
    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// The span in seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND as f64
    }

    /// The span in hours.
    pub fn as_hours_f64(self) -> f64 {
        self.as_secs_f64() / 3_600.0
    }

    /// The longer of two spans less the shorter, or zero if `other` is the longer.
    pub const fn saturating_sub(self, other: SimDuration) -> SimDuration {
        SimDuration(self.0.saturating_sub(other.0))
    }
}

impl Add<SimDuration> for SimTime {
    type Output = SimTime;
    /// Saturates at [`SimTime::NEVER`].
    fn add(self, span: SimDuration) -> SimTime {
        SimTime(self.0.saturating_add(span.0))
    }
}

impl AddAssign<SimDuration> for SimTime {
    fn add_assign(&mut self, span: SimDuration) {
        *self = *self + span;
    }
}

impl Sub<SimTime> for SimTime {
    type Output = SimDuration;
    /// Panics if the result would be negative: only a bug asks for that.
    fn sub(self, earlier: SimTime) -> SimDuration {
        SimDuration(
            self.0
                .checked_sub(earlier.0)
                .expect("an instant is only subtracted from a later one"),
        )
    }
}

impl Add for SimDuration {
    type Output = SimDuration;
    fn add(self, other: SimDuration) -> SimDuration {
        SimDuration(self.0.saturating_add(other.0))
    }
}

impl AddAssign for SimDuration {
    fn add_assign(&mut self, other: SimDuration) {
        *self = *self + other;
    }
}

impl Mul<u64> for SimDuration {
    type Output = SimDuration;
    fn mul(self, times: u64) -> SimDuration {
        SimDuration(self.0.saturating_mul(times))
    }
}

impl Div<u64> for SimDuration {
    type Output = SimDuration;
    fn div(self, parts: u64) -> SimDuration {
        SimDuration(self.0 / parts)
    }
}

/// Writes a span the way a person says it: the largest two units that matter.
fn write_span(nanos: u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    const UNITS: [(u64, &str); 7] = [
        (86_400 * NANOS_PER_SECOND, "d"),
        (3_600 * NANOS_PER_SECOND, "h"),
        (60 * NANOS_PER_SECOND, "min"),
        (NANOS_PER_SECOND, "s"),
        (1_000_000, "ms"),
        (1_000, "µs"),
        (1, "ns"),
    ];
    if nanos == 0 {
        return write!(f, "0 s");
    }
    let first = UNITS
        .iter()
        .position(|&(size, _)| nanos >= size)
        .expect("one nanosecond is the smallest unit");
    let (size, name) = UNITS[first];
    write!(f, "{} {name}", nanos / size)?;
    let rest = nanos % size;
    if let Some(&(size, name)) = UNITS.get(first + 1)
        && rest >= size
    {
        write!(f, " {} {name}", rest / size)?;
    }
    Ok(())
}

impl fmt::Display for SimDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == SimDuration::FOREVER {
            return write!(f, "forever");
        }
        write_span(self.0, f)
    }
}

impl fmt::Display for SimTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == SimTime::NEVER {
            return write!(f, "never");
        }
        write_span(self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_rounded_up_and_saturate() {
        assert_eq!(SimDuration::from_secs_f64(1e-10), SimDuration::NANOSECOND);
        assert_eq!(SimDuration::from_secs_f64(-1.0), SimDuration::ZERO);
        assert_eq!(SimDuration::from_secs_f64(f64::NAN), SimDuration::ZERO);
        assert_eq!(
            SimDuration::from_secs_f64(f64::INFINITY),
            SimDuration::FOREVER
        );
        assert_eq!(
            SimTime::from_nanos(5) + SimDuration::FOREVER,
            SimTime::NEVER
        );
    }

    #[test]
    fn a_grid_starts_at_its_origin() {
        let origin = SimTime::from_nanos(10);
        let step = SimDuration::from_nanos(7);
        let on_grid = |t| SimTime::from_nanos(t).rounded_up_to_grid(origin, step);
        assert_eq!(on_grid(3), origin);
        assert_eq!(on_grid(17), SimTime::from_nanos(17));
        assert_eq!(on_grid(18), SimTime::from_nanos(24));
        let unchanged = SimTime::from_nanos(18).rounded_up_to_grid(origin, SimDuration::ZERO);
        assert_eq!(unchanged, SimTime::from_nanos(18));
    }

    #[test]
    fn spans_read_like_spans() {
        assert_eq!(SimDuration::from_secs(90_000).to_string(), "1 d 1 h");
        assert_eq!(SimDuration::from_millis(50).to_string(), "50 ms");
        assert_eq!(SimDuration::from_secs(3_600).to_string(), "1 h");
        assert_eq!(SimTime::NEVER.to_string(), "never");
    }
}
