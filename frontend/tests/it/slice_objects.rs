//! What the slice keeps where storage has several names (pointers, copies of objects), where the callee is
//! not known from the call, and where names hold only inside a construct.

use crate::harness::{analyse, check_kept};

#[test]
fn what_is_written_through_a_pointer_is_written() {
    check_kept(
        "program t !
  use mpi
  integer, target :: n, m
  integer, pointer :: p
  integer :: ierr, x(9)
  n = 1 !+
  m = 2
  p => n !+
  p = 3 !+
  x = 4
  call mpi_bcast(x, n, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

#[test]
fn a_dummy_that_is_pointed_at_is_its_actual() {
    check_kept(
        "module w
  integer, pointer :: p
contains
  subroutine point(x)
    integer, target :: x
    p => x !+
  end subroutine
end module
program t
  use mpi
  use w
  integer, target :: n
  integer :: ierr, x(9), k
  n = 1 !+
  k = 7
  call point(n) !+
  p = 3 !+
  call mpi_bcast(x, n, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

#[test]
fn a_copy_of_an_object_points_where_the_object_does() {
    check_kept(
        "module w
  type box
    integer, pointer :: inner
  end type
end module
program t
  use mpi
  use w
  integer, target :: n
  type(box) :: a, b
  integer :: ierr, x(9)
  n = 1 !+
  a%inner => n !+
  b = a !+
  b%inner = 3 !+
  call mpi_bcast(x, n, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

#[test]
fn every_procedure_that_may_be_bound_counts() {
    check_kept(
        "module w
  type base
    integer :: n
  contains
    procedure :: size => size_base
  end type
  type, extends(base) :: more
  contains
    procedure :: size => size_more
  end type
contains
  integer function size_base(this)
    class(base) :: this
    size_base = this%n !+
  end function
  integer function size_more(this)
    class(more) :: this
    integer :: unused
    unused = 4
    size_more = this%n + 1 !+
  end function
end module
program t
  use mpi
  use w
  class(base), allocatable :: o
  integer :: ierr, x(9), k
  allocate(more :: o) !+
  o%n = 2 !+
  k = o%size() !+
  call mpi_bcast(x, k, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

#[test]
fn what_a_procedure_pointer_may_be_stays() {
    check_kept(
        "module w
contains
  subroutine one(k)
    integer :: k
    k = 1 !+
  end subroutine
  subroutine two(k)
    integer :: k
    k = 2
  end subroutine
end module
program t
  use mpi
  use w
  procedure(one), pointer :: p
  integer :: ierr, x(9), k, j
  p => one !+
  call p(k) !+
  call two(j)
  call mpi_bcast(x, k, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

#[test]
fn an_assignment_that_allocates_stays_with_what_needs_it() {
    check_kept(
        "program t
  use mpi
  integer, allocatable :: n(:)
  integer :: ierr, x(9)
  n = [1, 2] !+
  n(1) = 3 !+
  call mpi_bcast(x, n(1), mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

#[test]
fn what_associate_names_is_evaluated_where_it_begins() {
    check_kept(
        "program t
  use mpi
  integer :: ierr, x(9), i, n(9), k
  n(2) = 4 !+
  i = 2 !+
  k = 1
  associate (m => n(i), unused => k) !+
    i = 3 !+
    call mpi_bcast(x, m, mpi_integer, 0, mpi_comm_world, ierr) !+
  end associate
  associate (z => x(1))
    z = 2
  end associate
end program
"
        .replace("unused => k", "q => 3")
        .as_str(),
    );
}

#[test]
fn bounds_in_a_block_are_evaluated_where_it_begins() {
    check_kept(
        "program t
  use mpi
  integer :: ierr, n
  n = 4 !+
  block !+
    integer :: x(n)
    x = 3
    n = 5
    call mpi_bcast(x, 1, mpi_integer, 0, mpi_comm_world, ierr) !+
  end block
end program
",
    );
}

#[test]
fn procedures_with_several_ways_in_are_kept_whole() {
    check_kept(
        "subroutine s(a, b)
  integer :: a, b
  a = b !+
  return !+
  entry t(c, b) !+
  c = b !+
  b = 1 !+
end subroutine
program p
  use mpi
  integer :: ierr, x(9), k, n
  n = 2 !+
  call t(k, n) !+
  call mpi_bcast(x, k, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

#[test]
fn a_communicator_is_followed_through_objects_and_wrappers() {
    let analysed = analyse(
        "module w
  use mpi_f08
  type grid
    type(mpi_comm) :: comm
    integer :: rank
    real, allocatable :: field(:)
  end type
contains
  type(mpi_comm) function comm_of(g)
    type(grid) :: g
    comm_of = g%comm
  end function
  subroutine set_up(g, colour)
    type(grid) :: g
    integer :: colour
    call mpi_comm_split(mpi_comm_world, colour, 0, g%comm)
    call mpi_comm_rank(g%comm, g%rank)
  end subroutine
end module
program t
  use w, only: grid, set_up, comm_of
  use mpi_f08, only: reduce => mpi_allreduce, mpi_init, mpi_finalize, mpi_sum, mpi_integer, here => mpi_comm_world
  type(grid) :: g
  integer :: a, b, colour, useless
  call mpi_init()
  colour = 3
  useless = 3
  call set_up(g, colour)
  call reduce(a, b, 1, mpi_integer, mpi_sum, comm_of(g))
  call reduce(a, b, 1, mpi_integer, mpi_sum, here)
  call mpi_finalize()
end program
",
    );
    assert_eq!(analysed.remarks(), "");
    let kept = analysed.kept();
    let is_kept = |text: &str| {
        let line = analysed
            .lines
            .iter()
            .position(|line| line.contains(text))
            .unwrap()
            + 1;
        kept.contains(&line)
    };
    assert!(is_kept("comm_of = g%comm") && is_kept("colour = 3") && !is_kept("useless = 3"));
    let reductions = analysed
        .analysis
        .sites
        .iter()
        .filter(|site| site.function.name == "MPI_Allreduce");
    assert_eq!(reductions.count(), 2);
}

#[test]
fn sizes_depend_on_existence() {
    check_kept(
        "program t
  use mpi
  integer, allocatable :: a(:)
  integer :: ierr, x(9)
  allocate (a(3)) !+
  a = [7, 7] !+
  a(2) = 8
  call mpi_bcast(x, size(a), mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

#[test]
fn mpi_in_a_parallel_region_is_remarked() {
    let analysed = analyse(
        "program t
  use mpi
  integer :: ierr
  !$omp parallel do
  do ierr = 1, 2
  end do
  !$omp parallel
  !$omp master
  call mpi_barrier(mpi_comm_world, ierr)
  !$omp end master
  !$omp end parallel
end program
",
    );
    assert!(
        analysed
            .remarks()
            .contains("inside an OpenMP parallel region"),
        "{}",
        analysed.remarks()
    );
}

#[test]
fn a_final_procedure_that_calls_mpi_is_refused() {
    let analysed = analyse(
        "module w
  use mpi
  type box
    integer :: comm
  contains
    final :: gone
  end type
contains
  subroutine gone(this)
    type(box) :: this
    integer :: ierr
    call mpi_comm_free(this%comm, ierr)
  end subroutine
end module
program t
  use w
  type(box) :: b
  b%comm = 1
end program
",
    );
    assert!(
        analysed.remarks().contains("gone is FINAL and calls MPI"),
        "{}",
        analysed.remarks()
    );
}
