//! The section that the program times itself: of the pairs of clock readings, the outermost one that is executed
//! once and encloses the most MPI calls. Pairs are distinguished by call path, so that a procedure with timers that is called once
//! to warm up and once to measure has two. Pairs are defined in [`crate::blocks::timers`].

use crate::blocks::call_costs::CallCosts;
use crate::blocks::timers::{Reading, Timers};
use crate::graphs::assumed_outcomes::Assumed;
use crate::graphs::call_graph::{self, CallGraph};
use crate::graphs::control_flow_graph::{CfgNode, ControlFlowGraph};
use crate::graphs::run_bounds::{self, Outside};
use crate::graphs::statement_ends::Surroundings;
use crate::graphs::statement_ends::Terminations;
use crate::graphs::termination::CallRounds;
use crate::ir::statement_tree::{self, Outline};
use crate::ir::{ProcedureId, Program, StatementId, StatementKind};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Ways into a procedure that are looked at, and calls on each.
const MAX_PATHS: usize = 64;

/// Which section is taken, the greatest: by calls, then the outermost, the longest and the last one.
type Worth = (u64, Reverse<usize>, usize, usize);

/// The section.
#[derive(Clone, Debug)]
pub(crate) struct TimedSection {
    /// The statement that reads the clock first.
    pub(crate) begin: StatementId,
    /// The one that reads it last, or the IF that decides whether that happens.
    pub(crate) end: StatementId,
    /// The calls that lead to it, where others lead to the same statements: from the main program's inwards.
    pub(crate) way: Vec<StatementId>,
    /// How the program counts it, for people.
    pub(crate) counted: String,
    /// The part that lies outside MPI_Init and MPI_Finalize.
    pub(crate) outside: Outside,
}

/// What the program times, but is not passed once for certain.
#[derive(Clone, Debug)]
pub(crate) struct Rejected {
    /// The statement that reads the clock first.
    pub(crate) begin: StatementId,
    /// Why it is not the section.
    pub(crate) why: &'static str,
}

/// The section that the program times, `None` if it times nothing that calls MPI and is passed once; and what it
/// times that encloses more calls, but is not known to be passed once.
pub(crate) fn find(
    program: &Program,
    outline: &Outline,
    calls: &CallGraph,
) -> (Option<TimedSection>, Option<Rejected>) {
    let timers = Timers::of(program, outline, calls);
    let timed: Vec<(ProcedureId, Vec<Reading>)> = (0..program.procedures.len() as u32)
        .map(|p| (ProcedureId(p), timers.readings(ProcedureId(p))))
        .filter(|(_, readings)| readings.len() > 1)
        .collect();
    if timed.is_empty() {
        return (None, None);
    }
    let assumed = vec![Assumed::Nothing; program.statements.len()];
    let rounds = CallRounds::of(program, outline, calls, &assumed, None);
    let finder = SectionFinder {
        program,
        outline,
        calls,
        assumed: &assumed,
        ends: rounds.last(),
        timers: &timers,
    };
    let mut weights = CallCosts::new(program, outline, calls);
    let mut best: Option<(Worth, TimedSection)> = None;
    let mut rejected: Option<(u64, Rejected)> = None;
    for (procedure, readings) in &timed {
        let flow = finder.flow(*procedure);
        let ways = finder.ways(*procedure, MAX_PATHS);
        let differences = timers.differences_in(*procedure);
        for (begin, end, last, inside) in finder.pairs(&flow, readings, &differences) {
            for (number, way) in ways.iter().enumerate() {
                let weight = weights.of(&inside, way.last().copied());
                let worth = (weight, Reverse(way.len()), inside.len(), number);
                if weight > 0 && best.as_ref().is_none_or(|(most, _)| worth > *most) {
                    best = Some((worth, finder.section((begin, end), (last, &inside), way)));
                }
            }
        }
        for (begin, why, inside) in finder.rejected(&flow, readings, &differences, !ways.is_empty())
        {
            let weight = weights.of(&inside, None);
            if weight > rejected.as_ref().map_or(0, |(most, _)| *most) {
                rejected = Some((weight, Rejected { begin, why }));
            }
        }
    }
    let most = best.as_ref().map_or(0, |(worth, _)| worth.0);
    let larger = rejected.filter(|(weight, _)| *weight > most);
    (
        best.map(|(_, section)| section),
        larger.map(|(_, rejected)| rejected),
    )
}

/// Finds the timed section.
struct SectionFinder<'a> {
    program: &'a Program,
    outline: &'a Outline,
    calls: &'a CallGraph,
    assumed: &'a [Assumed],
    ends: &'a [Terminations],
    timers: &'a Timers<'a>,
}

impl SectionFinder<'_> {
    fn flow(&self, procedure: ProcedureId) -> ControlFlowGraph {
        let SectionFinder {
            program,
            outline,
            calls,
            assumed,
            ends,
            ..
        } = *self;
        ControlFlowGraph::of(
            procedure,
            Surroundings {
                program,
                outline,
                calls,
                assumed,
                ends,
            },
        )
    }

    fn section(
        &self,
        (begin, end): (&Reading, &Reading),
        (last, inside): (StatementId, &[StatementId]),
        way: &[StatementId],
    ) -> TimedSection {
        // A call that no other one could replace need not be named.
        let mut way = way.to_vec();
        way.retain(|&call| self.is_one_of_several_calls(call));
        let goes_on = |id| self.returns_from(id);
        let mut outside =
            run_bounds::outside(self.program, self.outline, self.calls, inside, goes_on);
        // The calls of a way lead to one procedure.
        let procedure = |id: StatementId| self.program.statement(id).procedure;
        let has_place =
            |id: &StatementId| way.is_empty() || procedure(*id) == procedure(begin.statement);
        outside.first = outside.first.filter(has_place);
        outside.last = outside.last.filter(has_place);
        TimedSection {
            begin: begin.statement,
            end: last,
            way,
            counted: self.timers.described(begin, end),
            outside,
        }
    }

    /// Whether a statement calls a procedure that other statements call, too.
    fn is_one_of_several_calls(&self, statement: StatementId) -> bool {
        for call in call_graph::calls(&self.program.statement(statement).kind) {
            for target in self.calls.targets(call.callee) {
                if self.callers(target).len() > 1 {
                    return true;
                }
            }
        }
        false
    }

    /// Whether control may come from a statement to the end of its procedure.
    fn returns_from(&self, statement: StatementId) -> bool {
        let flow = self.flow(self.program.statement(statement).procedure);
        let end = flow.number(CfgNode::Return);
        flow.reachable(flow.number(CfgNode::Statement(statement)))[end]
    }

    /// The pairs of a procedure that are passed once each time it is called, with the statement that ends the section and
    /// those between.
    fn pairs<'r>(
        &self,
        flow: &ControlFlowGraph,
        readings: &'r [Reading],
        differences: &[(String, String)],
    ) -> Vec<(&'r Reading, &'r Reading, StatementId, Vec<StatementId>)> {
        let once: Vec<&Reading> = readings
            .iter()
            .filter(|reading| !is_repeated(flow, reading.statement))
            .collect();
        let mut found = Vec::new();
        for begin in once.iter().filter(|begin| self.is_plain(begin.statement)) {
            for end in &once {
                let is_pair = begin.statement != end.statement
                    && self.timers.is_pair(begin, end, differences);
                if is_pair && let Some(last) = self.last(flow, begin.statement, end.statement) {
                    let inside = between(flow, begin.statement, last);
                    // A reading in between that replaces the first one makes the difference one of
                    // another range.
                    let is_lost = readings.iter().any(|other| {
                        inside.contains(&other.statement) && self.timers.replaces(other, begin)
                    });
                    if !is_lost {
                        found.push((*begin, *end, last, inside));
                    }
                }
            }
        }
        found
    }

    /// The statement that ends the section of two readings: control passes it if and only if it passes the first.
    fn last(
        &self,
        flow: &ControlFlowGraph,
        begin: StatementId,
        end: StatementId,
    ) -> Option<StatementId> {
        [end, self.decided(end)]
            .into_iter()
            .find(|&last| self.belong_together(flow, begin, last))
    }

    /// The outermost IF around a reading that does nothing else of note (`if (rank == 0) print *, mpi_wtime() - begin`): ranks
    /// that do not read the clock pass it at the same point. The reading itself without one.
    fn decided(&self, reading: StatementId) -> StatementId {
        let mut outermost = reading;
        for above in self.outline.ancestors(reading) {
            if !matches!(self.program.statement(above).kind, StatementKind::If { .. }) {
                break;
            }
            let inside = statement_tree::subtree(self.program, above).split_off(1);
            if inside
                .iter()
                .any(|id| self.calls.communicates[id.0 as usize])
            {
                break;
            }
            outermost = above;
        }
        outermost
    }

    /// The beginnings of pairs that cannot be the section, with why, and the statements between.
    fn rejected(
        &self,
        flow: &ControlFlowGraph,
        readings: &[Reading],
        differences: &[(String, String)],
        is_reached_once: bool,
    ) -> Vec<(StatementId, &'static str, Vec<StatementId>)> {
        let mut found = Vec::new();
        for begin in readings {
            let ends = readings
                .iter()
                .filter(|end| end.statement != begin.statement);
            for end in ends.filter(|end| self.timers.is_pair(begin, end, differences)) {
                let inside = before_next(flow, begin.statement, end.statement);
                let is_over = |other: &Reading| {
                    self.timers.replaces(other, begin)
                        || self.timers.is_pair(begin, other, differences)
                };
                if readings
                    .iter()
                    .any(|other| inside.contains(&other.statement) && is_over(other))
                {
                    continue;
                }
                let why = self.doubt(flow, begin.statement, end.statement, is_reached_once);
                found.extend(why.map(|why| (begin.statement, why, inside)));
            }
        }
        found
    }

    /// Why a pair may not be passed exactly once; `None` if it is.
    fn doubt(
        &self,
        flow: &ControlFlowGraph,
        begin: StatementId,
        end: StatementId,
        is_reached_once: bool,
    ) -> Option<&'static str> {
        if is_repeated(flow, begin) {
            Some("it may be passed more than once")
        } else if !self.is_plain(begin) {
            Some("a condition decides whether it is passed")
        } else if is_repeated(flow, end) || self.last(flow, begin, end).is_none() {
            Some("its end is not passed once for each beginning")
        } else if !is_reached_once {
            Some("its procedure may be called more than once, or under a condition")
        } else {
            None
        }
    }

    /// Whether control passes one statement if and only if it passes the other, this one first; unless the run
    /// ends between them.
    fn belong_together(
        &self,
        flow: &ControlFlowGraph,
        begin: StatementId,
        end: StatementId,
    ) -> bool {
        let [first, last] =
            [begin, end].map(|statement| flow.number(CfgNode::Statement(statement)));
        // The first dominates the last, and the last post-dominates the first.
        !self.avoids(flow, flow.number(CfgNode::Entry), first, last)
            && !self.avoids(flow, first, last, flow.number(CfgNode::Return))
    }

    /// Whether control gets from one point to another without passing a third.
    fn avoids(&self, flow: &ControlFlowGraph, from: usize, avoided: usize, to: usize) -> bool {
        let (mut stack, mut seen) = (vec![from], BTreeSet::new());
        while let Some(at) = stack.pop() {
            if at == to {
                return true;
            }
            if at != avoided && seen.insert(at) {
                stack.extend(flow.onward(self.program, at));
            }
        }
        false
    }

    /// Whether a statement stands in no construct: nothing but jumps decides whether it runs.
    fn is_plain(&self, statement: StatementId) -> bool {
        self.outline.ancestors(statement).all(|above| {
            matches!(
                self.program.statement(above).kind,
                StatementKind::Scoped { .. }
            )
        })
    }

    /// The calls by which a procedure is reached from the main program, each made once.
    fn ways(&self, procedure: ProcedureId, most: usize) -> Vec<Vec<StatementId>> {
        if self.program.main == Some(procedure) {
            return vec![Vec::new()];
        }
        let mut found = Vec::new();
        for call in self.callers(procedure) {
            let caller = self.program.statement(call).procedure;
            if most == 0 || !self.is_plain(call) || is_repeated(&self.flow(caller), call) {
                continue;
            }
            // The budget halves with each caller, so the search ends in recursive programs, too.
            for mut way in self.ways(caller, most / 2) {
                way.push(call);
                found.push(way);
            }
        }
        found.truncate(MAX_PATHS);
        found
    }

    fn callers(&self, procedure: ProcedureId) -> Vec<StatementId> {
        let mut callers = Vec::new();
        for &(caller, callee) in &self.calls.pairs {
            if callee != procedure {
                continue;
            }
            for &id in self.outline.of_procedure(caller) {
                let mut calls = call_graph::calls(&self.program.statement(id).kind).into_iter();
                if calls.any(|call| self.calls.targets(call.callee).contains(&procedure)) {
                    callers.push(id);
                }
            }
        }
        callers
    }
}

/// Whether control may come back to a statement.
fn is_repeated(flow: &ControlFlowGraph, statement: StatementId) -> bool {
    let me = flow.number(CfgNode::Statement(statement));
    flow.successors(me)
        .into_iter()
        .any(|next| flow.reachable(next)[me])
}

/// The statements that control may pass from one to another.
fn between(flow: &ControlFlowGraph, begin: StatementId, end: StatementId) -> Vec<StatementId> {
    let first = flow.number(CfgNode::Statement(begin));
    let last = flow.number(CfgNode::Statement(end));
    let (reached, leading) = (flow.reachable(first), flow.leading_to(&[last]));
    let mut inside = Vec::new();
    for at in 0..reached.len() {
        if !reached[at] || !leading[at] || at == first || at == last {
            continue;
        }
        if let CfgNode::Statement(statement) = flow.points_at(at) {
            inside.push(statement);
        }
    }
    inside
}

/// The same, before control comes to the end, or back to the beginning, again.
fn before_next(flow: &ControlFlowGraph, begin: StatementId, end: StatementId) -> Vec<StatementId> {
    let [first, last] = [begin, end].map(|statement| flow.number(CfgNode::Statement(statement)));
    let (mut stack, mut seen) = (flow.successors(first), BTreeSet::from([first, last]));
    while let Some(at) = stack.pop() {
        if seen.insert(at) {
            stack.extend(flow.successors(at));
        }
    }
    let mut inside = between(flow, begin, end);
    inside.retain(|&id| seen.contains(&flow.number(CfgNode::Statement(id))));
    inside
}
