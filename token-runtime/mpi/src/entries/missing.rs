//! Functions of MPI that the library does not have yet: each is there under all its names, so that
//! programs that may call it start, and a call ends the run with a sentence that names it. The build
//! script lists those whose rows in the table of MPI functions say so.

use crate::guard;

/// `"MPI_Put": symbols, …;`: nothing is read of the arguments.
macro_rules! missing {
    ($($name:literal: $($symbol:ident),+;)+) => {$(
        native::entry! { $($symbol),+: () { guard::missing($name) } }
    )+};
}

include!(concat!(env!("OUT_DIR"), "/missing.rs"));
