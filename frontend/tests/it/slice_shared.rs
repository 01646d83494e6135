//! What one process does and another sees beside messages: files that are written by one and read by another,
//! and what MPI calls procedures of the program for.

use crate::harness::{analyse, check_kept};

/// A program with `body`, of which a broadcast of `n` numbers is recorded; the levels between.
#[track_caller]
fn check(body: &str, expected: &[&str]) {
    let source = format!(
        "program t
  use mpi
  integer :: n, k, ios, rank, ierr, status(mpi_status_size)
  logical :: there
  real :: x
  call mpi_init(ierr)
{body}
  if (n == 4) call mpi_bcast(x, 1, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
"
    );
    let analysed = analyse(&source);
    let levels = analysed.levels();
    assert_eq!(
        levels[1..levels.len() - 2],
        *expected,
        "{}",
        analysed.remarks()
    );
    let waits = expected.iter().any(|level| level.ends_with("envelope"));
    assert_eq!(
        analysed.remarks().contains("so ranks wait for"),
        waits,
        "{}",
        analysed.remarks()
    );
}

const WRITTEN: &str = "
  if (rank == 1) then
    open (8, file='deck')
    write (8, *) 4
    close (8)
  end if
";

const READ: &str = "
  open (8, file='deck')
  read (8, *) n
  close (8)
";

/// Global synchronisation points between the accesses stay; other messages do not.
#[test]
fn synchronisation_between_write_and_read_is_kept() {
    let body = format!(
        "  call mpi_bcast(x, 1, mpi_real, 0, mpi_comm_world, ierr){WRITTEN}  call mpi_barrier(mpi_comm_world, ierr){READ}"
    );
    check(&body, &["MPI_Bcast recorded", "MPI_Barrier envelope"]);
}

/// Also where the reading comes first and the writing stays for another one.
#[test]
fn synchronisation_between_read_and_write_is_kept() {
    let barrier = "  call mpi_barrier(mpi_comm_world, ierr)";
    let body = format!("{WRITTEN}{barrier}{READ}{barrier}{WRITTEN}{barrier}{READ}");
    check(&body, &["MPI_Barrier envelope"; 3]);
}

/// Without a global synchronisation point between the accesses, any message may order them.
#[test]
fn without_synchronisation_all_messages_are_kept() {
    let body = format!(
        "{WRITTEN}
  call mpi_sendrecv(x, 1, mpi_real, 0, 0, x, 1, mpi_real, 0, 0, mpi_comm_world, status, ierr)
  call mpi_bcast(x, 1, mpi_real, 1, mpi_comm_world, ierr){READ}"
    );
    check(&body, &["MPI_Sendrecv envelope", "MPI_Bcast envelope"]);
}

/// Nothing but one process itself orders what has no message between.
#[test]
fn what_no_message_orders_is_one_process() {
    let body = format!(
        "  call mpi_barrier(mpi_comm_world, ierr){WRITTEN}{READ}  call mpi_barrier(mpi_comm_world, ierr)"
    );
    check(&body, &["MPI_Barrier recorded"; 2]);
    let body = format!(
        "  call mpi_barrier(mpi_comm_world, ierr){WRITTEN}  call mpi_bcast(x, 1, mpi_real, 1, mpi_comm_world, ierr){READ}"
    );
    check(&body, &["MPI_Barrier envelope", "MPI_Bcast envelope"]);
}

/// An input file that is only read, and a file of each process, are not shared.
#[test]
fn files_with_a_single_writer_add_no_ordering() {
    check(
        &format!("  call mpi_barrier(mpi_comm_world, ierr){READ}"),
        &["MPI_Barrier recorded"],
    );
    check(
        "  open (8, status='scratch')
  write (8, *) 4
  call mpi_bcast(x, 1, mpi_real, 0, mpi_comm_world, ierr)
  rewind (8)
  read (8, *) n",
        &["MPI_Bcast recorded"],
    );
}

/// Whether a file is there is read from the storage that all share.
#[test]
fn whether_a_file_is_there_is_read() {
    for asked in [
        "  inquire (file='deck', exist=there)\n  if (there) n = 4",
        "  open (9, file='deck', status='old', iostat=ios)\n  if (ios == 0) n = 4",
        "  open (9, file='deck', action='read', iostat=ios)\n  if (ios == 0) n = 4",
    ] {
        let body = format!("  n = 3{WRITTEN}  call mpi_barrier(mpi_comm_world, ierr)\n{asked}");
        check(&body, &["MPI_Barrier envelope"]);
    }
    let body = format!(
        "  n = 3{WRITTEN}  call mpi_barrier(mpi_comm_world, ierr)\n  inquire (8, opened=there)\n  if (there) n = 4"
    );
    check(&body, &["MPI_Barrier recorded"]);
}

/// What a command leaves, a file or another command finds.
#[test]
fn commands_are_ordered() {
    check(
        "  if (rank == 0) call execute_command_line('mkdir there')
  call mpi_barrier(mpi_comm_world, ierr)
  open (8, file='there/deck')
  read (8, *) n",
        &["MPI_Barrier envelope"],
    );
}

/// The effects of an operation on its arguments are not visible in the program.
#[test]
fn operations_stay_whole_with_what_they_call() {
    check_kept(
        "program t
  use mpi
  integer :: n, k, op, ierr
  external combine
  call mpi_init(ierr) !+
  k = 1 !+
  call mpi_op_create(combine, .true., op, ierr) !+
  call mpi_allreduce(k, n, 1, mpi_integer, op, mpi_comm_world, ierr) !+
  if (n > 3) call mpi_barrier(mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
end program
subroutine combine(a, b, length, datatype)
  integer :: length, datatype, a(length), b(length)
  call add(a, b, length) !+
end subroutine
subroutine add(a, b, length)
  integer :: length, i, a(length), b(length)
  do i = 1, length !+
    b(i) = b(i) + a(i) !+
  end do
end subroutine
",
    );
}

/// What an operation leaves beside is there only if the reduction is carried out.
#[test]
fn callback_results_depend_on_messages() {
    let source = |read: &str| {
        format!(
            "module m
  integer :: times = 0
end module
program t
  use mpi
  use m
  integer :: n, op, ierr
  external combine
  call mpi_init(ierr)
  call mpi_op_create(combine, .true., op, ierr)
  call mpi_reduce(ierr, n, 1, mpi_integer, op, 0, mpi_comm_world, ierr)
  if ({read} > 3) call mpi_barrier(mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
subroutine combine(a, b, length, datatype)
  use m
  integer :: length, datatype, a(length), b(length)
  b = b + a
  times = 4
end subroutine
"
        )
    };
    assert_eq!(analyse(&source("times")).levels()[2], "MPI_Reduce payload");
    assert_eq!(analyse(&source("op")).levels()[2], "MPI_Reduce recorded");
}

/// An attribute's procedures run where communicators are copied and freed.
#[test]
fn freeing_calls_what_deletes_attributes() {
    check_kept(
        "module m
  integer :: times = 0
contains
  subroutine gone(comm, key, value, extra, ierr)
    integer :: comm, key, ierr
    integer(8) :: value, extra
    times = times + 1 !+
    ierr = 0 !+
  end subroutine
end module
program t
  use mpi
  use m
  integer :: key, comm, ierr
  external mpi_comm_null_copy_fn
  call mpi_init(ierr) !+
  call mpi_comm_dup(mpi_comm_world, comm, ierr) !+
  call mpi_comm_create_keyval(mpi_comm_null_copy_fn, gone, key, 0_8, ierr) !+
  call mpi_comm_set_attr(comm, key, 1_8, ierr) !+
  call mpi_comm_free(comm, ierr) !+
  if (times > 0) call mpi_barrier(mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
end program
",
    );
}

/// An error handler stays for what it leaves.
#[test]
fn error_handlers_are_not_whole() {
    check_kept(
        "program t
  use mpi
  integer :: handler, ierr
  external told
  call mpi_init(ierr) !+
  call mpi_comm_create_errhandler(told, handler, ierr) !+
  call mpi_comm_set_errhandler(mpi_comm_world, handler, ierr) !+
  call mpi_finalize(ierr) !+
end program
subroutine told(comm, code)
  integer :: comm, code
  print *, 'error', code
end subroutine
",
    );
}
