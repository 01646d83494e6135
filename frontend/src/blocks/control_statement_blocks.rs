//! Compute blocks of control statements: array operations in conditions, bounds and arguments, calls of pure functions, and
//! copies of noncontiguous arguments, in a statement that also reaches MPI. The *prologue* contains what runs before the
//! communication; the *epilogue* what a call copies back, or an assignment does with the results of its functions.
//!
//! How much work that is, is in [`crate::memory::array_operations`] and [`crate::work::trip_counts`]. Functions with loops that
//! are not pure have blocks of their own ([`crate::graphs::call_graph`]).

use crate::effects::model::Model;
use crate::graphs::call_graph::{self, Call, CallGraph};
use crate::ir::analysis::{Extent, ProgramPoint};
use crate::ir::statement_tree::{self, Outline};
use crate::ir::{Callee, ProcedureId, Program, StatementId, StatementKind};
use crate::memory::array_operations;

/// Statements of the structure.
#[derive(Clone, Copy)]
pub(crate) struct ControlBlocks<'a> {
    pub(crate) program: &'a Program,
    pub(crate) outline: &'a Outline,
    pub(crate) calls: &'a CallGraph,
}

impl<'a> ControlBlocks<'a> {
    /// Those of a model.
    pub(crate) fn of_model(model: &'a Model<'a>) -> Self {
        ControlBlocks {
            program: model.program,
            outline: &model.outline,
            calls: &model.calls,
        }
    }

    /// The blocks of a control statement.
    pub(crate) fn of(self, id: StatementId) -> Vec<Extent> {
        let kind = &self.program.statement(id).kind;
        let again = match kind {
            StatementKind::While { .. } => self.repeat_marks(id),
            _ => Some(Vec::new()),
        };
        let has_epilogue = match kind {
            StatementKind::Assign { .. } => self.calls.own_reaches_mpi[id.0 as usize],
            StatementKind::Call { .. } => {
                !kind.has_alternate_return() && array_operations::copies_back(self.program, kind)
            }
            _ => false,
        };
        let mut extents = Vec::new();
        if let Some(again) = again {
            extents.push(Extent::Head { again });
        }
        if has_epilogue {
            extents.push(Extent::Tail);
        }
        extents.retain(|extent| self.works(id, extent));
        extents
    }

    /// Whether a statement has work of its own outside of blocks (`has_blocks`: it has some): in functions with blocks or messages,
    /// or in a loop condition whose evaluations cannot all be marked.
    pub(crate) fn is_outside_blocks(self, id: StatementId, has_blocks: bool) -> bool {
        let kind = &self.program.statement(id).kind;
        if !has_blocks {
            return self.works(id, &Extent::Tail);
        }
        if matches!(kind, StatementKind::Assign { .. }) {
            return false;
        }
        for call in call_graph::calls(kind) {
            if call.is_function && self.calls.call_reaches_mpi(call.callee) {
                return true;
            }
        }
        false
    }

    /// Whether a statement itself does more than operate on a few elements.
    fn works(self, id: StatementId, extent: &Extent) -> bool {
        let kind = &self.program.statement(id).kind;
        if array_operations::is_expensive(self.program, kind, extent) {
            return true;
        }
        for call in self.local_calls(id) {
            let works = match call.callee {
                // Code without source may compute anything.
                Callee::External(name) => !base_data::mpi::functions::is_mpi_name(name),
                _ => self.calls_pure_loop(call.callee),
            };
            if works {
                return true;
            }
        }
        false
    }

    /// Whether a call may reach a pure procedure with a loop: pure procedures contain no probes, so that its work belongs to the caller.
    fn calls_pure_loop(self, callee: &'a Callee) -> bool {
        for target in self.local_callees(callee) {
            if self.program.procedure(target).is_pure && self.calls.repeats(target) {
                return true;
            }
        }
        false
    }

    /// The calls of a statement that may reach what has no blocks of its own.
    pub(crate) fn local_calls(self, id: StatementId) -> Vec<Call<'a>> {
        let mut calls = call_graph::calls(&self.program.statement(id).kind);
        calls.retain(|call| {
            !self.calls.call_reaches_mpi(call.callee)
                || self.local_callees(call.callee).next().is_some()
        });
        calls
    }

    /// The procedures that a statement may call which have no blocks of their own.
    pub(crate) fn local_procedures(
        self,
        id: StatementId,
    ) -> impl Iterator<Item = ProcedureId> + 'a {
        self.local_calls(id)
            .into_iter()
            .flat_map(move |call| self.local_callees(call.callee))
    }

    /// The procedures that a call may reach which have no blocks of their own.
    fn local_callees(self, callee: &'a Callee) -> impl Iterator<Item = ProcedureId> + 'a {
        let targets = self.calls.targets(callee).into_iter();
        targets.filter(move |target| !self.calls.procedure_leads[target.0 as usize])
    }

    /// Where the condition of a DO WHILE is evaluated again: at the ends of its iterations. `None` if not all of these can be marked:
    /// the last statement contains a CYCLE or jumps elsewhere, which a slice may leave out (to keep it could cost all that it
    /// depends on), or it ends enclosing loops as well.
    fn repeat_marks(self, id: StatementId) -> Option<Vec<ProgramPoint>> {
        let StatementKind::While {
            body,
            terminal: None,
            ..
        } = &self.program.statement(id).kind
        else {
            return None;
        };
        let last = *body.last()?;
        let mut marks = vec![ProgramPoint::Behind(last)];
        for inner in statement_tree::subtree(self.program, id) {
            if !matches!(self.program.statement(inner).kind, StatementKind::Cycle(target) if target == id)
            {
                continue;
            }
            if self.outline.is_within(inner, last) || self.is_renamed(inner, id) {
                return None;
            }
            marks.push(ProgramPoint::Before(inner));
        }
        // What messages depend on stays in a slice, so that its jumps stay, too.
        if !self.calls.communicates[id.0 as usize] && self.may_jump_from(last) {
            return None;
        }
        Some(marks)
    }

    /// Whether a statement that ends the iterations of a loop may jump elsewhere.
    fn may_jump_from(self, last: StatementId) -> bool {
        for inner in statement_tree::subtree(self.program, last) {
            let kind = &self.program.statement(inner).kind;
            if self.outline.leaves(kind, last) || matches!(kind, StatementKind::Goto { .. }) {
                return true;
            }
        }
        false
    }

    /// Whether names may mean something else at a statement than at the loop around it, because of a BLOCK, ASSOCIATE or SELECT TYPE.
    fn is_renamed(self, inner: StatementId, repeat: StatementId) -> bool {
        for above in self.outline.ancestors(inner) {
            if above == repeat {
                break;
            }
            let kind = &self.program.statement(above).kind;
            if matches!(
                kind,
                StatementKind::Scoped { .. } | StatementKind::Select { .. }
            ) {
                return true;
            }
        }
        false
    }
}
