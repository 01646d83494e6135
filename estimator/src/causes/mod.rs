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
use crate::assemble::mean_replay;
use crate::replay::timed::Order;
use crate::replay::workspace::{Outcome, Workspace};
use crate::setup::Setup;
use base_data::explanation::Explanation;
use critical_path::{MOST_HOPS, critical_path};
use lateness::LatenessBooks;
use origins::Origins;
use sensitivity::sensitivities;

/// What a wait hangs on is known only where no message delays another.
const CONTENTION: &str = "messages delay each other under this model, so there is no critical path of single messages; \
                          a model without contention (--model loggps-p, loggp-2, mpiete) says what the time hangs on";

/// Why the total of the mean replay that left `outcome` is what it is, and what could not be said.
///
/// # Errors
/// Those of making the network model.
pub(crate) fn explain(
    setup: &Setup<'_>,
    work: &mut Workspace,
    outcome: &Outcome,
) -> Result<(Explanation, Option<String>), EstimateError> {
    match setup.order {
        Order::ByRank => {}
        Order::Processors => return Ok((Explanation::default(), Some(CONTENTION.into()))),
    }
    let books = LatenessBooks::new(&outcome.ranks);
    let (late, _) = mean_replay(setup, work, Origins::new(setup.steps, &setup.machine.costs, books))?;
    let critical_path = critical_path(setup, work, &outcome.ranks, MOST_HOPS)?;
    let found = sensitivities(setup, &critical_path, outcome.events)?;
    let remark = found.is_none().then(|| {
        "the program is too long to try out other networks and faster blocks; the critical path says what its \
         time is spent on"
            .into()
    });
    let sensitivities = found.unwrap_or_default();
    Ok((Explanation { lateness: late.carrier.finish(), critical_path, sensitivities }, remark))
}

#[cfg(test)]
mod tests;
