//! Small base data of every kind, written by hand.

use super::{block, microseconds, provenance, site, span, table};
use base_data::block_table::{BlockTable, StructureLoop, WorkTerm};
use base_data::comm_data::{CollectiveCurve, ReductionRate, SampleKind};
use base_data::comm_data::{CommData, CommSample, CurvePoint, LinkClass, ModelFit, Parameter};
use base_data::compute_data::{
    ComputeData, ComputeEntry, Coordinates, Feed, PeakMemory, ProcessingUnit,
};
use base_data::distribution::Distribution;
use base_data::mpi::{BasicDatatype, Datatype, ReduceOp};
use base_data::observation::{Observation, ObservedRank};
use base_data::program_data::{
    Allocation, AssumedOutcome, Assumption, AssumptionOrigin, Call, CollectiveKind, Communicator,
    Count, Counts, Op, Operand, Peer, ProgramData, RankClass, RequestedMemory, SendMode, Tag,
    TimeDependentPlace, Transfer, Variant,
};
use base_data::{BlockId, CallSiteId, LoopId, RankSet, Time};

/// The small estimate's table with a loop around what `conj_grad` does.
pub fn looped_table() -> BlockTable {
    let mut table = table();
    let lines = span(110, 175);
    table.loops = vec![StructureLoop {
        span: lines,
        procedure: "conj_grad".into(),
        loop_path: vec![],
    }];
    table.blocks[0].loop_path = vec![LoopId(0)];
    table.blocks[0].work_terms = vec![WorkTerm {
        expression: "lastrow - firstrow + 1".into(),
        span: span(121, 130),
    }];
    table.blocks[0].data_dependent = true;
    table.call_sites[..3]
        .iter_mut()
        .for_each(|site| site.loop_path = vec![LoopId(0)]);
    table
}

fn transfer(peer: Peer) -> Transfer {
    Transfer {
        peer,
        tag: Tag::Value(Operand::Constant(1)),
        count: Operand::Constant(700),
        datatype: 0,
        communicator: Operand::Constant(0),
    }
}

fn call(site: u32, call: Call) -> Op {
    Op::Call {
        site: CallSiteId(site),
        call,
    }
}

/// Four ranks that send to a neighbour and reduce, 75 times.
pub fn program() -> ProgramData {
    let send = Call::Send {
        mode: SendMode::Standard,
        transfer: transfer(Peer::Rank(Operand::RankXor(1))),
        request: None,
    };
    let receive = Call::Receive {
        transfer: transfer(Peer::Rank(Operand::RankXor(1))),
        request: None,
        observed: None,
    };
    let reduce = Call::Collective {
        kind: CollectiveKind::Allreduce,
        communicator: Operand::Constant(0),
        root: None,
        counts: Counts::Same(Operand::Constant(1)),
        receive_counts: None,
        datatype: 0,
        reduce_op: Some(ReduceOp::Sum),
        request: None,
    };
    let block = |id, variant| Op::Block {
        block: BlockId(id),
        variant,
    };
    let stream = vec![
        block(1, Operand::Constant(0)),
        Op::Loop {
            count: Count::Constant(75),
            body: 4,
        },
        block(0, Operand::Constant(1)),
        call(0, send),
        call(1, receive),
        call(2, reduce),
    ];
    let world = Communicator {
        parent: None,
        sequence: 0,
        group: RankSet::all(4),
    };
    ProgramData {
        provenance: provenance(),
        ranks: 4,
        table: looped_table(),
        variants: vec![
            Variant {
                block: BlockId(1),
                terms: vec![],
            },
            Variant {
                block: BlockId(0),
                terms: vec![700],
            },
        ],
        datatypes: vec![Datatype::basic(BasicDatatype::Real(8))],
        communicators: vec![
            world,
            Communicator {
                parent: None,
                sequence: 0,
                group: RankSet::default(),
            },
        ],
        classes: vec![RankClass {
            ranks: RankSet::all(4),
            stream,
        }],
        section: Some(span(70, 88)),
        assumptions: vec![Assumption {
            span: span(110, 110),
            outcome: AssumedOutcome::Trips(75),
            reason: String::new(),
            origin: AssumptionOrigin::User,
        }],
        time_dependent: vec![TimeDependentPlace {
            site: CallSiteId(1),
            reason: "the source of a wildcard receive decides a branch".into(),
        }],
        allocations: vec![Allocation {
            span: span(20, 20),
            name: "colidx".into(),
            expression: "nz * 4".into(),
        }],
        requested_memory: vec![RequestedMemory {
            ranks: RankSet::all(4),
            bytes: 12_000_000,
        }],
        slice_share: Some((120, 400)),
        ..ProgramData::default()
    }
}

fn entry(block: u32, terms: Vec<i64>, first: i64, warm: Vec<i64>) -> ComputeEntry {
    ComputeEntry {
        block: BlockId(block),
        terms,
        ranks_per_node: 1,
        threads: 1,
        feed: Feed::All,
        first: Distribution::of(vec![first]),
        warm: Distribution::of(warm),
        disturbed: u64::from(block),
        coordinates: vec![],
    }
}

fn on_rank(rank: u32, entry: ComputeEntry) -> ComputeEntry {
    ComputeEntry {
        coordinates: vec![Coordinates {
            rank,
            ranks: 4,
            indices: Vec::new(),
        }],
        ..entry
    }
}

/// Two blocks, one of them with values of two ranks.
pub fn compute() -> ComputeData {
    ComputeData {
        provenance: provenance(),
        pu: ProcessingUnit {
            model: "Example CPU".into(),
            cores: 8,
            caches: vec![32_768, 1_048_576, 33_554_432],
        },
        table: looped_table(),
        entries: vec![
            entry(1, vec![], 90_000_000_000, vec![]),
            on_rank(
                0,
                entry(
                    0,
                    vec![700],
                    52_000_000,
                    vec![40_000_000, 41_000_000, 42_000_000],
                ),
            ),
            on_rank(
                3,
                entry(0, vec![700], 53_000_000, vec![41_000_000, 41_500_000]),
            ),
        ],
        peak_memory: vec![PeakMemory {
            rank: 0,
            ranks: 4,
            bytes: 14_000_000,
        }],
        requested_memory: vec![PeakMemory {
            rank: 0,
            ranks: 4,
            bytes: 12_000_000,
        }],
        ..ComputeData::default()
    }
}

/// One model with parameters, one that is a curve, two samples, a collective and a reduction.
pub fn comm() -> CommData {
    let parameter = |name: &str, value, unit: &str| Parameter {
        name: name.into(),
        value,
        unit: unit.into(),
    };
    let point = |bytes, time| CurvePoint {
        bytes,
        time: microseconds(time),
    };
    let fit = |model: &str, parameters, curve, residual| ModelFit {
        model: model.into(),
        link: LinkClass::BetweenNodes,
        parameters,
        curve,
        covariance: vec![],
        residual,
        source: "an example".into(),
    };
    let sample = |bytes, median| CommSample {
        kind: SampleKind::PingPong,
        link: LinkClass::BetweenNodes,
        ranks: 2,
        bytes,
        delay: Time::ZERO,
        median: microseconds(median),
        minimum: microseconds(median - 2),
        spread: microseconds(3),
        repetitions: 1000,
    };
    CommData {
        provenance: provenance(),
        network: "Fast Ethernet".into(),
        mpi_library: "MPICH 4.0.2".into(),
        samples: vec![sample(100_000, 9100), sample(8, 61)],
        fits: vec![
            fit(
                "loggps",
                vec![
                    parameter("L", 40_500.0, "ns"),
                    parameter("G", 0.0868, "ns/byte"),
                ],
                vec![],
                Some(0.021),
            ),
            fit(
                "mpiete",
                vec![],
                vec![point(8, 61), point(100_000, 9100)],
                None,
            ),
        ],
        collectives: vec![CollectiveCurve {
            kind: CollectiveKind::Allreduce,
            ranks: 16,
            ranks_per_node: 1,
            points: vec![point(8, 310)],
        }],
        reduction_rates: vec![ReductionRate {
            op: ReduceOp::Sum,
            element: BasicDatatype::Real(8),
            picoseconds_per_element: 450.0,
        }],
    }
}

/// Two ranks that reduce twice; the second was slower outside MPI.
pub fn observation() -> Observation {
    let mut program = program();
    program.ranks = 2;
    program.table.call_sites = vec![site("MPI_Allreduce", "conj_grad", 171)];
    program.table.blocks = vec![block("cg", 40, 61)];
    let reduce = call(
        0,
        Call::Collective {
            kind: CollectiveKind::Allreduce,
            communicator: Operand::Constant(0),
            root: None,
            counts: Counts::Same(Operand::Constant(1)),
            receive_counts: None,
            datatype: 0,
            reduce_op: Some(ReduceOp::Sum),
            request: None,
        },
    );
    let stream = vec![
        Op::Loop {
            count: Count::Constant(2),
            body: 1,
        },
        reduce,
    ];
    program.classes = vec![RankClass {
        ranks: RankSet::all(2),
        stream,
    }];
    let rank = |host: &str, gaps: [i64; 2], durations: [i64; 2]| ObservedRank {
        host: host.into(),
        gaps: gaps.map(microseconds).into(),
        durations: durations.map(microseconds).into(),
        ..ObservedRank::default()
    };
    Observation {
        program,
        ranks: vec![
            rank("node1", [100, 100], [80, 90]),
            rank("node2", [150, 160], [30, 30]),
        ],
        missing: vec!["rank 3 left no file".into()],
        ..Observation::default()
    }
}
