//! What the slice knows of the components of objects: each is a place, a whole is all of them.

use crate::harness::{analyse, check_kept};

/// A program over objects that are made of objects; `BODY` stands between MPI_Init and the end.
fn with_objects(body: &str) -> String {
    format!(
        "module w
  type field
    real, allocatable :: density(:)
    integer :: cells
  end type
  type tile
    type(field) :: f
    integer :: neighbours(4)
  end type
  type chunk
    type(tile), allocatable :: tiles(:)
    real, allocatable :: buffer(:)
    integer :: left, right
  end type
  type(chunk) :: c
end module
program t
  use mpi
  use w
  integer :: ierr, i
  type(tile) :: one
  type(field) :: fields(2)
  call mpi_init(ierr) !+
{body}
end program
"
    )
}

#[test]
fn components_are_places_of_their_own() {
    check_kept(&with_objects(
        "  allocate(c%tiles(2)) !+
  allocate(c%buffer(9)) !+
  do i = 1, 2 !+
    allocate(c%tiles(i)%f%density(100))
    c%tiles(i)%f%density = i
    c%tiles(i)%f%cells = 10 !+
    c%tiles(i)%neighbours = 1
  end do
  c%left = 0 !+
  c%right = 1
  c%buffer(1:9) = c%tiles(1)%f%density(1:9)
  call mpi_send(c%buffer, c%tiles(1)%f%cells, mpi_real, c%left, 1, mpi_comm_world, ierr) !+",
    ));
}

#[test]
fn an_assignment_to_an_object_writes_its_components() {
    check_kept(&with_objects(
        "  one%neighbours = 3 !+
  one%f%cells = 7 !+
  fields(1)%cells = 8 !+
  fields(2) = fields(1) !+
  one%f = fields(2) !+
  call mpi_send(fields(1)%density, one%f%cells, mpi_real, one%neighbours(1), 1, mpi_comm_world, ierr) !+",
    ));
}

#[test]
fn a_callee_writes_the_component_of_what_it_is_passed() {
    check_kept(
        "module w
  type field
    integer :: cells, unused
  end type
  type tile
    integer :: unused
    type(field) :: f, g
  end type
contains
  subroutine fill(f, n)
    type(field) :: f
    integer :: n
    f%cells = n !+
    f%unused = n
  end subroutine
  subroutine fill_both(t)
    type(tile) :: t
    call fill(t%f, 3) !+
    call fill(t%g, t%unused)
    t%unused = 1
  end subroutine
end module
program t
  use mpi
  use w
  integer :: ierr, x(9)
  type(tile) :: a, b
  a%unused = 4
  b%unused = 4
  call fill_both(a) !+
  call fill(b%g, 2)
  b%f%unused = 1
  call mpi_bcast(x, a%f%cells, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

/// A component as a buffer may stand for what is behind it: of a datatype of the program, or of a count that
/// may be more than 1.
#[test]
fn a_message_may_reach_over_neighbouring_components() {
    for (arguments, reaches) in [
        ("p%a, 1, mpi_integer", false),
        ("p%a, 2, mpi_integer", true),
        ("p%a, 1, pair", true),
        ("p%list, 2, mpi_integer", false),
        ("p, 1, pair", true),
    ] {
        let analysed = analyse(&format!(
            "program t
  use mpi
  type params
    integer :: a, b, list(2)
  end type
  type(params) :: p
  integer :: ierr, pair, x(9)
  p%a = 1
  p%b = 2
  call mpi_bcast({arguments}, 0, mpi_comm_world, ierr)
  call mpi_bcast(x, p%b, mpi_integer, 0, mpi_comm_world, ierr)
end program
"
        ));
        assert!(analysed.kept().contains(&9));
        assert_eq!(
            analysed.levels()[0].ends_with("payload"),
            reaches,
            "{arguments}"
        );
    }
}

#[test]
fn a_pointer_into_an_object_makes_it_one_place() {
    check_kept(
        "program t
  use mpi
  type pair
    integer :: a, b
  end type
  type(pair), target :: x
  integer, pointer :: p
  integer :: ierr, d(9)
  p => x%a !+
  p = 3 !+
  x%b = 1 !+
  call mpi_bcast(d, x%a, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

/// A parent is a component of its extensions, and a CLASS may be any: such objects are one place.
#[test]
fn extended_types_are_one_place() {
    check_kept(
        "module w
  type base
    integer :: a
  end type
  type, extends(base) :: more
    integer :: b
  end type
contains
  subroutine set(x)
    class(base) :: x
    x%a = 3 !+
  end subroutine
end module
program t
  use mpi
  use w
  type(more) :: x
  integer :: ierr, d(9)
  call set(x) !+
  x%b = 1 !+
  x%base%a = 2 !+
  call mpi_bcast(d, x%a, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

/// Without an explicit interface the callee may see the storage as another type.
#[test]
fn a_dummy_of_another_type_is_all_of_the_actual() {
    check_kept(
        "subroutine set(x)
  type seen
    sequence
    integer :: b, a
  end type
  type(seen) :: x
  x%b = 3 !+
end subroutine
program t
  use mpi
  type pair
    sequence
    integer :: a, b
  end type
  type(pair) :: x
  integer :: ierr, d(9)
  x%b = 1 !+
  call set(x) !+
  call mpi_bcast(d, x%a, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

#[test]
fn recursive_components_are_merged() {
    check_kept(
        "program t
  use mpi
  type node
    integer :: n, unused
    type(node), allocatable :: next
  end type
  type(node) :: list
  integer :: ierr, d(9)
  allocate(list%next) !+
  list%next%n = 3 !+
  list%next%unused = 3
  list%n = 4
  call mpi_bcast(d, list%next%n, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}
