//! From trees to the program: the state all steps share, and the order of the steps. Units are
//! found first (`units`), then names (`declarations`), then bodies (`statements`).

use super::files::{Files, Included};
use super::known_names;
use super::names::{Entity, Scope, ScopeId};
use super::syntax::At;
use super::units::Unit;
use crate::diagnostics::{Diagnostic, Severity};
use crate::ir::{Expression, ProcedureId, Program, Storage, Type, Variable, VariableId};
use crate::source::{FileId, IncludeId, Sources, Span};
use crate::source_map::{Include, SourceMap};
use std::collections::{BTreeMap, BTreeSet};

/// Most INCLUDE lines that are followed in a program: files that include others twice, and these
/// others again, grow without end.
const MOST_INCLUDES: usize = 20_000;

/// Everything that is being built.
pub struct Lowering<'a> {
    /// Their paths, and which are the user's own.
    pub sources: &'a Sources,
    /// The files.
    pub files: &'a Files,
    /// Meaning.
    pub program: Program,
    /// Positions.
    pub map: SourceMap,
    /// Remarks.
    pub diagnostics: Vec<Diagnostic>,
    /// Scopes by id.
    pub scopes: Vec<Scope<'a>>,
    /// Units in source order.
    pub units: Vec<Unit<'a>>,
    /// Modules by name: index of their unit.
    pub modules: BTreeMap<String, usize>,
    /// Procedures that are not contained in others, by name.
    pub globals: BTreeMap<String, ProcedureId>,
    /// Lengths of CHARACTER variables, where known; index = variable id.
    pub lengths: Vec<Option<u64>>,
    /// MPI's constants that were used.
    mpi_constants: BTreeMap<String, VariableId>,
    /// Names of type-bound procedures.
    pub bound: BTreeSet<String>,
    /// Procedure pointers.
    pub procedure_pointers: Vec<VariableId>,
    /// Names without declaration under IMPLICIT NONE, and where they were met.
    pub undeclared: Vec<(String, Option<ProcedureId>)>,
}

impl<'a> Lowering<'a> {
    /// Nothing built yet.
    pub fn new(sources: &'a Sources, files: &'a Files) -> Lowering<'a> {
        Lowering {
            sources,
            files,
            program: Program::default(),
            map: positions(files),
            diagnostics: Vec::new(),
            scopes: Vec::new(),
            units: Vec::new(),
            modules: BTreeMap::new(),
            globals: BTreeMap::new(),
            lengths: Vec::new(),
            mpi_constants: BTreeMap::new(),
            bound: BTreeSet::new(),
            procedure_pointers: Vec::new(),
            undeclared: Vec::new(),
        }
    }

    /// `path:line` of a span, for sentences.
    pub fn line(&self, span: Span) -> String {
        format!("{}:{}", self.sources.file(span.file).path, self.map.line(span.file, span.start))
    }

    /// Text of the line a span begins in, cut to a readable length.
    pub fn line_text(&self, span: Span) -> String {
        let text = &self.sources.file(span.file).text;
        let line = self.map.line(span.file, span.start);
        let start = self.map.line_start(self.sources, span.file, line) as usize;
        let line = text[start..].split(|&byte| byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let printable = line.trim().chars().map(|c| if c.is_control() { '?' } else { c });
        printable.take(60).collect()
    }

    /// Adds a remark.
    pub fn say(&mut self, severity: Severity, span: Span, sentence: impl Into<String>) {
        self.diagnostics.push(Diagnostic { severity, span: Some(span), sentence: sentence.into() });
    }

    /// A scope.
    pub fn scope(&self, id: ScopeId) -> &Scope<'a> {
        &self.scopes[id.0]
    }

    /// Adds a scope.
    pub fn add_scope(&mut self, scope: Scope<'a>) -> ScopeId {
        self.scopes.push(scope);
        ScopeId(self.scopes.len() - 1)
    }

    /// Adds a variable.
    pub fn add_variable(&mut self, variable: Variable) -> VariableId {
        self.program.variables.push(variable);
        self.lengths.push(None);
        VariableId(self.program.variables.len() as u32 - 1)
    }

    /// What a name stands for in a scope or one around it.
    pub fn lookup(&mut self, scope: ScopeId, name: &str) -> Option<Entity<'a>> {
        let mut at = Some(scope);
        while let Some(id) = at {
            if let Some(entity) = self.scope(id).names.get(name) {
                return Some(entity.clone());
            }
            at = self.scope(id).host;
        }
        let mpi = self.scope(scope).mpi && name.starts_with("mpi_");
        mpi.then(|| Entity::Variable(self.mpi_constant(name)))
    }

    fn mpi_constant(&mut self, name: &str) -> VariableId {
        if let Some(&known) = self.mpi_constants.get(name) {
            return known;
        }
        let value = known_names::mpi_constant(name).map(Expression::Integer);
        let id = self.add_constant(name, value);
        self.mpi_constants.insert(name.to_string(), id);
        id
    }

    /// Adds a named constant of type INTEGER that belongs to no unit.
    pub fn add_constant(&mut self, name: &str, value: Option<Expression>) -> VariableId {
        self.add_variable(Variable {
            name: name.to_string(),
            owner: None,
            of_type: Type::Integer(4),
            shape: Vec::new(),
            storage: Storage::Constant(value),
        })
    }

    /// Children of a node with INCLUDE lines replaced by what they bring.
    pub fn flatten(&mut self, nodes: Vec<At<'a>>) -> Vec<At<'a>> {
        let mut flat = Vec::new();
        self.flatten_into(nodes, &mut Vec::new(), &mut flat);
        flat
    }

    /// `open` are the files that are being included around these nodes.
    fn flatten_into(&mut self, nodes: Vec<At<'a>>, open: &mut Vec<FileId>, flat: &mut Vec<At<'a>>) {
        for node in nodes {
            let included = node.is("include_statement").then(|| self.files.included(node));
            let Some(Included::File(file)) = included else {
                flat.push(node);
                continue;
            };
            if open.contains(&file) || node.parsed.file == file || self.map.includes.len() >= MOST_INCLUDES {
                self.refuse_include(node);
                continue;
            }
            self.map.includes.push(Include { line: node.statement_span(), file });
            let include = IncludeId(self.map.includes.len() as u32 - 1);
            let children = self.files.parsed(file).root(include).children();
            open.push(file);
            self.flatten_into(children, open, flat);
            open.pop();
        }
    }

    fn refuse_include(&mut self, node: At<'a>) {
        let span = node.statement_span();
        let sentence = format!(
            "{}: this INCLUDE line is not followed: files include each other without end",
            self.line(span)
        );
        if !self.diagnostics.iter().any(|said| said.sentence == sentence) {
            self.say(Severity::Error, span, sentence);
        }
    }
}

/// Line starts and moved ranges of all files.
fn positions(files: &Files) -> SourceMap {
    let mut map = SourceMap::default();
    for parsed in &files.parsed {
        let newlines = parsed.original.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        map.line_starts.push([0].into_iter().chain(newlines.map(|(at, _)| at as u32 + 1)).collect());
        map.moved.extend(
            parsed.copy.moved().into_iter().map(|(from, to, length)| (parsed.file, from, to, length)),
        );
    }
    map
}
