//! Types, shapes and storage of variables.

use super::{diagnostics_text, lower, same};
use crate::ir::ProcedureId;
use crate::ir::dump;

/// Variables of a subroutine with these declarations.
#[track_caller]
fn check(declarations: &str, expect: &str) {
    let (_, lowered) = lower(&[(
        "a.f90",
        &format!("subroutine s(a, b)\n{declarations}\nend\n"),
    )]);
    let found = dump::variables(&lowered.program, Some(ProcedureId(0)));
    let found: Vec<&str> = found
        .lines()
        .filter(|line| !line.contains(" dummy "))
        .collect();
    same(
        &(found.join("\n") + "\n" + &diagnostics_text(&lowered)),
        expect,
    );
}

#[test]
fn kinds_in_all_spellings() {
    check(
        "integer*8 i\nreal(8) x\ndouble precision y\nreal(kind=4) z",
        "integer8 i local\nreal8 x local\nreal8 y local\nreal4 z local",
    );
    check(
        "complex*16 a1\ncomplex(8) b1\ndouble complex c1\nlogical l",
        "complex16 a1 local\ncomplex16 b1 local\ncomplex16 c1 local\nlogical4 l local",
    );
    check(
        "integer, parameter :: dp = kind(1.d0)\nreal(dp) x",
        "integer4 dp constant intrinsic kind(1.d0)\nreal8 x local",
    );
    check(
        "integer, parameter :: dp = selected_real_kind(15, 307)\nreal(kind=dp) :: x",
        "integer4 dp constant intrinsic selected_real_kind(15, 307)\nreal8 x local",
    );
    check(
        "use iso_fortran_env, only: real64, i8 => int64\nreal(real64) x\ninteger(i8) j",
        "real8 x local\ninteger8 j local",
    );
    check(
        "integer x*8\nimplicit real*8 (a-h, o-z)\nsave q",
        "integer8 x local\nreal8 q static",
    );
}

#[test]
fn enumerators_count_up() {
    check(
        "enum, bind(c)\nenumerator :: a1, b1 = 7, c1\nend enum",
        "integer4 a1 constant 0\ninteger4 b1 constant 7\ninteger4 c1 constant (b1 + 1)",
    );
}

#[test]
fn shapes() {
    check(
        "dimension x(n, 0:3), y(*)\nreal, dimension(2, 3) :: u, v(4)",
        "real4 x[n, 0:3] local\nreal4 y[*] local\nreal4 u[2, 3] local\nreal4 v[4] local\ninteger4 n local",
    );
    check(
        "integer, allocatable :: p(:, :)\nreal, pointer :: q(:)",
        "integer4 p[*, *] local\nreal4 q[*] local",
    );
}

#[test]
fn storage() {
    check(
        "save x\nreal x, y\ndata y /1.0/\nreal :: z = 2",
        "real4 x static\nreal4 y static\nreal4 z static",
    );
    check("save\nreal x", "real4 x static");
}

#[test]
fn common_blocks_by_bytes() {
    check(
        "parameter (n = 2)\ninteger i\nreal*8 x(n+1)\ncharacter*3 c\ncommon /b/ i, x\ncommon /b/ c, z",
        "integer4 n constant 2\ninteger4 i common /b/ 0+4\nreal8 x[(n + 1)] common /b/ 8+24\ncharacter c common /b/ 32+3\nreal4 z common /b/ 36+4",
    );
    check(
        "common // p\ncommon q(m)",
        "real4 p common // 0+4\nreal4 q[m] common // 4+?\ninteger4 m local",
    );
}

#[test]
fn equivalence_shares_storage() {
    check(
        "real x(4), y(2)\ncommon /b/ x\nequivalence (x(3), y(1))",
        "real4 x[4] common /b/ 0+16\nreal4 y[2] common /b/ 8+8",
    );
    check(
        "real x(4)\ninteger i\nequivalence (x(2), i)",
        "real4 x[4] common /equivalence 0 0/ 0+16\ninteger4 i common /equivalence 0 0/ 4+4",
    );
}

#[test]
fn constants_fold() {
    for (text, value) in [
        ("7/2", 3),
        ("(-7)/2", -3),
        ("2**5", 32),
        ("2**(-1)", 0),
        ("mod(-7, 3)", -1),
        ("modulo(-7, 3)", 2),
        ("int(dsqrt(16.d0))", 4),
        ("ishft(1, 4)", 16),
        ("max(2, 3)*2", 6),
        ("nint(2.5e0)", 3),
        ("int(0.5*8)", 4),
    ] {
        let (_, lowered) = lower(&[(
            "a.f90",
            &format!("subroutine s\ninteger, parameter :: k = {text}\nend\n"),
        )]);
        let id = crate::ir::Expression::Variable(crate::ir::VariableId(0));
        assert_eq!(
            super::super::constants::fold_integer(&lowered.program, &id),
            Some(value),
            "{text}"
        );
    }
}

/// 29 in single precision and 28 in double: which one it is depends on kinds and compiler options.
#[test]
fn integers_that_depend_on_the_precision_do_not_fold() {
    for text in [
        "int(0.29*100)",
        "0.29*100",
        "merge(1, 2, 0.1 == 0.1d0)",
        "int(1e30)",
    ] {
        let (_, lowered) = lower(&[(
            "a.f90",
            &format!("subroutine s\ninteger, parameter :: k = {text}\nend\n"),
        )]);
        let id = crate::ir::Expression::Variable(crate::ir::VariableId(0));
        let folded = super::super::constants::fold_integer(&lowered.program, &id);
        assert_eq!(folded, None, "{text}");
    }
}

#[test]
fn final_without_colons() {
    let source = "module m
  type t
    integer :: n
  contains
    final finish
  end type
contains
  subroutine finish(x)
    type(t), intent(inout) :: x
  end subroutine
end module
";
    let (_, lowered) = lower(&[("a.f90", source)]);
    assert!(lowered.diagnostics.is_empty(), "{:?}", lowered.diagnostics);
    let found = lowered.program.types.iter().find(|one| one.name == "t");
    assert_eq!(found.map(|found| found.finals.len()), Some(1));
}
