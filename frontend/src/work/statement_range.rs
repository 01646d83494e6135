//! Ranges of consecutive statements: expressions inside a range, or inside procedures that it calls,
//! rewritten in terms of the values at the range's entry (forward substitution). The value of a variable is that of the last
//! assignment before its use; where the branches of an IF assign different values, both are joined by MERGE. Functions that only
//! assign to variables of their own are replaced by their results.

use crate::dataflow::loop_carried::is_pure;
use crate::effects::model::Model;
use crate::expressions::case_conditions;
use crate::expressions::count_factors::Factor;
use crate::expressions::loop_sums;
use crate::expressions::name_visibility;
use crate::expressions::speculatable;
use crate::fortran::{self, assigned};
use crate::graphs::call_graph::{self, Call};
use crate::ir::array_inquiries::{self, Inquiry};
use crate::ir::expression_builders::{binary, intrinsic};
use crate::ir::references;
use crate::ir::statement_tree;
use crate::ir::{
    Callee, Expression, Operator, ProcedureId, Program, StatementId, StatementKind, Storage,
    Subscript, Type, VariableId,
};
use crate::memory::array_shapes;
use crate::memory::location_id::LocationId;
use crate::work::skipped_iterations;
use crate::work::stride_loops;
use crate::work::writes::Writes;
use std::cell::Cell;
use std::collections::BTreeMap;

/// Most assignments that are substituted in one expression, so that no term is longer than a few lines: `s = s + s` doubles an
/// expression each time.
const MAX_SUBSTITUTIONS: u32 = 64;
/// Most functions that are replaced by their results in each other; also ends recursion.
const MAX_INLINED: u32 = 4;

/// Consecutive statements of one list. Counts of its loops are evaluated at its entry.
pub(crate) struct StatementRange<'a> {
    model: &'a Model<'a>,
    procedure: ProcedureId,
    top: Vec<StatementId>,
    writes: Writes,
    order: BTreeMap<StatementId, usize>,
    /// Whether jumps make loops run less often.
    pub(crate) skips: bool,
    /// The first statement that may do so.
    first_skip: Option<usize>,
    /// The first statement in which the run may end.
    first_end: Option<usize>,
    /// Whether jumps back repeat something.
    pub(crate) repeats: bool,
    /// Whether jumps lead to labels, and so into the middle of lists.
    jumps_to_labels: bool,
    /// Assignments that were substituted in the current expression.
    substituted: Cell<u32>,
    /// Expressions inside which the current one is rewritten.
    depth: Cell<u32>,
    /// Functions whose results are being computed around this range.
    inlined_in: u32,
}

/// A whole variable or component that statements of the range write.
struct Written<'e> {
    part: &'e Expression,
    writers: Vec<StatementId>,
}

impl<'a> StatementRange<'a> {
    /// Consecutive statements of one list, where the run may end in some statements of the program (index =
    /// statement id; in none beyond its end).
    pub(crate) fn new(model: &'a Model<'a>, top: &[StatementId], ending: &[bool]) -> Self {
        let program = model.program;
        let mut all: Vec<StatementId> = Vec::new();
        for &id in top {
            all.extend(statement_tree::subtree(program, id));
        }
        let writes = Writes::of(model, &all);
        let procedure = match top.first() {
            Some(&id) => program.statement(id).procedure,
            None => ProcedureId(0),
        };
        let first_skip = all.iter().position(|&id| skips_loops(model, id, &all));
        let jumps_to_labels = all.iter().any(|&id| {
            let kind = &program.statement(id).kind;
            !kind.jump_labels().is_empty() || kind.has_alternate_return()
        });
        let ends = |id: &StatementId| ending.get(id.0 as usize) == Some(&true);
        let first_end = all.iter().position(ends);
        let mut order: BTreeMap<StatementId, usize> = BTreeMap::new();
        for (position, id) in all.into_iter().enumerate() {
            order.insert(id, position);
        }
        // A backward jump executes statements again, with values of later statements.
        let repeats = has_backward_jump(program, &order);
        StatementRange {
            model,
            procedure,
            top: top.to_vec(),
            writes,
            order,
            skips: first_skip.is_some(),
            first_skip,
            first_end,
            repeats,
            jumps_to_labels,
            substituted: Cell::new(0),
            depth: Cell::new(0),
            inlined_in: 0,
        }
    }

    /// The expressions of one statement itself: nothing is written before they are evaluated.
    pub(crate) fn of_head(model: &'a Model<'a>, id: StatementId) -> Self {
        StatementRange {
            model,
            procedure: model.program.statement(id).procedure,
            top: vec![id],
            writes: Writes::none(),
            order: BTreeMap::from([(id, 0)]),
            skips: false,
            first_skip: None,
            first_end: None,
            repeats: false,
            jumps_to_labels: false,
            substituted: Cell::new(0),
            depth: Cell::new(0),
            inlined_in: 0,
        }
    }

    /// Whether a jump may skip a statement.
    pub(crate) fn is_skipped(&self, at: StatementId) -> bool {
        match self.first_skip {
            Some(first) => self.order[&at] > first,
            None => false,
        }
    }

    /// Whether the run may have ended before a statement.
    pub(crate) fn is_after_exit(&self, at: StatementId) -> bool {
        match self.first_end {
            Some(first) => self.order[&at] > first,
            None => false,
        }
    }

    /// Whether the run may have ended before a call in a statement. The order of several calls in one
    /// statement is not defined by the standard, so that any of them may end the run first.
    pub(crate) fn is_call_after_exit(&self, at: StatementId, calls: usize) -> bool {
        let Some(first) = self.first_end else {
            return false;
        };
        if calls > 1 {
            first <= self.order[&at]
        } else {
            first < self.order[&at]
        }
    }

    /// An expression of a statement in terms of the values at the range's entry.
    pub(crate) fn at_entry(&self, expression: &Expression, at: StatementId) -> Option<Expression> {
        let found = self.in_loops(expression, at)?;
        if loop_sums::reads_index(&found) {
            return None;
        }
        Some(found)
    }

    /// The same, where it may read the indices of loops of the range around the statement.
    pub(crate) fn in_loops(&self, expression: &Expression, at: StatementId) -> Option<Expression> {
        let depth = self.depth.get();
        if depth == 0 {
            self.substituted.set(0);
        }
        self.depth.set(depth + 1);
        let found = map_variables(expression, &mut |part| self.value_at_entry(part, at));
        self.depth.set(depth);
        found
    }

    /// A variable, an element, an array inquiry or a function's value in terms of the values at the entry.
    fn value_at_entry(&self, part: &Expression, at: StatementId) -> Option<Expression> {
        if let Expression::Call {
            callee: callee @ Callee::Procedure(_),
            arguments,
        } = part
        {
            let arguments = arguments.iter().map(Some).collect();
            let call = Call {
                callee,
                arguments,
                is_function: true,
            };
            return self.result_at_entry(&call, at);
        }
        if let Some(inquiry) = array_inquiries::inquiry(part) {
            return self.shape_at_entry(&inquiry, part, at);
        }
        let locations = &self.model.locations;
        let Some(location) = locations.at(references::designated(part)?) else {
            return Some(part.clone());
        };
        let writers = self.writers(location)?;
        if writers.is_empty() {
            return Some(part.clone());
        }
        if let Some(index) = self.index(part, &writers, at) {
            return Some(index);
        }
        // Assignments to elements are not followed: which of them they write depends on subscripts.
        if !array_inquiries::is_whole(part) {
            return None;
        }
        self.value_before(&Written { part, writers }, at)
    }

    /// The statements of the range that write a location by name; `None` if others write it as well.
    fn writers(&self, location: LocationId) -> Option<Vec<StatementId>> {
        let mut writers: Vec<StatementId> = Vec::new();
        for one in self.model.locations.innermost(location) {
            writers.extend(self.writes.writers(one)?);
        }
        Some(writers)
    }

    fn kind(&self, id: StatementId) -> &'a StatementKind {
        &self.model.program.statement(id).kind
    }

    /// Whether a statement, or one in it, writes the variable.
    fn is_written_in(&self, written: &Written, id: StatementId) -> bool {
        let outline = &self.model.outline;
        let mut writers = written.writers.iter();
        writers.any(|&writer| outline.is_within(writer, id))
    }

    /// The value before a statement. With jumps to labels, which of several assignments was the last is not known; a single one
    /// may be skipped, so that the counts of the range are incomplete.
    fn value_before(&self, written: &Written, at: StatementId) -> Option<Expression> {
        if self.jumps_to_labels && written.writers.len() > 1 {
            return None;
        }
        // A function in the statement may write what another part of it reads.
        if written.writers.contains(&at) && !assigns(self.kind(at), written.part) {
            return None;
        }
        let is_top = self.top.contains(&at);
        let around = self.model.outline.ancestors(at).next();
        let siblings = match around {
            _ if is_top => &self.top[..],
            Some(around) => {
                let mut lists = self.kind(around).bodies().into_iter();
                lists.find(|list| list.contains(&at))?
            }
            None => return None,
        };
        let position = siblings.iter().position(|&one| one == at)?;
        if let Some(found) = self.value_behind_list(written, &siblings[..position]) {
            return found;
        }
        match around {
            _ if is_top => Some(written.part.clone()),
            // An earlier iteration may have written it, or a function in the condition.
            Some(around)
                if written.writers.contains(&around)
                    || self.kind(around).is_loop() && self.is_written_in(written, around) =>
            {
                None
            }
            Some(around) => self.value_before(written, around),
            None => None,
        }
    }

    /// The value behind a list whose first statement is executed; `None` if nothing in the list writes it.
    fn value_behind_list(
        &self,
        written: &Written,
        list: &[StatementId],
    ) -> Option<Option<Expression>> {
        let last = list
            .iter()
            .rev()
            .find(|&&id| self.is_written_in(written, id))?;
        Some(self.value_behind(written, *last))
    }

    /// The value behind a statement that writes it, by itself or in its branches.
    fn value_behind(&self, written: &Written, id: StatementId) -> Option<Expression> {
        let steps = self.substituted.get() + 1;
        self.substituted.set(steps);
        if steps > MAX_SUBSTITUTIONS {
            return None;
        }
        let program = self.model.program;
        match self.kind(id) {
            kind @ StatementKind::Assign { target, value } => {
                if !assigns(kind, written.part) {
                    return None;
                }
                let before = self.in_loops(value, id)?;
                assigned(program, (target, value), before)
            }
            // A function in one of the conditions writes it.
            _ if written.writers.contains(&id) => None,
            StatementKind::If {
                branches,
                otherwise,
                ..
            } => {
                let mut joined = self.value_behind_branch(
                    written,
                    id,
                    otherwise.as_deref().unwrap_or_default(),
                )?;
                for (condition, body) in branches.iter().rev() {
                    let condition = self.in_loops(condition, id)?;
                    let inside = self.value_behind_branch(written, id, body)?;
                    joined = merged(program, &inside, &joined, &condition)?;
                }
                Some(joined)
            }
            StatementKind::Select { selector, cases } => {
                let (cases, default) = case_conditions::conditional(program, selector, cases);
                let mut joined = self.value_behind_branch(written, id, default)?;
                for case in cases.iter().rev() {
                    let condition = self.in_loops(case.condition.as_ref()?, id)?;
                    let inside = self.value_behind_branch(written, id, case.body)?;
                    joined = merged(program, &inside, &joined, &condition)?;
                }
                Some(joined)
            }
            StatementKind::Scoped { body, .. } => self.value_behind_list(written, body)?,
            StatementKind::Call { .. }
            | StatementKind::Do { .. }
            | StatementKind::While { .. }
            | StatementKind::PointerAssignment { .. }
            | StatementKind::Entry
            | StatementKind::Goto { .. }
            | StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Return
            | StatementKind::Stop
            | StatementKind::Continue
            | StatementKind::InputOutput(_)
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. }
            | StatementKind::Opaque { .. } => None,
        }
    }

    /// The value behind one of the branches of a statement.
    fn value_behind_branch(
        &self,
        written: &Written,
        id: StatementId,
        branch: &[StatementId],
    ) -> Option<Expression> {
        match self.value_behind_list(written, branch) {
            Some(found) => found,
            None => self.value_before(written, id),
        }
    }

    /// The result of a function that only assigns to variables of its own.
    fn result_at_entry(&self, call: &Call, at: StatementId) -> Option<Expression> {
        let &[callee] = call.callee.procedures() else {
            return None;
        };
        let model = self.model;
        let function = model.program.procedure(callee);
        if self.inlined_in >= MAX_INLINED || !only_assigns(model.program, callee, MAX_INLINED) {
            return None;
        }
        let mut inside = StatementRange::new(model, &function.body, &[]);
        inside.inlined_in = self.inlined_in + 1;
        if inside.skips || inside.repeats {
            return None;
        }
        let part = &Expression::Variable(function.result?);
        let writers = inside.writers(model.locations.of_variable(function.result?)?)?;
        let written = Written { part, writers };
        let result = inside.value_behind_list(&written, &function.body)??;
        let here = self.map_to_caller(&result, &CallSite { callee, call })?;
        self.in_loops(&here, at)
    }

    /// The index of a loop of the range around a statement, if it has the loop's value there.
    fn index(
        &self,
        part: &Expression,
        writers: &[StatementId],
        at: StatementId,
    ) -> Option<Expression> {
        let Expression::Variable(variable) = part else {
            return None;
        };
        let (program, outline) = (self.model.program, &self.model.outline);
        let around = outline.ancestors(at).find(|id| {
            let do_variable = statement_tree::do_variable(&program.statement(*id).kind);
            do_variable == Some(*variable) && self.order.contains_key(id)
        })?;
        // A write inside the loop, by a called procedure for example, changes the index (although F2018
        // 11.1.7.4.3 forbids it).
        for &writer in writers {
            if writer != around && outline.is_within(writer, around) {
                return None;
            }
        }
        loop_sums::index_of(program, around)
    }

    /// The extent of an array at the entry, or the one that the range gave it before the statement.
    fn shape_at_entry(
        &self,
        inquiry: &Inquiry,
        part: &Expression,
        at: StatementId,
    ) -> Option<Expression> {
        let locations = &self.model.locations;
        let designated = references::designated(inquiry.array);
        let Some(location) = designated.and_then(|named| locations.at(named)) else {
            return Some(part.clone());
        };
        let existence = locations.existence(location);
        // Statements that allocate, deallocate or associate the array, except those that follow.
        let mut allocators: Vec<StatementId> = Vec::new();
        for &id in self.writes.writers(existence)? {
            let follows = self.top.contains(&id) && self.order[&id] > self.order[&at];
            if !follows || self.repeats {
                allocators.push(id);
            }
        }
        match allocators[..] {
            [] => Some(part.clone()),
            [only] if self.top.contains(&only) && self.order[&only] < self.order[&at] => {
                let kind = &self.model.program.statement(only).kind;
                let extent = array_shapes::of_made(self.model.program, inquiry, kind)?;
                self.at_entry(&extent, only)
            }
            _ => None,
        }
    }

    /// A callee's factor in terms of the values at this range's entry.
    pub(crate) fn translated(
        &self,
        factor: &Factor,
        callee: ProcedureId,
        call: &Call,
        at: StatementId,
    ) -> Option<Factor> {
        let site = CallSite { callee, call };
        let translate = |expression: &Expression| {
            let here = self.map_to_caller(expression, &site)?;
            self.in_loops(&here, at)
        };
        let translated = match factor {
            Factor::Count(expression) => Factor::Count(translate(expression)?),
            Factor::If(expression) => Factor::If(translate(expression)?),
            Factor::Loop(control) => Factor::Loop(control.map(translate)?),
        };
        Some(translated)
    }

    fn map_to_caller(&self, expression: &Expression, site: &CallSite) -> Option<Expression> {
        map_variables(expression, &mut |part| self.in_caller(part, site))
    }

    fn in_caller(&self, part: &Expression, site: &CallSite) -> Option<Expression> {
        let program = self.model.program;
        let inquiry = array_inquiries::inquiry(part);
        let named = match &inquiry {
            Some(inquiry) => inquiry.array,
            None => part,
        };
        let variable = references::base(named)?;
        match &program.variable(variable).storage {
            Storage::Dummy(position) if program.variable(variable).owner == Some(site.callee) => {
                let actual = site.call.arguments.get(*position as usize)?.as_ref()?;
                match &inquiry {
                    Some(inquiry) => self.shape_in_caller(inquiry, variable, actual, site),
                    None => array_shapes::part_of(program, part, actual),
                }
            }
            Storage::Common { .. } | Storage::Module(_) => {
                let here = self.same_here(named, variable)?;
                match &inquiry {
                    Some(inquiry) => Some(inquiry.of(here)),
                    None => Some(here),
                }
            }
            Storage::Constant(_) => self.constant_here(variable),
            Storage::Local | Storage::Static | Storage::Dummy(_) => {
                if self.has_common_host(variable, site.callee) {
                    Some(part.clone())
                } else {
                    None
                }
            }
        }
    }

    /// The extent of a dummy, or of a component of one, from its actual argument.
    fn shape_in_caller(
        &self,
        inquiry: &Inquiry,
        dummy: VariableId,
        actual: &Expression,
        site: &CallSite,
    ) -> Option<Expression> {
        let program = self.model.program;
        if !matches!(inquiry.array, Expression::Variable(_)) {
            return Some(inquiry.of(array_shapes::part_of(program, inquiry.array, actual)?));
        }
        let mut here = |bound: &Expression| self.map_to_caller(bound, site);
        array_shapes::of_dummy(program, inquiry, program.variable(dummy), actual, &mut here)
    }

    /// Whether a callee's variable is one of a procedure around it, and is known here by the same name: this procedure is
    /// that host, or in it as well. (A procedure that calls itself has its own variables anew.)
    fn has_common_host(&self, variable: VariableId, callee: ProcedureId) -> bool {
        let owner = self.model.program.variable(variable).owner;
        owner != Some(callee) && self.is_known(variable)
    }

    /// A constant of the callee's under its name here, or by value: not as a literal, since it may
    /// differ between builds. Constants of MPI differ between libraries, so they have no value here: where their name is
    /// not visible, a function returns it.
    fn constant_here(&self, variable: VariableId) -> Option<Expression> {
        let program = self.model.program;
        let constant = program.variable(variable);
        if self.is_known(variable) {
            return Some(Expression::Variable(variable));
        }
        if constant.attributes.of_mpi {
            let function = fortran::mpi_constant_function(&constant.name)?;
            return Some(intrinsic(function, Vec::new()));
        }
        // Also a guard: a constant that is defined by itself has no value.
        let value = self.constant_value(variable)?;
        // The same PARAMETER from the same INCLUDE file is another variable in each procedure.
        for &own in &self.model.own_variables[self.procedure.0 as usize] {
            if program.variable(own).name == constant.name
                && self.constant_value(own) == Some(value)
                && self.is_known(own)
            {
                return Some(Expression::Variable(own));
            }
        }
        let Storage::Constant(Some(definition)) = &constant.storage else {
            return None;
        };
        let value = map_variables(definition, &mut |part| {
            self.constant_here(references::base(part)?)
        })?;
        let target = Expression::Variable(variable);
        let value = assigned(program, (&target, definition), value)?;
        // The unary plus keeps the definition one operand, whatever it is inserted into.
        Some(Expression::Unary {
            operator: Operator::Plus,
            operand: Box::new(value),
        })
    }

    fn constant_value(&self, variable: VariableId) -> Option<i64> {
        crate::ir::constant_values::constant(self.model.program, &Expression::Variable(variable))
    }

    /// The name by which this procedure knows the callee's COMMON or module variable.
    fn same_here(&self, part: &Expression, variable: VariableId) -> Option<Expression> {
        let program = self.model.program;
        let location = self.model.locations.of_variable(variable)?;
        let rank = program.variable(variable).shape.len();
        let known_as = &self.model.known_as[location.index()];
        // A COMMON block may have another array shape here.
        let found = *known_as
            .iter()
            .find(|id| program.variable(**id).shape.len() == rank && self.is_known(**id))?;
        let Expression::Reference {
            path, subscripts, ..
        } = part
        else {
            return Some(Expression::Variable(found));
        };
        if array_shapes::is_hidden(program, part) {
            return None;
        }
        Some(Expression::Reference {
            base: found,
            path: path.clone(),
            subscripts: subscripts.clone(),
        })
    }

    /// Whether a variable's name is visible at the entry.
    fn is_known(&self, variable: VariableId) -> bool {
        match self.top.first() {
            Some(&first) => {
                name_visibility::is_known(self.model.program, &self.model.outline, variable, first)
            }
            None => false,
        }
    }
}

/// A call, and the procedure that it may execute.
struct CallSite<'c, 'a> {
    callee: ProcedureId,
    call: &'c Call<'a>,
}

/// Whether a statement is an assignment to a whole variable or component.
fn assigns(kind: &StatementKind, part: &Expression) -> bool {
    let StatementKind::Assign { target, .. } = kind else {
        return false;
    };
    array_inquiries::is_same(target, part) && array_inquiries::is_whole(target)
}

/// One of two values of a variable, by a condition, where all may be evaluated.
fn merged(
    program: &Program,
    taken: &Expression,
    otherwise: &Expression,
    condition: &Expression,
) -> Option<Expression> {
    let taken = speculatable::speculatable_integer(program, taken)?;
    let otherwise = speculatable::speculatable_integer(program, otherwise)?;
    let condition = speculatable::speculatable_condition(program, condition)?;
    Some(intrinsic("merge", vec![taken, otherwise, condition]))
}

/// Whether a procedure does nothing but assign to scalars that live as long as its call, of values that it computes without
/// others than intrinsic functions and procedures of this kind, so many in each other at most.
fn only_assigns(program: &Program, id: ProcedureId, deepest: u32) -> bool {
    let procedure = program.procedure(id);
    if procedure.is_whole || deepest == 0 {
        return false;
    }
    let is_own = |target: &Expression| match target {
        Expression::Variable(variable) => {
            let variable = program.variable(*variable);
            variable.owner == Some(id)
                && matches!(variable.storage, Storage::Local)
                && variable.shape.is_empty()
                && !variable.attributes.pointer
                && !matches!(variable.of_type, Type::Derived(_) | Type::Unknown)
        }
        _ => false,
    };
    let all = procedure.body.iter();
    for one in all.flat_map(|&id| statement_tree::subtree(program, id)) {
        let kind = &program.statement(one).kind;
        let is_valid = match kind {
            StatementKind::Assign { target, .. } => is_own(target),
            StatementKind::If { .. } | StatementKind::Return | StatementKind::Continue => true,
            _ => false,
        };
        let is_computed = |call: &Call| match call.callee {
            Callee::Intrinsic(name) => is_pure(name),
            Callee::Procedure(inner) => only_assigns(program, *inner, deepest - 1),
            _ => false,
        };
        if !is_valid || !call_graph::calls(kind).iter().all(is_computed) {
            return false;
        }
        for expression in references::expressions(kind) {
            if uses_own_operators(expression) {
                return false;
            }
        }
    }
    true
}

/// Whether an expression contains operators of the program's own, which are functions.
fn uses_own_operators(expression: &Expression) -> bool {
    let mut found = false;
    references::walk(expression, &mut |part| {
        if let Expression::Unary { operator, .. } | Expression::Binary { operator, .. } = part {
            found |= *operator == Operator::Defined;
        }
    });
    found
}

/// Whether a statement jumps to a label at or before itself.
fn has_backward_jump(program: &Program, order: &BTreeMap<StatementId, usize>) -> bool {
    for (&id, &at) in order {
        let StatementKind::Goto { labels, .. } = &program.statement(id).kind else {
            continue;
        };
        for (&target, &position) in order {
            if let Some(label) = program.statement(target).label
                && position <= at
                && labels.contains(&label)
            {
                return true;
            }
        }
    }
    false
}

/// Whether a jump may skip or repeat loops of a range: any GOTO or RETURN, and EXIT or CYCLE of a loop
/// with others inside. (EXIT also makes its own loop's count a mere bound.)
fn skips_loops(model: &Model, id: StatementId, all: &[StatementId]) -> bool {
    let program = model.program;
    match &program.statement(id).kind {
        StatementKind::Goto { .. } => true,
        StatementKind::Exit(_) => !stride_loops::is_end_of_counted(model, id),
        StatementKind::Cycle(target) => {
            contains_loop_or_call(model, *target) && !skipped_iterations::is_of_rest(model, id)
        }
        // The last statement of a procedure skips nothing.
        StatementKind::Return => all.last() != Some(&id),
        StatementKind::InputOutput(io) => !io.jumps.is_empty(),
        kind @ StatementKind::Call { .. } => kind.has_alternate_return(),
        StatementKind::Assign { .. }
        | StatementKind::If { .. }
        | StatementKind::Do { .. }
        | StatementKind::While { .. }
        | StatementKind::Select { .. }
        | StatementKind::Scoped { .. }
        | StatementKind::PointerAssignment { .. }
        | StatementKind::Entry
        | StatementKind::Stop
        | StatementKind::Continue
        | StatementKind::Allocate { .. }
        | StatementKind::Deallocate { .. }
        | StatementKind::Opaque { .. } => false,
    }
}

fn contains_loop_or_call(model: &Model, outer: StatementId) -> bool {
    let program = model.program;
    for inner in statement_tree::subtree(program, outer) {
        if inner == outer {
            continue;
        }
        let is_loop = program.statement(inner).kind.is_loop();
        if is_loop || !model.effects.of_statement(inner).calls.is_empty() {
            return true;
        }
    }
    false
}

/// An expression with each variable and element replaced, subscripts first, each array inquiry, and each call of a function of
/// the program. `None` if one cannot be, or for other functions that are not intrinsic.
fn map_variables(
    expression: &Expression,
    replace: &mut impl FnMut(&Expression) -> Option<Expression>,
) -> Option<Expression> {
    match expression {
        Expression::Integer(_) | Expression::Literal(_) => Some(expression.clone()),
        Expression::Variable(_) => replace(expression),
        Expression::Reference {
            base,
            path,
            subscripts,
        } => {
            let mut mapped = Vec::new();
            for subscript in subscripts {
                let Subscript::Element(index) = subscript else {
                    return None;
                };
                mapped.push(Subscript::Element(map_variables(index, replace)?));
            }
            replace(&Expression::Reference {
                base: *base,
                path: path.clone(),
                subscripts: mapped,
            })
        }
        Expression::Call { .. } if let Some(inquiry) = array_inquiries::inquiry(expression) => {
            let dimension = match inquiry.dimension {
                Some(dimension) => Some(map_variables(dimension, replace)?),
                None => None,
            };
            replace(&array_inquiries::inquiry_call(
                inquiry.function,
                inquiry.array.clone(),
                dimension,
            ))
        }
        Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } => {
            let mut mapped = Vec::with_capacity(arguments.len());
            for argument in arguments {
                mapped.push(map_variables(argument, replace)?);
            }
            Some(Expression::Call {
                callee: Callee::Intrinsic(name.clone()),
                arguments: mapped,
            })
        }
        Expression::Call {
            callee: Callee::Procedure(_),
            ..
        } => replace(expression),
        Expression::Call { .. } | Expression::Other(_) => None,
        Expression::Unary { operator, operand } => Some(Expression::Unary {
            operator: *operator,
            operand: Box::new(map_variables(operand, replace)?),
        }),
        Expression::Binary {
            operator,
            left,
            right,
        } => {
            let (left, right) = (
                map_variables(left, replace)?,
                map_variables(right, replace)?,
            );
            Some(binary(*operator, left, right))
        }
    }
}
