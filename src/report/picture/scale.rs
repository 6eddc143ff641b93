//! Where does a value lie, and which values are marked?

/// An axis: values to places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    is_log: bool,
    from: f64,
    to: f64,
}

impl Axis {
    /// From `low` at `from` to `high` at `to`. A logarithmic axis begins above zero.
    pub(super) fn new(low: f64, high: f64, is_log: bool, from: f64, to: f64) -> Self {
        let (mut low, mut high) = (low, high);
        if is_log {
            high = if high > 0.0 { high } else { 1.0 };
            low = if low > 0.0 { low } else { high / 1e6 };
        }
        if high <= low {
            // One value has no width: it lies in the middle of some.
            let room = if low == 0.0 { 1.0 } else { low.abs() * 0.1 };
            if is_log {
                (low, high) = (low / 2.0, high * 2.0);
            } else {
                (low, high) = (low - room, high + room);
            }
        }
        Axis {
            low,
            high,
            is_log,
            from,
            to,
        }
    }

    /// The place of a value; outside the axis, its end.
    pub(super) fn place(&self, value: f64) -> f64 {
        let along = if self.is_log {
            (value.max(self.low) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + along.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Round values along the axis, about so many.
    pub(super) fn marks(&self, about: usize) -> Vec<f64> {
        if self.is_log {
            return self.decades(about);
        }
        let span = self.high - self.low;
        let raw = span / about.max(1) as f64;
        let decade = 10_f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|s| s * decade);
        let step = step.into_iter().find(|step| *step >= raw).unwrap_or(raw);
        let first = (self.low / step).ceil();
        let mut marks = Vec::new();
        for number in 0..100 {
            let value = (first + f64::from(number)) * step;
            if value > self.high + span * 1e-9 {
                break;
            }
            marks.push(value);
        }
        marks
    }

    fn decades(&self, about: usize) -> Vec<f64> {
        let (first, last) = (
            self.low.log10().ceil() as i32,
            self.high.log10().floor() as i32,
        );
        let step = ((last - first + 1).max(1) as usize).div_ceil(about.max(1)) as i32;
        (first..=last)
            .step_by(step.max(1) as usize)
            .map(|exponent| 10_f64.powi(exponent))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_inside() {
        let axis = Axis::new(0.0, 9.7, false, 0.0, 100.0);
        assert_eq!(axis.marks(5), [0.0, 2.0, 4.0, 6.0, 8.0]);
        let axis = Axis::new(-3.0, 3.0, false, 0.0, 100.0);
        assert_eq!(axis.marks(4), [-2.0, 0.0, 2.0]);
        assert_eq!(axis.place(0.0), 50.0);
        let axis = Axis::new(0.5, 2e3, true, 0.0, 100.0);
        assert_eq!(axis.marks(5), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(axis.place(2e3), 100.0);
    }

    #[test]
    fn nothing_is_too_narrow_to_be_drawn() {
        for (low, high, is_log) in [
            (0.0, 0.0, false),
            (5.0, 5.0, true),
            (-1.0, 0.0, true),
            (3.0, 1.0, false),
        ] {
            let axis = Axis::new(low, high, is_log, 0.0, 100.0);
            assert!(
                axis.place(low).is_finite() && axis.marks(5).len() < 50,
                "{low} {high}"
            );
        }
    }
}
