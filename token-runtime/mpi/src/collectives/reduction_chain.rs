//! Combining the data of members in the order of ranks: with an operation of the standard, or with a
//! function of the program, which sees the elements as they lie in its own buffers.

use super::buffer_segments::BufferSegment;
use super::operations::{Operation, UserOperation};
use crate::datatypes::Type;
use crate::datatypes::data_location::DataLocation;
use crate::entry_guard;
use crate::failure::{Failure, Outcome, wrong};
use crate::process::Process;
use base_data::mpi::ReduceOp;
use std::rc::Rc;
use token_runtime::kernel::collective::{self, chain, contributions};
use token_runtime::kernel::heap;
use token_runtime::kernel::reduction::{self, Arithmetic};
use token_runtime::mpich::class;
use token_runtime::mpich::datatypes::{BASIC, OPERATIONS, PAIRS, reduce_op};

/// What is done with how many elements of what.
pub struct ReductionSpec {
    pub operation: Operation,
    pub count: u64,
    pub datatype: Rc<Type>,
}

impl ReductionSpec {
    /// Of a call; the operation must be defined for the datatype even if nothing is combined.
    pub fn new(
        process: &Process,
        op: i32,
        count: u64,
        datatype: &Rc<Type>,
    ) -> Result<Self, Failure> {
        let operation = process.operation(op)?;
        if let Operation::Standard(op) = operation {
            combine(arithmetic(datatype), op, &[], &mut [])?;
        }
        Ok(Self {
            operation,
            count,
            datatype: datatype.clone(),
        })
    }

    /// What all members must agree on.
    pub fn word(&self) -> u64 {
        let arithmetic = arithmetic(&self.datatype) as u64;
        match self.operation {
            Operation::Standard(op) => arithmetic << 8 | number_of(op),
            Operation::User(UserOperation { commutes, .. }) => USER + u64::from(commutes),
        }
    }

    /// As recordings name it.
    pub fn reduce_op(&self) -> ReduceOp {
        match self.operation {
            Operation::Standard(op) => op,
            Operation::User(UserOperation { commutes, .. }) => ReduceOp::User { commutes },
        }
    }

    fn bytes(&self) -> u64 {
        self.datatype.bytes(self.count)
    }

    /// What so many members would combine to that all give these packed data: a multiple, if they are summed
    /// up; the data themselves, as a stand-in where they are multiplied or a function of the program is
    /// called, exactly for operations such as maximum and minimum.
    pub fn reduce_copies(&self, data: &[u8], members: u64) -> Result<Vec<u8>, Failure> {
        match self.operation {
            Operation::Standard(ReduceOp::Sum) => {
                let mut sum = data.to_vec();
                reduction::multiply(arithmetic(&self.datatype), &mut sum, members)
                    .or_else(|sentence| wrong(class::OP, sentence))?;
                Ok(sum)
            }
            Operation::Standard(_) | Operation::User(_) => Ok(data.to_vec()),
        }
    }
}

/// The word of user operations.
const USER: u64 = 1 << 32;

/// The standard's names of its operations, by number.
const NAMES: [&str; 13] = [
    "no operation",
    "MPI_MAX",
    "MPI_MIN",
    "MPI_SUM",
    "MPI_PROD",
    "MPI_LAND",
    "MPI_BAND",
    "MPI_LOR",
    "MPI_BOR",
    "MPI_LXOR",
    "MPI_BXOR",
    "MPI_MINLOC",
    "MPI_MAXLOC",
];

fn number_of(op: ReduceOp) -> u64 {
    (1..NAMES.len() as i32)
        .find(|&number| reduce_op(OPERATIONS + number) == Some(op))
        .unwrap_or(0) as u64
}

fn arithmetic(datatype: &Type) -> Arithmetic {
    datatype
        .predefined
        .map_or(Arithmetic::None, |row| row.arithmetic)
}

/// A word of [`ReductionSpec::word`] for people.
pub fn described(word: u64) -> String {
    match word {
        0 => String::new(),
        USER.. => "an operation of the program, ".to_string(),
        _ => {
            let name = NAMES.get((word & 0xff) as usize).unwrap_or(&NAMES[0]);
            let of = BASIC
                .iter()
                .chain(PAIRS)
                .find(|row| row.arithmetic as u64 == word >> 8);
            format!(
                "{name} of {}, ",
                of.map_or("an unknown datatype", |row| row.name)
            )
        }
    }
}

fn combine(how: Arithmetic, op: ReduceOp, earlier: &[u8], later: &mut [u8]) -> Outcome {
    reduction::combine(how, op, earlier, later)
        .or_else(|sentence| wrong(class::OP, format!("the reduction operation {sentence}")))
}

impl Process {
    /// Makes all links of the chain that the coming of a member makes possible.
    pub fn make_links(
        &mut self,
        instance: u64,
        index: u32,
        reduction_spec: &ReductionSpec,
    ) -> Outcome {
        while let Some(link) = chain::next(self.memory(), instance, index) {
            if let Some(before) = link.before {
                let block = |member| collective::contribution(self.memory(), instance, member);
                self.combine_contributions(block(before), block(link.index), reduction_spec)?;
            }
            chain::linked(self.memory(), instance, link);
        }
        Ok(())
    }

    /// Combines the first parcel into the second; nothing if no rank needs the data.
    fn combine_contributions(
        &mut self,
        earlier: u64,
        later: u64,
        reduction_spec: &ReductionSpec,
    ) -> Outcome {
        if earlier == 0 || later == 0 {
            return Ok(());
        }
        let [earlier, later] =
            [earlier, later].map(|block| contributions::data(self.memory(), block));
        match reduction_spec.operation {
            Operation::Standard(op) => self.combine_blocks(earlier, later, op, reduction_spec),
            Operation::User(operation) => {
                self.combine_outside(earlier, later, operation, reduction_spec)
            }
        }
    }

    fn combine_blocks(
        &mut self,
        earlier: u64,
        later: u64,
        op: ReduceOp,
        reduction_spec: &ReductionSpec,
    ) -> Outcome {
        let (later, earlier) = self
            .segment
            .two_blocks(later, earlier, reduction_spec.bytes());
        combine(arithmetic(&reduction_spec.datatype), op, earlier, later)
    }

    fn combine_outside(
        &mut self,
        earlier: u64,
        later: u64,
        operation: UserOperation,
        reduction_spec: &ReductionSpec,
    ) -> Outcome {
        let ReductionSpec {
            count, datatype, ..
        } = reduction_spec;
        let bytes = reduction_spec.bytes();
        let mut copies = [(); 2].map(|()| ElementBuffer::room_for(*count, datatype));
        for (copy, block) in copies.iter_mut().zip([earlier, later]) {
            self.unpack_from(block, 0, bytes, &DataLocation::At(copy.address()), datatype);
        }
        let [from, into] = copies.each_mut().map(ElementBuffer::address);
        entry_guard::call_user_function(self, || {
            operation.call(from, into, *count, datatype.handle)
        });
        self.pack_into(later, 0, &DataLocation::At(into), *count, datatype);
        Ok(())
    }

    /// `MPI_Reduce_local`: combines the first area's elements into the second's.
    pub fn combine_local(
        &mut self,
        from: &BufferSegment,
        into: &BufferSegment,
        reduction_spec: &ReductionSpec,
    ) -> Outcome {
        let (count, handle) = (reduction_spec.count, reduction_spec.datatype.handle);
        match (reduction_spec.operation, &from.place, &into.place) {
            (Operation::User(operation), &DataLocation::At(earlier), &DataLocation::At(later)) => {
                entry_guard::call_user_function(self, || {
                    operation.call(earlier, later, count, handle)
                });
                Ok(())
            }
            (Operation::Standard(_) | Operation::User(_), _, _) => {
                self.combine_copies(from, into, reduction_spec)
            }
        }
    }

    fn combine_copies(
        &mut self,
        from: &BufferSegment,
        into: &BufferSegment,
        reduction_spec: &ReductionSpec,
    ) -> Outcome {
        let earlier = self.packed_from(&from.place, from.count, &from.datatype)?;
        let later = self.packed_from(&into.place, into.count, &into.datatype)?;
        let combined = match reduction_spec.operation {
            Operation::Standard(op) => self.combine_blocks(earlier, later, op, reduction_spec),
            Operation::User(operation) => {
                self.combine_outside(earlier, later, operation, reduction_spec)
            }
        };
        self.unpack_segment(later, 0, into)?;
        [earlier, later]
            .into_iter()
            .for_each(|block| heap::free(self.memory(), block));
        combined
    }
}

/// A buffer for elements in the program's layout, aligned for any type.
struct ElementBuffer {
    words: Vec<u128>,
    /// Bytes before the address that displacements count from.
    before: usize,
}

impl ElementBuffer {
    fn room_for(count: u64, datatype: &Type) -> Self {
        const WORD: usize = size_of::<u128>();
        let (low, high) = datatype.data.span(count);
        let before = ((-low.min(0)) as usize).next_multiple_of(WORD);
        let words = (before + high.max(0) as usize).div_ceil(WORD);
        Self {
            words: vec![0; words],
            before,
        }
    }

    /// What the displacements of the elements count from.
    fn address(&mut self) -> *mut u8 {
        self.words
            .as_mut_ptr()
            .cast::<u8>()
            .wrapping_add(self.before)
    }
}
