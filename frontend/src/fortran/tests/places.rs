//! Where statements stand: the text of a span is what is expected.

use super::lower;
use crate::ir::{ProcedureId, StatementId};
use crate::source::Span;

/// Places of all statements: `label|header|end|clauses|alone`, whole apart.
fn places(files: &[(&str, &str)]) -> Vec<String> {
    let (sources, lowered) = lower(files);
    let text = |span: Span| String::from_utf8_lossy(sources.text(span)).to_string();
    (0..lowered.program.statements.len())
        .map(|index| {
            let place = lowered.source_map.statement(StatementId(index as u32));
            let clauses: Vec<String> = place.clauses.iter().map(|clause| text(*clause)).collect();
            let mut line = text(place.header);
            line += &place
                .label
                .map_or(String::new(), |label| format!(" label {}", text(label)));
            line += &place
                .end
                .map_or(String::new(), |end| format!(" end {}", text(end)));
            line += &if clauses.is_empty() {
                String::new()
            } else {
                format!(" clauses {}", clauses.join(" | "))
            };
            line + if place.alone { "" } else { " shared" }
        })
        .collect()
}

fn whole(files: &[(&str, &str)], statement: u32) -> String {
    let (sources, lowered) = lower(files);
    String::from_utf8_lossy(
        sources.text(lowered.source_map.statement(StatementId(statement)).whole),
    )
    .to_string()
}

#[test]
fn simple_statements_and_labels() {
    let source = "      program p\n   10 a = 1\nc   note\n      b = 2 +  ! two\n     &    3   ! three\n      end\n";
    assert_eq!(
        places(&[("a.f", source)]),
        ["a = 1 label 10", "b = 2 +  ! two\n     &    3"]
    );
}

#[test]
fn constructs() {
    let source = "program p\nif (a) then ! why\n  x = 1\nelse if (b) then\n  x = 2\nelse\n  x = 3\nend if\nend\n";
    let found = places(&[("a.f90", source)]);
    assert_eq!(
        found[0],
        "if (a) then end end if clauses else if (b) then | else"
    );
    assert!(whole(&[("a.f90", source)], 0).ends_with("end if"));
    let source = "program p\nselect case (k)\ncase (1)\n  x = 1\ncase default\nend select\nend\n";
    assert_eq!(
        places(&[("a.f90", source)])[0],
        "select case (k) end end select clauses case (1) | case default"
    );
}

/// BLOCK takes along what it declares.
#[test]
fn declarations_of_blocks() {
    let source = "program p\nb: block\n  use m\n  integer :: i, &\n    k\n1 format (i5)\n  abstract interface\n    \
                  subroutine s\n    end subroutine\n  end interface\n  enum, bind(c)\n    enumerator :: e\n  end enum\n  \
                  volatile :: i\n  i = 1\nend block b\nblock; real :: r; r = 1; end block\nend\n";
    let (sources, lowered) = lower(&[("a.f90", source)]);
    let declared = |index: u32| {
        let place = lowered.source_map.statement(StatementId(index));
        let text = |span: &Span| String::from_utf8_lossy(sources.text(*span)).to_string();
        (
            place.declarations.iter().map(text).collect::<Vec<_>>(),
            place.alone,
        )
    };
    let interface = "abstract interface\n    subroutine s\n    end subroutine\n  end interface";
    let definition = "enum, bind(c)\n    enumerator :: e\n  end enum";
    let all = [
        "use m",
        "integer :: i, &\n    k",
        interface,
        definition,
        "volatile :: i",
    ];
    assert_eq!(declared(0), (all.map(String::from).to_vec(), true));
    assert_eq!(declared(2), (vec!["real :: r".to_string()], false));
}

#[test]
fn logical_if() {
    let source = "program p\nif (a(1) > 2) &\n  x = 1\nend\n";
    assert_eq!(
        places(&[("a.f90", source)]),
        ["if (a(1) > 2)", "x = 1 shared"]
    );
    assert_eq!(whole(&[("a.f90", source)], 0), "if (a(1) > 2) &\n  x = 1");
}

#[test]
fn labelled_loops_end_at_their_terminal_statement() {
    let source = "      program p\n      do 10 i = 1, 2\n      do 10 j = 1, 2\n   10 x = i\n      y = 1\n      end\n";
    let files = [("a.f", source)];
    assert_eq!(
        places(&files),
        [
            "do 10 i = 1, 2",
            "do 10 j = 1, 2",
            "x = i label 10",
            "y = 1"
        ]
    );
    assert_eq!(
        whole(&files, 0),
        "do 10 i = 1, 2\n      do 10 j = 1, 2\n   10 x = i"
    );
    assert_eq!(whole(&files, 1), "do 10 j = 1, 2\n   10 x = i");
}

#[test]
fn statements_that_share_a_line() {
    let found = places(&[(
        "a.f90",
        "program p\na = 1; b = 2\ndo i = 1, 2; c = 3; end do\nend\n",
    )]);
    assert_eq!(
        found,
        [
            "a = 1 shared",
            "b = 2 shared",
            "do i = 1, 2 end end do shared",
            "c = 3 shared"
        ]
    );
}

/// The same statements make the same program however they stand on lines.
#[test]
fn statements_on_the_lines_of_heads() {
    const SOURCE: &str = "module m; use mpi; implicit none; type t; integer a; end type; interface; \
        subroutine x(k); integer k; end subroutine; end interface; contains; subroutine a(k); \
        integer, intent(in) :: k; integer e; if (k > 1) then; call mpi_bcast(k, 1, mpi_integer, 0, 0, e); \
        else; call x(k); end if; end subroutine; real(8) function f(y) result(r); real(8) y; r = y*2; \
        end function f; end module; block data; common /c/ z; data z /1.0/; end block data\n\
        program p; use m; character(3) :: s = 'a;b'; call a(3); print *, f(1d0), s; 10 continue; end";
    let lines = SOURCE.replace("; ", "\n");
    let said = |source: &str| {
        let (_, lowered) = lower(&[("a.f90", source)]);
        let procedures = 0..lowered.program.procedures.len() as u32;
        let dumped =
            procedures.map(|id| crate::ir::dump::procedure(&lowered.program, ProcedureId(id)));
        (dumped.collect::<String>(), lowered.diagnostics.len())
    };
    assert_eq!(said(SOURCE), said(&lines));
    assert_eq!(said(SOURCE).1, 0);
    let found = places(&[("a.f90", SOURCE)]);
    assert!(found.contains(&"call x(k) shared".to_string()), "{found:?}");
    let fixed = "      subroutine s(k); integer k; k = 1; end; function f(i); f = i; end\n";
    assert_eq!(places(&[("a.f", fixed)]), ["k = 1 shared", "f = i shared"]);
}

#[test]
fn included_statements_know_their_line() {
    let files = [
        ("a.f90", "program p\ninclude 'x.h'\ninclude 'x.h'\nend\n"),
        ("x.h", "a = 1\n"),
    ];
    let (sources, lowered) = lower(&files);
    let map = &lowered.source_map;
    for (statement, line) in map.statements.iter().zip([2, 3]) {
        assert_eq!(sources.text(statement.whole), b"a = 1");
        let place = map.place(statement.whole.file, statement.whole.start);
        assert_eq!(
            (sources.file(place.file).path.as_str(), place.line),
            ("x.h", 1)
        );
        let through = map.inclusions[place.through.unwrap() as usize];
        assert_eq!(
            (sources.file(through.file).path.as_str(), through.line),
            ("a.f90", line)
        );
    }
}

#[test]
fn procedures() {
    let source = "program p\n  integer a\n\n  a = 1\ncontains\n  subroutine q\n  integer b\n  end subroutine\nend program p\n";
    let (sources, lowered) = lower(&[("a.f90", source)]);
    let text = |span: Span| String::from_utf8_lossy(sources.text(span)).to_string();
    let place = lowered.source_map.procedure(ProcedureId(0));
    assert_eq!(
        (text(place.first_executable), text(place.end)),
        ("a = 1".to_string(), "contains".to_string())
    );
    assert!(
        text(place.whole).starts_with("program p") && text(place.whole).ends_with("end program p")
    );
    let place = lowered.source_map.procedure(ProcedureId(1));
    assert_eq!(text(place.first_executable), "end subroutine");
    assert_eq!(
        text(place.whole),
        "subroutine q\n  integer b\n  end subroutine"
    );
}

#[test]
fn a_main_program_without_a_name() {
    let (sources, lowered) = lower(&[(
        "a.f",
        "c  no head\n      integer a\n      a = 1\n      end\n",
    )]);
    let place = lowered.source_map.procedure(ProcedureId(0));
    assert_eq!(
        sources.text(place.whole),
        b"integer a\n      a = 1\n      end"
    );
}

#[test]
fn nothing_is_declared_inside_a_construct() {
    let (sources, lowered) = lower(&[(
        "a.f90",
        "subroutine s\nassociate (x => y)\nx = 1\nend associate\nend\n",
    )]);
    let place = lowered.source_map.procedure(ProcedureId(0));
    assert_eq!(sources.text(place.first_executable), b"associate (x => y)");
}
