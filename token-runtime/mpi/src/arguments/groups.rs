//! Arguments that functions of the standard always pass together.

use super::{Aints, Buffer, Count, Counts, Displacements, Int, Ints};

/// Elements of one datatype in a buffer.
#[derive(Clone, Copy)]
pub struct Data {
    pub buffer: Buffer,
    pub count: Count,
    pub datatype: Int,
}

impl Data {
    pub fn new(buffer: Buffer, count: Count, datatype: Int) -> Self {
        Self {
            buffer,
            count,
            datatype,
        }
    }
}

/// One block of a buffer for each partner: what functions whose names end in `v` pass. Displacements count
/// elements.
#[derive(Clone, Copy)]
pub struct Blocks {
    pub buffer: Buffer,
    pub counts: Counts,
    pub displacements: Displacements,
    pub datatype: Int,
}

impl Blocks {
    pub fn new(
        buffer: Buffer,
        counts: Counts,
        displacements: Displacements,
        datatype: Int,
    ) -> Self {
        Self {
            buffer,
            counts,
            displacements,
            datatype,
        }
    }
}

/// Displacements in bytes, by partner.
pub trait ByteDisplacements: Copy {
    /// The displacement of one partner's block.
    fn at(self, partner: usize) -> i64;
}

impl ByteDisplacements for Displacements {
    fn at(self, partner: usize) -> i64 {
        self.get(partner)
    }
}

impl ByteDisplacements for Aints {
    fn at(self, partner: usize) -> i64 {
        self.get(partner)
    }
}

/// One block of a buffer with a datatype of its own for each partner: what functions whose names end in `w`
/// pass. `MPI_Alltoallw` has displacements of type `int`, `MPI_Neighbor_alltoallw` of type `MPI_Aint`.
#[derive(Clone, Copy)]
pub struct TypedBlocks<D> {
    pub buffer: Buffer,
    pub counts: Counts,
    pub displacements: D,
    pub datatypes: Ints,
}

impl<D> TypedBlocks<D> {
    pub fn new(buffer: Buffer, counts: Counts, displacements: D, datatypes: Ints) -> Self {
        Self {
            buffer,
            counts,
            displacements,
            datatypes,
        }
    }
}

/// Operands, result and operation of a reduction; `N` is the type of the count, of which
/// `MPI_Reduce_scatter` has one for each rank.
#[derive(Clone, Copy)]
pub struct Reduction<N> {
    pub sendbuf: Buffer,
    pub recvbuf: Buffer,
    pub count: N,
    pub datatype: Int,
    pub op: Int,
}

impl<N> Reduction<N> {
    pub fn new(sendbuf: Buffer, recvbuf: Buffer, count: N, datatype: Int, op: Int) -> Self {
        Self {
            sendbuf,
            recvbuf,
            count,
            datatype,
            op,
        }
    }

    /// The same reduction of another number of elements.
    pub fn with_count<M>(self, count: M) -> Reduction<M> {
        Reduction {
            sendbuf: self.sendbuf,
            recvbuf: self.recvbuf,
            count,
            datatype: self.datatype,
            op: self.op,
        }
    }
}

/// The other side of a message: its rank in the communicator, and the tag. Part of the message envelope.
#[derive(Clone, Copy)]
pub struct Partner {
    pub rank: Int,
    pub tag: Int,
    pub comm: Int,
}

impl Partner {
    pub fn new(rank: Int, tag: Int, comm: Int) -> Self {
        Self { rank, tag, comm }
    }
}
