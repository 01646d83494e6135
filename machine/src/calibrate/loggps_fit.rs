//! LogGPS from samples (Ino et al. 2001, §4.1 and §4.2): tables 3, 4 and 6 as sums of the parameters.
//!
//! Round trips alone give `2o' + L` and the sum of overhead and gap per byte. Calls that are timed alone, or round
//! trips with a delay that hides the network (table 6, `w = W`), separate them. For lengths above `S` a separation of
//! `Orl` and `Gl` needs lengths between `s` and `S`; without any, only their sum is known (as for Cenju-4 in table 5),
//! and each is half of it.
//!
//! `T1 + T2 + T3` follows equations 1 to 3; `MPI_Send` above `S` with a posted receive takes `T4 + T5 + T1'` with
//! `T4 = o' + L + o'`; a delayed round trip above `S` takes `w + 10o' + 4L + k·(2Osl + Orl) + T2' − L` (equation 14 without
//! its maximum).

use super::linear_fit::{Row, Solution};
use super::linear_models::{LinearModel, Observation, Thresholds};
use crate::network::loggps;
use base_data::comm_data::SampleKind;

const NS: &str = "ns";
const PER_BYTE: &str = "ns/byte";

/// The fit of `loggps`.
pub(super) const MODEL: LinearModel = LinearModel {
    name: loggps::NAME,
    row,
    has_packets: true,
    packet,
    parameters,
    names: COLUMNS,
    known_sums,
};

const COLUMNS: &[(&str, &str)] = &[
    ("o'", NS),
    ("L", NS),
    ("Oss", PER_BYTE),
    ("Ors", PER_BYTE),
    ("Gs", PER_BYTE),
    ("Osl", PER_BYTE),
    ("Gl", PER_BYTE),
    ("Orl", PER_BYTE),
];
const GS: usize = 4;
const GL: usize = 6;
const ORL: usize = 7;
/// `(s − c)·(Gs − Gl)` with the longest measured length `c` up to `s`: above `s`, `T2'` is `c·Gs + (k − c)·Gl`, this and `L`. As a parameter of
/// its own, it makes the times linear without `s`. It is of use only where the `s` that follows from it is between `c` and the next length.
const KINK: usize = 8;
/// The same with the other sign, for an `s` where longer messages become slower: no parameter of a solution is negative.
const KINK_DOWN: usize = 9;
const ALL: usize = 10;

/// How often a time contains each parameter, apart from the network's time per byte.
struct Terms {
    overhead: f64,
    latency: f64,
    send: f64,
    receive: f64,
    has_network: bool,
}

fn row(sample: &Observation, thresholds: Thresholds) -> Option<Row> {
    let is_eager = thresholds.is_eager(sample.bytes);
    let (what, terms) = match sample.kind {
        SampleKind::PingPong => ("one at a time", one_way(is_eager)),
        SampleKind::BlockingSend if is_eager => ("sent", send(true)),
        // With a delay, the send above S takes as long as the delay.
        SampleKind::BlockingSend if sample.delay == 0.0 => ("sent", send(false)),
        SampleKind::LateReceive if is_eager => ("received late", late_receive()),
        SampleKind::Delayed if sample.is_hidden => ("beside a delay", delayed(is_eager)),
        _ => return None,
    };
    let part = match sample.kind {
        SampleKind::Delayed => sample.time - sample.delay,
        _ => sample.time,
    };
    Some(sample.row(what, &coefficients(sample.bytes, &terms, thresholds), part))
}

fn one_way(is_eager: bool) -> Terms {
    let (overhead, latency) = if is_eager { (2.0, 1.0) } else { (6.0, 3.0) };
    Terms {
        overhead,
        latency,
        send: 1.0,
        receive: 1.0,
        has_network: true,
    }
}

fn send(is_eager: bool) -> Terms {
    let (overhead, latency) = if is_eager { (1.0, 0.0) } else { (5.0, 2.0) };
    Terms {
        overhead,
        latency,
        send: 1.0,
        receive: 0.0,
        has_network: false,
    }
}

fn late_receive() -> Terms {
    Terms {
        overhead: 1.0,
        latency: 0.0,
        send: 0.0,
        receive: 1.0,
        has_network: false,
    }
}

fn delayed(is_eager: bool) -> Terms {
    if is_eager {
        return Terms {
            overhead: 2.0,
            latency: 0.0,
            send: 1.0,
            receive: 1.0,
            has_network: false,
        };
    }
    Terms {
        overhead: 10.0,
        latency: 4.0,
        send: 2.0,
        receive: 1.0,
        has_network: true,
    }
}

fn coefficients(bytes: u64, terms: &Terms, thresholds: Thresholds) -> [f64; ALL] {
    let length = bytes as f64;
    let mut columns = [0.0; ALL];
    columns[0] = terms.overhead;
    columns[1] = terms.latency;
    let (send, receive) = (terms.send * length, terms.receive * length);
    if terms.has_network {
        add_network(&mut columns, bytes, thresholds);
    }
    if thresholds.is_eager(bytes) {
        columns[2] = send;
        columns[3] = receive;
    } else {
        columns[5] = send;
        // Where only their sum is known, one parameter stands for both.
        let column = if is_sum_alone(thresholds) { GL } else { ORL };
        columns[column] += receive;
    }
    columns
}

/// `T2` or `T2'` without `L`.
fn add_network(columns: &mut [f64; ALL], bytes: u64, thresholds: Thresholds) {
    let length = bytes as f64;
    match (thresholds.packet, thresholds.fixed_packet) {
        (Some(longest), Some(packet)) if bytes > longest => {
            columns[GS] = packet as f64;
            columns[GL] = length - packet as f64;
        }
        (Some(longest), None) if bytes > longest => {
            columns[GS] = longest as f64;
            columns[GL] = length - longest as f64;
            columns[KINK] = 1.0;
            columns[KINK_DOWN] = -1.0;
        }
        _ => columns[GS] = length,
    }
}

/// Where the times by `Gs` and by `Gl` meet; infinite if they are parallel.
fn packet(solution: &Solution, thresholds: Thresholds) -> Option<f64> {
    let longest = thresholds.packet? as f64;
    let kink = solution.values[KINK] - solution.values[KINK_DOWN];
    if kink == 0.0 {
        return Some(longest);
    }
    Some(longest + kink / (solution.values[GS] - solution.values[GL]))
}

/// Whether no message shows `Gl` without `Orl`.
fn is_sum_alone(thresholds: Thresholds) -> bool {
    thresholds.eager.is_some() && thresholds.packet == thresholds.eager
}

fn known_sums(thresholds: Thresholds) -> &'static [(usize, usize)] {
    if is_sum_alone(thresholds) {
        &[(GL, ORL)]
    } else {
        &[]
    }
}

fn parameters(solution: &Solution, thresholds: Thresholds) -> Option<Vec<f64>> {
    let mut needed = vec![0, 1, 2, 3, 4];
    if thresholds.packet.is_some() {
        needed.push(GL);
    }
    if thresholds.packet.is_some() && thresholds.fixed_packet.is_none() {
        needed.push(KINK);
    }
    if thresholds.eager.is_some() {
        needed.push(5);
        if !is_sum_alone(thresholds) {
            needed.push(ORL);
        }
    }
    if !solution.determines(&needed) {
        return None;
    }
    let mut values = solution.values[..COLUMNS.len()].to_vec();
    if is_sum_alone(thresholds) {
        // Their common column counted both, so its value is half of the sum.
        values[ORL] = values[GL];
    }
    Some(values)
}
