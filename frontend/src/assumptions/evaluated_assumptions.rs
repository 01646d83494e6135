//! Assumed conditions that are still evaluated: `if (norm(r) < tol) exit` where `norm` communicates. Its calls stay, their
//! results are unused ([`crate::effects::unused_results`]), and its outcome is the assumed one
//! ([`crate::graphs::assumed_outcomes`]).

use crate::effects::model::Model;
use crate::ir::references;
use crate::ir::{Callee, Expression, ProcedureId};

/// Whether evaluating a condition may do more than answer, so that it is evaluated whatever is assumed of it.
pub(crate) fn has_side_effects(model: &Model, condition: &Expression) -> bool {
    let writes = |p: &ProcedureId| {
        model
            .effects
            .summaries
            .get(*p)
            .writes
            .iter()
            .next()
            .is_some()
    };
    let has_side_effects = |callee: &Callee| {
        let Model { calls, .. } = model;
        calls.call_reaches_mpi(callee)
            || calls.is_unknown(callee)
            || calls.targets(callee).iter().any(writes)
    };
    references::calls(condition)
        .iter()
        .any(|call| has_side_effects(call.callee))
}
