//! Compute data used for other numbers of ranks, where work depends on data: it is unknown which rank has much work, and the
//! interval says so.

use crate::command::done;
use crate::iteration_dependent_work::{PREPARE, read};
use crate::workflow::command;
use base_data::estimate_file::Estimate;
use base_data::observation::Observation;

/// Most is to be done where a bump has come to.
const STENCIL: &str = "\
program stencil
  use mpi
  implicit none
  integer, parameter :: total = 4800
  integer :: rank, ranks, error, step, i, n, first, k, status(mpi_status_size)
  real(8), allocatable :: u(:), v(:)
  real(8) :: s
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  n = total/ranks
  first = rank*n
  allocate(u(0:n + 1), v(n))
  do i = 1, n
    u(i) = exp(-((first + i - total*0.3d0)/(0.05d0*total))**2)
  end do
  u(0) = 0
  u(n + 1) = 0
  s = 0
  do step = 1, 10
    call mpi_sendrecv(u(n), 1, mpi_double_precision, modulo(rank + 1, ranks), 1, u(0), 1, mpi_double_precision, &
                      modulo(rank - 1, ranks), 1, mpi_comm_world, status, error)
    do i = 1, n
      v(i) = 0.5d0*(u(i) + u(i - 1))
    end do
    call mpi_barrier(mpi_comm_world, error)
    do i = 1, n
      k = int(20*v(i))
      do while (k > 0)
        s = s + k*v(i)
        k = k - 1
      end do
      u(i) = v(i)
    end do
  end do
  call mpi_finalize(error)
  if (s < 0) print *, s
end program
";

/// Most is to be done in one place, always.
const UNEVEN: &str = "\
program uneven
  use mpi
  implicit none
  integer, parameter :: total = 4800
  integer :: rank, ranks, error, step, i, n, first
  real(8), allocatable :: u(:)
  real(8) :: s, x
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  n = total/ranks
  first = rank*n
  allocate(u(n))
  do i = 1, n
    u(i) = 1 + 40d0*exp(-((first + i - total*0.3d0)/(0.05d0*total))**2)
  end do
  s = 0
  do step = 1, 10
    call mpi_barrier(mpi_comm_world, error)
    do i = 1, n
      x = u(i)
      do while (x > 1)
        x = x - 1
        s = s + x
      end do
    end do
  end do
  call mpi_finalize(error)
  if (s < 0) print *, s
end program
";

fn check(source: &str, measured: &[&str], used: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("reuse.f90"), source).unwrap();
    done(
        here,
        &command(
            "prepare",
            &["reuse.f90".into()],
            &[&PREPARE[..], &["4"]].concat(),
        ),
    );
    for ranks in measured {
        done(here, &["record", "study", "-n", ranks]);
        done(here, &["measure", "study", "-n", ranks, "--co-run", "1"]);
    }
    for ranks in used {
        done(here, &["record", "study", "-n", ranks]);
        done(
            here,
            &["estimate", "study", "-n", ranks, "-o", "estimate.mpiete"],
        );
        let program = [
            "observe",
            "-o",
            "observed.mpiete",
            "study/observed/mpiete/probe",
        ];
        done(
            here,
            &[
                &["run", "-n", ranks, env!("CARGO_BIN_EXE_mpiete")][..],
                &program,
            ]
            .concat(),
        );
        let (estimate, observed): (Estimate, Observation) = (
            read(&here.join("estimate.mpiete")),
            read(&here.join("observed.mpiete")),
        );
        let counted = observed
            .ranks
            .iter()
            .map(|rank| rank.whole())
            .max()
            .expect("ranks");
        let (low, high) = (estimate.p10, estimate.p90);
        assert!(
            low < counted && counted < high,
            "{measured:?}, {ranks}: {low:?} {counted:?} {high:?}"
        );
        let is_reported = |warning: &String| warning.contains("their share of the data differs");
        assert!(
            estimate.warnings.iter().any(is_reported),
            "{:?}",
            estimate.warnings
        );
    }
}

#[test]
fn data_dependent_work_of_other_rank_counts_is_in_the_interval() {
    for source in [STENCIL, UNEVEN] {
        check(source, &["4"], &["8", "16"]);
        check(source, &["2", "4"], &["8", "16"]);
    }
}
