//! Sensitivities: the total as a function of one network parameter or block time.

use super::piecewise::{self, PRESENT};
use super::variation::{self, Variation};
use crate::EstimateError;
use crate::replay::timed::Order;
use crate::replay::workspace::Workspace;
use crate::setup::Setup;
use base_data::estimate_file::{Activity, Cell};
use base_data::explanation::{CriticalPath, PathItem, PathShare, Sensitivity, SensitivityPoint};
use base_data::{BlockId, Time};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Factors that are looked at in any case: none of it, half, all, twice as much.
const NETWORK_FACTORS: [f64; 4] = [0.0, 0.5, PRESENT, 2.0];
/// The same for blocks, which always take some time: ten times as fast, twice, 20 % faster, as they
/// are, half as fast.
const BLOCK_FACTORS: [f64; 5] = [0.1, 0.5, 1.0 / 1.2, PRESENT, 2.0];

/// Blocks that are looked at.
const MOST_BLOCKS: usize = 5;
/// A block with a smaller share of the critical path is not worth a replay.
const LEAST_SHARE: f64 = 0.01;

/// Replays per parameter.
const MOST_REPLAYS: u64 = 14;
/// Events of all these replays together: some seconds.
const MOST_EVENTS: u64 = 1 << 28;

/// How many replays per parameter a program of so many events can have.
fn replays(events: u64, parameters: usize) -> usize {
    // By events and not by a clock, so that the same input gives the same report everywhere.
    let each = MOST_EVENTS / events.max(1) / (parameters as u64).max(1);
    each.min(MOST_REPLAYS) as usize
}

/// The functions, network first; `None` if the program is so long that its replays would take too long.
///
/// # Errors
/// Those of making the network model.
pub(crate) fn sensitivities(
    setup: &Setup<'_>,
    blocks: Vec<BlockId>,
    events: u64,
) -> Result<Option<Vec<Sensitivity>>, EstimateError> {
    let mut variations = variation::of_network(setup)?;
    variations.extend(blocks.into_iter().map(Variation::Block));
    let replays = replays(events, variations.len());
    if replays < BLOCK_FACTORS.len() {
        return Ok(None);
    }
    in_parallel(&variations, |variation, work| {
        sensitivity(setup, variation, replays, work)
    })
    .map(Some)
}

/// The blocks with the largest shares of the critical path.
pub(crate) fn blocks_of_path(path: &CriticalPath) -> Vec<BlockId> {
    let least = path.length.scaled(LEAST_SHARE);
    let block = |share: &PathShare| match share.item {
        PathItem::Block(block) if share.time >= least => Some(block),
        PathItem::Block(_) | PathItem::Call(_) | PathItem::Message { .. } => None,
    };
    path.shares
        .iter()
        .filter_map(block)
        .take(MOST_BLOCKS)
        .collect()
}

/// The blocks with the largest shares of all ranks' time, where there is no critical path.
pub(crate) fn blocks_of_cells(cells: &[Cell]) -> Vec<BlockId> {
    let mut sums: BTreeMap<BlockId, Time> = BTreeMap::new();
    let mut all = Time::ZERO;
    for cell in cells {
        let time: Time = cell.split.into_iter().sum();
        all += time;
        if let Activity::Block(block) = cell.activity {
            *sums.entry(block).or_default() += time;
        }
    }
    let least = all.scaled(LEAST_SHARE);
    let mut large: Vec<(BlockId, Time)> = sums
        .into_iter()
        .filter(|(_, time)| *time >= least)
        .collect();
    large.sort_by_key(|&(block, time)| (Reverse(time), block));
    large
        .into_iter()
        .map(|(block, _)| block)
        .take(MOST_BLOCKS)
        .collect()
}

fn sensitivity(
    setup: &Setup<'_>,
    variation: &Variation,
    replays: usize,
    work: &mut Workspace,
) -> Result<Sensitivity, EstimateError> {
    let factors: &[f64] = match variation {
        Variation::Network(_) => &NETWORK_FACTORS,
        Variation::Block(_) => &BLOCK_FACTORS,
    };
    // With a section the total is a difference of two such functions, and where messages delay each
    // other it is none at all: both may bend either way.
    let is_convex = !setup.steps.has_section && setup.order == Order::ByRank;
    let most = if is_convex { replays } else { factors.len() };
    let found = piecewise::find(factors, most, |factor| {
        variation.replay(setup, work, factor)
    })?;
    let present = |point: &&SensitivityPoint| point.factor == PRESENT;
    let slope = found
        .points
        .iter()
        .find(present)
        .map(|point| point.slope)
        .unwrap_or_default();
    let straight = if setup.order == Order::ByRank {
        found.straight
    } else {
        [PRESENT; 2]
    };
    let exact = found.exact && is_convex;
    Ok(Sensitivity {
        varied: variation.varied(),
        slope,
        straight,
        exact,
        points: found.points,
    })
}

/// Results in the order of `variations`, whatever the number of threads.
fn in_parallel(
    variations: &[Variation],
    find: impl Fn(&Variation, &mut Workspace) -> Result<Sensitivity, EstimateError> + Sync,
) -> Result<Vec<Sensitivity>, EstimateError> {
    let threads = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(variations.len().max(1));
    let part = |first: usize| {
        let mut work = Workspace::default();
        let own = variations.iter().enumerate().skip(first).step_by(threads);
        own.map(|(index, variation)| Ok((index, find(variation, &mut work)?)))
            .collect::<Result<Vec<_>, _>>()
    };
    let parts: Vec<Result<Vec<(usize, Sensitivity)>, EstimateError>> =
        std::thread::scope(|scope| {
            let running: Vec<_> = (0..threads)
                .map(|first| scope.spawn(move || part(first)))
                .collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread
                    .join()
                    .unwrap_or_else(|cause| std::panic::resume_unwind(cause))
            };
            running.into_iter().map(join).collect()
        });
    let mut found: Vec<(usize, Sensitivity)> = parts
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect();
    // Threads take every n-th variation; the index restores the order.
    found.sort_by_key(|(index, _)| *index);
    Ok(found
        .into_iter()
        .map(|(_, sensitivity)| sensitivity)
        .collect())
}
