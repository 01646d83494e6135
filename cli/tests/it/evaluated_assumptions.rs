//! Conditions with functions that call MPI, of which something is assumed: they are evaluated as often as the original
//! does, and in the same cases; what is assumed stands in place of what they answer.

use crate::command::mpiete;

/// `norm` and `large` sum over all ranks; `met` counts their calls, and is how much the last broadcast sends.
const BEFORE: &str = "module trips
  use mpi
  implicit none
  integer :: met = 0, ierr
contains
  real function norm(v)
    real, intent(in) :: v(:)
    met = met + 1
    call mpi_allreduce(sum(abs(v)), norm, 1, mpi_real, mpi_sum, mpi_comm_world, ierr)
  end function
  logical function large(v, than)
    real, intent(in) :: v(:), than
    real :: most
    met = met + 2
    call mpi_allreduce(maxval(v), most, 1, mpi_real, mpi_max, mpi_comm_world, ierr)
    large = most > than
  end function
end module
program trial
  use trips
  real :: a(100)
  integer :: i, k
  call mpi_init(ierr)
";

const AFTER: &str = "  call mpi_bcast(a, met, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
";

/// Repetitions and branches, and what holds of the condition that has the mark.
const BODIES: [(&str, &str); 14] = [
    ("do while (norm(a) > 1) !?\n a = a/2\nend do\n", "trips=8"),
    (
        "do\n a = a/2\n if (norm(a) < 1) exit !?\nend do\n",
        "trips=8",
    ),
    (
        "do i = 1, 5\n a = a/2\n if (norm(a) < 1) exit !?\nend do\n",
        "not-taken",
    ),
    (
        "do i = 1, 50\n if (.not. large(a, 0.01)) exit !?\n a = a/2\nend do\n",
        "trips=8",
    ),
    ("10 a = a/2\nif (norm(a) > 1) goto 10 !?\n", "trips=8"),
    (
        "k = 0\ndo while (k < 4 .and. norm(a) > 1) !?\n a = a/2\n k = k + 1\nend do\n",
        "trips=4",
    ),
    (
        "k = 0\ndo while (norm(a) > 1 .and. k < 4) !?\n a = a/2\n k = k + 1\nend do\n",
        "trips=4",
    ),
    (
        "do while (large(a, 0.01) .and. norm(a) > 9) !?\n a = a/2\nend do\n",
        "trips=5",
    ),
    (
        "do k = 1, 3\n if (k == 2) then\n  a = a/2\n else if (norm(a)*k < 1) then !?\n  a = 7\n end if\nend do\n",
        "not-taken",
    ),
    ("do while (norm(a) > 1e9) !?\n a = a/2\nend do\n", "trips=0"),
    (
        "outer: do i = 1, 40\n a = a/2\n do k = 1, 3\n  if (norm(a) < 1) exit outer !?\n end do\nend do outer\n",
        "trips=22",
    ),
    (
        "if (norm(a) > 1) call mpi_barrier(mpi_comm_world, ierr) !?\n",
        "taken",
    ),
    ("if (norm(a(1:2)) > 1e9) stop 3 !?\na = a/2\n", "not-taken"),
    (
        "do k = 1, 2\n a = 1\n do while (norm(a) > norm(a(:50))) !?\n  a(51:) = 0\n end do\nend do\n",
        "trips=1",
    ),
];

#[test]
fn communicating_conditions_are_evaluated_but_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let (mut text, mut assumed) = (BEFORE.to_string(), Vec::new());
    for (body, outcome) in BODIES {
        text += "a = 1\n";
        let line =
            text.lines().count() + 1 + body[..body.find("!?").unwrap()].matches('\n').count();
        assumed.push(format!("t.f90:{line}={outcome}"));
        text += body;
    }
    std::fs::write(folder.path().join("t.f90"), text + AFTER).unwrap();
    let mut words = vec!["prepare", "t.f90", "-o", "study", "--check", "-n", "2"];
    words.extend(assumed.iter().flat_map(|one| ["--assume", one]));
    let answer = mpiete(folder.path(), &words);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("equal event streams"), "{}", answer.out);
    let written = std::fs::read_to_string(folder.path().join("study/program/t.f90")).unwrap();
    assert_eq!(
        written.matches("mpiete_assumed_value(logical").count(),
        BODIES.len(),
        "{written}"
    );
}
