//! Tests of the Fortran frontend: snippets and their IR, most of them in `tests/ui/ir`. Helpers that the tests share are here.

mod block_data;
mod declarations;
mod forms;
mod names;
mod places;
mod robustness;
mod spelling;

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

/// The cases of `tests/ui/ir`: procedures of a source as IR, with errors and warnings. They stand here since the IR is
/// no part of the public interface.
#[test]
fn ui_ir() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/ir");
    let accept = "cargo test -p frontend --lib fortran::tests::ui_ir";
    npb_fixtures::ui::check(&folder, accept, &|source, output| {
        if output != "ir" {
            return Err(format!("there is no output `{output}`"));
        }
        let (_, lowered) = lower(&[(&source.file, &source.text)]);
        Ok(dump::procedures(&lowered.program) + &diagnostics_text(&lowered))
    });
}
