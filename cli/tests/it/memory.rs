//! Memory: program data and compute data both contain the requested memory of ranks, which carries the measured peak
//! to other numbers of ranks.

use crate::command::done;
use base_data::Rank;
use base_data::compute_data::ComputeData;
use base_data::estimate_file::Estimate;
use base_data::format::{FileContent, decode};
use base_data::program_data::ProgramData;
use std::path::Path;

/// The last rank has the rest. `field` is allocated in a procedure that has nothing to do with MPI, `scratch` anew in
/// each step, and `found` by what was computed.
const PROGRAM: &str = "\
module fields
  implicit none
  real(8), allocatable :: field(:,:)
  real(8) :: table(100, 100)
contains
  subroutine make(rows, columns)
    integer, intent(in) :: rows, columns
    allocate (field(0:rows + 1, columns))
    field = 1
  end subroutine
end module

program memory
  use mpi
  use fields
  implicit none
  integer :: error, rank, ranks, n, step, mine
  real(8) :: total
  real(8), allocatable :: scratch(:), found(:)
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  n = 1000
  mine = n / ranks
  if (rank == ranks - 1) mine = n - mine * (ranks - 1)
  call make(mine, n)
  table = 2
  do step = 1, 5
    allocate (scratch(mine * 10))
    scratch = step
    field(1:mine, 1) = field(1:mine, 1) + scratch(1:mine)
    deallocate (scratch)
    call mpi_barrier(mpi_comm_world, error)
  end do
  total = sum(field) + sum(table)
  allocate (found(int(total / 1d6)))
  found = total
  if (rank == 0 .and. sum(found) < 0) print *, found
  call mpi_finalize(error)
end program
";

fn read<T: FileContent>(here: &Path, name: &str) -> T {
    decode(&std::fs::read(here.join(name)).unwrap()).unwrap()
}

/// Bytes of the main program's scalars: six integers and a real number.
const SCALARS: u64 = 6 * 4 + 8;

/// Requested memory of a rank at one time, of the arrays with known extents.
fn asked(rank: u32, ranks: u32) -> u64 {
    let rest = 1000 - 1000 / ranks * (ranks - 1);
    let mine = u64::from(if rank == ranks - 1 {
        rest
    } else {
        1000 / ranks
    });
    SCALARS + 8 * (100 * 100 + (mine + 2) * 1000 + mine * 10)
}

#[test]
fn requested_memory_extrapolates_measured_peaks() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("memory.f90"), PROGRAM).unwrap();
    done(here, &["prepare", "memory.f90", "--whole", "-o", "study"]);
    done(here, &["measure", "study", "-n", "4", "--co-run", "1"]);
    let measured: ComputeData = read(here, "study/compute-n4.mpiete");
    let requested = |rank: u32| {
        measured
            .requested_memory
            .iter()
            .find(|one| one.rank == rank)
            .unwrap()
            .bytes
    };
    assert_eq!(
        [0, 1, 2, 3].map(requested),
        [0, 1, 2, 3].map(|rank| asked(rank, 4))
    );
    for way in [&[][..], &["--virtual"]] {
        done(here, &[&["record", "study", "-n", "3"], way].concat());
        let program: ProgramData = read(here, "study/program-n3.mpiete");
        for requested in &program.requested_memory {
            requested
                .ranks
                .iter()
                .for_each(|Rank(rank)| assert_eq!(requested.bytes, asked(rank, 3)));
        }
        let allocation = |name: &str| {
            program
                .allocations
                .iter()
                .find(|one| one.name == name)
                .unwrap()
        };
        assert!(
            allocation("found").expression.is_empty() && !allocation("field").expression.is_empty()
        );
        done(
            here,
            &[
                "estimate",
                "study",
                "-n",
                "3",
                "--platform",
                "fast-ethernet",
            ],
        );
        let estimate: Estimate = read(here, "study/estimate-n3.mpiete");
        let memory: Vec<&String> = estimate
            .warnings
            .iter()
            .filter(|line| line.starts_with("memory:"))
            .collect();
        let said = "(rank 2): arrays";
        assert!(
            matches!(memory[..], [line] if line.contains(said) && line.contains("found (")),
            "{memory:?}"
        );
    }
}
