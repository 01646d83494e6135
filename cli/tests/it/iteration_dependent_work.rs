//! Blocks whose work depends on data that the loops around them change: what is predicted is what is counted, on every
//! rank, and a loop that was cut short is reported.

use crate::command::done;
use crate::workflow::command;
use base_data::estimate_file::Estimate;
use base_data::observation::Observation;
use std::path::Path;

/// A front moves through the ranks: what a cell costs depends on what has come into it by now.
const FRONT: &str = "\
program front
  use mpi
  implicit none
  integer, parameter :: cells = 200, steps = 100
  integer :: step, i, rank, ranks, error, status(mpi_status_size)
  real(8) :: level(0:cells), inflow, total
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  level = 0
  total = 0
  do step = 1, steps
    inflow = 1
    if (rank > 0) call mpi_recv(inflow, 1, mpi_double_precision, rank - 1, 0, mpi_comm_world, status, error)
    level(0) = inflow
    do i = cells, 1, -1
      level(i) = 0.5d0*(level(i) + level(i - 1))
    end do
    call mpi_barrier(mpi_comm_self, error)
    do i = 1, cells
      if (level(i) > 0.5d0) then
        total = total + sqrt(level(i))
        total = total + sin(level(i))
        total = total*0.999d0
      end if
    end do
    if (rank < ranks - 1) call mpi_send(level(cells), 1, mpi_double_precision, rank + 1, 0, mpi_comm_world, error)
  end do
  call mpi_finalize(error)
  if (total < 0) print *, total
end program
";

/// From a step on that each rank has its own of, all cells are full; how full they must be, the inner loop says.
const FILLED: &str = "\
program filled
  use mpi
  implicit none
  integer :: step, inner, i, k, rank, error
  real(8) :: x(100), total
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  do i = 1, 100
    x(i) = 0.004d0*i
  end do
  total = 0
  do step = 1, 100
    if (step == 40 + 10*rank) x = 1
    do inner = 1, 8
      call mpi_barrier(mpi_comm_world, error)
      do i = 1, 100
        if (x(i) > 0.05d0*inner) then
          do k = 1, 5
            total = total + x(i)*k
          end do
        end if
      end do
    end do
  end do
  call mpi_finalize(error)
  if (total < 0) print *, total
end program
";

/// What a stage does depends on its number; each step goes through all of them.
const STAGES: &str = "\
program stages
  use mpi
  implicit none
  integer :: step, stage, i, k, rank, last, error
  real(8) :: x(100), total
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  last = 7
  do i = 1, 100
    x(i) = 0.01d0*i + 0.05d0*rank
  end do
  total = 0
  do step = 1, 100
    do stage = 1, last
      call mpi_barrier(mpi_comm_world, error)
      do i = 1, 100
        if (x(i) > 0.1d0*stage) then
          do k = 1, 5
            total = total + x(i)*k
          end do
        end if
      end do
    end do
  end do
  call mpi_finalize(error)
  if (total < 0) print *, total
end program
";

/// Rank 0 is ahead of the others, and executes nothing of what its messages decide there.
const AHEAD: &str = "\
program ahead
  use mpi
  implicit none
  integer :: step, rank, error, status(mpi_status_size)
  real(8) :: number, left, total
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  total = 0
  do step = 1, 100
    if (rank == 0) then
      number = step
      call mpi_send(number, 1, mpi_double_precision, 1, 1, mpi_comm_world, error)
    else if (rank == 1) then
      call mpi_recv(number, 1, mpi_double_precision, 0, 1, mpi_comm_world, status, error)
      left = number
      do while (left > 0)
        left = left - 0.5d0
        total = total + left
      end do
    end if
  end do
  call mpi_finalize(error)
  if (total < 0) print *, total
end program
";

/// Next to nothing is done for the first two thirds of the steps, and part of that is not even reached.
const LATE: &str = "\
program late
  use mpi
  implicit none
  integer :: step, i, error
  real(8) :: level, left, total
  call mpi_init(error)
  level = -20
  total = 0
  do step = 1, 300
    level = level + 0.1d0
    left = level
    do while (left > 0)
      left = left - 0.01d0
      total = total + left
    end do
    call mpi_barrier(mpi_comm_world, error)
    if (level > 5) call further()
    do i = 1, 1000
      total = total + 1
    end do
    call mpi_barrier(mpi_comm_world, error)
  end do
  call mpi_finalize(error)
  if (total < 0) print *, total
contains
  subroutine further()
    call mpi_barrier(mpi_comm_self, error)
    left = level
    do while (left > 0)
      left = left - 0.01d0
      total = total + left
    end do
  end subroutine
end program
";

/// Only rank 0 knows which elements count.
const GIVEN: &str = "\
program given
  use mpi
  implicit none
  integer :: step, i, rank, ranks, error, status(mpi_status_size)
  real(8) :: a(50), sum, total
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  a = 0
  sum = 0
  if (rank == 0) then
    a(1:40) = 1
    do i = 1, ranks - 1
      call mpi_send(a, 50, mpi_double_precision, i, 0, mpi_comm_world, error)
    end do
  else
    call mpi_recv(a, 50, mpi_double_precision, 0, 0, mpi_comm_world, status, error)
  end if
  do step = 1, 100
    do i = 1, 50
      if (a(i) > 0.5d0) then
        sum = sum + 1
        sum = sum*0.5d0
        sum = sum + sin(sum)
      end if
    end do
    call mpi_allreduce(sum, total, 1, mpi_double_precision, mpi_sum, mpi_comm_world, error)
  end do
  call mpi_finalize(error)
  if (total < 0) print *, total
end program
";

/// An object of another type than the others' does more.
const OBJECTS: &str = "\
module shapes
  implicit none
  type :: light
    real(8) :: s = 0
  contains
    procedure :: work => light_work
  end type
  type, extends(light) :: heavy
  contains
    procedure :: work => heavy_work
  end type
contains
  subroutine light_work(self, n)
    class(light), intent(inout) :: self
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      self%s = self%s + 1
    end do
  end subroutine
  subroutine heavy_work(self, n)
    class(heavy), intent(inout) :: self
    integer, intent(in) :: n
    integer :: i, j
    do i = 1, n
      do j = 1, 20
        self%s = self%s + 1
      end do
    end do
  end subroutine
end module
program poly
  use mpi
  use shapes
  implicit none
  class(light), allocatable :: one
  integer :: rank, error, step
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  if (rank == 11) then
    allocate(heavy :: one)
  else
    allocate(light :: one)
  end if
  do step = 1, 20
    call mpi_barrier(mpi_comm_world, error)
    call one%work(100)
  end do
  call mpi_finalize(error)
  if (one%s < 0) print *, one%s
end program
";

/// A source lies in one rank's part: what its cells do more depends on data that no other rank has.
const SOURCE: &str = "\
program source
  use mpi
  implicit none
  integer :: step, i, j, rank, ranks, error
  real(8) :: x(50), heat(50), sum, total
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  do i = 1, 50
    x(i) = (rank + i/50d0)/ranks
    heat(i) = exp(-(60*(x(i) - 0.72d0))**2)
  end do
  sum = 0
  do step = 1, 20
    do i = 1, 50
      if (heat(i) > 0.01d0) then
        do j = 1, 100
          sum = sum*0.999d0 + heat(i)
        end do
      else
        do j = 1, 10
          sum = sum*0.999d0 + x(i)
        end do
      end if
    end do
    call mpi_allreduce(sum, total, 1, mpi_double_precision, mpi_sum, mpi_comm_world, error)
  end do
  call mpi_finalize(error)
  if (total < 0) print *, total
end program
";

pub(crate) const PREPARE: [&str; 9] = [
    "--whole",
    "-o",
    "study",
    "--kind",
    "program,compute,observed",
    "--clock",
    "statements",
    "--check",
    "-n",
];

pub(crate) fn read<T: base_data::format::FileContent>(path: &Path) -> T {
    base_data::format::decode(&std::fs::read(path).unwrap()).unwrap()
}

/// Statements of each rank: predicted and counted; and what the estimate warns of.
pub(crate) fn statements(
    source: &str,
    ranks: &str,
    measure: &[&str],
) -> (Vec<[f64; 2]>, Vec<String>) {
    let (statements, estimate) = estimated(source, ranks, measure);
    (statements, estimate.warnings)
}

fn estimated(source: &str, ranks: &str, measure: &[&str]) -> (Vec<[f64; 2]>, Estimate) {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("changing.f90"), source).unwrap();
    done(
        here,
        &command(
            "prepare",
            &["changing.f90".into()],
            &[&PREPARE[..], &[ranks]].concat(),
        ),
    );
    done(here, &["record", "study", "-n", ranks]);
    done(
        here,
        &[&["measure", "study", "-n", ranks][..], measure].concat(),
    );
    done(
        here,
        &["estimate", "study", "-n", ranks, "-o", "estimate.mpiete"],
    );
    let program = [
        "observe",
        "-o",
        "observed.mpiete",
        "study/observed/mpiete/probe",
    ];
    done(
        here,
        &[
            &["run", "-n", ranks, env!("CARGO_BIN_EXE_mpiete")][..],
            &program,
        ]
        .concat(),
    );
    let (estimate, observed): (Estimate, Observation) = (
        read(&here.join("estimate.mpiete")),
        read(&here.join("observed.mpiete")),
    );
    let predicted = estimate
        .per_rank
        .iter()
        .map(|rank| (rank.end - rank.begin).picoseconds() as f64);
    let counted = observed
        .ranks
        .iter()
        .map(|rank| rank.whole().picoseconds() as f64);
    (
        predicted
            .zip(counted)
            .map(|(predicted, counted)| [predicted, counted])
            .collect(),
        estimate,
    )
}

#[test]
fn iteration_dependent_work_is_predicted_exactly() {
    for (source, ranks) in [
        (FRONT, "3"),
        (FILLED, "3"),
        (STAGES, "3"),
        (AHEAD, "2"),
        (LATE, "2"),
        (LATE, "5"),
    ] {
        let (ranks, warnings) = statements(source, ranks, &[]);
        for [predicted, counted] in ranks {
            assert!(
                (predicted / counted - 1.0).abs() < 0.001,
                "{predicted} for {counted}"
            );
        }
        assert!(
            !warnings.iter().any(|warning| warning.contains("--budget")),
            "{warnings:?}"
        );
    }
}

#[test]
fn extrapolation_beyond_measured_iterations_is_reported() {
    let (_, estimate) = estimated(FILLED, "2", &["--budget", "0"]);
    let (expected, warnings) = (
        "beyond the last measured execution (changing.f90:16-22:",
        &estimate.warnings,
    );
    assert!(
        warnings.iter().any(|warning| warning.contains(expected)),
        "{warnings:?}"
    );
    assert!(
        estimate.extrapolated_share > 0.5,
        "{}",
        estimate.extrapolated_share
    );
}

/// Of the one two executions are measured, of the other one.
#[test]
fn extrapolated_iterations_are_in_the_interval() {
    for source in [FILLED, FRONT] {
        let (ranks, estimate) = estimated(source, "2", &["--budget", "0"]);
        let counted = ranks
            .iter()
            .map(|[_, counted]| *counted)
            .fold(0.0, f64::max);
        let [low, high] = [estimate.p10, estimate.p90].map(|time| time.picoseconds() as f64);
        assert!(low < counted && counted < high, "{low} {counted} {high}");
        let behind = estimate
            .warnings
            .iter()
            .any(|warning| warning.contains("beyond the last"));
        assert!(
            behind && estimate.extrapolated_share > 0.3,
            "{:?}",
            estimate.warnings
        );
    }
}

#[test]
fn free_sampling_finds_the_dissimilar_rank() {
    let (ranks, estimate) = estimated(SOURCE, "12", &[]);
    assert!(
        ranks
            .iter()
            .all(|[predicted, counted]| predicted == counted),
        "{ranks:?}"
    );
    assert!(
        !estimate
            .warnings
            .iter()
            .any(|warning| warning.contains("alone")),
        "{:?}",
        estimate.warnings
    );
}

#[test]
fn received_data_are_real_on_all_ranks_and_in_the_interval_solo() {
    for ranks in ["3", "5", "12"] {
        let (ranks, estimate) = estimated(GIVEN, ranks, &[]);
        assert!(
            ranks
                .iter()
                .all(|[predicted, counted]| predicted == counted),
            "{ranks:?}"
        );
        assert_eq!(
            (estimate.p10, estimate.p90),
            (estimate.headline, estimate.headline),
            "all was counted"
        );
    }
    let (ranks, estimate) = estimated(GIVEN, "5", &["--solo-input", "echo"]);
    let counted = ranks
        .iter()
        .map(|[_, counted]| *counted)
        .fold(0.0, f64::max);
    let [low, high] = [estimate.p10, estimate.p90].map(|time| time.picoseconds() as f64);
    assert!(low < counted && counted < high, "{low} {counted} {high}");
    assert!(
        estimate
            .warnings
            .iter()
            .any(|warning| warning.contains("echoed messages")),
        "{:?}",
        estimate.warnings
    );
}

#[test]
fn rank_with_another_dynamic_type_is_found() {
    let (ranks, estimate) = estimated(OBJECTS, "13", &[]);
    assert!(
        ranks
            .iter()
            .all(|[predicted, counted]| predicted == counted),
        "{ranks:?}"
    );
    assert!(
        !estimate
            .warnings
            .iter()
            .any(|warning| warning.contains("alone")),
        "{:?}",
        estimate.warnings
    );
}
