//! Time as integer picoseconds: the only type for points in time and durations of replays and
//! files, its only conversions, and its printing.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

/// A duration, or a point in time since the start of a run, in picoseconds. An `i64` holds 106
/// days. Arithmetic saturates: a sum that leaves the range is a run no call waits for.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Time(i64);

/// Picoseconds per second.
const PER_SECOND: f64 = 1e12;

impl Time {
    /// No time at all.
    pub const ZERO: Time = Time(0);
    /// The latest time that can be written down.
    pub const MAX: Time = Time(i64::MAX);

    /// From integer picoseconds.
    pub const fn from_picoseconds(picoseconds: i64) -> Self {
        Self(picoseconds)
    }

    /// From integer nanoseconds.
    pub const fn from_nanoseconds(nanoseconds: i64) -> Self {
        Self(nanoseconds.saturating_mul(1000))
    }

    /// From seconds, rounded to the nearest picosecond; not-a-number becomes zero.
    pub fn from_seconds(seconds: f64) -> Self {
        Self((seconds * PER_SECOND).round() as i64)
    }

    /// In picoseconds.
    pub const fn picoseconds(self) -> i64 {
        self.0
    }

    /// In seconds.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / PER_SECOND
    }

    /// In microseconds.
    pub fn microseconds(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Scaled by a factor, rounded to the nearest picosecond.
    pub fn scaled(self, factor: f64) -> Self {
        // The cast saturates, as all arithmetic here does.
        Self((self.0 as f64 * factor).round() as i64)
    }

    /// `count` times this time, exactly.
    pub fn times(self, count: u64) -> Self {
        Self(
            self.0
                .saturating_mul(i64::try_from(count).unwrap_or(i64::MAX)),
        )
    }
}

impl Add for Time {
    type Output = Time;
    fn add(self, other: Time) -> Time {
        Time(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Time {
    fn add_assign(&mut self, other: Time) {
        *self = *self + other;
    }
}

impl Sub for Time {
    type Output = Time;
    fn sub(self, other: Time) -> Time {
        Time(self.0.saturating_sub(other.0))
    }
}

impl SubAssign for Time {
    fn sub_assign(&mut self, other: Time) {
        *self = *self - other;
    }
}

impl Neg for Time {
    type Output = Time;
    fn neg(self) -> Time {
        Time(self.0.saturating_neg())
    }
}

impl Sum for Time {
    fn sum<I: Iterator<Item = Time>>(times: I) -> Time {
        times.fold(Time::ZERO, Add::add)
    }
}

/// Prints four significant digits with the unit that fits: `1.234 s`, `56.70 ms`, `8.000 us`.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Each limit is what rounds to 1000 of the smaller unit: 999.96 ns are 1.000 us.
        let magnitude = self.0.unsigned_abs();
        let (unit, per_unit) = match magnitude {
            0 => return f.pad("0 s"),
            1..1_000 => ("ps", 1.0),
            1_000..999_950 => ("ns", 1e3),
            999_950..999_950_000 => ("us", 1e6),
            999_950_000..999_950_000_000 => ("ms", 1e9),
            _ => ("s", 1e12),
        };
        let value = self.0 as f64 / per_unit;
        // Four significant digits after rounding.
        let decimals = match value.abs() {
            v if v >= 999.95 => 0,
            v if v >= 99.995 => 1,
            v if v >= 9.9995 => 2,
            _ => 3,
        };
        f.pad(&format!("{value:.decimals$} {unit}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_with_the_unit_that_fits() {
        let cases = [
            (0, "0 s"),
            (950, "950.0 ps"),
            (12_345, "12.35 ns"),
            (8_000_000, "8.000 us"),
            (1_234_000_000_000, "1.234 s"),
            (-1_234_000_000_000, "-1.234 s"),
            (4_321_000_000_000_000, "4321 s"),
            (999_949, "999.9 ns"),
            (999_960, "1.000 us"),
            (9_999_600, "10.00 us"),
            (99_996_000_000, "100.0 ms"),
            (999_960_000_000_000, "1000 s"),
        ];
        for (picoseconds, expected) in cases {
            assert_eq!(Time::from_picoseconds(picoseconds).to_string(), expected);
        }
    }

    #[test]
    fn never_overflows() {
        assert_eq!(Time::MAX + Time::from_nanoseconds(1), Time::MAX);
        assert_eq!(Time::from_seconds(f64::NAN), Time::ZERO);
        assert_eq!(Time::from_nanoseconds(5).times(u64::MAX), Time::MAX);
    }
}
