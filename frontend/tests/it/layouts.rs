//! The same statements laid out in lines of both source forms, in many ways: continuation, comments between,
//! capitals, tabs, statements that share a line.

use crate::varied_sources::{Maker, Varied, Written};
use frontend::source::Form;

/// A file, and the first line of each statement.
pub struct Laid {
    pub text: String,
    pub lines: Vec<u32>,
}

/// Columns of text in fixed form.
const FIXED_WIDTH: usize = 66;

/// Lays out a program; `chance` decides on the way. A tame layout has no comments between lines of a
/// statement and no continued line of fixed form that begins with a word: fparser2 joins such lines to one
/// word, and ends statements at such comments.
pub fn lay_out(varied: &Varied, form: Form, tame: bool, chance: &mut Maker) -> Laid {
    let mut layout = Layout {
        form,
        tame,
        chance,
        text: String::new(),
        line: 1,
        lines: Vec::new(),
        shareable: false,
    };
    for statement in &varied.statements {
        layout.add(statement);
    }
    Laid {
        text: layout.text,
        lines: layout.lines,
    }
}

struct Layout<'a> {
    form: Form,
    tame: bool,
    chance: &'a mut Maker,
    text: String,
    line: u32,
    lines: Vec<u32>,
    /// Whether `;` may put another statement on the last line.
    shareable: bool,
}

impl Layout<'_> {
    fn add(&mut self, statement: &Written) {
        let simple = statement.label.is_none()
            && matches!(statement.kinds.as_slice(), ["assign"] | ["call"]);
        if self.shareable && simple && statement.text.len() < 20 && self.chance.below(3) == 0 {
            self.text.pop();
            self.text += &format!("; {}\n", statement.text);
            self.lines.push(self.line - 1);
            return;
        }
        if self.chance.below(8) == 0 {
            self.comment();
        }
        self.lines.push(self.line);
        let mut words = words(&self.cased(&statement.text));
        if self.tame && words[0].ends_with(':') {
            // Nor does fparser2 look for what a name names on the next line.
            let name = words.remove(0);
            words[0] = format!("{name} {}", words[0]);
        }
        match self.form {
            Form::Fixed => self.fixed(statement.label, &words),
            Form::Free => self.free(statement.label, &words),
        }
        let last = self.text.lines().last().unwrap_or_default();
        // For fparser2, all statements of continued lines are on the first.
        let one_line = self.lines.last() == Some(&(self.line - 1));
        self.shareable =
            simple && last.len() < 40 && !last.contains('!') && (one_line || !self.tame);
    }

    fn push(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
        self.line += 1;
    }

    fn comment(&mut self) {
        let comments = match self.form {
            Form::Fixed => ["c     do 10 i = 1, 'open", "*", "", "! if (x) then", "C$$$"],
            Form::Free => ["! end do", "", "  ! it's & open", "!", "  "],
        };
        let comment = comments[self.chance.below(comments.len())];
        self.push(comment);
    }

    /// Capitals outside quotes, sometimes.
    fn cased(&mut self, text: &str) -> String {
        if self.chance.below(3) > 0 {
            return text.to_string();
        }
        let mut quote = None;
        let upper = |c: char| {
            match quote {
                Some(open) if open == c => quote = None,
                None if c == '\'' || c == '"' => quote = Some(c),
                Some(_) | None => {}
            }
            if quote.is_none() {
                c.to_ascii_uppercase()
            } else {
                c
            }
        };
        text.chars().map(upper).collect()
    }

    fn fixed(&mut self, label: Option<u32>, words: &[String]) {
        let label = label.map_or(String::new(), |label| label.to_string());
        let tab = label.is_empty() && self.chance.below(10) == 0;
        let (mut line, mut used) = (
            if tab {
                "\t".to_string()
            } else {
                format!("{label:<6}")
            },
            0,
        );
        for word in words {
            let breaks =
                used > 0 && (used + 1 + word.len() > FIXED_WIDTH || self.chance.below(12) == 0);
            if breaks {
                self.push(&line);
                if self.chance.below(6) == 0 && !self.tame {
                    self.comment();
                }
                let blank = if self.tame { " " } else { "" };
                let mark = ["&", "$", "1", "*", "+", "."][self.chance.below(6)];
                (line, used) = (format!("     {mark}{blank}"), blank.len());
            }
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            line += word;
            used += word.len();
        }
        self.push(&line);
    }

    fn free(&mut self, label: Option<u32>, words: &[String]) {
        let label = label.map_or(String::new(), |label| format!("{label} "));
        let mut line = format!("{}{label}", " ".repeat(self.chance.below(9)));
        for (i, word) in words.iter().enumerate() {
            if i > 0 && self.chance.below(9) == 0 {
                let comment = if self.chance.below(4) == 0 {
                    " ! more"
                } else {
                    ""
                };
                self.push(&format!("{line} &{comment}"));
                if self.chance.below(5) == 0 {
                    self.push("  ! between");
                }
                line = format!(
                    "      {}",
                    if self.chance.below(2) == 0 { "& " } else { "" }
                );
            } else if i > 0 {
                line.push(' ');
            }
            line += word;
        }
        let trailing = self.chance.below(10) == 0;
        self.push(&if trailing {
            format!("{line} ! don't")
        } else {
            line
        });
    }
}

/// Parts between blanks outside quotes.
fn words(text: &str) -> Vec<String> {
    let (mut parts, mut quote) = (vec![String::new()], None);
    for c in text.chars() {
        match quote {
            Some(open) if open == c => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            Some(_) | None => {}
        }
        if c == ' ' && quote.is_none() {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}
