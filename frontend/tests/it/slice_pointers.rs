//! What a slice keeps for the sake of procedure pointers in objects, of pointers that point from the start, and
//! of assignments inside objects. Bindings are in `slice_objects`.

use crate::harness::check_kept;

#[test]
fn a_component_without_pass_is_called_without_its_object() {
    check_kept(
        "module w
  type box
    procedure(set), pointer, nopass :: p => null()
  end type
contains
  subroutine set(k)
    integer :: k
    k = 7 !+
  end subroutine
end module
program t
  use mpi
  use w
  type(box) :: b
  integer :: ierr, x(9), m
  b%p => set !+
  call b%p(m) !+
  call mpi_bcast(x, m, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

#[test]
fn an_object_is_passed_as_the_dummy_that_is_named() {
    check_kept(
        "module w
  type box
    integer :: n
    procedure(set), pointer, pass(self) :: p => null()
  end type
  abstract interface
    subroutine set(k, l, self)
      import box
      integer :: k, l
      class(box) :: self
    end subroutine
  end interface
contains
  subroutine own(a, b, c)
    integer :: a, b
    class(box) :: c
    a = 4
    c%n = b !+
  end subroutine
end module
program t
  use mpi
  use w
  type(box) :: o
  integer :: ierr, x(9), m, j
  m = 3 !+
  o%p => own !+
  call o%p(l=m, k=j) !+
  call mpi_bcast(x, o%n, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

#[test]
fn keywords_of_a_procedure_pointer_are_those_of_its_interface() {
    check_kept(
        "module w
contains
  subroutine own(a, b)
    integer :: a, b
    a = b !+
  end subroutine
end module
program t
  use mpi
  use w
  procedure(own), pointer :: p
  integer :: ierr, x(9), m, n
  p => own !+
  n = 3 !+
  call p(b=n, a=m) !+
  call mpi_bcast(x, m, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

#[test]
fn a_procedure_that_is_pointed_at_from_the_start_counts() {
    check_kept(
        "module v
contains
  subroutine set(k)
    integer :: k
    k = 9 !+
  end subroutine
end module
module w
  use v
  procedure(set), pointer :: p => set
end module
program t
  use mpi
  use w
  integer :: ierr, x(9), m
  call p(m) !+
  call mpi_bcast(x, m, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

#[test]
fn a_variable_that_is_pointed_at_from_the_start_is_the_pointer() {
    check_kept(
        "module w
  integer, target :: other = 4
  type box
    integer, pointer :: inner => other
  end type
end module
program t
  use mpi
  use w
  integer, target, save :: n = 4, k = 4
  integer, pointer :: p => n, q => k
  type(box) :: b
  integer :: ierr, x(9)
  p = 8 !+
  q = 8
  b%inner = 3 !+
  call mpi_bcast(x, n + other, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

#[test]
fn the_assignment_of_an_object_calls_those_of_its_components() {
    check_kept(
        "module w
  type part
    integer :: v = 1
  contains
    procedure :: take
    generic :: assignment(=) => take
  end type
  type whole
    type(part) :: x
    integer :: n
  end type
  integer :: calls = 0
contains
  subroutine take(a, b)
    class(part), intent(out) :: a
    class(part), intent(in) :: b
    a%v = b%v + 10 !+
    calls = calls + 5 !+
  end subroutine
end module
program t
  use mpi
  use w
  type(whole) :: a, b
  integer :: ierr, x(9)
  a = b !+
  call mpi_bcast(x, calls, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

/// Where a pointer points, not what is there.
#[test]
fn pointing_reads_no_values() {
    check_kept(
        "program t
  use mpi
  real, pointer :: p(:), q(:)
  real, target :: a(9)
  integer :: ierr, i
  a = 3
  i = 4 !+
  q => a(i:) !+
  p => q !+
  p = 2
  call mpi_bcast(a, size(p), mpi_real, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

/// What is read through a pointer depends on where it points.
#[test]
fn pointing_decides_what_is_read() {
    check_kept(
        "module lists
  type item
    integer :: n
    type(item), pointer :: next => null()
  end type
end module
program t
  use mpi
  use lists
  type(item), target :: one, two
  type(item), pointer :: at
  real :: x(9)
  integer :: ierr
  two%n = 3 !+
  one%next => two !+
  at => one !+
  at => at%next !+
  call mpi_bcast(x, at%n, mpi_real, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

/// What a pointer in an expression aims at is read where the expression is passed, though the dummy is not read.
#[test]
fn pointer_in_unread_actual_is_associated() {
    for (declared, made, set, actual) in [
        ("integer, pointer :: p", "p => k", "k = 5", "n + p"),
        ("integer, pointer :: p", "p => k", "k = 5", "(p)"),
        ("integer, pointer :: p", "p => k", "k = 5", "-p"),
        (
            "integer, allocatable :: p",
            "allocate(p)",
            "p = 5 !+",
            "n + p",
        ),
        (
            "integer, allocatable :: p(:)",
            "allocate(p(3))",
            "p = 5",
            "n + p",
        ),
    ] {
        check_kept(&format!(
            "program t
  use mpi
  integer, target :: k
  integer :: n, ierr
  {declared}
  call mpi_init(ierr) !+
  {made} !+
  {set}
  n = 3
  call sub({actual}) !+
  call mpi_finalize(ierr) !+
contains
  subroutine sub(m)
    integer :: m(*)
    call mpi_barrier(mpi_comm_world, ierr) !+
  end subroutine
end program
"
        ));
    }
}

/// The same for sent data that nothing depends on.
#[test]
fn what_is_sent_is_evaluated() {
    for (needed, sent) in [
        ("", "n * 2 + k"),
        ("n = 3 !+\n  k = 5 !+", "n / k"),
        ("n = 3 !+\n  k = 5 !+", "n ** k"),
        ("p => k !+", "n + p"),
        ("n = 3 !+", "a(n) + k"),
        ("n = 3 !+", "sum(a(1:n))"),
        ("", "sum(a)"),
    ] {
        let others = match needed {
            "" | "p => k !+" => "n = 3\n  k = 5",
            "n = 3 !+" => "k = 5",
            _ => "",
        };
        check_kept(&format!(
            "program t
  use mpi
  integer, target :: k
  integer, pointer :: p
  integer :: n, m, ierr, a(9)
  call mpi_init(ierr) !+
  a = 2
  {others}
  {needed}
  call mpi_allreduce({sent}, m, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
end program
"
        ));
    }
}
