//! Loops that are cut short while measuring, in programs whose ranks do not enter them alike.

use crate::command::{done, mpiete};
use base_data::compute_data::ComputeData;
use std::collections::BTreeMap;

/// Ranks 0 and 1 enter the loop in `exchange` twice a step, the others once.
const UNEVEN: &str = "\
program uneven
  use mpi
  implicit none
  integer :: step, rank, error
  real :: sum
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  sum = 0
  do step = 1, 40
    if (rank < 2) call exchange(1 - rank)
    call exchange(3 - rank)
  end do
  call mpi_finalize(error)
  if (sum < 0) print *, sum
contains
  subroutine exchange(partner)
    integer, intent(in) :: partner
    integer :: k, status(mpi_status_size)
    real :: own, other
    do k = 1, 20
      own = k + rank
      call mpi_sendrecv(own, 1, mpi_real, partner, 0, other, 1, mpi_real, partner, 0, &
                        mpi_comm_world, status, error)
      sum = sum + other
    end do
  end subroutine
end program
";

/// Four messages of 10, 20, 30 and 40 numbers, taken as they come; how many are added up, the status says.
const TAKEN_AS_THEY_COME: &str = "\
program taken
  use mpi
  implicit none
  integer :: step, rank, ranks, error, i, k, place, length, receives(4), sends(4), status(mpi_status_size)
  real(8) :: own(40), others(40, 4), total
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  own = rank + 1
  total = 0
  do step = 1, 12
    do i = 1, 4
      call mpi_irecv(others(1, i), 40, mpi_double_precision, modulo(rank - i, ranks), i, mpi_comm_world, receives(i), error)
      call mpi_isend(own, 10 * i, mpi_double_precision, modulo(rank + i, ranks), i, mpi_comm_world, sends(i), error)
    end do
    do i = 1, 4
      call mpi_waitany(4, receives, place, status, error)
      call mpi_get_count(status, mpi_double_precision, length, error)
      do k = 1, length
        total = total + others(k, place)
      end do
    end do
    call mpi_waitall(4, sends, mpi_statuses_ignore, error)
  end do
  call mpi_finalize(error)
  if (total < 0) print *, total
end program
";

/// Cut like others, the loop over the receives would be left after the second of them.
#[test]
fn loops_completing_earlier_requests_run_whole() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("taken.f90"), TAKEN_AS_THEY_COME).unwrap();
    done(
        here,
        &[
            "prepare",
            "taken.f90",
            "--whole",
            "-o",
            "study",
            "--clock",
            "statements",
        ],
    );
    let measured = mpiete(here, &["measure", "study", "-n", "6"]);
    assert_eq!(measured.code, 0, "{}", measured.err);
    assert!(
        measured.err.contains("in MPI_Get_count at taken.f90:18"),
        "{}",
        measured.err
    );
    let file = std::fs::read(here.join("study/compute-n6.mpiete")).unwrap();
    let data: ComputeData = base_data::format::decode(&file).unwrap();
    let depends_on_length = |block: usize| data.table.blocks[block].data_dependent;
    // By rank: executions, and statements of all of them. What a message brings may change, so they are kept apart.
    let mut added: BTreeMap<u32, (u64, f64)> = BTreeMap::new();
    for entry in data
        .entries
        .iter()
        .filter(|entry| depends_on_length(entry.block.index()))
    {
        let (executions, statements) = added.entry(entry.coordinates[0].rank).or_default();
        for found in [&entry.first, &entry.warm] {
            *executions += found.count;
            *statements += found.count as f64 * found.mean;
        }
    }
    // The loop's own statement, and two for each number: 51 on average.
    assert_eq!(
        added.into_values().collect::<Vec<_>>(),
        [(48, 48.0 * 51.0); 6]
    );
}

#[test]
fn program_failing_with_cuts_is_measured_with_fewer() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("uneven.f90"), UNEVEN).unwrap();
    done(
        here,
        &[
            "prepare",
            "uneven.f90",
            "-o",
            "study",
            "--clock",
            "statements",
        ],
    );
    let measured = mpiete(here, &["measure", "study", "-n", "4", "--all-ranks"]);
    assert_eq!(measured.code, 0, "{}", measured.err);
    let expected = "measuring again with loops inside others whole, since otherwise deadlock";
    assert!(measured.err.contains(expected), "{}", measured.err);
    let shown = done(here, &["show", "study/compute-n4.mpiete"]);
    let words: Vec<&str> = shown.split_whitespace().collect();
    assert!(
        words.join(" ").contains("loops inside others whole"),
        "{shown}"
    );
}
