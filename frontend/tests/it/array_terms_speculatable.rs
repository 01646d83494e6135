//! How many elements statements go over is asked at a block's entry only where that has an answer whatever the program
//! finds before it comes to the array, or wherever the program comes for certain.

use crate::work_terms::{check, check_terms, terms};

fn program(statements: &str) -> String {
    format!(
        "program t
  use mpi
  type box
    integer :: cells
    real, allocatable :: held(:)
    real, pointer :: lent(:)
    real :: part(10)
    character(20) :: name
  end type
  integer :: ierr, i, j, n, me, none, few(3)
  integer, pointer :: named
  integer, allocatable :: made
  type(box) :: one, many(10)
  type(box), pointer :: boxed
  real, allocatable :: free(:)
  real, pointer :: lent(:)
  real :: x(100), y(100), z
  logical :: flag
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  flag = me > 3
  none = me - 1
  few = me
  read *, x, y, z
  call mpi_barrier(mpi_comm_world, ierr)
{statements}
  call mpi_finalize(ierr)
contains
  real function swept(k)
    integer, intent(in) :: k
    integer :: l
    swept = 0
    do l = 1, k
      swept = swept + x(l)
    end do
  end function
  subroutine given(k, u, v)
    integer, intent(in), optional :: k
    real, intent(in), optional :: u(:)
    integer, intent(in) :: v
    call mpi_barrier(mpi_comm_world, ierr)
    z = z + 1 !given
    if (present(k) .and. sum(x(1:k)) > 0) z = 1
    call mpi_barrier(mpi_comm_world, ierr)
    z = z + 1 !shaped
    if (present(u)) z = sum(u(1:size(u)))
    call mpi_barrier(mpi_comm_world, ierr)
  end subroutine
end program
"
    )
}

/// Bounds that have no answer in some state of the program.
const UNSAFE: [&str; 6] = [
    "mod(100, none)",
    "size(lent)",
    "few(none)",
    "named",
    "made",
    "boxed%cells",
];

/// The names in an expression.
fn names(expression: &str) -> impl Iterator<Item = &str> {
    let words = expression.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic()))
}

/// A block in which an array stands that has a bound.
fn guarded(form: &str, bound: &str) -> String {
    program(&format!("  z = z + 1 !block\n{}", form.replace('@', bound)))
}

#[test]
fn bounds_that_have_no_answer_everywhere_are_no_terms_where_nobody_need_come_to_them() {
    for bound in UNSAFE {
        for form in [
            "  if (flag) then\n    z = 2\n  else if (any(x(1:@) > 0)) then\n    z = 3\n  end if",
            "  if (flag .and. any(x(1:@) > 0)) z = 3",
            "  if (flag .or. sum(x(1:@)) > 0) z = 3",
            "  z = merge(sum(x(1:@)), 0.0, flag)",
            "  z = maxval(x(1:@), flag .and. x(1:@) > 0)",
            "  if (flag) z = sum(x(1:@))",
            "  if (flag) x(1:@) = 3",
            "  if (allocated(free) .and. associated(lent)) then\n    z = sum(x(1:@))\n  end if",
            "  where (x(1:@) > 0) x(1:@) = 3",
            "  do i = 1, 3\n    if (flag) cycle\n    z = z + sum(x(1:@))\n  end do",
            "  do i = 1, 3\n    if (flag) exit\n    z = z + sum(x(1:@))\n  end do",
            "  select case (me)\n  case (1)\n    z = sum(x(1:@))\n  end select",
            "  if (flag) goto 10\n  z = sum(x(1:@))\n10 continue",
            "  print *, (sum(x(1:@)), i = 1, n - 2)",
        ] {
            let (found, data_dependent) = terms(&guarded(form, bound));
            let is_asked = found
                .iter()
                .any(|term| names(term).any(|name| names(bound).any(|other| other == name)));
            assert!(!is_asked && data_dependent, "{bound}, {found:?}:\n{form}");
        }
    }
}

#[test]
fn speculatable_expression_is_a_term_everywhere() {
    for form in [
        "  if (flag) then\n    z = 2\n  else if (any(x(1:@) > 0)) then\n    z = 3\n  end if",
        "  if (flag .and. any(x(1:@) > 0)) z = 3",
        "  z = merge(sum(x(1:@)), 0.0, flag)",
        "  if (flag) goto 10\n  z = sum(x(1:@))\n10 continue",
    ] {
        check_terms(&guarded(form, "n - me/2"), &["n - me/2"]);
    }
}

#[test]
fn counts_in_functions_are_evaluated_only_if_the_call_is_unconditional() {
    for bound in ["boxed%cells", "few(2)"] {
        for form in [
            "  if (flag) then\n    z = 2\n  else if (swept(@) > 0) then\n    z = 3\n  end if",
            "  if (flag .and. swept(@) > 0) z = 3",
            "  z = merge(swept(@), 0.0, flag)",
            "  if (flag) goto 10\n  z = swept(@)\n10 continue",
        ] {
            check(&guarded(form, bound), &[], true);
        }
    }
    let safe = "100/(none + merge(1, 0, none .eq. 0))";
    check(
        &guarded("  if (flag .and. swept(@) > 0) z = 3", "100/none"),
        &[safe],
        false,
    );
    check(
        &guarded("  if (swept(@) > 0) z = 3", "100/none"),
        &["100/none"],
        false,
    );
    check(
        &guarded("  if (flag .and. swept(@) > 0) z = 3", "n"),
        &["n"],
        false,
    );
}

#[test]
fn loops_after_jumps_are_counted_only_if_speculatable() {
    let loop_behind = "  if (flag) goto 10\n  do i = 1, @\n    x(i) = 2\n  end do\n10 continue";
    check_terms(
        &guarded(loop_behind, "100/none"),
        &["100/(none + merge(1, 0, none .eq. 0))"],
    );
    check_terms(&guarded(loop_behind, "n"), &["n"]);
    let loop_before =
        "  do i = 1, @\n    x(i) = 2\n  end do\n  if (flag) goto 10\n  z = 3\n10 continue";
    check_terms(&guarded(loop_before, "100/none"), &["100/none"]);
}

#[test]
fn optional_arguments_are_not_queried() {
    let with_mark = |mark: &str| program("  call given(v=1)").replace(mark, "!block");
    check(&with_mark("!given"), &[], true);
    check(&with_mark("!shaped"), &[], true);
}

#[test]
fn components_that_may_not_exist_are_evaluated_only_without_a_path_to_them() {
    let summed = guarded("  z = sum(one%held)", "");
    check(
        &summed,
        &["merge(size(one%held), 0, allocated(one%held))"],
        false,
    );
    // What is filled is there.
    check(&guarded("  one%held = 3", ""), &["size(one%held)"], false);
    let chosen = "merge(1_8, 0_8, flag)";
    let some = format!("{chosen}*max(0_8, int(merge(size(one%held), 0, allocated(one%held)), 8))");
    check(
        &guarded("  if (flag) one%held = 3", ""),
        &[chosen, &some],
        false,
    );
    check(&guarded("  one%held = x(1:n)", ""), &[], true);
    let made = guarded("  allocate (one%held(100/n))\n  one%held = 3", "");
    check(&made, &["100/n"], false);
    for statement in [
        "z = sum(many(3)%held)",
        "if (associated(one%lent)) z = sum(one%lent)",
        "z = sum(one%lent(1:size(one%lent)))",
    ] {
        check(&guarded(&format!("  {statement}"), ""), &[], true);
    }
    for statement in [
        "z = sum(one%part)",
        "z = sum(many(3)%part)",
        "one%part = 2*many(4)%part",
        "one%name(1:3) = 'abc'",
        "z = sum(many%cells)",
        "associate (s => x(1:n))\n    z = s(3)\n  end associate",
    ] {
        check(&guarded(&format!("  {statement}"), ""), &[], false);
    }
}
