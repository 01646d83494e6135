//! The headline: the time of the replay with mean times, plus the mean delay by noise.

use super::seeds::Seeds;
use super::{HEADLINE, draw, draws_of};
use crate::EstimateError;
use crate::random::STRATA;
use crate::replay::workspace::{Outcome, Workspace};
use crate::setup::Setup;
use base_data::Time;

/// Events of the draws for the headline beyond those of the first [`STRATA`] draws: some tenths of a second.
const MOST_HEADLINE_EVENTS: u64 = 1 << 22;
/// Standard error of the headline at which there are draws enough, relative to it.
const FINE_ERROR: f64 = 0.0005;
/// The most batches that are drawn to reach it.
const FINE_BATCHES: usize = 16;
/// The error at which there are draws enough after so many batches. Where a block takes either no time or a long one, its noise is as
/// large as its time: 16 batches leave some per cent, and some hundred leave this.
const COARSE_ERROR: f64 = 0.005;
const MOST_BATCHES: u64 = 1024;
/// The headline's draws are a fixed sample, so that it is the same for every seed of the interval.
const SEED: u64 = 0;
/// Fewest batches whose means give the standard error.
const BATCHES_FOR_ERROR: usize = 4;

/// The headline, and the draws behind it.
pub(super) struct Headline {
    pub(super) time: Time,
    /// Totals with [`HEADLINE`] varying, ascending; not empty.
    pub(super) draws: Vec<Time>,
}

/// The mean of draws in which only varies what makes a run longer on average: noise, since ranks wait for the slowest, and
/// which rank has much of the data. All else is as the replay with mean times has it; nodes that may be slower are so by
/// the median of what they may be. Draws come in batches of [`STRATA`], in each of which each execution of a block takes
/// each sixteenth of its distribution once. So what adds up does not move the mean, and few batches are enough for the rest.
pub(super) fn headline_time(setup: &Setup<'_>, means: &Outcome) -> Result<Headline, EstimateError> {
    let varies = setup.times.varies() || setup.messages_vary() || !setup.times.unequal.is_empty();
    if !varies {
        let only = draw(
            setup,
            HEADLINE,
            Seeds {
                seed: SEED,
                batch: 0,
                draw: 0,
                draws: 1,
            },
            &mut Workspace::default(),
        )?;
        return Ok(Headline {
            time: only,
            draws: vec![only],
        });
    }
    // At least one batch whatever it costs: the headline needs it.
    let most = (MOST_HEADLINE_EVENTS / (means.events.max(1) * STRATA)).clamp(1, MOST_BATCHES);
    let mut batches: Vec<f64> = Vec::new();
    let mut draws: Vec<Time> = Vec::new();
    while (batches.len() as u64) < most && !is_certain(&batches, &draws) {
        let seeds = Seeds {
            seed: SEED,
            batch: 1 + batches.len() as u64,
            draw: 0,
            draws: STRATA,
        };
        let batch = draws_of(setup, HEADLINE, seeds)?;
        batches.push(mean_of(&batch));
        draws.extend(batch);
    }
    draws.sort_unstable();
    let mean = batches.iter().sum::<f64>() / batches.len() as f64;
    Ok(Headline {
        time: Time::from_picoseconds(mean.round() as i64),
        draws,
    })
}

/// Whether the mean of the batches is known well enough; of few batches, by all draws as if they were independent.
fn is_certain(batches: &[f64], draws: &[Time]) -> bool {
    let variance_of_mean = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let squares = values
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>();
        squares / (values.len() * (values.len() - 1)) as f64
    };
    // Draws of one batch are not independent (they share strata), batches are. Taking draws as independent
    // errs on the wide side.
    let error = if batches.len() >= BATCHES_FOR_ERROR {
        variance_of_mean(batches)
    } else if draws.len() > 1 {
        variance_of_mean(
            &draws
                .iter()
                .map(|draw| draw.picoseconds() as f64)
                .collect::<Vec<f64>>(),
        )
    } else {
        return false;
    };
    let tolerated = if batches.len() < FINE_BATCHES {
        FINE_ERROR
    } else {
        COARSE_ERROR
    };
    error.sqrt() <= tolerated * mean_of(draws)
}

fn mean_of(times: &[Time]) -> f64 {
    times
        .iter()
        .map(|time| time.picoseconds() as f64)
        .sum::<f64>()
        / times.len() as f64
}
