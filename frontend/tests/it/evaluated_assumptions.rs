//! Conditions that are assumed although a function in them calls MPI or leaves something: they are evaluated all the
//! same, and what they answer is not asked for. Marked lines (`!+`) stay, others go.

use crate::harness::analyse_with;
use base_data::program_data::{AssumedOutcome, AssumptionOrigin};
use frontend::options::{AssumptionRequest, Options, Proposals};

/// `norm` sums over all ranks, `meet` sends as many as its argument says, and counts how often it is called.
const PROCEDURES: &str = "contains
  real(8) function norm(v)
    real(8), intent(in) :: v(:)
    real(8) :: own
    own = sum(v * v) !n
    call mpi_allreduce(own, norm, 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr) !+
    norm = sqrt(norm) !n
  end function
  real(8) function meet(k)
    integer, intent(in) :: k
    met = met + 1 !m
    call mpi_bcast(p, k, mpi_double_precision, 0, mpi_comm_world, ierr) !+
    meet = p(1)
  end function
end program
";

/// Checks what stays of statements that begin at line 7, under what is assumed of some lines and what is proposed. Of the
/// procedures the lines marked with one of `marks` stay.
#[track_caller]
fn check(statements: &str, assumed: &[(u32, AssumedOutcome)], marks: &str) {
    let head = "program t
  use mpi
  integer :: i, n, k, met = 0, ierr
  real(8) :: p(9), r(9), s
  real(8), allocatable :: v(:)
  call mpi_init(ierr) !+
";
    let source = format!("{head}{statements}  call mpi_finalize(ierr) !+\n{PROCEDURES}");
    let request = |&(line, outcome)| {
        let origin = AssumptionOrigin::User;
        AssumptionRequest {
            file: "t.f90".into(),
            line,
            outcome,
            origin,
        }
    };
    let assumptions = assumed.iter().map(request).collect();
    let analysed = analyse_with(
        &source,
        &Options {
            proposals: Proposals::None,
            assumptions,
            ..Options::default()
        },
    );
    let is_marked = |line: &&str| marks.chars().any(|mark| line.contains(&format!("!{mark}")));
    let expected: Vec<&str> = source.lines().filter(is_marked).collect();
    let kept: Vec<&str> = analysed
        .kept()
        .iter()
        .map(|line| &*analysed.lines[line - 1])
        .collect();
    assert_eq!(kept, expected, "{}", analysed.remarks());
}

use AssumedOutcome::{NotTaken, Taken, Trips};

#[test]
fn what_a_condition_compares_goes_its_calls_stay() {
    let body = "  do !+
    do i = 1, 9
      r(i) = r(i)/2 + p(i)
    end do
    if (norm(r) < 1d-6*norm(p)) exit !+
  end do
  do while (.not. norm(p) < s) !+
    p = p/2
  end do
";
    check(body, &[(11, Trips(20)), (13, Trips(4))], "+");
}

/// An IF that is never taken has a condition all the same.
#[test]
fn branches_that_are_not_taken_are_asked_for() {
    check(
        "  if (norm(r) > 1d9) stop 1 !+\n  s = 2\n",
        &[(7, NotTaken)],
        "+",
    );
    check(
        "  p = 1\n  if (norm(r) > 1d9) then !+\n    p = 2\n  end if\n",
        &[(8, Taken)],
        "+",
    );
}

/// What decides whether a function is called is computed: how many conditions before it do not hold, and the side without
/// calls of an operation that may leave out the other.
#[test]
fn what_decides_whether_a_function_is_called_stays() {
    let body = "  n = 3 !+
  k = 0 !+
  r = 2
  do while (k < n .and. norm(r) > 1d-3) !+
    r = r/2
    k = k + 1 !+
  end do
";
    check(body, &[(10, Trips(2))], "+");
    let body = "  n = 3 !+
  r = 2
  if (n > 4) then !+
    p = 1
  else if (norm(r) < 4) then
    p = 2
  end if
";
    check(body, &[(11, Taken)], "+");
}

/// Both sides call: either may be left out if the other says so. Where an element of an array stands behind, it would
/// be looked at although the function has said no.
#[test]
fn operations_that_may_leave_out_a_call_are_computed() {
    let body = "  r = 2 !+\n  if (norm(r) < 4 .or. norm(r) > 9) p = 1 !+\n";
    check(body, &[(8, NotTaken)], "+ns");
    let body = "  k = 11 !+\n  r = 2 !+\n  if (norm(r) > 4 .and. r(k) > 9) p = 1 !+\n";
    check(body, &[(9, NotTaken)], "+ns");
}

/// What a function leaves behind may be wanted, though its answer is not; and how it is called.
#[test]
fn side_effects_of_functions_are_kept() {
    let body = "  k = 2 !+
  do while (meet(k) > 1d-3) !+
    p = p/2
  end do
  call mpi_bcast(r, met, mpi_double_precision, 0, mpi_comm_world, ierr) !+
";
    check(body, &[(8, Trips(3))], "+cm");
}
