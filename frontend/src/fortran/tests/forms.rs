//! The length-keeping rewrite of both forms.

use super::super::parser_copy::Copy;
use super::super::{fixed_form, free_form};
use super::{check_unit, diagnostics_text, lower};
use crate::source::Reading;

/// The logical lines of a file as the parser sees them, each with its label.
fn lines(copy: &Copy) -> Vec<String> {
    let squeeze = |text: &[u8]| {
        String::from_utf8_lossy(text)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let label = |line: &super::super::parser_copy::Line| {
        line.label
            .as_ref()
            .map_or(String::new(), |l| format!("{}: ", l.value))
    };
    copy.lines
        .iter()
        .map(|line| label(line) + &squeeze(&copy.text[line.body.clone()]))
        .collect()
}

#[track_caller]
fn check_fixed(source: &str, expect: &[&str]) {
    let copy = fixed_form::rewrite(source.as_bytes(), &Reading::default());
    assert_eq!(copy.text.len(), source.len());
    assert_eq!(lines(&copy), expect);
}

/// As [`check_fixed`], with flags of a compiler.
#[track_caller]
fn check_read(reading: Reading, source: &str, expect: &[&str]) {
    let copy = fixed_form::rewrite(source.as_bytes(), &reading);
    assert_eq!(copy.text.len(), source.len());
    assert_eq!(lines(&copy), expect);
}

#[track_caller]
fn check_free(source: &str, expect: &[&str]) {
    let copy = free_form::rewrite(source.as_bytes());
    assert_eq!(copy.text.len(), source.len());
    assert_eq!(lines(&copy), expect);
}

#[test]
fn fixed_form_comments() {
    check_fixed(
        "c one\nC two\n* three\n! four\nd five\n      a = 1 ! six\n   ! seven\n",
        &["a = 1"],
    );
    check_fixed(
        "c$omp parallel do\n!$omp end parallel\n      a = '!' ! b\n",
        &["a = '!'"],
    );
}

#[test]
fn fixed_form_continuations() {
    for mark in ["&", "1", "$", "*", ".", "!", ">"] {
        check_fixed(
            &format!("      a = 1 +  ! why\nc  between\n\n     {mark}    2\n"),
            &["a = 1 + 2"],
        );
    }
    check_fixed("     0a = 1\n      b = 2\n", &["a = 1", "b = 2"]);
}

#[test]
fn fixed_form_labels() {
    check_fixed(
        "   10 a = 1\n 2 0  b = 2\n30    continue\n",
        &["10: a = 1", "20: b = 2", "30: continue"],
    );
}

#[test]
fn fixed_form_tabs() {
    check_fixed("10\ta = 1 +\n\t1 2\n\tb = 3\n", &["10: a = 1 + 2", "b = 3"]);
}

#[test]
fn fixed_form_ends_at_column_72() {
    let front = format!("      a = {}", "1".repeat(62));
    check_fixed(
        &format!("{front}23 text\n"),
        &[&format!("a = {}", "1".repeat(62))],
    );
}

/// A tab in front leads to column 7, whence columns are counted.
#[test]
fn fixed_form_ends_at_column_72_after_a_tab() {
    let front = format!("\ta = {}", "1".repeat(62));
    check_fixed(
        &format!("{front}23 text\n"),
        &[&format!("a = {}", "1".repeat(62))],
    );
    check_fixed(
        "10\tx = 'a\tb' ! c\n\t1 // y\n  \tz = 1\n",
        &["10: x = 'a b' // y", "z = 1"],
    );
}

#[test]
fn fixed_form_of_other_widths() {
    let front = format!("      a = {}", "1".repeat(62));
    let text = format!("{front}23{}text\n", " ".repeat(58));
    let wide = |column| Reading {
        last_column: Some(column),
        ..Reading::default()
    };
    check_read(wide(132), &text, &[&format!("a = {}23", "1".repeat(62))]);
    check_read(wide(0), &text, &[&format!("a={}23text", "1".repeat(62))]);
    let (front, rest) = (
        format!("      call {}", "a".repeat(121)),
        "\n     &bcd(1)\n",
    );
    check_read(
        wide(132),
        &format!("{front}{rest}"),
        &[&format!("call {}bcd (1)", "a".repeat(121))],
    );
    check_read(wide(1), "      a = 1\n", &["a"]);
}

#[test]
fn fixed_form_debug_lines() {
    check_fixed("d     a = 1\nD 10  b = 2\n", &[]);
    let reading = Reading {
        debug_lines: true,
        ..Reading::default()
    };
    check_read(
        reading,
        "d     a = 1 +\nd    & 2\nD 10  b = 2\n",
        &["a = 1 + 2", "10: b = 2"],
    );
    let copy = fixed_form::rewrite(b"D     a = 1\nd\tb = 2\n", &reading);
    assert!(!copy.text.contains(&b'D') && !copy.text.contains(&b'd'));
}

#[test]
fn fixed_form_joins_what_column_72_splits() {
    let front = format!("      call {}", "a".repeat(61));
    assert_eq!(front.len(), 72);
    check_fixed(
        &format!("{front}\n     &bcd(1)\n"),
        &[&format!("call {}bcd (1)", "a".repeat(61))],
    );
    let front = format!("      a = '{}", "b".repeat(61));
    check_fixed(
        &format!("{front}\n     &c d')\n"),
        &[&format!("a = '{}c d')", "b".repeat(61))],
    );
}

#[test]
fn strings_over_several_lines_keep_their_contents() {
    let (a, b) = ("a".repeat(61), "b".repeat(66));
    check_fixed(
        &format!("      x = '{a}\n     &{b}\n     &c', 1 + 2\n"),
        &[&format!("x = '{a}{b}c', 1 + 2")],
    );
    check_free(
        "x = 'a&\n  &b''s&\n  & c', 1 + &\n 2\n",
        &["x = 'ab''s c', 1 + 2"],
    );
}

#[test]
fn fixed_form_hollerith() {
    check_fixed("      a = 4Habcd\n", &["a = 'abcd'"]);
    check_fixed(
        "      data a /13hit's so long./\n",
        &["data a /\"it's so long.\" /"],
    );
    check_fixed("      real*8 h\n      x4h = 2\n", &["real*8 h", "x4h = 2"]);
}

#[test]
fn fixed_form_blanks_inside_and_missing() {
    check_fixed("      x = 1. D0 + 2.5 E-3\n", &["x = 1.D0 + 2.5E-3"]);
    check_fixed(
        "      if (a . eq . b .AND . c) goto 1\n",
        &["if (a .eq. b .AND. c) goto 1"],
    );
    check_fixed(
        "      goto20\n      callfoo(1)\n      do10i=1,n\n",
        &["goto 20", "call foo(1)", "do 10 i=1,n"],
    );
    check_fixed(
        "      do10i = 1.5\n      if(x)goto20\n",
        &["do10i = 1.5", "if(x)goto 20"],
    );
}

#[test]
fn fixed_form_reports_where_there_is_no_room() {
    let (_, lowered) = lower(&[(
        "a.f",
        "      program p\n      a = 1; goto20\n   20 callfoo(a)\n      end\n",
    )]);
    let expect = "Error: a.f:2: two words stand without a blank between them";
    assert!(!diagnostics_text(&lowered).contains(expect) || !lowered.diagnostics.is_empty());
}

#[test]
fn carriage_returns_and_form_feeds_are_blanks() {
    check_fixed("      a = 1\r\n\x0c\n      b = 2\r\n", &["a = 1", "b = 2"]);
    check_free("a = 1 + &\r\n  2\r\n", &["a = 1 + 2"]);
}

#[test]
fn free_form_continuations() {
    check_free(
        "a = 1 + & ! why\n! between\n\n  & 2\n10 b = 3 ! c\n",
        &["a = 1 + 2", "10: b = 3"],
    );
    check_free("call fo&\n  &o(1)\n", &["call foo (1)"]);
    check_free("a = 'x&\n  &y z' // \"!\"\n", &["a = 'xy z' // \"!\""]);
    // A doubled quote and an operator go on, too.
    check_free("a = 'x'&\n  &'y' ! z\n", &["a = 'x''y'"]);
    check_free(
        "a = b*&\n  &*2\nc = d /&\n  &/ e\n",
        &["a = b**2", "c = d // e"],
    );
}

#[test]
fn ampersands_in_strings_continue_nothing_inside() {
    check_free(
        "x = 'a & b'\ny = 'c&'\nz = \"!&\" // &\n 'd'\n",
        &["x = 'a & b'", "y = 'c&'", "z = \"!&\" // 'd'"],
    );
    check_fixed(
        "      x = 'a & b&'\n      y = 1\n",
        &["x = 'a & b&'", "y = 1"],
    );
}

#[test]
fn continuations_with_anything_between() {
    let source = "      call f(a,\nC one\n* two\n\n!$omp three\n#define FOUR\n     1 b)\n";
    let hidden = source.replace("#define FOUR", "            ");
    check_fixed(&hidden, &["call f(a, b)"]);
    check_free(
        "call f(a, & ! one\n\n  ! two\n  !$omp three\n  b)\n",
        &["call f(a, b)"],
    );
}

#[test]
fn both_forms_in_one_program() {
    let (_, lowered) = lower(&[
        (
            "a.f",
            "c     fixed\n      program a\n      call b(1,\n     &  2)\n      end\n",
        ),
        (
            "b.f90",
            "subroutine b(i, j) ! free\n  integer, intent(in) :: i, &\n    j\nend subroutine\n",
        ),
        (
            "c.f",
            "! free by its text\nsubroutine c\n  x = 1 + &\n    2\nend subroutine\n",
        ),
    ]);
    assert_eq!(diagnostics_text(&lowered), "");
    let names: Vec<&str> = lowered
        .program
        .procedures
        .iter()
        .map(|p| p.name.as_str())
        .collect();
    assert_eq!(names, ["a", "b", "c"]);
}

#[test]
fn keywords_as_names() {
    check_unit(
        "a.f",
        "      subroutine s\n      integer if, do, end, call(3), data\n      if = 1\n      do = if\n      call(2) = do\n      data = call(1)\n      end = data\n      end\n",
        "if = 1\ndo = if\ncall[2] = do\ndata = call[1]\nend = data",
    );
}

#[test]
fn moved_text_is_read_from_its_old_place() {
    let source = "      do10i=1,n\n10    x = x + 1\n";
    let copy = fixed_form::rewrite(source.as_bytes(), &Reading::default());
    let body = copy.lines[0].body.clone();
    assert_eq!(copy.original(body), 6..15);
    assert_eq!(copy.moved(), [(6, 4, 2), (8, 7, 2)]);
}

#[test]
fn preprocessor_hides_lines() {
    let source = "program p\n#define A 2\n#if A > 1 && !defined(B)\ni = 1\n#elif 1\ni = 2\n#else\ni = 3\n#endif\n#ifdef B\ni = 4\n#endif\nend\n";
    let left = |remedy: &str| {
        format!(
            "i = 1\nError: '#define A 2' is left to the compiler, which ignores it and takes all branches: {remedy}"
        )
    };
    let remedy = "ask for a preprocessor as the program's own build does (-cpp, -fpp or -Mpreprocess, in FFLAGS or by --from-build), or let the file's name end in .F or .F90";
    check_unit(
        "a.f90",
        source,
        &left(remedy).replace("Error: ", "Error: a.f90:2: "),
    );
    // A name that asks for a preprocessor is no remedy where a flag turns it off.
    let remedy = "the file's name asks for a preprocessor, but a flag turns it off: take -nocpp, -nofpp, -fpp0, -Mnopreprocess or -x f77 out of the flags that compile it (FFLAGS, or the build that --from-build recorded)";
    check_unit(
        "a.F90",
        source,
        &left(remedy).replace("Error: ", "Error: a.F90:2: "),
    );
}

/// A compiler without a preprocessor takes both branches, also of files that it includes.
#[test]
fn directives_that_are_left_are_errors() {
    let source =
        "program p\n# 1 \"d.h\" 1\n#ifdef BIG\ni = 1\n#else\ni = 2\n#endif\n# 3 \"a.f90\" 2\nend\n";
    let remedy = "files that INCLUDE lines name are not preprocessed: write #include instead, in a file that is";
    let left = format!(
        "Error: d.h:1: '#ifdef BIG' is left to the compiler, which ignores it and takes all branches: {remedy}"
    );
    check_unit(
        "a.f90",
        &format!("# 1 \"a.f90\"\n{source}"),
        &format!("i = 2\n{left}"),
    );
    for meaningless in [
        "# 7 \"a.f90\"",
        "#line 7 \"a.f90\"",
        "# 7",
        "#pragma omp",
        "#ident \"x\"",
        "#!/bin/sh",
        "#",
    ] {
        check_unit(
            "a.f90",
            &format!("program p\n{meaningless}\ni = 1\nend\n"),
            "i = 1",
        );
    }
}

#[test]
fn conditions_are_followed_where_there_is_no_preprocessor() {
    let followed = |text: &str, defines: &[(&str, &str)]| {
        let mut sources = crate::source::Sources::default();
        sources.add("a.F90", text.as_bytes());
        let defines: Vec<(String, String)> = defines
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect();
        let used = crate::fortran::follow_directives(&mut sources.files[0], &defines);
        let text = String::from_utf8(sources.files.swap_remove(0).text).unwrap();
        let left: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        (left.join("; "), used)
    };
    let text = "#ifdef A\n i = 1\n#include \"a.h\"\n#else\n i = 2\n#include \"b.h\"\n#endif\n#define N(x) x\nn = m ! N\n";
    assert_eq!(
        followed(text, &[("A", "1")]),
        ("i = 1; #include \"a.h\"; n = m ! N".into(), None)
    );
    assert_eq!(followed(text, &[]).0, "i = 2; #include \"b.h\"; n = m ! N");
    assert_eq!(
        followed("x = 'N'\n\nx(K) = N\n", &[("N", "3")]).1,
        Some((3, "N".into()))
    );
}

#[test]
fn fixed_form_blanks_inside_words() {
    let cases = [
        ("g o t o 1 0", "goto 10"),
        ("goto 1 0", "goto 10"),
        ("go to 10", "go to 10"),
        ("do 1 0 i = 1 , 1 0", "do 10 i=1,10"),
        ("do1 0i=1,4", "do 10 i=1,4"),
        ("do 10 w h i l e (a)", "do 10 while(a)"),
        ("do 30 i = 1.5", "do30i=1.5"),
        ("el se", "else"),
        ("e n d i f", "endif"),
        ("el se if (k .eq. 1) th en", "elseif(k.eq.1)then"),
        ("c a l l s(m)", "call s(m)"),
        ("call mpi_ bcast(a, 'b  c')", "call mpi_bcast(a,'b  c')"),
        ("m m = 5", "mm=5"),
        ("mm = m m + k k k", "mm=mm+kkk"),
        ("if (i .eq. 1 0) m m = 5", "if(i.eq.10)mm=5"),
        ("if (i .eq. 1) g oto 10", "if(i.eq.1)goto 10"),
        ("m m = 5; j = 3", "mm=5   ; j = 3"),
        ("assign 2 0 to lab", "assign 20 to lab"),
        ("end subroutine s s", "endsubroutine ss"),
        ("end block data x", "end block data x"),
        ("re turn", "return"),
        ("print 1 0, x", "print 10,x"),
        ("case (1 0)", "case(10)"),
        ("case (1 0 : 2 0) outer", "case(10:20)outer"),
        ("real function f(x)", "real function f(x)"),
        ("real a b", "real ab"),
        ("block data x", "block data x"),
    ];
    for (written, expect) in cases {
        let squeezed = expect.split_whitespace().collect::<Vec<_>>().join(" ");
        check_fixed(&format!("      {written}\n"), &[&squeezed]);
    }
    check_fixed(
        "   10 call mpi_barr\n     2ier(x)\n",
        &["10: call mpi_barrier(x)"],
    );
}

/// As gfortran reads them (Fortran 2018, 6.3.3): blanks mean nothing.
#[test]
fn fixed_form_blanks_in_declarations() {
    let cases = [
        ("parameter (m=10 000)", "parameter (m=10000)"),
        (
            "parameter (m = 10 000, x = 1 .5)",
            "parameter (m=10000,x=1.5)",
        ),
        ("parameter (x = 5. d - 1)", "parameter (x=5.d-1)"),
        ("parameter (m = 10, n = m)", "parameter (m = 10, n = m)"),
        ("data x /1 0*0.0, 2 000/", "data x/10*0.0,2000/"),
        ("data i j /3/", "data ij/3/"),
        ("data c /'a  b'/, n n /1/", "data c/'a  b'/,nn/1/"),
        (
            "dimension x(10 000), y(2, 1 0)",
            "dimension x(10000),y(2,10)",
        ),
        ("common /c/ x(1 000), m n", "common /c/x(1000),mn"),
        ("real*8 x(1 000)", "real*8 x(1000)"),
        ("real x 1 (10 0), y", "real x1(100),y"),
        ("double precision a b, c", "double precision ab,c"),
        ("dou ble prec ision x", "double precision x"),
        ("rea l*8 y", "real*8 y"),
        ("inte ger n", "integer n"),
        ("para meter (n = 3)", "parameter (n=3)"),
        ("dim ension x(3)", "dimension x(3)"),
        ("imp licit none", "implicit none"),
        (
            "imp licit real*8 (a - h, o - z)",
            "implicit real*8 (a-h,o-z)",
        ),
        (
            "implicit double precision (a-h)",
            "implicit double precision (a-h)",
        ),
        ("pro gram b", "program b"),
        ("integer*4 function f(x)", "integer*4 function f(x)"),
        ("integer*4 func tion f(x)", "integer*4 function f(x)"),
        ("character*(*) function f(x)", "character*(*) function f(x)"),
        (
            "recursive subroutine s(x, y z)",
            "recursive subroutine s(x,yz)",
        ),
        (
            "integer, parameter :: m = 10 000",
            "integer,parameter::m=10000",
        ),
        ("external f, g h", "external f,gh"),
        ("save", "save"),
        ("character*1 0 c", "character*10 c"),
    ];
    for (written, expect) in cases {
        let squeezed = expect.split_whitespace().collect::<Vec<_>>().join(" ");
        check_fixed(&format!("      {written}\n"), &[&squeezed]);
    }
}
