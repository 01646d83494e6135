//! Program data and compute data written by hand in a line, and platforms of round numbers.

use base_data::block_table::*;
use base_data::compute_data::*;
use base_data::distribution::Distribution;
use base_data::estimate_file::Estimate;
use base_data::ids::*;
use base_data::mpi::{BasicDatatype, Datatype, ReduceOp};
use base_data::platform_file::PlatformFile;
use base_data::program_data::*;
use base_data::{RankSet, Time};
use estimator::{Inputs, Options};
use machine::Platform;

/// Sites are lines 1 to 50 of `t.f`, blocks its lines 101 to 150.
const SITES: u32 = 50;
pub const BLOCKS: u32 = 50;

/// One class per rank; world, self and `groups` as communicators 2, 3, ….
pub fn program(streams: Vec<Vec<Op>>, groups: &[&[u32]]) -> ProgramData {
    let classes = streams
        .into_iter()
        .enumerate()
        .map(|(rank, stream)| RankClass {
            ranks: RankSet::from_ranks([Rank::from_index(rank)]),
            stream,
        });
    with_classes(classes.collect(), groups)
}

pub fn with_classes(classes: Vec<RankClass>, groups: &[&[u32]]) -> ProgramData {
    let ranks = classes.iter().map(|class| class.ranks.len() as u32).sum();
    let communicator = |parent, group| Communicator {
        parent,
        sequence: 0,
        group,
    };
    let mut communicators = vec![
        communicator(None, RankSet::all(ranks)),
        communicator(None, RankSet::default()),
    ];
    communicators.extend(groups.iter().map(|group| {
        communicator(
            Some(CommId::WORLD),
            RankSet::from_ranks(group.iter().map(|&rank| Rank(rank))),
        )
    }));
    ProgramData {
        ranks,
        method: RecordMethod::Given,
        table: table(),
        variants: (0..BLOCKS)
            .map(|block| Variant {
                block: BlockId(block),
                terms: vec![1],
            })
            .collect(),
        datatypes: vec![
            Datatype::basic(BasicDatatype::Byte),
            Datatype::basic(BasicDatatype::Real(8)),
        ],
        communicators,
        classes,
        ..Default::default()
    }
}

fn span(line: u32) -> SourceSpan {
    SourceSpan {
        first_line: line,
        last_line: line,
        ..Default::default()
    }
}

fn table() -> BlockTable {
    let site = |index: u32| CallSite {
        key: CallSiteKey::Source {
            digest: Digest(index.into()),
            procedure: "t".into(),
            ordinal: 0,
        },
        function: "MPI".into(),
        procedure: "t".into(),
        span: Some(span(index + 1)),
        loop_path: Vec::new(),
    };
    let block = |index: u32| Block {
        key: BlockKey {
            digest: Digest(index.into()),
            procedure: "t".into(),
            ordinal: 0,
        },
        kind: BlockKind::Compute,
        span: span(101 + index),
        loop_path: Vec::new(),
        work_terms: Vec::new(),
        data_dependent: false,
    };
    BlockTable {
        files: vec![SourceFileInfo {
            path: "t.f".into(),
            digest: Digest(0),
        }],
        blocks: (0..BLOCKS).map(block).collect(),
        call_sites: (0..SITES).map(site).collect(),
        loops: Vec::new(),
    }
}

/// Block `i` takes `i` microseconds, first and later.
pub fn compute() -> ComputeData {
    let micro = 1_000_000;
    compute_of(
        (0..BLOCKS)
            .map(|block| (block, vec![i64::from(block) * micro; 3]))
            .collect(),
    )
}

/// Blocks with their measured values in picoseconds.
pub fn compute_of(blocks: Vec<(u32, Vec<i64>)>) -> ComputeData {
    let entry = |(block, values): (u32, Vec<i64>)| ComputeEntry {
        block: BlockId(block),
        terms: vec![1],
        ranks_per_node: 1,
        threads: 1,
        feed: Feed::All,
        first: Distribution::default(),
        warm: Distribution::of(values),
        disturbed: 0,
        coordinates: Vec::new(),
    };
    ComputeData {
        table: table(),
        entries: blocks.into_iter().map(entry).collect(),
        ..Default::default()
    }
}

/// Executes block `i`: `i` microseconds by [`compute`].
pub fn work(block: u32) -> Op {
    Op::Block {
        block: BlockId(block),
        variant: Operand::Constant(block.into()),
    }
}

fn transfer(peer: u32, bytes: i64, communicator: i64) -> Transfer {
    Transfer {
        peer: Peer::Rank(Operand::Constant(peer.into())),
        tag: Tag::Value(Operand::Constant(0)),
        count: Operand::Constant(bytes),
        datatype: 0,
        communicator: Operand::Constant(communicator),
    }
}

pub fn call(line: u32, call: Call) -> Op {
    Op::Call {
        site: CallSiteId(line - 1),
        call,
    }
}

pub fn send_on(line: u32, communicator: i64, to: u32, bytes: i64) -> Op {
    let transfer = transfer(to, bytes, communicator);
    call(
        line,
        Call::Send {
            mode: SendMode::Standard,
            transfer,
            request: None,
        },
    )
}

pub fn send(line: u32, to: u32, bytes: i64) -> Op {
    send_on(line, 0, to, bytes)
}

pub fn receive_on(line: u32, communicator: i64, from: u32, bytes: i64) -> Op {
    let transfer = transfer(from, bytes, communicator);
    call(
        line,
        Call::Receive {
            transfer,
            request: None,
            observed: None,
        },
    )
}

pub fn receive(line: u32, from: u32, bytes: i64) -> Op {
    receive_on(line, 0, from, bytes)
}

pub fn isend(line: u32, to: u32, bytes: i64, request: u32) -> Op {
    let transfer = transfer(to, bytes, 0);
    call(
        line,
        Call::Send {
            mode: SendMode::Standard,
            transfer,
            request: Some(RequestId(request)),
        },
    )
}

pub fn ireceive(line: u32, from: u32, bytes: i64, request: u32) -> Op {
    let transfer = transfer(from, bytes, 0);
    call(
        line,
        Call::Receive {
            transfer,
            request: Some(RequestId(request)),
            observed: None,
        },
    )
}

pub fn send_receive(line: u32, to: u32, from: u32, bytes: i64) -> Op {
    let (send, receive) = (transfer(to, bytes, 0), transfer(from, bytes, 0));
    call(
        line,
        Call::SendReceive {
            send,
            receive,
            observed: None,
        },
    )
}

pub fn wait(line: u32, requests: &[u32]) -> Op {
    let requests = requests.iter().map(|&request| RequestId(request)).collect();
    let completion = Completion::All;
    call(
        line,
        Call::Wait {
            completion,
            requests,
            completed: Vec::new(),
            observed: Vec::new(),
        },
    )
}

pub fn collective(
    line: u32,
    kind: CollectiveKind,
    communicator: i64,
    root: Option<i64>,
    doubles: i64,
) -> Op {
    use CollectiveKind::{Allreduce, ExclusiveScan, Reduce, ReduceScatter, Scan};
    let reduces = matches!(
        kind,
        Reduce | Allreduce | ReduceScatter | Scan | ExclusiveScan
    );
    let call_ = Call::Collective {
        kind,
        communicator: Operand::Constant(communicator),
        root: root.map(Operand::Constant),
        counts: Counts::Same(Operand::Constant(doubles)),
        receive_counts: None,
        datatype: 1,
        reduce_op: reduces.then_some(ReduceOp::Sum),
        request: None,
    };
    call(line, call_)
}

pub fn barrier(line: u32) -> Op {
    collective(line, CollectiveKind::Barrier, 0, None, 0)
}

/// `count` times `body`.
pub fn repeat(count: u64, body: Vec<Op>) -> Vec<Op> {
    let mut ops = vec![Op::Loop {
        count: Count::Constant(count),
        body: body.len() as u32,
    }];
    ops.extend(body);
    ops
}

fn platform(nodes: u32, ranks_per_node: u32, links: &str) -> Platform {
    let head = format!(
        "format = 1\nname = \"test\"\nnodes = {nodes}\nranks_per_node = {ranks_per_node}\n"
    );
    let file = PlatformFile::parse(&(head + links)).expect("a platform file");
    Platform::new(file, &|name| Err(format!("no file {name}"))).expect("a platform")
}

/// `T_comm(k)` = 100 ns + k ns between nodes.
pub fn mpiete() -> Platform {
    mpiete_with("")
}

/// The same, with more in the fit.
pub fn mpiete_with(more: &str) -> Platform {
    let curve = "curve = [{ bytes = 0, time = 100000 }, { bytes = 1000, time = 1100000 }]";
    platform(
        64,
        1,
        &format!(
            "[[links]]\nclass = \"between-nodes\"\n[[links.data.fits]]\nmodel = \"mpiete\"\n{curve}\n{more}\n"
        ),
    )
}

/// `T_comm` = 100 ns between two nodes of four ranks, 10 ns inside, 1 ns to self.
pub fn mpiete_on_nodes() -> Platform {
    let link = |class: &str, picoseconds: u32| {
        format!(
            "[[links]]\nclass = \"{class}\"\n[[links.data.fits]]\nmodel = \"mpiete\"\n\
             curve = [{{ bytes = 0, time = {picoseconds} }}]\n"
        )
    };
    platform(
        2,
        4,
        &(link("to-self", 1000) + &link("inside-node", 10_000) + &link("between-nodes", 100_000)),
    )
}

/// L 50, o' 10, Oss 1, Ors 2, Gs 3, Osl 0.5, Orl 0.25, Gl 1 ns, s 100, S 200 bytes.
pub const LOGGPS: [(&str, f64, &str); 10] = [
    ("L", 50.0, "ns"),
    ("o'", 10.0, "ns"),
    ("Oss", 1.0, "ns/byte"),
    ("Ors", 2.0, "ns/byte"),
    ("Gs", 3.0, "ns/byte"),
    ("Osl", 0.5, "ns/byte"),
    ("Orl", 0.25, "ns/byte"),
    ("Gl", 1.0, "ns/byte"),
    ("s", 100.0, "bytes"),
    ("S", 200.0, "bytes"),
];

/// [`LOGGPS`], each message as if it were alone: LogGPS with an overhead by ranks, of nothing.
pub fn loggps() -> Platform {
    let by_ranks = [&[("o_per_rank", 0.0, "ns/rank")][..], &LOGGPS].concat();
    with_parameters("loggps-p", 64, &by_ranks)
}

/// Another overhead and gap above 100 bytes, a handshake above 200.
pub fn loggp_2() -> Platform {
    let parameters = [
        ("L", 50.0, "ns"),
        ("o", 10.0, "ns"),
        ("o_long", 30.0, "ns"),
        ("G", 3.0, "ns/byte"),
        ("G_long", 1.0, "ns/byte"),
        ("s", 100.0, "bytes"),
        ("S", 200.0, "bytes"),
    ];
    with_parameters("loggp-2", 64, &parameters)
}

/// [`LOGGPS`], messages to one receiver dividing its bandwidth.
pub fn loggps_shared() -> Platform {
    with_parameters("loggps", 64, &LOGGPS)
}

/// Up to 1024 nodes with these LogGOPS parameters.
pub fn loggops(parameters: &[(&str, i64, &str)]) -> Platform {
    let parameters: Vec<_> = parameters
        .iter()
        .map(|&(name, value, unit)| (name, value as f64, unit))
        .collect();
    with_parameters("loggops", 1024, &parameters)
}

/// One rank per node, and the parameters of one model between nodes.
pub fn with_parameters(model: &str, nodes: u32, parameters: &[(&str, f64, &str)]) -> Platform {
    let row = |(name, value, unit): &(&str, f64, &str)| {
        format!("{{ name = \"{name}\", value = {value:?}, unit = \"{unit}\" }}")
    };
    let list = parameters.iter().map(row).collect::<Vec<_>>().join(",\n");
    let fit = format!("[[links.data.fits]]\nmodel = \"{model}\"\nparameters = [{list}]\n");
    platform(
        nodes,
        1,
        &format!("[[links]]\nclass = \"between-nodes\"\n{fit}"),
    )
}

/// No draws, no timeline.
pub fn means() -> Options {
    Options {
        draws: 0,
        ..Options::default()
    }
}

pub fn try_estimate(
    program: &ProgramData,
    platform: &Platform,
    options: &Options,
) -> Result<Estimate, estimator::EstimateError> {
    let (compute, inputs) = ([compute()], |compute| Inputs { program, compute });
    let found = estimator::estimate(&inputs(&compute), platform, options);
    same_total(&inputs(&compute), platform, options, &found);
    found
}

/// The total alone is that of the whole estimate, to the picosecond, and so are the warnings and the error.
pub fn same_total(
    inputs: &Inputs<'_>,
    platform: &Platform,
    options: &Options,
    found: &Result<Estimate, estimator::EstimateError>,
) {
    let times = |estimate: &Estimate| {
        let Estimate {
            headline,
            p10,
            p90,
            draws,
            extrapolated_share,
            ..
        } = estimate;
        (
            [*headline, *p10, *p90],
            *draws,
            *extrapolated_share,
            estimate.replayed_events,
        )
    };
    let total = estimator::estimate_total(inputs, platform, options);
    assert_eq!(total.as_ref().map(times), found.as_ref().map(times));
    // The explanation and the timeline have remarks on themselves.
    if let (Ok(total), Ok(found), false, false) = (&total, found, options.explain, options.timeline)
    {
        let is_of_result = |warning: &&String| !warning.ends_with("estimate fewer ranks for these");
        let expected: Vec<&String> = found.warnings.iter().filter(is_of_result).collect();
        assert_eq!(total.warnings.iter().collect::<Vec<_>>(), expected);
    }
}

pub fn estimate(program: &ProgramData, platform: &Platform) -> Estimate {
    try_estimate(program, platform, &means()).expect("an estimate")
}

/// End of each rank in nanoseconds.
pub fn ends(program: &ProgramData, platform: &Platform) -> Vec<i64> {
    estimate(program, platform)
        .per_rank
        .iter()
        .map(|rank| nanoseconds(rank.end))
        .collect()
}

pub fn nanoseconds(time: Time) -> i64 {
    assert_eq!(time.picoseconds() % 1000, 0, "{time:?}");
    time.picoseconds() / 1000
}
