//! The parser's trees of texts, and which statements it reads by other rules.

use super::parser_copy::Copy;
use super::pieces::{ScannedStatement, piece_tokens};
use super::tokens::Phrase;
use tree_sitter::{Parser, Tree};

/// The tree of a text.
pub(super) fn tree(text: &[u8]) -> Tree {
    let mut parser = Parser::new();
    // The grammar is compiled in with the same library: the versions always agree.
    parser
        .set_language(&tree_sitter_fortran::LANGUAGE.into())
        .expect("the grammar fits the parser");
    parser.parse(text, None).expect("no timeout was set")
}

/// Which statements stand in definitions of types and interfaces, where others are allowed than
/// elsewhere.
pub fn inside_definitions(copy: &Copy, pieces: &[ScannedStatement]) -> Vec<bool> {
    let (mut within, mut interface) = (false, false);
    let mut inside = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let tokens = piece_tokens(&copy.text, piece);
        let phrase = Phrase {
            text: &copy.text,
            tokens: &tokens,
        };
        let is_end = phrase.is(0, "end");
        interface |=
            phrase.is(0, "interface") || (phrase.is(0, "abstract") && phrase.is(1, "interface"));
        let is_enum = phrase.is(0, "enum") || is_end && phrase.is(1, "enum");
        // `type(t) :: x` declares a variable.
        let is_type = phrase.is(0, "type") && !phrase.is(1, "(") || is_end && phrase.is(1, "type");
        let definition = interface || is_enum || is_type;
        let closes_interface = phrase.is(0, "endinterface") || is_end && phrase.is(1, "interface");
        // Bodies of interfaces have ends of their own.
        let ends = if interface {
            closes_interface
        } else {
            phrase.lower(0).starts_with("end")
        };
        interface &= !closes_interface;
        let here = within || (definition && !phrase.is_assignment());
        within = here && !ends;
        inside.push(here);
    }
    inside
}
