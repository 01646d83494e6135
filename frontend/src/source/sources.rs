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

/// How the lines of a file are to be read where a compiler's flags say it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Form; `None` for what [`Form::detect`] finds.
    pub form: Option<Form>,
    /// Last column of text in fixed form; `None` for 72, 0 for no last column.
    pub last_column: Option<u32>,
    /// Whether a D in column 1 of fixed form is a blank rather than a comment.
    pub debug_lines: bool,
    /// Whether OpenMP's directives make threads.
    pub threads: bool,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Path as the user gave it, or as an INCLUDE line or a line marker has it.
    pub path: String,
    /// Bytes of a file of the user's own: as they are on disk, or as a preprocessor left them, with its
    /// line markers; from [`crate::analyze`] on with INCLUDE lines replaced by the included text, between
    /// line markers. Of an included file, its lines as they were first seen.
    pub text: Vec<u8>,
    /// Form.
    pub form: Form,
    /// Compiler options for its lines.
    pub reading: Reading,
    /// Whether it came through INCLUDE or a preprocessor rather than from the user: such a file has no
    /// spans, its lines are part of the texts that include it.
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

/// Bytes `start..end` of the text of one of the user's own files. Which file and line the user sees there
/// is in [`crate::ir::source_map::SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Form {
    /// Source form by extension (`.f`, `.for`, `.ftn`, `.f77` and their capitals are fixed) and by
    /// content: a fixed extension whose text stands in columns 1 to 5, or continues lines by a
    /// trailing `&`, is free form.
    pub fn detect(path: &str, text: &[u8]) -> Form {
        let extension = path
            .rsplit('.')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        match extension.as_str() {
            "f90" | "f95" | "f03" | "f08" | "f18" => Form::Free,
            "f" | "for" | "ftn" | "f77" | "fpp" if !is_probably_free_form(text) => Form::Fixed,
            _ if is_probably_free_form(text) => Form::Free,
            _ => Form::Fixed,
        }
    }
}

/// Whether some line could not stand in a fixed-form file.
fn is_probably_free_form(text: &[u8]) -> bool {
    text.split(|&byte| byte == b'\n').any(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // D marks debug lines, # line markers and directives.
        let comment = line.first().is_none_or(|byte| b"cC*dD!#".contains(byte));
        !comment && (has_text_before_column_six(line) || continues_before_column_73(line))
    })
}

fn has_text_before_column_six(line: &[u8]) -> bool {
    let front = &line[..line.len().min(5)];
    let front = &front[..front
        .iter()
        .position(|&byte| byte == b'\t' || byte == b'!')
        .unwrap_or(front.len())];
    front.iter().any(|byte| byte.is_ascii_alphabetic())
}

fn continues_before_column_73(line: &[u8]) -> bool {
    // A trailing `&` behind column 72 is ignored in fixed form, where it serves both forms.
    let front = &line[..line.len().min(72)];
    line.len() <= 72
        && front.len() > 6
        && front.trim_ascii_end().last() == Some(&b'&')
        && !front.contains(&b'!')
}

impl Sources {
    /// Adds a file of the user's own; its form is found by [`Form::detect`].
    pub fn add(&mut self, path: &str, text: &[u8]) -> FileId {
        self.add_as(path, text, Reading::default())
    }

    /// Adds a file of the user's own whose lines are read as `reading` says.
    pub fn add_as(&mut self, path: &str, text: &[u8], reading: Reading) -> FileId {
        let form = reading.form.unwrap_or_else(|| Form::detect(path, text));
        self.push(SourceFile {
            path: path.to_string(),
            text: text.to_vec(),
            form,
            reading,
            included: false,
        })
    }

    /// The file that a line marker in a text of the form names: one that is known, or a new included one.
    pub(crate) fn named(&mut self, path: &str, form: Form) -> FileId {
        if let Some(index) = self.files.iter().position(|file| file.path == path) {
            return FileId(index as u32);
        }
        let (text, reading) = (Vec::new(), Reading::default());
        self.push(SourceFile {
            path: path.to_string(),
            text,
            form,
            reading,
            included: true,
        })
    }

    /// A file.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// The bytes of a span.
    pub fn text(&self, span: Span) -> &[u8] {
        &self.file(span.file).text[span.start as usize..span.end as usize]
    }

    fn push(&mut self, file: SourceFile) -> FileId {
        self.files.push(file);
        FileId(self.files.len() as u32 - 1)
    }
}

/// Whether a path is what the user typed, or ends with it.
pub fn is_named(typed: &str, path: &str) -> bool {
    path == typed
        || path
            .strip_suffix(typed)
            .is_some_and(|front| front.ends_with('/'))
}
