//! Fits of the models whose times are sums of their parameters: LogGPS, LogGOPS and LogGP-2.
//!
//! Each model lists its parameters and writes each sample as a [`Row`]; [`fit`] solves all rows together. `S` comes from sends to a
//! receiver that computes ([`Samples::longest_eager`]), `s` from the data: the length at which a change of slope explains the samples
//! best, if it explains them clearly better than none.

use super::linear_fit::{
    LeftOut, Row, Solution, cross_validate, mean_error, solve, solve_roughly, solve_weighted,
};
use super::samples::{EXCEPTIONS, MOST_OFF, Outcome, Prediction, Samples, described, parameter};
use base_data::comm_data::{CommSample, LinkClass, ModelFit, Parameter, SampleKind};
use std::collections::BTreeSet;

/// A model, as far as its fit needs it.
pub(super) struct LinearModel {
    /// Its name in [`crate::network::MODELS`].
    pub(super) name: &'static str,
    /// The time of a sample by the parameters; `None` for a sample that the model says nothing of.
    pub(super) row: fn(&Observation, Thresholds) -> Option<Row>,
    /// Whether times change at an `s`.
    pub(super) has_packets: bool,
    /// `s` in bytes, where there is one.
    pub(super) packet: fn(&Solution, Thresholds) -> f64,
    /// The parameters of the model from the solution; `None` if one that it needs is undetermined.
    pub(super) parameters: fn(&Solution, Thresholds) -> Option<Vec<f64>>,
    /// Names and units of what `parameters` returns.
    pub(super) names: &'static [(&'static str, &'static str)],
    /// Pairs of `names` of which only the sum is known under these thresholds.
    pub(super) known_sums: fn(Thresholds) -> &'static [(usize, usize)],
}

/// Lengths at which times change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Thresholds {
    /// The longest of the measured lengths up to `s`.
    pub(super) packet: Option<u64>,
    /// `S`.
    pub(super) eager: Option<u64>,
}

impl Thresholds {
    pub(super) fn is_eager(self, bytes: u64) -> bool {
        self.eager.is_none_or(|longest| bytes <= longest)
    }
}

/// A sample in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observation {
    pub(super) kind: SampleKind,
    pub(super) bytes: u64,
    /// Inserted computation.
    pub(super) delay: f64,
    pub(super) time: f64,
    /// Whether the delay is longer than the message and its answer take, so that it hides the network.
    pub(super) is_hidden: bool,
}

impl Observation {
    /// A row of this sample, `part` of whose time the parameters explain.
    pub(super) fn row(&self, what: &'static str, coefficients: &[f64], part: f64) -> Row {
        Row {
            what,
            bytes: self.bytes,
            coefficients: coefficients.to_vec(),
            time: part,
            measured: self.time,
        }
    }
}

/// A fit with a larger residual does not describe its samples: the measured curve, which estimates use without it, is better.
const MOST_RESIDUAL: f64 = 0.1;
/// A change of slope must reduce the mean error to this share; less is noise.
const CLEAR: f64 = 0.8;
/// Mean errors below this are rounding of times, which no change of slope explains.
const EXACT: f64 = 1e-6;

/// Fits a model to the samples of one kind of link.
pub(super) fn fit(model: &LinearModel, samples: &Samples<'_>, link: LinkClass) -> Outcome {
    let observations = observations(samples);
    let eager = samples.longest_eager();
    let thresholds = Thresholds {
        packet: None,
        eager,
    };
    let lengths: BTreeSet<u64> = observations.iter().map(|one| one.bytes).collect();
    let lengths: Vec<u64> = lengths.into_iter().collect();
    let search = Search {
        model,
        observations: &observations,
    };
    let without_packets = Thresholds {
        packet: eager,
        ..thresholds
    };
    // Samples of round trips alone determine no model: without a search for `s`, this is quick.
    let first = solve(&search.rows(without_packets));
    if (model.parameters)(&first, without_packets).is_none() {
        return Outcome::NotMeasured;
    }
    let thresholds = search.with_packets(thresholds, &lengths);
    let rows = search.rows(thresholds);
    let solution = solve(&rows);
    let Some(values) = (model.parameters)(&solution, thresholds) else {
        return Outcome::NotMeasured;
    };
    let errors: Vec<Prediction> = rows
        .iter()
        .map(|row| Prediction {
            what: row.what,
            bytes: row.bytes,
            error: row.error(&solution.values),
        })
        .collect();
    let off_by_more_than = |share: f64| -> Vec<&Prediction> {
        let is_off = |one: &&Prediction| one.error.abs() > share;
        errors.iter().filter(is_off).collect()
    };
    let off = off_by_more_than(MOST_OFF);
    if off.len() * EXCEPTIONS > errors.len() {
        return Outcome::Rejected(described(model.name, link, &off));
    }
    let has_length = |length: &&u64| rows.iter().any(|row| row.bytes == **length);
    let used: Vec<u64> = lengths.iter().filter(has_length).copied().collect();
    let named = named_thresholds(model, &solution, thresholds);
    let checked = cross_validate(&used, values.len() + named.len(), |left_out| {
        search.without(left_out, thresholds, &solution.weights)
    });
    if checked.residual > MOST_RESIDUAL {
        let off = off_by_more_than(MOST_RESIDUAL);
        return Outcome::Rejected(described(model.name, link, &off));
    }
    let mut covariance = checked.covariance;
    let size = values.len() + named.len();
    for &(first, second) in (model.known_sums)(thresholds) {
        // Any split of the sum is possible: uniform in [0, sum], the parts opposite.
        let variance = (values[first] + values[second]).powi(2) / 12.0;
        covariance[first * size + first] += variance;
        covariance[second * size + second] += variance;
        covariance[first * size + second] -= variance;
        covariance[second * size + first] -= variance;
    }
    let mut parameters: Vec<Parameter> = model
        .names
        .iter()
        .zip(&values)
        .map(|(&(name, unit), &value)| parameter(name, value, unit))
        .collect();
    for (index, &(name, value)) in named.iter().enumerate() {
        parameters.push(parameter(name, value.round(), "bytes"));
        if name == "S"
            && let Some(next) = samples.shortest_waiting()
        {
            let place = (values.len() + index) * (size + 1);
            covariance[place] += (next as f64 - value - 1.0).powi(2) / 12.0;
        }
    }
    let mut source = format!("fitted to {} samples", rows.len());
    if !off.is_empty() {
        source.push_str("; ");
        source.push_str(&described(model.name, link, &off));
    }
    Outcome::Fit(
        Box::new(ModelFit {
            model: model.name.into(),
            link,
            parameters,
            curve: Vec::new(),
            covariance,
            residual: Some(checked.residual),
            source,
        }),
        None,
    )
}

fn observations(samples: &Samples<'_>) -> Vec<Observation> {
    let round_trips = samples.of(SampleKind::PingPong);
    let observation = |sample: &&CommSample| {
        let delay = sample.delay.picoseconds() as f64 / 1e3;
        // Where this length has no round trip, the next longer one stands in: it takes no less.
        let nearest = round_trips.range(sample.bytes..).next();
        let half = nearest
            .or(round_trips.iter().next_back())
            .map_or(f64::INFINITY, |(_, time)| *time);
        Observation {
            kind: sample.kind,
            bytes: sample.bytes,
            delay,
            time: sample.median.picoseconds() as f64 / 1e3,
            is_hidden: delay >= 2.0 * half,
        }
    };
    samples
        .samples
        .iter()
        .map(observation)
        // Errors are relative to the time.
        .filter(|one| one.time > 0.0)
        .collect()
}

struct Search<'a> {
    model: &'a LinearModel,
    observations: &'a [Observation],
}

impl Search<'_> {
    fn rows(&self, thresholds: Thresholds) -> Vec<Row> {
        let mut rows = Vec::new();
        for observation in self.observations {
            rows.extend((self.model.row)(observation, thresholds));
        }
        rows
    }

    fn mean_error(&self, thresholds: Thresholds) -> f64 {
        let rows = self.rows(thresholds);
        mean_error(&rows, &solve_roughly(&rows).values)
    }

    /// Adds `s`, where the samples show one. Without a change of slope below `S`, slopes change at `S`.
    fn with_packets(&self, thresholds: Thresholds, lengths: &[u64]) -> Thresholds {
        if !self.model.has_packets {
            return thresholds;
        }
        let longest = lengths.last().copied().unwrap_or(0);
        let limit = thresholds.eager.unwrap_or(longest);
        let with = |packet| Thresholds {
            packet: Some(packet),
            ..thresholds
        };
        let none = Thresholds {
            packet: thresholds.eager,
            ..thresholds
        };
        let candidates = lengths.iter().filter(|&&bytes| bytes > 0 && bytes < limit);
        let mut best: Option<(f64, u64)> = None;
        for &candidate in candidates {
            let error = self.mean_error(with(candidate));
            if best.is_none_or(|(least, _)| error < least) {
                best = Some((error, candidate));
            }
        }
        let without = self.mean_error(none);
        match best {
            Some((error, candidate)) if without > EXACT && error < CLEAR * without => {
                with(candidate)
            }
            _ => none,
        }
    }

    /// The fit without one length, its rows weighted as in the whole fit, and its errors there.
    fn without(&self, length: u64, thresholds: Thresholds, weights: &[f64]) -> Option<LeftOut> {
        let mut rows = self.rows(thresholds);
        let mut kept_weights = Vec::new();
        for (row, &weight) in rows.iter().zip(weights) {
            if row.bytes != length {
                kept_weights.push(weight);
            }
        }
        rows.retain(|row| row.bytes != length);
        let solution = solve_weighted(&rows, kept_weights);
        let mut values = (self.model.parameters)(&solution, thresholds)?;
        let named = named_thresholds(self.model, &solution, thresholds);
        values.extend(named.iter().map(|&(_, value)| value));
        let mut errors = Vec::new();
        for observation in self.observations.iter().filter(|one| one.bytes == length) {
            if let Some(row) = (self.model.row)(observation, thresholds) {
                errors.push(row.error(&solution.values));
            }
        }
        Some(LeftOut { values, errors })
    }
}

/// `s` and `S`, those that exist.
fn named_thresholds(
    model: &LinearModel,
    solution: &Solution,
    thresholds: Thresholds,
) -> Vec<(&'static str, f64)> {
    let mut values = Vec::new();
    if thresholds.packet.is_some() {
        values.push(("s", (model.packet)(solution, thresholds)));
    }
    if let Some(eager) = thresholds.eager {
        values.push(("S", eager as f64));
    }
    values
}
