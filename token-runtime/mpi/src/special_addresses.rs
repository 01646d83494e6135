//! Data that programs refer to by name and whose addresses alone mean something: COMMON blocks with
//! Fortran's special addresses, variables of `use mpi_f08`, and the C constants that are pointers.
//!
//! A Fortran program has copies of its own of the blocks and variables. They are here only so that
//! the linker puts the program's into its table of dynamic symbols, where `native::fortran` finds
//! them.

use std::cell::UnsafeCell;
use std::ffi::c_int;

/// Bytes that nobody reads or writes; only their address counts.
#[repr(C, align(32))]
pub struct Place<const BYTES: usize>(UnsafeCell<[u8; BYTES]>);

// SAFETY: the content is never accessed from Rust.
unsafe impl<const BYTES: usize> Sync for Place<BYTES> {}

impl<const BYTES: usize> Place<BYTES> {
    const fn new() -> Self {
        Self(UnsafeCell::new([0; BYTES]))
    }
}

macro_rules! places {
    ($($name:ident $bytes:literal)+) => {$(
        // SAFETY: the names belong to the ABI; the program's own take precedence.
        #[allow(non_upper_case_globals)]
        #[unsafe(no_mangle)]
        pub static $name: Place<$bytes> = Place::new();
    )+};
}

places! {
    mpipriv1_ 28
    mpipriv2_ 24
    mpiprivc_ 2
    mpifcmb5_ 4
    mpifcmb9_ 4
    MPIR_F08_MPI_BOTTOM 4
    MPIR_F08_MPI_IN_PLACE 4
    MPIR_F08_MPI_STATUS_IGNORE_OBJ 20
    MPIR_F08_MPI_STATUSES_IGNORE_OBJ 20
    __mpi_f08_link_constants_MOD_mpi_unweighted 4
    __mpi_f08_link_constants_MOD_mpi_weights_empty 4
    __mpi_f08_link_constants_MOD_mpi_errcodes_ignore 4
    __mpi_f08_link_constants_MOD_mpi_argv_null 1
    __mpi_f08_link_constants_MOD_mpi_argvs_null 1
}

/// A constant that is a pointer.
#[repr(transparent)]
pub struct Pointer(*const c_int);

// SAFETY: it is never changed, and what it points to is never accessed.
unsafe impl Sync for Pointer {}

impl Pointer {
    const fn to<const BYTES: usize>(place: &'static Place<BYTES>) -> Self {
        Self(std::ptr::from_ref(place).cast())
    }

    /// The address it holds.
    pub fn address(&self) -> usize {
        self.0 as usize
    }
}

static UNWEIGHTED: Place<4> = Place::new();
static WEIGHTS_EMPTY: Place<4> = Place::new();
static PVAR_ALL_HANDLES: Place<4> = Place::new();
static F_STATUS_IGNORE: Place<20> = Place::new();
static F_STATUSES_IGNORE: Place<20> = Place::new();

macro_rules! pointers {
    ($($name:ident $place:ident)+) => {$(
        // SAFETY: the names belong to the ABI.
        #[unsafe(no_mangle)]
        pub static $name: Pointer = Pointer::to(&$place);
    )+};
}

pointers! {
    MPI_UNWEIGHTED UNWEIGHTED
    MPI_WEIGHTS_EMPTY WEIGHTS_EMPTY
    MPI_T_PVAR_ALL_HANDLES PVAR_ALL_HANDLES
    MPI_F_STATUS_IGNORE F_STATUS_IGNORE
    MPI_F_STATUSES_IGNORE F_STATUSES_IGNORE
    MPI_F08_STATUS_IGNORE MPIR_F08_MPI_STATUS_IGNORE_OBJ
    MPI_F08_STATUSES_IGNORE MPIR_F08_MPI_STATUSES_IGNORE_OBJ
}
