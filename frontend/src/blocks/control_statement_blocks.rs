//! What a statement of the structure evaluates itself, beside what it leads to: arrays that its conditions, bounds and arguments
//! go over, functions that cannot tell that a block begins, sections that are copied to be passed. It is a compute block, the
//! statement's *head*; what a call copies back, and what an assignment does when its functions have answered, is its *tail*.
//!
//! Not here: how much that is ([`crate::memory::array_operations`], [`crate::work::trip_counts`]); functions that repeat anything, which
//! are blocks where they are worked out ([`crate::graphs::call_graph`]).

use crate::effects::model::Model;
use crate::graphs::call_graph::{self, Call, CallGraph};
use crate::ir::analysis::{Extent, Mark};
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

    /// The blocks that a statement is itself.
    pub(crate) fn of(self, id: StatementId) -> Vec<Extent> {
        let kind = &self.program.statement(id).kind;
        let again = match kind {
            StatementKind::While { .. } => self.repeat_marks(id),
            _ => Some(Vec::new()),
        };
        let head = again.map(|again| Extent::Head { again });
        let is_followed = match kind {
            StatementKind::Assign { .. } => self.calls.own_reaches_mpi[id.0 as usize],
            StatementKind::Call { .. } => {
                !kind.has_alternate_return() && array_operations::copies_back(self.program, kind)
            }
            _ => false,
        };
        let all = head.into_iter().chain(is_followed.then_some(Extent::Tail));
        all.filter(|extent| self.works(id, extent)).collect()
    }

    /// Whether some of what a statement evaluates itself is in no block, its own or `has_blocks`: behind functions that have
    /// blocks or messages of their own, and where the condition of a loop is evaluated that nobody can mark.
    pub(crate) fn is_outside_blocks(self, id: StatementId, has_blocks: bool) -> bool {
        let kind = &self.program.statement(id).kind;
        let asks_both = || match kind {
            StatementKind::Assign { .. } => false,
            _ => call_graph::calls(kind)
                .iter()
                .any(|call| call.is_function && self.calls.call_reaches_mpi(call.callee)),
        };
        if has_blocks {
            asks_both()
        } else {
            self.works(id, &Extent::Tail)
        }
    }

    /// Whether a statement evaluates more than a few elements itself.
    fn works(self, id: StatementId, extent: &Extent) -> bool {
        let kind = &self.program.statement(id).kind;
        array_operations::is_expensive(self.program, kind, extent)
            || self.local_calls(id).iter().any(|call| match call.callee {
                Callee::External(name) => !base_data::mpi::functions::is_mpi_name(name),
                _ => self.local_callees(call.callee).any(|target| {
                    self.program.procedure(target).is_pure && self.calls.repeats(target)
                }),
            })
    }

    /// The calls of a statement that may reach what has no blocks of its own.
    pub(crate) fn local_calls(self, id: StatementId) -> Vec<Call<'a>> {
        let calls = call_graph::calls(&self.program.statement(id).kind).into_iter();
        calls
            .filter(|call| {
                !self.calls.call_reaches_mpi(call.callee)
                    || self.local_callees(call.callee).next().is_some()
            })
            .collect()
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

    /// Where else the condition of a DO WHILE is evaluated than when it is reached: where iterations end. `None` if that
    /// cannot be told of all of them: the last statement holds a CYCLE or leads elsewhere, which a slice may leave out (to keep it
    /// could cost all that it depends on), or is the end of loops around it as well.
    fn repeat_marks(self, id: StatementId) -> Option<Vec<Mark>> {
        let StatementKind::While {
            body,
            terminal: None,
            ..
        } = &self.program.statement(id).kind
        else {
            return None;
        };
        let last = *body.last()?;
        let cycles = statement_tree::subtree(self.program, id).into_iter().filter(
            |&inner| matches!(self.program.statement(inner).kind, StatementKind::Cycle(target) if target == id),
        );
        let cycles: Vec<StatementId> = cycles.collect();
        let leaves = |inner: StatementId| {
            let kind = &self.program.statement(inner).kind;
            self.outline.leaves(kind, last) || matches!(kind, StatementKind::Goto { .. })
        };
        // What messages depend on stays in a slice.
        let may_go = !self.calls.communicates[id.0 as usize]
            && statement_tree::subtree(self.program, last)
                .into_iter()
                .any(leaves);
        // Other names may hold there than where the condition stands.
        let is_renamed = |cycle: StatementId| {
            let between = self
                .outline
                .ancestors(cycle)
                .take_while(|&above| above != id);
            between.into_iter().any(|above| {
                matches!(
                    self.program.statement(above).kind,
                    StatementKind::Scoped { .. } | StatementKind::Select { .. }
                )
            })
        };
        let cannot_stand =
            |&cycle: &StatementId| self.outline.is_within(cycle, last) || is_renamed(cycle);
        if may_go || cycles.iter().any(cannot_stand) {
            return None;
        }
        let all = std::iter::once(Mark::Behind(last)).chain(cycles.into_iter().map(Mark::Before));
        Some(all.collect())
    }
}
