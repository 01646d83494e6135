//! Executable statements: from nodes to IR, with their places. Constructs are in `constructs`,
//! input and output in `input_output`, opaque statements in `opaque`.

use super::bindings::one_of;
use super::lower::Lowering;
use super::names::{Entity, ScopeId};
use super::syntax::At;
use super::unit::UnitKind;
use crate::ir::source_map::StatementPlace;
use crate::ir::{Callee, Expression, ProcedureId, Statement, StatementId, StatementKind};
use crate::source::diagnostics::Severity;

/// Deepest nesting of constructs that is followed.
pub const MAX_DEPTH: usize = 100;

/// The body that is being lowered.
pub struct Body {
    /// The procedure that contains it.
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
            for item in items {
                let found = self.statement(&mut body, item);
                if list.is_empty() && !found.is_empty() {
                    let place = &mut self.map.procedures[procedure.0 as usize];
                    place.first_executable = item.statement_span();
                }
                list.extend(found);
            }
            self.program.procedures[procedure.0 as usize].body = list;
        }
    }

    /// A list of statements.
    pub fn list(&mut self, body: &mut Body, nodes: &[At<'a>]) -> Vec<StatementId> {
        let mut list = Vec::new();
        for &node in nodes {
            list.extend(self.statement(body, node));
        }
        list
    }

    /// A node of a list: usually one statement, none for declarations.
    pub fn statement(&mut self, body: &mut Body, at: At<'a>) -> Vec<StatementId> {
        if !at.is_named() {
            return Vec::new();
        }
        if let Some(piece) = at.piece()
            && piece.replaced
            && piece.at.start == at.start()
        {
            // The node is a stand-in: of a unit that is kept whole, or of one statement.
            if let Some(index) = at.piece_index()
                && let Some(broken) = at.parsed.kept_from(index)
            {
                return vec![self.kept_unit(body, at, broken)];
            }
            return self.unread(body, at, piece);
        }
        match at.kind() {
            "if_statement" => self.if_statement(body, at),
            "do_loop" => self.do_loop(body, at, None),
            "select_case_statement" => self.select(body, at),
            "select_type_statement" => self.select(body, at),
            "select_rank_statement" => self.select(body, at),
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
        // The statement after a logical IF is inside the piece of the IF: the label is not its own.
        let own_piece = at.piece().filter(|piece| piece.at.start == at.start());
        let label = own_piece.and_then(|piece| piece.label.as_ref());
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
            alone: own_piece.is_some_and(|piece| !piece.shared),
        });
        StatementId(self.program.statements.len() as u32 - 1)
    }

    /// A CONTINUE that is not written: the label of an END statement, as a place to jump to. Its
    /// span is empty.
    pub fn labelled_end(&mut self, body: &Body, end: At<'a>) -> Option<StatementId> {
        let piece = end.piece()?;
        if piece.at.start != end.start() || piece.label.is_none() {
            return None;
        }
        let id = self.open_statement(body, end);
        let place = &mut self.map.statements[id.0 as usize];
        place.whole.end = place.whole.start;
        place.header = place.whole;
        place.alone = false;
        Some(id)
    }

    fn assignment(&mut self, scope: ScopeId, at: At<'a>) -> Option<StatementKind> {
        let (left, right) = (at.field("left")?, at.field("right")?);
        // A statement function, which is a declaration.
        if let Some(name) = left.child("identifier")
            && let Some(Entity::Inline(_)) = self.lookup(scope, &name.name())
        {
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
            // The target of a function that returns a pointer: any object may be written.
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
            Expression::Call { ref callee, .. } if self.returns_pointer(callee) => target,
            // `f(i) = …` can be no other call: an array whose declaration was not understood.
            Expression::Call { arguments, .. } => self.undeclared_array(scope, at, arguments),
            other => other,
        }
    }

    /// Whether a callee is a function that returns a pointer: its target can be assigned to (F2018 9.2).
    fn returns_pointer(&self, callee: &Callee) -> bool {
        let procedures = match callee {
            Callee::Procedure(id) => std::slice::from_ref(id),
            Callee::OneOf(all) => all,
            Callee::Mpi(_)
            | Callee::UnknownMpi(_)
            | Callee::Intrinsic(_)
            | Callee::External(_)
            | Callee::Variable(_) => return false,
        };
        for id in procedures {
            if let Some(result) = self.program.procedure(*id).result
                && self.program.variable(result).attributes.pointer
            {
                return true;
            }
        }
        false
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
        // The array may come from a module without source.
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
        let children = at.children();
        let word = match children.first() {
            Some(first) => first.kind().to_ascii_lowercase(),
            None => String::new(),
        };
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
        if let Some(first) = at.named().first()
            && is_assigned_variable(*first)
        {
            self.keep_whole(scope, at, "an assigned GOTO");
            let labels = self.assigned_labels(body.procedure);
            if labels.is_empty() {
                let span = at.statement_span();
                let sentence = format!("{}: no ASSIGN gives this GOTO a label", self.line(span));
                self.say(Severity::Error, span, sentence);
            }
            let selector = Some(self.name(scope, &first.name()));
            return StatementKind::Goto {
                labels,
                falls_through: false,
                selector,
            };
        }
        let mut selector = None;
        for child in at.named().into_iter().rev() {
            if !child.is("statement_label_reference") {
                selector = Some(self.expression(scope, child));
                break;
            }
        }
        // A computed GOTO falls through if its selector is out of range (F2018 11.2.3).
        let ends_with_list = match at.children().last() {
            Some(last) => last.is(")"),
            None => true,
        };
        StatementKind::Goto {
            labels: labels_in(at),
            falls_through: selector.is_some() && !ends_with_list,
            selector,
        }
    }

    /// The labels that ASSIGN statements of a procedure name.
    fn assigned_labels(&self, procedure: ProcedureId) -> Vec<u32> {
        let mut stack: Vec<At> = Vec::new();
        for unit in &self.units {
            if unit.kind == UnitKind::Procedure(procedure) {
                stack.clone_from(&unit.items);
                break;
            }
        }
        let mut labels = Vec::new();
        while let Some(at) = stack.pop() {
            if !at.is("assign_statement") {
                stack.extend(at.named());
                continue;
            }
            if let Some(label) = at.child("number_literal")
                && let Ok(label) = label.name().parse::<u32>()
            {
                labels.push(label);
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

    /// EXIT or CYCLE: the construct that it means.
    fn leave(
        &mut self,
        body: &Body,
        at: At<'a>,
        make: fn(StatementId) -> StatementKind,
        loops: bool,
    ) -> StatementKind {
        let name = at.child("identifier").map(|name| name.name());
        for construct in body.constructs.iter().rev() {
            // With a name EXIT leaves any construct (F2018 11.1.12), without one a loop.
            let is_meant = match &name {
                Some(name) => {
                    construct.name.as_ref() == Some(name) && (construct.is_loop || !loops)
                }
                None => construct.is_loop,
            };
            if is_meant {
                return make(construct.id);
            }
        }
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

/// Labels a node refers to.
pub fn labels_in(at: At) -> Vec<u32> {
    let mut labels = Vec::new();
    for label in at.all("statement_label_reference") {
        labels.extend(label.name().parse::<u32>());
    }
    labels
}

/// Whether the first child of a GOTO is the variable of an assigned GOTO (FORTRAN 77, 11.3).
fn is_assigned_variable(first: At) -> bool {
    match first.kind() {
        "identifier" => true,
        // Without a list of labels the variable's name is masked as a label for the parser.
        "statement_label_reference" => !first.name().starts_with(|c: char| c.is_ascii_digit()),
        _ => false,
    }
}
