//! Declarations of a unit: gathered by name first (`gathered`), then made into variables.

use super::declared_attributes::{
    DeclaredAttributes, EXECUTABLE, Said, collect_common, collect_data, collect_declaration,
    collect_enum, collect_inline, collect_modification, collect_namelist, collect_parameters,
    collect_save,
};
use super::derived_types::generic_name;
use super::kinds::is_character;
use super::labels::label;
use super::lower::Lowering;
use super::mpi_constants::VisibleConstants;
use super::names::{Entity, Implicit, MpiNames, ScopeId};
use super::procedure_pointers::Place;
use super::syntax::At;
use super::units::{Declared, UnitKind};
use crate::ir::{
    Dimension, Expression, Operator, ProcedureKind, Storage, Type, Variable, VariableId,
};
use crate::source::diagnostics::Severity;
use crate::source::parse_statistics::Undeclared;

impl<'a> Lowering<'a> {
    /// Reads a unit's declarations, after those of its host and of the modules it uses.
    pub fn declare(&mut self, unit: usize) {
        if self.units[unit].state != Declared::No {
            return;
        }
        self.units[unit].state = Declared::Now;
        let scope = self.units[unit].scope;
        self.inherit(scope);
        let mut gathered = DeclaredAttributes::default();
        self.gather_header(unit, &mut gathered);
        let items = self.units[unit].items.clone();
        self.gather_items(scope, &items, &mut gathered);
        self.make(scope, gathered);
        self.finish_header(unit);
        self.units[unit].state = Declared::Yes;
    }

    /// Declarations of a BLOCK construct.
    pub fn declare_block(&mut self, scope: ScopeId, items: &[At<'a>]) {
        let mut gathered = DeclaredAttributes::default();
        self.gather_items(scope, items, &mut gathered);
        self.make(scope, gathered);
        self.find_interfaces();
    }

    /// Takes over the host's rules, which are known only now.
    fn inherit(&mut self, scope: ScopeId) {
        let Some(host) = self.scope(scope).host else {
            return;
        };
        if let Some(unit) = self.units.iter().position(|unit| unit.scope == host) {
            self.declare(unit);
        }
        let (implicit, mpi, foreign) = {
            let host = self.scope(host);
            (host.implicit.clone(), host.mpi, host.foreign)
        };
        let own = &mut self.scopes[scope.0];
        (own.implicit, own.mpi, own.foreign) = (implicit, mpi, foreign);
    }

    fn gather_header(&mut self, unit: usize, gathered: &mut DeclaredAttributes<'a>) {
        let (kind, header, name) = {
            let unit = &self.units[unit];
            (unit.kind, unit.header, unit.name.clone())
        };
        let (UnitKind::Procedure(id), Some(header)) = (kind, header) else {
            return;
        };
        if let Some(parameters) = header.field("parameters") {
            for (position, dummy) in parameters.named().into_iter().enumerate() {
                gathered.name(&dummy.name()).dummy = Some(position as u32);
            }
        }
        let entries: Vec<Vec<String>> = self
            .entries
            .iter()
            .filter(|((of, _), _)| *of == id)
            .map(|(_, dummies)| dummies.clone())
            .collect();
        let mut next = gathered.names.len() as u32;
        for dummy in entries.into_iter().flatten() {
            let said = gathered.name(&dummy);
            if said.dummy.is_none() {
                said.dummy = Some(next);
                next += 1;
            }
        }
        if self.program.procedure(id).kind == ProcedureKind::Function {
            let written = header
                .child("function_result")
                .and_then(|result| result.child("identifier"));
            let result = written.map_or(name, |result| result.name());
            let said = gathered.name(&result);
            said.result = true;
            said.of_type = header.field("type");
        }
    }

    /// Sets dummies and result of a procedure.
    fn finish_header(&mut self, unit: usize) {
        let (kind, header, scope) = {
            let unit = &self.units[unit];
            (unit.kind, unit.header, unit.scope)
        };
        let UnitKind::Procedure(id) = kind else {
            return;
        };
        let parameters = header.and_then(|header| header.field("parameters"));
        let names: Vec<String> = parameters.map_or(Vec::new(), |list| {
            list.named().iter().map(At::name).collect()
        });
        let more = self
            .entries
            .iter()
            .filter(|((of, _), _)| *of == id)
            .flat_map(|(_, dummies)| dummies);
        let mut all: Vec<&String> = names.iter().collect();
        for dummy in more {
            if !all.contains(&dummy) {
                all.push(dummy);
            }
        }
        let dummies = all
            .into_iter()
            .map(|name| self.own_variable(scope, name))
            .collect();
        let written = header
            .and_then(|header| header.child("function_result"))
            .and_then(|result| result.child("identifier"));
        let result = written.map_or_else(|| self.units[unit].name.clone(), |result| result.name());
        let function = self.program.procedure(id).kind == ProcedureKind::Function;
        let result = function
            .then(|| self.own_variable(scope, &result))
            .flatten();
        if let Some(result) = result {
            let names = self
                .entries
                .keys()
                .filter(|(of, _)| *of == id)
                .map(|(_, name)| name.clone());
            for name in names.collect::<Vec<_>>() {
                let alias = Entity::Alias(Expression::Variable(result));
                self.scopes[scope.0].names.insert(name, alias);
            }
        }
        let procedure = &mut self.program.procedures[id.0 as usize];
        procedure.dummies = dummies;
        procedure.result = result;
    }

    fn own_variable(&self, scope: ScopeId, name: &str) -> Option<VariableId> {
        match self.scope(scope).names.get(name) {
            Some(Entity::Variable(id)) => Some(*id),
            _ => None,
        }
    }

    fn gather_items(
        &mut self,
        scope: ScopeId,
        items: &[At<'a>],
        gathered: &mut DeclaredAttributes<'a>,
    ) {
        let mut executable = false;
        self.name_types(scope, items);
        for &item in items {
            if item.piece().is_some_and(|piece| piece.replaced) {
                continue;
            }
            gathered.accessibility.gather(item);
            match item.kind() {
                "include_statement" => {
                    if self.files.is_mpi(item) {
                        let names = &mut self.scopes[scope.0].mpi;
                        *names = (*names).max(MpiNames::Included);
                        let declared = VisibleConstants::declared_by("mpif.h");
                        self.scopes[scope.0].mpi_constants.add(&declared);
                    }
                }
                "use_statement" => self.use_module(scope, item),
                "implicit_statement" => self.implicit(scope, item),
                "variable_declaration" => collect_declaration(item, gathered),
                "variable_modification" => collect_modification(item, gathered),
                "parameter_statement" => collect_parameters(item, gathered),
                "common_statement" => collect_common(item, gathered),
                "data_statement" => collect_data(item, gathered),
                "save_statement" => collect_save(item, gathered),
                "equivalence_statement" => {
                    gathered.equivalences.extend(item.all("equivalence_set"))
                }
                "namelist_statement" => collect_namelist(item, gathered),
                "enum" => collect_enum(item, gathered),
                "interface" => self.interface(scope, item, gathered),
                "derived_type_definition" => gathered.types.push(item),
                "assignment_statement" if !executable && !self.assigns_known(scope, item) => {
                    executable = !collect_inline(item, gathered);
                }
                kind => executable |= EXECUTABLE.contains(&kind),
            }
        }
    }

    /// Whether an assignment is to something that a host or module declares.
    fn assigns_known(&mut self, scope: ScopeId, item: At<'a>) -> bool {
        let name = item.field("left").and_then(|left| left.child("identifier"));
        name.is_some_and(|name| self.lookup(scope, &name.name()).is_some())
            || self.scope(scope).foreign
    }

    /// An interface block: a generic name with its specific procedures, or external procedures.
    fn interface(&mut self, scope: ScopeId, item: At<'a>, gathered: &mut DeclaredAttributes<'a>) {
        let mut specifics = Vec::new();
        let head = item.child("interface_statement");
        let is_abstract = head.is_some_and(|head| head.child("abstract_specifier").is_some());
        for child in item.children() {
            let header = child
                .child("subroutine_statement")
                .or_else(|| child.child("function_statement"));
            header
                .into_iter()
                .for_each(|header| self.note_interface(header));
            if let Some(name) = header.and_then(|header| header.field("name")) {
                specifics.push(name.name());
                let binding = header.and_then(|header| header.child("language_binding"));
                let said = gathered.name(&name.name());
                said.external = true;
                said.label = binding
                    .filter(|_| !is_abstract)
                    .and_then(|one| label(one, &name.name()));
            }
            if child.is("procedure_statement") {
                specifics.extend(child.fields("declarator").iter().map(At::name));
            }
        }
        let named = |kind: &str| {
            head.and_then(|head| head.child(kind))
                .map(|name| generic_name(&name.name()))
        };
        if let Some(generic) = ["name", "operator", "assignment", "defined_io_procedure"]
            .into_iter()
            .find_map(named)
        {
            self.defines_operators |= generic.contains('(');
            let specifics = specifics
                .into_iter()
                .map(|specific| (scope, specific))
                .collect::<Vec<_>>();
            let names = &mut self.scopes[scope.0].names;
            match names.get_mut(&generic) {
                Some(Entity::Generic(known)) => known.extend(specifics),
                _ => drop(names.insert(generic, Entity::Generic(specifics))),
            }
        }
    }

    /// Makes variables of what was gathered.
    fn make(&mut self, scope: ScopeId, mut gathered: DeclaredAttributes<'a>) {
        self.scopes[scope.0].accessibility = std::mem::take(&mut gathered.accessibility);
        let names = std::mem::take(&mut gathered.names);
        let mut made: Vec<(VariableId, Said<'a>)> = Vec::new();
        for (name, said) in names {
            if let Some(entity) = self.unless_variable(scope, &name, &said) {
                self.scopes[scope.0].names.insert(name, entity);
                continue;
            }
            let id = self.make_variable(scope, &name, &said, gathered.save_all);
            self.scopes[scope.0]
                .names
                .insert(name, Entity::Variable(id));
            if said.external {
                self.procedure_pointers.push(id);
            }
            self.note_pointer(scope, Place::Variable(id), &said);
            made.push((id, said));
        }
        for (name, inline) in std::mem::take(&mut gathered.inlines) {
            self.scopes[scope.0]
                .names
                .insert(name, Entity::Inline(inline));
        }
        for (name, members) in std::mem::take(&mut gathered.namelists) {
            self.scopes[scope.0]
                .names
                .insert(name, Entity::Namelist(members));
        }
        self.fill(scope, &made);
        self.define_types(scope, &gathered);
        self.lay_out_commons(scope, &gathered.commons);
        self.merge_equivalences(scope, &gathered.equivalences);
    }

    /// What a name is when it is no variable.
    fn unless_variable(
        &mut self,
        scope: ScopeId,
        name: &str,
        said: &Said<'a>,
    ) -> Option<Entity<'a>> {
        if said.dummy.is_some() || said.result || said.pointer {
            return None;
        }
        if said.intrinsic {
            return Some(Entity::Intrinsic(name.to_string()));
        }
        let contained = match self.scope(scope).names.get(name) {
            Some(entity @ (Entity::Procedure(_) | Entity::Generic(_))) => Some(entity.clone()),
            _ => None,
        };
        if contained.is_some() {
            return contained;
        }
        said.external
            .then(|| self.declared_external(name, said.label.as_deref()))
    }

    fn make_variable(
        &mut self,
        scope: ScopeId,
        name: &str,
        said: &Said<'a>,
        save_all: bool,
    ) -> VariableId {
        let owner = self.scope(scope).procedure;
        let main = owner.is_some() && owner == self.program.main;
        let storage = match (
            &said.constant,
            said.dummy,
            &said.common,
            self.scope(scope).module.clone(),
        ) {
            (Some(_), _, _, _) => Storage::Constant(None),
            _ if said.enumerator.is_some() => Storage::Constant(None),
            (_, Some(position), _, _) => Storage::Dummy(position),
            (_, _, Some(block), _) => Storage::Common {
                block: block.clone(),
                offset: None,
                bytes: None,
            },
            (_, _, _, Some(module)) => Storage::Module(module),
            _ if said.lasting || save_all || main => Storage::Static,
            _ => Storage::Local,
        };
        let rank = said.dimensions.map_or(0, |list| list.named().len());
        let shape = vec![Dimension::default(); rank];
        let implicit = self
            .scope(scope)
            .implicit_type(name)
            .unwrap_or(Type::Unknown);
        let of_type = if said.enumerator.is_some() {
            Type::Integer(4)
        } else {
            implicit
        };
        let attributes = said.attributes();
        self.add_variable(Variable {
            name: name.to_string(),
            owner,
            of_type,
            shape,
            length: None,
            storage,
            attributes,
        })
    }

    /// Fills in what expressions decide: constants first, then kinds, then bounds.
    fn fill(&mut self, scope: ScopeId, made: &[(VariableId, Said<'a>)]) {
        for (id, said) in made {
            if let Some(value) = self.constant(scope, said) {
                self.program.variables[id.0 as usize].storage = Storage::Constant(Some(value));
            }
        }
        for (id, said) in made {
            if let Some(node) = said.of_type {
                let (of_type, length) = self.declared_type(scope, node);
                let variable = &mut self.program.variables[id.0 as usize];
                (variable.of_type, variable.length) = (of_type, length);
            } else {
                let name = self.program.variable(*id).name.clone();
                self.program.variables[id.0 as usize].length = self.implicit_length(scope, &name);
            }
            if let Some(length) = said.length {
                self.set_length(scope, *id, length);
            }
        }
        for (id, said) in made {
            if let Some(list) = said.dimensions {
                let shape = list
                    .named()
                    .into_iter()
                    .map(|bound| self.dimension(scope, bound))
                    .collect();
                self.program.variables[id.0 as usize].shape = shape;
            }
        }
    }

    /// Value of a named constant or enumerator.
    fn constant(&mut self, scope: ScopeId, said: &Said<'a>) -> Option<Expression> {
        match (said.constant, &said.enumerator) {
            (Some(value), _) => Some(self.expression(scope, value)),
            (None, Some(None)) => Some(Expression::Integer(0)),
            (None, Some(Some(before))) => {
                let left = Box::new(Expression::Variable(self.own_variable(scope, before)?));
                Some(Expression::Binary {
                    operator: Operator::Add,
                    left,
                    right: Box::new(Expression::Integer(1)),
                })
            }
            (None, None) => None,
        }
    }

    fn dimension(&mut self, scope: ScopeId, at: At<'a>) -> Dimension {
        match at.kind() {
            "assumed_size" => Dimension {
                is_assumed_size: true,
                ..Dimension::default()
            },
            "assumed_rank" => Dimension::default(),
            "extent_specifier" => {
                let colon = at.child(":").map_or(at.end(), |colon| colon.start());
                let bounds: Vec<At<'a>> = at.named();
                let lower = bounds.iter().find(|bound| bound.start() < colon).copied();
                let upper = bounds
                    .iter()
                    .find(|bound| bound.start() > colon && !bound.is("assumed_size"))
                    .copied();
                let lower = lower.map(|lower| self.expression(scope, lower));
                let is_assumed_size = bounds.iter().any(|bound| bound.is("assumed_size"));
                let upper = upper.map(|upper| self.expression(scope, upper));
                Dimension {
                    lower,
                    upper,
                    is_assumed_size,
                }
            }
            _ => Dimension {
                upper: Some(self.expression(scope, at)),
                ..Dimension::default()
            },
        }
    }

    fn implicit(&mut self, scope: ScopeId, item: At<'a>) {
        if item.child("none").is_some() {
            self.scopes[scope.0].implicit = std::array::from_fn(|_| None);
            return;
        }
        let mut rule = None;
        for child in item.named() {
            if child.is("intrinsic_type") || child.is("derived_type") {
                rule = Some(self.implicit_rule(scope, child));
            } else {
                for range in letter_ranges(&child.name()) {
                    range
                        .for_each(|letter| self.scopes[scope.0].implicit[letter].clone_from(&rule));
                }
            }
        }
    }

    /// What is said of letters; lengths are told by what is declared below.
    fn implicit_rule(&mut self, scope: ScopeId, at: At<'a>) -> Implicit<'a> {
        match is_character(at) {
            true => Implicit {
                of_type: Type::Character,
                text: Some((scope, at)),
            },
            false => Implicit {
                of_type: self.declared_type(scope, at).0,
                text: None,
            },
        }
    }

    /// A name that was declared nowhere although the unit asks for declarations.
    pub fn report_undeclared(&mut self) {
        for (name, owner) in std::mem::take(&mut self.undeclared) {
            let Some(owner) = owner else { continue };
            let span = self.map.procedure(owner).whole;
            self.undeclared_places.push(Undeclared {
                name: name.clone(),
                span,
            });
            let unit = self.program.procedure(owner).name.clone();
            let sentence = format!(
                "{}: {name} is declared nowhere in {unit}, nor in what it includes or uses",
                self.line(span)
            );
            self.say(Severity::Warning, span, sentence);
        }
    }
}

/// `(a-h, o-z)` to ranges of letters counted from 0.
fn letter_ranges(text: &str) -> Vec<std::ops::RangeInclusive<usize>> {
    let letter = |text: &str| {
        text.trim()
            .bytes()
            .next()
            .filter(u8::is_ascii_lowercase)
            .map(|b| usize::from(b - b'a'))
    };
    let parts = text.trim_matches(['(', ')']).split(',');
    parts
        .filter_map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            Some(letter(first)?..=letter(last)?)
        })
        .collect()
}
