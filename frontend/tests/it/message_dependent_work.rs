//! Blocks whose work depends on data that other ranks may send.

use crate::harness::analyse;

/// Whether others may decide the work of the block at the mark `!block`, behind `before`.
#[track_caller]
fn check(before: &str, decided_by_others: bool) {
    let source = format!(
        "program t
  use mpi
  integer :: ierr, i, me, n, status(mpi_status_size)
  real :: a(100), x(100), s, h
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  x = me
  h = 1
{before}
  call mpi_barrier(mpi_comm_world, ierr)
  do i = 1, 100 !block
    if (x(i) > 3) s = s + x(i)*x(i) + sin(x(i))
  end do
  call mpi_finalize(ierr)
  print *, s
contains
  subroutine set(of, to)
    real, intent(in) :: of
    real, intent(out) :: to(100)
    to = of
  end subroutine
end program
"
    );
    let analysed = analyse(&source);
    let line = analysed
        .lines
        .iter()
        .position(|line| line.contains("!block"))
        .expect("a mark") as u32
        + 1;
    let table = &analysed.analysis.table;
    let is_it =
        |id: &usize| table.blocks[*id].data_dependent && table.blocks[*id].span.first_line == line;
    let block = (0..table.blocks.len())
        .find(is_it)
        .expect("a block that depends on data at the mark");
    let found = analysed
        .analysis
        .decided_by_others
        .iter()
        .any(|id| id.index() == block);
    assert_eq!(found, decided_by_others, "{before}");
}

const RECEIVE: &str = "  call mpi_recv(h, 1, mpi_real, 0, 0, mpi_comm_world, status, ierr)\n";

#[test]
fn received_values_are_followed() {
    for made in [
        "  x = h",
        "  a = h\n  x(5) = a(7)*2",
        "  call set(h, x)",
        "  if (h > 3) x = 5",
        "  call mpi_reduce(h, s, 1, mpi_real, mpi_sum, 0, mpi_comm_world, ierr)\n  x = s",
    ] {
        check(&format!("{RECEIVE}{made}"), true);
    }
    check(
        "  call mpi_sendrecv(a, 100, mpi_real, 0, 0, x, 100, mpi_real, 0, 0, mpi_comm_world, status, ierr)",
        true,
    );
}

#[test]
fn what_ranks_make_themselves_or_a_root_has_is_right_alone() {
    check("  x = h", false);
    check(&format!("{RECEIVE}  s = h"), false);
    check(
        "  call mpi_bcast(x, 100, mpi_real, 0, mpi_comm_world, ierr)",
        false,
    );
    check(
        &format!("{RECEIVE}  x = h\n  call mpi_bcast(x, 100, mpi_real, 0, mpi_comm_world, ierr)"),
        true,
    );
}

#[test]
fn values_that_calls_depend_on_are_computed_in_a_solo_run() {
    let decides = "  n = 0\n  call mpi_recv(n, 1, mpi_integer, 0, 0, mpi_comm_world, status, ierr)
  if (n > 3) call mpi_barrier(mpi_comm_world, ierr)\n";
    check(&format!("{decides}  x = n"), false);
}
