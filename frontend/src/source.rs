//! Source files as the user gave them, and spans over their original bytes. No I/O: files arrive
//! through a [`Loader`] that the caller supplies.

/// Index into [`Sources::files`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// Source form of a Fortran file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Columns 1–5 label, 6 continuation, 7–72 text.
    Fixed,
    /// Free form.
    Free,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Path as the user gave it, or as an INCLUDE line was resolved.
    pub path: String,
    /// Bytes as they are on disk.
    pub text: Vec<u8>,
    /// Form.
    pub form: Form,
    /// Whether it came through INCLUDE rather than from the user.
    pub included: bool,
}

/// The files of a program: those given by the user first, then included ones in order of use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// The files.
    pub files: Vec<SourceFile>,
}

/// Finds the text of an included file: `(name as written, path of the including file)` to
/// `(resolved path, bytes)`.
pub type Loader<'a> = dyn Fn(&str, &str) -> Option<(String, Vec<u8>)> + 'a;

/// Bytes `start..end` of a file's original text, seen through one instance of INCLUDE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Which inclusion of the file; [`IncludeId::NONE`] for a file of the user's own.
    pub include: IncludeId,
}

/// Index into [`crate::source_map::SourceMap::includes`], or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IncludeId(pub u32);

impl IncludeId {
    /// Not included.
    pub const NONE: IncludeId = IncludeId(u32::MAX);
}
