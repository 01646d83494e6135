//! The constructors for parts of arrays.

use super::constructors;
use super::contents::{Combiner, Contents};
use crate::arguments::{Counts, Int, Ints, Out};
use crate::failure::{Failure, Outcome, wrong};
use crate::process::{self, Process};
use token_runtime::datatypes::arrays::{Distribution, DistributionKind, Extent};
use token_runtime::mpich::class;

/// `MPI_ORDER_C`: the last dimension varies fastest.
const ORDER_C: i32 = 56;
/// `MPI_ORDER_FORTRAN`: the first dimension varies fastest.
const ORDER_FORTRAN: i32 = 57;
/// `MPI_DISTRIBUTE_BLOCK`, `_CYCLIC`, `_NONE`.
const BLOCK: i32 = 121;
const CYCLIC: i32 = 122;
const NONE: i32 = 123;
/// `MPI_DISTRIBUTE_DFLT_DARG`.
const DEFAULT: i32 = -49767;

/// Puts the dimension that varies fastest first.
fn fastest_first<T>(order: Int, mut dimensions: Vec<T>) -> Result<Vec<T>, Failure> {
    match order.0 {
        ORDER_C => dimensions.reverse(),
        ORDER_FORTRAN => {}
        other => {
            return wrong(
                class::ARG,
                format!("the order is {other}, neither C's nor Fortran's"),
            );
        }
    }
    Ok(dimensions)
}

/// The arguments of `MPI_Type_create_subarray` that describe the part.
pub struct Subarray {
    pub ndims: Int,
    pub sizes: Counts,
    pub subsizes: Counts,
    pub starts: Counts,
    pub order: Int,
}

pub fn subarray(process: &mut Process, subarray: Subarray, oldtype: Int, newtype: Out) -> Outcome {
    let Subarray {
        ndims,
        sizes,
        subsizes,
        starts,
        order,
    } = subarray;
    let number = process::number(ndims)?;
    let mut dimensions = Vec::with_capacity(number);
    for at in 0..number {
        let (whole, part, start) = (sizes.get(at), subsizes.get(at), starts.get(at));
        if part < 1 || start < 0 || start + part > whole {
            return wrong(
                class::ARG,
                format!("dimension {at}: {part} elements from {start} on are no part of {whole}"),
            );
        }
        dimensions.push(Extent {
            whole: whole as u64,
            part: part as u64,
            start: start as u64,
        });
    }
    let dimensions = fastest_first(order, dimensions)?;
    let old = process.any_datatype(oldtype.0)?.clone();
    // In the order that MPI-4.1, 5.1.13 gives for MPI_COMBINER_SUBARRAY.
    let contents = Contents::of(Combiner::Subarray)
        .integers([i64::from(ndims.0)])
        .integers(sizes.all(number))
        .integers(subsizes.all(number))
        .integers(starts.all(number))
        .integers([i64::from(order.0)]);
    constructors::add(
        process,
        &old,
        old.data.subarray(&dimensions),
        contents,
        newtype,
    );
    Ok(())
}

/// The arguments of `MPI_Type_create_darray` that describe the array, the grid and this process's place in it.
pub struct DistributedArray {
    pub size: Int,
    pub rank: Int,
    pub ndims: Int,
    pub sizes: Counts,
    pub distributions: Ints,
    pub arguments: Ints,
    pub processes: Ints,
    pub order: Int,
}

pub fn distributed(
    process: &mut Process,
    array: DistributedArray,
    oldtype: Int,
    newtype: Out,
) -> Outcome {
    let DistributedArray {
        size,
        rank,
        ndims,
        sizes,
        distributions,
        arguments,
        processes,
        order,
    } = array;
    let number = process::number(ndims)?;
    let grid: i64 = processes.all(number).map(i64::from).product();
    if rank.0 < 0 || rank.0 >= size.0 || grid != i64::from(size.0) {
        return wrong(
            class::ARG,
            format!(
                "process {} of {} is none of the grid's {grid}",
                rank.0, size.0
            ),
        );
    }
    let (mut below, mut rest, mut dimensions) = (grid, i64::from(rank.0), Vec::new());
    for at in 0..number {
        below /= i64::from(processes.get(at));
        let process = (rest / below) as u64;
        rest %= below;
        let kind = kind(distributions.get(at), arguments.get(at))?;
        let whole = process::count(sizes.get(at))?;
        dimensions.push(Distribution {
            whole,
            kind,
            processes: processes.get(at) as u64,
            process,
        });
    }
    let dimensions = fastest_first(order, dimensions)?;
    let old = process.any_datatype(oldtype.0)?.clone();
    let wide = |numbers: Ints| numbers.all(number).map(i64::from).collect::<Vec<_>>();
    let contents = Contents::of(Combiner::Darray)
        .integers([size.0, rank.0, ndims.0].map(i64::from))
        .integers(sizes.all(number))
        .integers(wide(distributions))
        .integers(wide(arguments))
        .integers(wide(processes))
        .integers([i64::from(order.0)]);
    constructors::add(
        process,
        &old,
        old.data.distributed(&dimensions),
        contents,
        newtype,
    );
    Ok(())
}

/// How a dimension is distributed.
fn kind(distribution: i32, argument: i32) -> Result<DistributionKind, Failure> {
    let block = match argument {
        DEFAULT => None,
        block if block > 0 => Some(block as u64),
        block => {
            return wrong(
                class::ARG,
                format!("the distribution's argument is {block}; it must be positive"),
            );
        }
    };
    match distribution {
        NONE => Ok(DistributionKind::None),
        BLOCK => Ok(DistributionKind::Block(block)),
        CYCLIC => Ok(DistributionKind::Cyclic(block.unwrap_or(1))),
        other => wrong(class::ARG, format!("{other} is no distribution")),
    }
}
