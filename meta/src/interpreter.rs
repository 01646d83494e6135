//! Executes a meta-program for one rank. Statements without MPI calls become amounts ([`Flow`]); the caller decides what
//! to do with the others.
//!
//! A loop is executed until an iteration leaves all variables as they were and does not use its index: the remaining
//! iterations are equal to it.

use crate::analysis::{Analysis, Names, has_break};
use crate::arguments::{Arguments, bare};
use crate::fault::{Fault, Span, line_of};
use crate::flow::{Amount, Flow};
use crate::profile::ProfileValues;
use crate::random::Generator;
use crate::rank_vectors::{Conversion, Operation, Parting, RankVectors};
use crate::syntax::{
    BinaryOperator, Block, Expression, ExpressionKind, Name, Range, Statement, StatementKind,
    is_global,
};
use crate::value::{self, Late, LateKind, MOST_EXACT, Value};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Statements that are executed for all ranks together: some ten seconds' worth.
const MOST_STEPS: u64 = 1 << 26;

/// Different iterations of a loop after which the others are taken to differ, too: a fraction of a second's worth. A loop with a
/// BREAK may end long before its number of iterations, so it has some seconds.
const PATIENT_ITERATIONS: u64 = 1 << 16;
const PATIENT_ITERATIONS_WITH_BREAK: u64 = 1 << 20;

/// Numbers of a vector that take about as long to compute as a statement.
const NUMBERS_PER_STEP: u64 = 8;

/// Definitions call each other this deep at most; every level of a recursion needs a part of the stack.
const DEEPEST_CALLS: usize = 40;

/// Statements inside statements, over all calls: readers recurse over them.
const DEEPEST_STATEMENTS: usize = 150;

/// Cost objects that are made of others are followed this far: further than one cost is deep.
const DEEPEST_FORCING: usize = 250;

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Variable<'p> {
    value: Value<'p>,
    /// Parameters and indices: a value from the command line does not replace them.
    is_bound: bool,
    /// The open loop whose index it is.
    index_of: Option<usize>,
}

/// Variables by name.
pub(crate) type Variables<'p> = BTreeMap<&'p str, Variable<'p>>;

impl Variable<'_> {
    /// Whether its value is computed where it is needed.
    pub(crate) fn is_late(&self) -> bool {
        self.value.is_late()
    }

    /// A number that is equal for equal variables.
    pub(crate) fn hash(&self) -> u64 {
        // Constants that collide with the bits of a number only cost a comparison: equal hashes are compared in full.
        let value = match &self.value {
            Value::Number(number) => number.to_bits(),
            Value::Truth(truth) => 1 + u64::from(*truth),
            Value::NoPeer => 3,
            Value::Late(_) => 4,
            Value::Any => 5,
            Value::Varies(line) => 6 + u64::from(*line),
            Value::ByRank(number) => !u64::from(number.0),
        };
        value.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// All variables of a rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct State<'p> {
    globals: Variables<'p>,
    locals: Variables<'p>,
}

/// What was so before a common execution.
pub(crate) struct Beginning {
    steps: u64,
    /// Whether the number of ranks was known.
    has_ranks: bool,
}

/// The end of a common execution.
pub(crate) enum Together<T> {
    Done(T),
    /// The ranks differ; nothing is known of any.
    Parted(Parting),
}

/// The outcome of a condition.
pub(crate) enum ConditionOutcome {
    /// The first branch or the second.
    Certain(bool),
    /// The first branch with this probability.
    Random(f64),
}

/// How often a loop is repeated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repetitions {
    first: f64,
    /// Not negative; may have a fraction.
    pub(crate) count: f64,
    pub(crate) span: Span,
}

/// What determines the number of ranks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RanksFrom {
    Caller,
    Parallel,
    /// The run of the profile.
    Profile,
}

/// What executing statements for a rank needs.
pub(crate) struct Interpreter<'p> {
    pub(crate) text: &'p str,
    pub(crate) analysis: &'p Analysis<'p>,
    arguments: &'p Arguments,
    /// The first of the ranks that are executed together.
    pub(crate) rank: u32,
    /// The ranks that are executed together, and values that differ between them.
    pub(crate) vectors: RankVectors,
    /// Number of ranks; `None` until it is known.
    ranks: Option<u32>,
    /// What determined the number of ranks.
    ranks_from: RanksFrom,
    /// Whether the rank's number was used.
    pub(crate) has_used_rank: bool,
    pub(crate) state: State<'p>,
    pub(crate) random: Generator,
    steps: u64,
    depth: usize,
    calls: usize,
    forcing: usize,
    /// Of each open loop: whether its index was read in the present iteration.
    index_read: Vec<bool>,
    is_parallel: bool,
}

impl<'p> Interpreter<'p> {
    pub(crate) fn new(
        text: &'p str,
        analysis: &'p Analysis<'p>,
        arguments: &'p Arguments,
        ranks: Option<u32>,
        random: Generator,
    ) -> Self {
        Self {
            text,
            analysis,
            arguments,
            rank: 0,
            vectors: RankVectors::default(),
            ranks,
            ranks_from: RanksFrom::Caller,
            has_used_rank: false,
            state: State::default(),
            random,
            steps: 0,
            depth: 0,
            calls: 0,
            forcing: 0,
            index_read: Vec::new(),
            is_parallel: false,
        }
    }

    /// The number of ranks, as far as it is known: if nothing has determined it before, the run of the profile does.
    pub(crate) fn known_ranks(&mut self) -> Option<u32> {
        if self.ranks.is_none()
            && let Some(profile) = &self.arguments.profile
        {
            self.ranks = Some(profile.ranks());
            self.ranks_from = RanksFrom::Profile;
        }
        self.ranks
    }

    /// The number of ranks behind the last statement: without a PARALLEL, the meta-program is sequential.
    pub(crate) fn final_ranks(&mut self) -> u32 {
        let known = self.known_ranks();
        *self.ranks.insert(known.unwrap_or(1))
    }

    /// Values of directives.
    fn profile(&mut self) -> Option<&'p ProfileValues> {
        let profile = self.arguments.profile.as_deref()?;
        Some(profile.for_ranks(self.known_ranks()?))
    }

    /// Begins a second execution of all ranks.
    pub(crate) fn begin_again(&mut self) {
        // It does what the first one did, which was short enough.
        self.steps = 0;
    }

    /// The ranks to begin with: all as far as their number is known.
    pub(crate) fn first_ranks(&mut self) -> Vec<u32> {
        (0..self.ranks.unwrap_or(1)).collect()
    }

    /// Begins to execute ranks together.
    pub(crate) fn begin_ranks(&mut self, ranks: &[u32]) {
        self.rank = ranks.first().copied().unwrap_or(0);
        self.vectors.begin(ranks.to_vec());
        // Steps are counted over all ranks. The common execution of other ranks may have ended anywhere.
        self.state = State::default();
        (self.depth, self.calls, self.forcing) = (0, 0, 0);
        self.index_read.clear();
        self.is_parallel = false;
    }

    /// Begins to execute ranks together.
    pub(crate) fn begin_together(&mut self, ranks: &[u32]) -> Beginning {
        self.begin_ranks(ranks);
        Beginning {
            steps: self.steps,
            has_ranks: self.ranks.is_some(),
        }
    }

    /// Ends it: with a result, an error, or where the ways of the ranks part.
    pub(crate) fn end_together<T>(
        &mut self,
        beginning: Beginning,
        result: Result<T, Fault>,
    ) -> Result<Together<T>, Fault> {
        match result {
            Ok(done) => {
                let ranks = self.final_ranks();
                // The profile has determined the number of ranks: rank 0 was executed without the others.
                if !beginning.has_ranks && ranks > 1 {
                    return Ok(Together::Parted(Parting {
                        parts: vec![(0..ranks).collect()],
                        steps: 0,
                        lost: 0,
                    }));
                }
                Ok(Together::Done(done))
            }
            Err(Fault {
                parts: Some(parts), ..
            }) => {
                // The first rank of a part executes the same statements again: they count once.
                let steps = self.steps - beginning.steps;
                self.steps = beginning.steps;
                Ok(Together::Parted(Parting {
                    parts,
                    steps,
                    lost: steps + self.vectors.computed / NUMBERS_PER_STEP,
                }))
            }
            Err(fault) => Err(fault),
        }
    }

    /// Counts a statement.
    pub(crate) fn step(&mut self, span: Span) -> Result<(), Fault> {
        self.steps += 1;
        if self.used_steps() <= MOST_STEPS {
            return Ok(());
        }
        Err(too_long(span))
    }

    /// Begins the statements inside a statement.
    pub(crate) fn descend(&mut self, span: Span) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth <= DEEPEST_STATEMENTS {
            return Ok(());
        }
        let message = format!(
            "statements nest deeper than {DEEPEST_STATEMENTS} over all calls; use fewer definitions"
        );
        Err(Fault::new(span, message))
    }

    /// Ends them.
    pub(crate) fn ascend(&mut self) {
        self.depth -= 1;
    }

    /// Statements so far. Random numbers cost time, too: eight count as a statement.
    fn used_steps(&self) -> u64 {
        self.steps.saturating_add(self.random.drawn / 8)
    }

    pub(crate) fn line(&self, span: Span) -> u32 {
        line_of(self.text, span.start as usize)
    }

    // Values.

    fn variable(&mut self, name: &str) -> Option<Value<'p>> {
        let variables = if is_global(name) {
            &self.state.globals
        } else {
            &self.state.locals
        };
        let found = variables.get(name);
        if let Some(variable) = found
            && variable.is_bound
        {
            // An iteration that reads its index differs from the next one: see `repeats`.
            if let Some(index) = variable.index_of
                && let Some(read) = self.index_read.get_mut(index)
            {
                *read = true;
            }
            return Some(variable.value.clone());
        }
        match self.arguments.of(name) {
            Some(number) => Some(Value::Number(number)),
            None => found.map(|variable| variable.value.clone()),
        }
    }

    /// The variable of a name as it is stored; an index counts as read.
    pub(crate) fn read_variable(&mut self, name: &str) -> Option<Variable<'p>> {
        let stored = self.stored(name);
        if stored.is_some() {
            self.variable(name);
        }
        stored
    }

    /// The variable of a name as it is stored.
    pub(crate) fn stored(&mut self, name: &str) -> Option<Variable<'p>> {
        self.variables(name).get(name).cloned()
    }

    /// Stores a variable, or removes it.
    pub(crate) fn restore(&mut self, name: &'p str, variable: Option<Variable<'p>>) {
        match variable {
            Some(variable) => self.variables(name).insert(name, variable),
            None => self.variables(name).remove(name),
        };
    }

    /// The value of a name; `None` if it has none.
    fn name(&mut self, name: &str, span: Span) -> Result<Option<Value<'p>>, Fault> {
        match name {
            "ID" => {
                self.has_used_rank = true;
                self.vectors.rank().map(Some)
            }
            "RANKS" => match self.known_ranks() {
                Some(ranks) => Ok(Some(Value::Number(f64::from(ranks)))),
                None => {
                    let message = match self.analysis.has_parallel {
                        true => {
                            "RANKS has no value before the PARALLEL; move the statement into it, or give the \
                             number of ranks with -n N"
                        }
                        false => {
                            "RANKS has no value, since nothing names the number of ranks; give it with -n N, or \
                             write PARALLEL N DO … END around the statements"
                        }
                    };
                    Err(Fault::new(span, message))
                }
            },
            "NONE" => Ok(Some(Value::NoPeer)),
            "ANY" => Ok(Some(Value::Any)),
            _ => match self.variable(name) {
                Some(Value::Varies(line)) => {
                    let message = format!(
                        "the value of {name} depends on the random outcome of line {line}; repeat \
                         this statement in both branches instead"
                    );
                    Err(Fault::new(span, message))
                }
                value => Ok(value),
            },
        }
    }

    /// The value of an expression; where a value that it needs is not known, the expression itself.
    pub(crate) fn evaluate(&mut self, expression: &'p Expression) -> Result<Value<'p>, Fault> {
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Number(number, _) => Ok(Value::Number(*number)),
            ExpressionKind::Name(name) => match self.name(name, span)? {
                Some(value) => Ok(value),
                None => Value::late(LateKind::Expression(expression), span),
            },
            ExpressionKind::Argument(index) => {
                match self.arguments.positional.get(*index as usize) {
                    Some(&number) => Ok(Value::Number(number)),
                    None => Value::late(LateKind::Expression(expression), span),
                }
            }
            // Late even if it could be computed: variables have the values that they have where the cost is needed (MegaScript paper, 2005,
            // section 2.3).
            ExpressionKind::Cost(_, inner) => Value::late(LateKind::Expression(inner), span),
            ExpressionKind::Directive(_) => match self.profiled(span)? {
                Some(value) => Ok(value),
                None => Value::late(LateKind::Expression(expression), span),
            },
            ExpressionKind::Unary(operator, operand) => {
                let operand = self.evaluate(operand)?;
                if operand.is_late() {
                    return Value::late(LateKind::Unary(*operator, operand), span);
                }
                self.apply(Operation::Unary(*operator), &[operand], span)
            }
            ExpressionKind::Binary(operator, left, right) => {
                let left = self.evaluate(left)?;
                if let Some(known) = decided(*operator, &left) {
                    return Ok(known);
                }
                let right = self.evaluate(right)?;
                if left.is_late() || right.is_late() {
                    return Value::late(LateKind::Binary(*operator, left, right), span);
                }
                self.apply(Operation::Binary(*operator), &[left, right], span)
            }
            ExpressionKind::Function(function, arguments) => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(self.evaluate(argument)?);
                }
                if values.iter().any(Value::is_late) {
                    return Value::late(LateKind::Function(*function, values), span);
                }
                self.apply(Operation::Function(*function), &values, span)
            }
        }
    }

    /// The value of an operation on values that are known.
    fn apply(
        &mut self,
        operation: Operation,
        operands: &[Value<'p>],
        span: Span,
    ) -> Result<Value<'p>, Fault> {
        self.vectors.apply(operation, operands, span)
    }

    /// The value of a directive, if a profile has it.
    fn profiled(&mut self, span: Span) -> Result<Option<Value<'p>>, Fault> {
        let Some(profile) = self.profile() else {
            return Ok(None);
        };
        if !profile.varies(span) {
            return Ok(profile.value(span, self.rank).map(Value::Number));
        }
        // A value that differs between ranks depends on the rank like ID.
        self.has_used_rank = true;
        self.vectors.of_each(|rank| profile.value(span, rank))
    }

    /// Whether directives have different values on different ranks.
    pub(crate) fn profile_varies(&mut self) -> bool {
        self.profile().is_some_and(ProfileValues::varies_anywhere)
    }

    /// A value that is not late.
    fn forced(&mut self, value: Value<'p>) -> Result<Value<'p>, Fault> {
        let Value::Late(late) = value else {
            return Ok(value);
        };
        self.forcing += 1;
        let result = self.forced_late(&late);
        self.forcing -= 1;
        result
    }

    fn forced_late(&mut self, late: &Rc<Late<'p>>) -> Result<Value<'p>, Fault> {
        let span = late.span;
        // For example `x = Cost("x + 1")`: each evaluation finds the same cost again.
        if self.forcing > DEEPEST_FORCING {
            let message = "the value depends on itself; give it with --arg NAME=VALUE";
            return Err(Fault::new(span, message));
        }
        match &late.kind {
            LateKind::Expression(expression) => {
                let value = self.evaluate(expression)?;
                // Evaluation that returns the expression itself has found no value for it.
                let is_unknown = match &value {
                    Value::Late(again) => matches!(
                        again.kind,
                        LateKind::Expression(inner) if std::ptr::eq(inner, *expression)
                    ),
                    _ => false,
                };
                if is_unknown {
                    return Err(self.unknown(expression));
                }
                self.forced(value)
            }
            LateKind::Unary(operator, operand) => {
                let operand = self.forced(operand.clone())?;
                self.apply(Operation::Unary(*operator), &[operand], span)
            }
            LateKind::Binary(operator, left, right) => {
                let left = self.forced(left.clone())?;
                if let Some(known) = decided(*operator, &left) {
                    return Ok(known);
                }
                let right = self.forced(right.clone())?;
                self.apply(Operation::Binary(*operator), &[left, right], span)
            }
            LateKind::Function(function, arguments) => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(self.forced(argument.clone())?);
                }
                self.apply(Operation::Function(*function), &values, span)
            }
        }
    }

    /// The error for a value that nothing gives.
    fn unknown(&mut self, expression: &Expression) -> Fault {
        let message = match &expression.kind {
            ExpressionKind::Name(name) => {
                // Another definition or the main part may assign this name, so its value may seem to be there.
                let is_elsewhere = self.calls > 0 && !is_global(name);
                let hint = if is_elsewhere {
                    format!("; in a DEF, only parameters and names like ${name} are seen")
                } else {
                    String::new()
                };
                format!(
                    "{name} has no value; assign one before, or give it with --arg {}=VALUE{hint}",
                    bare(name)
                )
            }
            ExpressionKind::Argument(index) => {
                format!(
                    "@arg[{index}] has no value; give {} with --arg VALUE",
                    match index {
                        0 => "it".to_string(),
                        _ => format!("{} values", index + 1),
                    }
                )
            }
            ExpressionKind::Directive(_) if self.arguments.profile.is_some() => {
                let who = match self.profile() {
                    Some(profile) if profile.is_reached(expression.span) => {
                        format!("rank {}", self.rank)
                    }
                    Some(_) | None => "any rank".into(),
                };
                format!(
                    "the place of this directive was never reached on {who} in the profiled run; \
                     evaluate it only where it is reached, or assign it to a variable and give that \
                     one with --arg NAME=VALUE"
                )
            }
            ExpressionKind::Directive(_) => {
                "the value of this directive is not known; measure it with --profile PROJECT, or assign \
                 it to a variable and give that one with --arg NAME=VALUE"
                    .into()
            }
            _ => "the value is not known".into(),
        };
        Fault::new(expression.span, message)
    }

    /// The value of an expression where it is needed.
    pub(crate) fn known(&mut self, expression: &'p Expression) -> Result<Value<'p>, Fault> {
        let value = self.evaluate(expression)?;
        match value {
            Value::Late(_) => self.forced(value),
            _ => Ok(value),
        }
    }

    /// A number that all ranks have in common; ranks with different numbers part here.
    pub(crate) fn number(&mut self, expression: &'p Expression) -> Result<f64, Fault> {
        let value = self.known(expression)?;
        if let Value::ByRank(number) = value {
            return Err(self.vectors.part(number));
        }
        value::number(&value, expression.span)
    }

    /// A number that is not negative, and that all ranks have in common.
    pub(crate) fn cost(&mut self, expression: &'p Expression) -> Result<f64, Fault> {
        let number = self.number(expression)?;
        checked_cost(number, expression.span)
    }

    /// A number of each rank, converted by a function of the number and the rank.
    pub(crate) fn converted(
        &mut self,
        expression: &'p Expression,
        conversion: Conversion,
        convert: impl Fn(f64, u32) -> Result<f64, Fault>,
    ) -> Result<Value<'p>, Fault> {
        match self.known(expression)? {
            Value::ByRank(number) => self.vectors.convert(conversion, number, convert),
            value => {
                let number = value::number(&value, expression.span)?;
                convert(number, self.rank).map(Value::Number)
            }
        }
    }

    /// A whole number.
    pub(crate) fn whole(&mut self, expression: &'p Expression, what: &str) -> Result<i64, Fault> {
        let number = self.number(expression)?;
        whole_number(number, expression.span, what)
    }

    // Statements that every kind of execution has in common.

    pub(crate) fn assign(&mut self, target: &'p Name, value: Value<'p>) {
        self.set(
            &target.text,
            Variable {
                value,
                is_bound: false,
                index_of: None,
            },
        );
    }

    fn set(&mut self, name: &'p str, variable: Variable<'p>) -> Option<Variable<'p>> {
        let variables = self.variables(name);
        variables.insert(name, variable)
    }

    fn variables(&mut self, name: &str) -> &mut Variables<'p> {
        if is_global(name) {
            &mut self.state.globals
        } else {
            &mut self.state.locals
        }
    }

    pub(crate) fn choice(&mut self, condition: &'p Expression) -> Result<ConditionOutcome, Fault> {
        match self.known(condition)? {
            Value::Truth(truth) => Ok(ConditionOutcome::Certain(truth)),
            Value::Number(probability) if (0.0..=1.0).contains(&probability) => {
                // A certain outcome draws no random number, and variables keep their values behind it.
                if probability == 0.0 || probability == 1.0 {
                    return Ok(ConditionOutcome::Certain(probability == 1.0));
                }
                Ok(ConditionOutcome::Random(probability))
            }
            Value::Number(other) => {
                let message = format!(
                    "{} is no probability; write a number from 0 to 1, or a condition",
                    value::short(other)
                );
                Err(Fault::new(condition.span, message))
            }
            Value::ByRank(number) => Err(self.vectors.part(number)),
            Value::NoPeer | Value::Any | Value::Late(_) | Value::Varies(_) => {
                let message = "a condition or a probability is expected";
                Err(Fault::new(condition.span, message))
            }
        }
    }

    pub(crate) fn repetitions(&mut self, range: &'p Range) -> Result<Repetitions, Fault> {
        let (first, end, span) = match range {
            Range::Count(count) => (0.0, self.number(count)?, count.span),
            Range::Between(from, to) => {
                let first = self.number(from)?;
                (first, self.number(to)?, from.span.to(to.span))
            }
        };
        let count = (end - first).max(0.0);
        if count >= MOST_EXACT {
            let message = format!(
                "{} iterations are too many; reduce their number",
                value::short(count)
            );
            return Err(Fault::new(span, message));
        }
        Ok(Repetitions { first, count, span })
    }

    /// Begins a call of a definition, whose body and the caller's variables it gives.
    pub(crate) fn enter_call(
        &mut self,
        name: &'p Name,
        arguments: &'p [Expression],
    ) -> Result<(&'p Block, Variables<'p>), Fault> {
        let Some(definition) = self.analysis.definitions.get(name.text.as_str()).copied() else {
            return Err(Fault::new(name.span, "it is defined nowhere"));
        };
        // Both branches of a random IF are followed, so a recursion that ends by chance never ends here.
        if self.calls >= DEEPEST_CALLS {
            let message = format!(
                "{} calls itself without end, or more than {DEEPEST_CALLS} definitions call each other; use a FOR",
                name.text
            );
            return Err(Fault::new(name.span, message));
        }
        let mut locals = Variables::new();
        for (parameter, argument) in definition.parameters.iter().zip(arguments) {
            let value = self.evaluate(argument)?;
            // Inside, names mean something else, so costs are computed here if they can be.
            let value = match value {
                Value::Late(_) => match self.forced(value.clone()) {
                    Err(fault) if fault.parts.is_some() => return Err(fault),
                    forced => forced.unwrap_or(value),
                },
                known => known,
            };
            locals.insert(
                &parameter.text,
                Variable {
                    value,
                    is_bound: true,
                    index_of: None,
                },
            );
        }
        let outside = std::mem::replace(&mut self.state.locals, locals);
        self.calls += 1;
        Ok((definition.body, outside))
    }

    /// Ends a call.
    pub(crate) fn leave_call(&mut self, outside: Variables<'p>) {
        self.calls -= 1;
        self.state.locals = outside;
    }

    /// Begins the body of a PARALLEL, in which all ranks take part.
    pub(crate) fn enter_parallel(&mut self, degree: &'p Expression) -> Result<(), Fault> {
        let count = self.whole(degree, "the number of ranks")?;
        let most = base_data::program_data::MOST_RANKS;
        let Some(count) = u32::try_from(count)
            .ok()
            .filter(|count| (1..=most).contains(count))
        else {
            let message = format!("PARALLEL needs 1 to {most} ranks, found {count}");
            return Err(Fault::new(degree.span, message));
        };
        if self.is_parallel {
            let message = "PARALLEL is executed inside PARALLEL; remove one of them";
            return Err(Fault::new(degree.span, message));
        }
        // MPI_COMM_WORLD has one size: all PARALLELs of a meta-program and -n must agree.
        if self.ranks.is_none() {
            self.ranks_from = RanksFrom::Parallel;
            self.ranks = Some(count);
            // Until here, rank 0 was executed without the others.
            if count > 1 {
                return Err(Fault::parted(vec![(0..count).collect()]));
            }
        }
        let ranks = *self.ranks.get_or_insert(count);
        if ranks != count {
            let message = match self.ranks_from {
                RanksFrom::Caller => format!(
                    "PARALLEL runs on {count} ranks, but -n is {ranks}; give -n {count}, or write \
                     PARALLEL RANKS DO"
                ),
                RanksFrom::Parallel => format!(
                    "PARALLEL runs on {count} ranks, an earlier one on {ranks}; use one number"
                ),
                RanksFrom::Profile => format!(
                    "PARALLEL runs on {count} ranks, but values before it are those of the profile's {ranks}; \
                     give -n {count}"
                ),
            };
            return Err(Fault::new(degree.span, message));
        }
        self.is_parallel = true;
        Ok(())
    }

    /// Ends the body of a PARALLEL.
    pub(crate) fn leave_parallel(&mut self) {
        self.is_parallel = false;
    }

    /// The values of names.
    fn values_of(&self, names: &Names<'p>) -> Vec<Option<Variable<'p>>> {
        let value = |name: &&'p str| {
            let variables = if is_global(name) {
                &self.state.globals
            } else {
                &self.state.locals
            };
            variables.get(name).cloned()
        };
        names.iter().map(value).collect()
    }

    /// Names whose values differ between two states get one that cannot be used.
    fn forget_differences(&mut self, other: &State<'p>, line: u32) {
        let pairs = [
            (&mut self.state.globals, &other.globals),
            (&mut self.state.locals, &other.locals),
        ];
        for (own, other) in pairs {
            let names: Vec<&'p str> = own.keys().chain(other.keys()).copied().collect();
            for name in names {
                if own.get(name) != other.get(name) {
                    own.insert(name, varying(line));
                }
            }
        }
    }

    fn forget(&mut self, names: &Names<'p>, line: u32) {
        for name in names.iter() {
            self.set(name, varying(line));
        }
    }
}

fn too_long(span: Span) -> Fault {
    let message = format!(
        "all ranks together execute more than {MOST_STEPS} statements, the most that are supported; reduce the number \
         of iterations or ranks, or let fewer statements depend on the index of a loop"
    );
    Fault::new(span, message)
}

fn varying<'p>(line: u32) -> Variable<'p> {
    Variable {
        value: Value::Varies(line),
        is_bound: false,
        index_of: None,
    }
}

/// The value of `&&` or `||` that its left side determines.
fn decided<'p>(operator: BinaryOperator, left: &Value<'p>) -> Option<Value<'p>> {
    match (operator, left) {
        // As in Ruby, the right side is not evaluated, so a value in it may be unknown.
        (BinaryOperator::And, Value::Truth(false)) => Some(Value::Truth(false)),
        (BinaryOperator::Or, Value::Truth(true)) => Some(Value::Truth(true)),
        _ => None,
    }
}

/// A number that must not be negative.
pub(crate) fn checked_cost(cost: f64, span: Span) -> Result<f64, Fault> {
    if cost < 0.0 {
        let message = format!(
            "the cost is {}; it must not be negative",
            value::short(cost)
        );
        return Err(Fault::new(span, message));
    }
    Ok(cost)
}

/// A number that must be whole.
pub(crate) fn whole_number(number: f64, span: Span, what: &str) -> Result<i64, Fault> {
    if number.fract() != 0.0 || number.abs() >= MOST_EXACT {
        let message = format!(
            "{what} is {}; it must be a whole number, use floor or ceil",
            value::short(number)
        );
        return Err(Fault::new(span, message));
    }
    Ok(number as i64)
}

/// A loop in execution.
pub(crate) struct OpenLoop<'p> {
    index: Option<&'p Name>,
    repetitions: Repetitions,
    /// The variable that the index hides.
    hidden: Option<Variable<'p>>,
    number: usize,
    assigned: Names<'p>,
    before: Vec<Option<Variable<'p>>>,
    /// Statements before it.
    steps: u64,
}

impl<'p> Interpreter<'p> {
    /// Begins a loop.
    pub(crate) fn open_loop(
        &mut self,
        statement: &'p Statement,
        index: Option<&'p Name>,
        repetitions: Repetitions,
    ) -> OpenLoop<'p> {
        let number = self.index_read.len();
        self.index_read.push(false);
        // The index is a variable of the loop: one of this name outside is hidden, and has its value again behind it.
        let hidden =
            index.and_then(|index| self.variables(&index.text).remove(index.text.as_str()));
        OpenLoop {
            index,
            repetitions,
            hidden,
            number,
            assigned: self.analysis.assigned(statement),
            before: Vec::new(),
            steps: self.used_steps(),
        }
    }

    /// Begins an iteration.
    pub(crate) fn begin_iteration(&mut self, open: &mut OpenLoop<'p>, iteration: u64) {
        self.set_index(open, iteration);
        self.index_read[open.number] = false;
        open.before = self.values_of(&open.assigned);
    }

    fn set_index(&mut self, open: &OpenLoop<'p>, iteration: u64) {
        if let Some(index) = open.index {
            let variable = Variable {
                value: Value::Number(open.repetitions.first + iteration as f64),
                is_bound: true,
                index_of: Some(open.number),
            };
            self.set(&index.text, variable);
        }
    }

    /// Whether further iterations do what the last one did.
    pub(crate) fn repeats(&mut self, open: &OpenLoop<'p>, iteration: u64) -> bool {
        // A body may assign its index; the next iteration begins with another value all the same.
        self.set_index(open, iteration);
        // Names that the body cannot assign have not changed, so only the others are compared.
        !self.index_read[open.number] && self.values_of(&open.assigned) == open.before
    }

    /// Refuses a loop whose iterations have differed so far, if executing all of them would take too many statements. So many
    /// iterations were executed one by one, and those that were passed beside them do not count.
    pub(crate) fn check_progress(
        &self,
        open: &OpenLoop<'p>,
        body: &Block,
        executed: u64,
        iteration: u64,
    ) -> Result<(), Fault> {
        // Values that change at first, as `x = min(x + 1, 100)`, may come to rest, and a BREAK may leave the loop.
        let patience = match body.statements.iter().any(has_break) {
            true => PATIENT_ITERATIONS_WITH_BREAK,
            false => PATIENT_ITERATIONS,
        };
        if executed != patience {
            return Ok(());
        }
        let steps = (self.used_steps() - open.steps) as f64;
        let remaining = open.repetitions.count - iteration as f64;
        let left = MOST_STEPS.saturating_sub(self.used_steps());
        if steps / iteration as f64 * remaining > left as f64 {
            return Err(too_long(open.repetitions.span));
        }
        Ok(())
    }

    /// A loop without BREAK whose first iteration uses the index has to be executed to its end: one that is too long is
    /// refused at once.
    pub(crate) fn check_length(&self, open: &OpenLoop<'p>, body: &Block) -> Result<(), Fault> {
        // Another iteration may leave the loop.
        if body.statements.iter().any(has_break) {
            return Ok(());
        }
        let left = MOST_STEPS.saturating_sub(self.used_steps());
        if self.index_read[open.number] && open.repetitions.count > left as f64 {
            return Err(too_long(open.repetitions.span));
        }
        Ok(())
    }

    /// A loop whose iterations differ must have a whole number of them.
    pub(crate) fn check_whole(&self, open: &OpenLoop<'p>, why: &str) -> Result<(), Fault> {
        let count = open.repetitions.count;
        if count.fract() == 0.0 {
            return Ok(());
        }
        let message = format!(
            "the loop has {} iterations, but {why}, so it needs a whole number; use floor or ceil",
            value::short(count)
        );
        Err(Fault::new(open.repetitions.span, message))
    }

    /// Ends a loop.
    pub(crate) fn close_loop(&mut self, open: OpenLoop<'p>) {
        self.index_read.pop();
        if let Some(index) = open.index {
            let variables = self.variables(&index.text);
            match open.hidden {
                Some(hidden) => variables.insert(&index.text, hidden),
                None => variables.remove(index.text.as_str()),
            };
        }
    }

    // Amounts.

    /// What statements amount to.
    pub(crate) fn amount<A: Amount>(
        &mut self,
        statements: &'p [Statement],
    ) -> Result<Flow<A>, Fault> {
        let mut flow = Flow::straight(A::none());
        let Some(first) = statements.first() else {
            return Ok(flow);
        };
        self.descend(first.span)?;
        for statement in statements {
            let next = self.amount_of(statement)?;
            flow = flow.then(&next, &mut self.random);
            // A certain BREAK: the statements behind it are not executed.
            if flow.stays <= 0.0 {
                break;
            }
        }
        self.ascend();
        Ok(flow)
    }

    fn amount_of<A: Amount>(&mut self, statement: &'p Statement) -> Result<Flow<A>, Fault> {
        self.step(statement.span)?;
        match &statement.kind {
            StatementKind::Define { .. } => Ok(Flow::straight(A::none())),
            StatementKind::Assign { target, value } => {
                let value = self.evaluate(value)?;
                self.assign(target, value);
                Ok(Flow::straight(A::none()))
            }
            StatementKind::Act { action, arguments } => {
                let cost = match arguments.first() {
                    Some(cost) if action.has_cost() => self.cost(cost)?,
                    Some(_) | None => 0.0,
                };
                Ok(Flow::straight(A::of_action(*action, cost)))
            }
            StatementKind::Call { name, arguments } => {
                let (body, outside) = self.enter_call(name, arguments)?;
                // A BREAK cannot leave a definition or a PARALLEL (see `analysis`), so the flow always stays.
                let flow = self.amount(&body.statements)?;
                self.leave_call(outside);
                Ok(flow)
            }
            StatementKind::For { index, range, body } => {
                let repetitions = self.repetitions(range)?;
                self.amount_of_loop(statement, index.as_ref(), repetitions, body)
            }
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => {
                let otherwise = otherwise
                    .as_ref()
                    .map_or(&[][..], |block| &block.statements);
                match self.choice(condition)? {
                    ConditionOutcome::Certain(true) => self.amount(&then.statements),
                    ConditionOutcome::Certain(false) => self.amount(otherwise),
                    ConditionOutcome::Random(probability) => {
                        let line = self.line(statement.span);
                        self.amount_of_choice(probability, &then.statements, otherwise, line)
                    }
                }
            }
            StatementKind::Parallel { degree, body } => {
                self.enter_parallel(degree)?;
                let flow = self.amount(&body.statements)?;
                self.leave_parallel();
                Ok(flow)
            }
            StatementKind::Break => Ok(Flow::leaves()),
        }
    }

    fn amount_of_choice<A: Amount>(
        &mut self,
        probability: f64,
        then: &'p [Statement],
        otherwise: &'p [Statement],
        line: u32,
    ) -> Result<Flow<A>, Fault> {
        let before = self.state.clone();
        let first: Flow<A> = self.amount(then)?;
        let after_first = std::mem::replace(&mut self.state, before);
        let second: Flow<A> = self.amount(otherwise)?;
        if second.stays <= 0.0 {
            // Only the first branch goes on.
            self.state = after_first;
        } else if first.stays > 0.0 {
            self.forget_differences(&after_first, line);
        }
        Ok(first.or(probability, &second, &mut self.random))
    }

    fn amount_of_loop<A: Amount>(
        &mut self,
        statement: &'p Statement,
        index: Option<&'p Name>,
        repetitions: Repetitions,
        body: &'p Block,
    ) -> Result<Flow<A>, Fault> {
        let mut open = self.open_loop(statement, index, repetitions);
        let count = repetitions.count;
        let mut flow = Flow::straight(A::none());
        let mut iteration = 0;
        let mut may_break = false;
        while (iteration as f64) < count {
            self.begin_iteration(&mut open, iteration);
            let next: Flow<A> = self.amount(&body.statements)?;
            // A BREAK that is certain leaves the loop in an iteration that is known, and variables keep their values.
            may_break |= next.stays > 0.0 && next.stays < 1.0;
            if next.stays > 0.0 && self.repeats(&open, iteration) {
                // This iteration and all later ones are equal: their sum has a closed form, whatever their number.
                let rest = next.repeated(count - iteration as f64, &mut self.random);
                flow = flow.and_rest(&rest, &mut self.random);
                // It is random which iteration was the last, and so are the values that it assigned.
                if may_break {
                    let line = self.line(statement.span);
                    self.forget(&open.assigned.clone(), line);
                }
                self.close_loop(open);
                return Ok(flow);
            }
            self.check_whole(&open, "its iterations differ")?;
            if iteration == 0 {
                self.check_length(&open, body)?;
            }
            flow = flow.then(&next, &mut self.random);
            iteration += 1;
            self.check_progress(&open, body, iteration, iteration)?;
            if flow.stays <= 0.0 {
                break;
            }
        }
        // No iterations are left. A BREAK ends here, so execution goes on behind the loop in either case.
        let flow = flow.and_rest(&Flow::straight(A::none()), &mut self.random);
        if may_break {
            let line = self.line(statement.span);
            self.forget(&open.assigned.clone(), line);
        }
        self.close_loop(open);
        Ok(flow)
    }
}
