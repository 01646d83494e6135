//! Line markers, `# LINE "FILE" FLAGS`: how a preprocessor, and an INCLUDE line that was followed, say
//! where the lines below them come from. From a text with markers to the places of its rows.

use crate::ir::source_map::{IncludedAt, RowRange};
use crate::source::{FileId, SourceFile, Sources};

/// Flag of a marker: a file begins.
const ENTERS: &[u8] = b"1";
/// Flag of a marker: a file has ended.
const RETURNS: &[u8] = b"2";
/// Flag of a marker: the text is that of a system header.
const SYSTEM: &[u8] = b"3";

/// A line marker.
pub(crate) struct Marker {
    /// Line of what follows.
    pub(crate) line: u32,
    /// The file it is of.
    pub(crate) path: String,
    enters: bool,
    returns: bool,
    /// Whether what follows is a system header.
    pub(crate) is_system: bool,
}

impl Marker {
    fn flag(&self) -> Flag {
        match (self.enters, self.returns) {
            (true, _) => Flag::Enters,
            (false, true) => Flag::Returns,
            (false, false) => Flag::None,
        }
    }

    /// Whether it names a file, rather than what a preprocessor has made up.
    pub(crate) fn names_a_file(&self) -> bool {
        !self.path.starts_with('<')
    }
}

/// A text with the files that its markers name called as `name` says.
pub fn rename(text: &[u8], name: impl Fn(&str) -> String) -> Vec<u8> {
    let mut renamed = Vec::with_capacity(text.len());
    for row in text.split_inclusive(|&byte| byte == b'\n') {
        match read(row).filter(Marker::names_a_file) {
            Some(found) => {
                let mut text = marker(found.line, &name(&found.path), found.flag());
                if found.is_system {
                    text.truncate(text.len() - 1);
                    text += " 3\n";
                }
                renamed.extend_from_slice(text.as_bytes());
            }
            None => renamed.extend_from_slice(row),
        }
    }
    renamed
}

/// File and line that a byte of a text comes from, of which `path` is the name.
pub fn place(text: &[u8], path: &str, at: usize) -> (String, u32) {
    let (mut file, mut line) = (path.to_string(), 0);
    for row in text[..at].split(|&byte| byte == b'\n') {
        match read(row).filter(Marker::names_a_file) {
            Some(found) => (file, line) = (found.path, found.line.saturating_sub(1)),
            None => line += 1,
        }
    }
    (file, line)
}

/// The marker that begins text that comes from `line` of `path`, as `flag` says: entering a file, or
/// coming back to it.
pub(crate) fn marker(line: u32, path: &str, flag: Flag) -> String {
    let flag = match flag {
        Flag::None => "",
        Flag::Enters => " 1",
        Flag::Returns => " 2",
    };
    format!(
        "# {line} \"{}\"{flag}\n",
        path.replace('\\', "\\\\").replace('"', "\\\"")
    )
}

/// What a marker says beside its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flag {
    /// Nothing.
    None,
    /// An included file begins.
    Enters,
    /// An included file has ended.
    Returns,
}

/// The marker on a line of text, if it is one.
pub(crate) fn read(line: &[u8]) -> Option<Marker> {
    let rest = line.strip_prefix(b"#")?.trim_ascii_start();
    let rest = rest
        .strip_prefix(b"line")
        .unwrap_or(rest)
        .trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let line = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
    let (path, flags) = quoted(rest[digits..].trim_ascii())?;
    let has = |flag: &[u8]| {
        flags
            .split(u8::is_ascii_whitespace)
            .any(|word| word == flag)
    };
    Some(Marker {
        line,
        path,
        enters: has(ENTERS),
        returns: has(RETURNS),
        is_system: has(SYSTEM),
    })
}

/// A quoted name at the start of a text, and what follows it.
fn quoted(text: &[u8]) -> Option<(String, &[u8])> {
    let text = text.strip_prefix(b"\"")?;
    let mut name = Vec::new();
    let mut bytes = text.iter().enumerate();
    while let Some((at, &byte)) = bytes.next() {
        match byte {
            b'"' => return Some((String::from_utf8_lossy(&name).into_owned(), &text[at + 1..])),
            b'\\' => name.extend(bytes.next().map(|(_, &escaped)| escaped)),
            _ => name.push(byte),
        }
    }
    None
}

/// What the rows of the text of `file` are: stretches of rows that come from consecutive lines of one
/// file, in order. Inclusions are added to `inclusions`, files that are named to `sources`.
pub(crate) fn stretches(
    sources: &mut Sources,
    file: FileId,
    inclusions: &mut Vec<IncludedAt>,
) -> Vec<RowRange> {
    let mut found = vec![RowRange {
        first_row: 1,
        file,
        line: 1,
        through: None,
    }];
    let SourceFile {
        path, text, form, ..
    } = sources.file(file).clone();
    if !text.contains(&b'#') {
        return found;
    }
    for (row, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
        let Some(marker) = read(line).filter(Marker::names_a_file) else {
            continue;
        };
        let here = found[found.len() - 1];
        // The marker on the first row names the file itself, although a preprocessor may flag it as
        // entered.
        let through = if marker.enters && row > 1 {
            inclusions.push(IncludedAt {
                file: here.file,
                line: here.line_of(row),
                through: here.through,
            });
            Some(inclusions.len() as u32 - 1)
        } else if marker.returns {
            here.through
                .and_then(|index| inclusions[index as usize].through)
        } else {
            here.through
        };
        let named = if marker.path == path {
            file
        } else {
            sources.named(&marker.path, form)
        };
        found.push(RowRange {
            first_row: row + 1,
            file: named,
            line: marker.line,
            through,
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// File, line and number of inclusions around, row by row; rows of markers left out.
    fn places(text: &str) -> Vec<String> {
        let mut sources = Sources::default();
        let file = sources.add("a.F90", text.as_bytes());
        let mut inclusions = Vec::new();
        let stretches = stretches(&mut sources, file, &mut inclusions);
        let rows = (1..)
            .zip(text.lines())
            .filter(|(_, line)| !line.starts_with('#'));
        rows.map(|(row, line)| {
            let at = stretches[stretches.partition_point(|stretch| stretch.first_row <= row) - 1];
            let mut depth = 0;
            let mut through = at.through;
            while let Some(index) = through {
                depth += 1;
                through = inclusions[index as usize].through;
            }
            format!(
                "{line} {}:{} {depth}",
                sources.file(at.file).path,
                at.line_of(row)
            )
        })
        .collect()
    }

    #[test]
    fn without_markers() {
        assert_eq!(places("a\nb\n"), ["a a.F90:1 0", "b a.F90:2 0"]);
    }

    #[test]
    fn as_a_preprocessor_writes_them() {
        let text = "# 1 \"a.F90\"\n# 1 \"<built-in>\"\n# 1 \"<command-line>\"\n# 1 \"a.F90\"\na\n\
                    # 1 \"x.h\" 1\nb\n# 1 \"y \\\"z.h\" 1\nc\n# 3 \"x.h\" 2\nd\n# 3 \"a.F90\" 2\ne\n#line 20 \"b.y\"\nf\n";
        let expect = [
            "a a.F90:1 0",
            "b x.h:1 1",
            "c y \"z.h:1 2",
            "d x.h:3 1",
            "e a.F90:3 0",
            "f b.y:20 0",
        ];
        assert_eq!(places(text), expect);
    }

    #[test]
    fn files_are_renamed() {
        let text = b"# 1 \"a.F\"\n# 1 \"<built-in>\"\nx = '# 1'\n# 2 \"b.h\" 1\ny\n# 3 \"a.F\" 2\n";
        let renamed = String::from_utf8(rename(text, |path| format!("s/{path}"))).unwrap();
        let expect =
            "# 1 \"s/a.F\"\n# 1 \"<built-in>\"\nx = '# 1'\n# 2 \"s/b.h\" 1\ny\n# 3 \"s/a.F\" 2\n";
        assert_eq!(renamed, expect);
    }

    #[test]
    fn places_of_bytes() {
        let text = b"a\n# 7 \"x.h\" 1\nb\nc\n# 3 \"a.c\" 2\nd e\n";
        let found = |what: u8| {
            let (file, line) = place(
                text,
                "a.c",
                text.iter().rposition(|&byte| byte == what).unwrap(),
            );
            format!("{file}:{line}")
        };
        assert_eq!(
            [found(b'b'), found(b'd'), found(b'e')],
            ["x.h:7", "a.c:3", "a.c:3"]
        );
        assert_eq!(place(text, "a.c", 0), ("a.c".into(), 1));
    }

    #[test]
    fn markers_that_make_no_sense() {
        assert_eq!(
            places("# 2 \"a.F90\" 2\na\n# 1\nb\n# 9 \"open\nc\n")
                .last()
                .unwrap(),
            "c a.F90:6 0"
        );
    }

    #[test]
    fn markers_are_read_as_they_are_written() {
        for flag in [Flag::None, Flag::Enters, Flag::Returns] {
            let text = marker(7, "a \"b\" \\c", flag);
            let found = read(text.trim_end().as_bytes()).unwrap();
            assert_eq!((found.line, found.path.as_str()), (7, "a \"b\" \\c"));
            assert_eq!(
                (found.enters, found.returns),
                (flag == Flag::Enters, flag == Flag::Returns)
            );
        }
    }
}
