//! Several commands in one study at the same time, as a job array starts them.

use crate::command::{CommandOutput, answer, done, mpiete};
use std::path::Path;
use std::process::Command;

const RING: &str = "\
program ring
  use mpi
  implicit none
  integer :: error, rank, ranks, i
  real(8) :: a(1000)
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  do i = 1, 1000
    a(i) = sqrt(real(i + rank, 8))
  end do
  call mpi_sendrecv_replace(a, 1000, mpi_double_precision, mod(rank + 1, ranks), 0, &
    mod(rank + ranks - 1, ranks), 0, mpi_comm_world, mpi_status_ignore, error)
  if (a(1) < 0) print *, a(1)
  call mpi_finalize(error)
end program ring
";

/// Runs all commands at once; gives what each left.
fn at_once(folder: &Path, commands: &[Vec<&str>]) -> Vec<CommandOutput> {
    std::thread::scope(|scope| {
        let start = |words: &Vec<&str>| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_mpiete"));
            command.args(words).current_dir(folder).env_remove("FFLAGS");
            scope.spawn(move || answer(&mut command))
        };
        let started: Vec<_> = commands.iter().map(start).collect();
        started
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
}

fn all_done(answers: &[CommandOutput]) {
    for answer in answers {
        assert_eq!(answer.code, 0, "{}\n{}", answer.out, answer.err);
    }
}

/// Names in a folder that begin like this.
fn beginning(folder: &Path, prefix: &str) -> usize {
    let entries = std::fs::read_dir(folder).unwrap();
    entries
        .filter(|entry| {
            entry
                .as_ref()
                .unwrap()
                .file_name()
                .to_string_lossy()
                .starts_with(prefix)
        })
        .count()
}

#[test]
fn commands_of_a_job_array_share_a_fresh_study() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("ring.f90"), RING).unwrap();
    done(here, &["prepare", "ring.f90", "-o", "study"]);
    let commands = [
        vec!["record", "study", "-n", "2"],
        vec!["record", "study", "-n", "3"],
        vec!["record", "study", "-n", "4"],
        vec!["measure", "study", "-n", "2", "--co-run", "1"],
        vec![
            "measure",
            "study",
            "-n",
            "4",
            "--co-run",
            "1",
            "--all-ranks",
        ],
    ];
    all_done(&at_once(here, &commands));
    for probe in ["program", "compute"] {
        let probe = here.join("study").join(probe);
        assert_eq!(
            beginning(&probe, "compiled-"),
            1,
            "{} was compiled more than once",
            probe.display()
        );
        assert_eq!(beginning(&probe, ".build-"), 0);
    }
    done(
        here,
        &[
            "estimate",
            "study",
            "-n",
            "4",
            "--platform",
            "fast-ethernet",
        ],
    );
}

#[test]
fn concurrent_predictions_in_one_study_are_serialised() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("ring.f90"), RING).unwrap();
    let predict = |ranks| {
        vec![
            "predict",
            "ring.f90",
            "-o",
            "study",
            "--platform",
            "fast-ethernet",
            "-n",
            ranks,
        ]
    };
    let answers = at_once(
        here,
        &[
            predict("2"),
            predict("3"),
            vec!["prepare", "ring.f90", "-o", "study"],
        ],
    );
    all_done(&answers);
    for ranks in ["2", "3"] {
        done(
            here,
            &[
                "estimate",
                "study",
                "--platform",
                "fast-ethernet",
                "-n",
                ranks,
            ],
        );
    }
}

#[test]
fn probe_is_rebuilt_after_a_killed_build() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("ring.f90"), RING).unwrap();
    done(here, &["prepare", "ring.f90", "-o", "study"]);
    let unfinished = here.join("study/program/.build-left");
    std::fs::create_dir(&unfinished).unwrap();
    std::fs::write(unfinished.join("probe"), "half of a program").unwrap();
    done(here, &["record", "study", "-n", "2"]);
    assert!(!unfinished.exists());
}

#[test]
fn folder_without_study_stays_empty() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["record", "measure"] {
        let refused = mpiete(folder.path(), &[command, ".", "-n", "2"]);
        assert_eq!(refused.code, 2, "{}", refused.err);
        assert!(refused.err.contains("is not a study"), "{}", refused.err);
    }
    assert_eq!(beginning(folder.path(), ""), 0);
}
