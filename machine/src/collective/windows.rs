//! Recursive halving as Open MPI 4.1 does it (ompi/mca/coll/base, `…_intra_redscat_allgather` and `…_redscat_gather`).
//! It differs from [`super::halving`] in two ways. Where the number of ranks is no power of two, the ranks of a pair halve
//! the work of their fold: each sends the other one half, combines its own, and the odd rank then gives its half to the
//! even one. And the window that a rank is responsible for is halved in elements, its upper half longer by one where it
//! does not divide, instead of in chunks cut in advance.

use super::fold::Fold;
use super::step::{Arrival, DataPart, Operation, Step};

/// Elements of the operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    first: u64,
    elements: u64,
}

impl Window {
    /// The whole operand.
    pub fn whole(operation: &Operation<'_>) -> Self {
        Self {
            first: 0,
            elements: operation.elements(),
        }
    }

    /// The lower half and the upper one.
    pub fn halves(self) -> (Self, Self) {
        let lower = Self {
            first: self.first,
            elements: self.elements / 2,
        };
        let upper = Self {
            first: self.first + lower.elements,
            elements: self.elements - lower.elements,
        };
        (lower, upper)
    }

    /// The part of the operand.
    pub fn part(self, operation: &Operation<'_>) -> DataPart {
        operation.range(self.first, self.elements)
    }
}

/// One level of the halving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Level {
    /// What the rank is responsible for after it.
    pub kept: Window,
    /// What its partner is responsible for.
    pub given: Window,
}

/// The levels of the rank with this number, without messages.
pub(super) fn levels(operation: &Operation<'_>, power: u32, number: u32) -> Vec<Level> {
    let mut levels = Vec::new();
    let mut window = Window::whole(operation);
    let mut distance = 1;
    while distance < power {
        let (lower, upper) = window.halves();
        let keeps_lower = number & distance == 0;
        let (kept, given) = if keeps_lower {
            (lower, upper)
        } else {
            (upper, lower)
        };
        levels.push(Level { kept, given });
        window = kept;
        distance *= 2;
    }
    levels
}

/// Appends the fold of the pairs: afterwards the even rank of each has the combined operand.
pub(super) fn fold_pairs(operation: &Operation<'_>, fold: &Fold, steps: &mut Vec<Step>) {
    let Some(partner) = fold.partner(operation.rank) else {
        return;
    };
    let (lower, upper) = Window::whole(operation).halves();
    let (lower, upper) = (lower.part(operation), upper.part(operation));
    if operation.rank.is_multiple_of(2) {
        steps.push(Step::swap(partner, upper, lower, Arrival::COMBINE));
        steps.push(Step::receive(partner, upper));
    } else {
        steps.push(Step::swap(partner, lower, upper, Arrival::COMBINE));
        steps.push(Step::send(partner, upper));
    }
}

/// Appends the exchanges of the halving.
pub(super) fn halve(
    operation: &Operation<'_>,
    fold: &Fold,
    number: u32,
    levels: &[Level],
    steps: &mut Vec<Step>,
) {
    for (bit, level) in levels.iter().enumerate() {
        steps.push(Step::swap(
            fold.rank(number ^ (1 << bit)),
            level.given.part(operation),
            level.kept.part(operation),
            Arrival::COMBINE,
        ));
    }
}
