//! Why a slice is large: the change without whose dependences it is smallest. Without a dependence, the slice loses the statements
//! that it dominates in the dependence graph. Where several changes together remove much more than any one of them, they are a
//! minimum cut between the MPI calls and bulk data. Procedures without source are no change here: what they may do is in more
//! than the graph, so callers repeat the analysis without it.

use crate::assumptions::bulk_data;
use crate::assumptions::removal_conditions;
use crate::dataflow::control::Control;
use crate::effects::message_class::{Agreed, MessageClass};
use crate::effects::model::Model;
use crate::fortran::spell;
use crate::graphs::assumed_outcomes::Clause;
use crate::graphs::call_graph;
use crate::ir::analysis::{AssumptionCandidate, MixedMessages, SliceCause, SliceChange};
use crate::ir::{Callee, IoOperation, StatementId, StatementKind};
use crate::memory::files::Unit;
use crate::slice::dependence_graph::{DependenceGraph, NeedSet};
use crate::slice::needs::Need;
use base_data::mpi::Role;
use std::collections::{BTreeMap, BTreeSet};

/// Most changes of which each is tried, those nearest to the MPI calls first.
const MAX_CHANGES: usize = 200;
/// Most changes that are named together: a user cannot judge more.
const MAX_TOGETHER: usize = 8;
/// Changes that remove less of a slice than this part, a tenth, are not worth naming: they leave its cost as it is.
const WORTHWHILE: usize = 10;

/// A change that removes dependences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    /// Assume an outcome.
    Decision(Clause),
    /// Do without the data of messages of this class.
    Data(MessageClass),
    /// Let data that may match all others match only those of their own sort.
    Sort(MessageClass),
    /// Let the files of this class be others than those that the program writes.
    File(u32),
}

/// What makes a slice large; `None` if it is empty.
pub(crate) fn find(
    model: &Model,
    control: &Control,
    needs: &DependenceGraph,
) -> Option<SliceCause> {
    let finder = SliceCauseFinder {
        model,
        free: removal_conditions::all_free_clauses(model, control),
        written: written_classes(model),
        needs,
    };
    let all = finder.kept_without(|_| false);
    let inevitable = finder.kept_without(|change| change.is_some());
    let single = finder.best_change(all);
    let several = finder.cut();
    let removed_by = |changes: &[Change]| {
        let without =
            finder.kept_without(|change| change.is_some_and(|one| changes.contains(&one)));
        all - without
    };
    let (mut changes, mut removed) = (Vec::new(), 0);
    if let Some((change, count)) = single {
        let (change, count) = finder.by_datatypes(change, count, all);
        (changes, removed) = (vec![change], count);
    }
    let together = removed_by(&several);
    // One change is easier to make: several are named only if they remove at least twice as much.
    if together >= 2 * removed.max(1) {
        (changes, removed) = (several, together);
    }
    if all == 0 {
        return None;
    }
    if removed * WORTHWHILE < all {
        (changes, removed) = (Vec::new(), 0);
    }
    Some(SliceCause {
        changes: finder.described(&changes),
        removed: removed as u64,
        inevitable: inevitable as u64,
    })
}

/// Finds changes that make a slice smaller.
struct SliceCauseFinder<'a, 'b> {
    model: &'a Model<'a>,
    /// The clauses of which an outcome can be assumed.
    free: BTreeSet<Clause>,
    /// The classes of files with output.
    written: BTreeSet<usize>,
    needs: &'b DependenceGraph,
}

impl SliceCauseFinder<'_, '_> {
    /// What a user can do about a dependence.
    fn change(&self, need: Need) -> Option<Change> {
        let locations = &self.model.locations;
        match need {
            Need::Evaluation(clause) if self.free.contains(&clause) => {
                Some(Change::Decision(clause))
            }
            Need::Place(place, _) if locations.is_file(place) => {
                let classes = 0..locations.files.names().len();
                let own = classes.into_iter().find(|&class| {
                    [locations.connection(class), locations.contents(class)].contains(&place)
                })?;
                // Input that the program does not write is needed in any case.
                let mut alike = locations.files.alike(own);
                alike
                    .any(|class| self.written.contains(&class))
                    .then_some(Change::File(own as u32))
            }
            Need::Data(class) => Some(Change::Data(class)),
            Need::Sent(class) if class.sort().is_none() => Some(Change::Sort(class)),
            Need::Evaluation(_)
            | Need::Place(..)
            | Need::Sent(_)
            | Need::Criterion
            | Need::Statement(_)
            | Need::Decision(_)
            | Need::Entry(_)
            | Need::Terminations(_)
            | Need::Frame(_)
            | Need::Globals
            | Need::CallsOf(_) => None,
        }
    }

    /// The statements that stay without the dependences that some changes remove.
    fn kept_without(&self, is_removed: impl Fn(Option<Change>) -> bool) -> usize {
        let mut reached = NeedSet::default();
        self.needs.reach(
            &[Need::Criterion],
            |need| is_removed(self.change(need)),
            &mut reached,
        );
        self.needs.kept_count(&reached)
    }

    /// The change that removes most statements, the first of those nearest to the MPI calls, and how many.
    fn best_change(&self, all: usize) -> Option<(Change, usize)> {
        let mut dominated: BTreeMap<Change, Vec<usize>> = BTreeMap::new();
        let mut order = Vec::new();
        for (need, count) in self.needs.dominated_statements() {
            let Some(change) = self.change(need) else {
                continue;
            };
            let counts = dominated.entry(change).or_default();
            if counts.is_empty() {
                order.push(change);
            }
            counts.push(count);
        }
        order.truncate(MAX_CHANGES);
        let mut best: Option<(Change, usize)> = None;
        for change in order {
            // A dependence alone removes what it dominates; several together may remove more than the sum.
            let removed = match dominated[&change][..] {
                [count] => count,
                _ => all - self.kept_without(|one| one == Some(change)),
            };
            if best.is_none_or(|(_, most)| removed > most) {
                best = Some((change, removed));
            }
        }
        best
    }

    /// Data of one sort may be needed only because calls of unknown datatypes may match them. If it removes nearly as much that they do
    /// not, that is the change: datatypes are changed in fewer places than the use of data.
    fn by_datatypes(&self, change: Change, removed: usize, all: usize) -> (Change, usize) {
        let Change::Data(class) = change else {
            return (change, removed);
        };
        let mixed = match class {
            MessageClass::PointToPoint(_) => MessageClass::PointToPoint(Agreed::Anything),
            MessageClass::Collective(name, _) => MessageClass::Collective(name, Agreed::Anything),
            MessageClass::None => return (change, removed),
        };
        let by_sort = Change::Sort(mixed);
        let without = all - self.kept_without(|one| one == Some(by_sort));
        if removed.saturating_sub(without) * WORTHWHILE < all {
            (by_sort, without)
        } else {
            (change, removed)
        }
    }

    /// The fewest changes without which the slice computes no bulk data but what it needs in any case; none if they are too many.
    fn cut(&self) -> Vec<Change> {
        let mut inevitable = NeedSet::default();
        self.needs.reach(
            &[Need::Criterion],
            |need| self.change(need).is_some(),
            &mut inevitable,
        );
        let mut all = NeedSet::default();
        let found = self.needs.reach(&[Need::Criterion], |_| false, &mut all);
        let mut bulk = Vec::new();
        for need in found {
            if let Some(id) = need.kept()
                && !self.needs.contains(&inevitable, need)
                && bulk_data::computes(self.model, id)
            {
                bulk.push(need);
            }
        }
        if bulk.is_empty() {
            return Vec::new();
        }
        let cut = self
            .needs
            .minimum_cut(|need| self.change(need).is_some(), &bulk);
        let mut changes = Vec::new();
        for need in cut {
            if let Some(change) = self.change(need)
                && !changes.contains(&change)
            {
                changes.push(change);
            }
        }
        if changes.len() > MAX_TOGETHER {
            return Vec::new();
        }
        changes
    }

    fn described(&self, changes: &[Change]) -> Vec<SliceChange> {
        let mut found = Vec::new();
        for &change in changes {
            found.extend(self.description(change));
        }
        found
    }

    fn description(&self, change: Change) -> Option<SliceChange> {
        if let Change::Decision(clause) = change {
            let open: Vec<AssumptionCandidate> =
                removal_conditions::open(self.model, &[Need::Evaluation(clause)]);
            return Some(SliceChange::Decision(open.into_iter().next()?));
        }
        let at = self.needing(change)?;
        Some(match change {
            Change::Decision(_) => return None,
            Change::Data(class) | Change::Sort(class) => SliceChange::Messages {
                at,
                mixed: self.of_no_sort(class),
            },
            Change::File(class) => SliceChange::File {
                at,
                is_by_name: !self.written.contains(&(class as usize)),
            },
        })
    }

    /// The statement that has the first dependence that a change removes, on a shortest chain of dependences from the MPI calls.
    fn needing(&self, change: Change) -> Option<StatementId> {
        let found = self
            .needs
            .reach(&[Need::Criterion], |_| false, &mut NeedSet::default());
        let first = found
            .into_iter()
            .find(|&need| self.change(need) == Some(change))?;
        let mut chain = self.needs.chain_to(first);
        chain.pop();
        for need in chain.into_iter().rev() {
            match need {
                Need::Statement(id) | Need::Decision(id) => return Some(id),
                Need::Evaluation(clause) => return Some(clause.statement),
                _ => {}
            }
        }
        None
    }

    /// The first call with data of a class that may match all others.
    fn of_no_sort(&self, class: MessageClass) -> Option<MixedMessages> {
        let (MessageClass::PointToPoint(Agreed::Anything)
        | MessageClass::Collective(_, Agreed::Anything)) = class
        else {
            return None;
        };
        let call = self.model.outline.all().find(|&id| {
            let effects = self.model.effects.of_statement(id);
            effects.sends.iter().any(|&(sent, _)| sent == class)
        })?;
        Some(MixedMessages {
            call,
            handle: self.unknown_handle(call),
        })
    }

    /// The variable or component that holds the handle of a datatype of a call, if it is one of which nothing is known.
    fn unknown_handle(&self, id: StatementId) -> Option<String> {
        let program = self.model.program;
        let datatypes = &self.model.effects.collectives.datatypes;
        for call in call_graph::calls(&program.statement(id).kind) {
            let Callee::Mpi(function) = call.callee else {
                continue;
            };
            for (row, argument) in function.arguments.iter().zip(&call.arguments) {
                if let Some(argument) = argument
                    && row.role == Role::Datatype
                    && program.mpi_constant(argument).is_none()
                    && !datatypes.is_followed(argument)
                {
                    return spell(program, argument);
                }
            }
        }
        None
    }
}

/// The classes of the files that the program writes.
fn written_classes(model: &Model) -> BTreeSet<usize> {
    let mut written = BTreeSet::new();
    for id in model.outline.all() {
        let StatementKind::InputOutput(io) = &model.program.statement(id).kind else {
            continue;
        };
        if io.operation == IoOperation::Write
            && let Unit::Class(class) = model.locations.files.unit(id)
        {
            written.insert(class);
        }
    }
    written
}
