//! Measured times of whole collectives in place of a schedule: for networks that perform collectives themselves, and for
//! libraries whose choice is not known.

use base_data::Time;
use base_data::comm_data::{CollectiveCurve, CurvePoint};
use base_data::program_data::CollectiveKind;

/// What was measured of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measurement {
    /// No curve of this collective.
    None,
    /// The time until the last rank has finished, if all begin together.
    Time(Time),
    /// Curves of this collective, but none for these ranks or this length: what there is, for people.
    Other(String),
}

/// The measured time of a collective on so many ranks, of which so many at most share a node, with so many bytes per
/// rank.
///
/// Only a curve of exactly these numbers of ranks counts. Between two lengths the logarithm of the time is interpolated
/// in the logarithm of the length, which is exact for a time in proportion to any power of the length; nothing is
/// extrapolated.
pub fn measured_time(
    curves: &[CollectiveCurve],
    kind: CollectiveKind,
    ranks: u32,
    ranks_per_node: u32,
    bytes: u64,
) -> Measurement {
    let of_kind: Vec<&CollectiveCurve> = curves.iter().filter(|curve| curve.kind == kind).collect();
    if of_kind.is_empty() {
        return Measurement::None;
    }
    let mut of_ranks = of_kind.iter();
    let exact =
        of_ranks.find(|curve| curve.ranks == ranks && curve.ranks_per_node == ranks_per_node);
    let Some(curve) = exact else {
        let mut known = Vec::new();
        for curve in of_kind {
            known.push(format!(
                "{} ({} per node)",
                curve.ranks, curve.ranks_per_node
            ));
        }
        return Measurement::Other(format!("measured on {} ranks", known.join(", ")));
    };
    match interpolated(&curve.points, bytes) {
        Some(time) => Measurement::Time(time),
        None => Measurement::Other(lengths(&curve.points)),
    }
}

fn lengths(points: &[CurvePoint]) -> String {
    match points {
        [] => "measured without any length".into(),
        [only] => format!("measured at {} bytes", only.bytes),
        [first, .., last] => format!("measured from {} to {} bytes", first.bytes, last.bytes),
    }
}

fn interpolated(points: &[CurvePoint], bytes: u64) -> Option<Time> {
    let after = points.partition_point(|point| point.bytes < bytes);
    let upper = points.get(after)?;
    if upper.bytes == bytes {
        return Some(upper.time);
    }
    let lower = &points[after.checked_sub(1)?];
    let times = [lower.time, upper.time].map(|time| time.picoseconds() as f64);
    // A length or time of 0 has no logarithm: the straight line is taken.
    if lower.bytes == 0 || times[0] <= 0.0 || times[1] <= 0.0 {
        let share = (bytes - lower.bytes) as f64 / (upper.bytes - lower.bytes) as f64;
        let time = times[0] + share * (times[1] - times[0]);
        return Some(Time::from_picoseconds(time.round() as i64));
    }
    let logs = [lower.bytes, bytes, upper.bytes].map(|bytes| (bytes as f64).ln());
    let share = (logs[1] - logs[0]) / (logs[2] - logs[0]);
    let time = (times[0].ln() + share * (times[1] / times[0]).ln()).exp();
    Some(Time::from_picoseconds(time.round() as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(u64, i64)]) -> CollectiveCurve {
        let mut all = Vec::new();
        for &(bytes, picoseconds) in points {
            all.push(CurvePoint {
                bytes,
                time: Time::from_picoseconds(picoseconds),
            });
        }
        CollectiveCurve {
            kind: CollectiveKind::Allreduce,
            ranks: 16,
            ranks_per_node: 1,
            points: all,
        }
    }

    #[test]
    fn lengths_between_points_are_interpolated_in_logarithms() {
        let curves = [curve(&[(8, 1000), (1024, 1000), (4096, 4000)])];
        let time =
            |ranks, bytes| measured_time(&curves, CollectiveKind::Allreduce, ranks, 1, bytes);
        let expected = |picoseconds| Measurement::Time(Time::from_picoseconds(picoseconds));
        assert_eq!(time(16, 8), expected(1000));
        assert_eq!(time(16, 100), expected(1000));
        assert_eq!(time(16, 2048), expected(2000));
        assert_eq!(time(16, 4096), expected(4000));
        let beyond = Measurement::Other("measured from 8 to 4096 bytes".into());
        assert_eq!(time(16, 4097), beyond);
        assert_eq!(time(16, 4), beyond);
        let others = Measurement::Other("measured on 16 (1 per node) ranks".into());
        assert_eq!(time(8, 8), others);
    }

    #[test]
    fn other_collectives_have_no_measurement() {
        let curves = [curve(&[(8, 1000)])];
        let other = measured_time(&curves, CollectiveKind::Alltoall, 16, 1, 8);
        assert_eq!(other, Measurement::None);
    }

    #[test]
    fn a_curve_from_no_bytes_on_begins_with_a_straight_line() {
        let curves = [curve(&[(0, 1000), (8, 2000)])];
        let time = measured_time(&curves, CollectiveKind::Allreduce, 16, 1, 4);
        assert_eq!(time, Measurement::Time(Time::from_picoseconds(1500)));
    }
}
