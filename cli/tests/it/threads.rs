//! Programs that share loops among threads by OpenMP, and such whose messages depend on the number of threads.

use crate::command::{CommandOutput, answer};
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
    let CommandOutput { code, out, err } = answer(command.envs(threads).current_dir(folder));
    assert_eq!(code, 0, "{command:?}\n{out}\n{err}");
    out
}

#[test]
fn threaded_programs_have_threaded_probes() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("shared.f90"), PROGRAM).unwrap();
    let mpiete = |arguments: &[&str]| {
        with_openmp(
            here,
            Command::new(env!("CARGO_BIN_EXE_mpiete")).args(arguments),
        );
    };
    mpiete(&["prepare", "shared.f90", "--whole", "-o", "study"]);
    mpiete(&["record", "study", "-n", "2"]);
    mpiete(&["measure", "study", "-n", "2", "--co-run", "1"]);
    let file = std::fs::read(here.join("study/compute-n2-t2.mpiete")).unwrap();
    let data: ComputeData = base_data::format::decode(&file).unwrap();
    assert!(data.entries.len() >= 3 && data.entries.iter().all(|entry| entry.threads == 2));
    with_openmp(
        here,
        Command::new("make").args(["-C", "study", "program", "compute", "reference"]),
    );
}

/// Messages and work depend on the number of threads, which is queried in all possible places. `!` starts a comment in both source forms.
const HYBRID: &str = "\
program hybrid
  use mpi
  !$ use omp_lib
  implicit none
  integer :: error, rank, step, i, inside, most, deep
  logical :: several
  real :: x(1000), total
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  inside = 1
  most = 1
  deep = 0
  several = .false.
  !$omp parallel shared(inside, &
  !$omp& several)
  !$omp single
  !$ inside = &
  !$& omp_get_num_threads()
  !$omp end single
  !$omp master
  !$ several = omp_in_parallel()
  !$ call count_threads(deep)
  !$omp end master
  !$omp end parallel
  !$ most = omp_get_max_threads() + &
  !$   omp_get_num_threads()
  x = rank
  do step = 1, inside + most + deep
    total = 0
    !$omp parallel do reduction(+: total)
    do i = 1, 100 * inside
      total = total + x(i)
    end do
    call mpi_allreduce(mpi_in_place, total, 1, mpi_real, mpi_sum, mpi_comm_world, error)
  end do
  if (several) call mpi_barrier(mpi_comm_world, error)
  call mpi_finalize(error)
  if (total < 0) print *, total
end program
subroutine count_threads(n)
  !$ use omp_lib
  implicit none
  integer :: n
  !$ n = omp_get_num_threads()
end subroutine
";

/// The same in fixed form.
const HYBRID_IN_FIXED_FORM: &str = "      program hybrid
      implicit none
      include 'mpif.h'
!$    include 'omp_lib.h'
      integer error, step, inside
      call mpi_init(error)
      inside = 1
c$omp parallel default(none)
C$OMP+ shared(inside)
c$omp critical
*$ 10 inside =
C$   &  omp_get_num_threads()
!$omp end critical
!$omp end parallel
      do step = 1, inside
        call mpi_barrier(mpi_comm_world, error)
      end do
      call mpi_finalize(error)
      end
";

/// A slice runs parallel regions as one thread, but queries return as many threads as in the program.
#[test]
fn slices_send_one_message_per_thread() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let check = |name: &str, flags: &str, study: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mpiete"));
        let ranks = if name.ends_with('f') { "1" } else { "2" };
        command.args([
            "prepare", name, "--whole", "-o", study, "--check", "-n", ranks,
        ]);
        let threads = [("FFLAGS", flags), ("OMP_NUM_THREADS", "3")];
        let CommandOutput { code, out, err } = answer(command.envs(threads).current_dir(here));
        assert_eq!(code, 0, "{name} with {flags}: {out}\n{err}");
        assert!(
            out.contains("make equal event streams"),
            "{name} with {flags}: {out}"
        );
    };
    for (name, text) in [("hybrid.f90", HYBRID), ("fixed.f", HYBRID_IN_FIXED_FORM)] {
        std::fs::write(here.join(name), text).unwrap();
        check(name, "-O1", "serial");
        check(name, "-O1 -fopenmp", "threads");
    }
    with_openmp(
        here,
        Command::new("make").args(["-C", "threads", "program"]),
    );
    let probe =
        |study: &str| std::fs::read_to_string(here.join(study).join("program/fixed.f")).unwrap();
    assert!(
        !probe("serial").contains("mpiete_parallel")
            && probe("threads").contains("mpiete_parallel")
    );
}
