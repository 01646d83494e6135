//! Messages that share links: times worked out by hand for L 100, o_send 5, o_recv 7, o_control 3 ns, G 1 ns/byte,
//! 10 bytes of header, rendezvous above 1000 bytes.

use crate::builder::*;
use crate::properties::{drawn, pieces, written};
use base_data::platform_file::{Progress, Topology};
use base_data::program_data::Op;
use machine::Platform;
use proptest::prelude::*;

const FLOW: [(&str, f64, &str); 7] = [
    ("L", 100.0, "ns"),
    ("o_send", 5.0, "ns"),
    ("o_recv", 7.0, "ns"),
    ("o_control", 3.0, "ns"),
    ("G", 1.0, "ns/byte"),
    ("h", 10.0, "bytes"),
    ("S", 1000.0, "bytes"),
];

pub fn flow() -> Platform {
    with_parameters("flow", 64, &FLOW)
}

fn changed(change: impl Fn(&mut base_data::platform_file::PlatformFile)) -> Platform {
    changed_from(&flow(), change)
}

fn changed_from(
    platform: &Platform,
    change: impl Fn(&mut base_data::platform_file::PlatformFile),
) -> Platform {
    let mut file = platform.file().clone();
    change(&mut file);
    Platform::new(file, &|name| Err(format!("no file {name}"))).expect("a platform")
}

pub fn in_call() -> Platform {
    in_call_with(&FLOW)
}

fn in_call_with(parameters: &[(&str, f64, &str)]) -> Platform {
    let platform = with_parameters("flow", 64, parameters);
    changed_from(&platform, |file| file.progress = Progress::InCall)
}

fn check(platform: &Platform, streams: Vec<Vec<Op>>, expected: &[i64]) {
    assert_eq!(ends(&program(streams, &[]), platform), expected);
}

#[test]
fn eager_message() {
    let streams = vec![vec![send(1, 1, 8)], vec![receive(2, 0, 8)]];
    check(&flow(), streams, &[5, 130]);
}

#[test]
fn rendezvous_sends_request_and_grant() {
    // The request arrives at 113, the grant at 226; the bytes flow from 234 to 2234.
    let streams = vec![vec![send(1, 1, 1990)], vec![receive(2, 0, 1990)]];
    check(&flow(), streams.clone(), &[234, 2341]);
    check(&in_call(), streams, &[234, 2341]);
}

#[test]
fn handshake_waits_for_ranks_that_compute() {
    let sender = vec![isend(1, 1, 1990, 0), work(1), wait(3, &[0])];
    let early = vec![sender.clone(), vec![receive(2, 0, 1990)]];
    check(&flow(), early.clone(), &[1000, 2341]);
    check(&in_call(), early, &[1008, 3115]);
    let late = vec![vec![send(1, 1, 1990)], vec![work(1), receive(2, 0, 1990)]];
    check(&in_call(), late, &[1121, 3228]);
}

#[test]
fn receiver_takes_messages_one_after_another() {
    let streams = vec![
        vec![receive(1, 1, 990), receive(2, 2, 990)],
        vec![send(3, 0, 990)],
        vec![send(3, 0, 990)],
    ];
    check(&flow(), streams, &[2119, 5, 5]);
}

/// A rank hands the data of a granted message over from 229 to 2229. The request that arrives at 1113 is granted after that, so the
/// grant shares the link with these data and arrives at 2352. The bytes flow from 4355 to 6355.
#[test]
fn request_that_arrives_while_data_are_handed_over_is_granted_after_them() {
    let mut parameters = FLOW;
    parameters[1] = ("o_send", 2000.0, "ns");
    let platform = with_parameters("flow", 64, &parameters);
    let streams = vec![
        vec![work(1), send(1, 1, 1990)],
        vec![
            ireceive(2, 0, 1990, 0),
            isend(3, 2, 1990, 1),
            wait(4, &[0, 1]),
        ],
        vec![receive(5, 1, 1990)],
    ];
    check(&platform, streams, &[4355, 6462, 4346]);
}

/// A grant waits behind the bytes of its own connection: both directions of a rendezvous follow each other where one
/// side is late and grants before it requests. So it is where transfers need no calls. Where they proceed inside calls, only calls that wait
/// look at requests: the late side has sent its own before.
#[test]
fn grant_follows_the_data_of_its_connection() {
    let ends_of =
        |first: Vec<Op>, second: Vec<Op>| ends(&program(vec![first, second], &[]), &flow());
    let exchange = |other| {
        vec![
            ireceive(1, other, 1990, 0),
            isend(2, other, 1990, 1),
            wait(3, &[0, 1]),
        ]
    };
    assert_eq!(ends_of(exchange(1), exchange(0)), [2341, 2341]);
    // The grant arrives at 1113, the request at 1123, when 2000 bytes are already under way the other way.
    let late = [vec![work(1)], exchange(1)].concat();
    assert_eq!(ends_of(late.clone(), exchange(0)), [3239, 5346]);
    // The request arrives at 1113, the grant at 1123.
    let sends_first = vec![
        work(1),
        isend(2, 1, 1990, 1),
        ireceive(1, 1, 1990, 0),
        wait(3, &[0, 1]),
    ];
    assert_eq!(ends_of(sends_first, exchange(0)), [3238, 3341]);
    check(&in_call(), vec![late, exchange(0)], &[3238, 3341]);
}

/// The request of the last rank arrives at 113, while the first waits for the second, until 2112. Its receive then grants at
/// once, before the data that it sends: the grant arrives at 2225, and 2000 bytes flow from 2233 on.
#[test]
fn receive_grants_a_request_that_a_wait_has_seen() {
    let streams = vec![
        vec![
            receive(1, 1, 990),
            ireceive(2, 2, 1990, 0),
            isend(3, 2, 990, 1),
            wait(4, &[0, 1]),
        ],
        vec![work(1), send(5, 0, 990)],
        vec![
            ireceive(6, 0, 990, 0),
            isend(7, 0, 1990, 1),
            wait(8, &[0, 1]),
        ],
    ];
    check(&in_call(), streams, &[4340, 1005, 3232]);
}

/// The request shares the link with the awaited message. It arrives over another connection at 2115, while the rank takes that message, from
/// 2107 to 2157. The next receive grants at once: the grant arrives at 2270, and 2000 bytes flow from 2278 on.
#[test]
fn request_of_another_connection_is_seen_while_a_message_is_taken() {
    let mut parameters = FLOW;
    parameters[2] = ("o_recv", 50.0, "ns");
    let platform = in_call_with(&parameters);
    let streams = vec![
        vec![
            receive(1, 1, 990),
            ireceive(2, 2, 1990, 0),
            isend(3, 2, 990, 1),
            wait(4, &[0, 1]),
        ],
        vec![work(1), send(5, 0, 990)],
        vec![
            work(1),
            work(1),
            ireceive(6, 0, 990, 0),
            isend(7, 0, 1990, 1),
            wait(8, &[0, 1]),
        ],
    ];
    let ended = ends(&program(streams, &[]), &platform);
    assert_eq!(ended[0], 4428);
}

/// The request follows the awaited message on its connection and arrives while the rank still takes that, at 1099 of 1097 to 1104. The
/// rank leaves without a look at it, and grants in its next wait, behind its own data.
#[test]
fn request_behind_the_awaited_message_is_left_for_the_next_wait() {
    let short_header = FLOW.map(|(name, value, unit)| match name {
        "h" => (name, 2.0, unit),
        _ => (name, value, unit),
    });
    let platform = in_call_with(&short_header);
    let streams = vec![
        vec![
            receive(1, 1, 990),
            work(1),
            ireceive(2, 1, 1990, 0),
            isend(3, 1, 990, 1),
            wait(4, &[0, 1]),
        ],
        vec![
            send(5, 0, 990),
            ireceive(6, 0, 990, 0),
            isend(7, 0, 1990, 1),
            wait(8, &[0, 1]),
        ],
    ];
    check(&platform, streams, &[5310, 3211]);
}

#[test]
fn uplink_of_two_switches_is_shared() {
    let two = changed(|file| {
        file.nodes = 4;
        file.topology = Topology::Cascade {
            nodes_per_switch: 2,
            uplink: 1.0,
        };
    });
    let streams = vec![
        vec![send(1, 2, 990)],
        vec![send(1, 3, 990)],
        vec![receive(2, 0, 990)],
        vec![receive(2, 1, 990)],
    ];
    check(&two, streams.clone(), &[5, 5, 2112, 2112]);
    check(&flow(), streams, &[5, 5, 1112, 1112]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// No program ends in a deadlock, or in another time when it is replayed again.
    #[test]
    fn every_program_ends((ranks, pieces) in pieces()) {
        let data = written(ranks, &pieces, false);
        prop_assert_eq!(drawn(&data, &in_call()), drawn(&data, &in_call()));
    }
}
