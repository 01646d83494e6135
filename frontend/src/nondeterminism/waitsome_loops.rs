//! The shape of drains that take several requests at once: a loop round MPI_Waitsome or MPI_Testsome, with a loop
//! over what that tells in it, until all requests were told. How often the call is made, and of how many requests
//! each tells, depends on time; that each request is told once does not. Those that take one at a time are in
//! [`crate::nondeterminism::completion_loops`].

use crate::graphs::control_flow_graph::CfgNode;
use crate::ir::constant_values::constant;
use crate::ir::references;
use crate::ir::statement_tree;
use crate::ir::{
    Dimension, Expression, Operator, StatementId, StatementKind, Storage, Type, VariableId,
};
use crate::memory::locations::LocationId;
use crate::nondeterminism::completion_loops::{
    CompletionLoop, CompletionTest, is_same, stays_in, tests_same_request,
};
use crate::nondeterminism::mpi_outputs::{Readers, argument, mpi_call};
use crate::nondeterminism::polling_loops::does_nothing;
use base_data::mpi::Role;
use std::collections::BTreeSet;

/// The drain that a call makes, if it makes one:
///
/// ```fortran
/// done = 0
/// do while (done < n)
///   call MPI_Waitsome(n, requests, count, indices, statuses, error)
///   do k = 1, count
///     …
///   end do
///   done = done + count
/// end do
/// ```
///
/// or with exits that say the same, also by `count == MPI_UNDEFINED`, or counting down from `n` to 0. Beside the loops there are only scalar
/// assignments in it, so what is computed is computed for each request.
pub(crate) fn completion_loop(readers: &Readers, wait: StatementId) -> Option<CompletionLoop> {
    let model = readers.model;
    let (function, arguments) = mpi_call(model, wait)?;
    let given = |role| argument(function, &arguments, role);
    let repeat = model.outline.parent[wait.0 as usize]?;
    let StatementKind::While {
        condition, body, ..
    } = &model.program.statement(repeat).kind
    else {
        return None;
    };
    if !["MPI_Waitsome", "MPI_Testsome"].contains(&function.name) {
        return None;
    }
    let first = function.position(Role::Completion)?;
    let (count, indices) = (whole(arguments[first]?)?, whole(arguments[first + 1]?)?);
    let statuses = given(Role::Status).and_then(whole);
    let loops = Loops {
        readers,
        wait,
        repeat,
        body,
        total: given(Role::RequestCount)?,
        count,
    };
    let (each, number) = loops.over_completed()?;
    let ending = loops.ending(each, condition.as_ref())?;
    let told = CompletionTest::Element {
        indices,
        statuses,
        number,
    };
    let found = CompletionLoop {
        wait,
        repeat,
        each,
        ending,
        told,
    };
    let is_shaped = model.program.variable(count).shape.is_empty()
        && loops.is_list(indices)
        && statuses.is_none_or(|statuses| loops.is_list_of_statuses(statuses))
        && loops.writes_only(count, wait)
        && loops.has_no_other_effects(&found)
        && !found
            .ending
            .iter()
            .chain([&repeat, &each])
            .any(|id| readers.control.assumed[id.0 as usize].is_any());
    (is_shaped && stays_in(readers, &found) && tests_same_request(readers, &found)).then_some(found)
}

fn whole(expression: &Expression) -> Option<VariableId> {
    if let Expression::Variable(variable) = expression {
        Some(*variable)
    } else {
        None
    }
}

/// What counts the requests that were told.
#[derive(Clone, Copy)]
struct Counter {
    statement: StatementId,
    variable: VariableId,
    way: Direction,
}

/// Which way it counts.
#[derive(Clone, Copy)]
enum Direction {
    /// `done = done + count`, from 0 to how many there are.
    Up,
    /// `left = left - count`, from how many there are to 0.
    Down,
}

struct Loops<'a, 'b> {
    readers: &'b Readers<'a>,
    wait: StatementId,
    repeat: StatementId,
    body: &'a [StatementId],
    /// How many requests there are.
    total: &'a Expression,
    /// What tells how many of them have completed.
    count: VariableId,
}

impl<'a> Loops<'a, '_> {
    fn kind(&self, id: StatementId) -> &'a StatementKind {
        &self.readers.model.program.statement(id).kind
    }

    /// The position of a statement in the body.
    fn position(&self, id: StatementId) -> Option<usize> {
        self.body.iter().position(|other| *other == id)
    }

    /// The loop over what a call told, and its variable.
    fn over_completed(&self) -> Option<(StatementId, VariableId)> {
        let program = self.readers.model.program;
        let is_one = |bound: &Expression| constant(program, bound) == Some(1);
        self.body.iter().find_map(|&id| {
            let StatementKind::Do {
                variable,
                from,
                to,
                step,
                ..
            } = self.kind(id)
            else {
                return None;
            };
            let is_over = is_one(from) && step.as_ref().is_none_or(is_one) && self.is_count(to);
            is_over.then_some((id, *variable))
        })
    }

    fn is_count(&self, expression: &Expression) -> bool {
        matches!(expression, Expression::Variable(variable) if *variable == self.count)
    }

    /// The statements that end the loop once all requests were told: one that counts them, and exits.
    fn ending(
        &self,
        each: StatementId,
        condition: Option<&Expression>,
    ) -> Option<Vec<StatementId>> {
        let counter = self.body.iter().find_map(|&id| self.counter(id));
        let (over_completed, mut ending) = (self.position(each)?, Vec::new());
        let mut ends = condition.is_some();
        if let Some(condition) = condition {
            self.compares(condition, [Operator::Less, Operator::NotEqual], counter?)
                .then_some(())?;
        }
        for &test in self.body {
            let Some((decides, exit)) = self.exit(test) else {
                continue;
            };
            let after = |id| self.position(id) < self.position(test);
            let is_all = counter.is_some_and(|counter| {
                self.compares(decides, [Operator::GreaterEqual, Operator::Equal], counter)
                    && after(counter.statement)
            });
            let is_last = is_all && over_completed < self.position(test)?;
            (is_last || self.is_undefined(decides)).then_some(())?;
            ending.extend([test, exit]);
            ends = true;
        }
        ending.extend(counter.map(|counter| counter.statement));
        ends.then_some(ending)
    }

    /// `done = done + count`, where that is 0 whenever the loop begins, or `left = left - count`, where that is how many
    /// there are; nobody else changes it in the loop.
    fn counter(&self, statement: StatementId) -> Option<Counter> {
        let StatementKind::Assign {
            target: Expression::Variable(variable),
            value,
        } = self.kind(statement)
        else {
            return None;
        };
        let Expression::Binary {
            operator,
            left,
            right,
        } = value
        else {
            return None;
        };
        let is_same = |e: &Expression| matches!(e, Expression::Variable(v) if v == variable);
        let changes = (
            is_same(left) && self.is_count(right),
            self.is_count(left) && is_same(right),
        );
        let way = match (operator, changes) {
            (Operator::Add, (true, _) | (_, true)) => Direction::Up,
            (Operator::Subtract, (true, _)) => Direction::Down,
            (_, _) => return None,
        };
        let begins_well = match way {
            Direction::Up => self.starts_at_zero(*variable),
            Direction::Down => self.starts_at_total(*variable),
        };
        let counter = Counter {
            statement,
            variable: *variable,
            way,
        };
        (begins_well && self.writes_only(*variable, statement)).then_some(counter)
    }

    /// Whether one statement alone writes a variable in the loop.
    fn writes_only(&self, variable: VariableId, writer: StatementId) -> bool {
        let Readers { model, control, .. } = *self.readers;
        let Some(place) = model.locations.of_variable(variable) else {
            return false;
        };
        let writes = |id: &StatementId| {
            control
                .effects(model, *id)
                .definitions
                .iter()
                .any(|definition| definition.location == place)
        };
        statement_tree::subtree(model.program, self.repeat)
            .iter()
            .filter(|id| writes(id))
            .all(|id| *id == writer)
    }

    /// Whether a variable is 0 wherever control comes to the loop from outside: what it counted when it ran before
    /// must not be left in it.
    fn starts_at_zero(&self, done: VariableId) -> bool {
        let Readers { model, control, .. } = *self.readers;
        let procedure = model.program.statement(self.repeat).procedure;
        let Some(place) = model
            .locations
            .of_variable(done)
            .filter(|place| model.followed[place.index()])
        else {
            return false;
        };
        let is_inside = |point: &CfgNode| matches!(point, CfgNode::Statement(id) if model.outline.is_within(*id, self.repeat));
        let flow = control.flow(model, procedure, &control.assumed);
        let before = flow.predecessors(flow.number(CfgNode::Statement(self.repeat)));
        let mut outside = before
            .into_iter()
            .map(|at| flow.points_at(at))
            .filter(|point| !is_inside(point));
        outside.all(|point| {
            let reaching = control.reaching[procedure.0 as usize].definitions(place, point);
            match self.makes(point, place) {
                Some(is_zero) => is_zero,
                None => reaching
                    .is_some_and(|all| all.iter().all(|at| self.makes(*at, place) == Some(true))),
            }
        })
    }

    /// Whether a variable is how many requests there are wherever control comes to the loop from outside: on all ways there
    /// that was assigned to it, and neither has been changed since.
    fn starts_at_total(&self, left: VariableId) -> bool {
        let Readers { model, control, .. } = *self.readers;
        let follow = |v| {
            model
                .locations
                .of_variable(v)
                .filter(|place| model.followed[place.index()])
        };
        let total = match (self.total, constant(model.program, self.total)) {
            (_, Some(_)) => None,
            (Expression::Variable(total), None) if follow(*total).is_some() => follow(*total),
            (_, None) => return false,
        };
        let Some(place) = follow(left) else {
            return false;
        };
        let flow = control.flow(
            model,
            model.program.statement(self.repeat).procedure,
            &control.assumed,
        );
        let is_inside = |at: &usize| matches!(flow.points_at(*at), CfgNode::Statement(id) if model.outline.is_within(id, self.repeat));
        let mut pending = flow.predecessors(flow.number(CfgNode::Statement(self.repeat)));
        pending.retain(|at| !is_inside(at));
        let mut seen = BTreeSet::new();
        while let Some(number) = pending.pop() {
            let CfgNode::Statement(id) = flow.points_at(number) else {
                return false;
            };
            if self.assigns_total(id, left) || !seen.insert(number) {
                continue;
            }
            let definitions = &control.effects(model, id).definitions;
            if definitions
                .iter()
                .any(|one| one.location == place || Some(one.location) == total)
            {
                return false;
            }
            pending.extend(flow.predecessors(number));
        }
        true
    }

    /// Whether a statement assigns to a variable how many requests there are.
    fn assigns_total(&self, id: StatementId, left: VariableId) -> bool {
        matches!(self.kind(id), StatementKind::Assign { target: Expression::Variable(target), value }
            if *target == left && is_same(self.readers, value, self.total))
    }

    /// Whether what a point writes to a place is 0; `None` if it writes nothing there.
    fn makes(&self, point: CfgNode, place: LocationId) -> Option<bool> {
        let Readers { model, control, .. } = *self.readers;
        let CfgNode::Statement(id) = point else {
            return None;
        };
        let definitions = &control.effects(model, id).definitions;
        definitions
            .iter()
            .any(|definition| definition.location == place)
            .then_some(())?;
        let StatementKind::Assign {
            target: Expression::Variable(_),
            value,
        } = self.kind(id)
        else {
            return Some(false);
        };
        Some(constant(model.program, value) == Some(0))
    }

    /// Whether a condition compares what was counted with how many there are, or 0 with what is left.
    fn compares(&self, condition: &Expression, operators: [Operator; 2], counter: Counter) -> bool {
        let Expression::Binary {
            operator,
            left,
            right,
        } = condition
        else {
            return false;
        };
        let is_counted =
            |e: &Expression| matches!(e, Expression::Variable(v) if *v == counter.variable);
        let is_zero = |e: &Expression| constant(self.readers.model.program, e) == Some(0);
        let is_low = |e: &Expression| match counter.way {
            Direction::Up => is_counted(e),
            Direction::Down => is_zero(e),
        };
        let is_high = |e: &Expression| match counter.way {
            Direction::Up => is_same(self.readers, e, self.total),
            Direction::Down => is_counted(e),
        };
        let turned = match *operator {
            Operator::Greater => Operator::Less,
            Operator::LessEqual => Operator::GreaterEqual,
            other => other,
        };
        let is_turned = turned != *operator;
        let is_either = matches!(operator, Operator::Equal | Operator::NotEqual);
        operators.contains(&turned)
            && ((!is_turned && is_low(left) && is_high(right))
                || ((is_turned || is_either) && is_high(left) && is_low(right)))
    }

    /// The condition and the exit of `if (condition) exit`.
    fn exit(&self, test: StatementId) -> Option<(&'a Expression, StatementId)> {
        let StatementKind::If {
            branches,
            otherwise: None,
            ..
        } = self.kind(test)
        else {
            return None;
        };
        let [(condition, inner)] = &branches[..] else {
            return None;
        };
        let [exit] = inner[..] else { return None };
        matches!(self.kind(exit), StatementKind::Exit(target) if *target == self.repeat)
            .then_some((condition, exit))
    }

    /// Whether a condition is `count == MPI_UNDEFINED`: that there was no request left.
    fn is_undefined(&self, condition: &Expression) -> bool {
        let Expression::Binary {
            operator: Operator::Equal,
            left,
            right,
        } = condition
        else {
            return false;
        };
        let program = self.readers.model.program;
        let is_name = |e: &Expression| program.mpi_constant(e) == Some("mpi_undefined");
        (self.is_count(left) && is_name(right)) || (is_name(left) && self.is_count(right))
    }

    /// Whether the `k`-th element of an array of one dimension is named by `k`.
    fn is_list(&self, array: VariableId) -> bool {
        matches!(&self.readers.model.program.variable(array).shape[..], [only] if self.counts_from_one(array, only))
    }

    /// Whether what belongs to the `k`-th status of an array is named by `k`, the last subscript.
    fn is_list_of_statuses(&self, array: VariableId) -> bool {
        let program = self.readers.model.program;
        let variable = program.variable(array);
        let is_size = |e: &Expression| program.mpi_constant(e) == Some("mpi_status_size");
        match &variable.shape[..] {
            [_] => variable.of_type == Type::Derived("mpi_status".into()) && self.is_list(array),
            [of_one, last] => {
                [of_one, last]
                    .into_iter()
                    .all(|dimension| self.counts_from_one(array, dimension))
                    && of_one.upper.as_ref().is_some_and(is_size)
            }
            _ => false,
        }
    }

    /// Whether a dimension of an array begins at 1, whatever the array is made of elsewhere.
    fn counts_from_one(&self, array: VariableId, dimension: &Dimension) -> bool {
        let variable = self.readers.model.program.variable(array);
        let is_one = |bound: &Expression| constant(self.readers.model.program, bound) == Some(1);
        // Those with a deferred shape get their bounds where they are made.
        let is_declared =
            dimension.upper.is_some() || matches!(variable.storage, Storage::Dummy(_));
        let is_deferred = variable.attributes.pointer || variable.attributes.allocatable;
        is_declared && !is_deferred && dimension.lower.as_ref().is_none_or(is_one)
    }

    /// Whether the call comes first, and beside the loops nothing is done that costs anything or leaves them.
    fn has_no_other_effects(&self, completion_loop: &CompletionLoop) -> bool {
        let program = self.readers.model.program;
        let mut doing = self
            .body
            .iter()
            .filter(|id| !does_nothing(self.readers, **id));
        let is_cheap = |id: &StatementId| {
            let StatementKind::Assign {
                target: Expression::Variable(target),
                value,
            } = self.kind(*id)
            else {
                return false;
            };
            let is_scalar = program.variable(*target).shape.is_empty();
            !self.readers.kept[id.0 as usize] && is_scalar && references::calls(value).is_empty()
        };
        doing.next() == Some(&self.wait)
            && doing.all(|id| completion_loop.is_frame(*id) || is_cheap(id))
    }
}
