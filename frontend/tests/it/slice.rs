//! Which lines stay. Marked lines (`!+`) stay, others go.

use crate::harness::{analyse, check_kept};

#[test]
fn what_decides_calls_and_their_arguments_stays() {
    check_kept(
        "program t
  use mpi
  integer :: n, i, ierr, me
  real :: a(100), s
  call mpi_init(ierr) !+
  call mpi_comm_rank(mpi_comm_world, me, ierr) !+
  n = 10 !+
  if (me > 3) n = 20 !+
  do i = 1, n
    a(i) = i
  end do
  call mpi_bcast(a, n, mpi_real, 0, mpi_comm_world, ierr) !+
  s = sum(a)
  print *, s
  call mpi_finalize(ierr) !+
end program
",
    );
}

/// Pitfall 1: a function is not an array.
#[test]
fn a_function_used_for_a_count_stays() {
    check_kept(
        "program t
  use mpi
  integer :: n, ierr, np
  integer, external :: il2
  call mpi_init(ierr) !+
  call mpi_comm_size(mpi_comm_world, np, ierr) !+
  n = il2(np) !+
  call mpi_bcast(n, il2(n), mpi_integer, 0, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
end program
integer function il2(n)
  integer :: n, k
  k = n !+
  il2 = 0 !+
  do while (k > 1) !+
    k = k/2 !+
    il2 = il2 + 1 !+
  end do
end function
",
    );
}

/// Pitfall 4: an EXIT decides what its loop leaves in the DO variable.
#[test]
fn the_final_value_of_a_do_variable_keeps_its_exits() {
    check_kept(
        "program t
  use mpi
  integer :: u, ierr, n
  logical :: l
  real :: x
  call mpi_init(ierr) !+
  do u = 7, 99 !+
    inquire (unit=u, opened=l) !+
    if (.not. l) exit !+
    x = x + 1
  end do
  n = u !+
  call mpi_barrier(mpi_comm_world + n, ierr) !+
  call mpi_finalize(ierr) !+
end program
",
    );
}

/// A DO variable that is used inside its loop only does not link the loops that count in it.
#[test]
fn loops_are_not_linked_by_their_variable() {
    check_kept(
        "program t
  use mpi
  integer :: i, ierr
  real :: a(10)
  call mpi_init(ierr) !+
  do i = 1, 10
    a(i) = i
  end do
  do i = 1, 3 !+
    call mpi_bcast(a, i, mpi_real, 0, mpi_comm_world, ierr) !+
  end do
  call mpi_finalize(ierr) !+
end program
",
    );
}

/// Pitfall 5: what is named must exist.
/// (Of another array its bounds stay, which determine how much memory it takes.)
#[test]
fn allocate_of_a_named_array_stays_with_its_bounds() {
    check_kept(
        "program t
  use mpi
  integer :: n, m, k, ierr
  real, allocatable :: a(:), b(:)
  call mpi_init(ierr) !+
  n = 10 !+
  m = 20 !+
  k = 30
  allocate (a(n)) !+
  allocate (b(m))
  a(1) = 1
  b(1) = 2
  call mpi_bcast(a, 1, mpi_real, 0, mpi_comm_world, ierr) !+
  deallocate (a) !+
  call mpi_finalize(ierr) !+
end program
",
    );
}

/// Pitfall 6: bounds of dummies and automatic arrays.
#[test]
fn specification_expressions_of_kept_procedures_are_needed() {
    check_kept(
        "program t
  use mpi
  integer :: d, ierr
  real :: a(100)
  call mpi_init(ierr) !+
  d = 10 !+
  call k(d, a) !+
  call mpi_finalize(ierr) !+
end program
subroutine k(d1, a)
  use mpi
  integer :: d1, ierr
  real :: a(d1, *), w(d1)
  w(1) = 1
  a(1, 1) = w(1)
  call mpi_bcast(a, 1, mpi_real, 0, mpi_comm_world, ierr) !+
end subroutine
",
    );
}

/// Pitfall 8: log files go, a deck that is written and read again stays.
#[test]
fn writes_stay_only_where_their_file_is_read() {
    check_kept(
        "program t
  use mpi
  integer :: ierr
  call mpi_init(ierr) !+
  call work !+
  call mpi_finalize(ierr) !+
end program
subroutine work
  use mpi
  integer :: n, lu, ierr
  real :: x
  x = 2.5
  lu = 9
  open (lu, file='log')
  write (lu, *) x
  n = 4 !+
  open (8, file='deck') !+
  write (8, *) n !+
  rewind (8) !+
  read (8, *) n !+
  close (8) !+
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr) !+
end subroutine
",
    );
}

/// Pitfalls 20 and 21: optional input; a READ of something else moves the file on.
#[test]
fn input_stays_in_order() {
    check_kept(
        "program t
  use mpi
  integer :: n, k, ierr
  real :: skip
  call mpi_init(ierr) !+
  n = 3 !+
  open (2, file='in', status='old', iostat=k) !+
  if (k == 0) then !+
    read (2, *) skip !+
    read (2, *) n !+
    close (2) !+
  end if
  call mpi_bcast(skip, n, mpi_real, 0, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
end program
",
    );
}

/// Pitfall 12: masks are conditions.
#[test]
fn convergence_in_a_mask_stays() {
    check_kept(
        "program t
  use mpi
  integer :: ierr, n
  real :: d(4), eps
  logical :: done(4)
  call mpi_init(ierr) !+
  eps = 0.5 !+
  d = 1 !+
  done = .false. !+
  where (d <= eps) done = .true. !+
  n = count(done) !+
  call mpi_bcast(d, n, mpi_real, 0, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
end program
",
    );
}

/// Pitfall 14: one scratch variable does not link what it is used for.
#[test]
fn scratch_variables_link_nothing() {
    check_kept(
        "program t
  use mpi
  integer :: ios, ierr, n
  real :: x
  call mpi_init(ierr) !+
  open (9, file='log', iostat=ios)
  if (ios /= 0) print *, 'no log'
  open (2, file='in', iostat=ios) !+
  n = 1 !+
  if (ios == 0) n = 2 !+
  close (2) !+
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
end program
",
    );
}

/// Pitfall 16: a count made in a packing loop stays, the packing goes.
#[test]
fn counts_of_packing_loops_stay() {
    check_kept(
        "program t
  use mpi
  integer :: len, i, j, ierr
  real :: u(10, 10), buff(100)
  call mpi_init(ierr) !+
  len = 0 !+
  do i = 2, 9 !+
    do j = 2, 9 !+
      len = len + 1 !+
      buff(len) = u(i, j)
    end do
  end do
  call mpi_send(buff, len, mpi_real, 0, 1, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
end program
",
    );
}

/// Pitfall 18: a scalar with the name of a procedure elsewhere.
#[test]
fn names_are_resolved_per_procedure() {
    check_kept(
        "program t
  use mpi
  integer :: ierr, n
  call mpi_init(ierr) !+
  call one(n) !+
  call mpi_bcast(n, n, mpi_integer, 0, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
end program
subroutine one(n)
  integer :: n, error
  error = 3 !+
  n = error !+
end subroutine
subroutine error
  print *, 'never'
end subroutine
",
    );
}

/// Pitfall 19: a function with side effects in an assignment whose target is not used.
#[test]
fn side_effects_of_functions_stay() {
    check_kept(
        "program t
  use mpi
  integer :: ierr, seed
  real :: d, rnd, y
  call mpi_init(ierr) !+
  seed = 1 !+
  d = rnd(seed, y) !+
  call mpi_bcast(y, seed, mpi_real, 0, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
end program
real function rnd(x, y)
  integer :: x
  real :: y
  x = 2*x !+
  y = x
  rnd = x
end function
",
    );
}

#[test]
fn a_procedure_without_source_is_feared_unless_vouched_for() {
    let source = "program t
  use mpi
  integer :: ierr
  real :: a(4)
  external kernel
  call mpi_init(ierr)
  a(1) = 1
  call kernel(a)
  call mpi_finalize(ierr)
end program
";
    let feared = analyse(source);
    assert_eq!(feared.kept(), [6, 7, 8, 9]);
    assert!(
        feared.remarks().contains("kernel has no source"),
        "{}",
        feared.remarks()
    );
    let options = frontend::Options {
        data_only: vec!["KERNEL".into()],
        ..Default::default()
    };
    let trusted = crate::harness::analyse_with(source, &options);
    assert_eq!(
        (trusted.kept(), trusted.remarks().as_str()),
        (vec![6, 9], "")
    );
}

/// A procedure that the user vouches for writes real and complex arguments, of any rank, and nothing else.
#[test]
fn what_is_vouched_for_writes_real_arguments_only() {
    let source = "program t
  use mpi
  type pair
    integer :: first
    real :: second
  end type
  type(pair) :: both
  integer :: ierr, n(2), m
  real :: a(4), s
  external kernel
  call mpi_init(ierr)
  n(1) = 1
  m = 0
  s = 1
  call kernel(a, s, n, m)
  call mpi_bcast(a, n(1), mpi_real, m, mpi_comm_world, ierr)
  CONDITION
  call mpi_finalize(ierr)
end program
";
    let options = frontend::Options {
        data_only: vec!["kernel".into()],
        ..Default::default()
    };
    let kept = |call: &str, condition: &str| {
        let source = source
            .replace("call kernel(a, s, n, m)", call)
            .replace("CONDITION", condition);
        crate::harness::analyse_with(&source, &options).kept()
    };
    let barrier =
        |condition: &str| format!("if ({condition}) call mpi_barrier(mpi_comm_world, ierr)");
    assert_eq!(
        kept("call kernel(a, s, n, m)", "continue"),
        [11, 12, 13, 16, 18]
    );
    assert_eq!(
        kept("call kernel(a, s, n, m)", &barrier("s > 0")),
        [11, 12, 13, 14, 15, 16, 17, 18]
    );
    assert_eq!(
        kept("call kernel(a, s, n, m)", &barrier("a(2) > 0")),
        [11, 12, 13, 14, 15, 16, 17, 18]
    );
    assert_eq!(
        kept("call kernel(both)", &barrier("both%second > 0")),
        [11, 12, 13, 15, 16, 17, 18]
    );
    assert_eq!(
        kept("call kernel(both%first)", &barrier("both%first > 0")),
        [11, 12, 13, 16, 17, 18]
    );
}

/// Each kept statement says who needed it first, back to an MPI call.
#[test]
fn reasons_lead_to_the_criterion() {
    let analysed = analyse(
        "program t
  use mpi
  integer :: ierr, n, m
  call mpi_init(ierr)
  m = 2
  n = m
  call mpi_bcast(n, n, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
",
    );
    let why = |line: usize| {
        let index = (0..analysed.analysis.slice.kept.len())
            .find(|&i| analysed.line(i) == line)
            .unwrap();
        let reason = analysed.analysis.slice.reasons[index].clone().unwrap();
        (
            reason.because,
            reason.needed_by.map(|by| analysed.line(by.0 as usize)),
        )
    };
    assert_eq!(why(5), ("defines m".into(), Some(6)));
    assert_eq!(why(6), ("defines n".into(), Some(7)));
    assert_eq!(why(7), ("is an MPI call".into(), None));
}

#[test]
fn a_clock_that_decides_is_named() {
    let analysed = analyse(
        "program t
  use mpi
  integer :: ierr, i
  double precision :: t0, now
  call mpi_init(ierr)
  t0 = mpi_wtime()
  do i = 1, 10
    now = mpi_wtime() - t0
    if (now > 5) exit
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call mpi_finalize(ierr)
end program
",
    );
    assert!(
        analysed.remarks().contains("a clock decides"),
        "{}",
        analysed.remarks()
    );
    let sites: Vec<u32> = analysed
        .analysis
        .time_dependent
        .iter()
        .map(|place| place.site.0)
        .collect();
    assert_eq!(sites, [1]);
}

/// Two places are one note; what has no source may write `n` and `k`, but no times, and what is read from a file
/// is none, either.
#[test]
fn a_procedure_without_source_makes_no_clock_of_common() {
    let analysed = analyse(
        "program t
  use mpi
  integer :: ierr, i, n, k, m, unit
  double precision :: t0, now
  common /c/ n, k
  call mpi_init(ierr)
  t0 = mpi_wtime()
  call unknown(now, t0)
  write (unit, *) t0
  read (unit + 1, *) m
  if (m > 1) call mpi_barrier(mpi_comm_world, ierr)
  do i = 1, n
    if (k > 5) call mpi_barrier(mpi_comm_world, ierr)
  end do
  if (now > 1) call mpi_barrier(mpi_comm_world, ierr)
  if (now > 2) call mpi_barrier(mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
",
    );
    let remarks = analysed.remarks();
    let clocks: Vec<&str> = remarks
        .lines()
        .filter(|line| line.contains("a clock decides"))
        .collect();
    assert_eq!(clocks.len(), 1, "{remarks}");
    assert!(clocks[0].ends_with(":16)"), "{remarks}");
    let places = &analysed.analysis.time_dependent;
    assert!(
        places.len() == 2 && places[1].reason.ends_with("t.f90:16"),
        "{places:?}"
    );
}
