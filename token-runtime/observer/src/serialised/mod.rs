//! One rank of a computer computes at a time: how an oversubscribed computer gives computation times
//! of ranks that have a core to themselves.
//!
//! There is one token per computer and run. A rank has it while it computes and while it works
//! inside MPI; when a call has to wait for other ranks, the token goes round (`waiting`). `queue`
//! says whose turn it is, `token` sleeps and wakes, `segment` is the memory they share, `nonblocking_substitute`
//! says what is called for each function of MPI, `substitute_function` finds it, `exchange` is the one of two directions.

mod exchange;
mod nonblocking_substitute;
mod queue;
mod segment;
mod substitute_function;
mod token;
mod waiting;

use crate::family::{Family, Numbers};
use crate::mpi::Mpi;
use crate::passed_arguments::{Binding, PassedArguments};
use crate::real_functions::InterposedFunction;
use crate::rows::Row;
use native::affinity;
use nonblocking_substitute::NonblockingSubstitute;
use segment::Segment;
use std::io;
use std::sync::OnceLock;
use substitute_function::SubstituteFunction;
use token::Token;
use waiting::{Called, Waiting};

/// What is called, the same for all threads of a rank.
struct Table {
    /// By row of the table of MPI functions: arguments, and what is called.
    rows: Vec<(usize, NonblockingSubstitute)>,
    test: SubstituteFunction,
    barrier: SubstituteFunction,
    family: Family,
    numbers: Numbers,
}

/// Set when one rank at a time is to compute.
static TABLE: OnceLock<Table> = OnceLock::new();

/// A rank that computes one at a time with the others of its computer.
pub struct SerialisedExecution {
    table: &'static Table,
    token: Token,
}

impl SerialisedExecution {
    /// From now on this rank has the token whenever the program runs, and runs on the processor of
    /// all others of its computer if it may be `bound`. All ranks of the run call it.
    ///
    /// # Errors
    ///
    /// The ranks of this computer have no memory that they could share.
    pub fn begin(mpi: &Mpi, rows: &[Row], bound: bool) -> io::Result<Self> {
        let table = TABLE.get_or_init(|| Table {
            rows: rows
                .iter()
                .map(|row| {
                    (
                        row.function.arguments.len(),
                        nonblocking_substitute::of(row),
                    )
                })
                .collect(),
            test: SubstituteFunction::new("MPI_Test"),
            barrier: SubstituteFunction::new("MPI_Ibarrier"),
            family: mpi.family,
            numbers: mpi.family.numbers(),
        });
        let here = affinity::here()
            .and_then(|here| i32::try_from(here).ok())
            .unwrap_or(-1);
        let (segment, processor) = Segment::share(mpi, here)?;
        let mut token = Token::new(segment, u32::try_from(processor).ok().filter(|_| bound));
        token.begin();
        Ok(Self { table, token })
    }

    /// Does what a call asks for; the token may be others' meanwhile.
    ///
    /// # Safety
    ///
    /// `passed` is what a program passed to the function of this entry.
    pub unsafe fn call(&mut self, entry: &InterposedFunction, passed: &PassedArguments) -> usize {
        // SAFETY: `Table::call` has the same requirement as this function, and both arguments go on unchanged.
        unsafe { self.table.call(Some(&mut self.token), entry, passed) }
    }

    /// Does something that waits in ways that are not known.
    pub fn without_token<T>(&mut self, wait: impl FnOnce() -> T) -> T {
        self.token.without(wait)
    }

    /// Waits for all ranks of the run.
    pub fn barrier(&mut self, mpi: &Mpi) {
        let mut waiting = Waiting {
            token: Some(&mut self.token),
            test: &self.table.test,
        };
        if self.table.barrier.exists(Binding::C) {
            // SAFETY: the world is a handle in C's form, the barrier exists in this binding, as has been checked.
            unsafe { waiting.gather(Binding::C, &self.table.barrier, mpi.world) }
        }
    }

    /// The rank needs the token no longer.
    pub fn end(mut self) {
        self.token.end();
    }
}

/// A call beside the one that is observed, by another thread: other ranks may make it as the observed
/// one, and collectives that wait do not match those that do not.
///
/// # Safety
///
/// `words` are what a program passed to the function of this entry.
pub unsafe fn call_unobserved(entry: &InterposedFunction, words: &mut [usize]) -> usize {
    // SAFETY: `words` belong to `entry` (see Safety), so `PassedArguments` reads them in the entry's binding; both
    // branches call the function of that entry with them.
    unsafe {
        match TABLE.get() {
            Some(table) => table.call(
                None,
                entry,
                &PassedArguments::new(words, entry.binding, table.family),
            ),
            None => entry.call(words),
        }
    }
}

impl Table {
    /// # Safety
    ///
    /// `passed` is what a program passed to the function of this entry.
    unsafe fn call(
        &self,
        token: Option<&mut Token>,
        entry: &InterposedFunction,
        passed: &PassedArguments,
    ) -> usize {
        let (arguments, substitute) = &self.rows[entry.row as usize];
        let called = Called {
            entry,
            passed,
            arguments: *arguments,
            numbers: &self.numbers,
        };
        // SAFETY: `called` combines `passed` with its entry (see Safety), and the substitute comes from that entry's row.
        unsafe {
            Waiting {
                token,
                test: &self.test,
            }
            .call(substitute, called)
        }
    }
}
