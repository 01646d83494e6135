//! Why a slice is large: the one demand without which it would be smallest. Each candidate is taken out of the graph of
//! needs, and what is then still reached is counted.

use crate::assumptions::dependence_graph::{DependenceGraph, Need};
use crate::assumptions::removal_conditions;
use crate::dataflow::control::Control;
use crate::effects::message_levels::{Agreed, MessageClass};
use crate::effects::model::Model;
use crate::effects::statement_effects::IndirectEffect;
use crate::graphs::assumed_outcomes::Clause;
use crate::ir::StatementId;
use crate::ir::analysis::{Open, SliceCause};
use std::collections::BTreeSet;

/// Most candidates that are tried, those nearest to the MPI calls first.
const MAX_COUNT: usize = 200;
/// Demands that account for less of the program are not worth a sentence: a hundredth.
const LEAST: usize = 100;

/// The demand without which fewest statements stay; `None` if no single one accounts for a hundredth of the program.
pub(crate) fn find(
    model: &Model,
    control: &Control,
    needs: &DependenceGraph,
) -> Option<SliceCause> {
    let free: BTreeSet<Clause> = model
        .outline
        .all()
        .flat_map(|id| removal_conditions::free_clauses(model, control, id))
        .collect();
    let reach = |without: Option<Need>| {
        let mut reached = BTreeSet::new();
        let found = needs.reach(
            &[Need::Criterion],
            |need| Some(need) == without,
            &mut reached,
        );
        (found, reached)
    };
    let kept = |all: &BTreeSet<Need>| all.iter().filter(|need| need.kept().is_some()).count();
    let (nearest, all) = reach(None);
    let is_candidate = |need: &Need| match need {
        Need::Evaluation(clause) => free.contains(clause),
        Need::Place(place, _) => model.locations.is_file(*place),
        Need::Data(_) | Need::Globals | Need::CallsOf(IndirectEffect::WithoutSource) => true,
        Need::Criterion
        | Need::Statement(_)
        | Need::Decision(_)
        | Need::Entry(_)
        | Need::Terminations(_)
        | Need::Frame(_)
        | Need::CallsOf(IndirectEffect::Procedure(_)) => false,
    };
    let mut best: Option<(usize, Need)> = None;
    for need in nearest.iter().copied().filter(is_candidate).take(MAX_COUNT) {
        let without = kept(&reach(Some(need)).1);
        if best.is_none_or(|(least, _)| without < least) {
            best = Some((without, need));
        }
    }
    let (without, need) = best?;
    let little = (model.outline.all().count() / LEAST).max(1);
    if without + little > kept(&all) {
        return None;
    }
    let at = needing(needs, need)?;
    let without = without as u64;
    Some(match need {
        Need::Evaluation(clause) => {
            let open: Vec<Open> = removal_conditions::open(model, &[Need::Evaluation(clause)]);
            SliceCause::Decision {
                open: open.into_iter().next()?,
                without,
            }
        }
        Need::Data(class) => {
            let mixed = matches!(
                class,
                MessageClass::PointToPoint(Agreed::Anything)
                    | MessageClass::Collective(_, Agreed::Anything)
            );
            SliceCause::Messages { at, mixed, without }
        }
        Need::Place(..) => SliceCause::File { at, without },
        _ => SliceCause::WithoutSource { at, without },
    })
}

/// The statement that needs something, on a shortest chain of needs from the MPI calls.
fn needing(needs: &DependenceGraph, target: Need) -> Option<StatementId> {
    let chain = needs.chain_to(target);
    chain.into_iter().rev().skip(1).find_map(|need| match need {
        Need::Statement(id) | Need::Decision(id) => Some(id),
        Need::Evaluation(clause) => Some(clause.statement),
        _ => None,
    })
}
