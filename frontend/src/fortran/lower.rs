//! From trees to the program: the state all steps share, and the order of the steps. Units are
//! found first (`units`), then names (`declarations`), then bodies (`statements`).

use super::bindings::Bound;
use super::files::Files;
use super::interfaces::Interfaces;
use super::known_names;
use super::names::{Entity, MpiNames, Scope, ScopeId};
use super::syntax::At;
use super::unit::Unit;
use crate::ir::source_map::SourceMap;
use crate::ir::{
    Attributes, Expression, Holder, ProcedureId, Program, StatementId, Storage, Type, Variable,
    VariableId,
};
use crate::source::diagnostics::{Diagnostic, Severity};
use crate::source::parse_statistics::Undeclared;
use crate::source::{Sources, Span};
use std::collections::{BTreeMap, BTreeSet};

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
    /// Submodules that were met.
    pub submodules: Vec<At<'a>>,
    /// Modules by name: index of their unit.
    pub modules: BTreeMap<String, usize>,
    /// Procedures that are not contained in others, by name.
    pub globals: BTreeMap<String, ProcedureId>,
    /// Procedures by their binding labels.
    pub labels: BTreeMap<String, ProcedureId>,
    /// MPI's constants that were used.
    pub mpi_constants: BTreeMap<String, VariableId>,
    /// What is bound to derived types, by [`Type::Derived`]'s name.
    pub bound: BTreeMap<String, Bound>,
    /// Names of bindings and of procedure components of all types.
    pub bound_names: BTreeSet<String>,
    /// Whether the program defines operators or assignments of its own.
    pub defines_operators: bool,
    /// Names of the dummies of ENTRY statements, in their order.
    pub entries: BTreeMap<(ProcedureId, String), Vec<String>>,
    /// Procedure pointers.
    pub procedure_pointers: Vec<VariableId>,
    /// What is known of procedure pointers and of interfaces.
    pub interfaces: Interfaces,
    /// `pointer => target` in declarations.
    pub starts: Vec<(ScopeId, Holder, At<'a>)>,
    /// Names without declaration under IMPLICIT NONE, and where they were met.
    pub undeclared: Vec<(String, Option<ProcedureId>)>,
    /// The same, as they were reported.
    pub undeclared_places: Vec<Undeclared>,
    /// Constructs with names of their own, and their scopes.
    pub own_scopes: Vec<(StatementId, ScopeId)>,
    /// Calls of MPI with another number of arguments than they have, by what is to be said of them.
    pub miscounted: BTreeMap<String, Vec<Span>>,
}

impl<'a> Lowering<'a> {
    /// Nothing built yet; `map` has the places of the rows.
    pub fn new(sources: &'a Sources, files: &'a Files, map: SourceMap) -> Lowering<'a> {
        Lowering {
            sources,
            files,
            program: Program::default(),
            map,
            diagnostics: Vec::new(),
            scopes: Vec::new(),
            units: Vec::new(),
            submodules: Vec::new(),
            modules: BTreeMap::new(),
            globals: BTreeMap::new(),
            labels: BTreeMap::new(),
            mpi_constants: BTreeMap::new(),
            bound: BTreeMap::new(),
            bound_names: BTreeSet::new(),
            defines_operators: false,
            entries: BTreeMap::new(),
            procedure_pointers: Vec::new(),
            interfaces: Interfaces::default(),
            starts: Vec::new(),
            undeclared: Vec::new(),
            own_scopes: Vec::new(),
            undeclared_places: Vec::new(),
            miscounted: BTreeMap::new(),
        }
    }

    /// `path:line` of a span, for sentences.
    pub fn line(&self, span: Span) -> String {
        let place = self.map.place(span.file, span.start);
        format!("{}:{}", self.sources.file(place.file).path, place.line)
    }

    /// Text of the line a span begins in, cut to a readable length.
    pub fn line_text(&self, span: Span) -> String {
        let text = &self.sources.file(span.file).text;
        let row = self.map.row(span.file, span.start);
        let start = self.map.row_start(self.sources, span.file, row) as usize;
        let line = text[start..]
            .split(|&byte| byte == b'\n')
            .next()
            .unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let printable = line
            .trim()
            .chars()
            .map(|c| if c.is_control() { '?' } else { c });
        printable.take(60).collect()
    }

    /// Adds a remark.
    pub fn say(&mut self, severity: Severity, span: Span, sentence: impl Into<String>) {
        self.diagnostics.push(Diagnostic {
            severity,
            span: Some(span),
            sentence: sentence.into(),
        });
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
        // The MPI module and its include file need no source: their constants are known by name.
        if self.scope(scope).mpi > MpiNames::Unknown && name.starts_with("mpi_") {
            return Some(Entity::Variable(self.mpi_constant(name)));
        }
        None
    }

    fn mpi_constant(&mut self, name: &str) -> VariableId {
        if let Some(&known) = self.mpi_constants.get(name) {
            return known;
        }
        let value = known_names::mpi_constant(name).map(Expression::Integer);
        let id = self.add_constant(name, value);
        self.program.variables[id.0 as usize].attributes.of_mpi = true;
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
            length: None,
            storage: Storage::Constant(value),
            attributes: Attributes::default(),
        })
    }
}
