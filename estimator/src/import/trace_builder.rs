//! Base data of a trace, built entry by entry. Calls that are equal relative to their rank are one call
//! site at the first such line; where a trace names lines of sources, these are the call sites.
//! Computation is one block whose variants are its times.

use super::{ImportError, Imported};
use crate::numbered::Numbered;
use crate::replay::lower::{CallSites, Lowering};
use crate::replay::program::{Steps, Target};
use crate::trace_sites::{TraceLine, TraceSites};
use base_data::block_table::{Block, BlockKey, BlockKind, BlockTable, SourceFileInfo, WorkTerm};
use base_data::compute_data::{ComputeData, ComputeEntry, Feed};
use base_data::distribution::Distribution;
use base_data::mpi::{BasicDatatype, Datatype};
use base_data::program_data::{
    Call, Communicator, Op, Operand, Peer, ProgramData, RankClass, RecordMethod, Transfer, Variant,
};
use base_data::{BlockId, CommId, Digest, Rank, RankSet};
use std::collections::BTreeMap;

/// Where the streams of a trace go.
enum Streams<'t> {
    /// Into base data.
    Kept(Vec<Vec<Op>>),
    /// Into steps at once: the streams of all ranks are never in memory together.
    Lowered {
        target: &'t Target<'t>,
        lowering: Option<Box<Lowering<'t>>>,
    },
}

/// Entries of a stream that go into steps together. A rank may have as many entries as all others together, so that its
/// stream would take more memory than all steps.
const ENTRIES_AT_A_TIME: usize = 1024;

/// Builds base data, or steps.
pub(crate) struct TraceBuilder<'t> {
    name: String,
    data: ProgramData,
    files: BTreeMap<String, u32>,
    sites: TraceSites,
    /// In picoseconds.
    variants: Numbered<i64>,
    datatypes: BTreeMap<BasicDatatype, u32>,
    streams: Streams<'t>,
    /// Entries of the present rank that are not in `streams` yet.
    open: Vec<Op>,
    ranks: u32,
    pub(super) remarks: Vec<String>,
}

impl<'t> TraceBuilder<'t> {
    /// A trace that is read from the file of this name.
    pub(super) fn new(name: &str) -> Self {
        Self::with_streams(name, Streams::Kept(Vec::new()))
    }

    /// The same for steps alone.
    pub(crate) fn lowered(name: &str, target: &'t Target<'t>) -> Self {
        Self::with_streams(
            name,
            Streams::Lowered {
                target,
                lowering: None,
            },
        )
    }

    fn with_streams(name: &str, streams: Streams<'t>) -> Self {
        let mut builder = Self {
            name: name.into(),
            data: ProgramData {
                method: RecordMethod::Given,
                ..ProgramData::default()
            },
            files: BTreeMap::new(),
            sites: TraceSites::default(),
            variants: Numbered::default(),
            datatypes: BTreeMap::new(),
            streams,
            open: Vec::new(),
            ranks: 0,
            remarks: Vec::new(),
        };
        let file = builder.file(name);
        let span = TraceLine {
            file,
            line: 1,
            rank: None,
        }
        .span();
        let procedure = String::from("trace");
        let digest = Digest::of(b"computation of a trace, in picoseconds");
        builder.data.table.blocks.push(Block {
            key: BlockKey {
                digest,
                procedure,
                ordinal: 0,
            },
            kind: BlockKind::Compute,
            span: span.clone(),
            loop_path: Vec::new(),
            work_terms: vec![WorkTerm {
                expression: "picoseconds".into(),
                span,
            }],
            data_dependent: false,
        });
        builder
    }

    /// The number of a file.
    pub(super) fn file(&mut self, path: &str) -> u32 {
        if let Some(&number) = self.files.get(path) {
            return number;
        }
        let number = self.data.table.files.len() as u32;
        self.data.table.files.push(SourceFileInfo {
            path: path.into(),
            digest: Digest::default(),
        });
        self.files.insert(path.into(), number);
        number
    }

    /// An entry that computes for so many picoseconds.
    pub(super) fn work(&mut self, picoseconds: i64) -> Op {
        let variant = self.variants.number(picoseconds);
        // New: the table has just given out the number of the next entry.
        if variant as usize == self.data.variants.len() {
            self.data.variants.push(Variant {
                block: BlockId(0),
                terms: vec![picoseconds],
            });
        }
        Op::Block {
            block: BlockId(0),
            variant: Operand::Constant(i64::from(variant)),
        }
    }

    /// An entry for a call at a place.
    pub(super) fn call(&mut self, place: TraceLine, function: &'static str, call: Call) -> Op {
        let site = self.sites.number(place, function, &call);
        Op::Call { site, call }
    }

    /// The number of a basic datatype.
    pub(super) fn datatype(&mut self, element: BasicDatatype) -> u32 {
        let next = self.data.datatypes.len() as u32;
        let number = *self.datatypes.entry(element).or_insert(next);
        if number == next {
            self.data.datatypes.push(Datatype::basic(element));
        }
        number
    }

    /// The number of a list of counts of one rank.
    pub(super) fn counts(&mut self, counts: Vec<u64>) -> u32 {
        self.data.count_tables.push(vec![counts]);
        self.data.count_tables.len() as u32 - 1
    }

    /// All that is known of the program before its streams: how many ranks there are.
    pub(super) fn begin(&mut self, ranks: u32) {
        let alone = |group| Communicator {
            parent: None,
            sequence: 0,
            group,
        };
        self.data.ranks = ranks;
        self.data.communicators = vec![alone(RankSet::all(ranks)), alone(RankSet::default())];
        self.data.provenance.program = self.name.clone();
        self.data.provenance.ranks = ranks;
    }

    /// The next entry of the present rank, which is among those that [`TraceBuilder::begin`] announced.
    ///
    /// # Errors
    /// Where steps are made: calls that cannot be replayed.
    pub(super) fn add(&mut self, op: Op) -> Result<(), ImportError> {
        self.open.push(op);
        let is_lowered = matches!(self.streams, Streams::Lowered { .. });
        if is_lowered && self.open.len() >= ENTRIES_AT_A_TIME {
            self.lower_entries()?;
        }
        Ok(())
    }

    /// The present rank has no further entry.
    ///
    /// # Errors
    /// See [`TraceBuilder::add`].
    pub(super) fn end_rank(&mut self) -> Result<(), ImportError> {
        if let Streams::Kept(streams) = &mut self.streams {
            streams.push(std::mem::take(&mut self.open));
        } else {
            self.lower_entries()?;
        }
        if let Streams::Lowered {
            lowering: Some(lowering),
            ..
        } = &mut self.streams
        {
            lowering.end_rank();
        }
        self.ranks += 1;
        Ok(())
    }

    /// Makes steps of the entries that have come since the last time.
    fn lower_entries(&mut self) -> Result<(), ImportError> {
        let Streams::Lowered { target, lowering } = &mut self.streams else {
            return Ok(());
        };
        // The communicators depend on the number of ranks, which is known only when the trace is read.
        let lowering = match lowering {
            Some(lowering) => lowering,
            none => none.insert(Box::new(Lowering::new(&self.data, target)?)),
        };
        let sites = CallSites::OfTrace(&self.sites);
        lowering.entries(&self.data, sites, Rank(self.ranks), 0, &self.open)?;
        self.open.clear();
        Ok(())
    }

    /// The base data.
    ///
    /// # Errors
    /// A trace that makes no program: partners that there are not, for example.
    pub(super) fn finish(mut self, how: &str) -> Result<Imported, ImportError> {
        let streams = match &mut self.streams {
            Streams::Kept(streams) => std::mem::take(streams),
            Streams::Lowered { .. } => Vec::new(),
        };
        let class = |(rank, stream)| RankClass {
            ranks: RankSet::from_ranks([Rank::from_index(rank)]),
            stream,
        };
        self.data.classes = streams.into_iter().enumerate().map(class).collect();
        self.data.provenance.method = how.into();
        self.data.table.call_sites = self.sites.table();
        base_data::format::FileContent::check(&self.data).map_err(|reason| ImportError::Whole {
            file: self.name.clone(),
            reason,
        })?;
        let compute = compute(&self.data, self.data.table.clone());
        Ok(Imported {
            program: self.data,
            compute,
            remarks: self.remarks,
        })
    }

    /// What was made of the trace; `None` without ranks.
    pub(crate) fn finish_lowered(self) -> Option<LoweredTrace> {
        let Self {
            mut data,
            streams,
            remarks,
            mut sites,
            variants,
            ..
        } = self;
        let Streams::Lowered { lowering, .. } = streams else {
            return None;
        };
        // Of random partners the maps are as large as the steps: they go before anything else is made.
        sites.forget_keys();
        drop(variants);
        let steps = lowering?.finish(&data, sites.len());
        data.table.call_sites = Vec::new();
        let compute = compute(&data, data.table.clone());
        Some(LoweredTrace {
            imported: Imported {
                program: data,
                compute,
                remarks,
            },
            steps,
            sites,
        })
    }
}

/// A trace as steps.
pub(crate) struct LoweredTrace {
    /// The base data without streams and call sites.
    pub(crate) imported: Imported,
    pub(crate) steps: Steps,
    /// The call sites that steps refer to. A table of them may take more memory than the steps, and only warnings
    /// name them.
    pub(crate) sites: TraceSites,
}

/// The times of a trace.
fn compute(data: &ProgramData, table: BlockTable) -> ComputeData {
    let mut provenance = data.provenance.clone();
    provenance.ranks = 0;
    ComputeData {
        provenance,
        table,
        entries: data.variants.iter().map(entry).collect(),
        ..ComputeData::default()
    }
}

/// What was measured of a time: itself.
fn entry(variant: &Variant) -> ComputeEntry {
    let picoseconds = variant.terms.first().copied().unwrap_or_default();
    ComputeEntry {
        block: variant.block,
        terms: variant.terms.clone(),
        ranks_per_node: 1,
        threads: 1,
        feed: Feed::All,
        first: Distribution::default(),
        warm: Distribution {
            count: 1,
            mean: picoseconds as f64,
            ..Distribution::default()
        },
        disturbed: 0,
        coordinates: Vec::new(),
    }
}

/// So many elements to or from a rank of the world.
pub(super) fn transfer(
    peer: Peer,
    tag: base_data::program_data::Tag,
    count: i64,
    datatype: u32,
) -> Transfer {
    let communicator = Operand::Constant(i64::from(CommId::WORLD.0));
    Transfer {
        peer,
        tag,
        count: Operand::Constant(count),
        datatype,
        communicator,
    }
}
