//! Files in the slice by the numbers of their units: constants, variables, and units that were free when they were got.

use crate::harness::check_kept;

/// A program that writes to the unit `log`, and broadcasts as many numbers as it reads from the unit `deck`. It gets
/// both by `opening`; `written` marks the writing.
fn check(declared: &str, opening: &str, written: &str) {
    check_kept(
        &format!(
            "module units
  integer :: log, deck{declared}
contains
  integer function free_unit()
    logical :: used
    integer :: u
    do u = 7, 99 !free
      inquire (unit=u, opened=used) !free
      if (.not. used) exit !free
    end do
    free_unit = u !free
  end function
  integer function next_unit(before)
    integer :: before
    next_unit = before + 1 !next
  end function
end module
program t
  use mpi
  use units
  integer :: n, ierr, other, rank
  character(9) :: name
  real :: x
  call mpi_init(ierr) !+
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
{opening}  write (log, *) 'log' {written}
  read (deck, *) n !+
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
end program
"
        )
        .replace(
            if opening.contains("free_unit") {
                "!free"
            } else {
                "!none"
            },
            "!+",
        )
        .replace(
            if opening.contains("next_unit") {
                "!next"
            } else {
                "!none"
            },
            "!+",
        ),
    );
}

/// Two units that are free when they are got are two files, if these have two names.
#[test]
fn allocated_units_are_distinguished() {
    let with = |log: &str, deck: &str| {
        format!(
            "  log = free_unit() !+\n  open (log, file='{log}') !+\n  deck = free_unit() !+\n  open (deck, file='{deck}') !+\n"
        )
    };
    check("", &with("log", "deck"), "");
    check("", &with("deck", "deck"), "!+");
    check("", &with("new", "new"), "!+");
    check(
        "",
        "  open (newunit=log, file='log')\n  open (newunit=deck, file='deck') !+\n",
        "",
    );
    check(
        "",
        "  open (newunit=log, file='./deck') !+\n  open (newunit=deck, file='deck') !+\n",
        "!+",
    );
}

/// Variables of modules hold what they are assigned.
#[test]
fn units_in_module_variables_are_distinguished() {
    check(
        "",
        "  log = 8\n  deck = 9 !+\n  open (log, file='log')\n  open (deck, file='deck') !+\n",
        "",
    );
    check(
        "",
        "  log = 6\n  deck = 9 !+\n  open (deck, file='deck') !+\n",
        "",
    );
}

/// What a variable holds that it was not assigned is not known.
#[test]
fn units_that_are_not_seen_are_any() {
    let open = "  open (log, file='log') !+\n  open (deck, file='deck') !+\n";
    check(" = 8", &format!("  log = 9 !+\n{open}"), "!+");
    check(
        "",
        &format!(
            "  log = 8 !+\n  deck = 9 !+\n  call mpi_bcast(log, 1, mpi_integer, 0, mpi_comm_world, ierr) !+\n{open}"
        ),
        "!+",
    );
    check(
        "",
        &format!("  log = 8 !+\n  deck = next_unit(log) !+\n{open}"),
        "!+",
    );
}

/// A name that is made may be that of the file that is read.
#[test]
fn a_made_name_may_be_any() {
    check(
        "",
        "  name = 'de' // 'ck' !+\n  open (newunit=log, file=name) !+\n  open (newunit=deck, file='deck') !+\n",
        "!+",
    );
}

/// Of three files only the one whose name is made may be the others: what is written to the log is not read. (Whether
/// the log is there may matter to the OPEN of the file whose name is made.)
#[test]
fn a_made_name_does_not_make_others_one() {
    check(
        "",
        "  name = repeat('d', 4) !+
  open (newunit=other, file=name) !+
  write (other, *) 3 !+
  open (newunit=log, file='log') !+
  open (newunit=deck, file='deck') !+
",
        "",
    );
}

/// A unit that no OPEN connects may be one that was free before.
#[test]
fn a_unit_that_is_not_opened_may_be_free() {
    check(
        "",
        "  log = 8 !+\n  deck = free_unit() !+\n  open (deck, file='deck') !+\n",
        "!+",
    );
}

/// A program that writes to one file, gets a unit from a function of this body, and reads from it. `mark` is on the
/// writing: it stays where the unit need not be free.
fn check_function(body: &str, mark: &str) {
    let mark_of = |line: &str| if line.starts_with("end") { "" } else { "!+" };
    let body: String = body
        .lines()
        .map(|line| format!("    {line} {}\n", mark_of(line)))
        .collect();
    check_kept(&format!(
        "program t
  use mpi
  integer :: n, ierr, deck
  real :: x
  call mpi_init(ierr) !+
  open (20, file='log') !+
  write (20, *) 3 {mark}
  deck = got() !+
  open (deck, file='deck') !+
  read (deck, *) n !+
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
contains
  integer function got()
    integer :: q
    logical :: o, there
{body}  end function
end program
"
    ));
}

/// Every way to the answer tests that the unit is not open.
#[test]
fn functions_that_return_a_closed_unit_find_free_ones() {
    let ask = "inquire (unit=q, opened=o)";
    for body in [
        format!("got = -1\ndo q = 11, 99\n{ask}\nif (.not. o) then\ngot = q\nreturn\nend if\nend do"),
        format!("do q = 11, 99\n{ask}\nif (o) cycle\ngot = q\nreturn\nend do"),
        format!("q = 11\ndo\n{ask}\nif (.not. o) exit\nq = q + 1\nend do\ngot = q"),
        "do got = 11, 99\ninquire (unit=got, exist=there, opened=o)\nif (there .and. .not. o) return\nend do"
            .into(),
    ] {
        check_function(&body, "");
    }
}

/// A unit that is open, that is not tested, or that is another than the one that was asked about is any unit.
#[test]
fn functions_that_may_return_an_open_unit_find_any() {
    let ask = "inquire (unit=q, opened=o)";
    for body in [
        format!("got = -1\ndo q = 11, 99\n{ask}\nif (o) then\ngot = q\nreturn\nend if\nend do"),
        format!("got = -1\ndo q = 11, 99\n{ask}\nif (o) got = q\nend do"),
        format!("q = 20\n{ask}\nif (o .and. q > 30) q = 12\ngot = q"),
        format!("do q = 11, 99\n{ask}\nif (.not. o .or. q > 20) exit\nend do\ngot = q"),
        format!("q = 19\n{ask}\nif (.not. o) q = q + 1\ngot = q"),
    ] {
        check_function(&body, "!+");
    }
}

/// A number that is used before any OPEN of it may be that of a unit that was free.
#[test]
fn a_unit_that_is_opened_later_may_have_been_free() {
    let deck = "  deck = free_unit() !+\n  open (deck, file='deck') !+\n";
    let (log, write) = ("  log = 8 !+\n", "  write (log, *) 3");
    let open = "  open (log, file='log') !+\n";
    check("", &format!("{log}{open}{write}\n{deck}"), "");
    check("", &format!("{log}{deck}{write} !+\n{open}"), "!+");
}

/// Units may begin with a sign; the number is unknown then.
#[test]
fn units_with_signs_are_read() {
    for unit in [
        "-abs(deck)",
        "-(abs(deck))",
        "unit=-abs(deck)",
        "+deck",
        "- deck * 2 + 1",
        "-10",
    ] {
        let source = format!(
            "program t
  use mpi
  integer :: n, deck, ierr
  real :: x
  call mpi_init(ierr) !+
  deck = 10 DECK
  open (newunit=n, file='in') !
  read ({unit}, *) n !+
  if (ierr == 0) read ({unit}, *) n !+
  write ({unit}, *) x !
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
end program
"
        );
        let analysed = crate::harness::analyse(
            &source
                .replace(" DECK", "")
                .replace(" !+", "")
                .replace(" !", ""),
        );
        assert!(
            analysed.analysis.parse_statistics.unparsed().is_empty(),
            "{unit}: {}",
            analysed.remarks()
        );
        let kept = |text: &str| {
            let all = &analysed.analysis.slice.kept;
            (0..all.len()).any(|id| {
                all[id]
                    && source
                        .lines()
                        .nth(analysed.line(id) - 1)
                        .is_some_and(|l| l.contains(text))
            })
        };
        assert!(kept("read ("), "{unit}");
        assert_eq!(kept("deck = 10"), unit.contains("deck"), "{unit}");
    }
}

/// A function that looks for a free unit is called before and after a global synchronisation point. What is opened after the last time that
/// matters stays only if `later` marks it so.
fn asked_twice(before: &str, after: &str, procedures: &str) {
    check_kept(&format!(
        "program t
  use mpi
  integer :: n, ierr, deck, picture, it
  character(9) :: name
  real :: x
  call mpi_init(ierr) !+
{before}  deck = free_unit() !+
  open (deck, file='deck') !+
  read (deck, *) n !+
{after}  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr) !+
  call mpi_finalize(ierr) !+
contains
  integer function free_unit()
    logical :: used
    integer :: u
    do u = 7, 99 !+
      inquire (unit=u, opened=used) !+
      if (.not. used) exit !+
    end do
    free_unit = u !+
{procedures}  end function
end program
"
    ));
}

const GLOBAL_SYNCHRONISATION: &str = "  call mpi_barrier(mpi_comm_world, ierr) !+\n";

const PICTURE: &str = "  write (name, '(i5)') n
  picture = free_unit()
  open (picture, file=name)
  close (picture)
";

/// What is opened later, under any name, cannot have been open.
#[test]
fn units_that_are_got_later_do_not_matter_before() {
    asked_twice("", &format!("{GLOBAL_SYNCHRONISATION}{PICTURE}"), "");
    let loop_of_pictures = format!("{GLOBAL_SYNCHRONISATION}  do it = 1, 3\n{PICTURE}  end do\n");
    asked_twice("", &loop_of_pictures, "");
}

/// Nothing orders the two but the process itself; or the synchronisation point may be before both; or the unit is queried again.
#[test]
fn units_that_may_have_been_got_before_stay() {
    let kept = PICTURE.replace('\n', " !+\n");
    asked_twice("", &kept, "");
    asked_twice("", &format!("{kept}{GLOBAL_SYNCHRONISATION}"), "");
    asked_twice(GLOBAL_SYNCHRONISATION, &kept, "");
    asked_twice(&kept, GLOBAL_SYNCHRONISATION, "");
    let again = "  deck = free_unit() !+\n  open (deck, file='more') !+\n  read (deck, *) n !+\n";
    asked_twice("", &format!("{GLOBAL_SYNCHRONISATION}{kept}{again}"), "");
    let rounds = |inner: &str| format!("  do it = 1, 3 !+\n{inner}  end do\n");
    asked_twice(
        "",
        &format!(
            "{GLOBAL_SYNCHRONISATION}{}",
            rounds(&format!("{kept}{again}"))
        ),
        "",
    );
}

/// A function that itself meets the others may ask after that.
#[test]
fn units_allocated_after_synchronisation_may_be_in_use() {
    let kept = PICTURE.replace('\n', " !+\n");
    asked_twice(
        "",
        &format!("{GLOBAL_SYNCHRONISATION}{kept}"),
        "    call mpi_barrier(mpi_comm_world, ierr) !+\n",
    );
}
