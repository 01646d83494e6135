//! Statements of each rank, as an estimate predicts them and as an observation has counted them.

use base_data::estimate_file::{Category, Estimate};
use base_data::observation::Observation;

/// As predicted.
pub fn predicted(estimate: &Estimate) -> Vec<f64> {
    let of_rank = |rank: u32| {
        let cells = estimate.cells.iter().filter(|cell| cell.rank == rank);
        cells
            .map(|cell| cell.split[Category::Compute.index()].picoseconds() as f64)
            .sum()
    };
    (0..estimate.ranks).map(of_rank).collect()
}

/// As counted.
pub fn counted(observation: &Observation) -> Vec<f64> {
    observation
        .ranks
        .iter()
        .map(|rank| rank.whole().picoseconds() as f64)
        .collect()
}
