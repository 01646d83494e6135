//! The samples of one kind of link, and what a fit makes of them.

use super::line_fit::median;
use base_data::Time;
use base_data::comm_data::{CommSample, LinkClass, ModelFit, Parameter, SampleKind};
use std::collections::BTreeMap;

/// A fit, or why there is none.
pub(super) enum Outcome {
    /// The fit, and a sentence on lengths that it does not describe.
    Fit(Box<ModelFit>, Option<String>),
    /// A sentence: the samples are there, but no parameters describe them.
    Rejected(String),
    /// The samples do not show all that the model needs: a sentence, or the model's name for a sentence on several.
    NotMeasured(String),
}

/// A prediction that is off by more than this share does not describe its sample.
pub(super) const MOST_OFF: f64 = 0.3;
/// More than one in so many predictions that are off: the model does not describe the network.
pub(super) const EXCEPTIONS: usize = 3;
/// Times of one kind by length, in nanoseconds: the median over samples.
pub(super) type ByLength = BTreeMap<u64, f64>;

pub(super) struct Samples<'a> {
    pub(super) samples: &'a [&'a CommSample],
}

impl Samples<'_> {
    pub(super) fn times(&self, kind: SampleKind, wanted: impl Fn(&CommSample) -> bool) -> ByLength {
        let mut by_length: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for sample in self.samples {
            if sample.kind == kind && wanted(sample) {
                by_length
                    .entry(sample.bytes)
                    .or_default()
                    .push(nanoseconds(sample.median));
            }
        }
        by_length
            .into_iter()
            .map(|(bytes, times)| (bytes, median(&times)))
            .collect()
    }

    pub(super) fn of(&self, kind: SampleKind) -> ByLength {
        self.times(kind, |sample| sample.delay == Time::ZERO)
    }

    /// Lengths of sends to a receiver that computes: those that wait for it, and those that do not.
    fn late_sends(&self) -> (Vec<u64>, Vec<u64>) {
        let sends = self
            .samples
            .iter()
            .filter(|sample| sample.kind == SampleKind::BlockingSend && sample.delay > Time::ZERO);
        let (mut waiting, mut eager) = (Vec::new(), Vec::new());
        for sample in sends {
            // A send that waits takes about as long as the receiver's delay, which the probe makes much longer than a round trip.
            // Half of it separates the two.
            if sample.median.scaled(2.0) > sample.delay {
                waiting.push(sample.bytes);
            } else {
                eager.push(sample.bytes);
            }
        }
        (waiting, eager)
    }

    /// The shortest message whose send waits for its receive.
    pub(super) fn shortest_waiting(&self) -> Option<u64> {
        self.late_sends().0.into_iter().min()
    }

    /// The longest message whose send does not wait for its receive; `None` where no send was seen to wait.
    pub(super) fn longest_eager(&self) -> Option<u64> {
        let (waiting, eager) = self.late_sends();
        let first = waiting.into_iter().min()?;
        // Libraries change from eager to rendezvous once, so a longer message that seems eager does not count.
        eager.into_iter().filter(|&bytes| bytes < first).max()
    }
}

pub(super) fn nanoseconds(time: Time) -> f64 {
    time.picoseconds() as f64 / 1e3
}

/// A prediction beside its sample.
pub(super) struct Prediction {
    pub(super) what: &'static str,
    pub(super) bytes: u64,
    /// Relative.
    pub(super) error: f64,
}

/// More lengths of one kind than these are named by their range.
const NAMED_LENGTHS: usize = 6;

/// What the parameters do not describe, and what to do.
pub(super) fn described(model: &str, link: LinkClass, off: &[&Prediction]) -> String {
    let mut by_kind: BTreeMap<&str, BTreeMap<u64, f64>> = BTreeMap::new();
    for one in off {
        let worst = by_kind.entry(one.what).or_default().entry(one.bytes);
        let worst = worst.or_insert(one.error);
        if one.error.abs() > worst.abs() {
            *worst = one.error;
        }
    }
    let parts: Vec<String> = by_kind
        .into_iter()
        .map(|(what, lengths)| format!("messages {what} of {}", named_lengths(&lengths)))
        .collect();
    format!(
        "model '{model}' of link class {link} does not describe {} (predicted over measured); measure again while nothing \
         else runs on these nodes, and give both files of samples",
        parts.join("; ")
    )
}

/// Lengths with their errors, `8 B (+40 %), 16 B (+35 %)`, or their range and the worst of them.
fn named_lengths(lengths: &BTreeMap<u64, f64>) -> String {
    if lengths.len() <= NAMED_LENGTHS {
        let named: Vec<String> = lengths
            .iter()
            .map(|(bytes, error)| format!("{bytes} B ({:+.0} %)", error * 100.0))
            .collect();
        return named.join(", ");
    }
    let (first, last) = (lengths.keys().next(), lengths.keys().next_back());
    let worst = lengths
        .iter()
        .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
    let (Some(first), Some(last), Some((bytes, error))) = (first, last, worst) else {
        return String::new();
    };
    format!(
        "{first} B to {last} B ({} lengths, {bytes} B by {:+.0} %)",
        lengths.len(),
        error * 100.0
    )
}

pub(super) fn parameter(name: &str, value: f64, unit: &str) -> Parameter {
    Parameter {
        name: name.into(),
        value,
        unit: unit.into(),
    }
}
