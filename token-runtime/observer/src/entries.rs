//! PMPI interposition: the symbols that programs call, one for every name of every function of the table and of those
//! that are left out (written by the build script), and the clocks, which return a real number.

use crate::calls;
use crate::passed_arguments::Binding;
use crate::real_functions::InterposedFunction;
use crate::unsupported;

macro_rules! entries {
    ($what:ident $function:literal, $binding:ident: $($symbol:ident),+;
        [$($name:literal),+], ($($argument:tt)*), [$($word:ident),*]) => {
        native::entry! {
            $($symbol),+: ($($argument)*) -> usize {
                static ENTRY: InterposedFunction = InterposedFunction::new(entries!(@row $what $function), Binding::$binding, &[$($name),+]);
                // SAFETY: these are the words that the program passed to this function.
                unsafe { entries!(@body $what $function, &ENTRY, &mut [$($word),*]) }
            }
        }
    };
    (@row observed $row:literal) => { $row };
    (@row unsupported $name:literal) => { 0 };
    (@row waiting $name:literal) => { 0 };
    (@body observed $row:literal, $entry:expr, $words:expr) => { calls::enter($entry, $words) };
    (@body unsupported $name:literal, $entry:expr, $words:expr) => { unsupported::pass($entry, $name, $words) };
    (@body waiting $name:literal, $entry:expr, $words:expr) => { unsupported::wait($entry, $words) };
}

include!(concat!(env!("OUT_DIR"), "/entries.rs"));

macro_rules! clock {
    ($($symbol:ident $name:literal = $body:path;)+) => {$(
        native::entry! {
            $symbol: () -> f64 {
                static ENTRY: InterposedFunction = InterposedFunction::new(0, Binding::C, &[$name]);
                // SAFETY: clocks take nothing.
                unsafe { $body(&ENTRY) }
            }
        }
    )+};
}

clock! {
    MPI_Wtime c"MPI_Wtime" = calls::read_clock;
    mpi_wtime_ c"mpi_wtime_" = calls::read_clock;
    mpi_wtime__ c"mpi_wtime__" = calls::read_clock;
    mpi_wtime c"mpi_wtime" = calls::read_clock;
    MPI_WTIME c"MPI_WTIME" = calls::read_clock;
    mpi_wtime_f08_ c"mpi_wtime_f08_" = calls::read_clock;
    MPI_Wtick c"MPI_Wtick" = calls::ask_clock;
    mpi_wtick_ c"mpi_wtick_" = calls::ask_clock;
    mpi_wtick__ c"mpi_wtick__" = calls::ask_clock;
    mpi_wtick c"mpi_wtick" = calls::ask_clock;
    MPI_WTICK c"MPI_WTICK" = calls::ask_clock;
    mpi_wtick_f08_ c"mpi_wtick_f08_" = calls::ask_clock;
}
