//! All files of a program, their INCLUDE lines followed, parsed.

use super::include_lines;
use super::pieces::{ScannedStatement, Sort, piece_tokens};
use super::syntax::{At, Parsed, parse, sort_of};
use crate::ir::line_markers;
use crate::ir::source_map::SourceMap;
use crate::source::diagnostics::{Diagnostic, Severity};
use crate::source::dialect::Dialect;
use crate::source::{FileId, Loader, Sources, Span};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// All files.
pub struct Files {
    /// The user's own, by file id.
    pub parsed: Vec<Parsed>,
    /// INCLUDE statements of MPI's header: file and number of the statement.
    mpi: BTreeSet<(FileId, usize)>,
}

/// Follows the INCLUDE lines of the files of `sources` and parses them. Gives them with the places of
/// their rows; files that are included are added to `sources`.
pub fn load(
    sources: &mut Sources,
    dialect: &Dialect,
    loader: &Loader,
    said: &mut Vec<Diagnostic>,
) -> (Files, SourceMap) {
    let own = sources.files.iter_mut().filter(|file| !file.included);
    own.for_each(|file| include_lines::follow_all(file, loader));
    let own = sources
        .files
        .iter()
        .take_while(|file| !file.included)
        .count() as u32;
    let mut map = SourceMap::default();
    let mut files = Files {
        parsed: Vec::new(),
        mpi: BTreeSet::new(),
    };
    // Most of the time of an analysis goes here, and no file depends on another.
    let parsed: Vec<Parsed> = (0..own)
        .into_par_iter()
        .map(|id| parse(FileId(id), sources.file(FileId(id)), dialect))
        .collect();
    for (id, parsed) in (0..).map(FileId).zip(parsed) {
        let stretches = line_markers::stretches(sources, id, &mut map.inclusions);
        map.stretches.push(stretches);
        files.place(&parsed, &mut map);
        files.parsed.push(parsed);
    }
    for id in (0..own).map(FileId) {
        files.scan_remaining_files(id, sources, loader, &map, said);
    }
    (files, map)
}

impl Files {
    /// A file of the user's own.
    pub fn parsed(&self, file: FileId) -> &Parsed {
        &self.parsed[file.0 as usize]
    }

    /// Whether the INCLUDE statement at a node includes MPI's header.
    pub fn is_mpi(&self, at: At) -> bool {
        at.piece_index()
            .is_some_and(|index| self.mpi.contains(&(at.parsed.file, index)))
    }

    /// Row starts and moved ranges.
    fn place(&self, parsed: &Parsed, map: &mut SourceMap) {
        let newlines = parsed
            .original
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n');
        map.row_starts.push(
            [0].into_iter()
                .chain(newlines.map(|(at, _)| at as u32 + 1))
                .collect(),
        );
        map.moved.extend(
            parsed
                .copy
                .moved()
                .into_iter()
                .map(|(from, to, length)| (parsed.file, from, to, length)),
        );
    }

    /// The INCLUDE lines that were not followed: MPI's, and those that could not be.
    fn scan_remaining_files(
        &mut self,
        id: FileId,
        sources: &Sources,
        loader: &Loader,
        map: &SourceMap,
        said: &mut Vec<Diagnostic>,
    ) {
        for (index, name) in include_lines_of(self.parsed(id)) {
            if include_lines::is_mpi(&name) {
                self.mpi.insert((id, index));
                continue;
            }
            let original = self
                .parsed(id)
                .copy
                .original(self.parsed(id).pieces[index].at.clone());
            let span = Span {
                file: id,
                start: original.start,
                end: original.end,
            };
            let place = map.place(id, span.start);
            let path = &sources.file(place.file).path;
            let why = match loader(&name, path).or_else(|| loader(&name, &sources.file(id).path)) {
                None => {
                    format!("the included file '{name}' was not found: name its directory with -I")
                }
                Some(_) if map.rows(span).0 != map.rows(span).1 => {
                    "this INCLUDE line is continued: write it on one line".to_string()
                }
                Some(_) => {
                    "this INCLUDE line is not followed: files include each other without end"
                        .to_string()
                }
            };
            let sentence = format!("{path}:{}: {why}", place.line);
            if !said.iter().any(|known| known.sentence == sentence) {
                said.push(Diagnostic {
                    severity: Severity::Error,
                    span: Some(span),
                    sentence,
                });
            }
        }
    }
}

/// INCLUDE statements: number of the statement and name as written.
fn include_lines_of(parsed: &Parsed) -> Vec<(usize, String)> {
    let begins = |piece: &ScannedStatement| {
        let word = parsed.copy.text[piece.at.clone()].get(..7);
        word.is_some_and(|word| word.eq_ignore_ascii_case(b"include"))
    };
    let lines = parsed.pieces.iter().enumerate();
    let lines =
        lines.filter(|(_, piece)| begins(piece) && sort_of(&parsed.copy, piece) == Sort::Include);
    lines
        .map(|(index, piece)| {
            let tokens = piece_tokens(&parsed.copy.text, piece);
            let name = tokens.get(1).map_or(0..0, |token| token.at.clone());
            (
                index,
                parsed
                    .original_text(name)
                    .trim_matches(['\'', '"'])
                    .to_string(),
            )
        })
        .collect()
}
