//! The replay in the order of time: equal to the dataflow replay where no message delays another; what
//! progress inside calls, a limited eager credit and open wildcards change.

use crate::builder::*;
use crate::properties::{drawn, pieces, written};
use base_data::estimate_file::Estimate;
use base_data::program_data::*;
use machine::Platform;
use proptest::prelude::*;

/// The same platform with further settings in front of its links.
fn with(
    platform: &Platform,
    change: impl Fn(&mut base_data::platform_file::PlatformFile),
) -> Platform {
    let mut file = platform.file().clone();
    change(&mut file);
    Platform::new(file, &|name| Err(format!("no file {name}"))).expect("a platform")
}

fn with_credit(platform: &Platform, bytes: u64) -> Platform {
    with(platform, |file| {
        file.eager_credit = base_data::platform_file::EagerCredit::Bytes(bytes)
    })
}

fn in_call(platform: &Platform) -> Platform {
    with(platform, |file| {
        file.progress = base_data::platform_file::Progress::InCall
    })
}

/// What does not depend on how a replay goes about it.
fn comparable(estimate: Estimate) -> Estimate {
    Estimate {
        replayed_events: 0,
        warnings: Vec::new(),
        explanation: Default::default(),
        ..estimate
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn both_replays_give_the_same((ranks, pieces) in pieces(), model in 0usize..3) {
        let platform = [mpiete, loggps, loggp_2][model]();
        let data = written(ranks, &pieces, false);
        let by_rank = comparable(drawn(&data, &platform));
        // So much credit never runs out, but makes the replay look at everything in order.
        let by_time = comparable(drawn(&data, &with_credit(&platform, 1 << 40)));
        prop_assert_eq!(by_rank, by_time);
    }

    /// A shared receiver never makes a single pair of ranks faster, and no other rank slower.
    #[test]
    fn sharing_never_helps((ranks, pieces) in pieces()) {
        let data = written(ranks, &pieces, false);
        let latest = |platform: &Platform| ends_in_picoseconds(&data, platform).into_iter().max();
        prop_assert!(latest(&loggps_shared()) >= latest(&loggps()));
    }

    /// Waiting for the other side, or for room, never makes anything earlier.
    #[test]
    fn rules_never_help((ranks, pieces) in pieces()) {
        let data = written(ranks, &pieces, false);
        let free = ends_in_picoseconds(&data, &loggps());
        let bound = ends_in_picoseconds(&data, &in_call(&loggps()));
        prop_assert!(free.iter().zip(&bound).all(|(free, bound)| free <= bound));
    }
}

fn ends_in_picoseconds(data: &ProgramData, platform: &Platform) -> Vec<i64> {
    estimate(data, platform)
        .per_rank
        .iter()
        .map(|rank| rank.end.picoseconds())
        .collect()
}

fn check(streams: Vec<Vec<Op>>, platform: &Platform, expected: &[i64]) {
    assert_eq!(ends(&program(streams, &[]), platform), expected);
}

#[test]
fn a_rendezvous_inside_calls_moves_while_both_are_there() {
    // Blocking on both sides: as ever, 300 and 935.
    check(
        vec![vec![send(1, 1, 300)], vec![receive(2, 0, 300)]],
        &in_call(&loggps()),
        &[300, 935],
    );
    // Both compute from 10 on and come back at 1010, the request being there: 10 + 70 of handshake and
    // 160 to send, then 550 and 85.
    let streams = vec![
        vec![isend(1, 1, 300, 0), work(1), wait(2, &[0])],
        vec![ireceive(3, 0, 300, 0), work(1), wait(4, &[0])],
    ];
    check(streams.clone(), &loggps(), &[1020, 1020]);
    check(streams, &in_call(&loggps()), &[1250, 1885]);
    // The receiver waits from 10 on; the sender computes until 1010.
    let streams = vec![
        vec![isend(1, 1, 300, 0), work(1), wait(2, &[0])],
        vec![receive(3, 0, 300)],
    ];
    check(streams, &in_call(&loggps()), &[1250, 1885]);
    // It stops while the sender computes: it is inside until 20, from 1020 to 1030, and from 2030 on.
    let streams = vec![
        vec![
            isend(1, 1, 300, 0),
            isend(1, 2, 0, 1),
            work(1),
            wait(2, &[1]),
            work(1),
            wait(2, &[0]),
        ],
        vec![receive(3, 0, 300)],
        vec![receive(3, 0, 0)],
    ];
    // From 60 on the request is there; 10 of the 240 are done at 1030, the rest from 2030 on.
    check(streams, &in_call(&loggps()), &[2260, 2895, 80]);
}

#[test]
fn eager_senders_wait_for_room() {
    let receiver = vec![
        work(1),
        receive(2, 0, 8),
        receive(2, 0, 8),
        receive(2, 0, 8),
    ];
    let sender = vec![send(1, 1, 8), send(1, 1, 8), send(1, 1, 8)];
    let streams = vec![sender, receiver];
    check(streams.clone(), &loggps(), &[54, 1078]);
    // Room for two: the third is sent when the first is received, at 1000.
    check(
        streams.clone(),
        &with_credit(&loggps(), 16),
        &[1018, 1000 + 18 + 74 + 26],
    );
    // Room for none: each is sent when its receive is called.
    check(streams, &with_credit(&loggps(), 7), &[1254, 1354]);
    // A receive that has been called needs no room.
    check(
        vec![vec![work(1), send(1, 1, 8)], vec![receive(2, 0, 8)]],
        &with_credit(&loggps(), 0),
        &[1018, 1118],
    );
}

fn receive_any(line: u32, bytes: i64) -> Op {
    let Op::Call {
        site,
        call:
            Call::Receive {
                mut transfer,
                request,
                observed,
            },
    } = receive(line, 0, bytes)
    else {
        unreachable!("what the builder makes")
    };
    transfer.peer = Peer::Any;
    Op::Call {
        site,
        call: Call::Receive {
            transfer,
            request,
            observed,
        },
    }
}

#[test]
fn open_wildcards_take_what_arrives_first() {
    let master = vec![receive_any(1, 8), receive_any(1, 8)];
    let worker = |micro| vec![work(micro), send(2, 0, 8)];
    // Answers arrive at 1092 and 3092: 26 ns each to receive.
    check(
        vec![master.clone(), worker(3), worker(1)],
        &loggps(),
        &[3118, 3018, 1018],
    );
    // Both have arrived: the one that came first is taken first.
    let late = [vec![work(9)], master].concat();
    check(
        vec![late, worker(3), worker(1)],
        &loggps(),
        &[9052, 3018, 1018],
    );
    let found = estimate(
        &program(vec![vec![receive_any(1, 8)], worker(1)], &[]),
        &mpiete(),
    );
    assert!(
        found
            .warnings
            .iter()
            .any(|warning| warning.contains("takes what arrives first"))
    );
}

#[test]
fn unmatched_wildcard_receive_deadlocks() {
    let streams = vec![
        vec![receive_any(1, 8), receive_any(1, 8)],
        vec![send(2, 0, 8)],
    ];
    let error = try_estimate(&program(streams, &[]), &loggps(), &means())
        .unwrap_err()
        .to_string();
    assert!(error.contains("t.f:1: rank 0 waits for ever"), "{error}");
}

/// Under LogGOPS a probe is over when the processor has taken the message, and leaves it there.
#[test]
fn a_probe_waits_for_the_processor() {
    let probe = |from| {
        let Op::Call {
            site,
            call: Call::Receive { transfer, .. },
        } = receive(3, from, 8)
        else {
            unreachable!("what the builder makes")
        };
        Op::Call {
            site,
            call: Call::Probe {
                transfer,
                blocking: true,
                observed: None,
            },
        }
    };
    let values = [
        ("L", 50, "ns"),
        ("o", 10, "ns"),
        ("O", 1, "ns/byte"),
        ("g", 5, "ns"),
        ("G", 2, "ns/byte"),
    ];
    // Sent at 1000, there at 1060, taken until 1060 + 10 + 14; a message has come from 2 before.
    let streams = vec![
        vec![probe(1), work(1), receive(4, 1, 8), receive(5, 2, 8)],
        vec![work(1), send(1, 0, 8)],
    ];
    let streams = [streams, vec![vec![send(2, 0, 8)]]].concat();
    check(streams, &loggops(&values), &[2084, 1017, 17]);
}

#[test]
fn loggops_refuses_what_it_does_not_define() {
    let values = [
        ("L", 50, "ns"),
        ("o", 10, "ns"),
        ("O", 1, "ns/byte"),
        ("g", 5, "ns"),
        ("G", 2, "ns/byte"),
    ];
    let refused = |streams: Vec<Vec<Op>>, platform: &Platform, expected: &str| {
        let error = try_estimate(&program(streams, &[]), platform, &means())
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    };
    let plain = vec![vec![send(1, 1, 8)], vec![receive(2, 0, 8)]];
    refused(
        plain.clone(),
        &in_call(&loggops(&values)),
        "knows asynchronous progress",
    );
    refused(
        plain,
        &with_credit(&loggops(&values), 9),
        "unlimited eager credit alone",
    );
    let open = vec![vec![send(1, 1, 8)], vec![receive_any(2, 8)]];
    refused(open, &loggops(&values), "which model 'loggops' requires");
}
