//! What is asked at the entry of a block although the program asks it only under a condition: nothing that may not exist
//! or may have no answer there.

use crate::work_terms::{check, check_terms};

/// A program with a flag that guards, in a loop, what only exists or has an answer where the flag is set.
fn flagged(guarded: &str) -> String {
    format!(
        "program t
  use mpi
  integer, parameter :: two = 2
  type box
    integer :: cells
  end type
  integer :: ierr, i, j, n, me, none, few(3)
  integer, allocatable :: made
  integer, pointer :: named
  type(box), pointer :: boxed
  real :: x(100), share
  logical :: flag
  integer, external :: asked
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  flag = me > 3
  none = me - 1
  share = me - 0.5
  call mpi_barrier(mpi_comm_world, ierr)
  call swept(n, flag, me)
  call mpi_barrier(mpi_comm_world, ierr)
{guarded}
  call mpi_finalize(ierr)
contains
  subroutine swept(k, given, extra)
    integer, intent(in) :: k
    logical, intent(in) :: given
    integer, intent(in), optional :: extra
    integer :: j
    call mpi_barrier(mpi_comm_world, ierr)
    do j = 1, k !optional
      x(j) = x(j) + 1
      if (given) then
        if (extra == 1) then
          x(j) = x(j)*2
          x(j) = x(j) - 1
        end if
      end if
    end do
    call mpi_barrier(mpi_comm_world, ierr)
  end subroutine
end program
integer function asked(k)
  integer :: k
  asked = k
end function
"
    )
}

const UNSAFE: [&str; 11] = [
    "made",
    "named",
    "boxed%cells",
    "few(none)",
    "few(1)",
    "7/none",
    "mod(7, none)",
    "int(sqrt(share))",
    "int(share)",
    "asked(me)",
    "2**none",
];

#[test]
fn non_speculatable_conditions_are_evaluated_only_where_the_program_does() {
    let branch = |condition: &str| {
        flagged(&format!(
            "  do i = 1, n !block
    x(i) = x(i) + 1
    if (flag) then
      if ({condition}) then
        x(i) = x(i)*2
        x(i) = x(i) - 1
      end if
    end if
  end do"
        ))
    };
    let flag = "max(0_8, int(n, 8))*merge(1_8, 0_8, flag)";
    for operand in UNSAFE {
        check_terms(&branch(&format!("{operand} == 1")), &["n", flag]);
    }
    check_terms(&branch("share > 0"), &["n", flag]);
    for (condition, spelled) in [
        ("none/2 == 1", "none/2 .eq. 1"),
        ("mod(none, two) == 1", "mod(none, two) .eq. 1"),
        ("none > 0 .and. .not. flag", "none .gt. 0 .and. .not. flag"),
    ] {
        let inner = format!("{flag}*merge(1_8, 0_8, {spelled})");
        check(&branch(condition), &["n", flag, &inner], false);
    }
}

#[test]
fn counts_under_non_speculatable_conditions_are_unknown() {
    let repeated = |count: &str| {
        flagged(&format!(
            "  if (flag) then !block
    do i = 1, {count}
      x(i) = x(i) + 1
    end do
  end if"
        ))
    };
    let safe = "merge(1_8, 0_8, flag)*max(0_8, int(7/(none + merge(1, 0, none .eq. 0)), 8))";
    check(&repeated("7/none"), &[safe], false);
    for count in UNSAFE.into_iter().filter(|&count| count != "7/none") {
        check(&repeated(count), &["merge(1_8, 0_8, flag)"], true);
    }
    check(
        &repeated("none/2"),
        &["merge(1_8, 0_8, flag)*max(0_8, int(none/2, 8))"],
        false,
    );
    check(
        &repeated("none*2"),
        &["merge(1_8, 0_8, flag)*max(0_8, int(none*2, 8))"],
        false,
    );
}

/// The outer loop may make no iteration: then the count of the inner one is not evaluated.
#[test]
fn counts_in_possibly_empty_loops_are_speculatable() {
    let nested = |outer: &str, inner: &str| {
        flagged(&format!(
            "  do j = 1, {outer} !block
    do i = 1, {inner}
      x(i) = x(i) + 1
    end do
  end do"
        ))
    };
    for count in UNSAFE
        .into_iter()
        .filter(|count| !["few(1)", "7/none", "mod(7, none)"].contains(count))
    {
        check(&nested("n", count), &["n"], true);
    }
    let product =
        |outer: &str, inner: &str| format!("max(0_8, int({outer}, 8))*max(0_8, int({inner}, 8))");
    for count in [
        "none",
        "none/2",
        "none*2",
        "few(1)",
        "none**two",
        "mod(none, 3)",
        "max(none, 2)",
    ] {
        check(&nested("n", count), &["n", &product("n", count)], false);
    }
    let divided = product("n", "7/(none + merge(1, 0, none .eq. 0))");
    check(&nested("n", "7/none"), &["n", &divided], false);
    let remainder = product("n", "mod(7, none + merge(1, 0, none .eq. 0))");
    check(&nested("n", "mod(7, none)"), &["n", &remainder], false);
    let called = flagged("  call divided(n, none) !block").replace(
        "end program",
        "  subroutine divided(k, l)
    integer, intent(in) :: k, l
    integer :: i, j
    do j = 1, k
      do i = 1, 7/l
        x(i) = x(i) + 1
      end do
    end do
  end subroutine
end program",
    );
    check(&called, &["n", &divided], false);
    // What the outer loop asks exists.
    for (outer, inner) in [("few(none)", "few(none) - 1"), ("made", "2*made")] {
        check(
            &nested(outer, inner),
            &[outer, &product(outer, inner)],
            false,
        );
    }
    check(&nested("few(none)", "few(n)"), &["few(none)"], true);
    check(
        &nested("3", "few(none)"),
        &["3_8*max(0_8, int(few(none), 8))"],
        false,
    );
}

#[test]
fn arguments_that_may_lack_are_in_no_term() {
    let optional = flagged("").replace("!optional", "!block");
    let flag = "max(0_8, int(k, 8))*merge(1_8, 0_8, given)";
    check(&optional, &["k", flag], true);
    let inner = format!("{flag}*merge(1_8, 0_8, extra .eq. 1)");
    check(
        &optional.replace(", optional", ""),
        &["k", flag, &inner],
        false,
    );
    // A caller that has it may ask no more of it than what it gives.
    let called = |argument: &str| {
        flagged(&format!("  call swept(n, flag, {argument}) !block"))
            .replace(", optional", "")
            .replace("    call mpi_barrier(mpi_comm_world, ierr)\n", "")
    };
    let flag = "max(0_8, int(n, 8))*merge(1_8, 0_8, flag)";
    check(&called("7/none"), &["n", flag], true);
    check(
        &called("none"),
        &["n", flag, &format!("{flag}*merge(1_8, 0_8, none .eq. 1)")],
        false,
    );
}

/// Behind an ENTRY, arguments of the others are nothing.
#[test]
fn arguments_of_another_entry_are_in_no_term() {
    let source = |entry: &str| {
        format!(
            "program t
  use mpi
  integer :: ierr, me
  logical :: flag
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  flag = me > 3
  call sweep(flag, me)
  call mpi_finalize(ierr)
end program
subroutine sweep(flag, k)
  use mpi
  logical :: flag
  integer :: k, i, ierr
  real, save :: x(100)
{entry}
  call mpi_barrier(mpi_comm_world, ierr)
  if (flag) then !block
    do i = 1, k
      x(i) = x(i) + 1
    end do
  end if
  call mpi_barrier(mpi_comm_world, ierr)
end subroutine
"
        )
    };
    check(
        &source(""),
        &["merge(1_8, 0_8, flag)*max(0_8, int(k, 8))"],
        false,
    );
    check(&source("  entry again(flag)"), &[], true);
}
