//! What a slice needs, and numbers of needs, by which a slicer notes dependences. It looks up each end of each dependence, in large
//! programs many millions, so needs of one statement, location or procedure are found by its id, and only the others by hashing.

use crate::effects::message_class::MessageClass;
use crate::effects::statement_effects::IndirectEffect;
use crate::graphs::assumed_outcomes::Clause;
use crate::graphs::control_flow_graph::CfgNode;
use crate::ir::{ProcedureId, StatementId};
use crate::memory::location_id::LocationId;
use rustc_hash::FxHashMap;

/// Something that a slice needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Need {
    /// The sequence of MPI calls, and what else the slice is made for.
    Criterion,
    /// A statement.
    Statement(StatementId),
    /// What a clause of a statement that stays reads and calls; clause 0 of one that has none.
    Evaluation(Clause),
    /// Which way control goes after a statement.
    Decision(StatementId),
    /// What a place holds; at a point, for places that are followed closely.
    Place(LocationId, Option<CfgNode>),
    /// What a dummy argument holds when its procedure is entered.
    Entry(LocationId),
    /// The data of messages, as they are received.
    Data(MessageClass),
    /// What is sent in calls of a class, which may match received messages of that or another class.
    Sent(MessageClass),
    /// Whether the run ends in a procedure.
    Terminations(ProcedureId),
    /// The local variables of a procedure.
    Frame(ProcedureId),
    /// Everything that a procedure without source may read.
    Globals,
    /// The calls of those who write something without being passed it.
    CallsOf(IndirectEffect),
}

impl Need {
    /// The statement that stays, if that is what is needed.
    pub(crate) fn kept(self) -> Option<StatementId> {
        if let Need::Statement(id) = self {
            Some(id)
        } else {
            None
        }
    }

    /// The clause whose evaluation is needed.
    pub(crate) fn evaluated(self) -> Option<Clause> {
        if let Need::Evaluation(clause) = self {
            Some(clause)
        } else {
            None
        }
    }
}

/// No number.
const NONE: u32 = u32::MAX;

/// A number for each need, in the order in which they are first looked up.
#[derive(Clone, Default)]
pub(crate) struct NeedNumbers {
    /// Index = number.
    needs: Vec<Need>,
    /// The numbers of needs that an id determines, a table for each kind; index = id.
    tables: [Vec<u32>; 6],
    // Nothing iterates over these two, so no result depends on their order.
    /// The numbers of locations at statements.
    at_statements: FxHashMap<(LocationId, StatementId), u32>,
    others: FxHashMap<Need, u32>,
}

impl NeedNumbers {
    /// The number of a need.
    pub(crate) fn number(&mut self, need: Need) -> u32 {
        let next = self.needs.len() as u32;
        let number = match need {
            Need::Statement(StatementId(id)) => entry(&mut self.tables[0], id, next),
            Need::Evaluation(Clause {
                statement: StatementId(id),
                number: 0,
            }) => entry(&mut self.tables[1], id, next),
            Need::Decision(StatementId(id)) => entry(&mut self.tables[2], id, next),
            Need::Place(LocationId(id), None) => entry(&mut self.tables[3], id, next),
            Need::Entry(LocationId(id)) => entry(&mut self.tables[4], id, next),
            Need::Frame(ProcedureId(id)) => entry(&mut self.tables[5], id, next),
            Need::Place(location, Some(CfgNode::Statement(statement))) => {
                let key = (location, statement);
                *self.at_statements.entry(key).or_insert(next)
            }
            Need::Evaluation(_)
            | Need::Place(_, Some(CfgNode::Entry | CfgNode::Return | CfgNode::Exit))
            | Need::Criterion
            | Need::Data(_)
            | Need::Sent(_)
            | Need::Terminations(_)
            | Need::Globals
            | Need::CallsOf(_) => *self.others.entry(need).or_insert(next),
        };
        if number == next {
            self.needs.push(need);
        }
        number
    }

    /// The need with a number.
    pub(crate) fn need(&self, number: u32) -> Need {
        self.needs[number as usize]
    }

    /// All needs; index = number.
    pub(crate) fn into_needs(self) -> Vec<Need> {
        self.needs
    }
}

/// The number in a table, which is `next` if it has none yet.
fn entry(table: &mut Vec<u32>, id: u32, next: u32) -> u32 {
    let index = id as usize;
    if table.len() <= index {
        table.resize(index + 1, NONE);
    }
    if table[index] == NONE {
        table[index] = next;
    }
    table[index]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_needs_have_one_number() {
        let (statement, location) = (StatementId(3), LocationId(3));
        let clause = |number| Clause { statement, number };
        let needs = [
            Need::Criterion,
            Need::Statement(statement),
            Need::Evaluation(clause(0)),
            Need::Evaluation(clause(1)),
            Need::Decision(statement),
            Need::Place(location, None),
            Need::Place(location, Some(CfgNode::Statement(statement))),
            Need::Place(location, Some(CfgNode::Return)),
            Need::Entry(location),
            Need::Frame(ProcedureId(3)),
            Need::Terminations(ProcedureId(3)),
        ];
        let mut numbers = NeedNumbers::default();
        for _ in 0..2 {
            for (expected, need) in (0..).zip(needs) {
                assert_eq!(numbers.number(need), expected);
                assert_eq!(numbers.need(expected), need);
            }
        }
        assert_eq!(numbers.into_needs(), needs);
    }
}
