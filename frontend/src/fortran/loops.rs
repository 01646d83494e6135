//! DO in all forms: counted, WHILE, without control; ended by END DO or by a labelled statement that
//! several loops may share.

use super::constructs::{is_frame, is_label};
use super::lower::Lowering;
use super::names::{Entity, Scope, ScopeId};
use super::statements::Body;
use super::syntax::At;
use crate::ir::{
    Attributes, Callee, Expression, Operator, StatementId, StatementKind, Storage, Type, Variable,
    VariableId,
};
use crate::source::diagnostics::Severity;

/// Variable, first and last value, and step of a counted loop.
struct Bounds {
    variable: VariableId,
    from: Expression,
    to: Expression,
    step: Option<Expression>,
}

/// What controls a loop.
enum Control {
    Counted(Bounds),
    /// Condition, or none.
    While(Option<Expression>),
}

impl<'a> Lowering<'a> {
    /// DO in any form. `terminal` is the terminal statement of an outer DO with the same label.
    pub fn do_loop(
        &mut self,
        body: &mut Body,
        at: At<'a>,
        terminal: Option<At<'a>>,
    ) -> Vec<StatementId> {
        if self.too_deep(body, at) {
            return vec![self.kept_whole(body, at)];
        }
        let id = self.open_statement(body, at);
        let Some(head) = at.child("do_statement") else {
            return vec![id];
        };
        let label: Option<u32> = match head.field("do_label") {
            Some(label) => label.name().parse().ok(),
            None => None,
        };
        let outer = body.scope;
        let control = self.control(body, head);
        // DO CONCURRENT has a scope of its own (F2018 19.4).
        if body.scope != outer {
            self.own_scopes.push((id, body.scope));
        }
        self.enter(body, id, at, true);
        let last = at.child("end_do_label_loop_statement");
        // The node of the last labelled line contains the terminal statement, or END DO, or nothing if an
        // outer loop shares the label.
        let mut own = None;
        let mut end = at.child("end_do_loop_statement");
        if let Some(last) = last {
            own = last.named().into_iter().find(|node| !is_label(*node));
            if end.is_none() && own.is_none() && last.child("do_label_virtual").is_none() {
                end = end_keyword(last);
            }
        }
        let terminal = own.or(terminal);
        let mut list = self.loop_body(body, at, terminal);
        if let Some(end) = end {
            list.extend(self.labelled_end(body, end));
        }
        body.constructs.pop();
        body.scope = outer;
        let terminal_label = if end.is_none() { label } else { None };
        let kind = match control {
            Control::Counted(bounds) => StatementKind::Do {
                variable: bounds.variable,
                from: bounds.from,
                to: bounds.to,
                step: bounds.step,
                body: list,
                terminal: terminal_label,
            },
            Control::While(condition) => StatementKind::While {
                condition,
                body: list,
                terminal: terminal_label,
            },
        };
        self.set(id, kind);
        match (end, terminal) {
            (None, Some(terminal)) => self.reach(id, terminal.statement_span()),
            _ => drop(self.close(body, id, end, &[])),
        }
        vec![id]
    }

    /// Statements of a loop; the terminal statement goes to the innermost loop that ends with it.
    fn loop_body(
        &mut self,
        body: &mut Body,
        at: At<'a>,
        terminal: Option<At<'a>>,
    ) -> Vec<StatementId> {
        let mut nodes = at.named();
        nodes.retain(|child| !is_frame(*child));
        let Some(terminal) = terminal else {
            return self.list(body, &nodes);
        };
        if let Some((last, before)) = nodes.split_last()
            && shares_terminal(*last)
        {
            let mut list = self.list(body, before);
            list.extend(self.do_loop(body, *last, Some(terminal)));
            return list;
        }
        let mut list = self.list(body, &nodes);
        list.extend(self.statement(body, terminal));
        list
    }

    fn control(&mut self, body: &mut Body, head: At<'a>) -> Control {
        if let Some(control) = head.child("loop_control_expression") {
            return self.counted(body, control);
        }
        if let Some(header) = head.child("while_statement")
            && let Some(condition) = header.child("parenthesized_expression")
        {
            return Control::While(Some(self.expression(body.scope, condition)));
        }
        match head.child("concurrent_statement") {
            Some(concurrent) => self.concurrent(body, concurrent),
            None => Control::While(None),
        }
    }

    fn counted(&mut self, body: &Body, control: At<'a>) -> Control {
        let parts = control.named();
        let [variable, from, to, step @ ..] = &parts[..] else {
            return self.refused_control(body, control, "a DO needs a first and a last value");
        };
        let Expression::Variable(variable) = self.target(body.scope, *variable) else {
            return self.refused_control(body, control, "the variable of a DO must be a plain one");
        };
        let from = self.expression(body.scope, *from);
        let to = self.expression(body.scope, *to);
        let step = step.first().map(|step| self.expression(body.scope, *step));
        Control::Counted(Bounds {
            variable,
            from,
            to,
            step,
        })
    }

    /// DO CONCURRENT: its indices are names of its own. It has as many iterations as all indices together,
    /// and is represented as a DO over the first. With a mask the number is not known.
    fn concurrent(&mut self, body: &mut Body, at: At<'a>) -> Control {
        let Some(header) = at.child("concurrent_header") else {
            return Control::While(None);
        };
        let scope = Scope::new(Some((body.scope, self.scope(body.scope))));
        let inner = self.add_scope(scope);
        let mut first = None;
        let mut indices = 0;
        let mut all: Vec<Bounds> = Vec::new();
        for control in header.all("concurrent_control") {
            let Some(name) = control.child("identifier") else {
                continue;
            };
            let variable = self.index(inner, &name.name());
            first = first.or(Some(variable));
            indices += 1;
            // Bounds are evaluated outside: they do not see the indices (F2018 11.1.7.2).
            let from = self.field(body.scope, control, "initial");
            let to = self.field(body.scope, control, "final");
            let step = self.field(body.scope, control, "step");
            if let (Some(from), Some(to)) = (from, to) {
                all.push(Bounds {
                    variable,
                    from,
                    to,
                    step,
                });
            }
        }
        let mask = header
            .child("concurrent_mask")
            .map(|mask| self.only_part(inner, mask));
        body.scope = inner;
        if mask.is_none() && indices == 1 && all.len() == 1 {
            return Control::Counted(all.remove(0));
        }
        let has_step = all.iter().any(|bounds| bounds.step.is_some());
        if let Some(first) = first
            && mask.is_none()
            && !all.is_empty()
            && !has_step
        {
            return Control::Counted(product(first, all));
        }
        let mut parts = Vec::new();
        for bounds in all {
            parts.extend([bounds.from, bounds.to]);
            parts.extend(bounds.step);
        }
        parts.extend(mask);
        Control::While(Some(Expression::Other(parts)))
    }

    fn field(&mut self, scope: ScopeId, at: At<'a>, name: &str) -> Option<Expression> {
        let node = at.field(name)?;
        Some(self.expression(scope, node))
    }

    fn only_part(&mut self, scope: ScopeId, at: At<'a>) -> Expression {
        match at.named()[..] {
            [inner] => self.expression(scope, inner),
            _ => self.expression(scope, at),
        }
    }

    fn index(&mut self, scope: ScopeId, name: &str) -> VariableId {
        let id = self.add_variable(Variable {
            name: name.to_string(),
            owner: self.scope(scope).procedure,
            of_type: Type::Integer(4),
            shape: Vec::new(),
            length: None,
            storage: Storage::Local,
            attributes: Attributes {
                inner: true,
                ..Attributes::default()
            },
        });
        self.scopes[scope.0]
            .names
            .insert(name.to_string(), Entity::Variable(id));
        id
    }

    fn refused_control(&mut self, body: &Body, at: At<'a>, why: &str) -> Control {
        let span = at.statement_span();
        let sentence = format!("{}: {why}", self.line(span));
        self.say(Severity::Error, span, sentence);
        Control::While(Some(Expression::Other(self.names_in(body.scope, at))))
    }
}

/// One loop with as many iterations as a nest of loops.
fn product(variable: VariableId, nest: Vec<Bounds>) -> Bounds {
    let mut trips: Option<Expression> = None;
    for bounds in nest {
        let inner = extent(bounds.from, bounds.to);
        trips = Some(match trips {
            Some(outer) => binary(Operator::Multiply, outer, inner),
            None => inner,
        });
    }
    Bounds {
        variable,
        from: Expression::Integer(1),
        to: trips.unwrap_or(Expression::Integer(1)),
        step: None,
    }
}

/// Iterations of one index, none if its last value is before the first.
fn extent(from: Expression, to: Expression) -> Expression {
    let count = match from {
        Expression::Integer(1) => to,
        from => binary(
            Operator::Add,
            binary(Operator::Subtract, to, from),
            Expression::Integer(1),
        ),
    };
    let arguments = vec![Expression::Integer(0), count];
    Expression::Call {
        callee: Callee::Intrinsic("max".to_string()),
        arguments,
    }
}

fn binary(operator: Operator, left: Expression, right: Expression) -> Expression {
    Expression::Binary {
        operator,
        left: Box::new(left),
        right: Box::new(right),
    }
}

/// Whether a loop ends with the terminal statement of the loop around it.
fn shares_terminal(at: At) -> bool {
    if !at.is("do_loop") {
        return false;
    }
    match at.child("end_do_label_loop_statement") {
        Some(last) => last.child("do_label_virtual").is_some(),
        None => false,
    }
}

/// The END keyword of `10 END DO`.
fn end_keyword(at: At) -> Option<At> {
    at.children()
        .into_iter()
        .find(|child| !child.is_named() && child.kind().to_ascii_lowercase().starts_with("end"))
}
