//! Table 6 of Ino et al. 2001: round trips of blocking calls with a computation of length w between send and
//! receive, on the three machines of table 5.

use crate::builder::*;
use base_data::comm_data::LinkClass;
use base_data::program_data::*;
use base_data::{BlockId, Time};
use estimator::Inputs;
use machine::network::loggps::{NAME, Parameters};
use machine::platforms;

/// Equations 12, 13 and 14, in nanoseconds. In 14, T4 has its least value, as both sides are there.
fn table_6(p: &Parameters, bytes: u64, w: f64) -> f64 {
    let k = bytes as f64;
    let o = p.overhead;
    let (short, long) = (
        bytes.min(p.longest_packet) as f64,
        bytes.saturating_sub(p.longest_packet) as f64,
    );
    let t2 = short * p.gap_per_byte_short + long * p.gap_per_byte_long + p.latency;
    if bytes <= p.longest_eager {
        let (t1, t3) = (
            o + k * p.send_per_byte_eager,
            o + k * p.receive_per_byte_eager,
        );
        return (t1 + 2.0 * t2 + t3 - w).max(0.0) + w + t1 + t3;
    }
    let (t1, t3) = (
        o + k * p.send_per_byte_rendezvous,
        o + k * p.receive_per_byte_rendezvous,
    );
    let (t4, t5) = (2.0 * o + p.latency, 2.0 * o + p.latency);
    let hidden = (t2 + t3 + o + p.latency - w).max(0.0);
    hidden + w + 2.0 * t1 + t2 + t3 + 2.0 * t4 + 2.0 * t5 - (o + p.latency)
}

fn replayed(platform: &str, bytes: u64, w: i64) -> Time {
    let length = bytes as i64;
    let wait = Op::Block {
        block: BlockId(0),
        variant: Operand::Constant(0),
    };
    let there = vec![send(1, 1, length), wait, receive(2, 1, length)];
    let program = program(
        vec![there, vec![receive(3, 0, length), send(4, 0, length)]],
        &[],
    );
    let compute = compute_of(vec![(0, vec![w * 1000])]);
    let inputs = Inputs {
        program: &program,
        compute: &[compute],
    };
    let platform = platforms::load(platform).expect("a bundled platform");
    estimator::estimate(&inputs, &platform, &means())
        .expect("an estimate")
        .per_rank[0]
        .end
}

#[test]
fn round_trips_are_table_6() {
    for name in ["cenju-4", "myrinet-2001", "fast-ethernet-2001"] {
        let platform = platforms::load(name).unwrap();
        let fit = platform.fit(NAME, LinkClass::BetweenNodes).unwrap();
        let p = Parameters::of(fit, LinkClass::BetweenNodes, NAME).unwrap();
        for bytes in [
            0, 1, 512, 1023, 1024, 1028, 1029, 8191, 8192, 16383, 16384, 65472, 1_000_000,
        ] {
            for w in [0, 1000, 50_000, 500_000, 5_000_000, 500_000_000] {
                let expected = table_6(&p, bytes, w as f64) * 1e3;
                let found = replayed(name, bytes, w).picoseconds();
                // Each of about ten terms is rounded to a picosecond.
                assert!(
                    (found as f64 - expected).abs() <= 10.0,
                    "{name} {bytes} {w}: {found} {expected}"
                );
            }
        }
    }
}

/// Long enough to hide every transfer of these tests.
const HIDING: i64 = 500_000_000;

/// Nanoseconds of a replayed round trip.
fn round_trip(platform: &str, bytes: u64, w: i64) -> f64 {
    replayed(platform, bytes, w).picoseconds() as f64 / 1e3
}

/// Figure 5: where the curves begin, how steep they are and how far they jump at S, with the correction that D(w) holds
/// s·Gs where S·Gs is printed.
#[test]
fn round_trip_curves_are_figure_5() {
    for name in ["cenju-4", "myrinet-2001", "fast-ethernet-2001"] {
        let platform = platforms::load(name).unwrap();
        let p = Parameters::of(
            platform.fit(NAME, LinkClass::BetweenNodes).unwrap(),
            LinkClass::BetweenNodes,
            NAME,
        );
        let p = p.unwrap();
        let (short, eager) = (p.longest_packet, p.longest_eager);
        let overheads = p.send_per_byte_eager + p.receive_per_byte_eager;
        let (send, receive) = (p.send_per_byte_rendezvous, p.receive_per_byte_rendezvous);
        let near = |found: f64, expected: f64, what: &str| {
            assert!(
                (found - expected).abs() <= 0.02 + expected.abs() * 1e-6,
                "{name} {what}: {found} {expected}"
            );
        };
        let slope = |from: u64, to: u64, w| {
            (round_trip(name, to, w) - round_trip(name, from, w)) / (to - from) as f64
        };
        near(
            round_trip(name, 0, 0),
            4.0 * p.overhead + 2.0 * p.latency,
            "begin",
        );
        near(
            round_trip(name, 0, HIDING),
            2.0 * p.overhead + HIDING as f64,
            "begin, hidden",
        );
        near(
            slope(0, short, 0),
            2.0 * (overheads + p.gap_per_byte_short),
            "packet",
        );
        near(slope(0, eager, HIDING), overheads, "up to S, hidden");
        near(
            slope(eager + 1, 2 * eager, 0),
            2.0 * (send + receive + p.gap_per_byte_long),
            "above S",
        );
        near(
            slope(eager + 1, 2 * eager, HIDING),
            2.0 * send + receive + p.gap_per_byte_long,
            "above S, hidden",
        );
        if short < eager {
            near(
                slope(short, eager, 0),
                2.0 * (overheads + p.gap_per_byte_long),
                "up to S",
            );
        }
        let jump =
            |w, slope: f64| round_trip(name, eager + 1, w) - slope - round_trip(name, eager, w);
        let (s, big_s) = (short as f64, eager as f64);
        let handshakes = 8.0 * p.overhead + 4.0 * p.latency;
        let saved = big_s * (receive - p.receive_per_byte_eager);
        let at_once = handshakes + 2.0 * big_s * (send - p.send_per_byte_eager) + 2.0 * saved;
        near(
            jump(0, 2.0 * (send + receive + p.gap_per_byte_long)),
            at_once,
            "D(0)",
        );
        let network = s * p.gap_per_byte_short + (big_s - s) * p.gap_per_byte_long;
        let hidden = handshakes + big_s * (2.0 * send - p.send_per_byte_eager) + saved + network;
        near(
            jump(HIDING, 2.0 * send + receive + p.gap_per_byte_long),
            hidden,
            "D(W)",
        );
    }
}

/// §4.2 and §4.4: what the print gives in numbers for Myrinet.
#[test]
fn printed_times_of_myrinet() {
    let near = |found: f64, printed: f64| {
        assert!((found / printed - 1.0).abs() < 2e-3, "{found} {printed}")
    };
    near(round_trip("myrinet-2001", 0, 0), 2.862e4);
    near(round_trip("myrinet-2001", 0, 500_000), 5.134580e5);
    near(
        round_trip("myrinet-2001", 1_000, 0) - round_trip("myrinet-2001", 0, 0),
        4.979819e4,
    );
    // "298 microseconds" for a message of S bytes, one way.
    near(round_trip("myrinet-2001", 16_383, 0) / 2.0, 2.985e5);
}
