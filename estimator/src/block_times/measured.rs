//! The measured values of one variant: of all ranks, and of single ranks where they are known apart.

use super::time_series::TimeSeries;
use base_data::compute_data::ComputeEntry;
use base_data::distribution::Distribution;
use std::collections::BTreeMap;

/// The measured values of one variant.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    pub(super) terms: Vec<i64>,
    /// Of all ranks.
    pub(super) values: Values,
    /// By rank, where its own are known apart.
    pub(super) own: BTreeMap<u32, Own>,
    /// Relative standard deviation, where the values come from other numbers of ranks.
    pub(super) spread: Option<f64>,
    /// How later executions change from one to the next, where they do.
    pub(super) time_series: Option<TimeSeries>,
}

/// The values of one rank.
#[derive(Clone, Debug, Default)]
pub(super) struct Own {
    pub(super) values: Values,
    /// Relative standard deviation, where they were computed from those of other ranks.
    pub(super) spread: Option<f64>,
    /// How later executions change from one to the next, where they do.
    pub(super) time_series: Option<TimeSeries>,
}

/// Values of first and of warm executions.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    pub(super) first: Distribution,
    pub(super) warm: Distribution,
}

impl Measured {
    /// It may be off by so much at least (relative standard deviation).
    pub(super) fn is_guessed(&mut self, least: f64) {
        let widened = |spread: Option<f64>| Some(spread.map_or(least, |spread| spread.max(least)));
        self.spread = widened(self.spread);
        self.own
            .values_mut()
            .for_each(|own| own.spread = widened(own.spread));
    }

    /// The same with all times multiplied.
    pub(super) fn scaled(&self, factor: f64) -> Self {
        let scaled = |own: &Own| Own {
            values: own.values.scaled(factor),
            ..own.clone()
        };
        let own = self.own.iter().map(|(&rank, own)| (rank, scaled(own)));
        Self {
            terms: self.terms.clone(),
            values: self.values.scaled(factor),
            own: own.collect(),
            spread: self.spread,
            time_series: self.time_series.clone(),
        }
    }
}

impl Values {
    fn scaled(&self, factor: f64) -> Self {
        Self {
            first: self.first.scaled(factor),
            warm: self.warm.scaled(factor),
        }
    }

    pub(super) fn add(&mut self, entry: &ComputeEntry) {
        self.first = self.first.merged(&entry.first);
        self.warm = self.warm.merged(&entry.warm);
    }

    /// First executions, or warm ones if there are none.
    pub(super) fn first_or_warm(&self) -> &Distribution {
        if self.first.count > 0 {
            &self.first
        } else {
            &self.warm
        }
    }

    /// Warm executions, or first ones if there are none.
    pub(super) fn warm_or_first(&self) -> &Distribution {
        if self.warm.count > 0 {
            &self.warm
        } else {
            &self.first
        }
    }
}
