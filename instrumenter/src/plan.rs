//! Probe plans: the statements that a probe program omits and the probes that it inserts, independent of the text.

mod assumed;
pub mod compute;
pub mod counters;
pub mod profile;
pub mod program;
pub mod sampled;
pub mod structure;

use base_data::block_table::BlockKind;
use base_data::{BlockId, CallSiteId, LoopId};
use frontend::analysis::{
    Analysis, BlockPlace, Extent, MessageLevel, ParallelRegion, ProgramPoint, SitePlace,
    Substitution,
};
use frontend::ir::{ProcedureId, StatementId};
use std::collections::BTreeMap;

/// A probe program as changes to the original.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProbePlan {
    /// Statements that go; of a construct that goes, the construct alone is listed.
    pub removed: Vec<StatementId>,
    /// What is inserted, in the order in which it stands at one place.
    pub insertions: Vec<Insertion>,
    /// Functions of the token runtime that procedures call and must declare.
    pub declared: Vec<(ProcedureId, &'static str)>,
    /// Conditions and bounds that are not computed, each with the number of its assumption.
    pub substituted: Vec<(u32, Substitution)>,
    /// Parallel regions that are reported to the token runtime.
    pub parallel_regions: Vec<ParallelRegion>,
    /// Conditions that are computed and watched.
    pub watched: Vec<Watched>,
    /// Lines before the first executable statement of a procedure: declarations, then statements.
    pub beginnings: BTreeMap<ProcedureId, Vec<String>>,
}

/// A condition, computed GOTO or arithmetic IF of which something is assumed, in the program that computes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Watched {
    /// Number of the assumption.
    pub number: u32,
    /// Which condition.
    pub substitution: Substitution,
    /// The value of the condition when a repetition ends; `true` if the condition ends none.
    pub ends_when: bool,
}

/// One inserted probe.
#[derive(Clone, Debug, PartialEq)]
pub struct Insertion {
    /// Next to this statement.
    pub statement: StatementId,
    /// Insertion point relative to it.
    pub place: InsertionPoint,
    /// What is inserted.
    pub probe: Probe,
}

/// Insertion point of a probe relative to a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InsertionPoint {
    /// Before the statement, also on jumps to it.
    Before,
    /// After the statement, in the same statement list.
    After,
    /// First in the body of a loop.
    BodyStart,
    /// First in this case of a SELECT CASE, from 1.
    CaseStart(usize),
}

/// An inserted statement: usually a call of the token runtime, whose documentation describes each function.
#[derive(Clone, Debug, PartialEq)]
pub enum Probe {
    /// Announces the next MPI call.
    Call(CallSiteId, MessageLevel),
    /// A compute block stands here; with its work terms.
    Block(BlockId, Vec<String>),
    /// A timed compute block begins; with its work terms.
    Begin(BlockId, Vec<String>),
    /// The work of the block that is about to begin may differ between executions.
    IterationDependentBlock(BlockId),
    /// It ends.
    End(BlockId),
    /// The evaluation of the next statement is timed, until anything else begins; with its work terms.
    Prologue(BlockId, Vec<String>),
    /// The work of the statement since the last call in it returned is timed; with its work terms.
    Epilogue(BlockId, Vec<String>),
    /// A loop with communication is about to be entered.
    Loop(LoopId),
    /// The same of a loop whose iterations go over different data.
    DataLoop(LoopId),
    /// That loop may execute blocks with iteration-dependent work.
    IterationDependentLoop(LoopId),
    /// Leaves the loop when it was measured long enough.
    Cut(LoopId),
    /// An assignment that stands for a loop which only counts.
    Assign(String),
    /// The section to be predicted begins, if so many calls of the way to it have been entered.
    SectionBegin(u32),
    /// It ends, under the same condition.
    SectionEnd(u32),
    /// A call of the way to the section is about to be entered, or was left.
    SelectionBranch(Direction),
    /// A loop of which iterations can be skipped is about to be entered.
    EnterInvariantLoop(LoopId),
    /// Skips the iteration if it is like the one before it; with its signature: logical expressions.
    SkipIteration(LoopId, Vec<String>),
    /// That loop was left.
    LeaveInvariantLoop(LoopId),
    /// An object is about to be allocated: number, whether it takes the place of what it was before, bytes.
    Allocate(u32, bool, String),
    /// An object is about to be freed.
    Free(u32),
    /// So many statements are about to be executed.
    Count(u32),
    /// A repetition of which a number of iterations is assumed is about to be entered.
    Enter(u32),
    /// The same of a loop of which iterations are counted: one that makes none has run, too.
    EnterLoop(u32),
    /// Leaves the loop if so many iterations have been made.
    Leave(u32, u64),
    /// An iteration of a loop begins of which a number of iterations is assumed.
    Iteration(u32),
    /// A SELECT CASE with an assumption is about to be evaluated.
    Assumption(u32),
    /// It has taken the branch that the assumption names.
    BranchTaken(u32),
    /// Statements, with semicolons between, that measure a value of a meta-program.
    Profile(String),
}

impl Probe {
    /// The work terms that it evaluates.
    pub(crate) fn terms(&self) -> &[String] {
        match self {
            Probe::Block(_, terms)
            | Probe::Begin(_, terms)
            | Probe::Prologue(_, terms)
            | Probe::Epilogue(_, terms) => terms,
            _ => &[],
        }
    }
}

/// Which way a call is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Entered.
    In,
    /// Left.
    Out,
}

/// Compute blocks, in the order of their ids.
fn compute_blocks(analysis: &Analysis) -> impl Iterator<Item = &BlockPlace> {
    analysis
        .blocks
        .iter()
        .filter(|block| analysis.table.blocks[block.id.index()].kind == BlockKind::Compute)
}

/// Where a block is marked.
fn places(block: &BlockPlace) -> impl Iterator<Item = (StatementId, InsertionPoint)> {
    let marks = block
        .statements
        .first()
        .map(|&first| block.extent.marks(first))
        .unwrap_or_default();
    marks.into_iter().map(|mark| match mark {
        ProgramPoint::Before(statement) => (statement, InsertionPoint::Before),
        ProgramPoint::Behind(statement) => (statement, InsertionPoint::After),
    })
}

/// The epilogue of a statement precedes all other probes behind it, also the end of the section.
fn sort_epilogues_first(analysis: &Analysis, insertions: &mut [Insertion]) {
    // The sort is stable: all other probes at one place keep their order.
    insertions.sort_by_key(|insertion| !is_epilogue(analysis, insertion));
}

/// Whether it marks the epilogue of a statement.
fn is_epilogue(analysis: &Analysis, insertion: &Insertion) -> bool {
    match &insertion.probe {
        Probe::Epilogue(..) => true,
        Probe::Block(id, _) => analysis
            .blocks
            .get(id.index())
            .is_some_and(|block| block.extent == Extent::Tail),
        _ => false,
    }
}

/// The work terms of a block as the program would spell them.
fn terms(analysis: &Analysis, block: &BlockPlace) -> Vec<String> {
    let terms = &analysis.table.blocks[block.id.index()].work_terms;
    terms.iter().map(|term| term.expression.clone()).collect()
}

/// A mark before every MPI call.
fn call_marks(analysis: &Analysis, level: impl Fn(&SitePlace) -> MessageLevel) -> Vec<Insertion> {
    let mark = |site: &SitePlace| Insertion {
        statement: site.statement,
        place: InsertionPoint::Before,
        probe: Probe::Call(site.id, level(site)),
    };
    analysis.sites.iter().map(mark).collect()
}

/// Marks where memory is allocated and freed, as far as the slice can compute the amount.
fn memory_marks(analysis: &Analysis) -> Vec<Insertion> {
    let before = |statement, probe| Insertion {
        statement,
        place: InsertionPoint::Before,
        probe,
    };
    let allocations = analysis.allocations.iter().filter_map(|place| {
        let probe = Probe::Allocate(place.object, place.replaces, place.bytes.clone()?);
        Some(before(place.statement, probe))
    });
    let frees = analysis
        .frees
        .iter()
        .map(|free| before(free.statement, Probe::Free(free.object)));
    allocations.chain(frees).collect()
}

/// Marks at the ends of the section, if there is one, and around the calls of the way to it.
fn section_marks(analysis: &Analysis) -> Vec<Insertion> {
    let Some(section) = &analysis.section else {
        return Vec::new();
    };
    let at = |place, probe: Probe| {
        move |&statement| Insertion {
            statement,
            place,
            probe: probe.clone(),
        }
    };
    let calls = section.way.len() as u32;
    let (begin, end) = (Probe::SectionBegin(calls), Probe::SectionEnd(calls));
    let begins = section
        .begin_before
        .iter()
        .map(at(InsertionPoint::Before, begin));
    let ends_before = section
        .end_before
        .iter()
        .map(at(InsertionPoint::Before, end.clone()));
    let ends_after = section.end_after.iter().map(at(InsertionPoint::After, end));
    let entered = section.way.iter().map(at(
        InsertionPoint::Before,
        Probe::SelectionBranch(Direction::In),
    ));
    let left = section.way.iter().map(at(
        InsertionPoint::After,
        Probe::SelectionBranch(Direction::Out),
    ));
    begins
        .chain(ends_before)
        .chain(ends_after)
        .chain(entered)
        .chain(left)
        .collect()
}
