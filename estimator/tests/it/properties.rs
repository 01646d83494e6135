//! Random programs whose calls match: how a stream is written down changes nothing, and every
//! picosecond is booked.

use crate::builder::*;
use base_data::estimate_file::Estimate;
use base_data::ids::{Rank, TableId};
use base_data::program_data::*;
use base_data::{RankSet, Time};
use estimator::Options;
use machine::Platform;
use proptest::prelude::*;

/// A piece of a program as all ranks see it, in one order on all: so it never deadlocks.
#[derive(Clone, Debug)]
pub enum StreamPattern {
    Work {
        rank: u32,
        block: u32,
    },
    Message {
        from: u32,
        to: u32,
        bytes: i64,
        started: bool,
    },
    Shift {
        by: u32,
        bytes: i64,
    },
    Collective {
        kind: CollectiveKind,
        root: u32,
        doubles: i64,
    },
    Repeat {
        count: u64,
        body: Vec<StreamPattern>,
    },
}

pub fn piece(ranks: u32) -> impl Strategy<Value = StreamPattern> {
    let kinds = prop_oneof![
        Just(CollectiveKind::Barrier),
        Just(CollectiveKind::Broadcast),
        Just(CollectiveKind::Reduce),
        Just(CollectiveKind::Allreduce),
        Just(CollectiveKind::Gather),
        Just(CollectiveKind::Scatter),
        Just(CollectiveKind::Allgather),
        Just(CollectiveKind::Alltoall),
        Just(CollectiveKind::ReduceScatter),
        Just(CollectiveKind::Scan),
        Just(CollectiveKind::ExclusiveScan),
    ];
    let leaf = prop_oneof![
        (0..ranks, 0..BLOCKS).prop_map(|(rank, block)| StreamPattern::Work { rank, block }),
        (0..ranks, 1..ranks, 0i64..400, any::<bool>()).prop_map(
            move |(from, by, bytes, started)| {
                StreamPattern::Message {
                    from,
                    to: (from + by) % ranks,
                    bytes,
                    started,
                }
            }
        ),
        (1..ranks, 0i64..400).prop_map(|(by, bytes)| StreamPattern::Shift { by, bytes }),
        (kinds, 0..ranks, 0i64..40).prop_map(|(kind, root, doubles)| StreamPattern::Collective {
            kind,
            root,
            doubles
        }),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        (0u64..4, prop::collection::vec(inner, 1..5))
            .prop_map(|(count, body)| StreamPattern::Repeat { count, body })
    })
}

pub fn pieces() -> impl Strategy<Value = (u32, Vec<StreamPattern>)> {
    (2u32..7).prop_flat_map(|ranks| (Just(ranks), prop::collection::vec(piece(ranks), 1..12)))
}

/// What `rank` does; loops written as loops or out.
pub fn stream(pieces: &[StreamPattern], rank: u32, ranks: u32, expanded: bool) -> Vec<Op> {
    pieces
        .iter()
        .flat_map(|piece| ops(piece, rank, ranks, expanded))
        .collect()
}

fn ops(piece: &StreamPattern, rank: u32, ranks: u32, expanded: bool) -> Vec<Op> {
    match piece {
        StreamPattern::Work {
            rank: worker,
            block,
        } if *worker == rank => vec![work(*block)],
        StreamPattern::Work { .. } => vec![],
        StreamPattern::Message {
            from,
            to,
            bytes,
            started,
        } => match (rank == *from, rank == *to, started) {
            (true, _, false) => vec![send(1, *to, *bytes)],
            (true, _, true) => vec![isend(2, *to, *bytes, 0), work(3), wait(3, &[0])],
            (_, true, false) => vec![receive(4, *from, *bytes)],
            (_, true, true) => vec![ireceive(5, *from, *bytes, 4), wait(6, &[4])],
            (false, false, _) => vec![],
        },
        StreamPattern::Shift { by, bytes } => {
            vec![send_receive(
                7,
                (rank + by) % ranks,
                (rank + ranks - by) % ranks,
                *bytes,
            )]
        }
        StreamPattern::Collective {
            kind,
            root,
            doubles,
        } => {
            use CollectiveKind::{Broadcast, Gather, Reduce, Scatter};
            let rooted = matches!(kind, Broadcast | Reduce | Gather | Scatter);
            vec![collective(
                8,
                *kind,
                0,
                rooted.then_some((*root).into()),
                *doubles,
            )]
        }
        StreamPattern::Repeat { count, body } => {
            let body = stream(body, rank, ranks, expanded);
            match (expanded, body.is_empty()) {
                (_, true) => vec![],
                (true, false) => (0..*count).flat_map(|_| body.clone()).collect(),
                (false, false) => repeat(*count, body),
            }
        }
    }
}

pub fn written(ranks: u32, pieces: &[StreamPattern], expanded: bool) -> ProgramData {
    program(
        (0..ranks)
            .map(|rank| stream(pieces, rank, ranks, expanded))
            .collect(),
        &[],
    )
}

pub fn drawn(data: &ProgramData, platform: &Platform) -> Estimate {
    let spread = |block: u32| {
        (0..20)
            .map(move |i| (i64::from(block) * 50_000) * (10 + i))
            .collect()
    };
    let compute = compute_of((0..BLOCKS).map(|block| (block, spread(block))).collect());
    let options = Options {
        draws: 12,
        timeline: true,
        ..Options::default()
    };
    let inputs = estimator::Inputs {
        program: data,
        compute: &[compute],
    };
    let estimate = estimator::estimate(&inputs, platform, &options).expect("an estimate");
    // The program it replayed is written down in different ways on purpose.
    Estimate {
        program: ProgramData::default(),
        ..estimate
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn loops_written_out_change_nothing((ranks, pieces) in pieces(), rendezvous: bool) {
        let platform = if rendezvous { loggps_shared() } else { mpiete() };
        let (short, long) = (written(ranks, &pieces, false), written(ranks, &pieces, true));
        prop_assert_eq!(drawn(&short, &platform), drawn(&long, &platform));
    }

    #[test]
    fn every_picosecond_is_booked((ranks, pieces) in pieces(), rendezvous: bool) {
        let platform = if rendezvous { loggps_shared() } else { mpiete() };
        let found = drawn(&written(ranks, &pieces, false), &platform);
        for (rank, line) in found.per_rank.iter().zip(&found.timeline.ranks) {
            prop_assert_eq!(rank.split.iter().copied().sum::<Time>(), rank.end - rank.begin);
            prop_assert_eq!(line.last().map_or(Time::ZERO, |segment| segment.end), rank.end);
        }
        prop_assert!(found.p10 <= found.headline && found.headline <= found.p90);
    }

    #[test]
    fn same_input_same_estimate((ranks, pieces) in pieces()) {
        let data = written(ranks, &pieces, false);
        prop_assert_eq!(drawn(&data, &loggps()), drawn(&data, &loggps()));
    }

    /// One class with tables against one class per rank with constants.
    #[test]
    fn classes_change_nothing(
        ranks in 2u32..9,
        steps in prop::collection::vec((1u32..9, 0i64..400, 0u32..BLOCKS), 1..8),
    ) {
        let own = |rank: u32| {
            let of_step = |&(by, bytes, block): &(u32, i64, u32)| {
                let by = by % (ranks - 1) + 1;
                let (to, from) = ((rank + by) % ranks, (rank + ranks - by) % ranks);
                let call = exchange((to, bytes + i64::from(rank)), (from, bytes + i64::from(from)));
                [work(block), call]
            };
            steps.iter().flat_map(of_step).collect::<Vec<Op>>()
        };
        let apart = program((0..ranks).map(own).collect(), &[]);
        prop_assert_eq!(drawn(&merged(&apart), &loggps()), drawn(&apart, &loggps()));
    }
}

/// `MPI_Sendrecv` to and from (rank, bytes).
fn exchange(to: (u32, i64), from: (u32, i64)) -> Op {
    let Op::Call {
        site,
        call:
            Call::SendReceive {
                mut send,
                mut receive,
                observed,
            },
    } = send_receive(7, to.0, from.0, 0)
    else {
        unreachable!("what the builder makes")
    };
    (send.count, receive.count) = (Operand::Constant(to.1), Operand::Constant(from.1));
    Op::Call {
        site,
        call: Call::SendReceive {
            send,
            receive,
            observed,
        },
    }
}

/// The operands of a call that differ between ranks: partners and lengths.
fn operands(op: &Op) -> Option<[Operand; 4]> {
    let Op::Call {
        call: Call::SendReceive { send, receive, .. },
        ..
    } = op
    else {
        return None;
    };
    match (send.peer, receive.peer) {
        (Peer::Rank(to), Peer::Rank(from)) => Some([to, from, send.count, receive.count]),
        _ => None,
    }
}

/// All ranks in one class, operands that differ put in tables.
fn merged(apart: &ProgramData) -> ProgramData {
    let mut tables: Vec<Vec<i64>> = Vec::new();
    let mut stream = apart.classes[0].stream.clone();
    for (index, op) in stream.iter_mut().enumerate() {
        let constant = |class: &RankClass, which: usize| match operands(&class.stream[index])
            .map(|all| all[which])
        {
            Some(Operand::Constant(value)) => value,
            other => panic!("{other:?}"),
        };
        if let Op::Call {
            call: Call::SendReceive { send, receive, .. },
            ..
        } = op
        {
            let [to, from, sent, received] = std::array::from_fn(|which| {
                tables.push(
                    apart
                        .classes
                        .iter()
                        .map(|class| constant(class, which))
                        .collect(),
                );
                Operand::Table(TableId::from_index(tables.len() - 1))
            });
            (send.peer, receive.peer) = (Peer::Rank(to), Peer::Rank(from));
            (send.count, receive.count) = (sent, received);
        }
    }
    let class = RankClass {
        ranks: RankSet::from_ranks((0..apart.ranks).map(Rank)),
        stream,
    };
    ProgramData {
        tables,
        ..with_classes(vec![class], &[])
    }
}
