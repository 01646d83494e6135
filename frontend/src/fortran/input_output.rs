//! READ, WRITE, PRINT, OPEN, CLOSE, INQUIRE, REWIND and their like; ALLOCATE and DEALLOCATE, which
//! have the same form.

use super::arguments::keyword_of;
use super::bindings::one_of;
use super::lower::Lowering;
use super::names::{Entity, ScopeId};
use super::shared_files;
use super::syntax::At;
use super::value_types::type_of;
use crate::ir::{Expression, InputOutput, IoOperation, IoUnit, StatementKind, Type};

/// Keywords whose variable is defined by any statement.
const DEFINED: [&str; 5] = ["iostat", "iomsg", "size", "id", "newunit"];

impl<'a> Lowering<'a> {
    /// An input/output statement.
    pub fn input_output(&mut self, scope: ScopeId, at: At<'a>) -> StatementKind {
        let Some(operation) = operation(at) else {
            // PAUSE waits for a person: nothing is read or written.
            return StatementKind::Opaque {
                reads: Vec::new(),
                writes: Vec::new(),
            };
        };
        let unit = if at.is("print_statement") || at.child("(").is_none() && at.is("read_statement")
        {
            IoUnit::Standard
        } else {
            IoUnit::None
        };
        let shared = shared_files::shared(operation, at);
        let mut io = InputOutput {
            operation,
            unit,
            file: None,
            format: None,
            reads: Vec::new(),
            writes: Vec::new(),
            jumps: Vec::new(),
            opened: None,
            shared,
        };
        for part in at.named() {
            self.io_part(scope, part, &mut io);
        }
        // `READ (f), x` has a format in its parentheses, which the grammar takes for an internal
        // file.
        if reads_by_format(at, &io)
            && let IoUnit::Internal(format) = std::mem::replace(&mut io.unit, IoUnit::Standard)
        {
            io.reads.push(format);
        }
        self.defined_transfers(scope, &mut io);
        StatementKind::InputOutput(io)
    }

    /// Items whose types, or those of their parts, say how they are read or written: their procedures are called.
    fn defined_transfers(&mut self, scope: ScopeId, io: &mut InputOutput) {
        let names = match io.operation {
            IoOperation::Read => ["read(formatted)", "read(unformatted)"],
            IoOperation::Write => ["write(formatted)", "write(unformatted)"],
            IoOperation::Open
            | IoOperation::Close
            | IoOperation::Position
            | IoOperation::Inquire => return,
        };
        if !names
            .iter()
            .any(|one| self.bound_names.contains(*one) || self.lookup(scope, one).is_some())
        {
            return;
        }
        let items: Vec<Expression> = io.reads.iter().chain(&io.writes).cloned().collect();
        for item in items {
            let of_type = type_of(&self.program, &item);
            let types = self.program.types_within(&of_type);
            let objects: Vec<Type> = types
                .iter()
                .map(|one| Type::Derived(one.name.clone()))
                .collect();
            let procedures = self.transfers(scope, &names, &objects);
            if !procedures.is_empty() {
                io.reads.push(Expression::Call {
                    callee: one_of(procedures),
                    arguments: vec![item],
                });
            }
        }
    }

    fn io_part(&mut self, scope: ScopeId, part: At<'a>, io: &mut InputOutput) {
        match part.kind() {
            "unit_identifier" => io.unit = self.unit(scope, part),
            "format_identifier" => self.format(scope, part, io),
            "keyword_argument" => self.io_keyword(scope, part, io),
            "input_item_list" => part
                .named()
                .into_iter()
                .for_each(|item| self.input_item(scope, item, io)),
            "output_item_list" => part
                .named()
                .into_iter()
                .for_each(|item| self.output_item(scope, item, io)),
            _ => {}
        }
    }

    fn unit(&mut self, scope: ScopeId, at: At<'a>) -> IoUnit {
        match at.named().last() {
            Some(&node) => self.unit_of(scope, node),
            None => IoUnit::Standard,
        }
    }

    fn unit_of(&mut self, scope: ScopeId, node: At<'a>) -> IoUnit {
        if node.name() == "*" {
            return IoUnit::Standard;
        }
        let expression = self.expression(scope, node);
        if node.has_masked_sign() {
            return IoUnit::Number(Expression::Other(vec![expression]));
        }
        match type_of(&self.program, &expression) {
            Type::Character => IoUnit::Internal(expression),
            Type::Integer(_)
            | Type::Real(_)
            | Type::Complex(_)
            | Type::Logical(_)
            | Type::Derived(_)
            | Type::Unknown => IoUnit::Number(expression),
        }
    }

    /// A format: a label or text decides nothing, a variable is read, a NAMELIST is all its members.
    fn format(&mut self, scope: ScopeId, at: At<'a>, io: &mut InputOutput) {
        for node in at.named() {
            if node.is("string_literal") {
                io.format = Some(node.literal());
            }
            if node.is("identifier") {
                self.group_or_variable(scope, &node.name(), node, io);
            } else if !node.is("statement_label_reference") && !node.is("string_literal") {
                io.reads.push(self.expression(scope, node));
            }
        }
    }

    fn group_or_variable(
        &mut self,
        scope: ScopeId,
        name: &str,
        node: At<'a>,
        io: &mut InputOutput,
    ) {
        match self.lookup(scope, name) {
            Some(Entity::Namelist(members)) => {
                for member in members {
                    let Entity::Variable(id) = self.entity(scope, &member) else {
                        continue;
                    };
                    let list = if io.operation == IoOperation::Read {
                        &mut io.writes
                    } else {
                        &mut io.reads
                    };
                    list.push(Expression::Variable(id));
                }
            }
            _ => io.reads.push(self.expression(scope, node)),
        }
    }

    fn io_keyword(&mut self, scope: ScopeId, at: At<'a>, io: &mut InputOutput) {
        let (Some(keyword), Some(value)) = (keyword_of(at), at.field("value")) else {
            return;
        };
        match keyword.as_str() {
            "unit" => io.unit = self.unit_of(scope, value),
            "err" | "end" | "eor" => io.jumps.extend(value.name().parse::<u32>()),
            "fmt" if value.is("number_literal") || value.is("assumed_size") => {}
            "fmt" if value.is("string_literal") => io.format = Some(value.literal()),
            "fmt" | "nml" if value.is("identifier") => {
                self.group_or_variable(scope, &value.name(), value, io)
            }
            "newunit" => {
                let unit = self.expression(scope, value);
                io.unit = IoUnit::Number(unit.clone());
                io.writes.push(unit);
            }
            word if DEFINED.contains(&word)
                || (io.operation == IoOperation::Inquire && word != "file") =>
            {
                let target = self.target(scope, value);
                if word == "opened" {
                    io.opened = Some(target.clone());
                }
                io.writes.push(target);
            }
            "file" => io.file = Some(self.expression(scope, value)),
            _ => io.reads.push(self.expression(scope, value)),
        }
    }

    fn input_item(&mut self, scope: ScopeId, at: At<'a>, io: &mut InputOutput) {
        if at.is("implied_do_loop_expression") {
            self.implied_do(scope, at, io, Self::input_item);
        } else {
            io.writes.push(self.target(scope, at));
        }
    }

    fn output_item(&mut self, scope: ScopeId, at: At<'a>, io: &mut InputOutput) {
        if at.is("implied_do_loop_expression") {
            self.implied_do(scope, at, io, Self::output_item);
        } else {
            // INQUIRE (IOLENGTH=…) has an output list too: its items are not evaluated.
            io.reads.push(self.expression(scope, at));
        }
    }

    fn implied_do(
        &mut self,
        scope: ScopeId,
        at: At<'a>,
        io: &mut InputOutput,
        item: fn(&mut Self, ScopeId, At<'a>, &mut InputOutput),
    ) {
        for child in at.named() {
            if !child.is("loop_control_expression") {
                item(self, scope, child, io);
                continue;
            }
            for (index, part) in child.named().into_iter().enumerate() {
                if index == 0 {
                    io.writes.push(self.target(scope, part));
                } else {
                    io.reads.push(self.expression(scope, part));
                }
            }
        }
    }

    /// ALLOCATE. With SOURCE= it also copies, so that it is kept whole.
    pub fn allocate(&mut self, scope: ScopeId, at: At<'a>) -> StatementKind {
        let objects: Vec<Expression> = at
            .fields("allocation")
            .into_iter()
            .map(|node| self.expression(scope, node))
            .collect();
        let of_type = at
            .field("type")
            .filter(|of_type| of_type.is("intrinsic_type"));
        let length = of_type.and_then(|of_type| self.declared_type(scope, of_type).1);
        let (status, others) = self.status(scope, at);
        match others.is_empty() {
            true => StatementKind::Allocate {
                length,
                objects,
                status,
            },
            false => StatementKind::Opaque {
                reads: others.into_iter().chain(length).collect(),
                writes: objects.into_iter().chain(status).collect(),
            },
        }
    }

    /// DEALLOCATE, NULLIFY.
    pub fn deallocate(&mut self, scope: ScopeId, at: At<'a>) -> StatementKind {
        let nodes = at
            .named()
            .into_iter()
            .filter(|node| !node.is("keyword_argument"));
        let objects = nodes.map(|node| self.expression(scope, node)).collect();
        let (status, _) = self.status(scope, at);
        StatementKind::Deallocate { objects, status }
    }

    /// STAT= and other keyword arguments but ERRMSG=.
    fn status(&mut self, scope: ScopeId, at: At<'a>) -> (Option<Expression>, Vec<Expression>) {
        let mut status = None;
        let mut others = Vec::new();
        for argument in at.all("keyword_argument") {
            let Some(value) = argument.field("value") else {
                continue;
            };
            match keyword_of(argument).as_deref() {
                Some("stat") => status = Some(self.target(scope, value)),
                // It receives a text only if the statement fails, and then the run ends or STAT=
                // decides.
                Some("errmsg") => {}
                _ => others.push(self.expression(scope, value)),
            }
        }
        (status, others)
    }
}

/// Whether a READ such as `READ (f), x` has a format in its parentheses, and no unit: `f` is text, and a comma follows.
fn reads_by_format(at: At, io: &InputOutput) -> bool {
    let is_alone = at
        .named()
        .iter()
        .all(|part| part.is("unit_identifier") || part.is("input_item_list"));
    let follows_comma = at
        .child("input_item_list")
        .is_some_and(|items| items.has_masked_comma());
    let is_text = matches!(io.unit, IoUnit::Internal(_));
    io.operation == IoOperation::Read && is_alone && follows_comma && is_text
}

fn operation(at: At) -> Option<IoOperation> {
    match at.kind() {
        "read_statement" => Some(IoOperation::Read),
        "write_statement" | "print_statement" => Some(IoOperation::Write),
        "open_statement" => Some(IoOperation::Open),
        "close_statement" => Some(IoOperation::Close),
        "inquire_statement" => Some(IoOperation::Inquire),
        _ if at.name().starts_with("pause") => None,
        _ => Some(IoOperation::Position),
    }
}
