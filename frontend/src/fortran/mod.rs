//! Fortran: from files in fixed or free form to the program's meaning. The order of the steps is
//! in [`lower`]; each step is a module. Absent on purpose: expansion of macros and `#include`, which is
//! a preprocessor's work that the caller has done (`cpp` only hides lines).

mod accessibility;
mod arguments;
mod assignment_conversion;
mod bindings;
mod broken_units;
mod call_statements;
mod calls;
mod conditional_lines;
mod constant_value;
mod constants;
mod constructs;
mod constructs_closed;
mod cpp;
mod declarations;
mod declared_attributes;
mod derived_types;
mod designators;
mod expressions;
mod files;
mod fixed_blanks;
mod fixed_declarations;
mod fixed_form;
mod fixed_words;
mod folded_intrinsics;
mod free_form;
mod include_lines;
mod input_output;
mod interfaces;
mod kinds;
mod known_names;
mod labels;
mod literals;
mod loops;
mod lower;
mod masks;
mod modules;
mod mpi_constants;
mod names;
mod nodes;
mod opaque;
mod parse_tree;
mod parsed;
mod parser_copy;
mod parsing;
mod pieces;
mod procedure_pointers;
mod recovery;
mod shared_files;
mod spelling;
mod statements;
mod statistics;
mod storage;
mod syntax;
#[cfg(test)]
mod tests;
mod tokens;
mod type_bound;
mod unit;
mod unit_bounds;
mod units;
mod value_types;

use crate::ir::lowered::Lowered;
use crate::source::diagnostics::{self, Diagnostic, Severity};
use crate::source::dialect::Dialect;
use crate::source::{Loader, Sources, Span};
use std::collections::BTreeSet;

pub use assignment_conversion::assigned;
pub use conditional_lines::make_statements as follow_conditional_lines;
pub use cpp::{follow as follow_directives, is_directive};
pub use fixed_form::text_of_row;
pub use include_lines::follow_all as follow_includes;
pub use mpi_constants::{
    function_of as mpi_constant_function, functions as mpi_constant_functions,
};
pub use parsing::{parse, parse_bare};
pub use spelling::spell;
pub use value_types::{is_integer, rank_of};

/// Names of all macros, in lower case, as the IR has names.
pub fn macros(sources: &Sources, dialect: &Dialect) -> BTreeSet<String> {
    let given = dialect.defines.iter().map(|(name, _)| name.clone());
    let written = sources
        .files
        .iter()
        .flat_map(|file| cpp::defined(&file.text));
    given
        .chain(written)
        .map(|name| name.to_ascii_lowercase())
        .collect()
}

/// Reads all files of `sources`, which must be Fortran.
pub fn lower(sources: &mut Sources, dialect: &Dialect, loader: &Loader) -> Lowered {
    let mut said = Vec::new();
    let (files, map) = files::load(sources, dialect, loader, &mut said);
    let mut lowering = lower::Lowering::new(sources, &files, map);
    lowering.diagnostics = said;
    report_remarks(&mut lowering, &files);
    lowering.report_broken_units();
    lowering.find_units();
    lowering.find_submodules();
    (0..lowering.units.len()).for_each(|unit| lowering.declare(unit));
    lowering.mark_finals();
    lowering.find_interfaces();
    lowering.lower_bodies();
    lowering.note_visible();
    lowering.keep_finalised();
    lowering.point_from_start();
    lowering.report_undeclared();
    lowering.report_miscounted();
    let parse_statistics = statistics::collect(&mut lowering);
    let lower::Lowering {
        mut program,
        map,
        mut diagnostics,
        procedure_pointers,
        ..
    } = lowering;
    program.procedure_variables.extend(procedure_pointers);
    diagnostics.sort_by_key(|said| said.span.map(|span| (span.file, span.start)));
    let mut diagnostics = diagnostics::capped(diagnostics);
    diagnostics.sort_by_key(|said| said.span.map(|span| (span.file, span.start)));
    Lowered {
        program,
        source_map: map,
        parse_statistics,
        diagnostics,
    }
}

/// What was found while the files were rewritten.
fn report_remarks(lowering: &mut lower::Lowering, files: &files::Files) {
    for parsed in &files.parsed {
        for (range, sentence) in &parsed.diagnostics {
            let span = Span {
                file: parsed.file,
                start: range.start,
                end: range.end,
            };
            let sentence = format!("{}: {sentence}", lowering.line(span));
            lowering.diagnostics.push(Diagnostic {
                severity: Severity::Error,
                span: Some(span),
                sentence,
            });
        }
    }
}
