//! The trip counts that become work terms.

use crate::harness::{analyse, analyse_with};
use base_data::block_table::BlockKind;
use frontend::language::Dialect;
use frontend::options::Options;

/// Terms of the compute block that begins at the line marked `!block`, and whether it is data-dependent.
#[track_caller]
pub(crate) fn check(source: &str, terms: &[&str], data_dependent: bool) {
    check_with(source, &Options::default(), terms, data_dependent);
}

#[track_caller]
fn check_with(source: &str, options: &Options, terms: &[&str], data_dependent: bool) {
    let (found, depends, remarks) = found_with(source, options);
    let found: Vec<&str> = found.iter().map(String::as_str).collect();
    assert_eq!((&found[..], depends), (terms, data_dependent), "{remarks}");
}

/// As [`check`], whatever data it depends on.
#[track_caller]
pub(crate) fn check_terms(source: &str, terms: &[&str]) {
    let (found, _, remarks) = found_with(source, &Options::default());
    assert_eq!(found, terms, "{remarks}");
}

/// Terms of the marked block, and whether it is data-dependent.
pub(crate) fn terms(source: &str) -> (Vec<String>, bool) {
    let (found, depends, _) = found_with(source, &Options::default());
    (found, depends)
}

/// Terms of the marked block, whether it is data-dependent, and remarks.
#[track_caller]
fn found_with(source: &str, options: &Options) -> (Vec<String>, bool, String) {
    let analysed = analyse_with(source, options);
    let line = analysed
        .lines
        .iter()
        .position(|line| line.contains("!block"))
        .expect("a mark") as u32
        + 1;
    let is_it = |block: &&base_data::block_table::Block| {
        block.kind == BlockKind::Compute && block.span.first_line == line
    };
    let block = analysed
        .analysis
        .table
        .blocks
        .iter()
        .find(is_it)
        .expect("a block at the mark");
    let found = block
        .work_terms
        .iter()
        .map(|term| term.expression.clone())
        .collect();
    (found, block.data_dependent, analysed.remarks().to_string())
}

fn program(body: &str) -> String {
    format!(
        "program t
  use mpi
  integer, parameter :: big = 50
  integer :: ierr, i, j, n, m, me
  real :: a(100, 100), x(100)
  logical :: flags(100)
  integer :: kinds(100)
  character(3) :: words(100)
  type state
    real :: level
    integer :: number
  end type
  type(state) :: one
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  m = 3*me
  read *, x, y, flags, kinds, words, one
  call mpi_barrier(mpi_comm_world, ierr)
{body}
  call mpi_finalize(ierr)
end program
subroutine sweep(k, b)
  integer :: k, j
  real :: b(*)
  do j = 2, k
    b(j) = 0
  end do
end subroutine
"
    )
}

#[test]
fn nests_have_a_term_for_each_level() {
    let body = "  do j = 1, n !block
    do i = 2, m
      a(i, j) = 1
    end do
  end do";
    check(
        &program(body),
        &["n", "max(0_8, int(n, 8))*max(0_8, int(m - 1, 8))"],
        false,
    );
}

#[test]
fn literal_counts_are_dropped_and_named_constants_are_not() {
    let body = "  do i = 1, 10 !block
    x(i) = 1
  end do
  do i = 1, big
    x(i) = 2
  end do";
    check(&program(body), &["big"], false);
}

#[test]
fn counts_set_in_the_block_are_followed_back() {
    let body = "  j = n + 4 !block
  do i = 1, j
    x(i) = 1
  end do";
    check(&program(body), &["n + 4"], false);
}

#[test]
fn counts_in_callees_are_put_in_the_callers_words() {
    let body = "  call sweep(n + m, x) !block";
    check(&program(body), &["n + m - 1"], false);
}

#[test]
fn whole_arrays_count() {
    check(&program("  x = 1 !block\n  a = 2"), &[], false);
}

#[test]
fn counts_that_depend_on_computed_arrays_make_a_block_data_dependent() {
    let body = "  do i = 1, 100 !block
    x(i) = i
  end do
  call mpi_barrier(mpi_comm_world, ierr)
  do i = 1, int(x(3))
    a(i, 1) = 1
  end do";
    check(
        &program(body)
            .replace("!block", "")
            .replace("  do i = 1, int(x(3))", "  do i = 1, int(x(3)) !block"),
        &[],
        true,
    );
}

#[test]
fn loops_without_a_count_make_a_block_data_dependent() {
    check(
        &program("  do while (x(1) > 0) !block\n    x(1) = x(1) - 1\n  end do"),
        &[],
        true,
    );
}

#[test]
fn branch_on_data_makes_a_block_data_dependent() {
    let guarded = |condition: &str, guarded: &str| {
        let body = format!(
            "  do i = 1, n !block\n    x(i) = i\n    if ({condition}) then\n{guarded}\n    end if\n  end do"
        );
        program(&body)
    };
    let assignments = "      a(i, 1) = 1\n      a(i, 2) = 2";
    check(&guarded("x(i) > 3", assignments), &["n"], true);
    check(
        &guarded(
            "x(i) > 3",
            &format!("{assignments}\n    else\n{assignments}"),
        ),
        &["n"],
        false,
    );
    check(&guarded("i > 3", assignments), &["n"], false);
    check(
        &guarded("x(i) > 3", &format!("{assignments}\n      stop")),
        &["n"],
        false,
    );
    check(&guarded("flags(i)", assignments), &["n"], true);
    check(&guarded("flags(3)", assignments), &["n"], true);
    check(&guarded("words(i) == 'on'", assignments), &["n"], true);
    check(&guarded("one%level > 3", assignments), &["n"], true);
    check(&guarded("one%number > 3", assignments), &["n"], true);
    let cases = "  do i = 1, n !block\n    x(i) = i\n    select case (kinds(i))\n    case (1)\n";
    check(
        &program(&format!("{cases}{assignments}\n    end select\n  end do")),
        &["n"],
        true,
    );
    let others =
        format!("{assignments}\n    case default\n{assignments}\n    end select\n  end do");
    check(&program(&format!("{cases}{others}")), &["n"], false);
    // Asked once, beside a loop.
    let once = "  do i = 1, n !block\n    x(i) = i\n  end do\n  if (x(1) > 3) x(2) = 3";
    check(&program(once), &["n"], false);
}

#[test]
fn what_the_slice_decides_once_is_no_data() {
    let once = "  y = y + 2 !block
  if (y > 3) then
    x(2) = 3
    n = 7
  end if
  if (n == 7) call mpi_barrier(mpi_comm_world, ierr)";
    check(&program(once), &[], false);
    // Decided for each element.
    let each = "  do i = 1, n !block
    if (x(i) > 3) then
      a(i, 1) = 1
      a(i, 2) = 2
      me = 7
    end if
  end do
  if (me == 7) call mpi_barrier(mpi_comm_world, ierr)";
    check(&program(each), &["n"], true);
    // Its condition does not affect the calls.
    let unneeded = "  y = y + 2 !block\n  if (y > 3) then\n    x(2) = 3\n    x(3) = 7\n  end if";
    check(&program(unneeded), &[], true);
}

#[test]
fn a_maximum_in_passing_makes_no_block_data_dependent() {
    let body = "  do i = 1, n !block
    x(i) = i
    a(i, 1) = x(i)*x(i)
    a(i, 2) = a(i, 1) + x(i)
    if (a(i, 2) > x(1)) x(1) = a(i, 2)
  end do";
    check(&program(body), &["n"], false);
}

/// One statement of many, which takes longer than all others, or a tenth of their time.
#[test]
fn expensive_expressions_count_by_their_cost() {
    let more = |count: usize| "    a(i, 1) = a(i, 1)*0.5 + 1\n".repeat(count);
    let body = |count: usize, expensive: &str| {
        program(&format!(
            "  do i = 1, n !block\n{}    if (x(i) > 0.5) a(i, 2) = {expensive}\n  end do",
            more(count)
        ))
    };
    for (count, expensive, data_dependent) in [
        (7, "log(1 + exp(sin(x(i)))**1.7)", true),
        (7, "sqrt(x(i))", true),
        (100, "exp(x(i))*cos(x(i))", true),
        (100, "x(i)/x(1)", false),
        (7, "x(i)*x(1)", false),
        (7, "x(i)**2/3", false),
        (7, "x(i)**n", true),
    ] {
        check(&body(count, expensive), &["n"], data_dependent);
    }
    // A term covers it where one can.
    let covered = body(7, "exp(x(i))").replace("x(i) > 0.5", "me == 0");
    check(
        &covered,
        &["n", "max(0_8, int(n, 8))*merge(1_8, 0_8, me .eq. 0)"],
        false,
    );
    // What all ways have does not depend on which is gone.
    check(
        &body(7, "x(1)").replace("x(i) > 0.5", "exp(x(i)) > 0.5"),
        &["n"],
        false,
    );
}

#[test]
fn conditional_loops_count_if_their_condition_is_known() {
    let body = "  if (me == 0) then !block
    do i = 1, n
      x(i) = 1
    end do
  end if";
    check(
        &program(body),
        &["merge(1_8, 0_8, me .eq. 0)*max(0_8, int(n, 8))"],
        false,
    );
    let body = body.replace("me == 0", "x(1) > 0");
    check(&program(&body), &[], true);
}

#[test]
fn what_terms_read_is_in_the_slice() {
    let analysed = analyse(&program("  do i = 1, n !block\n    x(i) = 1\n  end do"));
    let kept = analysed.kept();
    assert!(kept.contains(&16) && !kept.contains(&17), "{kept:?}");
}

#[test]
fn many_terms_are_summed_by_depth() {
    let mut body = String::from("  n = n !\n  call mpi_barrier(mpi_comm_world, ierr)\n");
    for k in 1..=10 {
        let mark = if k == 1 { "!block" } else { "" };
        body += &format!("  do i = 1, n + {k} {mark}\n    x(i) = 1\n  end do\n");
    }
    let analysed = analyse(&program(&body));
    let blocks = &analysed.analysis.table.blocks;
    let most = blocks.iter().map(|block| block.work_terms.len()).max();
    assert_eq!(most, Some(1));
}

/// The IR has names in lower case, and the preprocessor minds case: it would not replace `k` by `K`.
#[test]
fn macros_are_in_no_term() {
    let body = "  do j = 1, K !block
    x(j) = 1
  end do
  do j = 1, n
    x(j) = 2
  end do";
    let with = |name: &str| Options {
        dialect: Dialect {
            defines: vec![(name.into(), "50".into())],
        },
        ..Options::default()
    };
    check_with(&program(body), &with("K"), &["n"], true);
    check_with(&program(body), &with("OTHER"), &["k", "n"], false);
    check(&format!("# define K 50\n{}", program(body)), &["n"], true);
    check(&format!("#define K(x) x\n{}", program(body)), &["n"], true);
}

#[test]
fn names_that_hold_elsewhere_are_not_written_into_probes() {
    let inside = "  do j = 1, n !block
    block
      integer :: k
      k = j
      do i = 1, k
        a(i, j) = 1
      end do
    end block
  end do";
    check(&program(inside), &["n"], true);
    let renamed = "module sizes
  integer :: cells
end module
program t
  use mpi
  use sizes, only: mine => cells
  integer :: ierr, i, me
  real :: x(100)
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, mine, ierr)
  do i = 1, mine !block
    x(i) = 1
  end do
  call mpi_finalize(ierr)
end program
";
    check(renamed, &[], true);
}

#[test]
fn concurrent_loops_count_all_their_indices() {
    let body = "  do concurrent (i = 1:n, j = 1:m) !block
    a(i, j) = 1
  end do";
    check(&program(body), &["max(0, n)*max(0, m)"], false);
}

#[test]
fn associated_names_are_those_they_stand_for() {
    let body = "  associate (k => n) !block
    do i = 1, k
      x(i) = 1
    end do
  end associate";
    check(&program(body), &["n"], false);
}

/// A program whose procedures are contained in it: the body, and what else they declare.
fn contained(of_caller: &str, of_callee: &str) -> String {
    format!(
        "program t
  use mpi
  integer :: ierr, n, me
  real :: x(100)
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  call mpi_barrier(mpi_comm_world, ierr)
  call step()
  call mpi_finalize(ierr)
contains
  subroutine step()
{of_caller}
    call mpi_barrier(mpi_comm_world, ierr)
    call fill() !block
    call mpi_barrier(mpi_comm_world, ierr)
  end subroutine
  recursive subroutine fill()
    integer :: j
{of_callee}
    do j = 1, n
      x(j) = 0
    end do
  end subroutine
end program
"
    )
}

#[test]
fn counts_in_variables_of_the_procedure_around_are_the_same_for_all_in_it() {
    let from_host = contained("", "")
        .replace(
            "call step()\n",
            "call fill() !block\n  call mpi_barrier(mpi_comm_world, ierr)\n",
        )
        .replace("fill() !block\n    call", "fill()\n    call");
    check(&from_host, &["n"], false);
    check(
        &contained("    if (n > 5) call mpi_barrier(mpi_comm_world, ierr)", ""),
        &["n"],
        false,
    );
    // Known by that name only where it is mentioned: the caller's own may hide it.
    check(&contained("    integer :: n\n    n = 3", ""), &[], true);
    check(
        &contained(
            "    if (n > 5) call mpi_barrier(mpi_comm_world, ierr)",
            "    n = int(x(1))",
        ),
        &[],
        true,
    );
    // A procedure's own variable is another one in each of its calls.
    let again = "    integer :: n\n    n = 4\n    if (x(1) > 0) call fill()";
    check(
        &contained(
            "    if (me > 5) call mpi_barrier(mpi_comm_world, ierr)",
            again,
        ),
        &[],
        true,
    );
}

#[test]
fn how_often_a_branch_is_taken_is_a_term_where_that_is_much() {
    let body = |condition: &str| {
        format!(
            "  do i = 1, n !block\n    x(i) = x(i) + 1\n    if ({condition}) then\n      x(i) = x(i)*2\n      \
             x(i) = x(i) - 1\n    end if\n  end do"
        )
    };
    let check_as =
        |condition, terms: &[&str], depends| check(&program(&body(condition)), terms, depends);
    let check = |condition, terms: &[&str]| check_as(condition, terms, false);
    check(
        "me == 0",
        &["n", "max(0_8, int(n, 8))*merge(1_8, 0_8, me .eq. 0)"],
    );
    check(
        "mod(me, 2) == 1",
        &[
            "n",
            "max(0_8, int(n, 8))*merge(1_8, 0_8, mod(me, 2) .eq. 1)",
        ],
    );
    // It is evaluated only where the program does.
    check_as("mod(7, me) == 1", &["n"], true);
    // It changes in the loop.
    check_as("i == me", &["n"], true);
}

#[test]
fn what_is_followed_back_is_of_the_type_that_it_was_assigned_to() {
    let loop_to = |assigned: &str, last: &str| {
        program(&format!(
            "  {assigned} !block\n  do i = 1, {last}\n    x(mod(i, 100) + 1) = 1\n  end do"
        ))
    };
    check(&loop_to("j = m*0.5", "j*20"), &["int(m*0.5)*20"], false);
    check(
        &loop_to("j = nint(m*0.5)", "j*20"),
        &["nint(m*0.5)*20"],
        false,
    );
    check(
        &loop_to("one%level = n", "int(one%level/3)"),
        &["int(real(n, 4)/3)"],
        false,
    );
    // Each of its elements has the value.
    check(&loop_to("kinds = 3", "sum(kinds)"), &[], true);
    check(
        &loop_to("words(1) = 'abcd'", "merge(3, 4, words(1) == 'abc')"),
        &[],
        true,
    );
}

#[test]
fn what_is_written_through_a_pointer_is_no_alias_of_what_it_is_made_of() {
    let source = program(
        "  call set(me, a)
  call mpi_barrier(mpi_comm_world, ierr)
  do i = 1, n !block
    x(i) = 1
  end do",
    );
    let set = "subroutine set(k, b)
  integer :: k
  real, target :: b(100, 100)
  real, pointer :: one, all(:, :)
  one => b(1, 1)
  one = k
  all => b
  all = all + k
end subroutine
";
    let source = source
        .replace("subroutine sweep", &format!("{set}subroutine sweep"))
        .replace("real :: a(100", "real, target :: a(100");
    check(&source, &["n"], false);
}

#[test]
fn branches_of_equal_length_tell_nothing() {
    let equal = "  do i = 1, n !block
    if (me == 0) then
      x(i) = 1
    else
      x(i) = 2
    end if
  end do";
    check(&program(equal), &["n"], false);
    let small = "  do i = 1, n !block
    x(i) = 1
    a(i, 1) = 1
    a(i, 2) = 1
    a(i, 3) = 1
    if (me == 0) x(i) = 2
  end do";
    check(&program(small), &["n"], false);
}

#[test]
fn jumps_beside_branches_leave_the_work_known() {
    let body = "  if (me == 0) then !block
    x(1) = 1
    x(2) = 2
  end if
  if (n == 5) goto 10
  x(3) = 1
10 continue";
    check(&program(body), &["merge(1_8, 0_8, me .eq. 0)"], false);
}
