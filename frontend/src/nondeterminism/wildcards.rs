//! Which receives and probes may take what comes first: those whose source may be `MPI_ANY_SOURCE`. It has a value of
//! the library's own, which a variable gets from its name only; so a forward walk from wherever it is named, through
//! constants, assignments, arguments and results, by whole places. Whether it matters which one comes first is in
//! [`crate::nondeterminism::time_dependence`].

use crate::dataflow::loop_carried::read_by;
use crate::effects::model::Model;
use crate::effects::statement_effects::Via;
use crate::graphs::call_graph;
use crate::ir::references;
use crate::ir::{Callee, Expression, ProcedureId, StatementId, StatementKind, Storage, VariableId};
use crate::memory::locations::LocationSet;
use crate::nondeterminism::mpi_outputs::{argument, mpi_call};
use base_data::mpi::{Kind, Role};

/// What takes a message from anybody. `MPI_ANY_TAG` is no such: messages of one source do not overtake each other.
const ANY: &str = "mpi_any_source";

/// Constants that constants may be defined through; also a guard against circles.
const MAX_DEPTH: u32 = 64;

/// The places of a program that may hold a wildcard.
pub(crate) struct Wildcards<'a> {
    model: &'a Model<'a>,
    places: LocationSet,
}

impl<'a> Wildcards<'a> {
    /// Those of a program.
    pub(crate) fn of(model: &'a Model<'a>) -> Self {
        let mut found = Wildcards {
            model,
            places: LocationSet::default(),
        };
        let all: Vec<StatementId> = model.outline.all().collect();
        let mut grown = true;
        while grown {
            grown = false;
            all.iter().for_each(|&id| grown |= found.statement(id));
        }
        found
    }

    /// Whether a call may take what comes first.
    pub(crate) fn takes_first(&self, id: StatementId) -> bool {
        mpi_call(self.model, id).is_some_and(|(function, arguments)| {
            let may_be =
                |role| argument(function, &arguments, role).is_some_and(|given| self.may_be(given));
            matches!(
                function.kind,
                Kind::Receive | Kind::StartReceive | Kind::SendReceive | Kind::Probe
            ) && may_be(Role::Peer)
        })
    }

    /// Whether the value of an expression may be a wildcard.
    fn may_be(&self, expression: &Expression) -> bool {
        read_by(self.model, expression)
            .into_iter()
            .any(|place| self.places.contains(place))
            || self.names_any(expression, MAX_DEPTH)
            || references::calls(expression)
                .iter()
                .any(|call| self.is_result(call.callee))
    }

    /// Whether an expression names one, or a constant that does.
    fn names_any(&self, expression: &Expression, deepest: u32) -> bool {
        let mut names = false;
        let is_any = |variable: VariableId| {
            let variable = self.model.program.variable(variable);
            variable.attributes.of_mpi && variable.name == ANY
                || match &variable.storage {
                    Storage::Constant(Some(value)) => {
                        deepest > 0 && self.names_any(value, deepest - 1)
                    }
                    Storage::Constant(None)
                    | Storage::Common { .. }
                    | Storage::Module(_)
                    | Storage::Local
                    | Storage::Static
                    | Storage::Dummy(_) => false,
                }
        };
        references::walk(expression, &mut |part| {
            names |= references::base(part).is_some_and(is_any)
        });
        names
    }

    /// Whether a function may return one.
    fn is_result(&self, callee: &Callee) -> bool {
        let targets = self.model.calls.targets(callee).into_iter();
        targets
            .flat_map(|target| self.model.results(target))
            .any(|part| self.places.contains(part))
    }

    /// Carries wildcards through a statement; whether any place is new.
    fn statement(&mut self, id: StatementId) -> bool {
        let kind = &self.model.program.statement(id).kind;
        let is_assigned = matches!(kind, StatementKind::Assign { value, .. } if self.may_be(value));
        let mut grown = false;
        for definition in &self.model.effects.of_statement(id).definitions {
            let reached = match definition.via {
                Via::Own => is_assigned,
                Via::Dummy(_, dummy) => self.places.contains(dummy),
                Via::Payload(_) | Via::Envelope => false,
            };
            grown |= reached && self.places.insert(definition.location);
        }
        for call in call_graph::calls(kind) {
            let wild = |(at, given): (usize, &Option<&Expression>)| {
                given.is_some_and(|given| self.may_be(given)).then_some(at)
            };
            let wild: Vec<usize> = call.arguments.iter().enumerate().filter_map(wild).collect();
            for target in self.model.calls.targets(call.callee) {
                wild.iter().for_each(|&at| grown |= self.dummy(target, at));
            }
        }
        grown
    }

    /// The dummy at a position may be one; whether that is new.
    fn dummy(&mut self, procedure: ProcedureId, position: usize) -> bool {
        let dummy = self
            .model
            .program
            .procedure(procedure)
            .dummies
            .get(position)
            .copied()
            .flatten();
        let parts = dummy.map_or(vec![], |variable| {
            self.model.locations.innermost_of(variable)
        });
        let mut grown = false;
        parts
            .into_iter()
            .for_each(|part| grown |= self.places.insert(part));
        grown
    }
}
