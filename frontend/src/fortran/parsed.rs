//! A parsed file: its original, the parser's copy, the table of statements and the tree.

use super::parse_tree::SyntaxTree;
use super::parser_copy::Copy;
use super::pieces::ScannedStatement;
use super::recovery::Broken;
use crate::source::FileId;
use std::ops::Range;

/// A parsed file.
pub struct Parsed {
    /// Its file.
    pub file: FileId,
    /// Its bytes.
    pub original: Vec<u8>,
    /// The parser's copy.
    pub copy: Copy,
    /// Its statements.
    pub pieces: Vec<ScannedStatement>,
    /// Diagnostics: a range of the original and a sentence.
    pub diagnostics: Vec<(Range<u32>, String)>,
    /// Whether the tree still has errors: first original offset.
    pub broken: Option<u32>,
    /// Units that cannot be read, and their faults.
    pub broken_units: Vec<Broken>,
    /// Ranges of the original that the parser could not place.
    pub errors: Vec<Range<u32>>,
    /// Share of the file's bytes, in 1/1000, that the parser could not place.
    pub unread: u32,
    /// What the parser made of the copy.
    pub tree: SyntaxTree,
}

impl Parsed {
    /// The text that the parser was given.
    pub fn given(&self) -> Vec<u8> {
        self.copy.text.clone()
    }

    /// Whether a byte stands before an offset of the copy, but for blanks.
    pub fn is_after(&self, offset: usize, byte: u8) -> bool {
        let mut before = &self.copy.text[..offset];
        while let [rest @ .., b' '] = before {
            before = rest;
        }
        before.last() == Some(&byte)
    }

    /// The statement that contains an offset of the copy.
    pub fn piece_at(&self, offset: usize) -> Option<usize> {
        let after = self
            .pieces
            .partition_point(|piece| piece.at.start <= offset);
        let index = after.checked_sub(1)?;
        if offset < self.pieces[index].at.end {
            Some(index)
        } else {
            None
        }
    }

    /// Tokens of a statement, from the copy as it was before masks and stand-ins.
    pub fn original_text(&self, range: Range<usize>) -> String {
        String::from_utf8_lossy(&self.copy.original_bytes(&self.original, range)).to_string()
    }

    /// The unit whose statements from this one on are kept whole.
    pub fn kept_from(&self, index: usize) -> Option<&Broken> {
        // They are in order. Some keep nothing: only an END was missing.
        for broken in &self.broken_units {
            if broken.kept.is_empty() || broken.kept.start < index {
                continue;
            }
            if broken.kept.start == index {
                return Some(broken);
            }
            return None;
        }
        None
    }
}
