//! Base data of a trace, built entry by entry. Calls that say the same, seen from their rank, are one call
//! site at the first such line; where a trace names lines of sources, these are the call sites.
//! Computation is one block whose variants are its times.

use super::{ImportError, Imported};
use base_data::block_table::{
    Block, BlockKey, BlockKind, CallSite, CallSiteKey, SourceFileInfo, SourceSpan, WorkTerm,
};
use base_data::compute_data::{ComputeData, ComputeEntry, Feed};
use base_data::distribution::Distribution;
use base_data::mpi::{BasicDatatype, Datatype};
use base_data::program_data::{
    Call, Communicator, Counts, Op, Operand, Peer, ProgramData, RankClass, RecordMethod, Transfer, Variant,
};
use base_data::{BlockId, CallSiteId, CommId, Digest, Rank, RankSet};
use std::collections::{BTreeMap, HashMap};

/// What makes two calls one call site.
#[derive(PartialEq, Eq, Hash)]
enum SiteKey {
    /// The same line of the program's sources.
    Source { file: u32, line: u32, function: &'static str },
    /// The same words, seen from the rank: traces have a line per execution.
    Alike { function: &'static str, call: Call },
}

impl SiteKey {
    fn of(place: Place, function: &'static str, call: &Call) -> Self {
        match place.rank {
            None => Self::Source { file: place.file, line: place.line, function },
            Some(rank) => Self::Alike { function, call: seen_from(rank, call) },
        }
    }
}

/// The call with its partners counted from the rank, without the numbers of requests and lists.
fn seen_from(rank: u32, call: &Call) -> Call {
    let mut call = call.clone();
    let from_rank = |transfer: &mut Transfer| {
        if let Peer::Rank(Operand::Constant(peer)) = &mut transfer.peer {
            *peer -= i64::from(rank);
        }
    };
    match &mut call {
        Call::Send { transfer, request, .. } | Call::Receive { transfer, request, .. } => {
            from_rank(transfer);
            *request = None;
        }
        Call::SendReceive { send, receive, .. } => [send, receive].into_iter().for_each(from_rank),
        Call::Wait { requests, .. } => requests.clear(),
        Call::Collective { counts, receive_counts, .. } => {
            for counts in [Some(counts), receive_counts.as_mut()].into_iter().flatten() {
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

/// Builds base data.
pub(super) struct TraceBuilder {
    name: String,
    data: ProgramData,
    files: BTreeMap<String, u32>,
    sites: HashMap<SiteKey, CallSiteId>,
    /// By picoseconds.
    variants: HashMap<i64, u32>,
    datatypes: BTreeMap<BasicDatatype, u32>,
    streams: Vec<Vec<Op>>,
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
        SourceSpan { file: self.file, first_line: self.line, last_line: self.line, ..SourceSpan::default() }
    }
}

impl TraceBuilder {
    /// A trace that is read from the file of this name.
    pub(super) fn new(name: &str) -> Self {
        let mut builder = Self {
            name: name.into(),
            data: ProgramData { method: RecordMethod::Given, ..ProgramData::default() },
            files: BTreeMap::new(),
            sites: HashMap::new(),
            variants: HashMap::new(),
            datatypes: BTreeMap::new(),
            streams: Vec::new(),
            remarks: Vec::new(),
        };
        let file = builder.file(name);
        let span = Place { file, line: 1, rank: None }.span();
        let procedure = String::from("trace");
        let digest = Digest::of(b"computation of a trace, in picoseconds");
        builder.data.table.blocks.push(Block {
            key: BlockKey { digest, procedure, ordinal: 0 },
            kind: BlockKind::Compute,
            span: span.clone(),
            loop_path: Vec::new(),
            work_terms: vec![WorkTerm { expression: "picoseconds".into(), span }],
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
        self.data.table.files.push(SourceFileInfo { path: path.into(), digest: Digest::default() });
        self.files.insert(path.into(), number);
        number
    }

    /// An entry that computes for so many picoseconds.
    pub(super) fn work(&mut self, picoseconds: i64) -> Op {
        let next = self.data.variants.len() as u32;
        let variant = *self.variants.entry(picoseconds).or_insert(next);
        if variant == next {
            self.data.variants.push(Variant { block: BlockId(0), terms: vec![picoseconds] });
        }
        Op::Block { block: BlockId(0), variant: Operand::Constant(i64::from(variant)) }
    }

    /// An entry for a call at a place.
    pub(super) fn call(&mut self, place: Place, function: &'static str, call: Call) -> Op {
        let next = CallSiteId::from_index(self.data.table.call_sites.len());
        let site = *self.sites.entry(SiteKey::of(place, function, &call)).or_insert(next);
        if site == next {
            let key =
                CallSiteKey::Source { digest: Digest::default(), procedure: "trace".into(), ordinal: next.0 };
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

    /// The stream of the next rank.
    pub(super) fn rank(&mut self, stream: Vec<Op>) {
        self.streams.push(stream);
    }

    /// The base data.
    ///
    /// # Errors
    /// A trace that makes no program: partners that there are not, for example.
    pub(super) fn finish(mut self, how: &str) -> Result<Imported, ImportError> {
        let ranks = self.streams.len() as u32;
        let alone = |group| Communicator { parent: None, sequence: 0, group };
        self.data.ranks = ranks;
        self.data.communicators = vec![alone(RankSet::all(ranks)), alone(RankSet::default())];
        let class =
            |(rank, stream)| RankClass { ranks: RankSet::from_ranks([Rank::from_index(rank)]), stream };
        self.data.classes = self.streams.into_iter().enumerate().map(class).collect();
        self.data.provenance.program = self.name.clone();
        self.data.provenance.ranks = ranks;
        self.data.provenance.method = how.into();
        base_data::format::FileContent::check(&self.data)
            .map_err(|reason| ImportError::Whole { file: self.name, reason })?;
        let entries = self.data.variants.iter().map(entry).collect();
        let mut provenance = self.data.provenance.clone();
        provenance.ranks = 0;
        let compute =
            ComputeData { provenance, table: self.data.table.clone(), entries, ..ComputeData::default() };
        Ok(Imported { program: self.data, compute, remarks: self.remarks })
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
        warm: Distribution { count: 1, mean: picoseconds as f64, ..Distribution::default() },
        disturbed: 0,
        coordinates: Vec::new(),
    }
}

/// So many elements to or from a rank of the world.
pub(super) fn transfer(peer: Peer, tag: base_data::program_data::Tag, count: i64, datatype: u32) -> Transfer {
    let communicator = Operand::Constant(i64::from(CommId::WORLD.0));
    Transfer { peer, tag, count: Operand::Constant(count), datatype, communicator }
}
