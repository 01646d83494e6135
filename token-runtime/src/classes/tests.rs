//! Results of merging; merging is lossless.

use super::*;
use base_data::ids::{BlockId, CallSiteId, CommId, RequestId};
use base_data::mpi::{BasicDatatype, Datatype};
use base_data::program_data::{
    CollectiveKind, Communicator, Completion, Count, Counts, Mark, Operand, SendMode, Tag,
    Transfer, Variant,
};
use base_data::rank_recording::UnmarkedSite;
use proptest::prelude::*;

fn finalized(stream: Vec<Op>) -> RankRecording {
    let world = Communicator {
        parent: None,
        sequence: 0,
        group: RankSet::all(4),
    };
    let solo = Communicator {
        parent: None,
        sequence: 0,
        group: RankSet::default(),
    };
    RankRecording {
        finalized: true,
        stream,
        unmarked: vec![UnmarkedSite {
            function: "MPI_Send".into(),
            ..UnmarkedSite::default()
        }],
        variants: (0..3)
            .map(|i| Variant {
                block: BlockId(0),
                terms: vec![i],
            })
            .collect(),
        datatypes: vec![
            Datatype::basic(BasicDatatype::Real(8)),
            Datatype::basic(BasicDatatype::Integer(4)),
        ],
        communicators: vec![world, solo],
        ..Default::default()
    }
}

fn send(peer: i64, count: i64) -> Op {
    let transfer = Transfer {
        peer: Peer::Rank(Operand::Constant(peer)),
        tag: Tag::Value(Operand::Constant(7)),
        count: Operand::Constant(count),
        datatype: 0,
        communicator: Operand::Constant(0),
    };
    let site = CallSiteId(RankRecording::UNMARKED);
    Op::Call {
        site,
        call: Call::Send {
            mode: SendMode::Standard,
            transfer,
            request: None,
        },
    }
}

fn merge(recordings: Vec<RankRecording>) -> Result<ProgramData, MergeError> {
    let provenance = Provenance {
        program: "a.out".into(),
        ..Default::default()
    };
    merge_program(
        recordings,
        BlockTable::default(),
        provenance,
        RecordMethod::Sliced,
    )
}

/// The operands of a lone send whose peers are these, by rank.
fn check_peers(peers: [i64; 4], expect: Operand) {
    let data = merge(
        peers
            .iter()
            .map(|&peer| finalized(vec![send(peer, 5)]))
            .collect(),
    )
    .unwrap();
    assert_eq!(data.classes.len(), 1);
    let Op::Call {
        site,
        call: Call::Send { transfer, .. },
    } = &data.classes[0].stream[0]
    else {
        panic!()
    };
    assert_eq!(
        (transfer.peer, transfer.count),
        (Peer::Rank(expect), Operand::Constant(5))
    );
    assert_eq!(data.table.site_place(*site), "a.out");
}

/// Ranks that scatter other counts are of one class; equal lists are kept once.
#[test]
fn counts_per_rank_become_a_table() {
    let of_rank = |lists: Vec<Vec<u64>>| {
        let gather = |list: u32| Op::Call {
            site: CallSiteId(RankRecording::UNMARKED),
            call: Call::Collective {
                kind: CollectiveKind::Allgather,
                communicator: Operand::Constant(0),
                root: None,
                counts: Counts::Same(Operand::Constant(1)),
                receive_counts: Some(Counts::PerRank(list)),
                datatype: 0,
                reduce_op: None,
                request: None,
            },
        };
        let stream = (0..lists.len() as u32).map(gather).collect();
        RankRecording {
            count_lists: lists,
            ..finalized(stream)
        }
    };
    let (a, b) = (vec![1, 2], vec![3, 4]);
    let data = merge(vec![
        of_rank(vec![a.clone(), b.clone()]),
        of_rank(vec![a.clone(), a.clone()]),
    ])
    .unwrap();
    assert_eq!(data.classes.len(), 1);
    assert_eq!(data.count_tables, [vec![a.clone(), a.clone()], vec![b, a]]);
    let lists: Vec<Option<Counts>> = data.classes[0]
        .stream
        .iter()
        .map(|op| match op {
            Op::Call {
                call: Call::Collective { receive_counts, .. },
                ..
            } => *receive_counts,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(lists, [Some(Counts::PerRank(0)), Some(Counts::PerRank(1))]);
    let wrong = RankRecording {
        count_lists: Vec::new(),
        ..of_rank(vec![vec![1]])
    };
    assert!(matches!(
        merge(vec![wrong]),
        Err(MergeError::Damaged { .. })
    ));
}

#[test]
fn operands_become_expressions_of_the_rank() {
    check_peers([2, 2, 2, 2], Operand::Constant(2));
    check_peers([1, 2, 3, 4], Operand::RankPlus(1));
    check_peers([1, 0, 3, 2], Operand::RankXor(1));
    check_peers([3, 0, 1, 2], Operand::Table(base_data::TableId(0)));
}

#[test]
fn different_stream_shapes_form_different_classes() {
    let wait = |request| Op::Call {
        site: CallSiteId(0),
        call: Call::Wait {
            completion: Completion::All,
            requests: vec![RequestId(request)],
            completed: vec![],
            observed: vec![],
        },
    };
    let data = merge([0, 1, 0].map(|r| finalized(vec![wait(r)])).into()).unwrap();
    let ranks: Vec<String> = data
        .classes
        .iter()
        .map(|class| class.ranks.to_string())
        .collect();
    assert_eq!(ranks, ["0,2", "1"]);
}

#[test]
fn communicators_are_distinguished_by_constructor_call() {
    let made = |group: [u32; 2]| {
        let group = RankSet::from_ranks(group.map(Rank));
        let mut recording = finalized(vec![Op::Call {
            site: CallSiteId(0),
            call: Call::MakeCommunicator {
                parent: Operand::Constant(0),
                made: Operand::Constant(2),
            },
        }]);
        recording.communicators.push(Communicator {
            parent: Some(CommId::WORLD),
            sequence: 0,
            group,
        });
        recording
    };
    let data = merge(vec![made([0, 1]), made([0, 1]), made([2, 3]), made([2, 3])]).unwrap();
    assert_eq!((data.communicators.len(), data.classes.len()), (4, 1));
    let Op::Call {
        call: Call::MakeCommunicator { made, .. },
        ..
    } = &data.classes[0].stream[0]
    else {
        panic!()
    };
    assert_eq!(
        (data.value(*made, Rank(1), 1), data.value(*made, Rank(3), 3)),
        (Some(2), Some(3))
    );
}

fn looped(count: u64, mark: Mark) -> Vec<Op> {
    vec![
        Op::Loop {
            count: Count::Constant(count),
            body: 1,
        },
        Op::Mark(mark),
    ]
}

#[test]
fn section_must_run_once_on_every_rank() {
    let (begin, end) = (Op::Mark(Mark::SectionBegin), Op::Mark(Mark::SectionEnd));
    let once = || finalized(vec![begin.clone(), end.clone()]);
    assert!(merge(vec![once(), once()]).is_ok());
    let error = merge(vec![once(), finalized(vec![])]).unwrap_err();
    assert_eq!(
        error,
        MergeError::SectionNotOnce {
            rank: 1,
            begins: 0,
            ends: 0
        }
    );
    let twice = [looped(2, Mark::SectionBegin), vec![end.clone()]].concat();
    let error = merge(vec![finalized(twice)]).unwrap_err();
    assert_eq!(
        error,
        MergeError::SectionNotOnce {
            rank: 0,
            begins: 2,
            ends: 1
        }
    );
    let error = merge(vec![finalized(vec![end, begin])]).unwrap_err();
    assert_eq!(error, MergeError::SectionReversed { rank: 0 });
}

#[test]
fn unfinished_recording_is_rejected() {
    let error = merge(vec![finalized(vec![]), RankRecording::default()]).unwrap_err();
    assert_eq!(error, MergeError::NotFinalized(1));
    let error = merge(vec![finalized(vec![Op::Block {
        block: BlockId(0),
        variant: Operand::Constant(9),
    }])]);
    assert!(matches!(error, Err(MergeError::Damaged { rank: 0, .. })));
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        (0i64..4, 0i64..3).prop_map(|(peer, count)| send(peer, count)),
        (0i64..3).prop_map(|v| Op::Block {
            block: BlockId(0),
            variant: Operand::Constant(v)
        }),
        Just(Op::Mark(Mark::Clock {
            site: CallSiteId(1),
            path: None
        })),
    ]
}

/// A rank's stream, evaluated from the merged data, in terms of meanings instead of indices.
fn evaluated(data: &ProgramData, rank: u32) -> Vec<Op> {
    let (class, position) = data.class_of(Rank(rank)).unwrap();
    let mut stream = data.classes[class].stream.clone();
    for op in &mut stream {
        operands::each(op, &mut |operand, meaning| {
            let value = data.value(*operand, Rank(rank), position).unwrap();
            *operand = Operand::Constant(match meaning {
                operands::Meaning::Variant => data.variants[value as usize].terms[0],
                operands::Meaning::Communicator | operands::Meaning::Number => value,
            });
        });
    }
    stream
}

proptest! {
    #[test]
    fn streams_round_trip_for_every_rank(
        streams in prop::collection::vec(prop::collection::vec(op(), 0..4), 1..8),
    ) {
        let data = merge(streams.iter().cloned().map(finalized).collect()).unwrap();
        for (rank, stream) in (0..).zip(&streams) {
            let mut expected = stream.clone();
            for op in &mut expected {
                if let Op::Call { site, .. } = op {
                    *site = CallSiteId(0);
                }
            }
            prop_assert_eq!(evaluated(&data, rank), expected);
        }
    }
}
