//! Datatypes of addresses, used with MPI_BOTTOM: what is recorded of them does not depend on where memory lies.

use crate::command::done;
use tempfile::TempDir;

/// A program that calls `one`, which follows.
const PROGRAM: &str = "\
program addresses
  use mpi
  implicit none
  integer :: error, rank
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call one(rank)
  call mpi_finalize(error)
end program
";

/// Arrays of which the slice drops one, on the stack, on the heap and static.
const ABSOLUTE: &str = "\
subroutine one(rank)
  use mpi
  implicit none
  integer :: error, rank, a, lengths(3), made, kinds(3), i
  integer(mpi_address_kind) :: at(3)
  real(8) :: left_out(50)
  real(8), allocatable :: heap(:), dropped(:)
  integer, save :: fixed = 4
  a = rank
  left_out = a
  allocate (dropped(100000), heap(10))
  dropped = left_out(3)
  heap = dropped(1)
  call mpi_get_address(a, at(1), error)
  call mpi_get_address(heap, at(2), error)
  call mpi_get_address(fixed, at(3), error)
  lengths = [1, 10, 1]
  kinds = [mpi_integer, mpi_double_precision, mpi_integer]
  call mpi_type_create_struct(3, lengths, at, kinds, made, error)
  call mpi_type_commit(made, error)
  call mpi_bcast(mpi_bottom, 1, made, 0, mpi_comm_world, error)
  do i = 1, fixed
    call mpi_barrier(mpi_comm_world, error)
  end do
  call mpi_type_free(made, error)
end subroutine
";

/// Displacements from one variable to another, of which the checks for subscripts move one.
const RELATIVE: &str = "\
subroutine one(rank)
  use mpi
  implicit none
  integer :: error, rank, made, few(7), i
  integer(mpi_address_kind) :: at(2)
  real :: a(50), b(50)
  do i = 1, 50
    b(i) = rank + i
    a(i) = b(51 - i) + i
  end do
  if (a(7) > 1000) print *, a, b
  call mpi_get_address(few, at(1), error)
  call mpi_get_address(a, at(2), error)
  at = at - at(1)
  call mpi_type_create_struct(2, [2, 5], at, [mpi_integer, mpi_real], made, error)
  call mpi_type_commit(made, error)
  call mpi_bcast(few, 1, made, 0, mpi_comm_world, error)
  call mpi_type_free(made, error)
end subroutine
";

/// A study of the program with that procedure, of which the slice has been compared with the original.
#[track_caller]
fn study(one: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("addresses.f90"), format!("{PROGRAM}{one}")).unwrap();
    let said = done(
        here,
        &[
            "prepare",
            "addresses.f90",
            "-o",
            "study",
            "--whole",
            "--check",
            "-n",
            "2",
        ],
    );
    assert!(said.contains("equal event streams on 2 ranks"), "{said}");
    folder
}

#[test]
fn displacements_depend_on_the_compiler() {
    study(RELATIVE);
}

#[test]
fn slices_and_recordings_agree() {
    let folder = study(ABSOLUTE);
    let here = folder.path();
    let stream = |file: &str| {
        done(here, &["record", "study", "-n", "3", "-o", file]);
        let shown = done(here, &["show", "--format", "stream", file]);
        shown
            .lines()
            .filter(|line| !line.starts_with("provenance"))
            .map(String::from)
            .collect::<Vec<_>>()
    };
    let first = stream("first.mpiete");
    assert_eq!(first, stream("second.mpiete"));
    let datatype = first
        .iter()
        .find(|line| line.contains("real8"))
        .expect("a datatype");
    assert!(datatype.ends_with("extent 88"), "{datatype}");
    assert_eq!(
        first
            .iter()
            .filter(|line| line.starts_with("class"))
            .count(),
        1,
        "{first:#?}"
    );
}
