//! Data for tests: a small estimate, written by hand. Base data, a comparison and a large estimate are
//! beside it.

pub mod base_data_files;
pub mod comparison;
pub mod large;

use base_data::block_table::{Block, BlockKey, BlockKind, BlockTable, CallSite, CallSiteKey};
use base_data::block_table::{SourceFileInfo, SourceSpan};
use base_data::comm_data::LinkClass;
use base_data::compute_data::Unit;
use base_data::estimate_file::{
    Activity, Category, Cell, ClockInterval, Estimate, IntervalSource, RankTime, Segment, Timeline,
};
use base_data::explanation::{
    CriticalPath, DelayedParty, Explanation, NetworkTime, PathItem, PathSegment, PathShare,
    Sensitivity, SensitivityPoint, Varied, WaitState,
};
use base_data::program_data::{AssumedOutcome, Assumption, AssumptionOrigin, ProgramData};
use base_data::provenance::Provenance;
use base_data::{BlockId, CallSiteId, Digest, Time};

fn microseconds(count: i64) -> Time {
    Time::from_nanoseconds(count * 1000)
}

/// Lines `first` to `last` of the first file.
pub fn span(first: u32, last: u32) -> SourceSpan {
    SourceSpan {
        first_line: first,
        last_line: last,
        ..SourceSpan::default()
    }
}

/// A compute block at these lines.
pub fn block(procedure: &str, first: u32, last: u32) -> Block {
    Block {
        key: BlockKey {
            digest: Digest(u128::from(first)),
            procedure: procedure.into(),
            ordinal: 0,
        },
        kind: BlockKind::Compute,
        span: span(first, last),
        loop_path: vec![],
        work_terms: vec![],
        data_dependent: false,
    }
}

/// A call site at this line.
pub fn site(function: &str, procedure: &str, line: u32) -> CallSite {
    let digest = Digest(u128::from(line));
    CallSite {
        key: CallSiteKey::Source {
            digest,
            procedure: procedure.into(),
            ordinal: 0,
        },
        function: function.into(),
        procedure: procedure.into(),
        span: Some(span(line, line)),
        loop_path: vec![],
    }
}

/// Two compute blocks, a send, a receive, a reduction and two clock reads of `cg.f`.
pub fn table() -> BlockTable {
    BlockTable {
        files: vec![SourceFileInfo {
            path: "cg.f".into(),
            digest: Digest(1),
        }],
        blocks: vec![block("conj_grad", 120, 134), block("cg", 40, 61)],
        call_sites: vec![
            site("MPI_Send", "conj_grad", 140),
            site("MPI_Recv", "conj_grad", 146),
            site("MPI_Allreduce", "conj_grad", 171),
            site("MPI_Wtime", "cg", 70),
            site("MPI_Wtime", "cg", 88),
        ],
        loops: vec![],
    }
}

fn split(times: [i64; 6]) -> [Time; 6] {
    times.map(microseconds)
}

fn cell(rank: u32, activity: Activity, count: u64, times: [i64; 6]) -> Cell {
    Cell {
        rank,
        activity,
        count,
        split: split(times),
    }
}

/// Two ranks, every field filled.
pub fn small_estimate() -> Estimate {
    let block = |id| Activity::Block(BlockId(id));
    let site = |id| Activity::Site(CallSiteId(id));
    let segment = |end, category, activity| Segment {
        end: microseconds(end),
        category,
        activity,
    };
    Estimate {
        provenance: provenance(),
        unit: Unit::Time,
        platform: "fast-ethernet".into(),
        model: "loggps".into(),
        ranks: 2,
        headline: microseconds(1000),
        p10: microseconds(970),
        p90: microseconds(1090),
        draws: 21,
        sources: vec![
            IntervalSource {
                name: "noise".into(),
                width: microseconds(100),
            },
            IntervalSource {
                name: "calibration".into(),
                width: microseconds(30),
            },
        ],
        extrapolated_share: 0.032,
        assumptions: vec![Assumption {
            span: span(99, 99),
            outcome: AssumedOutcome::NotTaken,
            reason: "the condition depends on 'rnorm', which is computed from bulk data".into(),
            origin: AssumptionOrigin::Proposed,
        }],
        warnings: vec!["compiler flags differ: '-O2' against '-O3'".into()],
        program: ProgramData {
            table: table(),
            ..ProgramData::default()
        },
        per_rank: vec![
            RankTime {
                begin: Time::ZERO,
                end: microseconds(980),
                split: split([700, 20, 0, 60, 0, 200]),
            },
            RankTime {
                begin: Time::ZERO,
                end: microseconds(1000),
                split: split([800, 0, 30, 0, 150, 20]),
            },
        ],
        cells: vec![
            cell(0, block(0), 75, [600, 0, 0, 0, 0, 0]),
            cell(0, block(1), 1, [100, 0, 0, 0, 0, 0]),
            cell(0, site(0), 75, [0, 20, 0, 60, 0, 0]),
            cell(0, site(2), 75, [0, 0, 0, 0, 0, 200]),
            cell(1, block(0), 75, [800, 0, 0, 0, 0, 0]),
            cell(1, site(1), 75, [0, 0, 30, 0, 150, 0]),
            cell(1, site(2), 75, [0, 0, 0, 0, 0, 20]),
        ],
        clock_intervals: vec![ClockInterval {
            from: CallSiteId(3),
            to: CallSiteId(4),
            longest: microseconds(900),
            rank_zero: microseconds(895),
        }],
        timeline: Timeline {
            resolution: microseconds(1),
            ranks: vec![
                vec![
                    segment(700, Category::Compute, None),
                    segment(780, Category::SendWait, Some(site(0))),
                    segment(980, Category::CollectiveWait, Some(site(2))),
                ],
                vec![
                    segment(800, Category::Compute, Some(block(0))),
                    segment(980, Category::ReceiveWait, Some(site(1))),
                    segment(1000, Category::CollectiveWait, Some(site(2))),
                ],
            ],
        },
        replayed_messages: 150,
        replayed_events: 452,
        explanation: explanation(),
        unsteady_blocks: vec![BlockId(0)],
    }
}

fn explanation() -> Explanation {
    let share = |item, count, time| PathShare {
        item,
        count,
        time: microseconds(time),
    };
    let message = PathItem::Message {
        send: CallSiteId(0),
        receive: CallSiteId(1),
    };
    let collective = PathItem::Message {
        send: CallSiteId(2),
        receive: CallSiteId(2),
    };
    let stay = |rank, from, to| PathSegment {
        rank,
        from: microseconds(from),
        to: microseconds(to),
    };
    let late = |late, site, other, time| WaitState {
        late,
        site: CallSiteId(site),
        other: CallSiteId(other),
        waits: 70,
        time: microseconds(time),
        longest: microseconds(time / 10),
        rank: 1,
        late_rank: 0,
    };
    Explanation {
        wait_states: vec![
            late(DelayedParty::Sender, 1, 0, 120),
            late(DelayedParty::Collective, 2, 2, 90),
        ],
        critical_path: CriticalPath {
            length: microseconds(1000),
            last_rank: 1,
            changes: 75,
            shares: vec![
                share(PathItem::Block(BlockId(0)), 75, 800),
                share(message, 40, 120),
                share(collective, 35, 70),
                share(PathItem::Call(CallSiteId(0)), 35, 10),
            ],
            segments: vec![stay(0, 0, 400), stay(1, 450, 1000)],
        },
        sensitivities: vec![latency(), faster_block()],
    }
}

fn latency() -> Sensitivity {
    let varied = Varied::Network {
        time: NetworkTime::Latency,
        link: LinkClass::BetweenNodes,
    };
    let points = [
        (0.0, 950, 50),
        (0.5, 970, 60),
        (0.75, 985, 60),
        (1.0, 1000, 60),
        (2.0, 1060, 60),
    ];
    Sensitivity {
        varied,
        slope: microseconds(60),
        straight: [0.5, 2.0],
        exact: true,
        points: sampled(&points),
    }
}

fn faster_block() -> Sensitivity {
    let points = [
        (0.1, 400, 0),
        (0.5, 610, 700),
        (1.0 / 1.2, 870, 800),
        (1.0, 1000, 800),
        (2.0, 1800, 800),
    ];
    let (varied, slope) = (Varied::Block(BlockId(0)), microseconds(800));
    Sensitivity {
        varied,
        slope,
        straight: [1.0 / 1.2, 2.0],
        exact: false,
        points: sampled(&points),
    }
}

/// Points of a function as factor, total and slope in microseconds.
fn sampled(points: &[(f64, i64, i64)]) -> Vec<SensitivityPoint> {
    let point = |&(factor, total, slope): &(f64, i64, i64)| SensitivityPoint {
        factor,
        total: microseconds(total),
        slope: microseconds(slope),
    };
    points.iter().map(point).collect()
}

/// The same in statements: what the ranks compute, and nothing of messages.
pub fn small_estimate_in_statements() -> Estimate {
    let counted = |count| Time::from_picoseconds(count);
    let compute = |time| {
        [
            time,
            Time::ZERO,
            Time::ZERO,
            Time::ZERO,
            Time::ZERO,
            Time::ZERO,
        ]
    };
    let block = |rank, id, executions, count| Cell {
        split: compute(counted(count)),
        ..cell(rank, Activity::Block(BlockId(id)), executions, [0; 6])
    };
    let cells = vec![
        block(0, 0, 75, 6_000_000),
        block(0, 1, 1, 1_000),
        block(1, 0, 75, 8_000_000),
    ];
    let of_rank = |rank: u32| -> Time {
        cells
            .iter()
            .filter(|cell| cell.rank == rank)
            .map(|cell| cell.split[0])
            .sum()
    };
    let rank_time = |rank| RankTime {
        begin: Time::ZERO,
        end: of_rank(rank),
        split: compute(of_rank(rank)),
    };
    Estimate {
        unit: Unit::Statements,
        platform: String::new(),
        model: String::new(),
        headline: counted(8_000_000),
        p10: counted(7_990_000),
        p90: counted(8_020_000),
        sources: vec![IntervalSource {
            name: "sampling".into(),
            width: counted(30_000),
        }],
        per_rank: vec![rank_time(0), rank_time(1)],
        cells,
        clock_intervals: Vec::new(),
        timeline: Timeline::default(),
        replayed_messages: 0,
        replayed_events: 151,
        explanation: explanation_in_statements(),
        unsteady_blocks: Vec::new(),
        ..small_estimate()
    }
}

/// The slowest rank is the path, and half of its block is half of the whole.
fn explanation_in_statements() -> Explanation {
    let length = Time::from_picoseconds(8_000_000);
    let half = Time::from_picoseconds(4_000_000);
    let share = PathShare {
        item: PathItem::Block(BlockId(0)),
        count: 75,
        time: length,
    };
    let point = |factor, total| SensitivityPoint {
        factor,
        total,
        slope: length,
    };
    let faster = Sensitivity {
        slope: length,
        points: vec![point(0.5, half), point(1.0, length)],
        ..faster_block()
    };
    let critical_path = CriticalPath {
        length,
        last_rank: 1,
        changes: 0,
        shares: vec![share],
        segments: Vec::new(),
    };
    Explanation {
        wait_states: Vec::new(),
        critical_path,
        sensitivities: vec![faster],
    }
}

fn provenance() -> Provenance {
    Provenance {
        tool_version: "0.1.0".into(),
        date: "2026-01-02T03:04:05Z".into(),
        program: "cg".into(),
        sources: Some(Digest(7)),
        ranks: 2,
        compiler: "GNU Fortran 12.2.0".into(),
        flags: "-O2".into(),
        ..Provenance::default()
    }
}
