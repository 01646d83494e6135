//! Reachable statements: those inside some statements, and in the procedures that they call, transitively. How often they execute is
//! in [`crate::work::trip_counts`], what determines that in [`crate::dataflow::dependence_sources`].

use crate::effects::model::Model;
use crate::ir::{ProcedureId, StatementId};
use std::collections::BTreeMap;
use std::ops::Range;

/// Statements and procedures that are executed. Of their own statements only the range in the text is stored, and called procedures
/// count as a whole: programs with many nested loops would otherwise list most of their statements once for each loop.
pub(crate) struct ReachableStatements<'a> {
    model: &'a Model<'a>,
    /// The procedure of the own statements, and their positions in it.
    own: Option<(ProcedureId, Range<usize>)>,
    /// Those that are called, and by which of the statements.
    pub(crate) procedures: BTreeMap<ProcedureId, Vec<StatementId>>,
}

impl<'a> ReachableStatements<'a> {
    /// By one iteration of a loop.
    pub(crate) fn in_body(model: &'a Model, repeat: StatementId) -> Self {
        let mut inside = model.outline.positions(repeat);
        inside.start += 1;
        Self::by(model, model.program.statement(repeat).procedure, inside)
    }

    /// By consecutive statements of one list.
    pub(crate) fn of(model: &'a Model, statements: &[StatementId]) -> Self {
        let (Some(&first), Some(&last)) = (statements.first(), statements.last()) else {
            return ReachableStatements {
                model,
                own: None,
                procedures: BTreeMap::new(),
            };
        };
        let inside = model.outline.positions(first).start..model.outline.positions(last).end;
        Self::by(model, model.program.statement(first).procedure, inside)
    }

    /// All statements of the program. Who calls a procedure is not listed.
    pub(crate) fn whole(model: &'a Model) -> Self {
        let mut procedures = BTreeMap::new();
        for procedure in 0..model.program.procedures.len() as u32 {
            procedures.insert(ProcedureId(procedure), Vec::new());
        }
        ReachableStatements {
            model,
            own: None,
            procedures,
        }
    }

    fn by(model: &'a Model, procedure: ProcedureId, positions: Range<usize>) -> Self {
        let mut procedures: BTreeMap<ProcedureId, Vec<StatementId>> = BTreeMap::new();
        let own = &model.outline.of_procedure(procedure)[positions.clone()];
        let mut pending = vec![own];
        while let Some(statements) = pending.pop() {
            for &id in statements {
                for call in &model.effects.of_statement(id).calls {
                    let callers = procedures.entry(call.target).or_default();
                    callers.push(id);
                    // The first caller adds the body.
                    if callers.len() == 1 {
                        pending.push(model.outline.of_procedure(call.target));
                    }
                }
            }
        }
        ReachableStatements {
            model,
            own: Some((procedure, positions)),
            procedures,
        }
    }

    /// Whether a statement is one of them.
    pub(crate) fn contains(&self, id: StatementId) -> bool {
        let outline = &self.model.outline;
        let procedure = outline.procedure(id);
        if let Some((own, positions)) = &self.own
            && *own == procedure
            && positions.contains(&outline.position(id))
        {
            return true;
        }
        self.procedures.contains_key(&procedure)
    }

    /// Those of some entries whose statements are among them; entries are in the order of
    /// [`crate::ir::statement_tree::Outline::all`]. Those of one procedure are examined together: a location is written in many
    /// procedures of the program, of which a range executes few.
    pub(crate) fn among<T>(
        &self,
        entries: &[T],
        statement: impl Fn(&T) -> StatementId,
    ) -> Vec<StatementId> {
        let outline = &self.model.outline;
        let procedure = |entry: &T| outline.procedure(statement(entry));
        let position = |entry: &T| outline.position(statement(entry));
        let mut found = Vec::new();
        let mut rest = entries;
        while let Some(first) = rest.first() {
            let Some(next) = self.first_procedure(procedure(first)) else {
                break;
            };
            rest = &rest[rest.partition_point(|entry| procedure(entry) < next)..];
            let (mut executed, others) =
                rest.split_at(rest.partition_point(|entry| procedure(entry) == next));
            rest = others;
            if let Some((own, positions)) = &self.own
                && *own == next
                && !self.procedures.contains_key(own)
            {
                let start = executed.partition_point(|entry| position(entry) < positions.start);
                let end = executed.partition_point(|entry| position(entry) < positions.end);
                executed = &executed[start..end];
            }
            found.extend(executed.iter().map(&statement));
        }
        found
    }

    /// The first procedure, from a given one on, of which statements are executed.
    fn first_procedure(&self, from: ProcedureId) -> Option<ProcedureId> {
        let mut first = self.procedures.range(from..).next().map(|(id, _)| *id);
        if let Some((own, _)) = &self.own
            && *own >= from
            && first.is_none_or(|called| *own < called)
        {
            first = Some(*own);
        }
        first
    }

    /// All of them, each once, in the order of the text of each procedure.
    pub(crate) fn iter(&self) -> impl Iterator<Item = StatementId> + '_ {
        let outline = &self.model.outline;
        let own: &[StatementId] = match &self.own {
            // A recursive procedure is listed as a whole below.
            Some((procedure, _)) if self.procedures.contains_key(procedure) => &[],
            Some((procedure, positions)) => &outline.of_procedure(*procedure)[positions.clone()],
            None => &[],
        };
        let called = self.procedures.keys();
        let called = called.flat_map(|&procedure| outline.of_procedure(procedure));
        own.iter().chain(called).copied()
    }
}
