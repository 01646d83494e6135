//! Loops whose iterations go over different data, beside those that repeat what they do.

use crate::harness::analyse;

/// Whether each loop with communication of a program goes over data, in order.
fn over_data(body: &str, procedures: &str) -> Vec<bool> {
    let source = format!(
        "program t
  use mpi
  integer :: i, j, k, error
  real :: x(9), y(9,9), s
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
        .map(|place| place.is_over_data)
        .collect()
}

/// A loop over `i` that does this and meets the others.
fn repeated(what: &str) -> String {
    format!("  do i = 1, 9\n    {what}\n    call mpi_barrier(mpi_comm_world, error)\n  end do\n")
}

#[test]
fn what_an_index_chooses_are_elements_and_bounds() {
    for (what, expected) in [
        ("s = s + 1", false),
        ("if (mod(i, 3) == 0) print *, i", false),
        ("x = i", false),
        ("x(i) = s", true),
        ("y(:, i) = s", true),
        ("y(2:i, 1) = s", true),
        ("s = x(i)", true),
        (
            "call mpi_bcast(x(i), 1, mpi_real, 0, mpi_comm_world, error)",
            true,
        ),
        (
            "call mpi_bcast(x, 1, mpi_real, mod(i, 2), mpi_comm_world, error)",
            false,
        ),
        ("k = 10 - i; j = k + 1; x(j) = s", true),
        ("do j = 1, i; s = s + x(j); end do", true),
        ("do j = 1, 9; x(j) = s; end do", false),
    ] {
        assert_eq!(over_data(&repeated(what), ""), [expected], "{what}");
    }
}

#[test]
fn procedures_that_it_is_passed_to_count() {
    let procedures = "  subroutine step(at, of)
    integer :: at
    real :: of(9)
    s = s + at
  end subroutine
  subroutine plane(at, of)
    integer :: at
    real :: of(9)
    of(at) = s
  end subroutine
  subroutine through(a, b)
    integer :: a, b
    call plane(b, x)
  end subroutine
  real function value(at)
    integer :: at
    value = x(at)
  end function";
    for (what, expected) in [
        ("call step(i, x)", false),
        ("call plane(i, x)", true),
        ("call plane(3, x)", false),
        ("call through(i, 1)", false),
        ("call through(1, i + 1)", true),
        ("s = value(i)", true),
        ("s = value(1)", false),
    ] {
        assert_eq!(over_data(&repeated(what), procedures), [expected], "{what}");
    }
}

#[test]
fn loops_without_an_index_and_loops_around_count_by_themselves() {
    let inner = repeated("x(i) = s");
    assert_eq!(
        over_data(&format!("  do k = 1, 5\n{inner}  end do\n"), ""),
        [false, true]
    );
    assert_eq!(
        over_data(
            &format!("  do while (s < 1)\n{}  end do\n", repeated("s = s + 1")),
            ""
        ),
        [false, false]
    );
}

#[test]
fn what_a_condition_asks_and_counts_is_an_index() {
    let repeated = |what: &str, counts: &str| {
        format!(
            "  k = 1\n  do while (k <= 9)\n    {what}\n    call mpi_barrier(mpi_comm_world, error)\n    {counts}\n  end do\n"
        )
    };
    for (what, counts, expected) in [
        ("x(k) = s", "k = k + 1", true),
        ("j = k - 1; y(:, j) = s", "k = k + 1", true),
        ("x = s", "k = k + 1", false),
        ("x(k) = s", "k = 10", false),
        ("x(j) = s", "k = k + 1", false),
    ] {
        assert_eq!(over_data(&repeated(what, counts), ""), [expected], "{what}");
    }
}
