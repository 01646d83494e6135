//! Libraries of BLAS and LAPACK. Their procedures read and write their arguments, and nothing else that a program could observe: that
//! is their standard ("Basic Linear Algebra Subprograms Technical Forum Standard", 2001; "LAPACK Users' Guide", 1999, chapters 2
//! and 5). Symbols do not prove it: `xerbla` ends the run, and fast implementations create threads, read the environment and select
//! their code when they are loaded.

use super::symbols::{NOTHING, SymbolUse};
use crate::options::is_library;

/// Files of one name: the reference, OpenBLAS, ATLAS, BLIS, ESSL (IBM).
const NAMES: [&str; 17] = [
    "libblas",
    "liblapack",
    "libcblas",
    "liblapacke",
    "libopenblas",
    "libopenblasp",
    "libopenblas64_",
    "libatlas",
    "libsatlas",
    "libtatlas",
    "libf77blas",
    "libblis",
    "libblis-mt",
    "libflame",
    "libgoto2",
    "libessl",
    "libesslsmp",
];

/// Beginnings of the names of families of files: MKL (Intel), AOCL (AMD), the libraries of Arm and NVIDIA.
const FAMILIES: [&str; 6] = [
    "libmkl_",
    "libarmpl",
    "libnvpl_blas",
    "libnvpl_lapack",
    "libopenblas_",
    "libopenblasp-",
];

/// Parts of the names of files in these families that contain more than BLAS and LAPACK: they call MPI.
const DISTRIBUTED: [&str; 3] = ["blacs", "scalapack", "cdft"];

/// What their code may do: procedures that compute eigenvalues or Schur forms call a function that they are passed, to select some.
pub(super) const MAY: SymbolUse = SymbolUse {
    calls_addresses: true,
    sets_errors: true,
    ..NOTHING
};

/// Whether a file contains BLAS or LAPACK, and nothing else.
pub(super) fn is_one(file: &str) -> bool {
    if DISTRIBUTED.iter().any(|part| file.contains(part)) {
        return false;
    }
    NAMES.iter().any(|name| is_library(file, name))
        || FAMILIES.iter().any(|family| file.starts_with(family))
}
