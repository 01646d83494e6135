//! Data that programs refer to by name and whose addresses alone mean something: COMMON blocks with
//! Fortran's special addresses, variables of `use mpi_f08`, and the C constants that are pointers.
//!
//! A Fortran program has copies of its own of the blocks and variables. They are here only so that
//! the linker puts the program's into its table of dynamic symbols, where `native::fortran` finds
//! them.

use std::cell::UnsafeCell;
use std::ffi::c_int;

/// Symbols whose content is never read or written: only their address matters, and for the dynamic loader their
/// size.
#[repr(transparent)]
pub struct SymbolStorage<T, const COUNT: usize>(UnsafeCell<[T; COUNT]>);

// SAFETY: the content is never accessed from Rust.
unsafe impl<T, const COUNT: usize> Sync for SymbolStorage<T, COUNT> {}

impl<const COUNT: usize> SymbolStorage<c_int, COUNT> {
    const fn new() -> Self {
        Self(UnsafeCell::new([0; COUNT]))
    }
}

impl<const COUNT: usize> SymbolStorage<u8, COUNT> {
    const fn new_text() -> Self {
        Self(UnsafeCell::new([0; COUNT]))
    }
}

macro_rules! places {
    ($($name:ident $kind:ty, $count:literal, $new:ident;)+) => {$(
        // SAFETY: the names belong to the ABI; the program's own take precedence.
        #[allow(non_upper_case_globals)]
        #[unsafe(no_mangle)]
        pub static $name: SymbolStorage<$kind, $count> = SymbolStorage::$new();
    )+};
}

places! {
    mpipriv1_ c_int, 7, new;
    mpipriv2_ c_int, 6, new;
    mpiprivc_ u8, 2, new_text;
    mpifcmb5_ c_int, 1, new;
    mpifcmb9_ c_int, 1, new;
    MPIR_F08_MPI_BOTTOM c_int, 1, new;
    MPIR_F08_MPI_IN_PLACE c_int, 1, new;
    MPIR_F08_MPI_STATUS_IGNORE_OBJ c_int, 5, new;
    MPIR_F08_MPI_STATUSES_IGNORE_OBJ c_int, 5, new;
    __mpi_f08_link_constants_MOD_mpi_unweighted c_int, 1, new;
    __mpi_f08_link_constants_MOD_mpi_weights_empty c_int, 1, new;
    __mpi_f08_link_constants_MOD_mpi_errcodes_ignore c_int, 1, new;
    __mpi_f08_link_constants_MOD_mpi_argv_null u8, 1, new_text;
    __mpi_f08_link_constants_MOD_mpi_argvs_null u8, 1, new_text;
}

/// A constant that is a pointer.
#[repr(transparent)]
pub struct Pointer(*const c_int);

// SAFETY: it is never changed, and what it points to is never accessed.
unsafe impl Sync for Pointer {}

impl Pointer {
    const fn to<const COUNT: usize>(place: &'static SymbolStorage<c_int, COUNT>) -> Self {
        Self(std::ptr::from_ref(place).cast())
    }

    /// The address it holds.
    pub fn address(&self) -> usize {
        self.0 as usize
    }
}

static UNWEIGHTED: SymbolStorage<c_int, 1> = SymbolStorage::new();
static WEIGHTS_EMPTY: SymbolStorage<c_int, 1> = SymbolStorage::new();
static PVAR_ALL_HANDLES: SymbolStorage<c_int, 1> = SymbolStorage::new();
static F_STATUS_IGNORE: SymbolStorage<c_int, 5> = SymbolStorage::new();
static F_STATUSES_IGNORE: SymbolStorage<c_int, 5> = SymbolStorage::new();

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
