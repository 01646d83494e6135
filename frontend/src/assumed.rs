//! What is assumed of single statements, as the analyses see it: a condition that is constant, a count
//! in place of a condition or bound. Which assumptions are made is in [`crate::assumptions`] and
//! [`crate::requests`]; how they are written into a program is the instrumenter's business.

use crate::analysis::Way;
use crate::effects::StatementEffects;
use crate::gather::Gather;
use crate::ir::{Expression, StatementId, StatementKind};
use crate::model::Model;

/// What is assumed of a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Assumed {
    /// Nothing.
    #[default]
    Nothing,
    /// A condition of an IF, the one of this clause, is constant.
    Constant {
        /// Index of the branch.
        clause: usize,
        /// Whether it holds.
        holds: bool,
    },
    /// A count stands in place of a condition of an IF or a loop, or of the last value of a counted DO.
    Counted {
        /// Index of the branch; 0 of a loop.
        clause: usize,
    },
    /// A selection always goes this way.
    Goes(Way),
    /// A selection goes now the one, now the other of its two ways.
    Turns,
}

impl Assumed {
    /// Whether something is assumed.
    pub(crate) fn is_any(self) -> bool {
        self != Assumed::Nothing
    }

    /// Whether something stands in place of a condition of an IF.
    pub(crate) fn replaces(self, branch: usize) -> bool {
        match self {
            Assumed::Nothing | Assumed::Goes(_) | Assumed::Turns => false,
            Assumed::Constant { clause, .. } | Assumed::Counted { clause } => clause == branch,
        }
    }

    /// Whether control may enter a branch of an IF, given that the conditions before it do not hold.
    pub(crate) fn may_enter(self, branch: usize) -> bool {
        match self {
            Assumed::Nothing | Assumed::Counted { .. } | Assumed::Goes(_) | Assumed::Turns => true,
            Assumed::Constant { clause, holds } => clause != branch || holds,
        }
    }

    /// Whether control may pass by a branch of an IF.
    pub(crate) fn may_pass(self, branch: usize) -> bool {
        match self {
            Assumed::Nothing | Assumed::Counted { .. } | Assumed::Goes(_) | Assumed::Turns => true,
            Assumed::Constant { clause, holds } => clause != branch || !holds,
        }
    }

    /// Whether control may go this way after a selection.
    pub(crate) fn may_go(self, way: Way) -> bool {
        match self {
            Assumed::Nothing | Assumed::Counted { .. } | Assumed::Turns => true,
            Assumed::Goes(only) => only == way,
            Assumed::Constant { clause, holds } => holds || way != Way::Case(clause),
        }
    }

    /// Whether the statement goes with the branch that is never entered: an IF that has no other.
    pub(crate) fn removes(self, kind: &StatementKind) -> bool {
        let alone =
            matches!(kind, StatementKind::If { branches, otherwise: None, .. } if branches.len() == 1);
        alone && matches!(self, Assumed::Constant { holds: false, .. })
    }
}

/// What a statement does where its condition or bound is no longer evaluated. Such a condition calls
/// nothing that writes, so what the statement writes stays the same.
pub(crate) fn effects(model: &Model, id: StatementId, assumed: Assumed) -> StatementEffects {
    effects_as(model, id, &substituted(&model.program.statement(id).kind, assumed))
}

/// What an IF does if it evaluates this one of its conditions alone.
pub(crate) fn effects_of_clause(model: &Model, id: StatementId, clause: usize) -> StatementEffects {
    let mut kind = model.program.statement(id).kind.clone();
    if let StatementKind::If { branches, .. } = &mut kind {
        let others = branches.iter_mut().enumerate().filter(|(number, _)| *number != clause);
        others.for_each(|(_, (condition, _))| *condition = Expression::Integer(0));
    }
    effects_as(model, id, &kind)
}

fn effects_as(model: &Model, id: StatementId, kind: &StatementKind) -> StatementEffects {
    let Model { program, calls, locations, .. } = model;
    let (collectives, out) = (&model.effects.collectives, StatementEffects::default());
    let mut gather = Gather { program, graph: calls, locations, collectives, out };
    gather.statement(id, kind);
    StatementEffects { definitions: model.effects.of_statement(id).definitions.clone(), ..gather.out }
}

/// A statement with a constant in place of what is assumed.
fn substituted(kind: &StatementKind, assumed: Assumed) -> StatementKind {
    let mut kind = kind.clone();
    if let Some(place) = evaluated(&mut kind, assumed) {
        *place = Expression::Integer(0);
    }
    if let (StatementKind::If { branches, .. }, Assumed::Constant { clause, holds: true }) =
        (&mut kind, assumed)
    {
        // What comes after a condition that holds is not evaluated.
        branches.iter_mut().skip(clause).for_each(|(condition, _)| *condition = Expression::Integer(0));
    }
    kind
}

/// The condition or bound that an assumption stands for.
fn evaluated(kind: &mut StatementKind, assumed: Assumed) -> Option<&mut Expression> {
    let clause = match assumed {
        Assumed::Nothing => return None,
        Assumed::Constant { clause, .. } | Assumed::Counted { clause } => clause,
        Assumed::Goes(_) | Assumed::Turns => 0,
    };
    match kind {
        // Of a case that is never taken, the others are still told apart.
        StatementKind::Select { .. } if matches!(assumed, Assumed::Constant { .. }) => None,
        StatementKind::Select { selector, .. } => Some(selector),
        StatementKind::Goto { selector, .. } => selector.as_mut(),
        StatementKind::If { branches, .. } => branches.get_mut(clause).map(|(condition, _)| condition),
        StatementKind::While { condition, .. } => condition.as_mut(),
        StatementKind::Do { to, .. } => Some(to),
        StatementKind::Assign { .. }
        | StatementKind::Call { .. }
        | StatementKind::Scoped { .. }
        | StatementKind::Point { .. }
        | StatementKind::Entry
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
