//! LogGOPS from samples ([`crate::network::loggops`]).
//!
//! `MPI_Send` takes `o + (k−1)·O`, half a round trip `2o + L + (k−1)·max(O, G)`, and each further message of many the longer of
//! `g + (k−1)·G` and `o + (k−1)·max(O, G)`. So a `g` below `o`, and a `G` below `O`, have no effect that samples of two ranks show, nor
//! one in the model: `g = o` or `G = O` stands for them. A receive of a message that has arrived costs nothing in this model; such samples
//! are not part of the fit.

use super::linear_fit::{Row, Solution};
use super::linear_models::{LinearModel, Observation, Thresholds};
use crate::network::loggops;
use base_data::comm_data::SampleKind;

const NS: &str = "ns";
const PER_BYTE: &str = "ns/byte";

/// The fit of `loggops`.
pub(super) const MODEL: LinearModel = LinearModel {
    name: loggops::NAME,
    row,
    has_packets: false,
    packet: |_, _| None,
    parameters,
    names: &[
        ("o", NS),
        ("L", NS),
        ("O", PER_BYTE),
        ("G", PER_BYTE),
        ("g", NS),
    ],
    known_sums: |_| &[],
};

/// The fourth and fifth coefficients are those of `max(O, G)` and `max(o, g)`.
fn row(sample: &Observation, thresholds: Thresholds) -> Option<Row> {
    let further = sample.bytes.saturating_sub(1) as f64;
    let is_eager = thresholds.is_eager(sample.bytes);
    let (what, coefficients) = match sample.kind {
        SampleKind::PingPong => ("one at a time", [2.0, 1.0, 0.0, further, 0.0]),
        SampleKind::BlockingSend if is_eager => ("sent", [1.0, 0.0, further, 0.0, 0.0]),
        SampleKind::Flood if is_eager => ("one after another", [0.0, 0.0, 0.0, further, 1.0]),
        _ => return None,
    };
    Some(sample.row(what, &coefficients, sample.time))
}

fn parameters(solution: &Solution, _thresholds: Thresholds) -> Option<Vec<f64>> {
    if !solution.determines(&[0, 1, 2, 3, 4]) {
        return None;
    }
    let mut values = solution.values.clone();
    values[3] = values[3].max(values[2]);
    values[4] = values[4].max(values[0]);
    Some(values)
}
