//! All files of a program, parsed: the user's own and those that INCLUDE lines bring.

use super::pieces::{Piece, Sort, piece_tokens};
use super::syntax::{At, Parsed, parse, sort_of};
use crate::diagnostics::{Diagnostic, Severity};
use crate::language::Dialect;
use crate::source::{FileId, IncludeId, Loader, Sources, Span};
use std::collections::BTreeMap;

/// What an INCLUDE line brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Included {
    /// A file.
    File(FileId),
    /// MPI's names (`mpif.h`).
    Mpi,
    /// Nothing: the file was not found.
    Missing,
}

/// All files.
pub struct Files {
    /// By file id.
    pub parsed: Vec<Parsed>,
    /// By file and number of the statement.
    included: BTreeMap<(FileId, usize), Included>,
}

/// Parses the files of `sources` and all that they include, which are added to it.
pub fn load(sources: &mut Sources, dialect: &Dialect, loader: &Loader, said: &mut Vec<Diagnostic>) -> Files {
    let mut files = Files { parsed: Vec::new(), included: BTreeMap::new() };
    while files.parsed.len() < sources.files.len() {
        let id = FileId(files.parsed.len() as u32);
        let file = sources.file(id);
        let parsed = parse(id, &file.text, file.form, dialect, file.included);
        for (index, name) in include_lines(&parsed) {
            let found = find(sources, id, &name, loader);
            if found == Included::Missing {
                said.push(missing(&parsed, index, &name, sources));
            }
            files.included.insert((id, index), found);
        }
        files.parsed.push(parsed);
    }
    files
}

/// INCLUDE statements: number of the statement and name as written.
fn include_lines(parsed: &Parsed) -> Vec<(usize, String)> {
    let begins = |piece: &Piece| {
        let word = parsed.copy.text[piece.at.clone()].get(..7);
        word.is_some_and(|word| word.eq_ignore_ascii_case(b"include"))
    };
    let lines = parsed.pieces.iter().enumerate();
    let lines = lines.filter(|(_, piece)| begins(piece) && sort_of(&parsed.copy, piece) == Sort::Include);
    lines
        .map(|(index, piece)| {
            let tokens = piece_tokens(&parsed.copy.text, piece);
            let name = tokens.get(1).map_or(0..0, |token| token.at.clone());
            (index, parsed.original_text(name).trim_matches(['\'', '"']).to_string())
        })
        .collect()
}

fn find(sources: &mut Sources, includer: FileId, name: &str, loader: &Loader) -> Included {
    let base = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    if base == "mpif.h" {
        return Included::Mpi;
    }
    let (path, form) = (sources.file(includer).path.clone(), sources.file(includer).form);
    match loader(name, &path) {
        Some((resolved, text)) => Included::File(sources.add_included(&resolved, &text, form)),
        None => Included::Missing,
    }
}

fn missing(parsed: &Parsed, index: usize, name: &str, sources: &Sources) -> Diagnostic {
    let original = parsed.copy.original(parsed.pieces[index].at.clone());
    let span = Span { file: parsed.file, start: original.start, end: original.end, include: IncludeId::NONE };
    let line = parsed.original[..original.start as usize].iter().filter(|&&byte| byte == b'\n').count() + 1;
    let path = &sources.file(parsed.file).path;
    let sentence =
        format!("{path}:{line}: the included file '{name}' was not found: name its directory with -I");
    Diagnostic { severity: Severity::Error, span: Some(span), sentence }
}

impl Files {
    /// A file.
    pub fn parsed(&self, file: FileId) -> &Parsed {
        &self.parsed[file.0 as usize]
    }

    /// What the INCLUDE statement at a node brings.
    pub fn included(&self, at: At) -> Included {
        let key = at.piece_index().map(|index| (at.parsed.file, index));
        key.and_then(|key| self.included.get(&key)).copied().unwrap_or(Included::Missing)
    }
}
