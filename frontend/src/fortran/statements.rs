//! Executable statements: from nodes to IR, with their places. Constructs are in `constructs`,
//! input and output in `input_output`, what is kept whole in `opaque`.

use super::lower::Lowering;
use super::names::{Entity, ScopeId};
use super::syntax::At;
use super::type_bound::one_of;
use super::units::UnitKind;
use crate::ir::source_map::StatementPlace;
use crate::ir::{Callee, Expression, ProcedureId, Statement, StatementId, StatementKind};
use crate::source::diagnostics::Severity;

/// Deepest nesting of constructs that is followed.
pub const MAX_DEPTH: usize = 100;

/// The body that is being lowered.
pub struct Body {
    /// Whose it is.
    pub procedure: ProcedureId,
    /// Scope of its names.
    pub scope: ScopeId,
    /// Constructs around the current statement, outermost first.
    pub constructs: Vec<Construct>,
}

/// A construct that EXIT or CYCLE may name.
pub struct Construct {
    /// Its statement.
    pub id: StatementId,
    /// Its name.
    pub name: Option<String>,
    /// Whether it is a loop.
    pub is_loop: bool,
}

impl<'a> Lowering<'a> {
    /// Lowers the bodies of all procedures.
    pub fn lower_bodies(&mut self) {
        for unit in 0..self.units.len() {
            let UnitKind::Procedure(procedure) = self.units[unit].kind else {
                continue;
            };
            let items = self.units[unit].items.clone();
            let mut body = Body {
                procedure,
                scope: self.units[unit].scope,
                constructs: Vec::new(),
            };
            let mut list = Vec::new();
            let mut first = None;
            for item in items {
                let found = self.statement(&mut body, item);
                first = first.or((!found.is_empty()).then(|| item.statement_span()));
                list.extend(found);
            }
            if let Some(first) = first {
                self.map.procedures[procedure.0 as usize].first_executable = first;
            }
            self.program.procedures[procedure.0 as usize].body = list;
        }
    }

    /// A list of statements.
    pub fn list(&mut self, body: &mut Body, nodes: &[At<'a>]) -> Vec<StatementId> {
        nodes
            .iter()
            .flat_map(|&node| self.statement(body, node))
            .collect()
    }

    /// A node of a list: usually one statement, none for declarations.
    pub fn statement(&mut self, body: &mut Body, at: At<'a>) -> Vec<StatementId> {
        if !at.is_named() {
            return Vec::new();
        }
        if let Some(piece) = at
            .piece()
            .filter(|piece| piece.replaced && piece.at.start == at.start())
        {
            let kept = at
                .piece_index()
                .and_then(|index| at.parsed.kept_from(index));
            return match kept {
                Some(broken) => vec![self.kept_unit(body, at, broken)],
                None => self.unread(body, at, piece),
            };
        }
        match at.kind() {
            "if_statement" => self.if_statement(body, at),
            "do_loop" => self.do_loop(body, at, None),
            "select_case_statement" | "select_type_statement" | "select_rank_statement" => {
                self.select(body, at)
            }
            "associate_statement" => self.associate(body, at),
            "block_construct" => self.block(body, at),
            _ => self.simple(body, at).into_iter().collect(),
        }
    }

    fn simple(&mut self, body: &mut Body, at: At<'a>) -> Option<StatementId> {
        let scope = body.scope;
        let kind = match at.kind() {
            "assignment_statement" => self.assignment(scope, at)?,
            "subroutine_call" => self.call(scope, at),
            "keyword_statement" => self.keyword(body, at),
            "arithmetic_if_statement" => self.arithmetic_if(scope, at),
            "stop_statement" => StatementKind::Stop,
            "write_statement"
            | "read_statement"
            | "print_statement"
            | "open_statement"
            | "close_statement"
            | "inquire_statement"
            | "file_position_statement" => self.input_output(scope, at),
            "allocate_statement" => self.allocate(scope, at),
            "deallocate_statement" | "nullify_statement" => self.deallocate(scope, at),
            "pointer_association_statement" => self.pointer_assignment(scope, at)?,
            "entry_statement" => self.entry(body, at),
            "where_statement"
            | "forall_statement"
            | "assign_statement"
            | "coarray_statement"
            | "coarray_critical_statement"
            | "coarray_team_statement"
            | "call_expression" => self.opaque(scope, at),
            _ => return None,
        };
        let id = self.open_statement(body, at);
        if matches!(kind, StatementKind::Entry) {
            self.program.procedures[body.procedure.0 as usize]
                .entries
                .push(id);
        }
        self.program.statements[id.0 as usize].kind = kind;
        if at.is_construct() {
            // WHERE and FORALL of several lines are one statement.
            self.map.statements[id.0 as usize].whole = at.span_of(at.start()..at.trimmed_end());
        }
        Some(id)
    }

    /// Gives a statement its id and place; its kind follows.
    pub fn open_statement(&mut self, body: &Body, at: At<'a>) -> StatementId {
        let piece = at.piece();
        let first = piece.is_some_and(|piece| piece.at.start == at.start());
        let label = piece
            .filter(|_| first)
            .and_then(|piece| piece.label.as_ref());
        let whole = at.statement_span();
        self.program.statements.push(Statement {
            procedure: body.procedure,
            label: label.map(|label| label.value),
            kind: StatementKind::Continue,
        });
        self.map.statements.push(StatementPlace {
            whole,
            header: whole,
            end: None,
            clauses: Vec::new(),
            declarations: Vec::new(),
            label: label.map(|label| at.span_of(label.at.clone())),
            alone: first && piece.is_some_and(|piece| !piece.shared),
        });
        StatementId(self.program.statements.len() as u32 - 1)
    }

    /// A CONTINUE that is not written: the label of an END statement, as a place to jump to. Its
    /// span is empty.
    pub fn labelled_end(&mut self, body: &Body, end: At<'a>) -> Option<StatementId> {
        end.piece()
            .filter(|piece| piece.at.start == end.start())?
            .label
            .as_ref()?;
        let id = self.open_statement(body, end);
        let place = &mut self.map.statements[id.0 as usize];
        place.whole.end = place.whole.start;
        place.header = place.whole;
        place.alone = false;
        Some(id)
    }

    fn assignment(&mut self, scope: ScopeId, at: At<'a>) -> Option<StatementKind> {
        let (left, right) = (at.field("left")?, at.field("right")?);
        let name = left.child("identifier");
        if let Some(Some(Entity::Inline(_))) = name.map(|name| self.lookup(scope, &name.name())) {
            return None;
        }
        let target = self.target(scope, left);
        let value = self.expression(scope, right);
        let defined = self.defined(scope, "=", &[&target, &value]);
        if !defined.is_empty() {
            let arguments = vec![Some(target), Some(value)];
            return Some(StatementKind::Call {
                callee: one_of(defined),
                arguments,
            });
        }
        let within = self.assigned_by_components(&target);
        if !within.is_empty() {
            let arguments = vec![target.clone(), value.clone()];
            let call = Expression::Call {
                callee: one_of(within),
                arguments,
            };
            return Some(StatementKind::Opaque {
                reads: vec![value, call],
                writes: vec![target],
            });
        }
        Some(match target {
            Expression::Variable(_) | Expression::Reference { .. } => {
                StatementKind::Assign { target, value }
            }
            Expression::Integer(_)
            | Expression::Literal(_)
            | Expression::Call { .. }
            | Expression::Unary { .. }
            | Expression::Binary { .. }
            | Expression::Other(_) => {
                let mut writes = self.names_in(scope, left);
                writes.push(target.clone());
                StatementKind::Opaque {
                    reads: vec![target, value],
                    writes,
                }
            }
        })
    }

    /// What is assigned to: the name of a function is its result there.
    pub fn target(&mut self, scope: ScopeId, at: At<'a>) -> Expression {
        if at.is("identifier") {
            let name = at.name();
            return match self.entity(scope, &name) {
                Entity::Variable(id) => Expression::Variable(id),
                Entity::Alias(alias) => alias,
                Entity::Procedure(_)
                | Entity::Generic(_)
                | Entity::External(_)
                | Entity::Intrinsic(_)
                | Entity::Inline(_)
                | Entity::DerivedType(_)
                | Entity::Namelist(_) => Expression::Variable(self.implicit_variable(scope, &name)),
            };
        }
        let target = self.expression(scope, at);
        match target {
            Expression::Call { ref callee, .. } if self.answers_pointer(callee) => target,
            // `f(i) = …` can be no other call: an array whose declaration was not understood.
            Expression::Call { arguments, .. } => self.undeclared_array(scope, at, arguments),
            other => other,
        }
    }

    /// Whether a callee is a function whose value is a pointer: what it points at can be assigned to.
    fn answers_pointer(&self, callee: &Callee) -> bool {
        let is_pointer = |id: &ProcedureId| {
            let result = self.program.procedure(*id).result;
            result.is_some_and(|result| self.program.variable(result).attributes.pointer)
        };
        match callee {
            Callee::Procedure(id) => is_pointer(id),
            Callee::OneOf(all) => all.iter().any(is_pointer),
            Callee::Mpi(_)
            | Callee::UnknownMpi(_)
            | Callee::Intrinsic(_)
            | Callee::External(_)
            | Callee::Variable(_) => false,
        }
    }

    fn undeclared_array(
        &mut self,
        scope: ScopeId,
        at: At<'a>,
        arguments: Vec<Expression>,
    ) -> Expression {
        let Some(name) = at.child("identifier") else {
            return Expression::Other(arguments);
        };
        let base = match self.lookup(scope, &name.name()) {
            Some(Entity::Variable(id)) => id,
            _ => self.implicit_variable(scope, &name.name()),
        };
        if !self.scope(scope).foreign {
            let span = at.statement_span();
            let sentence = format!(
                "{}: {} is assigned to like an array but declared as none",
                self.line(span),
                name.name()
            );
            self.say(Severity::Warning, span, sentence);
        }
        let subscripts = arguments
            .into_iter()
            .map(crate::ir::Subscript::Element)
            .collect();
        Expression::Reference {
            base,
            path: Vec::new(),
            subscripts,
        }
    }

    fn keyword(&mut self, body: &Body, at: At<'a>) -> StatementKind {
        let word = at
            .children()
            .first()
            .map_or("", |first| first.kind())
            .to_ascii_lowercase();
        match word.as_str() {
            "go" | "goto" => self.goto(body, at),
            "return" => {
                if !at.named().is_empty() {
                    self.keep_whole(body.scope, at, "an alternate return");
                }
                StatementKind::Return
            }
            "exit" => self.leave(body, at, StatementKind::Exit, false),
            "cycle" => self.leave(body, at, StatementKind::Cycle, true),
            _ => StatementKind::Continue,
        }
    }

    fn goto(&mut self, body: &Body, at: At<'a>) -> StatementKind {
        let scope = body.scope;
        // Without a list the name of the variable is masked as a label.
        let is_name = |first: &At| !first.name().starts_with(|byte: char| byte.is_ascii_digit());
        let variable = at
            .named()
            .first()
            .copied()
            .filter(|first| !first.is("parenthesized_expression"));
        let masked = |first: &At| first.is("statement_label_reference") && is_name(first);
        let assigned = variable.filter(|first| first.is("identifier") || masked(first));
        if let Some(variable) = assigned {
            self.keep_whole(scope, at, "an assigned GOTO");
            let labels = self.assigned_labels(body.procedure);
            if labels.is_empty() {
                let span = at.statement_span();
                let sentence = format!("{}: no ASSIGN gives this GOTO a label", self.line(span));
                self.say(Severity::Error, span, sentence);
            }
            let selector = Some(self.name(scope, &variable.name()));
            return StatementKind::Goto {
                labels,
                falls_through: false,
                selector,
            };
        }
        let mut selectors = at
            .named()
            .into_iter()
            .filter(|child| !child.is("statement_label_reference"));
        let selector = selectors
            .next_back()
            .map(|selector| self.expression(scope, selector));
        let after_list = at.children().last().is_some_and(|last| !last.is(")"));
        let falls_through = selector.is_some() && after_list;
        StatementKind::Goto {
            labels: labels_in(at),
            falls_through,
            selector,
        }
    }

    /// The labels that ASSIGN statements of a procedure name.
    fn assigned_labels(&self, procedure: ProcedureId) -> Vec<u32> {
        let unit = self
            .units
            .iter()
            .find(|unit| unit.kind == UnitKind::Procedure(procedure));
        let mut stack: Vec<At> = unit.map_or(Vec::new(), |unit| unit.items.clone());
        let mut labels = Vec::new();
        while let Some(at) = stack.pop() {
            match at.kind() {
                "assign_statement" => {
                    labels.extend(
                        at.child("number_literal")
                            .and_then(|label| label.name().parse::<u32>().ok()),
                    );
                }
                _ => stack.extend(at.named()),
            }
        }
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    /// ENTRY: another way into the procedure.
    fn entry(&mut self, body: &Body, at: At<'a>) -> StatementKind {
        self.keep_whole(body.scope, at, "an ENTRY");
        StatementKind::Entry
    }

    fn arithmetic_if(&mut self, scope: ScopeId, at: At<'a>) -> StatementKind {
        let condition = at.child("parenthesized_expression");
        let selector = condition.map(|condition| self.expression(scope, condition));
        StatementKind::Goto {
            labels: labels_in(at),
            selector,
            falls_through: false,
        }
    }

    /// EXIT or CYCLE: which construct it means.
    fn leave(
        &mut self,
        body: &Body,
        at: At<'a>,
        make: fn(StatementId) -> StatementKind,
        loops: bool,
    ) -> StatementKind {
        let name = at.child("identifier").map(|name| name.name());
        let meant = body.constructs.iter().rev().find(|construct| match &name {
            Some(name) => construct.name.as_ref() == Some(name) && (construct.is_loop || !loops),
            None => construct.is_loop,
        });
        match meant.map(|construct| construct.id) {
            Some(id) => make(id),
            None => {
                let span = at.statement_span();
                let sentence = format!(
                    "{}: what this leaves is no construct here: name one that it stands in",
                    self.line(span)
                );
                self.say(Severity::Error, span, sentence);
                StatementKind::Opaque {
                    reads: Vec::new(),
                    writes: Vec::new(),
                }
            }
        }
    }
}

/// Labels a node refers to.
pub fn labels_in(at: At) -> Vec<u32> {
    at.all("statement_label_reference")
        .iter()
        .filter_map(|label| label.name().parse().ok())
        .collect()
}
