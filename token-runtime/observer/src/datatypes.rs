//! Datatypes and reduction operations by handle: predefined ones as the standard describes them,
//! those that a program has made as bytes in a row with their extent.

use crate::family::Family;
use crate::handles::Handles;
use crate::mpi::Mpi;
use crate::passed_arguments::Binding;
use base_data::mpi::{BasicDatatype, Datatype, ReduceOp};
use std::collections::HashMap;
use std::ffi::CStr;
use token_runtime::event_stream::EventStream;
use token_runtime::mpich;

/// Open MPI's predefined reduction operations, in the order of the MPICH family's numbers.
const OPERATIONS: [&CStr; 12] = [
    c"ompi_mpi_op_max",
    c"ompi_mpi_op_min",
    c"ompi_mpi_op_sum",
    c"ompi_mpi_op_prod",
    c"ompi_mpi_op_land",
    c"ompi_mpi_op_band",
    c"ompi_mpi_op_lor",
    c"ompi_mpi_op_bor",
    c"ompi_mpi_op_lxor",
    c"ompi_mpi_op_bxor",
    c"ompi_mpi_op_minloc",
    c"ompi_mpi_op_maxloc",
];

/// The datatypes of one rank.
#[derive(Debug, Default)]
pub struct Datatypes {
    /// Index in the recording, by handle.
    known: Handles<u32>,
    /// The same by what they are: a program may make one again and again.
    indices: HashMap<Datatype, u32>,
}

impl Datatypes {
    /// Index in the recording of a datatype by its handle.
    #[inline]
    pub fn index(
        &mut self,
        mpi: &Mpi,
        stream: &mut EventStream,
        handle: usize,
        binding: Binding,
    ) -> u32 {
        match self.known.get(handle) {
            Some(index) => index,
            None => self.learn(mpi, stream, handle, binding),
        }
    }

    #[cold]
    fn learn(
        &mut self,
        mpi: &Mpi,
        stream: &mut EventStream,
        handle: usize,
        binding: Binding,
    ) -> u32 {
        let handles = mpi.datatype_handles(handle, binding);
        let datatype = canonical(mpi, handles[0]);
        let index = *self
            .indices
            .entry(datatype)
            .or_insert_with_key(|new| stream.add_datatype(new.clone()));
        handles
            .into_iter()
            .for_each(|handle| self.known.set(handle, index));
        index
    }

    /// Index of a predefined datatype that no handle was passed of.
    pub fn of_bytes(&mut self, stream: &mut EventStream) -> u32 {
        let bytes = Datatype::basic(BasicDatatype::Byte);
        *self
            .indices
            .entry(bytes)
            .or_insert_with_key(|new| stream.add_datatype(new.clone()))
    }

    /// A datatype is freed.
    pub fn forget(&mut self, handles: [usize; 2]) {
        handles
            .into_iter()
            .for_each(|handle| self.known.forget(handle));
    }
}

fn canonical(mpi: &Mpi, handle: usize) -> Datatype {
    let predefined = match mpi.family {
        Family::Mpich => mpich::datatypes::find(handle as i32).map(|(_, predefined)| predefined),
        Family::OpenMpi => mpich::datatypes::named(&mpi.datatype_name(handle)),
    };
    predefined
        .map(mpich::datatypes::Predefined::canonical)
        .unwrap_or_else(|| derived(mpi, handle))
}

fn derived(mpi: &Mpi, handle: usize) -> Datatype {
    let null = mpi
        .family
        .handle(mpich::DATATYPE_NULL, c"ompi_mpi_datatype_null");
    let (size, extent) = if handle == null {
        (0, 0)
    } else {
        mpi.size_and_extent(handle)
    };
    Datatype {
        runs: vec![(BasicDatatype::Byte, size, 0)],
        extent,
    }
}

/// The reduction operations of one rank.
#[derive(Debug, Default)]
pub struct ReduceOps(Handles<ReduceOp>);

impl ReduceOps {
    /// All predefined ones, by both handles.
    pub fn predefined(mpi: &Mpi) -> Self {
        let mut known = Handles::default();
        for (number, symbol) in (mpich::datatypes::OPERATIONS + 1..).zip(OPERATIONS) {
            let Some(operation) = mpich::datatypes::reduce_op(number) else {
                continue;
            };
            let handle = mpi.family.handle(number, symbol);
            let handles = mpi.operation_handles(handle, Binding::C);
            handles
                .into_iter()
                .for_each(|handle| known.set(handle, operation));
        }
        Self(known)
    }

    /// An operation by its handle. One of the program's own is asked for every time: it may have
    /// been freed, and its handle may mean another by now.
    #[inline]
    pub fn get(&mut self, mpi: &Mpi, handle: usize, binding: Binding) -> ReduceOp {
        self.0.get(handle).unwrap_or_else(|| {
            let [c, _] = mpi.operation_handles(handle, binding);
            ReduceOp::User {
                commutes: mpi.commutes(c),
            }
        })
    }
}
