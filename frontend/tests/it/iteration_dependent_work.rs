//! Blocks whose work depends on data that a loop with communication around them changes.

use crate::harness::{Analysed, analyse};
use base_data::block_table::BlockKind;

/// Whether the work of the block at the mark `!block` changes while the loop around it runs.
#[track_caller]
fn check(declared: &str, before: &str, body: &str, procedures: &str, changes: bool) {
    assert_eq!(
        depends_on_data(declared, before, body, procedures),
        (true, changes),
        "{body}"
    );
}

/// Whether the work of the block at the mark `!block` depends on data, and whether these change.
#[track_caller]
fn depends_on_data(declared: &str, before: &str, body: &str, procedures: &str) -> (bool, bool) {
    depends_outside(declared, before, body, "", procedures)
}

/// The same with something behind the loop.
#[track_caller]
fn depends_outside(
    declared: &str,
    before: &str,
    body: &str,
    behind: &str,
    procedures: &str,
) -> (bool, bool) {
    let source = format!(
        "program t
  use mpi
  integer :: ierr, i, j, k, n, me, first(100)
  real :: a(100), b(100), x(100), s
{declared}
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 50
{before}
  call mpi_barrier(mpi_comm_world, ierr)
  do k = 1, 20
{body}
    call mpi_barrier(mpi_comm_world, ierr)
  end do
{behind}
  call mpi_finalize(ierr)
{procedures}
end program
"
    );
    let analysed = analyse(&source);
    let work = work_at_mark(&analysed);
    (work.0, work.1)
}

/// Of the block at the mark `!block`: whether its work depends on data, and whether these change; and how many loops run whole.
fn work_at_mark(analysed: &Analysed) -> (bool, bool, usize) {
    let line = analysed
        .lines
        .iter()
        .position(|line| line.contains("!block"))
        .expect("a mark") as u32
        + 1;
    let table = &analysed.analysis.table;
    let is_it = |id: usize| {
        let block = &table.blocks[id];
        block.kind == BlockKind::Compute
            && (block.span.first_line..=block.span.last_line).contains(&line)
    };
    let block = (0..table.blocks.len())
        .find(|&id| is_it(id))
        .expect("a block at the mark");
    let whole = analysed
        .analysis
        .loops
        .iter()
        .filter(|one| one.holds_changing_work)
        .count();
    (
        table.blocks[block].data_dependent,
        analysed.analysis.blocks[block].work_changes,
        whole,
    )
}

/// Stages that a loop around repeats are all in its first iteration; a loop around of few iterations is nothing to leave.
#[test]
fn what_changes_in_a_loop_that_is_repeated_is_seen_soon() {
    let nest = |steps: &str, before: &str| {
        let source = format!(
            "program t
  use mpi
  integer :: ierr, i, step, stage, n, me
  real :: x(100), s
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 50
  x = me
  do step = 1, {steps}
{before}
    do stage = 1, n
      call mpi_barrier(mpi_comm_world, ierr)
      do i = 1, n !block
        if (x(i) > stage) s = s + x(i)*x(i) + sin(x(i))
      end do
    end do
  end do
  call mpi_finalize(ierr)
end program
"
        );
        work_at_mark(&analyse(&source))
    };
    assert_eq!(nest("n", ""), (true, false, 1));
    assert_eq!(nest("n", "x = x*2"), (true, true, 2));
    assert_eq!(nest("3", ""), (true, true, 1));
}

#[track_caller]
fn check_body(body: &str, changes: bool) {
    check("", "  a = me\n  first = me", body, "", changes);
}

const COUNT_LARGE: &str = "    do i = 1, n !block
      if (x(i) > 3) s = s + x(i)*x(i) + sin(x(i))
    end do";

#[test]
fn what_was_made_before_the_loop_stays() {
    check_body(&COUNT_LARGE.replace("x(i) > 3", "a(i) > 3"), false);
    check_body(
        "    do i = 1, n !block\n      do j = first(i), first(i + 1)\n        s = s + a(j)\n      end do\n    end do",
        false,
    );
}

#[test]
fn what_is_made_anew_of_the_same_stays() {
    check_body(
        &format!("    do i = 1, n\n      x(i) = a(i)*2 + i\n    end do\n{COUNT_LARGE}"),
        false,
    );
}

#[test]
fn what_is_made_of_itself_changes() {
    check_body(
        &format!("    do i = 1, n\n      x(i) = x(i)*0.5 + a(i)\n    end do\n{COUNT_LARGE}"),
        true,
    );
    // By way of another.
    check_body(&format!("    x = b\n    b = x*0.5\n{COUNT_LARGE}"), true);
}

#[test]
fn what_a_loop_counts_to_beside_it_changes() {
    let counted = "    if (k > 5) then\n      do j = 1, 60\n      end do\n    end if\n";
    check_body(
        &format!("{counted}{}", COUNT_LARGE.replace("x(i) > 3", "j > 50")),
        true,
    );
    check_body(
        &format!(
            "    j = 0\n{counted}{}",
            COUNT_LARGE.replace("x(i) > 3", "first(j) > 50")
        ),
        true,
    );
}

#[test]
fn work_that_depends_on_the_iteration_number_changes() {
    check_body(&format!("    x = a*k\n{COUNT_LARGE}"), true);
    check_body(&COUNT_LARGE.replace("x(i) > 3", "a(i) > k"), true);
    // Only when it is made.
    check_body(&format!("    if (k > 5) x = 7\n{COUNT_LARGE}"), true);
    let left_out = "    do i = 1, n\n      if (k > i) cycle\n      x(i) = 7\n    end do\n";
    check_body(
        &format!("{left_out}    call mpi_barrier(mpi_comm_world, ierr)\n{COUNT_LARGE}"),
        true,
    );
}

#[test]
fn received_values_change() {
    let received = "    call mpi_bcast(x, 100, mpi_real, 0, mpi_comm_world, ierr)\n";
    check_body(&format!("{received}{COUNT_LARGE}"), true);
}

#[test]
fn what_a_random_number_decides_changes() {
    check_body(&format!("    call random_number(x)\n{COUNT_LARGE}"), true);
}

#[test]
fn called_procedures_are_followed() {
    let large = "  subroutine count(y)
    real, intent(in) :: y(100)
    integer :: l
    call mpi_barrier(mpi_comm_world, ierr)
    do l = 1, 50 !block
      if (y(l) > 3) s = s + y(l)*y(l) + sin(y(l))
    end do
  end subroutine
  subroutine halve(y)
    real, intent(inout) :: y(100)
    y = y*0.5
  end subroutine
  subroutine fill(y, level)
    real, intent(inout) :: y(100)
    integer, intent(in) :: level
    if (level > 5) return
    y = 0
  end subroutine";
    let procedures = format!("contains\n{large}");
    let check = |body, changes| check("", "  a = me", body, &procedures, changes);
    check("    call count(a)", false);
    check("    call halve(a)\n    call count(a)", true);
    check("    call halve(b)\n    call count(a)", false);
    check("    call fill(a, k)\n    call count(a)", true);
}

#[test]
fn what_leaves_the_loop_changes_no_iteration() {
    let made = "    x = a\n    call mpi_barrier(mpi_comm_world, ierr)\n";
    let number = "    s = s + k\n";
    for (leaves, changes) in [
        ("    if (s > 5) exit\n", false),
        ("    if (s > 5) goto 10\n", false),
        ("    if (s > 5) goto 20\n", true),
        ("    if (s > 5) goto 30\n", true),
    ] {
        let body = format!("{number}{leaves}{made}{COUNT_LARGE}\n20  continue");
        let (before, behind) = ("  a = me\n  first = me\n30 continue", "10  continue");
        assert_eq!(
            depends_outside("", before, &body, behind, ""),
            (true, changes),
            "{body}"
        );
    }
}

/// What is decided for each of some elements, and the declarations and statements before the loop that go with it.
const DECIDED: [(&str, &str, &str, &str); 18] = [
    // Declared, before the loop, in each iteration, around the work for an element.
    (
        "logical :: late",
        "late = .false.",
        "if (k > 10) late = .true.",
        "if (late) then",
    ),
    (
        "character(3) :: word",
        "word = 'off'",
        "if (k > 10) word = 'on'",
        "if (word == 'on') then",
    ),
    (
        "integer :: m",
        "m = 0",
        "if (k > 10) m = 4",
        "if (m == 4) then",
    ),
    (
        "integer :: m",
        "",
        "m = merge(1, 0, mod(k, 10) > 6)",
        "if (m > 0) then",
    ),
    ("", "x = 0", "x(k) = 1", "s = x(i)\n if (s > 0.5) then"),
    (
        "logical :: is",
        "x = 0",
        "x(k) = 1",
        "is = x(i) > 0.5\n if (is) then",
    ),
    (
        "integer :: m",
        "x = 0",
        "x(k) = 1",
        "m = nint(x(i))\n if (m == 1) then",
    ),
    ("", "x = 0", "x(k) = 1", "if (large(i)) then"),
    ("", "x = 0", "x(k) = 1", "if (number(x(i)) > 0) then"),
    (
        "",
        "first = 0",
        "first(k) = 1",
        "if (all(first(1:i) == 0)) then",
    ),
    ("", "", "", "if (i < k) then"),
    ("", "", "", "if (k > 10) then"),
    ("", "", "", "if (mod(k, 10) > 6) then"),
    (
        "type box\n integer :: a\n end type\n type(box) :: one",
        "one%a = 0",
        "if (k > 9) one%a = 1",
        "if (one%a > 0) then",
    ),
    (
        "integer :: m",
        "m = 0",
        "m = iand(ieor(m*5 + 3, k), 1023)",
        "if (iand(m, 512) > 0) then",
    ),
    (
        "",
        "x = 0",
        "x(k) = 1",
        "associate (z => x(i))\n if (z > 0.5) then",
    ),
    ("", "", "call random_number(s)", "if (s > 0.5) then"),
    (
        "integer :: m",
        "m = 3",
        "",
        "m = m*5 - m/7\n if (mod(m, 2) == 0) then",
    ),
];

const ANSWERING: &str = "contains
  logical function large(l)
    integer, intent(in) :: l
    large = x(l) > 0.5
  end function
  integer function number(y)
    real, intent(in) :: y
    number = 0
    if (y > 0.5) number = 1
  end function";

#[test]
fn control_is_followed_to_changing_values() {
    for (declared, before, each, asked) in DECIDED {
        let closed = if asked.starts_with("associate") {
            "end if\n end associate"
        } else {
            "end if"
        };
        let body = format!(
            "{each}\n do i = 1, n !block\n {asked}\n s = s + 1\n s = s*0.5\n b(i) = s + sin(s)\n {closed}\n end do"
        );
        check(declared, before, &body, ANSWERING, true);
    }
}

#[test]
fn jumps_leave_the_rest_to_what_decides_them() {
    let rest = "s = s + 1\n s = s*0.5\n b(i) = s + sin(s)";
    for jump in ["cycle", "goto 10", "exit"] {
        let body = format!(
            "x(k) = 1\n do i = 1, n !block\n if (x(i) < 0.5) {jump}\n {rest}\n 10 continue\n end do"
        );
        check("", "x = 0", &body, "", true);
    }
    for body in [
        format!(
            "x(k) = 1\n do i = 1, n !block\n if (x(i) - 0.5) 20, 20, 10\n 10 {rest}\n 20 continue\n end do"
        ),
        format!(
            "first(k) = 2\n do i = 1, n !block\n goto (20, 10), first(i)\n 10 {rest}\n 20 continue\n end do"
        ),
        format!(
            "x(k) = 1\n do i = 1, n !block\n select case (nint(x(i)))\n case (0)\n cycle\n end select\n {rest}\n end do"
        ),
    ] {
        check("", "x = 0\n first = 1", &body, "", true);
    }
    let returns = |level: &str| {
        format!(
            "contains\n subroutine work(y)\n real, intent(in) :: y\n if (y < {level}) return\n s = s + 1\n s = s*0.5\n \
             b(1) = s + sin(s)\n end subroutine"
        )
    };
    check(
        "",
        "x = 0",
        "x(k) = 1\n do i = 1, n !block\n call work(x(i))\n end do",
        &returns("0.5"),
        true,
    );
    check(
        "",
        "s = 0",
        "s = s + 0.1\n call work(s) !block",
        &returns("1.5"),
        true,
    );
}

/// What is executed or not is less than a quarter of the block.
#[test]
fn less_of_what_changes_matters_than_of_what_stays() {
    let body = |count: usize| {
        let more = "s = s + 1\n".repeat(count);
        format!(
            "if (k > 9) x = 1\n do i = 1, n !block\n {more} if (x(i) > 0.5) then\n b(i) = s + 1\n b(i) = s*2\n end if\n end do"
        )
    };
    check("", "x = 0", &body(7), "", true);
    assert!(!depends_on_data("", "x = 0", &body(40), "").0);
    assert!(!depends_on_data("", "x = me", &body(7).replace("if (k > 9) x = 1\n", ""), "").0);
}

/// The work of each is covered by a term, or by values of the slice, or is negligible.
#[test]
fn covered_work_is_not_data_dependent() {
    for (before, body) in [
        // Every way is gone in each iteration.
        (
            "",
            "do j = 1, 3\n do i = 1, n !block\n if (j == 2) then\n b(i) = 1\n a(i) = 2\n end if\n end do\n call mpi_barrier(mpi_comm_world, ierr)\n end do",
        ),
        // A maximum and its place.
        (
            "x = me",
            "x = x*2\n do i = 1, n !block\n if (x(i) > s) then\n s = x(i)\n j = i\n end if\n end do",
        ),
        // Lines are printed now and then.
        (
            "",
            "if (k > 10) then !block\n do i = 1, n\n print *, s, a(i)\n end do\n end if",
        ),
        // Little is done now and then beside a lot of work.
        (
            "",
            "if (k > 10) b(1) = s + k !block\n call mpi_barrier(mpi_comm_world, ierr)\n do i = 1, n\n do j = 1, n\n x(j) = x(i)*2\n a(j) = 3\n b(j) = a(j)*2\n end do\n do j = 1, n\n x(j) = x(i)*2\n a(j) = 3\n end do\n end do",
        ),
        // The index of a loop of the block, and a number that stays.
        (
            "",
            "do i = 1, n !block\n if (i < n/2) then\n b(i) = 1\n a(i) = 2\n end if\n end do",
        ),
        // A term covers the number.
        (
            "",
            "do i = 1, k !block\n if (i < k/2) then\n b(i) = 1\n a(i) = 2\n end if\n end do",
        ),
    ] {
        assert_eq!(
            depends_on_data("", before, body, ""),
            (false, false),
            "{body}"
        );
    }
}
