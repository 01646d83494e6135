//! Blocks of what statements with messages in them evaluate themselves, with their work terms; and what is only warned of.

use crate::harness::{Analysed, analyse};
use frontend::analysis::Extent;

/// A program in a loop with messages, with functions that are PURE, that work and that call MPI.
fn program(step: &str) -> String {
    format!(
        "module m
  use mpi
  implicit none
  integer :: n, k, ierr
  real, allocatable :: u(:, :), r(:)
  logical, allocatable :: mask(:)
  real :: few(9), g
  complex :: z(1000)
  character(8) :: names(1000)
  type held
    integer :: size
  contains
    final :: end_held
  end type
contains
  pure real function norm(x)
    real, intent(in) :: x(:)
    integer :: i
    norm = 0
    do i = 1, size(x)
      norm = norm + x(i)**2
    end do
  end function
  real function work(x)
    real, intent(in) :: x(:)
    integer :: i
    work = 0
    do i = 1, size(x)
      work = work + x(i)**2
    end do
  end function
  real function talk(x)
    real, intent(in) :: x
    call mpi_allreduce(x, talk, 1, mpi_real, mpi_max, mpi_comm_world, ierr)
  end function
  function talks(x) result(all)
    real, intent(in) :: x(:)
    real :: all(size(x))
    call mpi_allreduce(x, all, size(x), mpi_real, mpi_max, mpi_comm_world, ierr)
  end function
  subroutine explicit(a, rows)
    integer, intent(inout) :: rows
    real, intent(inout) :: a(rows, *)
    call mpi_barrier(mpi_comm_world, ierr)
    rows = rows + 1
  end subroutine
  subroutine assumed(a)
    real, intent(inout) :: a(:, :)
    call mpi_barrier(mpi_comm_world, ierr)
  end subroutine
  subroutine passing_on(a, m)
    real, intent(inout) :: a(:), m(:, :)
    call mpi_bcast(a, 9, mpi_real, 0, mpi_comm_world, ierr)
    call mpi_bcast(m(:, 2), 9, mpi_real, 0, mpi_comm_world, ierr)
  end subroutine
  subroutine further(b, m)
    real, intent(inout) :: b(:), m(:, :)
    call passing_on(b, m)
  end subroutine
  subroutine in_one_piece(a)
    real, intent(inout) :: a(*)
    call mpi_bcast(a, 9, mpi_real, 0, mpi_comm_world, ierr)
  end subroutine
  subroutine end_held(one)
    type(held), intent(inout) :: one
    integer :: i
    do i = 1, one%size
      g = g*0.5 + i
    end do
  end subroutine
  subroutine holding()
    type(held) :: one
    one%size = n
    call mpi_barrier(mpi_comm_world, ierr)
  end subroutine
end module
program t
  use m
  implicit none
  integer :: it, i
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, n, ierr)
  n = n + 100
  allocate(u(n, n), r(n), mask(n))
  u = 1; r = 1; mask = .true.; few = 0
  do it = 1, 9
{step}
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call mpi_finalize(ierr)
end program
"
    )
}

/// Of each head and tail, what it is and its work terms.
fn found(analysed: &Analysed) -> Vec<String> {
    let own = analysed
        .analysis
        .blocks
        .iter()
        .filter(|block| block.extent != Extent::Whole);
    let spelled = own.map(|block| {
        let in_table = &analysed.analysis.table.blocks[block.id.index()];
        let terms: Vec<&str> = in_table
            .work_terms
            .iter()
            .map(|term| term.expression.as_str())
            .collect();
        let part = match &block.extent {
            Extent::Head { again } if again.is_empty() => "head".to_string(),
            Extent::Head { again } => format!("head in {} more places", again.len()),
            Extent::Tail | Extent::Whole => "tail".to_string(),
        };
        let data = if in_table.data_dependent {
            ", data"
        } else {
            ""
        };
        format!("{part}: {}{data}", terms.join(", "))
    });
    spelled.collect()
}

const R: &str = "merge(size(r), 0, allocated(r))";
const WARNED: &str = "with messages is not predicted";

#[track_caller]
fn check(step: &str, expected: &[&str]) {
    let analysed = analyse(&program(step));
    assert_eq!(found(&analysed), expected, "{step}");
    let remarks = analysed.remarks();
    assert!(!remarks.contains(WARNED), "{step}: {remarks}");
}

#[test]
fn what_calls_of_mpi_are_passed_is_a_block() {
    for (arguments, terms) in [
        ("sum(r*r), g, 1", R),
        ("[norm(r)], g, 1", R),
        ("2*u(2:n, 3), g, n", "n - 1"),
        (
            "few, g, count(mask)",
            "merge(size(mask), 0, allocated(mask))",
        ),
    ] {
        let step =
            format!("call mpi_allreduce({arguments}, mpi_real, mpi_sum, mpi_comm_world, ierr)");
        check(&step, &[&format!("head: {terms}")]);
    }
}

#[test]
fn conditions_bounds_and_selections_are_blocks() {
    let r = format!("head: {R}");
    for (step, expected) in [
        ("if (maxval(abs(r)) < 1e-5) exit", r.as_str()),
        ("if (sum(r) > 3) call mpi_barrier(mpi_comm_world, ierr)", &r),
        ("if (it == 3 .and. norm(r(1:n)) > 3) cycle", "head: n"),
        (
            "if (it == 3) then\n call mpi_barrier(mpi_comm_world, ierr)\nelse if (sum(r(:n)) < 3) then\n g = 3\nend if",
            "head: n - merge(lbound(r, 1), 0, allocated(r)) + 1",
        ),
        (
            "do i = 1, count(mask(1:n))\n call mpi_barrier(mpi_comm_world, ierr)\nend do",
            "head: n",
        ),
        (
            "select case (maxloc(r, 1))\ncase (3)\n call mpi_barrier(mpi_comm_world, ierr)\nend select",
            &r,
        ),
        (
            "associate (twice => 2*r)\n call mpi_barrier(mpi_comm_world, ierr)\nend associate",
            &r,
        ),
    ] {
        check(step, &[expected]);
    }
}

#[test]
fn the_condition_of_a_loop_is_a_block_wherever_it_is_evaluated() {
    for (body, places) in [
        ("call mpi_barrier(mpi_comm_world, ierr)\n r = r/2", 1),
        (
            "if (k > 3) exit\n call mpi_barrier(mpi_comm_world, ierr)\n if (k > 5) cycle\n r = r/2",
            2,
        ),
        (
            "if (k > 3) goto 10\n call mpi_barrier(mpi_comm_world, ierr)\n10",
            1,
        ),
        (
            "call mpi_barrier(mpi_comm_world, ierr)\n if (k > 3) exit",
            1,
        ),
    ] {
        let step = format!("do while (sqrt(sum(r(1:n))) > 1)\n {body} end do")
            .replace(" end do", "\n end do");
        let step = step.replace("10\n end do", "10 end do");
        check(&step, &[&format!("head in {places} more places: n")]);
    }
}

#[test]
fn sections_that_are_copied_to_be_passed_and_back_are_blocks() {
    let all = "max(0_8, int((n + 1)/2, 8))*max(0_8, int(n - 1, 8))";
    let [head, tail] = ["head", "tail"].map(|part| format!("{part}: {all}"));
    let send = "call mpi_bcast(u(1:n:2, 2:n), 9, mpi_real, 0, mpi_comm_world, ierr)";
    check(send, &[&head, &tail]);
    check("k = 9\n call explicit(u(1:n:2, 2:n), k)", &[&head, &tail]);
    // The work of the call cannot be derived from the values that it changes.
    check("call explicit(u(1:n:2, 2:n), n)", &[&head, "tail: , data"]);
    check("call assumed(u(1:n:2, 2:n))", &[]);
    for piece in [
        "u",
        "u(:, 2)",
        "u(:, 2:n)",
        "u(2:n, 3)",
        "r(2:n)",
        "u(2, 3)",
    ] {
        check(
            &format!("call mpi_bcast({piece}, 9, mpi_real, 0, mpi_comm_world, ierr)"),
            &[],
        );
    }
}

#[test]
fn parts_of_numbers_and_of_texts_are_copied_to_be_passed_and_back() {
    for part in [
        "z%im",
        "z(:)%re",
        "z(1:n)%re",
        "names(:)(1:3)",
        "names(1:n)(2:)",
    ] {
        let step = format!("call mpi_bcast({part}, 9, mpi_byte, 0, mpi_comm_world, ierr)");
        let term = if part.contains("1:n") { "n" } else { "" };
        check(&step, &[&format!("head: {term}"), &format!("tail: {term}")]);
    }
    for piece in ["z", "z(3)%im", "names", "names(2:n)", "names(3)(2:4)"] {
        check(
            &format!("call mpi_bcast({piece}, 9, mpi_byte, 0, mpi_comm_world, ierr)"),
            &[],
        );
    }
}

/// A dummy is copied where it is passed on, if some caller passes a section.
#[test]
fn sections_are_copied_where_they_are_passed_on() {
    for through in ["passing_on", "further"] {
        check(&format!("call {through}(r(2:n), u(:, 2:n))"), &[]);
        check(
            &format!("call {through}(r(1:n:2), u)"),
            &["head: size(a)", "tail: size(a)"],
        );
        check(
            &format!("call {through}(r, u(2:n, :))"),
            &["head: size(m, 1)", "tail: size(m, 1)"],
        );
        check(
            &format!("call {through}(u(2, :), u)"),
            &["head: size(a)", "tail: size(a)"],
        );
    }
    check(
        "call in_one_piece(r(1:n:2))",
        &["head: (n + 1)/2", "tail: (n + 1)/2"],
    );
    check("call in_one_piece(r)", &[]);
}

#[test]
fn assignments_have_what_is_done_behind_their_functions_in_a_block() {
    check("r = r*talk(g)", &["tail: size(r)"]);
    check("g = g*talk(g)", &[]);
}

#[test]
fn few_elements_are_no_block() {
    for passed in [
        "sum(few)",
        "maxval(few(1:n*0 + 3))",
        "real(size(r))",
        "[1.0, g]",
    ] {
        let is_known = !passed.contains("n*0");
        let step =
            format!("call mpi_allreduce({passed}, g, 1, mpi_real, mpi_sum, mpi_comm_world, ierr)");
        assert_eq!(
            found(&analyse(&program(&step))).is_empty(),
            is_known,
            "{step}"
        );
    }
}

/// Functions with a probe at their entry are blocks themselves.
#[test]
fn functions_that_repeat_anything_are_parts_of_what_asks_them_only_if_they_are_pure() {
    check(
        "if (work(r) > 3) call mpi_barrier(mpi_comm_world, ierr)",
        &[],
    );
    check(
        "if (norm(r) > 3) call mpi_barrier(mpi_comm_world, ierr)",
        &["head: size(r)"],
    );
}

#[test]
fn what_can_be_in_no_block_is_warned_of() {
    for step in [
        // What is evaluated behind messages of the same condition.
        "if (sum(r) + talk(g) > 3) exit",
        "if (sum(r) + work(r) > 3) exit",
        // A slice may leave out that CYCLE.
        "do while (sum(r) > 3)\n call mpi_barrier(mpi_comm_world, ierr)\n if (k > 5) cycle\n end do",
        "do 10 while (sum(r) > 3)\n call mpi_barrier(mpi_comm_world, ierr)\n10 continue",
        "call holding()",
    ] {
        let remarks = analyse(&program(step)).remarks();
        assert!(remarks.contains(WARNED), "{step}: {remarks}");
    }
}

/// What is assigned to may not be there before: only what is behind asks it, where the statement does not change it.
#[test]
fn targets_are_no_part_of_what_is_evaluated_before_messages() {
    check("r = talks(r(1:n))", &["tail: , data"]);
    check(
        "u(:, 3) = talks(u(:, 2)) + 2*u(:, 1)",
        &["tail: merge(size(u, 1), 0, allocated(u))"],
    );
    check(
        "u(:, 3) = talks(2*r(1:n))",
        &["head: n", "tail: merge(size(u, 1), 0, allocated(u)), n"],
    );
}

/// Names of constructs that hide what terms are written with.
#[test]
fn no_term_is_written_with_a_hidden_function() {
    let step = |name: &str| {
        format!(
            "associate ({name} => n)\n call mpi_allreduce(sum(r(:{name})), g, 1, mpi_real, mpi_sum, mpi_comm_world, \
             ierr)\n end associate"
        )
    };
    for name in ["max", "int", "merge", "lbound", "allocated"] {
        check(&step(name), &["head: , data"]);
    }
    check(
        &step("sum_of"),
        &["head: n - merge(lbound(r, 1), 0, allocated(r)) + 1"],
    );
}
