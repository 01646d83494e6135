//! `name(…)%name(…)`: array elements, sections, substrings, components; and whether it is a call.

use super::lower::Lowering;
use super::names::{Entity, ScopeId};
use super::syntax::At;
use crate::ir::{Expression, Subscript, Type, VariableId};

/// A designator taken apart: `base(…)%name(…)`.
struct Designator<'a> {
    base: Option<At<'a>>,
    path: Vec<String>,
    lists: Vec<At<'a>>,
    /// How many argument lists stand before the first `%`.
    before_path: usize,
}

impl<'a> Lowering<'a> {
    /// A designator.
    pub fn designator(&mut self, scope: ScopeId, at: At<'a>, depth: usize) -> Expression {
        let parts = take_apart(at);
        let Some(base) = parts.base.filter(|base| base.is("identifier")) else {
            return self.other(scope, at, depth);
        };
        if let Some(call) = self.bound_function(scope, at, depth) {
            return call;
        }
        let name = base.name();
        match self.callable(scope, &name, &parts) {
            Some(entity) => {
                let arguments = parts.lists[0].named();
                self.function_call(scope, &name, entity, arguments, depth)
            }
            None => self.reference(scope, &name, parts, depth),
        }
    }

    /// `object%function(…)`, which looks like an element of a component.
    fn bound_function(&mut self, scope: ScopeId, at: At<'a>, depth: usize) -> Option<Expression> {
        let member = at
            .named()
            .first()
            .copied()
            .filter(|first| first.is("derived_type_member_expression"))?;
        let list = at
            .child("argument_list")
            .filter(|_| at.is("call_expression"))?;
        let (callee, arguments) = self.bound_call(scope, member, &list.named(), depth)?;
        let given =
            |argument: Option<Expression>| argument.unwrap_or(Expression::Other(Vec::new()));
        Some(Expression::Call {
            callee,
            arguments: arguments.into_iter().map(given).collect(),
        })
    }

    /// What is called, where `name(…)` is a call.
    fn callable(
        &mut self,
        scope: ScopeId,
        name: &str,
        parts: &Designator<'a>,
    ) -> Option<Entity<'a>> {
        if parts.before_path == 0 {
            return None;
        }
        match self.lookup(scope, name) {
            // An element, a substring and a function reference are spelled alike: the declaration
            // decides.
            Some(Entity::Variable(id)) if self.is_indexed(id, parts.lists[0]) => None,
            Some(Entity::Alias(_)) => None,
            Some(entity) => Some(entity),
            None => {
                let found = self.undeclared_callee(name);
                if let Entity::External(name) = &found {
                    self.note_undeclared(scope, name);
                }
                Some(found)
            }
        }
    }

    /// Whether parentheses after a variable are subscripts or a substring.
    fn is_indexed(&self, id: VariableId, list: At) -> bool {
        let variable = self.program.variable(id);
        let section = list.child("extent_specifier").is_some();
        !variable.shape.is_empty() || section || matches!(variable.of_type, Type::Derived(_))
    }

    fn reference(
        &mut self,
        scope: ScopeId,
        name: &str,
        parts: Designator<'a>,
        depth: usize,
    ) -> Expression {
        let mut subscripts = Vec::new();
        for list in &parts.lists {
            for item in list.named() {
                subscripts.push(self.subscript(scope, item, depth + 1));
            }
        }
        match self.entity(scope, name) {
            Entity::Variable(base) => Expression::Reference {
                base,
                path: parts.path,
                subscripts,
            },
            Entity::Alias(alias) => extend(alias, parts.path, subscripts),
            Entity::Procedure(_)
            | Entity::Generic(_)
            | Entity::External(_)
            | Entity::Intrinsic(_)
            | Entity::Inline(_)
            | Entity::DerivedType(_)
            | Entity::Namelist(_) => {
                Expression::Other(subscripts.into_iter().flat_map(subscript_parts).collect())
            }
        }
    }

    pub(super) fn subscript(&mut self, scope: ScopeId, at: At<'a>, depth: usize) -> Subscript {
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
        Subscript::Section {
            lower,
            upper,
            stride,
        }
    }
}

fn take_apart(at: At) -> Designator {
    let mut parts = Designator {
        base: None,
        path: Vec::new(),
        lists: Vec::new(),
        before_path: 0,
    };
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
                parts
                    .path
                    .extend(here.child("type_member").map(|member| member.name()));
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
    // The tree of `a(i)%b(j)` has the last part outermost, so everything was found last part first.
    parts.path.reverse();
    parts.before_path = lists
        .iter()
        .rev()
        .take_while(|group| !group.is_empty())
        .map(Vec::len)
        .sum();
    parts.lists = lists.into_iter().rev().flatten().collect();
    parts
}

/// A part of what ASSOCIATE named.
fn extend(alias: Expression, path: Vec<String>, subscripts: Vec<Subscript>) -> Expression {
    match alias {
        Expression::Variable(base) => Expression::Reference {
            base,
            path,
            subscripts,
        },
        Expression::Reference {
            base,
            path: mut front,
            subscripts: mut first,
        } => {
            front.extend(path);
            first.extend(subscripts);
            Expression::Reference {
                base,
                path: front,
                subscripts: first,
            }
        }
        other => Expression::Other(
            std::iter::once(other)
                .chain(subscripts.into_iter().flat_map(subscript_parts))
                .collect(),
        ),
    }
}

/// The expressions of a subscript.
pub fn subscript_parts(subscript: Subscript) -> Vec<Expression> {
    match subscript {
        Subscript::Element(expression) => vec![expression],
        Subscript::Section {
            lower,
            upper,
            stride,
        } => [lower, upper, stride].into_iter().flatten().collect(),
    }
}
