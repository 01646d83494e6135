//! Which bound of a loop is proposed where a test of computed values may end it: that of a count, if it has one.

use crate::harness::analyse_with;
use frontend::options::{Options, Proposals};

/// A solver that iterates; its test is marked `!test`.
fn program(iterations: &str, beside: &str) -> String {
    format!(
        "program t
  use mpi
  integer :: ierr, it, most, n
  real :: x(1000), r, part
  logical :: flag
  call mpi_init(ierr)
  call mpi_comm_size(mpi_comm_world, most, ierr)
  flag = most > 2
  x = 1
  it = 0
{iterations}
  call mpi_finalize(ierr)
contains
  subroutine step()
    integer :: q
    do q = 1, 1000
      x(q) = x(q)*0.5
    end do
    part = sum(x)
    {beside}
    call mpi_allreduce(part, r, 1, mpi_real, mpi_sum, mpi_comm_world, ierr)
  end subroutine
end program
"
    )
}

/// Whether it is proposed that the loop of the marked test runs to another bound; otherwise how often is a guess.
#[track_caller]
fn runs_to_a_bound(source: &str) -> bool {
    let line = source
        .lines()
        .position(|line| line.contains("!test"))
        .expect("a mark") as u32
        + 1;
    let analysed = analyse_with(
        source,
        &Options {
            proposals: Proposals::All,
            ..Options::default()
        },
    );
    let all = &analysed.analysis.slice.assumptions;
    let reason = match &all[..] {
        [(_, one)] if one.span.first_line == line => &one.reason,
        _ => panic!("{all:?}\n{source}"),
    };
    let (bounded, guessed) = (reason.contains("upper bound"), reason.contains("a guess"));
    assert!(bounded != guessed, "{reason}");
    bounded
}

#[test]
fn a_count_beside_a_test_is_its_loops_bound() {
    for iterations in [
        "do\n it = it + 1\n call step()\n if (r < 1) exit !test\n if (it >= most) exit\n end do",
        "do\n it = 2 + it\n if (most < it) exit\n call step()\n if (r < 1) exit !test\n end do",
        "do\n it = it + 1\n call step()\n if (r < 1) then !test\n exit\n else if (it > 2*most) then\n exit\n end if\n end do",
        "do\n call step()\n if (r < 1) exit !test\n if (it >= 20) goto 20\n it = it + 1\n end do\n20 continue",
        "10 it = it + 1\n call step()\n if (r < 1) goto 20 !test\n if (it <= most) goto 10\n20 continue",
    ] {
        assert!(runs_to_a_bound(&program(iterations, "")), "{iterations}");
    }
}

#[test]
fn a_count_in_one_condition_with_a_test_is_its_loops_bound() {
    for iterations in [
        "do while (it < most .and. r > 1) !test\n it = it + 1\n call step()\n end do",
        "do while (r > 1 .and. flag .and. most >= it) !test\n call step()\n it = it + 2\n end do",
        "do while (.not. (r < 1 .or. it >= most)) !test\n it = it + 1\n call step()\n end do",
        "do while (most > 0 .and. (r > 1 .or. it < 3)) !test\n most = most - 1\n it = it + 1\n call step()\n end do",
        "do\n it = it + 1\n call step()\n if (it >= most .or. r < 1) exit !test\n end do",
        "do\n it = it + 1\n call step()\n if (r < 1 .or. most <= it) exit !test\n end do",
        "do\n it = it + 1\n call step()\n if (.not. (it < most .and. r > 1)) exit !test\n end do",
        "do\n call step()\n if (r < 1 .or. it > 20) then !test\n flag = .false.\n exit\n end if\n it = it + 1\n end do",
        "10 it = it + 1\n call step()\n if (it < most .and. r > 1) goto 10 !test",
        "do n = 1, 2\n it = 0\n10 it = it + 1\n call step()\n if (it < most .and. r > 1) goto 10 !test\n end do",
        // What another statement counts.
        "do while (r > 1) !test\n it = it + 1\n call step()\n if (it >= most) exit\n end do",
        "do it = 1, most\n call step()\n if (r < 1 .or. it > 20) exit !test\n end do",
    ] {
        assert!(runs_to_a_bound(&program(iterations, "")), "{iterations}");
    }
}

#[test]
fn a_part_that_need_not_end_a_loop_is_no_bound() {
    for iterations in [
        "do while (it < most .or. r > 1) !test\n it = it + 1\n call step()\n end do",
        "do while (it < most .and. r > 1) !test\n if (flag) it = it + 1\n call step()\n end do",
        "do while (it < most .and. r > 1) !test\n it = it - 1\n call step()\n end do",
        // A count that begins behind its bound does not meet it.
        "do while (it /= most .and. r > 1 .and. ierr < 40) !test\n it = it + 1\n call step()\n end do",
        "do\n it = it + 1\n call step()\n if (r < 1 .or. most == it) exit !test\n if (mod(it, 10) == 0) exit\n end do",
        "do while (ierr == 0 .and. r > 1) !test\n it = it + 1\n call step()\n end do",
        "do while (it < most .and. r > 1) !test\n it = it + 1\n most = most + 1\n call step()\n end do",
        "do\n it = it + 1\n call step()\n if (it >= most .and. r < 1) exit !test\n end do",
        "do\n it = it + 1\n call step()\n if (it <= most .or. r < 1) exit !test\n end do",
    ] {
        assert!(!runs_to_a_bound(&program(iterations, "")), "{iterations}");
    }
    // The count is made of what the iterations compute.
    let counted = "do while (it < most .and. r > 1) !test\n it = it + 1\n call step()\n end do";
    assert!(runs_to_a_bound(&program(counted, "")));
    for beside in ["it = 0", "most = most + 1", "if (part > 3) it = it - 1"] {
        assert!(!runs_to_a_bound(&program(counted, beside)), "{beside}");
    }
}

#[test]
fn what_may_never_end_a_loop_is_no_bound() {
    for iterations in [
        // The number does not grow in each iteration, is set back, or is not met.
        "do\n if (flag) it = it + 1\n call step()\n if (r < 1) exit !test\n if (it >= most) exit\n end do",
        "do\n it = it + 1\n if (flag) it = 0\n call step()\n if (r < 1) exit !test\n if (it >= most) exit\n end do",
        "do\n it = it - 1\n call step()\n if (r < 1) exit !test\n if (it >= most) exit\n end do",
        "do\n it = it + 1\n call step()\n if (r < 1) exit !test\n if (it == most) exit\n end do",
        "do\n it = it + 1\n call step()\n if (r < 1) exit !test\n if (it <= most) exit\n end do",
        // The bound grows as well.
        "do\n it = it + 1\n most = most + 1\n call step()\n if (r < 1) exit !test\n if (it >= most) exit\n end do",
        // No evaluation is needed.
        "do\n it = it + 1\n call step()\n if (r < 1) exit !test\n if (flag) then\n if (it >= most) exit\n end if\n end do",
        "do\n it = it + 1\n call step()\n if (r < 1) exit !test\n if (flag) cycle\n if (it >= most) exit\n end do",
        // It ends something else.
        "do\n call step()\n if (r < 1) exit !test\n it = 0\n do\n it = it + 1\n if (it >= most) exit\n end do\n end do",
    ] {
        assert!(!runs_to_a_bound(&program(iterations, "")), "{iterations}");
    }
    let counted =
        "do\n it = it + 1\n call step()\n if (r < 1) exit !test\n if (it >= most) exit\n end do";
    for beside in ["it = 0", "most = most + 1", "if (flag) it = it - 1"] {
        assert!(!runs_to_a_bound(&program(counted, beside)), "{beside}");
    }
}
