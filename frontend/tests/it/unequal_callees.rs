//! Blocks that call one of several procedures, of which one executes much more.

use crate::harness::analyse;

/// Of a call that may be of a procedure with `light` in it or of one with `heavy`: whether it matters which.
#[track_caller]
fn check(light: &str, heavy: &str, unequal: bool) {
    let procedure = |name: &str, body: &str| {
        format!(
            "  subroutine {name}(s)
    real, intent(inout) :: s
    integer :: i
{body}
  end subroutine
"
        )
    };
    let (first, second) = (procedure("first", light), procedure("second", heavy));
    let source = format!(
        "module works
  abstract interface
    subroutine worker(s)
      real, intent(inout) :: s
    end subroutine
  end interface
contains
{first}{second}end module
program t
  use mpi
  use works
  procedure(worker), pointer :: one
  integer :: ierr, me
  real :: s
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  one => first
  if (me == 5) one => second
  s = 0
  call mpi_barrier(mpi_comm_world, ierr)
  call one(s)
  call mpi_finalize(ierr)
  print *, s
end program
"
    );
    let found = analyse(&source).analysis.unequal_callees.len();
    assert_eq!(found, usize::from(unequal), "{light}\n{heavy}");
}

#[test]
fn unequal_callees_depend_on_the_selector() {
    let long = "do i = 1, 100\n s = s + 1\n end do";
    check("s = s + 1", long, true);
    check(long, "", true);
    check(long, long, false);
    check("s = s + 1", "s = s + 2", false);
}
