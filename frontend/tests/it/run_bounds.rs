//! Clocks that are started before MPI_Init or stopped behind MPI_Finalize.

use crate::harness::analyse_with;
use frontend::options::{Options, SectionRequest};

/// First line of a section, and the lines that it ends behind and before.
type SectionLines = (usize, Vec<usize>, Vec<usize>);

/// The section, `None` for the whole run, and what is said.
fn found(source: &str) -> (Option<SectionLines>, String) {
    let options = Options {
        section: Some(SectionRequest::Timed),
        ..Options::default()
    };
    let analysed = analyse_with(source, &options);
    let line = |id: &frontend::ir::StatementId| analysed.line(id.0 as usize);
    let place = analysed.analysis.section.as_ref().map(|place| {
        let lines = |all: &[frontend::ir::StatementId]| all.iter().map(line).collect();
        (
            line(&place.begin_before[0]),
            lines(&place.end_after),
            lines(&place.end_before),
        )
    });
    (place, analysed.remarks().to_string())
}

#[track_caller]
fn check(source: &str, expected: Option<SectionLines>, remark: &str) {
    let (place, remarks) = found(source);
    assert_eq!(place, expected, "{remarks}");
    let said = remarks
        .matches("the time that the program takes here")
        .count();
    assert_eq!(said, usize::from(!remark.is_empty()), "{remarks}");
    assert!(remarks.contains(remark), "{remarks}");
}

fn program(statements: &str) -> String {
    format!("program t\n  use mpi\n  integer :: ierr, c0, c1, rate\n{statements}end program\n")
}

const INIT: &str = "  call mpi_init(ierr)\n";
const START: &str = "  call system_clock(c0)\n";
const BARRIER: &str = "  call mpi_barrier(mpi_comm_world, ierr)\n";
const STOP: &str = "  call system_clock(c1, rate)\n  print *, real(c1 - c0)/rate\n";
const END: &str = "  call mpi_finalize(ierr)\n";

#[test]
fn clock_around_whole_run_means_whole_run() {
    let source = program(&[START, INIT, BARRIER, END, STOP].concat());
    check(
        &source,
        None,
        "begins before MPI_Init and ends behind MPI_Finalize: the whole run",
    );
}

#[test]
fn clock_started_before_init_begins_behind_it() {
    let source = program(&[START, INIT, BARRIER, STOP, END].concat());
    check(
        &source,
        Some((6, vec![7], vec![])),
        "begins before MPI_Init: what lies behind MPI_Init",
    );
}

#[test]
fn clock_stopped_behind_finalize_ends_before_it() {
    let source = program(&[INIT, START, BARRIER, END, STOP].concat());
    check(
        &source,
        Some((5, vec![], vec![7])),
        "ends behind MPI_Finalize: what lies before MPI_Finalize",
    );
}

#[test]
fn init_in_procedure_and_under_condition_is_found() {
    let setup = "subroutine setup()\n  use mpi\n  integer :: ierr\n  logical :: is_done\n  \
                 call mpi_initialized(is_done, ierr)\n  if (.not. is_done) call mpi_init(ierr)\n  \
                 call mpi_barrier(mpi_comm_world, ierr)\nend subroutine\n";
    let main = program(&[START, "  call setup()\n", BARRIER, STOP, END].concat());
    check(
        &[&main, setup].concat(),
        Some((17, vec![7], vec![])),
        "begins before MPI_Init",
    );
    // The procedure ends with it.
    let short = setup.replace("  call mpi_barrier(mpi_comm_world, ierr)\n", "");
    check(
        &[&main, &short[..]].concat(),
        Some((6, vec![7], vec![])),
        "begins before MPI_Init",
    );
}

#[test]
fn error_exit_that_finalizes_ends_no_run() {
    let check_error = "subroutine fail(n)\n  use mpi\n  integer :: n, ierr\n  if (n > 0) then\n    \
                       call mpi_finalize(ierr)\n    stop\n  end if\nend subroutine\n";
    let own = "  if (c0 > 5) then\n    call mpi_finalize(ierr)\n    stop\n  end if\n";
    let main = program(&[INIT, START, "  call fail(ierr)\n", own, BARRIER, STOP, END].concat());
    check(
        &[&main, check_error].concat(),
        Some((5, vec![12], vec![])),
        "",
    );
}
