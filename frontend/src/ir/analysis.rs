//! Results of the analysis: blocks, calls, loops with communication, the slice with its
//! reasons, levels of messages, and assumptions. Data only; how each is found is in its module.

use crate::ir::source_map::SourceMap;
use crate::ir::{Expression, ProcedureId, Program, StatementId};
use crate::source::FileId;
use crate::source::diagnostics::Diagnostic;
use crate::source::parse_statistics::ParseStatistics;
use base_data::block_table::{BlockTable, SourceSpan};
use base_data::mpi::Function;
use base_data::program_data::{Assumption, TimeDependentPlace};
use base_data::{BlockId, CallSiteId, Digest, LoopId};
use std::collections::BTreeMap;

/// The result of [`crate::analyze`].
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Meaning.
    pub program: Program,
    /// Positions.
    pub source_map: SourceMap,
    /// How much was read and understood.
    pub parse_statistics: ParseStatistics,
    /// Remarks, in source order.
    pub diagnostics: Vec<Diagnostic>,
    /// Procedures without source of which the symbols of the link prove that they reach neither MPI nor variables and
    /// procedures of the program; in alphabetical order.
    pub proven_externals: Vec<String>,
    /// Whether linked code that is not analysed refers to a clock in a library that sources in Fortran call, too: that it is read
    /// does not say for whom.
    pub external_clock: bool,
    /// Who calls whom, each pair once, in source order of the first call.
    pub call_graph: Vec<(ProcedureId, ProcedureId)>,
    /// Blocks, call sites and loops by id.
    pub table: BlockTable,
    /// Statements of the blocks; index = [`BlockId`]. Communication and wait blocks have one
    /// statement, the call's.
    pub blocks: Vec<BlockPlace>,
    /// Compute blocks whose work depends on data that other ranks may send, ascending.
    pub decided_by_others: Vec<BlockId>,
    /// Compute blocks whose work depends on which of several unequal procedures is called, ascending.
    pub unequal_callees: Vec<BlockId>,
    /// Statements of the call sites; index = [`CallSiteId`].
    pub sites: Vec<SitePlace>,
    /// Statements of the loops with communication; index = [`LoopId`].
    pub loops: Vec<LoopPlace>,
    /// Statements beside all compute blocks, in source order.
    pub structure: Vec<StructurePlace>,
    /// MPI functions that are called but not supported: statement and name as the standard
    /// spells it (or as written, where unknown).
    pub unsupported: Vec<(StatementId, String)>,
    /// The section to be predicted, if one was asked for and found.
    pub section: Option<SectionPlace>,
    /// What is to be said of it, or of what was set aside; among the diagnostics, too.
    pub section_remark: Option<Diagnostic>,
    /// What no prediction holds: procedures without source that may do anything, each once, and work beside all blocks;
    /// among the diagnostics, too.
    pub unpredicted: Vec<Diagnostic>,
    /// Where the sequence of MPI calls may depend on time.
    pub time_dependent: Vec<TimeDependentPlace>,
    /// Call sites that complete requests or look for messages, in an order that may be another one each time and does
    /// not matter.
    pub any_order: Vec<CallSiteId>,
    /// Loops of which the slice keeps nothing but counting, each with assignments, as the source would spell them,
    /// that leave the same.
    pub counting: BTreeMap<StatementId, Vec<String>>,
    /// What is allocated, object by object.
    pub allocations: Vec<AllocationPlace>,
    /// Where it is freed.
    pub frees: Vec<FreePlace>,
    /// OpenMP's parallel regions of which a slice that asks for the number of threads must know, in the order of the
    /// text.
    pub parallel_regions: Vec<ParallelRegion>,
    /// Bytes of all storage of constant size.
    pub static_memory: u64,
    /// The slice.
    pub slice: Slice,
    /// What could be assumed beside, if that was asked for and would make the slice smaller.
    pub offer: Option<SuggestedAssumption>,
    /// Why it is large, if that was asked for and one demand accounts for much of it.
    pub slice_cause: Option<SliceCause>,
    /// What would have to be assumed for a statement to leave it, if that was asked for.
    pub removal_conditions: Option<RemovalConditions>,
}

/// An object of an ALLOCATE statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllocationPlace {
    /// The statement.
    pub statement: StatementId,
    /// Its place.
    pub span: SourceSpan,
    /// The object, without bounds.
    pub name: String,
    /// Equal for allocations of the same object.
    pub object: u32,
    /// Bytes, as the source would spell it before the statement; `None` where it depends on the whole program.
    pub bytes: Option<String>,
    /// Whether the object takes the place of what was allocated under its name before.
    pub replaces: bool,
}

/// An object of a DEALLOCATE statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreePlace {
    /// The statement.
    pub statement: StatementId,
    /// As [`AllocationPlace::object`].
    pub object: u32,
}

/// What is inside a parallel region of OpenMP: whole rows of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParallelRegion {
    /// The file.
    pub file: FileId,
    /// Where the row behind its directive begins, in bytes.
    pub begin: u32,
    /// Where the row of the directive that ends it begins.
    pub end: u32,
}

/// What would have to be assumed for a statement to leave the slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovalConditions {
    /// The statement.
    pub statement: StatementId,
    /// The fewest conditions, selections and bounds of which something would have to be assumed; empty where the
    /// statement stays whatever is assumed, or is not in the slice.
    pub assume: Vec<AssumptionCandidate>,
}

/// A condition, selection or bound about which an assumption is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AssumptionCandidate {
    /// The statement.
    pub statement: StatementId,
    /// Which of the conditions of an IF, from 0; 0 of others.
    pub clause: usize,
    /// Whether it must be that the condition holds: later ones of the same IF depend on the same.
    pub only_taken: bool,
    /// Whether it decides how often something is repeated.
    pub repeats: bool,
}

/// Why a slice is large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceCause {
    /// The one change that makes the slice smallest, or the fewest changes that together remove much more; none if no change
    /// removes a tenth of it.
    pub changes: Vec<SliceChange>,
    /// Statements that these changes remove, about: an assumption may also make branches dead.
    pub removed: u64,
    /// Statements that stay whatever is changed: MPI calls, what their arguments need, and the control flow around them.
    pub inevitable: u64,
}

/// A change of a program, or of what is said about it, that makes its slice smaller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SliceChange {
    /// A condition, selection or bound need not be evaluated.
    Decision(AssumptionCandidate),
    /// Data of messages need not be delivered.
    Messages {
        /// The statement that uses them.
        at: StatementId,
        /// A call whose data may match those of all others, if it is that.
        mixed: Option<MixedMessages>,
    },
    /// What the program itself may have done to a file is not read.
    File {
        /// The statement that reads it.
        at: StatementId,
        /// Whether it is a file that the program writes only if a name that is made at run time is that file's name; otherwise
        /// both have one unit or one literal name.
        is_by_name: bool,
    },
}

/// A call with data that may match those of all others: its datatype is not made of numbers of one sort, or it is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixedMessages {
    /// The call.
    pub call: StatementId,
    /// The variable or component with the datatype's handle, if nothing is known of it.
    pub handle: Option<String>,
}

/// Size of the slice if an outcome were assumed of decisions for which none can be proposed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuggestedAssumption {
    /// The fewest decisions between the MPI calls and bulk data.
    pub open: Vec<AssumptionCandidate>,
    /// Executable statements that would be kept, about: branches that are then not taken may go, too.
    pub kept: u64,
}

/// Where the section to be predicted begins and ends. Control passes each end once per run; a
/// procedure with several ways out has several ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SectionPlace {
    /// It begins before these statements.
    pub begin_before: Vec<StatementId>,
    /// It ends after these.
    pub end_after: Vec<StatementId>,
    /// It ends before these (RETURN of a procedure that is the section).
    pub end_before: Vec<StatementId>,
    /// The calls that lead to it, where others lead to the same statements: from the main program's inwards.
    pub way: Vec<StatementId>,
    /// Lines, for people.
    pub span: SourceSpan,
    /// Why it is the section, for people; empty where the user asked for it.
    pub reason: String,
}

/// Where a block's statements are.
#[derive(Clone, Debug)]
pub struct BlockPlace {
    /// Its id.
    pub id: BlockId,
    /// Procedure.
    pub procedure: ProcedureId,
    /// Consecutive statements of one statement list. For a compute block control enters only at
    /// the first and leaves only after the last (or the run ends inside).
    pub statements: Vec<StatementId>,
    /// How much of them it is.
    pub extent: Extent,
    /// Its work terms' counts, valid at the block's entry, integer-valued, never negative after
    /// `max(0, …)`, which the probe adds; parallel to the table's `work_terms`.
    pub terms: Vec<Expression>,
    /// Whether its work depends on data that a loop with communication around it changes, so that each iteration may
    /// take another time.
    pub work_changes: bool,
    /// Decisions on how much the block executes if no work term covers it: of a block whose work depends on
    /// data, in source order.
    pub untold: Vec<StatementId>,
}

/// How much of its statements a block is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// All of them, with what they enclose and call.
    #[default]
    Whole,
    /// What its one statement, through which MPI is reached, evaluates itself before anything else begins: conditions, bounds,
    /// arguments.
    Head {
        /// Where else it is evaluated: the condition of a loop, at the end of each iteration.
        again: Vec<ProgramPoint>,
    },
    /// The end of its one statement after its last call: copies back, an assignment.
    Tail,
}

impl Extent {
    /// The program points at which a block of the statement `first` begins. An epilogue begins after the statement.
    pub fn marks(&self, first: StatementId) -> Vec<ProgramPoint> {
        match self {
            Extent::Whole => vec![ProgramPoint::Before(first)],
            Extent::Head { again } => std::iter::once(ProgramPoint::Before(first))
                .chain(again.iter().copied())
                .collect(),
            Extent::Tail => vec![ProgramPoint::Behind(first)],
        }
    }
}

/// A program point next to a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramPoint {
    /// Before it; for a CYCLE statement, before its target.
    Before(StatementId),
    /// After it; for the last statement of a loop body, at the end of an iteration.
    Behind(StatementId),
}

impl ProgramPoint {
    /// The statement.
    pub fn statement(self) -> StatementId {
        match self {
            ProgramPoint::Before(statement) | ProgramPoint::Behind(statement) => statement,
        }
    }
}

/// Where an MPI call is.
#[derive(Clone, Debug)]
pub struct SitePlace {
    /// Its id.
    pub id: CallSiteId,
    /// Procedure.
    pub procedure: ProcedureId,
    /// The CALL statement, or the statement whose expression calls the function.
    pub statement: StatementId,
    /// The function.
    pub function: &'static Function,
    /// How much of its messages the slice needs.
    pub level: MessageLevel,
}

/// How much of a message the slice needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageLevel {
    /// Nothing in the slice depends on it: recorded, never matched.
    Recorded = 0,
    /// Its source, tag or count is read: matched.
    EnvelopeLive = 1,
    /// Its data are read: delivered.
    PayloadLive = 2,
}

/// A loop that contains communication.
#[derive(Clone, Debug)]
pub struct LoopPlace {
    /// Its id.
    pub id: LoopId,
    /// Procedure.
    pub procedure: ProcedureId,
    /// The DO or DO WHILE statement.
    pub statement: StatementId,
    /// If it is invariant in the slice: conditions, as the source would spell them, that are valid at the top of
    /// an iteration. An iteration for which they have the values of the one before does nothing else than that.
    pub invariant: Option<Vec<String>>,
    /// Whether leaving it early leaves requests that are not started or not completed.
    pub holds_requests_open: bool,
    /// Whether its iterations go over different data: its index chooses elements of arrays or bounds of loops.
    pub is_over_data: bool,
    /// Whether it executes blocks whose work changes while loops run, in procedures that it calls, too.
    pub holds_changing_work: bool,
}

/// A statement that is in no compute block because MPI is reached through it or past it: a call, a loop
/// or branch that leads to MPI, a jump round it.
#[derive(Clone, Debug)]
pub struct StructurePlace {
    /// Procedure.
    pub procedure: ProcedureId,
    /// The statement.
    pub statement: StatementId,
    /// Digest of its own text, without what it encloses.
    pub digest: Digest,
    /// Where it stands.
    pub span: SourceSpan,
    /// The loops with communication around it, outermost first, itself not included.
    pub loop_path: Vec<LoopId>,
}

/// The slice: what decides the sequence of MPI calls and their arguments.
#[derive(Clone, Debug, Default)]
pub struct Slice {
    /// Whether each statement stays; index = statement id.
    pub kept: Vec<bool>,
    /// Whether each statement can never run under what is assumed; index = statement id.
    pub dead: Vec<bool>,
    /// Who demanded each kept statement first; index = statement id.
    pub reasons: Vec<Option<Reason>>,
    /// What was taken for granted; with the statement each stands for.
    pub assumptions: Vec<(StatementId, Assumption)>,
    /// How each of the assumptions is written into a program; parallel to them.
    pub substitutions: Vec<Substitution>,
    /// Executable statements kept, and all of them.
    pub share: (u64, u64),
}

/// How the reason begins, behind what a test depends on, where it is assumed not to end a loop that has another bound.
pub const OTHER_BOUND: &str = "the loop runs to its other bound";

/// The same where the other bound stands in one condition with the test.
pub const REST_OF_CONDITION: &str = "the rest of its condition ends the loop";

/// How the reason ends of what is assumed of a test that may end a loop before its other bound does.
pub const UPPER_BOUND: &str = ", so the time is an upper bound";

/// What the reason contains of an assumption about a branch that does not determine how often a loop repeats.
pub const ENDS_NO_LOOP: &str = "ends no loop";

/// How the reason ends of an assumption about such a branch if nothing shows that its outcome is right.
pub const GUESSED_BRANCH: &str = "; its outcome is a guess";

/// What stands in place of a condition or bound that is not computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Substitution {
    /// The IF or loop.
    pub statement: StatementId,
    /// Which of the conditions of an IF, from 0; which case of a SELECT CASE, from 1; 0 of others.
    pub clause: usize,
    /// What stands there instead.
    pub replacement: Replacement,
    /// Whether the condition is evaluated all the same, for the calls in it.
    pub is_asked: bool,
}

/// What a condition or bound becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// A condition that is always the same.
    Constant(bool),
    /// A condition that at each so many-th evaluation is `at_last`, and otherwise the contrary.
    Counted {
        /// Evaluations from one to the next.
        evaluations: u64,
        /// Its value then.
        at_last: bool,
    },
    /// What is left of a condition whose tests of values are assumed to go on with the repetition, so that it runs to its count.
    Conjunct(CountConjunct),
    /// The number of iterations of a counted DO.
    Bound(u64),
    /// The number of iterations after which a DO without control is left, unless it is before.
    LeftAfter(u64),
    /// A selection that always goes the same way.
    Goes(SelectionBranch),
    /// A selection of two ways that at each so many-th evaluation goes the one, and otherwise the other.
    Turns {
        /// Evaluations from one to the next.
        evaluations: u64,
        /// The way it goes then.
        leaves: SelectionBranch,
        /// The way it goes otherwise.
        stays: SelectionBranch,
    },
}

/// The known part of a condition: its parts are what NOT, AND and OR combine, as bits in reading order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountConjunct {
    /// Whether the repetition goes on if the condition holds, or else if it does not.
    pub goes_on: bool,
    /// Parts that are assumed to go on.
    pub dropped: u64,
    /// Whether no counted DO bounds the repetition, so that its iterations are counted.
    pub is_counted: bool,
}

/// A way that control may take after a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionBranch {
    /// Into this case of a SELECT CASE, from 1; 0: into none.
    Case(usize),
    /// To this label.
    Label(u32),
    /// To the next statement, none of the labels being chosen.
    Next,
}

/// Why a statement stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The kept statement that needs it; `None` for the criterion itself (an MPI call, a mark).
    pub needed_by: Option<StatementId>,
    /// For what: `defines n`, `decides whether line 40 runs`, `is an MPI call`.
    pub because: String,
}
