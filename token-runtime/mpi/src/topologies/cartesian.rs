//! Grids.

use super::{member, natural};
use crate::arguments::{Flag, Int, Ints, Out};
use crate::failure::{Failure, Outcome, wrong};
use crate::process::Process;
use token_runtime::kernel::communicator::Communicator;
use token_runtime::mpich::{UNDEFINED, class};
use token_runtime::topology::{Cartesian, Topology, dimensions};

impl Process {
    fn grid(&self, comm: Int) -> Result<(usize, &Cartesian), Failure> {
        let index = self.communicator_index(comm.0)?;
        match &self.communicator(index).topology {
            Topology::Cartesian(grid) => Ok((index, grid)),
            Topology::None | Topology::Graph(_) | Topology::Distributed(_) => wrong(
                class::TOPOLOGY,
                "the communicator has no Cartesian topology",
            ),
        }
    }
}

fn grid(ndims: Int, dims: Ints, periods: Ints) -> Result<Cartesian, Failure> {
    let count = natural(ndims, "the number of dimensions", class::DIMS)?;
    let dims = dims
        .all(count)
        .map(|dim| natural(Int(dim), "a dimension", class::DIMS).map(|dim| dim as u32));
    let dims = dims.collect::<Result<Vec<u32>, Failure>>()?;
    Ok(Cartesian {
        dims,
        periods: periods.all(count).map(|period| period != 0).collect(),
    })
}

/// A grid that a communicator's ranks can fill.
fn fitting(process: &Process, parent: usize, grid: Cartesian) -> Result<Cartesian, Failure> {
    let (needed, there) = (grid.size(), process.communicator(parent).size());
    if needed > u64::from(there) {
        return wrong(
            class::DIMS,
            format!("the grid needs {needed} ranks, the communicator has {there}"),
        );
    }
    Ok(grid)
}

/// Ranks are not renumbered.
pub fn create(
    process: &mut Process,
    comm: Int,
    ndims: Int,
    dims: Ints,
    periods: Ints,
    _reorder: Flag,
    newcomm: Out,
) -> Outcome {
    let parent = process.intracommunicator(comm)?;
    let grid = fitting(process, parent, grid(ndims, dims, periods)?)?;
    process.exchange(parent, &[])?;
    newcomm.set(process.make_communicator(parent, |parent, sequence| {
        let ranks: Vec<u32> = (0..grid.size() as u32).collect();
        let made = parent.subset(sequence, &ranks)?;
        Some(Communicator {
            topology: Topology::Cartesian(grid),
            ..made
        })
    }));
    Ok(())
}

pub fn part(process: &mut Process, comm: Int, remain_dims: Ints, newcomm: Out) -> Outcome {
    let (index, grid) = process.grid(comm)?;
    let kept: Vec<bool> = remain_dims
        .all(grid.dims.len())
        .map(|kept| kept != 0)
        .collect();
    let (part, ranks) = grid.part(process.communicator(index).rank, &kept);
    process.exchange(index, &[])?;
    newcomm.set(process.make_communicator(index, |parent, sequence| {
        let made = parent.subset(sequence, &ranks)?;
        Some(Communicator {
            topology: Topology::Cartesian(part),
            ..made
        })
    }));
    Ok(())
}

pub fn dimension_count(process: &mut Process, comm: Int, ndims: Out) -> Outcome {
    ndims.set(process.grid(comm)?.1.dims.len() as i32);
    Ok(())
}

/// How many elements of an array of this length a grid's dimensions take.
fn room(maxdims: Int, grid: &Cartesian) -> Result<usize, Failure> {
    let room = natural(maxdims, "the length of the array", class::ARG)?;
    if room < grid.dims.len() {
        return wrong(
            class::ARG,
            format!(
                "the array has {room} elements, the grid {} dimensions",
                grid.dims.len()
            ),
        );
    }
    Ok(grid.dims.len())
}

pub fn get(
    process: &mut Process,
    comm: Int,
    maxdims: Int,
    dims: Out,
    periods: Out,
    coords: Out,
) -> Outcome {
    let (index, grid) = process.grid(comm)?;
    let own = grid.coordinates(process.communicator(index).rank);
    for (at, &coordinate) in own.iter().enumerate().take(room(maxdims, grid)?) {
        dims.set_at(at, grid.dims[at] as i32);
        periods.set_at(at, grid.periods[at].into());
        coords.set_at(at, coordinate);
    }
    Ok(())
}

pub fn coordinates(
    process: &mut Process,
    comm: Int,
    rank: Int,
    maxdims: Int,
    coords: Out,
) -> Outcome {
    let (index, grid) = process.grid(comm)?;
    let rank = member(process, index, rank)?;
    room(maxdims, grid)?;
    for (at, coordinate) in grid.coordinates(rank).into_iter().enumerate() {
        coords.set_at(at, coordinate);
    }
    Ok(())
}

pub fn rank(process: &mut Process, comm: Int, coords: Ints, rank: Out) -> Outcome {
    let grid = process.grid(comm)?.1;
    let coordinates: Vec<i32> = coords.all(grid.dims.len()).collect();
    match grid.rank(&coordinates) {
        Some(found) => rank.set(found as i32),
        None => return wrong(class::ARG, format!("the grid has no place {coordinates:?}")),
    }
    Ok(())
}

pub fn shift(
    process: &mut Process,
    comm: Int,
    direction: Int,
    disp: Int,
    source: Out,
    dest: Out,
) -> Outcome {
    let (index, grid) = process.grid(comm)?;
    let dimension = natural(direction, "the direction", class::ARG)?;
    if dimension >= grid.dims.len() {
        return wrong(
            class::ARG,
            format!(
                "the direction is {dimension}, the grid has {} dimensions",
                grid.dims.len()
            ),
        );
    }
    let (from, to) = grid.shift(process.communicator(index).rank, dimension, disp.0);
    source.set(from);
    dest.set(to);
    Ok(())
}

pub fn map(
    process: &mut Process,
    comm: Int,
    ndims: Int,
    dims: Ints,
    periods: Ints,
    newrank: Out,
) -> Outcome {
    let index = process.intracommunicator(comm)?;
    let grid = fitting(process, index, grid(ndims, dims, periods)?)?;
    let own = process.communicator(index).rank;
    newrank.set(if u64::from(own) < grid.size() {
        own as i32
    } else {
        UNDEFINED
    });
    Ok(())
}

pub fn fill_dimensions(_: &mut Process, nnodes: Int, ndims: Int, dims: Out) -> Outcome {
    let count = natural(ndims, "the number of dimensions", class::DIMS)?;
    let mut filled: Vec<i32> = (0..count).map(|at| dims.get_at(at)).collect();
    if let Err(sentence) = dimensions::fill(nnodes.0, &mut filled) {
        return wrong(class::DIMS, sentence);
    }
    filled
        .into_iter()
        .enumerate()
        .for_each(|(at, dim)| dims.set_at(at, dim));
    Ok(())
}
