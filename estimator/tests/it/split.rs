//! Messages sent in pieces: the same times as of the program that does so by itself.

use crate::builder::*;
use base_data::program_data::{CollectiveKind, Op};
use machine::Platform;
use machine::platform::Change;

fn in_pieces(bytes: u64) -> Platform {
    loggps()
        .changed("loggps", None, &Change::Pieces(bytes))
        .expect("any platform can be split for")
}

/// The first program in pieces of 100 bytes is the second.
fn check(whole: Vec<Vec<Op>>, by_hand: Vec<Vec<Op>>) {
    let (whole, by_hand) = (program(whole, &[]), program(by_hand, &[]));
    assert_eq!(ends(&whole, &in_pieces(100)), ends(&by_hand, &loggps()));
    assert_ne!(ends(&whole, &in_pieces(100)), ends(&whole, &loggps()));
    assert_eq!(
        ends(&by_hand, &in_pieces(100)),
        ends(&by_hand, &loggps()),
        "what is short stays"
    );
}

#[test]
fn blocking_calls() {
    let whole = vec![vec![send(1, 1, 340)], vec![work(1), receive(2, 0, 340)]];
    let sends = [repeat(3, vec![send(1, 1, 100)]), vec![send(1, 1, 40)]].concat();
    let receives = [
        vec![work(1)],
        repeat(3, vec![receive(2, 0, 100)]),
        vec![receive(2, 0, 40)],
    ]
    .concat();
    check(whole, vec![sends, receives]);
}

#[test]
fn inside_loops() {
    let whole = vec![
        repeat(4, vec![work(1), send(1, 1, 200), receive(3, 1, 8)]),
        repeat(4, vec![receive(2, 0, 200), work(2), send(4, 0, 8)]),
    ];
    let by_hand = vec![
        repeat(
            4,
            [
                vec![work(1)],
                repeat(2, vec![send(1, 1, 100)]),
                vec![receive(3, 1, 8)],
            ]
            .concat(),
        ),
        repeat(
            4,
            [
                repeat(2, vec![receive(2, 0, 100)]),
                vec![work(2), send(4, 0, 8)],
            ]
            .concat(),
        ),
    ];
    check(whole, by_hand);
}

#[test]
fn started_transfers() {
    let whole = vec![
        vec![
            isend(1, 1, 260, 0),
            isend(1, 1, 8, 1),
            work(1),
            wait(2, &[0, 1]),
        ],
        vec![
            ireceive(3, 0, 260, 0),
            wait(4, &[0]),
            ireceive(3, 0, 8, 0),
            wait(4, &[0]),
        ],
    ];
    let by_hand = vec![
        vec![
            isend(1, 1, 100, 0),
            isend(1, 1, 100, 2),
            isend(1, 1, 60, 3),
            isend(1, 1, 8, 1),
            work(1),
            wait(2, &[0, 2, 3, 1]),
        ],
        vec![
            ireceive(3, 0, 100, 0),
            ireceive(3, 0, 100, 1),
            ireceive(3, 0, 60, 2),
            wait(4, &[0, 1, 2]),
            ireceive(3, 0, 8, 0),
            wait(4, &[0]),
        ],
    ];
    check(whole, by_hand);
}

#[test]
fn both_ways_at_once() {
    let rank = |partner| vec![send_receive(1, partner, partner, 200)];
    let by_hand = |partner| {
        [
            vec![ireceive(1, partner, 100, 0), ireceive(1, partner, 100, 1)],
            repeat(2, vec![send(2, partner, 100)]),
            vec![wait(3, &[0, 1])],
        ]
        .concat()
    };
    check(vec![rank(1), rank(0)], vec![by_hand(1), by_hand(0)]);
}

#[test]
fn collectives_stay_whole() {
    let broadcast = || vec![collective(1, CollectiveKind::Broadcast, 0, Some(0), 64)];
    let whole = program(vec![broadcast(), broadcast(), broadcast()], &[]);
    assert_eq!(ends(&whole, &in_pieces(100)), ends(&whole, &loggps()));
}

#[test]
fn failed_split_is_reported() {
    let refused = |streams, bytes| {
        try_estimate(&program(streams, &[]), &in_pieces(bytes), &means())
            .unwrap_err()
            .to_string()
    };
    let long = vec![
        vec![isend(1, 1, 1_001, 0), wait(2, &[0])],
        vec![receive(3, 0, 1_001)],
    ];
    let error = refused(long, 1);
    assert!(
        error.contains("1001 bytes would be sent in more than 1000 pieces of 1 bytes"),
        "{error}"
    );
    let larger_buffer = vec![vec![send(1, 1, 150)], vec![receive(3, 0, 300)]];
    let error = refused(larger_buffer, 100);
    assert!(error.contains("t.f:3"), "{error}");
}
