//! Expressions as text.

use super::super::spell;
use super::lower;
use crate::ir::StatementKind;

/// Spells the value of `x = source`.
#[track_caller]
fn check(source: &str, expect: Option<&str>) {
    let text =
        format!("subroutine s(n, a)\nreal a(9)\ntype(t) :: u\nexternal f\nx = {source}\nend\n");
    let (_, lowered) = lower(&[("a.f90", &text)]);
    let StatementKind::Assign { value, .. } = &lowered.program.statements[0].kind else {
        panic!("{source}")
    };
    assert_eq!(
        spell(&lowered.program, value).as_deref(),
        expect,
        "{source}"
    );
}

#[test]
fn parentheses_only_where_needed() {
    for same in [
        "a(n + 1)*2",
        "n - (m - 1)",
        "(n + 1)*m",
        "n**2**k",
        "(n**2)**k",
        "-n + 1",
        "-(n + 1)",
        "-n*m",
        "n*(-m)",
        "n/(m*k)",
        "f(n, 2)",
        "mod(n, 2)",
        "n .eq. 1 .and. .not. (l .or. m .lt. 2)",
        "a(1:n:2)",
        "a(:n)",
        "3000000000_8",
        "1.5d0",
        "'x' // 'y'",
    ] {
        check(same, Some(same));
    }
    check("((N))+(1)", Some("n + 1"));
    check("n <= 3", Some("n .le. 3"));
    check("n - 1 - 2", Some("n - 1 - 2"));
}

#[test]
fn what_cannot_be_spelled() {
    check("u%a(3)", None);
    check("(/ 1, 2 /)", None);
    check("n .plus. m", None);
}
