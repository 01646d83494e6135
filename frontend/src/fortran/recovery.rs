//! Error recovery for files that the parser cannot read as a whole. The table of statements finds the
//! units, which are parsed apart. A unit that cannot be read becomes opaque: one stand-in replaces its
//! statements. A unit without END gets one. So an error in one unit does not affect the others.

use super::constructs_closed::{Constructs, Fault};
use super::parse_tree::{inside_definitions, tree};
use super::parser_copy::Copy;
use super::pieces::{ScannedStatement, Sort, piece_tokens, sort};
use super::tokens::Phrase;
use super::unit_bounds::{Bounds, ProgramUnits, Word};
use std::ops::Range;

/// Ends a unit that has no END.
const END: &[u8] = b"\nend\n";

/// Stands for the statements of a unit that is kept whole.
const STAND_IN: &[u8] = b"continue";

/// A unit with a fault.
#[derive(Clone, Debug)]
pub struct Broken {
    /// Statements that are kept whole, as one.
    pub kept: Range<usize>,
    /// The unit; `None` for an END that ends none.
    pub unit: Option<Bounds>,
    /// Why.
    pub why: Why,
}

/// A fault, by the numbers of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It has no END where this statement, or the end of the file, stands.
    NoEnd(Option<usize>),
    /// A construct is not closed, or closes nothing.
    Construct(Fault),
    /// The parser cannot read on here.
    Unreadable(usize),
    /// An END that ends nothing.
    Stray(usize),
}

/// Makes the copy of a file readable unit by unit. Returns the faults; none where no statement of the
/// file begins or ends a unit.
pub fn recover(copy: &mut Copy, pieces: &mut [ScannedStatement]) -> Vec<Broken> {
    let (inside, definitions) = trusted_definitions(copy, pieces);
    let mut found = ProgramUnits::default();
    for (index, piece) in pieces.iter().enumerate() {
        if !inside[index] {
            with_phrase(copy, piece, |phrase| found.statement(index, phrase));
        }
    }
    found.finish(pieces.len());
    if !found.is_fortran {
        return Vec::new();
    }
    let mut file = File {
        copy,
        pieces,
        inside,
        definitions,
    };
    let mut broken: Vec<Broken> = Vec::new();
    for unit in found.units {
        broken.extend(file.mend(unit));
    }
    for index in found.stray {
        file.replace(one(index));
        broken.push(Broken {
            kept: one(index),
            unit: None,
            why: Why::Stray(index),
        });
    }
    // Units inside others end first and are found first; the lowering walks in the order of the
    // text.
    broken.sort_by_key(|one| (one.kept.start, one.kept.end));
    broken
}

fn with_phrase<T>(copy: &Copy, piece: &ScannedStatement, query: impl FnOnce(Phrase) -> T) -> T {
    query(Phrase {
        text: &copy.text,
        tokens: &piece_tokens(&copy.text, piece),
    })
}

/// Which statements stand in definitions, and the definitions that are not closed: where they begin and
/// the statement that shows it. In an interface there is no CONTAINS, in other definitions no procedure.
fn trusted_definitions(copy: &Copy, pieces: &[ScannedStatement]) -> (Vec<bool>, Vec<Fault>) {
    let mut inside = inside_definitions(copy, pieces);
    let mut faults = Vec::new();
    let mut next = 0;
    while next < inside.len() {
        let begun = next;
        next += 1;
        if !inside[begun] {
            continue;
        }
        while next < inside.len() && inside[next] {
            next += 1;
        }
        let is_interface = (begun..next).any(|index| {
            let piece = &pieces[index];
            begins_with(copy, piece, "interface") || begins_with(copy, piece, "abstract")
        });
        let found = if is_interface {
            (begun + 1..next).find(|&index| begins_with(copy, &pieces[index], "contains"))
        } else {
            first_procedure(copy, pieces, begun + 1..next)
        };
        let end = match found {
            Some(end) => end,
            None if is_interface && next == inside.len() => begun + 1,
            None => continue,
        };
        inside[end..next].fill(false);
        faults.push(Fault::Open {
            word: if is_interface { "interface" } else { "type" },
            begun,
            found: if end < next { Some(end) } else { None },
        });
    }
    (inside, faults)
}

fn begins_with(copy: &Copy, piece: &ScannedStatement, word: &str) -> bool {
    with_phrase(copy, piece, |phrase| phrase.is(0, word))
}

/// The first statement that begins a procedure, or the CONTAINS before it.
fn first_procedure(copy: &Copy, pieces: &[ScannedStatement], range: Range<usize>) -> Option<usize> {
    for index in range {
        if with_phrase(copy, &pieces[index], sort) == Sort::Unit {
            let has_contains = begins_with(copy, &pieces[index - 1], "contains");
            return Some(index - usize::from(has_contains));
        }
    }
    None
}

/// A file that is being made readable.
struct File<'a> {
    copy: &'a mut Copy,
    pieces: &'a mut [ScannedStatement],
    inside: Vec<bool>,
    /// Definitions that are not closed.
    definitions: Vec<Fault>,
}

impl File<'_> {
    /// Keeps a unit whole that cannot be read; gives it an END.
    fn mend(&mut self, unit: Bounds) -> Option<Broken> {
        let own = unit.first..unit.own_past();
        let has_own_end = match unit.end {
            Some(end) => self.is_end_of(end, unit.word),
            None => false,
        };
        let wrong = self.wrong(&unit, own.clone());
        let why = match (wrong, unit.end) {
            (Some(at), _) => self.explain(&unit, at),
            (None, Some(_)) if has_own_end => return None,
            (None, Some(end)) => Why::NoEnd(Some(end)),
            (None, None) if unit.past < self.pieces.len() => Why::NoEnd(Some(unit.past)),
            (None, None) => Why::NoEnd(None),
        };
        // A unit that only lacks its END keeps all its statements.
        let first = if wrong.is_some() {
            self.first_kept(&unit, own.clone())
        } else {
            own.end
        };
        let mut kept = first..own.end;
        if unit.has_head && first == own.start {
            // Not even its first statement can be read: nothing of the unit stays.
            self.replace(kept.clone());
            for index in [unit.contains, unit.end].into_iter().flatten() {
                self.replace(one(index));
            }
        } else {
            self.keep_whole(kept.clone(), !unit.word.is_specification());
            match unit.end {
                Some(end) if !has_own_end => self.shorten_end(end),
                Some(_) => {}
                None => kept = self.give_end(&unit, kept),
            }
        }
        Some(Broken {
            kept,
            unit: Some(unit),
            why,
        })
    }

    /// The statement at which a unit's own statements cannot be read when they stand alone.
    fn wrong(&self, unit: &Bounds, own: Range<usize>) -> Option<usize> {
        if own.is_empty() {
            return None;
        }
        let start = begin(self.pieces.get(own.start)?);
        // Procedures of submodules may have the prefix MODULE, which the grammar accepts there only.
        let around: (&[u8], &[u8]) = match unit.word {
            Word::Procedure => (b"submodule (a) b\ncontains\n", b"\nend\nend\n"),
            _ => (b"", b"\nend\n"),
        };
        let text = &self.copy.text[start..self.pieces[own.end - 1].at.end];
        let read = tree(&[around.0, text, around.1].concat());
        let mut node = read.root_node();
        if !node.has_error() {
            return None;
        }
        while !node.is_error() && !node.is_missing() {
            let mut cursor = node.walk();
            let Some(inner) = node.children(&mut cursor).find(|child| child.has_error()) else {
                break;
            };
            node = inner;
        }
        let at = (node.start_byte() + start).saturating_sub(around.0.len());
        for index in own.clone() {
            if self.pieces[index].at.end > at {
                return Some(index);
            }
        }
        Some(own.end - 1)
    }

    /// The first statement that is kept whole: the first executable one, unless what stands before cannot be
    /// read either.
    fn first_kept(&self, unit: &Bounds, own: Range<usize>) -> usize {
        let head = own.start + usize::from(unit.has_head);
        let executable = (head..own.end).find(|&index| self.is_executable(index));
        let first = executable.unwrap_or(head);
        if self.wrong(unit, own.start..first).is_none() {
            first
        } else if self.wrong(unit, own.start..head).is_none() {
            head
        } else {
            own.start
        }
    }

    fn is_executable(&self, index: usize) -> bool {
        let sort = with_phrase(self.copy, &self.pieces[index], sort);
        !self.inside[index] && matches!(sort, Sort::Executable | Sort::EndConstruct | Sort::Clause)
    }

    fn explain(&self, unit: &Bounds, at: usize) -> Why {
        let own = unit.first..unit.own_past();
        for fault in &self.definitions {
            if let Fault::Open { begun, .. } = fault
                && own.contains(begun)
            {
                return Why::Construct(*fault);
            }
        }
        let mut constructs = Constructs::default();
        for index in own {
            if self.inside[index] {
                continue;
            }
            let piece = &self.pieces[index];
            let label = piece.label.as_ref().map(|label| label.value);
            let fault = with_phrase(self.copy, piece, |phrase| {
                constructs.statement(index, label, phrase)
            });
            if let Some(fault) = fault {
                return Why::Construct(fault);
            }
        }
        match constructs.finish() {
            Some(fault) => Why::Construct(fault),
            None => Why::Unreadable(at),
        }
    }

    fn is_end_of(&self, end: usize, word: Word) -> bool {
        with_phrase(self.copy, &self.pieces[end], |phrase| {
            super::unit_bounds::ends(phrase, word)
        })
    }

    /// Takes statements out of the copy; one of them all stands there instead, if there is room.
    fn keep_whole(&mut self, kept: Range<usize>, stands: bool) {
        self.replace(kept.clone());
        if !stands || kept.is_empty() {
            return;
        }
        let Some(first) = self.pieces.get(kept.start) else {
            return;
        };
        let room = first.at.start..self.pieces[kept.end - 1].at.end;
        let stand_in: &[u8] = if room.len() < STAND_IN.len() {
            b"q=1"
        } else {
            STAND_IN
        };
        if room.len() >= stand_in.len() {
            self.copy.blank(room.clone());
            self.copy.text[room.start..room.start + stand_in.len()].copy_from_slice(stand_in);
        }
    }

    fn replace(&mut self, kept: Range<usize>) {
        for piece in &mut self.pieces[kept] {
            self.copy.blank(begin(piece)..piece.at.end);
            (piece.replaced, piece.kept) = (true, true);
        }
    }

    /// A bare END for one that names another unit.
    fn shorten_end(&mut self, end: usize) {
        let at = self.pieces[end].at.clone();
        self.copy.blank(at.start + b"end".len()..at.end);
    }

    /// Puts an END after the last statement of a unit, which is kept whole if there is no room otherwise.
    /// Returns the statements that are kept whole.
    fn give_end(&mut self, unit: &Bounds, kept: Range<usize>) -> Range<usize> {
        let own = unit.first..unit.own_past();
        if self.add_end(unit) || own.end != unit.past {
            return kept;
        }
        let first = self.first_kept(unit, own.clone());
        let first = first.max(own.start + 1).min(own.end);
        let whole = first..own.end;
        for stands in [!unit.word.is_specification(), false] {
            self.keep_whole(whole.clone(), stands);
            if self.add_end(unit) {
                break;
            }
        }
        whole
    }

    /// Adds an END; whether there was room.
    fn add_end(&mut self, unit: &Bounds) -> bool {
        let last = unit.past - 1;
        // `end subroutine x` of another unit leaves room when it becomes END.
        if with_phrase(self.copy, &self.pieces[last], sort) == Sort::EndUnit {
            self.shorten_end(last);
        }
        let Some(next) = self.pieces.get(unit.past) else {
            self.append_end();
            return true;
        };
        let next = begin(next);
        let from = self.copy.text[..next].trim_ascii_end().len();
        let room = next - from >= END.len();
        if room {
            self.copy.text[from..from + END.len()].copy_from_slice(END);
        }
        room
    }

    fn append_end(&mut self) {
        // It has no place of its own: the last byte's stands for it.
        let last = self.copy.origin.last().copied().unwrap_or(0);
        self.copy.text.extend(END);
        self.copy.origin.extend([last; END.len()]);
    }
}

/// Where a statement begins in the copy, its label included.
fn begin(piece: &ScannedStatement) -> usize {
    match &piece.label {
        Some(label) => label.at.start.min(piece.at.start),
        None => piece.at.start,
    }
}

fn one(index: usize) -> Range<usize> {
    index..index + 1
}
