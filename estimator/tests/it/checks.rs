//! What the matching pass finds, and what is refused.

use crate::builder::*;
use base_data::ids::RequestId;
use base_data::program_data::CollectiveKind::*;
use base_data::program_data::*;
use estimator::{Severity, check_matching};

/// The only finding contains all of `expected`.
fn check(streams: Vec<Vec<Op>>, severity: Severity, expected: &[&str]) {
    let findings = check_matching(&program(streams, &[]));
    let texts: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert_eq!(findings.len(), 1, "{texts:?}");
    assert_eq!(findings[0].severity, severity);
    for part in expected {
        assert!(texts[0].contains(part), "'{part}' in '{}'", texts[0]);
    }
}

#[test]
fn good_programs_have_no_findings() {
    let rank = |r: u32| vec![send_receive(1, (r + 1) % 3, (r + 2) % 3, 8), barrier(2)];
    assert_eq!(
        check_matching(&program((0..3).map(rank).collect(), &[])),
        []
    );
    // Fewer bytes than the receive takes are as they should be.
    assert_eq!(
        check_matching(&program(
            vec![vec![send(1, 1, 8)], vec![receive(2, 0, 100)]],
            &[]
        )),
        []
    );
}

#[test]
fn truncated_messages() {
    let streams = vec![
        repeat(2, vec![send(1, 1, 9)]),
        repeat(2, vec![receive(2, 0, 8)]),
    ];
    let expected =
        ["t.f:2: rank 1 receives at most 8 bytes, but rank 0 sends 9 bytes at t.f:1 (2 times)"];
    check(streams, Severity::Error, &expected);
}

#[test]
fn receives_without_send() {
    let expected =
        ["t.f:2: rank 1 waits for ever for a message with tag 0 from rank 0; rank 0 has ended"];
    check(
        vec![vec![], vec![receive(2, 0, 8)]],
        Severity::Error,
        &expected,
    );
}

#[test]
fn equal_findings_are_merged() {
    let streams = (0..40)
        .map(|rank| {
            if rank == 0 {
                vec![]
            } else {
                vec![receive(1, 0, 8)]
            }
        })
        .collect();
    let expected = [
        "t.f:1: rank 1 waits",
        "rank 0 has ended",
        "(38 more ranks wait likewise)",
    ];
    check(streams, Severity::Error, &expected);
}

#[test]
fn unreceived_messages() {
    let expected = ["t.f:1: rank 0 sends a message that rank 1 never receives (3 times)"];
    check(
        vec![repeat(3, vec![send(1, 1, 8)]), vec![]],
        Severity::Warning,
        &expected,
    );
    let expected = ["t.f:1: rank 0 starts to receive a message that rank 1 never sends"];
    check(
        vec![vec![ireceive(1, 1, 8, 0)], vec![]],
        Severity::Warning,
        &expected,
    );
}

#[test]
fn collectives_that_differ() {
    let bcast = |line, root, doubles| vec![collective(line, Broadcast, 0, Some(root), doubles)];
    let rule = "all ranks of a communicator must call the same collective";
    check(
        vec![bcast(1, 0, 1), bcast(2, 1, 1)],
        Severity::Error,
        &[
            "t.f:1: rank 0 calls broadcast of 8 bytes with root 0 where rank 1 calls broadcast of 8 bytes with root 1 at t.f:2",
            rule,
        ],
    );
    check(
        vec![bcast(1, 0, 1), bcast(2, 0, 2)],
        Severity::Error,
        &["8 bytes with root 0", "16 bytes with root 0"],
    );
    check(
        vec![bcast(1, 0, 1), vec![barrier(2)]],
        Severity::Error,
        &["calls barrier of 0 bytes at t.f:2"],
    );
    check(
        vec![vec![barrier(1)], vec![]],
        Severity::Error,
        &["t.f:1: rank 0 waits for ever for rank 1 in a collective"],
    );
}

#[test]
fn findings_stop_the_estimate() {
    let data = program(vec![vec![], vec![receive(2, 0, 8)]], &[]);
    let error = try_estimate(&data, &mpiete(), &means())
        .unwrap_err()
        .to_string();
    assert!(error.contains("waits for ever"), "{error}");
    let data = program(vec![vec![send(1, 1, 8)], vec![]], &[]);
    let warnings = estimate(&data, &mpiete()).warnings;
    assert!(warnings[0].contains("never receives"), "{warnings:?}");
}

#[test]
fn sends_that_must_wait_can_deadlock() {
    let rank = |other| vec![send(1, other, 300), receive(2, other, 300)];
    let data = program(vec![rank(1), rank(0)], &[]);
    assert_eq!(check_matching(&data), []);
    assert_eq!(ends(&data, &mpiete()), [400, 400]);
    let error = try_estimate(&data, &loggps(), &means())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("t.f:1: rank 0 waits for ever for rank 1 to receive"),
        "{error}"
    );
    assert!(
        error.contains("relies on sends that do not wait"),
        "{error}"
    );
}

#[test]
fn unsupported_programs_are_rejected() {
    let any = Transfer {
        peer: Peer::Any,
        tag: Tag::Any,
        count: Operand::Constant(8),
        datatype: 0,
        communicator: Operand::Constant(0),
    };
    let to = |rank, count, communicator| Transfer {
        peer: Peer::Rank(Operand::Constant(rank)),
        tag: Tag::Value(Operand::Constant(0)),
        count: Operand::Constant(count),
        datatype: 0,
        communicator: Operand::Constant(communicator),
    };
    let send = |mode, transfer| Call::Send {
        mode,
        transfer,
        request: None,
    };
    let standard = |transfer| send(SendMode::Standard, transfer);
    let wait_any = Call::Wait {
        completion: Completion::Any,
        requests: vec![RequestId(0)],
        completed: vec![],
        observed: vec![],
    };
    let start = Call::StartPersistent {
        requests: vec![RequestId(0)],
    };
    let cases = [
        (Call::Abort, "t.f:7: rank 0 aborted here"),
        (
            Call::Receive {
                transfer: any,
                request: None,
                observed: None,
            },
            "t.f:7: rank 0 receives from MPI_ANY_SOURCE",
        ),
        (
            Call::Receive {
                transfer: any,
                request: Some(RequestId(0)),
                observed: None,
            },
            "but no rank sends to it",
        ),
        (
            send(SendMode::Synchronous, to(0, 8, 0)),
            "t.f:7: rank 0 waits for ever for rank 0 to receive",
        ),
        (
            wait_any,
            "t.f:7: waits for any or some of several requests and the recording does not \
            contain which completed",
        ),
        (
            Call::Probe {
                transfer: any,
                blocking: true,
                observed: None,
            },
            "but no rank sends to it",
        ),
        (
            start,
            "t.f:7: rank 0 starts request 0, which is not persistent",
        ),
        (
            standard(to(1, 8, 0)),
            "names partner 1 in a communicator of 1 ranks; expected 0 to 0",
        ),
        (standard(to(0, -1, 0)), "transfers -1 elements"),
        (standard(to(0, 8, 9)), "names communicator 9"),
    ];
    for (refused, expected) in cases {
        let data = program(vec![vec![call(7, refused)]], &[]);
        let error = try_estimate(&data, &mpiete(), &means())
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
        assert!(check_matching(&data)[0].to_string().contains(expected));
    }
}

#[test]
fn broken_data_are_refused() {
    let refused = |data: &ProgramData, expected: &str| {
        let error = try_estimate(data, &mpiete(), &means())
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    };
    let good = program(vec![vec![work(1)]], &[]);
    refused(
        &program(vec![vec![work(99)]], &[]),
        "program data: block 99 is not in the block table",
    );
    refused(
        &program(vec![vec![barrier(99)]], &[]),
        "call site 98 is not in the block table",
    );
    refused(
        &program(vec![vec![]], &[&[0, 7]]),
        "communicator 2 has ranks 0,7 of 1 ranks",
    );
    refused(
        &ProgramData {
            ranks: 2,
            ..good.clone()
        },
        "rank 1 is in no rank class",
    );
    refused(
        &ProgramData {
            variants: vec![],
            ..good
        },
        "t.f:102: rank 0 has no variant of this block",
    );
}

#[test]
fn platforms_that_do_not_fit() {
    let data = program(vec![vec![barrier(1)]; 65], &[]);
    let error = try_estimate(&data, &mpiete(), &means())
        .unwrap_err()
        .to_string();
    assert!(error.contains("room for 64 ranks"), "{error}");
    let data = program(vec![vec![barrier(1)]; 2], &[]);
    let options = estimator::Options {
        model: Some("loggps".into()),
        ..means()
    };
    let error = try_estimate(&data, &mpiete(), &options)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("no parameters of model 'loggps'") && error.contains("found: mpiete"),
        "{error}"
    );
    let options = estimator::Options {
        model: Some("magic".into()),
        ..means()
    };
    let error = try_estimate(&data, &mpiete(), &options)
        .unwrap_err()
        .to_string();
    assert!(error.contains("'magic' is unknown"), "{error}");
}
