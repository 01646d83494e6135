//! Decisions inside blocks that base data do not tell: what is asked depends on data, and so does how much is computed.
//! Told is what a block's work terms tell, and scalars that the slice computes as long as they are the same on all ranks and
//! no loop around the block changes them. All else is data: reals, elements, what is copied from them, what functions answer of them, flags that are thrown late,
//! the number of a loop around the block.
//!
//! Not here: what decisions are made of ([`crate::dataflow::dependence_sources`]), how much depends on them
//! ([`crate::work::statement_costs`]), what differs by rank ([`crate::dataflow::rank_varying`]), and loops whose trip counts are data
//! ([`crate::work::trip_counts`]).

use crate::dataflow::dependence_sources::{Sources, StatementRange};
use crate::ir::StatementId;
use crate::ir::bit_set::BitSet;
use crate::memory::locations::LocationId;
use crate::slice::slicer::Slicer;
use crate::work::iteration_dependent_work::IterationDependence;
use crate::work::statement_costs::{By, Decisions, RELEVANT, StatementCosts};
use crate::work::work_term_coverage::WorkTermCoverage;
use std::collections::{BTreeMap, BTreeSet};

/// Share of a block's time that depends on data which stay, where dear functions and operators are half of it or more: compilers
/// make moves of cheap ones, which take the same either way.
const EXPENSIVE: f64 = 0.1;
/// Share of a block's statements that are executed or not as loops around it change: it is less than what is asked of data
/// that stay, since the mean over a loop's first iterations tells nothing of the rest.
const CHANGING: f64 = 0.15;
/// Share of what an iteration of a loop executes that is too little to look at, however it changes: lines that are printed
/// now and then. Bounds of most loops are not known here, so it is less than what measuring asks.
const NEGLIGIBLE: f64 = 0.001;

/// What depends on decisions of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// A relevant share depends on data.
    pub(crate) data: bool,
    /// One does that loops around the block change.
    pub(crate) changes: bool,
    /// The decisions that depend on data.
    pub(crate) untold: Vec<StatementId>,
}

/// What depends on decisions of a block, of which its terms tell something; `changing` is what the loops with communication
/// around it change, `None` without such loops, and `differing` what may hold something else on other ranks.
pub(crate) fn find(
    stretch: &StatementRange,
    slicer: &Slicer,
    told: &WorkTermCoverage,
    changing: Option<&IterationDependence>,
    differing: &BitSet,
) -> Found {
    let mut block = Block {
        stretch,
        slicer,
        told,
        places: BTreeSet::new(),
        changing,
        differing,
    };
    block.places = told.places(stretch.model, |place| block.computes(place));
    block.find()
}

/// One block.
struct Block<'a, 'b> {
    stretch: &'b StatementRange<'a, 'b>,
    slicer: &'b Slicer<'a>,
    told: &'b WorkTermCoverage,
    /// Of which places its terms tell what they hold.
    places: BTreeSet<LocationId>,
    changing: Option<&'b IterationDependence>,
    differing: &'b BitSet,
}

impl Block<'_, '_> {
    fn find(&self) -> Found {
        let mut known = BTreeMap::new();
        let changes = self.changing.is_some_and(|all| {
            By::ALL
                .into_iter()
                .zip(all.iteration)
                .any(|(by, iteration)| {
                    let asked = Asked {
                        block: self,
                        kinds: &[Kind::Late, Kind::IterationDependence],
                        known: &mut known,
                    };
                    let found = self
                        .scales(by, asked)
                        .without_output()
                        .weigh(self.stretch.top);
                    found.depends_on_kind(CHANGING) && found.dependent >= NEGLIGIBLE * iteration
                })
        });
        let mut depends = |by: By| {
            let asked = Asked {
                block: self,
                kinds: &[Kind::Data, Kind::IterationDependence],
                known: &mut known,
            };
            self.scales(by, asked).weigh(self.stretch.top)
        };
        let [statements, time] = By::ALL.map(&mut depends);
        let is_dear =
            time.dependent >= 2.0 * statements.dependent && time.depends_on_kind(EXPENSIVE);
        let data = changes
            || is_dear
            || statements.depends_on_kind(RELEVANT)
            || time.depends_on_kind(RELEVANT);
        let untold = known
            .into_iter()
            .filter(|(_, kind)| *kind != Kind::WorkTermCoverage)
            .map(|(decider, _)| decider);
        Found {
            data,
            changes,
            untold: untold.collect(),
        }
    }

    fn scales<D: Decisions>(&self, by: By, decisions: D) -> StatementCosts<'_, D> {
        StatementCosts::new(self.stretch.model, self.stretch.error_exits, by, decisions)
    }

    fn kind(&self, decider: StatementId) -> Kind {
        let sources = self.stretch.of_decision(decider);
        if self.tells(&sources) {
            return Kind::WorkTermCoverage;
        }
        let is_covered = self.told.tells(self.stretch.model, decider);
        let changed = self
            .changing
            .map(|all| if is_covered { &all.late } else { &all.places });
        let changes = |all: &BitSet| {
            sources.hidden
                || sources
                    .places
                    .iter()
                    .any(|place| all.contains(place.index()))
        };
        match (changed.is_some_and(changes), is_covered) {
            (true, true) => Kind::Late,
            (true, false) => Kind::IterationDependence,
            (false, true) => Kind::WorkTermCoverage,
            (false, false) => Kind::Data,
        }
    }

    fn tells(&self, sources: &Sources) -> bool {
        let is_known = |place: &LocationId| self.places.contains(place) || self.computes(*place);
        !sources.hidden && sources.places.iter().all(is_known)
    }

    /// Whether the slice computes what a scalar holds, the same on all ranks, and no loop around changes it; or nobody ever
    /// writes a place.
    fn computes(&self, place: LocationId) -> bool {
        let model = self.stretch.model;
        let is_constant = || {
            model.writers[place.index()].is_empty() && model.locations.get(place).dummy.is_none()
        };
        let stays = self
            .changing
            .is_none_or(|all| !all.places.contains(place.index()));
        // How large an array is, is a scalar, too.
        let is_scalar = model.locations.is_existence(place) || !model.locations.get(place).is_array;
        let is_same = !self.differing.contains(place.index());
        (stays && is_same && is_scalar && self.slicer.computes(place, self.stretch.top[0]))
            || is_constant()
    }
}

/// What a decision depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// What base data tell.
    WorkTermCoverage,
    /// The same, and loops around the block change it: of a way that has not been gone yet terms tell nothing.
    Late,
    /// Data that stay.
    Data,
    /// Data that loops around the block change.
    IterationDependence,
}

/// Decisions of some kind.
struct Asked<'a, 'b, 'c> {
    block: &'c Block<'a, 'b>,
    kinds: &'c [Kind],
    known: &'c mut BTreeMap<StatementId, Kind>,
}

impl Decisions for Asked<'_, '_, '_> {
    fn choose(&mut self, decider: StatementId, repeats: bool) -> bool {
        // What the slice decides as well, once, is told by what comes of it.
        let is_decided = !repeats && self.block.slicer.decided()[decider.0 as usize];
        let kind = *self
            .known
            .entry(decider)
            .or_insert_with(|| self.block.kind(decider));
        !is_decided && self.kinds.contains(&kind)
    }

    fn skip(&mut self, statement: StatementId, repeats: bool) -> bool {
        let skippers: Vec<StatementId> = self.block.stretch.skippers(statement).collect();
        skippers
            .into_iter()
            .any(|decider| self.choose(decider, repeats))
    }
}
