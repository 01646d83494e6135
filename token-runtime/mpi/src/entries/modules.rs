//! What a program meets of MPI that is no function of it: procedures of MPICH's module `mpi_f08` that
//! programs compiled with it call (comparisons of handles, conversions of statuses), functions that
//! the standard defines for attributes and conversions, and the C functions that turn handles and
//! statuses into Fortran's.

use super::set_error;
use native::entry;
use std::ffi::{c_int, c_void};
use token_runtime::mpich::status;

/// A status as it lies in memory, the same in all languages.
type Words = [c_int; status::SIZE];

macro_rules! comparisons {
    ($($handle:ident)+) => { ::paste::paste! {$(
        entry!(
            [<__mpi_f08_types_MOD_mpi_ $handle _eq>], [<__mpi_f08_types_MOD_mpi_ $handle _f08_eq_f>],
            [<__mpi_f08_types_MOD_mpi_ $handle _f_eq_f08>]: (a: *const c_int, b: *const c_int) -> c_int {
                // SAFETY: Fortran passes two handles.
                unsafe { (a.read() == b.read()).into() }
            }
        );
        entry!(
            [<__mpi_f08_types_MOD_mpi_ $handle _neq>], [<__mpi_f08_types_MOD_mpi_ $handle _f08_neq_f>],
            [<__mpi_f08_types_MOD_mpi_ $handle _f_neq_f08>]: (a: *const c_int, b: *const c_int) -> c_int {
                // SAFETY: Fortran passes two handles.
                unsafe { (a.read() != b.read()).into() }
            }
        );
    )+} };
}

comparisons! { comm datatype errhandler file group info message op request session win }

/// `MPI_SIZEOF` of MPICH's modules: a procedure for each type and kind.
macro_rules! sizes {
    ($($size:literal: $($symbol:ident)+;)+) => {$(
        entry!($($symbol),+: (_x: *const c_void, size: *mut c_int, ierror: *mut c_int) {
            set_error(size, $size);
            set_error(ierror, 0);
        });
    )+};
}

sizes! {
    1: __mpi_sizeofs_MOD_mpi_sizeof_ch __mpi_sizeofs_MOD_mpi_sizeof_chv
        __mpi_sizeofs_MOD_mpi_sizeof_i1 __mpi_sizeofs_MOD_mpi_sizeof_i1v
        __mpi_f08_types_MOD_mpi_sizeof_character __mpi_f08_types_MOD_mpi_sizeof_xint8;
    2: __mpi_sizeofs_MOD_mpi_sizeof_i2 __mpi_sizeofs_MOD_mpi_sizeof_i2v
        __mpi_f08_types_MOD_mpi_sizeof_xint16;
    4: __mpi_sizeofs_MOD_mpi_sizeof_i __mpi_sizeofs_MOD_mpi_sizeof_iv
        __mpi_sizeofs_MOD_mpi_sizeof_l __mpi_sizeofs_MOD_mpi_sizeof_lv
        __mpi_sizeofs_MOD_mpi_sizeof_r __mpi_sizeofs_MOD_mpi_sizeof_rv
        __mpi_f08_types_MOD_mpi_sizeof_logical __mpi_f08_types_MOD_mpi_sizeof_xint32
        __mpi_f08_types_MOD_mpi_sizeof_xreal32;
    8: __mpi_sizeofs_MOD_mpi_sizeof_i8 __mpi_sizeofs_MOD_mpi_sizeof_i8v
        __mpi_sizeofs_MOD_mpi_sizeof_d __mpi_sizeofs_MOD_mpi_sizeof_dv
        __mpi_sizeofs_MOD_mpi_sizeof_cx __mpi_sizeofs_MOD_mpi_sizeof_cxv
        __mpi_f08_types_MOD_mpi_sizeof_xint64 __mpi_f08_types_MOD_mpi_sizeof_xreal64
        __mpi_f08_types_MOD_mpi_sizeof_xcomplex32;
    16: __mpi_f08_types_MOD_mpi_sizeof_xreal128 __mpi_f08_types_MOD_mpi_sizeof_xcomplex64;
    32: __mpi_f08_types_MOD_mpi_sizeof_xcomplex128;
}

entry!(
    MPI_Status_c2f, PMPI_Status_c2f, MPI_Status_f2c, PMPI_Status_f2c, MPI_Status_f082c, PMPI_Status_f082c,
    MPI_Status_c2f08, PMPI_Status_c2f08, MPI_Status_f082f, PMPI_Status_f082f, MPI_Status_f2f08,
    PMPI_Status_f2f08: (from: *const Words, to: *mut Words) -> c_int {
        // SAFETY: the program passes two statuses.
        unsafe { to.write_unaligned(from.read_unaligned()) };
        0
    }
);
entry!(
    __mpi_f08_types_MOD_mpi_status_f082f, __mpi_f08_types_MOD_mpi_status_f2f08: (
        from: *const Words, to: *mut Words, ierror: *mut c_int
    ) {
        // SAFETY: the program passes two statuses.
        unsafe { to.write_unaligned(from.read_unaligned()) };
        set_error(ierror, 0);
    }
);

// Files are not supported: there is none but `MPI_FILE_NULL`, which is 0.
entry!(MPI_File_c2f, PMPI_File_c2f: (_file: *mut c_void) -> c_int { 0 });
entry!(MPI_File_f2c, PMPI_File_f2c: (_file: c_int) -> *mut c_void { std::ptr::null_mut() });

// `MPI_F_sync_reg` has an effect at compile time only: the compiler assumes that the call may change the buffer.
entry!(mpi_f_sync_reg_, pmpi_f_sync_reg_, mpi_f_sync_reg_f08ts_, pmpir_f_sync_reg_f08ts_: (_buffer: *mut c_void) {});

entry!(MPIR_Dup_fn: (
    _old: c_int, _keyval: c_int, _extra: *mut c_void, value: *mut c_void, to: *mut *mut c_void, flag: *mut c_int
) -> c_int {
    // SAFETY: the standard defines `to` and `flag` as output arguments of a copy function: the library, or the program
    // that calls it, passes the addresses of a pointer and of an integer. Neither need be aligned.
    unsafe {
        to.write_unaligned(value);
        flag.write_unaligned(1);
    }
    0
});

macro_rules! attribute_functions {
    ($word:ty: $($duplicate:ident)+, $($null_copy:ident)+, $($null_delete:ident)+) => {
        entry!($($duplicate),+: (
            _old: *const c_int, _keyval: *const c_int, _extra: *const $word, value: *const $word,
            to: *mut $word, flag: *mut c_int, ierror: *mut c_int
        ) {
            // SAFETY: Fortran passes all arguments by reference, and a copy function has an input attribute value, an
            // output attribute value of the same kind, and an output flag.
            unsafe {
                to.write_unaligned(value.read_unaligned());
                flag.write_unaligned(1);
            }
            set_error(ierror, 0);
        });
        entry!($($null_copy),+: (
            _old: *const c_int, _keyval: *const c_int, _extra: *const $word, _value: *const $word,
            _to: *mut $word, flag: *mut c_int, ierror: *mut c_int
        ) {
            // SAFETY: `flag` is an output argument of a copy function, which Fortran passes by reference.
            unsafe { flag.write_unaligned(0) };
            set_error(ierror, 0);
        });
        entry!($($null_delete),+: (
            _handle: *const c_int, _keyval: *const c_int, _value: *const $word, _extra: *const $word,
            ierror: *mut c_int
        ) {
            set_error(ierror, 0);
        });
    };
}

attribute_functions! {
    i64:
    mpi_comm_dup_fn_ pmpi_comm_dup_fn_ __mpi_f08_callbacks_MOD_mpi_comm_dup_fn
    mpi_type_dup_fn_ pmpi_type_dup_fn_ __mpi_f08_callbacks_MOD_mpi_type_dup_fn
    mpi_win_dup_fn_ pmpi_win_dup_fn_ __mpi_f08_callbacks_MOD_mpi_win_dup_fn,
    mpi_comm_null_copy_fn_ pmpi_comm_null_copy_fn_ __mpi_f08_callbacks_MOD_mpi_comm_null_copy_fn
    mpi_type_null_copy_fn_ pmpi_type_null_copy_fn_ __mpi_f08_callbacks_MOD_mpi_type_null_copy_fn
    mpi_win_null_copy_fn_ pmpi_win_null_copy_fn_ __mpi_f08_callbacks_MOD_mpi_win_null_copy_fn,
    mpi_comm_null_delete_fn_ pmpi_comm_null_delete_fn_ __mpi_f08_callbacks_MOD_mpi_comm_null_delete_fn
    mpi_type_null_delete_fn_ pmpi_type_null_delete_fn_ __mpi_f08_callbacks_MOD_mpi_type_null_delete_fn
    mpi_win_null_delete_fn_ pmpi_win_null_delete_fn_ __mpi_f08_callbacks_MOD_mpi_win_null_delete_fn
}

attribute_functions! {
    c_int:
    mpi_dup_fn_ pmpi_dup_fn_,
    mpi_null_copy_fn_ pmpi_null_copy_fn_,
    mpi_null_delete_fn_ pmpi_null_delete_fn_
}

// Marks the lack of a conversion; it is never called.
entry!(
    mpi_conversion_fn_null_, pmpi_conversion_fn_null_, __mpi_f08_callbacks_MOD_mpi_conversion_fn_null,
    __mpi_f08_callbacks_MOD_mpi_conversion_fn_null_c: () {}
);
