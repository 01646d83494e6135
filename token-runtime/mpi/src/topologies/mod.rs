//! Communicators with a topology: bodies of the functions. `token_runtime::topology` computes the results.

pub mod cartesian;
pub mod graphs;

use crate::arguments::{Int, Out};
use crate::failure::{Failure, Outcome, wrong};
use crate::process::Process;
use token_runtime::mpich::{UNDEFINED, class};
use token_runtime::topology::Topology;

/// Answers of `MPI_Topo_test`, as MPICH numbers them.
const GRAPH: i32 = 1;
const CARTESIAN: i32 = 2;
const DISTRIBUTED: i32 = 3;

pub fn test(process: &mut Process, comm: Int, status: Out) -> Outcome {
    let index = process.communicator_index(comm.0)?;
    status.set(match &process.communicator(index).topology {
        Topology::None => UNDEFINED,
        Topology::Cartesian(_) => CARTESIAN,
        Topology::Graph(_) => GRAPH,
        Topology::Distributed(_) => DISTRIBUTED,
    });
    Ok(())
}

/// A number that must not be negative.
fn natural(number: Int, what: &str, class: i32) -> Result<usize, Failure> {
    match usize::try_from(number.0) {
        Ok(natural) => Ok(natural),
        Err(_) => wrong(
            class,
            format!("{what} is {}; it must not be negative", number.0),
        ),
    }
}

/// A rank of a communicator.
fn member(process: &Process, index: usize, rank: Int) -> Result<u32, Failure> {
    let size = process.communicator(index).size();
    match u32::try_from(rank.0).ok().filter(|&rank| rank < size) {
        Some(rank) => Ok(rank),
        None => wrong(
            class::RANK,
            format!(
                "rank {} is none of the communicator's 0 to {}",
                rank.0,
                size - 1
            ),
        ),
    }
}
