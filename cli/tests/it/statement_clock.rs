//! The clock that counts statements: counts are those made by hand, and what blocks, variants, cuts and
//! rates predict is what the whole program counts, whichever MPI library it runs under.

use crate::command::{answer, done};
use crate::workflow::{command, project};
use base_data::compute_data::{ComputeData, Unit};
use base_data::estimate_file::{Activity, Category, Estimate};
use base_data::observation::Observation;
use base_data::program_data::Op;
use base_data::stream::entries;
use base_data::{BlockId, Rank};
use npb_fixtures::skipped::skip;
use npb_fixtures::{CG, EP, LU, ProblemClass};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const BY_HAND: &str = "\
program by_hand
  use mpi
  implicit none
  integer :: rank, error, i, n
  real :: x
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  n = 10 + rank
  x = 0
  do i = 1, n
    if (mod(i, 2) == 0) cycle
    x = x + i
  end do
  call mpi_barrier(mpi_comm_world, error)
  if (rank == 0) then
    x = x * 2
  end if
  call mpi_finalize(error)
  if (x < 0) print *, x
end program
";

/// Of the first block on a rank: two assignments and the DO; per iteration the iteration itself, the IF, and
/// CYCLE or the assignment.
fn first_block(rank: i64) -> i64 {
    3 + 3 * (10 + rank)
}

/// After `MPI_Init`: three calls of MPI, the first block, and the IF with what rank 0 does in it.
fn all(rank: i64) -> i64 {
    3 + first_block(rank) + 1 + i64::from(rank == 0)
}

const PREPARE: [&str; 8] = [
    "--whole",
    "-o",
    "study",
    "--kind",
    "program,compute,observed",
    "--clock",
    "statements",
    "--check",
];

fn read<T: base_data::format::FileContent>(path: &Path) -> T {
    base_data::format::decode(&std::fs::read(path).unwrap()).unwrap()
}

/// The observed probe under the token runtime.
fn observed(here: &Path, ranks: &str) -> Observation {
    let program = [
        "observe",
        "-o",
        "observed.mpiete",
        "study/observed/mpiete/probe",
    ];
    let mpiete = env!("CARGO_BIN_EXE_mpiete");
    done(
        here,
        &[&["run", "-n", ranks, mpiete][..], &program].concat(),
    );
    read(&here.join("observed.mpiete"))
}

#[test]
fn statement_counts_equal_hand_counts() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("by_hand.f90"), BY_HAND).unwrap();
    done(
        here,
        &command(
            "prepare",
            &["by_hand.f90".into()],
            &[&PREPARE[..], &["-n", "2"]].concat(),
        ),
    );
    done(here, &["measure", "study", "-n", "2"]);
    let measured: ComputeData = read(&here.join("study/compute-n2.mpiete"));
    assert_eq!(measured.unit, Unit::Statements);
    for rank in 0..2 {
        let entry = measured
            .entries
            .iter()
            .find(|entry| entry.terms == [10 + rank])
            .unwrap();
        assert_eq!(entry.first.mean, first_block(rank) as f64);
    }
    let counted = observed(here, "2");
    let counts: Vec<i64> = counted
        .ranks
        .iter()
        .map(|rank| rank.whole().picoseconds())
        .collect();
    assert_eq!(
        (counted.unit, counts),
        (Unit::Statements, vec![all(0), all(1)])
    );
    done(here, &["record", "study", "-n", "2"]);
    let text = done(here, &["estimate", "study", "-n", "2"]);
    assert!(text.contains("predicted statements"), "{text}");
}

type Blocks = BTreeMap<BlockId, f64>;

/// Statements of each block of a rank, as counted.
fn counted_blocks(observation: &Observation, rank: u32) -> Blocks {
    let mut blocks = Blocks::new();
    let times = &observation.ranks[rank as usize];
    for (op, time) in entries(&observation.program, Rank(rank)).zip(&times.durations) {
        if let Op::Block { block, .. } = op {
            *blocks.entry(*block).or_default() += time.picoseconds() as f64;
        }
    }
    blocks
}

/// The same as predicted.
fn predicted_blocks(estimate: &Estimate, rank: u32) -> Blocks {
    let of_rank = estimate.cells.iter().filter(|cell| cell.rank == rank);
    let block = |cell: &base_data::estimate_file::Cell| match cell.activity {
        Activity::Block(block) => Some((
            block,
            cell.split[Category::Compute.index()].picoseconds() as f64,
        )),
        Activity::Site(_) => None,
    };
    of_rank.filter_map(block).collect()
}

/// Each rank's blocks are predicted to the statement, but for the few that ask which rank they are; and
/// every statement is in a block, those of the structure in their own.
#[test]
fn predicted_statements_equal_counted_ones() {
    for (kernel, tried) in [(&EP, &["4"][..]), (&CG, &["1", "4", "16"]), (&LU, &["4"])] {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        done(
            here,
            &command("prepare", &project(kernel, ProblemClass::S), &PREPARE),
        );
        for ranks in tried {
            done(here, &["record", "study", "-n", ranks]);
            done(here, &["measure", "study", "-n", ranks]);
            done(here, &["estimate", "study", "-n", ranks]);
            let estimate = read(&here.join(format!("study/estimate-n{ranks}.mpiete")));
            check(&estimate, &observed(here, ranks));
        }
    }
}

/// Tolerance of the prediction, as a share of a rank's statements.
const OFF: f64 = 1e-5;

fn check(estimate: &Estimate, observation: &Observation) {
    for rank in 0..estimate.ranks {
        let (predicted, counted) = (
            predicted_blocks(estimate, rank),
            counted_blocks(observation, rank),
        );
        assert!(predicted.keys().eq(counted.keys()));
        let whole = observation.ranks[rank as usize].whole().picoseconds() as f64;
        let in_blocks: f64 = counted.values().sum();
        assert_eq!(
            in_blocks, whole,
            "rank {rank}: statements beside all blocks"
        );
        for (block, count) in &counted {
            let error = (predicted[block] - count).abs();
            assert!(
                error < OFF * whole,
                "rank {rank}, block {block}: {} for {count}",
                predicted[block]
            );
        }
    }
}

/// A real MPI library counts the same.
#[test]
fn counts_are_equal_under_every_mpi_library() {
    let compiler = "mpif90.mpich";
    if Command::new(compiler).arg("-show").output().is_err() {
        skip(&format!(
            "there is no {compiler}; install mpich and gfortran"
        ));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    done(
        here,
        &command("prepare", &project(&CG, ProblemClass::S), &PREPARE),
    );
    let ours = observed(here, "2");
    let mut make = Command::new("make");
    make.args(["-C", "study", "observed", &format!("MPIFC={compiler}")])
        .current_dir(here);
    let made = answer(make.env_remove("MAKEFLAGS").env_remove("MAKELEVEL"));
    assert_eq!(made.code, 0, "{}", made.err);
    let mut run = Command::new("mpirun.mpich");
    run.args([
        "-n",
        "2",
        env!("CARGO_BIN_EXE_mpiete"),
        "observe",
        "-o",
        "real.mpiete",
    ]);
    let ran = answer(run.arg("study/observed/probe").current_dir(here));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let real: Observation = read(&here.join("real.mpiete"));
    let wholes = |observation: &Observation| {
        observation
            .ranks
            .iter()
            .map(|rank| rank.whole())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (real.unit, wholes(&real)),
        (Unit::Statements, wholes(&ours))
    );
}
