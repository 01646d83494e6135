//! Loops of the slice that only count, and what stands for them.

use crate::harness::analyse_with;
use frontend::options::Options;

/// Loops that only count as `line: assignments`, of a main program with these statements.
#[track_caller]
fn check(body: &str, expected: &[&str]) {
    let source = format!(
        "program t
  use mpi
  implicit none
  integer :: ierr, i, j, k, n, m, me, len
  real :: x(100), step
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  m = me
  len = 0
{body}
  call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
"
    );
    let analysed = analyse_with(&source, &Options::default());
    let found = analysed.analysis.counting.iter().map(|(statement, lines)| {
        format!(
            "{}: {}",
            analysed.line(statement.0 as usize) - 10,
            lines.join("; ")
        )
    });
    assert_eq!(
        found.collect::<Vec<_>>(),
        expected,
        "{}",
        analysed.remarks()
    );
}

#[test]
fn a_nest_that_counts_is_a_product() {
    check(
        "  do i = 1, n\n    do j = 2, m, 3\n      len = len + 1\n      x(len) = i\n    end do\n  end do",
        &[
            "1: len = int(len, 8) + 1_8*(max(0_8, int(n, 8) - 1_8 + 1_8)*max(0_8, (int(m, 8) - 2_8 + 3_8)/3_8))",
        ],
    );
}

#[test]
fn bounds_that_the_nest_changes_stay() {
    let triangle = "  do i = 1, n\n    do j = i, 1, -1\n      len = len + m\n    end do\n  end do";
    check(
        triangle,
        &["2: len = int(len, 8) + int(m, 8)*max(0_8, (1_8 - int(i, 8) + (-1_8))/(-1_8))"],
    );
    check(
        "  do i = 1, n\n    do j = 1, len\n      len = len + 1\n    end do\n  end do",
        &[],
    );
}

#[test]
fn what_is_left_of_the_number_is_written_where_it_is_read() {
    check(
        "  do i = 3, n, 2\n    x(i) = 1\n  end do\n  len = i",
        &["1: i = 3_8 + max(0_8, (int(n, 8) - 3_8 + 2_8)/2_8)*2_8"],
    );
}

#[test]
fn what_does_more_than_count_stays() {
    check("  do i = 1, n\n    len = 2 * len + 1\n  end do", &[]);
    check("  do i = 1, n\n    if (i > m) len = len + 1\n  end do", &[]);
    check(
        "  do i = 1, n\n    len = len + 1\n    if (len > m) exit\n  end do",
        &[],
    );
    check("  do i = 1, n\n    len = len + step\n  end do", &[]);
    check(
        "  do i = 1, n\n    do j = 1, m / k\n      len = len + 1\n    end do\n  end do",
        &["2: len = int(len, 8) + 1_8*max(0_8, int(m/k, 8) - 1_8 + 1_8)"],
    );
}
