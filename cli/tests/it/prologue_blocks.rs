//! What statements with messages in them evaluate themselves is in blocks: slice, original and observed probe have them alike
//! where each form stands, the compute probe times them, and the estimate reports statements outside all blocks.

use crate::command::{done, mpiete};
use crate::observe::read;
use base_data::block_table::BlockKind;
use base_data::compute_data::ComputeData;
use base_data::estimate_file::Estimate;

/// Every form, behind labels, on shared lines, in one line with its IF, left by EXIT, CYCLE and GOTO.
const FORMS: &str = "\
module shared
  use mpi
  implicit none
  integer :: n, m, q, error, rank
  real(8) :: s
  real(8), allocatable :: r(:), u(:, :)
  logical, allocatable :: mask(:)
contains
  pure real(8) function norm(x)
    real(8), intent(in) :: x(:)
    integer :: i
    norm = 0
    do i = 1, size(x)
      norm = norm + x(i)**2
    end do
  end function
  real(8) function talk(x)
    real(8), intent(in) :: x
    call mpi_allreduce(x, talk, 1, mpi_double_precision, mpi_max, mpi_comm_self, error)
  end function
  subroutine halo(a, k)
    integer, intent(inout) :: k
    real(8), intent(inout) :: a(*)
    call mpi_barrier(mpi_comm_self, error)
    if (q > 4) return
    a(1:k) = 0.5d0
    k = k + 1
  end subroutine
  subroutine look(a)
    real(8), intent(in) :: a(:)
    if (a(1) > 0) call mpi_barrier(mpi_comm_self, error)
  end subroutine
end module
program forms
  use shared
  implicit none
  integer :: it, i, k
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  n = 100 + 50*rank
  m = 9
  q = 0
  allocate(r(n), u(n, 20), mask(n))
  r = 1; u = 2; mask = .false.; mask(1:3) = .true.
  do it = 1, 9
    q = q + 1
    call mpi_allreduce(sum(r*r), s, 1, mpi_double_precision, mpi_sum, mpi_comm_self, error)
    if (maxval(abs(r)) < 1d-9) exit
    if (sum(u(:, it)) < -1) call mpi_barrier(mpi_comm_self, error)
    if (rank >= 0) call halo(u(3, :), m); if (q > 2) call look(2*u(:, 1)); k = 1
    if (sum(u) < 0) then
      call mpi_barrier(mpi_comm_self, error)
    else if (sum(r(:m)) > 0) then
      u = u + 1
    end if
    do i = 1, count(mask)
      call mpi_barrier(mpi_comm_self, error)
    end do
    select case (int(sum(r)*0) + 1)
    case (1)
      call mpi_barrier(mpi_comm_self, error)
    end select
    if (it == 3) goto 20
    k = 2
20  call mpi_bcast(u(1:n:2, :), m, mpi_double_precision, 0, mpi_comm_self, error)
    if (norm(r) < q - 99) cycle
    k = 0
    do while (sqrt(sum(r*r)) > 1 .and. k < 6)
      k = k + 1
      if (k == 2) cycle
      call mpi_barrier(mpi_comm_self, error)
      if (k == 5) exit
      r = r*0.9d0
    end do
    k = 0
    do while (sum(u) > 0 .and. k < 4); k = k + 1; call mpi_barrier(mpi_comm_self, error); end do
    k = 0
    outer: do while (sum(u) > 0 .and. k < 4)
      k = k + 1
      if (k == 3) goto 30
      do i = 1, 3
        if (i == 2 .and. k == 2) cycle outer
        call mpi_barrier(mpi_comm_self, error)
      end do
30  end do outer
    associate (twice => u*2)
      call mpi_barrier(mpi_comm_self, error)
    end associate
    r = r + talk(1d0)*1d-3
    if (sum(r) + talk(1d0) < 0) exit
    m = 9
  end do
  if (s < -5) print *, s, r
  call mpi_finalize(error)
end program
";

/// The line of a source that contains a text.
fn line(source: &str, text: &str) -> u32 {
    source
        .lines()
        .position(|line| line.contains(text))
        .expect("a line") as u32
        + 1
}

#[test]
fn prologues_are_equal_in_slice_original_and_observed_probe() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("forms.f90"), FORMS).unwrap();
    let kinds = "program,compute,observed";
    let check = [
        "prepare",
        "forms.f90",
        "--strict",
        "-o",
        "study",
        "--check",
        "-n",
        "2",
        "--kind",
        kinds,
    ];
    let said = done(here, &check);
    for probe in ["original", "observed"] {
        let equal = format!("sliced and {probe} program make equal event streams on 2 ranks");
        assert!(said.contains(&equal), "{said}");
    }
    done(here, &["record", "study", "-n", "2"]);
    done(here, &["measure", "study", "-n", "2", "--co-run", "1"]);
}

/// With what part of it is in no block: a sentence that comes with the estimate.
#[test]
fn statements_add_up_and_work_outside_blocks_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("forms.f90"), FORMS).unwrap();
    let prepare = [
        "prepare",
        "forms.f90",
        "--strict",
        "--whole",
        "-o",
        "study",
        "--clock",
        "statements",
    ];
    done(
        here,
        &[
            &prepare[..],
            &["--check", "-n", "2", "--kind", "program,compute,observed"],
        ]
        .concat(),
    );
    done(here, &["record", "study", "-n", "2"]);
    done(here, &["measure", "study", "-n", "2", "--co-run", "1"]);
    let said = done(here, &["estimate", "study", "-n", "2"]);
    let observe = [
        "observe",
        "-o",
        "observed.mpiete",
        "study/observed/mpiete/probe",
    ];
    done(
        here,
        &[
            &["run", "-n", "2", env!("CARGO_BIN_EXE_mpiete")][..],
            &observe,
        ]
        .concat(),
    );
    let compare = [
        "compare",
        "study/estimate-n2.mpiete",
        "observed.mpiete",
        "--format",
        "csv",
    ];
    let compared = mpiete(here, &compare).out;
    let ranks: Vec<Vec<&str>> = compared
        .lines()
        .filter(|line| line.starts_with("rank,"))
        .map(|line| line.split(',').collect())
        .collect();
    // Work in loops that are cut short is about the same as in complete ones.
    let is_equal = |rank: &Vec<&str>| {
        let [predicted, counted] = [8, 9].map(|column| rank[column].parse::<f64>().unwrap());
        counted > 300.0 && (predicted - counted).abs() <= 0.005 * counted
    };
    assert!(ranks.len() == 2 && ranks.iter().all(is_equal), "{compared}");
    let estimate: Estimate = read(here, "study/estimate-n2.mpiete");
    let place = line(FORMS, "sum(r) + talk");
    let expected = |warning: &String| {
        warning.contains(&format!(
            "forms.f90:{place}: array work in the \
            conditions or arguments"
        ))
    };
    assert!(estimate.warnings.iter().any(expected), "{said}");
}

/// Long sums in an argument, a condition and the condition of a loop; and a copy back.
const LONG: &str = "\
program long
  use mpi
  implicit none
  integer :: error, it, k
  real(8) :: s
  real(8), allocatable :: r(:)
  call mpi_init(error)
  allocate(r(200000))
  r = 1
  do it = 1, 5
    call mpi_allreduce(sum(r*r), s, 1, mpi_double_precision, mpi_sum, mpi_comm_self, error)
    if (maxval(abs(r)) < 1d-9) exit
    k = 0
    do while (sum(r) > 0 .and. k < 3)
      k = k + 1
      call mpi_barrier(mpi_comm_self, error)
    end do
    call mpi_bcast(r(1:200000:2), 100000, mpi_double_precision, 0, mpi_comm_self, error)
  end do
  if (s < 0) print *, s
  call mpi_finalize(error)
end program
";

#[test]
fn prologues_are_timed_at_their_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("long.f90"), LONG).unwrap();
    done(here, &["prepare", "long.f90", "--strict", "-o", "study"]);
    done(here, &["record", "study", "-n", "1"]);
    done(here, &["measure", "study", "-n", "1", "--co-run", "1"]);
    let measured: ComputeData = read(here, "study/compute-n1.mpiete");
    for (text, blocks) in [
        ("sum(r*r)", 1),
        ("maxval", 1),
        ("do while", 1),
        ("bcast", 2),
    ] {
        let line = line(LONG, text);
        let is_there = |block: usize| {
            let found = &measured.table.blocks[block];
            found.kind == BlockKind::Compute
                && found.span.first_line == line
                && found.span.last_line == line
        };
        let times = measured
            .entries
            .iter()
            .filter(|entry| is_there(entry.block.index()));
        let times: Vec<f64> = times.map(|entry| entry.warm.mean).collect();
        // Reading a hundred thousand numbers takes no processor less than ten microseconds.
        assert!(
            times.len() == blocks && times.iter().all(|&time| time > 1e7),
            "{text}: {times:?}"
        );
    }
}

/// What is evaluated behind a function with messages of its own.
const BEHIND: &str = "\
program behind
  use mpi
  implicit none
  integer :: error, it
  real(8), allocatable :: r(:)
  call mpi_init(error)
  allocate(r(1000))
  r = 1
  do it = 1, 3
    if (sum(r) + talk(1d0) < 0) exit
  end do
  call mpi_finalize(error)
contains
  real(8) function talk(x)
    real(8), intent(in) :: x
    call mpi_allreduce(x, talk, 1, mpi_double_precision, mpi_max, mpi_comm_world, error)
  end function
end program
";

#[test]
fn work_outside_blocks_is_reported_by_predict_and_sweep() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("behind.f90"), BEHIND).unwrap();
    let expected = format!(
        "behind.f90:{}: array work in the conditions or arguments",
        line(BEHIND, "talk(1d0)")
    );
    let on = ["--platform", "fast-ethernet"];
    done(
        here,
        &[
            &["predict", "behind.f90", "-n", "2", "-o", "study"],
            &on[..],
        ]
        .concat(),
    );
    let estimate: Estimate = read(here, "study/estimate-n2.mpiete");
    assert!(
        estimate
            .warnings
            .iter()
            .any(|warning| warning.contains(&expected)),
        "{:?}",
        estimate.warnings
    );
    let swept = done(
        here,
        &[&["sweep", "study", "--vary", "ranks=2,3"], &on[..]].concat(),
    );
    assert!(swept.contains(&expected), "{swept}");
}
