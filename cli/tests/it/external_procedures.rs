//! What commands say of procedures that have no source. What a slice keeps for their sake is tested in the frontend.

use crate::command::mpiete;

/// A prediction depends on what procedures without source are taken to do: so each command that makes a slice says it, once.
#[test]
fn external_procedures_are_reported_with_each_slice() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let program = "program p
  use mpi
  integer :: ierr, n
  call mpi_init(ierr)
  call fill(n)
  call fill(n)
  call mpi_bcast(n, 1, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
";
    std::fs::write(here.join("p.f90"), program).unwrap();
    // What is to be linked is missing: `predict` and `sweep` end after their analysis.
    let commands: [&[&str]; 3] = [
        &["prepare", "p.f90", "-o", "a"],
        &[
            "predict",
            "p.f90",
            "-n",
            "2",
            "--platform",
            "fast-ethernet",
            "-o",
            "b",
        ],
        &[
            "sweep",
            "p.f90",
            "-n",
            "2",
            "--platform",
            "fast-ethernet",
            "--study",
            "c",
        ],
    ];
    for command in commands {
        let said = mpiete(here, command).err;
        assert_eq!(
            said.matches("fill has no source here: it is assumed to call MPI")
                .count(),
            1,
            "{command:?}: {said}"
        );
    }
    std::fs::write(
        here.join("mpiete.toml"),
        "[externals]\ndata_only = [\"fill\"]\n",
    )
    .unwrap();
    let said = mpiete(here, &["prepare", "p.f90", "-o", "a"]).err;
    assert!(!said.contains("no source here"), "{said}");
}
