//! Base data of a trace, built entry by entry. Calls that are equal relative to their rank are one call
//! site at the first such line; where a trace names lines of sources, these are the call sites.
//! Computation is one block whose variants are its times.

use super::{ImportError, Imported};
use crate::hashing::NumberMap;
use crate::replay::lower::Lowering;
use crate::replay::program::{Steps, Target};
use base_data::block_table::{
    Block, BlockKey, BlockKind, CallSite, CallSiteKey, SourceFileInfo, SourceSpan, WorkTerm,
};
use base_data::compute_data::{ComputeData, ComputeEntry, Feed};
use base_data::distribution::Distribution;
use base_data::mpi::{BasicDatatype, Datatype};
use base_data::program_data::{
    Call, Communicator, Counts, Op, Operand, Peer, ProgramData, RankClass, RecordMethod, Transfer,
    Variant,
};
use base_data::{BlockId, CallSiteId, CommId, Digest, Rank, RankSet};
use std::collections::BTreeMap;

/// What makes two calls one call site.
#[derive(PartialEq, Eq, Hash)]
enum SiteKey {
    /// The same line of the program's sources.
    Source {
        file: u32,
        line: u32,
        function: &'static str,
    },
    /// The same words, seen from the rank: traces have a line per execution.
    Alike { function: &'static str, call: Call },
}

impl SiteKey {
    fn of(place: Place, function: &'static str, call: &Call) -> Self {
        match place.rank {
            None => Self::Source {
                file: place.file,
                line: place.line,
                function,
            },
            Some(rank) => Self::Alike {
                function,
                call: seen_from(rank, call),
            },
        }
    }
}

/// The call with its partners relative to the rank, without the numbers of requests and lists: these differ among ranks
/// that execute the same call, which would be as many call sites.
fn seen_from(rank: u32, call: &Call) -> Call {
    let mut call = call.clone();
    let from_rank = |transfer: &mut Transfer| {
        if let Peer::Rank(Operand::Constant(peer)) = &mut transfer.peer {
            *peer -= i64::from(rank);
        }
    };
    match &mut call {
        Call::Send {
            transfer, request, ..
        }
        | Call::Receive {
            transfer, request, ..
        } => {
            from_rank(transfer);
            *request = None;
        }
        Call::SendReceive { send, receive, .. } => [send, receive].into_iter().for_each(from_rank),
        Call::Wait { requests, .. } => requests.clear(),
        Call::Collective {
            counts,
            receive_counts,
            ..
        } => {
            for counts in [Some(counts), receive_counts.as_mut()]
                .into_iter()
                .flatten()
            {
                if let Counts::PerRank(table) = counts {
                    *table = 0;
                }
            }
        }
        Call::Init
        | Call::Finalize
        | Call::Abort
        | Call::Test { .. }
        | Call::Probe { .. }
        | Call::MakePersistent { .. }
        | Call::StartPersistent { .. }
        | Call::MakeCommunicator { .. } => {}
    }
    call
}

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

/// Builds base data, or steps.
pub(crate) struct TraceBuilder<'t> {
    name: String,
    data: ProgramData,
    files: BTreeMap<String, u32>,
    sites: NumberMap<SiteKey, CallSiteId>,
    /// By picoseconds.
    variants: NumberMap<i64, u32>,
    datatypes: BTreeMap<BasicDatatype, u32>,
    streams: Streams<'t>,
    ranks: u32,
    pub(super) remarks: Vec<String>,
}

/// A line of a file of the trace, or of the sources that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) file: u32,
    pub(super) line: u32,
    /// The rank whose line of the trace it is; `None` for a line of the program's sources.
    pub(super) rank: Option<u32>,
}

impl Place {
    fn span(self) -> SourceSpan {
        SourceSpan {
            file: self.file,
            first_line: self.line,
            last_line: self.line,
            ..SourceSpan::default()
        }
    }
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
            sites: NumberMap::default(),
            variants: NumberMap::default(),
            datatypes: BTreeMap::new(),
            streams,
            ranks: 0,
            remarks: Vec::new(),
        };
        let file = builder.file(name);
        let span = Place {
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
        let next = self.data.variants.len() as u32;
        let variant = *self.variants.entry(picoseconds).or_insert(next);
        // New: the map has just got the number of the next entry.
        if variant == next {
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
    pub(super) fn call(&mut self, place: Place, function: &'static str, call: Call) -> Op {
        let next = CallSiteId::from_index(self.data.table.call_sites.len());
        let site = *self
            .sites
            .entry(SiteKey::of(place, function, &call))
            .or_insert(next);
        if site == next {
            let key = CallSiteKey::Source {
                digest: Digest::default(),
                procedure: "trace".into(),
                ordinal: next.0,
            };
            self.data.table.call_sites.push(CallSite {
                key,
                function: function.into(),
                procedure: "trace".into(),
                span: Some(place.span()),
                loop_path: Vec::new(),
            });
        }
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

    /// The stream of the next rank, which is among those that [`TraceBuilder::begin`] announced.
    ///
    /// # Errors
    /// Where steps are made: calls that cannot be replayed.
    pub(super) fn rank(&mut self, stream: Vec<Op>) -> Result<(), ImportError> {
        let rank = Rank(self.ranks);
        self.ranks += 1;
        match &mut self.streams {
            Streams::Kept(streams) => streams.push(stream),
            Streams::Lowered { target, lowering } => {
                // The communicators depend on the number of ranks, which is known only when the trace is read.
                let lowering = match lowering {
                    Some(lowering) => lowering,
                    none => none.insert(Box::new(Lowering::new(&self.data, target)?)),
                };
                lowering.rank(&self.data, rank, 0, &stream)?;
            }
        }
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
        base_data::format::FileContent::check(&self.data).map_err(|reason| ImportError::Whole {
            file: self.name.clone(),
            reason,
        })?;
        let compute = compute(&self.data);
        Ok(Imported {
            program: self.data,
            compute,
            remarks: self.remarks,
        })
    }

    /// The base data without streams, and the steps that were made of these; `None` without ranks.
    pub(crate) fn finish_lowered(self) -> Option<(Imported, Steps)> {
        let Self {
            mut data,
            streams,
            remarks,
            sites,
            variants,
            ..
        } = self;
        let Streams::Lowered { lowering, .. } = streams else {
            return None;
        };
        // Of random partners the maps are as large as the steps: they go before anything else is made.
        drop(sites);
        drop(variants);
        data.table.call_sites.shrink_to_fit();
        let steps = lowering?.finish(&data);
        let compute = compute(&data);
        Some((
            Imported {
                program: data,
                compute,
                remarks,
            },
            steps,
        ))
    }
}

/// The times of a trace.
fn compute(data: &ProgramData) -> ComputeData {
    let mut provenance = data.provenance.clone();
    provenance.ranks = 0;
    ComputeData {
        provenance,
        table: data.table.clone(),
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
