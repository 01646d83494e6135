//! How often the counted loops of a stretch of statements run, as expressions of what holds at its
//! entry: bounds are followed back through single assignments, through actual arguments and COMMON
//! into called procedures. What cannot be expressed makes the stretch *incomplete*.

use crate::call_graph::{self, Call};
use crate::ir::{
    Callee, Expression, Operator, ProcedureId, Program, StatementId, StatementKind, Storage, Subscript, Type,
    VariableId,
};
use crate::locations::LocationId;
use crate::outline;
use crate::references;
use crate::slice::Model;
use std::collections::BTreeMap;

/// What one loop's total count is a product of.
#[derive(Clone, Debug)]
pub(crate) enum Factor {
    /// Iterations of a loop, each time it is entered; negative means none.
    Count(Expression),
    /// One if this holds, otherwise none.
    If(Expression),
}

/// The total count of one loop.
#[derive(Clone, Debug)]
pub(crate) struct Count {
    /// Outermost first.
    pub(crate) factors: Vec<Factor>,
    /// The loop, or the assignment to a whole array.
    pub(crate) at: StatementId,
}

/// The counts of a stretch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    /// In source order, a callee's where it is called.
    pub(crate) counts: Vec<Count>,
    /// Whether there is work that they do not tell.
    pub(crate) incomplete: bool,
}

/// Finds counts; remembers those of whole procedures.
pub(crate) struct TripCounts<'a> {
    model: &'a Model<'a>,
    procedures: BTreeMap<ProcedureId, Counts>,
    open: Vec<ProcedureId>,
}

impl<'a> TripCounts<'a> {
    /// For the statements of a program.
    pub(crate) fn new(model: &'a Model<'a>) -> Self {
        TripCounts { model, procedures: BTreeMap::new(), open: Vec::new() }
    }

    /// The counts of consecutive statements.
    pub(crate) fn of(&mut self, statements: &[StatementId]) -> Counts {
        let mut stretch = Stretch::new(self.model, statements);
        let mut found = Counts { counts: Vec::new(), incomplete: stretch.repeats };
        self.list(&mut stretch, statements, Some(&[]), &mut found);
        found.incomplete |= stretch.skips && !found.counts.is_empty();
        found
    }

    fn of_procedure(&mut self, procedure: ProcedureId) -> Counts {
        if let Some(known) = self.procedures.get(&procedure) {
            return known.clone();
        }
        if self.open.contains(&procedure) {
            return Counts { counts: Vec::new(), incomplete: true };
        }
        self.open.push(procedure);
        let counts = self.of(&self.model.program.procedure(procedure).body);
        self.open.pop();
        self.procedures.insert(procedure, counts.clone());
        counts
    }

    /// `around` are the factors of what encloses the list; `None` if they are not known.
    fn list(
        &mut self,
        stretch: &mut Stretch,
        list: &[StatementId],
        around: Option<&[Factor]>,
        out: &mut Counts,
    ) {
        for &id in list {
            self.statement(stretch, id, around, out);
        }
    }

    fn statement(
        &mut self,
        stretch: &mut Stretch,
        id: StatementId,
        around: Option<&[Factor]>,
        out: &mut Counts,
    ) {
        let kind = &self.model.program.statement(id).kind;
        for call in call_graph::calls(kind) {
            self.call(stretch, id, &call, around, out);
        }
        match kind {
            StatementKind::Do { from, to, step, body, .. } => {
                let count = trips(self.model.program, from, to, step.as_ref());
                let count = count.and_then(|count| stretch.at_entry(&count, id));
                let inner = extend(around, count.map(Factor::Count));
                self.push(stretch, id, inner.as_deref(), out);
                self.list(stretch, body, inner.as_deref(), out);
            }
            StatementKind::While { .. } => out.incomplete = true,
            StatementKind::If { branches, otherwise, .. } => {
                self.branches(stretch, id, branches, otherwise.as_deref(), around, out);
            }
            StatementKind::Select { cases, .. } => {
                for (_, body) in cases {
                    self.list(stretch, body, None, out);
                }
            }
            StatementKind::Assign { target, .. } => {
                if let Some(extents) = whole_extents(self.model.program, target) {
                    let factor = extents.and_then(|e| stretch.at_entry(&e, id)).map(Factor::Count);
                    self.push(stretch, id, extend(around, factor).as_deref(), out);
                }
            }
            StatementKind::Opaque { .. } => out.incomplete = true,
            StatementKind::Call { .. }
            | StatementKind::Goto { .. }
            | StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Return
            | StatementKind::Stop
            | StatementKind::Continue
            | StatementKind::InputOutput(_)
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. } => {}
        }
    }

    fn push(&self, _: &Stretch, at: StatementId, factors: Option<&[Factor]>, out: &mut Counts) {
        match factors {
            Some(factors) if can_evaluate(factors) => {
                out.counts.push(Count { factors: factors.to_vec(), at })
            }
            Some(_) | None => out.incomplete = true,
        }
    }

    fn branches(
        &mut self,
        stretch: &mut Stretch,
        id: StatementId,
        branches: &[(Expression, Vec<StatementId>)],
        otherwise: Option<&[StatementId]>,
        around: Option<&[Factor]>,
        out: &mut Counts,
    ) {
        let mut before: Vec<Factor> = Vec::new();
        let mut known = true;
        for (condition, body) in branches {
            let condition = stretch.at_entry(condition, id).filter(is_harmless);
            known &= condition.is_some();
            let factors = match (&condition, known, around) {
                (Some(condition), true, Some(around)) => {
                    Some([around, &before, &[Factor::If(condition.clone())]].concat())
                }
                _ => None,
            };
            self.list(stretch, body, factors.as_deref(), out);
            before.extend(condition.map(|c| Factor::If(not(c))));
        }
        let factors = around.filter(|_| known).map(|around| [around, &before].concat());
        self.list(stretch, otherwise.unwrap_or_default(), factors.as_deref(), out);
    }

    fn call(
        &mut self,
        stretch: &mut Stretch,
        id: StatementId,
        call: &Call,
        around: Option<&[Factor]>,
        out: &mut Counts,
    ) {
        match call.callee {
            Callee::Intrinsic(_) => {}
            Callee::Procedure(procedure) => {
                let inner = self.of_procedure(*procedure);
                out.incomplete |= inner.incomplete;
                for count in inner.counts {
                    let translated = around.and_then(|around| {
                        let factors =
                            count.factors.iter().map(|f| stretch.translated(f, *procedure, call, id));
                        Some([around, &factors.collect::<Option<Vec<_>>>()?].concat())
                    });
                    self.push(stretch, count.at, translated.as_deref(), out);
                }
            }
            Callee::Mpi(_) | Callee::UnknownMpi(_) | Callee::External(_) | Callee::Variable(_) => {
                out.incomplete = true
            }
        }
    }
}

fn extend(around: Option<&[Factor]>, factor: Option<Factor>) -> Option<Vec<Factor>> {
    Some([around?, &[factor?]].concat())
}

fn not(condition: Expression) -> Expression {
    Expression::Unary { operator: Operator::Not, operand: Box::new(condition) }
}

/// A condition, or a count under one, can be evaluated even where the program would not.
fn is_harmless(expression: &Expression) -> bool {
    let mut harmless = true;
    references::walk(expression, &mut |part| {
        harmless &= match part {
            Expression::Integer(_)
            | Expression::Literal(_)
            | Expression::Variable(_)
            | Expression::Unary { .. } => true,
            Expression::Binary { operator, .. } => {
                !matches!(operator, Operator::Divide | Operator::Power | Operator::Defined)
            }
            Expression::Reference { .. } | Expression::Call { .. } | Expression::Other(_) => false,
        };
    });
    harmless
}

fn can_evaluate(factors: &[Factor]) -> bool {
    let conditional = factors.iter().any(|factor| matches!(factor, Factor::If(_)));
    let harmless = |factor: &Factor| match factor {
        Factor::Count(e) | Factor::If(e) => is_harmless(e),
    };
    !conditional || factors.iter().all(harmless)
}

/// `(to - from + step) / step` with a constant step.
fn trips(
    program: &Program,
    from: &Expression,
    to: &Expression,
    step: Option<&Expression>,
) -> Option<Expression> {
    let step = match step {
        None => 1,
        Some(step) => crate::files::constant(program, step).filter(|&step| step != 0)?,
    };
    let span = match from {
        Expression::Integer(from) => plus(to, step - from),
        _ => plus(&binary(Operator::Subtract, to.clone(), from.clone()), step),
    };
    Some(match (span, step) {
        (span, 1) => span,
        (Expression::Integer(span), step) => Expression::Integer(span / step),
        (span, step) => binary(Operator::Divide, span, Expression::Integer(step)),
    })
}

/// An expression plus a number, in few words.
fn plus(expression: &Expression, number: i64) -> Expression {
    match expression {
        Expression::Integer(value) => Expression::Integer(value + number),
        Expression::Binary { operator: Operator::Add, left, right }
            if matches!(**right, Expression::Integer(_)) =>
        {
            let Expression::Integer(value) = **right else { return expression.clone() };
            plus(left, value + number)
        }
        Expression::Binary { operator: Operator::Subtract, left, right }
            if matches!(**right, Expression::Integer(_)) =>
        {
            let Expression::Integer(value) = **right else { return expression.clone() };
            plus(left, number - value)
        }
        _ if number == 0 => expression.clone(),
        _ if number < 0 => binary(Operator::Subtract, expression.clone(), Expression::Integer(-number)),
        _ => binary(Operator::Add, expression.clone(), Expression::Integer(number)),
    }
}

fn binary(operator: Operator, left: Expression, right: Expression) -> Expression {
    Expression::Binary { operator, left: Box::new(left), right: Box::new(right) }
}

/// The number of elements of a target that is a whole array: `None` if it is none, `Some(None)` if its
/// size cannot be expressed.
fn whole_extents(program: &Program, target: &Expression) -> Option<Option<Expression>> {
    let shape = match target {
        Expression::Variable(variable) => &program.variable(*variable).shape,
        Expression::Reference { subscripts, .. } => {
            let section = |s: &Subscript| matches!(s, Subscript::Section { .. });
            let text =
                references::base(target).is_some_and(|v| program.variable(v).of_type == Type::Character);
            return (subscripts.iter().any(section) && !text).then_some(None);
        }
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Call { .. }
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Other(_) => return None,
    };
    let extent = |dimension: &crate::ir::Dimension| {
        let lower = dimension.lower.clone().unwrap_or(Expression::Integer(1));
        trips(program, &lower, dimension.upper.as_ref()?, None)
    };
    let extents = shape.iter().map(extent).collect::<Option<Vec<_>>>();
    let product = extents.map(|list| list.into_iter().reduce(|a, b| binary(Operator::Multiply, a, b)));
    if shape.is_empty() { None } else { Some(product.flatten()) }
}

/// Statements whose entry is where counts are to hold.
struct Stretch<'a> {
    model: &'a Model<'a>,
    procedure: ProcedureId,
    top: Vec<StatementId>,
    written: BTreeMap<LocationId, Vec<StatementId>>,
    order: BTreeMap<StatementId, usize>,
    /// Whether jumps make loops run less often.
    skips: bool,
    /// Whether jumps back repeat something.
    repeats: bool,
}

impl<'a> Stretch<'a> {
    fn new(model: &'a Model<'a>, top: &[StatementId]) -> Self {
        let program = model.program;
        let all: Vec<StatementId> = top.iter().flat_map(|&id| outline::subtree(program, id)).collect();
        let mut written: BTreeMap<LocationId, Vec<StatementId>> = BTreeMap::new();
        for &id in &all {
            for definition in &model.effects.of_statement(id).definitions {
                written.entry(definition.location).or_default().push(id);
            }
        }
        let procedure = top.first().map_or(ProcedureId(0), |&id| program.statement(id).procedure);
        let skips = all.iter().any(|&id| skips_loops(model, id, &all));
        let order: BTreeMap<StatementId, usize> =
            all.into_iter().enumerate().map(|(i, id)| (id, i)).collect();
        let repeats = order.iter().any(|(&id, &at)| jumps_back(program, id, at, &order));
        Stretch { model, procedure, top: top.to_vec(), written, order, skips, repeats }
    }

    /// An expression of a statement as one of the stretch's entry.
    fn at_entry(&self, expression: &Expression, at: StatementId) -> Option<Expression> {
        map_variables(expression, &mut |part| self.value_at_entry(part, at))
    }

    /// A variable, or an element, as it was at the entry.
    fn value_at_entry(&self, part: &Expression, at: StatementId) -> Option<Expression> {
        let variable = references::base(part)?;
        let Some(location) = self.model.locations.of_variable(variable) else { return Some(part.clone()) };
        let writers = self.written.get(&location).map_or(&[][..], |list| list);
        match (part, writers) {
            (_, []) => Some(part.clone()),
            (Expression::Variable(_), &[only])
                if self.top.contains(&only) && self.order[&only] < self.order[&at] =>
            {
                match &self.model.program.statement(only).kind {
                    StatementKind::Assign { target: Expression::Variable(_), value } => {
                        self.at_entry(value, only)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A callee's factor as one of this stretch's entry.
    fn translated(
        &self,
        factor: &Factor,
        callee: ProcedureId,
        call: &Call,
        at: StatementId,
    ) -> Option<Factor> {
        let translate = |expression: &Expression| {
            let here = map_variables(expression, &mut |part| self.in_caller(part, callee, call))?;
            self.at_entry(&here, at)
        };
        Some(match factor {
            Factor::Count(expression) => Factor::Count(translate(expression)?),
            Factor::If(expression) => Factor::If(translate(expression)?),
        })
    }

    fn in_caller(&self, part: &Expression, callee: ProcedureId, call: &Call) -> Option<Expression> {
        let variable = references::base(part)?;
        match &self.model.program.variable(variable).storage {
            Storage::Dummy(position) if self.model.program.variable(variable).owner == Some(callee) => {
                // The shape of an array may differ between caller and callee: only scalars.
                let Expression::Variable(_) = part else { return None };
                let actual = call.arguments.get(*position as usize).copied().flatten()?;
                let whole_array = matches!(actual, Expression::Variable(v) if !self.model.program.variable(*v).shape.is_empty());
                (!whole_array).then(|| actual.clone())
            }
            Storage::Constant(_) => self.constant_here(variable),
            Storage::Common { .. } | Storage::Module(_) => self.same_here(part, variable),
            Storage::Local | Storage::Static | Storage::Dummy(_) => None,
        }
    }

    /// A constant of the callee's under its name here, or by value: not as a literal, since it may
    /// differ between builds.
    fn constant_here(&self, variable: VariableId) -> Option<Expression> {
        let program = self.model.program;
        let (name, value) = (&program.variable(variable).name, self.constant_value(variable));
        let same = |id: &VariableId| {
            let other = program.variable(*id);
            other.owner == Some(self.procedure) && other.name == *name && self.constant_value(*id) == value
        };
        if let Some(here) =
            (0..program.variables.len() as u32).map(VariableId).find(same).filter(|_| value.is_some())
        {
            return Some(Expression::Variable(here));
        }
        let Storage::Constant(Some(value)) = &self.model.program.variable(variable).storage else {
            return None;
        };
        let value = map_variables(value, &mut |part| self.constant_here(references::base(part)?))?;
        Some(Expression::Unary { operator: Operator::Plus, operand: Box::new(value) })
    }

    fn constant_value(&self, variable: VariableId) -> Option<i64> {
        crate::files::constant(self.model.program, &Expression::Variable(variable))
    }

    /// The name by which this procedure knows the callee's COMMON or module variable.
    fn same_here(&self, part: &Expression, variable: VariableId) -> Option<Expression> {
        let program = self.model.program;
        let location = self.model.locations.of_variable(variable)?;
        let rank = program.variable(variable).shape.len();
        let here = |id: &VariableId| {
            let other = program.variable(*id);
            let visible =
                other.owner == Some(self.procedure) || (other.owner.is_none() && self.mentions(*id));
            visible && self.model.locations.of_variable(*id) == Some(location) && other.shape.len() == rank
        };
        let found = (0..program.variables.len() as u32).map(VariableId).find(here)?;
        Some(match part {
            Expression::Reference { path, subscripts, .. } => {
                Expression::Reference { base: found, path: path.clone(), subscripts: subscripts.clone() }
            }
            _ => Expression::Variable(found),
        })
    }

    fn mentions(&self, variable: VariableId) -> bool {
        self.model.outline.of_procedure(self.procedure).iter().any(|&id| {
            let expressions = references::expressions(&self.model.program.statement(id).kind);
            expressions.into_iter().any(|e| references::variables(e).contains(&variable))
        })
    }
}

/// Whether a statement jumps to a label before it.
fn jumps_back(program: &Program, id: StatementId, at: usize, order: &BTreeMap<StatementId, usize>) -> bool {
    let StatementKind::Goto { labels, .. } = &program.statement(id).kind else { return false };
    let is_target =
        |other: StatementId| program.statement(other).label.is_some_and(|label| labels.contains(&label));
    order.iter().any(|(&other, &place)| place <= at && is_target(other))
}

/// Whether a jump may skip or repeat loops of a stretch: any GOTO or RETURN, and EXIT or CYCLE of a loop
/// with others inside. (EXIT also makes its own loop's count a mere bound.)
fn skips_loops(model: &Model, id: StatementId, all: &[StatementId]) -> bool {
    let program = model.program;
    let is_loop = |id: StatementId| {
        matches!(program.statement(id).kind, StatementKind::Do { .. } | StatementKind::While { .. })
    };
    let works = |outer: StatementId| {
        outline::subtree(program, outer)
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
        StatementKind::Assign { .. }
        | StatementKind::Call { .. }
        | StatementKind::If { .. }
        | StatementKind::Do { .. }
        | StatementKind::While { .. }
        | StatementKind::Select { .. }
        | StatementKind::Stop
        | StatementKind::Continue
        | StatementKind::Allocate { .. }
        | StatementKind::Deallocate { .. }
        | StatementKind::Opaque { .. } => false,
    }
}

/// An expression with each variable and element replaced; subscripts first. `None` if one cannot be,
/// or for functions that are not intrinsic.
fn map_variables(
    expression: &Expression,
    replace: &mut impl FnMut(&Expression) -> Option<Expression>,
) -> Option<Expression> {
    let mut all =
        |list: &[Expression]| list.iter().map(|e| map_variables(e, replace)).collect::<Option<Vec<_>>>();
    match expression {
        Expression::Integer(_) | Expression::Literal(_) => Some(expression.clone()),
        Expression::Variable(_) => replace(expression),
        Expression::Reference { base, path, subscripts } => {
            let mut mapped = Vec::new();
            for subscript in subscripts {
                let Subscript::Element(index) = subscript else { return None };
                mapped.push(Subscript::Element(map_variables(index, replace)?));
            }
            replace(&Expression::Reference { base: *base, path: path.clone(), subscripts: mapped })
        }
        Expression::Call { callee: Callee::Intrinsic(name), arguments } => {
            Some(Expression::Call { callee: Callee::Intrinsic(name.clone()), arguments: all(arguments)? })
        }
        Expression::Call { .. } | Expression::Other(_) => None,
        Expression::Unary { operator, operand } => Some(Expression::Unary {
            operator: *operator,
            operand: Box::new(map_variables(operand, replace)?),
        }),
        Expression::Binary { operator, left, right } => {
            let (left, right) = (map_variables(left, replace)?, map_variables(right, replace)?);
            Some(binary(*operator, left, right))
        }
    }
}
