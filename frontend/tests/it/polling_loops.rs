//! Polling loops, all forms with all calls: what waits, and what must not be taken for it. Other programs that may depend
//! on time are in `tests/ui/order`.

use crate::harness::{Analysed, analyse};

const DECLARED: &str = "program t
  use mpi
  integer, parameter :: n = 4
  integer :: i, j, k, m, last, total, other, index, count, error, reqs(n), list(n), length(n), table(n), side(n)
  integer :: status(mpi_status_size), statuses(mpi_status_size, n)
  logical :: flag, done
  real :: x(100), y, sum, product
  common /shared/ length, m
  call mpi_init(error)
";

fn analysed(body: &str) -> Analysed {
    analyse(&format!(
        "{DECLARED}{body}\n  call mpi_finalize(error)\nend program\n"
    ))
}

#[track_caller]
fn proven(body: &str) {
    let analysed = analysed(body);
    assert!(
        analysed.analysis.time_dependent.is_empty(),
        "not proven:\n{body}\n{}",
        analysed.remarks()
    );
    assert!(
        !analysed.analysis.any_order.is_empty(),
        "nothing was proven:\n{body}"
    );
}

#[track_caller]
fn named(body: &str) {
    let analysed = analysed(body);
    assert!(
        !analysed.analysis.time_dependent.is_empty(),
        "taken for proven:\n{body}\n{}",
        analysed.remarks()
    );
}

/// A loop that asks until something is there waits.
#[test]
fn polling_loops_are_waits() {
    let loops = [
        "  flag = .false.\n  do while (.not. flag)\n    CALL\n  end do\n",
        "  do\n    CALL\n    if (flag) exit\n  end do\n",
        "  do\n    CALL\n    if (flag) then\n      exit\n    end if\n    continue\n  end do\n",
        "1 CALL\n  if (.not. flag) goto 1\n",
    ];
    let calls = [
        "call mpi_test(reqs(1), flag, status, error)",
        "call mpi_testall(n, reqs, flag, statuses, error)",
        "call mpi_iprobe(0, 1, mpi_comm_world, flag, status, error)",
    ];
    for (form, call) in loops.iter().flat_map(|form| calls.map(|call| (form, call))) {
        let poll = form.replace("CALL", call);
        proven(&format!(
            "{poll}  if (flag) call mpi_barrier(mpi_comm_world, error)"
        ));
        named(
            &poll
                .replace("  if (flag)", "  k = k + 1\n  if (flag)")
                .replace("  end do", "  y = y + 1\n  end do")
                .replace("  if (.not.", "  y = y + 1\n  if (.not."),
        );
        named(&format!(
            "  call mpi_barrier(mpi_comm_world, error)\n{}",
            poll.replace("flag)", "flag .or. done)")
        ));
    }
    // It is left although nothing was there, after some time.
    named(
        "  do k = 1, 100\n    call mpi_test(reqs(1), flag, status, error)\n    if (flag) exit\n  end do\n  if (flag) call mpi_barrier(mpi_comm_world, error)",
    );
    named(
        "  call mpi_test(reqs(1), flag, status, error)\n  if (flag) call mpi_barrier(mpi_comm_world, error)",
    );
    named(
        "  flag = .false.\n  do while (.not. flag)\n    call mpi_testany(n, reqs, index, flag, status, error)\n  end do\n  if (index > 2) call mpi_barrier(mpi_comm_world, error)",
    );
    named(
        "  flag = .false.\n  do while (.not. flag)\n    call mpi_test(reqs(1), flag, status, error)\n    call mpi_barrier(mpi_comm_world, error)\n  end do",
    );
    named(
        "  flag = .false.\n  do while (.not. flag)\n    call mpi_iprobe(mpi_any_source, 1, mpi_comm_world, flag, status, error)\n  end do\n  call mpi_recv(x, 1, mpi_real, status(mpi_source), 1, mpi_comm_world, status, error)",
    );
}
