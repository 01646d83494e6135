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

/// What controls a loop.
enum Control {
    /// Variable, first, last and step.
    Counted(VariableId, Expression, Expression, Option<Expression>),
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
        let label: Option<u32> = head
            .field("do_label")
            .and_then(|label| label.name().parse().ok());
        let outer = body.scope;
        let control = self.control(body, head);
        if body.scope != outer {
            self.own_scopes.push((id, body.scope));
        }
        self.enter(body, id, at, true);
        let last = at.child("end_do_label_loop_statement");
        let own = last.and_then(|last| last.named().into_iter().find(|node| !is_label(*node)));
        let labelled_end =
            last.filter(|last| last.child("do_label_virtual").is_none() && own.is_none());
        let terminal = own.or(terminal);
        let mut list = self.loop_body(body, at, terminal);
        let end = at
            .child("end_do_loop_statement")
            .or(labelled_end.and_then(end_keyword));
        list.extend(end.and_then(|end| self.labelled_end(body, end)));
        body.constructs.pop();
        body.scope = outer;
        let terminal_label = label.filter(|_| end.is_none());
        let kind = match control {
            Control::Counted(variable, from, to, step) => StatementKind::Do {
                variable,
                from,
                to,
                step,
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
            (None, Some(terminal)) => {
                let stop = terminal.statement_span();
                self.reach(id, stop);
                vec![id]
            }
            _ => self.close(body, id, end, &[]).into_iter().take(1).collect(),
        }
    }

    /// Statements of a loop; the terminal statement goes to the innermost loop that ends with it.
    fn loop_body(
        &mut self,
        body: &mut Body,
        at: At<'a>,
        terminal: Option<At<'a>>,
    ) -> Vec<StatementId> {
        let nodes: Vec<At<'a>> = at
            .named()
            .into_iter()
            .filter(|child| !is_frame(*child))
            .collect();
        let shared = nodes.last().copied().filter(|last| shares_terminal(*last));
        let mut list = Vec::new();
        match (shared, terminal) {
            (Some(last), Some(terminal)) => {
                list.extend(self.list(body, &nodes[..nodes.len() - 1]));
                list.extend(self.do_loop(body, last, Some(terminal)));
            }
            (_, terminal) => {
                list.extend(self.list(body, &nodes));
                list.extend(
                    terminal
                        .into_iter()
                        .flat_map(|terminal| self.statement(body, terminal))
                        .collect::<Vec<_>>(),
                );
            }
        }
        list
    }

    fn control(&mut self, body: &mut Body, head: At<'a>) -> Control {
        if let Some(control) = head.child("loop_control_expression") {
            return self.counted(body, control);
        }
        if let Some(condition) = head
            .child("while_statement")
            .and_then(|node| node.child("parenthesized_expression"))
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
        let (from, to) = (
            self.expression(body.scope, *from),
            self.expression(body.scope, *to),
        );
        let step = step.first().map(|step| self.expression(body.scope, *step));
        Control::Counted(variable, from, to, step)
    }

    /// DO CONCURRENT: its indices are names of its own. As many iterations as all indices together have, the
    /// first of them standing for all; with a mask, nobody knows how many.
    fn concurrent(&mut self, body: &mut Body, at: At<'a>) -> Control {
        let Some(header) = at.child("concurrent_header") else {
            return Control::While(None);
        };
        let scope = Scope::new(Some((body.scope, self.scope(body.scope))));
        let inner = self.add_scope(scope);
        let mut indices = Vec::new();
        let mut bounds = Vec::new();
        for control in header.all("concurrent_control") {
            let Some(name) = control.child("identifier") else {
                continue;
            };
            indices.push(self.index(inner, &name.name()));
            let mut bound = |field: &str| {
                control
                    .field(field)
                    .map(|node| self.expression(body.scope, node))
            };
            bounds.push((bound("initial"), bound("final"), bound("step")));
        }
        let mask = header
            .child("concurrent_mask")
            .map(|mask| self.only_part(inner, mask));
        body.scope = inner;
        let whole =
            |(from, to, step): (Option<Expression>, Option<Expression>, Option<Expression>)| {
                Some((from?, to?, step))
            };
        let bounds: Vec<_> = bounds.into_iter().filter_map(whole).collect();
        match (&indices[..], &bounds[..], mask) {
            ([index], [(from, to, step)], None) => {
                Control::Counted(*index, from.clone(), to.clone(), step.clone())
            }
            ([first, ..], [_, ..], None) if bounds.iter().all(|(_, _, step)| step.is_none()) => {
                let all = bounds.into_iter().map(|(from, to, _)| extent(from, to));
                let all = all.reduce(|left, right| binary(Operator::Multiply, left, right));
                Control::Counted(
                    *first,
                    Expression::Integer(1),
                    all.unwrap_or(Expression::Integer(1)),
                    None,
                )
            }
            (_, _, mask) => {
                let parts = bounds
                    .into_iter()
                    .flat_map(|(from, to, step)| [Some(from), Some(to), step]);
                Control::While(Some(Expression::Other(
                    parts.chain([mask]).flatten().collect(),
                )))
            }
        }
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
    at.is("do_loop")
        && at
            .child("end_do_label_loop_statement")
            .is_some_and(|last| last.child("do_label_virtual").is_some())
}

/// The END keyword of `10 END DO`.
fn end_keyword(at: At) -> Option<At> {
    at.children()
        .into_iter()
        .find(|child| !child.is_named() && child.kind().to_ascii_lowercase().starts_with("end"))
}
