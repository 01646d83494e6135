//! What a model does not know of networks and MPI libraries, said where it matters.

use crate::builder::*;
use base_data::program_data::ProgramData;

fn warnings(data: &ProgramData) -> Vec<String> {
    estimate(data, &mpiete()).warnings
}

fn find<'a>(warnings: &'a [String], word: &str) -> Option<&'a String> {
    warnings.iter().find(|warning| warning.contains(word))
}

#[test]
fn messages_sharing_a_node_cause_warning() {
    let ranks = 6;
    let receiver: Vec<_> = (1..ranks)
        .map(|from| ireceive(1, from, 10_000, from - 1))
        .collect();
    let all: Vec<u32> = (0..ranks - 1).collect();
    let receiver = [receiver, vec![wait(2, &all)]].concat();
    let senders = (1..ranks).map(|_| vec![send(3, 0, 10_000)]);
    let found = warnings(&program(
        std::iter::once(receiver).chain(senders).collect(),
        &[],
    ));
    let warning = find(&found, "no contention").unwrap();
    // Each of 5 has 10 us of bytes: in sequence, 40 us more.
    for expected in [
        "too short by 40.00 us",
        "5 messages arrive at node 0",
        "100 %",
        "model 'mpiete'",
    ] {
        assert!(warning.contains(expected), "{expected}: {warning}");
    }
}

#[test]
fn messages_that_never_overlap_cause_no_warning() {
    let one_by_one: Vec<_> = (1..4).map(|from| receive(1, from, 10_000)).collect();
    let senders = (1..4).map(|_| vec![send(3, 0, 10_000)]);
    let found = warnings(&program(
        std::iter::once(one_by_one).chain(senders).collect(),
        &[],
    ));
    assert_eq!(find(&found, "no contention"), None);
    // Short ones pass each other: it is their bytes that share a bandwidth.
    let pair = |other: u32| vec![send_receive(1, other, other, 0)];
    assert_eq!(
        find(
            &warnings(&program(vec![pair(1), pair(0)], &[])),
            "no contention"
        ),
        None
    );
}

#[test]
fn sends_that_need_buffers_are_warned_of() {
    let head_to_head =
        |other: u32, bytes: i64| vec![send(1, other, bytes), receive(2, other, bytes)];
    let of = |bytes| {
        warnings(&program(
            vec![head_to_head(1, bytes), head_to_head(0, bytes)],
            &[],
        ))
    };
    let found = of(100_000);
    let warning = find(&found, "may never end").unwrap();
    for expected in [
        "2 sends of 200000 bytes together",
        "65536 bytes",
        "a cycle of 2 ranks",
        "MPI_Sendrecv",
    ] {
        assert!(warning.contains(expected), "{expected}: {warning}");
    }
    assert_eq!(find(&of(65_536), "may never end"), None);
}

#[test]
fn sends_around_a_ring_and_started_sends_are_found_too() {
    let ring = |rank: u32| {
        vec![
            send(1, (rank + 1) % 4, 100_000),
            receive(2, (rank + 3) % 4, 100_000),
        ]
    };
    assert!(
        find(
            &warnings(&program((0..4).map(ring).collect(), &[])),
            "4 sends of 400000 bytes"
        )
        .is_some()
    );
    let started = |other: u32| {
        vec![
            isend(1, other, 100_000, 0),
            wait(2, &[0]),
            receive(3, other, 100_000),
        ]
    };
    assert!(
        find(
            &warnings(&program(vec![started(1), started(0)], &[])),
            "may never end"
        )
        .is_some()
    );
    let safe = |other: u32| {
        vec![
            isend(1, other, 100_000, 0),
            receive(3, other, 100_000),
            wait(2, &[0]),
        ]
    };
    assert_eq!(
        find(
            &warnings(&program(vec![safe(1), safe(0)], &[])),
            "may never end"
        ),
        None
    );
}

#[test]
fn models_with_a_limit_find_the_deadlock_themselves() {
    let head_to_head = |other: u32| vec![send(1, other, 100_000), receive(2, other, 100_000)];
    let data = program(vec![head_to_head(1), head_to_head(0)], &[]);
    let error = try_estimate(&data, &loggp_2(), &means())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("waits for ever") && error.contains("relies on sends"),
        "{error}"
    );
}
