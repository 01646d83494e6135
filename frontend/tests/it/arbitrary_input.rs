//! Whatever the sources are, analysing them ends and says what it did not understand: fixtures with things
//! cut, doubled and swapped, and soups of tokens.

use frontend::source::{SourceFile, Sources};
use frontend::{Analysis, Options};
use npb_fixtures::KERNELS;
use proptest::prelude::*;

/// Tokens of which soups are made; each line of a soup is some of them.
const TOKENS: &[&str] = &[
    "program",
    "subroutine s",
    "function f",
    "module m",
    "contains",
    "interface",
    "end",
    "end if",
    "end do",
    "end select",
    "use mpi",
    "use m, only:",
    "implicit none",
    "integer",
    "real ::",
    "type(t)",
    "pointer",
    "=>",
    "dimension(3)",
    "common /b/",
    "equivalence",
    "parameter",
    "data",
    "if (",
    "then",
    "else",
    "else if (",
    "do",
    "do 10",
    "while (",
    "select case (",
    "case (1)",
    "case default",
    "where (",
    "forall (",
    "associate (",
    "block",
    "goto 10",
    "10",
    "continue",
    "call",
    "mpi_send(",
    "mpi_recv(",
    "mpi_init(",
    "return",
    "exit",
    "x",
    "y%z",
    "(",
    ")",
    ",",
    "=",
    "==",
    "+",
    "*",
    "**",
    "%",
    ":",
    "::",
    "'text'",
    "\"",
    "'",
    "&",
    ";",
    "!",
    "1",
    "2.5d0",
    "4Habcd",
    ".and.",
    ".true.",
    "*10",
    "#if A",
    "#endif",
    "include 'x.h'",
    "entry e",
    "write(*,*)",
    "read(5,*)",
    "allocate(",
    "nullify(",
    "\t",
    "\r",
];

fn analyse(name: &str, text: &[u8]) -> (Sources, Analysis) {
    let mut sources = Sources::default();
    sources.add(name, text);
    let included = text.to_vec();
    let loader =
        move |name: &str, _: &str| (name == "x.h").then(|| ("x.h".to_string(), included.clone()));
    let analysis = frontend::analyze(&mut sources, &Options::default(), &loader);
    (sources, analysis)
}

/// Places are inside their texts, and ids are those of something.
fn check(name: &str, text: &[u8]) {
    let (sources, analysis) = analyse(name, text);
    let inside = |span: frontend::source::Span| {
        let file: &SourceFile = sources.file(span.file);
        span.start <= span.end && span.end as usize <= file.text.len()
    };
    for place in &analysis.source_map.statements {
        assert!(inside(place.whole) && inside(place.header) && place.end.is_none_or(inside));
    }
    assert!(
        analysis
            .diagnostics
            .iter()
            .filter_map(|said| said.span)
            .all(inside)
    );
    assert!(analysis.parse_statistics.unparsed().into_iter().all(inside));
    for block in &analysis.blocks {
        assert!(
            block
                .statements
                .iter()
                .all(|id| (id.0 as usize) < analysis.program.statements.len())
        );
    }
}

/// What is done to a text: where, in thousandths of it, how long, and which change.
type Change = (usize, usize, u8);

fn changed(mut text: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for &(at, length, change) in changes {
        let from = at * text.len() / 1000;
        let to = (from + length).min(text.len());
        match change {
            0 => drop(text.drain(from..to)),
            1 => {
                let copy = text[from..to].to_vec();
                text.splice(from..from, copy);
            }
            2 => text[from..to].reverse(),
            3 => text[from..to].fill(b' '),
            other => text[from..to]
                .iter_mut()
                .for_each(|byte| *byte = byte.wrapping_add(other)),
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

    #[test]
    fn changed_fixtures(
        which in 0usize..1000,
        changes in proptest::collection::vec((0usize..1000, 1usize..80, 0u8..6), 1..6),
    ) {
        let files: Vec<_> = KERNELS.iter().flat_map(|kernel| kernel.sources()).collect();
        let path = &files[which % files.len()];
        let text = std::fs::read(path).expect("a fixture");
        check(&path.to_string_lossy(), &changed(text, &changes));
    }

    #[test]
    fn soups(
        lines in proptest::collection::vec(proptest::collection::vec(proptest::sample::select(TOKENS), 1..7), 0..30),
        fixed in any::<bool>(),
    ) {
        let (name, lead) = if fixed { ("a.f", "      ") } else { ("a.f90", "") };
        let text: String = lines.iter().map(|line| format!("{lead}{}\n", line.join(" "))).collect();
        check(name, text.as_bytes());
    }

    #[test]
    fn any_bytes(text in proptest::collection::vec(any::<u8>(), 0..400), fixed in any::<bool>()) {
        check(if fixed { "a.f" } else { "a.f90" }, &text);
    }
}
