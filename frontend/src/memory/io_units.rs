//! Values of Fortran I/O units: constants, and numbers that were free when the program allocated them. Flow-insensitive: the sources
//! of each integer scalar are collected over the whole program and followed transitively. Which statements may
//! access the same file is in [`crate::memory::files`].

use crate::graphs::call_graph::{self, Call, CallGraph};
use crate::ir::constant_values::constant;
use crate::ir::references;
use crate::ir::{
    Callee, Expression, InputOutput, IoOperation, IoUnit, ProcedureId, ProcedureKind, Program,
    StatementId, StatementKind, Storage, Type, VariableId,
};
use crate::memory::location_id::LocationId;
use crate::memory::unit_allocation;
use std::collections::{BTreeMap, BTreeSet};

/// A unit number, or any unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Number {
    /// This one.
    Known(i64),
    /// One that was connected to nothing when this statement got it: from NEWUNIT=, or from a function that asks
    /// which units are open. As long as it is connected, no other statement gets it.
    Free(StatementId),
    /// What cannot be seen.
    Unknown,
}

/// The numbers that integer scalars may hold.
pub(crate) struct Numbers<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    /// By variable.
    places: &'a [Option<LocationId>],
    sources: BTreeMap<LocationId, Vec<Source>>,
    /// Places that may hold what is not seen.
    hidden: BTreeSet<LocationId>,
    /// Scalar places of text of which all sources are seen.
    texts: BTreeSet<LocationId>,
}

/// What a scalar may get its value from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Value(Expression),
    /// What a call passes, or what its dummy holds.
    Passed(Expression),
    /// An internal WRITE.
    Written(StatementId),
    /// A DO that counts in it.
    Counted,
    /// A free unit.
    Free(StatementId),
    Hidden,
}

impl<'a> Numbers<'a> {
    /// What is assigned to each variable of a program; `places` by variable. `shared`: places that components of objects may be.
    pub(crate) fn of(
        program: &'a Program,
        order: &[StatementId],
        calls: &'a CallGraph,
        places: &'a [Option<LocationId>],
        shared: BTreeSet<LocationId>,
    ) -> Self {
        let mut numbers = Numbers {
            program,
            calls,
            places,
            sources: BTreeMap::new(),
            hidden: shared.clone(),
            texts: BTreeSet::new(),
        };
        numbers.hide(order);
        numbers.texts.retain(|place| !shared.contains(place));
        numbers.statements(order, &BTreeSet::new());
        // Finders are recognised by their own sources; their results then count as allocated units.
        let finders = numbers.finders(order);
        if !finders.is_empty() {
            numbers.sources.clear();
            numbers.statements(order, &finders);
        }
        numbers
    }

    fn statements(&mut self, order: &[StatementId], finders: &BTreeSet<ProcedureId>) {
        for &id in order {
            self.statement(id, finders);
        }
    }

    /// The numbers that a unit may have.
    pub(crate) fn units(&self, expression: &Expression) -> BTreeSet<Number> {
        let mut found = BTreeSet::new();
        self.collect(expression, &mut BTreeSet::new(), &mut found);
        if found.is_empty() {
            BTreeSet::from([Number::Unknown])
        } else {
            found
        }
    }

    /// What a scalar of text may get its value from; `None` where not all of that is seen.
    pub(crate) fn texts(&self, variable: VariableId) -> Option<(LocationId, &[Source])> {
        let place = self.places[variable.0 as usize].filter(|place| self.texts.contains(place))?;
        Some((place, self.sources.get(&place)?))
    }

    /// Statements in the order of a depth-first traversal that enters each procedure at its first call; then those of
    /// procedures without a call.
    pub(crate) fn by_first_call(&self, order: &[StatementId]) -> Vec<StatementId> {
        let mut bodies: BTreeMap<ProcedureId, Vec<StatementId>> = BTreeMap::new();
        for &id in order {
            bodies
                .entry(self.program.statement(id).procedure)
                .or_default()
                .push(id);
        }
        let is_main = |id: &ProcedureId| self.program.procedure(*id).kind == ProcedureKind::Main;
        let (main, others): (Vec<_>, Vec<_>) = bodies.keys().copied().partition(is_main);
        let mut found = Vec::new();
        for procedure in main.into_iter().chain(others) {
            self.follow(procedure, &mut bodies, &mut found);
        }
        found
    }

    fn follow(
        &self,
        procedure: ProcedureId,
        bodies: &mut BTreeMap<ProcedureId, Vec<StatementId>>,
        found: &mut Vec<StatementId>,
    ) {
        for id in bodies.remove(&procedure).unwrap_or_default() {
            for call in call_graph::calls(&self.program.statement(id).kind) {
                for target in self.calls.targets(call.callee) {
                    self.follow(target, bodies, found);
                }
            }
            found.push(id);
        }
    }

    /// Places that hold something before any statement runs, that are COMMON or behind pointers, or that procedures
    /// without source or other entries may write.
    fn hide(&mut self, order: &[StatementId]) {
        let mut open = false;
        for &id in order {
            for call in call_graph::calls(&self.program.statement(id).kind) {
                open |= self.calls.is_unknown(call.callee);
            }
        }
        for (variable, place) in self.program.variables.iter().zip(self.places) {
            let Some(place) = *place else {
                continue;
            };
            let is_written_unseen = match variable.storage {
                Storage::Common { .. } => true,
                Storage::Module(_) => open,
                Storage::Local | Storage::Static | Storage::Dummy(_) | Storage::Constant(_) => {
                    match variable.owner {
                        Some(owner) => self.program.procedure(owner).is_whole,
                        None => false,
                    }
                }
            };
            let attributes = &variable.attributes;
            if is_written_unseen || attributes.pointer || attributes.initialised {
                self.hidden.insert(place);
                continue;
            }
            let is_scalar = variable.shape.is_empty();
            if !is_scalar || !matches!(variable.of_type, Type::Integer(_)) {
                self.hidden.insert(place);
            }
            if is_scalar && matches!(variable.of_type, Type::Character) {
                self.texts.insert(place);
            }
        }
        // A place that is known by several names is as hidden as any of them.
        for (variable, place) in self.program.variables.iter().zip(self.places) {
            let is_text = variable.shape.is_empty() && matches!(variable.of_type, Type::Character);
            let attributes = &variable.attributes;
            if let Some(place) = place
                && (!is_text || attributes.pointer || attributes.initialised)
            {
                self.texts.remove(place);
            }
        }
    }

    fn statement(&mut self, id: StatementId, finders: &BTreeSet<ProcedureId>) {
        let kind = &self.program.statement(id).kind;
        match kind {
            StatementKind::Assign { target, value } => {
                let is_found = matches!(value, Expression::Call { callee: Callee::Procedure(p), .. } if finders.contains(p));
                let source = match target {
                    _ if is_found => Source::Free(id),
                    Expression::Variable(_) => Source::Value(value.clone()),
                    // A part of a text.
                    _ => Source::Hidden,
                };
                self.add(target, source);
            }
            StatementKind::InputOutput(io) => {
                if let IoUnit::Internal(target) = &io.unit
                    && io.operation == IoOperation::Write
                {
                    let is_whole = matches!(target, Expression::Variable(_));
                    self.add(
                        target,
                        if is_whole {
                            Source::Written(id)
                        } else {
                            Source::Hidden
                        },
                    );
                }
                for target in &io.writes {
                    self.add(
                        target,
                        if is_new_unit(io, target) {
                            Source::Free(id)
                        } else {
                            Source::Hidden
                        },
                    );
                }
            }
            StatementKind::Opaque { writes, .. } => {
                for target in writes {
                    self.add(target, Source::Hidden);
                }
            }
            StatementKind::Allocate { status, .. } | StatementKind::Deallocate { status, .. } => {
                if let Some(target) = status {
                    self.add(target, Source::Hidden);
                }
            }
            StatementKind::Do { variable, .. } => {
                self.add(&Expression::Variable(*variable), Source::Counted)
            }
            StatementKind::Call { .. }
            | StatementKind::If { .. }
            | StatementKind::While { .. }
            | StatementKind::Select { .. }
            | StatementKind::Scoped { .. }
            | StatementKind::PointerAssignment { .. }
            | StatementKind::Entry
            | StatementKind::Goto { .. }
            | StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Return
            | StatementKind::Stop
            | StatementKind::Continue => {}
        }
        for call in call_graph::calls(kind) {
            self.call(&call);
        }
    }

    /// Something is written to a variable; a part of a variable determines no unit.
    fn add(&mut self, target: &Expression, source: Source) {
        let place = references::base(target).and_then(|variable| self.places[variable.0 as usize]);
        if let Some(place) = place {
            self.sources.entry(place).or_default().push(source);
        }
    }

    /// Dummies get their actuals' values. A callee that writes its dummy writes its actual: the
    /// dummy's own sources say so only to the dummy, so the actual takes them over.
    fn call(&mut self, call: &Call) {
        let targets = self.calls.targets(call.callee);
        for (position, argument) in call.arguments.iter().enumerate() {
            let Some(argument) = argument else { continue };
            for &target in &targets {
                let dummies = &self.program.procedure(target).dummies;
                match dummies.get(position).copied().flatten() {
                    Some(dummy) => self.pass(argument, &Expression::Variable(dummy)),
                    None => self.add(argument, Source::Hidden),
                }
            }
            if targets.is_empty() && may_write(call) {
                self.add(argument, Source::Hidden);
            }
        }
    }

    fn pass(&mut self, actual: &Expression, dummy: &Expression) {
        self.add(dummy, Source::Passed(actual.clone()));
        match actual {
            Expression::Variable(_) => self.add(actual, Source::Passed(dummy.clone())),
            Expression::Reference { .. } => self.add(actual, Source::Hidden),
            _ => {}
        }
    }

    fn collect(
        &self,
        expression: &Expression,
        seen: &mut BTreeSet<LocationId>,
        found: &mut BTreeSet<Number>,
    ) {
        if let Some(value) = constant(self.program, expression) {
            found.insert(Number::Known(value));
            return;
        }
        let place = match expression {
            Expression::Variable(variable) => self.places[variable.0 as usize],
            Expression::Integer(_)
            | Expression::Literal(_)
            | Expression::Reference { .. }
            | Expression::Call { .. }
            | Expression::Unary { .. }
            | Expression::Binary { .. }
            | Expression::Other(_) => None,
        };
        let Some(place) = place.filter(|place| !self.hidden.contains(place)) else {
            found.insert(Number::Unknown);
            return;
        };
        // Copies in a cycle add no further source.
        if !seen.insert(place) {
            return;
        }
        for source in self.sources.get(&place).into_iter().flatten() {
            match source {
                Source::Value(value) | Source::Passed(value) => self.collect(value, seen, found),
                Source::Free(id) => _ = found.insert(Number::Free(*id)),
                Source::Counted | Source::Written(_) | Source::Hidden => {
                    _ = found.insert(Number::Unknown)
                }
            }
        }
    }

    /// The functions that inquire which units are open, and return one that is free, or a negative number, which is no unit.
    fn finders(&self, order: &[StatementId]) -> BTreeSet<ProcedureId> {
        let mut finders = BTreeSet::new();
        for &id in order {
            let statement = self.program.statement(id);
            if let StatementKind::InputOutput(io) = &statement.kind
                && io.opened.is_some()
            {
                finders.insert(statement.procedure);
            }
        }
        finders.retain(|&one| unit_allocation::is_finder(self.program, self.places, one));
        finders
    }
}

/// Whether a procedure that is not the program's may write its arguments.
fn may_write(call: &Call) -> bool {
    match call.callee {
        Callee::Intrinsic(name) => !call.is_function && references::writes_arguments(name),
        Callee::Procedure(_)
        | Callee::OneOf(_)
        | Callee::Mpi(_)
        | Callee::UnknownMpi(_)
        | Callee::External(_)
        | Callee::Variable(_) => true,
    }
}

/// Whether this is what an OPEN with NEWUNIT= defines as its unit.
fn is_new_unit(io: &InputOutput, target: &Expression) -> bool {
    let unit = match &io.unit {
        IoUnit::Number(unit) => unit,
        IoUnit::Internal(_) | IoUnit::Standard | IoUnit::None => return false,
    };
    let whole =
        |one: &Expression| references::base(one).filter(|_| matches!(one, Expression::Variable(_)));
    io.operation == IoOperation::Open && whole(unit).is_some() && whole(unit) == whole(target)
}
