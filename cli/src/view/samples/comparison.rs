//! An estimate and a run of the same small program, written by hand, and what comparing them gives.

use super::microseconds;
use base_data::estimate_file::{Activity, Cell, Estimate};
use base_data::observation::{Observation, ObservedRank, ProcessorTime, Stretch};
use base_data::program_data::ProgramData;
use base_data::{BlockId, CallSiteId, Time, program_text};
use estimator::comparison::{Both, ComparedFile, Comparison, Content, compare};

const TABLES: &str = "mpiete program text 1\nranks 2\nprovenance program cg\nfile 0 cg.f\n\
     block 0 compute cg.f:120-134 in conj_grad digest 1\nblock 1 compute cg.f:150-165 in conj_grad digest 2\n\
     site 0 MPI_Init cg.f:40 in cg digest 3\nsite 1 MPI_Sendrecv cg.f:140 in conj_grad digest 4\n\
     site 2 MPI_Allreduce cg.f:171 in conj_grad digest 5\nsite 3 MPI_Finalize cg.f:90 in cg digest 6\n\
     class 0-1\n";

fn program(blocks: bool, count: u32) -> ProgramData {
    let block = |number: u32| {
        if blocks {
            format!("block {number}\n")
        } else {
            String::new()
        }
    };
    let transfer = |way: &str| format!("{way}peer=rank^1 count={count} type=real8");
    let stream = format!(
        "init site=0\nloop 3\n{}send-receive {} {} site=1\n{}allreduce site=2 count=1 type=real8 op=sum\nend\n\
         finalize site=3\n",
        block(0),
        transfer(""),
        transfer("receive "),
        block(1),
    );
    program_text::read(&format!("{TABLES}{stream}")).unwrap()
}

/// Both blocks take 100 us each time, calls 10 us; rank 1 waits for rank 0.
pub fn predicted() -> Estimate {
    let cell = |rank, activity, time| Cell {
        rank,
        activity,
        count: 3,
        split: [
            microseconds(time),
            Time::ZERO,
            Time::ZERO,
            Time::ZERO,
            Time::ZERO,
            Time::ZERO,
        ],
    };
    let of_rank = |(rank, waits): (u32, i64)| {
        let (block, site) = (
            |id| Activity::Block(BlockId(id)),
            |id| Activity::Site(CallSiteId(id)),
        );
        [
            cell(rank, block(0), 300),
            cell(rank, block(1), 300),
            cell(rank, site(1), 30),
            cell(rank, site(2), 30 + waits),
        ]
    };
    let mut program = program(true, 700);
    (program.provenance.compiler, program.provenance.flags) = ("GNU Fortran".into(), "-O2".into());
    Estimate {
        program,
        platform: "lab".into(),
        ranks: 2,
        headline: microseconds(662),
        p10: microseconds(640),
        p90: microseconds(680),
        draws: 21,
        cells: [(0, 0), (1, 5)].into_iter().flat_map(of_rank).collect(),
        ..Estimate::default()
    }
}

/// The same without block marks: the second block is slower, one gap was interrupted.
pub fn observed() -> Observation {
    let rank = |second: i64| ObservedRank {
        host: "node1".into(),
        gaps: [0, 100, second, 100, second, 150, second, 4]
            .map(microseconds)
            .into(),
        durations: [2500, 10, 11, 10, 11, 10, 11, 40].map(microseconds).into(),
        processor: vec![ProcessorTime {
            entry: 5,
            stretch: Stretch::Gap,
            time: microseconds(100),
        }],
        ..ObservedRank::default()
    };
    let mut program = program(false, 700);
    (program.provenance.compiler, program.provenance.flags) = ("GNU Fortran".into(), "-O3".into());
    Observation {
        program,
        ranks: vec![rank(121), rank(119)],
        ..Observation::default()
    }
}

/// The run as if it had sent other messages.
pub fn other_messages() -> Observation {
    let mut run = observed();
    run.program.classes = program(false, 701).classes;
    run
}

/// The prediction beside a run.
pub fn compared(run: &Observation) -> Comparison {
    let prediction = predicted();
    let a = ComparedFile {
        name: "estimate-n2.mpiete",
        content: Content::Estimate(&prediction),
    };
    let b = ComparedFile {
        name: "run.mpiete",
        content: Content::Observation(run),
    };
    compare(Both { a, b }, None).unwrap()
}
