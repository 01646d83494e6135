//! The C symbols: `MPI_X` and `PMPI_X` for C, `mpi_x_` and `pmpi_x_` for Fortran, which passes
//! everything by reference and has the error code last. Each line below is one function of the
//! table; that it is in the table is checked when this is compiled.
//!
//! Functions with text arguments, with arguments of C only, or that may be called at any time are
//! in `special_entries`.

use crate::arguments::{Argument, Buffer, Int, Out, Status};
use crate::{collectives, communicators, completion, guard, local, transfers};
use base_data::mpi::Support;
use base_data::mpi::functions::FUNCTIONS;
use std::ffi::c_int;

/// The row of a function; evaluated at compile time, where a panic is a compiler's error.
pub const fn row(name: &str) -> u32 {
    let mut row = 0;
    while row < FUNCTIONS.len() {
        if equal(FUNCTIONS[row].name.as_bytes(), name.as_bytes()) {
            assert!(matches!(FUNCTIONS[row].support, Support::Full), "the table says it is not supported");
            return row as u32;
        }
        row += 1;
    }
    panic!("the table of MPI functions lacks this one");
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

macro_rules! entries {
    ($($c:ident $pc:ident $f:ident $pf:ident = $body:path: ($($name:ident: $kind:ty),*);)+) => {$(
        native::entry! {
            $c, $pc: ($($name: <$kind as Argument>::C),*) -> c_int {
                const ROW: u32 = row(stringify!($c));
                // SAFETY: the program passes what the standard says for this function.
                $(let $name = unsafe { <$kind as Argument>::from_c($name) };)*
                guard::call(ROW, |process| $body(process, $($name),*))
            }
        }
        native::entry! {
            $f, $pf: ($($name: <$kind as Argument>::Fortran,)* ierror: Out) {
                const ROW: u32 = row(stringify!($c));
                // SAFETY: as above, and Fortran passes addresses.
                $(let $name = unsafe { <$kind as Argument>::from_fortran($name) };)*
                ierror.set(guard::call(ROW, |process| $body(process, $($name),*)));
            }
        }
    )+};
}

entries! {
    MPI_Comm_rank PMPI_Comm_rank mpi_comm_rank_ pmpi_comm_rank_ =
        communicators::rank: (comm: Int, rank: Out);
    MPI_Comm_size PMPI_Comm_size mpi_comm_size_ pmpi_comm_size_ =
        communicators::size: (comm: Int, size: Out);
    MPI_Comm_dup PMPI_Comm_dup mpi_comm_dup_ pmpi_comm_dup_ =
        communicators::duplicate: (comm: Int, newcomm: Out);
    MPI_Comm_split PMPI_Comm_split mpi_comm_split_ pmpi_comm_split_ =
        communicators::split: (comm: Int, color: Int, key: Int, newcomm: Out);
    MPI_Comm_free PMPI_Comm_free mpi_comm_free_ pmpi_comm_free_ =
        communicators::free: (comm: Out);
    MPI_Comm_set_errhandler PMPI_Comm_set_errhandler mpi_comm_set_errhandler_ pmpi_comm_set_errhandler_ =
        communicators::set_errhandler: (comm: Int, errhandler: Int);
    MPI_Type_size PMPI_Type_size mpi_type_size_ pmpi_type_size_ =
        local::type_size: (datatype: Int, size: Out);
    MPI_Get_count PMPI_Get_count mpi_get_count_ pmpi_get_count_ =
        local::get_count: (status: Status, datatype: Int, count: Out);
    MPI_Abort PMPI_Abort mpi_abort_ pmpi_abort_ =
        local::abort: (comm: Int, errorcode: Int);

    MPI_Send PMPI_Send mpi_send_ pmpi_send_ =
        transfers::send: (buf: Buffer, count: Int, datatype: Int, dest: Int, tag: Int, comm: Int);
    MPI_Recv PMPI_Recv mpi_recv_ pmpi_recv_ =
        transfers::receive: (buf: Buffer, count: Int, datatype: Int, source: Int, tag: Int, comm: Int, status: Status);
    MPI_Sendrecv PMPI_Sendrecv mpi_sendrecv_ pmpi_sendrecv_ =
        transfers::send_receive: (
            sendbuf: Buffer, sendcount: Int, sendtype: Int, dest: Int, sendtag: Int,
            recvbuf: Buffer, recvcount: Int, recvtype: Int, source: Int, recvtag: Int,
            comm: Int, status: Status
        );
    MPI_Isend PMPI_Isend mpi_isend_ pmpi_isend_ =
        transfers::start_send: (buf: Buffer, count: Int, datatype: Int, dest: Int, tag: Int, comm: Int, request: Out);
    MPI_Irecv PMPI_Irecv mpi_irecv_ pmpi_irecv_ =
        transfers::start_receive: (
            buf: Buffer, count: Int, datatype: Int, source: Int, tag: Int, comm: Int, request: Out
        );
    MPI_Wait PMPI_Wait mpi_wait_ pmpi_wait_ =
        completion::wait: (request: Out, status: Status);
    MPI_Waitall PMPI_Waitall mpi_waitall_ pmpi_waitall_ =
        completion::wait_all: (count: Int, array_of_requests: Out, array_of_statuses: Status);

    MPI_Barrier PMPI_Barrier mpi_barrier_ pmpi_barrier_ =
        collectives::barrier: (comm: Int);
    MPI_Bcast PMPI_Bcast mpi_bcast_ pmpi_bcast_ =
        collectives::broadcast: (buffer: Buffer, count: Int, datatype: Int, root: Int, comm: Int);
    MPI_Reduce PMPI_Reduce mpi_reduce_ pmpi_reduce_ =
        collectives::reduce: (
            sendbuf: Buffer, recvbuf: Buffer, count: Int, datatype: Int, op: Int, root: Int, comm: Int
        );
    MPI_Allreduce PMPI_Allreduce mpi_allreduce_ pmpi_allreduce_ =
        collectives::allreduce: (sendbuf: Buffer, recvbuf: Buffer, count: Int, datatype: Int, op: Int, comm: Int);
}
