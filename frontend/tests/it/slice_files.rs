//! Files in the slice: what is written stays where it may be read later, by this process or another, in
//! whatever way the file is named.

use crate::harness::check_kept;

/// A program whose `body` stands between MPI_Init and a broadcast of `n` numbers.
fn check(body: &str) {
    check_kept(&format!(
        "program t
  use mpi
  integer :: n, k, lu, r, ierr
  logical :: there
  real :: x
  character(20) :: name, line
  call mpi_init(ierr) !+
{body}  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
end program
"
    ));
}

/// What is written when all have read the file goes. A CLOSE before that could take it from them.
#[test]
fn writes_after_the_last_reading_go() {
    check(
        "  x = 2
  open (8, file='deck') !+
  read (8, *) n !+
  close (8) !+
  call mpi_barrier(mpi_comm_world, ierr) !+
  open (8, file='deck')
  write (8, *) x
  close (8)
",
    );
}

/// A communicator of all processes may be made of MPI_COMM_WORLD.
#[test]
fn duplicate_of_world_synchronises_all_ranks() {
    for (made, stays) in [
        ("mpi_comm_dup(mpi_comm_world, lu, ierr)", ""),
        ("mpi_comm_split(mpi_comm_world, 0, 0, lu, ierr)", "!+"),
    ] {
        check(&format!(
            "  open (8, file='deck') !+
  read (8, *) n !+
  call {made} !+
  call mpi_barrier(lu, ierr) !+
  write (8, *) 4 {stays}
"
        ));
    }
}

/// Another process may read what this one writes, unless all have met in between.
#[test]
fn another_process_may_read_what_this_one_writes() {
    check(
        "  open (8, file='deck') !+
  read (8, *) n !+
  rewind (8) !+
  write (8, *) 4 !+
",
    );
    check(
        "  open (8, file='deck') !+
  read (8, *) n !+
  call mpi_bcast(x, 1, mpi_real, 0, mpi_comm_world, ierr) !+
  write (8, *) 4 !+
",
    );
}

/// A barrier that another process passes before it reads is no global synchronisation after the reading.
#[test]
fn readings_behind_another_barrier_count() {
    check_kept(
        "program t
  use mpi
  integer :: n, r, ierr
  call mpi_init(ierr) !+
  call mpi_comm_rank(mpi_comm_world, r, ierr) !+
  if (r == 0) then !+
    call mpi_barrier(mpi_comm_world, ierr) !+
    open (8, file='deck') !+
    write (8, *) 4 !+
    close (8) !+
    call mpi_send(r, 0, mpi_integer, 1, 0, mpi_comm_world, ierr) !+
  else
    call mpi_barrier(mpi_comm_world, ierr) !+
    call mpi_recv(r, 0, mpi_integer, 0, 0, mpi_comm_world, mpi_status_ignore, ierr) !+
    open (8, file='deck') !+
    read (8, *) n !+
    call mpi_send(r, n, mpi_integer, 1, 0, mpi_comm_self, ierr) !+
  end if
  call mpi_finalize(ierr) !+
end program
",
    );
}

/// A loop leads from what is written back to the reading.
#[test]
fn writes_before_the_next_reading_stay() {
    check(
        "  do k = 1, 2 !+
    open (8, file='deck') !+
    read (8, *) n !+
    rewind (8) !+
    call mpi_barrier(mpi_comm_world, ierr) !+
    write (8, *) n + 1 !+
    close (8) !+
  end do
",
    );
}

#[test]
fn a_file_has_many_names() {
    for second in [
        "11, file='./deck'",
        "11, file=name",
        "11, file='de'//'ck'",
        "11, file=trim(name)",
    ] {
        check(&format!(
            "  name = 'deck' !{}
  open (8, file='deck') !+
  write (8, *) 4 !+
  close (8) !+
  open ({second}) !+
  read (11, *) n !+
",
            if second.contains("name") { "+" } else { "" }
        ));
    }
    check(
        "  write (10, *) 4 !+
  close (10) !+
  open (11, file='fort.10', status='old') !+
  read (11, *) n !+
",
    );
}

/// Whether a file exists is another question than what is in it.
#[test]
fn inquiries() {
    check(
        "  x = 1
  open (8, file='deck') !+
  write (8, *) x
  inquire (file='deck', exist=there) !+
  n = 1 !+
  if (there) n = 2 !+
",
    );
    check(
        "  write (8, *) 1 !+
  inquire (unit=8, opened=there) !+
  n = 1 !+
  if (there) n = 2 !+
",
    );
    check(
        "  open (8, file='deck', access='stream') !+
  write (8) 1 !+
  inquire (8, size=n) !+
",
    );
}

#[test]
fn positions() {
    check(
        "  open (8, file='deck') !+
  write (8, *) 4 !+
  write (8, *) 5 !+
  backspace (8) !+
  read (8, *) n !+
",
    );
    check(
        "  x = 4 !+
  open (8, file='deck') !+
  write (8, *) 1 !+
  write (8, *, iostat=n) x !+
  close (8) !+
",
    );
}

#[test]
fn open_depends_on_files_of_other_processes() {
    check(
        "  open (8, file='deck') !+
  close (8, status='delete') !+
  open (9, file='deck', status='old', iostat=n) !+
",
    );
    check(
        "  x = 4
  open (8, file='deck')
  write (8, *) x
  close (8)
  open (9, file='other', status='old', iostat=n) !+
",
    );
}

#[test]
fn commands_reach_all_files() {
    check(
        "  call execute_command_line('echo 4 > deck') !+
  open (8, file='deck') !+
  read (8, *) n !+
",
    );
    check(
        "  open (8, file='deck') !+
  write (8, *) 4 !+
  close (8) !+
  call execute_command_line('cp deck copy') !+
  open (8, file='copy') !+
  read (8, *) n !+
",
    );
    check(
        "  open (6, file='deck') !+
  write (6, *) 4 !+
  close (6) !+
  open (8, file='deck') !+
  read (8, *) n !+
",
    );
}

#[test]
fn internal_files_are_variables() {
    check(
        "  x = 3
  write (line, *) 4 !+
  write (name, *) x
  read (line, *) n !+
",
    );
}
