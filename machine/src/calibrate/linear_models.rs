//! Fits of the models whose times are sums of their parameters: LogGPS, LogGOPS and LogGP-2.
//!
//! Each model lists its parameters and writes each sample as a [`Row`]; [`fit`] solves all rows together. `S` comes from sends to a
//! receiver that computes ([`Samples::longest_eager`]), `s` from the data: the length at which a change of slope explains the samples
//! best, if it explains them clearly better than none.

use super::linear_fit::{
    LeftOut, Row, Solution, cross_validate, solve, solve_roughly, solve_weighted,
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
    /// `s` by the solution, where that contains it; `None` if the samples show only between which lengths `s` is.
    pub(super) packet: fn(&Solution, Thresholds) -> Option<f64>,
    /// The parameters of the model from the solution, in the order of the coefficients of [`LinearModel::row`]; `None` if one that it needs
    /// is undetermined.
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
    /// `s`, where it is not a part of the solution.
    pub(super) fixed_packet: Option<u64>,
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
/// Lengths that are tried as `s` at once, spread over all: the best one's neighbours are tried next.
const MOST_CANDIDATES: usize = 64;
/// Mean errors below this are rounding of times, which no change of slope explains.
const EXACT: f64 = 1e-6;

/// Fits a model to the samples of one kind of link.
pub(super) fn fit(model: &LinearModel, samples: &Samples<'_>, link: LinkClass) -> Outcome {
    let observations = observations(samples);
    let eager = samples.longest_eager();
    let search = Search::new(model, &observations);
    let without_packets = Thresholds {
        packet: eager,
        fixed_packet: eager,
        eager,
    };
    let nothing = BTreeSet::new();
    // Samples of round trips alone determine no model: without a search for `s`, this is quick.
    if search.solved(without_packets, &nothing, &solve).is_none() {
        return Outcome::NotMeasured(model.name.into());
    }
    let thresholds = search.with_packets(without_packets);
    let Some(solved) = search.solved(thresholds, &nothing, &solve) else {
        return Outcome::Rejected(format!(
            "the parameters of model '{}' of link class {link} depend on single samples; measure again with more lengths",
            model.name
        ));
    };
    let errors = search.errors(&solved);
    let off_by_more_than_most: Vec<&Prediction> = errors
        .iter()
        .filter(|one| one.error.abs() > MOST_OFF)
        .collect();
    if off_by_more_than_most.len() * EXCEPTIONS > errors.len() {
        return Outcome::Rejected(described(model.name, link, &off_by_more_than_most));
    }
    let size = solved.values.len() + solved.thresholds().len();
    let checked = cross_validate(&search.lengths(&solved), size, |left_out| {
        search.without(left_out, thresholds, &solved)
    });
    let Some(checked) = checked else {
        return Outcome::Rejected(format!(
            "the residual of model '{}' of link class {link} is unknown, since without any one of the lengths the others do not determine \
             its parameters; measure more lengths",
            model.name
        ));
    };
    if checked.residual > MOST_RESIDUAL {
        let off: Vec<&Prediction> = checked
            .errors
            .iter()
            .filter(|one| one.error.abs() > MOST_RESIDUAL)
            .collect();
        return Outcome::Rejected(described(model.name, link, &off));
    }
    let mut source = format!("fitted to {} samples", solved.rows.len());
    if !off_by_more_than_most.is_empty() {
        source.push_str("; ");
        source.push_str(&described(model.name, link, &off_by_more_than_most));
    }
    Outcome::Fit(
        Box::new(ModelFit {
            model: model.name.into(),
            link,
            parameters: written(model, &solved),
            curve: Vec::new(),
            covariance: covariance(model, &solved, checked.covariance, samples),
            residual: Some(checked.residual),
            source,
        }),
        None,
    )
}

fn written(model: &LinearModel, solved: &Solved) -> Vec<Parameter> {
    let names = model.names.iter().zip(&solved.values);
    let mut parameters: Vec<Parameter> = names
        .map(|(&(name, unit), &value)| parameter(name, value, unit))
        .collect();
    for (name, value) in solved.thresholds() {
        parameters.push(parameter(name, value, "bytes"));
    }
    parameters
}

/// The covariance of the cross-validation, with what no cross-validation shows: parts of known sums, and thresholds that are only known to be
/// between two lengths.
fn covariance(
    model: &LinearModel,
    solved: &Solved,
    mut covariance: Vec<f64>,
    samples: &Samples<'_>,
) -> Vec<f64> {
    let values = &solved.values;
    let thresholds = solved.thresholds();
    let size = values.len() + thresholds.len();
    for &(first, second) in (model.known_sums)(solved.used) {
        // Any split of the sum is possible: uniform in [0, sum], the parts opposite.
        let variance = (values[first] + values[second]).powi(2) / 12.0;
        covariance[first * size + first] += variance;
        covariance[second * size + second] += variance;
        covariance[first * size + second] -= variance;
        covariance[second * size + first] -= variance;
    }
    let eager_width = match (samples.shortest_waiting(), solved.used.eager) {
        (Some(next), Some(eager)) => next.saturating_sub(eager + 1),
        _ => 0,
    };
    for (index, &(name, _)) in thresholds.iter().enumerate() {
        let width = match name {
            "S" => eager_width,
            // Slopes change at `S` itself.
            _ if solved.used.packet == solved.used.eager => eager_width,
            _ => solved.packet_width,
        };
        let place = (values.len() + index) * (size + 1);
        covariance[place] += (width as f64).powi(2) / 12.0;
    }
    covariance
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
    /// Lengths whose times depend on `s`, ascending.
    packet_lengths: Vec<u64>,
}

/// The fit of a model with thresholds that are known.
struct Solved {
    /// As the model's fit lists them.
    values: Vec<f64>,
    /// With `fixed_packet`, whatever it was found by.
    used: Thresholds,
    /// `s` before it was bounded: how far it varies between fits to different lengths shows how certain it is.
    free_packet: f64,
    /// Where the samples show `s` in no other way: the distance of the lengths that it is between.
    packet_width: u64,
    /// The samples under these thresholds, and what each counts.
    rows: Vec<Row>,
    weights: Vec<f64>,
}

impl Solved {
    /// `s` and `S`, those that exist.
    fn thresholds(&self) -> Vec<(&'static str, f64)> {
        let mut values = Vec::new();
        if let Some(packet) = self.used.fixed_packet {
            values.push(("s", packet as f64));
        }
        if let Some(eager) = self.used.eager {
            values.push(("S", eager as f64));
        }
        values
    }
}

impl<'a> Search<'a> {
    fn new(model: &'a LinearModel, observations: &'a [Observation]) -> Self {
        let mut lengths = BTreeSet::new();
        if model.has_packets {
            let with = |packet| Thresholds {
                packet: Some(packet),
                ..Thresholds::default()
            };
            for observation in observations {
                let row = |packet| (model.row)(observation, with(packet));
                if let (Some(long), Some(short)) = (row(0), row(u64::MAX))
                    && long.coefficients != short.coefficients
                {
                    lengths.insert(observation.bytes);
                }
            }
        }
        Self {
            model,
            observations,
            packet_lengths: lengths.into_iter().collect(),
        }
    }

    fn rows(&self, thresholds: Thresholds, left_out: &BTreeSet<u64>) -> Vec<Row> {
        let mut rows = Vec::new();
        for observation in self.observations {
            if !left_out.contains(&observation.bytes) {
                rows.extend((self.model.row)(observation, thresholds));
            }
        }
        rows
    }

    /// The lengths between which `s` is: that of the thresholds, and the last one before the next measured length.
    fn packet_range(&self, thresholds: Thresholds) -> Option<(u64, u64)> {
        let first = thresholds.packet?;
        if thresholds.packet == thresholds.eager {
            return Some((first, first));
        }
        let place = self.packet_lengths.partition_point(|&bytes| bytes <= first);
        let last = self
            .packet_lengths
            .get(place)
            .map_or(first, |next| next - 1);
        // Slopes change at `S` at the latest.
        Some((first, last.min(thresholds.eager.unwrap_or(last))))
    }

    /// The fit to all lengths but those left out; `None` if these samples do not determine it. A solution that puts `s` outside the lengths
    /// between which its rows change would not be continuous: the best one inside is then at one of the ends.
    fn solved(
        &self,
        thresholds: Thresholds,
        left_out: &BTreeSet<u64>,
        solve: &dyn Fn(&[Row]) -> Solution,
    ) -> Option<Solved> {
        let solution_of = |thresholds| solve(&self.rows(thresholds, left_out));
        let Some((first, last)) = self.packet_range(thresholds) else {
            return self.finished(solution_of(thresholds), thresholds, None, left_out);
        };
        let at = |packet| {
            let fixed = Thresholds {
                fixed_packet: Some(packet),
                ..thresholds
            };
            self.finished(solution_of(fixed), fixed, Some(packet), left_out)
        };
        if first == last {
            return at(first);
        }
        let width = last - first;
        let free = solution_of(thresholds);
        let Some(free_packet) = (self.model.packet)(&free, thresholds) else {
            let middle = Some(first + width / 2);
            let mut solved = self.finished(free, thresholds, middle, left_out)?;
            solved.packet_width = width;
            return Some(solved);
        };
        let packet = free_packet.round();
        let mut solved = if (first as f64..=last as f64).contains(&packet) {
            self.finished(free, thresholds, Some(packet as u64), left_out)?
        } else {
            let (low, high) = (at(first)?, at(last)?);
            if self.mean_error(&high) < self.mean_error(&low) {
                high
            } else {
                low
            }
        };
        let (before, after) = self.neighbours(first);
        if (before..=after).contains(&free_packet) {
            solved.free_packet = free_packet;
        } else {
            solved.packet_width = width;
        }
        Some(solved)
    }

    /// The measured lengths before this one and after it.
    fn neighbours(&self, length: u64) -> (f64, f64) {
        let lengths = &self.packet_lengths;
        let place = lengths.partition_point(|&bytes| bytes < length);
        let before = place.checked_sub(1).map_or(0, |place| lengths[place]);
        let after = lengths.get(place + 1).copied().unwrap_or(length);
        (before as f64, after as f64)
    }

    /// The fit by a solution, with this `s`; `None` if the solution does not determine it.
    fn finished(
        &self,
        solution: Solution,
        thresholds: Thresholds,
        packet: Option<u64>,
        left_out: &BTreeSet<u64>,
    ) -> Option<Solved> {
        let values = (self.model.parameters)(&solution, thresholds)?;
        let used = Thresholds {
            fixed_packet: packet,
            ..thresholds
        };
        Some(Solved {
            values,
            used,
            free_packet: packet.unwrap_or(0) as f64,
            packet_width: 0,
            rows: self.rows(used, left_out),
            weights: solution.weights,
        })
    }

    /// Errors of what is written to the file at the samples that it was fitted to.
    fn errors(&self, solved: &Solved) -> Vec<Prediction> {
        let mut errors = Vec::new();
        for row in &solved.rows {
            errors.extend(prediction(row, &solved.values));
        }
        errors
    }

    fn mean_error(&self, solved: &Solved) -> f64 {
        mean_error(&solved.rows, &solved.values)
    }

    /// Adds `s`, where the samples show one and determine the parameters beside it. Without a change of slope below `S`, slopes change at
    /// `S`.
    fn with_packets(&self, none: Thresholds) -> Thresholds {
        let nothing = BTreeSet::new();
        let error = |thresholds| {
            let solved = self.solved(thresholds, &nothing, &solve_roughly);
            solved.map_or(f64::INFINITY, |solved| self.mean_error(&solved))
        };
        let without = error(none);
        if without <= EXACT {
            return none;
        }
        // Only a clear improvement counts. An `s` without bounds describes the samples at least as well as one with them.
        let could_be_less_than = |most: f64, thresholds| {
            let rows = self.rows(thresholds, &nothing);
            mean_error(&rows, &solve_roughly(&rows).values) < most
        };
        let longest = self.packet_lengths.last().copied().unwrap_or(0);
        let limit = none.eager.unwrap_or(longest);
        let with = |packet| Thresholds {
            packet: Some(packet),
            fixed_packet: None,
            eager: none.eager,
        };
        let is_candidate = |&bytes: &u64| bytes < limit;
        let mut candidates: Vec<u64> = self
            .packet_lengths
            .iter()
            .copied()
            .filter(is_candidate)
            .collect();
        let mut best = (CLEAR * without, none);
        while !candidates.is_empty() {
            let step = candidates.len().div_ceil(MOST_CANDIDATES);
            let (mut least, mut nearest) = (f64::INFINITY, 0);
            for place in (0..candidates.len()).step_by(step) {
                let thresholds = with(candidates[place]);
                // Further rounds need the best of this one, clear or not.
                let most = if step == 1 { least.min(best.0) } else { least };
                if !could_be_less_than(most, thresholds) {
                    continue;
                }
                let error = error(thresholds);
                if error < least {
                    (least, nearest) = (error, place);
                }
                if error < best.0 {
                    best = (error, thresholds);
                }
            }
            if step == 1 {
                break;
            }
            // Errors grow with the distance from the true `s`, so a better one is beside the best of these.
            let end = candidates.len().min(nearest + step);
            candidates = candidates[(nearest + 1).saturating_sub(step)..end].to_vec();
        }
        best.1
    }

    fn lengths(&self, solved: &Solved) -> Vec<u64> {
        let lengths: BTreeSet<u64> = solved.rows.iter().map(|row| row.bytes).collect();
        lengths.into_iter().collect()
    }

    /// The fit without some lengths, rows weighted as in the whole fit, and its errors there.
    fn without(
        &self,
        left_out: &BTreeSet<u64>,
        thresholds: Thresholds,
        whole: &Solved,
    ) -> Option<LeftOut> {
        let mut kept_weights = Vec::new();
        for (row, &weight) in whole.rows.iter().zip(&whole.weights) {
            if !left_out.contains(&row.bytes) {
                kept_weights.push(weight);
            }
        }
        let weighted = |rows: &[Row]| solve_weighted(rows, kept_weights.clone());
        let rest = self.solved(thresholds, left_out, &weighted)?;
        let mut errors = Vec::new();
        let all = self.rows(rest.used, &BTreeSet::new());
        for (row, &weight) in all.iter().zip(&whole.weights) {
            if left_out.contains(&row.bytes)
                && let Some(prediction) = prediction(row, &rest.values)
            {
                // Smaller errors are the model's. Larger ones are disturbances, as long as they are exceptions.
                let is_described = prediction.error.abs() <= MOST_OFF;
                let weight = if is_described { 1.0 } else { weight };
                errors.push((prediction, weight));
            }
        }
        let mut values = rest.values.clone();
        for (name, value) in rest.thresholds() {
            values.push(if name == "s" { rest.free_packet } else { value });
        }
        Some(LeftOut { values, errors })
    }
}

/// Mean size of the relative errors: what a choice of thresholds is judged by.
fn mean_error(rows: &[Row], values: &[f64]) -> f64 {
    let sum: f64 = rows.iter().map(|row| row.error(values).abs()).sum();
    sum / rows.len().max(1) as f64
}

/// The error of these parameters at a sample; `None` if the sample does not show it.
fn prediction(row: &Row, values: &[f64]) -> Option<Prediction> {
    if row.is_diluted() {
        return None;
    }
    Some(Prediction {
        what: row.what,
        bytes: row.bytes,
        error: row.error(values),
    })
}

#[cfg(test)]
mod tests;
