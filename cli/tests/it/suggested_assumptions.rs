//! What `prepare --check` advises where what is proposed does not hold: followed, slice and original are equal.

use crate::command::mpiete;

/// Loops that a test ends before their other bound does: a GOTO out of two of them, and selections. Names of intrinsic
/// functions may be the program's own.
const OWN: &str = "program own
  use mpi
  implicit none
  integer :: ierr, i, j, k, OWN_NAMES
  real(8) :: r(64), s
  call mpi_init(ierr)
  do k = 1, 2
    r = 1
    do i = 1, 20
      do j = 1, 5
        r = r*0.9d0
        s = sum(r)
        call mpi_allreduce(mpi_in_place, s, 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
        if (s < 1) goto 20
      end do
      call mpi_barrier(mpi_comm_world, ierr)
    end do
20  continue
  end do
  do i = 1, 20
    r = r*0.5d0
    goto (30, 40), 1 + count((/ sum(r) < 1d-3 /))
30  call mpi_barrier(mpi_comm_world, ierr)
  end do
40 do i = 1, 20
    r = r*0.5d0
    if (sum(r) - 1d-5) 60, 60, 50
50  call mpi_barrier(mpi_comm_world, ierr)
  end do
60 do i = 1, 20
    r = r*0.5d0
    select case (sum(r) < 1d-7)
    case (.true.)
      exit
    end select
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call mpi_finalize(ierr)
end program
";

#[test]
fn suggested_assumptions_hold() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for names in ["logical", "logical, merge, int, real"] {
        std::fs::write(here.join("own.f90"), OWN.replace("OWN_NAMES", names)).unwrap();
        let check = ["prepare", "own.f90", "-o", "study", "--check", "-n", "2"];
        let refused = mpiete(here, &check);
        let advised: Vec<&str> = refused
            .err
            .lines()
            .filter_map(|line| line.split("--assume ").nth(1))
            .collect();
        let expected = [
            "own.f90:14=trips=47",
            "own.f90:22=trips=9",
            "own.f90:27=trips=7",
            "own.f90:33=trips=7",
        ];
        assert_eq!(
            (refused.code, &advised[..]),
            (3, &expected[..]),
            "{}",
            refused.err
        );
        let assumed: Vec<&str> = advised.iter().flat_map(|one| ["--assume", *one]).collect();
        let followed = mpiete(here, &[&check[..], &assumed].concat());
        assert!(
            followed.code == 0 && followed.out.contains("equal event streams"),
            "{}",
            followed.err
        );
    }
}
