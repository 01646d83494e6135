//! Completion loops around MPI_Waitsome or MPI_Testsome: an outer loop that repeats the call until all requests have
//! completed, and an inner loop over the requests that one call completed.
//!
//! The number of calls, and of requests per call, depends on timing; that each request completes once does not. Loops that
//! complete one request per iteration are in [`crate::nondeterminism::completion_loops`].

use crate::graphs::control_flow_graph::{CfgNode, ControlFlowGraph};
use crate::ir::constant_values::constant;
use crate::ir::references;
use crate::ir::statement_tree;
use crate::ir::{
    Dimension, Expression, Operator, StatementId, StatementKind, Storage, Type, VariableId,
};
use crate::memory::location_id::LocationId;
use crate::nondeterminism::completion_loops::{
    CompletionLoop, CompletionTest, is_same, stays_in, tests_same_request,
};
use crate::nondeterminism::mpi_outputs::{Readers, argument, mpi_call};
use crate::nondeterminism::polling_loops::does_nothing;
use base_data::mpi::Role;
use std::collections::BTreeSet;

/// The completion loop around a call, if there is one:
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
/// or with equivalent exits, also by `count == MPI_UNDEFINED`, or counting down from `n` to 0. Beside the loops, the body
/// contains only scalar assignments, so all work is done once for each request.
pub(crate) fn completion_loop(readers: &Readers, wait: StatementId) -> Option<CompletionLoop> {
    let model = readers.model;
    let (function, arguments) = mpi_call(model, wait)?;
    if !["MPI_Waitsome", "MPI_Testsome"].contains(&function.name) {
        return None;
    }
    let repeat = model.outline.parent[wait.0 as usize]?;
    let StatementKind::While {
        condition, body, ..
    } = &model.program.statement(repeat).kind
    else {
        return None;
    };
    // The number of completed requests; the indices follow it in the argument list.
    let first = function.position(Role::Completion)?;
    let count = whole(arguments[first]?)?;
    let indices = whole(arguments[first + 1]?)?;
    let statuses = match argument(function, &arguments, Role::Status) {
        Some(statuses) => whole(statuses),
        None => None,
    };
    let loops = Loops {
        readers,
        wait,
        repeat,
        body,
        total: argument(function, &arguments, Role::RequestCount)?,
        count,
    };
    let (each, number) = loops.over_completed()?;
    let ending = loops.ending(each, condition.as_ref())?;
    // An assumed outcome would replace the tests that this proof is about.
    for id in ending.iter().chain([&repeat, &each]) {
        if readers.control.assumed[id.0 as usize].is_any() {
            return None;
        }
    }
    let found = CompletionLoop {
        wait,
        repeat,
        each,
        ending,
        test: CompletionTest::Element {
            indices,
            statuses,
            number,
        },
    };
    let has_statuses_by_number = match statuses {
        Some(statuses) => loops.is_list_of_statuses(statuses),
        None => true,
    };
    let is_proven = model.program.variable(count).shape.is_empty()
        && loops.is_list(indices)
        && has_statuses_by_number
        && loops.writes_only(count, wait)
        && loops.has_no_other_effects(&found)
        && stays_in(readers, &found)
        && tests_same_request(readers, &found);
    if is_proven { Some(found) } else { None }
}

/// The variable that an expression names as a whole.
fn whole(expression: &Expression) -> Option<VariableId> {
    match expression {
        Expression::Variable(variable) => Some(*variable),
        _ => None,
    }
}

/// The counter of completed requests.
#[derive(Clone, Copy)]
struct Counter {
    statement: StatementId,
    variable: VariableId,
    direction: Direction,
}

/// In which direction it counts.
#[derive(Clone, Copy)]
enum Direction {
    /// `done = done + count`, from 0 to the number of requests.
    Up,
    /// `left = left - count`, from the number of requests to 0.
    Down,
}

struct Loops<'a, 'b> {
    readers: &'b Readers<'a>,
    wait: StatementId,
    repeat: StatementId,
    body: &'a [StatementId],
    /// The number of requests.
    total: &'a Expression,
    /// The variable that receives the number of completed requests.
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

    /// The loop over the requests that one call completed, and its variable.
    fn over_completed(&self) -> Option<(StatementId, VariableId)> {
        for &id in self.body {
            let StatementKind::Do {
                variable,
                from,
                to,
                step,
                ..
            } = self.kind(id)
            else {
                continue;
            };
            let has_unit_step = match step {
                Some(step) => self.is_constant(step, 1),
                None => true,
            };
            if self.is_constant(from, 1) && has_unit_step && self.is_count(to) {
                return Some((id, *variable));
            }
        }
        None
    }

    fn is_constant(&self, expression: &Expression, value: i64) -> bool {
        constant(self.readers.model.program, expression) == Some(value)
    }

    fn is_count(&self, expression: &Expression) -> bool {
        matches!(expression, Expression::Variable(variable) if *variable == self.count)
    }

    /// The statements that end the outer loop once all requests have completed: the counter, and exits. `None` if one of
    /// the exits may be taken earlier, or none is certain to be taken.
    fn ending(
        &self,
        each: StatementId,
        condition: Option<&Expression>,
    ) -> Option<Vec<StatementId>> {
        let counter = self.body.iter().find_map(|&id| self.counter(id));
        let inner = self.position(each)?;
        let mut ends = false;
        if let Some(condition) = condition {
            let continues_until_all = [Operator::Less, Operator::NotEqual];
            // Any other condition could end the loop early.
            if !self.compares(condition, continues_until_all, counter?) {
                return None;
            }
            ends = true;
        }
        let mut ending = Vec::new();
        for &test in self.body {
            let Some((exit_condition, exit)) = self.exit(test) else {
                continue;
            };
            if !self.exits_after_last(test, exit_condition, inner, counter)
                && !self.is_undefined(exit_condition)
            {
                return None;
            }
            ending.extend([test, exit]);
            ends = true;
        }
        if let Some(counter) = counter {
            ending.push(counter.statement);
        }
        if ends { Some(ending) } else { None }
    }

    /// Whether an exit is taken only when all requests have completed, and follows both the counter and the inner loop, so
    /// that the last requests are handled before it.
    fn exits_after_last(
        &self,
        test: StatementId,
        condition: &Expression,
        inner: usize,
        counter: Option<Counter>,
    ) -> bool {
        let Some(counter) = counter else {
            return false;
        };
        let position = self.position(test);
        self.compares(
            condition,
            [Operator::GreaterEqual, Operator::Equal],
            counter,
        ) && self.position(counter.statement) < position
            && Some(inner) < position
    }

    /// `done = done + count`, where `done` is 0 whenever the loop begins, or `left = left - count`, where `left` is the
    /// number of requests then; no other statement of the loop writes the variable.
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
        let adds_count = whole(left) == Some(*variable) && self.is_count(right);
        let adds_to_count = self.is_count(left) && whole(right) == Some(*variable);
        let direction = match operator {
            Operator::Add if adds_count || adds_to_count => Direction::Up,
            Operator::Subtract if adds_count => Direction::Down,
            _ => return None,
        };
        // With another start the loop could end while requests are pending, or wait for none.
        let starts_right = match direction {
            Direction::Up => self.starts_at_zero(*variable),
            Direction::Down => self.starts_at_total(*variable),
        };
        if !starts_right || !self.writes_only(*variable, statement) {
            return None;
        }
        Some(Counter {
            statement,
            variable: *variable,
            direction,
        })
    }

    /// Whether `writer` is the only statement of the loop that may write a variable.
    fn writes_only(&self, variable: VariableId, writer: StatementId) -> bool {
        let model = self.readers.model;
        let Some(location) = model.locations.of_variable(variable) else {
            return false;
        };
        for id in statement_tree::subtree(model.program, self.repeat) {
            if id != writer && self.writes(id, location) {
                return false;
            }
        }
        true
    }

    fn writes(&self, id: StatementId, location: LocationId) -> bool {
        let effects = self.readers.control.effects(self.readers.model, id);
        let mut definitions = effects.definitions.iter();
        definitions.any(|definition| definition.location == location)
    }

    /// The location of a variable, if reaching definitions follow it.
    fn followed(&self, variable: VariableId) -> Option<LocationId> {
        let model = self.readers.model;
        let location = model.locations.of_variable(variable)?;
        if model.followed[location.index()] {
            Some(location)
        } else {
            None
        }
    }

    /// The nodes from which control enters the loop from outside.
    fn entries(&self, flow: &ControlFlowGraph) -> Vec<usize> {
        let outline = &self.readers.model.outline;
        let mut entries = flow.predecessors(flow.number(CfgNode::Statement(self.repeat)));
        entries.retain(|&at| match flow.points_at(at) {
            CfgNode::Statement(id) => !outline.is_within(id, self.repeat),
            _ => true,
        });
        entries
    }

    fn flow(&self) -> ControlFlowGraph {
        let Readers { model, control, .. } = *self.readers;
        let procedure = model.program.statement(self.repeat).procedure;
        control.flow(model, procedure, &control.assumed)
    }

    /// Whether a variable is 0 wherever control enters the loop from outside: its value after an earlier execution of the
    /// loop must not remain in it.
    fn starts_at_zero(&self, done: VariableId) -> bool {
        let Readers { model, control, .. } = *self.readers;
        let Some(location) = self.followed(done) else {
            return false;
        };
        let procedure = model.program.statement(self.repeat).procedure;
        let reaching = &control.reaching[procedure.0 as usize];
        let flow = self.flow();
        for entry in self.entries(&flow) {
            let node = flow.points_at(entry);
            // Reaching definitions hold before a node, so an assignment by the node itself is tested first.
            let definitions = match self.assigns_zero(node, location) {
                Some(true) => continue,
                Some(false) => return false,
                None => reaching.definitions(location, node),
            };
            let Some(definitions) = definitions else {
                return false;
            };
            for node in definitions {
                if self.assigns_zero(node, location) != Some(true) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether a variable is the number of requests wherever control enters the loop from outside: each path there assigns
    /// this number to it and changes neither afterwards. A backward walk from the entries to these assignments.
    fn starts_at_total(&self, left: VariableId) -> bool {
        let Readers { model, control, .. } = *self.readers;
        let total = match self.total {
            total if constant(model.program, total).is_some() => None,
            Expression::Variable(total) => match self.followed(*total) {
                Some(location) => Some(location),
                None => return false,
            },
            _ => return false,
        };
        let Some(location) = self.followed(left) else {
            return false;
        };
        let flow = self.flow();
        let mut pending = self.entries(&flow);
        let mut seen = BTreeSet::new();
        while let Some(number) = pending.pop() {
            let CfgNode::Statement(id) = flow.points_at(number) else {
                return false;
            };
            if self.assigns_total(id, left) || !seen.insert(number) {
                continue;
            }
            for definition in &control.effects(model, id).definitions {
                if definition.location == location || Some(definition.location) == total {
                    return false;
                }
            }
            pending.extend(flow.predecessors(number));
        }
        true
    }

    /// Whether a statement assigns the number of requests to a variable.
    fn assigns_total(&self, id: StatementId, left: VariableId) -> bool {
        match self.kind(id) {
            StatementKind::Assign {
                target: Expression::Variable(target),
                value,
            } => *target == left && is_same(self.readers, value, self.total),
            _ => false,
        }
    }

    /// Whether the value that a node writes to a location is 0; `None` if it does not write there.
    fn assigns_zero(&self, node: CfgNode, location: LocationId) -> Option<bool> {
        let CfgNode::Statement(id) = node else {
            return None;
        };
        if !self.writes(id, location) {
            return None;
        }
        match self.kind(id) {
            StatementKind::Assign {
                target: Expression::Variable(_),
                value,
            } => Some(self.is_constant(value, 0)),
            _ => Some(false),
        }
    }

    /// Whether a condition compares the counter with its final value: the completed requests with all, or 0 with the
    /// remaining ones. `operators` are written with the lower side on the left.
    fn compares(&self, condition: &Expression, operators: [Operator; 2], counter: Counter) -> bool {
        let Expression::Binary {
            operator,
            left,
            right,
        } = condition
        else {
            return false;
        };
        let mirrored = match *operator {
            Operator::Greater => Operator::Less,
            Operator::LessEqual => Operator::GreaterEqual,
            other => other,
        };
        if !operators.contains(&mirrored) {
            return false;
        }
        let is_mirrored = mirrored != *operator;
        let is_symmetric = matches!(operator, Operator::Equal | Operator::NotEqual);
        (!is_mirrored && self.is_ordered(left, right, counter))
            || ((is_mirrored || is_symmetric) && self.is_ordered(right, left, counter))
    }

    /// Whether two expressions are the lower and the upper side of the test of a counter.
    fn is_ordered(&self, low: &Expression, high: &Expression, counter: Counter) -> bool {
        match counter.direction {
            Direction::Up => {
                whole(low) == Some(counter.variable) && is_same(self.readers, high, self.total)
            }
            Direction::Down => self.is_constant(low, 0) && whole(high) == Some(counter.variable),
        }
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
        match self.kind(exit) {
            StatementKind::Exit(target) if *target == self.repeat => Some((condition, exit)),
            _ => None,
        }
    }

    /// Whether a condition is `count == MPI_UNDEFINED`: no active request remained.
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
        if self.is_count(left) {
            return program.mpi_constant(right) == Some("mpi_undefined");
        }
        self.is_count(right) && program.mpi_constant(left) == Some("mpi_undefined")
    }

    /// Whether the `k`-th element of a one-dimensional array has the subscript `k`.
    fn is_list(&self, array: VariableId) -> bool {
        match &self.readers.model.program.variable(array).shape[..] {
            [only] => self.counts_from_one(array, only),
            _ => false,
        }
    }

    /// Whether the `k`-th status of an array has `k` as its last subscript.
    fn is_list_of_statuses(&self, array: VariableId) -> bool {
        let program = self.readers.model.program;
        let variable = program.variable(array);
        match &variable.shape[..] {
            [_] => variable.of_type == Type::Derived("mpi_status".into()) && self.is_list(array),
            [of_one, last] => {
                let Some(size) = &of_one.upper else {
                    return false;
                };
                program.mpi_constant(size) == Some("mpi_status_size")
                    && self.counts_from_one(array, of_one)
                    && self.counts_from_one(array, last)
            }
            _ => false,
        }
    }

    /// Whether a dimension of an array begins at 1 in each execution.
    fn counts_from_one(&self, array: VariableId, dimension: &Dimension) -> bool {
        let variable = self.readers.model.program.variable(array);
        // Arrays with a deferred shape get their bounds where they are allocated or associated.
        if variable.attributes.pointer || variable.attributes.allocatable {
            return false;
        }
        if dimension.upper.is_none() && !matches!(variable.storage, Storage::Dummy(_)) {
            return false;
        }
        match &dimension.lower {
            Some(lower) => self.is_constant(lower, 1),
            None => true,
        }
    }

    /// Whether the wait comes first, and the rest of the body beside the loops consists of cheap assignments that are not
    /// kept.
    fn has_no_other_effects(&self, completion_loop: &CompletionLoop) -> bool {
        let mut is_first = true;
        for &id in self.body {
            if does_nothing(self.readers, id) {
                continue;
            }
            if is_first && id != self.wait {
                return false;
            }
            if !is_first && !completion_loop.is_frame(id) && !self.is_cheap(id) {
                return false;
            }
            is_first = false;
        }
        !is_first
    }

    /// Whether a statement assigns a scalar without calls, and is not kept.
    fn is_cheap(&self, id: StatementId) -> bool {
        let StatementKind::Assign {
            target: Expression::Variable(target),
            value,
        } = self.kind(id)
        else {
            return false;
        };
        let is_scalar = self
            .readers
            .model
            .program
            .variable(*target)
            .shape
            .is_empty();
        is_scalar && !self.readers.kept[id.0 as usize] && references::calls(value).is_empty()
    }
}
