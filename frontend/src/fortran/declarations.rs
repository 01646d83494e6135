//! Declarations of a unit: gathered by name first, since attributes of one name stand in several
//! statements, then made into variables.

use super::lower::Lowering;
use super::names::{Entity, Inline, ScopeId};
use super::syntax::At;
use super::units::{Declared, UnitKind};
use crate::diagnostics::Severity;
use crate::ir::{Dimension, ProcedureKind, Storage, Type, Variable, VariableId};
use std::collections::BTreeMap;

/// Nodes after which no statement function can stand.
const EXECUTABLE: [&str; 12] = [
    "assignment_statement",
    "subroutine_call",
    "if_statement",
    "do_loop",
    "keyword_statement",
    "write_statement",
    "read_statement",
    "print_statement",
    "open_statement",
    "select_case_statement",
    "allocate_statement",
    "pointer_association_statement",
];

/// What the statements of a unit say about one name.
#[derive(Clone, Default)]
struct Said<'a> {
    /// Node of its type.
    of_type: Option<At<'a>>,
    /// Node of a length of its own, `n*8`.
    length: Option<At<'a>>,
    /// Node of its dimensions.
    dimensions: Option<At<'a>>,
    /// Position as a dummy.
    dummy: Option<u32>,
    /// COMMON block.
    common: Option<String>,
    /// SAVE, DATA or initial value: lives as long as the process.
    lasting: bool,
    /// EXTERNAL, or declared by an interface or PROCEDURE statement.
    external: bool,
    /// INTRINSIC.
    intrinsic: bool,
    /// POINTER: a procedure pointer if external too.
    pointer: bool,
    /// PARAMETER, with its value.
    constant: Option<At<'a>>,
    /// The function's result.
    result: bool,
}

/// What the statements of a unit say.
#[derive(Default)]
pub struct Gathered<'a> {
    names: Vec<(String, Said<'a>)>,
    index: BTreeMap<String, usize>,
    /// Members of COMMON blocks, in order.
    pub commons: Vec<(String, Vec<String>)>,
    /// EQUIVALENCE sets.
    pub equivalences: Vec<At<'a>>,
    namelists: Vec<(String, Vec<String>)>,
    inlines: Vec<(String, Inline<'a>)>,
    save_all: bool,
}

impl<'a> Gathered<'a> {
    fn name(&mut self, name: &str) -> &mut Said<'a> {
        let next = self.names.len();
        let index = *self.index.entry(name.to_string()).or_insert(next);
        if index == next {
            self.names.push((name.to_string(), Said::default()));
        }
        &mut self.names[index].1
    }

    fn is_array(&self, name: &str) -> bool {
        self.index.get(name).is_some_and(|&index| self.names[index].1.dimensions.is_some())
    }
}

impl<'a> Lowering<'a> {
    /// Reads a unit's declarations, after those of its host and of the modules it uses.
    pub fn declare(&mut self, unit: usize) {
        if self.units[unit].state != Declared::No {
            return;
        }
        self.units[unit].state = Declared::Now;
        let scope = self.units[unit].scope;
        self.inherit(scope);
        let mut gathered = Gathered::default();
        self.gather_header(unit, &mut gathered);
        let items = self.units[unit].items.clone();
        self.gather_items(scope, &items, &mut gathered);
        self.make(scope, gathered);
        self.finish_header(unit);
        self.units[unit].state = Declared::Yes;
    }

    /// Declarations of a BLOCK construct.
    pub fn declare_block(&mut self, scope: ScopeId, items: &[At<'a>]) {
        let mut gathered = Gathered::default();
        self.gather_items(scope, items, &mut gathered);
        self.make(scope, gathered);
    }

    /// Takes over the host's rules, which are known only now.
    fn inherit(&mut self, scope: ScopeId) {
        let Some(host) = self.scope(scope).host else { return };
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

    fn gather_header(&mut self, unit: usize, gathered: &mut Gathered<'a>) {
        let (kind, header, name) = {
            let unit = &self.units[unit];
            (unit.kind, unit.header, unit.name.clone())
        };
        let (UnitKind::Procedure(id), Some(header)) = (kind, header) else { return };
        if let Some(parameters) = header.field("parameters") {
            for (position, dummy) in parameters.named().into_iter().enumerate() {
                gathered.name(&dummy.name()).dummy = Some(position as u32);
            }
        }
        if self.program.procedure(id).kind == ProcedureKind::Function {
            let written = header.child("function_result").and_then(|result| result.child("identifier"));
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
        let UnitKind::Procedure(id) = kind else { return };
        let parameters = header.and_then(|header| header.field("parameters"));
        let names: Vec<String> =
            parameters.map_or(Vec::new(), |list| list.named().iter().map(At::name).collect());
        let dummies = names.iter().map(|name| self.own_variable(scope, name)).collect();
        let written = header
            .and_then(|header| header.child("function_result"))
            .and_then(|result| result.child("identifier"));
        let result = written.map_or_else(|| self.units[unit].name.clone(), |result| result.name());
        let function = self.program.procedure(id).kind == ProcedureKind::Function;
        let result = function.then(|| self.own_variable(scope, &result)).flatten();
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

    fn gather_items(&mut self, scope: ScopeId, items: &[At<'a>], gathered: &mut Gathered<'a>) {
        let mut executable = false;
        for &item in items {
            if item.piece().is_some_and(|piece| piece.replaced) {
                continue;
            }
            match item.kind() {
                "include_statement" => {
                    let mpi = self.files.included(item) == super::files::Included::Mpi;
                    self.scopes[scope.0].mpi |= mpi;
                }
                "use_statement" => self.use_module(scope, item),
                "implicit_statement" => self.implicit(scope, item),
                "variable_declaration" => gather_declaration(item, gathered),
                "variable_modification" => gather_modification(item, gathered),
                "parameter_statement" => gather_parameters(item, gathered),
                "common_statement" => gather_common(item, gathered),
                "data_statement" => gather_data(item, gathered),
                "save_statement" => gather_save(item, gathered),
                "equivalence_statement" => gathered.equivalences.extend(item.all("equivalence_set")),
                "namelist_statement" => gather_namelist(item, gathered),
                "interface" => self.interface(scope, item, gathered),
                "derived_type_definition" => self.derived_type(scope, item),
                "assignment_statement" if !executable && !self.assigns_known(scope, item) => {
                    executable = !gather_inline(item, gathered);
                }
                kind => executable |= EXECUTABLE.contains(&kind),
            }
        }
    }

    /// Whether an assignment is to something that a host or module declares.
    fn assigns_known(&mut self, scope: ScopeId, item: At<'a>) -> bool {
        let name = item.field("left").and_then(|left| left.child("identifier"));
        name.is_some_and(|name| self.lookup(scope, &name.name()).is_some()) || self.scope(scope).foreign
    }

    fn derived_type(&mut self, scope: ScopeId, item: At<'a>) {
        let name = item.child("derived_type_statement").and_then(|head| head.child("type_name"));
        if let Some(name) = name {
            self.scopes[scope.0].names.insert(name.name(), Entity::DerivedType);
        }
    }

    /// An interface block: a generic name with its specific procedures, or external procedures.
    fn interface(&mut self, scope: ScopeId, item: At<'a>, gathered: &mut Gathered<'a>) {
        let mut specifics = Vec::new();
        for child in item.children() {
            let header = child.child("subroutine_statement").or_else(|| child.child("function_statement"));
            if let Some(name) = header.and_then(|header| header.field("name")) {
                specifics.push(name.name());
                gathered.name(&name.name()).external = true;
            }
            if child.is("procedure_statement") {
                specifics.extend(child.fields("declarator").iter().map(At::name));
            }
        }
        let generic = item.child("interface_statement").and_then(|head| head.child("name"));
        if let Some(generic) = generic {
            let names = &mut self.scopes[scope.0].names;
            match names.get_mut(&generic.name()) {
                Some(Entity::Generic(known)) => known.extend(specifics),
                _ => drop(names.insert(generic.name(), Entity::Generic(specifics))),
            }
        }
    }

    /// Makes variables of what was gathered.
    fn make(&mut self, scope: ScopeId, mut gathered: Gathered<'a>) {
        let names = std::mem::take(&mut gathered.names);
        let mut made: Vec<(VariableId, Said<'a>)> = Vec::new();
        for (name, said) in names {
            if let Some(entity) = self.unless_variable(scope, &name, &said) {
                self.scopes[scope.0].names.insert(name, entity);
                continue;
            }
            let id = self.make_variable(scope, &name, &said, gathered.save_all);
            self.scopes[scope.0].names.insert(name, Entity::Variable(id));
            if said.external {
                self.procedure_pointers.push(id);
            }
            made.push((id, said));
        }
        for (name, inline) in std::mem::take(&mut gathered.inlines) {
            self.scopes[scope.0].names.insert(name, Entity::Inline(inline));
        }
        for (name, members) in std::mem::take(&mut gathered.namelists) {
            self.scopes[scope.0].names.insert(name, Entity::Namelist(members));
        }
        self.fill(scope, &made);
        self.lay_out_commons(scope, &gathered.commons);
        self.merge_equivalences(scope, &gathered.equivalences);
    }

    /// What a name is when it is no variable.
    fn unless_variable(&mut self, scope: ScopeId, name: &str, said: &Said<'a>) -> Option<Entity<'a>> {
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
        said.external.then(|| {
            self.globals.get(name).map_or(Entity::External(name.to_string()), |&id| Entity::Procedure(id))
        })
    }

    fn make_variable(&mut self, scope: ScopeId, name: &str, said: &Said<'a>, save_all: bool) -> VariableId {
        let owner = self.scope(scope).procedure;
        let main = owner.is_some() && owner == self.program.main;
        let storage = match (&said.constant, said.dummy, &said.common, self.scope(scope).module.clone()) {
            (Some(_), _, _, _) => Storage::Constant(None),
            (_, Some(position), _, _) => Storage::Dummy(position),
            (_, _, Some(block), _) => Storage::Common { block: block.clone(), offset: None, bytes: None },
            (_, _, _, Some(module)) => Storage::Module(module),
            _ if said.lasting || save_all || main => Storage::Static,
            _ => Storage::Local,
        };
        let rank = said.dimensions.map_or(0, |list| list.named().len());
        let shape = vec![Dimension { lower: None, upper: None }; rank];
        let of_type = self.scope(scope).implicit_type(name).unwrap_or(Type::Unknown);
        self.add_variable(Variable { name: name.to_string(), owner, of_type, shape, storage })
    }

    /// Fills in what expressions decide: constants first, then kinds, then bounds.
    fn fill(&mut self, scope: ScopeId, made: &[(VariableId, Said<'a>)]) {
        for (id, said) in made {
            if let Some(value) = said.constant {
                let value = self.expression(scope, value);
                self.program.variables[id.0 as usize].storage = Storage::Constant(Some(value));
            }
        }
        for (id, said) in made {
            if let Some(node) = said.of_type {
                let (of_type, length) = self.declared_type(scope, node);
                self.program.variables[id.0 as usize].of_type = of_type;
                self.lengths[id.0 as usize] = length;
            }
            if let Some(length) = said.length {
                self.set_length(scope, *id, length);
            }
        }
        for (id, said) in made {
            if let Some(list) = said.dimensions {
                let shape = list.named().into_iter().map(|bound| self.dimension(scope, bound)).collect();
                self.program.variables[id.0 as usize].shape = shape;
            }
        }
    }

    fn dimension(&mut self, scope: ScopeId, at: At<'a>) -> Dimension {
        match at.kind() {
            "assumed_size" | "assumed_rank" => Dimension { lower: None, upper: None },
            "extent_specifier" => {
                let colon = at.child(":").map_or(at.end(), |colon| colon.start());
                let bounds: Vec<At<'a>> = at.named();
                let lower = bounds.iter().find(|bound| bound.start() < colon).copied();
                let upper =
                    bounds.iter().find(|bound| bound.start() > colon && !bound.is("assumed_size")).copied();
                let lower = lower.map(|lower| self.expression(scope, lower));
                Dimension { lower, upper: upper.map(|upper| self.expression(scope, upper)) }
            }
            _ => Dimension { lower: None, upper: Some(self.expression(scope, at)) },
        }
    }

    fn implicit(&mut self, scope: ScopeId, item: At<'a>) {
        if item.child("none").is_some() {
            self.scopes[scope.0].implicit = std::array::from_fn(|_| None);
            return;
        }
        let mut of_type = Type::Unknown;
        for child in item.named() {
            if child.is("intrinsic_type") || child.is("derived_type") {
                of_type = self.declared_type(scope, child).0;
            } else {
                for range in letter_ranges(&child.name()) {
                    range.for_each(|letter| self.scopes[scope.0].implicit[letter] = Some(of_type.clone()));
                }
            }
        }
    }

    /// A name that was declared nowhere although the unit asks for declarations.
    pub fn report_undeclared(&mut self) {
        for (name, owner) in std::mem::take(&mut self.undeclared) {
            let Some(owner) = owner else { continue };
            let span = self.map.procedure(owner).whole;
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
    let letter =
        |text: &str| text.trim().bytes().next().filter(u8::is_ascii_lowercase).map(|b| usize::from(b - b'a'));
    let parts = text.trim_matches(['(', ')']).split(',');
    parts
        .filter_map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            Some(letter(first)?..=letter(last)?)
        })
        .collect()
}

fn gather_declaration<'a>(item: At<'a>, gathered: &mut Gathered<'a>) {
    let of_type = item.field("type");
    let attributes = item.fields("attribute");
    for declarator in item.fields("declarator") {
        let Some(name) = declared_name(declarator) else { continue };
        let name = name.name();
        apply_declarator(declarator, gathered, &name);
        let said = gathered.name(&name);
        match of_type {
            Some(of_type) if of_type.is("procedure") => said.external = true,
            Some(_) => said.of_type = of_type,
            None => {}
        }
        for &attribute in &attributes {
            apply_attribute(attribute, said);
        }
        let value = declarator.field("right").filter(|_| !declarator.is("data_declarator"));
        match value {
            Some(value) if attributes.iter().any(|attribute| attribute.name() == "parameter") => {
                said.constant = Some(value)
            }
            Some(_) => said.lasting = true,
            None => said.lasting |= declarator.is("data_declarator"),
        }
    }
}

/// Dimensions and length that stand with the name.
fn apply_declarator<'a>(declarator: At<'a>, gathered: &mut Gathered<'a>, name: &str) {
    let sized = declarator.field("left").filter(|left| left.is("sized_declarator")).unwrap_or(declarator);
    if !sized.is("sized_declarator") {
        return;
    }
    let said = gathered.name(name);
    said.dimensions = sized.child("size").or(said.dimensions);
    said.length = sized.child("character_length").or(said.length);
}

/// The identifier of a declarator.
fn declared_name(declarator: At) -> Option<At> {
    if declarator.is("identifier") {
        return Some(declarator);
    }
    let left = declarator.field("left").unwrap_or(declarator);
    if left.is("identifier") { Some(left) } else { left.child("identifier") }
}

fn apply_attribute<'a>(attribute: At<'a>, said: &mut Said<'a>) {
    let text = attribute.name();
    let word: String = text.chars().take_while(char::is_ascii_alphabetic).collect();
    match word.as_str() {
        "dimension" => said.dimensions = said.dimensions.or(attribute.child("argument_list")),
        "save" | "static" => said.lasting = true,
        "external" => said.external = true,
        "intrinsic" => said.intrinsic = true,
        "pointer" => said.pointer = true,
        _ => {}
    }
}

/// `DIMENSION x(3)`, `EXTERNAL f` and the like.
fn gather_modification<'a>(item: At<'a>, gathered: &mut Gathered<'a>) {
    let Some(qualifier) = item.named().first().copied() else { return };
    for declarator in item.fields("declarator") {
        let Some(name) = declared_name(declarator) else { continue };
        let name = name.name();
        apply_declarator(declarator, gathered, &name);
        apply_attribute(qualifier, gathered.name(&name));
    }
}

fn gather_parameters<'a>(item: At<'a>, gathered: &mut Gathered<'a>) {
    for assignment in item.all("parameter_assignment") {
        if let [name, value, ..] = assignment.named()[..] {
            gathered.name(&name.name()).constant = Some(value);
        }
    }
}

fn gather_common<'a>(item: At<'a>, gathered: &mut Gathered<'a>) {
    let mut members = Vec::new();
    for child in item.named() {
        if child.is("variable_group") {
            let name = child.child("name").map_or(String::new(), |name| name.name());
            let inside = child.named().into_iter().filter(|member| !member.is("name"));
            members.extend(inside.map(|member| (name.clone(), member)));
        } else {
            members.push((String::new(), child));
        }
    }
    for (block, member) in members {
        let Some(name) = declared_name(member).map(|name| name.name()) else { continue };
        apply_declarator(member, gathered, &name);
        gathered.name(&name).common = Some(block.clone());
        match gathered.commons.iter_mut().find(|(known, _)| *known == block) {
            Some((_, list)) => list.push(name),
            None => gathered.commons.push((block, vec![name])),
        }
    }
}

fn gather_data<'a>(item: At<'a>, gathered: &mut Gathered<'a>) {
    for set in item.all("data_set") {
        for target in set.named().into_iter().filter(|target| !target.is("data_value")) {
            let mut stack = vec![target];
            while let Some(at) = stack.pop() {
                if at.is("identifier") {
                    gathered.name(&at.name()).lasting = true;
                } else {
                    // Subscripts and implied DO variables lie behind the first name.
                    stack.extend(at.named().into_iter().take(1));
                }
            }
        }
    }
}

fn gather_save<'a>(item: At<'a>, gathered: &mut Gathered<'a>) {
    let names: Vec<At> = item.named().into_iter().filter(|name| name.is("identifier")).collect();
    gathered.save_all |= item.named().is_empty();
    for name in names {
        gathered.name(&name.name()).lasting = true;
    }
}

fn gather_namelist<'a>(item: At<'a>, gathered: &mut Gathered<'a>) {
    for group in item.all("variable_group") {
        let name = group.child("name").map_or(String::new(), |name| name.name());
        let members = group.all("identifier").iter().map(At::name).collect();
        gathered.namelists.push((name, members));
    }
}

/// Takes a statement function: an assignment to `name(…)` whose name has no dimensions. Executable
/// assignments of this shape are to arrays, which are declared before. Whether it was one.
fn gather_inline<'a>(item: At<'a>, gathered: &mut Gathered<'a>) -> bool {
    let (Some(left), Some(value)) = (item.field("left"), item.field("right")) else { return false };
    let (Some(name), Some(list)) = (left.child("identifier"), left.child("argument_list")) else {
        return false;
    };
    let plain = left.is("call_expression") && list.named().iter().all(|dummy| dummy.is("identifier"));
    let name = name.name();
    let said = gathered.index.get(&name).map(|&index| &gathered.names[index].1);
    let scalar = said.is_none_or(|said| {
        said.dummy.is_none() && said.common.is_none() && said.of_type.is_none_or(|t| t.is("intrinsic_type"))
    });
    let inline = plain && scalar && !gathered.is_array(&name);
    if inline {
        gathered.inlines.push((name, Inline { value }));
    }
    inline
}
