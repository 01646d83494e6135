//! Communicators, operands, requests, `MPI_Init` and `MPI_Finalize`.

use crate::builder::*;
use base_data::ids::*;
use base_data::program_data::*;
use base_data::{RankSet, Time};

#[test]
fn partners_are_ranks_of_the_communicator() {
    // Communicator 2 is world ranks 2, 0: its rank 0 is world rank 2.
    let streams = vec![
        vec![receive_on(1, 2, 0, 0)],
        vec![],
        vec![work(1), send_on(2, 2, 1, 0)],
    ];
    assert_eq!(
        ends(&program(streams, &[&[2, 0]]), &mpiete()),
        [1100, 0, 1000]
    );
}

#[test]
fn communicators_do_not_mix() {
    // The same partner and tag on two communicators, received in the other order.
    let sender = vec![send_on(1, 0, 1, 0), work(1), send_on(2, 2, 1, 0)];
    let receiver = vec![receive_on(3, 2, 0, 0), receive_on(4, 0, 0, 0)];
    assert_eq!(
        ends(&program(vec![sender, receiver], &[&[0, 1]]), &mpiete()),
        [1000, 1200]
    );
}

#[test]
fn collectives_of_a_part() {
    let part = |line| collective(line, CollectiveKind::Barrier, 2, None, 0);
    let streams = vec![vec![work(2), part(1)], vec![work(9)], vec![part(1)]];
    assert_eq!(
        ends(&program(streams, &[&[0, 2]]), &mpiete()),
        [2100, 9000, 2100]
    );
}

#[test]
fn messages_to_proc_null_take_no_time() {
    let transfer = Transfer {
        peer: Peer::Null,
        tag: Tag::Any,
        count: Operand::Constant(8),
        datatype: 0,
        communicator: Operand::Constant(0),
    };
    let receive = |request| Call::Receive {
        transfer,
        request,
        observed: None,
    };
    let tag = Tag::Value(Operand::Constant(0));
    let send = Call::Send {
        mode: SendMode::Standard,
        transfer: Transfer { tag, ..transfer },
        request: None,
    };
    let stream = vec![
        call(1, send),
        call(2, receive(None)),
        call(3, receive(Some(RequestId(0)))),
        work(1),
        wait(4, &[0]),
    ];
    assert_eq!(ends(&program(vec![stream], &[]), &loggps()), [1000]);
}

#[test]
fn wildcards_keep_recorded_sources() {
    let any = Transfer {
        peer: Peer::Any,
        tag: Tag::Any,
        count: Operand::Constant(8),
        datatype: 0,
        communicator: Operand::Constant(0),
    };
    let found = |source| ObservedMatch { source, tag: 0 };
    let blocking = |source| {
        call(
            1,
            Call::Receive {
                transfer: any,
                request: None,
                observed: Some(found(source)),
            },
        )
    };
    let senders = [vec![work(5), send(2, 0, 0)], vec![work(3), send(2, 0, 0)]];
    let streams = |first: Vec<Op>| [vec![first], senders.to_vec()].concat();
    let expect =
        |receiver, end| assert_eq!(ends(&program(streams(receiver), &[]), &mpiete())[0], end);
    expect(vec![blocking(2), blocking(1)], 5100);
    expect(vec![blocking(1), blocking(2)], 5200);
    // A started receive learns from the wait what it got.
    let started = |request| {
        call(
            1,
            Call::Receive {
                transfer: any,
                request: Some(RequestId(request)),
                observed: None,
            },
        )
    };
    let wait = Call::Wait {
        completion: Completion::All,
        requests: vec![RequestId(0), RequestId(1)],
        completed: vec![],
        observed: vec![found(2), found(1)],
    };
    expect(vec![started(0), started(1), call(3, wait)], 5100);
}

#[test]
fn operands_by_formula_table_and_offset() {
    // One class: every rank sends to the next in the ring; lengths by table.
    let next = Formula(vec![
        FormulaStep::Rank,
        FormulaStep::Number(1),
        FormulaStep::Add,
        FormulaStep::Ranks,
        FormulaStep::Modulo,
    ]);
    let previous = Formula(vec![
        FormulaStep::Rank,
        FormulaStep::Number(1),
        FormulaStep::Subtract,
        FormulaStep::Ranks,
        FormulaStep::Modulo,
    ]);
    let transfer = |peer, table| Transfer {
        peer: Peer::Rank(Operand::Formula(FormulaId(peer))),
        tag: Tag::Value(Operand::Constant(3)),
        count: Operand::Table(TableId(table)),
        datatype: 0,
        communicator: Operand::Constant(0),
    };
    let stream = vec![
        Op::Block {
            block: BlockId(0),
            variant: Operand::RankPlus(1),
        },
        call(
            1,
            Call::SendReceive {
                send: transfer(0, 0),
                receive: transfer(1, 1),
                observed: None,
            },
        ),
    ];
    let mut data = with_classes(
        vec![RankClass {
            ranks: RankSet::all(3),
            stream,
        }],
        &[],
    );
    data.formulas = vec![next, previous];
    data.tables = vec![vec![10, 20, 30], vec![30, 10, 20]];
    // Rank r works r + 1 µs; the message of rank 2 (30 bytes) reaches rank 0 last.
    assert_eq!(ends(&data, &mpiete()), [3130, 2110, 3120]);
}

#[test]
fn time_begins_with_init_and_ends_with_finalize() {
    let stream = vec![
        work(7),
        call(1, Call::Init),
        work(2),
        call(2, Call::Finalize),
        work(9),
    ];
    let found = estimate(&program(vec![stream], &[]), &mpiete());
    assert_eq!((nanoseconds(found.headline), found.cells.len()), (2000, 1));
}

#[test]
fn making_a_communicator_is_an_agreement() {
    let made = |line| {
        call(
            line,
            Call::MakeCommunicator {
                parent: Operand::Constant(0),
                made: Operand::Constant(2),
            },
        )
    };
    let streams = vec![vec![made(1)], vec![work(1), made(1)]];
    assert_eq!(ends(&program(streams, &[&[0, 1]]), &mpiete()), [1108, 1108]);
}

#[test]
fn first_executions_are_apart() {
    let mut data = compute();
    let first = base_data::distribution::Distribution::of(vec![50_000_000]);
    data.entries[1].first = first;
    let program = program(vec![repeat(3, vec![work(1)])], &[]);
    let inputs = estimator::Inputs {
        program: &program,
        compute: &[data],
    };
    let found = estimator::estimate(&inputs, &mpiete(), &means()).unwrap();
    assert_eq!(found.headline, Time::from_nanoseconds(52_000));
}

#[test]
fn slower_nodes_compute_slower() {
    let text = machine::platforms::bundled("mpiete-2004").unwrap();
    let pus = "pu = [{ first_node = 0, nodes = 1 }, { first_node = 1, nodes = 127, speed = 0.5 }]";
    let file =
        base_data::platform_file::PlatformFile::parse(&text.replace("pu = \"as measured\"", pus))
            .unwrap();
    let platform = machine::Platform::new(file, &|_| Err(String::new())).unwrap();
    let data = program(vec![vec![work(3)], vec![work(3)]], &[]);
    let found = estimate(&data, &platform);
    assert_eq!(
        found
            .per_rank
            .iter()
            .map(|rank| nanoseconds(rank.end))
            .collect::<Vec<_>>(),
        [3000, 6000]
    );
    assert!(
        found
            .warnings
            .iter()
            .any(|warning| warning.contains("a guess, not a measurement")),
        "{:?}",
        found.warnings
    );
}
