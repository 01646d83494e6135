//! Reads the parameters of one fit by name and reports errors in them. The parameters of a model and their
//! meaning are in the model's own file.

use super::ModelError;
use base_data::Time;
use base_data::comm_data::{LinkClass, ModelFit, Parameter};

/// Unit of times.
pub(super) const NANOSECONDS: &str = "ns";
/// Unit of times per byte.
pub(super) const PER_BYTE: &str = "ns/byte";
/// Unit of shares.
pub(super) const RATIO: &str = "ratio";
/// Unit of lengths.
pub(super) const BYTES: &str = "bytes";

/// The parameters of one kind of link.
pub(super) struct FitReader<'a> {
    fit: &'a ModelFit,
    link: LinkClass,
    model: &'static str,
}

impl<'a> FitReader<'a> {
    /// A reader of a fit all of whose parameters are among `names`.
    ///
    /// # Errors
    /// A parameter with another name.
    pub(super) fn new(
        fit: &'a ModelFit,
        link: LinkClass,
        model: &'static str,
        names: &[&str],
    ) -> Result<Self, ModelError> {
        let read = Self { fit, link, model };
        match fit
            .parameters
            .iter()
            .find(|parameter| !names.contains(&parameter.name.as_str()))
        {
            None => Ok(read),
            Some(unknown) => Err(read.wrong(unknown, format!("one of {}", names.join(", ")))),
        }
    }

    /// A parameter that may be missing.
    ///
    /// # Errors
    /// A value that is negative or no number, or another unit.
    pub(super) fn optional(&self, name: &str, unit: &str) -> Result<Option<f64>, ModelError> {
        let Some(found) = self.find(name) else {
            return Ok(None);
        };
        if found.unit == unit && found.value.is_finite() && found.value >= 0.0 {
            return Ok(Some(found.value));
        }
        Err(self.wrong(found, format!("a number of at least 0 in {unit}")))
    }

    /// A parameter that must be there.
    ///
    /// # Errors
    /// A missing parameter, and what [`FitReader::optional`] refuses.
    pub(super) fn required(
        &self,
        name: &'static str,
        unit: &'static str,
    ) -> Result<f64, ModelError> {
        let missing = ModelError::Missing {
            model: self.model,
            link: self.link,
            parameter: name,
            unit,
        };
        self.optional(name, unit)?.ok_or(missing)
    }

    /// A parameter that must be there if `needed`, and counts as 0 where it is missing otherwise.
    ///
    /// # Errors
    /// As [`FitReader::required`].
    pub(super) fn required_if(
        &self,
        needed: bool,
        name: &'static str,
        unit: &'static str,
    ) -> Result<f64, ModelError> {
        if needed {
            self.required(name, unit)
        } else {
            Ok(self.optional(name, unit)?.unwrap_or(0.0))
        }
    }

    /// A length that may be missing.
    ///
    /// # Errors
    /// As [`FitReader::optional`], and a value that no message can have.
    pub(super) fn bytes(&self, name: &str) -> Result<Option<u64>, ModelError> {
        // `u64::MAX as f64` is 2^64, which is one too many.
        let is_length = |value: f64| value.fract() == 0.0 && value < u64::MAX as f64;
        match (self.optional(name, BYTES)?, self.find(name)) {
            (Some(value), Some(found)) if !is_length(value) => {
                Err(self.wrong(found, format!("a whole number of {BYTES} below 2^64")))
            }
            (value, _) => Ok(value.map(|value| value as u64)),
        }
    }

    fn find(&self, name: &str) -> Option<&Parameter> {
        self.fit
            .parameters
            .iter()
            .find(|parameter| parameter.name == name)
    }

    fn wrong(&self, found: &Parameter, expected: String) -> ModelError {
        ModelError::Value {
            model: self.model,
            link: self.link,
            parameter: found.name.clone(),
            value: found.value,
            unit: found.unit.clone(),
            expected,
        }
    }
}

/// Nanoseconds, to the nearest picosecond.
pub(super) fn nanoseconds(value: f64) -> Time {
    Time::from_picoseconds((value * 1e3).round() as i64)
}
