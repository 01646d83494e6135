//! Which part of each rank's time is compared. A rank's time is a row of pieces: gap 0, stop 0,
//! gap 1, stop 1, …; a window is a range of them, so gap `n` is piece `2n` and stop `n` piece `2n + 1`.

use super::elements::{Stop, stops};
use super::error::CompareError;
use super::names;
use super::place::CallSelector;
use super::side::{Both, ComparedFile};
use base_data::Rank;
use base_data::program_data::{Call, Mark, Op};
use base_data::stream::entries;
use std::ops::Range;

/// Begin and end of the window that the user asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Between {
    /// It begins when this call is left.
    pub from: CallSelector,
    /// It ends when this call is entered.
    pub to: CallSelector,
}

/// Pieces by rank.
pub(super) type Pieces = Vec<Range<u64>>;

/// What both sides have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Common {
    /// Their streams are equal, so that stops are identified by their number.
    pub(super) equal: bool,
    /// Both mark a section, so that the marks are stops.
    pub(super) sections: bool,
}

/// The window on both sides, and its name for people.
pub(super) struct Window {
    pub(super) name: String,
    /// Whether it is all that an estimate of these sides predicts.
    pub(super) whole: bool,
    pub(super) pieces: Both<Pieces>,
}

/// Chooses the window: what was asked for, the section, or the whole run.
pub(super) fn choose(
    sides: &Both<ComparedFile<'_>>,
    between: Option<&Between>,
    common: Common,
) -> Result<Window, CompareError> {
    let finder = WindowFinder { sides, common };
    let partial = [&sides.a, &sides.b]
        .into_iter()
        .find(|side| side.covers_section_only());
    match (between, partial) {
        (Some(between), _) => finder.between(between),
        (None, _) if common.sections => finder.section(),
        (None, Some(side)) => finder.calls_of_section(side),
        (None, None) => finder.run(),
    }
}

/// Determines the window on both sides.
struct WindowFinder<'a> {
    sides: &'a Both<ComparedFile<'a>>,
    common: Common,
}

impl WindowFinder<'_> {
    fn ranks(&self) -> impl Iterator<Item = Rank> + use<> {
        (0..self.sides.a.program().ranks).map(Rank)
    }

    fn on_both(
        &self,
        find: impl Fn(&ComparedFile<'_>, Rank) -> Result<Range<u64>, CompareError>,
    ) -> Result<Both<Pieces>, CompareError> {
        self.sides
            .as_ref()
            .try_map(|side| self.ranks().map(|rank| find(side, rank)).collect())
    }

    /// From leaving `MPI_Init` to entering `MPI_Finalize`.
    fn run(&self) -> Result<Window, CompareError> {
        let pieces = self.on_both(|side, rank| {
            let number = |wanted: &Call| {
                let mut stops = stops(side.program(), rank, self.common.sections);
                stops.position(|(_, op)| matches!(op, Op::Call { call, .. } if call == wanted))
            };
            let begin = number(&Call::Init).map_or(0, |init| after(init as u64));
            // A run that never came to MPI_Finalize counts to its end.
            let end = number(&Call::Finalize).map_or(u64::MAX, |finalize| before(finalize as u64));
            Ok(begin..end)
        })?;
        Ok(Window {
            name: "the whole run, from leaving MPI_Init to entering MPI_Finalize".into(),
            whole: true,
            pieces,
        })
    }

    /// Between the marks of the section.
    fn section(&self) -> Result<Window, CompareError> {
        let pieces = self.on_both(|side, rank| {
            let number = |wanted| {
                let mut stops = stops(side.program(), rank, true);
                stops
                    .position(|(stop, _)| stop == wanted)
                    .map(|number| number as u64)
            };
            match (number(Stop::SectionBegin), number(Stop::SectionEnd)) {
                (Some(begin), Some(end)) if begin < end => Ok(after(begin)..before(end)),
                _ => Err(section_error(
                    side,
                    format!("but rank {rank} has not both marks of it"),
                )),
            }
        })?;
        Ok(Window {
            name: format!("the section {}", self.section_place()),
            whole: true,
            pieces,
        })
    }

    fn section_place(&self) -> String {
        let of = |side: &ComparedFile<'_>| section_place(side);
        of(&self.sides.a)
            .or_else(|| of(&self.sides.b))
            .unwrap_or_else(|| "by its marks".into())
    }

    /// The calls inside the section of one side, where the other has no marks of it.
    fn calls_of_section(&self, marked: &ComparedFile<'_>) -> Result<Window, CompareError> {
        if !self.common.equal {
            return Err(section_error(
                marked,
                "of which the other file has no marks, and the streams differ: name two calls inside the section \
                 with --between",
            ));
        }
        let pieces: Pieces = self
            .ranks()
            .map(|rank| calls_inside(marked, rank))
            .collect::<Result<_, _>>()?;
        let place = section_place(marked).unwrap_or_default();
        let name = format!(
            "the MPI calls of the section {place}, from entering the first to leaving the last: one file has no marks \
             of the section"
        );
        Ok(Window {
            name,
            whole: false,
            pieces: Both {
                a: pieces.clone(),
                b: pieces,
            },
        })
    }

    fn between(&self, between: &Between) -> Result<Window, CompareError> {
        let pieces = if self.common.equal {
            let pieces = self.pieces_between(between, |place| self.knowing(place))?;
            Both {
                a: pieces.clone(),
                b: pieces,
            }
        } else {
            self.sides
                .as_ref()
                .try_map(|side| self.pieces_between(between, |place| knows(side, place)))?
        };
        self.sides
            .as_ref()
            .zip(pieces.as_ref())
            .try_map(|(side, pieces)| covered(side, pieces, self.common, between))?;
        let name = format!("from leaving {} to entering {}", between.from, between.to);
        Ok(Window {
            name,
            whole: false,
            pieces,
        })
    }

    fn pieces_between<'s>(
        &self,
        between: &Between,
        side: impl Fn(&CallSelector) -> Result<&'s ComparedFile<'s>, CompareError>,
    ) -> Result<Pieces, CompareError> {
        let (from, to) = (side(&between.from)?, side(&between.to)?);
        let find = |rank| {
            let begin = between
                .from
                .find(from.program(), rank, self.common.sections)?;
            let end = between.to.find(to.program(), rank, self.common.sections)?;
            if begin < end {
                return Ok(after(begin)..before(end));
            }
            Err(between.to.error(format!(
                "rank {rank} does not come there after {}",
                between.from
            )))
        };
        self.ranks().map(find).collect()
    }

    /// The side that knows a place: stripped binaries have no lines.
    fn knowing(&self, place: &CallSelector) -> Result<&ComparedFile<'_>, CompareError> {
        knows(&self.sides.a, place).or_else(|_| knows(&self.sides.b, place)).map_err(|_| {
            place.error("neither file has a call site there; name one as `mpiete show` prints it: FILE:LINE")
        })
    }
}

fn knows<'s>(
    side: &'s ComparedFile<'s>,
    place: &CallSelector,
) -> Result<&'s ComparedFile<'s>, CompareError> {
    if place.is_known(&side.program().table) {
        return Ok(side);
    }
    Err(place.error(format!(
        "{} has no call site there; name one as `mpiete show` prints it: FILE:LINE",
        side.name
    )))
}

/// The gap after a stop.
fn after(stop: u64) -> u64 {
    2 * stop + 2
}

/// The end of the gap before a stop.
fn before(stop: u64) -> u64 {
    2 * stop + 1
}

fn section_place(side: &ComparedFile<'_>) -> Option<String> {
    let program = side.program();
    program
        .section
        .as_ref()
        .map(|span| names::span(&program.table, span))
}

fn section_error(side: &ComparedFile<'_>, reason: impl Into<String>) -> CompareError {
    let section = section_place(side).unwrap_or_default();
    CompareError::Section {
        name: side.name.into(),
        section,
        reason: reason.into(),
    }
}

/// The stops inside the section that a side marks, the marks themselves not counted as stops.
fn inside_section(side: &ComparedFile<'_>, rank: Rank) -> Range<u64> {
    let (mut stops, mut begin, mut end) = (0, None, None);
    for op in entries(side.program(), rank) {
        match op {
            Op::Mark(Mark::SectionBegin) => begin = Some(stops),
            Op::Mark(Mark::SectionEnd) => end = Some(stops),
            Op::Mark(Mark::Clock { .. }) | Op::Call { .. } => stops += 1,
            Op::Block { .. } | Op::Loop { .. } => {}
        }
    }
    begin.unwrap_or(0)..end.unwrap_or(0)
}

fn calls_inside(side: &ComparedFile<'_>, rank: Rank) -> Result<Range<u64>, CompareError> {
    let inside = inside_section(side, rank);
    if inside.is_empty() {
        return Err(section_error(
            side,
            format!("in which rank {rank} calls no MPI function, so its position is unknown"),
        ));
    }
    // From the first stop inside (piece 2n + 1) to the last, whose piece precedes the gap after it.
    Ok(2 * inside.start + 1..2 * inside.end)
}

/// refuses a window that reaches beyond what an estimate predicts.
fn covered(
    side: &ComparedFile<'_>,
    pieces: &Pieces,
    common: Common,
    between: &Between,
) -> Result<(), CompareError> {
    if !side.covers_section_only() {
        return Ok(());
    }
    for (range, rank) in pieces.iter().zip((0..).map(Rank)) {
        let mut inside = inside_section(side, rank);
        if common.sections {
            // The mark of the begin is a stop before those inside.
            inside = inside.start + 1..inside.end + 1;
        }
        // An estimate of a section has no time for the gaps that the section's marks cut.
        if range.start < 2 * inside.start + 2 || range.end > 2 * inside.end {
            let reason = format!(
                "which ends or begins between {} and {}",
                between.from, between.to
            );
            return Err(section_error(
                side,
                format!("{reason}; name two calls inside the section"),
            ));
        }
    }
    Ok(())
}
