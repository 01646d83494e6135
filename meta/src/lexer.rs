//! Text to tokens. Comments are kept beside the tokens, for the formatter.

use crate::fault::{Fault, Span};

/// A token without its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    /// Ends a statement: a line end or a semicolon.
    Separator,
    /// A number and its spelling.
    Number(f64, String),
    /// A name or a keyword; names of global variables begin with `$`.
    Word(String),
    /// `@arg`.
    Argument,
    /// The text between double quotes, which contains no quotes.
    Text(String),
    /// An operator or a bracket.
    Symbol(&'static str),
    /// Behind the last token.
    End,
}

/// A token and its place.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// A comment from `#` to the end of its line, or an empty line.
#[derive(Clone, Debug)]
pub(crate) struct Comment {
    /// With `#`; empty for an empty line.
    pub(crate) text: String,
    /// Its first byte.
    pub(crate) start: u32,
    /// Whether nothing stands before it on its line.
    pub(crate) has_own_line: bool,
}

/// Tokens and comments, each in the order of the source.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    pub(crate) comments: Vec<Comment>,
}

/// Longer symbols first: the first that fits is taken.
const SYMBOLS: [&str; 26] = [
    "..", "**", "==", "!=", "<=", ">=", "&&", "||", "(", ")", "[", "]", ",", ".", "+", "-", "*",
    "/", "%", "^", "=", "<", ">", "!", "{", "}",
];

/// Splits a text that starts at byte `offset` of the source.
pub(crate) fn lex(text: &str, offset: u32) -> Result<Lexed, Fault> {
    let mut lexed = Lexed::default();
    let mut at = 0;
    let mut line_is_empty = true;
    while let Some(first) = text[at..].chars().next() {
        let start = at;
        let rest = &text[at..];
        let span = |length: usize| Span {
            start: offset + start as u32,
            end: offset + (start + length) as u32,
        };
        let (kind, length) = match first {
            '\n' => {
                if line_is_empty {
                    // Comments leave `line_is_empty` set, but their line is no empty line.
                    let is_comment_line = lexed.comments.last().is_some_and(|comment| {
                        comment.has_own_line
                            && !text[(comment.start - offset) as usize..start].contains('\n')
                    });
                    if !is_comment_line {
                        lexed.comments.push(Comment {
                            text: String::new(),
                            start: offset + start as u32,
                            has_own_line: true,
                        });
                    }
                }
                line_is_empty = true;
                (Some(TokenKind::Separator), 1)
            }
            ';' => (Some(TokenKind::Separator), 1),
            // Some editors write a byte order mark at the beginning of a file.
            mark @ '\u{feff}' if start == 0 && offset == 0 => {
                at += mark.len_utf8();
                continue;
            }
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            '#' => {
                let comment = rest.split('\n').next().unwrap_or("").trim_end();
                lexed.comments.push(Comment {
                    text: comment.into(),
                    start: offset + start as u32,
                    has_own_line: line_is_empty,
                });
                at += comment.len();
                continue;
            }
            '0'..='9' => {
                let length = number_length(rest);
                let spelling = &rest[..length];
                // Rust parses 1e999 as infinity.
                let value: f64 = spelling.parse().unwrap_or(f64::INFINITY);
                if !value.is_finite() {
                    let message = format!("number {spelling} is too large; write a smaller one");
                    return Err(Fault::new(span(length), message));
                }
                (Some(TokenKind::Number(value, spelling.into())), length)
            }
            '"' => {
                let end = rest[1..].find(['"', '\n']);
                match end {
                    Some(end) if rest[1 + end..].starts_with('"') => {
                        (Some(TokenKind::Text(rest[1..1 + end].into())), end + 2)
                    }
                    Some(_) | None => {
                        let message = "the text has no closing quote; add \" at its end";
                        return Err(Fault::new(span(1), message));
                    }
                }
            }
            '@' => {
                let length = 1 + word_length(&rest[1..]);
                if &rest[..length] != "@arg" {
                    let message = format!(
                        "{} is unknown; arguments are @arg[0], @arg[1], …",
                        &rest[..length]
                    );
                    return Err(Fault::new(span(length), message));
                }
                (Some(TokenKind::Argument), length)
            }
            '$' => {
                let length = 1 + word_length(&rest[1..]);
                if length == 1 {
                    return Err(Fault::new(span(1), "a name is missing after $"));
                }
                (Some(TokenKind::Word(rest[..length].into())), length)
            }
            c if is_word_start(c) => {
                let length = word_length(rest);
                (Some(TokenKind::Word(rest[..length].into())), length)
            }
            c => match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
                Some(symbol) => (Some(TokenKind::Symbol(symbol)), symbol.len()),
                None => {
                    let message = format!("character '{}' has no meaning here", c.escape_debug());
                    return Err(Fault::new(span(c.len_utf8()), message));
                }
            },
        };
        if first != '\n' {
            line_is_empty = false;
        }
        let span = span(length);
        lexed.tokens.extend(kind.map(|kind| Token { kind, span }));
        at += length;
    }
    let end = offset + text.len() as u32;
    lexed.tokens.push(Token {
        kind: TokenKind::End,
        span: Span { start: end, end },
    });
    Ok(lexed)
}

fn is_word_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(text.len())
}

/// Length of `12`, `0.5` or `1.5e-3` at the start of a text. In `0..9` the number is 0.
fn number_length(text: &str) -> usize {
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or("");
        rest.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len())
    };
    let mut length = digits(0);
    if text[length..].starts_with('.') {
        let fraction = digits(length + 1);
        if fraction > 0 {
            length += 1 + fraction;
        }
    }
    if text[length..].starts_with(['e', 'E']) {
        let has_sign = text[length + 1..].starts_with(['+', '-']);
        let exponent_start = length + 1 + usize::from(has_sign);
        let exponent = digits(exponent_start);
        if exponent > 0 {
            length = exponent_start + exponent;
        }
    }
    length
}
