//! Data for tests: a small estimate, written by hand. Base data, a comparison and a large estimate are
//! beside it.

pub mod base_data_files;
pub mod comparison;
pub mod large;

use base_data::block_table::{Block, BlockKey, BlockKind, BlockTable, CallSite, CallSiteKey};
use base_data::block_table::{SourceFileInfo, SourceSpan};
use base_data::compute_data::Unit;
use base_data::estimate_file::{
    Activity, Category, Cell, ClockInterval, Estimate, IntervalSource, RankTime, Segment, Timeline,
};
use base_data::explanation::Explanation;
use base_data::program_data::{AssumedOutcome, Assumption, AssumptionOrigin, ProgramData};
use base_data::provenance::Provenance;
use base_data::{BlockId, CallSiteId, Digest, Time};

fn microseconds(count: i64) -> Time {
    Time::from_nanoseconds(count * 1000)
}

/// Lines `first` to `last` of the first file.
pub fn span(first: u32, last: u32) -> SourceSpan {
    SourceSpan { first_line: first, last_line: last, ..SourceSpan::default() }
}

/// A compute block at these lines.
pub fn block(procedure: &str, first: u32, last: u32) -> Block {
    Block {
        key: BlockKey { digest: Digest(u128::from(first)), procedure: procedure.into(), ordinal: 0 },
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
        key: CallSiteKey::Source { digest, procedure: procedure.into(), ordinal: 0 },
        function: function.into(),
        procedure: procedure.into(),
        span: Some(span(line, line)),
        loop_path: vec![],
    }
}

/// Two compute blocks, a send, a receive, a reduction and two clock reads of `cg.f`.
pub fn table() -> BlockTable {
    BlockTable {
        files: vec![SourceFileInfo { path: "cg.f".into(), digest: Digest(1) }],
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
    Cell { rank, activity, count, split: split(times) }
}

/// Two ranks, every field filled.
pub fn small_estimate() -> Estimate {
    let block = |id| Activity::Block(BlockId(id));
    let site = |id| Activity::Site(CallSiteId(id));
    let segment = |end, category, activity| Segment { end: microseconds(end), category, activity };
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
            IntervalSource { name: "noise".into(), width: microseconds(100) },
            IntervalSource { name: "calibration".into(), width: microseconds(30) },
        ],
        extrapolated_share: 0.032,
        assumptions: vec![Assumption {
            span: span(99, 99),
            outcome: AssumedOutcome::NotTaken,
            reason: "the condition hangs on 'rnorm', which is computed from bulk data".into(),
            origin: AssumptionOrigin::Proposed,
        }],
        warnings: vec!["compiler flags differ: '-O2' against '-O3'".into()],
        program: ProgramData { table: table(), ..ProgramData::default() },
        per_rank: vec![
            RankTime { begin: Time::ZERO, end: microseconds(980), split: split([700, 20, 0, 60, 0, 200]) },
            RankTime { begin: Time::ZERO, end: microseconds(1000), split: split([800, 0, 30, 0, 150, 20]) },
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
        explanation: Explanation::default(),
    }
}

/// The same in statements: what the ranks compute, and nothing of messages.
pub fn small_estimate_in_statements() -> Estimate {
    let counted = |count| Time::from_picoseconds(count);
    let compute = |time| [time, Time::ZERO, Time::ZERO, Time::ZERO, Time::ZERO, Time::ZERO];
    let block = |rank, id, executions, count| Cell {
        split: compute(counted(count)),
        ..cell(rank, Activity::Block(BlockId(id)), executions, [0; 6])
    };
    let cells = vec![block(0, 0, 75, 6_000_000), block(0, 1, 1, 1_000), block(1, 0, 75, 8_000_000)];
    let of_rank =
        |rank: u32| -> Time { cells.iter().filter(|cell| cell.rank == rank).map(|cell| cell.split[0]).sum() };
    let rank_time = |rank| RankTime { begin: Time::ZERO, end: of_rank(rank), split: compute(of_rank(rank)) };
    Estimate {
        unit: Unit::Statements,
        platform: String::new(),
        model: String::new(),
        headline: counted(8_000_000),
        p10: counted(7_990_000),
        p90: counted(8_020_000),
        sources: vec![IntervalSource { name: "sampling".into(), width: counted(30_000) }],
        per_rank: vec![rank_time(0), rank_time(1)],
        cells,
        clock_intervals: Vec::new(),
        timeline: Timeline::default(),
        replayed_messages: 0,
        replayed_events: 151,
        ..small_estimate()
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
