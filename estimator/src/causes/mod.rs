//! Why the total is what it is: who comes late ([`wait_states`]), the critical path ([`critical_path`]), and
//! what another network or faster blocks would buy ([`sensitivity`]). All of it is of replays with mean
//! times.
//!
//! The common ground is [`origins`]: an observer that knows for each wait what it depended on ([`edge`]) and
//! lets each rank carry something along the chain of such causes: the entry of the latest rank, the last
//! hop of a path ([`path_tree`]), the derivative of its clock ([`slope`]). Replays with one parameter
//! changed ([`variation`]) are put together to a function of it by [`piecewise`].

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

/// Delays of messages by each other are seen in totals, but by which message is not followed.
const CONTENTION: &str = "messages delay each other under this model: on the critical path the \
    delay counts for the delayed message or call, and network sensitivities come from replays only";
/// What a wait depends on may then be a call of the same rank that let the transfer go on, or a buffer.
const NO_PATH: &str = "there is no critical path, since transfers progress only inside calls or eager credit is \
    limited";
const NOT_EXPLAINED: &str = "the program is too long for wait states, critical path and \
    sensitivities; estimate fewer of its iterations for these";
const TOO_LONG: &str = "the program is too long for sensitivities; the critical path shows where \
    its time is spent";

/// Why the total of the mean replay that left `outcome` and `cells` is what it is, and what could not be said.
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
    let (late, _) = mean_replay(
        setup,
        work,
        CausePropagation::new(setup.steps, &setup.machine.costs, accounts),
    )?;
    let (has_path, remark) = match setup.order {
        Order::ByRank => (true, None),
        Order::Processors => (true, Some(CONTENTION)),
        Order::ByTime(rules) if rules == Rules::default() => (true, Some(CONTENTION)),
        Order::ByTime(_) => (false, Some(NO_PATH)),
    };
    let critical_path = if has_path {
        critical_path(setup, work, &outcome.ranks, MOST_EDGES)?
    } else {
        CriticalPath::default()
    };
    let blocks = match has_path {
        true => sensitivity::blocks_of_path(&critical_path),
        false => sensitivity::blocks_of_cells(cells),
    };
    let found = sensitivities(setup, blocks, outcome.events)?;
    let too_long = found.is_none().then_some(TOO_LONG);
    let sensitivities = found.unwrap_or_default();
    let remarks = remark
        .into_iter()
        .chain(too_long)
        .map(String::from)
        .collect();
    Ok((
        Explanation {
            wait_states: late.carrier.finish(),
            critical_path,
            sensitivities,
        },
        remarks,
    ))
}

#[cfg(test)]
mod tests;
