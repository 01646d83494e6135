//! Causes of the total: wait states ([`wait_states`]), the critical path ([`critical_path`]), and the total
//! with another network or faster blocks ([`sensitivity`]). All of them come from replays with mean times.
//!
//! They share one observer, [`cause_propagation`]. For each wait it determines the call on which the wait
//! depended ([`dependence_edge`]), and each rank's state follows this chain of causes: the latest entry into
//! a collective, the last edge of a path ([`critical_path_tree`]), or the derivative of the clock
//! ([`slope`]). [`piecewise`] combines replays with one parameter changed ([`variation`]) to a function.

mod cause_propagation;
mod critical_path;
mod critical_path_tree;
mod dependence_edge;
mod piecewise;
mod sensitivity;
mod slope;
mod variation;
mod wait_states;

use crate::EstimateError;
use crate::assemble::{MOST_FULL_EVENTS, mean_replay};
use crate::replay::timed::{Order, Rules};
use crate::replay::workspace::{Outcome, Workspace};
use crate::setup::Setup;
use base_data::estimate_file::Cell;
use base_data::explanation::{CriticalPath, Explanation};
use cause_propagation::CausePropagation;
use critical_path::{MOST_EDGES, critical_path};
use sensitivity::sensitivities;
use wait_states::WaitStateAccounts;

/// Totals include contention, but the replay does not record which message delays which.
const CONTENTION: &str = "messages delay each other under this model: the critical path \
    charges a delay to the delayed message or call; sensitivities to the network come from replays";
const ARRIVALS: &str = "what some calls do depends on the order of arrivals; sensitivities to the network come from replays";
/// A wait may then depend on a call of the same rank that made the transfer progress, or on a buffer.
const NO_PATH: &str = "there is no critical path, since transfers progress only inside calls or eager credit is \
    limited";
const NOT_EXPLAINED: &str = "the program is too long for wait states, critical path and \
    sensitivities; estimate fewer of its iterations for these";
const TOO_LONG: &str = "the program is too long for sensitivities; the critical path shows where \
    its time is spent";

/// Explains the total of the mean replay with this `outcome` and these `cells`; with remarks on what is missing.
///
/// # Errors
/// Those of making the network model.
pub(crate) fn explain(
    setup: &Setup<'_>,
    work: &mut Workspace,
    outcome: &Outcome,
    cells: &[Cell],
) -> Result<(Explanation, Vec<String>), EstimateError> {
    if outcome.events > MOST_FULL_EVENTS {
        return Ok((Explanation::default(), vec![NOT_EXPLAINED.into()]));
    }
    let accounts = WaitStateAccounts::new(&outcome.ranks);
    let (wait_states, _) = mean_replay(
        setup,
        work,
        CausePropagation::new(setup.steps, &setup.machine.costs, accounts),
    )?;
    // Where messages share a capacity, a wait has no single predecessor: the path is that without contention, or none.
    let has_contention = setup.machine.costs.iter().any(|cost| cost.shared.is_some());
    let (has_path, remark) = match setup.order {
        Order::ByRank => (true, None),
        Order::Processors => (true, Some(CONTENTION)),
        Order::ByTime(rules) if rules == Rules::default() => match has_contention {
            true => (true, Some(CONTENTION)),
            false => (true, Some(ARRIVALS)),
        },
        Order::ByTime(_) => (false, Some(NO_PATH)),
    };
    let critical_path = if has_path {
        critical_path(setup, work, &outcome.ranks, MOST_EDGES)?
    } else {
        CriticalPath::default()
    };
    // Only blocks that can shorten the run are worth a replay each.
    let blocks = match has_path {
        true => sensitivity::blocks_of_path(&critical_path),
        false => sensitivity::blocks_of_cells(cells),
    };
    let found = sensitivities(setup, blocks, outcome.events)?;
    let (sensitivities, too_long) = match found {
        Some(found) => (found, None),
        None => (Vec::new(), Some(TOO_LONG)),
    };
    let remarks = remark
        .into_iter()
        .chain(too_long)
        .map(String::from)
        .collect();
    Ok((
        Explanation {
            wait_states: wait_states.carrier.finish(),
            critical_path,
            sensitivities,
        },
        remarks,
    ))
}

#[cfg(test)]
mod tests;
