//! What `estimator` predicts, compared: a comparison sees all of it.

use crate::builder::*;
use base_data::estimate_file::Category;
use estimator::comparison::{Both, ComparedFile, Content, compare};

/// The whole of every rank, to the picosecond, and all of its computation.
#[test]
fn estimate_round_trips() {
    let rank = |own: u32, other: u32| {
        let round = vec![work(own), send_receive(1, other, other, 8), work(5)];
        [vec![work(2)], repeat(3, round), vec![barrier(2)]].concat()
    };
    let replayed = estimate(&program(vec![rank(3, 1), rank(4, 0)], &[]), &loggps());
    let side = ComparedFile {
        name: "estimate",
        content: Content::Estimate(&replayed),
    };
    let times = compare(Both { a: side, b: side }, None)
        .unwrap()
        .times
        .unwrap();
    for (rank, predicted) in times.ranks.iter().zip(&replayed.per_rank) {
        assert_eq!(rank.total.a, predicted.end - predicted.begin);
        assert_eq!(rank.computing.a, predicted.split[Category::Compute.index()]);
    }
}
