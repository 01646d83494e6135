//! Blocks whose work hangs on data that a loop with communication around them changes.

use crate::harness::analyse;
use base_data::block_table::BlockKind;

/// Whether the work of the block at the mark `!block` changes while the loop around it runs.
#[track_caller]
fn check(declared: &str, before: &str, body: &str, procedures: &str, changes: bool) {
    check_around(declared, before, body, "", procedures, changes);
}

/// The same with something behind the loop.
#[track_caller]
fn check_around(declared: &str, before: &str, body: &str, behind: &str, procedures: &str, changes: bool) {
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
    let line = analysed.lines.iter().position(|line| line.contains("!block")).expect("a mark") as u32 + 1;
    let table = &analysed.analysis.table;
    let is_it = |id: usize| {
        let block = &table.blocks[id];
        block.kind == BlockKind::Compute && (block.span.first_line..=block.span.last_line).contains(&line)
    };
    let block = (0..table.blocks.len()).find(|&id| is_it(id)).expect("a block at the mark");
    assert!(table.blocks[block].data_dependent, "{body}\n{}", analysed.remarks());
    assert_eq!(analysed.analysis.blocks[block].work_changes, changes, "{body}");
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
    check_body(&format!("    do i = 1, n\n      x(i) = a(i)*2 + i\n    end do\n{COUNT_LARGE}"), false);
}

#[test]
fn what_is_made_of_itself_changes() {
    check_body(&format!("    do i = 1, n\n      x(i) = x(i)*0.5 + a(i)\n    end do\n{COUNT_LARGE}"), true);
    // By way of another.
    check_body(&format!("    x = b\n    b = x*0.5\n{COUNT_LARGE}"), true);
}

#[test]
fn what_hangs_on_the_number_of_the_iteration_changes() {
    check_body(&format!("    x = a*k\n{COUNT_LARGE}"), true);
    check_body(&COUNT_LARGE.replace("x(i) > 3", "a(i) > k"), true);
    // Only when it is made.
    check_body(&format!("    if (k > 5) x = 7\n{COUNT_LARGE}"), true);
    let left_out = "    do i = 1, n\n      if (k > i) cycle\n      x(i) = 7\n    end do\n";
    check_body(&format!("{left_out}    call mpi_barrier(mpi_comm_world, ierr)\n{COUNT_LARGE}"), true);
}

#[test]
fn what_messages_bring_changes() {
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
        check_around("", before, &body, behind, "", changes);
    }
}
