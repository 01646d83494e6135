//! What the frontend has to say about sources: it never fails on code, it reports.

use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// For information.
    Note,
    /// The result may be larger than it need be, never wrong.
    Warning,
    /// Probes cannot be written for this program.
    Error,
}

/// One remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Where; `None` for the program as a whole.
    pub span: Option<Span>,
    /// One sentence: what was found, what was expected, what to do.
    pub sentence: String,
}
