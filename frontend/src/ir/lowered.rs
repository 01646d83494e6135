//! The result of a language frontend.

use crate::ir::Program;
use crate::ir::source_map::SourceMap;
use crate::source::diagnostics::Diagnostic;
use crate::source::parse_statistics::ParseStatistics;

/// Result of a language frontend.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// Meaning.
    pub program: Program,
    /// Positions.
    pub source_map: SourceMap,
    /// How much was read and understood.
    pub parse_statistics: ParseStatistics,
    /// Remarks, in source order.
    pub diagnostics: Vec<Diagnostic>,
}
