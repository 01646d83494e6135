//! The shape of a program's statement tree: what encloses a statement, and the order in which
//! statements stand. Control flow is in [`crate::graphs::control_flow_graph`].

use crate::ir::{ProcedureId, Program, StatementId, StatementKind, VariableId};
use std::ops::Range;

/// Parents and order of a program's statements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    /// The construct a statement stands in; index = statement id.
    pub(crate) parent: Vec<Option<StatementId>>,
    /// All statements of each procedure, a construct before what it encloses; index = procedure id.
    pub(crate) order: Vec<Vec<StatementId>>,
    /// The procedure of each statement, as in the statement itself, but side by side; index = statement id.
    procedure: Vec<ProcedureId>,
    /// Position of each statement in the order of its procedure; index = statement id.
    position: Vec<usize>,
    /// Position behind the last statement that each statement encloses; index = statement id.
    end: Vec<usize>,
}

impl Outline {
    /// The outline of a program.
    pub(crate) fn of(program: &Program) -> Self {
        let mut outline = Outline {
            parent: vec![None; program.statements.len()],
            order: Vec::new(),
            procedure: program.statements.iter().map(|one| one.procedure).collect(),
            position: vec![0; program.statements.len()],
            end: vec![0; program.statements.len()],
        };
        for procedure in &program.procedures {
            let mut order = Vec::new();
            outline.list(program, &procedure.body, None, &mut order);
            outline.order.push(order);
        }
        outline
    }

    fn list(
        &mut self,
        program: &Program,
        list: &[StatementId],
        parent: Option<StatementId>,
        order: &mut Vec<StatementId>,
    ) {
        for &statement in list {
            self.parent[statement.0 as usize] = parent;
            self.position[statement.0 as usize] = order.len();
            order.push(statement);
            for body in program.statement(statement).kind.bodies() {
                self.list(program, body, Some(statement), order);
            }
            self.end[statement.0 as usize] = order.len();
        }
    }

    /// The constructs around a statement, innermost first.
    pub(crate) fn ancestors(
        &self,
        statement: StatementId,
    ) -> impl Iterator<Item = StatementId> + '_ {
        std::iter::successors(self.parent[statement.0 as usize], |&above| {
            self.parent[above.0 as usize]
        })
    }

    /// Whether a statement is `outer` or stands inside it.
    pub(crate) fn is_within(&self, statement: StatementId, outer: StatementId) -> bool {
        statement == outer || self.ancestors(statement).any(|above| above == outer)
    }

    /// The procedure that contains a statement.
    pub(crate) fn procedure(&self, statement: StatementId) -> ProcedureId {
        self.procedure[statement.0 as usize]
    }

    /// The position of a statement in the order of its procedure.
    pub(crate) fn position(&self, statement: StatementId) -> usize {
        self.position[statement.0 as usize]
    }

    /// The positions of a statement and all that it encloses.
    pub(crate) fn positions(&self, statement: StatementId) -> Range<usize> {
        self.position[statement.0 as usize]..self.end[statement.0 as usize]
    }

    /// Whether a statement stands in the text before another of the same procedure, or is the same.
    pub(crate) fn is_before(&self, statement: StatementId, other: StatementId) -> bool {
        self.position[statement.0 as usize] <= self.position[other.0 as usize]
    }

    /// Whether a statement ends what is around it, but for jumps to labels: RETURN, EXIT or CYCLE of what
    /// does not stand in it; and ENTRY, which is a way in.
    pub(crate) fn leaves(&self, kind: &StatementKind, around: StatementId) -> bool {
        match kind {
            StatementKind::Return | StatementKind::Entry => true,
            StatementKind::Exit(of) | StatementKind::Cycle(of) => !self.is_within(*of, around),
            StatementKind::Assign { .. }
            | StatementKind::Call { .. }
            | StatementKind::If { .. }
            | StatementKind::Do { .. }
            | StatementKind::While { .. }
            | StatementKind::Select { .. }
            | StatementKind::Scoped { .. }
            | StatementKind::PointerAssignment { .. }
            | StatementKind::Goto { .. }
            | StatementKind::Stop
            | StatementKind::Continue
            | StatementKind::InputOutput(_)
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. }
            | StatementKind::Opaque { .. } => false,
        }
    }

    /// All statements, procedure by procedure.
    pub(crate) fn all(&self) -> impl Iterator<Item = StatementId> + '_ {
        self.order.iter().flatten().copied()
    }

    /// The statements of a procedure.
    pub(crate) fn of_procedure(&self, procedure: ProcedureId) -> &[StatementId] {
        &self.order[procedure.0 as usize]
    }
}

/// A statement and all it encloses, in order.
pub(crate) fn subtree(program: &Program, statement: StatementId) -> Vec<StatementId> {
    let mut found = vec![statement];
    for body in program.statement(statement).kind.bodies() {
        found.extend(body.iter().flat_map(|&inner| subtree(program, inner)));
    }
    found
}

/// The DO variable of a counted DO.
pub(crate) fn do_variable(kind: &StatementKind) -> Option<VariableId> {
    match kind {
        StatementKind::Do { variable, .. } => Some(*variable),
        StatementKind::Assign { .. }
        | StatementKind::Call { .. }
        | StatementKind::If { .. }
        | StatementKind::While { .. }
        | StatementKind::Select { .. }
        | StatementKind::Scoped { .. }
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
        | StatementKind::Opaque { .. } => None,
    }
}
