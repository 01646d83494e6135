//! `prepare`, `record` and `predict` print the share that the slice keeps and, above 30 %, the change that would remove most of it.

use crate::command::mpiete;

const PROGRAM: &str = "\
program t
  use mpi
  implicit none
  integer :: error, i
  real(8) :: u(100)
  call mpi_init(error)
  u = 1
  do i = 1, 100
    u(i) = u(i)*2 + i
  end do
  do i = 2, 100
    u(i) = u(i)*2 + u(i - 1)
  end do
  if (u(1) > 0) call mpi_barrier(mpi_comm_world, error)
  call mpi_finalize(error)
end program
";

#[test]
fn share_cause_and_change_are_printed_by_each_command() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("t.f90"), PROGRAM).unwrap();
    let predict = "predict t.f90 -n 2 --platform fast-ethernet -o p";
    for command in ["prepare t.f90 -o s", "record s -n 2", predict] {
        let words: Vec<&str> = command.split(' ').collect();
        let answer = mpiete(here, &words);
        assert_eq!(answer.code, 0, "{}", answer.err);
        for part in [
            "the slice keeps 9 of 9 statements (100.0 %)",
            "mostly for the decision at t.f90:14: without it about 4 of 9 (44.4 %)",
            "--assume t.f90:14=taken or not-taken",
        ] {
            let err = &answer.err;
            assert!(
                err.contains(part),
                "{command}: '{part}' is missing in {err}"
            );
        }
    }
}
