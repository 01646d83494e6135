//! Why the total is what it is: who comes late ([`lateness`]), the critical path ([`critical_path`]), and
//! what another network or faster blocks would buy ([`sensitivity`]). All of it is of replays with mean
//! times.
//!
//! The common ground is [`origins`]: an observer that knows for each wait what it hung on ([`hop`]) and
//! lets each rank carry something along the chain of such causes: the entry of the latest rank, the last
//! hop of a path ([`path_tree`]), the derivative of its clock ([`slope`]). Replays with one parameter
//! changed ([`variation`]) are put together to a function of it by [`piecewise`].

mod critical_path;
mod hop;
mod lateness;
mod origins;
mod path_tree;
mod piecewise;
mod sensitivity;
mod slope;
mod variation;

use crate::EstimateError;
use crate::assemble::{MOST_FULL_EVENTS, mean_replay};
use crate::replay::timed::{Order, Rules};
use crate::replay::workspace::{Outcome, Workspace};
use crate::setup::Setup;
use base_data::estimate_file::Cell;
use base_data::explanation::{CriticalPath, Explanation};
use critical_path::{MOST_HOPS, critical_path};
use lateness::LatenessBooks;
use origins::Origins;
use sensitivity::sensitivities;

/// Delays of messages by each other are seen in totals, but by which message is not followed.
const CONTENTION: &str = "messages delay each other under this model: on the critical path the delay counts as time of the \
                          message or call that it hits, and what another network would change is known by replays alone";
/// What a wait hangs on may then be a call of the same rank that let the transfer go on, or a buffer.
const NO_PATH: &str =
    "with transfers that move inside calls only, or limited eager credit, no critical path is told";
const NOT_EXPLAINED: &str = "the program is too long to say who comes late, what its critical path is and what \
                            another network would change; estimate fewer of its iterations for that";
const TOO_LONG: &str = "the program is too long to try out other networks and faster blocks; the critical path says \
                        what its time is spent on";

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
    let books = LatenessBooks::new(&outcome.ranks);
    let (late, _) = mean_replay(setup, work, Origins::new(setup.steps, &setup.machine.costs, books))?;
    let (has_path, remark) = match setup.order {
        Order::ByRank => (true, None),
        Order::Processors => (true, Some(CONTENTION)),
        Order::ByTime(rules) if rules == Rules::default() => (true, Some(CONTENTION)),
        Order::ByTime(_) => (false, Some(NO_PATH)),
    };
    let critical_path = if has_path {
        critical_path(setup, work, &outcome.ranks, MOST_HOPS)?
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
    let remarks = remark.into_iter().chain(too_long).map(String::from).collect();
    Ok((Explanation { lateness: late.carrier.finish(), critical_path, sensitivities }, remarks))
}

#[cfg(test)]
mod tests;
