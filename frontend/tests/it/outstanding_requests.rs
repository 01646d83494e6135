//! Loops that must not be left early, since requests would be left behind.

use crate::harness::analyse;

/// Whether each loop with communication of a program is held, in order.
fn held(body: &str, procedures: &str) -> Vec<bool> {
    let source = format!(
        "program t
  use mpi
  integer :: i, j, index, error, reqs(4), others(4), single
  real :: x(4)
  call mpi_init(error)
{body}
  call mpi_finalize(error)
contains
{procedures}
end program
"
    );
    analyse(&source)
        .analysis
        .loops
        .iter()
        .map(|place| place.holds_requests_open)
        .collect()
}

const START: &str = "  do i = 1, 4\n    call mpi_irecv(x(i), 1, mpi_real, i, 1, mpi_comm_world, reqs(i), error)\n  end do\n";
const ALL: &str = "  call mpi_waitall(4, reqs, mpi_statuses_ignore, error)\n";
const DRAIN: &str =
    "  do i = 1, 4\n    call mpi_waitany(4, reqs, index, mpi_status_ignore, error)\n  end do\n";

#[test]
fn loops_that_start_what_others_complete_are_not_left_early() {
    assert_eq!(held(&format!("{START}{ALL}"), ""), [true]);
    assert_eq!(held(&format!("{START}{DRAIN}"), ""), [true, true]);
    assert_eq!(
        held(
            "  do i = 1, 4\n    call mpi_barrier(mpi_comm_world, error)\n  end do",
            ""
        ),
        [false]
    );
    let within = |inner: &str| format!("  do j = 1, 9\n{inner}  end do\n");
    assert_eq!(held(&within(&format!("{START}{ALL}")), ""), [false, true]);
    assert_eq!(
        held(&within(&format!("{START}{DRAIN}")), ""),
        [false, true, true]
    );
    let others = ALL.replace("reqs", "others");
    assert_eq!(held(&within(&format!("{START}{others}")), ""), [true, true]);
    // The requests of the last iteration are completed in the next, or behind the loop.
    assert_eq!(
        held(&format!("{}{ALL}", within(&format!("{ALL}{START}"))), ""),
        [false, true]
    );
}

#[test]
fn copies_and_arguments_are_the_same_requests() {
    let copied = START.replace("reqs(i), error)", "single, error)\n    reqs(i) = single");
    assert_eq!(
        held(&format!("  do j = 1, 9\n{copied}{ALL}  end do\n"), ""),
        [false, true]
    );
    let forgotten = ALL.replace("reqs", "others");
    assert_eq!(
        held(&format!("  do j = 1, 9\n{copied}{forgotten}  end do\n"), ""),
        [true, true]
    );
    let procedures = "  subroutine start(one)
    integer :: one
    call mpi_irecv(x, 1, mpi_real, 0, 1, mpi_comm_world, one, error)
  end subroutine
  subroutine finish(all)
    integer :: all(4)
    call mpi_waitall(4, all, mpi_statuses_ignore, error)
  end subroutine";
    let starts = "  do i = 1, 4\n    call start(reqs(i))\n  end do\n";
    assert_eq!(held(starts, procedures), [true]);
    assert_eq!(
        held(
            &format!("  do j = 1, 9\n{starts}  call finish(reqs)\n  end do\n"),
            procedures
        ),
        [false, true]
    );
}

#[test]
fn persistent_requests_are_started_apart_from_being_made() {
    let made = "  do i = 1, 4\n    call mpi_recv_init(x(i), 1, mpi_real, i, 1, mpi_comm_world, reqs(i), error)\n  end do\n";
    let rounds = format!("  do j = 1, 9\n  call mpi_startall(4, reqs, error)\n{ALL}  end do\n");
    assert_eq!(held(&format!("{made}{rounds}"), "")[1..], [false]);
}
