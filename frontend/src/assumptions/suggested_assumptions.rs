//! Suggested assumptions: branches on computed data that end no loop. No outcome of them can be proposed, but the report
//! says how much smaller the slice is under an assumption, so that the user can make it.

use crate::assumptions::bulk_data;
use crate::assumptions::removal_conditions;
use crate::dataflow::control::Control;
use crate::effects::model::Model;
use crate::slice::dependence_graph::{DependenceGraph, NeedSet};
use crate::slice::needs::Need;

use crate::ir::analysis::SuggestedAssumption;

/// Most branches of one suggestion: a user cannot judge more.
const MAX_COUNT: usize = 8;

/// A minimum cut of branches that separate bulk data from the MPI calls, if the slice without them is smaller by at least a
/// hundredth of the program.
pub(crate) fn find(
    model: &Model,
    control: &Control,
    needs: &DependenceGraph,
) -> Option<SuggestedAssumption> {
    let free = removal_conditions::all_free_clauses(model, control);
    let is_open = |need: Need| matches!(need, Need::Evaluation(clause) if free.contains(&clause));
    let mut all = NeedSet::default();
    let found = needs.reach(&[Need::Criterion], |_| false, &mut all);
    // Bulk data that the slice needs without passing through an open branch: no assumption removes them.
    let inevitable = reached(needs, is_open);
    let mut targets: Vec<Need> = Vec::new();
    for need in found {
        if let Some(id) = need.kept()
            && !needs.contains(&inevitable, need)
            && bulk_data::computes(model, id)
        {
            targets.push(need);
        }
    }
    if targets.is_empty() {
        return None;
    }
    let cut = needs.minimum_cut(is_open, &targets);
    if cut.len() > MAX_COUNT {
        return None;
    }
    let without = needs.kept_count(&reached(needs, |need| cut.contains(&need)));
    let hundredth = (model.outline.all().count() / 100).max(1);
    if without + hundredth > needs.kept_count(&all) {
        return None;
    }
    Some(SuggestedAssumption {
        open: removal_conditions::open(model, &cut),
        kept: without as u64,
    })
}

/// What the MPI calls need by dependences that do not pass through a blocked need.
fn reached(needs: &DependenceGraph, blocked: impl Fn(Need) -> bool) -> NeedSet {
    let mut reached = NeedSet::default();
    needs.reach(&[Need::Criterion], blocked, &mut reached);
    reached
}
