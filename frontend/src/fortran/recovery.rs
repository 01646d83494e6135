//! What is done about a file that the parser cannot read as a whole: its units are found by the table of
//! statements and read apart. One that cannot be read is kept whole, its statements replaced by one stand-in;
//! one without END gets it. So the others are read as if nothing had happened.

use super::constructs_closed::{Constructs, Fault};
use super::parser_copy::Copy;
use super::pieces::{Piece, Sort, piece_tokens, sort};
use super::syntax::{inside_definitions, tree};
use super::tokens::Phrase;
use super::unit_bounds::{Bounds, Found, Word};
use std::ops::Range;

/// What ends a unit that has no END.
const END: &[u8] = b"\nend\n";

/// Stands for the statements of a unit that is kept whole.
const STAND_IN: &[u8] = b"continue";

/// What was wrong with a unit.
#[derive(Clone, Debug)]
pub struct Broken {
    /// Statements that are kept whole, as one.
    pub kept: Range<usize>,
    /// The unit; `None` for an END that ends none.
    pub unit: Option<Bounds>,
    /// Why.
    pub why: Why,
}

/// What is wrong, by the numbers of statements.
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

/// Makes the copy of a file readable unit by unit. Gives what was wrong; nothing where no statement of the
/// file says that it begins or ends a unit.
pub fn recover(copy: &mut Copy, pieces: &mut [Piece]) -> Vec<Broken> {
    let (inside, definitions) = trusted_definitions(copy, pieces);
    let mut found = Found::default();
    for index in (0..pieces.len()).filter(|&index| !inside[index]) {
        with_phrase(copy, &pieces[index], |phrase| {
            found.statement(index, phrase)
        });
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
    let mut broken: Vec<Broken> = found
        .units
        .into_iter()
        .filter_map(|unit| file.mend(unit))
        .collect();
    for index in found.stray {
        file.replace(one(index));
        broken.push(Broken {
            kept: one(index),
            unit: None,
            why: Why::Stray(index),
        });
    }
    broken.sort_by_key(|one| (one.kept.start, one.kept.end));
    broken
}

fn with_phrase<T>(copy: &Copy, piece: &Piece, ask: impl FnOnce(Phrase) -> T) -> T {
    ask(Phrase {
        text: &copy.text,
        tokens: &piece_tokens(&copy.text, piece),
    })
}

/// Which statements stand in definitions, and those definitions that are not closed: where they begin and
/// what shows that. In an interface there is no CONTAINS, in other definitions no procedure.
fn trusted_definitions(copy: &Copy, pieces: &[Piece]) -> (Vec<bool>, Vec<Fault>) {
    let mut inside = inside_definitions(copy, pieces);
    let mut faults = Vec::new();
    let is =
        |index: usize, word: &str| with_phrase(copy, &pieces[index], |phrase| phrase.is(0, word));
    let mut first = 0;
    while let Some(begun) = (first..inside.len()).find(|&index| inside[index]) {
        first = (begun..inside.len())
            .find(|&index| !inside[index])
            .unwrap_or(inside.len());
        let interface = (begun..first).any(|index| is(index, "interface") || is(index, "abstract"));
        let head = |&index: &usize| with_phrase(copy, &pieces[index], sort) == Sort::Unit;
        let found = match interface {
            true => (begun + 1..first).find(|&index| is(index, "contains")),
            false => (begun + 1..first)
                .find(head)
                .map(|head| head - usize::from(is(head - 1, "contains"))),
        };
        let open = first == inside.len() && interface;
        let Some(end) = found.or(open.then_some(begun + 1)) else {
            continue;
        };
        inside[end..first].fill(false);
        let word = if interface { "interface" } else { "type" };
        faults.push(Fault::Open {
            word,
            begun,
            found: Some(end).filter(|&end| end < first),
        });
    }
    (inside, faults)
}

/// A file that is being made readable.
struct File<'a> {
    copy: &'a mut Copy,
    pieces: &'a mut [Piece],
    inside: Vec<bool>,
    /// Definitions that are not closed.
    definitions: Vec<Fault>,
}

impl File<'_> {
    /// Keeps a unit whole that cannot be read; gives it an END.
    fn mend(&mut self, unit: Bounds) -> Option<Broken> {
        let own = unit.first..unit.own_past();
        let ends = unit.end.is_some_and(|end| self.is_end_of(end, unit.word));
        let wrong = self.wrong(&unit, own.clone());
        let why = match (wrong, unit.end) {
            (Some(at), _) => self.explain(&unit, at),
            (None, Some(_)) if ends => return None,
            (None, Some(end)) => Why::NoEnd(Some(end)),
            (None, None) => Why::NoEnd(Some(unit.past).filter(|&past| past < self.pieces.len())),
        };
        let first = if wrong.is_some() {
            self.first_kept(&unit, own.clone())
        } else {
            own.end
        };
        let mut kept = first..own.end;
        if unit.has_head && first == own.start {
            let rest = [unit.contains, unit.end].into_iter().flatten().map(one);
            [kept.clone()]
                .into_iter()
                .chain(rest)
                .for_each(|range| self.replace(range));
        } else {
            self.keep_whole(kept.clone(), !unit.word.is_specification());
            match unit.end {
                Some(end) if !ends => self.shorten_end(end),
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
        let start = self
            .pieces
            .get(own.start)
            .map(begin)
            .filter(|_| !own.is_empty())?;
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
        let after = own.clone().find(|&index| self.pieces[index].at.end > at);
        Some(after.unwrap_or(own.end - 1))
    }

    /// The first statement that is kept whole: the first executable one, unless what stands before cannot be
    /// read either.
    fn first_kept(&self, unit: &Bounds, own: Range<usize>) -> usize {
        let head = own.start + usize::from(unit.has_head);
        let executable = |&index: &usize| {
            let sort = with_phrase(self.copy, &self.pieces[index], sort);
            !self.inside[index]
                && matches!(sort, Sort::Executable | Sort::EndConstruct | Sort::Clause)
        };
        let first = (head..own.end).find(executable).unwrap_or(head);
        match () {
            () if self.wrong(unit, own.start..first).is_none() => first,
            () if self.wrong(unit, own.start..head).is_none() => head,
            () => own.start,
        }
    }

    fn explain(&self, unit: &Bounds, at: usize) -> Why {
        let own = unit.first..unit.own_past();
        let mut constructs = Constructs::default();
        let begun =
            |fault: &&Fault| matches!(fault, Fault::Open { begun, .. } if own.contains(begun));
        if let Some(fault) = self.definitions.iter().find(begun) {
            return Why::Construct(*fault);
        }
        for index in own.clone().filter(|&index| !self.inside[index]) {
            let piece = &self.pieces[index];
            let label = piece.label.as_ref().map(|label| label.value);
            let fault = with_phrase(self.copy, piece, |phrase| {
                constructs.statement(index, label, phrase)
            });
            if let Some(fault) = fault {
                return Why::Construct(fault);
            }
        }
        constructs
            .finish()
            .map_or(Why::Unreadable(at), Why::Construct)
    }

    fn is_end_of(&self, end: usize, word: Word) -> bool {
        with_phrase(self.copy, &self.pieces[end], |phrase| {
            super::unit_bounds::ends(phrase, word)
        })
    }

    /// Takes statements out of the copy; one of them all stands there instead, if there is room.
    fn keep_whole(&mut self, kept: Range<usize>, stands: bool) {
        self.replace(kept.clone());
        let Some(first) = self
            .pieces
            .get(kept.start)
            .filter(|_| stands && !kept.is_empty())
        else {
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
    /// Gives what is kept whole of it.
    fn give_end(&mut self, unit: &Bounds, kept: Range<usize>) -> Range<usize> {
        let own = unit.first..unit.own_past();
        if self.add_end(unit) || own.end != unit.past {
            return kept;
        }
        let whole = self
            .first_kept(unit, own.clone())
            .max(own.start + 1)
            .min(own.end)..own.end;
        for stands in [!unit.word.is_specification(), false] {
            self.keep_whole(whole.clone(), stands);
            if self.add_end(unit) {
                break;
            }
        }
        whole
    }

    /// Whether there was room.
    fn add_end(&mut self, unit: &Bounds) -> bool {
        let last = unit.past - 1;
        if with_phrase(self.copy, &self.pieces[last], |phrase| {
            sort(phrase) == Sort::EndUnit
        }) {
            self.shorten_end(last);
        }
        let Some(next) = self.pieces.get(unit.past).map(begin) else {
            self.append_end();
            return true;
        };
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
fn begin(piece: &Piece) -> usize {
    piece
        .label
        .as_ref()
        .map_or(piece.at.start, |label| label.at.start.min(piece.at.start))
}

fn one(index: usize) -> Range<usize> {
    index..index + 1
}
