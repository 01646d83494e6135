//! Programs whose control flow may depend on clocks that no analysis has seen: every report says so in its first line,
//! and only then.

use crate::command::{answer, done, mpiete};
use npb_fixtures::skipped::skip;
use std::path::Path;
use std::process::Command;

const NOTE: &str =
    "the recorded control flow is that of mpiete's MPI library and may differ under another MPI";

/// A program in C that reads a clock, or none; by the macro CLOCK.
const BINARY: &str = "\
#include <mpi.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>
#ifdef __x86_64__
#include <x86intrin.h>
#else
#define __rdtsc() clock()
#endif
struct tms ticks;
struct rusage usage;
int main(int argc, char **argv) {
    struct timespec now = {0};
    MPI_Init(&argc, &argv);
    CLOCK;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return now.tv_nsec < 0;
}
";

/// Fortran with a timer around its section, and a procedure in C.
const MAIN: &str = "\
program timed
  include 'mpif.h'
  integer ierr, count, rate
  double precision t, wtime
  external wtime
  call mpi_init(ierr)
  call system_clock(count, rate)
  t = wtime()
  call mpi_barrier(MPI_COMM_WORLD, ierr)
  call other(MPI_COMM_WORLD)
  print *, wtime() - t, mpi_wtime()
  call mpi_finalize(ierr)
end program
";
const TIMER: &str = "\
#include <sys/time.h>
double wtime_(void) {
    struct timeval now;
    gettimeofday(&now, 0);
    return now.tv_sec + now.tv_usec * 1e-6;
}
";
const COMMUNICATES: &str = "\
#include <mpi.h>
void other_(int *comm) { MPI_Barrier(MPI_Comm_f2c(*comm)); }
";
const COMPUTES: &str = "void other_(int *comm) { (void)comm; }\n";

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The first lines of what `record` and `show` print of a binary that reads this clock.
fn of_binary(here: &Path, clock: &str) -> [String; 2] {
    std::fs::write(here.join("a.c"), BINARY.replace("CLOCK", clock)).unwrap();
    let built = answer(
        Command::new("mpicc.mpich")
            .args(["-g", "-w", "a.c", "-o", "a"])
            .current_dir(here),
    );
    assert_eq!(built.code, 0, "{}", built.err);
    let recorded = done(here, &["record", "-n", "2", "-o", "a.mpiete", "--", "./a"]);
    let shown = done(here, &["show", "a.mpiete"]);
    [recorded, shown].map(|text| first_line(&text).to_string())
}

#[test]
fn binary_with_a_clock_is_noted_first() {
    if Command::new("mpicc.mpich").arg("-show").output().is_err() {
        skip("mpicc.mpich is not installed; install mpich");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for clock in [
        "MPI_Wtime()",
        "clock_gettime(CLOCK_MONOTONIC, &now)",
        "time(0)",
        "timespec_get(&now, TIME_UTC)",
        "clock()",
        "times(&ticks)",
        "getrusage(RUSAGE_SELF, &usage)",
        "syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now)",
        "syscall(SYS_getrusage, RUSAGE_SELF, &usage)",
        "now.tv_nsec = __rdtsc() & 1",
    ] {
        for line in of_binary(here, clock) {
            assert!(
                line.contains(NOTE) && line.contains("a.c:18"),
                "{clock}: {line}"
            );
        }
    }
    // Formats without a place for it.
    for to in ["ti", "goal"] {
        let converted = mpiete(here, &["convert", "a.mpiete", "--to", to]);
        assert!(converted.err.contains(NOTE), "{to}: {}", converted.err);
    }
    for line in of_binary(here, "(void)now") {
        assert!(!line.contains(NOTE), "{line}");
    }
}

/// What `record` prints of a study in this folder, whose procedure in C has this text.
fn of_study(here: &Path, other: &str) -> String {
    for (name, text) in [("main.f90", MAIN), ("timer.c", TIMER), ("other.c", other)] {
        std::fs::write(here.join(name), text).unwrap();
    }
    let build = "mpicc -c timer.c other.c && mpif90 main.f90 timer.o other.o -o timed";
    done(here, &["prepare", "--from-build", build, "-o", "study"]);
    let recorded = done(here, &["record", "study", "-n", "2"]);
    let shown = done(here, &["show", "study/program-n2.mpiete"]);
    assert_eq!(
        first_line(&shown).contains(NOTE),
        first_line(&recorded).contains(NOTE),
        "{shown}"
    );
    recorded
}

/// A clock in the compiler's library may be read for the analysed sources; symbols show that other code refers to one.
#[test]
fn communicating_code_with_a_fortran_clock_is_noted() {
    const READS: &str = "\
#include <mpi.h>
void _gfortran_cpu_time_8(double *);
void other_(int *comm) {
    double now;
    _gfortran_cpu_time_8(&now);
    MPI_Barrier(MPI_Comm_f2c(*comm));
}
";
    let folder = tempfile::tempdir().unwrap();
    let recorded = of_study(folder.path(), READS);
    assert!(first_line(&recorded).contains(NOTE), "{recorded}");
}

#[test]
fn timers_in_c_without_communication_are_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let recorded = of_study(folder.path(), COMPUTES);
    assert!(!recorded.contains(NOTE), "{recorded}");
}

#[test]
fn communicating_library_with_a_clock_is_named_first_in_every_report() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let recorded = of_study(here, COMMUNICATES);
    assert!(first_line(&recorded).contains(NOTE), "{recorded}");

    done(here, &["measure", "study", "-n", "2", "--co-run", "1"]);
    let program = "study/program-n2.mpiete";
    let compute = "study/compute-n2.mpiete";
    let estimate = |more: &[&str]| {
        let files = ["estimate", program, compute, "--platform", "fast-ethernet"];
        done(here, &[&files[..], more].concat())
    };
    let texts = [
        estimate(&["-o", "a.mpiete"]),
        estimate(&["--total-only"]),
        done(here, &["compare", "a.mpiete", "a.mpiete"]),
        done(here, &["compare", program, program]),
        done(
            here,
            &[
                "sweep",
                program,
                compute,
                "--vary",
                "latency=1x,2x",
                "--platform",
                "fast-ethernet",
            ],
        ),
    ];
    for text in texts {
        assert!(first_line(&text).contains(NOTE), "{text}");
        assert_eq!(text.matches("may depend on it").count(), 1, "{text}");
    }

    // Output without a place for it.
    for arguments in [
        vec!["show", "a.mpiete", "--format", "csv"],
        vec!["show", "study"],
        vec!["estimate", program, compute, "--format", "csv"],
        vec!["meta", "--from", "study", "-n", "2"],
        vec![
            "sweep",
            program,
            compute,
            "--vary",
            "latency=1x,2x",
            "--format",
            "svg",
        ],
    ] {
        let said = mpiete(here, &arguments);
        assert!(
            said.code == 0 && said.err.contains(NOTE),
            "{arguments:?}: {}",
            said.err
        );
    }

    let json = done(here, &["show", "a.mpiete", "--format", "json"]);
    let (_, warnings) = json.split_once("\"warnings\": [").unwrap();
    assert!(warnings.trim_start()[1..].starts_with(NOTE), "{warnings}");
    let html = done(here, &["show", "a.mpiete", "--format", "html"]);
    let (_, page) = html.split_once("<h1>").unwrap();
    let (_, after_title) = page.split_once("</h1>").unwrap();
    let note = after_title
        .find("the recorded control flow is that of")
        .unwrap();
    assert!(note < 80, "{after_title}");
}
