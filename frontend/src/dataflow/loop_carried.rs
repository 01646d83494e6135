//! What the kept statements of a loop body, or of a procedure, read before they write it, what they may
//! write, and what they always write: so what one iteration takes from the one before. Handles of requests
//! are left out where MPI reads them: that none is pending between two iterations is seen when they run.

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
use crate::ir::{
    Callee, Expression, ProcedureId, StatementId, StatementKind, Storage, Type, Variable,
};
use crate::memory::locations::LocationId;
use base_data::mpi::{Function, Kind, Role};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Local functions that only answer, the same each time.
const ASKING: [&str; 6] = [
    "MPI_Comm_rank",
    "MPI_Comm_size",
    "MPI_Initialized",
    "MPI_Finalized",
    "MPI_Type_size",
    "MPI_Get_processor_name",
];

/// What a part of the slice does to places that outlive it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoopCarried {
    /// Read before it is written for certain.
    pub(crate) exposed: BitSet,
    /// Perhaps written.
    pub(crate) writes: BitSet,
    /// Written whenever control goes through.
    pub(crate) always: BitSet,
    /// Whether something in it is the same each time only by chance, or depends on messages or files.
    pub(crate) differs: bool,
}

/// Finds what is carried; remembers it of whole procedures.
pub(crate) struct LoopCarriedAnalysis<'a> {
    pub(crate) model: &'a Model<'a>,
    pub(crate) control: &'a Control,
    pub(crate) kept: &'a [bool],
    /// Which messages are needed.
    pub(crate) needed: &'a Needed,
    /// What probes before a statement read.
    pub(crate) probed: BTreeMap<StatementId, Vec<LocationId>>,
    /// Places whose values matter.
    relevant: BitSet,
    /// Statements whose outcome depends on more than what they read: those that the probe counts, and those that
    /// a clock decides.
    pub(crate) fickle: BTreeSet<StatementId>,
    procedures: BTreeMap<ProcedureId, Rc<LoopCarried>>,
    open: Vec<ProcedureId>,
}

impl<'a> LoopCarriedAnalysis<'a> {
    /// For a slice, and its `fickle` statements.
    pub(crate) fn new(
        model: &'a Model<'a>,
        control: &'a Control,
        kept: &'a [bool],
        needed: &'a Needed,
        probed: BTreeMap<StatementId, Vec<LocationId>>,
        fickle: BTreeSet<StatementId>,
    ) -> Self {
        let relevant = relevant(model, control, kept, needed, &probed);
        let (procedures, open) = (BTreeMap::new(), Vec::new());
        LoopCarriedAnalysis {
            model,
            control,
            kept,
            needed,
            probed,
            relevant,
            fickle,
            procedures,
            open,
        }
    }

    /// What one iteration of a counted loop does; its DO variable is written.
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
        let counter = statement_tree::do_variable(&model.program.statement(repeat).kind);
        let counter = counter.and_then(|variable| model.locations.of_variable(variable));
        counter
            .into_iter()
            .for_each(|location| _ = body.writes.insert(location.index()));
        body
    }

    fn of_procedure(&mut self, procedure: ProcedureId) -> Rc<LoopCarried> {
        if let Some(known) = self.procedures.get(&procedure) {
            return Rc::clone(known);
        }
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
        self.specification(procedure)
            .for_each(|location| _ = found.exposed.insert(location.index()));
        found.always = always(&flow, &points);
        found.differs |= model
            .program
            .procedure(procedure)
            .dummies
            .iter()
            .flatten()
            .any(|&dummy| {
                let variable = model.program.variable(dummy);
                let object = matches!(variable.of_type, Type::Derived(_) | Type::Unknown);
                // To call it is to write it.
                variable.attributes.intent_out && (variable.attributes.allocatable || object)
            });
        let lasts = |number: &usize| {
            let place = model.locations.get(LocationId(*number as u32));
            place.frame != Some(procedure) || place.dummy.is_some()
        };
        for set in [&mut found.exposed, &mut found.writes, &mut found.always] {
            *set = numbers(set.iter().filter(lasts));
        }
        found
    }

    /// What bounds of a procedure's arrays and lengths of its texts read when it is entered.
    fn specification(&self, procedure: ProcedureId) -> impl Iterator<Item = LocationId> + use<'a> {
        let model = self.model;
        let own = model.own_variables[procedure.0 as usize]
            .iter()
            .map(|&id| model.program.variable(id));
        let sized =
            own.filter(|variable| matches!(variable.storage, Storage::Local | Storage::Dummy(_)));
        sized
            .flat_map(Variable::specification)
            .flat_map(|bound| read_by(model, bound))
    }

    /// What each kept statement does, by number of its point; writes and doubts go to `all`.
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
        // The probe stays where its statement goes.
        let probed = self
            .probed
            .get(&id)
            .into_iter()
            .flatten()
            .filter(|_| holds(Rule::WorkIsRead));
        probed.for_each(|location| _ = found.exposed.insert(location.index()));
        if !self.kept[id.0 as usize] {
            return found;
        }
        let model = self.model;
        let kind = &model.program.statement(id).kind;
        found.differs =
            !repeats_itself(kind) || self.calls_differ(kind) || self.fickle.contains(&id);
        let effects = self.control.effects(model, id);
        found.differs |= effects.touches_globals;
        let read = self
            .uses(id)
            .into_iter()
            .filter(|location| self.relevant.contains(location.index()));
        read.for_each(|location| _ = found.exposed.insert(location.index()));
        for definition in &effects.definitions {
            if matches!(definition.via, Via::Dummy(..)) {
                continue;
            }
            found.differs |= model.locations.is_existence(definition.location);
            found.writes.insert(definition.location.index());
            let certain = definition.certain || !holds(Rule::WritesMayNotHappen);
            if certain && definition.via == Via::Own {
                found.always.insert(definition.location.index());
            }
        }
        for call in effects.calls.iter().filter(|_| holds(Rule::CalleesCarry)) {
            self.call(call, &mut found);
        }
        found.differs |=
            model.aliased.overlaps(&found.exposed) || model.aliased.overlaps(&found.writes);
        found
    }

    /// What a statement reads itself; not the handles of requests that MPI reads.
    fn uses(&self, id: StatementId) -> Vec<LocationId> {
        let mut uses = self.control.effects(self.model, id).uses.clone();
        for call in call_graph::calls(&self.model.program.statement(id).kind) {
            let Callee::Mpi(function) = call.callee else {
                continue;
            };
            for argument in requests(function, &call) {
                let location =
                    references::designated(argument).and_then(|d| self.model.locations.at(d));
                // Once: whoever also reads it otherwise, as a subscript, still does.
                if let Some(at) = location.and_then(|l| uses.iter().position(|&used| used == l)) {
                    uses.remove(at);
                }
            }
        }
        uses
    }

    fn call(&mut self, call: &CallEffects, found: &mut LoopCarried) {
        let callee = self.of_procedure(call.target);
        let locations = &self.model.locations;
        let seen = |number: usize, written| {
            call.seen_by_caller(LocationId(number as u32), locations, written)
                .into_iter()
        };
        callee
            .exposed
            .iter()
            .flat_map(|n| seen(n, false))
            .for_each(|l| _ = found.exposed.insert(l.index()));
        callee
            .writes
            .iter()
            .flat_map(|n| seen(n, true))
            .for_each(|l| _ = found.writes.insert(l.index()));
        // A function may stand where it need not be asked.
        if !call.is_function() {
            let always = callee.always.iter().flat_map(|n| seen(n, true));
            let whole = always.filter(|l| !locations.get(*l).is_array);
            whole.for_each(|l| _ = found.always.insert(l.index()));
        }
        found.differs |= callee.differs;
    }

    fn calls_differ(&self, kind: &StatementKind) -> bool {
        let is_alike = |call: &Call| match call.callee {
            Callee::Procedure(_) => true,
            Callee::Mpi(function) => self.is_alike(function, call),
            Callee::Intrinsic(name) => is_pure(name),
            Callee::UnknownMpi(_)
            | Callee::External(_)
            | Callee::Variable(_)
            | Callee::OneOf(_) => false,
        };
        !call_graph::calls(kind).iter().all(is_alike)
    }

    /// Whether a function of MPI does the same each time, as far as it is recorded.
    fn is_alike(&self, function: &'static Function, call: &Call) -> bool {
        let has = |role| function.position(role).is_some();
        let Model {
            program, effects, ..
        } = self.model;
        let class = effects.collectives.class(program, function, call);
        let recorded =
            self.needed.level(function, class) == crate::ir::analysis::MessageLevel::Recorded;
        match function.kind {
            Kind::Send | Kind::Receive | Kind::SendReceive | Kind::Collective => recorded,
            Kind::StartSend | Kind::StartReceive => recorded,
            Kind::Wait => recorded && !has(Role::Completion),
            Kind::Clock => true,
            Kind::Local => ASKING.contains(&function.name),
            Kind::Start
            | Kind::End
            | Kind::Abort
            | Kind::Test
            | Kind::Probe
            | Kind::MakePersistent
            | Kind::StartPersistent
            | Kind::MakeCommunicator
            | Kind::Other => false,
        }
    }
}

/// The places that decide something: all that kept statements read, but for what is only assigned to places
/// that decide nothing, as sums of times are.
fn relevant(
    model: &Model,
    control: &Control,
    kept: &[bool],
    needed: &Needed,
    probed: &BTreeMap<StatementId, Vec<LocationId>>,
) -> BitSet {
    let mut found = numbers(probed.values().flatten().map(|location| location.index()));
    let mut assigned: Vec<(LocationId, &[LocationId])> = Vec::new();
    for id in model.outline.all().filter(|id| kept[id.0 as usize]) {
        let effects = control.effects(model, id);
        let sent = effects
            .sends
            .iter()
            .filter(|(class, _)| needed.payload.contains(class))
            .map(|(_, l)| l);
        let passed = effects.calls.iter().flat_map(|call| passed(model, call));
        sent.copied()
            .chain(passed)
            .for_each(|location| _ = found.insert(location.index()));
        match assigned_place(model, id) {
            Some(target) => assigned.push((target, &effects.uses)),
            None => effects
                .uses
                .iter()
                .for_each(|location| _ = found.insert(location.index())),
        }
    }
    for (procedure, own) in model.program.procedures.iter().zip(&model.own_variables) {
        let bounds = own
            .iter()
            .flat_map(|&id| model.program.variable(id).specification());
        let bounds = bounds.flat_map(|bound| read_by(model, bound));
        let results = procedure
            .result
            .into_iter()
            .flat_map(|variable| model.locations.innermost_of(variable));
        bounds
            .chain(results)
            .for_each(|location| _ = found.insert(location.index()));
    }
    let mut grown = true;
    while grown {
        grown = false;
        for (target, uses) in &assigned {
            if found.contains(target.index()) {
                uses.iter()
                    .for_each(|location| grown |= found.insert(location.index()));
            }
        }
    }
    found
}

/// The place that a statement which only assigns assigns to, if no caller knows it by another name.
fn assigned_place(model: &Model, id: StatementId) -> Option<LocationId> {
    let StatementKind::Assign { target, .. } = &model.program.statement(id).kind else {
        return None;
    };
    let location = model.locations.at(references::designated(target)?)?;
    let has_no_parts = model.locations.innermost(location) == [location];
    (has_no_parts && model.locations.get(location).dummy.is_none()).then_some(location)
}

/// All that an expression names, by innermost places.
pub(crate) fn read_by(model: &Model, expression: &Expression) -> Vec<LocationId> {
    let named = references::named(expression)
        .into_iter()
        .filter_map(|named| model.locations.at(named));
    named
        .flat_map(|place| model.locations.innermost(place))
        .collect()
}

/// What a callee may read of what is passed to it: values of expressions, and all of the places passed.
pub(crate) fn passed<'a>(
    model: &'a Model<'a>,
    call: &'a CallEffects,
) -> impl Iterator<Item = LocationId> + 'a {
    let places = call
        .references
        .iter()
        .flatten()
        .flat_map(|&place| model.locations.innermost(place));
    call.values
        .iter()
        .flatten()
        .flatten()
        .copied()
        .chain(places)
}

/// The arguments of a call that are requests and are read.
fn requests<'a>(
    function: &'static Function,
    call: &'a Call<'a>,
) -> impl Iterator<Item = &'a Expression> {
    let roles = function.arguments.iter().map(|argument| argument.role);
    let pairs = roles
        .zip(&call.arguments)
        .filter(|(role, _)| *role == Role::Request);
    pairs.filter_map(|(_, argument)| *argument)
}

/// Whether a statement does the same each time it reads the same.
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

/// Intrinsic functions whose value depends on their arguments only. Others may have a state, as clocks and
/// random numbers do.
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

fn numbers(from: impl Iterator<Item = usize>) -> BitSet {
    let mut set = BitSet::default();
    from.for_each(|number| _ = set.insert(number));
    set
}

/// Before each point, what is read from there on before it is written for certain; control that leaves
/// `points` reads no more. Index = number.
pub(crate) fn live(flow: &ControlFlowGraph, points: &BTreeMap<usize, LoopCarried>) -> Vec<BitSet> {
    let count = flow.points().len();
    let mut live = vec![BitSet::default(); count];
    let walked: Vec<usize> = (0..count)
        .filter(|n| points.contains_key(n) || is_entry(flow, *n))
        .collect();
    let mut grown = true;
    while grown {
        grown = false;
        for &number in walked.iter().rev() {
            let mut before = BitSet::default();
            flow.augmented_successors(number)
                .into_iter()
                .for_each(|next| _ = before.union(&live[next]));
            if let Some(one) = points.get(&number) {
                before.subtract(&one.always);
                before.union(&one.exposed);
            }
            grown |= live[number].union(&before);
        }
    }
    live
}

fn is_entry(flow: &ControlFlowGraph, number: usize) -> bool {
    flow.points_at(number) == CfgNode::Entry
}

/// What is written on every way from the entry of a procedure to its return.
fn always(flow: &ControlFlowGraph, points: &BTreeMap<usize, LoopCarried>) -> BitSet {
    let count = flow.points().len();
    let mut before: Vec<Option<BitSet>> = vec![None; count];
    let entry = flow.number(CfgNode::Entry);
    before[entry] = Some(BitSet::default());
    let mut pending = vec![entry];
    while let Some(number) = pending.pop() {
        let mut after = before[number].clone().unwrap_or_default();
        points
            .get(&number)
            .into_iter()
            .for_each(|one| _ = after.union(&one.always));
        for next in flow.augmented_successors(number) {
            let met = match &before[next] {
                None => after.clone(),
                Some(known) => numbers(known.iter().filter(|&n| after.contains(n))),
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
