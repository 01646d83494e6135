//! The formats of other tools, for reading and writing. One format per file in [`crate::import`] and
//! [`crate::export`]; [`FORMATS`] lists them.

use crate::Inputs;
use crate::export::{self, ExportError};
use crate::import::trace_builder::TraceBuilder;
use crate::import::{self, ImportError, Imported};
use std::io::{BufRead, Write};

/// Returns the bytes of another file that a trace names, or the reason why it cannot be read.
pub type LoadTrace<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

/// Number of bytes at the start of a file that determine its format.
pub const RECOGNISED_BYTES: usize = 1 << 16;

/// A file of another tool, or of ours, and how it is named.
#[derive(Clone, Copy, Debug)]
pub struct TraceFile<'a> {
    /// For messages.
    pub name: &'a str,
    /// What is in it; to recognise it, its first [`RECOGNISED_BYTES`] are enough.
    pub bytes: &'a [u8],
}

/// A file of another tool that is read once from start to end.
pub struct TraceContent<'a> {
    /// For messages.
    pub name: &'a str,
    /// All that is in it.
    pub content: &'a mut dyn BufRead,
    /// Other files that it names.
    pub load: LoadTrace<'a>,
}

/// Reads the content of a file of this name into base data or steps.
pub(crate) type ReadTrace =
    fn(&mut TraceBuilder<'_>, &str, &mut dyn BufRead, LoadTrace<'_>) -> Result<(), ImportError>;

/// A row of [`FORMATS`].
pub struct TraceFormat {
    /// Name in options and reports.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Whether a file is of this format, by its content.
    pub recognises: fn(&TraceFile<'_>, LoadTrace<'_>) -> bool,
    /// Reads a file into base data or steps.
    pub(crate) read: ReadTrace,
    /// Makes base data of a file.
    pub import: fn(&TraceFile<'_>, LoadTrace<'_>) -> Result<Imported, ImportError>,
    /// Writes base data; gives what the format could not hold, each a sentence.
    pub export: fn(&Inputs<'_>, &mut dyn Write) -> Result<Vec<String>, ExportError>,
}

/// The formats.
pub static FORMATS: &[TraceFormat] = &[
    TraceFormat {
        name: "goal",
        summary: "schedules of LogGOPSim and ATLAHS: sends, receives and computation with dependencies, as text",
        recognises: import::goal::recognises,
        read: import::goal::read_into,
        import: import::goal::import,
        export: export::goal::export,
    },
    TraceFormat {
        name: "ti",
        summary: "time-independent traces of SMPI: one line per call, collectives by name",
        recognises: import::time_independent::recognises,
        read: import::time_independent::read_into,
        import: import::time_independent::import,
        export: export::time_independent::export,
    },
];

/// The format of this name.
pub fn format(name: &str) -> Option<&'static TraceFormat> {
    FORMATS.iter().find(|format| format.name == name)
}

/// The format of a file, by its content; `None` for a file of no other tool.
pub fn recognise(file: &TraceFile<'_>, load: LoadTrace<'_>) -> Option<&'static TraceFormat> {
    FORMATS
        .iter()
        .find(|format| (format.recognises)(file, load))
}
