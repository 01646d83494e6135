//! Branches of compute blocks that depend on data: their outcome follows neither from the block's work terms nor from scalars that the
//! slice computes, are equal on all ranks and are not changed by a loop around the block. Sources of such branches are reals, array
//! elements, copies of these, results of procedures that read them, and the iteration number of a loop around the block.
//!
//! What a branch depends on is in [`crate::dataflow::dependence_sources`], the work that it controls in
//! [`crate::work::statement_costs`], values that vary by rank in [`crate::dataflow::rank_varying`], and loops with data-dependent trip
//! counts in [`crate::work::trip_counts`].

use crate::dataflow::dependence_sources::{DependenceGraph, Source, SourceClasses};
use crate::effects::model::Model;
use crate::ir::StatementId;
use crate::ir::bit_set::BitSet;
use crate::memory::location_id::LocationId;
use crate::slice::slicer::Slicer;
use crate::work::iteration_dependent_work::IterationDependence;
use crate::work::statement_costs::{By, Decisions, RELEVANT, StatementCosts};
use crate::work::stride_loops;
use crate::work::work_term_coverage::WorkTermCoverage;
use std::collections::{BTreeMap, BTreeSet};

/// Share of a block's time that depends on data which stay, where expensive functions and operators are half of it or more: compilers
/// make moves of cheap ones, which take the same either way.
const EXPENSIVE: f64 = 0.1;
/// Share of a block's statements that are executed or not as loops around it change: it is less than what is asked of data
/// that stay, since the mean over a loop's first iterations does not predict the rest.
const CHANGING: f64 = 0.15;
/// Share of what an iteration of a loop executes that is too little to look at, however it changes: lines that are printed
/// now and then. Bounds of most loops are not known here, so it is less than what measuring asks.
const NEGLIGIBLE: f64 = 0.001;

/// Findings about the branches of one block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BranchFindings {
    /// A relevant share of the block depends on data.
    pub(crate) data: bool,
    /// A relevant share depends on data that loops around the block change.
    pub(crate) changes: bool,
    /// The decisions that depend on data.
    pub(crate) uncovered: Vec<StatementId>,
}

/// What is known of one block beside its statements.
#[derive(Clone, Copy)]
pub(crate) struct Knowledge<'a> {
    pub(crate) slicer: &'a Slicer<'a>,
    /// What the block's work terms cover.
    pub(crate) coverage: &'a WorkTermCoverage,
    /// What the loops with communication around the block change; `None` without such loops.
    pub(crate) changing: Option<&'a IterationDependence>,
    /// Locations that may differ by rank.
    pub(crate) rank_varying: &'a BitSet,
}

/// Classifies the branches of the block that is the range of `graph`.
pub(crate) fn find(graph: &mut DependenceGraph, knowledge: Knowledge) -> BranchFindings {
    let range = graph.range;
    let (model, error_exits, top) = (range.model, range.error_exits, range.top);
    let entry = BlockEntry {
        model,
        first: top[0],
        knowledge,
    };
    let covered = knowledge
        .coverage
        .places(model, |location| entry.is_computed(location));
    let mut branches = Branches {
        entry,
        covered,
        graph,
        classes: SourceClasses::default(),
        is_known: BTreeMap::new(),
        kinds: BTreeMap::new(),
    };
    let mut changes = false;
    if let Some(changing) = knowledge.changing {
        let kinds = [
            DecisionDependence::Late,
            DecisionDependence::IterationDependence,
        ];
        for (by, iteration) in By::ALL.into_iter().zip(changing.iteration) {
            let decisions = branches.of_kinds(&kinds);
            let mut costs = StatementCosts::new(model, error_exits, by, decisions).without_output();
            let cost = costs.weigh(top);
            if cost.depends_on_kind(CHANGING) && cost.dependent >= NEGLIGIBLE * iteration {
                changes = true;
                break;
            }
        }
    }
    let kinds = [
        DecisionDependence::Data,
        DecisionDependence::IterationDependence,
    ];
    let [statements, time] = By::ALL.map(|by| {
        let decisions = branches.of_kinds(&kinds);
        StatementCosts::new(model, error_exits, by, decisions).weigh(top)
    });
    let is_expensive =
        time.dependent >= 2.0 * statements.dependent && time.depends_on_kind(EXPENSIVE);
    let is_relevant = statements.depends_on_kind(RELEVANT) || time.depends_on_kind(RELEVANT);
    let mut uncovered = Vec::new();
    // Weighing has classified every decision that it met.
    for (decider, kind) in branches.kinds {
        if kind != DecisionDependence::Covered {
            uncovered.push(decider);
        }
    }
    BranchFindings {
        data: changes || is_expensive || is_relevant,
        changes,
        uncovered,
    }
}

/// The entry of one block.
struct BlockEntry<'a> {
    model: &'a Model<'a>,
    /// The block's first statement.
    first: StatementId,
    knowledge: Knowledge<'a>,
}

impl BlockEntry<'_> {
    /// Whether base data contain the value of a location at the entry: no statement writes it, or it is a scalar that the slice
    /// computes, that is equal on all ranks, and that no loop around the block changes.
    fn is_computed(&self, location: LocationId) -> bool {
        let Knowledge {
            slicer,
            changing,
            rank_varying,
            ..
        } = self.knowledge;
        let index = location.index();
        let known = self.model.locations.get(location);
        if !self.model.is_written(location) && known.dummy.is_none() {
            return true;
        }
        // The size of an array is a scalar, too.
        let is_scalar = self.model.locations.is_existence(location) || !known.is_array;
        let is_changed = changing.is_some_and(|changing| changing.places.contains(index));
        is_scalar
            && !is_changed
            && !rank_varying.contains(index)
            && slicer.computes(location, self.first)
    }
}

/// Class of a decision by its dependence sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DecisionDependence {
    /// It depends only on values that base data contain.
    Covered,
    /// The same, but loops around the block change them: work terms do not cover a branch that no measured iteration has taken.
    Late,
    /// Data that loops around the block do not change.
    Data,
    /// Data that loops around the block change.
    IterationDependence,
}

/// Property of a source: base data do not contain its value.
const UNKNOWN: u8 = 1;
/// Property of a source: loops around the block change it in late iterations.
const CHANGED_LATE: u8 = 2;
/// Property of a source: loops around the block change it.
const CHANGED: u8 = 4;

/// The branches of one block, classified as they are asked for.
struct Branches<'g, 'r, 'a, 'b, 'k> {
    entry: BlockEntry<'k>,
    /// Locations whose values at the entry follow from the block's work terms.
    covered: BTreeSet<LocationId>,
    graph: &'g mut DependenceGraph<'r, 'a, 'b>,
    classes: SourceClasses,
    /// Whether base data contain a location's value: branches share most of their sources.
    is_known: BTreeMap<LocationId, bool>,
    kinds: BTreeMap<StatementId, DecisionDependence>,
}

impl<'g, 'r, 'a, 'b, 'k> Branches<'g, 'r, 'a, 'b, 'k> {
    fn of_kinds<'c>(
        &'c mut self,
        kinds: &'c [DecisionDependence],
    ) -> OfKinds<'c, 'g, 'r, 'a, 'b, 'k> {
        OfKinds {
            branches: self,
            kinds,
        }
    }

    fn kind(&mut self, decider: StatementId) -> DecisionDependence {
        if let Some(&kind) = self.kinds.get(&decider) {
            return kind;
        }
        let kind = self.classify(decider);
        self.kinds.insert(decider, kind);
        kind
    }

    fn classify(&mut self, decider: StatementId) -> DecisionDependence {
        let (entry, covered, is_known) = (&self.entry, &self.covered, &mut self.is_known);
        let changing = entry.knowledge.changing;
        let properties = |source: Source| match source {
            Source::Hidden => UNKNOWN | CHANGED_LATE | CHANGED,
            Source::Entry(location) => {
                let is_known = *is_known
                    .entry(location)
                    .or_insert_with(|| covered.contains(&location) || entry.is_computed(location));
                let mut found = 0;
                if !is_known {
                    found |= UNKNOWN;
                }
                if let Some(changing) = changing {
                    if changing.late.contains(location.index()) {
                        found |= CHANGED_LATE;
                    }
                    if changing.places.contains(location.index()) {
                        found |= CHANGED;
                    }
                }
                found
            }
        };
        let found = self.classes.of_decision(self.graph, decider, properties);
        if found & UNKNOWN == 0 {
            return DecisionDependence::Covered;
        }
        let is_covered = entry.knowledge.coverage.covers(entry.model, decider);
        let change = if is_covered { CHANGED_LATE } else { CHANGED };
        let is_changed = changing.is_some() && found & change != 0;
        match (is_changed, is_covered) {
            (true, true) => DecisionDependence::Late,
            (true, false) => DecisionDependence::IterationDependence,
            (false, true) => DecisionDependence::Covered,
            (false, false) => DecisionDependence::Data,
        }
    }
}

/// Decisions of some kinds.
struct OfKinds<'c, 'g, 'r, 'a, 'b, 'k> {
    branches: &'c mut Branches<'g, 'r, 'a, 'b, 'k>,
    kinds: &'c [DecisionDependence],
}

impl Decisions for OfKinds<'_, '_, '_, '_, '_, '_> {
    fn choose(&mut self, decider: StatementId, repeats: bool) -> bool {
        // A decision of the slice that is made once is covered by its consequences.
        let slicer = self.branches.entry.knowledge.slicer;
        let is_decided = !repeats && slicer.decided()[decider.0 as usize];
        let kind = self.branches.kind(decider);
        !is_decided && self.kinds.contains(&kind)
    }

    fn skip(&mut self, statement: StatementId, repeats: bool) -> bool {
        let range = self.branches.graph.range;
        // The end of a loop that counts is in the trip count, as that of a DO WHILE.
        range
            .skippers(statement)
            .filter(|&decider| !stride_loops::is_end_of_counted(range.model, decider))
            .any(|decider| self.choose(decider, repeats))
    }
}
