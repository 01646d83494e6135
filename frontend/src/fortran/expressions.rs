//! Expressions: from nodes to IR. The declaration of the name determines whether `name(…)` is an
//! array element, a substring or a function.

use super::bindings::one_of;
use super::literals;
use super::lower::Lowering;
use super::names::{Entity, ScopeId};
use super::syntax::At;
use crate::ir::{Attributes, Callee, Expression, Operator, Storage, Type, Variable, VariableId};

/// Deepest expression that is followed; what is deeper counts as a mere list of its names.
pub const MAX_DEPTH: usize = 250;

impl<'a> Lowering<'a> {
    /// An expression.
    pub fn expression(&mut self, scope: ScopeId, at: At<'a>) -> Expression {
        self.expression_at(scope, at, 0)
    }

    /// An expression at a depth inside another.
    pub fn expression_at(&mut self, scope: ScopeId, at: At<'a>, depth: usize) -> Expression {
        if depth > MAX_DEPTH {
            return Expression::Other(self.names_in(scope, at));
        }
        match at.kind() {
            "number_literal" => literals::number(&at.literal()),
            "string_literal" | "boolean_literal" | "null_literal" | "filename" => {
                Expression::Literal(at.literal())
            }
            "identifier" | "name" => self.name(scope, &at.name()),
            "parenthesized_expression" => self.only_child(scope, at, depth),
            "call_expression" | "derived_type_member_expression" => {
                self.designator(scope, at, depth)
            }
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
    pub fn other(&mut self, scope: ScopeId, at: At<'a>, depth: usize) -> Expression {
        let children = at
            .named()
            .into_iter()
            .filter(|child| !child.is("intrinsic_type"));
        Expression::Other(
            children
                .map(|child| self.expression_at(scope, child, depth + 1))
                .collect(),
        )
    }

    fn binary(&mut self, scope: ScopeId, at: At<'a>, depth: usize) -> Expression {
        let (Some(left), Some(right)) = (at.field("left"), at.field("right")) else {
            return self.other(scope, at, depth);
        };
        let operator = operator_of(at);
        // Powers associate to the right, all other operators to the left.
        if operator == Operator::Power && operator_of(left) == Operator::Power {
            return self.powers(scope, at, depth);
        }
        let spelling = at
            .field("operator")
            .map_or(String::new(), |operator| operator.name());
        let left = self.expression_at(scope, left, depth + 1);
        let right = self.expression_at(scope, right, depth + 1);
        // A program may define an operator for its own types, and a reference then calls a
        // function.
        let defined = self.defined(scope, &spelling, &[&left, &right]);
        if !defined.is_empty() {
            return Expression::Call {
                callee: one_of(defined),
                arguments: vec![left, right],
            };
        }
        Expression::Binary {
            operator,
            left: Box::new(left),
            right: Box::new(right),
        }
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
        if operands.len() > MAX_DEPTH {
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
        let Some(argument) = at.field("argument") else {
            return self.other(scope, at, depth);
        };
        let operator = match at
            .field("operator")
            .map(|operator| operator.name())
            .unwrap_or_default()
            .as_str()
        {
            "-" => Operator::Negate,
            "+" => Operator::Plus,
            ".not." => Operator::Not,
            _ => Operator::Defined,
        };
        let operand = self.expression_at(scope, argument, depth + 1);
        let spelling = at
            .field("operator")
            .map_or(String::new(), |operator| operator.name());
        let defined = self.defined(scope, &spelling, &[&operand]);
        if !defined.is_empty() {
            return Expression::Call {
                callee: one_of(defined),
                arguments: vec![operand],
            };
        }
        Expression::Unary {
            operator,
            operand: Box::new(operand),
        }
    }

    /// A name without parentheses.
    pub fn name(&mut self, scope: ScopeId, name: &str) -> Expression {
        match self.entity(scope, name) {
            Entity::Variable(id) => Expression::Variable(id),
            Entity::Alias(expression) => expression,
            // A procedure as an argument: it may be called, with arguments that are not known.
            Entity::Procedure(id) => Expression::Call {
                callee: Callee::Procedure(id),
                arguments: Vec::new(),
            },
            Entity::External(name) => {
                let callee = self.without_source(scope, &name);
                Expression::Call {
                    callee,
                    arguments: Vec::new(),
                }
            }
            Entity::Intrinsic(name) => Expression::Call {
                callee: Callee::Intrinsic(name),
                arguments: Vec::new(),
            },
            Entity::Generic(_) | Entity::Inline(_) | Entity::DerivedType(_) => {
                Expression::Other(Vec::new())
            }
            Entity::Namelist(members) => Expression::Other(
                members
                    .iter()
                    .map(|member| self.name(scope, member))
                    .collect(),
            ),
        }
    }

    /// What a name stands for; an undeclared one is a variable of its implicit type.
    pub fn entity(&mut self, scope: ScopeId, name: &str) -> Entity<'a> {
        if let Some(entity) = self.lookup(scope, name) {
            return entity;
        }
        Entity::Variable(self.implicit_variable(scope, name))
    }

    /// The procedure's own scope, around those of its BLOCK and ASSOCIATE constructs.
    fn outermost_of_procedure(&self, mut scope: ScopeId) -> ScopeId {
        while let Some(host) = self.scope(scope).host {
            if self.scope(host).procedure != self.scope(scope).procedure {
                break;
            }
            scope = host;
        }
        scope
    }

    /// Makes a variable that no declaration names.
    pub fn implicit_variable(&mut self, scope: ScopeId, name: &str) -> VariableId {
        let scope = self.outermost_of_procedure(scope);
        let owner = self.scope(scope).procedure;
        let of_type = self
            .scope(scope)
            .implicit_type(name)
            .unwrap_or(Type::Unknown);
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
            length: None,
            storage,
            attributes: Attributes::default(),
        });
        self.scopes[scope.0]
            .names
            .insert(name.to_string(), Entity::Variable(id));
        self.program.variables[id.0 as usize].length = self.implicit_length(scope, name);
        id
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
        found.retain(
            |expression| !matches!(expression, Expression::Other(inner) if inner.is_empty()),
        );
        found
    }
}

/// Operator of a binary expression; parentheses and names have none.
fn operator_of(at: At) -> Operator {
    let binary = at.field("left").and(at.field("operator"));
    binary.map_or(Operator::Defined, |operator| {
        binary_operator(&operator.name())
    })
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
