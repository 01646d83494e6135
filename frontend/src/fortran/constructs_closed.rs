//! Finds a construct that is not closed, or is closed by another's END, in the table of statements: the
//! reason why the parser cannot read a unit. Constructs are lowered in `constructs`.

use super::pieces::{Sort, sort};
use super::tokens::{Phrase, TokenKind};

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A construct, begun by a statement, is open where another one stands or where the unit ends.
    Open {
        word: &'static str,
        begun: usize,
        found: Option<usize>,
    },
    /// A statement belongs to a construct, but none is open.
    Alone { word: &'static str, found: usize },
}

/// A construct without its END statement so far.
struct OpenConstruct {
    word: &'static str,
    begun: usize,
    /// The label of the terminal statement of a labelled DO.
    label: Option<u32>,
}

/// Words that begin constructs, and the clauses inside them.
const CONSTRUCTS: [(&str, &[&str]); 7] = [
    ("if", &["else", "elseif"]),
    ("do", &[]),
    ("select", &["case", "class", "type"]),
    ("where", &["elsewhere"]),
    ("forall", &[]),
    ("associate", &[]),
    ("block", &[]),
];

/// Follows the constructs of a unit statement by statement.
#[derive(Default)]
pub struct Constructs {
    open: Vec<OpenConstruct>,
}

impl Constructs {
    /// The next statement; what is wrong with it.
    pub fn statement(&mut self, index: usize, label: Option<u32>, phrase: Phrase) -> Option<Fault> {
        let named = phrase.is(1, ":") && !phrase.is_assignment();
        let head = if named { phrase.from(2) } else { phrase };
        let fault = match sort(head) {
            Sort::Executable => {
                self.open
                    .extend(begun(head).map(|(word, label)| OpenConstruct {
                        word,
                        begun: index,
                        label,
                    }));
                None
            }
            Sort::EndConstruct => {
                let first = head.lower(0);
                let word = first.strip_prefix("end").filter(|word| !word.is_empty());
                let closed = word.map_or_else(|| head.lower(1), str::to_string);
                let fault = self.belongs(index, |(word, _)| *word == closed);
                self.open.pop();
                fault
            }
            Sort::Clause => self.belongs(index, |(_, clauses)| {
                clauses.contains(&head.lower(0).as_str())
            }),
            Sort::Unit | Sort::EndUnit | Sort::Include | Sort::Declaration => None,
        };
        while label.is_some() && self.open.last().is_some_and(|open| open.label == label) {
            self.open.pop();
        }
        fault
    }

    /// What is open at the end of the unit.
    pub fn finish(&self) -> Option<Fault> {
        self.open.last().map(|open| Fault::Open {
            word: open.word,
            begun: open.begun,
            found: None,
        })
    }

    /// Whether a statement may stand in the innermost construct.
    fn belongs(
        &self,
        found: usize,
        is: impl Fn(&(&'static str, &[&str])) -> bool,
    ) -> Option<Fault> {
        let (word, _) = *CONSTRUCTS.iter().find(|one| is(one))?;
        match self.open.last() {
            Some(open) if open.word == word => None,
            Some(open) => Some(Fault::Open {
                word: open.word,
                begun: open.begun,
                found: Some(found),
            }),
            None => Some(Fault::Alone { word, found }),
        }
    }
}

/// The construct that a statement begins, and the label at which a DO ends.
fn begun(head: Phrase) -> Option<(&'static str, Option<u32>)> {
    if head.is_assignment() {
        return None;
    }
    let first = head.lower(0);
    let (word, _) = *CONSTRUCTS.iter().find(|(word, _)| *word == first)?;
    let count = head.tokens.len();
    let is_construct = match word {
        "if" => head.is(count - 1, "then"),
        "where" | "forall" => head.close(1) == Some(count),
        "block" => count == 1,
        _ => true,
    };
    if !is_construct {
        return None;
    }
    // A labelled DO ends at the statement with its label.
    let mut label = None;
    if word == "do" && head.kind(1) == Some(TokenKind::Number) {
        label = head.lower(1).parse().ok();
    }
    Some((word, label))
}
