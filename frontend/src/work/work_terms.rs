//! Which trip counts become work terms of a block: those that cost next to nothing to know in the
//! slice. The rest make the block data-dependent, and so do decisions that base data do not tell.

use crate::blocks::block_finder::{Found, What};
use crate::blocks::control_statement_blocks::ControlBlocks;
use crate::dataflow::dependence_sources::{DependenceGraph, ExecutedRange};
use crate::dataflow::rank_varying;
use crate::effects::model::Model;
use crate::effects::statement_effects::Via;
use crate::expressions::name_visibility;
use crate::expressions::trip_count_factors::{Factor, clamped, product};
use crate::fortran::spell;
use crate::graphs::assumed_outcomes::Clause;
use crate::graphs::reachable_statements::ReachableStatements;
use crate::ir::analysis::{Extent, Mark};
use crate::ir::bit_set::BitSet;
use crate::ir::iterations::binary;
use crate::ir::references;
use crate::ir::statement_tree;
use crate::ir::{
    Expression, Operator, ProcedureId, Program, StatementId, StatementKind, Storage, VariableId,
};
use crate::memory::array_shapes;
use crate::memory::locations::LocationId;
use crate::slice::reasons::Because;
use crate::slice::slicer::Slicer;
use crate::work::block_tables::Spans;
use crate::work::control_locations::of_evaluated;
use crate::work::data_dependent_branches::{self, Knowledge};
use crate::work::iteration_dependent_work::{self, IterationDependence, IterationDependentLoops};
use crate::work::trip_counts::{Count, Counts, TripCounts};
use crate::work::work_term_coverage::WorkTermCoverage;
use base_data::block_table::WorkTerm;
use std::collections::{BTreeMap, BTreeSet};

/// Terms of one block; beyond, those of one nesting depth are summed.
const MAX_TERMS: usize = 8;
/// Most constants that are followed from one to the next; a guard against circles, too.
const MAX_CONSTANT_DEPTH: u32 = 16;

/// The work of one compute block.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockWork {
    /// Its terms.
    pub(crate) terms: Vec<(Expression, WorkTerm)>,
    /// Whether its time depends on more.
    pub(crate) data_dependent: bool,
    /// Whether that changes while loops with communication around it run, and no loop around these repeats it.
    pub(crate) changes: bool,
    /// The loops while which it changes.
    pub(crate) changing_in: Vec<StatementId>,
    /// Where decisions and loops are that depend on data, if the block's time does.
    pub(crate) untold: Vec<StatementId>,
}

/// The work of all compute blocks in order; what their terms read is added to the slice. No term names
/// one of the `ambiguous` names.
pub(crate) fn find<'a>(
    model: &'a Model<'a>,
    found: &[Found],
    spans: Spans,
    ambiguous: &BTreeSet<String>,
    slicer: &mut Slicer<'a>,
    error_exits: &'a [Clause],
) -> Vec<BlockWork> {
    let mut counts = TripCounts::new(model, error_exits);
    let mut counted = Vec::new();
    for found in found.iter().map(|found| &found.what) {
        match found {
            What::Compute(top) => {
                let (mut work, told) =
                    block(model, top[0], counts.of(top), spans, ambiguous, slicer);
                work.untold = top
                    .iter()
                    .flat_map(|&id| uncounted_loops(model, id, &told))
                    .collect();
                counted.push((found, work, told));
            }
            What::Own(id, extent) => {
                let all = counts.of_own(*id, extent);
                let (mut work, told) = block(model, *id, all, spans, ambiguous, slicer);
                if !work
                    .terms
                    .iter()
                    .all(|(term, _)| holds_at_marks(model, found, term))
                {
                    work.terms.clear();
                    work.data_dependent = true;
                }
                work.untold.push(*id);
                counted.push((found, work, told));
            }
            What::Site(..) | What::Loop(_) | What::Unknown(..) | What::Structure(_) => {}
        }
    }
    let loops = IterationDependentLoops::of(model, found, error_exits);
    let differing = rank_varying::places(model, slicer.control, error_exits);
    let decided = |(what, mut work, told): (&What, BlockWork, WorkTermCoverage)| {
        match what {
            What::Compute(top) => {
                let executed = ReachableStatements::of(model, top);
                let stretch = ExecutedRange {
                    model,
                    control: slicer.control,
                    error_exits,
                    executed: &executed,
                    top,
                };
                decide(&stretch, slicer, &told, (&loops, &differing), &mut work);
            }
            What::Own(id, _) => decide_head(model, what, *id, &loops, &mut work),
            What::Site(..) | What::Loop(_) | What::Unknown(..) | What::Structure(_) => {}
        }
        work.untold.retain(|_| work.data_dependent);
        work
    };
    counted.into_iter().map(decided).collect()
}

/// Whether the work of a run of statements depends on more than its terms tell, and in which loops that changes.
fn decide(
    stretch: &ExecutedRange,
    slicer: &Slicer,
    told: &WorkTermCoverage,
    (loops, differing): (&IterationDependentLoops, &BitSet),
    work: &mut BlockWork,
) {
    let ExecutedRange { model, top, .. } = *stretch;
    let changing = loops.around(top[0]);
    let mut graph = DependenceGraph::of(stretch);
    let knowledge = Knowledge {
        slicer,
        coverage: told,
        changing: changing.as_ref(),
        rank_varying: differing,
    };
    let decisions = data_dependent_branches::find(&mut graph, knowledge);
    let incomplete = work.data_dependent;
    work.data_dependent |= decisions.data;
    let is_of = |all: &IterationDependence| {
        incomplete && iteration_dependent_work::deciding(model, top).overlaps(&all.places)
    };
    if let Some(all) = changing
        .as_ref()
        .filter(|all| decisions.changes || is_of(all))
    {
        let mut changes_in = |one: &IterationDependence| {
            if is_of(one) {
                return true;
            }
            let one = IterationDependence {
                iteration: all.iteration,
                ..one.clone()
            };
            let knowledge = Knowledge {
                changing: Some(&one),
                ..knowledge
            };
            data_dependent_branches::find(&mut graph, knowledge).changes
        };
        let around = loops.each_around(top[0]);
        let found = around
            .filter(|(_, one)| changes_in(one))
            .map(|(repeat, _)| repeat);
        work.changing_in = found.collect();
        if work.changing_in.is_empty() {
            work.changing_in = loops
                .each_around(top[0])
                .map(|(repeat, _)| repeat)
                .collect();
        }
        work.changes = loops.changes_permanently(&work.changing_in);
    }
    // Whether terms count the iterations of a DO is known better from the counts.
    let is_counted =
        |id: &StatementId| matches!(model.program.statement(*id).kind, StatementKind::Do { .. });
    work.untold
        .extend(decisions.uncovered.into_iter().filter(|id| !is_counted(id)));
    work.untold.sort_unstable();
    work.untold.dedup();
}

/// Whether a term means the same at all marks of its block: no other names hold there, and the statement behind which it is
/// marked has not changed what it reads.
fn holds_at_marks(model: &Model, what: &What, term: &Expression) -> bool {
    let is_changed = matches!(what, What::Own(id, Extent::Tail) if changes(model, *id, term));
    let is_known = |mark: &Mark| name_visibility::spell(model, term, mark.statement()).is_some();
    !is_changed && what.marks().iter().all(is_known)
}

/// Whether a statement writes what a term reads.
fn changes(model: &Model, id: StatementId, term: &Expression) -> bool {
    let read = array_shapes::read_by(model, term);
    let unnamed = model.effects.written_indirectly(id);
    let mut written = model.effects.of_statement(id).definitions.iter();
    written.any(|made| read.contains(&made.location))
        || read.iter().any(|&place| unnamed.contains(place))
}

/// In which loops the work of a statement of the structure changes, if no term tells it.
fn decide_head(
    model: &Model,
    what: &What,
    id: StatementId,
    loops: &IterationDependentLoops,
    work: &mut BlockWork,
) {
    let Some(inside) = what.executed_with().filter(|_| work.data_dependent) else {
        return;
    };
    let mut deciding = BitSet::default();
    for place in of_evaluated(model, id) {
        deciding.insert(place.index());
    }
    for called in ControlBlocks::of_model(model).local_procedures(id) {
        deciding.union(&iteration_dependent_work::deciding(
            model,
            &model.program.procedure(called).body,
        ));
    }
    let around = loops
        .each_around(inside)
        .filter(|(_, one)| deciding.overlaps(&one.places));
    work.changing_in = around.map(|(repeat, _)| repeat).collect();
    work.changes = !work.changing_in.is_empty() && loops.changes_permanently(&work.changing_in);
}

/// The loops in a statement of which no term counts anything.
fn uncounted_loops(model: &Model, top: StatementId, told: &WorkTermCoverage) -> Vec<StatementId> {
    let mut inside = statement_tree::subtree(model.program, top);
    inside.retain(|&id| {
        let kind = &model.program.statement(id).kind;
        matches!(kind, StatementKind::Do { .. } | StatementKind::While { .. })
            && !told
                .counts
                .iter()
                .any(|count| model.outline.is_within(count.at, id))
    });
    inside
}

/// What the work terms of blocks read, by the statements beside which these are marked.
pub(crate) fn read_at(
    model: &Model,
    found: &[Found],
    work: &[BlockWork],
) -> BTreeMap<StatementId, Vec<LocationId>> {
    let mut all: BTreeMap<StatementId, Vec<LocationId>> = BTreeMap::new();
    for (found, work) in found
        .iter()
        .filter(|found| found.what.is_compute())
        .zip(work)
    {
        let read: Vec<LocationId> = work
            .terms
            .iter()
            .flat_map(|(term, _)| array_shapes::read_by(model, term))
            .collect();
        for mark in found.what.marks() {
            all.entry(mark.statement()).or_default().extend(&read);
        }
    }
    all
}

fn block<'a>(
    model: &'a Model<'a>,
    first: StatementId,
    counted: Counts,
    spans: Spans,
    ambiguous: &BTreeSet<String>,
    slicer: &mut Slicer<'a>,
) -> (BlockWork, WorkTermCoverage) {
    let mut work = BlockWork {
        data_dependent: counted.incomplete,
        ..BlockWork::default()
    };
    let mut told = WorkTermCoverage {
        refused: counted.refused,
        ..WorkTermCoverage::default()
    };
    let mut terms: Vec<(String, Expression, Count)> = Vec::new();
    for mut count in counted.counts {
        count
            .factors
            .retain(|factor| !is_of_the_library(model.program, factor));
        let expression = product(&count.factors);
        let text = name_visibility::spell(model, &expression, first)
            .filter(|text| is_unshadowed(text, ambiguous));
        let is_known = |text: &String| {
            is_literal(&expression) || terms.iter().any(|(known, ..)| known == text)
        };
        match text {
            Some(text) if is_known(&text) => told.add(&count),
            Some(text) if let Some(larger) = within_budget(model, slicer, &expression, first) => {
                *slicer = larger;
                told.add(&count);
                terms.push((text, expression, count));
            }
            Some(_) | None => {
                work.data_dependent |= !count.of_branch;
                told.refused.push(count.at);
            }
        }
    }
    if terms.len() > MAX_TERMS {
        terms.retain(|(_, _, count)| !count.of_branch);
        told.is_summed();
    }
    work.terms = at_most_max_terms(model.program, terms, spans);
    (work, told)
}

/// Names of intrinsic functions in what is written into probes that the program gives something of its own: they
/// mean that there, as macros do. Those that ask arrays stand with the parenthesis behind them: many programs have a
/// variable `size`.
pub(crate) fn own_names(program: &Program) -> impl Iterator<Item = String> {
    let variables = program.variables.iter().map(|variable| &variable.name);
    let constructs = program.own_names.values().flat_map(|names| names.keys());
    let all = variables
        .chain(program.procedures.iter().map(|procedure| &procedure.name))
        .chain(constructs);
    all.map(|name| name.to_ascii_lowercase())
        .filter_map(|name| match name.as_str() {
            "int" | "max" | "merge" | "mod" | "modulo" => Some(name),
            "dot_product" => Some(format!("{name}(")),
            asked if array_shapes::FUNCTIONS.contains(&asked) => Some(format!("{name}(")),
            _ => None,
        })
}

/// Whether a count in a probe means what it would mean in the program.
pub(crate) fn is_unshadowed(text: &str, ambiguous: &BTreeSet<String>) -> bool {
    !names_any(&format!("max int {text}"), ambiguous)
}

/// Whether a text names one that is `ambiguous`. Terms are in lower case, macros mind case: a term would name
/// something else, or have replaced what the source has not.
pub(crate) fn names_any(text: &str, ambiguous: &BTreeSet<String>) -> bool {
    let mut words = text.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| {
        let word = word.to_ascii_lowercase();
        let name = word.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
        ambiguous.contains(name) || ambiguous.contains(&word)
    })
}

/// The slice with what an expression reads, unless that writes arrays, repeats anything or needs
/// more messages.
fn within_budget<'a>(
    model: &'a Model<'a>,
    slicer: &Slicer<'a>,
    expression: &Expression,
    first: StatementId,
) -> Option<Slicer<'a>> {
    let mut larger = slicer.clone();
    larger.need_expression(expression, first, Because::WorkTerm(first));
    larger.run();
    let mut added = model
        .outline
        .all()
        .filter(|id| larger.kept[id.0 as usize] && !slicer.kept[id.0 as usize]);
    let costly = added.any(|id| is_costly(model, &larger.kept, id));
    (!costly && larger.messages == slicer.messages).then_some(larger)
}

/// Whether a statement that stays repeats anything or writes arrays, itself or in what stays of procedures that it calls. To
/// allocate costs nothing: nobody touches the memory.
fn is_costly(model: &Model, kept: &[bool], id: StatementId) -> bool {
    let mut open = vec![id];
    let mut called: BTreeSet<ProcedureId> = BTreeSet::new();
    while let Some(id) = open.pop() {
        let effects = model.effects.of_statement(id);
        let repeats = matches!(
            model.program.statement(id).kind,
            StatementKind::Do { .. } | StatementKind::While { .. } | StatementKind::Opaque { .. }
        );
        let writes = effects.definitions.iter().any(|made| {
            let is_value = !model.locations.is_existence(made.location);
            is_value
                && !matches!(made.via, Via::Dummy(..))
                && model.locations.get(made.location).is_array
        });
        if repeats || writes || effects.touches_globals && model.effects.writes_array(id) {
            return true;
        }
        for target in effects.calls.iter().map(|call| call.target) {
            if called.insert(target) {
                let inside = model.outline.of_procedure(target).iter();
                open.extend(inside.filter(|id| kept[id.0 as usize]));
            }
        }
    }
    false
}

/// Whether a factor is the same in all executions with one MPI library, but another number in another (`MPI_STATUS_SIZE`): as
/// part of a term it would make streams differ that are the same.
fn is_of_the_library(program: &Program, factor: &Factor) -> bool {
    let Factor::Count(count) = factor else {
        return false;
    };
    let is_constant =
        |variable: VariableId| matches!(program.variable(variable).storage, Storage::Constant(_));
    references::variables(count).into_iter().all(is_constant)
        && names_mpi(program, count, MAX_CONSTANT_DEPTH)
}

/// Whether an expression names a constant of MPI, or one that is defined by such constants.
fn names_mpi(program: &Program, expression: &Expression, deepest: u32) -> bool {
    references::variables(expression)
        .into_iter()
        .any(|variable| {
            let variable = program.variable(variable);
            match &variable.storage {
                _ if variable.attributes.of_mpi => true,
                Storage::Constant(Some(definition)) if deepest > 0 => {
                    names_mpi(program, definition, deepest - 1)
                }
                _ => false,
            }
        })
}

/// Literals only: the same whenever and wherever the block runs. (Named constants differ between
/// builds of one source.)
fn is_literal(expression: &Expression) -> bool {
    let mut literal = true;
    references::walk(expression, &mut |part| {
        literal &= match part {
            Expression::Integer(_)
            | Expression::Literal(_)
            | Expression::Binary { .. }
            | Expression::Call { .. } => true,
            Expression::Unary { operator, .. } => *operator != Operator::Plus,
            Expression::Variable(_) | Expression::Reference { .. } | Expression::Other(_) => false,
        };
    });
    literal
}

/// At most [`MAX_TERMS`] terms: beyond, one per nesting depth.
fn at_most_max_terms(
    program: &Program,
    terms: Vec<(String, Expression, Count)>,
    spans: Spans,
) -> Vec<(Expression, WorkTerm)> {
    if terms.len() <= MAX_TERMS {
        return terms
            .into_iter()
            .map(|(text, e, count)| (e, term(text, count.at, spans)))
            .collect();
    }
    let mut by_depth: BTreeMap<usize, (Expression, StatementId)> = BTreeMap::new();
    for (_, _, count) in terms {
        let depth = count
            .factors
            .iter()
            .filter(|factor| matches!(factor, Factor::Count(_)))
            .count();
        let wide = match &count.factors[..] {
            [only] => clamped(only),
            several => product(several),
        };
        by_depth
            .entry(depth.min(MAX_TERMS))
            .and_modify(|(sum, _)| {
                *sum = binary(Operator::Add, sum.clone(), wide.clone());
            })
            .or_insert((wide, count.at));
    }
    let spelled = by_depth.into_values().filter_map(|(sum, at)| {
        let text = spell(program, &sum)?;
        Some((sum, term(text, at, spans)))
    });
    spelled.collect()
}

fn term(expression: String, at: StatementId, spans: Spans) -> WorkTerm {
    WorkTerm {
        expression,
        span: spans.between(at, at),
    }
}
