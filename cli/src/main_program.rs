//! Programs whose main program is not among the analysed sources.

use crate::build::Language;
use crate::project::Project;
use anyhow::{Result, bail};
use frontend::line_markers;

/// Ends the command if there is no main program in Fortran.
pub fn require_fortran_main(project: &Project) -> Result<()> {
    if project.analysis.program.main.is_some() {
        return Ok(());
    }
    let recorded = project.recorded.iter();
    for source in recorded.flat_map(|recorded| &recorded.others) {
        let Some(at) = main_function(&source.text) else {
            continue;
        };
        let (file, line) = line_markers::place(&source.text, &source.path, at);
        let name = match source.language {
            Language::C => "C",
            Language::Cxx => "C++",
            Language::Fortran => "Fortran",
        };
        bail!(
            "this program cannot be predicted from its sources: its main program is in {name} \
            ({file}:{line}), and only Fortran is analysed; record the compiled program instead: \
            `mpiete record -n RANKS -- ./PROGRAM`"
        );
    }
    bail!(
        "nothing can be predicted: the sources contain no main program; name all files of the \
        program"
    )
}

/// Offset of the definition of `main` in a preprocessed text in C or C++.
fn main_function(text: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            // Line markers of the preprocessor contain file names.
            b'#' if at == 0 || text[at - 1] == b'\n' => {
                at += text[at..].iter().take_while(|byte| **byte != b'\n').count();
            }
            b'{' if !opens_linkage(&text[..at]) => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            quote @ (b'"' | b'\'') => at = end_of_literal(text, at, quote),
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                let length = text[at..].iter().take_while(|byte| is_word(**byte)).count();
                if depth == 0
                    && &text[at..at + length] == b"main"
                    && is_defined(&text[at + length..])
                {
                    return Some(at);
                }
                at += length;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Whether a brace opens `extern "C" {`, which is no scope: `main` may stand inside.
fn opens_linkage(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    before.ends_with(b"\"C\"") || before.ends_with(b"\"C++\"")
}

/// The closing quote of a literal.
fn end_of_literal(text: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < text.len() && text[at] != quote {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    at
}

/// Whether parameters and a body, or declarations of old style, follow.
fn is_defined(after: &[u8]) -> bool {
    let rest = after.trim_ascii_start();
    if rest.first() != Some(&b'(') {
        return false;
    }
    let mut depth = 0usize;
    for (at, byte) in rest.iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => {
                return !matches!(
                    rest[at + 1..].trim_ascii_start().first(),
                    // A declaration; several may follow each other in one statement.
                    Some(b';' | b',') | None
                );
            }
            b')' => depth -= 1,
            _ => {}
        }
    }
    false
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::main_function;

    #[test]
    fn definitions_of_main_are_found() {
        let defined = [
            "int main(void) { return 0; }",
            "# 1 \"main(\"\nint\nmain (int c, char **v)\n{\n}",
            "main(c, v) int c; char **v; {}",
            "extern \"C\" { int main(int, char**) { } }",
            "char *s = \"}{\\\"\"; char q = '{'; int main(int (*f)(void)) {}",
        ];
        for text in defined {
            assert!(main_function(text.as_bytes()).is_some(), "{text}");
        }
        let others = [
            "int main(void);",
            "void f(void) { main(0); }",
            "int mainly(void) {}",
            "char *s = \"int main() {}\";",
            "",
        ];
        for text in others {
            assert_eq!(main_function(text.as_bytes()), None, "{text}");
        }
    }
}
