//! Random programs with requests of all kinds: loops written as loops or out make no difference.

use crate::builder::*;
use base_data::ids::RequestId;
use base_data::program_data::*;
use proptest::prelude::*;

/// A piece of a program as all ranks see it, in one order on all.
#[derive(Clone, Debug)]
enum RequestPattern {
    Work {
        rank: u32,
        block: u32,
    },
    Message {
        from: u32,
        to: u32,
        bytes: i64,
        mode: SendMode,
        probed: bool,
    },
    /// A persistent request on both sides, started so often; the receive may have a wildcard.
    Persistent {
        from: u32,
        to: u32,
        bytes: i64,
        times: u64,
        any: bool,
    },
    /// A receive that each iteration completes for the one before it.
    Rotating {
        from: u32,
        to: u32,
        bytes: i64,
        times: u64,
        last: i64,
    },
    Started {
        kind: CollectiveKind,
        doubles: i64,
        worker: u32,
    },
    Repeat {
        count: u64,
        body: Vec<RequestPattern>,
    },
}

fn pair(ranks: u32) -> impl Strategy<Value = (u32, u32)> {
    (0..ranks, 1..ranks).prop_map(move |(from, by)| (from, (from + by) % ranks))
}

fn piece(ranks: u32) -> impl Strategy<Value = RequestPattern> {
    let modes = prop_oneof![
        Just(SendMode::Standard),
        Just(SendMode::Synchronous),
        Just(SendMode::Ready),
        Just(SendMode::Buffered)
    ];
    let kinds = prop_oneof![
        Just(CollectiveKind::Barrier),
        Just(CollectiveKind::Allreduce),
        Just(CollectiveKind::Allgather),
        Just(CollectiveKind::Alltoall),
        Just(CollectiveKind::Scan)
    ];
    let bytes = || 0i64..400;
    let leaf = prop_oneof![
        (0..ranks, 0..BLOCKS).prop_map(|(rank, block)| RequestPattern::Work { rank, block }),
        (pair(ranks), bytes(), modes, any::<bool>()).prop_map(
            |((from, to), bytes, mode, probed)| RequestPattern::Message {
                from,
                to,
                bytes,
                mode,
                probed
            }
        ),
        (pair(ranks), bytes(), 1u64..5, any::<bool>()).prop_map(
            |((from, to), bytes, times, any)| RequestPattern::Persistent {
                from,
                to,
                bytes,
                times,
                any
            }
        ),
        (pair(ranks), bytes(), 1u64..5, 0i64..2).prop_map(|((from, to), bytes, times, last)| {
            RequestPattern::Rotating {
                from,
                to,
                bytes,
                times,
                last,
            }
        }),
        (kinds, 0i64..40, 0..ranks).prop_map(|(kind, doubles, worker)| RequestPattern::Started {
            kind,
            doubles,
            worker
        }),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        (0u64..4, prop::collection::vec(inner, 1..4))
            .prop_map(|(count, body)| RequestPattern::Repeat { count, body })
    })
}

fn pieces() -> impl Strategy<Value = (u32, Vec<RequestPattern>)> {
    (2u32..6).prop_flat_map(|ranks| (Just(ranks), prop::collection::vec(piece(ranks), 1..8)))
}

/// One rank's view of a program, with loops as loops or written out.
struct View {
    rank: u32,
    expanded: bool,
}

impl View {
    fn stream(&self, pieces: &[RequestPattern]) -> Vec<Op> {
        pieces.iter().flat_map(|piece| self.ops(piece)).collect()
    }

    fn times(&self, count: u64, body: Vec<Op>) -> Vec<Op> {
        match (self.expanded, body.is_empty()) {
            (_, true) => vec![],
            (true, false) => (0..count).flat_map(|_| body.clone()).collect(),
            (false, false) => repeat(count, body),
        }
    }

    fn ops(&self, piece: &RequestPattern) -> Vec<Op> {
        match *piece {
            RequestPattern::Work { rank, block } if rank == self.rank => vec![work(block)],
            RequestPattern::Work { .. } => vec![],
            RequestPattern::Message {
                from,
                to,
                bytes,
                mode,
                probed,
            } => self.message((from, to), bytes, mode, probed),
            RequestPattern::Persistent {
                from,
                to,
                bytes,
                times,
                any,
            } => {
                if self.rank == from {
                    let made =
                        persistent(Some(SendMode::Standard), Peer::Rank(constant(to)), bytes);
                    [
                        vec![made],
                        self.times(times, vec![start(), work(2), wait(9, &[0])]),
                    ]
                    .concat()
                } else if self.rank == to {
                    let peer = if any {
                        Peer::Any
                    } else {
                        Peer::Rank(constant(from))
                    };
                    let found = if any { vec![found(from, 0)] } else { vec![] };
                    let body = vec![start(), work(3), waited(&[0], found)];
                    [vec![persistent(None, peer, bytes)], self.times(times, body)].concat()
                } else {
                    vec![]
                }
            }
            RequestPattern::Rotating {
                from,
                to,
                bytes,
                times,
                last,
            } => {
                if self.rank == from {
                    let (usual, other) = (tagged(to, bytes, 0), tagged(to, bytes, last));
                    [self.times(times, vec![usual, work(1)]), vec![other]].concat()
                } else if self.rank == to {
                    let body = vec![
                        waited(&[4], vec![found(from, 0)]),
                        work(1),
                        started_any(bytes),
                    ];
                    let end = waited(&[4], vec![found(from, last)]);
                    [vec![started_any(bytes)], self.times(times, body), vec![end]].concat()
                } else {
                    vec![]
                }
            }
            RequestPattern::Started {
                kind,
                doubles,
                worker,
            } => {
                let mut ops = vec![started(kind, doubles)];
                ops.extend((worker == self.rank).then(|| work(4)));
                ops.push(wait(9, &[2]));
                ops
            }
            RequestPattern::Repeat { count, ref body } => self.times(count, self.stream(body)),
        }
    }

    fn message(&self, (from, to): (u32, u32), bytes: i64, mode: SendMode, probed: bool) -> Vec<Op> {
        if self.rank == from {
            let transfer = of(Peer::Rank(constant(to)), Tag::Value(constant(0)), bytes);
            vec![call(
                1,
                Call::Send {
                    mode,
                    transfer,
                    request: None,
                },
            )]
        } else if self.rank == to {
            let transfer = of(Peer::Any, Tag::Any, 0);
            let probe = call(
                2,
                Call::Probe {
                    transfer,
                    blocking: true,
                    observed: Some(found(from, 0)),
                },
            );
            let probe = probed.then_some(probe);
            probe.into_iter().chain([receive(3, from, bytes)]).collect()
        } else {
            vec![]
        }
    }
}

fn constant(value: u32) -> Operand {
    Operand::Constant(value.into())
}

fn of(peer: Peer, tag: Tag, bytes: i64) -> Transfer {
    Transfer {
        peer,
        tag,
        count: Operand::Constant(bytes),
        datatype: 0,
        communicator: Operand::Constant(0),
    }
}

fn found(source: u32, tag: i64) -> ObservedMatch {
    ObservedMatch {
        source: source.into(),
        tag,
    }
}

fn persistent(send: Option<SendMode>, peer: Peer, bytes: i64) -> Op {
    let transfer = of(peer, Tag::Value(constant(0)), bytes);
    call(
        4,
        Call::MakePersistent {
            send,
            transfer,
            request: RequestId(0),
        },
    )
}

fn start() -> Op {
    call(
        5,
        Call::StartPersistent {
            requests: vec![RequestId(0)],
        },
    )
}

fn waited(requests: &[u32], observed: Vec<ObservedMatch>) -> Op {
    let requests: Vec<RequestId> = requests.iter().map(|&request| RequestId(request)).collect();
    let completed = requests.clone();
    call(
        6,
        Call::Wait {
            completion: Completion::Some,
            requests,
            completed,
            observed,
        },
    )
}

fn started_any(bytes: i64) -> Op {
    let transfer = of(Peer::Any, Tag::Any, bytes);
    call(
        7,
        Call::Receive {
            transfer,
            request: Some(RequestId(4)),
            observed: None,
        },
    )
}

fn tagged(to: u32, bytes: i64, tag: i64) -> Op {
    let transfer = of(
        Peer::Rank(constant(to)),
        Tag::Value(Operand::Constant(tag)),
        bytes,
    );
    call(
        8,
        Call::Send {
            mode: SendMode::Standard,
            transfer,
            request: None,
        },
    )
}

fn started(kind: CollectiveKind, doubles: i64) -> Op {
    let Op::Call {
        site,
        call:
            Call::Collective {
                kind,
                communicator,
                root,
                counts,
                receive_counts,
                datatype,
                reduce_op,
                ..
            },
    } = collective(9, kind, 0, None, doubles)
    else {
        unreachable!("what the builder makes")
    };
    let request = Some(RequestId(2));
    Op::Call {
        site,
        call: Call::Collective {
            kind,
            communicator,
            root,
            counts,
            receive_counts,
            datatype,
            reduce_op,
            request,
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, ..ProptestConfig::default() })]

    #[test]
    fn loops_written_out_change_nothing((ranks, pieces) in pieces()) {
        let of = |expanded| {
            program((0..ranks).map(|rank| View { rank, expanded }.stream(&pieces)).collect(), &[])
        };
        let (short, long) = (of(false), of(true));
        prop_assert_eq!(estimator::check_matching(&long), []);
        prop_assert_eq!(estimator::check_matching(&short), []);
        for platform in [mpiete(), loggps()] {
            let [short, long] = [&short, &long].map(|data| {
                estimate(data, &platform).per_rank.iter().map(|rank| rank.end).collect::<Vec<_>>()
            });
            prop_assert_eq!(short, long);
        }
    }
}
