//! Functions that call MPI: they stay, but not the uses of their values that are not needed. Marked lines
//! (`!+`) stay, others go.

use crate::harness::check_kept;

/// `dot` sums over all ranks; `count_of` synchronises them, and returns its argument. `WANTED`: the result is used.
fn check(statements: &str, wanted: &str) {
    let source = "program t
  use mpi
  implicit none
  integer :: i, n, m, ierr
  real(8) :: p(9), q(9), s, r
  real(8), allocatable :: v(:)
  logical :: done
  call mpi_init(ierr) !+
STATEMENTS
  call mpi_finalize(ierr) !+
contains
  real(8) function dot(a, b)
    real(8), intent(in) :: a(:), b(:)
    real(8) :: own
    own = sum(a * b)
    call mpi_allreduce(own, dot, 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr) !+
  end function
  integer function count_of(k)
    integer, intent(in) :: k
    count_of = k WANTED
    call mpi_barrier(mpi_comm_world, ierr) !+
  end function
  function copy(a)
    real(8), intent(in) :: a(:)
    real(8) :: copy(size(a))
    copy = a
    call mpi_barrier(mpi_comm_world, ierr) !+
  end function
end program
";
    check_kept(
        &source
            .replace("STATEMENTS", statements.trim_end())
            .replace("WANTED", wanted),
    );
}

#[test]
fn computations_of_unused_values_are_removed() {
    check(
        "  do i = 1, 9
    p(i) = i
  end do
  r = 2
  s = r * dot(p, q) + sqrt(dot(q, q)) !+
  p = p + s * q
  r = dot(p, p) / s !+
",
        "",
    );
}

#[test]
fn used_function_results_stay() {
    check(
        "  m = 3 !+
  i = 4 + n
  n = m + count_of(m) !+
  i = mod(i, 5) * count_of(m) !+
  call mpi_bcast(p, n, mpi_double_precision, 0, mpi_comm_world, ierr) !+
",
        "!+",
    );
}

/// Not all that is passed is wanted with the value.
#[test]
fn unread_arguments_are_removed() {
    check_kept(
        "program t
  use mpi
  integer :: n, m, k, ierr
  call mpi_init(ierr) !+
  m = 3 !+
  k = 4
  n = first(m, k) !+
  call mpi_bcast(p, n, mpi_integer, 0, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
contains
  integer function first(a, b)
    integer :: a, b, c
    first = a !+
    c = b
    call mpi_barrier(mpi_comm_world, ierr) !+
  end function
end program
",
    );
}

/// The result of an integer division by a value that is not computed is undefined; a real number is only wrong.
#[test]
fn what_could_end_the_run_is_computed() {
    check(
        "  m = 3 !+
  n = 7 !+
  n = n / count_of(m) !+
  p(count_of(m)) = 1 !+
",
        "!+",
    );
}

/// Where is what the value goes to must be known.
#[test]
fn subscripts_of_the_target_stay() {
    check(
        "  n = 7 !+
  m = 3
  p(n) = count_of(m) !+
",
        "",
    );
}

/// `.and.` need not ask its second operand: the first is computed. Where both ask, or the second must not be looked at if
/// the first does not hold, both are.
#[test]
fn what_decides_whether_a_function_is_asked_stays() {
    check(
        "  m = 3\n  n = 7 !+\n  done = n > 4 .and. count_of(m) > 2 !+\n",
        "",
    );
    check(
        "  m = 3\n  n = 7 !+\n  done = count_of(m) > 2 .or. n > 4 !+\n",
        "",
    );
    for second in ["p(m) > 2", "v(1) > 2", "r / q(2) > 2", "i / n > 2"] {
        check(
            &format!("  m = 3 !+\n  done = count_of(m) > 2 .and. {second} !+\n"),
            "!+",
        );
    }
}

#[test]
fn a_condition_that_decides_is_computed() {
    check(
        "  do i = 1, 3 !+
    if (count_of(i) < 2) then !+
      call mpi_barrier(mpi_comm_world, ierr) !+
    end if
  end do
",
        "!+",
    );
}

/// An array must be there to be passed, whatever is in it.
#[test]
fn what_is_passed_exists() {
    check(
        "  n = 5 !+
  allocate (v(n)) !+
  v = 1
  s = dot(v, v) !+
  q(1:n) = copy(v) !+
",
        "",
    );
}

/// What a function's value is made of may itself be asked of others.
#[test]
fn arguments_that_call_are_computed() {
    check(
        "  m = 3 !+
  n = count_of(count_of(m)) !+
",
        "!+",
    );
}

/// Where arithmetic may end the run, unused values are computed, too: here from values that are set.
#[test]
fn where_arithmetic_may_end_the_run_values_stay() {
    let setting = [
        "ieee_set_halting_mode(mode, .true.)",
        "ieee_set_status(status)",
        "anything()",
    ];
    for trap in setting {
        check(
            &format!("  call {trap} !+\n  m = 3 !+\n  r = 4 !+\n  s = count_of(m) / r !+\n"),
            "!+",
        );
    }
}

/// An assignment that allocates stays for the shape of what it makes; what the callee reads of an expression is read.
#[test]
fn what_is_passed_or_allocated_is_computed_only_if_it_is_read() {
    check(
        "  do i = 1, 9
    p(i) = i
  end do
  q(2:4) = p(1:3)
  s = dot(p - q(1:9), 2*p(1:9)**2) !+
  v = p(2:8)/q(2:8) + s**3 + 1.5d0/(2.0 + 0.5*p(1)**2) !+
  do i = 1, size(v) !+
    call mpi_barrier(mpi_comm_world, ierr) !+
  end do
",
        "",
    );
    check(
        "  m = 3 !+
  n = 4
  i = count_of(m + int(q(1))) !+
  v = p(1:9)
  call mpi_bcast(i, i, mpi_integer, 0, mpi_comm_world, ierr) !+
",
        "!+",
    );
    check(
        "  q = 1 !+
  p = q*2 !+
  v = p(1:9) + 1 !+
  m = int(v(3)) !+
  call mpi_bcast(p, m, mpi_real, 0, mpi_comm_world, ierr) !+
",
        "",
    );
    check(
        "  m = 3 !+
  p = 2 !+
  v = p(1:m)**m !+
  call mpi_bcast(v, size(v), mpi_real, 0, mpi_comm_world, ierr) !+
",
        "",
    );
    check(
        "  s = sum(p)
  r = s + 1.0
  call mpi_allreduce([s, real(r)], q, 2, mpi_real, mpi_sum, mpi_comm_world, ierr) !+
  call mpi_bcast((/s, p(2:8)/), 8, mpi_real, 0, mpi_comm_world, ierr) !+
",
        "",
    );
}
