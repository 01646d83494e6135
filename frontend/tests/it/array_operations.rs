//! Arrays in expressions: how many elements a statement goes over is a work term wherever they stand.

use crate::work_terms::check;

fn program(statement: &str) -> String {
    format!(
        "program t
  use mpi
  integer :: ierr, i, n, m, me, lo, hi, chosen(100)
  real :: a(100, 100), x(100), y(100), z
  real, allocatable :: free(:)
  type cell
    real :: part(100)
  end type
  type(cell) :: one
  character(30) :: word
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  m = 3*me
  lo = me
  hi = 2*me
  allocate (free(n))
  read *, x, y, z, a, chosen, one%part, word
  call mpi_barrier(mpi_comm_world, ierr)
{statement}
  call mpi_finalize(ierr)
contains
  elemental real function curve(u)
    real, intent(in) :: u
    curve = u*u + 1
  end function
  real function first(u)
    real, intent(in) :: u(:)
    first = u(1)
  end function
  subroutine take(u)
    real, intent(in) :: u(*)
    z = u(1)
  end subroutine
end program
"
    )
}

/// A statement whose first line is marked.
fn marked(statement: &str) -> String {
    let (first, rest) = statement.split_once('\n').unwrap_or((statement, ""));
    format!("  {first} !block\n{rest}")
}

#[test]
fn sections_count_wherever_they_are_computed_with() {
    for statement in [
        "z = z + sum(exp(sin(x(1:n))))",
        "z = z + sum(x(:n)*y(2:n + 1))",
        "z = dot_product(x(:n), y(:n)) + maxval(x(1:n)) + norm2(exp(x(1:n)))",
        "z = sum(curve(x(1:n)))",
        "z = sum(x(chosen(1:n)))",
        "z = sum(one%part(1:n))",
        "if (any(x(1:n) > 0)) z = 1",
        "x(maxloc(y(1:n), 1)) = 2",
        "print *, count(x(1:n) > 1)",
        "call take(sqrt(x(1:n)))",
        "call random_number(x(1:n))",
        "x(1:n) = 2*y(2:n + 1)",
        "z = sum(merge(x(1:n), 0.0, x(1:n) > z))",
        "select case (count(x(1:n) > 1))\n  case (1)\n    z = 1\n  end select",
    ] {
        check(&program(&marked(statement)), &["n"], false);
    }
}

#[test]
fn sections_of_several_dimensions_and_strides_count_what_they_hold() {
    let both = "max(0_8, int(n, 8))*max(0_8, int(m, 8))";
    check(&program("  z = sum(a(1:n, 1:m)) !block"), &[both], false);
    check(&program("  z = sum(a(1:n, 3)) !block"), &["n"], false);
    check(
        &program("  z = sum(x(lo:hi)) !block"),
        &["hi - lo + 1"],
        false,
    );
    check(
        &program("  z = sum(x(n:1:-1)) !block"),
        &["(1 - n - 1)/(-1)"],
        false,
    );
    check(&program("  z = sum(x(lo:lo + 2)) !block"), &[], false);
}

#[test]
fn unknown_sizes_make_a_block_data_dependent() {
    check(&program(&marked("z = sum(x(1:chosen(3)))")), &[], true);
    let chosen = "do i = 1, n\n    z = z + sum(x(1:chosen(i)))\n  end do";
    check(&program(&marked(chosen)), &["n"], true);
}

#[test]
fn section_up_to_loop_index_is_summed() {
    let section = "do i = 1, 9\n    z = z + sum(x(1:min(i, n)))\n  end do";
    let sum = "sum((/ (max(0_8, int(min(int(mpiete_index1, 4), n), 8)), mpiete_index1 = 1, 9) /))";
    check(&program(&marked(section)), &[sum], false);
}

#[test]
fn what_is_only_named_is_not_gone_over() {
    for statement in [
        "z = size(x(1:n))",
        "call take(x(1:n))",
        "z = first(x(1:n))",
        "z = sum(x(1:4))",
        "z = sum(x)",
        "word(1:n) = word(2:m)",
    ] {
        check(&program(&format!("  {statement} !block")), &[], false);
    }
}
