//! Reduction operations by handle: the standard's, and functions of the program.

use crate::arguments::{Buffer, Count, Data, Flag, Function, Int, Out};
use crate::collectives::buffer_segments::BufferSegment;
use crate::collectives::reduction_chain::ReductionSpec;
use crate::failure::{Failure, Outcome, wrong};
use crate::process::Process;
use base_data::mpi::ReduceOp;
use std::ffi::{c_int, c_void};
use token_runtime::mpich::datatypes::{OPERATIONS, reduce_op};
use token_runtime::mpich::{OP_NULL, class};

/// Handles of operations that the program made: kind in the top bits, a number below.
const MADE: i32 = 0x9800_0000u32 as i32;

/// Numbers of the operations for one-sided calls only, `MPI_REPLACE` and `MPI_NO_OP`.
const ONE_SIDED: std::ops::RangeInclusive<i32> = OPERATIONS + 13..=OPERATIONS + 14;

/// An operation.
#[derive(Clone, Copy, Debug)]
pub enum Operation {
    Standard(ReduceOp),
    User(UserOperation),
}

/// A function of the program.
#[derive(Clone, Copy, Debug)]
pub struct UserOperation {
    pub function: Function,
    pub commutes: bool,
}

/// Those that the program made, by number; `None` once freed.
#[derive(Default)]
pub struct Operations {
    entries: Vec<Option<UserOperation>>,
}

impl UserOperation {
    /// Calls the function: elements at `into` become those at `from` combined with them.
    pub fn call(self, from: *mut u8, into: *mut u8, count: u64, datatype: i32) {
        let (from, into) = (from.cast::<c_void>(), into.cast::<c_void>());
        let mut datatype: c_int = datatype;
        // SAFETY: the program passed a function of this type (C's and Fortran's do not differ: all is
        // passed by address), and the elements are there.
        unsafe {
            if self.function.large {
                type Large = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut i64, *mut c_int);
                let function = std::mem::transmute::<usize, Large>(self.function.address);
                function(from, into, &mut (count as i64), &mut datatype);
            } else {
                type Plain = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_int, *mut c_int);
                let function = std::mem::transmute::<usize, Plain>(self.function.address);
                function(from, into, &mut (count as c_int), &mut datatype);
            }
        }
    }
}

impl Process {
    /// The operation of a handle.
    pub fn operation(&self, handle: i32) -> Result<Operation, Failure> {
        if let Some(op) = reduce_op(handle) {
            return Ok(Operation::Standard(op));
        }
        let made = usize::try_from(handle.wrapping_sub(MADE)).ok();
        match made.and_then(|number| self.operations.entries.get(number).copied().flatten()) {
            Some(operation) => Ok(Operation::User(operation)),
            None if ONE_SIDED.contains(&handle) => wrong(
                class::OP,
                "MPI_REPLACE and MPI_NO_OP are for one-sided calls only",
            ),
            None => wrong(
                class::OP,
                format!("{handle:#x} is no reduction operation of this rank"),
            ),
        }
    }
}

pub fn create(process: &mut Process, user_fn: Function, commute: Flag, op: Out) -> Outcome {
    if user_fn.address == 0 {
        return wrong(class::ARG, "the function is a null pointer");
    }
    let entries = &mut process.operations.entries;
    let number = entries
        .iter()
        .position(Option::is_none)
        .unwrap_or(entries.len());
    if number == entries.len() {
        entries.push(None);
    }
    entries[number] = Some(UserOperation {
        function: user_fn,
        commutes: commute.0,
    });
    op.set(MADE.wrapping_add(number as i32));
    Ok(())
}

pub fn free(process: &mut Process, op: Out) -> Outcome {
    process.invalidate_call_cache();
    match process.operation(op.get())? {
        Operation::Standard(_) => wrong(class::OP, "an operation of the standard cannot be freed"),
        Operation::User(_) => {
            process.operations.entries[op.get().wrapping_sub(MADE) as usize] = None;
            op.set(OP_NULL);
            Ok(())
        }
    }
}

pub fn commutative(process: &mut Process, op: Int, commute: Out) -> Outcome {
    let commutes = match process.operation(op.0) {
        Ok(Operation::Standard(_)) => true,
        Ok(Operation::User(UserOperation { commutes, .. })) => commutes,
        // The standard allows the question for all its operations.
        Err(_) if ONE_SIDED.contains(&op.0) => false,
        Err(failure) => return Err(failure),
    };
    commute.set(commutes.into());
    Ok(())
}

pub fn reduce_local(
    process: &mut Process,
    inbuf: Buffer,
    inoutbuf: Buffer,
    count: Count,
    datatype: Int,
    op: Int,
) -> Outcome {
    let from = BufferSegment::new(process, Data::new(inbuf, count, datatype))?;
    let into = from.elsewhere(inoutbuf)?;
    let reduction_spec = ReductionSpec::new(process, op.0, from.count, &from.datatype)?;
    if from.bytes() == 0 || process.is_only_recorded() {
        return Ok(());
    }
    process.combine_local(&from, &into, &reduction_spec)
}
