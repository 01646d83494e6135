//! `measure --co-run K`: copies that run at once are ranks of a node that is so full.

use crate::command::{done, mpiete};
use base_data::compute_data::{ComputeData, ComputeEntry};
use npb_fixtures::skipped::skip;
use std::path::Path;

const PROGRAM: &str = "\
program at_once
  use mpi
  implicit none
  integer :: rank, error, i, step
  real :: x
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  x = 0
  do step = 1, 12
    do i = 1, 50 + rank
      x = x + i
    end do
    call mpi_barrier(mpi_comm_world, error)
  end do
  call mpi_finalize(error)
  if (x < 0) print *, x
end program
";

fn read(path: &Path) -> ComputeData {
    base_data::format::decode(&std::fs::read(path).unwrap()).unwrap()
}

/// Without noise copies measure what one does, only more often.
#[test]
fn concurrent_copies_are_ranks_of_a_fuller_node() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("at_once.f90"), PROGRAM).unwrap();
    let kinds = ["--kind", "program,compute", "--clock", "statements"];
    done(
        here,
        &[
            &["prepare", "at_once.f90", "--whole", "-o", "study"][..],
            &kinds,
        ]
        .concat(),
    );
    done(here, &["record", "study", "-n", "2"]);
    done(here, &["measure", "study", "-n", "2"]);
    if std::thread::available_parallelism().unwrap().get() < 2 {
        skip("two copies need two processors");
        return;
    }
    done(here, &["measure", "study", "-n", "2", "--co-run", "2"]);
    let [one, two] = ["compute-n2", "compute-n2-k2"]
        .map(|name| read(&here.join(format!("study/{name}.mpiete"))));
    let known = |e: &ComputeEntry| {
        (
            e.block,
            e.terms.clone(),
            e.first.mean,
            e.warm.mean,
            e.coordinates.clone(),
        )
    };
    assert!(
        one.entries
            .iter()
            .map(known)
            .eq(two.entries.iter().map(known))
    );
    let times = |e: &ComputeEntry| (e.ranks_per_node, e.threads, e.first.count);
    for (one, two) in one
        .entries
        .iter()
        .map(times)
        .zip(two.entries.iter().map(times))
    {
        assert_eq!(two, (2, 1, 2 * one.2));
    }
    assert!(
        two.provenance.method.starts_with("2 copies at once"),
        "{}",
        two.provenance.method
    );
    let files = ["study/compute-n2.mpiete", "study/compute-n2-k2.mpiete"];
    done(
        here,
        &[&["merge"][..], &files, &["-o", "both.mpiete"]].concat(),
    );
    assert_eq!(
        read(&here.join("both.mpiete")).entries.len(),
        one.entries.len() + two.entries.len()
    );
}

#[test]
fn more_copies_than_processing_units_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("at_once.f90"), PROGRAM).unwrap();
    done(
        here,
        &[
            "prepare",
            "at_once.f90",
            "--whole",
            "-o",
            "study",
            "--kind",
            "compute",
        ],
    );
    let answer = mpiete(here, &["measure", "study", "-n", "2", "--co-run", "4000"]);
    assert!(
        answer.code == 2 && answer.err.contains("4000 copies at once need"),
        "{}",
        answer.err
    );
    assert!(!here.join("study/compute-n2-k4000.mpiete").exists());
}
