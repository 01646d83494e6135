//! Termination: whether the run may end, or always ends, in a statement or procedure. Fixpoint over the call graph in rounds, from
//! the assumption that every procedure returns.

use crate::graphs::assumed_outcomes::Assumed;
use crate::graphs::call_graph::CallGraph;
use crate::graphs::control_flow_graph::{CfgNode, ControlFlowGraph};
use crate::graphs::statement_ends::{Surroundings, Terminations, statement_ends};
use crate::ir::statement_tree::Outline;
use crate::ir::{ProcedureId, Program, StatementId};

/// How every procedure may end, found in rounds, since it depends on the procedures that are called: each
/// round looks at what the last one found, the first at procedures that all return.
#[derive(Clone, Debug)]
pub(crate) struct CallRounds(Vec<Vec<Terminations>>);

impl CallRounds {
    /// The rounds of a program of which something is `assumed`. What is known is not looked at again:
    /// `beside` are the rounds under other assumptions, with which procedures (index = procedure id) these
    /// treat alike.
    pub(crate) fn of(
        program: &Program,
        outline: &Outline,
        calls: &CallGraph,
        assumed: &[Assumed],
        beside: Option<(&CallRounds, &[bool])>,
    ) -> Self {
        let mut rounds = CallRounds(vec![vec![
            Terminations::default();
            program.procedures.len()
        ]]);
        loop {
            let ends = rounds.last();
            let surroundings = Surroundings {
                program,
                outline,
                calls,
                assumed,
                ends,
            };
            let mut now = Vec::new();
            for (p, before) in ends.iter().enumerate() {
                let found = match rounds.known(&calls.callees[p], p, beside) {
                    Some(known) => known,
                    None => ends_of(ProcedureId(p as u32), surroundings),
                };
                // Joined with the round before, so that the rounds ascend and end. By itself, `may_stop`
                // is not monotone: a callee that turns out never to return hides a STOP behind its call,
                // and two procedures that call each other could pass the difference on for ever.
                now.push(Terminations {
                    may_stop: found.may_stop || before.may_stop,
                    never_returns: found.never_returns || before.never_returns,
                });
            }
            if now == ends {
                return rounds;
            }
            rounds.0.push(now);
        }
    }

    /// How every procedure may end; index = procedure id.
    pub(crate) fn last(&self) -> &[Terminations] {
        self.at(usize::MAX)
    }

    /// What a round found; the last one's from there on.
    fn at(&self, round: usize) -> &[Terminations] {
        &self.0[round.min(self.0.len() - 1)]
    }

    /// What the next round finds of a procedure, if it has been found: here, or under other assumptions.
    fn known(
        &self,
        callees: &[ProcedureId],
        procedure: usize,
        beside: Option<(&CallRounds, &[bool])>,
    ) -> Option<Terminations> {
        let ends = self.last();
        let round = self.0.len() - 1;
        let as_in = |other: &[Terminations]| {
            callees
                .iter()
                .all(|p| ends[p.0 as usize] == other[p.0 as usize])
        };
        if round > 0 && as_in(self.at(round - 1)) {
            return Some(ends[procedure]);
        }
        let (other, alike) = beside?;
        if alike[procedure] && as_in(other.at(round)) {
            return Some(other.at(round + 1)[procedure]);
        }
        None
    }
}

/// Whether the run may end in each statement itself, whatever is assumed; index = statement id.
pub(crate) fn ending_statements(
    program: &Program,
    outline: &Outline,
    calls: &CallGraph,
) -> Vec<bool> {
    let assumed = &vec![Assumed::Nothing; program.statements.len()];
    let rounds = CallRounds::of(program, outline, calls, assumed, None);
    let surroundings = Surroundings {
        program,
        outline,
        calls,
        assumed,
        ends: rounds.last(),
    };
    let all = (0..program.statements.len() as u32).map(StatementId);
    all.map(|id| statement_ends(id, surroundings).may_stop)
        .collect()
}

fn ends_of(procedure: ProcedureId, surroundings: Surroundings) -> Terminations {
    let flow = ControlFlowGraph::of(procedure, surroundings);
    let reached = flow.reachable(flow.number(CfgNode::Entry));
    let stops = surroundings
        .outline
        .of_procedure(procedure)
        .iter()
        .any(|&id| {
            reached[flow.number(CfgNode::Statement(id))]
                && statement_ends(id, surroundings).may_stop
        });
    Terminations {
        may_stop: stops,
        never_returns: !reached[flow.number(CfgNode::Return)],
    }
}
