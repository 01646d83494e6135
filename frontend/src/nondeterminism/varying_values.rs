//! What is another one in each run: which procedures read a clock, which random numbers nobody seeds, which intrinsic
//! procedures tell of the process and its machine. What depends on it is in [`crate::nondeterminism::clock_dependence`].

use crate::effects::model::Model;
use crate::graphs::call_graph::{self, Call};
use crate::ir::{Callee, Expression, Program, StatementId, Storage};
use base_data::mpi::Kind;

/// Intrinsic procedures of compilers, and OpenMP's, that read a clock.
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

/// Procedures of compilers that tell of the process or its machine what no program can rely on.
const OF_THE_RUN: [&str; 2] = ["getpid", "hostnm"];

/// Names of constants that are followed in each other.
const MAX_DEPTH: u32 = 8;

/// Something that is another one in each run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Nondeterminism {
    /// A clock.
    Clock,
    /// A random number without a seed.
    RandomNumber,
    /// The number of a process, or the name of its machine.
    Process,
}

/// Whether a procedure that is not the program's reads a clock.
pub(crate) fn is_clock(callee: &Callee, arguments: usize) -> bool {
    match callee {
        Callee::Mpi(function) => function.kind == Kind::Clock && function.name != "MPI_Wtick",
        Callee::Intrinsic(name) => INTRINSIC_CLOCKS.contains(&name.as_str()),
        Callee::External(name) => {
            arguments <= 1 && CLOCK_WORDS.iter().any(|word| name.contains(word))
        }
        Callee::Procedure(_) | Callee::OneOf(_) | Callee::UnknownMpi(_) | Callee::Variable(_) => {
            false
        }
    }
}

/// Whether an intrinsic procedure answers what no argument tells: a clock, a process.
pub(crate) fn is_nondeterministic(intrinsic: &str) -> bool {
    INTRINSIC_CLOCKS.contains(&intrinsic) || OF_THE_RUN.contains(&intrinsic)
}

/// What of this kind a call asks for; `is_seeded` of the program.
pub(crate) fn read_by(call: &Call, is_seeded: bool) -> Option<Nondeterminism> {
    match call.callee {
        callee if is_clock(callee, call.arguments.len()) => Some(Nondeterminism::Clock),
        Callee::Intrinsic(name) if name == "random_number" && !is_seeded => {
            Some(Nondeterminism::RandomNumber)
        }
        Callee::Intrinsic(name) | Callee::External(name) if OF_THE_RUN.contains(&name.as_str()) => {
            Some(Nondeterminism::Process)
        }
        _ => None,
    }
}

/// Whether a program says where its random numbers begin; otherwise the operating system does.
pub(crate) fn is_seeded(model: &Model) -> bool {
    let seeds = |id: StatementId| {
        let calls = call_graph::calls(&model.program.statement(id).kind);
        calls
            .iter()
            .filter_map(|call| seeds(model.program, call))
            .collect::<Vec<bool>>()
    };
    let all: Vec<bool> = model.outline.all().flat_map(seeds).collect();
    !all.is_empty() && !all.contains(&false)
}

/// Whether a call makes random numbers the same in each run; `None` if it leaves them.
fn seeds(program: &Program, call: &Call) -> Option<bool> {
    let Callee::Intrinsic(name) = call.callee else {
        return None;
    };
    let given = |position: usize| call.arguments.get(position).copied().flatten();
    match name.as_str() {
        "random_init" => {
            Some(given(0).is_some_and(|repeatable| is_true(program, repeatable, MAX_DEPTH)))
        }
        "random_seed" => given(1).map(|_put| true),
        _ => None,
    }
}

/// Whether an expression is a constant that is true; `names` of constants may be followed.
fn is_true(program: &Program, expression: &Expression, names: u32) -> bool {
    match expression {
        Expression::Literal(text) => text
            .split('_')
            .next()
            .is_some_and(|value| value.eq_ignore_ascii_case(".true.")),
        Expression::Variable(variable) => match &program.variable(*variable).storage {
            Storage::Constant(Some(value)) if names > 0 => is_true(program, value, names - 1),
            _ => false,
        },
        _ => false,
    }
}
