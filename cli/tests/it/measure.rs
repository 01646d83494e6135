//! `measure` where something is not as it was, or fails.

use crate::command::{answer, done, mpiete};
use std::process::Command;

/// Rank 0 reads standard input that is empty; no call depends on it.
const READS: &str = "\
program reads
  use mpi
  implicit none
  integer :: error, rank, n
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  if (rank == 0) read (*,*) n
  call mpi_bcast(n, 1, mpi_integer, 0, mpi_comm_world, error)
  call mpi_finalize(error)
end program
";

#[test]
fn failing_program_is_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("reads.f90"), READS).unwrap();
    done(
        folder.path(),
        &["prepare", "reads.f90", "--whole", "-o", "study"],
    );
    let failed = mpiete(
        folder.path(),
        &["measure", "study", "-n", "6", "--co-run", "1"],
    );
    assert_eq!(failed.code, 1, "{}", failed.err);
    assert_eq!(
        failed.err.matches("Fortran runtime error").count(),
        1,
        "{}",
        failed.err
    );
}

#[test]
fn flags_differing_from_the_study_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("reads.f90"),
        READS.replace("read (*,*) n", "n = 1"),
    )
    .unwrap();
    let run = |flags: &str, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mpiete"));
        let answer = answer(
            command
                .args(arguments)
                .env("FFLAGS", flags)
                .current_dir(folder.path()),
        );
        assert_eq!(answer.code, 0, "{}", answer.err);
        answer.err
    };
    run(
        "-O1 -cpp -DHERE",
        &["prepare", "reads.f90", "--whole", "-o", "study"],
    );
    // If FC is not set, the study's compiler is used: the user may continue in another shell.
    let unset = mpiete(
        folder.path(),
        &["measure", "study", "-n", "2", "--co-run", "1"],
    );
    assert!(
        unset.code == 0 && !unset.err.contains("FFLAGS"),
        "{}",
        unset.err
    );
    let shown = mpiete(folder.path(), &["show", "study/compute-n2.mpiete"]);
    assert!(shown.out.contains("-O1"), "{}", shown.out);
    let made = std::fs::read_to_string(folder.path().join("study/Makefile")).unwrap();
    assert!(made.contains("\nFFLAGS ?= -O1\n"), "{made}");
    let same = run("-O1", &["measure", "study", "-n", "2", "--co-run", "1"]);
    assert!(!same.contains("FFLAGS"), "{same}");
    let other = run("-O0", &["measure", "study", "-n", "2", "--co-run", "1"]);
    assert_eq!(
        other
            .matches("FFLAGS was '-O1' when it was prepared and is '-O0' now")
            .count(),
        1,
        "{other}"
    );
}

#[test]
fn a_study_keeps_its_compiler() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("reads.f90"),
        READS.replace("read (*,*) n", "n = 1"),
    )
    .unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mpiete"));
    let prepare = ["prepare", "reads.f90", "--whole", "-o", "study"];
    let prepared = answer(
        command
            .args(prepare)
            .env("FC", "gfortran -fstack-protector")
            .current_dir(folder.path()),
    );
    assert_eq!(prepared.code, 0, "{}", prepared.err);
    let made = std::fs::read_to_string(folder.path().join("study/Makefile")).unwrap();
    assert!(
        made.contains("\nFC ?= gfortran -fstack-protector\n"),
        "{made}"
    );
    done(
        folder.path(),
        &["measure", "study", "-n", "2", "--co-run", "1"],
    );
    let probe = folder
        .path()
        .join("study/compute/probe")
        .canonicalize()
        .unwrap();
    let stamp = std::fs::read_to_string(probe.with_file_name("compiled-with")).unwrap();
    assert!(stamp.starts_with("gfortran -fstack-protector\n"), "{stamp}");
}

/// Rank 0 sends its parent's process, which is the command that runs the ranks, a signal.
const INTERRUPTS: &str = "\
program interrupts
  use mpi
  implicit none
  integer :: error, rank
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  if (rank == 0) call execute_command_line('kill -s SIGNAL $(cut -d \" \" -f 4 /proc/$PPID/stat)')
  do
    call mpi_barrier(mpi_comm_world, error)
  end do
end program
";

#[test]
fn interrupt_has_the_shells_exit_code() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        let source = INTERRUPTS.replace("SIGNAL", signal);
        std::fs::write(here.join("interrupts.f90"), source).unwrap();
        done(
            here,
            &["prepare", "interrupts.f90", "--whole", "-o", "study"],
        );
        for ranks in ["1", "2"] {
            let ended = mpiete(
                here,
                &[
                    "measure",
                    "study",
                    "-n",
                    ranks,
                    "--co-run",
                    "1",
                    "--all-ranks",
                ],
            );
            assert!(
                ended.code == code && ended.err.contains("interrupted"),
                "{} {}",
                ended.code,
                ended.err
            );
        }
        let left = std::fs::read_dir(here.join("study"))
            .unwrap()
            .filter_map(Result::ok);
        let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
        let is_data = |name: &std::ffi::OsString| name.to_string_lossy().contains("compute-n");
        assert!(!left.iter().any(is_data), "{left:?}");
    }
}

/// Temporaries of 40 MB are mappings that cause page faults in each execution, unless the C library keeps freed memory.
const TEMPORARIES: &str = "\
program temporaries
  use mpi
  implicit none
  integer, parameter :: n = 5000000
  real(8), allocatable :: large(:)
  real(8) :: part, whole
  integer :: error, step
  call mpi_init(error)
  whole = 1
  do step = 1, 20
    allocate (large(n))
    large = whole
    part = large(n)*1d-3
    deallocate (large)
    call mpi_allreduce(part, whole, 1, mpi_double_precision, mpi_sum, mpi_comm_world, error)
  end do
  print *, whole
  call mpi_finalize(error)
end program
";

#[test]
fn page_faults_of_freed_memory_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("temporaries.f90"), TEMPORARIES).unwrap();
    done(
        folder.path(),
        &["prepare", "temporaries.f90", "--whole", "-o", "study"],
    );
    let measured = |tunables: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mpiete"));
        command
            .args(["measure", "study", "-n", "1"])
            .env("GLIBC_TUNABLES", tunables);
        let answer = answer(command.current_dir(folder.path()));
        assert_eq!(answer.code, 0, "{}", answer.err);
        answer.err
    };
    let warned = measured("");
    assert_eq!(
        warned.matches("page faults of freed memory").count(),
        1,
        "{warned}"
    );
    let advice = warned
        .split_whitespace()
        .find_map(|word| word.strip_prefix("GLIBC_TUNABLES="));
    let kept = measured(advice.unwrap());
    assert!(!kept.contains("given back"), "{kept}");
}
