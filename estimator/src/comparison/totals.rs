//! The few numbers to remember of a comparison.

use super::outcome::{Position, Predicted, RankTimes, RankTotal, StartUp, Totals};
use super::parts::Parts;
use super::side::{Both, ComparedFile, Content, ContentKind};
use base_data::observation::Observation;
use base_data::program_data::{Call, Op};
use base_data::stream::entries;
use base_data::{Rank, Time};

/// The totals; `whole` says that everything is compared that an estimate predicts.
pub(super) fn totals(sides: &Both<ComparedFile<'_>>, parts: &Parts, whole: bool) -> Totals {
    let predicted = sides
        .as_ref()
        .map(|side| if whole { predicted(side) } else { None });
    let longest = Both {
        a: longest(parts.ranks(), |rank| rank.total.a),
        b: longest(parts.ranks(), |rank| rank.total.b),
    };
    let time = predicted
        .zip(longest)
        .map(|(predicted, longest)| predicted.map_or(longest.time, |found| found.time));
    Totals {
        time,
        longest,
        mean: parts.mean(),
        predicted,
        start_up: sides.as_ref().map(start_up),
        interval: position(sides, predicted, longest),
    }
}

fn predicted(side: &ComparedFile<'_>) -> Option<Predicted> {
    match side.content {
        Content::Estimate(estimate) => Some(Predicted::of(estimate)),
        Content::Program(_) | Content::Observation(_) => None,
    }
}

/// The rank with the longest time, the first of equal ones.
fn longest(ranks: &[RankTimes], total: fn(&RankTimes) -> Time) -> RankTotal {
    let times = ranks.iter().map(|rank| RankTotal {
        rank: rank.rank,
        time: total(rank),
    });
    times
        .reduce(|most, next| if next.time > most.time { next } else { most })
        .unwrap_or_default()
}

/// Where the run lies if the other side is an estimate with an interval.
fn position(
    sides: &Both<ComparedFile<'_>>,
    predicted: Both<Option<Predicted>>,
    longest: Both<RankTotal>,
) -> Option<Position> {
    let (predicted, run) = match (sides.a.kind(), sides.b.kind()) {
        (ContentKind::Estimate, ContentKind::Observation) => (predicted.a?, longest.b.time),
        (ContentKind::Observation, ContentKind::Estimate) => (predicted.b?, longest.a.time),
        (ContentKind::Program | ContentKind::Estimate | ContentKind::Observation, _) => {
            return None;
        }
    };
    // A single draw has no interval.
    if predicted.draws < 2 {
        return None;
    }
    Some(match run {
        run if run < predicted.p10 => Position::Below,
        run if run > predicted.p90 => Position::Above,
        _ => Position::Inside,
    })
}

fn start_up(side: &ComparedFile<'_>) -> Option<StartUp> {
    match side.content {
        Content::Observation(observation) => {
            let mean = |wanted| mean_in(observation, &wanted);
            Some(StartUp {
                init: mean(Call::Init),
                finalize: mean(Call::Finalize),
            })
        }
        Content::Program(_) | Content::Estimate(_) => None,
    }
}

/// Mean time over ranks in calls of one kind without operands.
fn mean_in(observation: &Observation, wanted: &Call) -> Time {
    let of_rank = |(rank, times): (u32, &base_data::observation::ObservedRank)| -> Time {
        let entries = entries(&observation.program, Rank(rank)).zip(&times.durations);
        let wanted =
            entries.filter(|(op, _)| matches!(op, Op::Call { call, .. } if call == wanted));
        wanted.map(|(_, &time)| time).sum()
    };
    let sum: Time = (0..).zip(&observation.ranks).map(of_rank).sum();
    Time::from_picoseconds(sum.picoseconds() / observation.ranks.len().max(1) as i64)
}
