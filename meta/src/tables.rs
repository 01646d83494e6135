//! Blocks, call sites and loops of a meta-program, numbered in the order of the source.

use crate::analysis::Analysis;
use crate::fault::{Span, line_of};
use crate::syntax::{Action, Block as Statements, Statement, StatementKind, SyntaxTree};
use base_data::block_table::{
    Block, BlockKey, BlockKind, BlockTable, CallSite, CallSiteKey, SourceFileInfo, SourceSpan,
    StructureLoop, WorkTerm,
};
use base_data::hashing::NumberMap;
use base_data::{BlockId, CallSiteId, Digest, LoopId};
use std::collections::{BTreeSet, HashMap};

/// A compute block: statements without MPI calls that follow each other.
pub(crate) struct WorkBlock<'p> {
    pub(crate) id: BlockId,
    /// Names that it may read.
    pub(crate) read: BTreeSet<&'p str>,
    /// Names that it may assign.
    pub(crate) assigned: BTreeSet<&'p str>,
    /// Whether it has neither loops nor branches nor calls: to execute it takes less time than to look up its result.
    pub(crate) is_simple: bool,
}

/// The table, and where its entries are in the source: by the first byte of a statement.
pub(crate) struct Tables<'p> {
    pub(crate) table: BlockTable,
    pub(crate) blocks: NumberMap<u32, WorkBlock<'p>>,
    pub(crate) sites: NumberMap<u32, CallSiteId>,
    /// Places of the call sites, by their numbers.
    pub(crate) site_spans: Vec<Span>,
    text: &'p str,
    analysis: &'p Analysis<'p>,
    procedure: String,
    loop_path: Vec<LoopId>,
    ordinals: HashMap<(Digest, String), u32>,
}

/// The work terms of every block, in millionths of the units of the meta-program: the expected costs of computation and
/// of streams, and the standard deviations of both and of their sum, which also says whether they vary together.
pub(crate) const WORK_TERMS: [&str; 5] = [
    "computation",
    "stream",
    "computation deviation",
    "stream deviation",
    "deviation of the sum",
];

impl<'p> Tables<'p> {
    pub(crate) fn of(
        file: &str,
        text: &'p str,
        tree: &'p SyntaxTree,
        analysis: &'p Analysis<'p>,
    ) -> Self {
        let mut tables = Self {
            table: BlockTable::default(),
            blocks: NumberMap::default(),
            sites: NumberMap::default(),
            site_spans: Vec::new(),
            text,
            analysis,
            procedure: MAIN.into(),
            loop_path: Vec::new(),
            ordinals: HashMap::new(),
        };
        tables.table.files.push(SourceFileInfo {
            path: file.into(),
            digest: Digest::of(text.as_bytes()),
        });
        tables.statements(&tree.body);
        tables
    }

    fn span(&self, first: &Statement, last: &Statement) -> SourceSpan {
        // The last byte of the statement: the byte behind it may be on the next line.
        let end = (last.span.end as usize).saturating_sub(1);
        SourceSpan {
            file: 0,
            first_line: line_of(self.text, first.span.start as usize),
            last_line: line_of(self.text, end),
            ..SourceSpan::default()
        }
    }

    /// Digest of statements, and their number among those of the procedure with it.
    fn key(&mut self, first: &Statement, last: &Statement) -> (Digest, u32) {
        let bytes = self.text.as_bytes();
        let range = first.span.start as usize..last.span.end as usize;
        // Of the text alone, so that the key stays the same if lines are inserted before it.
        let digest = Digest::of(bytes.get(range).unwrap_or_default());
        let number = self
            .ordinals
            .entry((digest, self.procedure.clone()))
            .or_default();
        *number += 1;
        (digest, *number - 1)
    }

    fn statements(&mut self, block: &'p Statements) {
        for run in runs(self.analysis, &block.statements) {
            match run {
                Run::Work(statements) => self.work(statements),
                Run::Structure(statement) => self.structure(statement),
            }
        }
    }

    fn work(&mut self, statements: &'p [Statement]) {
        let [first, ..] = statements else { return };
        let [.., last] = statements else { return };
        let mut block = WorkBlock {
            id: BlockId::from_index(self.table.blocks.len()),
            read: BTreeSet::new(),
            assigned: BTreeSet::new(),
            is_simple: statements.iter().all(|statement| {
                matches!(
                    statement.kind,
                    StatementKind::Assign { .. } | StatementKind::Act { .. }
                )
            }),
        };
        for statement in statements {
            block.read.extend(self.analysis.read(statement).iter());
            block
                .assigned
                .extend(self.analysis.assigned(statement).iter());
        }
        self.blocks.insert(first.span.start, block);
        let is_free = |statement: &Statement| {
            matches!(
                statement.kind,
                StatementKind::Assign { .. } | StatementKind::Break
            )
        };
        // Assignments cost nothing, so the number of a block of nothing else is never used.
        if statements.iter().all(is_free) {
            return;
        }
        let span = self.span(first, last);
        let (digest, ordinal) = self.key(first, last);
        let term = |name: &str| WorkTerm {
            expression: name.into(),
            span: span.clone(),
        };
        self.table.blocks.push(Block {
            key: BlockKey {
                digest,
                procedure: self.procedure.clone(),
                ordinal,
            },
            kind: BlockKind::Compute,
            span: span.clone(),
            loop_path: self.loop_path.clone(),
            work_terms: WORK_TERMS.iter().map(|name| term(name)).collect(),
            data_dependent: false,
        });
    }

    fn structure(&mut self, statement: &'p Statement) {
        match &statement.kind {
            StatementKind::Define { name, body, .. } => {
                // Keys have names of procedures in lower case.
                let outside = std::mem::replace(&mut self.procedure, name.text.to_lowercase());
                self.statements(body);
                self.procedure = outside;
            }
            StatementKind::Act { action, .. } => {
                let (digest, ordinal) = self.key(statement, statement);
                let site = CallSiteId::from_index(self.table.call_sites.len());
                self.table.call_sites.push(CallSite {
                    key: CallSiteKey::Source {
                        digest,
                        procedure: self.procedure.clone(),
                        ordinal,
                    },
                    function: mpi_function(*action).into(),
                    procedure: self.procedure.clone(),
                    span: Some(self.span(statement, statement)),
                    loop_path: self.loop_path.clone(),
                });
                self.sites.insert(statement.span.start, site);
                self.site_spans.push(statement.span);
            }
            StatementKind::For { body, .. } => {
                let number = LoopId::from_index(self.table.loops.len());
                self.table.loops.push(StructureLoop {
                    span: self.span(statement, statement),
                    procedure: self.procedure.clone(),
                    loop_path: self.loop_path.clone(),
                });
                self.loop_path.push(number);
                self.statements(body);
                self.loop_path.pop();
            }
            StatementKind::If {
                then, otherwise, ..
            } => {
                self.statements(then);
                if let Some(otherwise) = otherwise {
                    self.statements(otherwise);
                }
            }
            StatementKind::Parallel { body, .. } => self.statements(body),
            StatementKind::Assign { .. } | StatementKind::Call { .. } | StatementKind::Break => {}
        }
    }
}

/// Name of the statements outside definitions.
const MAIN: &str = "main";

/// The MPI function of an action.
fn mpi_function(action: Action) -> &'static str {
    match action {
        // These are blocks.
        Action::Compute | Action::Input | Action::Output => "",
        Action::Send => "MPI_Send",
        Action::Receive => "MPI_Recv",
        Action::Exchange => "MPI_Sendrecv",
        Action::StartSend => "MPI_Isend",
        Action::StartReceive => "MPI_Irecv",
        Action::Wait => "MPI_Waitall",
        Action::Probe => "MPI_Probe",
        Action::Barrier => "MPI_Barrier",
        Action::Broadcast => "MPI_Bcast",
        Action::Reduce => "MPI_Reduce",
        Action::Allreduce => "MPI_Allreduce",
        Action::Gather => "MPI_Gather",
        Action::Scatter => "MPI_Scatter",
        Action::Allgather => "MPI_Allgather",
        Action::Alltoall => "MPI_Alltoall",
        Action::ReduceScatter => "MPI_Reduce_scatter_block",
        Action::Scan => "MPI_Scan",
        Action::ExclusiveScan => "MPI_Exscan",
    }
}

/// Statements that are executed in one way.
pub(crate) enum Run<'p> {
    /// A compute block, or only assignments.
    Work(&'p [Statement]),
    /// A statement with MPI calls, or a definition.
    Structure(&'p Statement),
}

/// Splits statements into compute blocks, as long as possible, and the statements between them.
pub(crate) fn runs<'p>(analysis: &Analysis<'_>, statements: &'p [Statement]) -> Vec<Run<'p>> {
    let is_structure = |statement: &Statement| {
        let is_definition = matches!(statement.kind, StatementKind::Define { .. });
        is_definition || analysis.communicates(statement)
    };
    let mut runs = Vec::new();
    let mut at = 0;
    while at < statements.len() {
        if is_structure(&statements[at]) {
            runs.push(Run::Structure(&statements[at]));
            at += 1;
            continue;
        }
        let length = statements[at..]
            .iter()
            .position(is_structure)
            .unwrap_or(statements.len() - at);
        runs.push(Run::Work(&statements[at..at + length]));
        at += length;
    }
    runs
}
