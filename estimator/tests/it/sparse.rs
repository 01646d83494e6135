//! Large programs of which each rank executes little: memory grows with what is executed, not with ranks
//! times call sites, variants or communicators, and time not with the square of anything.

use crate::builder::{loggops, loggp_2, means, nanoseconds};
use base_data::estimate_file::Estimate;
use base_data::ids::{CommId, Rank};
use base_data::program_data::{Call, CollectiveKind, Communicator, Counts, Op, Operand};
use base_data::{RankSet, Time};
use estimator::Inputs;
use estimator::formats::{TraceContent, TraceFile, format};
use machine::Platform;

fn no_file(name: &str) -> Result<Vec<u8>, String> {
    Err(format!("there is no {name}"))
}

/// The whole estimate of a trace, whose total is also that of the total alone.
fn estimated(name: &str, text: &str, platform: &Platform) -> Estimate {
    let file = TraceFile {
        name: "t",
        bytes: text.as_bytes(),
    };
    let format = format(name).expect("a format of the list");
    let found = (format.import)(&file, &no_file).expect("a trace");
    let inputs = Inputs {
        program: &found.program,
        compute: std::slice::from_ref(&found.compute),
    };
    let estimate = estimator::estimate(&inputs, platform, &means()).expect("an estimate");
    let total = estimator::estimate_trace_total(
        format,
        TraceContent {
            name: "t",
            content: &mut text.as_bytes(),
            load: &no_file,
        },
        platform,
        &means(),
    );
    assert_eq!(
        total.map(|(total, _)| total.headline),
        Some(estimate.headline)
    );
    estimate
}

/// With a cell for each rank and call site, this took 11 GB.
#[test]
fn many_workers_have_a_call_site_each() {
    const RANKS: usize = 10_000;
    let mut text = format!("num_ranks {RANKS}\nrank 0 {{\n");
    for worker in 1..RANKS {
        text.push_str(&format!("l{worker}: recv 8b from {worker} tag 6\n"));
        if worker > 1 {
            text.push_str(&format!("l{worker} requires l{}\n", worker - 1));
        }
    }
    text.push_str("}\n");
    for worker in 1..RANKS {
        text.push_str(&format!("rank {worker} {{\nsend 8b to 0 tag 6\n}}\n"));
    }
    let platform = crate::builder::with_parameters(
        "loggp-2",
        RANKS as u32,
        &[
            ("L", 1000.0, "ns"),
            ("o", 100.0, "ns"),
            ("G", 1.0, "ns/byte"),
        ],
    );
    let found = estimated("goal", &text, &platform);
    assert_eq!(
        (found.cells.len(), found.replayed_messages as usize),
        (2 * (RANKS - 1), RANKS - 1)
    );
    // The first message after its way, and the overhead of all.
    assert_eq!(
        nanoseconds(found.headline),
        100 + 1008 + 100 * (RANKS as i64 - 1)
    );
}

/// With a linear search among the times, this took a minute.
#[test]
fn distinct_compute_times_are_many() {
    const TIMES: i64 = 20_000;
    let ranks = 30;
    let lines = |rank: i64| -> String {
        (0..TIMES / ranks)
            .map(|i| format!("{rank} compute {}\n", 1000 + i * ranks + rank))
            .collect()
    };
    let text: String = (0..ranks)
        .map(|rank| format!("{rank} init\n{}{rank} finalize\n", lines(rank)))
        .collect();
    for platform in [
        loggp_2(),
        loggops(&[
            ("L", 1, "ns"),
            ("o", 1, "ns"),
            ("g", 1, "ns"),
            ("G", 1, "ns/byte"),
            ("O", 0, "ns/byte"),
            ("S", 65_536, "bytes"),
        ]),
    ] {
        let found = estimated("ti", &text, &platform);
        let last: i64 = (0..TIMES / ranks)
            .map(|i| 1000 + i * ranks + ranks - 1)
            .sum();
        assert_eq!(found.headline, Time::from_picoseconds(last * 1000));
    }
}

/// A hundred thousand communicators of all of 2,000 ranks: members are not listed rank by rank.
#[test]
fn communicators_are_many() {
    const RANKS: u32 = 2000;
    let mut data = crate::builder::program(
        (0..RANKS)
            .map(|rank| {
                let pair = Operand::Constant(i64::from(2 + rank / 2));
                vec![
                    barrier_in(pair),
                    barrier_in(Operand::Constant(i64::from(2 + RANKS / 2 + 7))),
                ]
            })
            .collect(),
        &[],
    );
    let communicator = |group| Communicator {
        parent: Some(CommId::WORLD),
        sequence: 0,
        group,
    };
    let pair = |first: u32| RankSet::from_ranks([Rank(2 * first + 1), Rank(2 * first)]);
    data.communicators
        .extend((0..RANKS / 2).map(|first| communicator(pair(first))));
    data.communicators
        .extend((0..100_000).map(|_| communicator(RankSet::all(RANKS))));
    let compute = [crate::builder::compute()];
    let inputs = Inputs {
        program: &data,
        compute: &compute,
    };
    let platform = crate::builder::with_parameters(
        "loggp-2",
        RANKS,
        &[
            ("L", 1000.0, "ns"),
            ("o", 100.0, "ns"),
            ("G", 1.0, "ns/byte"),
        ],
    );
    let found = estimator::estimate_total(&inputs, &platform, &means()).expect("a total");
    assert!(found.headline > Time::ZERO);
}

fn barrier_in(communicator: Operand) -> Op {
    let call = Call::Collective {
        kind: CollectiveKind::Barrier,
        communicator,
        root: None,
        counts: Counts::Same(Operand::Constant(0)),
        receive_counts: None,
        datatype: 0,
        reduce_op: None,
        request: None,
    };
    Op::Call {
        site: base_data::CallSiteId(1),
        call,
    }
}
