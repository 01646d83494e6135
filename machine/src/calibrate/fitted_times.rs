//! Times of samples by the fits of the same communication data, for people who compare both.

use crate::network::{MODELS, Message, NetworkModel, Protocol, Pu, Sharing};
use crate::platform::{LinkFits, NetworkShape};
use base_data::Time;
use base_data::comm_data::{CommData, CommSample, LinkClass, ModelFit, SampleKind};
use std::collections::BTreeMap;

/// Samples of one kind and link, beside what each model makes of them.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedTimes {
    /// The link.
    pub link: LinkClass,
    /// The kind.
    pub kind: SampleKind,
    /// Median over the samples of each length, lengths ascending.
    pub measured: Vec<(u64, Time)>,
    /// Models with a fit that says something of such samples.
    pub models: Vec<ModelTimes>,
}

/// Times by one model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelTimes {
    /// Its name.
    pub model: String,
    /// One for each measured length.
    pub times: Vec<Time>,
}

/// Kinds that are costs of one message, in the order of a report.
const KINDS: [SampleKind; 5] = [
    SampleKind::PingPong,
    SampleKind::ToSelf,
    SampleKind::BlockingSend,
    SampleKind::LateReceive,
    SampleKind::NonblockingSend,
];

/// Measured and fitted times of all kinds of samples that are costs of one message. Kinds and links without a fit are left out.
pub fn fitted_times(data: &CommData) -> Vec<FittedTimes> {
    let mut links: Vec<LinkClass> = data.samples.iter().map(|sample| sample.link).collect();
    links.sort_unstable();
    links.dedup();
    let mut all = Vec::new();
    for link in links {
        for kind in KINDS {
            let measured = measured(data, link, kind);
            let mut models = Vec::new();
            for fit in data.fits.iter().filter(|fit| fit.link == link) {
                models.extend(times(fit, kind, &measured));
            }
            if !measured.is_empty() && !models.is_empty() {
                all.push(FittedTimes {
                    link,
                    kind,
                    measured,
                    models,
                });
            }
        }
    }
    all
}

fn measured(data: &CommData, link: LinkClass, kind: SampleKind) -> Vec<(u64, Time)> {
    let mut by_length: BTreeMap<u64, Vec<Time>> = BTreeMap::new();
    let is_wanted = |sample: &&CommSample| {
        sample.link == link && sample.kind == kind && sample.delay == Time::ZERO
    };
    for sample in data.samples.iter().filter(is_wanted) {
        let times = by_length.entry(sample.bytes).or_default();
        times.push(sample.median);
    }
    by_length
        .into_iter()
        .map(|(bytes, mut times)| {
            times.sort_unstable();
            (bytes, times[times.len() / 2])
        })
        .collect()
}

/// Times of one kind by a fit; `None` where the model has no such time.
fn times(fit: &ModelFit, kind: SampleKind, measured: &[(u64, Time)]) -> Option<ModelTimes> {
    let entry = MODELS.iter().find(|entry| entry.name == fit.model)?;
    let mut fits = LinkFits {
        to_self: None,
        inside_node: None,
        between_nodes: None,
        warnings: Vec::new(),
        shape: NetworkShape {
            nodes: 2,
            ranks_per_node: 1,
            ..NetworkShape::default()
        },
    };
    match fit.link {
        LinkClass::ToSelf => fits.to_self = Some(fit),
        LinkClass::InsideNode => fits.inside_node = Some(fit),
        LinkClass::BetweenNodes | LinkClass::Switches(_) => fits.between_nodes = Some(fit),
    }
    // Parameters that make no model are reported where the model is used.
    let model = (entry.build)(&fits, 2).ok()?;
    let mut times = Vec::new();
    for &(bytes, _) in measured {
        times.push(time(model.as_ref(), kind, fit.link, bytes)?);
    }
    Some(ModelTimes {
        model: fit.model.clone(),
        times,
    })
}

fn time(model: &dyn NetworkModel, kind: SampleKind, link: LinkClass, bytes: u64) -> Option<Time> {
    let costs = model.costs(&Message {
        from: Pu(0),
        to: Pu(1),
        bytes,
        link,
        scale: 1.0,
    });
    let handshake = match costs.protocol {
        Protocol::Eager | Protocol::Paired => Time::ZERO,
        Protocol::Rendezvous {
            request,
            confirm,
            acknowledge,
        } => request + confirm + acknowledge,
    };
    // In LogGOPS a message travels from the start of its send, and a receive that comes later costs nothing.
    let is_loggops = model.sharing() == Sharing::Processors;
    let time = match kind {
        SampleKind::PingPong | SampleKind::ToSelf if is_loggops => costs.network + costs.receive,
        SampleKind::PingPong | SampleKind::ToSelf => {
            handshake + costs.send + costs.network + costs.receive
        }
        SampleKind::BlockingSend => handshake + costs.send,
        SampleKind::LateReceive if is_loggops => return None,
        SampleKind::LateReceive => costs.receive,
        SampleKind::NonblockingSend => costs.start,
        _ => return None,
    };
    // A model that says nothing of a call has no time for it.
    (time > Time::ZERO).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibrate::{Run, calibrate};

    /// The models' costs and the fit's own equations describe the same times.
    #[test]
    fn fitted_times_are_those_of_the_samples() {
        let mut text = String::new();
        for bytes in [0u64, 8, 64, 512, 4096, 32768, 262_144] {
            let mut add = |kind: &str, time: u64| {
                text.push_str(&format!(
                    "mpiete-sample {kind} between-nodes 2 {bytes} 0 {time} {time} 0 100\n"
                ));
            };
            // LogGPS with o' 1000, L 3000 ns, Oss 1, Ors 2, Gs 3 ns per byte.
            add("ping-pong", 5000 + 6 * bytes);
            add("blocking-send", 1000 + bytes);
            add("late-receive", 1000 + 2 * bytes);
            add("flood", 1000 + 3 * bytes);
        }
        let made = calibrate(&[("s", &text)], &Run::default()).unwrap();
        let all = fitted_times(&made.data);
        let kinds: Vec<SampleKind> = all.iter().map(|one| one.kind).collect();
        assert_eq!(
            kinds,
            [
                SampleKind::PingPong,
                SampleKind::BlockingSend,
                SampleKind::LateReceive
            ]
        );
        for one in all {
            let loggps = one.models.iter().find(|times| times.model == "loggps");
            for ((bytes, measured), fitted) in one.measured.iter().zip(&loggps.unwrap().times) {
                let error = fitted.seconds() / measured.seconds() - 1.0;
                assert!(error.abs() < 1e-3, "{:?} {bytes} B: {error}", one.kind);
            }
        }
    }
}
