//! Values of constants: integers, logicals, and real numbers of which a program may have either of two precisions.

/// A constant's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Integer.
    Integer(i64),
    /// Real.
    Real(Real),
    /// Logical.
    Logical(bool),
}

/// A real number as it comes out in single and in double precision. Which of the two the program has depends on kinds, whose names
/// are not looked up, and on compiler options such as `-fdefault-real-8`. What follows from a real is known where both agree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Real {
    single: f32,
    double: f64,
}

impl Real {
    /// The nearest numbers of both precisions to a literal.
    pub fn nearest(text: &str) -> Option<Self> {
        Some(Self {
            single: text.parse().ok()?,
            double: text.parse().ok()?,
        })
    }

    /// The result of an operation of one operand.
    pub fn map(self, single: fn(f32) -> f32, double: fn(f64) -> f64) -> Self {
        Self {
            single: single(self.single),
            double: double(self.double),
        }
    }

    /// The result of an operation of two operands.
    pub fn combine(
        self,
        other: Self,
        single: fn(f32, f32) -> f32,
        double: fn(f64, f64) -> f64,
    ) -> Self {
        Self {
            single: single(self.single, other.single),
            double: double(self.double, other.double),
        }
    }

    /// The integer that rounding gives; `None` if it depends on the precision, or is out of range.
    pub fn integer(self, round: fn(f64) -> f64) -> Option<i64> {
        let [single, double] = [f64::from(self.single), self.double].map(round);
        let is_known = single == double && double.abs() < LARGEST_EXACT as f64;
        if is_known { Some(double as i64) } else { None }
    }

    /// The result of a comparison; `None` if it depends on the precision.
    pub fn compare(self, other: Self, holds: fn(&f64, &f64) -> bool) -> Option<bool> {
        let single = holds(&f64::from(self.single), &f64::from(other.single));
        let double = holds(&self.double, &other.double);
        if single == double { Some(double) } else { None }
    }
}

/// Above it, not every integer is a real of double precision.
const LARGEST_EXACT: u64 = 1 << f64::MANTISSA_DIGITS;

impl Value {
    /// As a real number; a logical is none.
    pub fn real(self) -> Option<Real> {
        match self {
            Value::Integer(value) => Some(Real {
                single: value as f32,
                double: value as f64,
            }),
            Value::Real(value) => Some(value),
            Value::Logical(_) => None,
        }
    }
}
