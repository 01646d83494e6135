//! An estimate as large as real ones, made by counting alone.

use super::{microseconds, small_estimate};
use base_data::estimate_file::{Activity, Category, Cell, Estimate, RankTime, Segment, Timeline};
use base_data::{BlockId, CallSiteId, Time};

/// Iterations of a block, an exchange with a neighbour, a
/// second block and a reduction, after a set-up phase; ranks differ a little, by counting alone.
pub fn estimate(ranks: u32, segments: u32) -> Estimate {
    let (timelines, per_rank): (Vec<_>, Vec<_>) =
        (0..ranks).map(|rank| large_rank(rank, segments)).unzip();
    let headline = per_rank
        .iter()
        .map(|times: &RankTime| times.end)
        .max()
        .unwrap_or(Time::ZERO);
    let split = |rank: usize, category: Category| {
        let mut split = [Time::ZERO; 6];
        split[category.index()] = per_rank[rank].split[category.index()];
        split
    };
    let booked = [
        (Activity::Block(BlockId(0)), Category::Compute),
        (Activity::Site(CallSiteId(0)), Category::SendOverhead),
        (Activity::Site(CallSiteId(1)), Category::ReceiveWait),
        (Activity::Site(CallSiteId(2)), Category::CollectiveWait),
    ];
    let cells = (0..ranks).flat_map(|rank| {
        let cell = move |(activity, category)| (rank, activity, category);
        booked.into_iter().map(cell)
    });
    let count = u64::from(segments / 5);
    let cells: Vec<Cell> = cells
        .map(|(rank, activity, category)| Cell {
            rank,
            activity,
            count,
            split: split(rank as usize, category),
        })
        .collect();
    let timeline = Timeline {
        resolution: microseconds(5),
        ranks: timelines,
    };
    Estimate {
        ranks,
        headline,
        p10: headline.scaled(0.973),
        p90: headline.scaled(1.063),
        per_rank,
        cells,
        timeline,
        replayed_messages: u64::from(ranks) * u64::from(segments / 5),
        replayed_events: u64::from(ranks) * u64::from(segments),
        ..small_estimate()
    }
}

fn large_rank(rank: u32, segments: u32) -> (Vec<Segment>, RankTime) {
    let site = |id| Some(Activity::Site(CallSiteId(id)));
    let block = |id| Some(Activity::Block(BlockId(id)));
    let mut split = [Time::ZERO; 6];
    let mut end = Time::ZERO;
    let mut line = Vec::new();
    let mut push = |nanoseconds: u32, category: Category, activity| {
        let time = Time::from_nanoseconds(i64::from(nanoseconds));
        end += time;
        split[category.index()] += time;
        line.push(Segment {
            end,
            category,
            activity,
        });
    };
    push(
        9_000_000 + 400_000 * (rank % 3),
        Category::Compute,
        block(1),
    );
    for step in 0..segments.saturating_sub(1) / 5 {
        // What differs between ranks and drifts in the course of the run, below 16.
        let uneven = (rank * 7 + step * 13 + step / 300 * rank) % 16;
        push(61_000 + uneven * 900, Category::Compute, block(0));
        push(5_200, Category::SendOverhead, site(0));
        push(14_000 + (15 - uneven) * 700, Category::ReceiveWait, site(1));
        push(23_000, Category::Compute, block(0));
        push(
            18_500 + (15 - uneven) * 200,
            Category::CollectiveWait,
            site(2),
        );
    }
    (
        line,
        RankTime {
            begin: Time::ZERO,
            end,
            split,
        },
    )
}
