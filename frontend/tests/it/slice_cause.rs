//! The changes that make a large slice small, which commands print with its share.

use crate::harness::analyse_with;
use frontend::analysis::{SliceCause, SliceChange};
use frontend::options::Options;

/// The cause, and the line of the program that its first change names.
fn cause(source: &str) -> Option<(SliceCause, String)> {
    let analysed = analyse_with(
        source,
        &Options {
            slice_cause: true,
            ..Options::default()
        },
    );
    let cause = analysed.analysis.slice_cause.clone()?;
    let Some(first) = cause.changes.first() else {
        return Some((cause, String::new()));
    };
    let at = match first {
        SliceChange::Decision(open) => open.statement,
        SliceChange::Messages { at, .. } | SliceChange::File { at, .. } => *at,
    };
    let span = analysed.analysis.source_map.statement(at).header;
    let line = analysed.analysis.source_map.line(span.file, span.start) as usize;
    Some((cause, analysed.lines[line - 1].trim().to_string()))
}

/// Computes `u`, sends it with a datatype in a module variable, and decides with an integer that it received.
fn sending(made: &str) -> String {
    let work: String = (1..20)
        .map(|at| format!("  u({at}) = u({at})*2 + {at}\n"))
        .collect();
    format!(
        "module kept
  use mpi
  implicit none
  integer :: col = mpi_datatype_null
  real(8) :: u(100)
end module
program t
  use kept
  implicit none
  integer :: e, r, k, st(mpi_status_size)
  call mpi_init(e)
  call mpi_comm_rank(mpi_comm_world, r, e)
  {made}
{work}  if (r == 0) call mpi_send(u, 1, col, 1, 1, mpi_comm_world, e)
  if (r == 1) call mpi_recv(u, 1, col, 0, 1, mpi_comm_world, st, e)
  k = 1
  if (r == 0) call mpi_recv(k, 1, mpi_integer, 1, 2, mpi_comm_world, st, e)
  if (r == 1) call mpi_send(k, 1, mpi_integer, 0, 2, mpi_comm_world, e)
  if (k > 0) call mpi_barrier(mpi_comm_world, e)
  call mpi_finalize(e)
end program
"
    )
}

#[test]
fn datatype_of_bytes_in_module_variable_is_mixed_messages() {
    let (cause, _) =
        cause(&sending("call mpi_type_contiguous(5, mpi_byte, col, e)")).expect("a cause");
    assert!(cause.removed >= 19, "{cause:?}");
    assert!(
        matches!(
            cause.changes[..],
            [SliceChange::Messages { .. } | SliceChange::Decision(_)]
        ),
        "{cause:?}"
    );
}

#[test]
fn datatype_of_reals_in_module_variable_keeps_no_computation() {
    let made = "call mpi_type_vector(5, 1, 10, mpi_double_precision, col, e)";
    let found = cause(&sending(made));
    let changes = found.map_or(Vec::new(), |(cause, _)| cause.changes);
    assert!(changes.is_empty(), "{changes:?}");
}

/// Each of two decisions needs the same computation, so that no single assumption removes it.
#[test]
fn two_decisions_on_one_result_are_named_together() {
    let work: String = (1..20)
        .map(|at| format!("  do i = 1, 100\n    u(i) = u(i)*2 + {at}\n  end do\n"))
        .collect();
    let source = format!(
        "program t
  use mpi
  implicit none
  integer :: e, i
  real(8) :: u(100)
  call mpi_init(e)
  u = 1
{work}  if (u(1) > 0) call mpi_barrier(mpi_comm_world, e)
  if (u(2) > 0) call mpi_barrier(mpi_comm_world, e)
  call mpi_finalize(e)
end program
"
    );
    let (cause, _) = cause(&source).expect("a cause");
    assert!(
        matches!(
            cause.changes[..],
            [SliceChange::Decision(_), SliceChange::Decision(_)]
        ),
        "{cause:?}"
    );
    assert!(cause.removed >= 20 && cause.inevitable <= 6, "{cause:?}");
}

#[test]
fn file_with_name_of_run_time_is_named_where_it_is_read() {
    let work: String = (1..20)
        .map(|at| format!("  u({at}) = u({at})*2 + {at}\n"))
        .collect();
    let source = format!(
        "program t
  use mpi
  implicit none
  integer :: e, k
  real(8) :: u(100)
  character(80) :: name
  call mpi_init(e)
  read *, name
  u = 1
{work}  open(10, file=name)
  write(10, *) u
  close(10)
  open(11, file='input')
  read(11, *) k !read
  close(11)
  if (k > 0) call mpi_barrier(mpi_comm_world, e)
  call mpi_finalize(e)
end program
"
    );
    let (cause, line) = cause(&source).expect("a cause");
    assert!(cause.removed >= 20, "{cause:?}");
    match cause.changes[..] {
        [SliceChange::File { .. }] => assert!(line.contains("11"), "{line}"),
        [SliceChange::Decision(_)] => assert!(line.contains("k > 0"), "{line}"),
        _ => panic!("{cause:?} at {line}"),
    }
}

/// A namelist with an array makes the computation depend on a file, but not on anything that the program wrote.
#[test]
fn input_that_the_program_does_not_write_is_no_cause() {
    let source = "program t
  use mpi
  implicit none
  integer :: e, nx = 10, i
  real(8) :: coef(3) = 1
  real(8), allocatable :: q(:)
  namelist /input/ nx, coef
  call mpi_init(e)
  open(9, file='c.nml', status='old')
  read(9, nml=input)
  close(9)
  allocate(q(nx))
  call mpi_barrier(mpi_comm_world, e)
  do i = 1, nx
    q(i) = sin(i*coef(1))
  end do
  call mpi_bcast(q, nx, mpi_double_precision, 0, mpi_comm_world, e)
  call mpi_finalize(e)
end program
";
    let (cause, _) = cause(source).expect("a cause");
    assert!(cause.changes.is_empty(), "{cause:?}");
}

/// The remedy names what holds a handle of which nothing is known.
#[test]
fn unknown_datatype_is_named_by_its_handle() {
    let received = "call mpi_bcast(col, 1, mpi_integer, 0, mpi_comm_world, e)";
    // A loop that no outcome is assumed of needs the received integer.
    let source = sending(received).replace(
        "if (k > 0) call mpi_barrier(mpi_comm_world, e)",
        "call mpi_bcast(u, k, mpi_double_precision, 0, mpi_comm_world, e)",
    );
    let (cause, _) = cause(&source).expect("a cause");
    let [
        SliceChange::Messages {
            mixed: Some(mixed), ..
        },
    ] = &cause.changes[..]
    else {
        panic!("{cause:?}");
    };
    assert_eq!(mixed.handle.as_deref(), Some("col"));
}

#[test]
fn program_of_calls_alone_has_no_cause() {
    let source = "program t
  use mpi
  integer :: e
  call mpi_init(e)
  call mpi_barrier(mpi_comm_world, e)
  call mpi_finalize(e)
end program
";
    let (cause, _) = cause(source).expect("a cause");
    assert!(
        cause.changes.is_empty() && cause.inevitable == 3,
        "{cause:?}"
    );
}
