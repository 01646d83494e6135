//! Error exits: which stay, which are assumed not taken.

use crate::harness::{analyse, check_kept};

/// Pitfall 2, first half: an exit on base data stays.
#[test]
fn exits_on_base_data_stay() {
    let analysed = check_kept(
        "program t
  use mpi
  integer :: ierr, np
  call mpi_init(ierr) !+
  call mpi_comm_size(mpi_comm_world, np, ierr) !+
  if (mod(np, 2) /= 0) then !+
    print *, 'odd'
    stop !+
  end if
  call mpi_finalize(ierr) !+
end program
",
    );
    assert!(analysed.analysis.slice.assumptions.is_empty());
}

/// Pitfall 2, second half: an exit on computed data is assumed not taken, and listed.
#[test]
fn exits_on_computed_data_are_assumed_not_taken() {
    let analysed = check_kept(
        "program t
  use mpi
  integer :: ierr, i, n
  real :: a(100)
  call mpi_init(ierr) !+
  n = 0
  do i = 1, 100
    a(i) = sin(real(i))
    if (a(i) > 0.5) n = n + 1
    if (n > 90) goto 999
  end do
  call mpi_finalize(ierr) !+
  stop
999 print *, 'too many'
  call mpi_abort(mpi_comm_world, 1, ierr)
end program
",
    );
    let assumptions = &analysed.analysis.slice.assumptions;
    assert_eq!(assumptions.len(), 1);
    assert_eq!(assumptions[0].1.span.first_line, 10);
    assert!(assumptions[0].1.reason.contains("computed data"), "{}", assumptions[0].1.reason);
}

/// Pitfall 3: a procedure that always stops, but after MPI_Finalize, is the normal end.
#[test]
fn the_normal_end_is_no_error_exit() {
    let analysed = check_kept(
        "program t
  use mpi
  integer :: ierr
  real :: x(10)
  call mpi_init(ierr) !+
  x(3) = 1 !+
  if (x(3) > 0) call finish !+
  call mpi_barrier(mpi_comm_world, ierr) !+
  call finish !+
end program
subroutine finish
  use mpi
  integer :: ierr
  call mpi_finalize(ierr) !+
  stop !+
end subroutine
",
    );
    assert!(analysed.analysis.slice.assumptions.is_empty());
}

/// An exit in a procedure that calls no MPI keeps the call that may not come back.
#[test]
fn exits_inside_callees_stay() {
    check_kept(
        "program t
  use mpi
  integer :: ierr, np
  call mpi_init(ierr) !+
  call mpi_comm_size(mpi_comm_world, np, ierr) !+
  call verify(np) !+
  call mpi_barrier(mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
end program
subroutine verify(n)
  integer :: n
  if (n > 64) call fail !+
end subroutine
subroutine fail
  print *, 'no'
  stop 1 !+
end subroutine
",
    );
}

/// What comes after MPI_Finalize decides nothing.
#[test]
fn exits_after_the_last_call_go() {
    let analysed = check_kept(
        "program t
  use mpi
  integer :: ierr
  real :: x(10)
  call mpi_init(ierr) !+
  x = 1
  call mpi_finalize(ierr) !+
  if (sum(x) < 3) stop 1
end program
",
    );
    assert!(analysed.analysis.slice.assumptions.is_empty());
}

/// A branch on computed data that is no error exit stays, with what it hangs on.
#[test]
fn convergence_stays() {
    let analysed = analyse(
        "program t
  use mpi
  integer :: ierr, i
  real :: a(10), s
  call mpi_init(ierr)
  a = 1
  do i = 1, 10
    a = a/2
    s = sum(a)
    if (s < 0.1) exit
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call mpi_finalize(ierr)
end program
",
    );
    assert_eq!(analysed.kept(), [5, 6, 7, 8, 9, 10, 11, 13]);
}
