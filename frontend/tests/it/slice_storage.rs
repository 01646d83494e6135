//! What the slice knows of storage: COMMON, SAVE, aliased actual arguments, recursion.

use crate::harness::{analyse, check_kept};

#[test]
fn common_is_known_by_storage() {
    check_kept(
        "program t
  use mpi
  integer :: ierr
  integer :: a, b, c
  common /blk/ a, b, c
  call mpi_init(ierr) !+
  call fill !+
  call mpi_bcast(a, b, mpi_integer, 0, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
end program
subroutine fill
  integer :: x, y, z
  common /blk/ x, y, z
  x = 1
  y = 2 !+
  z = 3
end subroutine
",
    );
}

#[test]
fn common_of_unlike_layout_is_one_place() {
    let analysed = analyse(
        "program t
  use mpi
  integer :: ierr
  integer :: a, b
  common /blk/ a, b
  call mpi_init(ierr)
  call fill
  call mpi_bcast(a, b, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
subroutine fill
  double precision :: x
  common /blk/ x
  x = 1
end subroutine
",
    );
    assert!(analysed.kept().contains(&14));
}

#[test]
fn saved_values_of_earlier_calls_stay() {
    check_kept(
        "program t
  use mpi
  integer :: ierr, i, n
  call mpi_init(ierr) !+
  do i = 1, 3 !+
    call next(n) !+
  end do
  call mpi_bcast(n, n, mpi_integer, 0, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
end program
subroutine next(n)
  integer :: n
  integer, save :: k = 0
  k = k + 1 !+
  n = k !+
end subroutine
",
    );
}

#[test]
fn aliased_actuals_are_not_distinguished() {
    check_kept(
        "program t
  use mpi
  integer :: ierr, q
  call mpi_init(ierr) !+
  q = 1 !+
  call f(q, q) !+
  call mpi_bcast(q, q, mpi_integer, 0, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
end program
subroutine f(a, b)
  integer :: a, b
  b = 7 !+
  a = a + 1 !+
end subroutine
",
    );
}

#[test]
fn recursion_ends() {
    check_kept(
        "program t
  use mpi
  integer :: ierr, n
  call mpi_init(ierr) !+
  n = 3 !+
  call down(n) !+
  call mpi_finalize(ierr) !+
end program
recursive subroutine down(n)
  use mpi
  integer :: n, ierr
  call mpi_barrier(mpi_comm_world, ierr) !+
  if (n > 0) call down(n - 1) !+
end subroutine
",
    );
}
