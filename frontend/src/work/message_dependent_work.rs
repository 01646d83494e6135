//! Compute blocks whose work may depend on what other ranks send: a rank that measures alone is fed something else there.
//! Followed is what messages bring, through all that is made of it, to what decides in a block. What the slice needs of
//! messages is right also alone, and a broadcast or scatter brings what its root has. Whoever writes and reads is not
//! told apart by when, so a block may be said to depend on messages that does not.
//!
//! Not here: what a rank is fed (the token runtime), and whether loops change what decides ([`crate::work::iteration_dependent_work`]).

use crate::blocks::block_finder::{Found, What};
use crate::blocks::control_statement_blocks::ControlBlocks;
use crate::dataflow::control::Control;
use crate::effects::message_levels::{MessageClass, Needed};
use crate::effects::model::Model;
use crate::effects::statement_effects::Via;
use crate::ir::bit_set::BitSet;
use crate::ir::statement_tree;
use crate::ir::{ProcedureId, StatementId, StatementKind};
use crate::work::control_locations::{of_amounts, of_evaluated};
use crate::work::iteration_dependent_work::{decides, reads};
use std::collections::{BTreeMap, BTreeSet};

/// Collectives that bring what one member has.
const OF_A_ROOT: [&str; 3] = ["MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"];

/// By compute block in order: whether what decides in it may come from other ranks.
pub(crate) fn find(model: &Model, found: &[Found], base: Base) -> Vec<bool> {
    let mut flow = Flow {
        model,
        base,
        made_of: BTreeMap::new(),
        sent: BitSet::default(),
    };
    model.outline.all().for_each(|id| flow.add(id));
    let sent = flow.all();
    let computes = found.iter().filter_map(|found| match &found.what {
        What::Compute(statements) => Some(decides_in(model, statements, base, &sent)),
        What::Own(statement, _) => Some(decides_in_head(model, *statement, base, &sent)),
        What::Site(..) | What::Loop(_) | What::Unknown(..) | What::Structure(_) => None,
    });
    computes.collect()
}

/// What is right also on a rank that measures alone.
#[derive(Clone, Copy)]
pub(crate) struct Base<'a> {
    /// Statements of the slice.
    pub(crate) kept: &'a [bool],
    /// What it needs of messages.
    pub(crate) needed: &'a Needed,
    /// What is assumed of conditions.
    pub(crate) control: &'a Control,
}

impl Base<'_> {
    /// Whether the slice decides here, or it is assumed how that ends.
    fn decides(&self, id: StatementId) -> bool {
        self.kept[id.0 as usize] || self.control.assumed[id.0 as usize].is_any()
    }
}

/// Whether any of some places decides how much a statement of the structure evaluates itself.
fn decides_in_head(model: &Model, id: StatementId, base: Base, places: &BitSet) -> bool {
    of_evaluated(model, id)
        .into_iter()
        .any(|place| places.contains(place.index()))
        || ControlBlocks::of_model(model)
            .local_procedures(id)
            .any(|one| decides_in(model, &model.program.procedure(one).body, base, places))
}

/// Whether any of some places decides what is executed in a block.
fn decides_in(model: &Model, block: &[StatementId], base: Base, places: &BitSet) -> bool {
    let mut open: Vec<StatementId> = block
        .iter()
        .flat_map(|&id| statement_tree::subtree(model.program, id))
        .collect();
    let mut called: BTreeSet<ProcedureId> = BTreeSet::new();
    while let Some(id) = open.pop() {
        let is_met = || {
            reads(model, id)
                .into_iter()
                .any(|place| places.contains(place))
        };
        let chooses = decides(&model.program.statement(id).kind);
        let is_long = || {
            of_amounts(model, id)
                .into_iter()
                .any(|place| places.contains(place.index()))
        };
        if chooses && !base.decides(id) && is_met() || !chooses && is_long() {
            return true;
        }
        for call in &model.effects.of_statement(id).calls {
            if called.insert(call.target) {
                open.extend(model.outline.of_procedure(call.target));
            }
        }
    }
    false
}

/// Whether a statement may leave out what follows it in its procedure.
fn jumps(kind: &StatementKind) -> bool {
    matches!(
        kind,
        StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Return
            | StatementKind::Goto { .. }
    )
}

/// What each place of a program is made of. Beside places there is a node for each procedure: what decides whether it is
/// called and how far it comes.
struct Flow<'a> {
    model: &'a Model<'a>,
    base: Base<'a>,
    made_of: BTreeMap<usize, BitSet>,
    sent: BitSet,
}

impl Flow<'_> {
    fn add(&mut self, id: StatementId) {
        let model = self.model;
        let statement = model.program.statement(id);
        let effects = model.effects.of_statement(id);
        let above = model
            .outline
            .ancestors(id)
            .filter(|&above| !self.base.decides(above));
        let above: Vec<usize> = above.flat_map(|above| reads(model, above)).collect();
        let control: Vec<usize> = above
            .iter()
            .copied()
            .chain([self.node(statement.procedure)])
            .collect();
        let own: Vec<usize> = reads(model, id)
            .into_iter()
            .chain(control.iter().copied())
            .collect();
        for definition in &effects.definitions {
            let place = definition.location.index();
            match definition.via {
                Via::Payload(class) => self.arrives(id, place, class),
                Via::Envelope => {}
                Via::Dummy(_, dummy) => {
                    self.is_made(place, control.iter().copied().chain([dummy.index()]))
                }
                Via::Own => self.is_made(place, own.iter().copied()),
            }
        }
        for call in &effects.calls {
            let dummies = model.program.procedure(call.target).dummies.iter();
            for (position, dummy) in dummies.enumerate() {
                let of = call
                    .values
                    .get(position)
                    .into_iter()
                    .flatten()
                    .flatten()
                    .copied();
                let at = call.references.get(position).copied().flatten();
                let at = at
                    .into_iter()
                    .flat_map(|place| model.locations.innermost(place));
                let of: Vec<usize> = of.chain(at).map(|place| place.index()).collect();
                let places = dummy
                    .iter()
                    .flat_map(|&dummy| model.locations.innermost_of(dummy));
                places.for_each(|place| self.is_made(place.index(), of.iter().copied()));
            }
            self.is_made(self.node(call.target), control.iter().copied());
        }
        if jumps(&statement.kind) {
            self.is_made(self.node(statement.procedure), above.into_iter());
        }
    }

    /// A message brings something.
    fn arrives(&mut self, id: StatementId, place: usize, class: MessageClass) {
        let effects = self.model.effects.of_statement(id);
        let is_of_a_root =
            matches!(class, MessageClass::Collective(name, _) if OF_A_ROOT.contains(&name));
        let is_right =
            self.base.kept[id.0 as usize] && self.base.needed.payload.contains(&effects.class);
        match (is_of_a_root, is_right) {
            (true, _) => self.is_made(place, effects.sends.iter().map(|(_, sent)| sent.index())),
            (false, true) => {}
            (false, false) => _ = self.sent.insert(place),
        }
    }

    fn node(&self, procedure: ProcedureId) -> usize {
        2 * self.model.locations.count() + procedure.0 as usize
    }

    fn is_made(&mut self, place: usize, of: impl Iterator<Item = usize>) {
        let known = self.made_of.entry(place).or_default();
        of.for_each(|other| _ = known.insert(other));
    }

    /// What is sent, and all that is made of it.
    fn all(mut self) -> BitSet {
        loop {
            let made = self
                .made_of
                .iter()
                .filter(|(_, of)| of.overlaps(&self.sent))
                .map(|(&place, _)| place);
            let made: Vec<usize> = made.filter(|&place| !self.sent.contains(place)).collect();
            if made.is_empty() {
                return self.sent;
            }
            made.into_iter()
                .for_each(|place| _ = self.sent.insert(place));
        }
    }
}
