//! Work terms of loops and sections whose step the run determines, as round-robin distributions have.

use crate::work_terms::{check, terms};

fn program(body: &str) -> String {
    format!(
        "program t
  use mpi
  integer :: ierr, i, j, k, n, me, np, s
  integer(2) :: short, low, high
  integer(8) :: long
  real :: u(1000), x
  type grid
    integer :: by
  end type
  type(grid) :: g
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, np, ierr)
  n = 10*np
  s = me
  short = 1000_2
  low = int(-me, 2)
  high = int(me, 2)
  long = me
  g%by = np
  read *, x, u
  call mpi_barrier(mpi_comm_world, ierr)
{body}
  call mpi_finalize(ierr)
end program
subroutine every(from, step)
  integer :: from, step, k
  do k = from, 100, step
    call touch(k)
  end do
contains
  subroutine touch(k)
    integer :: k, i
    real :: v(50)
    do i = 1, 50
      v(i) = k
    end do
  end subroutine
end subroutine
subroutine perhaps(step)
  integer :: step, k, step_sum
  step_sum = 0
  if (step /= 0) then
    do k = 1, 100, step
      step_sum = step_sum + k
    end do
  end if
end subroutine
"
    )
}

/// The terms of one loop over `k`.
#[track_caller]
fn check_loop(control: &str, expected: &[&str]) {
    check(
        &program(&format!(
            "  do {control} !block\n    u(1) = u(1) + 1\n  end do"
        )),
        expected,
        false,
    );
}

#[test]
fn round_robin_loop_has_term() {
    check_loop("k = me + 1, n, np", &["(0_8 + n - (me + 1) + np)/np"]);
    check_loop("k = 1, n, np", &["(0_8 + n - 1 + np)/np"]);
    check_loop("k = np, n, np", &["(0_8 + n)/np"]);
    check_loop("k = me, me + 9, np", &["(np + 9)/np"]);
    check_loop(
        "k = n, me + 1, -np",
        &["(0_8 + (me + 1) - n + (-np))/(-np)"],
    );
    check_loop("k = 1, n, g%by", &["(0_8 + n - 1 + g%by)/g%by"]);
    check_loop(
        "k = 1, n, max(1, s)",
        &["(0_8 + n - 1 + max(1, s))/max(1, s)"],
    );
}

#[test]
fn distance_of_narrow_bounds_does_not_wrap() {
    check_loop(
        "k = low, high, short",
        &["(0_8 + high - low + short)/short"],
    );
    check_loop("k = 1, n, long", &["(0_8 + n - 1 + long)/long"]);
}

#[test]
fn loop_that_may_not_be_reached_divides_by_no_zero() {
    let inside = "    do k = 1, n, s\n      u(1) = u(1) + 1\n    end do\n";
    let expected = ["int((0_8 + n - 1 + s)/(s + merge(1, 0, s .eq. 0)), 8)"];
    let conditional = program(&format!("  if (s > 0) then !block\n{inside}  end if"));
    let (found, depends) = terms(&conditional);
    assert!(
        !depends && found.iter().any(|term| term.contains(expected[0])),
        "{found:?}"
    );
    let nested = program(&format!("  do i = 1, me !block\n{inside}  end do"));
    let (found, depends) = terms(&nested);
    assert!(
        !depends && found.iter().any(|term| term.contains(expected[0])),
        "{found:?}"
    );
    let behind = program(&format!("  if (x > 5) stop 1 !block\n{inside}"));
    let (found, _) = terms(&behind);
    assert!(found.iter().all(|term| !term.contains("/s")), "{found:?}");
}

#[test]
fn step_that_block_changes_is_followed_or_refused() {
    let body = |change: &str| {
        program(&format!(
            "  {change} !block\n  do k = 1, n, s\n    u(1) = u(1) + 1\n  end do"
        ))
    };
    check(
        &body("s = np + 1"),
        &["(0_8 + n - 1 + (np + 1))/(np + 1)"],
        false,
    );
    check(&body("if (me == 0) s = 2"), &[], true);
    let doubling = "  do j = 1, np !block
    do k = 1, n, s
      u(1) = u(1) + 1
    end do
    s = 2*s
  end do";
    check(&program(doubling), &["np"], true);
}

#[test]
fn steps_in_callees_are_in_the_words_of_the_caller() {
    check(
        &program("  call every(me + 1, np) !block"),
        &[
            "(0_8 + 100 - (me + 1) + np)/np",
            "max(0_8, int((0_8 + 100 - (me + 1) + np)/np, 8))*50_8",
        ],
        false,
    );
    check(&program("  call perhaps(0) !block"), &[], false);
}

#[test]
fn concurrent_loops_sections_and_implied_loops_have_steps() {
    let concurrent = "  do concurrent (k = me + 1:n:np) !block\n    u(k) = 1\n  end do";
    check(
        &program(concurrent),
        &["(0_8 + n - (me + 1) + np)/np"],
        false,
    );
    // The section may not be executed.
    let cyclic = ["(0_8 + n - (me + 1) + np)/(np + merge(1, 0, np .eq. 0))"];
    check(&program("  u(me + 1:n:np) = 1 !block"), &cyclic, false);
    check(
        &program("  u(1:n:s) = u(1:n:s) + 1 !block"),
        &["(0_8 + n - 1 + s)/(s + merge(1, 0, s .eq. 0))"],
        false,
    );
    let implied = "  x = sum([(sin(real(k)), k = me + 1, n, np)]) !block";
    let (found, depends) = terms(&program(implied));
    assert!(
        !depends && found[0].contains("(0_8 + n - (me + 1) + np)/"),
        "{found:?}"
    );
}

#[test]
fn step_that_is_no_integer_has_no_term() {
    let body = "  do x = 0.0, 1.0, u(1) !block\n    u(2) = u(2) + 1\n  end do";
    check(&program(body), &[], true);
}
