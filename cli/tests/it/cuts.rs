//! Loops that are cut short while measuring, in programs whose ranks do not enter them alike.

use crate::program::{done, mpiete};

/// Ranks 0 and 1 enter the loop in `exchange` twice a step, the others once.
const UNEVEN: &str = "\
program uneven
  use mpi
  implicit none
  integer :: step, rank, error
  real :: sum
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  sum = 0
  do step = 1, 40
    if (rank < 2) call exchange(1 - rank)
    call exchange(3 - rank)
  end do
  call mpi_finalize(error)
  if (sum < 0) print *, sum
contains
  subroutine exchange(partner)
    integer, intent(in) :: partner
    integer :: k, status(mpi_status_size)
    real :: own, other
    do k = 1, 20
      own = k + rank
      call mpi_sendrecv(own, 1, mpi_real, partner, 0, other, 1, mpi_real, partner, 0, &
                        mpi_comm_world, status, error)
      sum = sum + other
    end do
  end subroutine
end program
";

#[test]
fn a_program_that_does_not_bear_cuts_is_measured_with_fewer() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("uneven.f90"), UNEVEN).unwrap();
    done(here, &["prepare", "uneven.f90", "-o", "study", "--clock", "statements"]);
    let measured = mpiete(here, &["measure", "study", "-n", "4"]);
    assert_eq!(measured.code, 0, "{}", measured.err);
    let told = "measuring again with loops inside others whole, since otherwise deadlock";
    assert!(measured.err.contains(told), "{}", measured.err);
    let shown = done(here, &["show", "study/compute-n4.mpiete"]);
    let words: Vec<&str> = shown.split_whitespace().collect();
    assert!(words.join(" ").contains("loops inside others whole"), "{shown}");
}
