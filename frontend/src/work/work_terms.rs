//! Work terms: the trip counts that describe the work of a block, as expressions that a probe evaluates at its entry. A trip
//! count becomes a term if the slice can compute its operands at next to no cost. A block with other trip counts, or with
//! branches that its terms do not cover, is data-dependent.

use crate::blocks::block_finder::{ElementKind, ProgramElement};
use crate::blocks::control_statement_blocks::ControlBlocks;
use crate::dataflow::control::Control;
use crate::dataflow::control_locations::of_evaluated;
use crate::dataflow::dependence_sources::{DependenceGraph, ExecutedRange};
use crate::dataflow::loop_carried::StatementReads;
use crate::dataflow::rank_varying;
use crate::dataflow::reachable_statements::ReachableStatements;
use crate::effects::model::Model;
use crate::effects::statement_effects::Via;
use crate::expressions::count_factors::{Factor, clamped};
use crate::expressions::name_visibility::{self, is_unshadowed};
use crate::expressions::trip_count_factors::product;
use crate::fortran::spell;
use crate::graphs::assumed_outcomes::Clause;
use crate::ir::analysis::{Extent, ProgramPoint};
use crate::ir::array_inquiries;
use crate::ir::bit_set::BitSet;
use crate::ir::expression_builders::binary;
use crate::ir::references;
use crate::ir::spans::Spans;
use crate::ir::statement_tree;
use crate::ir::{Expression, Operator, ProcedureId, Program, StatementId, StatementKind, Storage};
use crate::memory::evaluation_reads;
use crate::memory::location_id::LocationId;
use crate::slice::reasons::Because;
use crate::slice::slicer::Slicer;
use crate::source::Sources;
use crate::work::data_dependent_branches::{self, Knowledge};
use crate::work::iteration_dependent_work::{self, IterationDependence, IterationDependentLoops};
use crate::work::stride_loops;
use crate::work::trip_counts::{Count, Counts, TripCounts};
use crate::work::work_term_coverage::WorkTermCoverage;
use base_data::block_table::WorkTerm;
use std::collections::{BTreeMap, BTreeSet};

/// Most terms of one block; if there are more, those of one nesting depth are summed.
const MAX_TERMS: usize = 8;
/// Longest chain of named constants that is followed; also ends the recursion in invalid programs.
const MAX_CONSTANT_DEPTH: u32 = 16;

/// The work of one compute block.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockWork {
    /// Its terms.
    pub(crate) terms: Vec<(Expression, WorkTerm)>,
    /// Whether its time depends on more.
    pub(crate) data_dependent: bool,
    /// Whether its work depends on the iteration of loops with communication around it, and no loop around these repeats it.
    pub(crate) changes: bool,
    /// The loops on whose iteration its work depends.
    pub(crate) changing_in: Vec<StatementId>,
    /// The loops and branches that no term covers, if the block is data-dependent.
    pub(crate) untold: Vec<StatementId>,
}

/// A block with its terms, before its branches are classified.
pub(crate) struct Counted<'f> {
    kind: &'f ElementKind,
    work: BlockWork,
    coverage: WorkTermCoverage,
}

/// What the terms of all blocks are chosen with.
#[derive(Clone, Copy)]
pub(crate) struct TermContext<'a, 'b> {
    pub(crate) model: &'a Model<'a>,
    pub(crate) sources: &'b Sources,
    pub(crate) spans: Spans<'b>,
    /// Names that mean something else in probes.
    pub(crate) ambiguous: &'b BTreeSet<String>,
}

/// Facts about the whole program with which the branches of blocks are classified.
struct ProgramFacts<'a> {
    loops: IterationDependentLoops<'a>,
    rank_varying: BitSet,
}

/// The terms of all compute blocks in order; their operands are added to the slice. No term names one of the `ambiguous` names.
pub(crate) fn choose<'a, 'f>(
    context: TermContext<'a, '_>,
    found: &'f [ProgramElement],
    counts: &mut TripCounts<'a>,
    slicer: &mut Slicer<'a>,
) -> Vec<Counted<'f>> {
    let model = context.model;
    let mut counted = Vec::new();
    for kind in found.iter().map(|found| &found.kind) {
        match kind {
            ElementKind::Compute(top) => {
                let (mut work, coverage) = block(context, top[0], counts.of(top), slicer);
                for &id in top {
                    work.untold.extend(uncounted_loops(model, id, &coverage));
                }
                counted.push(Counted {
                    kind,
                    work,
                    coverage,
                });
            }
            ElementKind::Own(id, extent) => {
                let (mut work, coverage) = block(context, *id, counts.of_own(*id, extent), slicer);
                // One term that differs between the marks makes the set of terms incomplete.
                for (term, _) in &work.terms {
                    if !holds_at_marks(model, kind, term) {
                        work.terms.clear();
                        work.data_dependent = true;
                        break;
                    }
                }
                work.untold.push(*id);
                counted.push(Counted {
                    kind,
                    work,
                    coverage,
                });
            }
            ElementKind::Site(..)
            | ElementKind::Loop(_)
            | ElementKind::Unknown(..)
            | ElementKind::Structure(_) => {}
        }
    }
    counted
}

/// What [`classify`] needs of a program besides its slice, which may be computed meanwhile.
pub(crate) struct RankVaryingValues<'a> {
    reads: StatementReads<'a>,
    places: BitSet,
}

impl<'a> RankVaryingValues<'a> {
    pub(crate) fn of(model: &'a Model<'a>, control: &Control, error_exits: &[Clause]) -> Self {
        let reads = StatementReads::of(model);
        let places = rank_varying::places(&reads, control, error_exits);
        RankVaryingValues { reads, places }
    }
}

/// The work of all compute blocks in order, from their terms. Only when all terms are in the slice is it known which
/// branches the slice evaluates.
pub(crate) fn classify<'a>(
    model: &'a Model<'a>,
    found: &[ProgramElement],
    counted: Vec<Counted>,
    slicer: &Slicer<'a>,
    varying: RankVaryingValues<'a>,
    error_exits: &'a [Clause],
) -> Vec<BlockWork> {
    let facts = ProgramFacts {
        loops: IterationDependentLoops::of(&varying.reads, found, error_exits),
        rank_varying: varying.places,
    };
    let mut all = Vec::new();
    for mut block in counted {
        match block.kind {
            ElementKind::Compute(top) => {
                let executed = ReachableStatements::of(model, top);
                let range = ExecutedRange {
                    model,
                    control: slicer.control,
                    error_exits,
                    executed: &executed,
                    top,
                };
                classify_branches(&range, slicer, &facts, &mut block);
            }
            ElementKind::Own(id, _) => {
                classify_control_block(model, block.kind, *id, &facts.loops, &mut block.work);
            }
            ElementKind::Site(..)
            | ElementKind::Loop(_)
            | ElementKind::Unknown(..)
            | ElementKind::Structure(_) => {}
        }
        if !block.work.data_dependent {
            block.work.untold.clear();
        }
        all.push(block.work);
    }
    all
}

/// Determines whether the work of a statement range depends on more than its terms cover, and on the iteration of which
/// loops.
fn classify_branches(
    range: &ExecutedRange,
    slicer: &Slicer,
    facts: &ProgramFacts,
    block: &mut Counted,
) {
    let ExecutedRange { model, top, .. } = *range;
    let Counted { work, coverage, .. } = block;
    let changing = facts.loops.around(top[0]);
    let mut graph = DependenceGraph::of(range);
    let knowledge = Knowledge {
        slicer,
        coverage,
        changing: changing.as_ref(),
        rank_varying: &facts.rank_varying,
    };
    let decisions = data_dependent_branches::find(&mut graph, knowledge);
    let incomplete = work.data_dependent;
    work.data_dependent |= decisions.data;
    // Without complete terms, each control location that changes makes the work change.
    let is_changed_by = |dependence: &IterationDependence| {
        incomplete && iteration_dependent_work::deciding(model, top).overlaps(&dependence.places)
    };
    if let Some(all) = &changing
        && (decisions.changes || is_changed_by(all))
    {
        for (repeat, one) in facts.loops.each_around(top[0]) {
            // Costs are compared with the smallest iteration, as above.
            let one = IterationDependence {
                iteration: all.iteration,
                ..one.clone()
            };
            let knowledge = Knowledge {
                changing: Some(&one),
                ..knowledge
            };
            if is_changed_by(&one) || data_dependent_branches::find(&mut graph, knowledge).changes {
                work.changing_in.push(repeat);
            }
        }
        // Only all loops together change it: each of them is responsible.
        if work.changing_in.is_empty() {
            let around = facts.loops.each_around(top[0]);
            work.changing_in = around.map(|(repeat, _)| repeat).collect();
        }
        work.changes = facts.loops.changes_permanently(&work.changing_in);
    }
    for id in decisions.uncovered {
        // The counts show better whether terms count the iterations of a DO loop.
        if !matches!(model.program.statement(id).kind, StatementKind::Do { .. }) {
            work.untold.push(id);
        }
    }
    work.untold.sort_unstable();
    work.untold.dedup();
}

/// Whether a term has the same value at all marks of its block: its names have the same meaning there, and the statement
/// behind which a mark is placed has not changed its operands.
fn holds_at_marks(model: &Model, kind: &ElementKind, term: &Expression) -> bool {
    if let ElementKind::Own(id, Extent::Tail) = kind
        && changes(model, *id, term)
    {
        return false;
    }
    let is_known = |mark: &ProgramPoint| {
        name_visibility::spell(model.program, &model.outline, term, mark.statement()).is_some()
    };
    kind.marks().iter().all(is_known)
}

/// Whether a statement writes an operand of a term.
fn changes(model: &Model, id: StatementId, term: &Expression) -> bool {
    let read = evaluation_reads::read_by(&model.locations, term);
    let indirect = model.effects.written_indirectly(id);
    for definition in &model.effects.of_statement(id).definitions {
        if read.contains(&definition.location) {
            return true;
        }
    }
    read.iter().any(|&location| indirect.contains(location))
}

/// Determines on the iteration of which loops the block of a control statement depends, if no term covers it.
fn classify_control_block(
    model: &Model,
    kind: &ElementKind,
    id: StatementId,
    loops: &IterationDependentLoops,
    work: &mut BlockWork,
) {
    if !work.data_dependent {
        return;
    }
    let Some(inside) = kind.executed_with() else {
        return;
    };
    let mut control_locations = BitSet::default();
    for location in of_evaluated(model, id) {
        control_locations.insert(location.index());
    }
    // Procedures without blocks of their own are part of the block.
    for called in ControlBlocks::of_model(model).local_procedures(id) {
        let body = &model.program.procedure(called).body;
        control_locations.union(&iteration_dependent_work::deciding(model, body));
    }
    work.changing_in = Vec::new();
    for (repeat, one) in loops.each_around(inside) {
        if control_locations.overlaps(&one.places) {
            work.changing_in.push(repeat);
        }
    }
    work.changes = !work.changing_in.is_empty() && loops.changes_permanently(&work.changing_in);
}

/// The loops in a statement in which no term counts anything.
fn uncounted_loops(
    model: &Model,
    top: StatementId,
    coverage: &WorkTermCoverage,
) -> Vec<StatementId> {
    let mut loops = statement_tree::subtree(model.program, top);
    loops.retain(|&id| model.program.statement(id).kind.is_loop());
    // A count inside a loop depends on the trip count of the loop, so it covers the loop as well.
    for count in &coverage.counts {
        loops.retain(|&id| !model.outline.is_within(count.at, id));
    }
    loops
}

/// The operands of the work terms of blocks, by the statements at which the blocks are marked.
pub(crate) fn read_at(
    model: &Model,
    found: &[ProgramElement],
    work: &[BlockWork],
) -> BTreeMap<StatementId, Vec<LocationId>> {
    let blocks = found.iter().filter(|found| found.kind.is_compute());
    let mut all: BTreeMap<StatementId, Vec<LocationId>> = BTreeMap::new();
    for (found, work) in blocks.zip(work) {
        let mut read = Vec::new();
        for (term, _) in &work.terms {
            read.extend(evaluation_reads::read_by(&model.locations, term));
        }
        for mark in found.kind.marks() {
            all.entry(mark.statement()).or_default().extend(&read);
        }
    }
    all
}

/// Chooses the terms of one block among its trip counts.
fn block<'a>(
    context: TermContext<'a, '_>,
    first: StatementId,
    counted: Counts,
    slicer: &mut Slicer<'a>,
) -> (BlockWork, WorkTermCoverage) {
    let TermContext { model, spans, .. } = context;
    let mut work = BlockWork {
        data_dependent: counted.incomplete,
        ..BlockWork::default()
    };
    let mut coverage = WorkTermCoverage {
        refused: counted.refused,
        ..WorkTermCoverage::default()
    };
    let mut terms: Vec<SpelledCount> = Vec::new();
    for mut count in counted.counts {
        let Some((expression, text)) = context.spelled(&mut count, first) else {
            work.data_dependent |= !count.of_branch;
            coverage.refused.push(count.at);
            continue;
        };
        // A constant needs no term, and equal counts need one.
        if is_literal(&expression) || terms.iter().any(|known| known.text == text) {
            coverage.add(&count);
            continue;
        }
        if !add_within_budget(model, slicer, &expression, first) {
            work.data_dependent |= !count.of_branch;
            coverage.refused.push(count.at);
            continue;
        }
        coverage.add(&count);
        terms.push(SpelledCount {
            text,
            expression,
            count,
        });
    }
    if terms.len() > MAX_TERMS {
        // Sums of branch counts would hide which branch was taken.
        terms.retain(|term| !term.count.of_branch);
        coverage.is_summed();
    }
    work.terms = at_most_max_terms(model.program, terms, spans);
    (work, coverage)
}

impl TermContext<'_, '_> {
    /// A count as an expression of a probe, and its text; `None` if it cannot be written there.
    fn spelled(self, count: &mut Count, first: StatementId) -> Option<(Expression, String)> {
        let model = self.model;
        count
            .factors
            .retain(|factor| !is_of_the_library(model.program, factor));
        let expression = product(&count.factors);
        let text = name_visibility::spell(model.program, &model.outline, &expression, first)?;
        is_unshadowed(&text, self.ambiguous).then_some((expression, text))
    }

    /// Whether all of some counts, which a probe before a statement evaluates, can be terms at next to no cost; then the slice
    /// computes their operands, and the way to the statement is in it.
    pub(crate) fn are_affordable(
        self,
        counts: Vec<Count>,
        slicer: &mut Slicer,
        first: StatementId,
    ) -> bool {
        let mut expressions = Vec::new();
        for mut count in counts {
            match self.spelled(&mut count, first) {
                Some((expression, _)) => expressions.push(expression),
                None if count.of_branch => {}
                None => return false,
            }
        }
        slicer.attempt(|larger| {
            larger.keep_path(&[first], None, Because::Mark(first));
            for expression in &expressions {
                larger.need_expression(expression, first, Because::WorkTerm(first));
            }
            larger.run();
            is_affordable(self.model, larger)
        })
    }
}

/// A trip count as an expression that is evaluated at a block's entry, and its source text.
struct SpelledCount {
    text: String,
    expression: Expression,
    count: Count,
}

/// Names of intrinsic functions in generated probes that the program declares as something else, where the probe would
/// then call the program's object. Array inquiry functions include the parenthesis: many programs have a variable `size`,
/// which does not harm.
pub(crate) fn own_names(program: &Program) -> impl Iterator<Item = String> {
    let mut names = Vec::new();
    for variable in &program.variables {
        names.push(variable.name.to_ascii_lowercase());
    }
    for procedure in &program.procedures {
        names.push(procedure.name.to_ascii_lowercase());
    }
    for constructs in program.own_names.values() {
        for name in constructs.keys() {
            names.push(name.to_ascii_lowercase());
        }
    }
    names.into_iter().filter_map(|name| match name.as_str() {
        "abs" | "iabs" | "iand" | "ieor" | "int" | "ior" | "max" | "merge" | "min" | "mod"
        | "modulo" => Some(name),
        "dot_product" => Some(format!("{name}(")),
        inquiry if array_inquiries::FUNCTIONS.contains(&inquiry) => Some(format!("{name}(")),
        _ => None,
    })
}

/// Adds the operands of an expression to the slice, unless these need statements that write arrays or repeat anything, or more
/// messages. Whether it did.
fn add_within_budget(
    model: &Model,
    slicer: &mut Slicer,
    expression: &Expression,
    first: StatementId,
) -> bool {
    slicer.attempt(|larger| {
        larger.need_expression(expression, first, Because::WorkTerm(first));
        larger.run();
        is_affordable(model, larger)
    })
}

/// Whether the current attempt adds nothing to the slice that costs much.
fn is_affordable(model: &Model, slicer: &Slicer) -> bool {
    // A term that needs a message would make the probe deliver it: that is no small cost.
    if slicer.attempt_needs_messages() {
        return false;
    }
    let mut added = slicer.attempted().into_iter();
    !added.any(|id| is_costly(model, &slicer.kept, id))
}

/// Whether a kept statement repeats anything more often than an integer has bits, or writes arrays, itself or in kept statements
/// of its callees. An allocation costs nothing, since the slice does not touch the memory.
fn is_costly(model: &Model, kept: &[bool], id: StatementId) -> bool {
    let mut open = vec![id];
    let mut called: BTreeSet<ProcedureId> = BTreeSet::new();
    while let Some(id) = open.pop() {
        let effects = model.effects.of_statement(id);
        let repeats = match model.program.statement(id).kind {
            StatementKind::While { .. } => !stride_loops::is_logarithmic(model, id),
            StatementKind::Do { .. } | StatementKind::Opaque { .. } => true,
            _ => false,
        };
        if repeats || effects.is_unseen() && model.effects.writes_array(id) {
            return true;
        }
        for definition in &effects.definitions {
            let is_status = model.locations.is_existence(definition.location);
            // Definitions through dummies are visited in the callee.
            if !is_status
                && !matches!(definition.via, Via::Dummy(..))
                && model.locations.get(definition.location).is_array
            {
                return true;
            }
        }
        for call in &effects.calls {
            if !called.insert(call.target) {
                continue;
            }
            for &inner in model.outline.of_procedure(call.target) {
                if kept[inner.0 as usize] {
                    open.push(inner);
                }
            }
        }
    }
    false
}

/// Whether a factor is a constant of the MPI library (`MPI_STATUS_SIZE`), which differs between libraries: as part of a term
/// it would make equal event streams differ.
fn is_of_the_library(program: &Program, factor: &Factor) -> bool {
    let Factor::Count(count) = factor else {
        return false;
    };
    for variable in references::variables(count) {
        if !matches!(program.variable(variable).storage, Storage::Constant(_)) {
            return false;
        }
    }
    names_mpi(program, count, MAX_CONSTANT_DEPTH)
}

/// Whether an expression names a constant of MPI, or one that is defined by such constants.
fn names_mpi(program: &Program, expression: &Expression, deepest: u32) -> bool {
    for variable in references::variables(expression) {
        let variable = program.variable(variable);
        if variable.attributes.of_mpi {
            return true;
        }
        if let Storage::Constant(Some(definition)) = &variable.storage
            && deepest > 0
            && names_mpi(program, definition, deepest - 1)
        {
            return true;
        }
    }
    false
}

/// Whether an expression consists of literals, so that it has the same value in each execution. Named constants may differ
/// between builds of one source.
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

/// At most [`MAX_TERMS`] terms: if there are more, one per nesting depth.
fn at_most_max_terms(
    program: &Program,
    terms: Vec<SpelledCount>,
    spans: Spans,
) -> Vec<(Expression, WorkTerm)> {
    let mut chosen = Vec::new();
    if terms.len() <= MAX_TERMS {
        for one in terms {
            let term = term(one.text, one.count.at, spans);
            chosen.push((one.expression, term));
        }
        return chosen;
    }
    let mut by_depth: BTreeMap<usize, (Vec<Expression>, StatementId)> = BTreeMap::new();
    for SpelledCount { count, .. } in terms {
        let mut depth = 0;
        for factor in &count.factors {
            depth += usize::from(matches!(factor, Factor::Count(_)));
        }
        // Counts of different loops are added, so none may be negative.
        let wide = match &count.factors[..] {
            [only] => clamped(only),
            several => product(several),
        };
        match by_depth.get_mut(&depth.min(MAX_TERMS)) {
            Some((all, _)) => all.push(wide),
            None => {
                by_depth.insert(depth.min(MAX_TERMS), (vec![wide], count.at));
            }
        }
    }
    for (all, at) in by_depth.into_values() {
        let sum = balanced_sum(&all);
        if let Some(text) = spell(program, &sum) {
            chosen.push((sum, term(text, at, spans)));
        }
    }
    chosen
}

/// The sum of some expressions as a balanced tree. GNU Fortran compares two sums of n summands in a row, which may be the same, in 2^n
/// steps; of balanced sums in about n.
fn balanced_sum(all: &[Expression]) -> Expression {
    if let [only] = all {
        return only.clone();
    }
    let (first, second) = all.split_at(all.len() / 2);
    binary(Operator::Add, balanced_sum(first), balanced_sum(second))
}

fn term(expression: String, at: StatementId, spans: Spans) -> WorkTerm {
    WorkTerm {
        expression,
        span: spans.between(at, at),
    }
}
