//! Loops of which the slice need not run every iteration, and loops of which it must.

use crate::harness::analyse_with;
use base_data::program_data::{AssumedOutcome, AssumptionOrigin};
use frontend::options::{AssumptionRequest, Options};

/// Invariant loops as `line: signature`, of a main program with these statements and this module.
#[track_caller]
fn check(body: &str, rest: &str, expected: &[&str]) {
    check_assuming(body, rest, &[], expected);
}

/// The same, with procedures inside the main program.
#[track_caller]
fn check_inner(body: &str, inner: &str, expected: &[&str]) {
    check_all(body, &format!("contains\n{inner}"), "", &[], expected);
}

/// The same where something is assumed of lines of `body`.
#[track_caller]
fn check_assuming(body: &str, rest: &str, assumed: &[(u32, AssumedOutcome)], expected: &[&str]) {
    check_all(body, "", rest, assumed, expected);
}

#[track_caller]
fn check_all(
    body: &str,
    inner: &str,
    rest: &str,
    assumed: &[(u32, AssumedOutcome)],
    expected: &[&str],
) {
    let source = format!(
        "program t
  use mpi
  implicit none
  integer :: ierr, i, k, n, m, me, len, request, requests(4), status(mpi_status_size), last
  real :: x(100), t0, total(3)
  common /shared/ m, last
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  len = 1
{body}
  call mpi_finalize(ierr)
{inner}end program
{rest}"
    );
    let request = |&(line, outcome)| AssumptionRequest {
        file: "t.f90".into(),
        line: line + 10,
        outcome,
        origin: AssumptionOrigin::User,
    };
    let options = Options {
        assumptions: assumed.iter().map(request).collect(),
        ..Options::default()
    };
    let analysed = analyse_with(&source, &options);
    let loops = analysed.analysis.loops.iter().filter_map(|place| {
        let line = analysed.line(place.statement.0 as usize) - 10;
        Some(
            format!("{line}: {}", place.invariant.as_ref()?.join("; "))
                .trim_end()
                .to_string(),
        )
    });
    assert_eq!(
        loops.collect::<Vec<_>>(),
        expected,
        "{}",
        analysed.remarks()
    );
}

const SEND: &str = "call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)";

#[test]
fn a_loop_that_carries_nothing_is_invariant() {
    check(
        &format!("  do i = 1, n\n    x(i) = x(i) + i\n    {SEND}\n  end do"),
        "",
        &["1:"],
    );
    check(
        &format!("  do i = 1, n\n    len = n\n    {SEND}\n  end do"),
        "",
        &["1:"],
    );
}

#[test]
fn what_an_iteration_leaves_to_the_next_keeps_all() {
    check(
        &format!("  do i = 1, n\n    len = len + 1\n    {SEND}\n  end do"),
        "",
        &[],
    );
    check(
        &format!("  do i = 1, n\n    len = i\n    {SEND}\n  end do"),
        "",
        &[],
    );
    // Written after it is read, and only sometimes.
    check(
        &format!("  do i = 1, n\n    {SEND}\n    len = n\n  end do"),
        "",
        &[],
    );
    check(
        &format!("  do i = 1, n\n    if (me == 0) len = n\n    {SEND}\n  end do"),
        "",
        &[],
    );
    let alternating = "    k = len\n    len = m\n    m = k\n";
    check(
        &format!("  do i = 1, n\n    {SEND}\n{alternating}  end do"),
        "",
        &[],
    );
}

#[test]
fn numbers_of_iterations_may_stand_in_conditions() {
    let rare = format!("  do i = 1, n\n    if (mod(i, 20) == 0) {SEND}\n    {SEND}\n  end do");
    check(&rare, "", &["1: mod(i, 20) .eq. 0"]);
    let inner =
        format!("  do i = 1, n\n    do k = 1, 3\n      if (i == n) {SEND}\n    end do\n  end do");
    check(&inner, "", &["1: i .eq. n", "2:"]);
    // A remainder that might not be asked for.
    let guarded = format!(
        "  do i = 1, n\n    if (m > 0) then\n      if (mod(i, m) == 0) {SEND}\n    end if\n  end do"
    );
    check(&guarded, "", &[]);
    // The condition is another one at the top.
    let later = format!("  do i = 1, n\n    k = me\n    if (i > k) {SEND}\n  end do");
    check(&later, "", &[]);
}

#[test]
fn bounds_that_depend_on_the_count_keep_all() {
    check(
        &format!("  do i = 1, n\n    do k = 1, i\n      {SEND}\n    end do\n  end do"),
        "",
        &["2:"],
    );
    let work =
        format!("  do i = 1, n\n    do k = 1, i\n      x(k) = 0\n    end do\n    {SEND}\n  end do");
    check(&work, "", &[]);
}

#[test]
fn procedures_are_looked_into() {
    let body = "  do i = 1, n\n    call step(i)\n  end do";
    let step = |inside: &str| {
        format!(
            "subroutine step(i)
  use mpi
  integer :: i, m, last, ierr
  real :: x(3)
  common /shared/ m, last
  {inside}
end subroutine
"
        )
    };
    let send =
        |count: &str| format!("call mpi_send(x, {count}, mpi_real, 0, 1, mpi_comm_world, ierr)");
    check(body, &step(&send("m")), &["1:"]);
    check(body, &step(&send("i")), &[]);
    check(
        body,
        &step(&format!("m = last\n  {}\n", send("m"))),
        &["1:"],
    );
    check(body, &step(&format!("m = m + 1\n  {}\n", send("m"))), &[]);
    check(
        body,
        &step(&format!("last = i\n  {}\n", send("m"))),
        &["1:"],
    );
}

#[test]
fn saved_variables_outlive_an_iteration() {
    let body = "  do i = 1, n\n    call step\n  end do";
    let step = "subroutine step
  use mpi
  integer, save :: calls = 0
  integer :: ierr
  real :: x(3)
  if (calls == 0) call mpi_send(x, 1, mpi_real, 0, 1, mpi_comm_world, ierr)
  calls = 1
  call mpi_send(x, 2, mpi_real, 0, 1, mpi_comm_world, ierr)
end subroutine
";
    check(body, step, &[]);
}

#[test]
fn sums_of_times_carry_nothing() {
    let timed = format!(
        "  do i = 1, n\n    t0 = mpi_wtime()\n    {SEND}\n    total(1) = total(1) + mpi_wtime() - t0\n  end do"
    );
    check(&timed, "", &["1:"]);
    let decides = format!("{timed}\n  if (total(1) > 3) {SEND}");
    check(&decides, "", &[]);
}

#[test]
fn a_clock_that_ends_a_loop_is_read_each_time() {
    let until = format!(
        "  t0 = mpi_wtime()\n  do i = 1, n\n    {SEND}\n    if (mpi_wtime() - t0 > 3) exit\n  end do"
    );
    check(&until, "", &[]);
    let later = format!(
        "  do i = 1, n\n    t0 = mpi_wtime()\n    k = int(t0)\n    if (k > 7) {SEND}\n    {SEND}\n  end do"
    );
    check(&later, "", &[]);
}

#[test]
fn what_functions_write_they_may_not_write() {
    let body = format!(
        "  do i = 1, n\n    if (me == 0 .and. tells(k)) len = 1\n    {}\n    k = k + 1\n  end do",
        SEND.replace("len", "k")
    );
    let tells = "  logical function tells(it)
    integer :: it
    it = 4
    tells = .true.
  end function
";
    check_inner(&body, tells, &[]);
}

#[test]
fn conditions_do_not_read_what_may_not_be_there() {
    let body = "  do i = 1, n\n    call step(n)\n  end do";
    let step = |guard: &str| {
        format!(
            "subroutine step(n, most)
  use mpi
  integer :: i, n, ierr
  integer, optional :: most
  real :: x(3)
  do i = 1, n
    if ({guard}) then
      if (i == most) {SEND}
    end if
    {SEND}
  end do
end subroutine
"
        )
        .replace("len", "1")
    };
    check(body, &step("n > 3"), &["1:"]);
    check(
        body,
        &step("n > 3").replace(", optional", ""),
        &["1:", "11: i .eq. most"],
    );
}

#[test]
fn dummies_that_are_known_otherwise_keep_all() {
    let body = "  do i = 1, n\n    call step(m, n)\n  end do";
    let step = |written: &str| {
        format!(
            "subroutine step(it, n)
  use mpi
  integer :: it, i, n, m, last, ierr
  real :: x(3)
  common /shared/ m, last
  do i = 1, n
    call mpi_send(x, it, mpi_real, 0, 1, mpi_comm_world, ierr)
    {written} = 3
  end do
end subroutine
"
        )
    };
    check(body, &step("m"), &[]);
    check(body, &step("last"), &["1:", "11:"]);
}

#[test]
fn requests_may_be_kept_in_arrays() {
    let start = |k: u32| {
        format!("    call mpi_irecv(x, 1, mpi_real, 0, {k}, mpi_comm_world, requests({k}), ierr)\n")
    };
    let wait = "    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)\n";
    let body = format!("  do i = 1, n\n{}{}{wait}  end do", start(1), start(2));
    check(&body, "", &["1:"]);
    let read = format!(
        "  do i = 1, n\n{}    len = requests(1)\n    {SEND}\n{wait}  end do",
        start(1)
    );
    check(&read, "", &[]);
}

#[test]
fn what_is_received_keeps_all() {
    let body = "  do i = 1, n
    call mpi_recv(len, 1, mpi_integer, 0, 1, mpi_comm_world, status, ierr)
    call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
  end do";
    check(body, "", &[]);
    let made = "  do i = 1, n\n    call mpi_comm_dup(mpi_comm_world, k, ierr)\n  end do";
    check(made, "", &[]);
    let read = format!("  do i = 1, n\n    read (*, *) len\n    {SEND}\n  end do");
    check(&read, "", &[]);
}

#[test]
fn loops_may_be_left_early_but_not_jumped_out_of() {
    check(
        &format!("  do i = 1, n\n    {SEND}\n    if (i == m) exit\n  end do"),
        "",
        &["1: i .eq. m"],
    );
    check(
        &format!(
            "  do i = 1, n\n    {SEND}\n    if (i == m) goto 10\n  end do\n  {SEND}\n10 continue"
        ),
        "",
        &[],
    );
}

#[test]
fn terminal_statements_that_do_something_are_reached() {
    check(
        &format!("  do 10 i = 1, n\n    {SEND}\n10 continue"),
        "",
        &["1:"],
    );
    check(
        "  do 10 i = 1, n\n10 call mpi_barrier(mpi_comm_world, ierr)",
        "",
        &[],
    );
}

#[test]
fn constants_carry_nothing_and_counts_do() {
    let converging = format!(
        "  do i = 1, n\n    x(i) = x(i) + i\n    if (x(1) > 3.0) exit\n    {SEND}\n    if (i == n) {SEND}\n  end do"
    );
    check(&converging, "", &[]);
    check_assuming(
        &converging,
        "",
        &[(3, AssumedOutcome::NotTaken)],
        &["1: i .eq. n"],
    );
    check_assuming(&converging, "", &[(3, AssumedOutcome::Trips(5))], &[]);
    // In what an iteration calls.
    let body = "  do i = 1, n\n    call step\n  end do";
    let step = format!(
        "subroutine step
  use mpi
  integer :: k, len, ierr
  real :: x(3)
  len = 1
  do
    x = x + 1
    if (x(1) > 3.0) exit
    {SEND}
  end do
end subroutine
"
    );
    check_assuming(body, &step, &[(13, AssumedOutcome::Trips(2))], &[]);
}

#[test]
fn components_are_carried_by_themselves() {
    let types = "module objects
  type state
    integer :: old, new
    real :: sum
  end type
end module
";
    let step = |inside: &str| {
        format!(
            "subroutine step(n)
  use mpi
  use objects
  integer :: i, n, ierr
  type(state) :: it
  real :: x(3)
  it%old = 1
  do i = 1, n
    {inside}
    call mpi_send(x, it%old, mpi_real, 0, 1, mpi_comm_world, ierr)
  end do
end subroutine
{types}"
        )
    };
    let call = "  call step(n)";
    check(call, &step("it%sum = it%sum + 1"), &["11:"]);
    check(call, &step("it%new = it%old"), &["11:"]);
    check(call, &step("it%old = it%old + 1"), &[]);
    check(call, &step("it%new = it%old\n    it%old = it%new + 1"), &[]);
}
