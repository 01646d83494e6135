//! Lengths of CHARACTER that are known at run time only: the statements that compute them stay. Marked lines (`!+`) stay, others go.

use crate::harness::check_kept;

/// A procedure that is called with 3.
fn check_procedure(body: &str) {
    check_kept(&format!(
        "program t
  use mpi
  implicit none
  integer :: n, m, ierr
  call mpi_init(ierr) !+
  m = 4
  n = 3 !+
  call sub(n) !+
  call mpi_finalize(ierr) !+
contains
  subroutine sub(nn)
    integer, intent(in) :: nn
{body}  end subroutine
end program
"
    ));
}

#[test]
fn of_automatic_texts() {
    let send = "    call mpi_bcast(c, len(c), mpi_character, 0, mpi_comm_world, ierr) !+\n";
    for declared in [
        "character(len=nn) :: c",
        "character(nn) :: c",
        "character(2*(nn+1)) :: c",
        "character(kind=1, len=nn) :: c",
        "character*(nn) c",
        "character :: c*(nn)",
        "character :: d, c*(1+nn)",
        "character(len=8) :: c*(2*(1+nn))",
    ] {
        check_procedure(&format!("    {declared}\n    c = 'a'\n{send}"));
    }
}

/// Where a text is too short, a WRITE to it fails.
#[test]
fn of_texts_that_are_written_to() {
    check_procedure(
        "    character(nn) :: line
    integer :: e
    write(line, '(i0)', iostat=e) 12345 !+
    if (e == 0) call mpi_barrier(mpi_comm_world, ierr) !+
",
    );
}

#[test]
fn of_texts_that_are_allocated() {
    check_procedure(
        "    character(:), allocatable :: c, d
    allocate(character(len=nn) :: c) !+
    allocate(character(len=nn) :: d)
    call mpi_bcast(c, len(c), mpi_character, 0, mpi_comm_world, ierr) !+
",
    );
}

#[test]
fn of_texts_of_a_block() {
    check_procedure(
        "    block !+
      character(len=nn) :: c
      c = 'a'
      call mpi_bcast(c, len(c), mpi_character, 0, mpi_comm_world, ierr) !+
    end block
",
    );
}

/// Constant and assumed lengths ask for nothing.
#[test]
fn that_are_known_before() {
    check_kept(
        "program t
  use mpi
  integer, parameter :: k = 4
  integer :: n, ierr
  character(len=k) :: c
  call mpi_init(ierr) !+
  n = 3
  c = 'a'
  call sub(c, n) !+
  call mpi_finalize(ierr) !+
contains
  subroutine sub(a, n)
    integer :: n
    character(len=*) :: a
    character*(*), parameter :: b = 'abc'
    call mpi_bcast(a, len(a) + len(b), mpi_character, 0, mpi_comm_world, ierr) !+
  end subroutine
end program
",
    );
}

/// A text takes what fits in: `p` depends on the length of `c`.
#[test]
fn of_texts_that_cut_off() {
    check_kept(
        "program t
  use mpi
  integer :: n, i, ierr
  character(len=40) :: path
  call mpi_init(ierr) !+
  n = 12 !+
  call build(n, path) !+
  do i = 1, len_trim(path) !+
    call mpi_barrier(mpi_comm_world, ierr) !+
  end do
  call mpi_finalize(ierr) !+
contains
  subroutine build(k, p)
    integer, intent(in) :: k
    character(*), intent(out) :: p
    character(len=k) :: c
    c = repeat('z', 40) !+
    p = c !+
  end subroutine
end program
",
    );
}

/// The function that computes a length is needed, and its arguments.
#[test]
fn that_functions_tell() {
    for length in ["c*(twice(nn))", "c*(1+twice(nn))"] {
        check_kept(&format!(
            "program t
  use mpi
  integer :: n, ierr
  call mpi_init(ierr) !+
  n = 3 !+
  call sub(n) !+
  call mpi_finalize(ierr) !+
contains
  subroutine sub(nn)
    integer, intent(in) :: nn
    character :: {length}
    call mpi_bcast(c, len(c), mpi_character, 0, mpi_comm_world, ierr) !+
  end subroutine
  pure integer function twice(k)
    integer, intent(in) :: k
    twice = 2 * k !+
  end function
end program
"
        ));
    }
}

/// An IMPLICIT statement gives lengths by constants that are declared below it, or around the procedure.
#[test]
fn of_undeclared_texts() {
    for (implicit, declared) in [
        ("character*(nn) (c)", ""),
        ("character(len=2*nn) (c-d), integer (o)", ""),
        ("character(nn) (c)", "dimension cc(2)"),
        ("integer (o), character*(1+nn) (a-c, z)", "save other"),
    ] {
        check_kept(&format!(
            "program t
  use mpi
  integer :: n, m, ierr
  call mpi_init(ierr) !+
  m = 4
  n = 3 !+
  call sub(n) !+
  call mpi_finalize(ierr) !+
contains
  subroutine sub(nn)
    implicit {implicit}
    integer, intent(in) :: nn
    {declared}
    cc = 'a'
    call mpi_bcast(cc, len(cc), mpi_character, 0, mpi_comm_world, ierr) !+
  end subroutine
end program
"
        ));
    }
}

/// The rule of a host holds with the host's variables, whatever a procedure in it calls its own.
#[test]
fn of_texts_declared_in_a_host() {
    check_kept(
        "program t
  use mpi
  integer :: n, m, ierr
  call mpi_init(ierr) !+
  m = 4
  n = 3 !+
  call outer(n, m) !+
  call mpi_finalize(ierr) !+
end program
subroutine outer(nn, mm)
  use mpi
  implicit character*(nn) (c)
  integer, intent(in) :: nn
  integer :: mm, ierr
  call inner(mm) !+
contains
  subroutine inner(k)
    integer :: k
    cc = 'a'
    call mpi_bcast(cc, len(cc), mpi_character, 0, mpi_comm_world, ierr) !+
  end subroutine
end subroutine
",
    );
}

/// Constant lengths ask for nothing, and what is declared needs no rule.
#[test]
fn of_declared_texts_under_a_rule() {
    check_kept(
        "program t
  use mpi
  integer :: n, ierr
  call mpi_init(ierr) !+
  n = 3
  call sub(n) !+
  call mpi_finalize(ierr) !+
contains
  subroutine sub(nn)
    implicit character*(nn) (c), character*8 (d)
    integer, intent(in) :: nn
    character(len=5) :: cc
    cc = 'a'
    dd = 'b'
    call mpi_bcast(cc, len(cc) + len(dd), mpi_character, 0, mpi_comm_world, ierr) !+
  end subroutine
end program
",
    );
}
