//! Digests of blocks and call sites: of the statements in normalised form, of all procedures they
//! reach, and of the declared types of the names in both. Values of PARAMETERs and shapes are left
//! out: they are inputs of a block's variant, so that one program built for two problem classes has
//! equal keys.

use crate::graphs::call_graph;
use crate::ir::canonical_text::{callee_name, spell};
use crate::ir::references;
use crate::ir::source_map::SourceMap;
use crate::ir::statement_tree;
use crate::ir::{
    CaseValue, Expression, ProcedureId, Program, StatementId, StatementKind, Type, VariableId,
};
use crate::source::{Form, Sources};
use base_data::Digest;
use std::collections::{BTreeMap, BTreeSet};

/// Makes digests of one program's statements.
pub(crate) struct Digests<'a> {
    program: &'a Program,
    map: &'a SourceMap,
    sources: &'a Sources,
    /// Whom each procedure calls itself; index = procedure id.
    callees: Vec<Vec<ProcedureId>>,
    bodies: BTreeMap<ProcedureId, String>,
}

impl<'a> Digests<'a> {
    /// For the statements of a program; `pairs` is its call graph.
    pub(crate) fn new(
        program: &'a Program,
        map: &'a SourceMap,
        sources: &'a Sources,
        pairs: &[(ProcedureId, ProcedureId)],
    ) -> Self {
        let mut callees = vec![Vec::new(); program.procedures.len()];
        pairs
            .iter()
            .for_each(|&(caller, callee)| callees[caller.0 as usize].push(callee));
        let mut digests = Digests {
            program,
            map,
            sources,
            callees,
            bodies: BTreeMap::new(),
        };
        for p in (0..program.procedures.len() as u32).map(ProcedureId) {
            let text = digests.procedure(p);
            digests.bodies.insert(p, text);
        }
        digests
    }

    /// The digest of consecutive statements with what they enclose and call.
    pub(crate) fn of(&self, statements: &[StatementId]) -> Digest {
        let text = self.statements(statements);
        let mut parts = vec![text.as_bytes()];
        for called in self.reached_from(statements) {
            parts.push(self.bodies[&called].as_bytes());
        }
        Digest::of_parts(parts)
    }

    /// The digest of what a statement evaluates itself: of what has no blocks of its own that is what is PURE.
    pub(crate) fn of_evaluated(&self, statement: StatementId) -> Digest {
        let mut text = self.own_text(statement);
        text.push_str(&self.types(&[statement]));
        let mut parts = vec![text.as_bytes()];
        for called in self.reached(&[statement]) {
            if self.program.procedure(called).is_pure {
                parts.push(self.bodies[&called].as_bytes());
            }
        }
        Digest::of_parts(parts)
    }

    /// The digest of a statement's own text.
    pub(crate) fn of_text(&self, statement: StatementId) -> Digest {
        Digest::of(self.own_text(statement).as_bytes())
    }

    /// Procedures in order of their names, since their order in the files does not matter.
    fn reached_from(&self, statements: &[StatementId]) -> Vec<ProcedureId> {
        let all: Vec<StatementId> = statements
            .iter()
            .flat_map(|&id| statement_tree::subtree(self.program, id))
            .collect();
        self.reached(&all)
    }

    /// The same of what some statements call themselves.
    fn reached(&self, all: &[StatementId]) -> Vec<ProcedureId> {
        let mut open: Vec<ProcedureId> = Vec::new();
        for &id in all {
            for call in call_graph::calls(&self.program.statement(id).kind) {
                open.extend(call.callee.procedures());
            }
        }
        let mut found = BTreeSet::new();
        while let Some(procedure) = open.pop() {
            if found.insert(procedure) {
                open.extend(&self.callees[procedure.0 as usize]);
            }
        }
        let mut found: Vec<ProcedureId> = found.into_iter().collect();
        found.sort_by_key(|&p| {
            (
                &self.program.procedure(p).host,
                &self.program.procedure(p).name,
            )
        });
        found
    }

    fn procedure(&self, id: ProcedureId) -> String {
        let procedure = self.program.procedure(id);
        let dummy =
            |v: &Option<VariableId>| v.map_or("*", |v| self.program.variable(v).name.as_str());
        let dummies: Vec<&str> = procedure.dummies.iter().map(dummy).collect();
        format!(
            "{}({})\n{}",
            procedure.name,
            dummies.join(","),
            self.statements(&procedure.body)
        )
    }

    /// Text and types of a list of statements.
    fn statements(&self, list: &[StatementId]) -> String {
        let mut text = String::new();
        self.list(list, &mut text);
        let all: Vec<StatementId> = list
            .iter()
            .flat_map(|&id| statement_tree::subtree(self.program, id))
            .collect();
        text.push_str(&self.types(&all));
        text
    }

    /// Types of what some statements name themselves.
    fn types(&self, all: &[StatementId]) -> String {
        let mut types: BTreeSet<String> = BTreeSet::new();
        for &id in all {
            let kind = &self.program.statement(id).kind;
            let names = references::expressions(kind)
                .into_iter()
                .flat_map(references::variables);
            types.extend(
                names
                    .chain(statement_tree::do_variable(kind))
                    .map(|v| self.declared(v)),
            );
        }
        types.into_iter().collect()
    }

    fn declared(&self, variable: VariableId) -> String {
        let variable = self.program.variable(variable);
        let of_type = match &variable.of_type {
            Type::Integer(bytes) => format!("integer*{bytes}"),
            Type::Real(bytes) => format!("real*{bytes}"),
            Type::Complex(bytes) => format!("complex*{bytes}"),
            Type::Logical(bytes) => format!("logical*{bytes}"),
            Type::Character => "character".into(),
            Type::Derived(name) => format!("type({name})"),
            Type::Unknown => "?".into(),
        };
        format!("{of_type} {}/{}\n", variable.name, variable.shape.len())
    }

    fn list(&self, list: &[StatementId], text: &mut String) {
        for &id in list {
            if let Some(label) = self.program.statement(id).label {
                text.push_str(&format!("{label} "));
            }
            text.push_str(&self.own_text(id));
            text.push('\n');
            for body in self.program.statement(id).kind.bodies() {
                text.push_str("{\n");
                self.list(body, text);
                text.push_str("}\n");
            }
        }
    }

    /// A statement without what it encloses.
    fn own_text(&self, id: StatementId) -> String {
        let kind = &self.program.statement(id).kind;
        let spelled: Vec<String> = references::expressions(kind)
            .into_iter()
            .map(|e| spell(self.program, e))
            .collect();
        let operands = spelled.join(",");
        match kind {
            StatementKind::Assign { .. } => format!("let {operands}"),
            StatementKind::Call { callee, arguments } => {
                // What is left out counts: the same may be given for another dummy.
                let given = |one: &Option<Expression>| match one {
                    Some(one) => spell(self.program, one),
                    None => spell(self.program, &Expression::Other(Vec::new())),
                };
                let given: Vec<String> = arguments.iter().map(given).collect();
                format!(
                    "call {}({})",
                    callee_name(self.program, callee),
                    given.join(",")
                )
            }
            StatementKind::If { otherwise, .. } => format!("if {operands} {}", otherwise.is_some()),
            StatementKind::Do { variable, .. } => {
                format!("do {}={operands}", self.program.variable(*variable).name)
            }
            StatementKind::While { .. } => format!("while {operands}"),
            StatementKind::Select { cases, .. } => {
                let cases: Vec<String> = cases.iter().map(|(values, _)| forms(values)).collect();
                format!("select {operands} {}", cases.join(","))
            }
            StatementKind::Scoped { .. } => format!("scope {operands}"),
            StatementKind::Goto { labels, .. } => format!("goto {labels:?} {operands}"),
            StatementKind::Exit(_) => "exit".into(),
            StatementKind::Cycle(_) => "cycle".into(),
            StatementKind::Return => "return".into(),
            StatementKind::Stop => "stop".into(),
            StatementKind::Continue => "continue".into(),
            StatementKind::Allocate { .. } => format!("allocate {operands}"),
            StatementKind::Deallocate { .. } => format!("deallocate {operands}"),
            // Their meaning holds less than their text.
            StatementKind::InputOutput(_)
            | StatementKind::Opaque { .. }
            | StatementKind::PointerAssignment { .. }
            | StatementKind::Entry => self.source_text(id),
        }
    }

    fn source_text(&self, id: StatementId) -> String {
        let Some(place) = self.map.statements.get(id.0 as usize) else {
            return String::new();
        };
        normalised(
            self.sources.text(place.whole),
            self.sources.file(place.whole.file).form,
        )
    }
}

/// Source text in lower case without blanks, comments and continuation marks; text in quotes as it is.
pub(crate) fn normalised(text: &[u8], form: Form) -> String {
    let mut out = String::new();
    let mut quote = None;
    for (number, line) in text.split(|&byte| byte == b'\n').enumerate() {
        let line = match form {
            // The first line begins with the statement, behind label and column 6.
            Form::Fixed if number > 0 => match line.first() {
                Some(b'c' | b'C' | b'*' | b'd' | b'D' | b'!') => continue,
                _ => line.get(6..).unwrap_or_default(),
            },
            Form::Fixed | Form::Free => line,
        };
        normalise_line(line, form, &mut quote, &mut out);
    }
    out
}

fn normalise_line(line: &[u8], form: Form, quote: &mut Option<u8>, out: &mut String) {
    for &byte in line {
        match (*quote, byte) {
            (Some(open), _) => {
                out.push(byte as char);
                if byte == open {
                    *quote = None;
                }
            }
            (None, b'!') => return,
            (None, b'&') if form == Form::Free => {}
            (None, b'\'' | b'"') => {
                *quote = Some(byte);
                out.push(byte as char);
            }
            (None, _) if byte.is_ascii_whitespace() => {}
            (None, _) => out.push(byte.to_ascii_lowercase() as char),
        }
    }
}

/// How many values a case has, and where ranges among them have bounds: what the expressions alone do not show.
fn forms(values: &[CaseValue]) -> String {
    let mut text = values.len().to_string();
    for value in values {
        if let CaseValue::Range { from, to } = value {
            text += if from.is_some() { "f" } else { "" };
            text += ":";
            text += if to.is_some() { "t" } else { "" };
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_does_not_matter() {
        let fixed = normalised(
            b"WRITE (*,*)  'A b',\n     >   X ! more\nc note\n     >  , y",
            Form::Fixed,
        );
        assert_eq!(fixed, "write(*,*)'A b',x,y");
        assert_eq!(
            normalised(b"write(*,*) 'A b', & ! note\n  & X, y", Form::Free),
            fixed
        );
    }
}
