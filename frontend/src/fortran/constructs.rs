//! IF, DO, SELECT, and the constructs that only name things (ASSOCIATE, BLOCK).

use super::lower::Lowering;
use super::names::{Entity, Scope};
use super::statements::{Body, Construct, DEEPEST};
use super::syntax::At;
use crate::diagnostics::Severity;
use crate::ir::{Expression, StatementId, StatementKind};
use crate::source::Span;

impl<'a> Lowering<'a> {
    /// IF in any form but the arithmetic one.
    pub fn if_statement(&mut self, body: &mut Body, at: At<'a>) -> Vec<StatementId> {
        if self.too_deep(body, at) {
            return vec![self.kept_whole(body, at)];
        }
        let id = self.open_statement(body, at);
        let Some(condition_node) = at.child("parenthesized_expression") else { return vec![id] };
        let condition = self.expression(body.scope, condition_node);
        if at.child("end_if_statement").is_none() {
            let place = &mut self.map.statements[id.0 as usize];
            let header = at.span_of(at.start()..condition_node.end());
            place.header = header;
            let inner = at.named().into_iter().filter(|child| child.start() >= condition_node.end());
            let inner: Vec<At<'a>> = inner.collect();
            let list = self.list(body, &inner);
            self.set(
                id,
                StatementKind::If { branches: vec![(condition, list)], otherwise: None, logical: true },
            );
            return vec![id];
        }
        self.block_if(body, at, id, condition)
    }

    fn block_if(
        &mut self,
        body: &mut Body,
        at: At<'a>,
        id: StatementId,
        condition: Expression,
    ) -> Vec<StatementId> {
        self.enter(body, Some(id), at, false);
        let first = self.inside(body, at);
        let mut branches = vec![(condition, first)];
        let mut clauses = Vec::new();
        for clause in at.all("elseif_clause") {
            clauses.push(clause);
            let condition = clause.child("parenthesized_expression");
            let condition =
                condition.map_or(Expression::Other(Vec::new()), |node| self.expression(body.scope, node));
            let list = self.inside(body, clause);
            branches.push((condition, list));
        }
        let mut otherwise = None;
        if let Some(clause) = at.child("else_clause") {
            clauses.push(clause);
            otherwise = Some(self.inside(body, clause));
        }
        body.constructs.pop();
        self.set(id, StatementKind::If { branches, otherwise, logical: false });
        self.close(body, id, at.child("end_if_statement"), &clauses)
    }

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
        let children = at.named().into_iter().filter(|child| !is_frame(*child)).collect();
        let nodes = self.flatten(children);
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

    /// SELECT CASE; SELECT TYPE and RANK have no values to tell.
    pub fn select(&mut self, body: &mut Body, at: At<'a>) -> Vec<StatementId> {
        if self.too_deep(body, at) {
            return vec![self.kept_whole(body, at)];
        }
        let id = self.open_statement(body, at);
        let selector = at.child("selector");
        let selector = selector.map_or(Expression::Other(Vec::new()), |node| self.only_named(body, node));
        self.enter(body, Some(id), at, false);
        let clauses: Vec<At<'a>> = at.named().into_iter().filter(|child| is_case(*child)).collect();
        let mut cases = Vec::new();
        for &case in &clauses {
            let values = self.case_values(body, case);
            let list = self.inside(body, case);
            cases.push((values, list));
        }
        body.constructs.pop();
        self.set(id, StatementKind::Select { selector, cases });
        self.close(body, id, at.child("end_select_statement"), &clauses)
    }

    fn only_named(&mut self, body: &Body, at: At<'a>) -> Expression {
        match at.named()[..] {
            [inner] => self.expression(body.scope, inner),
            _ => Expression::Other(self.names_in(body.scope, at)),
        }
    }

    fn case_values(&mut self, body: &Body, case: At<'a>) -> Vec<Expression> {
        if case.child("default").is_some() {
            return Vec::new();
        }
        match case.child("case_value_range_list") {
            Some(list) => list.named().into_iter().map(|value| self.expression(body.scope, value)).collect(),
            None => vec![Expression::Other(Vec::new())],
        }
    }

    /// ASSOCIATE: its names stand for what they are associated with; its body for itself.
    pub fn associate(&mut self, body: &mut Body, at: At<'a>) -> Vec<StatementId> {
        if self.too_deep(body, at) {
            return vec![self.kept_whole(body, at)];
        }
        let mut scope = Scope::new(Some((body.scope, self.scope(body.scope))));
        let associations = at.child("association_list").map_or(Vec::new(), |list| list.all("association"));
        for association in associations {
            if let (Some(name), Some(selector)) = (association.field("name"), association.field("selector")) {
                let selector = self.expression(body.scope, selector);
                scope.names.insert(name.name(), Entity::Alias(selector));
            }
        }
        self.within(body, at, scope)
    }

    /// BLOCK: its own declarations, and its body for itself.
    pub fn block(&mut self, body: &mut Body, at: At<'a>) -> Vec<StatementId> {
        if self.too_deep(body, at) {
            return vec![self.kept_whole(body, at)];
        }
        let scope = Scope::new(Some((body.scope, self.scope(body.scope))));
        self.within(body, at, scope)
    }

    fn within(&mut self, body: &mut Body, at: At<'a>, scope: Scope<'a>) -> Vec<StatementId> {
        let outer = body.scope;
        body.scope = self.add_scope(scope);
        let nodes = self.flatten(at.named());
        if at.is("block_construct") {
            self.declare_block(body.scope, &nodes);
        }
        self.enter(body, None, at, false);
        let list = self.list(body, &nodes);
        body.constructs.pop();
        body.scope = outer;
        list
    }

    /// Statements directly inside a construct or clause.
    fn inside(&mut self, body: &mut Body, at: At<'a>) -> Vec<StatementId> {
        let children = at.named().into_iter().filter(|child| !is_frame(*child)).collect();
        let nodes = self.flatten(children);
        self.list(body, &nodes)
    }

    fn enter(&mut self, body: &mut Body, id: Option<StatementId>, at: At<'a>, is_loop: bool) {
        let name = at
            .child("block_label_start_expression")
            .map(|name| name.name().trim_end_matches(':').trim().to_string());
        body.constructs.push(Construct { id, name, is_loop });
    }

    fn set(&mut self, id: StatementId, kind: StatementKind) {
        self.program.statements[id.0 as usize].kind = kind;
    }

    /// Sets the places of a construct's END and clauses. A label on END is a place to jump to.
    fn close(
        &mut self,
        body: &Body,
        id: StatementId,
        end: Option<At<'a>>,
        clauses: &[At<'a>],
    ) -> Vec<StatementId> {
        let spans = clauses.iter().map(|clause| clause.statement_span()).collect();
        let alone = clauses.iter().chain(&end).all(|at| at.piece().is_some_and(|piece| !piece.shared));
        let place = &mut self.map.statements[id.0 as usize];
        place.clauses = spans;
        place.alone &= alone;
        if let Some(end) = end {
            place.end = Some(end.statement_span());
            self.reach(id, end.statement_span());
        }
        let label = end.filter(|end| !end.kind().contains("do")).and_then(|end| self.labelled_end(body, end));
        std::iter::once(id).chain(label).collect()
    }

    /// Lets a construct's span reach to the end of its last statement, if that is in the same file.
    fn reach(&mut self, id: StatementId, last: Span) {
        let whole = &mut self.map.statements[id.0 as usize].whole;
        if (whole.file, whole.include) == (last.file, last.include) {
            whole.end = last.end;
        }
    }

    fn too_deep(&mut self, body: &Body, at: At<'a>) -> bool {
        let deep = body.constructs.len() > DEEPEST;
        if deep {
            let sentence =
                format!("{}: constructs are nested more than {DEEPEST} deep", self.line(at.statement_span()));
            self.say(Severity::Error, at.statement_span(), sentence);
        }
        deep
    }
}

/// What controls a loop.
enum Control {
    /// Variable, first, last and step.
    Counted(crate::ir::VariableId, Expression, Expression, Option<Expression>),
    /// Condition, or none.
    While(Option<Expression>),
}

fn is_label(at: At) -> bool {
    ["statement_label", "do_label_virtual", "block_label"].contains(&at.kind())
}

fn is_case(at: At) -> bool {
    ["case_statement", "type_statement", "rank_statement"].contains(&at.kind())
}

/// Parts of a construct that are no statements of its lists.
fn is_frame(at: At) -> bool {
    is_label(at)
        || at.kind().starts_with("end_")
        || matches!(at.kind(), "do_statement" | "elseif_clause" | "else_clause" | "parenthesized_expression")
        || matches!(at.kind(), "block_label_start_expression" | "case_value_range_list" | "default")
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
