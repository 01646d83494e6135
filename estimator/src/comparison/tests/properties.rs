//! What holds for any two files of one program: parts add up, sides can be swapped, nothing differs
//! from itself.

use super::*;
use base_data::program_data::Op;
use base_data::stream::entries;
use proptest::prelude::*;

/// A stream of blocks and calls; the numbers choose which.
fn stream(choices: &[(u8, u8)]) -> String {
    let entry = |&(choice, rounds): &(u8, u8)| match choice {
        0 => "block 0\n".into(),
        1 => "block 1\n".into(),
        2 => "barrier site=1 count=0\n".into(),
        3 => "clock site=4\n".into(),
        _ => format!(
            "loop {rounds}\nblock 0\nblock 1\nallreduce site=2 count=1 type=real8 op=sum\nend\n"
        ),
    };
    let inner: String = choices.iter().map(entry).collect();
    format!("init site=0\n{inner}finalize site=3\n")
}

fn estimate_of(program: &ProgramData, times: &[i64]) -> Estimate {
    let mut times = times.iter().cycle();
    let mut cells = Vec::new();
    for rank in 0..2 {
        let mut counts = std::collections::BTreeMap::<Activity, u64>::new();
        for op in entries(program, base_data::Rank(rank)) {
            let activity = match op {
                Op::Block { block, .. } => Activity::Block(*block),
                Op::Call { site, .. } if site.0 == 1 || site.0 == 2 => Activity::Site(*site),
                _ => continue,
            };
            *counts.entry(activity).or_default() += 1;
        }
        let split = |time: &i64| [Time::from_picoseconds(*time); 6];
        let cell = |(activity, count)| Cell {
            rank,
            activity,
            count,
            split: split(times.next().unwrap()),
        };
        cells.extend(counts.into_iter().map(cell));
    }
    Estimate {
        program: program.clone(),
        ranks: 2,
        cells,
        headline: us(1),
        ..Estimate::default()
    }
}

fn observation_of(program: &ProgramData, times: &[i64]) -> Observation {
    let mut times = times
        .iter()
        .cycle()
        .map(|&time| Time::from_picoseconds(time));
    let mut rank = |rank| {
        let length = entries(program, base_data::Rank(rank)).count();
        let mut take = || times.by_ref().take(length).collect::<Vec<Time>>();
        let (gaps, durations) = (take(), take());
        let had = |(entry, time): (u32, &Time)| ProcessorTime {
            entry,
            stretch: if entry % 2 == 0 {
                Stretch::Gap
            } else {
                Stretch::Entry
            },
            time: time.scaled(0.7),
        };
        let processor = (0..).zip(&gaps).map(had).collect();
        ObservedRank {
            gaps,
            durations,
            processor,
            ..ObservedRank::default()
        }
    };
    Observation {
        program: program.clone(),
        ranks: vec![rank(0), rank(1)],
        ..Observation::default()
    }
}

fn sum(parts: &[ComponentDifference]) -> f64 {
    parts.iter().map(|part| part.share.unwrap()).sum()
}

fn is(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-6 * (1.0 + expected.abs())
}

/// The parts of the difference are all of it; places are all of their part.
fn adds_up(times: &Times) -> bool {
    let Some(computing) = times.parts[0].share else {
        return times.totals.mean.a == times.totals.mean.b;
    };
    // Parts far larger than the difference of their sums lose digits.
    let scale: f64 = times
        .gaps
        .iter()
        .chain(&times.calls)
        .map(|part| part.share.unwrap().abs())
        .sum();
    let close = |found: f64, expected: f64| (found - expected).abs() < 1e-9 * (1.0 + scale);
    let whole = times
        .parts
        .iter()
        .find(|part| part.what == TimeComponent::Calls);
    close(sum(&times.parts), 1.0)
        && close(
            sum(&times.calls),
            whole.map_or(0.0, |part| part.share.unwrap()),
        )
        && close(sum(&times.gaps), computing)
        && (times.blocks.is_empty() || close(sum(&times.blocks), computing))
}

fn negated(a: &[ComponentDifference], b: &[ComponentDifference]) -> bool {
    let key = |part: &ComponentDifference, sign: i64| {
        (
            format!("{:?}", part.what),
            part.difference.picoseconds() * sign,
        )
    };
    let sorted = |parts: &[ComponentDifference], sign| {
        let mut keys: Vec<_> = parts.iter().map(|part| key(part, sign)).collect();
        keys.sort();
        keys
    };
    sorted(a, 1) == sorted(b, -1)
}

fn without_difference(times: &Times) -> bool {
    let all = [&times.parts, &times.calls, &times.gaps, &times.blocks];
    times.totals.difference() == Time::ZERO
        && all
            .into_iter()
            .flatten()
            .all(|part| part.difference == Time::ZERO && part.share.is_none())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn parts_add_up_swap_and_vanish(
        choices in proptest::collection::vec((0u8..5, 1u8..4), 1..12),
        of_a in proptest::collection::vec(0i64..1_000_000_000, 5..40),
        of_b in proptest::collection::vec(0i64..1_000_000_000, 5..40),
        marked in any::<bool>(),
        predicted in any::<[bool; 2]>(),
    ) {
        let whole = program(&stream(&choices));
        let bare = program(&stream(&choices).replace("block 0\n", "").replace("block 1\n", ""));
        let run = if marked { &whole } else { &bare };
        let (estimates, runs) = (
            [estimate_of(&whole, &of_a), estimate_of(&whole, &of_b)],
            [observation_of(run, &of_a), observation_of(run, &of_b)],
        );
        let side = |number: usize| match predicted[number] {
            true => Content::Estimate(&estimates[number]),
            false => Content::Observation(&runs[number]),
        };
        let times = |a, b| compared(a, b).unwrap().times.unwrap();
        let there = times(side(0), side(1));
        prop_assert!(adds_up(&there), "{there:#?}");
        let back = times(side(1), side(0));
        prop_assert!(negated(&there.calls, &back.calls) && negated(&there.gaps, &back.gaps));
        prop_assert!(negated(&there.blocks, &back.blocks) && negated(&there.parts, &back.parts));
        prop_assert!(without_difference(&times(side(0), side(0))));
        let of_ranks: i128 = there.ranks.iter().map(|rank| i128::from(rank.total.b.picoseconds())).sum();
        prop_assert!(is(there.totals.mean.b.picoseconds() as f64, (of_ranks / 2) as f64));
    }
}
