//! Programs recorded as they are: their calls have the places that the slice's have, or as much of
//! them as the binary contains them.

use crate::command::{answer, done, mpiete, wrapper};
use crate::npb_verification;
use crate::workflow::{command, project};
use base_data::CallSiteId;
use base_data::block_table::CallSite;
use base_data::program_data::ProgramData;
use base_data::stream_difference::first_difference;
use npb_fixtures::{KERNELS, ProblemClass};
use std::path::Path;
use std::process::Command;

fn program_data(path: &Path) -> ProgramData {
    base_data::format::decode(&std::fs::read(path).unwrap()).unwrap()
}

/// Marks of the probe and return addresses of the original say the same, call by call.
#[test]
fn places_by_address_equal_those_of_marks() {
    for kernel in &KERNELS {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        done(
            here,
            &command(
                "prepare",
                &project(kernel, ProblemClass::S),
                &["-o", "study"],
            ),
        );
        done(here, &["record", "study", "-n", "4"]);
        npb_verification::compile(here, kernel, ProblemClass::S, &["-O2", "-g"]);
        done(
            here,
            &["record", "-n", "4", "-o", "whole.mpiete", "--", "./kernel"],
        );
        let sliced = program_data(&here.join("study/program-n4.mpiete"));
        let whole = program_data(&here.join("whole.mpiete"));
        assert!(
            whole
                .table
                .call_sites
                .iter()
                .all(|site| site.span.is_some()),
            "{:#?}",
            whole.table
        );
        assert_eq!(first_difference(&sliced, &whole), None, "{kernel:?}");
    }
}

const IN_C: &str = "\
#include <mpi.h>
static inline void meet(void) { MPI_Barrier(MPI_COMM_WORLD); }
__attribute__((noinline)) static double steps(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    meet();
    return MPI_Wtime() + 1;
}
__attribute__((noinline)) static void last(void) {
    MPI_Barrier(MPI_COMM_WORLD);
}
int main(int argc, char **argv) {
    MPI_Init(&argc,
             &argv);
    double time = steps();
    last();
    int error = MPI_Finalize();
    return time < 0 ? 1 : error;
}
";

const IN_FORTRAN: &str = "\
module halo
contains
  subroutine meet()
    include 'mpif.h'
    integer ierr
    call mpi_barrier(MPI_COMM_WORLD, ierr)
  end subroutine
end module
program steps
  use halo
  include 'mpif.h'
  integer ierr
  call mpi_init(ierr)
  call meet()
  call meet()
  call stop_all()
contains
  subroutine stop_all()
    integer own
    call mpi_finalize( &
      own)
  end subroutine
end program
";

/// Compiles a program against mpiete's MPI, as `steps`.
fn compile(here: &Path, source: &str, compiler: &str, flags: &[&str]) {
    let ring = crate::command::root()
        .join("npb-fixtures/programs/patterns/ring.f90")
        .display()
        .to_string();
    done(here, &["prepare", &ring, "-o", "study"]);
    let mut build = Command::new(compiler);
    build.args(flags).args([
        "-Istudy/include",
        source,
        "-o",
        "steps",
        "-Lstudy/lib",
        "-lmpi",
    ]);
    let built = answer(build.current_dir(here));
    assert_eq!(built.code, 0, "{}", built.err);
}

/// The sites of a program: function, place and procedure. Offsets are the compiler's business.
fn sites((name, text): (&str, &str), compiler: &str, flags: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join(name), text).unwrap();
    compile(here, name, compiler, flags);
    recorded_sites(here)
}

/// The sites of the program `steps` in a folder.
fn recorded_sites(here: &Path) -> Vec<String> {
    done(
        here,
        &["record", "-n", "2", "-o", "steps.mpiete", "--", "./steps"],
    );
    let table = program_data(&here.join("steps.mpiete")).table;
    let site = |(id, site): (usize, &CallSite)| {
        let place = table.site_place(CallSiteId::from_index(id));
        let place = place.split("+0x").next().unwrap_or_default();
        format!("{} {place} {}", site.function, site.procedure)
            .trim_end()
            .to_string()
    };
    table.call_sites.iter().enumerate().map(site).collect()
}

#[test]
fn c_calls_have_lines_procedures_or_offsets() {
    let sites = |flags: &[&str]| sites(("steps.c", IN_C), "gcc", flags);
    assert_eq!(
        sites(&["-O1", "-g"]),
        [
            "MPI_Init steps.c:12 main",
            "MPI_Barrier steps.c:4 steps",
            "MPI_Barrier steps.c:2 meet",
            "MPI_Wtime steps.c:6 steps",
            "MPI_Barrier steps.c:9 last",
            "MPI_Finalize steps.c:16 main",
        ]
    );
    let procedures = [
        "MPI_Init steps main",
        "MPI_Barrier steps steps",
        "MPI_Barrier steps steps",
        "MPI_Wtime steps steps",
        "MPI_Barrier steps last",
        "MPI_Finalize steps main",
    ];
    assert_eq!(sites(&["-O1"]), procedures);
    let offsets = procedures.map(|site| site.rsplit_once(' ').unwrap().0);
    assert_eq!(sites(&["-O1", "-s"]), offsets);
    let tail = &sites(&["-O2", "-g"])[4];
    assert_eq!(
        tail, "MPI_Barrier steps",
        "a jump at a function's end leaves no trace of its line"
    );
    assert_eq!(
        sites(&["-O1", "-no-pie", "-gz", "-g"])[1],
        "MPI_Barrier steps.c:4 steps"
    );
}

#[test]
fn fortran_calls_have_lines_procedures_or_offsets() {
    let sites = |flags: &[&str]| sites(("steps.f90", IN_FORTRAN), "gfortran", flags);
    assert_eq!(
        sites(&["-O0", "-g"]),
        [
            "MPI_Init steps.f90:13 steps",
            "MPI_Barrier steps.f90:6 meet",
            "MPI_Finalize steps.f90:21 stop_all",
        ]
    );
    assert_eq!(
        sites(&["-O0"]),
        [
            "MPI_Init steps main",
            "MPI_Barrier steps meet",
            "MPI_Finalize steps stop_all"
        ]
    );
}

/// In the module's interfaces all output arguments are scalars: gfortran may attach none of these calls to its line.
const WITH_MODULE: &str = "\
program steps
  use mpi
  implicit none
  integer ierr, rank, comm
  call mpi_init(ierr)
  comm = MPI_COMM_WORLD
  call mpi_comm_rank(comm, rank, ierr)
  call mpi_barrier(comm, ierr)
  call mpi_finalize(ierr)
end program
";

const WITH_MODULE_2008: &str = "\
program steps
  use mpi_f08
  implicit none
  integer ierr
  type(MPI_Comm) comm
  call mpi_init(ierr)
  comm = MPI_COMM_WORLD
  call mpi_barrier(comm, ierr)
  call mpi_finalize(ierr)
end program
";

#[test]
fn calls_through_modules_have_their_own_lines() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (text, lines) in [
        (
            WITH_MODULE,
            [
                "MPI_Init steps.f90:5 steps",
                "MPI_Barrier steps.f90:8 steps",
                "MPI_Finalize steps.f90:9 steps",
            ],
        ),
        (
            WITH_MODULE_2008,
            [
                "MPI_Init steps.f90:6 steps",
                "MPI_Barrier steps.f90:8 steps",
                "MPI_Finalize steps.f90:9 steps",
            ],
        ),
    ] {
        std::fs::write(here.join("steps.f90"), text).unwrap();
        let built = wrapper(here, "mpiete-fc", &["-g", "steps.f90", "-o", "steps"]);
        assert_eq!(built.code, 0, "{}", built.err);
        assert_eq!(recorded_sites(here), lines);
    }
}

const WAITS: &str = "\
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return value;
}
";

#[test]
fn deadlock_of_a_binary_names_line_or_offset() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("waits.c"), WAITS).unwrap();
    for (flags, places) in [
        (
            ["-O1", "-g"],
            [
                "rank 0 waits in MPI_Recv (partner: rank 1 of MPI_COMM_WORLD, tag 0) at waits.c:7",
                "rank 1 waits in MPI_Barrier on MPI_COMM_WORLD at waits.c:8",
            ],
        ),
        (
            ["-O1", "-s"],
            [
                "rank 0 waits in MPI_Recv (partner: rank 1 of MPI_COMM_WORLD, tag 0) at steps+0x",
                "rank 1 waits in MPI_Barrier on MPI_COMM_WORLD at steps+0x",
            ],
        ),
    ] {
        compile(here, "waits.c", "gcc", &flags);
        let ended = mpiete(here, &["run", "-n", "2", "./steps"]);
        assert_eq!(ended.code, 1, "{}", ended.err);
        assert!(
            places.iter().all(|place| ended.err.contains(place)),
            "{}",
            ended.err
        );
    }
}
