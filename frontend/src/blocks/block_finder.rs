//! Partition into blocks: compute blocks are maximal runs of consecutive statements that do not reach MPI, with a single entry and
//! a single exit, on one side of the section's ends. The rest are MPI calls and loops with communication. Their keys and spans are
//! in [`crate::work::block_tables`].

use crate::blocks::control_statement_blocks::ControlBlocks;
use crate::graphs::call_graph::{self, CallGraph};
use crate::ir::analysis::{Extent, ProgramPoint, SectionPlace};
use crate::ir::statement_tree::{self, Outline};
use crate::ir::{Callee, ProcedureId, Program, StatementId, StatementKind};
use base_data::block_table::BlockKind;
use base_data::mpi::{Function, FunctionKind};
use std::collections::BTreeSet;

/// An element of the program that base data refer to: a block, call site or loop. Elements are in source order.
#[derive(Clone, Debug)]
pub(crate) struct ProgramElement {
    /// Its procedure.
    pub(crate) procedure: ProcedureId,
    /// The loops with communication around it, outermost first.
    pub(crate) loops: Vec<StatementId>,
    /// Its kind, with its statements.
    pub(crate) kind: ElementKind,
}

/// Kind of a program element, with its statements.
#[derive(Clone, Debug)]
pub(crate) enum ElementKind {
    /// A compute block.
    Compute(Vec<StatementId>),
    /// A call of an MPI function.
    Site(StatementId, &'static Function),
    /// What a statement of the structure does itself: a compute block.
    Own(StatementId, Extent),
    /// A loop with communication.
    Loop(StatementId),
    /// A call of an MPI function that is not in the table.
    Unknown(StatementId, String),
    /// A statement that is in no compute block because MPI is reached through it or past it.
    Structure(StatementId),
}

/// The blocks that a call of an MPI function is: what starts a transfer, what completes one, or both.
pub(crate) fn kinds(function: &Function) -> &'static [BlockKind] {
    match function.kind {
        FunctionKind::Send
        | FunctionKind::Receive
        | FunctionKind::SendReceive
        | FunctionKind::Collective
        | FunctionKind::MakeCommunicator
        | FunctionKind::Other => &[BlockKind::Communication, BlockKind::Wait],
        FunctionKind::StartSend | FunctionKind::StartReceive | FunctionKind::StartPersistent => {
            &[BlockKind::Communication]
        }
        FunctionKind::Wait | FunctionKind::Test | FunctionKind::Probe => &[BlockKind::Wait],
        FunctionKind::Start
        | FunctionKind::End
        | FunctionKind::Abort
        | FunctionKind::Clock
        | FunctionKind::MakePersistent
        | FunctionKind::Local => &[],
    }
}

/// Finds everything. `fatal` statements (index = statement id) are those of error exits: the run ends
/// there, so their jumps and calls do not cut the block they stand in. The ends of `section` do.
pub(crate) fn find(
    program: &Program,
    outline: &Outline,
    calls: &CallGraph,
    fatal: &[bool],
    section: Option<&SectionPlace>,
) -> Vec<ProgramElement> {
    let mut found = Vec::new();
    for procedure in (0..program.procedures.len() as u32).map(ProcedureId) {
        let body = &program.procedure(procedure).body;
        let (loops, found) = (Vec::new(), &mut found);
        let mut finder = BlockFinder {
            program,
            outline,
            calls,
            fatal,
            section,
            procedure,
            loops,
            found,
        };
        // A procedure that does not reach MPI is part of its callers' blocks.
        match calls.procedure_leads[procedure.0 as usize] {
            true => finder.list(body),
            false => finder.fatal_sites(body),
        }
    }
    found
}

/// Finds the program elements of one procedure.
struct BlockFinder<'a> {
    program: &'a Program,
    outline: &'a Outline,
    calls: &'a CallGraph,
    fatal: &'a [bool],
    section: Option<&'a SectionPlace>,
    procedure: ProcedureId,
    loops: Vec<StatementId>,
    found: &'a mut Vec<ProgramElement>,
}

impl BlockFinder<'_> {
    fn list(&mut self, list: &[StatementId]) {
        for part in self.parts(list) {
            match part {
                PartitionItem::Run(run) => {
                    self.push(ElementKind::Compute(run.clone()));
                    self.fatal_sites(&run);
                }
                PartitionItem::Structure(statement) => self.structure(statement),
                PartitionItem::Nothing => {}
            }
        }
    }

    /// The calls of MPI in error exits, which are part of a compute block.
    fn fatal_sites(&mut self, list: &[StatementId]) {
        for &id in list {
            for statement in statement_tree::subtree(self.program, id) {
                self.sites(statement);
            }
        }
    }

    fn push(&mut self, kind: ElementKind) {
        self.found.push(ProgramElement {
            procedure: self.procedure,
            loops: self.loops.clone(),
            kind,
        });
    }

    fn sites(&mut self, statement: StatementId) {
        for call in call_graph::calls(&self.program.statement(statement).kind) {
            match call.callee {
                Callee::Mpi(function) => self.push(ElementKind::Site(statement, function)),
                Callee::UnknownMpi(name) => {
                    self.push(ElementKind::Unknown(statement, name.clone()))
                }
                Callee::Procedure(_)
                | Callee::OneOf(_)
                | Callee::Intrinsic(_)
                | Callee::External(_)
                | Callee::Variable(_) => {}
            }
        }
    }

    fn structure(&mut self, statement: StatementId) {
        self.push(ElementKind::Structure(statement));
        let blocks = ControlBlocks {
            program: self.program,
            outline: self.outline,
            calls: self.calls,
        };
        let (mut before, mut behind, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
        for extent in blocks.of(statement) {
            match extent {
                Extent::Tail => behind.push(extent),
                Extent::Head { ref again } if !again.is_empty() => repeated.push(extent),
                _ => before.push(extent),
            }
        }
        self.own(statement, before);
        self.sites(statement);
        self.own(statement, behind);
        let kind = &self.program.statement(statement).kind;
        let is_loop = kind.is_loop();
        let communicates = is_loop && self.calls.communicates[statement.0 as usize];
        if communicates {
            self.push(ElementKind::Loop(statement));
            self.loops.push(statement);
        }
        // A condition that is evaluated in each iteration belongs to the loop.
        self.own(statement, repeated);
        for body in kind.bodies() {
            self.list(body);
        }
        if communicates {
            self.loops.pop();
        }
    }

    fn own(&mut self, statement: StatementId, extents: Vec<Extent>) {
        for extent in extents {
            self.push(ElementKind::Own(statement, extent));
        }
    }
}

/// The loops with communication among what was found.
pub(crate) fn loops(found: &[ProgramElement]) -> impl Iterator<Item = StatementId> {
    found.iter().filter_map(|found| match found.kind {
        ElementKind::Loop(statement) => Some(statement),
        ElementKind::Compute(_)
        | ElementKind::Own(..)
        | ElementKind::Site(..)
        | ElementKind::Unknown(..)
        | ElementKind::Structure(_) => None,
    })
}

impl ElementKind {
    /// Whether it is a compute block.
    pub(crate) fn is_compute(&self) -> bool {
        matches!(self, ElementKind::Compute(_) | ElementKind::Own(..))
    }

    /// A statement beside which a compute block is executed: in its loop, where it is a loop's condition.
    pub(crate) fn executed_with(&self) -> Option<StatementId> {
        let marks = self.marks();
        marks.get(1).or(marks.first()).map(|mark| mark.statement())
    }

    /// The program points at which a compute block begins.
    pub(crate) fn marks(&self) -> Vec<ProgramPoint> {
        match self {
            ElementKind::Compute(statements) => statements
                .first()
                .map(|&first| Extent::Whole.marks(first))
                .unwrap_or_default(),
            ElementKind::Own(statement, extent) => extent.marks(*statement),
            ElementKind::Site(..)
            | ElementKind::Loop(_)
            | ElementKind::Unknown(..)
            | ElementKind::Structure(_) => Vec::new(),
        }
    }
}

/// An item of the partition of a statement list.
enum PartitionItem {
    /// A compute block.
    Run(Vec<StatementId>),
    /// A statement outside compute blocks; statements inside it may be compute blocks.
    Structure(StatementId),
    /// CONTINUE, STOP: nothing to time.
    Nothing,
}

impl BlockFinder<'_> {
    /// Partitions a statement list. A statement that jumps out of its run is in no block, which may make
    /// others jump out of theirs: repeat until nothing changes.
    fn parts(&self, list: &[StatementId]) -> Vec<PartitionItem> {
        let mut apart: BTreeSet<StatementId> = BTreeSet::new();
        for &id in list {
            if self.calls.reaches_mpi[id.0 as usize] || self.leaves(id) {
                apart.insert(id);
            }
        }
        let mut heads: BTreeSet<StatementId> = BTreeSet::new();
        if let Some(section) = self.section {
            // No block reaches over an end of the section, since only one part of its time would
            // count.
            heads.extend(section.cuts(list));
        }
        let jumps = jumps(self.program, self.outline, self.procedure);
        loop {
            // Both sets only grow, at most to all statements of the list.
            let runs = runs(list, &apart, &heads);
            let mut changed = false;
            for run in &runs {
                changed |= self.cut(run, &jumps, &mut apart, &mut heads);
            }
            if !changed {
                return assemble(self.program, list, &apart, &runs);
            }
        }
    }

    /// Takes out of a run what jumps out of it, and lets one begin where others jump to.
    fn cut(
        &self,
        run: &[StatementId],
        jumps: &[(StatementId, StatementId)],
        apart: &mut BTreeSet<StatementId>,
        heads: &mut BTreeSet<StatementId>,
    ) -> bool {
        let mut inside: BTreeSet<StatementId> = BTreeSet::new();
        for &id in run {
            inside.extend(statement_tree::subtree(self.program, id));
        }
        let top = |id: StatementId| {
            *run.iter()
                .find(|&&top| self.outline.is_within(id, top))
                .unwrap_or(&id)
        };
        let mut changed = false;
        for &(from, to) in jumps {
            let (starts, ends) = (inside.contains(&from), inside.contains(&to));
            // A jump out of a run gives it a second exit, one into its middle a second entry.
            if starts && !ends && !self.fatal[from.0 as usize] {
                changed |= apart.insert(top(from));
            } else if ends && !starts {
                // To the first statement of a run is a way in that it has anyway.
                let head = top(to);
                changed |= if head == to {
                    head != run[0] && heads.insert(head)
                } else {
                    apart.insert(head)
                };
            }
        }
        changed
    }

    /// Whether a statement contains a RETURN or ENTRY, or an EXIT or CYCLE of a construct around it.
    fn leaves(&self, top: StatementId) -> bool {
        for id in statement_tree::subtree(self.program, top) {
            let kind = &self.program.statement(id).kind;
            if !self.fatal[id.0 as usize] && self.outline.leaves(kind, top) {
                return true;
            }
        }
        false
    }
}

fn runs(
    list: &[StatementId],
    apart: &BTreeSet<StatementId>,
    heads: &BTreeSet<StatementId>,
) -> Vec<Vec<StatementId>> {
    let mut runs: Vec<Vec<StatementId>> = vec![Vec::new()];
    for &id in list {
        if apart.contains(&id) {
            runs.push(Vec::new());
            continue;
        }
        if heads.contains(&id) {
            runs.push(Vec::new());
        }
        if let Some(run) = runs.last_mut() {
            run.push(id);
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

fn assemble(
    program: &Program,
    list: &[StatementId],
    apart: &BTreeSet<StatementId>,
    runs: &[Vec<StatementId>],
) -> Vec<PartitionItem> {
    let mut parts = Vec::new();
    for &id in list {
        if apart.contains(&id) {
            parts.push(PartitionItem::Structure(id));
        } else if let Some(run) = runs.iter().find(|run| run[0] == id) {
            let does_nothing = |id: &StatementId| {
                matches!(
                    program.statement(*id).kind,
                    StatementKind::Continue | StatementKind::Stop
                )
            };
            parts.push(if run.iter().all(does_nothing) {
                PartitionItem::Nothing
            } else {
                PartitionItem::Run(run.clone())
            });
        }
    }
    parts
}

/// Jumps to labels in a procedure: from which statement to which.
pub(crate) fn jumps(
    program: &Program,
    outline: &Outline,
    procedure: ProcedureId,
) -> Vec<(StatementId, StatementId)> {
    let order = outline.of_procedure(procedure);
    let mut labelled: Vec<(u32, StatementId)> = Vec::new();
    for &id in order {
        if let Some(label) = program.statement(id).label {
            labelled.push((label, id));
        }
    }
    let mut jumps = Vec::new();
    for &from in order {
        let kind = &program.statement(from).kind;
        // An alternate return may go to any label of the procedure.
        let labels: Vec<u32> = if kind.has_alternate_return() {
            labelled.iter().map(|&(label, _)| label).collect()
        } else {
            kind.jump_labels().to_vec()
        };
        for label in labels {
            if let Some(&(_, to)) = labelled.iter().find(|(one, _)| *one == label) {
                jumps.push((from, to));
            }
        }
    }
    jumps
}
