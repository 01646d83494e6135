//! Error exits: branches that can only end the run, without MPI_Finalize or with one of their own, where the run would continue
//! without them. Found by backward reachability in the control-flow graph, from the returns and the calls that may reach
//! MPI_Finalize. Which of them the slice assumes not taken is decided in [`crate::assumptions::proposals`].

use crate::assumptions::user_assumptions;
use crate::effects::model::Model;
use crate::graphs::assumed_outcomes::{Assumed, Clause};
use crate::graphs::call_graph;
use crate::graphs::control_flow_graph::{CfgNode, ControlFlowGraph};
use crate::graphs::statement_ends::Surroundings;
use crate::graphs::termination::CallRounds;
use crate::ir::statement_tree::subtree;
use crate::ir::{Callee, ProcedureId, StatementId, StatementKind};
use base_data::mpi::FunctionKind;
use base_data::program_data::AssumedOutcome;
use std::collections::BTreeSet;

/// Where a program ends for errors.
#[derive(Clone, Debug)]
pub(crate) struct ErrorExits {
    /// Conditions of IFs whose branches can only end the run, where the run would go on without.
    pub(crate) tests: Vec<Clause>,
    /// The same of branches that end MPI first: a run may well end so.
    pub(crate) orderly: Vec<Clause>,
    /// Whether each statement stands in a branch that can only end the run: that of such a condition, or another of an
    /// IF or SELECT CASE, if it sends and receives nothing; index = statement id.
    pub(crate) inside: Vec<bool>,
}

/// The error exits.
pub(crate) fn exits(model: &Model) -> ErrorExits {
    let Model {
        program,
        outline,
        calls,
        ..
    } = model;
    // Exits are found in the program as written; which of them are assumed is decided afterwards.
    let assumed = &vec![Assumed::Nothing; program.statements.len()];
    let rounds = CallRounds::of(program, outline, calls, assumed, None);
    let surroundings = Surroundings {
        program,
        outline,
        calls,
        assumed,
        ends: rounds.last(),
    };
    let reaching = Reaching {
        finalizers: statements_reaching(model, finalizes),
        communicating: statements_reaching(model, communicates),
        exchanging: statements_reaching(model, exchanges),
    };
    let mut found = ErrorExits {
        tests: Vec::new(),
        orderly: Vec::new(),
        inside: vec![false; program.statements.len()],
    };
    for p in (0..program.procedures.len() as u32).map(ProcedureId) {
        let flow = ControlFlowGraph::of(p, surroundings);
        let fatal = fatal(model, &flow, &reaching.finalizers);
        for &id in outline.of_procedure(p) {
            // A statement from which the run always ends is part of an error exit, not the test of one.
            if !fatal[flow.number(CfgNode::Statement(id))] {
                found.add_branches(model, &flow, &fatal, &reaching, id);
            }
        }
    }
    found.orderly = controlling_branch(model, found.orderly, &reaching.finalizers);
    found
}

/// Procedures that may reach some calls; index = procedure id.
struct Reaching {
    finalizers: Vec<bool>,
    communicating: Vec<bool>,
    exchanging: Vec<bool>,
}

impl ErrorExits {
    /// Adds the branches of a statement.
    fn add_branches(
        &mut self,
        model: &Model,
        flow: &ControlFlowGraph,
        fatal: &[bool],
        reaching: &Reaching,
        statement: StatementId,
    ) {
        let is_fatal = |id: StatementId| fatal[flow.number(CfgNode::Statement(id))];
        let bodies = branches(&model.program.statement(statement).kind);
        for (number, body) in bodies.into_iter().enumerate() {
            let clause = Clause { statement, number };
            let mut inner: Vec<StatementId> = Vec::new();
            for &id in body {
                inner.extend(subtree(model.program, id));
            }
            let first = error_branch(model, clause);
            let is_test = first.is_some_and(is_fatal);
            if is_test {
                self.tests.push(clause);
            } else if let Some(first) = first
                && is_orderly(model, flow, reaching, first, &inner)
            {
                self.orderly.push(clause);
            }
            // A branch without a test that can be replaced stays an error exit only if no other rank notices it.
            let can_only_end = body.first().is_some_and(|&first| is_fatal(first));
            let talks = || any_may_call(model, &inner, communicates, &reaching.communicating);
            if can_only_end && (is_test || !talks()) {
                for id in inner {
                    self.inside[id.0 as usize] = true;
                }
            }
        }
    }
}

/// Whether a branch calls MPI_Finalize and ends the run, exchanges nothing before, and is not the usual end of the run.
fn is_orderly(
    model: &Model,
    flow: &ControlFlowGraph,
    reaching: &Reaching,
    first: StatementId,
    branch: &[StatementId],
) -> bool {
    any_may_call(model, branch, finalizes, &reaching.finalizers)
        // Other ranks would wait for a message of the branch, so the rank could not end alone.
        && !any_may_call(model, branch, exchanges, &reaching.exchanging)
        && !is_usual_end(model, branch, &reaching.finalizers)
        && ends_within(flow, first, branch)
}

fn any_may_call(
    model: &Model,
    statements: &[StatementId],
    own: fn(&Callee) -> bool,
    reaching: &[bool],
) -> bool {
    let mut statements = statements.iter();
    statements.any(|&id| may_call(model, id, own, reaching))
}

/// Those orderly exits without which the run still comes to another end: without such an end they are the program's own.
fn controlling_branch(model: &Model, orderly: Vec<Clause>, finalizers: &[bool]) -> Vec<Clause> {
    let Model {
        program,
        outline,
        calls,
        ..
    } = model;
    if orderly.is_empty() {
        return orderly;
    }
    let mut without = vec![Assumed::Nothing; program.statements.len()];
    let mut inside: BTreeSet<StatementId> = BTreeSet::new();
    for &exit in &orderly {
        let assumed = &mut without[exit.statement.0 as usize];
        *assumed = assumed.and(Assumed::constant(exit.number, false));
        inside.extend(own_statements(model, exit));
    }
    let assumed = &without[..];
    let rounds = CallRounds::of(program, outline, calls, assumed, None);
    let surroundings = Surroundings {
        program,
        outline,
        calls,
        assumed,
        ends: rounds.last(),
    };
    let goes_on = |procedure: ProcedureId, from: CfgNode| {
        let flow = ControlFlowGraph::of(procedure, surroundings);
        let is_end = |at: usize| match flow.points_at(at) {
            CfgNode::Return => true,
            CfgNode::Statement(id) => {
                !inside.contains(&id) && may_call(model, id, finalizes, finalizers)
            }
            CfgNode::Entry | CfgNode::Exit => false,
        };
        let (mut open, mut seen) = (vec![flow.number(from)], vec![false; flow.len()]);
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if is_end(at) {
                return true;
            }
            open.extend(flow.onward(program, at));
        }
        false
    };
    let Some(main) = program.main else {
        return Vec::new();
    };
    if !goes_on(main, CfgNode::Entry) {
        return Vec::new();
    }
    let mut exits = Vec::new();
    for exit in orderly {
        let procedure = program.statement(exit.statement).procedure;
        if goes_on(procedure, CfgNode::Statement(exit.statement)) {
            exits.push(exit);
        }
    }
    exits
}

/// The statements of a branch of an IF.
fn own_statements(model: &Model, exit: Clause) -> Vec<StatementId> {
    let bodies = model.program.statement(exit.statement).kind.bodies();
    let mut statements = Vec::new();
    for &id in bodies.get(exit.number).copied().unwrap_or_default() {
        statements.extend(subtree(model.program, id));
    }
    statements
}

/// The branches of an IF or SELECT CASE.
fn branches(kind: &StatementKind) -> Vec<&[StatementId]> {
    match kind {
        StatementKind::If { .. } | StatementKind::Select { .. } => kind.bodies(),
        StatementKind::Do { .. }
        | StatementKind::While { .. }
        | StatementKind::Scoped { .. }
        | StatementKind::Assign { .. }
        | StatementKind::Call { .. }
        | StatementKind::PointerAssignment { .. }
        | StatementKind::Entry
        | StatementKind::Goto { .. }
        | StatementKind::Exit(_)
        | StatementKind::Cycle(_)
        | StatementKind::Return
        | StatementKind::Stop
        | StatementKind::Continue
        | StatementKind::InputOutput(_)
        | StatementKind::Allocate { .. }
        | StatementKind::Deallocate { .. }
        | StatementKind::Opaque { .. } => Vec::new(),
    }
}

/// The first statement of a branch of an IF whose condition may be left out.
fn error_branch(model: &Model, Clause { statement, number }: Clause) -> Option<StatementId> {
    let StatementKind::If { branches, .. } = &model.program.statement(statement).kind else {
        return None;
    };
    let first = branches.get(number)?.1.first().copied()?;
    user_assumptions::replacement(model, statement, number, AssumedOutcome::NotTaken).ok()?;
    Some(first)
}

/// Whether a branch that begins with `first` ends the run within itself.
fn ends_within(flow: &ControlFlowGraph, first: StatementId, branch: &[StatementId]) -> bool {
    let reached = flow.reachable(flow.number(CfgNode::Statement(first)));
    let is_within = |at: usize| match flow.points_at(at) {
        CfgNode::Statement(id) => branch.contains(&id),
        CfgNode::Exit => true,
        CfgNode::Entry | CfgNode::Return => false,
    };
    (0..flow.len()).filter(|&at| reached[at]).all(is_within)
}

/// Whether a procedure by which a branch ends the run also ends it under no condition: then that is its usual end.
fn is_usual_end(model: &Model, branch: &[StatementId], finalizers: &[bool]) -> bool {
    let mut in_branch: BTreeSet<ProcedureId> = BTreeSet::new();
    for &id in branch {
        in_branch.extend(finalizing_targets(model, id, finalizers));
    }
    if in_branch.is_empty() {
        return false;
    }
    for id in model.outline.all() {
        if is_unconditional(model, id) {
            for target in finalizing_targets(model, id, finalizers) {
                if in_branch.contains(&target) {
                    return true;
                }
            }
        }
    }
    false
}

/// The procedures that a statement may call and that may reach MPI_Finalize.
fn finalizing_targets(model: &Model, id: StatementId, finalizers: &[bool]) -> Vec<ProcedureId> {
    let mut targets = Vec::new();
    for call in call_graph::calls(&model.program.statement(id).kind) {
        targets.extend(model.calls.targets(call.callee));
    }
    targets.retain(|target| finalizers[target.0 as usize]);
    targets
}

/// Whether a statement stands in no branch.
fn is_unconditional(model: &Model, id: StatementId) -> bool {
    for above in model.outline.ancestors(id) {
        if !branches(&model.program.statement(above).kind).is_empty() {
            return false;
        }
    }
    true
}

/// Nodes from which control can neither return nor reach MPI_Finalize; index = number.
fn fatal(model: &Model, flow: &ControlFlowGraph, finalizers: &[bool]) -> Vec<bool> {
    let mut targets = Vec::new();
    for at in 0..flow.len() {
        let is_safe = match flow.points_at(at) {
            CfgNode::Return => true,
            CfgNode::Statement(id) => may_call(model, id, finalizes, finalizers),
            CfgNode::Entry | CfgNode::Exit => false,
        };
        if is_safe {
            targets.push(at);
        }
    }
    // Backward reachability from what is not an error end; the complement can only fail.
    let mut fatal = flow.leading_to(&targets);
    for leads in &mut fatal {
        *leads = !*leads;
    }
    fatal
}

/// Whether a callee may call MPI_Finalize; what has no source may.
fn finalizes(callee: &Callee) -> bool {
    match callee {
        Callee::Mpi(function) => function.kind == FunctionKind::End,
        Callee::External(_) | Callee::Variable(_) | Callee::UnknownMpi(_) => true,
        Callee::Procedure(_) | Callee::OneOf(_) | Callee::Intrinsic(_) => false,
    }
}

/// Whether a callee may exchange something with other processes; what has no source may.
fn communicates(callee: &Callee) -> bool {
    match callee {
        Callee::Mpi(function) => !matches!(
            function.kind,
            FunctionKind::Abort | FunctionKind::Local | FunctionKind::Clock
        ),
        Callee::External(_) | Callee::Variable(_) | Callee::UnknownMpi(_) => true,
        Callee::Procedure(_) | Callee::OneOf(_) | Callee::Intrinsic(_) => false,
    }
}

/// The same, beside ending MPI.
fn exchanges(callee: &Callee) -> bool {
    communicates(callee)
        && !matches!(callee, Callee::Mpi(function) if function.kind == FunctionKind::End)
}

/// Whether a statement makes a call with the property `own`, itself or in one of the procedures `statements_reaching`.
fn may_call(
    model: &Model,
    id: StatementId,
    own: fn(&Callee) -> bool,
    statements_reaching: &[bool],
) -> bool {
    for call in call_graph::calls(&model.program.statement(id).kind) {
        if own(call.callee) {
            return true;
        }
        for target in model.calls.targets(call.callee) {
            if statements_reaching[target.0 as usize] {
                return true;
            }
        }
    }
    false
}

/// Procedures that may make a call with the property `own`; index = procedure id. Least fixpoint, bottom up in the call graph.
fn statements_reaching(model: &Model, own: fn(&Callee) -> bool) -> Vec<bool> {
    let mut found = vec![false; model.program.procedures.len()];
    let mut grown = true;
    while grown {
        grown = false;
        for id in model.calls.bottom_up_statements(&model.outline) {
            if model.calls.has_calls[id.0 as usize] && may_call(model, id, own, &found) {
                let procedure = model.program.statement(id).procedure;
                grown |= !std::mem::replace(&mut found[procedure.0 as usize], true);
            }
        }
    }
    found
}
