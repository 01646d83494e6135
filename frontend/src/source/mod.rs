//! Source files as the user gave them: their text, spans over it, diagnostics, and parse statistics.

pub mod diagnostics;
pub mod dialect;
pub mod directives;
pub mod parse_statistics;
mod sources;

pub use sources::is_named;
pub use sources::{FileId, Form, Loader, Reading, SourceFile, Sources, Span};
