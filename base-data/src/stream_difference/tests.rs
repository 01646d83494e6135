//! Recordings that are the same, and the first place where they are not.

use super::*;
use crate::block_table::{CallSiteKey, SourceFileInfo, SourceSpan};
use crate::ids::RequestId;
use crate::program_data::{CollectiveKind, Completion, Count, RankClass, SendMode};
use crate::rank_set::RankSet;
use std::collections::BTreeSet;

fn call(site: u32) -> Op {
    Op::Call {
        site: CallSiteId(site),
        call: Call::Init,
    }
}

fn data(stream: Vec<Op>) -> ProgramData {
    let class = RankClass {
        ranks: RankSet::all(1),
        stream,
    };
    ProgramData {
        ranks: 1,
        classes: vec![class],
        ..ProgramData::default()
    }
}

fn looped(count: u64, body: u32) -> Op {
    Op::Loop {
        count: Count::Constant(count),
        body,
    }
}

#[test]
fn compares_what_is_executed() {
    let rolled = data(vec![looped(3, 1), call(5)]);
    let unrolled = data(vec![call(5), call(5), call(5)]);
    assert_eq!(first_difference(&rolled, &unrolled), None);
    let longer = data(vec![looped(4, 1), call(5)]);
    let difference = first_difference(&rolled, &longer).unwrap();
    assert_eq!(
        (difference.index, difference.first, difference.second),
        (3, None, Some(call(5)))
    );
}

#[test]
fn compares_variants_by_their_terms() {
    let with = |terms: Vec<Vec<i64>>, index: i64| {
        let op = Op::Block {
            block: BlockId(0),
            variant: Operand::Constant(index),
        };
        let variants = terms
            .into_iter()
            .map(|terms| Variant {
                block: BlockId(0),
                terms,
            })
            .collect();
        let mut data = ProgramData {
            variants,
            ..data(vec![op])
        };
        data.table.blocks.push(block());
        data
    };
    let first = with(vec![vec![7], vec![8]], 1);
    assert_eq!(first_difference(&first, &with(vec![vec![8]], 0)), None);
    assert!(first_difference(&first, &with(vec![vec![9]], 0)).is_some());
}

fn block() -> crate::block_table::Block {
    crate::block_table::Block {
        key: crate::block_table::BlockKey {
            digest: crate::ids::Digest(1),
            procedure: "main".into(),
            ordinal: 0,
        },
        kind: crate::block_table::BlockKind::Compute,
        span: SourceSpan::default(),
        loop_path: Vec::new(),
        work_terms: Vec::new(),
        data_dependent: false,
    }
}

#[test]
fn blocks_count_only_where_both_sides_have_them() {
    let mut marked = data(vec![
        call(0),
        Op::Block {
            block: BlockId(0),
            variant: Operand::Constant(0),
        },
    ]);
    marked.table.blocks.push(block());
    marked.variants.push(Variant {
        block: BlockId(0),
        terms: Vec::new(),
    });
    assert_eq!(first_difference(&marked, &data(vec![call(0)])), None);
    let more = ProgramData {
        table: marked.table.clone(),
        variants: marked.variants.clone(),
        ..data({
            let stream = &marked.classes[0].stream;
            [stream.clone(), stream[1..].to_vec()].concat()
        })
    };
    assert_eq!(first_difference(&marked, &more).unwrap().index, 2);
}

#[test]
fn counts_per_rank_are_compared_by_value() {
    let with = |tables: Vec<Vec<Vec<u64>>>, table: u32| {
        let call = Call::Collective {
            kind: CollectiveKind::Allgather,
            communicator: Operand::Constant(0),
            root: None,
            counts: Counts::Same(Operand::Constant(1)),
            receive_counts: Some(Counts::PerRank(table)),
            datatype: 0,
            reduce_op: None,
            request: None,
        };
        ProgramData {
            count_tables: tables,
            ..data(vec![Op::Call {
                site: CallSiteId(0),
                call,
            }])
        }
    };
    let first = with(vec![vec![vec![1, 2]], vec![vec![3, 4]]], 1);
    assert_eq!(
        first_difference(&first, &with(vec![vec![vec![3, 4]]], 0)),
        None
    );
    assert_eq!(
        first_difference(&first, &with(vec![vec![vec![3, 5]], vec![]], 0))
            .unwrap()
            .index,
        0
    );
}

/// A recording whose calls stand at these lines, each its own site.
fn at(path: &str, lines: &[Option<(u32, u32)>]) -> ProgramData {
    let mut data = data((0..lines.len() as u32).map(call).collect());
    data.table.files.push(SourceFileInfo {
        path: path.into(),
        digest: crate::ids::Digest(0),
    });
    data.table.call_sites = (1u64..)
        .zip(lines)
        .map(|(offset, line)| site(offset, *line))
        .collect();
    data
}

fn site(offset: u64, lines: Option<(u32, u32)>) -> CallSite {
    let span = |(first_line, last_line)| SourceSpan {
        first_line,
        last_line,
        ..SourceSpan::default()
    };
    CallSite {
        key: CallSiteKey::Object {
            object: "a.out".into(),
            offset,
        },
        function: "MPI_Init".into(),
        procedure: String::new(),
        span: lines.map(span),
        loop_path: Vec::new(),
    }
}

#[test]
fn sites_are_compared_by_line_where_both_know_it() {
    let sources = at("src/a.f", &[Some((3, 4)), Some((9, 9))]);
    assert_eq!(
        first_difference(
            &sources,
            &at("/elsewhere/a.f", &[Some((3, 3)), Some((9, 9))])
        ),
        None
    );
    let swapped = first_difference(&sources, &at("a.f", &[Some((9, 9)), Some((3, 3))])).unwrap();
    assert_eq!(swapped.index, 0);
    let stripped = at("a.f", &[None, None]);
    assert_eq!(
        first_difference(&sources, &stripped),
        None,
        "one side knows no lines"
    );
    assert_eq!(first_difference(&stripped, &stripped.clone()), None);
}

#[test]
fn sites_of_one_binary_are_compared_by_offset() {
    let (binary, mut other) = (at("a.f", &[None, None]), at("a.f", &[None, None]));
    other.classes[0].stream = vec![call(1), call(0)];
    assert_eq!(first_difference(&binary, &other).unwrap().index, 0);
}

/// Requests in another order, in other groups, after asking in vain: the same where the order does not matter.
#[test]
fn order_independent_calls_are_compared_unordered() {
    let wait = |site: u32, completed: &[u32]| {
        let completed = completed.iter().map(|&n| RequestId(n)).collect();
        let (requests, observed) = (vec![RequestId(1), RequestId(2)], Vec::new());
        let completion = Completion::Some;
        Op::Call {
            site: CallSiteId(site),
            call: Call::Wait {
                completion,
                requests,
                completed,
                observed,
            },
        }
    };
    let test = |completed: Vec<RequestId>| {
        let requests = vec![RequestId(1)];
        Op::Call {
            site: CallSiteId(0),
            call: Call::Test {
                completion: Completion::Any,
                requests,
                completed,
            },
        }
    };
    let work = |variant: i64| Op::Block {
        block: BlockId(0),
        variant: Operand::Constant(variant),
    };
    let with = |ops: Vec<Op>| {
        let variants = vec![
            Variant {
                block: BlockId(0),
                terms: vec![1],
            },
            Variant {
                block: BlockId(0),
                terms: vec![2],
            },
        ];
        let mut data = ProgramData {
            variants,
            ..data(ops)
        };
        data.table.blocks.push(block());
        data
    };
    let one = with(vec![
        wait(0, &[1]),
        work(0),
        wait(0, &[2]),
        work(1),
        call(5),
        work(0),
    ]);
    let same = [
        with(vec![
            wait(0, &[2]),
            work(1),
            wait(0, &[1]),
            work(0),
            call(5),
            work(0),
        ]),
        with(vec![wait(0, &[2, 1]), work(1), work(0), call(5), work(0)]),
        with(vec![
            test(vec![]),
            wait(0, &[2]),
            test(vec![]),
            work(1),
            test(vec![RequestId(1)]),
            work(0),
            call(5),
            work(0),
        ]),
    ];
    let free = [CallSiteId(0)];
    for other in &same {
        assert_eq!(first_difference_but_for(&one, other, &free), None);
        assert!(first_difference(&one, other).is_some());
        assert!(first_difference_but_for(&one, other, &[CallSiteId(1)]).is_some());
    }
    let different = [
        with(vec![
            wait(0, &[2]),
            work(1),
            wait(0, &[1]),
            work(1),
            call(5),
            work(0),
        ]),
        with(vec![
            wait(0, &[2]),
            work(1),
            call(5),
            wait(0, &[1]),
            work(0),
            work(0),
        ]),
        with(vec![wait(0, &[2]), work(1), work(0), call(5), work(0)]),
        with(vec![
            wait(0, &[2]),
            work(1),
            wait(0, &[1]),
            work(0),
            call(5),
            work(1),
        ]),
        with(vec![
            wait(0, &[2]),
            work(1),
            wait(0, &[1]),
            work(0),
            call(5),
        ]),
    ];
    for other in &different {
        assert!(first_difference_but_for(&one, other, &free).is_some());
    }
}

/// Sends one element of a datatype.
fn sending(runs: &[(BasicDatatype, u64, i64)], extent: i64) -> ProgramData {
    let transfer = Transfer {
        peer: Peer::Null,
        tag: Tag::Value(Operand::Constant(0)),
        count: Operand::Constant(1),
        datatype: 0,
        communicator: Operand::Constant(0),
    };
    let call = Call::Send {
        mode: SendMode::Standard,
        request: None,
        transfer,
    };
    let datatypes = vec![Datatype {
        runs: runs.to_vec(),
        extent,
    }];
    ProgramData {
        datatypes,
        ..data(vec![Op::Call {
            site: CallSiteId(0),
            call,
        }])
    }
}

#[test]
fn opaque_datatypes_are_compared_by_size_and_extent() {
    use BasicDatatype::{Byte, Integer, Real};
    let column = sending(&[(Real(8), 1, 0), (Real(8), 1, 80)], 88);
    let same = |other: &ProgramData| {
        let (there, back) = (
            first_difference(&column, other),
            first_difference(other, &column),
        );
        assert_eq!(there.is_none(), back.is_none());
        there.is_none()
    };
    assert!(same(&sending(&[(Byte, 16, 0)], 88)));
    assert!(!same(&sending(&[(Byte, 16, 0)], 96)));
    assert!(!same(&sending(&[(Byte, 24, 0)], 88)));
    assert!(!same(&sending(
        &[(Integer(8), 1, 0), (Integer(8), 1, 80)],
        88
    )));
    let character = sending(&[(BasicDatatype::Character, 1, 0)], 1);
    assert!(first_difference(&character, &sending(&[(Byte, 1, 0)], 1)).is_some());
}

#[test]
fn functions_that_the_api_table_lacks_differ() {
    let site = |function: &str| CallSite {
        function: function.into(),
        ..site(0, None)
    };
    let table = |functions: [&str; 2]| BlockTable {
        call_sites: functions.map(site).into(),
        ..BlockTable::default()
    };
    let (one, other) = (table(["XX_Put", "XX_Get"]), table(["XX_Get", "XX_Other"]));
    let numbers: BTreeSet<u32> = ["XX_Put", "XX_Get", "XX_Other"]
        .map(|function| by_function(function, &one, &other))
        .into();
    assert_eq!(numbers.len(), 3);
}
