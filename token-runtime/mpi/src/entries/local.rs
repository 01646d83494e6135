//! Local functions of the remaining chapters: memory and addresses, threads, and functions whose arguments or results
//! differ more between C and Fortran than those of others.

use super::{row, set_error};
use crate::arguments::{Aint, Buffer, Int, Out, OutAint, OutOldAint};
use crate::entries::entries;
use crate::{entry_guard, info, local, memory};
use native::entry;
use std::ffi::{c_char, c_int};

entries! {
    every Abort = local::abort: (comm: Int, errorcode: Int);
    every Query_thread = local::query_thread: (provided: Out);
    every Is_thread_main = local::is_main_thread: (flag: Out);
    every Alloc_mem = memory::allocate: (size: Aint, info: Int, baseptr: OutAint);
    choice Free_mem = memory::free: (base: Buffer);
    choice Get_address = memory::address: (location: Buffer, address: OutAint);
    old Address = memory::old_address: (location: Buffer, address: OutOldAint);
}

entry!(MPI_Info_create_env, PMPI_Info_create_env: (
    _argc: c_int, _argv: *mut *mut c_char, info: *mut c_int
) -> c_int {
    entry_guard::call_always(const { row("MPI_Info_create_env") }, true, |basics| {
        set_error(info, info::environment_handle(basics));
        Ok(())
    })
});
entry!(mpi_info_create_env_, pmpi_info_create_env_, mpi_info_create_env_f08_, pmpir_info_create_env_f08_: (
    info: *mut c_int, ierror: *mut c_int
) {
    let code = entry_guard::call_always(const { row("MPI_Info_create_env") }, true, |basics| {
        set_error(info, info::environment_handle(basics));
        Ok(())
    });
    set_error(ierror, code);
});

// Programs may do arithmetic with addresses at any time.
entry!(MPI_Aint_add, PMPI_Aint_add: (base: i64, distance: i64) -> i64 { base.wrapping_add(distance) });
entry!(MPI_Aint_diff, PMPI_Aint_diff: (first: i64, second: i64) -> i64 { first.wrapping_sub(second) });
entry!(mpi_aint_add_, pmpi_aint_add_, mpi_aint_add_f08_, pmpir_aint_add_f08_: (
    base: *const i64, distance: *const i64
) -> i64 {
    // SAFETY: Fortran passes the addresses of two numbers.
    unsafe { base.read_unaligned().wrapping_add(distance.read_unaligned()) }
});
entry!(mpi_aint_diff_, pmpi_aint_diff_, mpi_aint_diff_f08_, pmpir_aint_diff_f08_: (
    first: *const i64, second: *const i64
) -> i64 {
    // SAFETY: Fortran passes the addresses of two numbers.
    unsafe { first.read_unaligned().wrapping_sub(second.read_unaligned()) }
});

// For profiling layers; does nothing here. It has no error code in Fortran, and more arguments in C.
entry!(MPI_Pcontrol, PMPI_Pcontrol: (_level: c_int) -> c_int { 0 });
entry!(mpi_pcontrol_, pmpi_pcontrol_, mpi_pcontrol_f08_, pmpir_pcontrol_f08_: (_level: *const c_int) {});
const _: [u32; 3] = [
    row("MPI_Aint_add"),
    row("MPI_Aint_diff"),
    row("MPI_Pcontrol"),
];
