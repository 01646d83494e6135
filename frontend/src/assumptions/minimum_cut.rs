//! The minimum cut: the fewest tests of computed values that separate bulk data from the MPI calls in the dependence graph, and
//! the assumption that is proposed for each.

use crate::assumptions::bulk_data;
use crate::assumptions::counted_exits;
use crate::assumptions::error_exits::ErrorExits;
use crate::assumptions::loop_tests::{Repetition, Turn, turn};
use crate::assumptions::mixed_conditions;
use crate::assumptions::selections::{self, Ending};
use crate::assumptions::user_assumptions::{self, AppliedAssumption};
use crate::dataflow::control::Control;
use crate::dataflow::loop_carried::StatementReads;
use crate::dataflow::rank_varying;
use crate::effects::model::Model;
use crate::graphs::assumed_outcomes::Clause;
use crate::graphs::control_flow_graph::{CfgNode, ControlFlowGraph};
use crate::ir::analysis::{
    ENDS_NO_LOOP, GUESSED_BRANCH, OTHER_BOUND, Replacement, SelectionBranch, Substitution,
    UPPER_BOUND,
};
use crate::ir::{Expression, ProcedureId, StatementId, StatementKind};
use crate::slice::dependence_graph::{DependenceGraph, NeedSet};
use crate::slice::needs::Need;
use base_data::program_data::{AssumedOutcome, AssumptionOrigin};
use std::collections::BTreeMap;

/// Iterations of a loop without another bound, where neither a recording nor the user gives them.
const FEW_TRIPS: u64 = 10;

/// The assumptions that separate bulk data from the MPI calls, in order: about tests that end loops, and about `switches`. Bulk
/// data that are needed whatever is assumed stay.
pub(crate) fn find(
    model: &Model,
    control: &Control,
    needs: &DependenceGraph,
    exits: &ErrorExits,
    switches: &[Clause],
) -> Vec<AppliedAssumption> {
    let mut tests = loop_tests(model, control, exits);
    for &switch in switches {
        tests.entry(switch).or_insert(Test::Switch);
    }
    cut(model, needs, &tests)
}

/// The tests that end loops, the guards of these loops, and error exits.
fn loop_tests(model: &Model, control: &Control, exits: &ErrorExits) -> BTreeMap<Clause, Test> {
    let mut tests = tests(model, control);
    remove_unequal_guards(model, control, exits, &mut tests);
    let mut error_exits = Vec::new();
    for &exit in &exits.tests {
        if control.is_free(exit) {
            error_exits.push(exit);
        }
    }
    for &exit in &exits.orderly {
        // An orderly exit that ends a loop may be the intended end of the program: it stays a loop test.
        if !tests.contains_key(&exit) && may_be_test(model, control, exit) {
            error_exits.push(exit);
        }
    }
    for exit in error_exits {
        // In place of what else the test may be: an error exit may also leave a loop.
        tests.insert(exit, Test::ErrorExit);
    }
    tests
}

/// The fewest of some tests that separate bulk data from the MPI calls, with what is assumed of each.
fn cut(
    model: &Model,
    needs: &DependenceGraph,
    tests: &BTreeMap<Clause, Test>,
) -> Vec<AppliedAssumption> {
    let is_test =
        |need: Need| matches!(need, Need::Evaluation(clause) if tests.contains_key(&clause));
    // What is needed even if no test is evaluated cannot be cut off, so it is no target.
    let mut inevitable = NeedSet::default();
    needs.reach(&[Need::Criterion], is_test, &mut inevitable);
    let mut all = NeedSet::default();
    let mut targets = Vec::new();
    for need in needs.reach(&[Need::Criterion], |_| false, &mut all) {
        if let Need::Statement(id) = need
            && !needs.contains(&inevitable, need)
            && bulk_data::computes(model, id)
        {
            targets.push(need);
        }
    }
    if targets.is_empty() {
        return Vec::new();
    }
    let mut choices = Vec::new();
    for need in needs.minimum_cut(is_test, &targets) {
        if let Some(at) = need.evaluated() {
            choices.push(choice(model, needs, at, tests[&at]));
        }
    }
    choices
}

/// What can be assumed of a test: its outcome, and in what sense the time is one of bounds.
#[derive(Clone, Copy)]
enum Test {
    /// It ends the run.
    ErrorExit,
    /// It may leave a loop that has another bound.
    Early,
    /// It alone ends a repetition; is it true at its end?
    Only(bool),
    /// It is the condition of a loop.
    Condition,
    /// It selects one of two ways, of which one ends a repetition.
    Selection(Ending),
    /// It ends no loop, but selects another method in some iterations.
    Switch,
    /// It skips a loop that has such tests, if it holds or if it does not.
    Guard {
        /// Whether the loop runs if it holds.
        runs_if: bool,
        /// A test of the loop.
        of: StatementId,
    },
}

/// The tests of computed values that end loops.
fn tests(model: &Model, control: &Control) -> BTreeMap<Clause, Test> {
    let mut found = BTreeMap::new();
    for p in (0..model.program.procedures.len() as u32).map(ProcedureId) {
        let mut candidates: Vec<Clause> = Vec::new();
        for &id in model.outline.of_procedure(p) {
            candidates.extend(Clause::of(&model.program.statement(id).kind, id));
        }
        candidates.retain(|&at| may_be_test(model, control, at));
        if candidates.is_empty() {
            continue;
        }
        let flow = control.flow(model, p, &control.assumed);
        let mut ends = Vec::new();
        let mut others = Vec::new();
        for at in candidates {
            match test(model, control, &flow, at) {
                Some(test) => {
                    ends.push(at.statement);
                    found.insert(at, test);
                }
                None => others.push(at),
            }
        }
        for at in others {
            if let Some(guard) = guard(model, &flow, at, &ends) {
                found.insert(at, guard);
            }
        }
    }
    found
}

fn may_be_test(model: &Model, control: &Control, at: Clause) -> bool {
    let Some(condition) = condition(model, at) else {
        return false;
    };
    control.is_free(at)
        && bulk_data::is_test_of_values(model, condition)
        && user_assumptions::is_replaceable(model, at)
}

/// A condition of a statement, or what it selects by.
fn condition<'a>(model: &'a Model, at: Clause) -> Option<&'a Expression> {
    match selections::selector(&model.program.statement(at.statement).kind) {
        Some(selector) => Some(selector),
        None => user_assumptions::condition(model, at),
    }
}

fn test(model: &Model, control: &Control, flow: &ControlFlowGraph, at: Clause) -> Option<Test> {
    let Clause {
        statement: id,
        number,
    } = at;
    if matches!(
        model.program.statement(id).kind,
        StatementKind::While { .. }
    ) {
        return Some(Test::Condition);
    }
    if selections::selector(&model.program.statement(id).kind).is_some() {
        // That no case is taken is not said at the line of one.
        let ending = selections::ending(model, flow, id)?;
        return (ending.leaves != SelectionBranch::Case(0)).then_some(Test::Selection(ending));
    }
    match turn(model, flow, id, number)? {
        Turn::Leaves(Repetition::Bounded) => Some(Test::Early),
        Turn::Leaves(Repetition::Unbounded)
            if counted_exits::is_beside(model, |at| control.is_free(at), flow, at) =>
        {
            Some(Test::Early)
        }
        Turn::Leaves(Repetition::Unbounded) => Some(Test::Only(true)),
        Turn::Repeats => Some(Test::Only(false)),
        Turn::Neither => None,
    }
}

/// A test that skips a loop of which one of `ends` is a test: an iterative method that has converged before it begins, or that
/// cannot begin. The loop is to be predicted, so it is assumed to run. The way that skips it must not communicate on its own: it
/// would be another method.
fn guard(model: &Model, flow: &ControlFlowGraph, at: Clause, ends: &[StatementId]) -> Option<Test> {
    let StatementKind::If { branches, .. } = &model.program.statement(at.statement).kind else {
        return None;
    };
    let first = *branches.get(at.number)?.1.first()?;
    let first = flow.number(CfgNode::Statement(first));
    let mut others = flow.successors(flow.number(CfgNode::Statement(at.statement)));
    others.retain(|&to| to != first);
    let if_held = reachable(flow, &[first]);
    let if_not = reachable(flow, &others);
    let communicates = |here: &[bool], there: &[bool]| {
        flow.points()
            .into_iter()
            .enumerate()
            .any(|(at, point)| match point {
                CfgNode::Statement(id) => {
                    here[at] && !there[at] && model.calls.communicates[id.0 as usize]
                }
                CfgNode::Entry | CfgNode::Return | CfgNode::Exit => false,
            })
    };
    let (only_if_held, only_if_not) = (
        communicates(&if_held, &if_not),
        communicates(&if_not, &if_held),
    );
    for &of in ends {
        let test = flow.number(CfgNode::Statement(of));
        let skips_only = match (if_held[test], if_not[test]) {
            (true, false) => !only_if_not,
            (false, true) => !only_if_held,
            _ => false,
        };
        if skips_only {
            return Some(Test::Guard {
                runs_if: if_held[test],
                of,
            });
        }
    }
    None
}

/// Removes guards that some ranks may pass and others not: then a loop runs on some ranks only, and no outcome is right for all.
fn remove_unequal_guards(
    model: &Model,
    control: &Control,
    exits: &ErrorExits,
    tests: &mut BTreeMap<Clause, Test>,
) {
    let mut guards = Vec::new();
    for (at, test) in &*tests {
        if matches!(test, Test::Guard { .. }) {
            guards.push(*at);
        }
    }
    if guards.is_empty() {
        return;
    }
    let statements: Vec<StatementId> = guards.iter().map(|at| at.statement).collect();
    let reads = StatementReads::of(model);
    let unequal = rank_varying::unequal_tests(&reads, control, &exits.tests, &statements);
    for at in guards {
        if unequal.contains(&at.statement) {
            tests.remove(&at);
        }
    }
}

/// The nodes that control may reach from some.
fn reachable(flow: &ControlFlowGraph, from: &[usize]) -> Vec<bool> {
    let mut reached = vec![false; flow.len()];
    let mut pending = from.to_vec();
    while let Some(at) = pending.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            pending.extend(flow.successors(at));
        }
    }
    reached
}

/// What is assumed of a test so that what else its condition holds, or a count beside it, ends the loop.
pub(crate) fn with_count_conjunct(
    model: &Model,
    control: &Control,
    needs: &DependenceGraph,
    choice: &AppliedAssumption,
) -> Option<AppliedAssumption> {
    let Substitution {
        statement,
        clause: number,
        ..
    } = choice.substitution;
    let at = Clause { statement, number };
    // A selection has no conjuncts.
    if selections::selector(&model.program.statement(statement).kind).is_some() {
        return None;
    }
    let flow = control.flow(
        model,
        model.program.statement(statement).procedure,
        &control.assumed,
    );
    let part = mixed_conditions::find(model, |at| control.is_free(at), &flow, at)?;
    let (on, by) = (
        depends_on(model, needs, at),
        user_assumptions::ended_by(model, at, part),
    );
    Some(AppliedAssumption {
        substitution: user_assumptions::substitution(model, at, Replacement::Conjunct(part)),
        outcome: AssumedOutcome::NotTaken,
        origin: AssumptionOrigin::Proposed,
        reason: format!("a test that depends on {on}; {by}{UPPER_BOUND}"),
    })
}

fn choice(model: &Model, needs: &DependenceGraph, at: Clause, test: Test) -> AppliedAssumption {
    let on = depends_on(model, needs, at);
    let (clause, outcome, replacement) = assumed(test, at.number);
    let reason = match test {
        Test::ErrorExit => format!("an error exit that depends on computed data: {on}"),
        Test::Switch => format!("a test that depends on {on} and {ENDS_NO_LOOP}{GUESSED_BRANCH}"),
        Test::Early
        | Test::Selection(Ending {
            repetition: Repetition::Bounded,
            ..
        }) => {
            format!("a test that depends on {on}; {OTHER_BOUND}{UPPER_BOUND}")
        }
        Test::Guard { of, .. } => format!(
            "a test that depends on {on}; the loop that is tested at line {} is assumed to run",
            model.lines[of.0 as usize]
        ),
        Test::Only(_) | Test::Condition | Test::Selection(_) => format!(
            "a test that depends on {on}; its trip count is unknown, {FEW_TRIPS} is a guess"
        ),
    };
    AppliedAssumption {
        substitution: user_assumptions::substitution(
            model,
            Clause {
                number: clause,
                ..at
            },
            replacement,
        ),
        outcome,
        origin: AssumptionOrigin::Proposed,
        reason,
    }
}

/// The default assumption about a test, and the clause that it is about.
fn assumed(test: Test, number: usize) -> (usize, AssumedOutcome, Replacement) {
    let counted = |evaluations, at_last| Replacement::Counted {
        evaluations,
        at_last,
    };
    let trips = AssumedOutcome::Trips(FEW_TRIPS);
    match test {
        Test::ErrorExit | Test::Early | Test::Switch => (
            number,
            AssumedOutcome::NotTaken,
            Replacement::Constant(false),
        ),
        Test::Guard { runs_if: true, .. } => {
            (number, AssumedOutcome::Taken, Replacement::Constant(true))
        }
        Test::Guard { runs_if: false, .. } => (
            number,
            AssumedOutcome::NotTaken,
            Replacement::Constant(false),
        ),
        Test::Only(at_last) => (number, trips, counted(FEW_TRIPS, at_last)),
        // The condition is evaluated once more than the loop repeats.
        Test::Condition => (number, trips, counted(FEW_TRIPS + 1, false)),
        Test::Selection(Ending {
            leaves,
            stays,
            repetition: Repetition::Bounded,
        }) => {
            let (clause, outcome) = selections::avoided(leaves, stays);
            (clause, outcome, Replacement::Goes(stays))
        }
        Test::Selection(Ending {
            leaves,
            stays,
            repetition: Repetition::Unbounded,
        }) => {
            let (clause, _) = selections::assumed(leaves);
            (
                clause,
                trips,
                Replacement::Turns {
                    evaluations: FEW_TRIPS,
                    leaves,
                    stays,
                },
            )
        }
    }
}

/// What a test depends on, for messages.
fn depends_on(model: &Model, needs: &DependenceGraph, test: Clause) -> String {
    match nearest_bulk(model, needs, test) {
        Some(id) => bulk_data::described(model, id),
        None => "computed data".into(),
    }
}

fn nearest_bulk(model: &Model, needs: &DependenceGraph, test: Clause) -> Option<StatementId> {
    let reached = needs.reach(
        &[Need::Evaluation(test)],
        |_| false,
        &mut NeedSet::default(),
    );
    bulk_data::first_computed(model, &reached)
}
