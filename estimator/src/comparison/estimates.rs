//! Two estimates: of other platforms, or of other numbers of ranks, whose streams cannot be compared. The
//! comparison is of means over ranks, by category and by place; the parts of each add up to the difference.

use super::elements::Stop;
use super::outcome::{Named, Portion, Predicted};
use super::shared::{Numbers, Shared, SharedStop};
use super::side::{Both, ComparedFile, Content, SideName};
use super::window::Common;
use super::{CompareError, side};
use base_data::Time;
use base_data::compute_data::Unit;
use base_data::estimate_file::{Activity, Category, Cell, Estimate};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Two estimates compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimates {
    /// What was compared.
    pub sides: Both<SideName>,
    /// What times count.
    pub unit: Unit,
    /// Numbers of ranks.
    pub ranks: Both<u32>,
    /// Predicted times.
    pub predicted: Both<Predicted>,
    /// Mean over ranks in the replay without draws: what all shares refer to.
    pub mean: Both<Time>,
    /// The mean by kind of time, in the order of [`Category::ALL`].
    pub categories: Vec<Portion>,
    /// The mean by call site and block, largest difference first.
    pub places: Vec<Portion>,
}

/// Compares two estimates.
///
/// # Errors
/// Other programs, and times against statements.
pub fn compare_estimates(
    names: Both<&str>,
    estimates: Both<&Estimate>,
) -> Result<Estimates, CompareError> {
    let sides = names.zip(estimates).map(|(name, estimate)| ComparedFile {
        name,
        content: Content::Estimate(estimate),
    });
    side::check_units(&sides)?;
    side::check_related(&sides)?;
    let shared = Shared::new(
        &sides,
        Common {
            equal: false,
            sections: false,
        },
    );
    let categories = categories(estimates);
    let sum = |of: fn(&Portion) -> Time| -> Time { categories.iter().map(of).sum() };
    let mean = Both {
        a: sum(|part| part.mean.a),
        b: sum(|part| part.mean.b),
    };
    let places = places(estimates, &shared)
        .into_iter()
        .map(|part| with_share(part, mean))
        .collect();
    Ok(Estimates {
        sides: sides.as_ref().map(ComparedFile::names),
        unit: estimates.a.unit,
        ranks: estimates.map(|estimate| estimate.ranks),
        predicted: estimates.map(Predicted::of),
        mean,
        categories,
        places,
    })
}

/// The mean over ranks by kind of time, where both sides are estimates; else nothing.
pub(super) fn kinds(sides: &Both<ComparedFile<'_>>) -> Vec<Portion> {
    match (sides.a.content, sides.b.content) {
        (Content::Estimate(a), Content::Estimate(b)) => categories(Both { a, b }),
        (Content::Program(_) | Content::Estimate(_) | Content::Observation(_), _) => Vec::new(),
    }
}

fn categories(estimates: Both<&Estimate>) -> Vec<Portion> {
    let all: Vec<Portion> = Category::ALL
        .into_iter()
        .map(|kind| category(estimates, kind))
        .collect();
    let sum = |of: fn(&Portion) -> Time| -> Time { all.iter().map(of).sum() };
    let mean = Both {
        a: sum(|part| part.mean.a),
        b: sum(|part| part.mean.b),
    };
    all.into_iter().map(|part| with_share(part, mean)).collect()
}

fn portion(at: Named, executions: Both<u64>, mean: Both<Time>) -> Portion {
    Portion {
        at,
        executions,
        mean,
        difference: mean.b - mean.a,
        share: None,
    }
}

fn with_share(part: Portion, mean: Both<Time>) -> Portion {
    let whole = (mean.b - mean.a).picoseconds();
    if whole == 0 {
        return Portion {
            share: None,
            ..part
        };
    }
    // Adding 0.0 turns a negative zero into a positive one.
    let share = part.difference.picoseconds() as f64 / whole as f64 + 0.0;
    Portion {
        share: Some(share),
        ..part
    }
}

/// Mean over the ranks of an estimate.
fn mean(sum: i128, estimate: &Estimate) -> Time {
    Time::from_picoseconds((sum / i128::from(estimate.ranks.max(1))) as i64)
}

fn category(estimates: Both<&Estimate>, kind: Category) -> Portion {
    let of_side = |estimate: &Estimate| {
        let times = estimate
            .per_rank
            .iter()
            .map(|rank| i128::from(rank.split[kind.index()].picoseconds()));
        mean(times.sum(), estimate)
    };
    let at = Named {
        function: kind.label().into(),
        ..Named::default()
    };
    portion(at, Both::default(), estimates.map(of_side))
}

/// A call site or block under the number that both sides share.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Location {
    Call(SharedStop),
    Block(u32),
}

fn place(numbers: &Numbers<'_>, cell: &Cell) -> Location {
    match cell.activity {
        Activity::Site(site) => Location::Call(numbers.stop(Stop::Site(site))),
        Activity::Block(block) => Location::Block(numbers.block(block)),
    }
}

/// Executions, and picoseconds: many ranks together leave the range of [`Time`].
type Sum = (u64, i128);

/// The sums of one side's cells by place.
fn sums(estimate: &Estimate, numbers: &Numbers<'_>) -> BTreeMap<Location, Sum> {
    let mut sums: BTreeMap<Location, Sum> = BTreeMap::new();
    for cell in &estimate.cells {
        let sum = sums.entry(place(numbers, cell)).or_default();
        sum.0 += cell.count;
        sum.1 += cell
            .split
            .iter()
            .map(|time| i128::from(time.picoseconds()))
            .sum::<i128>();
    }
    sums
}

fn places(estimates: Both<&Estimate>, shared: &Shared) -> Vec<Portion> {
    let by_side = estimates
        .zip(shared.sides())
        .map(|(estimate, numbers)| sums(estimate, &numbers));
    let known: BTreeSet<Location> = by_side.a.keys().chain(by_side.b.keys()).copied().collect();
    let named = |place| match place {
        Location::Call(stop) => shared.stop_name(Some(stop)),
        Location::Block(number) => shared.block_name(number),
    };
    let part = |location: Location| {
        let sum = by_side
            .as_ref()
            .map(|sums| sums.get(&location).copied().unwrap_or_default());
        let means = sum
            .zip(estimates)
            .map(|((_, sum), estimate)| mean(sum, estimate));
        portion(
            named(location),
            sum.map(|(executions, _)| executions),
            means,
        )
    };
    let mut parts: Vec<Portion> = known.into_iter().map(part).collect();
    // Stable: what is equal in this stays in the order of call sites and blocks.
    parts.sort_by_key(|part| Reverse(part.difference.picoseconds().unsigned_abs()));
    parts
}
