//! Statement counters: the whole program with a count at every basic block, so that its work can be
//! measured in executed statements, a clock that other load on the machine does not change.
//!
//! Definition of the count: every execution of an executable statement adds 1; CONTINUE, ENTRY and END add
//! nothing. An IF, SELECT CASE, ASSOCIATE, BLOCK or DO adds 1 when it is reached, whichever way it goes, and a loop 1
//! more for each iteration. A statement on whole arrays, WHERE or FORALL adds 1 whatever its length.
//!
//! A basic block is counted as it begins: at the first of consecutive statements of one list that
//! nothing jumps into or out of. No count reaches across another probe, so the statements that a compute block
//! executes are counted within it; [`structure`] has those outside all blocks. A CALL ends a basic block, so the
//! statements behind it are counted after it has returned. PURE procedures and the bodies of DO CONCURRENT may call
//! nothing that counts: they are not counted, in any probe.

use super::structure::{self, Structure};
use super::{Insertion, InsertionPoint, Probe, ProbePlan};
use base_data::BlockId;
use frontend::analysis::Analysis;
use frontend::ir::{ProcedureId, StatementId, StatementKind};
use std::collections::BTreeSet;

/// `plan`, which removes nothing, with the counters added; those of the structure as blocks.
pub fn counted(analysis: &Analysis, structure: &Structure, mut plan: ProbePlan) -> ProbePlan {
    let mut beside = Vec::new();
    for count in counts(analysis) {
        match structure.block(&count) {
            None => plan.insertions.push(count),
            Some(block) => beside.extend(measured(block, count)),
        }
    }
    structure::insert(analysis, &mut plan, beside);
    plan
}

/// A counter as a block of its own.
fn measured(block: BlockId, count: Insertion) -> [Insertion; 3] {
    let at = |probe| Insertion {
        probe,
        ..count.clone()
    };
    [
        at(Probe::Begin(block, Vec::new())),
        count.clone(),
        at(Probe::End(block)),
    ]
}

/// The counters: the same in all probes, so they stand where the compute probe, which has the most marks, can
/// have them.
pub(super) fn counts(analysis: &Analysis) -> Vec<Insertion> {
    let mut counters = Counters::new(analysis, &super::compute::timed(analysis).insertions);
    for (id, procedure) in (0..).map(ProcedureId).zip(&analysis.program.procedures) {
        if !procedure.is_pure {
            counters.enter(id);
            counters.list(&procedure.body, OpenBlock::default());
        }
    }
    counters.insertions
}

/// Procedures whose statements are not counted, because they are PURE.
pub fn uncounted(analysis: &Analysis) -> impl Iterator<Item = ProcedureId> + '_ {
    let procedures = (0..).map(ProcedureId).zip(&analysis.program.procedures);
    procedures
        .filter(|(_, procedure)| procedure.is_pure)
        .map(|(id, _)| id)
}

/// DO CONCURRENT loops whose bodies are not counted, because they may only call PURE procedures.
pub fn uncounted_loops(analysis: &Analysis) -> impl Iterator<Item = StatementId> + '_ {
    let program = &analysis.program;
    let statements = (0..).map(StatementId).zip(&program.statements);
    statements
        .filter(|(id, statement)| {
            program.is_concurrent_loop(*id) && !program.procedure(statement.procedure).is_pure
        })
        .map(|(id, _)| id)
}

/// The basic block that is being counted.
#[derive(Default)]
struct OpenBlock {
    /// Statements so far.
    count: u32,
    /// Where the count can stand, once that is known.
    place: Option<(StatementId, InsertionPoint)>,
}

struct Counters<'a> {
    analysis: &'a Analysis,
    /// Before these stands another probe.
    marked_before: BTreeSet<StatementId>,
    /// After these stands another probe, or MPI is called in them.
    marked_after: BTreeSet<StatementId>,
    /// Labels of the procedure that may be jumped to; `None` where any may.
    targets: Option<BTreeSet<u32>>,
    insertions: Vec<Insertion>,
}

impl<'a> Counters<'a> {
    fn new(analysis: &'a Analysis, probes: &[Insertion]) -> Self {
        let mut marked_before = BTreeSet::new();
        let mut marked_after = BTreeSet::new();
        for probe in probes {
            if probe.place == InsertionPoint::Before {
                marked_before.insert(probe.statement);
            }
            // The statements after a call are executed after it returns, which other ranks determine.
            if probe.place == InsertionPoint::After || matches!(probe.probe, Probe::Call(..)) {
                marked_after.insert(probe.statement);
            }
        }
        Self {
            analysis,
            marked_before,
            marked_after,
            targets: None,
            insertions: Vec::new(),
        }
    }

    /// The labels of the procedure that comes next.
    fn enter(&mut self, procedure: ProcedureId) {
        let mut targets = BTreeSet::new();
        for statement in &self.analysis.program.statements {
            if statement.procedure != procedure {
                continue;
            }
            // An alternate return (`*10` among the arguments, which the program model leaves empty) may jump to
            // any label.
            if let StatementKind::Call { arguments, .. } = &statement.kind
                && arguments.iter().any(Option::is_none)
            {
                self.targets = None;
                return;
            }
            targets.extend(statement.kind.jump_labels().iter().copied());
        }
        self.targets = Some(targets);
    }

    /// Counts a list of statements, the first of them with `open`.
    fn list(&mut self, list: &[StatementId], mut open: OpenBlock) {
        for &id in list {
            if self.begins(id) {
                self.close(std::mem::take(&mut open));
            }
            self.add(id, &mut open);
            if self.ends(id) {
                self.close(std::mem::take(&mut open));
                self.inside(id);
            }
        }
        self.close(open);
    }

    fn close(&mut self, block: OpenBlock) {
        if let Some((statement, place)) = block.place {
            self.insertions.push(Insertion {
                statement,
                place,
                probe: Probe::Count(block.count),
            });
        }
    }

    fn add(&self, id: StatementId, open: &mut OpenBlock) {
        if matches!(
            self.analysis.program.statement(id).kind,
            StatementKind::Continue | StatementKind::Entry
        ) {
            return;
        }
        open.count += 1;
        open.place.get_or_insert((id, InsertionPoint::Before));
    }

    fn begins(&self, id: StatementId) -> bool {
        let label = self.analysis.program.statement(id).label;
        if self.marked_before.contains(&id) {
            return true;
        }
        match (label, &self.targets) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(label), Some(targets)) => targets.contains(&label),
        }
    }

    fn ends(&self, id: StatementId) -> bool {
        self.marked_after.contains(&id) || is_last(&self.analysis.program.statement(id).kind)
    }

    /// The lists inside a construct; each iteration of a loop is a statement of its own.
    fn inside(&mut self, id: StatementId) {
        if self.analysis.program.is_concurrent_loop(id) {
            return;
        }
        let kind = &self.analysis.program.statement(id).kind;
        for body in kind.bodies() {
            let is_loop = matches!(kind, StatementKind::Do { .. } | StatementKind::While { .. });
            let place = if is_loop {
                Some((id, InsertionPoint::BodyStart))
            } else {
                None
            };
            self.list(
                body,
                OpenBlock {
                    count: u32::from(is_loop),
                    place,
                },
            );
        }
    }
}

/// Whether what follows the statement need not be executed as often as the statement is.
fn is_last(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Call { .. }
        | StatementKind::If { .. }
        | StatementKind::Do { .. }
        | StatementKind::While { .. }
        | StatementKind::Select { .. }
        | StatementKind::Scoped { .. }
        | StatementKind::Entry
        | StatementKind::Goto { .. }
        | StatementKind::Exit(_)
        | StatementKind::Cycle(_)
        | StatementKind::Return
        | StatementKind::Stop => true,
        StatementKind::InputOutput(io) => !io.jumps.is_empty(),
        StatementKind::Assign { .. }
        | StatementKind::PointerAssignment { .. }
        | StatementKind::Continue
        | StatementKind::Allocate { .. }
        | StatementKind::Deallocate { .. }
        | StatementKind::Opaque { .. } => false,
    }
}
