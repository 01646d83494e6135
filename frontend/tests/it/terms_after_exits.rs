//! What a block asks behind a statement in which the run may end is asked at its entry only where that has an answer
//! although the program never came to it.

use crate::work_terms::{check, terms};

/// A program with a block behind a barrier, and what it calls.
fn program(block: &str) -> String {
    format!(
        "program t
  use mpi
  type box
    integer :: cells
    integer, pointer :: lent
  end type
  integer :: ierr, i, n, none, few(3) = 3
  integer(8) :: wide
  integer, allocatable :: made(:)
  type(box) :: one
  real :: x(100)
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, n, ierr)
  none = n - 1
  wide = none
  one%cells = n
  call mpi_barrier(mpi_comm_world, ierr)
{block}
  call mpi_finalize(ierr)
contains
  subroutine swept(count)
    integer, intent(in) :: count
    integer :: j
    do j = 1, count
      x(j) = x(j) + 1
    end do
  end subroutine
  subroutine guarded(count)
    integer, intent(in) :: count
    if (count < 0) stop 2
    call swept(count)
  end subroutine
  subroutine checked(number)
    integer, intent(in) :: number
    if (number == 0) call mpi_abort(mpi_comm_world, 1, ierr)
  end subroutine
  subroutine chosen(number, *)
    integer, intent(in) :: number
    if (number == 0) return 1
  end subroutine
  logical function fits(number)
    integer, intent(in) :: number
    if (number == 0) stop 3
    fits = number > 0
  end function
end program
"
    )
}

/// What ends the run where a number is 0.
const END: &str = "  if (none == 0) stop 3 !block";

/// A loop with so many iterations behind what may end the run.
fn behind(end: &str, count: &str) -> String {
    program(&format!(
        "{end}\n  do i = 1, {count}\n    x(i) = x(i) + 1\n  end do"
    ))
}

#[test]
fn non_speculatable_expression_after_an_exit_is_no_term() {
    for count in [
        "few(none)",
        "made(2)",
        "2**none",
        "one%lent",
        "mod(100_8, wide)",
        "few(2)/few(1)",
    ] {
        check(&behind(END, count), &[], true);
    }
    check(
        &behind("  x(1) = 2 !block", "few(none)"),
        &["few(none)"],
        false,
    );
}

#[test]
fn divisors_after_an_exit_are_made_speculatable() {
    for (count, term) in [
        ("100/none", "100/(none + merge(1, 0, none .eq. 0))"),
        (
            "mod(100, none)",
            "mod(100, none + merge(1, 0, none .eq. 0))",
        ),
        ("100/wide", "100/(wide + merge(1, 0, wide .eq. 0))"),
        ("few(2)/2", "few(2)/2"),
        ("none", "none"),
    ] {
        check(&behind(END, count), &[term], false);
    }
    check(
        &behind("  x(1) = 2 !block", "100/none"),
        &["100/none"],
        false,
    );
}

#[test]
fn what_is_called_may_end_the_run() {
    let term = "100/(none + merge(1, 0, none .eq. 0))";
    for end in ["call checked(none)", "if (fits(none)) one%cells = 2"] {
        let (found, _) = terms(&behind(&format!("  {end} !block"), "100/none"));
        assert_eq!(found.last().map(String::as_str), Some(term), "{end}");
    }
    let passed = |call: &str| program(&format!("  if (none == 0) stop 3 !block\n  call {call}"));
    check(&passed("swept(100/none)"), &[term], false);
    check(&passed("swept(few(none))"), &[], true);
    let in_callee = program("  call guarded(100/none) !block");
    check(&in_callee, &[term], false);
    check(&program("  call guarded(few(none)) !block"), &[], true);
}

#[test]
fn bounds_of_arrays_are_what_they_were_when_their_procedure_was_entered() {
    for (change, terms) in [("", &["100/number"][..]), ("number = 0", &[])] {
        let source = program("  call local(none)").replace(
            "contains\n",
            &format!(
                "contains
  subroutine local(number)
    integer :: number
    real :: own(100/number)
    {change}
    call mpi_barrier(mpi_comm_world, ierr)
    own = 1 !block
    call mpi_barrier(mpi_comm_world, ierr)
  end subroutine
"
            ),
        );
        check(&source, terms, !change.is_empty());
    }
}

#[test]
fn a_call_that_may_return_elsewhere_skips_what_is_behind_it() {
    let block = |count: &str| {
        program(&format!(
            "  call chosen(none, *10) !block\n  do i = 1, {count}\n    x(i) = x(i) + 1\n  end do\n10 continue"
        ))
    };
    check(
        &block("100/none"),
        &["100/(none + merge(1, 0, none .eq. 0))"],
        true,
    );
}
