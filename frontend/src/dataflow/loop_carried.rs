//! Loop-carried dependences: which locations one iteration of a loop may read as an earlier one left them.
//!
//! For the kept statements of a loop body, or of a procedure, two analyses on the flow graph run to their fixpoints:
//!
//! - Upward-exposed reads, or live variables ([`live`]): backward may-analysis over sets of locations, joined by union;
//!   `before(s) = exposed(s) ∪ ((⋃ before(successors)) \ always(s))`.
//! - Certain writes ([`always`]): forward must-analysis over sets of locations, joined by intersection;
//!   `after(s) = ⋂ after(predecessors) ∪ always(s)`.
//!
//! Calls enter through bottom-up procedure summaries. Request handles that MPI reads are excluded: that no request is
//! pending between two iterations is checked at run time.

use crate::dataflow::control::Control;
use crate::effects::message_levels::Needed;
use crate::effects::model::Model;
use crate::effects::statement_effects::{CallEffects, Via};
use crate::graphs::call_graph::{self, Call};
use crate::graphs::control_flow_graph::{CfgNode, ControlFlowGraph};
use crate::ir::bit_set::BitSet;
use crate::ir::references;
use crate::ir::rules::{Rule, holds};
use crate::ir::statement_tree;
use crate::ir::{Callee, Expression, ProcedureId, StatementId, StatementKind, Storage, Type};
use crate::memory::location_id::LocationId;
use base_data::mpi::{Function, FunctionKind, Role};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Local functions that only query, with the same result in each iteration.
const INQUIRIES: [&str; 6] = [
    "MPI_Comm_rank",
    "MPI_Comm_size",
    "MPI_Initialized",
    "MPI_Finalized",
    "MPI_Type_size",
    "MPI_Get_processor_name",
];

/// What a part of the slice does to locations that outlive it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoopCarried {
    /// Read before they are certainly written (upward exposed).
    pub(crate) exposed: BitSet,
    /// Possibly written (may-write).
    pub(crate) writes: BitSet,
    /// Written on every path (must-write).
    pub(crate) always: BitSet,
    /// Whether an outcome is not a function of the exposed locations: it depends on messages, files or timing.
    pub(crate) differs: bool,
}

/// Computes loop-carried dependences; caches the summaries of procedures.
pub(crate) struct LoopCarriedAnalysis<'a> {
    pub(crate) model: &'a Model<'a>,
    pub(crate) control: &'a Control,
    pub(crate) kept: &'a [bool],
    /// Which messages are needed.
    pub(crate) needed: &'a Needed,
    /// The locations that the probe before each statement reads.
    pub(crate) probed: BTreeMap<StatementId, Vec<LocationId>>,
    /// Locations whose values have an effect, see [`relevant`].
    relevant: BitSet,
    /// Nondeterministic statements, whose outcome is not a function of what they read: those that a probe counts, and
    /// clock-dependent branches.
    pub(crate) unrepeatable: BTreeSet<StatementId>,
    procedures: BTreeMap<ProcedureId, Rc<LoopCarried>>,
    open: Vec<ProcedureId>,
}

impl<'a> LoopCarriedAnalysis<'a> {
    /// The analysis of a slice.
    pub(crate) fn new(
        model: &'a Model<'a>,
        control: &'a Control,
        kept: &'a [bool],
        needed: &'a Needed,
        probed: BTreeMap<StatementId, Vec<LocationId>>,
        unrepeatable: BTreeSet<StatementId>,
    ) -> Self {
        let relevant = relevant(model, control, kept, needed, &probed);
        LoopCarriedAnalysis {
            model,
            control,
            kept,
            needed,
            probed,
            relevant,
            unrepeatable,
            procedures: BTreeMap::new(),
            open: Vec::new(),
        }
    }

    /// The summary of one iteration of a loop, which includes the increment of a DO variable.
    pub(crate) fn of_body(&mut self, repeat: StatementId) -> LoopCarried {
        let model = self.model;
        let flow = self.control.flow(
            model,
            model.program.statement(repeat).procedure,
            &self.control.assumed,
        );
        let inside: Vec<StatementId> = statement_tree::subtree(model.program, repeat).split_off(1);
        let mut body = LoopCarried::default();
        let points = self.points(&flow, &inside, &mut body);
        let live = live(&flow, &points);
        for first in flow.augmented_successors(flow.number(CfgNode::Statement(repeat))) {
            if points.contains_key(&first) {
                body.exposed.union(&live[first]);
            }
        }
        if let Some(variable) = statement_tree::do_variable(&model.program.statement(repeat).kind)
            && let Some(location) = model.locations.of_variable(variable)
        {
            body.writes.insert(location.index());
        }
        body
    }

    fn of_procedure(&mut self, procedure: ProcedureId) -> Rc<LoopCarried> {
        if let Some(known) = self.procedures.get(&procedure) {
            return Rc::clone(known);
        }
        // A recursive or opaque procedure has no summary. `differs` is the safe one: no loop that
        // calls the procedure is invariant then.
        if self.open.contains(&procedure) || self.model.program.procedure(procedure).is_whole {
            return Rc::new(LoopCarried {
                differs: true,
                ..LoopCarried::default()
            });
        }
        self.open.push(procedure);
        let found = Rc::new(self.whole(procedure));
        self.open.pop();
        self.procedures.insert(procedure, Rc::clone(&found));
        found
    }

    fn whole(&mut self, procedure: ProcedureId) -> LoopCarried {
        let model = self.model;
        let flow = self.control.flow(model, procedure, &self.control.assumed);
        let mut found = LoopCarried::default();
        let points = self.points(&flow, model.outline.of_procedure(procedure), &mut found);
        found.exposed = live(&flow, &points)[flow.number(CfgNode::Entry)].clone();
        for location in self.specification(procedure) {
            found.exposed.insert(location.index());
        }
        found.always = always(&flow, &points);
        for &dummy in model.program.procedure(procedure).dummies.iter().flatten() {
            let variable = model.program.variable(dummy);
            let is_object = matches!(variable.of_type, Type::Derived(_) | Type::Unknown);
            // The call itself deallocates or initialises these dummies, which no statement shows.
            found.differs |=
                variable.attributes.intent_out && (variable.attributes.allocatable || is_object);
        }
        for set in [&mut found.exposed, &mut found.writes, &mut found.always] {
            let mut outliving = BitSet::default();
            for number in set.iter() {
                let location = model.locations.get(LocationId(number as u32));
                // Local variables end with the call, so they carry nothing to the next iteration.
                // Saved variables have no frame and remain in the sets.
                if location.frame != Some(procedure) || location.dummy.is_some() {
                    outliving.insert(number);
                }
            }
            *set = outliving;
        }
        found
    }

    /// The locations that array bounds and character lengths of a procedure read when it is entered.
    fn specification(&self, procedure: ProcedureId) -> Vec<LocationId> {
        let model = self.model;
        let mut read = Vec::new();
        for &id in &model.own_variables[procedure.0 as usize] {
            let variable = model.program.variable(id);
            if matches!(variable.storage, Storage::Local | Storage::Dummy(_)) {
                for bound in variable.specification() {
                    read.extend(read_by(model, bound));
                }
            }
        }
        read
    }

    /// The transfer function of each kept statement, by node number; writes and nondeterminism are added to `all`.
    fn points(
        &mut self,
        flow: &ControlFlowGraph,
        statements: &[StatementId],
        all: &mut LoopCarried,
    ) -> BTreeMap<usize, LoopCarried> {
        let mut points = BTreeMap::new();
        for &id in statements {
            let one = self.statement(id);
            all.writes.union(&one.writes);
            all.differs |= one.differs;
            points.insert(flow.number(CfgNode::Statement(id)), one);
        }
        points
    }

    fn statement(&mut self, id: StatementId) -> LoopCarried {
        let mut found = LoopCarried::default();
        // The probe remains where its statement is removed.
        if let Some(probed) = self.probed.get(&id)
            && holds(Rule::WorkIsRead)
        {
            for location in probed {
                found.exposed.insert(location.index());
            }
        }
        if !self.kept[id.0 as usize] {
            return found;
        }
        let model = self.model;
        let kind = &model.program.statement(id).kind;
        let effects = self.control.effects(model, id);
        found.differs = !repeats_itself(kind)
            || self.calls_differ(kind)
            || self.unrepeatable.contains(&id)
            || effects.is_unseen();
        for location in self.uses(id) {
            if self.relevant.contains(location.index()) {
                found.exposed.insert(location.index());
            }
        }
        for definition in &effects.definitions {
            // The summary of the callee contains the dummies that it writes.
            if matches!(definition.via, Via::Dummy(..)) {
                continue;
            }
            // ALLOCATE and DEALLOCATE change the allocation status, so an iteration cannot simply be repeated.
            found.differs |= model.locations.is_existence(definition.location);
            found.writes.insert(definition.location.index());
            let certain = definition.certain || !holds(Rule::WritesMayNotHappen);
            if certain && definition.via == Via::Own {
                found.always.insert(definition.location.index());
            }
        }
        // Tests break each rule to show that they notice it (feature `mutations`).
        if holds(Rule::CalleesCarry) {
            for call in &effects.calls {
                self.call(call, &mut found);
            }
        }
        // Locations with several names escape the sets of locations.
        found.differs |=
            model.aliased.overlaps(&found.exposed) || model.aliased.overlaps(&found.writes);
        found
    }

    /// The locations that a statement reads itself, without the request handles that MPI reads.
    fn uses(&self, id: StatementId) -> Vec<LocationId> {
        let model = self.model;
        let mut uses = self.control.effects(model, id).uses.clone();
        for call in call_graph::calls(&model.program.statement(id).kind) {
            let Callee::Mpi(function) = call.callee else {
                continue;
            };
            for argument in requests(function, &call) {
                let Some(designated) = references::designated(argument) else {
                    continue;
                };
                let Some(location) = model.locations.at(designated) else {
                    continue;
                };
                // One occurrence only: the statement may also read the location as a subscript.
                if let Some(at) = uses.iter().position(|&used| used == location) {
                    uses.remove(at);
                }
            }
        }
        uses
    }

    /// Adds the summary of a callee, in the caller's locations.
    fn call(&mut self, call: &CallEffects, found: &mut LoopCarried) {
        let callee = self.of_procedure(call.target);
        let locations = &self.model.locations;
        for number in callee.exposed.iter() {
            for location in call.seen_by_caller(LocationId(number as u32), locations, false) {
                found.exposed.insert(location.index());
            }
        }
        for number in callee.writes.iter() {
            for location in call.seen_by_caller(LocationId(number as u32), locations, true) {
                found.writes.insert(location.index());
            }
        }
        // A function in an operand whose value is not needed may not be called (F2018, 10.1.7), and a callee may write
        // a part of an array only.
        if !call.is_function() {
            for number in callee.always.iter() {
                for location in call.seen_by_caller(LocationId(number as u32), locations, true) {
                    if !locations.get(location).is_array {
                        found.always.insert(location.index());
                    }
                }
            }
        }
        found.differs |= callee.differs;
    }

    fn calls_differ(&self, kind: &StatementKind) -> bool {
        for call in call_graph::calls(kind) {
            let repeats_itself = match call.callee {
                // Its summary is added by `call`.
                Callee::Procedure(_) => true,
                Callee::Mpi(function) => self.is_alike(function, &call),
                Callee::Intrinsic(name) => is_pure(name),
                Callee::UnknownMpi(_)
                | Callee::External(_)
                | Callee::Variable(_)
                | Callee::OneOf(_) => false,
            };
            if !repeats_itself {
                return true;
            }
        }
        false
    }

    /// Whether a function of MPI does the same each time, as far as it is recorded.
    fn is_alike(&self, function: &'static Function, call: &Call) -> bool {
        let Model {
            program, effects, ..
        } = self.model;
        let class = effects.collectives.class(program, function, call);
        let recorded =
            self.needed.level(function, class) == crate::ir::analysis::MessageLevel::Recorded;
        match function.kind {
            FunctionKind::Send
            | FunctionKind::Receive
            | FunctionKind::SendReceive
            | FunctionKind::Collective => recorded,
            FunctionKind::StartSend | FunctionKind::StartReceive => recorded,
            // A wait that reports which request has completed (MPI_Waitany) differs by timing.
            FunctionKind::Wait => recorded && function.position(Role::Completion).is_none(),
            // A time has no effect on the slice unless a branch reads it, and such a branch is in
            // `unrepeatable`.
            FunctionKind::Clock => true,
            FunctionKind::Local => INQUIRIES.contains(&function.name),
            FunctionKind::Start
            | FunctionKind::End
            | FunctionKind::Abort
            | FunctionKind::Test
            | FunctionKind::Probe
            | FunctionKind::MakePersistent
            | FunctionKind::StartPersistent
            | FunctionKind::MakeCommunicator
            | FunctionKind::Other => false,
        }
    }
}

/// Locations whose values have an effect: all that kept statements read, except operands of assignments to locations
/// without effect, such as sums of measured times. A backward may-analysis along assignments, flow-insensitive.
fn relevant(
    model: &Model,
    control: &Control,
    kept: &[bool],
    needed: &Needed,
    probed: &BTreeMap<StatementId, Vec<LocationId>>,
) -> BitSet {
    let mut found = BitSet::default();
    for location in probed.values().flatten() {
        found.insert(location.index());
    }
    let mut assigned: Vec<(LocationId, &[LocationId])> = Vec::new();
    let mut touches_kept = false;
    for id in model.outline.all() {
        if !kept[id.0 as usize] {
            continue;
        }
        let effects = control.effects(model, id);
        touches_kept |= effects.touches_globals;
        for (class, location) in &effects.sends {
            if needed.reads_sent(*class) {
                found.insert(location.index());
            }
        }
        for call in &effects.calls {
            // What a callee does with its arguments is not distinguished here: all of them have an
            // effect.
            for location in passed(model, call) {
                found.insert(location.index());
            }
        }
        // Operands of an assignment matter only if its target does.
        match assigned_location(model, id).filter(|_| !effects.is_unseen()) {
            Some(target) => assigned.push((target, &effects.uses)),
            None => {
                for location in &effects.uses {
                    found.insert(location.index());
                }
            }
        }
    }
    if touches_kept {
        for location in model.locations.kept_by_any().iter() {
            found.insert(location.index());
        }
    }
    // No statement shows that these are read.
    for (procedure, own) in model.program.procedures.iter().zip(&model.own_variables) {
        for &id in own {
            for bound in model.program.variable(id).specification() {
                for location in read_by(model, bound) {
                    found.insert(location.index());
                }
            }
        }
        if let Some(result) = procedure.result {
            for location in model.locations.innermost_of(result) {
                found.insert(location.index());
            }
        }
    }
    let mut grown = true;
    while grown {
        grown = false;
        for (target, uses) in &assigned {
            if found.contains(target.index()) {
                for location in *uses {
                    grown |= found.insert(location.index());
                }
            }
        }
    }
    found
}

/// The location that an assignment writes, if it has no parts and no other name in callers.
fn assigned_location(model: &Model, id: StatementId) -> Option<LocationId> {
    let StatementKind::Assign { target, .. } = &model.program.statement(id).kind else {
        return None;
    };
    let location = model.locations.at(references::designated(target)?)?;
    let has_no_parts = model.locations.innermost(location) == [location];
    if has_no_parts && model.locations.get(location).dummy.is_none() {
        Some(location)
    } else {
        None
    }
}

/// The innermost locations of all objects that an expression names.
pub(crate) fn read_by(model: &Model, expression: &Expression) -> Vec<LocationId> {
    let mut read = Vec::new();
    for designated in references::named(expression) {
        if let Some(location) = model.locations.at(designated) {
            read.extend(model.locations.innermost(location));
        }
    }
    read
}

/// The locations that a callee may read through its arguments: those in expressions, and all of the objects passed.
pub(crate) fn passed<'a>(
    model: &'a Model<'a>,
    call: &'a CallEffects,
) -> impl Iterator<Item = LocationId> + 'a {
    let mut found = Vec::new();
    for values in call.values.iter().flatten() {
        found.extend(values);
    }
    for &object in call.references.iter().flatten() {
        found.extend(model.locations.innermost(object));
    }
    found.into_iter()
}

/// All locations that a statement reads itself: its operands, its arguments and the results of its functions.
pub(crate) fn reads(model: &Model, id: StatementId) -> Vec<usize> {
    let effects = model.effects.of_statement(id);
    let mut read = effects.uses.clone();
    for call in &effects.calls {
        read.extend(passed(model, call));
    }
    // Results of functions are locations of the callees, not operands.
    for call in &effects.calls {
        read.extend(model.results(call.target));
    }
    read.into_iter().map(|location| location.index()).collect()
}

/// What [`reads`] returns for each statement, found once: loops and branches ask again and again.
pub(crate) struct StatementReads<'a> {
    pub(crate) model: &'a Model<'a>,
    /// Index = statement id.
    found: Vec<OnceCell<Vec<usize>>>,
}

impl<'a> StatementReads<'a> {
    /// Of the statements of a program.
    pub(crate) fn of(model: &'a Model<'a>) -> Self {
        StatementReads {
            model,
            found: vec![OnceCell::new(); model.program.statements.len()],
        }
    }

    /// The locations that a statement reads itself.
    pub(crate) fn get(&self, id: StatementId) -> &[usize] {
        self.found[id.0 as usize].get_or_init(|| reads(self.model, id))
    }
}

/// The locations in the argument of a call at a position.
pub(crate) fn argument(model: &Model, call: &CallEffects, position: usize) -> Vec<usize> {
    let mut passed = Vec::new();
    if let Some(Some(values)) = call.values.get(position) {
        for location in values {
            passed.push(location.index());
        }
    }
    if let Some(Some(object)) = call.references.get(position) {
        for location in model.locations.innermost(*object) {
            passed.push(location.index());
        }
    }
    passed
}

/// The arguments of a call that are requests and are read.
fn requests<'a>(function: &'static Function, call: &Call<'a>) -> Vec<&'a Expression> {
    let mut found = Vec::new();
    for (row, argument) in function.arguments.iter().zip(&call.arguments) {
        if row.role == Role::Request {
            found.extend(argument);
        }
    }
    found
}

/// Whether the effect of a statement is a function of what it reads.
fn repeats_itself(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Assign { .. }
        | StatementKind::Call { .. }
        | StatementKind::If { .. }
        | StatementKind::Do { .. }
        | StatementKind::While { .. }
        | StatementKind::Select { .. }
        | StatementKind::Goto { .. }
        | StatementKind::Exit(_)
        | StatementKind::Cycle(_)
        | StatementKind::Return
        | StatementKind::Stop
        | StatementKind::Continue => true,
        StatementKind::Scoped { .. }
        | StatementKind::PointerAssignment { .. }
        | StatementKind::Entry
        | StatementKind::InputOutput(_)
        | StatementKind::Allocate { .. }
        | StatementKind::Deallocate { .. }
        | StatementKind::Opaque { .. } => false,
    }
}

/// Intrinsic functions whose value depends on their arguments only. Others may have a state, like clocks and
/// random numbers.
pub(crate) fn is_pure(name: &str) -> bool {
    const PURE: [&str; 43] = [
        "abs", "iabs", "dabs", "mod", "modulo", "min", "max", "min0", "max0", "amax1", "amin1",
        "dmax1", "dmin1", "int", "nint", "idint", "ifix", "real", "float", "dble", "dfloat",
        "sqrt", "dsqrt", "exp", "dexp", "log", "dlog", "sin", "cos", "sign", "isign", "dim",
        "iand", "ior", "ieor", "ishft", "not", "merge", "floor", "ceiling", "size", "kind",
        "btest",
    ];
    PURE.contains(&name)
}

/// Backward liveness analysis: the locations that are live before each node (read on some path before they are certainly
/// written); a path that leaves `points` reads no more. Index = node number.
pub(crate) fn live(flow: &ControlFlowGraph, points: &BTreeMap<usize, LoopCarried>) -> Vec<BitSet> {
    let count = flow.points().len();
    let mut live = vec![BitSet::default(); count];
    let mut nodes: Vec<usize> = (0..count).collect();
    nodes.retain(|number| points.contains_key(number) || flow.points_at(*number) == CfgNode::Entry);
    let mut grown = true;
    while grown {
        grown = false;
        // Against the direction of control, so that most facts arrive in the first pass.
        for &number in nodes.iter().rev() {
            let mut before = BitSet::default();
            // A jump that the slice leaves out falls through, one that it keeps does not: the
            // augmented edges cover both. Additional paths only add to a may-analysis.
            for next in flow.augmented_successors(number) {
                before.union(&live[next]);
            }
            if let Some(one) = points.get(&number) {
                before.subtract(&one.always);
                before.union(&one.exposed);
            }
            grown |= live[number].union(&before);
        }
    }
    live
}

/// The locations that are written on every path from the entry of a procedure to its return.
fn always(flow: &ControlFlowGraph, points: &BTreeMap<usize, LoopCarried>) -> BitSet {
    let count = flow.points().len();
    // `None` is the top of the lattice: no path to the node is known yet.
    let mut before: Vec<Option<BitSet>> = vec![None; count];
    let entry = flow.number(CfgNode::Entry);
    before[entry] = Some(BitSet::default());
    let mut pending = vec![entry];
    while let Some(number) = pending.pop() {
        let mut after = before[number].clone().unwrap_or_default();
        if let Some(one) = points.get(&number) {
            after.union(&one.always);
        }
        // As in `live`: additional paths only remove from a must-analysis, which is safe, too.
        for next in flow.augmented_successors(number) {
            let met = match &before[next] {
                None => after.clone(),
                Some(known) => intersection(known, &after),
            };
            if before[next].as_ref() != Some(&met) {
                before[next] = Some(met);
                pending.push(next);
            }
        }
    }
    before[flow.number(CfgNode::Return)]
        .clone()
        .unwrap_or_default()
}

fn intersection(one: &BitSet, other: &BitSet) -> BitSet {
    let mut common = BitSet::default();
    for number in one.iter() {
        if other.contains(number) {
            common.insert(number);
        }
    }
    common
}
