//! The model of MPIETE (Horii, Iwabuchi and Yamana, 2004, §2.5): the time of a receive is a measured function of message
//! length and of the pair of ranks; sends and starts of transfers take no time.
//!
//! Equations 1–7 as corrected: a receive's wait ends at `max(start of the wait, max(end of the
//! receive block, end of the matching send block) + T_comm(sender, receiver, size))`. The printed
//! equation 6 adds `T_comm` to the receiver's own receive block, so that the sender's time would
//! never enter. `T_comm` depends on the pair of ranks through the kind of link between them.
//!
//! `T_comm` is a curve: linear interpolation between measured lengths, below the first and above the last
//! continued with the slope of the nearest two points, never negative and never below the time of
//! a shorter measured message. No contention: messages do not delay each other.

use super::length_curve::{ByLength, LinkCosts};
use super::{CallCosts, ModelError, NetworkModel, PerLink, Protocol};
use crate::link_fits::LinkFits;
use base_data::Time;
use base_data::comm_data::{CurvePoint, LinkClass, ModelFit};

/// Name of the model.
pub const NAME: &str = "mpiete";

/// Time of a receive by message length.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    points: Vec<CurvePoint>,
}

impl Curve {
    /// A curve through `points`, which must ascend in length.
    ///
    /// # Errors
    /// The second half of a sentence: no points, lengths that do not ascend, negative times.
    pub fn new(points: Vec<CurvePoint>) -> Result<Self, String> {
        if points.is_empty() {
            return Err("its curve has no points; give at least one length with its time".into());
        }
        if let Some(pair) = points
            .windows(2)
            .find(|pair| pair[0].bytes >= pair[1].bytes)
        {
            return Err(format!(
                "lengths of its curve must ascend; found {} then {}",
                pair[0].bytes, pair[1].bytes
            ));
        }
        if let Some(point) = points.iter().find(|point| point.time < Time::ZERO) {
            return Err(format!(
                "time of {} bytes is {}; it must not be negative",
                point.bytes, point.time
            ));
        }
        Ok(Self { points })
    }

    /// Time of a message of so many bytes.
    pub fn time(&self, bytes: u64) -> Time {
        let points = &self.points;
        let after = points.partition_point(|point| point.bytes < bytes);
        match (points.get(after), after) {
            (Some(point), _) if point.bytes == bytes => point.time,
            // A single measured length has no slope.
            (_, _) if points.len() == 1 => points[0].time,
            // Below the first length: a steep curve would fall below zero, a falling one would rise above the
            // first time.
            (_, 0) => line(points[0], points[1], bytes)
                .max(Time::ZERO)
                .min(points[0].time),
            (Some(next), _) => line(points[after - 1], *next, bytes),
            // Beyond the last length: a falling last part would reach zero for some message.
            (None, _) => {
                let last = points[after - 1];
                line(points[after - 2], last, bytes).max(last.time)
            }
        }
    }
}

/// The straight line through two points, at a length.
fn line(a: CurvePoint, b: CurvePoint, bytes: u64) -> Time {
    // A difference of times is exact in f64 below 2^53 ps, 2.5 hours. Lengths ascend, so `to > from`.
    let (from, to) = (a.bytes as f64, b.bytes as f64);
    let rise = (b.time - a.time).picoseconds() as f64;
    let offset = rise * ((bytes as f64 - from) / (to - from));
    a.time + Time::from_picoseconds(offset.round() as i64)
}

/// Makes the model.
///
/// # Errors
/// A fit without a proper curve.
pub fn build(fits: &LinkFits<'_>, _ranks: u32) -> Result<Box<dyn NetworkModel>, ModelError> {
    Ok(Box::new(ByLength::new(NAME, PerLink::of(fits, curve)?)))
}

fn curve(fit: &ModelFit, link: LinkClass) -> Result<Curve, ModelError> {
    Curve::new(fit.curve.clone()).map_err(|reason| ModelError::Curve {
        model: NAME,
        link,
        reason,
    })
}

impl LinkCosts for Curve {
    fn costs(&self, bytes: u64) -> CallCosts {
        CallCosts {
            protocol: Protocol::Paired,
            network: self.time(bytes),
            ..CallCosts::FREE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn curve(points: &[(u64, i64)]) -> Result<Curve, String> {
        let point = |&(bytes, ns): &(u64, i64)| CurvePoint {
            bytes,
            time: Time::from_nanoseconds(ns),
        };
        Curve::new(points.iter().map(point).collect())
    }

    #[test]
    fn is_linear_between_and_beyond() {
        let made = curve(&[(8, 100), (16, 120), (1024, 500)]).unwrap();
        for (bytes, ns) in [
            (8, 100),
            (12, 110),
            (16, 120),
            (1024, 500),
            (0, 80),
            (520, 310),
        ] {
            assert_eq!(
                made.time(bytes),
                Time::from_nanoseconds(ns),
                "{bytes} bytes"
            );
        }
        let slope = 380_000.0 / 1008.0;
        let beyond = Time::from_picoseconds(500_000 + (1008.0 * slope) as i64);
        assert_eq!(made.time(2032), beyond);
        assert_eq!(
            curve(&[(8, 100)]).unwrap().time(1 << 40),
            Time::from_nanoseconds(100)
        );
    }

    #[test]
    fn never_falls_beyond_its_ends() {
        let falling = curve(&[(8, 100), (16, 40), (32, 20)]).unwrap();
        assert_eq!(falling.time(64), Time::from_nanoseconds(20));
        assert_eq!(falling.time(0), Time::from_nanoseconds(100));
        let steep = curve(&[(100, 10), (200, 1000)]).unwrap();
        assert_eq!(steep.time(0), Time::ZERO);
    }

    #[test]
    fn refuses_what_is_no_curve() {
        for (points, expected) in [
            (&[][..], "has no points"),
            (&[(8, 1), (8, 2)], "found 8 then 8"),
            (&[(8, -1)], "must not be negative"),
        ] {
            assert!(curve(points).unwrap_err().contains(expected));
        }
    }

    proptest! {
        #[test]
        fn rises_where_its_points_rise(
            steps in prop::collection::vec((1u64..5000, 0i64..9000), 1..20),
            a in 0u64..200_000, b in 0u64..200_000,
        ) {
            let mut at = (0, 50);
            let points: Vec<(u64, i64)> =
                steps.iter().map(|&(bytes, ns)| { at = (at.0 + bytes, at.1 + ns); at }).collect();
            let made = curve(&points).unwrap();
            prop_assert!(made.time(a.min(b)) <= made.time(a.max(b)));
        }
    }
}
