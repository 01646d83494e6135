//! A procedure that nothing calls, and that refers to the symbols to which the program's objects refer. A linker takes a member of an
//! archive, or a shared library, only if something refers to it. So without the calls that a slice drops, other files would be linked
//! with it, and other definitions of the names that several of them define would count.

use std::fmt::Write;

/// Name of its source file in a study.
pub const FILE: &str = "mpiete-references.f90";

/// Whether a program in Fortran can give the name of a symbol in BIND(C).
pub fn is_spelled(symbol: &str) -> bool {
    let is_letter = |character: char| character.is_ascii_alphabetic() || character == '_';
    symbol.starts_with(is_letter)
        && symbol
            .chars()
            .all(|character| is_letter(character) || character.is_ascii_digit())
}

/// The source of the procedure. It passes the symbols' addresses on, since some are variables: a call of a variable in a shared
/// library makes linkers treat it as a procedure, and the program's other references to it then read another place.
pub fn source<'a>(symbols: impl Iterator<Item = &'a str> + Clone) -> String {
    let mut text =
        String::from("subroutine mpiete_references(refer)\n  implicit none\n  external :: refer\n");
    for (number, symbol) in (1..).zip(symbols.clone()) {
        _ = writeln!(
            text,
            "  interface\n    subroutine mpiete_reference_{number}() bind(c, name=&\n{})\n    end subroutine\n  end interface",
            literal(symbol)
        );
    }
    for (number, _) in (1..).zip(symbols) {
        _ = writeln!(text, "  call refer(mpiete_reference_{number})");
    }
    text + "end subroutine\n"
}

/// A constant expression of short lines: compilers may reject lines of more than 132 characters.
fn literal(symbol: &str) -> String {
    const LONGEST: usize = 100;
    let mut parts = Vec::new();
    let mut rest = symbol;
    while let Some((part, others)) = rest.split_at_checked(LONGEST) {
        parts.push(format!("'{part}'"));
        rest = others;
    }
    if !rest.is_empty() || parts.is_empty() {
        parts.push(format!("'{rest}'"));
    }
    parts.join("//&\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_referred_to_by_a_procedure_that_nothing_calls() {
        let long = "a".repeat(150);
        let symbols = ["work_", "__m_MOD_Fill", &long];
        let text = source(symbols.into_iter());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..7],
            [
                "subroutine mpiete_references(refer)",
                "  implicit none",
                "  external :: refer",
                "  interface",
                "    subroutine mpiete_reference_1() bind(c, name=&",
                "'work_')",
                "    end subroutine",
            ]
        );
        assert!(text.contains(&format!("'{}'//&\n'{}')", "a".repeat(100), "a".repeat(50))));
        assert!(text.ends_with("  call refer(mpiete_reference_3)\nend subroutine\n"));
    }

    #[test]
    fn names_of_other_characters_cannot_be_spelled() {
        assert!(is_spelled("__m_MOD_x1"));
        for name in ["", "1a", "__m.s_MOD_x", "f$1", "memcpy@GLIBC_2.14"] {
            assert!(!is_spelled(name), "{name}");
        }
    }
}
