//! A compact text of the IR, for tests to compare with. One statement a line, bodies indented; array
//! elements in `[]`, calls with the kind of who is called.

use crate::ir::{
    Callee, CaseValue, Dimension, Expression, InputOutput, IoUnit, Operator, ProcedureId, Program,
    StatementId, StatementKind, Storage, Subscript, Type, VariableId,
};
use std::fmt::Write;

/// All procedures with their statements.
pub fn procedures(program: &Program) -> String {
    let ids = (0..program.procedures.len()).map(|index| ProcedureId(index as u32));
    ids.map(|id| procedure(program, id)).collect()
}

/// A procedure with its statements.
pub fn procedure(program: &Program, id: ProcedureId) -> String {
    let procedure = program.procedure(id);
    let dummy = |dummy: &Option<VariableId>| {
        dummy.map_or("*".to_string(), |id| program.variable(id).name.clone())
    };
    let dummies: Vec<String> = procedure.dummies.iter().map(dummy).collect();
    let kind = format!("{:?}", procedure.kind).to_lowercase();
    let mut text = format!("{kind} {}({})", procedure.name, dummies.join(", "));
    if let Some(result) = procedure.result {
        let _ = write!(text, " -> {}", program.variable(result).name);
    }
    if let Some(host) = &procedure.host {
        let _ = write!(text, " in {host}");
    }
    text.push('\n');
    let mut dump = Dump { program, text };
    dump.list(&procedure.body, 1);
    dump.text
}

/// The variables of a procedure (or of modules), one a line: type, name, shape, storage.
pub fn variables(program: &Program, owner: Option<ProcedureId>) -> String {
    let own = program
        .variables
        .iter()
        .filter(|variable| variable.owner == owner);
    let dump = Dump {
        program,
        text: String::new(),
    };
    own.map(|variable| {
        let shape: Vec<String> = variable
            .shape
            .iter()
            .map(|dimension| dump.dimension(dimension))
            .collect();
        let shape = if shape.is_empty() {
            String::new()
        } else {
            format!("[{}]", shape.join(", "))
        };
        format!(
            "{} {}{shape} {}\n",
            of_type(&variable.of_type),
            variable.name,
            dump.storage(&variable.storage)
        )
    })
    .collect()
}

struct Dump<'p> {
    program: &'p Program,
    text: String,
}

impl Dump<'_> {
    fn list(&mut self, list: &[StatementId], depth: usize) {
        list.iter().for_each(|&id| self.statement(id, depth));
    }

    fn line(&mut self, depth: usize, text: String) {
        let _ = writeln!(self.text, "{}{text}", "  ".repeat(depth));
    }

    fn statement(&mut self, id: StatementId, depth: usize) {
        let program = self.program;
        let statement = program.statement(id);
        let label = statement
            .label
            .map_or(String::new(), |label| format!("{label}: "));
        let head = format!("{label}{}", self.head(&statement.kind));
        self.line(depth, head);
        match &statement.kind {
            StatementKind::If {
                branches,
                otherwise,
                ..
            } => {
                for (index, (condition, body)) in branches.iter().enumerate() {
                    if index > 0 {
                        self.line(depth, format!("else if {}", self.expression(condition)));
                    }
                    self.list(body, depth + 1);
                }
                if let Some(body) = otherwise {
                    self.line(depth, "else".to_string());
                    self.list(body, depth + 1);
                }
            }
            StatementKind::Select { cases, .. } => {
                for (values, body) in cases {
                    let values: Vec<String> =
                        values.iter().map(|value| self.case_value(value)).collect();
                    self.line(depth, format!("case {{{}}}", values.join(", ")));
                    self.list(body, depth + 1);
                }
            }
            kind => kind
                .bodies()
                .into_iter()
                .for_each(|body| self.list(body, depth + 1)),
        }
    }

    fn head(&self, kind: &StatementKind) -> String {
        match kind {
            StatementKind::Assign { target, value } => {
                format!("{} = {}", self.expression(target), self.expression(value))
            }
            StatementKind::Call { callee, arguments } => {
                let given = |one: &Option<Expression>| {
                    one.as_ref()
                        .map_or("*".to_string(), |one| self.expression(one))
                };
                let list: Vec<String> = arguments.iter().map(given).collect();
                format!("call {}({})", self.callee(callee), list.join(", "))
            }
            StatementKind::If {
                branches, logical, ..
            } => {
                let kind = if *logical { "logical if" } else { "if" };
                format!(
                    "{kind} {}",
                    branches
                        .first()
                        .map_or(String::new(), |(one, _)| self.expression(one))
                )
            }
            StatementKind::Do {
                variable,
                from,
                to,
                step,
                terminal,
                ..
            } => {
                let step = step
                    .as_ref()
                    .map_or(String::new(), |step| format!(", {}", self.expression(step)));
                let terminal = terminal.map_or(String::new(), |label| format!(" to {label}"));
                let (from, to) = (self.expression(from), self.expression(to));
                format!("do {} = {from}, {to}{step}{terminal}", self.name(*variable))
            }
            StatementKind::While {
                condition: Some(condition),
                ..
            } => {
                format!("while {}", self.expression(condition))
            }
            // DO without control: EXIT ends it.
            StatementKind::While {
                condition: None, ..
            } => "do".to_string(),
            StatementKind::Select { selector, .. } => {
                format!("select {}", self.expression(selector))
            }
            StatementKind::Scoped { reads, .. } => format!("scope reads {}", self.all(reads)),
            StatementKind::PointerAssignment { pointer, target } => {
                format!(
                    "{} => {}",
                    self.expression(pointer),
                    self.expression(target)
                )
            }
            StatementKind::Entry => "entry".to_string(),
            StatementKind::Goto {
                labels,
                selector,
                falls_through,
            } => {
                let by = selector
                    .as_ref()
                    .map_or(String::new(), |one| format!(" by {}", self.expression(one)));
                let next = if *falls_through { " or next" } else { "" };
                format!("goto {labels:?}{by}{next}")
            }
            StatementKind::Exit(id) => format!("exit #{}", id.0),
            StatementKind::Cycle(id) => format!("cycle #{}", id.0),
            StatementKind::Return => "return".to_string(),
            StatementKind::Stop => "stop".to_string(),
            StatementKind::Continue => "continue".to_string(),
            StatementKind::InputOutput(io) => self.input_output(io),
            StatementKind::Allocate {
                length,
                objects,
                status,
            } => {
                let length = length.as_ref().map_or(String::new(), |one| {
                    format!("length {} ", self.expression(one))
                });
                format!(
                    "allocate {length}{}{}",
                    self.all(objects),
                    self.status(status)
                )
            }
            StatementKind::Deallocate { objects, status } => {
                format!("deallocate {}{}", self.all(objects), self.status(status))
            }
            StatementKind::Opaque { reads, writes } => {
                format!(
                    "opaque reads {} writes {}",
                    self.all(reads),
                    self.all(writes)
                )
            }
        }
    }

    fn status(&self, status: &Option<Expression>) -> String {
        status.as_ref().map_or(String::new(), |status| {
            format!(" stat {}", self.expression(status))
        })
    }

    fn input_output(&self, io: &InputOutput) -> String {
        let unit = match &io.unit {
            IoUnit::Standard => "*".to_string(),
            IoUnit::Number(unit) => self.expression(unit),
            IoUnit::Internal(unit) => format!("internal {}", self.expression(unit)),
            IoUnit::None => "none".to_string(),
        };
        let operation = format!("{:?}", io.operation).to_lowercase();
        let jumps = if io.jumps.is_empty() {
            String::new()
        } else {
            format!(" jumps {:?}", io.jumps)
        };
        let reads: Vec<Expression> = io.file.iter().chain(&io.reads).cloned().collect();
        format!(
            "{operation} {unit} reads {} writes {}{jumps}",
            self.all(&reads),
            self.all(&io.writes)
        )
    }

    fn case_value(&self, value: &CaseValue) -> String {
        match value {
            CaseValue::One(value) => self.expression(value),
            CaseValue::Range { from, to } => {
                let bound = |bound: &Option<Expression>| {
                    bound
                        .as_ref()
                        .map_or(String::new(), |bound| self.expression(bound))
                };
                format!("{}:{}", bound(from), bound(to))
            }
            CaseValue::TypeOrRank => "?".into(),
        }
    }

    fn all(&self, list: &[Expression]) -> String {
        let list: Vec<String> = list.iter().map(|one| self.expression(one)).collect();
        format!("{{{}}}", list.join(", "))
    }

    fn name(&self, id: VariableId) -> &str {
        &self.program.variable(id).name
    }

    fn callee(&self, callee: &Callee) -> String {
        match callee {
            Callee::Procedure(id) => self.program.procedure(*id).name.clone(),
            Callee::Mpi(function) => function.name.to_string(),
            Callee::UnknownMpi(name) => format!("unknown-mpi {name}"),
            Callee::Intrinsic(name) => format!("intrinsic {name}"),
            Callee::External(name) => format!("external {name}"),
            Callee::OneOf(all) => {
                let names: Vec<&str> = all
                    .iter()
                    .map(|id| self.program.procedure(*id).name.as_str())
                    .collect();
                format!("one of {}", names.join("|"))
            }
            Callee::Variable(id) => format!("dummy {}", self.name(*id)),
        }
    }

    fn expression(&self, expression: &Expression) -> String {
        match expression {
            Expression::Integer(value) => value.to_string(),
            Expression::Literal(text) => text.clone(),
            Expression::Variable(id) => self.name(*id).to_string(),
            Expression::Reference {
                base,
                path,
                subscripts,
            } => {
                let path: String = path
                    .iter()
                    .map(|component| format!("%{component}"))
                    .collect();
                let list: Vec<String> = subscripts.iter().map(|one| self.subscript(one)).collect();
                format!("{}{path}[{}]", self.name(*base), list.join(", "))
            }
            Expression::Call { callee, arguments } => {
                let list: Vec<String> = arguments.iter().map(|one| self.expression(one)).collect();
                format!("{}({})", self.callee(callee), list.join(", "))
            }
            Expression::Unary { operator, operand } => {
                format!("({}{})", sign(*operator), self.expression(operand))
            }
            Expression::Binary {
                operator,
                left,
                right,
            } => {
                format!(
                    "({} {} {})",
                    self.expression(left),
                    sign(*operator),
                    self.expression(right)
                )
            }
            Expression::Other(list) => self.all(list),
        }
    }

    fn subscript(&self, subscript: &Subscript) -> String {
        let bound = |bound: &Option<Expression>| {
            bound
                .as_ref()
                .map_or(String::new(), |one| self.expression(one))
        };
        match subscript {
            Subscript::Element(one) => self.expression(one),
            Subscript::Section {
                lower,
                upper,
                stride: None,
            } => format!("{}:{}", bound(lower), bound(upper)),
            Subscript::Section {
                lower,
                upper,
                stride,
            } => {
                format!("{}:{}:{}", bound(lower), bound(upper), bound(stride))
            }
        }
    }

    fn dimension(&self, dimension: &Dimension) -> String {
        let lower = dimension
            .lower
            .as_ref()
            .map_or(String::new(), |one| format!("{}:", self.expression(one)));
        format!(
            "{lower}{}",
            dimension
                .upper
                .as_ref()
                .map_or("*".to_string(), |one| self.expression(one))
        )
    }

    fn storage(&self, storage: &Storage) -> String {
        let known =
            |number: &Option<u64>| number.map_or("?".to_string(), |number| number.to_string());
        match storage {
            Storage::Local => "local".to_string(),
            Storage::Static => "static".to_string(),
            Storage::Dummy(position) => format!("dummy {position}"),
            Storage::Common {
                block,
                offset,
                bytes,
            } => {
                format!("common /{block}/ {}+{}", known(offset), known(bytes))
            }
            Storage::Constant(Some(value)) => format!("constant {}", self.expression(value)),
            Storage::Constant(None) => "constant".to_string(),
            Storage::Module(name) => format!("module {name}"),
        }
    }
}

fn of_type(of_type: &Type) -> String {
    match of_type {
        Type::Integer(bytes) => format!("integer{bytes}"),
        Type::Real(bytes) => format!("real{bytes}"),
        Type::Complex(bytes) => format!("complex{bytes}"),
        Type::Logical(bytes) => format!("logical{bytes}"),
        Type::Character => "character".to_string(),
        Type::Derived(name) => format!("type {name}"),
        Type::Unknown => "unknown".to_string(),
    }
}

fn sign(operator: Operator) -> &'static str {
    match operator {
        Operator::Add | Operator::Plus => "+",
        Operator::Subtract | Operator::Negate => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::Power => "**",
        Operator::Concatenate => "//",
        Operator::Equal => "==",
        Operator::NotEqual => "/=",
        Operator::Less => "<",
        Operator::LessEqual => "<=",
        Operator::Greater => ">",
        Operator::GreaterEqual => ">=",
        Operator::And => "and",
        Operator::Or => "or",
        Operator::Not => "not ",
        Operator::Equivalent => "eqv",
        Operator::NotEquivalent => "neqv",
        Operator::Defined => "defined",
    }
}
