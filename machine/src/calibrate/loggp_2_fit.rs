//! LogGP-2 from samples ([`crate::network::loggp_2`]; Ino et al. 2001, table 9): constant overheads, and a gap per
//! byte, up to `s` and above.
//!
//! Half a round trip takes `2o + L + k·G`, with `o_long` and `G_long` above `s`; `MPI_Send` takes the overhead. Samples of calls
//! alone separate `o` from `L`.

use super::linear_fit::{Row, Solution};
use super::linear_models::{LinearModel, Observation, Thresholds};
use crate::network::loggp_2;
use base_data::comm_data::SampleKind;

const NS: &str = "ns";
const PER_BYTE: &str = "ns/byte";

/// The fit of `loggp-2`.
pub(super) const MODEL: LinearModel = LinearModel {
    name: loggp_2::NAME,
    row,
    has_packets: true,
    // Times jump at `s`, so they show only between which lengths it is.
    packet: |_, _| None,
    parameters,
    names: COLUMNS,
    known_sums: |_| &[],
};

const COLUMNS: &[(&str, &str)] = &[
    ("L", NS),
    ("o", NS),
    ("G", PER_BYTE),
    ("o_long", NS),
    ("G_long", PER_BYTE),
];

fn row(sample: &Observation, thresholds: Thresholds) -> Option<Row> {
    let length = sample.bytes as f64;
    // No sample has a length between this and `s`.
    let is_short = thresholds
        .packet
        .is_none_or(|longest| sample.bytes <= longest);
    let (what, latency, overheads, bytes) = match sample.kind {
        SampleKind::PingPong => ("one at a time", 1.0, 2.0, length),
        SampleKind::BlockingSend if thresholds.is_eager(sample.bytes) || sample.delay == 0.0 => {
            ("sent", 0.0, 1.0, 0.0)
        }
        _ => return None,
    };
    let coefficients = if is_short {
        [latency, overheads, bytes, 0.0, 0.0]
    } else {
        [latency, 0.0, 0.0, overheads, bytes]
    };
    Some(sample.row(what, &coefficients, sample.time))
}

fn parameters(solution: &Solution, thresholds: Thresholds) -> Option<Vec<f64>> {
    let needed: &[usize] = if thresholds.packet.is_some() {
        &[0, 1, 2, 3, 4]
    } else {
        &[0, 1, 2]
    };
    if !solution.determines(needed) {
        return None;
    }
    Some(solution.values.clone())
}
