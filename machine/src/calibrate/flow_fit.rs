//! The fit of the model `flow` ([`crate::network::flow`]): each parameter from the samples that show it alone.
//!
//! | parameter | from |
//! | --- | --- |
//! | `o_send`, `O_send` | `MPI_Send` of messages up to `S`, at most what each of many takes |
//! | `o_recv`, `O_recv` | `MPI_Recv` of messages that have arrived, at most what each of many takes |
//! | `O_send_long`, `O_recv_long` | 0 where the two above take longer per byte than the longest messages as a whole |
//! | `o_start`, `o_wait` | `MPI_Isend` and `MPI_Irecv`; `MPI_Wait` |
//! | `S` | sends to a receiver that computes: the longest that does not wait for it |
//! | `G`, `h` | messages one after another; `G` from the longest round trips where these are faster |
//! | `o_control` | how much longer messages above `S` and their sends take than those below |
//! | latency by length | what remains of half a round trip |
//! | `duplex` | messages in both directions at once |
//! | `G_node` | messages of all ranks to one |
//! | `Q` | a round trip behind a long message to another node |
//! | `burst` | how much less long messages take than their bytes at the rate of many |
//! | `noise` | the quartiles' distance of messages in both directions at once that are longer than `Q` |
//! | `s` | how much longer the latency of long messages is than that of empty ones |
//!
//! Residuals: of the curve by leaving out one length at a time, of what is not a part of the curve (messages one after another, in both
//! directions, to one) by what the parameters predict.

use super::curve_fit::Fitted;
use super::line_fit::{Line, Point, median};
use super::samples::{
    ByLength, EXCEPTIONS, MOST_OFF, Outcome, Prediction, Samples, described, nanoseconds, parameter,
};
use crate::network::flow;
use base_data::Time;
use base_data::comm_data::{CommSample, CurvePoint, LinkClass, ModelFit, SampleKind};
use std::collections::BTreeMap;

/// Lengths that the curve's slope is taken from: those of at least this share of the longest.
const LONG: f64 = 0.1;
/// Lengths that the header is taken from: those of at most this share of the longest.
const SHORT: f64 = 1.0 / 1024.0;
const GAP_ROUNDS: usize = 8;
/// Consecutive messages of fewer lengths do not show both a time per byte and a header.
const LEAST_FLOODS: usize = 3;
/// Long messages are faster than floods if their time per byte is less than this share of floods'.
const FASTER: f64 = 0.95;
/// Distance of the quartiles of a normal distribution with standard deviation 1.
const QUARTILES_OF_NORMAL: f64 = 1.349;
/// Messages in both directions whose times are compared with one direction: so many of the longest.
const LONGEST_EXCHANGES: usize = 3;

fn points(times: &ByLength) -> Vec<Point> {
    times
        .iter()
        .map(|(&bytes, &time)| Point {
            bytes: bytes as f64,
            time,
        })
        .collect()
}

fn middle(times: &ByLength) -> f64 {
    median(&times.values().copied().collect::<Vec<f64>>())
}

/// Times, none longer than what each message takes where many follow each other: both sides handle all of them in that time. A call
/// after a pause may take longer, since caches are cold then.
fn bounded(mut times: ByLength, floods: &ByLength) -> ByLength {
    for (bytes, time) in &mut times {
        if let Some(&flood) = floods.get(bytes) {
            *time = time.min(flood);
        }
    }
    times
}

/// The parameters fitted so far; times in nanoseconds.
struct FlowFit {
    send: Line,
    receive: Line,
    /// Whether calls take no time per byte of messages above `S`. Over shared memory, a message up to `S` is copied twice, in the calls,
    /// and a longer one while it flows.
    copied_in_flow: bool,
    gap: f64,
    gap_variance: f64,
    header: f64,
    longest_eager: Option<u64>,
    control: f64,
    latency: BTreeMap<u64, f64>,
    duplex: f64,
    node_gap: f64,
    queue: f64,
    packet: f64,
    burst: f64,
    noise: f64,
    start: f64,
    wait: f64,
    most_overhead: f64,
    /// Overheads that no sample shows: each is between 0 and `most_overhead`.
    unknown_overheads: Vec<&'static str>,
}

/// The overhead of a call where no sample shows it: as far as samples say, the processor is busy for nothing up to the whole time of each of
/// many short messages, or half of a message alone.
struct AssumedOverhead {
    most: f64,
}

impl AssumedOverhead {
    /// `None` without enough consecutive messages.
    fn of(floods: &ByLength, curve: &Fitted) -> Option<Self> {
        if floods.len() < LEAST_FLOODS {
            return None;
        }
        let shortest_flood = floods.values().copied().fold(f64::INFINITY, f64::min);
        let shortest = nanoseconds(curve.curve.first()?.time);
        Some(Self {
            most: shortest_flood.min(shortest / 2.0),
        })
    }

    /// The middle of the range, with the variance of a uniform distribution.
    fn line(&self) -> Line {
        Line {
            offset: self.most / 2.0,
            slope: 0.0,
            offset_variance: self.most.powi(2) / 12.0,
            slope_variance: 0.0,
            covariance: 0.0,
        }
    }
}

impl FlowFit {
    /// The time of a message's bytes at the rate of the link.
    fn flow(&self, bytes: f64) -> f64 {
        (bytes + self.header) * self.gap
    }

    /// The same on a link that was idle, which passes a burst at once.
    fn idle_flow(&self, bytes: f64) -> f64 {
        (bytes + self.header - self.burst).max(0.0) * self.gap
    }

    fn is_eager(&self, bytes: u64) -> bool {
        self.longest_eager.is_none_or(|longest| bytes <= longest)
    }

    /// Everything of a message alone but its latency.
    fn without_latency(&self, bytes: u64) -> f64 {
        let length = bytes as f64;
        let handshake = if self.is_eager(bytes) {
            0.0
        } else {
            self.handshake()
        };
        handshake
            + self.call(&self.send, bytes)
            + self.idle_flow(length)
            + self.call(&self.receive, bytes)
    }

    /// What one side's call takes.
    fn call(&self, line: &Line, bytes: u64) -> f64 {
        if self.copied_in_flow && !self.is_eager(bytes) {
            return line.offset;
        }
        line.at(bytes as f64)
    }

    fn handshake(&self) -> f64 {
        // Request and grant travel once each; the sender's request, the receiver's grant and the sender's
        // reaction to it are handled once each ([`crate::network::flow`]: request + confirm + acknowledge).
        3.0 * self.control + 2.0 * self.way_of_control()
    }

    fn way_of_control(&self) -> f64 {
        self.idle_flow(0.0) + self.latency_of(0)
    }

    /// The nearest measured length's, or that of the shorter of two.
    fn latency_of(&self, bytes: u64) -> f64 {
        let shorter = self.latency.range(..=bytes).next_back();
        shorter
            .or_else(|| self.latency.iter().next())
            .map_or(0.0, |(_, &latency)| latency)
    }

    /// Takes as latency what remains of each half round trip of messages that are eager, or of those that are not.
    fn add_latencies(&mut self, curve: &Fitted, eager: bool) {
        for point in &curve.curve {
            if self.is_eager(point.bytes) != eager || self.is_limited_by_rate(point) {
                continue;
            }
            let rest = nanoseconds(point.time) - self.without_latency(point.bytes);
            self.latency.insert(point.bytes, rest.max(0.0));
        }
    }

    /// Whether the half round trip shows the rate of the link instead of the latency: messages that use up the burst in the long run
    /// leave when the link has passed those before at its rate. Single messages that fit into the burst take as long as empty ones.
    fn is_limited_by_rate(&self, point: &CurvePoint) -> bool {
        if self.burst <= 0.0 || point.bytes == 0 {
            return false;
        }
        let bytes = point.bytes as f64;
        let at_rate = self.flow(bytes) / 2.0;
        self.idle_flow(bytes) <= 0.0 || at_rate > (1.0 - MOST_OFF) * nanoseconds(point.time)
    }

    /// Half a round trip of many.
    fn half_round_trip(&self, bytes: u64) -> f64 {
        self.of_many(self.alone(bytes), self.flow(bytes as f64) / 2.0)
    }

    /// The time of each of many repetitions, of which the first takes `first`. Where links have bursts, they are used up, and each takes at
    /// least the time of its bytes at the rate of the link.
    fn of_many(&self, first: f64, at_rate: f64) -> f64 {
        if self.burst > 0.0 {
            first.max(at_rate)
        } else {
            first
        }
    }

    fn alone(&self, bytes: u64) -> f64 {
        self.without_latency(bytes) + self.latency_of(bytes)
    }

    fn exchange(&self, bytes: u64) -> f64 {
        // With both directions busy, one has the share `duplex` of its capacity, so the flow takes 1/duplex
        // of its time.
        let flow = self.flow(bytes as f64) / self.duplex;
        let first = self.alone(bytes) - self.flow(bytes as f64) + flow;
        self.of_many(first, flow)
    }

    fn flood(&self, bytes: u64) -> f64 {
        let length = bytes as f64;
        self.flow(length)
            .max(self.call(&self.send, bytes))
            .max(self.call(&self.receive, bytes))
    }

    /// Each further message of both directions: a processor sends one and receives one meanwhile.
    fn exchange_flood(&self, bytes: u64) -> f64 {
        let length = bytes as f64;
        let processor = self.call(&self.send, bytes) + self.call(&self.receive, bytes);
        (self.flow(length) / self.duplex).max(processor)
    }

    /// From the first sign to send until all messages have been received.
    fn incast(&self, bytes: u64, senders: f64) -> f64 {
        let length = bytes as f64;
        // The receiver signals the senders in sequence, so the last one begins after as many empty sends.
        let signs = senders * self.send.at(0.0) + self.way_of_control() + self.receive.at(0.0);
        let flows = senders * (length + self.header) * self.node_gap;
        let calls = self.call(&self.send, bytes) + self.call(&self.receive, bytes);
        let first = signs + flows + self.latency_of(bytes) + calls;
        // Of the first, the receiver's link passes a burst at once.
        self.of_many(first - self.burst * self.node_gap, flows)
    }
}

/// Fits the samples of one kind of link; `curve` is the fit of their half round trips.
pub(super) fn fit(samples: &[&CommSample], link: LinkClass, curve: &Fitted) -> Outcome {
    if link == LinkClass::ToSelf {
        return Outcome::Fit(Box::new(to_self(curve)), None);
    }
    let samples = Samples { samples };
    let found = match found(&samples, link, curve) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let errors = errors(&samples, &found);
    let off: Vec<&Prediction> = errors
        .iter()
        .filter(|one| one.error.abs() > MOST_OFF)
        .collect();
    let sentence = (!off.is_empty()).then(|| described(flow::NAME, link, &off));
    if off.len() * EXCEPTIONS > errors.len() {
        return Outcome::Rejected(sentence.unwrap_or_default());
    }
    let mut squares: Vec<f64> = errors.iter().map(|one| one.error.powi(2)).collect();
    if let Some(residual) = curve.residual {
        // The curve's residual stands for as many lengths as it has.
        squares.extend(curve.curve.iter().map(|_| residual.powi(2)));
    }
    // Root mean square over both kinds of error.
    let mean = squares.iter().sum::<f64>() / squares.len().max(1) as f64;
    let (residual, remark) = with_unknown_overheads(&found, link, mean.sqrt());
    let mut fit = model_fit(&found, link, residual, samples.samples.len());
    if let Some(remark) = &remark {
        fit.source.push_str("; ");
        fit.source.push_str(remark);
    }
    let sentences: Vec<String> = sentence.into_iter().chain(remark).collect();
    let sentences = (!sentences.is_empty()).then(|| sentences.join("; "));
    Outcome::Fit(Box::new(fit), sentences)
}

/// The residual with the standard deviation of overheads that no sample shows, relative to the shortest message, and a sentence on it.
fn with_unknown_overheads(
    found: &FlowFit,
    link: LinkClass,
    residual: f64,
) -> (f64, Option<String>) {
    if found.unknown_overheads.is_empty() {
        return (residual, None);
    }
    // The standard deviation of a uniform distribution is its width over √12.
    let deviation = found.most_overhead / 12f64.sqrt() / found.alone(0).max(f64::MIN_POSITIVE);
    let wider = residual.hypot(deviation);
    let most = Time::from_picoseconds((found.most_overhead * 1e3).round() as i64);
    let sentence = format!(
        "the interval is wider: no sample of link class {link} shows {} apart from the latency, so each is between 0 and {most}, and half \
         of it is assumed; the residual grows from {:.1} % to {:.1} %; samples of the network probe determine them",
        found.unknown_overheads.join(" and "),
        residual * 100.0,
        wider * 100.0
    );
    (wider, Some(sentence))
}

/// Messages of a rank to itself: all of their time is that of their bytes, by the longest, and a latency.
fn to_self(curve: &Fitted) -> ModelFit {
    let gap = long_slope(curve).map_or(0.0, |line| line.slope);
    let rest = |point: &CurvePoint| {
        let rest = nanoseconds(point.time) - point.bytes as f64 * gap;
        (point.bytes, rest.max(0.0))
    };
    let latency: BTreeMap<u64, f64> = curve.curve.iter().map(rest).collect();
    let parameters = vec![
        parameter("L", latency.values().copied().next().unwrap_or(0.0), "ns"),
        parameter("G", gap, "ns/byte"),
    ];
    ModelFit {
        model: flow::NAME.into(),
        link: LinkClass::ToSelf,
        parameters,
        curve: curve_points(&latency),
        covariance: Vec::new(),
        residual: curve.residual,
        source: format!("fitted to {} samples", curve.samples),
    }
}

/// The line through the half round trips of the longest messages.
fn long_slope(curve: &Fitted) -> Option<Line> {
    let longest = curve.curve.last()?.bytes as f64;
    let long: Vec<Point> = curve
        .curve
        .iter()
        .map(|point| Point {
            bytes: point.bytes as f64,
            time: nanoseconds(point.time),
        })
        .filter(|point| point.bytes >= LONG * longest)
        .collect();
    if long.len() < 2 {
        return None;
    }
    Line::through(&long)
}

/// What each byte and each message takes of a link.
struct Gap {
    per_byte: f64,
    variance: f64,
    /// In bytes.
    header: f64,
}

impl Gap {
    /// From the times of further messages of a flood: per byte by the longest of them, where frames are full, the
    /// header by the shortest. Each is found with the other, which matters little.
    fn of(floods: &ByLength) -> Self {
        let longest = floods.keys().next_back().copied().unwrap_or(0) as f64;
        let mut gap = Gap {
            per_byte: 0.0,
            variance: 0.0,
            header: 0.0,
        };
        for _ in 0..GAP_ROUNDS {
            let long = floods
                .iter()
                .filter(|&(&bytes, _)| bytes as f64 >= LONG * longest);
            let per_byte: Vec<f64> = long
                .map(|(&bytes, time)| time / (bytes as f64 + gap.header).max(1.0))
                .collect();
            gap.per_byte = median(&per_byte);
            let sizes: Vec<f64> = per_byte
                .iter()
                .map(|value| (value - gap.per_byte).abs())
                .collect();
            // The standard error of a median, by the median error.
            let sigma = median(&sizes) / 0.6745;
            gap.variance = sigma.powi(2) * std::f64::consts::FRAC_PI_2 / sizes.len() as f64;
            let short = floods
                .iter()
                .filter(|&(&bytes, _)| bytes as f64 <= SHORT * longest);
            let headers: Vec<f64> = short
                .map(|(&bytes, time)| time / gap.per_byte.max(f64::MIN_POSITIVE) - bytes as f64)
                .collect();
            gap.header = median(&headers).max(0.0);
        }
        gap
    }
}

fn found(samples: &Samples<'_>, link: LinkClass, curve: &Fitted) -> Result<FlowFit, Outcome> {
    let longest_eager = samples.longest_eager();
    let is_eager = |bytes: &u64| longest_eager.is_none_or(|longest| *bytes <= longest);
    let eager = |mut times: ByLength| {
        times.retain(|bytes, _| is_eager(bytes));
        times
    };
    let mut floods = samples.of(SampleKind::Flood);
    // The probe subtracts a short flood from a long one: a difference of nothing is a disturbance.
    floods.retain(|_, time| *time > 0.0);
    let Some(assumed) = AssumedOverhead::of(&floods, curve) else {
        return Err(Outcome::NotMeasured(format!(
            "messages that meet on a link of class {link} do not delay each other in an estimate: model '{}' needs consecutive messages \
             of {LEAST_FLOODS} lengths, and the samples have {}; give samples of the network probe, or the output of osu_bw, Uniband or \
             Netgauge's loggp as well",
            flow::NAME,
            floods.len()
        )));
    };
    let sends = bounded(eager(samples.of(SampleKind::BlockingSend)), &floods);
    let receives = bounded(samples.of(SampleKind::LateReceive), &floods);
    let measured_send = Line::through(&points(&sends));
    let measured_receive = Line::through(&points(&receives));
    let mut unknown_overheads = Vec::new();
    if measured_send.is_none() {
        unknown_overheads.push("o_send");
    }
    if measured_receive.is_none() {
        unknown_overheads.push("o_recv");
    }
    let send = measured_send.unwrap_or(assumed.line());
    let receive = measured_receive.unwrap_or(assumed.line());
    let flood = Gap::of(&floods);
    let long = long_slope(curve);
    // Round trips contain the overheads per byte as well.
    let overheads = send.slope + receive.slope;
    let copied_in_flow =
        longest_eager.is_some() && long.is_some_and(|line| line.slope <= overheads);
    let overheads = if copied_in_flow { 0.0 } else { overheads };
    let mut gap = match long {
        // Messages that are copied may be slower than the longest ones, which are not.
        Some(line) if line.slope - overheads < FASTER * flood.per_byte => Gap {
            per_byte: line.slope - overheads,
            header: flood.header * flood.per_byte / (line.slope - overheads).max(f64::MIN_POSITIVE),
            variance: line.slope_variance,
        },
        _ => flood,
    };
    if gap.per_byte <= 0.0 {
        return Err(Outcome::Rejected(format!(
            "model '{}' of link class {link} does not describe these samples: MPI_Send and MPI_Recv take {:.3} and {:.3} ns per byte, and \
             the longest messages as a whole no more than that ({:.3}); estimates use another model, in which messages that meet do \
             not share links",
            flow::NAME,
            send.slope,
            receive.slope,
            long.map_or(0.0, |line| line.slope)
        )));
    }
    let queue = queue(samples, gap.per_byte, curve);
    // Only links with queues have bursts in the model.
    let burst = if queue > 0.0 {
        burst(longest_eager, curve)
    } else {
        None
    };
    if let (Some(shortest), None) = (curve.curve.first(), burst) {
        // What a message without bytes takes of a link is no more than what is left of its time beside both calls.
        let rest = nanoseconds(shortest.time) - send.offset - receive.offset;
        gap.header = gap.header.min(rest.max(0.0) / gap.per_byte);
    }
    let starts = [SampleKind::NonblockingSend, SampleKind::NonblockingReceive]
        .map(|kind| middle(&samples.of(kind)));
    let mut found = FlowFit {
        send,
        receive,
        copied_in_flow,
        gap: gap.per_byte,
        gap_variance: gap.variance,
        header: gap.header,
        longest_eager,
        control: 0.0,
        latency: BTreeMap::new(),
        duplex: 1.0,
        node_gap: gap.per_byte,
        queue,
        packet: 0.0,
        burst: burst.map_or(0.0, |burst| burst + gap.header),
        noise: 0.0,
        start: (starts[0] + starts[1]) / 2.0,
        wait: middle(&samples.of(SampleKind::Wait)),
        most_overhead: assumed.most,
        unknown_overheads,
    };
    // The latencies of eager messages are known when the handshake of longer ones is fitted, theirs after it.
    found.add_latencies(curve, true);
    found.control = control(samples, &found, curve);
    found.add_latencies(curve, false);
    found.duplex = duplex(samples, &found);
    found.node_gap = node_gap(samples, &found);
    found.packet = packet(&found);
    found.noise = noise(samples, &found);
    Ok(found)
}

/// Bytes that a link passes at once after it was idle. The line through the lengths of long messages by their times has at time 0 what
/// passes in no time; without bursts, that is nothing, since latency and header come first. It must exceed three standard errors. The
/// header passes as well, and is not counted here.
fn burst(longest_eager: Option<u64>, curve: &Fitted) -> Option<f64> {
    let is_eager = |point: &&CurvePoint| longest_eager.is_none_or(|longest| point.bytes <= longest);
    let longest = curve.curve.iter().rfind(is_eager)?;
    let mut lengths_by_time = Vec::new();
    for point in curve.curve.iter().filter(is_eager) {
        if point.bytes as f64 >= LONG * longest.bytes as f64 {
            // The line's argument is the time here, its value the length.
            lengths_by_time.push(Point {
                bytes: nanoseconds(point.time),
                time: point.bytes as f64,
            });
        }
    }
    let line = Line::through(&lengths_by_time)?;
    if line.offset <= 3.0 * line.offset_variance.sqrt() {
        return None;
    }
    let shortest = curve.curve.first()?;
    Some(line.at(nanoseconds(shortest.time)))
}

/// What each side needs to handle a request or a grant. Two times bound it, and the lesser counts: what messages with a
/// handshake take more than the eager ones' times continued; and what their sends take more while the receiver waits,
/// which contains the bytes' way as well where a send ends with it.
fn control(samples: &Samples<'_>, found: &FlowFit, curve: &Fitted) -> f64 {
    let handshake = 2.0 * found.way_of_control();
    let mut messages = Vec::new();
    for point in &curve.curve {
        if !found.is_eager(point.bytes) {
            messages.push(nanoseconds(point.time) - found.alone(point.bytes));
        }
    }
    let mut sends = Vec::new();
    for (bytes, time) in samples.of(SampleKind::BlockingSend) {
        if !found.is_eager(bytes) {
            sends.push(time - found.call(&found.send, bytes) - handshake);
        }
    }
    let mut least = f64::INFINITY;
    for bound in [messages, sends] {
        if !bound.is_empty() {
            least = least.min(median(&bound));
        }
    }
    if least.is_finite() {
        (least / 3.0).max(0.0)
    } else {
        0.0
    }
}

/// What one direction has of a link while the other is busy: by the longest messages, which fill it.
fn duplex(samples: &Samples<'_>, found: &FlowFit) -> f64 {
    let exchanges = samples.of(SampleKind::Exchange);
    let share = |(&bytes, &time): (&u64, &f64)| {
        let flow = found.flow(bytes as f64);
        if found.burst > 0.0 {
            // Exchanges of many: the burst is used up.
            return flow / time;
        }
        // From exchange = alone + flow · (1/duplex − 1).
        let longer = (time - found.alone(bytes)).max(0.0);
        flow / (flow + longer)
    };
    let shares: Vec<f64> = exchanges
        .iter()
        .rev()
        .take(LONGEST_EXCHANGES)
        .map(share)
        .collect();
    if shares.is_empty() {
        return consecutive_duplex(samples, found);
    }
    // Less than half would mean that the other direction stops this one.
    median(&shares).clamp(0.5, 1.0)
}

/// The same by consecutive messages in both directions, where there are no single ones.
fn consecutive_duplex(samples: &Samples<'_>, found: &FlowFit) -> f64 {
    let floods = samples.of(SampleKind::ExchangeFlood);
    let longest = floods.iter().rev().take(LONGEST_EXCHANGES);
    let shares: Vec<f64> = longest
        .map(|(&bytes, &time)| found.flow(bytes as f64) / time)
        .collect();
    if shares.is_empty() {
        return 1.0;
    }
    median(&shares).clamp(0.5, 1.0)
}

fn node_gap(samples: &Samples<'_>, found: &FlowFit) -> f64 {
    let per_sender = |sample: &&&CommSample| Point {
        bytes: sample.bytes as f64,
        time: nanoseconds(sample.median) / f64::from(sample.ranks.max(2) - 1),
    };
    let incasts: Vec<Point> = samples
        .samples
        .iter()
        .filter(|sample| sample.kind == SampleKind::Incast)
        .map(|sample| per_sender(&sample))
        .collect();
    match Line::through(&incasts) {
        Some(line) if incasts.len() > 1 && line.slope > 0.0 => line.slope.min(found.gap),
        _ => found.gap,
    }
}

/// Bytes that are queued ahead of an empty message to another node.
fn queue(samples: &Samples<'_>, gap_per_byte: f64, curve: &Fitted) -> f64 {
    let shortest = curve.curve.first();
    let round_trip = 2.0 * shortest.map_or(0.0, |point| nanoseconds(point.time));
    let behind = samples.of(SampleKind::Behind);
    let Some(&time) = behind.values().next_back() else {
        return 0.0;
    };
    let delay = time - round_trip;
    // No more than round trips vary without any other traffic.
    if delay <= MOST_OFF * round_trip {
        return 0.0;
    }
    delay / gap_per_byte
}

/// Bytes that a switch stores before it sends on: what the latency of messages of several packets has more than that of an
/// empty one, as bytes.
fn packet(found: &FlowFit) -> f64 {
    let is_eager = |bytes: &u64| found.is_eager(*bytes);
    let Some(longest) = found.latency.keys().copied().rfind(is_eager) else {
        return 0.0;
    };
    let mut long = Vec::new();
    for (&bytes, &latency) in &found.latency {
        if found.is_eager(bytes) && bytes as f64 >= LONG * longest as f64 {
            long.push(latency);
        }
    }
    (median(&long) - found.latency_of(0)).max(0.0) / found.gap
}

/// Standard deviation of the times of messages longer than an interface queues, relative to them. When the rest of such a
/// message gets to the interface depends on what else leaves it, acknowledgements among them.
fn noise(samples: &Samples<'_>, found: &FlowFit) -> f64 {
    let mut spreads = Vec::new();
    for sample in samples.samples {
        let is_long = found.queue > 0.0 && sample.bytes as f64 > found.queue;
        if sample.kind == SampleKind::Exchange && is_long && sample.median > Time::ZERO {
            spreads.push(nanoseconds(sample.spread) / nanoseconds(sample.median));
        }
    }
    if spreads.is_empty() {
        return 0.0;
    }
    median(&spreads) / QUARTILES_OF_NORMAL
}

fn errors(samples: &Samples<'_>, found: &FlowFit) -> Vec<Prediction> {
    let mut errors = Vec::new();
    let mut add = |what, bytes, predicted: f64, measured: f64| {
        if measured > 0.0 {
            errors.push(Prediction {
                what,
                bytes,
                error: predicted / measured - 1.0,
            });
        }
    };
    for (bytes, time) in samples.of(SampleKind::PingPong) {
        add("one at a time", bytes, found.half_round_trip(bytes), time);
    }
    for (bytes, time) in samples.of(SampleKind::Flood) {
        add("one after another", bytes, found.flood(bytes), time);
    }
    for (bytes, time) in samples.of(SampleKind::Exchange) {
        add("in both directions", bytes, found.exchange(bytes), time);
    }
    for (bytes, time) in samples.of(SampleKind::ExchangeFlood) {
        let predicted = found.exchange_flood(bytes);
        add(
            "one after another in both directions",
            bytes,
            predicted,
            time,
        );
    }
    for sample in samples.samples {
        if sample.kind == SampleKind::Incast {
            let predicted = found.incast(sample.bytes, f64::from(sample.ranks.max(2) - 1));
            add(
                "of all ranks to one",
                sample.bytes,
                predicted,
                nanoseconds(sample.median),
            );
        }
    }
    errors
}

fn curve_points(latency: &BTreeMap<u64, f64>) -> Vec<CurvePoint> {
    latency
        .iter()
        .map(|(&bytes, &ns)| CurvePoint {
            bytes,
            time: Time::from_picoseconds((ns * 1e3).round() as i64),
        })
        .collect()
}

fn model_fit(found: &FlowFit, link: LinkClass, residual: f64, samples: usize) -> ModelFit {
    let mut parameters = vec![
        parameter("o_send", found.send.offset, "ns"),
        parameter("O_send", found.send.slope, "ns/byte"),
        parameter("o_recv", found.receive.offset, "ns"),
        parameter("O_recv", found.receive.slope, "ns/byte"),
        parameter("G", found.gap, "ns/byte"),
        parameter("L", found.latency_of(0), "ns"),
        parameter("o_start", found.start, "ns"),
        parameter("o_wait", found.wait, "ns"),
        parameter("o_control", found.control, "ns"),
        parameter("G_node", found.node_gap, "ns/byte"),
        parameter("h", found.header, "bytes"),
        parameter("duplex", found.duplex, "ratio"),
        parameter("Q", found.queue, "bytes"),
        parameter("s", found.packet, "bytes"),
        parameter("burst", found.burst, "bytes"),
        parameter("noise", found.noise, "ratio"),
    ];
    if let Some(longest) = found.longest_eager {
        parameters.push(parameter("S", longest as f64, "bytes"));
    }
    if found.copied_in_flow {
        parameters.push(parameter("O_send_long", 0.0, "ns/byte"));
        parameters.push(parameter("O_recv_long", 0.0, "ns/byte"));
    }
    ModelFit {
        model: flow::NAME.into(),
        link,
        covariance: covariance(found, parameters.len()),
        parameters,
        curve: curve_points(&found.latency),
        residual: Some(residual),
        source: format!("fitted to {samples} samples"),
    }
}

/// Of the overheads and the gap, which come first; the other parameters follow from these or are no sums of samples.
fn covariance(found: &FlowFit, parameters: usize) -> Vec<f64> {
    let mut covariance = vec![0.0; parameters * parameters];
    for (first, line) in [(0, &found.send), (2, &found.receive)] {
        let second = first + 1;
        covariance[first * parameters + first] = line.offset_variance;
        covariance[second * parameters + second] = line.slope_variance;
        covariance[first * parameters + second] = line.covariance;
        covariance[second * parameters + first] = line.covariance;
    }
    covariance[4 * parameters + 4] = found.gap_variance;
    covariance
}

#[cfg(test)]
mod tests;
