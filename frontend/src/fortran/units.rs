//! Program units: finds them, numbers them in source order, and lists their statements.

use super::lower::Lowering;
use super::names::{Entity, Scope, ScopeId};
use super::syntax::{At, Parsed};
use super::unit::{Declared, Unit, UnitKind};
use crate::ir::source_map::ProcedurePlace;
use crate::ir::{Procedure, ProcedureId, ProcedureKind};
use crate::source::Span;
use crate::source::diagnostics::Severity;
use std::collections::BTreeMap;

/// Share of a file's bytes, in 1/1000, that the parser may not place in a file that is called Fortran.
const HOPELESS: u32 = 500;

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
            let before = self.units.len() + self.submodules.len();
            let own = !self.sources.file(parsed.file).included;
            // Included files are parts of the files that include them.
            if own {
                for item in parsed.root().children() {
                    self.find_unit(item, None);
                }
            }
            let found = self.units.len() + self.submodules.len() > before;
            self.check_file(parsed, own, found);
        }
    }

    /// Reports an error of a file as a whole. A file of the user's own without any unit is not Fortran, or
    /// not a whole unit.
    fn check_file(&mut self, parsed: &Parsed, own: bool, found: bool) {
        let has_no_unit = own && !found;
        let at = match parsed.broken {
            Some(at) => at,
            None if has_no_unit && !parsed.pieces.is_empty() => 0,
            None => return,
        };
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
        } else if has_no_unit || parsed.unread > HOPELESS {
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

    /// Submodules, once the modules are known. A submodule of a submodule may stand before its parent, so
    /// that rounds repeat until nothing is found any more.
    pub fn find_submodules(&mut self) {
        let mut waiting = std::mem::take(&mut self.submodules);
        let mut scopes: BTreeMap<(String, String), Host> = BTreeMap::new();
        while !waiting.is_empty() {
            let mut left = Vec::new();
            for &at in &waiting {
                if !self.find_submodule(at, &mut scopes) {
                    left.push(at);
                }
            }
            // A round that finds no parent leaves submodules without one.
            if left.len() == waiting.len() {
                for at in left {
                    self.orphan(at);
                }
                return;
            }
            waiting = left;
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

    /// `MODULE PROCEDURE name`: its arguments stand in the interface that the module gives (F2018 15.6.2.5).
    fn find_module_procedure(&mut self, at: At<'a>, host: Option<Host>) {
        let header = at.child("module_procedure_statement");
        let Some(name) = header.and_then(|header| header.field("name")) else {
            return;
        };
        let Some(host) = host else { return };
        let Some((body, header)) = self.module_interface(&name.name()) else {
            self.orphan(at);
            return;
        };
        let kind = if body.is("function") {
            ProcedureKind::Function
        } else {
            ProcedureKind::Subroutine
        };
        self.add_procedure(at, Some(header), body.children(), kind, Some(host));
    }

    /// The interface body of a procedure in some module, and its first statement.
    fn module_interface(&self, name: &str) -> Option<(At<'a>, At<'a>)> {
        for unit in &self.units {
            if unit.kind != UnitKind::Module {
                continue;
            }
            for item in &unit.items {
                if !item.is("interface") {
                    continue;
                }
                for body in item.children() {
                    if let Some(header) = procedure_header(body)
                        && let Some(own) = header.field("name")
                        && own.name() == name
                    {
                        return Some((body, header));
                    }
                }
            }
        }
        None
    }

    fn find_other(&mut self, at: At<'a>, header: &str, kind: UnitKind) {
        let header = at.child(header);
        // BLOCK DATA needs no name.
        let name = match header.and_then(|header| header.child("name")) {
            Some(name) => name.name(),
            None => String::new(),
        };
        let mut scope = Scope::new(None);
        if kind == UnitKind::Module {
            scope.module = Some(name.clone());
        }
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

    /// A procedure; the interface of a MODULE PROCEDURE gives its `declarations`.
    fn add_procedure(
        &mut self,
        at: At<'a>,
        header: Option<At<'a>>,
        declarations: Vec<At<'a>>,
        kind: ProcedureKind,
        host: Option<Host>,
    ) {
        let id = ProcedureId(self.program.procedures.len() as u32);
        // A main program needs no PROGRAM statement (F2018 14.1).
        let name = match header.and_then(|header| header.child("name")) {
            Some(name) => name.name(),
            None => "main".to_string(),
        };
        let own = at.children();
        let mut items: Vec<At<'a>> = Vec::new();
        for item in declarations {
            if !item.kind().starts_with("end_") {
                items.push(item);
            }
        }
        items.extend(&own);
        let prefix = header.map_or(Vec::new(), prefix);
        let is_elemental = prefix.iter().any(|word| word == "elemental");
        let is_impure = prefix.iter().any(|word| word == "impure");
        let is_pure = prefix.iter().any(|word| word == "pure");
        let is_internal = match &host {
            Some(host) => host.module.is_none(),
            None => false,
        };
        self.program.procedures.push(Procedure {
            name: name.clone(),
            kind,
            // ELEMENTAL implies PURE without IMPURE (F2018 15.7).
            is_pure: is_pure || is_elemental && !is_impure,
            is_elemental,
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
        if let Some(header) = header
            && !is_internal
        {
            self.note_label(header, &name, id);
        }
        self.find_entries(&own, id, kind, host.as_ref());
        let has_module_interface =
            at.is("module_procedure") || prefix.iter().any(|word| word == "module");
        if has_module_interface
            && let Some(host) = &host
            && let Some(module) = host.module
        {
            // The module declares it by an interface: callers outside the submodule use that name.
            let names = &mut self.scopes[module.0].names;
            names.insert(name.clone(), Entity::Procedure(id));
        }
        let around = host
            .as_ref()
            .map(|host| (host.scope, self.scope(host.scope)));
        let mut scope = Scope::new(around);
        scope.procedure = Some(id);
        let scope = self.add_scope(scope);
        let unit = Unit {
            kind: UnitKind::Procedure(id),
            name: name.clone(),
            header,
            items,
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
        for entry in items {
            if !entry.is("entry_statement") {
                continue;
            }
            let Some(name) = entry.field("name").map(|name| name.name()) else {
                continue;
            };
            let mut dummies = Vec::new();
            if let Some(list) = entry.field("parameters") {
                dummies.extend(list.named().iter().map(At::name));
            }
            self.program.procedures[id.0 as usize].is_bound |=
                entry.child("language_binding").is_some();
            self.register_names(&name, id, kind, host, *entry);
            self.entries.insert((id, name), dummies);
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
        for contained in items {
            if !contained.is("internal_procedures") {
                continue;
            }
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

/// The SUBROUTINE or FUNCTION statement of an interface body.
pub fn procedure_header(body: At) -> Option<At> {
    match body.child("subroutine_statement") {
        Some(header) => Some(header),
        None => body.child("function_statement"),
    }
}

/// Where a procedure stands; its first executable statement is filled in with its body.
fn procedure_place(at: At, items: &[At]) -> ProcedurePlace {
    let last = items
        .iter()
        .rev()
        .find(|item| item.kind().starts_with("end_"));
    let contains = items.iter().find(|item| item.is("internal_procedures"));
    // A node may begin after blanks or a label that belong to its first statement.
    let first = match at.piece_index() {
        Some(index) => at.parsed.pieces[index].at.start,
        None => at.start(),
    };
    let node = at.span_of(first..at.trimmed_end().max(first));
    let last_span = match last {
        Some(last) => last.statement_span(),
        None => node,
    };
    let end = match contains {
        Some(contains) => contains.statement_span(),
        None => last_span,
    };
    let whole = Span {
        end: last_span.end,
        ..node
    };
    ProcedurePlace {
        whole,
        first_executable: end,
        end,
    }
}
