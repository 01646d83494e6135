//! Unit allocation: functions that return a free unit. They inquire which units are open, and every path to the result passes
//! a test that the unit is not. Forward data-flow analysis over what is known of the unit and of OPENED=. How units are
//! distinguished is in [`crate::memory::io_units`].

use crate::ir::constant_values::constant;
use crate::ir::references;
use crate::ir::statement_tree::{do_variable, subtree};
use crate::ir::{
    Expression, InputOutput, IoUnit, Operator, ProcedureId, Program, StatementId, StatementKind,
    VariableId,
};
use crate::memory::location_id::LocationId;
use std::collections::BTreeMap;

/// What is known of the unit. Where ways meet, the greater one holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    /// Not connected.
    Free,
    /// Not connected if OPENED= said false.
    Asked,
    /// Nothing.
    Nothing,
}

/// What is known where control comes; nothing where it does not come.
type State = Option<Known>;

/// Whether all that a function answers is a unit that it found free, or a number below zero, which is none. A counted DO
/// over units is taken to find one. Functions with jumps to labels, or that ask about several units, are not followed.
pub(crate) fn is_finder(
    program: &Program,
    places: &[Option<LocationId>],
    procedure: ProcedureId,
) -> bool {
    let place = |variable: VariableId| places[variable.0 as usize];
    let unit = program.procedure(procedure);
    let Some(result) = unit.result.and_then(place) else {
        return false;
    };
    if !unit.entries.is_empty() {
        return false;
    }
    let body = &unit.body;
    let all: Vec<StatementId> = body.iter().flat_map(|&id| subtree(program, id)).collect();
    let mut questions = all
        .iter()
        .filter_map(|&id| question(program, id))
        .map(|(unit, opened)| {
            Some(Question {
                unit: whole(unit).and_then(place)?,
                opened: whole(opened).and_then(place)?,
            })
        });
    let Some(Some(asked)) = questions.next() else {
        return false;
    };
    if !questions.all(|other| other == Some(asked)) {
        return false;
    }
    let mut walk = Walk {
        program,
        places,
        asked,
        result,
        left: BTreeMap::new(),
        again: BTreeMap::new(),
        is_sure: true,
    };
    let end = walk.sequence(body, Some(Known::Nothing));
    walk.answer(end);
    walk.is_sure
}

/// The unit of an INQUIRE, and the variable that receives OPENED=.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Question {
    unit: LocationId,
    opened: LocationId,
}

/// The unit and OPENED= of an INQUIRE by unit.
fn question(program: &Program, id: StatementId) -> Option<(&Expression, &Expression)> {
    let StatementKind::InputOutput(io) = &program.statement(id).kind else {
        return None;
    };
    let InputOutput {
        unit: IoUnit::Number(unit),
        opened: Some(opened),
        ..
    } = io
    else {
        return None;
    };
    Some((unit, opened))
}

/// A variable as a whole.
fn whole(expression: &Expression) -> Option<VariableId> {
    references::base(expression).filter(|_| matches!(expression, Expression::Variable(_)))
}

/// The ways through a function.
struct Walk<'a> {
    program: &'a Program,
    places: &'a [Option<LocationId>],
    asked: Question,
    result: LocationId,
    /// What is known where constructs are left by EXIT.
    left: BTreeMap<StatementId, State>,
    /// What is known where loops begin again by CYCLE.
    again: BTreeMap<StatementId, State>,
    is_sure: bool,
}

impl Walk<'_> {
    fn sequence(&mut self, body: &[StatementId], before: State) -> State {
        body.iter()
            .fold(before, |state, &id| self.statement(id, state))
    }

    fn statement(&mut self, id: StatementId, before: State) -> State {
        let program = self.program;
        let after = match &program.statement(id).kind {
            StatementKind::Assign { target, value } => self.assigned(target, value, before),
            StatementKind::If {
                branches,
                otherwise,
                ..
            } => self.branches(branches, otherwise.as_deref(), before),
            StatementKind::Do { body, .. } => self.counted(id, body, before),
            StatementKind::While {
                condition, body, ..
            } => self.repeated(id, condition.as_ref(), body, before),
            StatementKind::Select { cases, .. } => cases.iter().fold(before, |after, (_, body)| {
                after.max(self.sequence(body, before))
            }),
            StatementKind::Scoped { body, .. } => self.sequence(body, before),
            StatementKind::InputOutput(io) => self.transfer(id, io, before),
            StatementKind::Exit(construct) => {
                let left = self.left.entry(*construct).or_default();
                *left = before.max(*left);
                None
            }
            StatementKind::Cycle(construct) => {
                let again = self.again.entry(*construct).or_default();
                *again = before.max(*again);
                None
            }
            StatementKind::Return => {
                self.answer(before);
                None
            }
            StatementKind::Stop => None,
            StatementKind::Continue => before,
            StatementKind::Goto { .. } | StatementKind::Entry => {
                self.is_sure = false;
                None
            }
            StatementKind::Call { .. }
            | StatementKind::PointerAssignment { .. }
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. }
            | StatementKind::Opaque { .. } => self.anything(id, before),
        };
        // Paths that leave this construct by EXIT join the normal one behind it.
        after.max(self.left.remove(&id).flatten())
    }

    /// The function's value is that of its result, which may be the unit that is asked about.
    fn answer(&mut self, state: State) {
        let is_covered = state.is_none_or(|known| known == Known::Free);
        self.is_sure &= self.result != self.asked.unit || is_covered;
    }

    fn assigned(&mut self, target: &Expression, value: &Expression, before: State) -> State {
        let target = references::base(target).and_then(|variable| self.places[variable.0 as usize]);
        // A negative result reports that no unit is free, and no statement can connect it.
        let is_none = constant(self.program, value).is_some_and(|number| number < 0);
        if target == Some(self.result) && is_none {
            return if self.result == self.asked.unit {
                before.and(Some(Known::Free))
            } else {
                before
            };
        }
        if target == Some(self.result) && self.result != self.asked.unit {
            self.is_sure &= self.is_unit(value) && before == Some(Known::Free);
        }
        if target == Some(self.asked.unit) {
            before.and(Some(Known::Nothing))
        } else {
            self.redefined(target, before)
        }
    }

    /// OPENED= gets another value than that of INQUIRE.
    fn redefined(&self, target: Option<LocationId>, before: State) -> State {
        let is_lost = target == Some(self.asked.opened) && before == Some(Known::Asked);
        if is_lost {
            Some(Known::Nothing)
        } else {
            before
        }
    }

    fn is_unit(&self, value: &Expression) -> bool {
        whole(value).and_then(|variable| self.places[variable.0 as usize]) == Some(self.asked.unit)
    }

    fn branches(
        &mut self,
        branches: &[(Expression, Vec<StatementId>)],
        otherwise: Option<&[StatementId]>,
        before: State,
    ) -> State {
        let (mut state, mut after) = (before, None);
        for (condition, body) in branches {
            let taken = self.known_after(condition, true, state);
            after = after.max(self.sequence(body, taken));
            state = self.known_after(condition, false, state);
        }
        after.max(self.sequence(otherwise.unwrap_or_default(), state))
    }

    /// A counted DO over units: that it tries all is taken to be no answer.
    fn counted(&mut self, id: StatementId, body: &[StatementId], before: State) -> State {
        let end = self.sequence(body, Some(Known::Nothing));
        self.again.remove(&id);
        let variable = do_variable(&self.program.statement(id).kind);
        let over_units =
            variable.and_then(|variable| self.places[variable.0 as usize]) == Some(self.asked.unit);
        if over_units {
            None
        } else {
            before.max(end).and(Some(Known::Nothing))
        }
    }

    fn repeated(
        &mut self,
        id: StatementId,
        condition: Option<&Expression>,
        body: &[StatementId],
        before: State,
    ) -> State {
        let end = self.sequence(body, Some(Known::Nothing));
        let round = before.max(end).max(self.again.remove(&id).flatten());
        condition.and_then(|condition| self.known_after(condition, false, round))
    }

    fn transfer(&mut self, id: StatementId, io: &InputOutput, before: State) -> State {
        if !io.jumps.is_empty() {
            self.is_sure = false;
        }
        if question(self.program, id).is_some() {
            return before.and(Some(Known::Asked));
        }
        self.anything(id, before)
    }

    /// A statement that may write whatever it names.
    fn anything(&mut self, id: StatementId, before: State) -> State {
        let kind = &self.program.statement(id).kind;
        let named = references::expressions(kind)
            .into_iter()
            .flat_map(references::variables);
        let touched: Vec<LocationId> = named
            .filter_map(|variable| self.places[variable.0 as usize])
            .collect();
        if touched.contains(&self.result) && self.result != self.asked.unit {
            self.is_sure = false;
        }
        let is_lost = matches!(kind, StatementKind::Call { .. })
            || [self.asked.unit, self.asked.opened]
                .iter()
                .any(|place| touched.contains(place));
        if is_lost {
            before.and(Some(Known::Nothing))
        } else {
            before
        }
    }

    /// What is known where a condition has a value.
    fn known_after(&self, condition: &Expression, value: bool, before: State) -> State {
        match before {
            Some(Known::Asked) if self.implies_closed(condition, value) => Some(Known::Free),
            Some(_) | None => before,
        }
    }

    /// Whether OPENED= is false wherever a condition has this value.
    fn implies_closed(&self, condition: &Expression, value: bool) -> bool {
        match condition {
            Expression::Variable(variable) => {
                !value && self.places[variable.0 as usize] == Some(self.asked.opened)
            }
            Expression::Unary {
                operator: Operator::Not,
                operand,
            } => self.implies_closed(operand, !value),
            Expression::Binary {
                operator: operator @ (Operator::And | Operator::Or),
                left,
                right,
            } => {
                let both = [left, right].map(|operand| self.implies_closed(operand, value));
                // A true `.and.` determines both operands, and so does a false `.or.`; otherwise
                // one of the operands has the value, and it is not known which.
                if (*operator == Operator::And) == value {
                    both[0] || both[1]
                } else {
                    both[0] && both[1]
                }
            }
            Expression::Integer(_)
            | Expression::Literal(_)
            | Expression::Reference { .. }
            | Expression::Call { .. }
            | Expression::Unary { .. }
            | Expression::Binary { .. }
            | Expression::Other(_) => false,
        }
    }
}
