//! Source languages. A language frontend turns sources into a program ([`crate::ir`]), its positions
//! ([`crate::ir::source_map`]) and diagnostics; the rest of the crate does not depend on the language.

use crate::ir::statement_tree::Outline;
use crate::ir::{Expression, Program, StatementId};
use crate::source::{Form, Loader, SourceFile, Sources};
use std::collections::BTreeSet;
use std::ops::Range;

pub use crate::ir::lowered::Lowered;
pub use crate::source::dialect::Dialect;

/// Reads all files, which are Fortran (the only language so far). Included files that `loader`
/// finds are added to `sources`. Never fails: what is not understood is in the diagnostics.
pub fn lower(sources: &mut Sources, dialect: &Dialect, loader: &Loader) -> Lowered {
    crate::fortran::lower(sources, dialect, loader)
}

/// Reads all files without making meaning of them, and gives the texts that the parser was given: what is
/// timed beside [`parse_bare`].
pub fn parse(sources: &mut Sources, dialect: &Dialect, loader: &Loader) -> Vec<Vec<u8>> {
    crate::fortran::parse(sources, dialect, loader)
}

/// Parses texts by the parser alone; gives how many nodes their trees have.
pub fn parse_bare(texts: &[Vec<u8>]) -> usize {
    crate::fortran::parse_bare(texts)
}

/// Replaces the INCLUDE lines of a file by the included text, so that its text is complete, and may
/// be kept where the included files are not. Lines whose file `loader` does not find stay.
pub fn follow_includes(file: &mut SourceFile, loader: &Loader) {
    crate::fortran::follow_includes(file, loader);
}

/// Follows the conditions of a preprocessor's directives where there is none: other lines than those that count become
/// blank. `#include` lines stay. Gives the first line on which a macro would have to be expanded, with its name.
pub fn follow_directives(
    file: &mut SourceFile,
    defines: &[(String, String)],
) -> Option<(usize, String)> {
    crate::fortran::follow_directives(file, defines)
}

/// Whether a row is a directive of a preprocessor, which a compiler alone does not heed.
pub fn is_directive(row: &[u8]) -> bool {
    crate::fortran::is_directive(row)
}

/// Makes statements of the lines of OpenMP's conditional compilation, as a compiler with OpenMP enabled does.
pub fn follow_conditional_lines(file: &mut SourceFile) {
    crate::fortran::follow_conditional_lines(file);
}

/// What of a row of a file belongs to statements, remarks behind them included: nothing of a comment line; in fixed
/// form neither label nor mark of continuation, nor what stands beyond the last column.
pub fn text_of_row(file: &SourceFile, row: Range<usize>) -> Range<usize> {
    match file.form {
        Form::Fixed => crate::fortran::text_of_row(&file.text, row, &file.reading),
        Form::Free if file.text[row.clone()].trim_ascii_start().starts_with(b"!") => {
            row.start..row.start
        }
        Form::Free => row,
    }
}

/// Names, in lower case, of the macros of a preprocessor that may replace names in the sources.
pub(crate) fn macros(sources: &Sources, dialect: &Dialect) -> BTreeSet<String> {
    crate::fortran::macros(sources, dialect)
}

/// Functions without arguments, of type INTEGER(4), that texts of work terms may call and procedures must declare: they
/// return what the MPI library of a run has for a constant.
pub fn mpi_constant_functions() -> impl Iterator<Item = &'static str> {
    crate::fortran::mpi_constant_functions()
}

/// Variables of type INTEGER(8) that texts of work terms may count in and procedures must declare.
pub fn term_indices() -> [&'static str; 3] {
    crate::ir::sums::INDICES
}

/// Text of an expression in the program's language, where a statement stands; `None` if it cannot be written
/// there from the IR alone.
pub fn spell(program: &Program, expression: &Expression, at: StatementId) -> Option<String> {
    crate::expressions::name_visibility::spell(program, &Outline::of(program), expression, at)
}
