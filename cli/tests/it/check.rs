//! `mpiete prepare --check` reports where slice and original differ. A slice differs only where a program breaks
//! the rules of its language, as this one does: it writes past the end of an array.

use crate::command::{done, mpiete};

const BEYOND: &str = "\
program beyond
  use mpi
  implicit none
  integer :: error, i, n, a, size
  common /shared/ a(2), n
  call mpi_init(error)
  call mpi_comm_size(mpi_comm_world, size, error)
  n = 2
  call fill(4 - modulo(size, 2))
  do i = 1, n
    call mpi_barrier(mpi_comm_world, error)
  end do
  call mpi_finalize(error)
end program
subroutine fill(last)
  implicit none
  integer :: last, i, n, a
  common /shared/ a(2), n
  do i = 1, last
    if (i /= 4) a(i) = 3
  end do
end subroutine
";

#[test]
fn difference_is_reported_with_place_and_exit_code_3() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("beyond.f90"), BEYOND).unwrap();
    for ranks in ["1", "2", "3"] {
        let answer = mpiete(
            here,
            &[
                "prepare",
                "beyond.f90",
                "-o",
                "study",
                "--check",
                "-n",
                ranks,
            ],
        );
        assert_eq!(
            answer.code, 3,
            "{ranks} ranks: {}\n{}",
            answer.out, answer.err
        );
        let place = "sliced and original program differ on rank 0 at entry";
        for word in [
            place,
            "the slice has MPI_Finalize at beyond.f90:13",
            "has MPI_Barrier at beyond.f90:11",
        ] {
            assert!(
                answer.err.contains(word),
                "{ranks} ranks: '{word}' is missing in {}",
                answer.err
            );
        }
    }
}

/// What is compared is what the user gives: ranks, input and arguments.
#[test]
fn equal_streams_are_reported_for_any_rank_count() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let inside = BEYOND.replace("a(i) = 3", "a(min(i, 2)) = 3");
    std::fs::write(here.join("inside.f90"), inside).unwrap();
    for ranks in ["1", "2", "5"] {
        let said = done(
            here,
            &[
                "prepare",
                "inside.f90",
                "-o",
                "study",
                "--check",
                "-n",
                ranks,
            ],
        );
        let expected =
            format!("sliced and original program make equal event streams on {ranks} rank");
        assert!(said.contains(&expected), "{said}");
    }
}

/// What goes from lines that other statements share, and BLOCK with what it declares.
#[test]
fn removed_constructs_keep_other_statements_of_their_lines() {
    const SOURCE: &str = "\
program parts
  use mpi
  implicit none
  integer :: error, i, j, k, n
  real :: x(10), s = 0
  call mpi_init(error)
  n = 3; do i = 1, &
    10 ! all
    x(i) = i
  end do; n = n + 1
  k = 0
10 x(1) = 1; n = n + 2
  k = k + 1
  if (k < 3) goto 10
20 do i = 1, 3; x(i) = 4
30 end do; n = n + 1
  k = k + 1
  if (k < 7) goto 20
  n = n + 1; if (n > 7) then; x(1) = 2
  else; x(1) = 3; end if; n = n + 2
  do i = 1, n
    call mpi_barrier(mpi_comm_world, error)
    do j = 1, 10
      block
        use mpi, only: mpi_wtime
        real, save :: kept = 2
        type :: pair
          real :: a, &
            b
        end type
        interface
          subroutine other(a)
            real :: a
          end subroutine
        end interface
        type(pair) :: p
        p%a = kept
        if (kept > 3) exit
        inner: block
          real :: z(n)
          z = p%a
          x(j) = s + sum(z)
        end block inner
      end block
    end do
  end do
  block; real :: w; w = s; s = w + 1; end block
  block
    real :: y
40  format (f5.1)
    y = x(1)
    s = y
  end block
  print 40, s
  call mpi_finalize(error)
end program
";
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("parts.f90"), SOURCE).unwrap();
    let said = done(
        here,
        &[
            "prepare",
            "parts.f90",
            "-o",
            "study",
            "--whole",
            "--check",
            "-n",
            "2",
        ],
    );
    assert!(
        said.contains("sliced and original program make equal event streams on 2 ranks"),
        "{said}"
    );
    let slice = std::fs::read_to_string(here.join("study/program/parts.f90")).unwrap();
    assert!(
        !slice
            .lines()
            .any(|line| line.trim_start().starts_with("block")),
        "{slice}"
    );
}
