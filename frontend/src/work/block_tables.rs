//! The block table: ids and keys of blocks, call sites and loops, their spans in the user's source lines, and loop paths.

use crate::blocks::block_finder::{ElementKind, ProgramElement, kinds};
use crate::blocks::digests::Digests;
use crate::effects::message_levels::Needed;
use crate::effects::program_effects::Effects;
use crate::ir::analysis::{BlockPlace, Extent, LoopPlace, SitePlace, StructurePlace};
use crate::ir::spans::Spans;
use crate::ir::{ProcedureId, Program, StatementId};
use crate::source::Sources;
use crate::work::work_terms::BlockWork;
use base_data::block_table::{
    Block, BlockKey, BlockKind, BlockTable, CallSite, CallSiteKey, SourceFileInfo, SourceSpan,
    StructureLoop,
};
use base_data::mpi::Function;
use base_data::{BlockId, CallSiteId, Digest, LoopId};
use std::collections::{BTreeMap, BTreeSet};

/// The table, and the places in the program that its ids stand for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    pub(crate) table: BlockTable,
    pub(crate) blocks: Vec<BlockPlace>,
    pub(crate) sites: Vec<SitePlace>,
    pub(crate) loops: Vec<LoopPlace>,
    pub(crate) structure: Vec<StructurePlace>,
}

/// The results of earlier stages from which the table is built.
pub(crate) struct Parts<'a> {
    pub(crate) program: &'a Program,
    pub(crate) sources: &'a Sources,
    pub(crate) spans: Spans<'a>,
    pub(crate) digests: Digests<'a>,
    /// Work of the compute blocks, in order.
    pub(crate) work: Vec<BlockWork>,
    pub(crate) needed: &'a Needed,
    pub(crate) effects: &'a Effects,
    /// By statement id.
    pub(crate) kept: &'a [bool],
    /// Signatures of the invariant loops.
    pub(crate) invariant: &'a BTreeMap<StatementId, Vec<String>>,
    /// Loops that must not be left early.
    pub(crate) holding_requests: &'a BTreeSet<StatementId>,
    /// Loops whose iterations go over different data.
    pub(crate) over_data: &'a BTreeSet<StatementId>,
    /// Loops that execute blocks whose work changes.
    pub(crate) changing: &'a BTreeSet<StatementId>,
}

/// Numbers everything in source order.
pub(crate) fn build(parts: Parts, found: &[ProgramElement]) -> Tables {
    let mut maker = Maker {
        work: parts.work.clone().into_iter(),
        parts,
        out: Tables::default(),
        ids: BTreeMap::new(),
        ordinals: BTreeMap::new(),
    };
    maker.files();
    for found in found.iter() {
        maker.add(found);
    }
    maker.out
}

struct Maker<'a> {
    parts: Parts<'a>,
    work: std::vec::IntoIter<BlockWork>,
    out: Tables,
    ids: BTreeMap<StatementId, LoopId>,
    ordinals: BTreeMap<(Digest, ProcedureId, Counted), u32>,
}

/// The kinds of objects whose ordinals are counted separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Counted {
    Block(u8),
    Site,
}

impl Maker<'_> {
    fn files(&mut self) {
        let info = |file: &crate::source::SourceFile| SourceFileInfo {
            path: file.path.clone(),
            digest: Digest::of(&file.text),
        };
        self.out.table.files = self.parts.sources.files.iter().map(info).collect();
    }

    fn add(&mut self, found: &ProgramElement) {
        let loop_path: Vec<LoopId> = found
            .loops
            .iter()
            .filter_map(|id| self.ids.get(id).copied())
            .collect();
        match &found.kind {
            ElementKind::Compute(statements) => {
                let work = self.work.next().unwrap_or_default();
                self.block(
                    found.procedure,
                    BlockKind::Compute,
                    statements,
                    loop_path,
                    work,
                );
            }
            ElementKind::Own(statement, extent) => {
                let work = self.work.next().unwrap_or_default();
                // The spellings are part of the keys in stored measurements, and must not change.
                let kind: &[u8] = if *extent == Extent::Tail {
                    b"tail"
                } else {
                    b"head"
                };
                let digest = self.parts.digests.of_evaluated(*statement);
                // The prologue and the epilogue of a statement have the same text.
                let digest = Digest::of_parts([kind, &digest.0.to_le_bytes()]);
                let span = self.parts.spans.condition(*statement, 0);
                self.numbered(
                    found.procedure,
                    BlockKind::Compute,
                    digest,
                    span,
                    loop_path,
                    work,
                );
                if let Some(block) = self.out.blocks.last_mut() {
                    block.statements = vec![*statement];
                    block.extent = extent.clone();
                }
            }
            ElementKind::Site(statement, function) => {
                self.site(found.procedure, *statement, function, &loop_path);
                for &kind in kinds(function) {
                    let none = BlockWork::default();
                    self.block(
                        found.procedure,
                        kind,
                        &[*statement],
                        loop_path.clone(),
                        none,
                    );
                }
            }
            ElementKind::Loop(statement) => self.repeat(found.procedure, *statement, loop_path),
            ElementKind::Structure(statement) => {
                self.structure(found.procedure, *statement, loop_path)
            }
            ElementKind::Unknown(..) => {}
        }
    }

    fn ordinal(&mut self, digest: Digest, procedure: ProcedureId, counted: Counted) -> u32 {
        let next = self
            .ordinals
            .entry((digest, procedure, counted))
            .or_default();
        // Equal text in one procedure has equal digests: the ordinal distinguishes the copies.
        *next += 1;
        *next - 1
    }

    fn name(&self, procedure: ProcedureId) -> String {
        self.parts.program.procedure(procedure).name.clone()
    }

    fn block(
        &mut self,
        procedure: ProcedureId,
        kind: BlockKind,
        statements: &[StatementId],
        loop_path: Vec<LoopId>,
        work: BlockWork,
    ) {
        let (Some(&first), Some(&last)) = (statements.first(), statements.last()) else {
            return;
        };
        let digest = self.parts.digests.of(statements);
        let span = self.parts.spans.between(first, last);
        self.numbered(procedure, kind, digest, span, loop_path, work);
        if let Some(block) = self.out.blocks.last_mut() {
            block.statements = statements.to_vec();
        }
    }

    /// Adds a block, but for its statements.
    fn numbered(
        &mut self,
        procedure: ProcedureId,
        kind: BlockKind,
        digest: Digest,
        span: SourceSpan,
        loop_path: Vec<LoopId>,
        work: BlockWork,
    ) {
        let id = BlockId::from_index(self.out.blocks.len());
        let ordinal = self.ordinal(digest, procedure, Counted::Block(kind as u8));
        self.out.table.blocks.push(Block {
            key: BlockKey {
                digest,
                procedure: self.name(procedure),
                ordinal,
            },
            kind,
            span,
            loop_path,
            work_terms: work.terms.iter().map(|(_, term)| term.clone()).collect(),
            data_dependent: work.data_dependent,
        });
        let terms = work
            .terms
            .into_iter()
            .map(|(expression, _)| expression)
            .collect();
        let (statements, extent) = (Vec::new(), Extent::Whole);
        let (work_changes, untold) = (work.changes, work.untold);
        self.out.blocks.push(BlockPlace {
            id,
            procedure,
            statements,
            extent,
            terms,
            work_changes,
            untold,
        });
    }

    fn structure(
        &mut self,
        procedure: ProcedureId,
        statement: StatementId,
        loop_path: Vec<LoopId>,
    ) {
        let digest = self.parts.digests.of_text(statement);
        let span = self.parts.spans.condition(statement, 0);
        self.out.structure.push(StructurePlace {
            procedure,
            statement,
            digest,
            span,
            loop_path,
        });
    }

    fn site(
        &mut self,
        procedure: ProcedureId,
        statement: StatementId,
        function: &'static Function,
        path: &[LoopId],
    ) {
        let id = CallSiteId::from_index(self.out.sites.len());
        let digest = self.parts.digests.of_text(statement);
        let ordinal = self.ordinal(digest, procedure, Counted::Site);
        let name = self.name(procedure);
        self.out.table.call_sites.push(CallSite {
            key: CallSiteKey::Source {
                digest,
                procedure: name.clone(),
                ordinal,
            },
            function: function.name.to_string(),
            procedure: name,
            span: Some(self.parts.spans.between(statement, statement)),
            loop_path: path.to_vec(),
        });
        // A call that is not kept is local and nothing needs it, or assumptions cut it off.
        let level = match self.parts.kept[statement.0 as usize] {
            true => self
                .parts
                .needed
                .level(function, self.parts.effects.of_statement(statement).class),
            false => crate::ir::analysis::MessageLevel::Recorded,
        };
        self.out.sites.push(SitePlace {
            id,
            procedure,
            statement,
            function,
            level,
        });
    }

    fn repeat(&mut self, procedure: ProcedureId, statement: StatementId, loop_path: Vec<LoopId>) {
        let id = LoopId::from_index(self.out.loops.len());
        self.ids.insert(statement, id);
        self.out.table.loops.push(StructureLoop {
            span: self.parts.spans.between(statement, statement),
            procedure: self.name(procedure),
            loop_path,
        });
        let invariant = self.parts.invariant.get(&statement).cloned();
        let holds_requests_open = self.parts.holding_requests.contains(&statement);
        let is_over_data = self.parts.over_data.contains(&statement);
        let holds_changing_work = self.parts.changing.contains(&statement);
        let place = LoopPlace {
            id,
            procedure,
            statement,
            invariant,
            holds_requests_open,
            is_over_data,
            holds_changing_work,
        };
        self.out.loops.push(place);
    }
}
