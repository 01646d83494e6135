//! The parser's copy of a file: as long as the original, so that offsets stay. What the two
//! source forms do with it is in `fixed_form` and `free_form`; here are the moves they have in
//! common, and the way back to the original text.

use std::ops::Range;

/// What some editors put before UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A copy of a file in which every logical line is one physical line, without comments.
#[derive(Clone, Debug)]
pub struct Copy {
    /// Bytes for the parser.
    pub text: Vec<u8>,
    /// Where each byte came from: its own offset unless it was moved.
    pub origin: Vec<u32>,
    /// Logical lines, in order.
    pub lines: Vec<Line>,
    /// What could not be rewritten: original offset and sentence.
    pub diagnostics: Vec<(usize, String)>,
}

/// A logical line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its text without label, in the copy.
    pub body: Range<usize>,
    /// Its label.
    pub label: Option<Label>,
}

/// A statement label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its value.
    pub value: u32,
    /// Its digits, in the copy.
    pub at: Range<usize>,
}

impl Copy {
    /// A plain copy: control characters become blanks, bytes outside ASCII become `_`.
    pub fn new(original: &[u8]) -> Copy {
        let plain = |&byte: &u8| match byte {
            b'\n' => b'\n',
            0..=31 | 127 => b' ',
            128.. => b'_',
            _ => byte,
        };
        let mut text: Vec<u8> = original.iter().map(plain).collect();
        // Compilers ignore the mark, the grammar does not know it.
        if original.starts_with(BYTE_ORDER_MARK) {
            text[..BYTE_ORDER_MARK.len()].fill(b' ');
        }
        Copy {
            text,
            origin: (0..original.len() as u32).collect(),
            lines: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Overwrites a range by blanks, newlines too.
    pub fn blank(&mut self, range: Range<usize>) {
        self.text[range].fill(b' ');
    }

    /// Moves a range to the left, to `to`; what it leaves becomes blank.
    pub fn move_left(&mut self, from: Range<usize>, to: usize) {
        let length = from.len();
        self.text.copy_within(from.clone(), to);
        self.origin.copy_within(from.clone(), to);
        let vacated = from.start.max(to + length)..from.end;
        self.blank(vacated.clone());
        for at in vacated {
            self.origin[at] = at as u32;
        }
    }

    /// Spells a range anew: the bytes at `kept`, each moved to the left or not at all, and blanks where it
    /// says `None`; what remains of the range becomes blank. `gap` is where a blank stood.
    pub fn respell(&mut self, range: Range<usize>, kept: &[Option<usize>], gap: usize) {
        // An inserted blank has no original byte: the one of a blank of the statement stands for it.
        let gap = self.origin[gap];
        for (to, from) in (range.start..).zip(kept) {
            let moved = from.map_or((b' ', gap), |from| (self.text[from], self.origin[from]));
            (self.text[to], self.origin[to]) = moved;
        }
        for at in range.start + kept.len()..range.end {
            (self.text[at], self.origin[at]) = (b' ', at as u32);
        }
    }

    /// The original range a range of the copy stands for.
    pub fn original(&self, range: Range<usize>) -> Range<u32> {
        if range.is_empty() {
            // Past the copy is past the original, which may be shorter.
            let past = || self.origin.last().map_or(0, |last| last + 1);
            let at = self.origin.get(range.start).copied().unwrap_or_else(past);
            return at..at;
        }
        let (first, last) = (self.origin[range.start], self.origin[range.end - 1]);
        first.min(last)..first.max(last) + 1
    }

    /// The original bytes of a range of the copy, gaps left out.
    pub fn original_bytes(&self, original: &[u8], range: Range<usize>) -> Vec<u8> {
        self.origin[range]
            .iter()
            .map(|&at| original[at as usize])
            .collect()
    }

    /// Ranges that were moved: `(from, to, length)`.
    pub fn moved(&self) -> Vec<(u32, u32, u32)> {
        let mut moved: Vec<(u32, u32, u32)> = Vec::new();
        let elsewhere = |&(to, from): &(usize, &u32)| *from != to as u32 && self.text[to] != b' ';
        for (to, &from) in self.origin.iter().enumerate().filter(elsewhere) {
            match moved.last_mut() {
                Some((a, b, n)) if *a + *n == from && *b + *n == to as u32 => *n += 1,
                _ => moved.push((from, to as u32, 1)),
            }
        }
        moved
    }

    /// Ends the logical lines: trims blanks and drops empty ones.
    pub fn finish(mut self) -> Copy {
        let text = &self.text;
        for line in &mut self.lines {
            line.body = trim(text, line.body.clone());
        }
        self.lines
            .retain(|line| !line.body.is_empty() || line.label.is_some());
        self
    }
}

/// A range without the blanks around it.
pub fn trim(text: &[u8], range: Range<usize>) -> Range<usize> {
    let blank = |at: &usize| text[*at].is_ascii_whitespace();
    let Some(start) = range.clone().find(|at| !blank(at)) else {
        return range.start..range.start;
    };
    let end = range.rev().find(|at| !blank(at)).map_or(start, |at| at + 1);
    start..end
}

/// Physical lines of a text, without their newline.
pub fn physical_lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split(|&byte| byte == b'\n') {
        lines.push(start..start + line.len());
        start += line.len() + 1;
    }
    lines
}

/// Whether a byte can stand in a name or number.
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}
