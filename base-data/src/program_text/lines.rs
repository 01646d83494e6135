//! A line of the text form as words, and the reading of single words. Nothing here knows what the
//! words mean.

use super::TextError;
use std::collections::VecDeque;
use std::fmt::Display;
use std::str::{Chars, FromStr};

pub(super) type Read<T> = Result<T, TextError>;

/// A word; quoted ones are never keywords.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub text: String,
    pub quoted: bool,
}

/// What is left to read of a line.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub number: usize,
    words: VecDeque<Word>,
}

impl Line {
    /// The words of `text`, without its comment.
    pub fn split(number: usize, text: &str) -> Read<Line> {
        let mut line = Line {
            number,
            words: VecDeque::new(),
        };
        let mut rest = text.trim_start();
        while !rest.is_empty() && !rest.starts_with('#') {
            let word;
            (word, rest) = match rest.strip_prefix('"') {
                Some(quoted) => line.quoted(quoted)?,
                None => bare(rest),
            };
            line.words.push_back(word);
            rest = rest.trim_start();
        }
        Ok(line)
    }

    fn quoted<'a>(&self, text: &'a str) -> Read<(Word, &'a str)> {
        let mut chars = text.chars();
        let mut content = String::new();
        loop {
            match chars.next() {
                Some('"') => break,
                Some('\\') => {
                    let escaped = unescape(&mut chars);
                    content.push(
                        escaped.ok_or_else(|| self.error("an unknown escape", "\\\" or \\\\"))?,
                    );
                }
                Some(other) => content.push(other),
                None => return Err(self.error("a text without end", "a closing '\"'")),
            }
        }
        let rest = chars.as_str();
        match rest.chars().next() {
            None => {}
            Some(next) if next.is_whitespace() => {}
            Some(next) => return Err(self.error(format!("'{next}' right after a text"), "a blank")),
        }
        Ok((
            Word {
                text: content,
                quoted: true,
            },
            rest,
        ))
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn error(&self, found: impl Display, expected: impl Display) -> TextError {
        TextError::Line {
            line: self.number,
            found: found.to_string(),
            expected: expected.to_string(),
        }
    }

    /// The next word as it stands, if it is not quoted.
    pub fn peek(&self) -> Option<&str> {
        self.words
            .front()
            .filter(|word| !word.quoted)
            .map(|word| word.text.as_str())
    }

    /// The next word, quoted or not.
    pub fn text(&mut self, expected: &str) -> Read<String> {
        match self.words.pop_front() {
            Some(word) => Ok(word.text),
            None => Err(self.error("the end of the line", expected)),
        }
    }

    /// The next word in the reading of `parse`.
    pub fn parsed<T>(&mut self, expected: &str, parse: impl Fn(&str) -> Option<T>) -> Read<T> {
        let word = self.text(expected)?;
        parse(&word).ok_or_else(|| self.error(format!("'{word}'"), expected))
    }

    /// The next word as a number or anything else that reads from text.
    pub fn number<T: FromStr>(&mut self, expected: &str) -> Read<T> {
        self.parsed(expected, |word| word.parse().ok())
    }

    /// All words up to the next that does not parse.
    pub fn numbers<T: FromStr>(&mut self) -> Vec<T> {
        let mut found = Vec::new();
        while let Some(number) = self.peek().and_then(|word| word.parse().ok()) {
            self.words.pop_front();
            found.push(number);
        }
        found
    }

    /// Takes the next word if it is this keyword.
    pub fn takes(&mut self, keyword: &str) -> bool {
        let is_next = self.peek() == Some(keyword);
        if is_next {
            self.words.pop_front();
        }
        is_next
    }

    /// The next word must be this keyword.
    pub fn needs(&mut self, keyword: &str) -> Read<()> {
        if self.takes(keyword) {
            return Ok(());
        }
        let found = self
            .words
            .front()
            .map_or("the end of the line".into(), |word| {
                format!("'{}'", word.text)
            });
        Err(self.error(found, format!("'{keyword}'")))
    }

    /// The number an entry stands under must be the next of its table, which holds `length`.
    pub fn entry_number(&mut self, length: usize) -> Read<()> {
        let number: usize = self.number("the number of the entry")?;
        if number == length {
            return Ok(());
        }
        Err(self.error(
            number,
            format!("{length}: the entries of a table are numbered in order from 0"),
        ))
    }

    /// Nothing may be left.
    pub fn finish(mut self) -> Read<()> {
        match self.words.pop_front() {
            None => Ok(()),
            Some(word) => Err(self.error(format!("'{}'", word.text), "the end of the line")),
        }
    }

    /// Splits off the words before `keyword`; `None` if it is not there.
    pub fn split_at(&mut self, keyword: &str) -> Option<Line> {
        let at = self
            .words
            .iter()
            // A quoted word is data, even if it reads like the keyword.
            .position(|word| !word.quoted && word.text == keyword)?;
        // `split_off` leaves the keyword behind, which belongs to neither part.
        let after = self.words.split_off(at + 1);
        self.words.pop_back();
        Some(Line {
            number: self.number,
            words: std::mem::replace(&mut self.words, after),
        })
    }

    /// Whether there is a `key=value` word with this key.
    pub fn has(&self, key: &str) -> bool {
        let value = |word: &Word| word.text.strip_prefix(key)?.strip_prefix('=').map(|_| ());
        self.words
            .iter()
            .any(|word| !word.quoted && value(word).is_some())
    }

    /// Takes the value of the first `key=value` word with this key.
    pub fn attribute(&mut self, key: &str) -> Option<String> {
        let value = |word: &Word| Some(word.text.strip_prefix(key)?.strip_prefix('=')?.to_string());
        let at = self
            .words
            .iter()
            .position(|word| !word.quoted && value(word).is_some())?;
        self.words.remove(at).as_ref().and_then(value)
    }

    /// Takes an attribute in the reading of `parse`, if it is there.
    pub fn optional<T>(
        &mut self,
        key: &str,
        form: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Read<Option<T>> {
        let Some(value) = self.attribute(key) else {
            return Ok(None);
        };
        match parse(&value) {
            Some(parsed) => Ok(Some(parsed)),
            None => Err(self.error(format!("'{key}={value}'"), format!("{key}={form}"))),
        }
    }

    /// Takes an attribute that must be there.
    pub fn required<T>(
        &mut self,
        key: &str,
        form: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Read<T> {
        let found = self.optional(key, form, parse)?;
        found.ok_or_else(|| self.error(format!("no '{key}='"), format!("{key}={form}")))
    }
}

fn bare(text: &str) -> (Word, &str) {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (
        Word {
            text: text[..end].to_string(),
            quoted: false,
        },
        &text[end..],
    )
}

fn unescape(chars: &mut Chars) -> Option<char> {
    match chars.next()? {
        'n' => Some('\n'),
        'r' => Some('\r'),
        same @ ('"' | '\\') => Some(same),
        _ => None,
    }
}

/// `text` as one quoted word.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether `text` is one word that needs no quotes.
pub(super) fn is_plain(text: &str) -> bool {
    // No '=' and no '#': a plain word must not look like an attribute or a comment.
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./-+".contains(c);
    !text.is_empty() && text.chars().all(plain)
}

/// `text` as one word, quoted only where it must be.
pub(super) fn word(text: &str) -> String {
    if is_plain(text) {
        text.to_string()
    } else {
        quote(text)
    }
}

/// Numbers joined by commas, as one word.
pub(super) fn listed<T: FromStr>(text: &str) -> Option<Vec<T>> {
    text.split(',').map(|part| part.parse().ok()).collect()
}

/// `items` with `separator` between them.
pub(super) fn joined(items: impl IntoIterator<Item = impl Display>, separator: &str) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    items.join(separator)
}
