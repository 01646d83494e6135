//! Tests of the Fortran frontend: snippets and their IR. Helpers that the tests share are here.

mod declarations;
mod forms;
mod masks;
mod names;
mod objects;
mod places;
mod recovery;
mod robustness;
mod spelling;
mod statements;

use crate::ir::dump;
use crate::ir::lowered::Lowered;
use crate::source::diagnostics::Severity;
use crate::source::dialect::Dialect;
use crate::source::{Loader, Sources};

/// Lowers files given as `(path, text)`; those whose path ends in `.h` can only be included.
fn lower(files: &[(&str, &str)]) -> (Sources, Lowered) {
    let mut sources = Sources::default();
    for (path, text) in files.iter().filter(|(path, _)| !path.ends_with(".h")) {
        sources.add(path, text.as_bytes());
    }
    let loader: &Loader = &|name, _| {
        let found = files.iter().find(|(path, _)| *path == name)?;
        Some((name.to_string(), found.1.as_bytes().to_vec()))
    };
    let lowered = super::lower(&mut sources, &Dialect::default(), loader);
    (sources, lowered)
}

/// Errors and warnings, one a line.
fn diagnostics_text(lowered: &Lowered) -> String {
    let grave = lowered
        .diagnostics
        .iter()
        .filter(|said| said.severity > Severity::Note);
    grave
        .map(|said| format!("{:?}: {}\n", said.severity, said.sentence))
        .collect()
}

/// Compares texts line by line, blanks at both ends of lines and empty lines left out.
#[track_caller]
fn same(found: &str, expect: &str) {
    let plain = |text: &str| {
        let lines: Vec<String> = text.lines().map(|line| line.trim().to_string()).collect();
        lines
            .into_iter()
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(plain(found), plain(expect));
}

/// Statements inside a free-form subroutine with these declarations.
#[track_caller]
fn check_body(declarations: &str, body: &str, expect: &str) {
    check_unit(
        "a.f90",
        &format!("subroutine s\n{declarations}\n{body}\nend\n"),
        expect,
    );
}

/// The first procedure of a file, without its head line.
#[track_caller]
fn check_unit(path: &str, text: &str, expect: &str) {
    let (_, lowered) = lower(&[(path, text)]);
    let found = dump::procedure(&lowered.program, crate::ir::ProcedureId(0));
    let found: Vec<&str> = found.lines().skip(1).collect();
    same(
        &(found.join("\n") + "\n" + &diagnostics_text(&lowered)),
        expect,
    );
}
