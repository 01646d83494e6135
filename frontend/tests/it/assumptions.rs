//! Error exits: which stay, which are assumed not taken.

use crate::harness::{analyse, analyse_with, check_kept};
use frontend::options::{Options, Proposals};

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
    assert!(
        assumptions[0].1.reason.contains("computed data"),
        "{}",
        assumptions[0].1.reason
    );
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

/// A branch on computed data that is no error exit stays, with what it depends on.
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

/// Each condition of an IF is assumed by itself: one ends the loop, the other the run.
#[test]
fn each_condition_of_an_if_is_assumed_by_itself() {
    let source = "program t
  use mpi
  integer :: ierr, i
  real(8) :: a(200), s
  call mpi_init(ierr)
  a = 1
10 continue
  do i = 2, 199
    a(i) = 0.97d0 * a(i)
  end do
  call mpi_allreduce(a(5), s, 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
  if (s < 1d-3) then
    goto 20
  else if (s > 1d9) then
    print *, 'bad'
    stop 4
  end if
  goto 10
20 continue
  call mpi_finalize(ierr)
end program
";
    let options = Options {
        proposals: Proposals::All,
        ..Options::default()
    };
    let analysed = analyse_with(source, &options);
    let lines = analysed
        .analysis
        .slice
        .assumptions
        .iter()
        .map(|one| one.1.span.first_line);
    assert_eq!(lines.collect::<Vec<_>>(), [12, 14]);
    assert_eq!(analysed.kept(), [5, 11, 12, 13, 18, 20]);
}

/// An error exit may have an ELSE, and be one of several; those on base data stay.
#[test]
fn error_exits_may_stand_among_other_branches() {
    let analysed = check_kept(
        "program t
  use mpi
  integer :: ierr, i, np
  real(8) :: a(200)
  call mpi_init(ierr) !+
  call mpi_comm_size(mpi_comm_world, np, ierr) !+
  do i = 1, 200
    a(i) = sqrt(real(i))
  end do
  if (np > 64) then !+
    print *, 'too many'
    stop 1 !+
  else if (sum(a) > 1d9) then
    stop 2
  else if (np > 2) then
    call mpi_barrier(mpi_comm_world, ierr) !+
  else
    call mpi_bcast(a, np, mpi_double_precision, 0, mpi_comm_world, ierr) !+
  end if
  if (a(7) > 9) then !+
    stop 3
  else
    call mpi_barrier(mpi_comm_world, ierr) !+
  end if
  call mpi_finalize(ierr) !+
end program
",
    );
    let lines = analysed
        .analysis
        .slice
        .assumptions
        .iter()
        .map(|one| one.1.span.first_line);
    assert_eq!(lines.collect::<Vec<_>>(), [13, 20]);
}

/// An error exit may ask a function, and end MPI in an orderly way; what ends the run where nothing else does, or
/// after its last messages, is no error exit.
#[test]
fn error_exits_may_ask_functions_and_finalize() {
    let source = "program t
  use mpi
  integer :: ierr, i
  real(8) :: a(200), s
  call mpi_init(ierr)
  do i = 1, 200
    a(i) = sqrt(real(i))
  end do
  call mpi_allreduce(a(5), s, 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
  if (bad(s)) call die(13)
  if (s > 1d9) then
    print *, 'too much'
    call mpi_finalize(ierr)
    stop
  else if (s > 1d8) then
    call quit
  end if
  do
    call mpi_barrier(mpi_comm_world, ierr)
    if (a(3) > s) then
      call mpi_finalize(ierr)
      stop
    end if
    a(3) = a(3) + a(2)
    if (a(3) > 1d30) call quit
    i = i + 1
    if (i > 300) exit
  end do
  call mpi_finalize(ierr)
  stop
contains
  logical function bad(v)
    real(8) :: v
    bad = v > 1d20 .or. v /= v
  end function
  subroutine die(code)
    integer :: code
    call mpi_abort(mpi_comm_world, code, ierr)
  end subroutine
  subroutine quit
    call mpi_finalize(ierr)
    stop
  end subroutine
end program
";
    let error_exits = |source: &str| {
        let options = Options {
            proposals: Proposals::All,
            ..Options::default()
        };
        let analysed = analyse_with(source, &options);
        let all = analysed.analysis.slice.assumptions.iter();
        let exits = all.filter(|one| one.1.reason.contains("an error exit"));
        exits.map(|one| one.1.span.first_line).collect::<Vec<_>>()
    };
    // What also ends a loop may be how the program is meant to end: tests of convergence.
    assert_eq!(error_exits(source), [10, 11, 15]);
    assert!(error_exits(&source.replace("    if (i > 300) exit\n", "")).is_empty());
    let talking = source.replace(
        "    print *, 'too much'",
        "    call mpi_barrier(mpi_comm_world, ierr)",
    );
    assert!(!error_exits(&talking).contains(&11));
}

#[test]
fn the_way_to_a_block_that_begins_with_an_error_exit_stays() {
    let source = "program p
use mpi
real :: x(8)
integer :: size, ierr
call mpi_init(ierr)
call z
call mpi_finalize(ierr)
contains
subroutine z
call mpi_comm_size(mpi_comm_world, size, ierr)
do i = 1, 8
x(i) = sqrt(real(i))
end do
call mpi_barrier(mpi_comm_world, ierr)
if (size > 1) then
if (x(3) > 1e30) stop 'diverged'
if (size > 2) return
end if
end subroutine
end program
";
    let analysed = crate::harness::analyse(source);
    assert!(analysed.kept().contains(&15), "{:?}", analysed.kept());
}
