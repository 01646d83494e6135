//! State in the slice that no variable of the program holds: that of the MPI library behind its handles, and
//! that of the random numbers. What changes it stays.

use crate::harness::check_kept;

/// A program whose `body` stands between MPI_Init and a broadcast of `n` numbers.
fn check(body: &str) {
    check_kept(&format!(
        "program t
  use mpi
  integer :: n, k, ierr, seeds(8)
  logical :: there
  real :: x(10), r
  character(20) :: text
  call mpi_init(ierr) !+
{body}  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
end program
"
    ));
}

#[test]
fn datatypes_are_committed() {
    check(
        "  n = 1 !+
  call mpi_type_contiguous(2, mpi_real, k, ierr) !+
  call mpi_type_commit(k, ierr) !+
  call mpi_bcast(x, 1, k, 0, mpi_comm_world, ierr) !+
  call mpi_type_free(k, ierr)
",
    );
}

#[test]
fn what_handles_stand_for_is_changed() {
    check(
        "  n = 1 !+
  call mpi_info_create(k, ierr) !+
  call mpi_info_set(k, 'a', 'b', ierr) !+
  call mpi_info_get(k, 'a', 20, text, there, ierr) !+
  if (there) n = 2 !+
",
    );
}

#[test]
fn the_library_is_changed() {
    check(
        "  n = 1 !+
  call mpi_comm_set_errhandler(mpi_comm_world, mpi_errors_return, ierr) !+
  call mpi_buffer_attach(x, 40, ierr) !+
  call mpi_irecv(x, n, mpi_real, 0, 1, mpi_comm_world, k, ierr) !+
  call mpi_cancel(k, ierr) !+
  call mpi_request_free(k, ierr) !+
",
    );
}

/// The second number is another one without the first.
#[test]
fn random_numbers_depend_on_earlier_ones() {
    check(
        "  seeds = 7 !+
  call random_seed(put=seeds) !+
  call random_number(x(1)) !+
  call random_number(r) !+
  n = int(4 * r) !+
",
    );
}
