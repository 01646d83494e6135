//! Lines of a file in fixed form, as tokens.

use super::parser_copy::Copy;
use super::tokens::{Token, tokens};

/// The tokens of a line of the copy.
pub(super) fn line_tokens(copy: &Copy, index: usize) -> Vec<Token> {
    tokens(&copy.text, copy.lines[index].body.clone())
}
