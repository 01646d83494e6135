//! Estimates in statements: blocks add up, nothing else counts.

use crate::builder::{
    BLOCKS, barrier, compute, compute_of, loggps, means, program, repeat, send_receive, work,
};
use base_data::Time;
use base_data::compute_data::{ComputeData, Unit};
use base_data::estimate_file::Category;
use base_data::program_data::ProgramData;
use estimator::{EstimateError, Inputs, Options, estimate, estimate_statements};

/// Block `i` has `10 i` statements.
fn statements() -> ComputeData {
    let entries = (0..BLOCKS)
        .map(|block| (block, vec![10 * i64::from(block); 3]))
        .collect();
    ComputeData {
        unit: Unit::Statements,
        ..compute_of(entries)
    }
}

fn two_ranks() -> ProgramData {
    let rank = |own: u32, other: u32| {
        let round = vec![work(own), send_receive(1, other, other, 8), work(5)];
        [vec![work(2)], repeat(3, round), vec![barrier(2)]].concat()
    };
    program(vec![rank(3, 1), rank(4, 0)], &[])
}

#[test]
fn statements_add_up_per_rank_without_waits() {
    let (program, compute) = (two_ranks(), [statements()]);
    let inputs = Inputs {
        program: &program,
        compute: &compute,
    };
    let estimate = estimate_statements(
        &inputs,
        &Options {
            timeline: true,
            ..means()
        },
    )
    .unwrap();
    let expected = [20 + 3 * 80, 20 + 3 * 90].map(Time::from_picoseconds);
    assert_eq!(
        estimate
            .per_rank
            .iter()
            .map(|rank| rank.end)
            .collect::<Vec<_>>(),
        expected
    );
    for (rank, all) in estimate.per_rank.iter().zip(expected) {
        assert_eq!(rank.split[Category::Compute.index()], all);
        assert_eq!(rank.split[1..], [Time::ZERO; 5]);
    }
    assert_eq!(
        (estimate.unit, estimate.headline),
        (Unit::Statements, expected[1])
    );
    assert_eq!(estimate.replayed_messages, 0);
}

#[test]
fn units_are_not_mixed() {
    let program = two_ranks();
    let refused = |compute: &[ComputeData], statements: bool| {
        let inputs = Inputs {
            program: &program,
            compute,
        };
        let result = match statements {
            true => estimate_statements(&inputs, &means()),
            false => estimate(&inputs, &loggps(), &means()),
        };
        matches!(result, Err(EstimateError::OtherUnit { .. }))
    };
    assert!(
        refused(&[statements(), compute()], true) && refused(&[compute(), statements()], false)
    );
    assert!(!refused(&[statements()], true) && !refused(&[compute()], false));
}
