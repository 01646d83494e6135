//! Dummies that are one variable with others: what is written as one is read as another while the procedure runs.

use crate::harness::check_kept;

/// The same with each way to call `p`, in which `one` decides.
#[track_caller]
fn check(call: &str, declared: &str, body: &str) {
    check_kept(&format!(
        "program t
  use mpi
  integer :: c, v, ierr
  common /shared/ c
  call mpi_init(ierr) !+
{call}
  call mpi_finalize(ierr) !+
end program
subroutine p(one, two)
  use mpi
  integer :: one, two, x, ierr{declared}
{body}
  call mpi_bcast(x, one, mpi_integer, 0, mpi_comm_world, ierr) !+
end subroutine
"
    ));
}

#[test]
fn what_is_written_as_another_dummy_is_read() {
    check("  call p(v, v) !+", "", "  one = 4 !+\n  two = 9 !+");
    check("  call p(v, c) !+", "", "  one = 4 !+\n  two = 9");
}

#[test]
fn what_is_written_in_common_is_read_as_a_dummy() {
    let common = "\n  common /shared/ c";
    check("  call p(c, v) !+", common, "  one = 4 !+\n  c = 9 !+");
    check("  call p(v, c) !+", common, "  one = 4 !+\n  c = 9");
    check("  call p(c, v) !+", common, "  c = 9 !+");
}

/// Who passes on what is one, passes it on as one.
#[test]
fn dummies_that_are_one_are_passed_on_as_one() {
    let source = |call: &str, mark: &str| {
        format!(
            "program t
  use mpi
  integer :: v, w, ierr
  call mpi_init(ierr) !+
  call outer({call}) !+
  call mpi_finalize(ierr) !+
end program
subroutine outer(one, two)
  integer :: one, two
  call inner(one, two) !+
end subroutine
subroutine inner(one, two)
  use mpi
  integer :: one, two, x, ierr
  one = 4 !+
  two = 9{mark}
  call mpi_bcast(x, one, mpi_integer, 0, mpi_comm_world, ierr) !+
end subroutine
"
        )
    };
    check_kept(&source("v, v", " !+"));
    check_kept(&source("v, w", ""));
}

/// The definition of a dummy may lead back to itself through the calls of both procedures; the slicer once followed it for ever.
#[test]
fn mutually_recursive_procedures_define_dummies_of_each_other() {
    check_kept(
        "program t
  use mpi
  integer :: n, x, ierr
  call mpi_init(ierr) !+
  n = 7 !+
  call p(n) !+
  call mpi_bcast(x, n, mpi_integer, 0, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
contains
  recursive subroutine p(one)
    integer, intent(inout) :: one
    if (one > 2) then !+
      one = one - 1 !+
      call q(one) !+
    end if
  end subroutine
  recursive subroutine q(two)
    integer, intent(inout) :: two
    if (two > 2) then !+
      two = two - 2 !+
      call p(two) !+
    end if
  end subroutine
end program
",
    );
}
