//! What goes wrong is said in one sentence that names file, line and remedy, with the right exit
//! code, and leaves nothing half-written behind.

use crate::command::{CommandOutput, answer, done, mpiete, root};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::process::Command;

fn pattern(name: &str) -> String {
    root()
        .join("npb-fixtures/programs/patterns")
        .join(name)
        .display()
        .to_string()
}

/// Expects this exit code and all of these words on standard error.
fn refused(answer: &CommandOutput, code: i32, words: &[&str]) {
    assert_eq!(answer.code, code, "{}\n{}", answer.out, answer.err);
    for word in words {
        assert!(
            answer.err.contains(word),
            "'{word}' is missing in: {}",
            answer.err
        );
    }
    assert!(!answer.err.contains("panicked"), "{}", answer.err);
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().next().is_none()
}

#[test]
fn invalid_sources_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    refused(
        &mpiete(here, &["analyze", "nothing.f"]),
        2,
        &["nothing.f", "does not exist"],
    );
    refused(
        &mpiete(here, &["prepare", &pattern("broken.f90"), "-o", "study"]),
        2,
        &["broken.f90:"],
    );
    refused(
        &mpiete(here, &["prepare", ".", "-o", "study"]),
        2,
        &["no Fortran files"],
    );
    assert!(is_empty(here), "something was left behind");
}

#[test]
fn a_work_folder_must_be_one() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("file"), "").unwrap();
    std::fs::copy(pattern("ring.f90"), here.join("ring.f90")).unwrap();
    for (name, expected) in [
        ("absent", "no such folder; create it (it may be empty)"),
        ("file", "is not a folder"),
    ] {
        let words = ["predict", "ring.f90", "-n", "2", "--workdir", name];
        refused(&mpiete(here, &words), 2, &[name, expected]);
    }
}

#[test]
fn a_missing_include_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("a.f90"),
        "program a\n include 'absent.h'\n x = 1\nend program\n",
    )
    .unwrap();
    refused(
        &mpiete(folder.path(), &["prepare", "a.f90", "-o", "study"]),
        2,
        &["a.f90:2", "absent.h", "-I"],
    );
    assert!(!folder.path().join("study").exists());
}

#[test]
fn unknown_mpi_call_is_listed_and_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let source = pattern("unknown_mpi.f");
    let listed = mpiete(folder.path(), &["analyze", &source]);
    assert_eq!(listed.code, 0, "{}", listed.err);
    assert!(
        listed.out.to_lowercase().contains("mpi_put"),
        "{}",
        listed.out
    );
    let words = [
        "predict",
        &source,
        "-n",
        "2",
        "--platform",
        "fast-ethernet",
        "-o",
        "study",
    ];
    refused(
        &mpiete(folder.path(), &words),
        2,
        &["unknown_mpi.f:", "not supported"],
    );
    refused(
        &mpiete(folder.path(), &["prepare", &source, "-o", "study"]),
        2,
        &["unknown_mpi.f:", "not supported"],
    );
    assert!(is_empty(folder.path()));
}

#[test]
fn a_section_that_is_not_executed_once() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (section, words) in [
        ("sweep", ["section.f:4", "2 times"]),
        ("unused", ["section.f:6", "0 times"]),
    ] {
        done(
            here,
            &[
                "prepare",
                &pattern("section.f"),
                "--section",
                section,
                "-o",
                section,
            ],
        );
        refused(&mpiete(here, &["record", section, "-n", "2"]), 2, &words);
        assert!(!here.join(section).join("program-n2.mpiete").exists());
    }
    let none = mpiete(
        here,
        &[
            "prepare",
            &pattern("section.f"),
            "--section",
            "section.f:9000-9001",
            "-o",
            "none",
        ],
    );
    refused(&none, 2, &["section.f", "9000"]);
    refused(
        &mpiete(
            here,
            &["analyze", &pattern("section.f"), "--section", "section.f:x"],
        ),
        2,
        &["--section"],
    );
}

/// Programs of one name that begin alike.
fn sources_with_equal_names(here: &Path) {
    for (name, work) in [
        ("one", "s = s + i*0.5d0"),
        ("other", "if (i > 3) s = s + sqrt(s)"),
    ] {
        let source = format!(
            "program t
  use mpi
  integer :: error, step, i
  real(8) :: s
  call mpi_init(error)
  s = 0
  do step = 1, 10
    call mpi_barrier(mpi_comm_world, error)
    do i = 1, 1000
      {work}
    end do
  end do
  call mpi_finalize(error)
  if (s < 0) print *, s
end program
"
        );
        std::fs::write(here.join(format!("{name}.f90")), source).unwrap();
        let clock = ["--kind", "program,compute", "--clock", "statements"];
        done(
            here,
            &[&["prepare", &format!("{name}.f90"), "-o", name][..], &clock].concat(),
        );
        done(here, &["record", name, "-n", "2"]);
        done(here, &["measure", name, "-n", "2", "--co-run", "1"]);
    }
    let files = ["one/compute-n2.mpiete", "other/compute-n2.mpiete"];
    let merged = mpiete(
        here,
        &["merge", files[0], files[1], "-o", "same-name.mpiete"],
    );
    refused(&merged, 2, &["different programs"]);
    assert!(!here.join("same-name.mpiete").exists());
    done(here, &["measure", "one", "-n", "4", "--co-run", "1"]);
    done(
        here,
        &[
            "merge",
            files[0],
            "one/compute-n4.mpiete",
            "-o",
            "same-name.mpiete",
        ],
    );
}

#[test]
fn data_of_different_programs_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for name in ["ring.f90", "split.f90"] {
        done(here, &["prepare", &pattern(name), "-o", name]);
        done(here, &["record", name, "-n", "4"]);
        done(here, &["measure", name, "-n", "4", "--co-run", "1"]);
    }
    let (ring, split) = ("ring.f90/program-n4.mpiete", "split.f90/compute-n4.mpiete");
    let mixed = mpiete(
        here,
        &["estimate", ring, split, "--platform", "fast-ethernet"],
    );
    refused(&mixed, 2, &["ring", "split"]);
    let merged = mpiete(
        here,
        &[
            "merge",
            "ring.f90/compute-n4.mpiete",
            split,
            "-o",
            "both.mpiete",
        ],
    );
    refused(&merged, 2, &["different programs"]);
    assert!(!here.join("both.mpiete").exists());
    sources_with_equal_names(here);
    altered_files_are_rejected(here, ring);
    let two = mpiete(
        here,
        &["estimate", ring, ring, "--platform", "fast-ethernet"],
    );
    refused(&two, 2, &["one file of program data"]);
    let wrong_ranks = mpiete(
        here,
        &[
            "estimate",
            "ring.f90",
            "-n",
            "8",
            "--platform",
            "fast-ethernet",
        ],
    );
    refused(&wrong_ranks, 2, &["mpiete record"]);
}

fn altered_files_are_rejected(here: &Path, ring: &str) {
    let bytes = std::fs::read(here.join(ring)).unwrap();
    std::fs::write(here.join("short.mpiete"), &bytes[..bytes.len() - 5]).unwrap();
    let mut altered = bytes.clone();
    *altered.last_mut().unwrap() ^= 1;
    std::fs::write(here.join("altered.mpiete"), &altered).unwrap();
    std::fs::write(here.join("other.mpiete"), "something else\n").unwrap();
    let cases = [
        ("short.mpiete", "truncated"),
        ("altered.mpiete", "altered"),
        ("other.mpiete", "is not a file of mpiete"),
        ("absent.mpiete", "cannot be read"),
    ];
    for (file, words) in cases {
        refused(&mpiete(here, &["show", file]), 2, &[file, words]);
    }
}

#[test]
fn messages_name_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let ring = pattern("ring.f90");
    let cases: [(&[&str], &str); 4] = [
        (&["show", "infiniband"], "`mpiete show platforms`"),
        (
            &["estimate", "absent.study", "-n", "2"],
            "absent.study does not exist; name a study (`mpiete prepare`",
        ),
        (
            &["sweep", &ring],
            "mpiete: sweep: give the number of ranks with -n",
        ),
        (
            &["analyze", &ring, "--section", "1-9"],
            "or lines as FILE:FIRST-LAST",
        ),
    ];
    for (words, remedy) in cases {
        refused(&mpiete(folder.path(), words), 2, &[remedy]);
    }
}

#[test]
fn no_compiler() {
    let folder = tempfile::tempdir().unwrap();
    done(
        folder.path(),
        &["prepare", &pattern("ring.f90"), "-o", "study"],
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_mpiete"));
    command
        .args(["record", "study", "-n", "2"])
        .current_dir(folder.path())
        .env("FC", "no-such-compiler");
    refused(
        &answer(&mut command),
        2,
        &["no compiler", "no-such-compiler", "FC"],
    );
}

#[test]
fn invalid_platform_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let predict = |platform: &str, ranks: &str| {
        mpiete(
            folder.path(),
            &[
                "predict",
                &pattern("ring.f90"),
                "-n",
                ranks,
                "--platform",
                platform,
                "-o",
                "study",
            ],
        )
    };
    refused(&predict("nowhere", "2"), 2, &["nowhere", "fast-ethernet"]);
    refused(
        &predict("fast-ethernet", "100000"),
        2,
        &["fast-ethernet", "100000"],
    );
    refused(&predict("here", "2"), 2, &["--comm"]);
    std::fs::write(folder.path().join("p.toml"), "format = 1\nname = \"x\"\n").unwrap();
    refused(&predict("p.toml", "2"), 2, &["p.toml", "nodes"]);

    // Nothing is wrong with the file itself, but with one that it names.
    let text = include_str!("../../../machine/src/platforms/fast-ethernet.toml").replacen(
        "\nnodes",
        "\nplacement = { file = \"absent.txt\" }\nnodes",
        1,
    );
    std::fs::write(folder.path().join("p.toml"), text).unwrap();
    refused(&predict("p.toml", "2"), 2, &["absent.txt"]);
    refused(
        &mpiete(folder.path(), &["show", "p.toml"]),
        2,
        &["absent.txt"],
    );
}

#[test]
fn foreign_folder_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("mine")).unwrap();
    std::fs::write(folder.path().join("mine/thesis.txt"), "years of work").unwrap();
    let answer = mpiete(
        folder.path(),
        &["prepare", &pattern("ring.f90"), "-o", "mine"],
    );
    refused(&answer, 2, &["mine", "contains other files"]);
    refused(
        &mpiete(folder.path(), &["record", "mine", "-n", "2"]),
        2,
        &["is not a study"],
    );
}

/// A device would be replaced the same way as this pipe.
#[test]
fn only_files_are_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    done(here, &["prepare", &pattern("ring.f90"), "-o", "study"]);
    assert!(
        Command::new("mkfifo")
            .arg(here.join("pipe"))
            .status()
            .unwrap()
            .success()
    );
    std::os::unix::fs::symlink("pipe", here.join("link")).unwrap();
    let pipe = || std::fs::metadata(here.join("link")).unwrap();
    for output in ["pipe", "link"] {
        refused(
            &mpiete(here, &["record", "study", "-n", "2", "-o", output]),
            2,
            &[output, "no regular file"],
        );
        assert!(pipe().file_type().is_fifo());
    }
    std::fs::write(here.join("file"), "").unwrap();
    std::os::unix::fs::symlink("file", here.join("other")).unwrap();
    done(here, &["record", "study", "-n", "2", "-o", "other"]);
    assert!(
        std::fs::metadata(here.join("file")).unwrap().len() > 0,
        "a link is followed"
    );
    assert!(here.join("other").is_symlink());
}

#[test]
fn invalid_measurement_options_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        ("--budget", "1e300", "seconds"),
        ("--sampling-budget", "nan", "not below 0"),
        ("--interval", "0", "above 0"),
    ];
    for (option, value, words) in cases {
        refused(
            &mpiete(
                folder.path(),
                &[
                    "measure", "study", "-n", "2", "--co-run", "1", option, value,
                ],
            ),
            2,
            &[option, value, words],
        );
    }
}

/// What fails on all ranks together is not run again on all of them in turn.
#[test]
fn program_without_its_input_is_run_once() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let source = "program reads\n use mpi\n integer :: n, i, error\n call mpi_init(error)\n read *, n\n \
                  call mpi_bcast(n, 1, mpi_integer, 0, mpi_comm_world, error)\n do i = 1, n\n \
                  call mpi_barrier(mpi_comm_world, error)\n end do\n call mpi_finalize(error)\n\
                  end program\n";
    std::fs::write(here.join("reads.f90"), source).unwrap();
    done(here, &["prepare", "reads.f90", "--whole", "-o", "study"]);
    let answer = mpiete(here, &["measure", "study", "-n", "5", "--co-run", "1"]);
    refused(&answer, 1, &["mpiete: "]);
    assert_eq!(answer.err.matches("mpiete: ").count(), 1, "{}", answer.err);
}

#[test]
fn a_rank_that_crashes() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    done(here, &["prepare", &pattern("crash.f90"), "-o", "study"]);
    let words = ["measure", "study", "-n", "2", "--co-run", "1"];
    refused(&mpiete(here, &words), 1, &["rank 1", "signal"]);
    assert!(!here.join("study/compute-n2.mpiete").exists());
}

#[test]
fn deadlock_names_each_ranks_line() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    done(here, &["prepare", &pattern("deadlock.f90"), "-o", "study"]);
    let measured = mpiete(
        here,
        &[
            "measure",
            "study",
            "-n",
            "2",
            "--co-run",
            "1",
            "--all-ranks",
        ],
    );
    refused(&measured, 1, &["deadlock", "deadlock.f90:", "MPI_Recv"]);
}

/// What INCLUDE lines bring stands in the probes: nothing is written outside the study, and files of one
/// name stay apart.
#[test]
fn includes_of_any_name() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let main = |include: &str| format!("program a\n include '{include}'\n x = m\nend program\n");
    for (name, text) in [
        ("size.h", "integer, parameter :: m = 5\n"),
        ("run/size.h", "precious\n"),
    ] {
        std::fs::create_dir_all(here.join("run")).unwrap();
        std::fs::write(here.join(name), text).unwrap();
    }
    std::fs::create_dir_all(here.join("x/y")).unwrap();
    std::fs::write(here.join("x/y/a.f90"), main("../../size.h")).unwrap();
    done(
        &here.join("run"),
        &["prepare", "../x/y/a.f90", "-o", "study"],
    );
    assert_eq!(
        std::fs::read_to_string(here.join("run/size.h")).unwrap(),
        "precious\n"
    );
    std::fs::write(here.join("x/size.h"), "integer, parameter :: m = 6\n").unwrap();
    std::fs::write(here.join("a.f90"), main("size.h")).unwrap();
    std::fs::write(
        here.join("x/b.f90"),
        "subroutine b\n include 'size.h'\n y = m\nend subroutine\n",
    )
    .unwrap();
    done(here, &["prepare", "a.f90", "x/b.f90", "-o", "study"]);
    let probe =
        |name: &str| std::fs::read_to_string(here.join("study/compute").join(name)).unwrap();
    assert!(probe("a.f90").contains("m = 5") && probe("x/b.f90").contains("m = 6"));
}

#[test]
fn altered_study_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    done(here, &["prepare", &pattern("ring.f90"), "-o", "study"]);
    done(here, &["record", "study", "-n", "4"]);
    done(here, &["measure", "study", "-n", "4", "--co-run", "1"]);
    done(here, &["prepare", &pattern("split.f90"), "-o", "study"]);
    let stale = mpiete(
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
    refused(&stale, 2, &["ring", "split", "mpiete record"]);
    let text = std::fs::read_to_string(here.join("study/study.json")).unwrap();
    std::fs::write(
        here.join("study/study.json"),
        text.replace("split", "spilt"),
    )
    .unwrap();
    refused(
        &mpiete(here, &["record", "study", "-n", "4"]),
        2,
        &["study.json", "altered"],
    );
}

#[test]
fn missing_probe_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let prepare = |rest: &[&str]| {
        mpiete(
            here,
            &[
                &["prepare", &pattern("ring.f90"), "-o", "study", "--kind"],
                rest,
            ]
            .concat(),
        )
    };
    refused(
        &prepare(&["observed", "--check"]),
        2,
        &["--check", "add program to --kind"],
    );
    assert!(is_empty(here));
    refused(
        &prepare(&["nonsense"]),
        2,
        &["nonsense", "program, compute, observed"],
    );
    assert_eq!(prepare(&["observed"]).code, 0);
    assert!(here.join("study/observed/ring.f90").is_file() && !here.join("study/compute").exists());
    for (step, probe) in [("record", "program"), ("measure", "compute")] {
        let expected = format!("no {probe} probe");
        refused(
            &mpiete(here, &[step, "study", "-n", "2"]),
            2,
            &[&expected, "--kind"],
        );
    }
    assert_eq!(prepare(&["compute"]).code, 0);
    assert!(
        !here.join("study/observed").exists(),
        "a probe that the study no longer holds"
    );
}

#[test]
fn data_of_another_unit_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let ring = pattern("ring.f90");
    for (clock, study) in [("time", "timed"), ("statements", "counted")] {
        done(here, &["prepare", &ring, "-o", study, "--clock", clock]);
        done(here, &["measure", study, "-n", "2", "--co-run", "1"]);
    }
    done(here, &["record", "timed", "-n", "2"]);
    let (timed, counted) = ("timed/compute-n2.mpiete", "counted/compute-n2.mpiete");
    let mixed = mpiete(
        here,
        &["estimate", "timed/program-n2.mpiete", counted, timed],
    );
    refused(
        &mixed,
        2,
        &[
            "contain times, expected counts of statements",
            "omit the files",
        ],
    );
    refused(
        &mpiete(here, &["merge", counted, timed, "-o", "both.mpiete"]),
        2,
        &["counted statements"],
    );
}
