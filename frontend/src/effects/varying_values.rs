//! Sources of nondeterminism: procedures that read a clock, random numbers without a seed, and intrinsic procedures that
//! return properties of the process and its machine. What depends on them is in
//! [`crate::nondeterminism::clock_dependence`].

use crate::effects::model::Model;
use crate::graphs::call_graph::{self, Call, CallGraph};
use crate::ir::{Callee, Expression, Program, Storage};
use base_data::mpi::FunctionKind;

/// Intrinsic procedures of compilers and OpenMP that read a clock.
const INTRINSIC_CLOCKS: [&str; 15] = [
    "system_clock",
    "cpu_time",
    "date_and_time",
    "second",
    "secnds",
    "etime",
    "dtime",
    "mclock",
    "mclock8",
    "time",
    "time8",
    "itime",
    "idate",
    "fdate",
    "omp_get_wtime",
];

/// Words in the names of procedures without source that read a clock.
const CLOCK_WORDS: [&str; 3] = ["time", "clock", "second"];

/// Intrinsic procedures of compilers that return a property of the process or its machine which differs between runs.
const OF_THE_RUN: [&str; 2] = ["getpid", "hostnm"];

/// Longest chain of named constants that is followed.
const MAX_DEPTH: u32 = 8;

/// A kind of value that differs between runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Nondeterminism {
    /// A clock.
    Clock,
    /// A random number without a seed.
    RandomNumber,
    /// The number of a process, or the name of its machine.
    Process,
}

/// Whether a procedure without source reads a clock: as symbols show, otherwise by its name. The absence of a symbol proves nothing,
/// since an instruction may read a clock.
pub(crate) fn is_clock(graph: &CallGraph, callee: &Callee, arguments: usize) -> bool {
    // A trusted library reads clocks for its own purposes.
    if let Some(effects) = graph.proven(callee)
        && effects.clock
        && !effects.process
    {
        return true;
    }
    match callee {
        // MPI_Wtick returns the resolution of the clock, which is constant.
        Callee::Mpi(function) => {
            function.kind == FunctionKind::Clock && function.name != "MPI_Wtick"
        }
        Callee::Intrinsic(name) => INTRINSIC_CLOCKS.contains(&name.as_str()),
        // The name is the only evidence. Timers take at most their number as an argument; more arguments suggest a
        // procedure that computes something.
        Callee::External(name) => {
            arguments <= 1 && CLOCK_WORDS.iter().any(|word| name.contains(word))
        }
        Callee::Procedure(_) | Callee::OneOf(_) | Callee::UnknownMpi(_) | Callee::Variable(_) => {
            false
        }
    }
}

/// Whether an intrinsic procedure returns a value that its arguments do not determine: a clock, a process.
pub(crate) fn is_nondeterministic(intrinsic: &str) -> bool {
    INTRINSIC_CLOCKS.contains(&intrinsic) || OF_THE_RUN.contains(&intrinsic)
}

/// The nondeterministic value that a call returns, if any; `is_seeded` is a property of the program.
pub(crate) fn read_by(graph: &CallGraph, call: &Call, is_seeded: bool) -> Option<Nondeterminism> {
    match call.callee {
        callee if is_clock(graph, callee, call.arguments.len()) => Some(Nondeterminism::Clock),
        Callee::Intrinsic(name) if name == "random_number" && !is_seeded => {
            Some(Nondeterminism::RandomNumber)
        }
        Callee::Intrinsic(name) | Callee::External(name) if OF_THE_RUN.contains(&name.as_str()) => {
            Some(Nondeterminism::Process)
        }
        _ => None,
    }
}

/// Whether a program sets the seed of its random numbers; otherwise the operating system does.
pub(crate) fn is_seeded(model: &Model) -> bool {
    let mut is_seeded = false;
    for id in model.outline.all() {
        for call in call_graph::calls(&model.program.statement(id).kind) {
            match seeds(model.program, &call) {
                Some(true) => is_seeded = true,
                Some(false) => return false,
                None => {}
            }
        }
    }
    is_seeded
}

/// Whether a call makes random numbers the same in each run; `None` if it does not change the seed.
fn seeds(program: &Program, call: &Call) -> Option<bool> {
    let Callee::Intrinsic(name) = call.callee else {
        return None;
    };
    match name.as_str() {
        "random_init" => match call.arguments.first() {
            Some(Some(repeatable)) => Some(is_true(program, repeatable, MAX_DEPTH)),
            _ => Some(false),
        },
        // The second argument, PUT, sets the seed; the others only read it.
        "random_seed" => match call.arguments.get(1) {
            Some(Some(_put)) => Some(true),
            _ => None,
        },
        _ => None,
    }
}

/// Whether an expression is a true constant; at most `depth` named constants are followed.
fn is_true(program: &Program, expression: &Expression, depth: u32) -> bool {
    match expression {
        Expression::Literal(text) => {
            // `.true._4` names a kind.
            let value = text.split('_').next().unwrap_or_default();
            value.eq_ignore_ascii_case(".true.")
        }
        Expression::Variable(variable) => match &program.variable(*variable).storage {
            Storage::Constant(Some(value)) if depth > 0 => is_true(program, value, depth - 1),
            _ => false,
        },
        _ => false,
    }
}
