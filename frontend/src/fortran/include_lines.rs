//! Expansion of INCLUDE lines, between line markers, so that a text is complete: its declarations and its
//! statements are where they are used. Lines that stay are those of `mpif.h`,
//! whose names are known, of files that were not found, and of files that include each other.

use crate::ir::line_markers::{self, Flag, Marker, marker};
use crate::source::{Form, Loader, SourceFile};

/// Most bytes that INCLUDE lines make of one file: files that include others twice, and these others
/// again, grow without end.
const LARGEST: usize = 64 << 20;

/// The name in a row that is an INCLUDE line.
pub fn name(row: &[u8], form: Form, last_column: usize) -> Option<&str> {
    let row = &row[..row.len().min(if form == Form::Fixed {
        last_column
    } else {
        usize::MAX
    })];
    let first = row.iter().position(|byte| !byte.is_ascii_whitespace())?;
    if form == Form::Fixed && first == 5 {
        return None;
    }
    let (word, rest) = row[first..].split_at_checked("include".len())?;
    let rest = rest.trim_ascii_start();
    let quote = rest.first().filter(|byte| matches!(byte, b'\'' | b'"'))?;
    let length = rest[1..].iter().position(|byte| byte == quote)?;
    let after = rest[length + 2..].trim_ascii_start();
    let alone = after.is_empty() || after[0] == b'!';
    let name = std::str::from_utf8(&rest[1..=length]).ok()?;
    if !word.eq_ignore_ascii_case(b"include") || !alone || name.is_empty() {
        return None;
    }
    Some(name)
}

/// Whether an included file is MPI's own.
pub fn is_mpi(name: &str) -> bool {
    name.rsplit('/')
        .next()
        .unwrap_or(name)
        .eq_ignore_ascii_case("mpif.h")
}

/// Replaces the INCLUDE lines of `file` by what they bring.
pub fn follow_all(file: &mut SourceFile, loader: &Loader) {
    if let Some(text) = expanded(file, loader) {
        file.text = text;
    }
}

/// The text of `file` with its INCLUDE lines expanded; `None` if there are none.
fn expanded(file: &SourceFile, loader: &Loader) -> Option<Vec<u8>> {
    let last_column = super::fixed_form::last_column(&file.reading);
    let mut follower = Follower {
        file,
        last_column,
        loader,
        open: Vec::new(),
        text: Vec::new(),
        changed: false,
    };
    follower
        .text
        .extend_from_slice(marker(1, &file.path, Flag::None).as_bytes());
    follower.add(&file.path, &file.text);
    if follower.changed {
        Some(follower.text)
    } else {
        None
    }
}

struct Follower<'a> {
    /// The user's own file.
    file: &'a SourceFile,
    last_column: usize,
    loader: &'a Loader<'a>,
    /// The files whose lines are being added, the outermost first.
    open: Vec<String>,
    text: Vec<u8>,
    changed: bool,
}

impl Follower<'_> {
    /// Adds the lines of a file that is found at `path`.
    fn add(&mut self, path: &str, text: &[u8]) {
        self.open.push(path.to_string());
        // A preprocessor may have been here before: its markers say where the rows come from.
        let (mut path, mut line) = (path.to_string(), 0);
        for row in text.split_inclusive(|&byte| byte == b'\n') {
            line += 1;
            if let Some(marker) = line_markers::read(row).filter(Marker::names_a_file) {
                (path, line) = (marker.path, marker.line.saturating_sub(1));
            }
            let content = row.strip_suffix(b"\n").unwrap_or(row);
            match self.load(&path, content) {
                Some((found, brought)) => {
                    self.changed = true;
                    self.marker(1, &found, Flag::Enters);
                    self.add(&found, &brought);
                    self.marker(line.saturating_add(1), &path, Flag::Returns);
                }
                None if self.is_mpi_by_path(content) => {
                    self.changed = true;
                    self.text.extend_from_slice(b"      include 'mpif.h'\n");
                }
                None => self.text.extend_from_slice(row),
            }
        }
        self.open.pop();
    }

    /// Whether a row brings MPI's file from a folder: there is one such file, found by its name alone.
    fn is_mpi_by_path(&self, row: &[u8]) -> bool {
        name(row, self.file.form, self.last_column)
            .is_some_and(|name| is_mpi(name) && name.contains('/'))
    }

    fn marker(&mut self, line: u32, path: &str, flag: Flag) {
        if self.text.last().is_some_and(|&byte| byte != b'\n') {
            self.text.push(b'\n');
        }
        self.text
            .extend_from_slice(marker(line, path, flag).as_bytes());
    }

    /// Loads the file of an INCLUDE line, relative to the file that contains the line, then to the user's file.
    fn load(&self, path: &str, row: &[u8]) -> Option<(String, Vec<u8>)> {
        let name = name(row, self.file.form, self.last_column).filter(|name| !is_mpi(name))?;
        let found = (self.loader)(name, path).or_else(|| (self.loader)(name, &self.file.path));
        found.filter(|(found, text)| {
            !self.open.contains(found) && self.text.len().saturating_add(text.len()) <= LARGEST
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Sources;

    #[track_caller]
    fn check(path: &str, files: &[(&str, &str)], expect: &str) {
        let find = |name: &str| files.iter().find(|(path, _)| *path == name);
        let mut sources = Sources::default();
        sources.add(path, find(path).unwrap().1.as_bytes());
        let loader: &Loader =
            &|name, _| Some((name.to_string(), find(name)?.1.as_bytes().to_vec()));
        let text = expanded(&sources.files[0], loader).map(|text| String::from_utf8(text).unwrap());
        assert_eq!(text.as_deref().unwrap_or("nothing to follow"), expect);
    }

    #[test]
    fn which_rows_are_include_lines() {
        let cases: [(&str, Option<&str>); 12] = [
            ("include 'a.h'", Some("a.h")),
            ("\tINCLUDE\"a b.h\" ! why", Some("a b.h")),
            ("      include  '../x/a.h'  ", Some("../x/a.h")),
            ("include 'a.h", None),
            ("include a.h", None),
            ("include = 3", None),
            ("include 'a.h' // 'b'", None),
            ("x = 'include'", None),
            ("#include 'a.h'", None),
            ("include ''", None),
            ("includes 'a.h'", None),
            ("", None),
        ];
        for (row, expect) in cases {
            assert_eq!(name(row.as_bytes(), Form::Free, 72), expect, "{row}");
        }
        let numbered = format!("{:72}00010000", "      include 'a.h'");
        assert_eq!(name(numbered.as_bytes(), Form::Fixed, 72), Some("a.h"));
        assert_eq!(name(numbered.as_bytes(), Form::Free, 72), None);
        assert_eq!(
            name(b"     include 'a.h'", Form::Fixed, 72),
            None,
            "a continuation"
        );
    }

    #[test]
    fn nested_files_stand_between_markers() {
        let files = [
            ("a.f", "      program a\n      include 'x.h'\n      end\n"),
            ("x.h", "      integer i\n      include 'y.h'"),
            ("y.h", "      i = 1"),
        ];
        let expect = "# 1 \"a.f\"\n      program a\n# 1 \"x.h\" 1\n      integer i\n# 1 \"y.h\" 1\n      i = 1\n\
                      # 3 \"x.h\" 2\n# 3 \"a.f\" 2\n      end\n";
        check("a.f", &files, expect);
    }

    #[test]
    fn markers_of_a_preprocessor_are_heeded() {
        let files = [
            (
                "a.F90",
                "# 1 \"s.h\" 1\nx = 1\n# 5 \"a.F90\" 2\ninclude 'y.h'\n",
            ),
            ("y.h", "y = 1\n"),
        ];
        let expect = "# 1 \"a.F90\"\n# 1 \"s.h\" 1\nx = 1\n# 5 \"a.F90\" 2\n# 1 \"y.h\" 1\ny = 1\n# 6 \"a.F90\" 2\n";
        check("a.F90", &files, expect);
    }

    #[test]
    fn what_is_not_followed_stays() {
        check(
            "a.f90",
            &[("a.f90", "include 'mpif.h'\ninclude 'none.h'\n")],
            "nothing to follow",
        );
        let dummy = [("a.f90", "include '../dummy/mpif.h'\n")];
        check("a.f90", &dummy, "# 1 \"a.f90\"\n      include 'mpif.h'\n");
        let circle = [
            ("a.f90", "include 'x.h'\n"),
            ("x.h", "include 'x.h'\ninclude 'a.f90'\n"),
        ];
        let expect =
            "# 1 \"a.f90\"\n# 1 \"x.h\" 1\ninclude 'x.h'\ninclude 'a.f90'\n# 2 \"a.f90\" 2\n";
        check("a.f90", &circle, expect);
    }
}
