//! Compares two files of one program: an estimate and a run, two runs, or two estimates. Finds the first
//! difference of their streams, the difference of their times, and the parts that explain it.
//!
//! The difference that is explained is that of the *mean over ranks*: it is the only total whose parts
//! add up to it exactly, whichever rank is the slowest on either side. Time inside MPI is added up by
//! call site, computation by the two calls between which it lies, so that a run without block marks can
//! be compared with an estimate; and by block where both have blocks. The delay of a rank by slower
//! ones is waiting time, which is time inside MPI.
//!
//! Of an estimate, the time of a rank at a block or call site is divided evenly among its executions.
//!
//! The command line reads the files and prints the comparison.

mod describe;
mod elements;
mod error;
mod estimates;
mod interruptions;
mod names;
mod outcome;
mod parts;
mod place;
mod shared;
mod side;
mod tally;
#[cfg(test)]
mod tests;
mod totals;
mod window;

pub use error::CompareError;
pub use estimates::{Estimates, compare_estimates};
pub use outcome::{
    Comparison, ComponentDifference, Named, Portion, Position, Predicted, RankTimes, RankTotal,
    StartUp, StreamsDiffer, TimeComponent, Times, Totals, relative,
};
pub use place::CallSelector;
pub use side::{Both, ComparedFile, Content, ContentKind, SideName};
pub use window::Between;

use base_data::Rank;
use base_data::compute_data::Unit;
use base_data::provenance;
use base_data::stream_difference::{Difference, first_difference};
pub use describe::describe;
pub(crate) use elements::Stop;
use elements::Timed;
pub(crate) use interruptions::ProcessorTimes;
use parts::Parts;
use shared::Shared;
use tally::{Rules, tally};
use window::{Common, Window};

/// Compares two files: all that both cover, or the part between two calls.
///
/// # Errors
/// See [`CompareError`]. Streams or times that differ are no error.
pub fn compare(
    sides: Both<ComparedFile<'_>>,
    between: Option<&Between>,
) -> Result<Comparison, CompareError> {
    side::check(&sides)?;
    let (a, b) = (sides.a.program(), sides.b.program());
    let difference = first_difference(a, b);
    if difference.is_some() {
        side::check_related(&sides)?;
    }
    let mut remarks = mismatches(&sides);
    let times = times(&sides, between, difference.is_none(), &mut remarks)?;
    Ok(Comparison {
        sides: sides.as_ref().map(ComparedFile::names),
        ranks: a.ranks,
        streams: difference.map(|difference| streams_differ(&sides, &difference)),
        times,
        kinds: estimates::kinds(&sides),
        remarks,
    })
}

fn mismatches(sides: &Both<ComparedFile<'_>>) -> Vec<String> {
    let found =
        provenance::mismatches(&sides.a.program().provenance, &sides.b.program().provenance);
    found.iter().map(ToString::to_string).collect()
}

fn streams_differ(sides: &Both<ComparedFile<'_>>, difference: &Difference) -> StreamsDiffer {
    let entries = Both {
        a: &difference.first,
        b: &difference.second,
    };
    let does = sides
        .as_ref()
        .zip(entries)
        .map(|(side, entry)| describe(side.program(), entry.as_ref()));
    // Without a rank the numbers of ranks differ, and those were compared before.
    let rank = difference.rank.map_or(0, |rank| rank.0);
    StreamsDiffer {
        rank,
        entry: difference.index + 1,
        does,
    }
}

/// The times, where both sides have some and they can be put side by side.
fn times(
    sides: &Both<ComparedFile<'_>>,
    between: Option<&Between>,
    equal: bool,
    remarks: &mut Vec<String>,
) -> Result<Option<Times>, CompareError> {
    let (Some(a), Some(b)) = (Timed::new(&sides.a), Timed::new(&sides.b)) else {
        return side::check_uncut(sides, between.is_some()).map(|()| None);
    };
    let common = Common {
        equal,
        sections: sides.a.marks_section() && sides.b.marks_section(),
    };
    match window::choose(sides, between, common) {
        Ok(window) => Ok(Some(times_in(
            sides,
            &Both { a, b },
            &window,
            common,
            remarks,
        ))),
        // That the streams differ is what the user must know first.
        Err(reason) if !equal && between.is_none() => {
            remarks.push(format!("times are not compared: {reason}"));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

const UNMATCHED: &str = "only totals are compared, since the streams differ and no call site of one \
    file matches one of the other; compile with line numbers (-g) to compare places";

fn times_in(
    sides: &Both<ComparedFile<'_>>,
    timed: &Both<Timed<'_>>,
    window: &Window,
    common: Common,
    remarks: &mut Vec<String>,
) -> Times {
    let shared = Shared::new(sides, common);
    if !shared.sites_match {
        remarks.push(UNMATCHED.into());
    }
    // One side may have no times of calls: then parts and totals compare computation alone.
    let computation_only = side::computation_only(sides);
    let mut parts = Parts::new(computation_only.is_empty());
    for rank in (0..sides.a.program().ranks).map(Rank) {
        let of_side = |((timed, numbers), pieces): ((&Timed<'_>, _), &window::Pieces)| {
            let window = pieces.get(rank.index()).cloned().unwrap_or(0..0);
            tally(
                timed.elements(rank),
                &Rules {
                    numbers,
                    sections: common.sections,
                    window,
                },
            )
        };
        parts.add(
            &timed
                .as_ref()
                .zip(shared.sides())
                .zip(window.pieces.as_ref())
                .map(of_side),
        );
    }
    // Statements are predicted of computation alone, times together with waits.
    let is_predicted = computation_only.is_empty() || sides.a.unit() == Some(Unit::Statements);
    let with_blocks = sides.a.has_blocks() && sides.b.has_blocks();
    let lists = parts.lists(&shared, with_blocks);
    Times {
        unit: sides.a.unit().unwrap_or_default(),
        window: window.name.clone(),
        totals: totals::totals(sides, &parts, window.whole && is_predicted),
        computation_only,
        ranks: parts.ranks().to_vec(),
        parts: lists.parts,
        calls: lists.calls,
        gaps: lists.gaps,
        blocks: lists.blocks,
    }
}
