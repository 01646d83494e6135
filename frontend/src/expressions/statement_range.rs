//! Consecutive statements, and what expressions inside them, or inside procedures they call, are in the
//! words of their entry.

use crate::effects::model::Model;
use crate::expressions::loop_sums;
use crate::expressions::name_visibility;
use crate::expressions::trip_count_factors::Factor;
use crate::fortran::{self, assigned};
use crate::graphs::call_graph::Call;
use crate::ir::iterations::{binary, intrinsic};
use crate::ir::references;
use crate::ir::statement_tree;
use crate::ir::{
    Callee, Expression, Operator, ProcedureId, Program, StatementId, StatementKind, Storage,
    Subscript, VariableId,
};
use crate::memory::array_shapes::{self, Inquiry};
use crate::memory::locations::{LocationId, LocationSet};
use std::collections::BTreeMap;

/// Statements whose entry is where counts are to hold.
pub(crate) struct StatementRange<'a> {
    model: &'a Model<'a>,
    procedure: ProcedureId,
    top: Vec<StatementId>,
    written: BTreeMap<LocationId, Vec<StatementId>>,
    written_indirectly: LocationSet,
    order: BTreeMap<StatementId, usize>,
    /// Whether jumps make loops run less often.
    pub(crate) skips: bool,
    /// The first statement that may do so.
    first_skip: Option<usize>,
    /// The first statement in which the run may end.
    first_end: Option<usize>,
    /// Whether jumps back repeat something.
    pub(crate) repeats: bool,
}

impl<'a> StatementRange<'a> {
    /// A stretch of consecutive statements of one list, where the run may end in some statements of the program (index =
    /// statement id).
    pub(crate) fn new(model: &'a Model<'a>, top: &[StatementId], ending: &[bool]) -> Self {
        let program = model.program;
        let all: Vec<StatementId> = top
            .iter()
            .flat_map(|&id| statement_tree::subtree(program, id))
            .collect();
        let mut written: BTreeMap<LocationId, Vec<StatementId>> = BTreeMap::new();
        for &id in &all {
            for definition in &model.effects.of_statement(id).definitions {
                written.entry(definition.location).or_default().push(id);
            }
        }
        let mut written_indirectly = LocationSet::default();
        all.iter()
            .for_each(|&id| _ = written_indirectly.union(&model.effects.written_indirectly(id)));
        let procedure = top
            .first()
            .map_or(ProcedureId(0), |&id| program.statement(id).procedure);
        let first_skip = all.iter().position(|&id| skips_loops(model, id, &all));
        let skips = first_skip.is_some();
        let first_end = all.iter().position(|id| ending[id.0 as usize]);
        let order: BTreeMap<StatementId, usize> =
            all.into_iter().enumerate().map(|(i, id)| (id, i)).collect();
        let repeats = order
            .iter()
            .any(|(&id, &at)| jumps_back(program, id, at, &order));
        StatementRange {
            model,
            procedure,
            top: top.to_vec(),
            written,
            written_indirectly,
            order,
            skips,
            first_skip,
            first_end,
            repeats,
        }
    }

    /// What one statement evaluates itself: all is there as it was at the entry.
    pub(crate) fn of_head(model: &'a Model<'a>, id: StatementId) -> Self {
        StatementRange {
            model,
            procedure: model.program.statement(id).procedure,
            top: vec![id],
            written: BTreeMap::new(),
            written_indirectly: LocationSet::default(),
            order: BTreeMap::from([(id, 0)]),
            skips: false,
            first_skip: None,
            first_end: None,
            repeats: false,
        }
    }

    /// Whether jumps may lead past a statement.
    pub(crate) fn is_skipped(&self, at: StatementId) -> bool {
        self.first_skip.is_some_and(|first| self.order[&at] > first)
    }

    /// Whether the run may have ended before a statement.
    pub(crate) fn is_after_exit(&self, at: StatementId) -> bool {
        self.first_end.is_some_and(|first| self.order[&at] > first)
    }

    /// Whether the run may have ended before a call in a statement: of several calls nobody knows which is made first.
    pub(crate) fn is_call_after_exit(&self, at: StatementId, calls: usize) -> bool {
        let from = if calls > 1 {
            self.order[&at] + 1
        } else {
            self.order[&at]
        };
        self.first_end.is_some_and(|first| first < from)
    }

    /// An expression of a statement as one of the stretch's entry.
    pub(crate) fn at_entry(&self, expression: &Expression, at: StatementId) -> Option<Expression> {
        self.in_loops(expression, at)
            .filter(|found| !loop_sums::reads_index(found))
    }

    /// The same, where it may read the indices of loops of the stretch around the statement.
    pub(crate) fn in_loops(&self, expression: &Expression, at: StatementId) -> Option<Expression> {
        map_variables(expression, &mut |part| self.value_at_entry(part, at))
    }

    /// A variable, or an element, as it was at the entry; or how large an array was.
    fn value_at_entry(&self, part: &Expression, at: StatementId) -> Option<Expression> {
        if let Some(inquiry) = array_shapes::inquiry(part) {
            return self.shape_at_entry(&inquiry, part, at);
        }
        let locations = &self.model.locations;
        let Some(place) = locations.at(references::designated(part)?) else {
            return Some(part.clone());
        };
        let parts = locations.innermost(place);
        if parts
            .iter()
            .any(|&one| self.written_indirectly.contains(one))
        {
            return None;
        }
        let writers: Vec<StatementId> = parts
            .iter()
            .flat_map(|one| self.written.get(one))
            .flatten()
            .copied()
            .collect();
        if writers.is_empty() {
            return Some(part.clone());
        }
        if let Some(index) = self.index(part, &writers, at) {
            return Some(index);
        }
        let (true, &[only]) = (array_shapes::is_whole(part), &writers[..]) else {
            return None;
        };
        let kind = &self.model.program.statement(only).kind;
        let StatementKind::Assign { target, value } = kind else {
            return None;
        };
        if !array_shapes::is_same(target, part) || !array_shapes::is_whole(target) {
            return None;
        }
        let before = if self.is_always_before(only, at) {
            self.in_loops(value, only)
        } else {
            None
        };
        assigned(self.model.program, (target, value), before?)
    }

    /// Whether a statement is executed before another whenever that is: in the stretch, or in the same iteration of a loop
    /// around both.
    fn is_always_before(&self, first: StatementId, then: StatementId) -> bool {
        let is_beside = match self.model.outline.ancestors(first).next() {
            _ if self.top.contains(&first) => true,
            Some(around) => {
                let kind = &self.model.program.statement(around).kind;
                matches!(kind, StatementKind::Do { .. })
                    && self.order.contains_key(&around)
                    && self
                        .model
                        .outline
                        .ancestors(then)
                        .any(|above| above == around)
            }
            None => false,
        };
        is_beside && self.order[&first] < self.order[&then]
    }

    /// The index of a loop of the stretch around a statement, if it has the loop's value there.
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
        let counts = |id: &StatementId| {
            statement_tree::do_variable(&program.statement(*id).kind) == Some(*variable)
                && self.order.contains_key(id)
        };
        let around = outline.ancestors(at).find(counts)?;
        let is_kept = writers
            .iter()
            .all(|&writer| writer == around || !outline.is_within(writer, around));
        is_kept.then(|| loop_sums::index_of(program, around))?
    }

    /// How large an array was, or what the stretch made it before the statement.
    fn shape_at_entry(
        &self,
        inquiry: &Inquiry,
        part: &Expression,
        at: StatementId,
    ) -> Option<Expression> {
        let locations = &self.model.locations;
        let place = references::designated(inquiry.array).and_then(|named| locations.at(named));
        let Some(existence) = place.map(|place| locations.existence(place)) else {
            return Some(part.clone());
        };
        if self.written_indirectly.contains(existence) {
            return None;
        }
        let comes_later = |id: &&StatementId| {
            self.top.contains(id) && self.order[id] > self.order[&at] && !self.repeats
        };
        let all = self.written.get(&existence).into_iter().flatten();
        let makers: Vec<StatementId> = all.filter(|id| !comes_later(id)).copied().collect();
        match makers[..] {
            [] => Some(part.clone()),
            [only] if self.top.contains(&only) && self.order[&only] < self.order[&at] => {
                let made = array_shapes::of_made(
                    self.model.program,
                    inquiry,
                    &self.model.program.statement(only).kind,
                );
                self.at_entry(&made?, only)
            }
            _ => None,
        }
    }

    /// A callee's factor as one of this stretch's entry.
    pub(crate) fn translated(
        &self,
        factor: &Factor,
        callee: ProcedureId,
        call: &Call,
        at: StatementId,
    ) -> Option<Factor> {
        let translate = |expression: &Expression| {
            let here = map_variables(expression, &mut |part| self.in_caller(part, callee, call))?;
            self.in_loops(&here, at)
        };
        Some(match factor {
            Factor::Count(expression) => Factor::Count(translate(expression)?),
            Factor::If(expression) => Factor::If(translate(expression)?),
            Factor::Loop(control) => Factor::Loop(control.map(translate)?),
        })
    }

    fn in_caller(&self, part: &Expression, callee: ProcedureId, call: &Call) -> Option<Expression> {
        let program = self.model.program;
        let inquiry = array_shapes::inquiry(part);
        let variable = references::base(inquiry.as_ref().map_or(part, |inquiry| inquiry.array))?;
        match &program.variable(variable).storage {
            Storage::Dummy(position) if program.variable(variable).owner == Some(callee) => {
                let actual = call.arguments.get(*position as usize).copied().flatten()?;
                match &inquiry {
                    Some(inquiry) => {
                        self.shape_in_caller(inquiry, (variable, actual), callee, call)
                    }
                    None => array_shapes::part_of(program, part, actual),
                }
            }
            Storage::Common { .. } | Storage::Module(_) if let Some(inquiry) = &inquiry => {
                Some(inquiry.of(self.same_here(inquiry.array, variable)?))
            }
            Storage::Constant(_) => self.constant_here(variable),
            Storage::Common { .. } | Storage::Module(_) => self.same_here(part, variable),
            Storage::Local | Storage::Static | Storage::Dummy(_) => {
                self.has_common_host(variable, callee).then(|| part.clone())
            }
        }
    }

    /// How large a dummy is, or a component of one, by what is passed for it.
    fn shape_in_caller(
        &self,
        inquiry: &Inquiry,
        (dummy, actual): (VariableId, &Expression),
        callee: ProcedureId,
        call: &Call,
    ) -> Option<Expression> {
        let program = self.model.program;
        if !matches!(inquiry.array, Expression::Variable(_)) {
            return Some(inquiry.of(array_shapes::part_of(program, inquiry.array, actual)?));
        }
        let mut here = |bound: &Expression| {
            map_variables(bound, &mut |part| self.in_caller(part, callee, call))
        };
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
        let (name, value) = (&constant.name, Some(self.constant_value(variable)?));
        let same = |id: &VariableId| {
            program.variable(*id).name == *name && self.constant_value(*id) == value
        };
        let own = &self.model.own_variables[self.procedure.0 as usize];
        if let Some(here) = own
            .iter()
            .copied()
            .find(|id| same(id) && self.is_known(*id))
        {
            return Some(Expression::Variable(here));
        }
        let Storage::Constant(Some(definition)) = &constant.storage else {
            return None;
        };
        let value = map_variables(definition, &mut |part| {
            self.constant_here(references::base(part)?)
        })?;
        let value = assigned(
            program,
            (&Expression::Variable(variable), definition),
            value,
        )?;
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
        let here =
            |id: &VariableId| program.variable(*id).shape.len() == rank && self.is_known(*id);
        let found = self.model.known_as[location.index()]
            .iter()
            .copied()
            .find(here)?;
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

    /// Whether the entry knows a variable by its name.
    fn is_known(&self, variable: VariableId) -> bool {
        self.top
            .first()
            .is_some_and(|&first| name_visibility::is_known(self.model, variable, first))
    }
}

/// Whether a statement jumps to a label before it.
fn jumps_back(
    program: &Program,
    id: StatementId,
    at: usize,
    order: &BTreeMap<StatementId, usize>,
) -> bool {
    let StatementKind::Goto { labels, .. } = &program.statement(id).kind else {
        return false;
    };
    let is_target = |other: StatementId| {
        program
            .statement(other)
            .label
            .is_some_and(|label| labels.contains(&label))
    };
    order
        .iter()
        .any(|(&other, &place)| place <= at && is_target(other))
}

/// Whether a jump may skip or repeat loops of a stretch: any GOTO or RETURN, and EXIT or CYCLE of a loop
/// with others inside. (EXIT also makes its own loop's count a mere bound.)
fn skips_loops(model: &Model, id: StatementId, all: &[StatementId]) -> bool {
    let program = model.program;
    let is_loop = |id: StatementId| {
        matches!(
            program.statement(id).kind,
            StatementKind::Do { .. } | StatementKind::While { .. }
        )
    };
    let works = |outer: StatementId| {
        statement_tree::subtree(program, outer)
            .into_iter()
            .skip(1)
            .any(|inner| is_loop(inner) || !model.effects.of_statement(inner).calls.is_empty())
    };
    match &program.statement(id).kind {
        StatementKind::Goto { .. } => true,
        StatementKind::Exit(_) => true,
        StatementKind::Cycle(target) => works(*target),
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

/// An expression with each variable and element replaced, subscripts first, and each question how large an array is.
/// `None` if one cannot be, or for functions that are not intrinsic.
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
        Expression::Call { .. } if let Some(inquiry) = array_shapes::inquiry(expression) => {
            let dimension = match inquiry.dimension {
                Some(dimension) => Some(map_variables(dimension, replace)?),
                None => None,
            };
            replace(&array_shapes::ask(
                inquiry.function,
                inquiry.array.clone(),
                dimension,
            ))
        }
        Expression::Call {
            callee: Callee::Intrinsic(name),
            arguments,
        } => {
            let mapped = arguments
                .iter()
                .map(|argument| map_variables(argument, replace));
            let arguments = mapped.collect::<Option<Vec<_>>>()?;
            Some(Expression::Call {
                callee: Callee::Intrinsic(name.clone()),
                arguments,
            })
        }
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
