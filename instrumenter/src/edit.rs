//! Edits: replacements of byte ranges of the original text, sorted, disjoint, applied once. They are
//! independent of the purpose of the edit.

use frontend::source::FileId;

/// Replaces bytes `start..end` of a file by `text`; an insertion where `start == end`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The file.
    pub file: FileId,
    /// First byte replaced.
    pub start: u32,
    /// One past the last byte replaced.
    pub end: u32,
    /// Order among edits at the same place: lower comes first.
    pub order: Order,
    /// What stands there instead.
    pub text: String,
}

/// Order of insertions at one place of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// Carries the label of the removed line that ended here.
    Label,
    /// Belongs to the line that ended here.
    After,
    /// Stands before what follows.
    Before,
    /// Turns the line that begins here into a comment.
    Comment,
    /// Replaces what stands here.
    Replace,
}

/// A set of edits of several files.
#[derive(Clone, Debug, Default)]
pub struct Edits {
    edits: Vec<Edit>,
}

impl Edits {
    /// Adds an insertion of `text` at `offset`.
    pub fn insert(&mut self, file: FileId, offset: u32, order: Order, text: String) {
        self.edits.push(Edit {
            file,
            start: offset,
            end: offset,
            order,
            text,
        });
    }

    /// Adds a replacement of `start..end`.
    pub fn replace(&mut self, file: FileId, start: u32, end: u32, text: String) {
        self.edits.push(Edit {
            file,
            start,
            end,
            order: Order::Replace,
            text,
        });
    }

    /// The files that have edits, ascending.
    pub fn files(&self) -> Vec<FileId> {
        let mut files: Vec<FileId> = self.edits.iter().map(|edit| edit.file).collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// The text of `file` with its edits applied. Edits at one place keep their order of
    /// insertion within one [`Order`]; a replacement that begins before an earlier one has ended
    /// is a mistake of the caller and dropped in favour of the earlier one.
    pub fn apply(&self, file: FileId, original: &[u8]) -> Vec<u8> {
        let mut edits: Vec<&Edit> = self.edits.iter().filter(|edit| edit.file == file).collect();
        // The sort is stable: edits of one place and one order stay as they were added.
        edits.sort_by_key(|edit| (edit.start, edit.order));
        let mut text = Vec::with_capacity(original.len() + 64 * edits.len());
        let mut done = 0;
        for edit in edits {
            let start = (edit.start as usize).min(original.len());
            debug_assert!(start >= done, "edits overlap at byte {start}");
            if start < done {
                continue;
            }
            text.extend_from_slice(&original[done..start]);
            text.extend_from_slice(edit.text.as_bytes());
            done = (edit.end as usize).clamp(start, original.len());
        }
        text.extend_from_slice(&original[done..]);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FILE: FileId = FileId(0);

    #[test]
    fn order_at_one_place() {
        let mut edits = Edits::default();
        edits.insert(FILE, 2, Order::Comment, "!".into());
        edits.insert(FILE, 2, Order::Before, "before ".into());
        edits.insert(FILE, 2, Order::After, "after ".into());
        edits.replace(FILE, 3, 4, "X".into());
        assert_eq!(edits.apply(FILE, b"ab12"), b"abafter before !1X");
    }

    proptest! {
        #[test]
        fn untouched_text_stays(text in "[a-z\n]{0,60}", places in prop::collection::vec(0u32..60, 0..8)) {
            let mut edits = Edits::default();
            for place in places {
                edits.insert(FILE, place.min(text.len() as u32), Order::Before, "#".into());
            }
            let edited = String::from_utf8(edits.apply(FILE, text.as_bytes())).unwrap();
            prop_assert_eq!(edited.replace('#', ""), text);
        }
    }
}
