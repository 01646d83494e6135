//! What the slice keeps of effects that no statement spells: INTENT(OUT), FINAL, functions that answer
//! pointers, input and output that a type defines.

use crate::harness::check_kept;

const RESET: &str = "module w
  type box
    integer :: v = 1
  end type
contains
  subroutine reset(x)
    ATTRIBUTES :: x
  end subroutine
end module
program t
  use mpi
  use w
  integer :: ierr, b(9)
  DECLARED :: z
  MAKE !+
  call reset(z) !+
  call mpi_bcast(b, VALUE, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
";

#[test]
fn what_intent_out_resets_is_written() {
    let cases = [
        ("type(box), intent(out)", "type(box)", "z%v = 30", "z%v"),
        ("class(box), intent( out )", "type(box)", "z%v = 30", "z%v"),
        (
            "integer, allocatable, intent(out)",
            "integer, allocatable",
            "allocate(z)",
            "merge(3, 4, allocated(z))",
        ),
    ];
    for (attributes, declared, make, value) in cases {
        let source = RESET
            .replace("ATTRIBUTES", attributes)
            .replace("DECLARED", declared);
        check_kept(&source.replace("MAKE", make).replace("VALUE", value));
    }
}

#[test]
fn what_a_function_points_at_can_be_assigned_to() {
    check_kept(
        "module w
  integer, target :: n = 2
contains
  function place(i) result(p)
    integer :: i
    integer, pointer :: p
    p => n !+
  end function
end module
program t
  use mpi
  use w
  integer :: ierr, b(9)
  place(1) = 31 !+
  call mpi_bcast(b, n, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

const FINAL: &str = "module w
  integer :: n = 1
  type box
    integer :: v = 2
  contains
    final :: ended
  end type
contains
  subroutine ended(x)
    type(box), intent(inout) :: x
    n = n + 1 !+
  end subroutine
  subroutine out(x)
    type(box), intent(out) :: x
  end subroutine
  subroutine local
    type(box) :: z
    z%v = 1 !+
  end subroutine
end module
program t
  use mpi
  use w
  type(box), pointer :: z
  integer :: ierr, b(9)
  allocate(z)ALSO
  WHAT !+
  call mpi_bcast(b, n, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
";

#[test]
fn final_procedures_run_where_objects_end() {
    let cases = [
        ("call local", ""),
        ("deallocate(z)", " !+"),
        ("call out(z)", " !+"),
        ("z = box(4)", " !+"),
    ];
    for (what, also) in cases {
        check_kept(&FINAL.replace("WHAT", what).replace("ALSO", also));
    }
}

const TRANSFER: &str = "module w
  integer :: n = 1
  type box
    integer :: v = 2
  BOUND
  end type
  FREE
contains
  subroutine put(x, unit, kind, list, status, message)
    class(box), intent(in) :: x
    integer, intent(in) :: unit, list(:)
    character(*), intent(in) :: kind
    integer, intent(out) :: status
    character(*), intent(inout) :: message
    n = n + 1 !+
  end subroutine
end module
program t
  use mpi
  use w
  type(box) :: z
  integer :: ierr, b(9)
  print *, z !+
  call mpi_bcast(b, n, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
";

#[test]
fn a_type_that_says_how_it_is_written_is_written_by_its_procedure() {
    let bound = "contains\n    procedure :: put\n    generic :: write(formatted) => put";
    let free = "interface write(formatted)\n    module procedure put\n  end interface";
    for (bound, free) in [(bound, ""), ("", free)] {
        check_kept(&TRANSFER.replace("BOUND", bound).replace("FREE", free));
    }
}
