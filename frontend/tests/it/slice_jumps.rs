//! What the slice keeps where control jumps.

use crate::harness::{analyse_with, check_kept};
use base_data::program_data::{AssumedOutcome, AssumptionOrigin};
use frontend::options::{AssumptionRequest, Options};

#[test]
fn a_jump_over_a_call_stays() {
    check_kept(
        "program t
  use mpi
  integer :: ierr, n
  real :: x
  call mpi_init(ierr) !+
  read *, n !+
  x = 1
  if (n > 3) goto 20 !+
  x = 2
  call mpi_barrier(mpi_comm_world, ierr) !+
20 continue
  x = 3
  if (n > 4) goto 30
  x = 4
30 continue
  call mpi_finalize(ierr) !+
  print *, x
end program
",
    );
}

#[test]
fn a_loop_made_of_jumps_stays() {
    check_kept(
        "program t
  use mpi
  integer :: ierr, k
  call mpi_init(ierr) !+
  k = 0 !+
10 k = k + 1 !+
  call mpi_barrier(mpi_comm_world, ierr) !+
  if (k < 5) goto 10 !+
  call mpi_finalize(ierr) !+
end program
",
    );
}

#[test]
fn returns_cycles_and_error_labels_stay_where_they_decide() {
    check_kept(
        "program t
  use mpi
  integer :: ierr, i, n
  call mpi_init(ierr) !+
  do i = 1, 9 !+
    if (mod(i, 2) == 0) cycle !+
    call work(i) !+
  end do
  read (5, *, end=99) n !+
  call mpi_barrier(mpi_comm_world, ierr) !+
99 continue
  call mpi_finalize(ierr) !+
end program
subroutine work(i)
  use mpi
  integer :: i, ierr
  if (i > 5) return !+
  call mpi_barrier(mpi_comm_world, ierr) !+
end subroutine
",
    );
}

#[test]
fn a_computed_goto_stays() {
    check_kept(
        "program t
  use mpi
  integer :: ierr, n
  real :: x
  call mpi_init(ierr) !+
  read *, n !+
  goto (10, 20), n !+
  x = 1
10 call mpi_barrier(mpi_comm_world, ierr) !+
20 continue
  call mpi_finalize(ierr) !+
end program
",
    );
}

/// What is behind a label stays though the only GOTO there is assumed not to be taken.
#[test]
fn alternate_returns_lead_to_labels() {
    let assumed = AssumptionRequest {
        file: "t.f90".into(),
        line: 7,
        outcome: AssumedOutcome::NotTaken,
        origin: AssumptionOrigin::User,
    };
    let options = Options {
        assumptions: vec![assumed],
        ..Options::default()
    };
    let analysed = analyse_with(
        "program t
  use mpi
  implicit none
  integer :: m, ierr
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, m, ierr)
  if (m > 9) goto 20
  call elsewhere(m, *20)
  goto 30
20 call mpi_barrier(mpi_comm_world, ierr)
30 call mpi_finalize(ierr)
end program
subroutine elsewhere(k, *)
  integer, intent(in) :: k
  if (k > 5) return 1
end subroutine
",
        &options,
    );
    assert!(analysed.kept().contains(&10), "{:?}", analysed.kept());
}

/// A callee that never returns hides the STOP behind its call. Two procedures that call each other once passed this on from round to
/// round, and the analysis did not end.
#[test]
fn recursion_before_an_endless_loop_is_analysed() {
    check_kept(
        "program t
  use mpi
  integer :: n, ierr
  call mpi_init(ierr) !+
  read *, n !+
  if (n > 100) call p(n) !+
  call mpi_finalize(ierr) !+
contains
  recursive subroutine p(one)
    integer :: one
    if (one > 2) call q(one) !+
    call endless() !+
    stop !+
  end subroutine
  recursive subroutine q(two)
    integer :: two
    if (two > 3) call p(two) !+
  end subroutine
  subroutine endless()
10  continue
    goto 10
  end subroutine
end program
",
    );
}
