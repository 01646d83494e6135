//! DO in all forms: counted, WHILE, without control; ended by END DO or by a labelled statement that
//! several loops may share.

use super::constructs::{is_frame, is_label};
use super::lower::Lowering;
use super::statements::Body;
use super::syntax::At;
use crate::diagnostics::Severity;
use crate::ir::{Expression, StatementId, StatementKind, VariableId};

/// What controls a loop.
enum Control {
    /// Variable, first, last and step.
    Counted(VariableId, Expression, Expression, Option<Expression>),
    /// Condition, or none.
    While(Option<Expression>),
}

impl<'a> Lowering<'a> {
    /// DO in any form. `terminal` is the terminal statement of an outer DO with the same label.
    pub fn do_loop(&mut self, body: &mut Body, at: At<'a>, terminal: Option<At<'a>>) -> Vec<StatementId> {
        if self.too_deep(body, at) {
            return vec![self.kept_whole(body, at)];
        }
        let id = self.open_statement(body, at);
        let Some(head) = at.child("do_statement") else { return vec![id] };
        let label: Option<u32> = head.field("do_label").and_then(|label| label.name().parse().ok());
        let control = self.control(body, head);
        self.enter(body, Some(id), at, true);
        let last = at.child("end_do_label_loop_statement");
        let own = last.and_then(|last| last.named().into_iter().find(|node| !is_label(*node)));
        let labelled_end = last.filter(|last| last.child("do_label_virtual").is_none() && own.is_none());
        let terminal = own.or(terminal);
        let mut list = self.loop_body(body, at, terminal);
        let end = at.child("end_do_loop_statement").or(labelled_end.and_then(end_keyword));
        list.extend(end.and_then(|end| self.labelled_end(body, end)));
        body.constructs.pop();
        let kind = match control {
            Control::Counted(variable, from, to, step) => StatementKind::Do {
                variable,
                from,
                to,
                step,
                body: list,
                terminal: label.filter(|_| end.is_none()),
            },
            Control::While(condition) => StatementKind::While { condition, body: list },
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
    fn loop_body(&mut self, body: &mut Body, at: At<'a>, terminal: Option<At<'a>>) -> Vec<StatementId> {
        let nodes: Vec<At<'a>> = at.named().into_iter().filter(|child| !is_frame(*child)).collect();
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

    fn control(&mut self, body: &Body, head: At<'a>) -> Control {
        if let Some(control) = head.child("loop_control_expression") {
            return self.counted(body, control);
        }
        if let Some(condition) =
            head.child("while_statement").and_then(|node| node.child("parenthesized_expression"))
        {
            return Control::While(Some(self.expression(body.scope, condition)));
        }
        match head.child("concurrent_statement") {
            Some(concurrent) => {
                self.refused_control(body, concurrent, "DO CONCURRENT is not supported: write a DO")
            }
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
        let (from, to) = (self.expression(body.scope, *from), self.expression(body.scope, *to));
        let step = step.first().map(|step| self.expression(body.scope, *step));
        Control::Counted(variable, from, to, step)
    }

    fn refused_control(&mut self, body: &Body, at: At<'a>, why: &str) -> Control {
        let span = at.statement_span();
        let sentence = format!("{}: {why}", self.line(span));
        self.say(Severity::Error, span, sentence);
        Control::While(Some(Expression::Other(self.names_in(body.scope, at))))
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
