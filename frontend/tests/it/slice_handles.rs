//! Messages whose datatypes are the program's own, wherever their handles are kept; and files whose names are made.

use crate::harness::{analyse, check_kept};

/// Whether the computation of what is sent as `handle` stays, which is `made` somewhere; an integer is received and decides.
fn is_kept(declared: &str, made: &str, handle: &str, procedures: &str) -> bool {
    let source = format!(
        "module kept
  use mpi
  implicit none
  type types
    integer :: column = mpi_datatype_null
    integer :: row
  end type
  type(types) :: both
  integer :: col = mpi_datatype_null, many(3)
  {declared}
  real(8) :: u(100)
end module
program t
  use kept
  implicit none
  integer :: e, r, k, i, other, st(mpi_status_size)
  call mpi_init(e)
  call mpi_comm_rank(mpi_comm_world, r, e)
  {made}
  do i = 1, 100
    u(i) = u(i)*2 !compute
  end do
  if (r == 0) call mpi_send(u, 1, {handle}, 1, 1, mpi_comm_world, e)
  if (r == 1) call mpi_recv(u, 1, {handle}, 0, 1, mpi_comm_world, st, e)
  k = 1
  if (r == 0) call mpi_recv(k, 1, mpi_integer, 1, 2, mpi_comm_world, st, e)
  if (r == 1) call mpi_send(k, 1, mpi_integer, 0, 2, mpi_comm_world, e)
  if (k > 0) call mpi_barrier(mpi_comm_world, e)
  call mpi_finalize(e)
end program
{procedures}"
    );
    let analysed = analyse(&source);
    let line = analysed
        .lines
        .iter()
        .position(|line| line.contains("!compute"))
        .expect("a mark")
        + 1;
    analysed.kept().contains(&line)
}

const VECTOR: &str = "call mpi_type_vector(5, 1, 10, mpi_double_precision, ";

#[test]
fn handle_of_numbers_is_no_integer() {
    let vector = |into: &str| format!("{VECTOR}{into}, e); call mpi_type_commit({into}, e)");
    for handle in ["col", "both%column", "both%row", "many(2)"] {
        assert!(!is_kept("", &vector(handle), handle, ""), "{handle}");
    }
    // Made of another, copied, freed and made again.
    let twice = format!(
        "{}; call mpi_type_contiguous(3, col, other, e)",
        vector("col")
    );
    assert!(!is_kept("", &twice, "other", ""));
    let copied = format!(
        "{}; both%row = col; many = [both%row, col, mpi_real]",
        vector("col")
    );
    assert!(!is_kept("", &copied, "many(3)", ""));
    let again = format!(
        "{}; call mpi_type_free(col, e); {}",
        vector("col"),
        vector("col")
    );
    assert!(!is_kept("", &again, "col", ""));
}

#[test]
fn handle_made_in_procedure_is_followed() {
    let maker = "subroutine make(handle)\n  use mpi\n  integer :: handle, e\n  \
                 call mpi_type_vector(5, 1, 10, mpi_double_precision, handle, e)\nend subroutine\n";
    assert!(!is_kept("", "call make(col)", "col", maker));
    assert!(!is_kept("", "call make(both%column)", "both%column", maker));
}

#[test]
fn handle_that_may_be_an_integer_keeps_the_data() {
    for (declared, made, handle) in [
        (
            "",
            "call mpi_type_vector(5, 1, 10, mpi_integer, col, e)",
            "col",
        ),
        ("", "call mpi_type_contiguous(5, mpi_byte, col, e)", "col"),
        ("", "col = mpi_real; if (r > 5) col = mpi_integer", "col"),
        ("", "read *, col", "col"),
        ("", "call unseen(col)", "col"),
        (
            "integer :: mine = mpi_integer",
            "if (r > 5) mine = mpi_real",
            "mine",
        ),
        (
            "",
            "call mpi_bcast(col, 1, mpi_integer, 0, mpi_comm_world, e)",
            "col",
        ),
        ("", "many(1) = mpi_real; many(2) = mpi_integer", "many(1)"),
    ] {
        assert!(is_kept(declared, made, handle, ""), "{declared} {made}");
    }
}

/// A program that writes to a file whose name `making` makes, and reads `deck.nml`.
fn check_named(making: &str, name: &str, mark: &str) {
    check_kept(&format!(
        "program t
  use mpi
  integer :: n, ierr, log, deck, it
  character(12) :: name
  character(4) :: short
  character(:), allocatable :: grown
  character(8) :: prefix = 'run'
  real :: x
  call mpi_init(ierr) !+
  it = 3 {mark}
{making}  open (newunit=log, file={name}) {mark}
  write (log, *) 'log' {mark}
  open (newunit=deck, file='deck.nml') !+
  read (deck, *) n !+
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
end program
"
    ));
}

#[test]
fn made_name_that_ends_otherwise_is_another_file() {
    check_named("", "trim(prefix)//'.log'", "");
    check_named(
        "  write (name, '(a,\"_\",i4.4,\".dat\")') trim(prefix), it\n",
        "name",
        "",
    );
    check_named("  write (name, '(a,i4.4)') 'out', it\n", "trim(name)", "");
    check_named(
        "  write (name, '(a,i4.4,a)') 'out', it, '.txt'\n",
        "name",
        "",
    );
    check_named("  name = trim(prefix)//'.log'\n", "name", "");
    check_named("  grown = trim(prefix)//'.log'\n", "grown", "");
}

/// Texts that are cut, formats that end before their last text, and names that may end as the other does.
#[test]
fn made_name_that_may_end_alike_is_kept() {
    for (making, name) in [
        ("", "trim(prefix)//'.nml'"),
        ("", "trim(prefix)//'k.nml'"),
        ("", "'log.'//trim(prefix)"),
        ("  short = 'deck.nml.log' !+\n", "short//'.nml'"),
        ("  short = trim(prefix)//'.log' !+\n", "short"),
        ("  name = 'x.log' !+\n  name(1:8) = 'deck.nml' !+\n", "name"),
        ("  write (name, '(a,i0.0)') 'deck.nml', it !+\n", "name"),
    ] {
        let source = format!("{making}|{name}");
        let stays = std::panic::catch_unwind(|| {
            let making: String = making
                .lines()
                .map(|line| format!("{}\n", line.replace(" !+", "")))
                .collect();
            check_named(&making, name, "");
        });
        assert!(stays.is_err(), "{source}");
    }
}

/// A dummy of fixed length cuts what it is passed; one of assumed length does not.
#[test]
fn made_name_that_a_dummy_may_cut_is_kept() {
    let check = |length: &str| {
        check_kept(&format!(
            "program t
  use mpi
  integer :: n, ierr, deck
  character(20) :: name
  real :: x
  call mpi_init(ierr) !+
  name = 'q'//'.nml.bak'
  call outer(name)
  open (newunit=deck, file='q.nml') !+
  read (deck, *) n !+
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
contains
  subroutine outer(s)
    character(*) :: s
    call inner(s)
  end subroutine
  subroutine inner(t)
    character(len={length}) :: t
    open (13, file=t)
    write (13, *) 3
    close (13)
  end subroutine
end program
"
        ));
    };
    check("*");
    assert!(
        std::panic::catch_unwind(|| check("5")).is_err(),
        "the name may be cut to 'q.nml'"
    );
}
