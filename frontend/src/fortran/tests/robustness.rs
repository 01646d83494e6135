//! No bytes make it panic, and offsets stay inside the file.

use super::super::lower;
use crate::source::dialect::Dialect;
use crate::source::{Form, Reading, Sources};
use proptest::prelude::*;

/// Lines to be shuffled, cut and joined.
const LINES: &[&str] = &[
    "      program p",
    "      end",
    "program p",
    "end program p",
    "      do 10 i = 1, n",
    "   10 continue",
    "do i = 1, 3",
    "end do",
    "if (a) then",
    "else",
    "else if (b) then",
    "end if",
    "      if (x) goto 10",
    "     & + 3",
    "x = 1 &",
    "  & + 2",
    "call mpi_send(x, 1, 2, 3, ierr)",
    "      a = 4Habcd",
    "class = 'U'",
    "write(*,*) x, (y(i), i=1,3)",
    "include 'x.h'",
    "#if defined(A) && (B > 2",
    "#endif",
    "10 format ('a', i3)",
    "a = 'open",
    "select case (i)",
    "case (1)",
    "end select",
    "contains",
    "subroutine s(a, *)",
    "real function f*8(x)",
    "module m",
    "use m, only: x => y",
    "end",
    "common /b/ x(3), y",
    "equivalence (x(1), y)",
    "interface g",
    "end interface",
    "\tx = 1",
    "     1 2",
    "a = b; c = d",
    "type t",
    "end type",
    "associate (x => y)",
    "end associate",
    "goto20",
    "do10i=1,n",
    "parameter (n = n + 1)",
    "integer, parameter :: k = k",
    "where (x > 1) y = 2",
    "data a /3*0/, b /'x'/",
    "implicit none",
    "((((((((",
    "))))",
];

fn lower_all(text: &[u8], form: Form) {
    let mut sources = Sources::default();
    let text = text.to_vec();
    sources.add_as(
        "a",
        &text,
        Reading {
            form: Some(form),
            ..Reading::default()
        },
    );
    let loader = |name: &str, _: &str| (name == "x.h").then(|| ("x.h".to_string(), text.clone()));
    let lowered = lower(&mut sources, &Dialect::default(), &loader);
    for place in &lowered.source_map.statements {
        for span in [place.whole, place.header]
            .into_iter()
            .chain(place.end)
            .chain(place.label)
        {
            assert!(
                span.start <= span.end && span.end as usize <= sources.file(span.file).text.len()
            );
        }
    }
    for procedure in &lowered.program.procedures {
        for id in &procedure.body {
            assert!((id.0 as usize) < lowered.program.statements.len());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes(text in proptest::collection::vec(any::<u8>(), 0..300), fixed in any::<bool>()) {
        lower_all(&text, if fixed { Form::Fixed } else { Form::Free });
    }

    #[test]
    fn shuffled_lines(lines in proptest::collection::vec(proptest::sample::select(LINES), 0..25), fixed in any::<bool>()) {
        lower_all(lines.join("\n").as_bytes(), if fixed { Form::Fixed } else { Form::Free });
    }

    #[test]
    fn cut_lines(lines in proptest::collection::vec(proptest::sample::select(LINES), 1..15), cut in 0usize..400, fixed in any::<bool>()) {
        let text = lines.join("\n");
        lower_all(&text.as_bytes()[cut.min(text.len())..], if fixed { Form::Fixed } else { Form::Free });
    }
}

#[test]
fn deep_nesting_ends() {
    let deep = format!(
        "program p\nx = {}1{}\nend\n",
        "(".repeat(20_000),
        ")".repeat(20_000)
    );
    lower_all(deep.as_bytes(), Form::Free);
    let chain = format!("program p\nx = 1{}\nend\n", " + 1".repeat(20_000));
    lower_all(chain.as_bytes(), Form::Free);
    let loops = format!(
        "program p\n{}{}end\n",
        "do i = 1, 2\n".repeat(3_000),
        "end do\n".repeat(3_000)
    );
    lower_all(loops.as_bytes(), Form::Free);
}

/// A unit without END at the end of a file gets one, which stands nowhere.
#[test]
fn what_is_added_has_no_place_of_its_own() {
    let text = "subroutine s(a, *)\nprogram p\n#endif\n      do 10 i = 1, n\n      program p\nprogram p\ncontains\nend do
if (a) then\ninclude 'x.h'\nsubroutine s(a, *)\ncontains";
    lower_all(text.as_bytes(), Form::Free);
    lower_all(
        b"program p\nif (a) then\ncontains\nsubroutine s\ncontains\nsubroutine t",
        Form::Free,
    );
}
