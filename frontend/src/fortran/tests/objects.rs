//! Derived types, what is bound to them, pointers, and who may be called.

use super::{check_body, diagnostics_text, lower, same};
use crate::ir::dump;

/// Statements of the last procedure of a file, with what was remarked.
#[track_caller]
fn check_last(text: &str, expect: &str) {
    let (_, lowered) = lower(&[("a.f90", text)]);
    let all = dump::procedures(&lowered.program);
    let heads = ["main ", "subroutine ", "function "];
    let last = all
        .lines()
        .rev()
        .take_while(|line| !heads.iter().any(|head| line.starts_with(head)));
    let last: Vec<&str> = last.collect();
    let found: String = last
        .into_iter()
        .rev()
        .map(|line| format!("{line}\n"))
        .collect();
    same(&(found + &diagnostics_text(&lowered)), expect);
}

const SHAPES: &str = "
module shapes
  type shape
    integer :: n
    integer, pointer :: data(:)
    procedure(work), pointer, nopass :: hook => null()
  contains
    procedure :: area => shape_area
    procedure :: grow
    procedure, nopass :: count => counted
    procedure, pass(self) :: add
    procedure :: add_two
    generic :: more => add, add_two
    generic :: operator(+) => sum
    procedure :: sum
    generic :: assignment(=) => take
    procedure :: take
  end type
  type, extends(shape) :: circle
    type(shape) :: inner(3)
  contains
    procedure :: area => circle_area
  end type
contains
  integer function shape_area(this)
    class(shape) :: this
    shape_area = 1
  end function
  integer function circle_area(this)
    class(circle) :: this
    circle_area = 2
  end function
  subroutine grow(this, by)
    class(shape) :: this
    integer :: by
  end subroutine
  integer function counted(i)
    integer :: i
    counted = i
  end function
  subroutine add(i, self)
    class(shape) :: self
    integer :: i
  end subroutine
  subroutine add_two(self, x, y)
    class(shape) :: self
    real :: x, y
  end subroutine
  function sum(a, b)
    class(shape), intent(in) :: a, b
    type(shape) :: sum
  end function
  subroutine take(a, b)
    class(shape), intent(out) :: a
    integer, intent(in) :: b
  end subroutine
end module
";

#[track_caller]
fn check_shapes(declarations: &str, body: &str, expect: &str) {
    check_last(
        &format!("{SHAPES}subroutine s\nuse shapes\n{declarations}\n{body}\nend\n"),
        expect,
    );
}

#[test]
fn bound_procedures_get_their_object() {
    check_shapes(
        "type(circle) :: c",
        "call c%grow(2)\nk = c%count(4)\ncall c%inner(2)%grow(by=3)\ncall c%add(i)\ncall c%more(1.0, 2.0)\ncall c%more(7)",
        "call grow(c, 2)\nk = counted(4)\ncall grow(c%inner[2], 3)\ncall add(i, c)\ncall add_two(c, 1.0, 2.0)\ncall add(7, c)",
    );
}

#[test]
fn overridden_procedures_are_all_candidates() {
    check_shapes(
        "class(shape), pointer :: o",
        "k = o%area()",
        "k = one of shape_area|circle_area(o)",
    );
    check_shapes(
        "type(circle) :: c",
        "k = c%area() + c%shape%area()",
        "k = (circle_area(c) + one of shape_area|circle_area(c%shape[]))",
    );
}

#[test]
fn operators_and_assignments_of_the_program() {
    check_shapes(
        "type(shape) :: a, b, c",
        "c = a + b\na = 1\ni = 1 + 2",
        "c = sum(a, b)\ncall take(a, 1)\ni = (1 + 2)",
    );
    check_last(
        "module m\ninterface operator(.dot.)\nmodule procedure dot\nend interface\ncontains\nreal function dot(x, y)\nreal, intent(in) :: x(:), y(:)\ndot = 1\nend\nend\nsubroutine s\nuse m, only: operator(.dot.)\nreal p(3), q(3)\nz = p .dot. q\nend\n",
        "z = dot(p, q)",
    );
}

#[test]
fn operators_are_renamed_by_use() {
    for used in [
        "only: operator(.by.) => operator(.dot.)",
        "operator( .by. )=>operator(.dot.)",
        "only: k, OPERATOR(.by.) => &\n  operator(.DOT.), n => l",
    ] {
        let source = format!(
            "module m
integer k, l
interface operator(.dot.)
module procedure dot
end interface
contains
real function dot(x, y)
real, intent(in) :: x(:), y(:)
dot = 1
end
end
subroutine s
use m, {used}
real p(3), q(3)
z = p .by. q
end
"
        );
        check_last(&source, "z = dot(p, q)");
    }
}

#[test]
fn procedure_components_are_called_through_their_object() {
    check_shapes("type(shape) :: a", "call a%hook(1)", "call dummy a(1)");
}

#[test]
fn pointers_are_associated() {
    check_body(
        "real, pointer :: p(:), q(:, :)\nreal, target :: x(9)\ntype(t) :: u",
        "p => x(2:5)\nq(1:3, 1:3) => x\nu%p => p\nnullify(p)",
        "p => x[2:5]\nq[1:3, 1:3] => x\nu%p[] => p\ndeallocate {p}",
    );
}

#[test]
fn types_with_one_name_in_two_modules_are_two() {
    check_last(
        "module a\ntype t\ncontains\nprocedure :: f => fa\nend type\ncontains\nsubroutine fa(x)\nclass(t) :: x\nend\nend\nmodule b\ntype t\ncontains\nprocedure :: f => fb\nend type\ncontains\nsubroutine fb(x)\nclass(t) :: x\nend\nend\nsubroutine s\nuse a\nuse b, only: other => t\ntype(t) :: x\ntype(other) :: y\ncall x%f\ncall y%f()\nend\n",
        "call fa(x)\ncall fb(y)",
    );
}

#[test]
fn constructors_and_generics_of_the_type_s_name() {
    check_last(
        "module m\ntype t\ninteger i\nend type\ninterface t\nmodule procedure make\nend interface\ncontains\ntype(t) function make(a, b)\nreal a, b\nend\nend\nsubroutine s\nuse m\ntype(t) x\nx = t(1)\nx = t(1.0, 2.0)\nend\n",
        "x = {1}\nx = make(1.0, 2.0)",
    );
}

#[test]
fn generics_are_resolved_by_type_kind_rank_and_number() {
    let module = "module m\nuse iso_fortran_env\ninterface g\nmodule procedure g4, g8, gv, go\nend interface\ncontains\nsubroutine g4(x)\nreal(real32) x\nend\nsubroutine g8(x)\nreal(real64) x\nend\nsubroutine gv(x)\nreal(real64) x(:)\nend\nsubroutine go(i, j)\ninteger i\ninteger, optional :: j\nend\nend\n";
    check_last(
        &format!(
            "{module}subroutine s\nuse m\nreal(8) v(3), w(3, 3)\ncall g(1.0)\ncall g(v(1))\ncall g(v)\ncall g(w(:, 1))\ncall g(3)\ncall g(3, j=4)\ncall g(real(3))\ncall g(2*v)\ncall g(sqrt(v(2)))\nend\n"
        ),
        "call g4(1.0)\ncall g8(v[1])\ncall gv(v)\ncall gv(w[:, 1])\ncall go(3)\ncall go(3, 4)\ncall g4(intrinsic real(3))\ncall gv((2 * v))\ncall g8(intrinsic sqrt(v[2]))",
    );
    check_last(
        &format!("{module}subroutine s\nuse m\nuse elsewhere\ncall g(y(1))\nend\n"),
        "call one of g4|g8|gv|go(external y(1))\nWarning: a.f90:23: module elsewhere has no source \
        here: its names are assumed to be written",
    );
}

#[test]
fn select_type_names_its_object() {
    check_shapes(
        "class(shape) :: o\nclass(*) :: any",
        "select type (p => o)\ntype is (circle)\nk = p%area()\nclass default\nk = 0\nend select\nselect type (any)\ntype is (integer)\nk = any\nend select",
        "select o\ncase {{}}\nk = one of shape_area|circle_area(o)\ncase {}\nk = 0\nselect any\ncase {{}}\nk = any",
    );
}

#[test]
fn submodules_hold_the_bodies_of_module_procedures() {
    let (_, lowered) = lower(&[(
        "a.f90",
        "submodule (m) n\ncontains\nmodule procedure f\nf = x + k\nend procedure\nmodule subroutine g(y)\nreal y\ny = k\ncall h\nend\nsubroutine h\nend\nend\nmodule m\ninteger k\ninterface\nmodule function f(x)\nreal x, f\nend\nmodule subroutine g(y)\nreal y\nend\nend interface\nend\nsubroutine s\nuse m\nz = f(1.0)\ncall g(z)\nend\n",
    )]);
    same(
        &(dump::procedures(&lowered.program) + &diagnostics_text(&lowered)),
        "subroutine s()\nz = f(1.0)\ncall g(z)\nfunction f(x) -> f in m\nf = (x + k)\nsubroutine g(y) in m\ny = k\ncall h()\nsubroutine h() in m",
    );
}

#[test]
fn entries_are_ways_into_one_procedure() {
    check_last(
        "subroutine s(a, b)\na = b\nreturn\nentry t(c, b)\nc = b\nend\nsubroutine u\ncall s(1.0, 2.0)\ncall t(3.0, 4.0)\nend\n",
        "call s(1.0, 2.0)\ncall s(*, 4.0, 3.0)\nWarning: a.f90:4: an ENTRY: all statements of s are kept together",
    );
    check_last(
        "program p\nx = g(1.0)\nend\nreal function f(a)\nf = a\nreturn\nentry g(a)\ng = 2*a\nend\n",
        "f = a\nreturn\nentry\nf = (2 * a)\nWarning: a.f90:7: an ENTRY: all statements of f are kept together",
    );
}

#[test]
fn concurrent_loops_count_in_names_of_their_own() {
    check_body(
        "real x(9, 9)",
        "do concurrent (i = 1:n)\nx(i, 1) = i\nend do\ndo concurrent (i = 1:n, j = 0:3)\nx(i, j) = 1\nend do\ndo concurrent (i = 1:n, x(i, 1) > 0)\nx(i, i) = 1\nend do",
        "do i = 1, n\nx[i, 1] = i\ndo i = 1, (intrinsic max(0, n) * intrinsic max(0, ((3 - 0) + 1)))\nx[i, j] = 1\nwhile {1, n, (x[i, 1] > 0)}\nx[i, i] = 1",
    );
}

#[test]
fn select_rank_has_a_body_for_each_rank() {
    check_body(
        "real :: x(..)",
        "select rank (x)\nrank (0)\nk = 0\nrank (1)\nk = 1\nrank default\nk = 2\nend select",
        "select x\ncase {0}\nk = 0\ncase {1}\nk = 1\ncase {}\nk = 2",
    );
}

#[test]
fn block_data_gives_common_its_values() {
    let (_, lowered) = lower(&[(
        "a.f",
        "      program p\n      common /c/ x, n\n      x = n\n      end\n      block data\n      common /c/ x, n\n      data n /3/\n      end\n",
    )]);
    assert_eq!(diagnostics_text(&lowered), "");
    assert_eq!(lowered.program.procedures.len(), 1);
    let places = |name: &str| {
        lowered
            .program
            .variables
            .iter()
            .filter(|one| one.name == name)
            .count()
    };
    assert_eq!((places("x"), places("n")), (2, 2));
}

#[test]
fn mpi_wrappers_are_ordinary_procedures() {
    check_last(
        "module comms\nuse mpi_f08, only: mpi_comm, world => mpi_comm_world, mpi_comm_dup, mpi_barrier\ntype(mpi_comm) :: own\ncontains\nsubroutine start\ncall mpi_comm_dup(world, own)\nend subroutine\nsubroutine meet(where)\ntype(mpi_comm), intent(in), optional :: where\nif (present(where)) then\ncall mpi_barrier(where)\nelse\ncall mpi_barrier(own)\nend if\nend subroutine\nend module\n",
        "if intrinsic present(where)\ncall MPI_Barrier(where)\nelse\ncall MPI_Barrier(own)",
    );
}
