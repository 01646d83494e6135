//! `mpiete record --virtual`: ranks that run one by one give the data of ranks that run together.

use crate::command::{done, mpiete};
use crate::workflow::{command, project};
use base_data::program_data::{ProgramData, RecordMethod};
use base_data::provenance::Provenance;
use npb_fixtures::{KERNELS, ProblemClass, programs};
use std::path::Path;

fn program_data(path: &Path) -> ProgramData {
    base_data::format::decode(&std::fs::read(path).unwrap()).unwrap()
}

/// Records both ways; whether the ranks ran one by one, and what was said if not.
fn agree(here: &Path, ranks: u32) -> (bool, String) {
    let ranks = ranks.to_string();
    done(here, &["record", "study", "-n", &ranks, "-o", "together"]);
    let alone = mpiete(
        here,
        &["record", "study", "-n", &ranks, "--virtual", "-o", "alone"],
    );
    assert_eq!(alone.code, 0, "{}", alone.err);
    let [together, alone_data] = ["together", "alone"].map(|name| program_data(&here.join(name)));
    let method = alone_data.method;
    let bare = |data: ProgramData| ProgramData {
        provenance: Provenance::default(),
        method: RecordMethod::Sliced,
        ..data
    };
    assert_eq!(bare(alone_data), bare(together), "{ranks} ranks");
    let remarks = alone
        .err
        .lines()
        .filter(|line| !line.starts_with("the slice keeps "));
    (method == RecordMethod::Virtual, remarks.collect())
}

#[test]
fn kernels_are_recorded_rank_by_rank() {
    for kernel in &KERNELS {
        let folder = tempfile::tempdir().unwrap();
        let project = project(kernel, ProblemClass::S);
        done(
            folder.path(),
            &command("prepare", &project, &["--kind", "program", "-o", "study"]),
        );
        for ranks in [2, 16] {
            assert_eq!(
                agree(folder.path(), ranks),
                (true, String::new()),
                "{kernel:?}, {ranks} ranks"
            );
        }
    }
}

#[test]
fn ranks_of_split_communicators_are_recorded_rank_by_rank() {
    let folder = tempfile::tempdir().unwrap();
    let source = programs().join("patterns/split.f90").display().to_string();
    done(
        folder.path(),
        &["prepare", &source, "--kind", "program", "-o", "study"],
    );
    for ranks in [1, 6, 64] {
        assert_eq!(
            agree(folder.path(), ranks),
            (true, String::new()),
            "{ranks} ranks"
        );
    }
}

/// How often is sent depends on a sum over all ranks.
const LIVE: &str = "\
program live
  include 'mpif.h'
  integer :: rank, times, i, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Allreduce(rank, times, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  do i = 1, times
    call MPI_Barrier(MPI_COMM_WORLD, error)
    if (mod(i, rank + 1) == 0) print *, i
  end do
  call MPI_Finalize(error)
end program live
";

#[test]
fn dependent_ranks_run_together() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("live.f90"), LIVE).unwrap();
    done(
        folder.path(),
        &["prepare", "live.f90", "--kind", "program", "-o", "study"],
    );
    let (is_virtual, said) = agree(folder.path(), 3);
    assert!(
        !is_virtual && said.contains("MPI_Allreduce on MPI_COMM_WORLD at live.f90:6"),
        "{said}"
    );
}

/// What rank 1 writes, the others read.
const SHARED: &str = "\
program shared
  include 'mpif.h'
  integer :: rank, times, i, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  if (rank == 1) then
    open(12, file='times')
    write(12, *) 5
    close(12)
  end if
  call MPI_Barrier(MPI_COMM_WORLD, error)
  open(12, file='times', status='old')
  read(12, *) times
  do i = 1, times
    call MPI_Bcast(rank, i, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  end do
  call MPI_Finalize(error)
end program shared
";

#[test]
fn file_sharing_ranks_run_together() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("shared.f90"), SHARED).unwrap();
    let said = done(
        folder.path(),
        &[
            "prepare",
            "shared.f90",
            "--kind",
            "program",
            "-o",
            "study",
            "--check",
            "-n",
            "3",
        ],
    );
    assert!(
        said.contains("make equal event streams on 3 ranks"),
        "{said}"
    );
    let (is_virtual, said) = agree(folder.path(), 3);
    assert!(
        !is_virtual && said.contains("MPI_Barrier on MPI_COMM_WORLD at shared.f90:11"),
        "{said}"
    );
}

#[test]
fn binary_is_not_recorded_rank_by_rank() {
    let folder = tempfile::tempdir().unwrap();
    let refused = mpiete(
        folder.path(),
        &["record", "--virtual", "-n", "4", "--", "/bin/true"],
    );
    assert_eq!(refused.code, 2, "{}", refused.err);
}
