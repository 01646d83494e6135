//! The log of an intercepted build, which the wrappers write: a folder with one line of JSON for each command, and the text of
//! each source at that time, since a build may generate a file, compile it and generate it again.

use super::command_line::Language;
use super::objects::ObjectSymbols;
use anyhow::{Context, Result};
use base_data::ids::Digest;
use frontend::source::{Form, Reading, SourceFile};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A source that was compiled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compiled {
    /// Its path as messages show it.
    pub path: String,
    /// Language.
    pub language: Language,
    /// Digest of its expanded text, which is its name in the folder.
    pub text: Digest,
    /// Whether it is in free form.
    pub free: bool,
    /// Last column of fixed form, as in [`Reading::last_column`].
    pub last_column: Option<u32>,
    /// Whether a D in column 1 of fixed form is a blank.
    pub debug_lines: bool,
    /// Whether OpenMP's directives make threads.
    pub threads: bool,
    /// The compiler, as the build or the user names it.
    pub compiler: String,
    /// Flags for a probe.
    pub flags: Vec<String>,
}

/// A part of what was linked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Linked {
    /// A source that the same command compiled.
    Source(Compiled),
    /// Objects by their digests (those of an archive that were needed), and the words that link them if the build made none
    /// of them.
    Objects {
        /// Digests.
        digests: Vec<Digest>,
        /// Words.
        words: Vec<String>,
    },
    /// A word for the linker.
    Word(String),
}

/// An entry of the log: the result of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BuildLogEntry {
    /// Compiled a source to an object.
    Compiled {
        /// The source.
        source: Compiled,
        /// Digest of the object.
        object: Digest,
        /// Its symbols; `None` if they are not known.
        symbols: Option<Box<ObjectSymbols>>,
    },
    /// Linked a program or a shared library.
    Linked {
        /// Where it was written.
        output: PathBuf,
        /// Digest of a shared library; `None` for a program.
        library: Option<Digest>,
        /// Of what, in order.
        parts: Vec<Linked>,
        /// Flags that are for neither sources nor the linker alone.
        flags: Vec<String>,
    },
    /// Failed: the command as it was typed.
    Failed(String),
    /// Compiled a source from standard input, whose text is not known: the command as it was typed.
    FromStandardInput(String),
}

/// The folder.
#[derive(Clone, Debug)]
pub struct Log {
    folder: PathBuf,
}

impl Log {
    /// In a folder that exists.
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
        }
    }

    /// Keeps a source's text.
    pub fn store(
        &self,
        file: &SourceFile,
        language: Language,
        compiler: String,
        flags: Vec<String>,
    ) -> Result<Compiled> {
        let text = Digest::of(&file.text);
        let path = self.text_path(text);
        // Named by its digest, so a source that is compiled twice is stored once.
        if !path.exists() {
            crate::files::write_bytes(&path, &file.text)?;
        }
        Ok(Compiled {
            path: file.path.clone(),
            language,
            text,
            free: file.form == Form::Free,
            last_column: file.reading.last_column,
            debug_lines: file.reading.debug_lines,
            threads: file.reading.threads,
            compiler,
            flags,
        })
    }

    /// The text that was kept for a source.
    pub fn text(&self, source: &Compiled) -> Result<Vec<u8>> {
        crate::files::read_bytes(&self.text_path(source.text))
    }

    /// Appends the results of a command.
    pub fn add(&self, entries: &[BuildLogEntry]) -> Result<()> {
        let path = self.folder.join("log");
        let cannot = || format!("{} cannot be written", path.display());
        let file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .with_context(cannot)?;
        // `make -j` runs several wrappers at once; lines longer than a pipe's buffer could otherwise
        // interleave. The lock ends with the file.
        file.lock().with_context(cannot)?;
        let mut lines = Vec::new();
        for entry in entries {
            serde_json::to_writer(&mut lines, entry)?;
            lines.push(b'\n');
        }
        (&file).write_all(&lines).with_context(cannot)
    }

    /// All entries, in order.
    pub fn read(&self) -> Result<Vec<BuildLogEntry>> {
        let path = self.folder.join("log");
        if !path.exists() {
            return Ok(Vec::new());
        }
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        text.lines()
            .map(|line| serde_json::from_str(line).context("a line of a build's log"))
            .collect()
    }

    fn text_path(&self, text: Digest) -> PathBuf {
        self.folder.join(text.to_string())
    }
}

impl Compiled {
    /// How its lines are read.
    pub fn reading(&self) -> Reading {
        let form = if self.free { Form::Free } else { Form::Fixed };
        Reading {
            form: Some(form),
            last_column: self.last_column,
            debug_lines: self.debug_lines,
            threads: self.threads,
        }
    }
}
