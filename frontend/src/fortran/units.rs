//! Program units: found, given ids in source order, and their statements listed.

use super::lower::Lowering;
use super::names::{Entity, Scope, ScopeId};
use super::syntax::{At, Parsed};
use crate::ir::source_map::ProcedurePlace;
use crate::ir::{Procedure, ProcedureId, ProcedureKind};
use crate::source::Span;
use crate::source::diagnostics::Severity;
use std::collections::BTreeMap;

/// Share of a file's bytes, in 1/1000, that the parser may not place in a file that is called Fortran.
const HOPELESS: u32 = 500;

/// What a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitKind {
    /// Main program, subroutine or function.
    Procedure(ProcedureId),
    /// Module.
    Module,
    /// BLOCK DATA.
    BlockData,
}

/// A unit.
pub struct Unit<'a> {
    /// What it is.
    pub kind: UnitKind,
    /// Its name, lower case.
    pub name: String,
    /// Its first statement, where it has one.
    pub header: Option<At<'a>>,
    /// Its statements, INCLUDE lines followed.
    pub items: Vec<At<'a>>,
    /// Its scope.
    pub scope: ScopeId,
    /// How far its names are known.
    pub state: Declared,
}

/// How far a unit's declarations are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declared {
    /// Not yet.
    No,
    /// Being read: a module that uses itself comes here.
    Now,
    /// All read.
    Yes,
}

/// Unit around the one that is being found.
#[derive(Clone)]
struct Host {
    scope: ScopeId,
    name: String,
    /// The module whose interfaces may announce what is contained here.
    module: Option<ScopeId>,
}

impl<'a> Lowering<'a> {
    /// Finds all units of the user's own files.
    pub fn find_units(&mut self) {
        let files = self.files;
        for parsed in &files.parsed {
            let before = self.units.len();
            let own = !self.sources.file(parsed.file).included;
            if own {
                let items = parsed.root().children();
                items
                    .into_iter()
                    .for_each(|item| self.find_unit(item, None));
            }
            let found = self.units.len() > before;
            self.check_file(parsed, own, found);
        }
    }

    /// Says what is wrong with a file as a whole. A file of the user's own without any unit is not Fortran, or
    /// no whole unit.
    fn check_file(&mut self, parsed: &Parsed, own: bool, found: bool) {
        let at = parsed
            .broken
            .or((own && !found && !parsed.pieces.is_empty()).then_some(0));
        let Some(at) = at else { return };
        let end = (at + 1).min(parsed.original.len() as u32);
        let span = Span {
            file: parsed.file,
            start: at.min(end),
            end,
        };
        let (line, text) = (self.line(span), self.line_text(span));
        let sentence = if parsed.broken.is_none() {
            "found no program unit, expected PROGRAM, SUBROUTINE, FUNCTION or MODULE: is this the right file?"
                .to_string()
        } else if (own && !found) || parsed.unread > HOPELESS {
            format!("not Fortran: found '{text}', expected a program unit: is this the right file?")
        } else {
            format!(
                "the statements from here on could not be read, found '{text}': is a construct not closed?"
            )
        };
        self.say(Severity::Error, span, format!("{line}: {sentence}"));
    }

    fn find_unit(&mut self, at: At<'a>, host: Option<Host>) {
        match at.kind() {
            "program" => self.find_procedure(at, "program_statement", ProcedureKind::Main, host),
            "subroutine" => {
                self.find_procedure(at, "subroutine_statement", ProcedureKind::Subroutine, host)
            }
            "function" => {
                self.find_procedure(at, "function_statement", ProcedureKind::Function, host)
            }
            "module" => self.find_other(at, "module_statement", UnitKind::Module),
            "block_data" => self.find_other(at, "block_data_statement", UnitKind::BlockData),
            "module_procedure" => self.find_module_procedure(at, host),
            "submodule" => self.submodules.push(at),
            _ => {}
        }
    }

    /// Submodules, once the modules are known; one that stands below another after that one.
    pub fn find_submodules(&mut self) {
        let mut waiting = std::mem::take(&mut self.submodules);
        let mut scopes: BTreeMap<(String, String), Host> = BTreeMap::new();
        while !waiting.is_empty() {
            let before = waiting.len();
            waiting.retain(|&at| !self.find_submodule(at, &mut scopes));
            if waiting.len() == before {
                waiting.iter().for_each(|at| self.orphan(*at));
                return;
            }
        }
    }

    /// Whether its parent is known.
    fn find_submodule(&mut self, at: At<'a>, known: &mut BTreeMap<(String, String), Host>) -> bool {
        let Some(header) = at.child("submodule_statement") else {
            return true;
        };
        let name = |field: &str| header.field(field).map(|node| node.name());
        let (Some(module), Some(own)) = (name("ancestor"), header.child("name")) else {
            return true;
        };
        let host = match name("parent") {
            Some(parent) => known.get(&(module.clone(), parent)).cloned(),
            None => self.modules.get(&module).map(|&unit| {
                let unit = &self.units[unit];
                Host {
                    scope: unit.scope,
                    name: module.clone(),
                    module: Some(unit.scope),
                }
            }),
        };
        let Some(host) = host else { return false };
        let mut scope = Scope::new(Some((host.scope, self.scope(host.scope))));
        // Its own variables live as long as the module's.
        scope.module = Some(format!("{module}:{}", own.name()));
        let scope = self.add_scope(scope);
        let items = at.children();
        self.units.push(Unit {
            kind: UnitKind::Module,
            name: own.name(),
            header: Some(header),
            items: items.clone(),
            scope,
            state: Declared::No,
        });
        let inner = Host {
            scope,
            name: module.clone(),
            module: host.module,
        };
        known.insert((module, own.name()), inner.clone());
        self.find_contained(&items, inner);
        true
    }

    fn orphan(&mut self, at: At<'a>) {
        let span = at.statement_span();
        let sentence = format!(
            "{}: the module of this submodule has no source here: give it, too",
            self.line(span)
        );
        self.say(Severity::Error, span, sentence);
    }

    /// `MODULE PROCEDURE name`: its arguments stand in the interface that the module gives.
    fn find_module_procedure(&mut self, at: At<'a>, host: Option<Host>) {
        let name = at
            .child("module_procedure_statement")
            .and_then(|header| header.field("name"));
        let (Some(name), Some(host)) = (name.map(|name| name.name()), host) else {
            return;
        };
        let interfaces = self
            .units
            .iter()
            .filter(|unit| unit.kind == UnitKind::Module)
            .flat_map(|unit| &unit.items);
        let bodies: Vec<At<'a>> = interfaces
            .filter(|item| item.is("interface"))
            .flat_map(|item| item.children())
            .collect();
        let found = bodies.into_iter().find_map(|body| {
            let header = body
                .child("subroutine_statement")
                .or_else(|| body.child("function_statement"))?;
            (header.field("name")?.name() == name).then_some((body, header))
        });
        match found {
            Some((body, header)) if body.is("function") => {
                self.add_procedure(
                    at,
                    Some(header),
                    body.children(),
                    ProcedureKind::Function,
                    Some(host),
                );
            }
            Some((body, header)) => {
                self.add_procedure(
                    at,
                    Some(header),
                    body.children(),
                    ProcedureKind::Subroutine,
                    Some(host),
                );
            }
            None => self.orphan(at),
        }
    }

    fn find_other(&mut self, at: At<'a>, header: &str, kind: UnitKind) {
        let header = at.child(header);
        let name = header
            .and_then(|header| header.child("name"))
            .map_or(String::new(), |name| name.name());
        let mut scope = Scope::new(None);
        scope.module = (kind == UnitKind::Module).then(|| name.clone());
        let scope = self.add_scope(scope);
        let items = at.children();
        let unit = Unit {
            kind,
            name: name.clone(),
            header,
            items: items.clone(),
            scope,
            state: Declared::No,
        };
        self.units.push(unit);
        if kind == UnitKind::Module {
            let unit = self.units.len() - 1;
            if *self.modules.entry(name.clone()).or_insert(unit) != unit {
                let span = at.statement_span();
                let sentence = format!(
                    "{}: a second module named {name}: the first one is used",
                    self.line(span)
                );
                self.say(Severity::Error, span, sentence);
            }
        }
        self.find_contained(
            &items,
            Host {
                scope,
                name,
                module: Some(scope),
            },
        );
    }

    fn find_procedure(
        &mut self,
        at: At<'a>,
        header: &str,
        kind: ProcedureKind,
        host: Option<Host>,
    ) {
        let header = at.child(header);
        self.add_procedure(at, header, Vec::new(), kind, host);
    }

    /// A procedure; `declarations` stand elsewhere.
    fn add_procedure(
        &mut self,
        at: At<'a>,
        header: Option<At<'a>>,
        declarations: Vec<At<'a>>,
        kind: ProcedureKind,
        host: Option<Host>,
    ) {
        let id = ProcedureId(self.program.procedures.len() as u32);
        let written = header
            .and_then(|header| header.child("name"))
            .map(|name| name.name());
        let name = written.unwrap_or_else(|| "main".to_string());
        let own = at.children();
        let declared = declarations
            .into_iter()
            .filter(|item| !item.kind().starts_with("end_"));
        let items: Vec<At<'a>> = declared.chain(own.iter().copied()).collect();
        let is_internal = host.as_ref().is_some_and(|host| host.module.is_none());
        self.program.procedures.push(Procedure {
            name: name.clone(),
            kind,
            is_pure: header.is_some_and(is_pure),
            is_elemental: header
                .is_some_and(|header| prefix(header).iter().any(|own| own == "elemental")),
            is_final: false,
            is_internal,
            is_bound: false,
            known: Vec::new(),
            is_whole: false,
            entries: Vec::new(),
            dummies: Vec::new(),
            result: None,
            body: Vec::new(),
            host: host.as_ref().map(|host| host.name.clone()),
            externals: Vec::new(),
        });
        let place = procedure_place(at, &own);
        self.map.procedures.push(place);
        self.register_names(&name, id, kind, host.as_ref(), at);
        if let Some(header) = header.filter(|_| !is_internal) {
            self.note_label(header, &name, id);
        }
        self.find_entries(&own, id, kind, host.as_ref());
        let of_module = at.is("module_procedure")
            || header.is_some_and(|header| prefix(header).contains(&"module".into()));
        if let Some(module) = host
            .as_ref()
            .and_then(|host| host.module)
            .filter(|_| of_module)
        {
            // The module has its interface.
            self.scopes[module.0]
                .names
                .insert(name.clone(), Entity::Procedure(id));
        }
        let mut scope = Scope::new(
            host.as_ref()
                .map(|host| (host.scope, self.scope(host.scope))),
        );
        scope.procedure = Some(id);
        let scope = self.add_scope(scope);
        let unit = Unit {
            kind: UnitKind::Procedure(id),
            name: name.clone(),
            header,
            items: items.clone(),
            scope,
            state: Declared::No,
        };
        self.units.push(unit);
        self.find_contained(
            &own,
            Host {
                scope,
                name,
                module: None,
            },
        );
    }

    /// Other names that the procedure can be called by.
    fn find_entries(
        &mut self,
        items: &[At<'a>],
        id: ProcedureId,
        kind: ProcedureKind,
        host: Option<&Host>,
    ) {
        for entry in items.iter().filter(|item| item.is("entry_statement")) {
            let Some(name) = entry.field("name").map(|name| name.name()) else {
                continue;
            };
            let dummies = entry
                .field("parameters")
                .map_or(Vec::new(), |list| list.named());
            self.program.procedures[id.0 as usize].is_bound |=
                entry.child("language_binding").is_some();
            self.register_names(&name, id, kind, host, *entry);
            self.entries
                .insert((id, name), dummies.iter().map(At::name).collect());
        }
    }

    /// Makes a procedure's name known where it can be called.
    fn register_names(
        &mut self,
        name: &str,
        id: ProcedureId,
        kind: ProcedureKind,
        host: Option<&Host>,
        at: At,
    ) {
        if kind == ProcedureKind::Main {
            if self.program.main.is_some() {
                let sentence = format!(
                    "{}: a second main program: give the files of one program",
                    self.line(at.statement_span())
                );
                self.say(Severity::Error, at.statement_span(), sentence);
            } else {
                self.program.main = Some(id);
            }
            return;
        }
        match host {
            Some(host) => {
                self.scopes[host.scope.0]
                    .names
                    .insert(name.to_string(), Entity::Procedure(id));
            }
            None if self.globals.contains_key(name) => {
                let sentence = format!(
                    "{}: a second procedure named {name}: the first one is used",
                    self.line(at.statement_span())
                );
                self.say(Severity::Error, at.statement_span(), sentence);
            }
            None => {
                self.globals.insert(name.to_string(), id);
            }
        }
    }

    fn find_contained(&mut self, items: &[At<'a>], host: Host) {
        for contained in items.iter().filter(|item| item.is("internal_procedures")) {
            for item in contained.children() {
                self.find_unit(item, Some(host.clone()));
            }
        }
    }
}

fn prefix(header: At) -> Vec<String> {
    header
        .all("procedure_qualifier")
        .iter()
        .map(At::name)
        .collect()
}

/// Whether the prefix of a SUBROUTINE or FUNCTION statement forbids effects.
fn is_pure(header: At) -> bool {
    let prefix = prefix(header);
    let says = |word: &str| prefix.iter().any(|own| own == word);
    says("pure") || (says("elemental") && !says("impure"))
}

/// Where a procedure stands; its first executable statement is filled in with its body.
fn procedure_place(at: At, items: &[At]) -> ProcedurePlace {
    let last = items
        .iter()
        .rev()
        .find(|item| item.kind().starts_with("end_"));
    let contains = items.iter().find(|item| item.is("internal_procedures"));
    let first = at
        .piece_index()
        .map_or(at.start(), |index| at.parsed.pieces[index].at.start);
    let last_span = last.map_or_else(
        || at.span_of(first..at.trimmed_end().max(first)),
        At::statement_span,
    );
    let end = contains.map_or(last_span, At::statement_span);
    let whole = Span {
        end: last_span.end,
        ..at.span_of(first..at.trimmed_end().max(first))
    };
    ProcedurePlace {
        whole,
        first_executable: end,
        end,
    }
}
