//! What could be assumed beside what is: decisions on computed data that end no loop. What becomes of them
//! nobody can propose, but what the slice would be is told, so that the user may say it.

use crate::assumptions::bulk_data;
use crate::assumptions::dependence_graph::{DependenceGraph, Need};
use crate::assumptions::removal_conditions;
use crate::dataflow::control::Control;
use crate::effects::model::Model;
use crate::graphs::assumed_outcomes::Clause;
use crate::ir::analysis::SuggestedAssumption;
use std::collections::BTreeSet;

/// More decisions than these are nobody's business to confirm.
const MAX_COUNT: usize = 8;

/// The fewest decisions that separate bulk data from the MPI calls, if a slice without is smaller by a hundredth of
/// the program at least.
pub(crate) fn find(
    model: &Model,
    control: &Control,
    needs: &DependenceGraph,
) -> Option<SuggestedAssumption> {
    let free: BTreeSet<Clause> = model
        .outline
        .all()
        .flat_map(|id| removal_conditions::free_clauses(model, control, id))
        .collect();
    let is_open = |need: Need| matches!(need, Need::Evaluation(clause) if free.contains(&clause));
    let reach = |blocked: &dyn Fn(Need) -> bool| {
        let mut reached = BTreeSet::new();
        needs.reach(&[Need::Criterion], blocked, &mut reached);
        reached
    };
    let (all, anyway) = (reach(&|_| false), reach(&is_open));
    let computes = |need: &&Need| need.kept().is_some_and(|id| bulk_data::computes(model, id));
    let targets: Vec<Need> = all.difference(&anyway).filter(computes).copied().collect();
    if targets.is_empty() {
        return None;
    }
    let cut = needs.minimum_cut(is_open, &targets);
    let kept =
        |reached: &BTreeSet<Need>| reached.iter().filter(|need| need.kept().is_some()).count();
    let without = kept(&reach(&|need| cut.contains(&need)));
    let little = model.outline.all().count() / 100;
    let is_worth_it = cut.len() <= MAX_COUNT && without + little.max(1) <= kept(&all);
    is_worth_it.then(|| SuggestedAssumption {
        open: removal_conditions::open(model, &cut),
        kept: without as u64,
    })
}
