//! Work terms that ask arrays how large they are, and components of objects.

use crate::harness::analyse;
use crate::work_terms::{check, check_terms, terms};

/// A program that goes through a block again and again; `declared` and `made` stand before, `procedures` behind.
fn program(declared: &str, made: &str, block: &str, procedures: &str) -> String {
    format!(
        "module field
  type grid
    integer :: n, m
    real, allocatable :: u(:, :)
  end type
  real, allocatable :: u(:, :), v(:, :)
contains
  subroutine sweep(a, b)
    real, intent(in) :: a(:, :)
    real, intent(out) :: b(0:, :)
    integer :: i, j
    do j = 2, ubound(a, 2) - 1
      do i = lbound(b, 1), ubound(b, 1)
        b(i, j) = a(i + 1, j)*0.25
      end do
    end do
  end subroutine
  subroutine in_place()
    integer :: j
    do j = 1, size(u, 2)
      u(1, j) = u(1, j) + 1
    end do
  end subroutine
{procedures}
end module
program t
  use mpi
  use field
  implicit none
  integer :: ierr, me, it, n, k
  real :: s
{declared}
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 10 + me
{made}
  call mpi_barrier(mpi_comm_world, ierr)
  do it = 1, 5
    {block}
    call mpi_barrier(mpi_comm_world, ierr)
  end do
end program
"
    )
}

/// The same with an object `g`, and a procedure that goes through one of TYPE or CLASS.
fn through_object(declared: &str, block: &str) -> String {
    let procedure = format!(
        "  subroutine through(h)
    {declared}(grid), intent(inout) :: h
    integer :: j
    do j = 1, h%m
      h%u(1, j) = j
    end do
  end subroutine"
    );
    let made = "  g%n = n\n  g%m = 3 + me\n  allocate (g%u(g%n, g%m))";
    program("  type(grid) :: g", made, block, &procedure)
}

const BOTH: &str = "  allocate (u(n, 7), v(n, 7))";

#[test]
fn dummies_are_as_large_as_what_is_passed() {
    check(
        &program("", BOTH, "call sweep(u, v) !block", ""),
        &[
            "size(u, 2) - 2",
            "max(0_8, int(size(u, 2) - 2, 8))*max(0_8, int(merge(size(v, 1), 0, allocated(v)), 8))",
        ],
        false,
    );
    check(
        &program("", BOTH, "call sweep(u(:, 2:k), v(2:n:2, :)) !block", "")
            .replace("n = 10 + me", "n = 10 + me; k = me + 4"),
        &[
            "max(0, k - 1) - 2",
            "max(0_8, int(max(0, k - 1) - 2, 8))*max(0_8, int(n/2, 8))",
        ],
        false,
    );
}

#[test]
fn arrays_of_modules_are_asked_by_those_who_use_them() {
    check(
        &program("", BOTH, "call in_place() !block", ""),
        &["size(u, 2)"],
        false,
    );
}

#[test]
fn what_is_allocated_in_a_block_is_as_large_as_it_is_made() {
    let source = program(
        "  real, allocatable :: w(:)",
        BOTH,
        "allocate (w(2:n)) !block\n    w = 1\n    deallocate (w)",
        "",
    );
    check(&source, &["n - 1"], false);
    let inside = "  subroutine alone(n)
    integer, intent(in) :: n
    real, allocatable :: w(:)
    allocate (w(n))
    w = 3
  end subroutine";
    check(
        &program("", BOTH, "call alone(n + 1) !block", inside),
        &["n + 1"],
        false,
    );
}

/// What one array is assigned of the other changes no shape, so that the slice need not copy it.
#[test]
fn arrays_that_are_allocated_side_by_side_keep_their_shape() {
    for made in [
        "  allocate (u(n, 7), v(n, 7))",
        "  allocate (u(n, 7))\n  allocate (v(1:n, 7))",
        "  allocate (u(n, 7))\n  allocate (v(n, 7))\n  deallocate (u)\n  deallocate (v)\n",
    ] {
        check(
            &program("", made, "u = 2*v + 1 !block\n    call in_place()", ""),
            &["size(u)", "size(u, 2)"],
            false,
        );
    }
    let source = program("", BOTH, "u = v !block\n    call in_place()", "");
    assert!(
        !analyse(&source).kept().contains(
            &(source
                .lines()
                .position(|line| line.contains("u = v"))
                .unwrap()
                + 1)
        )
    );
}

#[test]
fn arrays_of_other_shapes_or_lifetimes_are_distinguished() {
    for made in [
        "  allocate (u(n, 7), v(n, 8))",
        "  allocate (u(n, 7))\n  n = n + 1\n  allocate (v(n, 7))",
        "  allocate (u(n, 7), v(n, 7))\n  if (me > 1) deallocate (u)",
        "  allocate (u(n, 7), v(n, 7))\n  if (me > 1) deallocate (u, v)\n  if (me > 1) allocate (v(3, 3))",
        "  allocate (u(n, 7), v(n, 7))\n  call move_alloc(u, v)\n",
    ] {
        let (found, data_dependent) =
            terms(&program("", made, "u = v !block\n    call in_place()", ""));
        assert!(data_dependent, "{made}: {found:?}");
    }
}

/// Where an array may not be allocated, ALLOCATED guards its size.
#[test]
fn arrays_that_may_not_be_there_are_asked_for_that_first() {
    check_terms(
        &program(
            "",
            BOTH,
            "do k = 1, n !block\n      u(:, k) = 1\n    end do",
            "",
        ),
        &[
            "n",
            "max(0_8, int(n, 8))*max(0_8, int(merge(size(u, 1), 0, allocated(u)), 8))",
        ],
    );
    check_terms(
        &program(
            "  type(grid) :: g",
            "  allocate (g%u(n, 7))",
            "do k = 1, n !block\n      g%u(:, k) = 1\n    end do",
            "",
        ),
        &[
            "n",
            "max(0_8, int(n, 8))*max(0_8, int(merge(size(g%u, 1), 0, allocated(g%u)), 8))",
        ],
    );
    let lent = "  real, pointer :: p(:)\n  real, target :: x(9)";
    let (found, data_dependent) = terms(&program(
        lent,
        "  p => x(:me)",
        "do k = 1, n !block\n      p = k\n    end do",
        "",
    ));
    assert!(data_dependent && found == ["n"], "{found:?}");
}

#[test]
fn components_of_objects_bound_loops() {
    let source = |block: &str| through_object("type", block);
    check(&source("call through(g) !block"), &["g%m"], false);
    check(
        &source("do k = 1, g%n !block\n      s = s + k\n    end do"),
        &["g%n"],
        false,
    );
    check(
        &source("s = sum(g%u) !block"),
        &["merge(size(g%u), 0, allocated(g%u))"],
        false,
    );
    check(
        &source("g%m = me !block\n    call through(g)"),
        &["me"],
        false,
    );
    let hidden = source("call through(g) !block")
        .replace("integer :: n, m", "integer :: n\n    integer, private :: m");
    let elsewhere = hidden.replace(
        "end module\nprogram t",
        "end module\nmodule other\nend module\nprogram t",
    );
    check(&elsewhere, &[], true);
}

/// Many programs have a variable of the function's name.
#[test]
fn functions_that_a_program_has_of_its_own_are_not_asked() {
    let own = "  integer :: size";
    let made = "  allocate (u(n, 7), v(n, 7))\n  size = me + 2";
    check(
        &program(
            own,
            made,
            "do k = 1, n/size !block\n      s = s + k\n    end do",
            "",
        ),
        &["n/size"],
        false,
    );
    let (found, data_dependent) = terms(&program(own, made, "call in_place() !block", ""));
    assert!(found.is_empty() && data_dependent, "{found:?}");
}

/// An array without elements has the size 0 and the bounds 1 and 0, whatever is declared.
#[test]
fn empty_arrays_have_no_less_than_no_element() {
    let source = |block: &str| {
        let made = "allocate (w(2:n)) !block\n    ";
        program(
            "  real, allocatable :: w(:)",
            BOTH,
            &format!("{made}{block}\n    deallocate (w)"),
            "",
        )
    };
    let loops = |bounds: &str| source(&format!("do k = {bounds}\n      s = s + k\n    end do"));
    check(&loops("1, 10 - size(w)"), &["10 - max(0, n - 1)"], false);
    check(
        &loops("lbound(w, 1), me"),
        &["me - merge(2, 1, max(0, n - 1) .gt. 0) + 1"],
        false,
    );
    check(
        &loops("0, ubound(w, 1)"),
        &["merge(n, 0, max(0, n - 1) .gt. 0) + 1"],
        false,
    );
    check(&loops("lbound(w, 1), ubound(w, 1)"), &["n - 1"], false);
}

/// What ALLOCATE makes anew may be asked by the next one.
#[test]
fn bounds_that_ask_what_is_allocated_between_tell_nothing() {
    let made = "  allocate (kk(3 + me))\n  allocate (u(size(kk), 2))\n  allocate (kk(9))\n  allocate (v(size(kk), 2))";
    let (found, data_dependent) = terms(&program(
        "  integer, pointer :: kk(:)",
        made,
        "u = v !block\n    call in_place()",
        "",
    ));
    assert!(data_dependent, "{found:?}");
}

/// What is passed to type-bound procedures is CLASS; where nothing extends the type, it has its components.
#[test]
fn passed_objects_have_their_components() {
    let bound = |source: String| {
        source.replace(
            "real, allocatable :: u(:, :)\n  end type",
            "real, allocatable :: u(:, :)\n  contains\n    procedure :: through\n  end type",
        )
    };
    let source = bound(through_object("class", "call g%through() !block"));
    check(&source, &["g%m"], false);
    let extended = source.replace(
        "  real, allocatable :: u(:, :), v",
        "  type, extends(grid) :: larger\n    integer :: l\n  end type\n  real, allocatable :: u(:, :), v",
    );
    check(&extended, &[], true);
}

/// A construct with names of its own may hide what a module's name means.
#[test]
fn names_of_a_construct_hide_those_of_modules() {
    let inside = |construct: &str, end: &str| {
        let step = format!(
            "{construct}\n      call mpi_barrier(mpi_comm_world, ierr)\n      call in_place() !block\n    {end}"
        );
        program("", BOTH, &step, "")
    };
    check(
        &inside("block\n      integer :: u\n      u = 3", "end block"),
        &[],
        true,
    );
    check(&inside("associate (u => n)", "end associate"), &[], true);
    check(
        &inside("if (me > 0) then", "end if"),
        &["size(u, 2)"],
        false,
    );
    check(
        &inside(
            "block\n      integer :: other\n      other = 3",
            "end block",
        ),
        &["size(u, 2)"],
        false,
    );
}

/// What ASSOCIATE names may be hidden where that name is used.
#[test]
fn names_of_a_construct_hide_what_an_associated_name_means() {
    let inside = |own: &str| {
        let step = format!(
            "associate (bound => n)
      block
        integer :: {own}
        {own} = 7
        call mpi_barrier(mpi_comm_world, ierr)
        do k = 1, bound !block
          s = s + k
        end do
      end block
    end associate"
        );
        program("", BOTH, &step, "")
    };
    check(&inside("n"), &[], true);
    check(&inside("other"), &["n"], false);
}

#[test]
fn a_kind_is_no_dimension() {
    let source = program(
        "",
        BOTH,
        "do k = 1, int(size(u, kind=2)) !block\n      s = s + k\n    end do",
        "",
    );
    let (found, data_dependent) = terms(&source);
    assert!(data_dependent, "{found:?}");
}

#[test]
fn what_a_bound_calls_may_change_those_beside_it() {
    let made = "  allocate (u(n, 7))\n  allocate (w(more()))\n  allocate (v(n, 7))";
    let more = "  integer function more()\n    more = 3\n    changed = changed + 1\n  end function";
    let source = program(
        "  real, allocatable :: w(:)",
        made,
        "u = v !block\n    call in_place()",
        more,
    );
    let source = source.replace(
        "contains\n  subroutine sweep",
        "  integer :: changed\ncontains\n  subroutine sweep",
    );
    let (found, data_dependent) = terms(&source);
    assert!(data_dependent, "{found:?}");
}
