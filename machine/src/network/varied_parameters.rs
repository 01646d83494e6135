//! A network with one kind of its times longer or shorter: what "half the latency" means for the
//! parameters of each model, and for a model that is a curve.
//!
//! Thresholds (`s`, `S`) are lengths, not times, and stay.

use base_data::Time;
use base_data::comm_data::{CurvePoint, ModelFit};
use base_data::explanation::NetworkTime;

/// The kind of time that a parameter is, by its name; `None` for lengths.
pub(crate) fn kind_of(parameter: &str) -> Option<NetworkTime> {
    match parameter {
        "L" | "L_hop" => Some(NetworkTime::Latency),
        "o" | "o'" | "o_long" | "o_per_rank" | "o_per_rank_receive" | "o_send" | "o_recv"
        | "o_start" | "o_wait" | "o_control" => Some(NetworkTime::Overhead),
        "O" | "Oss" | "Ors" | "Osl" | "Orl" | "O_send" | "O_send_long" | "O_recv"
        | "O_recv_long" => Some(NetworkTime::OverheadPerByte),
        "g" => Some(NetworkTime::Gap),
        "G" | "Gs" | "Gl" | "G_long" | "G_node" => Some(NetworkTime::GapPerByte),
        _ => None,
    }
}

/// The fit with one kind of time multiplied by `factor`; `None` if it has none of that kind.
///
/// Of a curve, the shortest time counts as latency and the rest as gap per byte.
pub fn scaled(fit: &ModelFit, kind: NetworkTime, factor: f64) -> Option<ModelFit> {
    let mut varied = fit.clone();
    let mut found = false;
    for parameter in &mut varied.parameters {
        if kind_of(&parameter.name) == Some(kind) && parameter.value != 0.0 {
            parameter.value *= factor;
            found = true;
        }
    }
    if let Some(shortest) = fit.curve.iter().map(|point| point.time).min() {
        let time =
            |point: &CurvePoint, factor| curve_time(shortest, point.time - shortest, kind, factor);
        // A factor of 0 changes a point exactly if the point contains time of this kind.
        found |= fit.curve.iter().any(|point| time(point, 0.0) != point.time);
        varied
            .curve
            .iter_mut()
            .for_each(|point| point.time = time(point, factor));
    }
    found.then_some(varied)
}

fn curve_time(shortest: Time, rest: Time, kind: NetworkTime, factor: f64) -> Time {
    match kind {
        NetworkTime::Latency => shortest.scaled(factor) + rest,
        NetworkTime::GapPerByte => shortest + rest.scaled(factor),
        NetworkTime::Overhead | NetworkTime::OverheadPerByte | NetworkTime::Gap => shortest + rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::MODELS;
    use crate::platforms;
    use base_data::comm_data::{LinkClass, Parameter};

    fn fit(names: &[&str], curve: &[(u64, i64)]) -> ModelFit {
        let parameter = |name: &&str| Parameter {
            name: (*name).into(),
            value: 10.0,
            unit: "ns".into(),
        };
        let point = |&(bytes, ns): &(u64, i64)| CurvePoint {
            bytes,
            time: Time::from_nanoseconds(ns),
        };
        ModelFit {
            model: "m".into(),
            link: LinkClass::BetweenNodes,
            parameters: names.iter().map(parameter).collect(),
            curve: curve.iter().map(point).collect(),
            source: String::new(),
            covariance: Vec::new(),
            residual: None,
        }
    }

    fn values(fit: &ModelFit) -> Vec<f64> {
        fit.parameters
            .iter()
            .map(|parameter| parameter.value)
            .collect()
    }

    #[test]
    fn parameters_of_one_kind_change_together() {
        let fit = fit(&["L", "Gs", "Gl", "s"], &[]);
        let scaled = |kind| scaled(&fit, kind, 0.5).map(|fit| values(&fit));
        assert_eq!(
            scaled(NetworkTime::Latency),
            Some(vec![5.0, 10.0, 10.0, 10.0])
        );
        assert_eq!(
            scaled(NetworkTime::GapPerByte),
            Some(vec![10.0, 5.0, 5.0, 10.0])
        );
        assert_eq!(scaled(NetworkTime::Overhead), None);
    }

    #[test]
    fn a_curve_has_a_latency_and_a_gap_per_byte() {
        let fit = fit(&[], &[(0, 100), (1000, 500)]);
        let times = |kind| {
            let varied = scaled(&fit, kind, 0.5)?;
            Some(
                varied
                    .curve
                    .iter()
                    .map(|point| point.time.picoseconds() / 1000)
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(times(NetworkTime::Latency), Some(vec![50, 450]));
        assert_eq!(times(NetworkTime::GapPerByte), Some(vec![100, 300]));
        assert_eq!(times(NetworkTime::Gap), None);
    }

    /// A model whose parameters are not known here would look as if nothing depended on them.
    #[test]
    fn every_time_of_every_bundled_fit_has_a_kind() {
        for (name, _) in platforms::BUNDLED {
            let platform = platforms::load(name).unwrap();
            for entry in MODELS {
                let fits = platform.fits(entry.fits, 2);
                for fit in fits
                    .iter()
                    .flat_map(|fits| [fits.to_self, fits.inside_node, fits.between_nodes])
                    .flatten()
                {
                    for parameter in fit
                        .parameters
                        .iter()
                        .filter(|parameter| parameter.unit != "bytes" && parameter.unit != "ratio")
                    {
                        assert!(
                            kind_of(&parameter.name).is_some(),
                            "{name}: {}",
                            parameter.name
                        );
                    }
                }
            }
        }
    }
}
