//! Declarations of a unit: attributes are collected by name first (`declared_attributes`), then variables
//! are made.

use super::declared_attributes::label;
use super::declared_attributes::{
    DeclaredAttributes, EXECUTABLE, Said, collect_common, collect_data, collect_declaration,
    collect_enum, collect_inline, collect_modification, collect_namelist, collect_parameters,
    collect_save,
};
use super::derived_types::generic_name;
use super::interfaces::DeclaredEntity;
use super::kinds::is_character;
use super::lower::Lowering;
use super::mpi_constants::VisibleConstants;
use super::names::{Entity, Implicit, MpiNames, ScopeId};
use super::syntax::At;
use super::unit::{Declared, UnitKind};
use super::units::procedure_header;
use crate::ir::{
    BindingName, Dimension, Expression, Operator, ProcedureId, ProcedureKind, Storage, Type,
    Variable, VariableId,
};
use crate::source::diagnostics::Severity;
use crate::source::parse_statistics::Undeclared;

impl<'a> Lowering<'a> {
    /// Reads a unit's declarations, after those of its host and of the modules it uses.
    pub fn declare(&mut self, unit: usize) {
        if self.units[unit].state != Declared::No {
            return;
        }
        // Modules may use each other in an invalid program: the second visit returns above.
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
        // A BLOCK's scope is that of no unit.
        if let Some(unit) = self.units.iter().position(|unit| unit.scope == host) {
            self.declare(unit);
        }
        let (implicit, mpi, foreign, sourceless) = {
            let host = self.scope(host);
            (
                host.implicit.clone(),
                host.mpi,
                host.foreign,
                host.sourceless,
            )
        };
        let own = &mut self.scopes[scope.0];
        (own.implicit, own.mpi) = (implicit, mpi);
        (own.foreign, own.sourceless) = (foreign, sourceless);
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
        // Dummies of ENTRY statements follow those of the procedure itself.
        let mut next = gathered.names.len() as u32;
        for dummy in self.entry_dummies(id) {
            let said = gathered.name(&dummy);
            if said.dummy.is_none() {
                said.dummy = Some(next);
                next += 1;
            }
        }
        if self.program.procedure(id).kind == ProcedureKind::Function {
            let said = gathered.name(&result_name(header).unwrap_or(name));
            said.result = true;
            said.of_type = header.field("type");
        }
    }

    /// Names of the dummies of a procedure's ENTRY statements.
    fn entry_dummies(&self, procedure: ProcedureId) -> Vec<String> {
        let mut all = Vec::new();
        for ((of, _), dummies) in &self.entries {
            if *of == procedure {
                all.extend(dummies.iter().cloned());
            }
        }
        all
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
        let mut names: Vec<String> = Vec::new();
        if let Some(list) = header.and_then(|header| header.field("parameters")) {
            names.extend(list.named().iter().map(At::name));
        }
        for dummy in self.entry_dummies(id) {
            if !names.contains(&dummy) {
                names.push(dummy);
            }
        }
        let mut dummies = Vec::new();
        for name in &names {
            dummies.push(self.own_variable(scope, name));
        }
        let mut result = None;
        if self.program.procedure(id).kind == ProcedureKind::Function {
            let written = header.and_then(result_name);
            let name = written.unwrap_or_else(|| self.units[unit].name.clone());
            result = self.own_variable(scope, &name);
        }
        if let Some(result) = result {
            // The results of a function and of its entries share storage (F2018 15.6.2.6).
            for (of, name) in self.entries.keys() {
                if *of == id {
                    let alias = Entity::Alias(Expression::Variable(result));
                    self.scopes[scope.0].names.insert(name.clone(), alias);
                }
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
        // After the first executable statement an assignment is no statement function.
        let mut executable = false;
        self.name_types(scope, items);
        for &item in items {
            if item.piece().is_some_and(|piece| piece.replaced) {
                continue;
            }
            gathered.accessibility.gather(item);
            // `bind(c) :: x, /block/`
            if !executable && item.begins_with("bind") {
                gathered.bound.push(None);
            }
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

    /// Whether an assignment is to a variable that a host or module declares.
    fn assigns_known(&mut self, scope: ScopeId, item: At<'a>) -> bool {
        if let Some(left) = item.field("left")
            && let Some(name) = left.child("identifier")
            && self.lookup(scope, &name.name()).is_some()
        {
            return true;
        }
        // Names of a module without source may be any.
        self.scope(scope).foreign
    }

    /// An interface block: a generic name with its specific procedures, or external procedures.
    fn interface(&mut self, scope: ScopeId, item: At<'a>, gathered: &mut DeclaredAttributes<'a>) {
        let mut specifics = Vec::new();
        let head = item.child("interface_statement");
        let is_abstract = match head {
            Some(head) => head.child("abstract_specifier").is_some(),
            None => false,
        };
        for child in item.children() {
            if let Some(header) = procedure_header(child) {
                self.note_interface(header);
                self.note_dummies(child, header);
                if let Some(name) = header.field("name") {
                    let name = name.name();
                    let said = gathered.name(&name);
                    said.external = true;
                    said.label = None;
                    said.has_label = false;
                    if let Some(binding) = header.child("language_binding")
                        && !is_abstract
                    {
                        said.label = label(binding, &name);
                        said.has_label = true;
                    }
                    specifics.push((scope, name));
                }
            }
            if child.is("procedure_statement") {
                for name in child.fields("declarator") {
                    specifics.push((scope, name.name()));
                }
            }
        }
        let Some(generic) = head.and_then(generic_of_interface) else {
            return;
        };
        // `operator(+)` and `assignment(=)` have parentheses.
        self.defines_operators |= generic.contains('(');
        let names = &mut self.scopes[scope.0].names;
        match names.get_mut(&generic) {
            // Interface blocks of one name add up (F2018 15.4.3.4.1).
            Some(Entity::Generic(known)) => known.extend(specifics),
            _ => drop(names.insert(generic, Entity::Generic(specifics))),
        }
    }

    /// Makes variables of what was gathered.
    fn make(&mut self, scope: ScopeId, mut gathered: DeclaredAttributes<'a>) {
        self.scopes[scope.0].accessibility = std::mem::take(&mut gathered.accessibility);
        for label in std::mem::take(&mut gathered.bound) {
            match label {
                Some(label) => {
                    self.program.labels.insert(label);
                }
                None => self.program.has_unknown_labels = true,
            }
        }
        let names = std::mem::take(&mut gathered.names);
        let mut made: Vec<(VariableId, Said<'a>)> = Vec::new();
        for (name, said) in names {
            if said.external && said.dummy.is_none() && !said.pointer {
                self.program.declared_externals.insert(name.clone());
                let symbol = match &said.label {
                    Some(label) => BindingName::Label(label.clone()),
                    None if said.has_label => BindingName::Several,
                    None => BindingName::Fortran,
                };
                self.note_symbol(&name, symbol);
            }
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
            self.note_pointer(scope, DeclaredEntity::Variable(id), &said);
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

    /// The entity of a name that is no variable.
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
        // A type statement may declare the type of a contained function again.
        if let Some(entity @ (Entity::Procedure(_) | Entity::Generic(_))) =
            self.scope(scope).names.get(name)
        {
            return Some(entity.clone());
        }
        if !said.external {
            return None;
        }
        Some(self.declared_external(name, said.label.as_deref()))
    }

    fn make_variable(
        &mut self,
        scope: ScopeId,
        name: &str,
        said: &Said<'a>,
        save_all: bool,
    ) -> VariableId {
        let owner = self.scope(scope).procedure;
        let rank = match said.dimensions {
            Some(list) => list.named().len(),
            None => 0,
        };
        let of_type = if said.enumerator.is_some() {
            Type::Integer(4)
        } else {
            let implicit = self.scope(scope).implicit_type(name);
            implicit.unwrap_or(Type::Unknown)
        };
        self.add_variable(Variable {
            name: name.to_string(),
            owner,
            of_type,
            shape: vec![Dimension::default(); rank],
            length: None,
            storage: self.storage_of(scope, said, save_all),
            attributes: said.attributes(),
        })
    }

    fn storage_of(&self, scope: ScopeId, said: &Said<'a>, save_all: bool) -> Storage {
        // Values follow when all names are known.
        if said.constant.is_some() || said.enumerator.is_some() {
            return Storage::Constant(None);
        }
        if let Some(position) = said.dummy {
            return Storage::Dummy(position);
        }
        if let Some(block) = &said.common {
            return Storage::Common {
                block: block.clone(),
                offset: None,
                bytes: None,
            };
        }
        let scope = self.scope(scope);
        if let Some(module) = &scope.module {
            return Storage::Module(module.clone());
        }
        // Variables of the main program are saved implicitly (F2018 8.5.16).
        let is_main = scope.procedure.is_some() && scope.procedure == self.program.main;
        if said.lasting || save_all || is_main {
            Storage::Static
        } else {
            Storage::Local
        }
    }

    /// Fills in values that need expressions: constants first, then kinds, which they determine, then
    /// bounds.
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
            let Some(list) = said.dimensions else {
                continue;
            };
            let mut shape = Vec::new();
            for bound in list.named() {
                shape.push(self.dimension(scope, bound));
            }
            self.program.variables[id.0 as usize].shape = shape;
        }
    }

    /// Value of a named constant or enumerator.
    fn constant(&mut self, scope: ScopeId, said: &Said<'a>) -> Option<Expression> {
        if let Some(value) = said.constant {
            return Some(self.expression(scope, value));
        }
        let Some(before) = said.enumerator.as_ref()? else {
            return Some(Expression::Integer(0));
        };
        // One more than the enumerator before it (F2018 7.6).
        let before = self.own_variable(scope, before)?;
        Some(Expression::Binary {
            operator: Operator::Add,
            left: Box::new(Expression::Variable(before)),
            right: Box::new(Expression::Integer(1)),
        })
    }

    fn dimension(&mut self, scope: ScopeId, at: At<'a>) -> Dimension {
        match at.kind() {
            "assumed_size" => Dimension {
                is_assumed_size: true,
                ..Dimension::default()
            },
            "assumed_rank" => Dimension::default(),
            "extent_specifier" => {
                // Bounds have no field names in the grammar: their side of the colon distinguishes them.
                let colon = match at.child(":") {
                    Some(colon) => colon.start(),
                    None => at.end(),
                };
                let mut dimension = Dimension::default();
                for bound in at.named() {
                    if bound.is("assumed_size") {
                        dimension.is_assumed_size = true;
                    }
                    if bound.start() < colon && dimension.lower.is_none() {
                        dimension.lower = Some(self.expression(scope, bound));
                    } else if bound.start() > colon
                        && dimension.upper.is_none()
                        && !bound.is("assumed_size")
                    {
                        dimension.upper = Some(self.expression(scope, bound));
                    }
                }
                dimension
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
        // Each type precedes the letters that it is for.
        let mut rule = None;
        for child in item.named() {
            if child.is("intrinsic_type") || child.is("derived_type") {
                rule = Some(self.implicit_rule(scope, child));
                continue;
            }
            for letter in letters(&child.name()) {
                self.scopes[scope.0].implicit[letter].clone_from(&rule);
            }
        }
    }

    /// The rule for letters. The length of CHARACTER is evaluated later: it may read constants that are
    /// declared below.
    fn implicit_rule(&mut self, scope: ScopeId, at: At<'a>) -> Implicit<'a> {
        if is_character(at) {
            return Implicit {
                of_type: Type::Character,
                text: Some((scope, at)),
            };
        }
        Implicit {
            of_type: self.declared_type(scope, at).0,
            text: None,
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

/// `(a-h, o-z)` to letters counted from 0.
fn letters(text: &str) -> Vec<usize> {
    let mut letters = Vec::new();
    for part in text.trim_matches(['(', ')']).split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Some(first), Some(last)) = (letter(first), letter(last)) {
            letters.extend(first..=last);
        }
    }
    letters
}

fn letter(text: &str) -> Option<usize> {
    let byte = text.trim().bytes().next()?;
    if !byte.is_ascii_lowercase() {
        return None;
    }
    Some(usize::from(byte - b'a'))
}

/// The name in `RESULT (name)`.
fn result_name(header: At) -> Option<String> {
    let name = header.child("function_result")?.child("identifier")?;
    Some(name.name())
}

fn generic_of_interface(head: At) -> Option<String> {
    for kind in ["name", "operator", "assignment", "defined_io_procedure"] {
        if let Some(name) = head.child(kind) {
            return Some(generic_name(&name.name()));
        }
    }
    None
}
