//! Uniformity of scalars that the slice computes and that determine the work of a block: they cover it only if they are
//! uniform or covered by work terms.

use crate::work_terms::{check, check_terms};

/// A program in which `hi` is made so, is computed by the slice, and decides in the loop of the marked block.
fn deciding(made: &str, procedures: &str) -> String {
    program(
        made,
        "if (i <= hi) then\n      a(i) = a(i) + 1\n      a(i) = a(i)*a(i)\n    end if",
        procedures,
    )
}

fn program(made: &str, body: &str, procedures: &str) -> String {
    format!(
        "module shared
  integer :: given, other
end module
program t
  use mpi
  use shared
  integer :: ierr, i, n, me, ranks, hi, mine, own, few(3), j, coordinates(1), status(mpi_status_size)
  real :: a(1000), time
  logical :: flag
  character(20) :: text
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  n = 1000
  hi = 0
  a = 1
{made}
  call mpi_barrier(mpi_comm_world, ierr)
  do i = 1, n !block
    {body}
  end do
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_send(a, hi + given, mpi_real, mod(me + 1, ranks), 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
contains
  subroutine nothing()
  end subroutine
{procedures}
end program
"
    )
}

const SAME: &[&str] = &[
    "  hi = 5",
    "  hi = n/ranks",
    "  read *, hi",
    "  hi = ranks\n  if (ierr /= 0) hi = 7",
    "  hi = n\n  if (me > 100) stop",
    "  call mpi_allreduce(me, hi, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)",
    "  if (me == 0) read *, hi\n  call mpi_bcast(hi, 1, mpi_integer, 0, mpi_comm_world, ierr)",
    "  call mpi_comm_dup(mpi_comm_world, own, ierr)\n  call mpi_comm_size(own, hi, ierr)",
    "  few = 0\n  call mpi_dims_create(ranks, 3, few, ierr)\n  hi = few(2)",
    "  do i = 1, ranks\n    hi = hi + i\n  end do",
];

const DIFFERENT: &[&str] = &[
    "  hi = n/ranks*me",
    "  hi = 5\n  if (me == 0) hi = 7",
    "  hi = 5\n  flag = me > 2\n  if (flag) then\n    if (n > 3) hi = 7\n  end if",
    "  do i = 1, me\n    hi = hi + 1\n  end do",
    "  do\n    hi = hi + 1\n    if (hi > me) exit\n  end do",
    "  do i = 1, 5\n    if (i > me) cycle\n    hi = i\n  end do",
    "  if (me > 2) goto 10\n  hi = 5\n10 continue",
    "  select case (me)\n  case (1)\n    hi = 3\n  end select",
    "  call mpi_comm_split(mpi_comm_world, me/2, me, own, ierr)\n  call mpi_comm_size(own, hi, ierr)",
    "  call mpi_comm_split(mpi_comm_world, me/2, me, own, ierr)\n  hi = me\n  call mpi_bcast(hi, 1, mpi_integer, 0, own, ierr)",
    "  call mpi_recv(hi, 1, mpi_integer, 0, 0, mpi_comm_world, status, ierr)",
    "  call mpi_scan(n, hi, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)",
    "  few = me\n  hi = few(1)",
    "  call mpi_dims_create(me + 1, 3, few, ierr)\n  hi = few(2)",
    "  write (text, '(i0)') me\n  read (text, *) hi",
    "  write (text, '(i0)') me\n  open (10, file=text)\n  read (10, *) hi",
    "  write (text, '(i0)') me\n  open (10, file=text)\n  do\n    read (10, *, end=10)\n    hi = hi + 1\n  end do\n10 continue",
    "  call get_environment_variable('RANK', text)\n  read (text, *) hi",
    "  call random_number(time)\n  hi = int(time*n)",
    "  hi = int(mpi_wtime())",
    "  call system_clock(hi)",
    // What all are given is written over, or made of what comes before.
    "  call mpi_bcast(hi, 1, mpi_integer, 0, mpi_comm_world, ierr)\n  if (me == 0) hi = 7",
    "  hi = me\n  call mpi_bcast(hi, n - 999, mpi_integer, 0, mpi_comm_world, ierr)",
    "  mine = me\n  hi = mine\n  call mpi_bcast(mine, 1, mpi_integer, 0, mpi_comm_world, ierr)",
    "  mine = me\n  if (mine > 2) hi = 3\n  call mpi_bcast(mine, 1, mpi_integer, 0, mpi_comm_world, ierr)",
    "  do i = 1, 2\n    hi = me\n    if (i > 1) exit\n    call mpi_bcast(hi, 1, mpi_integer, 0, mpi_comm_world, ierr)\n  end do",
    "  mine = 0\n  if (me == 0) then\n    hi = 5\n    call mpi_bcast(hi, 1, mpi_integer, 0, mpi_comm_world, ierr)\n  else\n    call mpi_bcast(mine, 1, mpi_integer, 0, mpi_comm_world, ierr)\n  end if",
];

#[test]
fn uniform_values_determine_work() {
    SAME.iter()
        .for_each(|made| check(&deciding(made, ""), &["n"], false));
}

#[test]
fn rank_varying_values_do_not_determine_work() {
    DIFFERENT
        .iter()
        .for_each(|made| check(&deciding(made, ""), &["n"], true));
}

const PROCEDURES: &str = "  subroutine put(to, what)
    integer, intent(out) :: to
    integer, intent(in) :: what
    to = what
  end subroutine
  subroutine put_at_once(to)
    integer, intent(inout) :: to
    if (me > 2) return
    to = 7
  end subroutine
  subroutine set()
    other = 7
  end subroutine
  integer function twice(what)
    integer, intent(in) :: what
    twice = 2*what
  end function
  subroutine read_given()
    if (me == 0) then
      given = 3
      read *, given
      if (given < 3) stop
    end if
  end subroutine
  subroutine give()
    call mpi_bcast(given, 1, mpi_integer, 0, mpi_comm_world, ierr)
  end subroutine
  subroutine give_some()
    if (n > 5) return
    call give()
  end subroutine";

#[test]
fn called_procedures_are_followed() {
    for (made, differs) in [
        ("  call put(hi, me)", true),
        ("  call put(hi, n)", false),
        ("  call put_at_once(hi)", true),
        ("  other = 5\n  if (me == 0) call set()\n  hi = other", true),
        ("  call set()\n  hi = other", false),
        ("  hi = twice(me)", true),
        ("  hi = twice(ranks)", false),
        ("  call read_given()\n  call give()\n  hi = given", false),
        ("  call read_given()\n  hi = given\n  call give()", true),
        (
            "  call read_given()\n  call give_some()\n  hi = given",
            true,
        ),
        ("  call give()\n  call read_given()\n  hi = given", true),
        (
            "  call read_given()\n  call give()\n  hi = given\n  if (me == 3) call read_given()",
            true,
        ),
    ] {
        check(&deciding(made, PROCEDURES), &["n"], differs);
    }
}

#[test]
fn every_way_of_deciding_is_looked_at() {
    let made = "  hi = n/ranks*me";
    for (body, differs) in [
        (
            "if (i > hi) cycle\n    a(i) = a(i) + 1\n    a(i) = a(i)*a(i)",
            true,
        ),
        (
            "if (i > hi) exit\n    a(i) = a(i) + 1\n    a(i) = a(i)*a(i)",
            true,
        ),
        ("if (mod(i, me + 1) == 0) a(i) = a(i) + sin(a(i))", true),
        (
            "if (mod(i, 6) == me .or. me == 3) a(i) = a(i) + sin(a(i))",
            true,
        ),
        ("if (mod(i, ranks) == 0) a(i) = a(i) + sin(a(i))", false),
        (
            "select case (merge(1, 0, i <= hi))\n    case (1)\n      a(i) = a(i) + sin(a(i))\n    end select",
            true,
        ),
        ("if (i <= n) a(i) = a(i) + sin(a(i))", false),
    ] {
        check(&program(made, body, ""), &["n"], differs);
    }
}

#[test]
fn rank_varying_values_may_be_covered_by_work_terms() {
    // The bound that decides is one of a loop in the block, or the condition is asked at the entry.
    let inner = "do j = 1, hi\n      if (j < hi - 3) a(j) = a(j) + sin(a(j))\n    end do";
    check(
        &program("  hi = n/ranks*me", inner, ""),
        &["n", "max(0_8, int(n, 8))*max(0_8, int(hi, 8))"],
        false,
    );
    let asked = "if (me > 2) a(i) = a(i) + sin(a(i))";
    check_terms(
        &program("", asked, ""),
        &["n", "max(0_8, int(n, 8))*merge(1_8, 0_8, me .gt. 2)"],
    );
    check(
        &program("", asked, ""),
        &["n", "max(0_8, int(n, 8))*merge(1_8, 0_8, me .gt. 2)"],
        false,
    );
}
