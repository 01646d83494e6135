//! Estimates of observed runs: the computation between calls, with the calls replayed.

use crate::builder::*;
use base_data::Time;
use base_data::estimate_file::Category;
use base_data::observation::{Observation, ObservedRank, ProcessorTime, Stretch};
use base_data::program_data::{Call, Op};
use estimator::Inputs;
use estimator::import::of_observation;

/// Gaps and durations in us.
fn rank(gaps: &[i64], durations: &[i64]) -> ObservedRank {
    let times = |values: &[i64]| {
        values
            .iter()
            .map(|&us| Time::from_nanoseconds(us * 1000))
            .collect()
    };
    ObservedRank {
        host: "a".into(),
        gaps: times(gaps),
        durations: times(durations),
        ..ObservedRank::default()
    }
}

/// Two rounds of sending from rank 0 to rank 1.
fn observed() -> Observation {
    let stream = |op: Op| {
        let ends = |call| {
            vec![Op::Call {
                site: base_data::CallSiteId(0),
                call,
            }]
        };
        [ends(Call::Init), repeat(2, vec![op]), ends(Call::Finalize)].concat()
    };
    let program = program(vec![stream(send(1, 1, 0)), stream(receive(2, 0, 0))], &[]);
    let mut first = rank(&[0, 100, 300, 50], &[1, 1, 1, 1]);
    let first_gap = ProcessorTime {
        entry: 2,
        stretch: Stretch::Gap,
        time: Time::from_nanoseconds(200_000),
    };
    first.processor.push(first_gap);
    Observation {
        program,
        ranks: vec![first, rank(&[0, 10, 10, 0], &[1, 90, 190, 50])],
        ..Observation::default()
    }
}

#[test]
fn computation_is_that_between_the_calls() {
    let found = of_observation(&observed()).unwrap();
    let inputs = Inputs {
        program: &found.program,
        compute: &[found.compute],
    };
    let estimate = estimator::estimate(&inputs, &mpiete(), &means()).unwrap();
    let computed: Vec<i64> = estimate
        .per_rank
        .iter()
        .map(|rank| nanoseconds(rank.split[Category::Compute.index()]))
        .collect();
    // The gap that lasted 300 us had the processor for 200 us.
    assert_eq!(computed, [350_000, 20_000]);
    // Rank 1 receives the second message 100 ns after it was sent.
    assert_eq!(
        nanoseconds(estimate.per_rank[1].end - estimate.per_rank[1].begin),
        300_100
    );
}

#[test]
fn incomplete_observations_are_refused() {
    let incomplete = Observation {
        missing: vec!["rank 1 left nothing".into()],
        ..observed()
    };
    assert!(
        of_observation(&incomplete)
            .unwrap_err()
            .contains("rank 1 left nothing")
    );
}
