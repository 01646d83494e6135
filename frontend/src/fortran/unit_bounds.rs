//! Program units of a file by its table of statements alone, for files that the parser cannot read as a
//! whole: where each begins, where its own statements end, and the statement at which its END is missing.
//! The remedy is in `recovery`.

use super::pieces::{Sort, sort};
use super::tokens::Phrase;

/// Kind of a unit, by the word that begins or ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// PROGRAM, or a main program that begins without.
    Program,
    /// SUBROUTINE.
    Subroutine,
    /// FUNCTION.
    Function,
    /// MODULE PROCEDURE of a submodule.
    Procedure,
    /// MODULE.
    Module,
    /// SUBMODULE.
    Submodule,
    /// BLOCK DATA.
    BlockData,
}

/// A unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The kind of program unit.
    pub word: Word,
    /// Its first statement.
    pub first: usize,
    /// Whether that is a PROGRAM, SUBROUTINE, … statement: a main program need not have one.
    pub has_head: bool,
    /// Its CONTAINS.
    pub contains: Option<usize>,
    /// One past its last statement, those of units inside it and its END included.
    pub past: usize,
    /// Its END, if it has one.
    pub end: Option<usize>,
}

impl Bounds {
    /// One past the last of its own statements, without CONTAINS and END.
    pub fn own_past(&self) -> usize {
        self.contains.or(self.end).unwrap_or(self.past)
    }
}

/// The program units of a file, and END statements without a unit.
#[derive(Debug, Default)]
pub struct ProgramUnits {
    /// In the order of their ends.
    pub units: Vec<Bounds>,
    /// END statements without a unit.
    pub stray: Vec<usize>,
    /// Whether some statement names the unit that it begins or ends.
    pub is_fortran: bool,
    open: Vec<Bounds>,
}

impl Word {
    /// As it is written, in capitals.
    pub fn text(self) -> &'static str {
        match self {
            Word::Program => "PROGRAM",
            Word::Subroutine => "SUBROUTINE",
            Word::Function => "FUNCTION",
            Word::Procedure => "PROCEDURE",
            Word::Module => "MODULE",
            Word::Submodule => "SUBMODULE",
            Word::BlockData => "BLOCK DATA",
        }
    }

    /// Whether it can stand inside another unit.
    pub fn is_procedure(self) -> bool {
        matches!(self, Word::Subroutine | Word::Function | Word::Procedure)
    }

    /// Whether it holds no executable statements of its own.
    pub fn is_specification(self) -> bool {
        matches!(self, Word::Module | Word::Submodule | Word::BlockData)
    }

    fn named(word: &str) -> Option<Word> {
        Some(match word {
            "program" => Word::Program,
            "subroutine" => Word::Subroutine,
            "function" => Word::Function,
            "procedure" => Word::Procedure,
            "module" => Word::Module,
            "submodule" => Word::Submodule,
            "blockdata" | "block" => Word::BlockData,
            _ => return None,
        })
    }

    /// What a statement begins.
    fn begun_by(phrase: Phrase) -> Option<Word> {
        if phrase.is(0, "module") && phrase.is(1, "procedure") {
            return Some(Word::Procedure);
        }
        if sort(phrase) != Sort::Unit {
            return None;
        }
        // Prefixes such as PURE or a type may stand before the word.
        let procedure = (0..phrase.tokens.len()).find_map(|at| {
            Word::named(&phrase.lower(at))
                .filter(|word| matches!(word, Word::Subroutine | Word::Function))
        });
        procedure.or_else(|| Word::named(&phrase.lower(0)))
    }
}

/// What an END statement says that it ends: `Some(None)` for a bare END, `None` for any other statement.
fn ended_by(phrase: Phrase) -> Option<Option<Word>> {
    // `end` may be the name of a variable.
    if phrase.is_assignment() {
        return None;
    }
    let first = phrase.lower(0);
    let block = phrase.is(1, "block") && !phrase.is(2, "data");
    match first.strip_prefix("end")? {
        "" if phrase.tokens.len() == 1 => Some(None),
        "" if block => None,
        "" => Word::named(&phrase.lower(1)).map(Some),
        "block" => None,
        glued => Word::named(glued).map(Some),
    }
}

/// Whether an END statement can end such a unit.
pub fn ends(phrase: Phrase, word: Word) -> bool {
    ended_by(phrase).is_some_and(|named| named.is_none_or(|named| named == word))
}

impl ProgramUnits {
    /// Takes the next statement that is not inside a definition.
    pub fn statement(&mut self, index: usize, phrase: Phrase) {
        if let Some(word) = Word::begun_by(phrase) {
            self.begin(index, word);
        } else if let Some(word) = ended_by(phrase) {
            self.end(index, word);
        } else if phrase.is(0, "contains") && phrase.tokens.len() == 1 {
            if let Some(open) = self.open.last_mut() {
                // The first one: a second CONTAINS is an error of the source.
                open.contains.get_or_insert(index);
            }
        } else if self.open.is_empty() {
            // A main program may begin without PROGRAM.
            self.open(index, Word::Program, false);
        }
    }

    /// Ends what is open after all `count` statements.
    pub fn finish(&mut self, count: usize) {
        while !self.open.is_empty() {
            self.close(count, None);
        }
    }

    fn begin(&mut self, index: usize, word: Word) {
        self.is_fortran = true;
        // A unit begins where none may: the END statements of those that are open are missing.
        while self
            .open
            .last()
            .is_some_and(|open| !word.is_procedure() || open.contains.is_none())
        {
            self.close(index, None);
        }
        self.open(index, word, true);
    }

    fn open(&mut self, first: usize, word: Word, has_head: bool) {
        self.open.push(Bounds {
            word,
            first,
            has_head,
            contains: None,
            past: first,
            end: None,
        });
    }

    fn end(&mut self, index: usize, word: Option<Word>) {
        self.is_fortran = true;
        let innermost = self.open.len().checked_sub(1);
        let meant = match word {
            None => innermost,
            Some(word) => self
                .open
                .iter()
                .rposition(|open| open.word == word)
                .or(innermost
                    .filter(|&last| self.open[last].word.is_procedure() && word.is_procedure())),
        };
        let Some(meant) = meant else {
            return self.stray.push(index);
        };
        while self.open.len() > meant + 1 {
            self.close(index, None);
        }
        self.close(index + 1, Some(index));
    }

    fn close(&mut self, past: usize, end: Option<usize>) {
        self.units
            .extend(self.open.pop().map(|open| Bounds { past, end, ..open }));
    }
}
