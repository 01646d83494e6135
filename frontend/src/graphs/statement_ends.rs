//! How a statement ends: whether the run may end, or always ends, in it, given how the procedures that it calls do.

use crate::graphs::assumed_outcomes::Assumed;
use crate::graphs::call_graph::{self, CallGraph};
use crate::ir::statement_tree::Outline;
use crate::ir::{Callee, Program, StatementId, StatementKind};
use base_data::mpi::FunctionKind;

/// How a procedure may end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Terminations {
    /// The run may end in it.
    pub(crate) may_stop: bool,
    /// It never returns.
    pub(crate) never_returns: bool,
}

/// What the flow of one procedure depends on beside its statements.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub(crate) program: &'a Program,
    pub(crate) outline: &'a Outline,
    pub(crate) calls: &'a CallGraph,
    /// What is assumed; index = statement id.
    pub(crate) assumed: &'a [Assumed],
    /// By procedure id.
    pub(crate) ends: &'a [Terminations],
}

/// Whether the run may end, or always ends, in a statement itself.
pub(crate) fn statement_ends(id: StatementId, surroundings: Surroundings) -> Terminations {
    let kind = &surroundings.program.statement(id).kind;
    if matches!(kind, StatementKind::Stop) {
        return Terminations {
            may_stop: true,
            never_returns: true,
        };
    }
    let mut ends = Terminations::default();
    if !surroundings.calls.has_calls[id.0 as usize] {
        return ends;
    }
    for call in call_graph::calls(kind) {
        let callee = call_ends(call.callee, surroundings);
        ends.may_stop |= callee.may_stop;
        ends.never_returns |= callee.never_returns;
    }
    ends
}

fn call_ends(callee: &Callee, surroundings: Surroundings) -> Terminations {
    match callee {
        Callee::Procedure(procedure) => surroundings.ends[procedure.0 as usize],
        Callee::OneOf(all) => {
            let ends = all
                .iter()
                .map(|procedure| surroundings.ends[procedure.0 as usize]);
            Terminations {
                may_stop: ends.clone().any(|one| one.may_stop),
                never_returns: ends.clone().count() > 0
                    && ends.clone().all(|one| one.never_returns),
            }
        }
        Callee::Mpi(function) => {
            let aborts = function.kind == FunctionKind::Abort;
            Terminations {
                may_stop: aborts,
                never_returns: aborts,
            }
        }
        Callee::External(_) => Terminations {
            may_stop: surroundings.calls.is_unknown(callee),
            never_returns: false,
        },
        Callee::Variable(_) => {
            let targets = surroundings.calls.targets(callee);
            let any = targets
                .iter()
                .any(|procedure| surroundings.ends[procedure.0 as usize].may_stop);
            Terminations {
                may_stop: any || surroundings.calls.is_unknown(callee),
                never_returns: false,
            }
        }
        Callee::UnknownMpi(_) | Callee::Intrinsic(_) => Terminations::default(),
    }
}
