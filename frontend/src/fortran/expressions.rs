//! Expressions: from nodes to IR. Whether `name(…)` is an array element, a substring or a function
//! is decided by what the name was declared as.

use super::known_names::{is_intrinsic_function, is_intrinsic_subroutine};
use super::literals;
use super::lower::Lowering;
use super::names::{Entity, Inline, ScopeId};
use super::syntax::At;
use crate::ir::{Callee, Expression, Operator, Storage, Subscript, Type, Variable, VariableId};
use base_data::mpi::functions::{find, is_mpi_name};

/// Deepest expression that is followed; what is deeper counts as a mere list of its names.
const DEEPEST: usize = 250;

/// A designator taken apart: `base(…)%name(…)`.
struct Designator<'a> {
    base: Option<At<'a>>,
    path: Vec<String>,
    lists: Vec<At<'a>>,
    /// How many argument lists stand before the first `%`.
    before_path: usize,
}

impl<'a> Lowering<'a> {
    /// An expression.
    pub fn expression(&mut self, scope: ScopeId, at: At<'a>) -> Expression {
        self.expression_at(scope, at, 0)
    }

    fn expression_at(&mut self, scope: ScopeId, at: At<'a>, depth: usize) -> Expression {
        if depth > DEEPEST {
            return Expression::Other(self.names_in(scope, at));
        }
        match at.kind() {
            "number_literal" => literals::number(&at.literal()),
            "string_literal" | "boolean_literal" | "null_literal" | "filename" => {
                Expression::Literal(at.literal())
            }
            "identifier" | "name" => self.name(scope, &at.name()),
            "parenthesized_expression" => self.only_child(scope, at, depth),
            "call_expression" | "derived_type_member_expression" => self.designator(scope, at, depth),
            "math_expression" | "relational_expression" | "concatenation_expression" => {
                self.binary(scope, at, depth)
            }
            "logical_expression" if at.field("left").is_some() => self.binary(scope, at, depth),
            "logical_expression" | "unary_expression" => self.unary(scope, at, depth),
            "keyword_argument" => self.field_value(scope, at, depth),
            "sized_allocation" => self.designator(scope, at, depth),
            "statement_label_reference" => Expression::Other(Vec::new()),
            _ => self.other(scope, at, depth),
        }
    }

    fn only_child(&mut self, scope: ScopeId, at: At<'a>, depth: usize) -> Expression {
        match at.named().first() {
            Some(&inner) => self.expression_at(scope, inner, depth + 1),
            None => Expression::Other(Vec::new()),
        }
    }

    fn field_value(&mut self, scope: ScopeId, at: At<'a>, depth: usize) -> Expression {
        match at.field("value") {
            Some(value) => self.expression_at(scope, value, depth + 1),
            None => Expression::Other(Vec::new()),
        }
    }

    /// Array constructors, implied DO, complex literals and the like: all that is inside.
    fn other(&mut self, scope: ScopeId, at: At<'a>, depth: usize) -> Expression {
        let children = at.named().into_iter().filter(|child| !child.is("intrinsic_type"));
        Expression::Other(children.map(|child| self.expression_at(scope, child, depth + 1)).collect())
    }

    fn binary(&mut self, scope: ScopeId, at: At<'a>, depth: usize) -> Expression {
        let (Some(left), Some(right)) = (at.field("left"), at.field("right")) else {
            return self.other(scope, at, depth);
        };
        let operator = operator_of(at);
        if operator == Operator::Power && operator_of(left) == Operator::Power {
            return self.powers(scope, at, depth);
        }
        let left = Box::new(self.expression_at(scope, left, depth + 1));
        let right = Box::new(self.expression_at(scope, right, depth + 1));
        Expression::Binary { operator, left, right }
    }

    /// `a**b**c` is `a**(b**c)`; the grammar has it the other way.
    fn powers(&mut self, scope: ScopeId, at: At<'a>, depth: usize) -> Expression {
        let mut operands = Vec::new();
        let mut here = at;
        while let (Operator::Power, Some(left), Some(right)) =
            (operator_of(here), here.field("left"), here.field("right"))
        {
            operands.push(self.expression_at(scope, right, depth + 1));
            here = left;
        }
        operands.push(self.expression_at(scope, here, depth + 1));
        if operands.len() > DEEPEST {
            return Expression::Other(operands);
        }
        // Last operand first: the list folds from the right.
        let mut operands = operands.into_iter();
        let last = operands.next().unwrap_or(Expression::Other(Vec::new()));
        operands.fold(last, |right, left| Expression::Binary {
            operator: Operator::Power,
            left: Box::new(left),
            right: Box::new(right),
        })
    }

    fn unary(&mut self, scope: ScopeId, at: At<'a>, depth: usize) -> Expression {
        let Some(argument) = at.field("argument") else { return self.other(scope, at, depth) };
        let operator = match at.field("operator").map(|operator| operator.name()).unwrap_or_default().as_str()
        {
            "-" => Operator::Negate,
            "+" => Operator::Plus,
            ".not." => Operator::Not,
            _ => Operator::Defined,
        };
        let operand = Box::new(self.expression_at(scope, argument, depth + 1));
        Expression::Unary { operator, operand }
    }

    /// A name without parentheses.
    fn name(&mut self, scope: ScopeId, name: &str) -> Expression {
        match self.entity(scope, name) {
            Entity::Variable(id) => Expression::Variable(id),
            Entity::Alias(expression) => expression,
            // A procedure as an argument: it may be called, with arguments that are not known.
            Entity::Procedure(id) => {
                Expression::Call { callee: Callee::Procedure(id), arguments: Vec::new() }
            }
            Entity::External(name) => {
                let callee = self.external(scope, &name);
                Expression::Call { callee, arguments: Vec::new() }
            }
            Entity::Intrinsic(name) => {
                Expression::Call { callee: Callee::Intrinsic(name), arguments: Vec::new() }
            }
            Entity::Generic(_) | Entity::Inline(_) | Entity::DerivedType => Expression::Other(Vec::new()),
            Entity::Namelist(members) => {
                Expression::Other(members.iter().map(|member| self.name(scope, member)).collect())
            }
        }
    }

    /// What a name stands for; an undeclared one is a variable of its implicit type.
    pub fn entity(&mut self, scope: ScopeId, name: &str) -> Entity<'a> {
        if let Some(entity) = self.lookup(scope, name) {
            return entity;
        }
        Entity::Variable(self.implicit_variable(scope, name))
    }

    /// Makes a variable that no declaration names.
    pub fn implicit_variable(&mut self, scope: ScopeId, name: &str) -> VariableId {
        let owner = self.scope(scope).procedure;
        let of_type = self.scope(scope).implicit_type(name).unwrap_or(Type::Unknown);
        let storage = match self.scope(scope).module.clone() {
            Some(module) => Storage::Module(module),
            None if owner.is_some() && owner == self.program.main => Storage::Static,
            None => Storage::Local,
        };
        if of_type == Type::Unknown && !self.scope(scope).foreign {
            self.undeclared.push((name.to_string(), owner));
        }
        let id = self.add_variable(Variable {
            name: name.to_string(),
            owner,
            of_type,
            shape: Vec::new(),
            storage,
        });
        self.scopes[scope.0].names.insert(name.to_string(), Entity::Variable(id));
        id
    }

    fn designator(&mut self, scope: ScopeId, at: At<'a>, depth: usize) -> Expression {
        let parts = take_apart(at);
        let Some(base) = parts.base.filter(|base| base.is("identifier")) else {
            return self.other(scope, at, depth);
        };
        let name = base.name();
        match self.callable(scope, &name, &parts) {
            Some(entity) => {
                let arguments = parts.lists[0].named();
                self.function_call(scope, &name, entity, arguments, depth)
            }
            None => self.reference(scope, &name, parts, depth),
        }
    }

    /// What is called, where `name(…)` is a call.
    fn callable(&mut self, scope: ScopeId, name: &str, parts: &Designator<'a>) -> Option<Entity<'a>> {
        if parts.before_path == 0 {
            return None;
        }
        match self.lookup(scope, name) {
            Some(Entity::Variable(id)) if self.is_indexed(id, parts.lists[0]) => None,
            Some(Entity::Alias(_)) => None,
            Some(entity) => Some(entity),
            None => Some(self.undeclared_callee(name)),
        }
    }

    /// Whether parentheses after a variable are subscripts or a substring.
    fn is_indexed(&self, id: VariableId, list: At) -> bool {
        let variable = self.program.variable(id);
        let section = list.child("extent_specifier").is_some();
        !variable.shape.is_empty() || section || matches!(variable.of_type, Type::Derived(_))
    }

    fn undeclared_callee(&self, name: &str) -> Entity<'a> {
        match self.globals.get(name) {
            Some(&id) => Entity::Procedure(id),
            None if is_intrinsic_function(name) => Entity::Intrinsic(name.to_string()),
            None => Entity::External(name.to_string()),
        }
    }

    fn function_call(
        &mut self,
        scope: ScopeId,
        name: &str,
        entity: Entity<'a>,
        list: Vec<At<'a>>,
        depth: usize,
    ) -> Expression {
        if let Entity::Inline(inline) = entity {
            return self.inline_call(scope, inline, list, depth);
        }
        if let Entity::DerivedType | Entity::Alias(_) | Entity::Namelist(_) = entity {
            return Expression::Other(
                list.into_iter().map(|at| self.expression_at(scope, at, depth + 1)).collect(),
            );
        }
        let arguments: Vec<(Option<String>, Expression)> =
            list.into_iter().map(|at| (keyword_of(at), self.expression_at(scope, at, depth + 1))).collect();
        let callee = self.function_callee(scope, name, entity, &arguments);
        let arguments = self.in_order(&callee, arguments);
        let given = |argument: Option<Expression>| argument.unwrap_or(Expression::Other(Vec::new()));
        Expression::Call { callee, arguments: arguments.into_iter().map(given).collect() }
    }

    fn function_callee(
        &mut self,
        scope: ScopeId,
        name: &str,
        entity: Entity<'a>,
        arguments: &[(Option<String>, Expression)],
    ) -> Callee {
        match entity {
            Entity::Procedure(id) => Callee::Procedure(id),
            Entity::Intrinsic(name) => Callee::Intrinsic(name),
            Entity::External(name) => self.external(scope, &name),
            Entity::Generic(specifics) => self.generic(scope, name, &specifics, arguments),
            Entity::Variable(id) => self.typed_function(scope, name, id),
            Entity::Inline(_) | Entity::DerivedType | Entity::Namelist(_) | Entity::Alias(_) => {
                Callee::External(name.to_string())
            }
        }
    }

    /// A scalar variable with an argument list: a function whose type was declared.
    fn typed_function(&mut self, scope: ScopeId, name: &str, id: VariableId) -> Callee {
        let own_result =
            self.program.variable(id).owner.filter(|&owner| self.program.procedure(owner).result == Some(id));
        match &self.program.variable(id).storage {
            Storage::Dummy(_) => Callee::Variable(id),
            // A function that calls itself by its name.
            _ if own_result.is_some_and(|owner| self.program.procedure(owner).name == name) => {
                own_result.map_or(Callee::Variable(id), Callee::Procedure)
            }
            Storage::Local
            | Storage::Static
            | Storage::Module(_)
            | Storage::Common { .. }
            | Storage::Constant(_) => match self.undeclared_callee(name) {
                Entity::Procedure(id) => Callee::Procedure(id),
                Entity::Intrinsic(name) => Callee::Intrinsic(name),
                _ => self.external(scope, name),
            },
        }
    }

    /// A procedure by name that no declaration here binds: global, MPI's, or without source.
    pub fn external(&mut self, scope: ScopeId, name: &str) -> Callee {
        if let Some(&id) = self.globals.get(name) {
            return Callee::Procedure(id);
        }
        if is_mpi_name(name) {
            return find(name).map_or_else(|| Callee::UnknownMpi(name.to_string()), Callee::Mpi);
        }
        if is_intrinsic_subroutine(name) {
            return Callee::Intrinsic(name.to_string());
        }
        if let Some(owner) = self.scope(scope).procedure {
            let externals = &mut self.program.procedures[owner.0 as usize].externals;
            if !externals.iter().any(|known| known == name) {
                externals.push(name.to_string());
            }
        }
        Callee::External(name.to_string())
    }

    /// A statement function's value hangs on its arguments and on all that its expression names; its
    /// dummies are among them, which is more than needed, never less.
    fn inline_call(
        &mut self,
        scope: ScopeId,
        inline: Inline<'a>,
        list: Vec<At<'a>>,
        depth: usize,
    ) -> Expression {
        let mut parts: Vec<Expression> =
            list.into_iter().map(|at| self.expression_at(scope, at, depth + 1)).collect();
        parts.push(self.expression_at(scope, inline.value, depth + DEEPEST / 8));
        Expression::Other(parts)
    }

    fn reference(&mut self, scope: ScopeId, name: &str, parts: Designator<'a>, depth: usize) -> Expression {
        let mut subscripts = Vec::new();
        for list in &parts.lists {
            for item in list.named() {
                subscripts.push(self.subscript(scope, item, depth + 1));
            }
        }
        match self.entity(scope, name) {
            Entity::Variable(base) => Expression::Reference { base, path: parts.path, subscripts },
            Entity::Alias(alias) => extend(alias, parts.path, subscripts),
            Entity::Procedure(_)
            | Entity::Generic(_)
            | Entity::External(_)
            | Entity::Intrinsic(_)
            | Entity::Inline(_)
            | Entity::DerivedType
            | Entity::Namelist(_) => {
                Expression::Other(subscripts.into_iter().flat_map(subscript_parts).collect())
            }
        }
    }

    fn subscript(&mut self, scope: ScopeId, at: At<'a>, depth: usize) -> Subscript {
        if !at.is("extent_specifier") {
            return Subscript::Element(self.expression_at(scope, at, depth));
        }
        let mut bounds: [Option<Expression>; 3] = [None, None, None];
        let mut place = 0;
        for child in at.children() {
            if child.is(":") {
                place = (place + 1).min(2);
            } else if child.is_named() && !child.is("assumed_size") {
                bounds[place] = Some(self.expression_at(scope, child, depth + 1));
            }
        }
        let [lower, upper, stride] = bounds;
        Subscript::Section { lower, upper, stride }
    }

    /// All variables named in a node, for what is not taken apart.
    pub fn names_in(&mut self, scope: ScopeId, at: At<'a>) -> Vec<Expression> {
        let mut found = Vec::new();
        let mut stack = vec![at];
        while let Some(at) = stack.pop() {
            if at.is("identifier") {
                found.push(self.name(scope, &at.name()));
            } else {
                stack.extend(at.children());
            }
        }
        found.retain(|expression| !matches!(expression, Expression::Other(inner) if inner.is_empty()));
        found
    }
}

/// Name of a keyword argument.
pub fn keyword_of(at: At) -> Option<String> {
    (at.is("keyword_argument")).then(|| at.field("name").map(|name| name.name())).flatten()
}

fn take_apart(at: At) -> Designator {
    let mut parts = Designator { base: None, path: Vec::new(), lists: Vec::new(), before_path: 0 };
    let mut here = at;
    let mut lists: Vec<Vec<At>> = Vec::new();
    loop {
        let children = here.named();
        let inner = children.first().copied();
        match here.kind() {
            "call_expression" | "sized_allocation" => {
                lists.push(
                    children
                        .iter()
                        .filter(|child| child.is("argument_list") || child.is("size"))
                        .copied()
                        .collect(),
                );
            }
            "derived_type_member_expression" => {
                parts.path.extend(here.child("type_member").map(|member| member.name()));
                lists.push(Vec::new());
            }
            _ => {
                parts.base = Some(here);
                break;
            }
        }
        let Some(inner) = inner else { break };
        here = inner;
    }
    parts.path.reverse();
    parts.before_path = lists.iter().rev().take_while(|group| !group.is_empty()).map(Vec::len).sum();
    parts.lists = lists.into_iter().rev().flatten().collect();
    parts
}

/// Operator of a binary expression; parentheses and names have none.
fn operator_of(at: At) -> Operator {
    let binary = at.field("left").and(at.field("operator"));
    binary.map_or(Operator::Defined, |operator| binary_operator(&operator.name()))
}

fn binary_operator(spelling: &str) -> Operator {
    match spelling {
        "+" => Operator::Add,
        "-" => Operator::Subtract,
        "*" => Operator::Multiply,
        "/" => Operator::Divide,
        "**" => Operator::Power,
        "//" => Operator::Concatenate,
        "==" | ".eq." => Operator::Equal,
        "/=" | ".ne." => Operator::NotEqual,
        "<" | ".lt." => Operator::Less,
        "<=" | ".le." => Operator::LessEqual,
        ">" | ".gt." => Operator::Greater,
        ">=" | ".ge." => Operator::GreaterEqual,
        ".and." => Operator::And,
        ".or." => Operator::Or,
        ".eqv." => Operator::Equivalent,
        ".neqv." => Operator::NotEquivalent,
        _ => Operator::Defined,
    }
}

/// A part of what ASSOCIATE named.
fn extend(alias: Expression, path: Vec<String>, subscripts: Vec<Subscript>) -> Expression {
    match alias {
        Expression::Variable(base) => Expression::Reference { base, path, subscripts },
        Expression::Reference { base, path: mut front, subscripts: mut first } => {
            front.extend(path);
            first.extend(subscripts);
            Expression::Reference { base, path: front, subscripts: first }
        }
        other => Expression::Other(
            std::iter::once(other).chain(subscripts.into_iter().flat_map(subscript_parts)).collect(),
        ),
    }
}

/// The expressions of a subscript.
pub fn subscript_parts(subscript: Subscript) -> Vec<Expression> {
    match subscript {
        Subscript::Element(expression) => vec![expression],
        Subscript::Section { lower, upper, stride } => [lower, upper, stride].into_iter().flatten().collect(),
    }
}
