//! Assumed outcomes of single statements: a constant condition, or a count in place of a condition or bound. Which assumptions
//! are made is decided in [`crate::assumptions::proposals`] and [`crate::assumptions::user_assumptions`]; the instrumenter writes
//! them into a program.

use crate::ir::analysis::{CountConjunct, SelectionBranch};
use crate::ir::{StatementId, StatementKind};

/// What of a condition is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Its value.
    ForValue,
    /// The value of the count conjunct of it.
    ForPart,
    /// The calls in it.
    ForCalls,
    /// Nothing: it is not evaluated.
    Not,
}

/// What is assumed of a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Assumed {
    /// Nothing.
    #[default]
    Nothing,
    /// Constants and counts stand in place of conditions of an IF, or of a loop or the last value of a counted DO; of a
    /// SELECT CASE, some cases are never taken.
    Conditions(Conditions),
    /// A selection always goes this way.
    Goes(SelectionBranch),
    /// A selection goes now the one, now the other of its two ways.
    Turns,
}

/// The clauses of a statement of which something is assumed, as sets of bits: branches of an IF, cases from 1, 0 of a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Conditions {
    hold: u128,
    fail: u128,
    counted: u128,
    /// Evaluated all the same, for the calls in them.
    asked: u128,
    /// The clause of which only a count conjunct is evaluated.
    conjunct: Option<(usize, CountConjunct)>,
}

/// Of how many clauses of a statement something can be assumed.
pub(crate) const MAX_CLAUSES: usize = u128::BITS as usize;

/// One of the conditions of an IF, from 0; or what another statement decides by, which is clause 0 of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Clause {
    pub(crate) statement: StatementId,
    pub(crate) number: usize,
}

impl Clause {
    /// The clauses that a statement evaluates, each by itself.
    pub(crate) fn of(
        kind: &StatementKind,
        statement: StatementId,
    ) -> impl Iterator<Item = Clause> + use<> {
        let count = match kind {
            StatementKind::If { branches, .. } => branches.len(),
            _ => 1,
        };
        (0..count).map(move |number| Clause { statement, number })
    }
}

impl Assumed {
    /// A condition, or whether a case is taken, is constant.
    pub(crate) fn constant(clause: usize, holds: bool) -> Self {
        let bit = 1 << clause;
        let none = Conditions::default();
        Assumed::Conditions(match holds {
            true => Conditions { hold: bit, ..none },
            false => Conditions { fail: bit, ..none },
        })
    }

    /// A count stands in place of a condition or bound.
    pub(crate) fn counted(clause: usize) -> Self {
        Assumed::Conditions(Conditions {
            counted: 1 << clause,
            ..Conditions::default()
        })
    }

    /// A part of a condition is evaluated alone.
    pub(crate) fn conjunct(clause: usize, part: CountConjunct) -> Self {
        Assumed::Conditions(Conditions {
            conjunct: Some((clause, part)),
            ..Conditions::default()
        })
    }

    /// The same of a condition that is evaluated for the calls in it.
    pub(crate) fn asking(self, clause: usize) -> Self {
        let asked = Conditions {
            asked: 1 << clause,
            ..Conditions::default()
        };
        self.and(Assumed::Conditions(asked))
    }

    /// Both, of different clauses of one statement.
    pub(crate) fn and(self, other: Assumed) -> Self {
        match (self, other) {
            (Assumed::Conditions(one), Assumed::Conditions(two)) => {
                Assumed::Conditions(Conditions {
                    hold: one.hold | two.hold,
                    fail: one.fail | two.fail,
                    counted: one.counted | two.counted,
                    asked: one.asked | two.asked,
                    conjunct: one.conjunct.or(two.conjunct),
                })
            }
            (Assumed::Nothing, any) | (any, _) => any,
        }
    }

    /// Whether something is counted.
    pub(crate) fn is_counted(self) -> bool {
        self.conditions().counted != 0
    }

    fn conditions(self) -> Conditions {
        match self {
            Assumed::Nothing | Assumed::Goes(_) | Assumed::Turns => Conditions::default(),
            Assumed::Conditions(conditions) => conditions,
        }
    }

    /// Whether something is assumed.
    pub(crate) fn is_any(self) -> bool {
        self != Assumed::Nothing
    }

    /// Whether something stands in place of a condition of an IF.
    pub(crate) fn replaces(self, branch: usize) -> bool {
        let Conditions {
            hold,
            fail,
            counted,
            ..
        } = self.conditions();
        let is_covered = self.count_conjunct(branch).is_some();
        is_covered || branch < MAX_CLAUSES && (hold | fail | counted) >> branch & 1 == 1
    }

    /// The conjunct of a condition that is evaluated, if not all of it is.
    pub(crate) fn count_conjunct(self, clause: usize) -> Option<CountConjunct> {
        self.conditions()
            .conjunct
            .filter(|(number, _)| *number == clause)
            .map(|(_, part)| part)
    }

    /// What is needed of a condition, given that it is reached.
    pub(crate) fn asked(self, clause: usize) -> Asked {
        if self.count_conjunct(clause).is_some() {
            return Asked::ForPart;
        }
        match (
            self.replaces(clause),
            clause < MAX_CLAUSES && self.conditions().asked >> clause & 1 == 1,
        ) {
            (false, _) => Asked::ForValue,
            (true, true) => Asked::ForCalls,
            (true, false) => Asked::Not,
        }
    }

    /// Whether control may enter a branch of an IF, given that the conditions before it do not hold.
    pub(crate) fn may_enter(self, branch: usize) -> bool {
        // Nothing is assumed of clauses that have no bit.
        branch >= MAX_CLAUSES || self.conditions().fail >> branch & 1 == 0
    }

    /// Whether control may pass by a branch of an IF.
    pub(crate) fn may_pass(self, branch: usize) -> bool {
        branch >= MAX_CLAUSES || self.conditions().hold >> branch & 1 == 0
    }

    /// Whether control may go this way after a selection.
    pub(crate) fn may_go(self, way: SelectionBranch) -> bool {
        match self {
            Assumed::Nothing | Assumed::Turns => true,
            Assumed::Goes(only) => only == way,
            Assumed::Conditions(Conditions { fail, .. }) => match way {
                SelectionBranch::Case(case) => case >= MAX_CLAUSES || fail >> case & 1 == 0,
                SelectionBranch::Label(_) | SelectionBranch::Next => true,
            },
        }
    }

    /// Whether the statement goes with the branch that is never entered: an IF that has no other, and does nothing but
    /// choose.
    pub(crate) fn removes(self, kind: &StatementKind) -> bool {
        let alone = matches!(kind, StatementKind::If { branches, otherwise: None, .. } if branches.len() == 1);
        alone && !self.may_enter(0) && self.asked(0) == Asked::Not
    }
}
