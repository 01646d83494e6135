//! Programs that share loops among threads by OpenMP.

use crate::program::{Answer, answer};
use base_data::compute_data::ComputeData;
use std::path::Path;
use std::process::Command;

/// Blocks begin before directives and end behind them, and loops that the slice leaves out have some.
const PROGRAM: &str = "\
program shared
  use mpi
  implicit none
  integer :: error, rank, step, i
  real :: x(1000), total
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  x = rank
  do step = 1, 5
    !$omp parallel do
    do i = 1, 1000
      x(i) = x(i) + i
    end do
    !$omp end parallel do
    call mpi_barrier(mpi_comm_world, error)
    total = 0
    !$omp parallel &
    !$omp shared(x)
    !$omp do reduction(+: total)
    do i = 1, 1000
      total = total + x(i)
    end do
    !$omp end do
    !$omp end parallel
    call mpi_allreduce(mpi_in_place, total, 1, mpi_real, mpi_sum, mpi_comm_world, error)
  end do
  call mpi_finalize(error)
  if (total < 0) print *, total
end program
";

fn with_openmp(folder: &Path, command: &mut Command) -> String {
    let threads = [("FFLAGS", "-O1 -fopenmp"), ("OMP_NUM_THREADS", "2")];
    let Answer { code, out, err } = answer(command.envs(threads).current_dir(folder));
    assert_eq!(code, 0, "{command:?}\n{out}\n{err}");
    out
}

#[test]
fn probes_of_programs_with_threads_are_compiled_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("shared.f90"), PROGRAM).unwrap();
    let mpiete = |arguments: &[&str]| {
        with_openmp(here, Command::new(env!("CARGO_BIN_EXE_mpiete")).args(arguments));
    };
    mpiete(&["prepare", "shared.f90", "--whole", "-o", "study"]);
    mpiete(&["record", "study", "-n", "2"]);
    mpiete(&["measure", "study", "-n", "2"]);
    let file = std::fs::read(here.join("study/compute-n2.mpiete")).unwrap();
    let data: ComputeData = base_data::format::decode(&file).unwrap();
    assert!(data.entries.len() >= 3 && data.entries.iter().all(|entry| entry.threads == 2));
    with_openmp(here, Command::new("make").args(["-C", "study", "program", "compute", "reference"]));
}
