//! Abstract memory locations: whole variables, components of derived types, members of COMMON by storage, files. Each location
//! has a second one, its *existence*: whether it is allocated, and its shape.

use crate::graphs::call_graph::{self, CallGraph};
use crate::ir::object_components::{self, ComponentTree};
use crate::ir::references::{self, Designated};
use crate::ir::rules::{Rule, holds};
use crate::ir::{
    Callee, Expression, ProcedureId, Program, StatementId, StatementKind, Storage, Type, VariableId,
};
use crate::memory::address_taken::{self, Places, Reached};
use crate::memory::aliases::{self, Aliases};
use crate::memory::files::Files;
use crate::memory::foreign_pointers;
use crate::memory::io_units::Numbers;
use crate::memory::location_id::{LocationId, LocationSet};
use crate::memory::released_files;
use crate::memory::same_shape_arrays::SameShapeArrays;
use crate::memory::union_find::Classes;
use std::collections::{BTreeMap, BTreeSet};

/// Most targets of foreign pointers that effects list, over all statements. One takes about 50 bytes as a use, as a definition and as
/// a writer, so all of them take at most 200 MB; FESOM2 without its libraries would have 70 million, and need more than 10 GB.
const MAX_LISTED: usize = 4_000_000;

/// What a place is.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    /// For people.
    pub(crate) name: String,
    /// The procedure in whose calls it lives; `None` if it outlives them.
    pub(crate) frame: Option<ProcedureId>,
    /// Position among the dummies of its frame's procedure.
    pub(crate) dummy: Option<u32>,
    /// Whether it holds more than one scalar.
    pub(crate) is_array: bool,
    /// Whether procedures without source may reach it: COMMON, module variables and files.
    pub(crate) is_global: bool,
    /// Whether only its own procedure's statements mention it, and no other name shares its storage.
    pub(crate) is_private: bool,
    /// Whether it is an array by itself, and not only because it is a part of each element of one.
    pub(crate) is_array_itself: bool,
    /// Whether its data lie outside the object that it is a component of.
    pub(crate) is_separate: bool,
    /// The type of its values, of a component.
    pub(crate) value_type: Option<Type>,
    /// The enclosing location, and the component's name.
    pub(crate) above: Option<(LocationId, String)>,
    /// Its derived type, if it has parts.
    of_type: Option<String>,
    /// Its parts, by the names of the components.
    parts: Vec<(String, LocationId)>,
    /// Locations of which it is a part, if several objects share it.
    holders: Vec<LocationId>,
}

/// All places of a program.
#[derive(Clone, Debug)]
pub(crate) struct Locations {
    places: Vec<Location>,
    of_variable: Vec<Option<LocationId>>,
    /// The files of the program's input and output.
    pub(crate) files: Files,
    /// Classes of files whose contents code without source may read as the program has written them.
    released_files: BTreeSet<usize>,
    first_file: u32,
    /// Innermost locations of address-taken variables: messages from MPI_BOTTOM, or of derived datatypes, may contain
    /// them.
    pub(crate) addressed: Vec<LocationId>,
    /// Innermost locations of variables whose addresses procedures without source may have kept; index = component of linked code.
    kept_by_component: Vec<BTreeSet<LocationId>>,
    /// The same of any code without source.
    kept_by_any: LocationSet,
    /// Those of them that only one procedure mentions, by that procedure.
    kept_private: BTreeMap<ProcedureId, Vec<LocationId>>,
    /// Innermost locations that code without source reaches from the address of a variable or allocated component, of those that it is
    /// passed.
    around: BTreeMap<LocationId, BTreeSet<LocationId>>,
    /// Variables that may point where code without source has let them.
    foreign_pointers: BTreeSet<VariableId>,
    /// Whether what they may point at is listed at each statement that names one, see [`MAX_LISTED`].
    lists_foreign_targets: bool,
    /// The same of calls of confined procedures, and what these may have kept the addresses of.
    lists_confined: bool,
    /// Arrays that no assignment of one to another allocates.
    pub(crate) same_shape_arrays: SameShapeArrays,
    /// Components that all objects of a type share, by the names of the type and of the component.
    shared_components: BTreeMap<(String, String), LocationId>,
}

impl Locations {
    /// The places of a program.
    pub(crate) fn of(program: &Program, order: &[StatementId], calls: &CallGraph) -> Self {
        let mut aliases = aliases::merge(program, order, calls, |classes| {
            merge_storage(program, classes)
        });
        let mut locations = Locations {
            places: Vec::new(),
            of_variable: vec![None; program.variables.len()],
            files: Files::default(),
            released_files: BTreeSet::new(),
            first_file: 0,
            addressed: Vec::new(),
            kept_by_component: Vec::new(),
            kept_by_any: LocationSet::default(),
            kept_private: BTreeMap::new(),
            around: BTreeMap::new(),
            foreign_pointers: BTreeSet::new(),
            lists_foreign_targets: true,
            lists_confined: true,
            same_shape_arrays: SameShapeArrays::of(program, order),
            shared_components: BTreeMap::new(),
        };
        locations.number(program, &mut aliases);
        locations.find_private(program, order);
        locations.first_file = locations.places.len() as u32;
        let shared = locations.shared_components.values().copied().collect();
        let numbers = Numbers::of(program, order, calls, &locations.of_variable, shared);
        locations.files = Files::of(program, order, &numbers);
        locations.released_files = released_files::classes(program, calls, &locations.files);
        let mut names = Vec::new();
        for name in locations.files.names() {
            names.push(format!("the connection of {name}"));
            names.push(format!("the contents of {name}"));
        }
        names.push("the state of the random numbers".into());
        names.push("the settings of OpenMP".into());
        names.push("the environment".into());
        names.push("objects of libraries".into());
        for _ in 0..calls.externals.components() {
            names.push("what a library remembers".into());
        }
        locations.places.extend(names.into_iter().map(file_place));
        for variable in address_taken::variables(program, order) {
            let places = locations.innermost_of(variable);
            locations.addressed.extend(places);
        }
        locations.find_kept(program, order, calls);
        locations
    }

    /// Number of places; existences come after as many again.
    pub(crate) fn count(&self) -> usize {
        self.places.len()
    }

    /// Where a variable is; `None` for a named constant.
    pub(crate) fn of_variable(&self, variable: VariableId) -> Option<LocationId> {
        self.of_variable[variable.0 as usize]
    }

    /// The existence of a place.
    pub(crate) fn existence(&self, location: LocationId) -> LocationId {
        LocationId(location.0 + self.places.len() as u32)
    }

    /// The place that an existence is of.
    pub(crate) fn value(&self, existence: LocationId) -> LocationId {
        LocationId(existence.0 - self.places.len() as u32)
    }

    /// Whether it is an existence.
    pub(crate) fn is_existence(&self, location: LocationId) -> bool {
        location.index() >= self.places.len()
    }

    /// What a place is; of an existence, whose.
    pub(crate) fn get(&self, location: LocationId) -> &Location {
        &self.places[location.index() % self.places.len()]
    }

    /// Whether a place is one of a file class.
    pub(crate) fn is_file(&self, location: LocationId) -> bool {
        let files = 2 * self.files.names().len() as u32;
        (self.first_file..self.first_file + files).contains(&location.0)
    }

    /// Whether a file class is open, to what.
    pub(crate) fn connection(&self, class: usize) -> LocationId {
        LocationId(self.first_file + 2 * class as u32)
    }

    /// What is in the files of a class, and where they are read next.
    pub(crate) fn contents(&self, class: usize) -> LocationId {
        LocationId(self.first_file + 2 * class as u32 + 1)
    }

    /// Whether code without source may read the files of a class as the program has written them.
    pub(crate) fn is_released(&self, class: usize) -> bool {
        self.released_files.contains(&class)
    }

    /// What the next random number depends on.
    pub(crate) fn random_state(&self) -> LocationId {
        LocationId(self.first_file + 2 * self.files.names().len() as u32)
    }

    /// What OpenMP's library is set to: how many threads there will be.
    pub(crate) fn thread_settings(&self) -> LocationId {
        LocationId(self.random_state().0 + 1)
    }

    /// The variables of the environment, and what else the process remembers without a symbol: what trusted code reads and changes.
    pub(crate) fn environment(&self) -> LocationId {
        LocationId(self.thread_settings().0 + 1)
    }

    /// Objects of procedures without source, whose addresses the program passes around.
    pub(crate) fn library_objects(&self) -> LocationId {
        LocationId(self.environment().0 + 1)
    }

    /// Whether a location is a state of the process or of libraries, beside random numbers and files.
    pub(crate) fn is_process_state(&self, location: LocationId) -> bool {
        location >= self.thread_settings() && !self.is_existence(location)
    }

    /// What the variables of a component of linked code contain.
    pub(crate) fn library_state(&self, component: usize) -> LocationId {
        LocationId(self.library_objects().0 + 1 + component as u32)
    }

    /// Innermost locations of variables whose addresses a component of linked code may have kept.
    pub(crate) fn kept_by(&self, component: usize) -> impl Iterator<Item = LocationId> {
        self.kept_by_component
            .get(component)
            .into_iter()
            .flatten()
            .copied()
    }

    /// The same of any code without source: an object of one library may be passed to another.
    pub(crate) fn kept_by_any(&self) -> &LocationSet {
        &self.kept_by_any
    }

    /// Those of them that only one procedure mentions, and that are scalars: reaching definitions may follow these.
    pub(crate) fn kept_private(&self, procedure: ProcedureId) -> &[LocationId] {
        self.kept_private.get(&procedure).map_or(&[], Vec::as_slice)
    }

    /// Innermost locations that code without source reaches from the address of a place: all of the variable of which that is a
    /// part, and the other members of its COMMON block. C code takes the first member for a structure of all. The address of data
    /// that lie outside the variable leads to these data alone. `variable`: the place of the variable, of which `place` is a part.
    pub(crate) fn around(
        &self,
        place: LocationId,
        variable: LocationId,
        is_of_data: bool,
    ) -> impl Iterator<Item = LocationId> {
        let from = match is_of_data {
            true => self.allocation(place),
            false => variable,
        };
        self.around.get(&from).into_iter().flatten().copied()
    }

    /// The storage in which a place is: the innermost ALLOCATABLE or POINTER component, which the place is or is in, or the variable. No
    /// address in it leads out of it.
    pub(crate) fn allocation(&self, place: LocationId) -> LocationId {
        let mut at = place;
        while let Some((above, _)) = &self.get(at).above {
            if self.get(at).is_separate {
                break;
            }
            at = *above;
        }
        at
    }

    fn find_kept(&mut self, program: &Program, order: &[StatementId], calls: &CallGraph) {
        // Only procedures without source use addresses that they were passed earlier.
        if !calls.calls_unknown && calls.externals.concluded().next().is_none() {
            return;
        }
        let kept = address_taken::kept_addresses(program, order, calls, self);
        let blocks = self.common_blocks(program);
        let places_of = |reached: &mut dyn Iterator<Item = Reached>| {
            let mut places = BTreeSet::new();
            for one in reached {
                let Some(place) = one.place(self) else {
                    continue;
                };
                places.extend(self.innermost(place));
                for block in &blocks {
                    if block.contains(&place) {
                        places.extend(block.iter().flat_map(|&member| self.innermost(member)));
                    }
                }
            }
            places
        };
        let nothing = BTreeSet::new();
        let by_any = places_of(&mut kept.all.iter().copied());
        let mut by_component = Vec::new();
        for component in 0..calls.externals.components() {
            let passed = kept.by_component.get(&component).unwrap_or(&nothing);
            by_component.push(places_of(&mut passed.union(&kept.as_values).copied()));
        }
        let mut around: BTreeMap<LocationId, BTreeSet<LocationId>> = BTreeMap::new();
        for (&reached, stands_for) in &kept.passed {
            if let Some(from) = reached.place(self) {
                let places = places_of(&mut stands_for.iter().copied());
                around.entry(from).or_default().extend(places);
            }
        }
        self.kept_by_any = by_any.into_iter().collect();
        self.find_kept_private(program);
        self.kept_by_component = by_component;
        self.around = around;
        let innermost_of = |variable| self.innermost_of(variable);
        let found = foreign_pointers::variables(program, order, calls, &innermost_of);
        self.foreign_pointers = found;
        let kept_places = self.kept_by_any.iter().count();
        self.lists_confined = confined_calls(program, order, calls) * kept_places <= MAX_LISTED;
        let mut naming = 0;
        for &id in order {
            naming += usize::from(self.names_foreign_pointer(&program.statement(id).kind));
        }
        self.lists_foreign_targets = naming * self.foreign_targets().len() <= MAX_LISTED;
    }

    /// Whether a statement names a variable that may point where code without source has let it.
    pub(crate) fn names_foreign_pointer(&self, kind: &StatementKind) -> bool {
        if self.foreign_pointers.is_empty() {
            return false;
        }
        for expression in references::expressions(kind) {
            for named in references::named(expression) {
                if self.foreign_pointers.contains(&named.base) {
                    return true;
                }
            }
        }
        false
    }

    fn find_kept_private(&mut self, program: &Program) {
        for (variable, place) in program.variables.iter().zip(&self.of_variable) {
            let (Some(owner), Some(place)) = (variable.owner, *place) else {
                continue;
            };
            let known = self.get(place);
            if known.is_private && !known.is_array && self.kept_by_any.contains(place) {
                self.kept_private.entry(owner).or_default().push(place);
            }
        }
    }

    /// Whether effects list what foreign pointers may point at. If not, a statement with one has the effects of a call of code
    /// without source.
    pub(crate) fn lists_foreign_targets(&self) -> bool {
        self.lists_foreign_targets
    }

    /// Whether effects list what confined procedures may read and write. If not, their calls have the effects of those that may do
    /// anything.
    pub(crate) fn lists_confined(&self) -> bool {
        self.lists_confined
    }

    /// What a variable may point at that code without source has let point somewhere.
    pub(crate) fn foreign_targets(&self) -> Vec<LocationId> {
        let mut found: Vec<LocationId> = self.kept_by_any.iter().collect();
        found.extend(self.of_libraries());
        found
    }

    /// The states of libraries, and their objects.
    pub(crate) fn of_libraries(&self) -> Vec<LocationId> {
        let mut found = Vec::new();
        found.push(self.library_objects());
        for component in 0..self.kept_by_component.len() {
            found.push(self.library_state(component));
        }
        found
    }

    /// The places of the members of each COMMON block.
    fn common_blocks(&self, program: &Program) -> Vec<BTreeSet<LocationId>> {
        let mut blocks: BTreeMap<&str, BTreeSet<LocationId>> = BTreeMap::new();
        for (variable, place) in program.variables.iter().zip(&self.of_variable) {
            if let Storage::Common { block, .. } = &variable.storage {
                blocks.entry(block).or_default().extend(place);
            }
        }
        blocks.into_values().collect()
    }

    /// Values and existences of all COMMON and module variables, and files.
    pub(crate) fn globals(&self) -> LocationSet {
        self.all().filter(|&id| self.get(id).is_global).collect()
    }

    /// What a procedure without source reaches beside its arguments: everything global, and what addresses that any of them may have
    /// kept lead to.
    pub(crate) fn within_reach(&self) -> LocationSet {
        let mut all = self.globals();
        all.union(&self.kept_by_any);
        all
    }

    /// All places, values first, then existences.
    pub(crate) fn all(&self) -> impl Iterator<Item = LocationId> {
        (0..2 * self.places.len() as u32).map(LocationId)
    }

    /// Where a variable or a part of one is; what is deeper than places go is at the last of them.
    pub(crate) fn at(&self, what: Designated) -> Option<LocationId> {
        let mut at = self.of_variable(what.base)?;
        for name in what.path {
            let Some(part) = self.part(at, name) else {
                break;
            };
            at = part;
        }
        Some(at)
    }

    /// The places that are read and written with one: itself, or its innermost parts.
    pub(crate) fn innermost(&self, location: LocationId) -> Vec<LocationId> {
        let mut all = self.with_parts(location);
        all.retain(|&one| self.get(one).parts.is_empty());
        all
    }

    /// The innermost places of a variable; none of one without a place, as constants are.
    pub(crate) fn innermost_of(&self, variable: VariableId) -> Vec<LocationId> {
        self.of_variable(variable)
            .map_or(Vec::new(), |place| self.innermost(place))
    }

    /// A place and all its parts.
    pub(crate) fn with_parts(&self, location: LocationId) -> Vec<LocationId> {
        let mut found = vec![location];
        let mut next = 0;
        while let Some(&one) = found.get(next) {
            for &(_, part) in &self.get(one).parts {
                // Several components of an object may share one location.
                if self.get(part).holders.is_empty() || !found.contains(&part) {
                    found.push(part);
                }
            }
            next += 1;
        }
        found
    }

    /// A place and all that it is a part of.
    pub(crate) fn with_wholes(&self, location: LocationId) -> Vec<LocationId> {
        let mut found = vec![location];
        let mut next = 0;
        while let Some(&one) = found.get(next) {
            let known = self.get(one);
            if let Some((above, _)) = known.above {
                found.push(above);
            }
            for &holder in &known.holders {
                if !found.contains(&holder) {
                    found.push(holder);
                }
            }
            next += 1;
        }
        found
    }

    /// The places of a variable, and of its parts that lead to what is designated, outermost first.
    pub(crate) fn along(&self, what: Designated) -> Vec<LocationId> {
        let Some(mut at) = self.of_variable(what.base) else {
            return Vec::new();
        };
        let mut found = vec![at];
        for name in what.path {
            let Some(part) = self.part(at, name) else {
                break;
            };
            at = part;
            found.push(at);
        }
        found
    }

    /// The innermost places of a variable, each with the names of the components that lead to it.
    pub(crate) fn innermost_paths(&self, variable: VariableId) -> Vec<(Vec<String>, LocationId)> {
        let mut found = Vec::new();
        let mut pending = Vec::new();
        if let Some(place) = self.of_variable(variable) {
            pending.push((Vec::new(), place));
        }
        while let Some((path, place)) = pending.pop() {
            let parts = &self.get(place).parts;
            for (name, part) in parts {
                let mut path = path.clone();
                path.push(name.clone());
                pending.push((path, *part));
            }
            if parts.is_empty() {
                found.push((path, place));
            }
        }
        found
    }

    /// Whether two places are one, or one is a part of the other.
    pub(crate) fn overlap(&self, one: LocationId, other: LocationId) -> bool {
        self.is_part(one, other) || self.is_part(other, one)
    }

    /// Whether a place is another one or lies in it.
    fn is_part(&self, place: LocationId, whole: LocationId) -> bool {
        if place == whole {
            return true;
        }
        // Most places have no parts.
        !self.get(whole).parts.is_empty() && self.with_wholes(place).contains(&whole)
    }

    /// What a place of an object passed for a dummy is, given a part of the dummy: the smallest place that
    /// surely holds it.
    pub(crate) fn corresponding(&self, dummy: LocationId, actual: LocationId) -> LocationId {
        let mut names: Vec<&str> = Vec::new();
        let mut root = dummy;
        while let Some((above, name)) = &self.get(root).above {
            names.push(name);
            root = *above;
        }
        // What all objects of a type share is the same in the actual argument.
        if !self.get(root).holders.is_empty() {
            return dummy;
        }
        // Components correspond by name only between objects of one type. Otherwise the whole
        // actual argument stands for each of them.
        if self.get(root).of_type != self.get(actual).of_type {
            return actual;
        }
        let mut at = actual;
        for name in names.into_iter().rev() {
            let Some(part) = self.part(at, name) else {
                break;
            };
            at = part;
        }
        at
    }

    /// The existences that follow from a part of a dummy, of the object passed for it.
    pub(crate) fn corresponding_existences(
        &self,
        dummy: LocationId,
        actual: LocationId,
    ) -> Vec<LocationId> {
        let at = self.corresponding(dummy, actual);
        let exact =
            self.get(at).of_type.is_some() && self.get(at).of_type == self.get(dummy).of_type;
        let all = if exact { vec![at] } else { self.with_parts(at) };
        all.into_iter().map(|one| self.existence(one)).collect()
    }

    /// The innermost components of an object, each with that of the same name of another object of its type. `None` if they are no
    /// such objects, or if several objects share them ([`Location::holders`]).
    pub(crate) fn corresponding_components(
        &self,
        object: LocationId,
        other: LocationId,
    ) -> Option<Vec<(LocationId, LocationId)>> {
        let (known, others) = (self.get(object), self.get(other));
        let is_shared = !known.holders.is_empty() || !others.holders.is_empty();
        if known.of_type.is_none() || known.of_type != others.of_type || is_shared {
            return None;
        }
        let mut found = Vec::new();
        for (name, part) in &known.parts {
            let counterpart = self.part(other, name)?;
            match self.get(*part).of_type {
                Some(_) => found.extend(self.corresponding_components(*part, counterpart)?),
                None => found.push((*part, counterpart)),
            }
        }
        Some(found)
    }

    fn part(&self, of: LocationId, name: &str) -> Option<LocationId> {
        for (own, part) in &self.get(of).parts {
            if own == name {
                return Some(*part);
            }
        }
        None
    }

    fn number(&mut self, program: &Program, aliases: &mut Aliases) {
        let mut seen = self.number_shared(program, aliases);
        for (i, variable) in program.variables.iter().enumerate() {
            if matches!(variable.storage, Storage::Constant(_)) {
                continue;
            }
            let class = aliases.classes.find(i);
            let id = *seen
                .entry(class)
                .or_insert(LocationId(self.places.len() as u32));
            if id.index() == self.places.len() {
                self.places.push(place(program, VariableId(i as u32)));
                if let Some(name) = &aliases.types[class] {
                    self.take_apart(program, id, name, !variable.shape.is_empty());
                }
            } else {
                let other = place(program, VariableId(i as u32));
                for part in self.with_parts(id) {
                    self.join(part, &other);
                }
            }
            self.of_variable[i] = Some(id);
        }
    }

    /// Makes the locations of components that objects share, of which objects are to have parts: by class.
    fn number_shared(
        &mut self,
        program: &Program,
        aliases: &mut Aliases,
    ) -> BTreeMap<usize, LocationId> {
        let mut seen: BTreeMap<usize, LocationId> = BTreeMap::new();
        for one in &aliases.components {
            let id = *seen
                .entry(one.class)
                .or_insert(LocationId(self.places.len() as u32));
            if id.index() == self.places.len() {
                let name = match program.variables.get(one.class) {
                    Some(variable) => variable.name.clone(),
                    None => format!("{}%{}", one.holder, one.name),
                };
                self.places.push(shared_place(name));
            }
            self.places[id.index()].is_global |= one.is_global;
            let key = (one.holder.clone(), one.name.clone());
            self.shared_components.insert(key, id);
        }
        for (&class, &id) in &seen {
            if let Some(name) = &aliases.types[class] {
                self.take_apart(program, id, name, true);
            }
        }
        seen
    }

    fn take_apart(&mut self, program: &Program, id: LocationId, name: &str, repeated: bool) {
        self.places[id.index()].of_type = Some(name.into());
        let parts = object_components::of_type(program, name);
        self.add_parts(id, name, &parts, repeated);
    }

    /// Adds the components of an object of a type.
    fn add_parts(
        &mut self,
        whole: LocationId,
        of_type: &str,
        parts: &[ComponentTree],
        repeated: bool,
    ) {
        for part in parts {
            let key = (of_type.to_owned(), part.name.clone());
            if let Some(&shared) = self.shared_components.get(&key) {
                self.places[whole.index()].parts.push((key.1, shared));
                self.places[shared.index()].holders.push(whole);
                continue;
            }
            let id = LocationId(self.places.len() as u32);
            let above = self.get(whole);
            self.places.push(Location {
                name: format!("{}%{}", above.name, part.name),
                is_array: repeated || part.is_array,
                is_array_itself: part.is_array,
                is_separate: part.is_separate,
                value_type: Some(part.value_type.clone()),
                is_private: false,
                above: Some((whole, part.name.clone())),
                of_type: part.of_type.clone(),
                parts: Vec::new(),
                holders: Vec::new(),
                ..*above
            });
            self.places[whole.index()].parts.push((key.1, id));
            if let Some(of_type) = &part.of_type {
                self.add_parts(id, of_type, &part.parts, repeated || part.is_array);
            }
        }
    }

    /// A further variable at a place: what is true of either is true of the place.
    fn join(&mut self, id: LocationId, other: &Location) {
        let mine = &mut self.places[id.index()];
        // Variables of different names may share a part of their storage only, so that a write to
        // one does not cover the location: it counts as an array.
        mine.is_array |= other.is_array || mine.name != other.name;
        mine.is_global |= other.is_global;
        mine.is_private = false;
        if mine.frame != other.frame || mine.dummy != other.dummy {
            mine.frame = None;
            mine.dummy = None;
        }
    }

    /// Host association: a variable that another procedure mentions is not private.
    fn find_private(&mut self, program: &Program, order: &[StatementId]) {
        for &statement in order {
            let statement = program.statement(statement);
            let by = Some(statement.procedure);
            for expression in references::expressions(&statement.kind) {
                self.share_all(program, expression, by);
            }
            if let Some(counter) = crate::ir::statement_tree::do_variable(&statement.kind) {
                self.share(program, counter, by);
            }
        }
        for variable in &program.variables {
            for bound in variable.specification() {
                self.share_all(program, bound, variable.owner);
            }
        }
    }

    fn share_all(&mut self, program: &Program, expression: &Expression, by: Option<ProcedureId>) {
        for variable in references::variables(expression) {
            self.share(program, variable, by);
        }
    }

    fn share(&mut self, program: &Program, variable: VariableId, by: Option<ProcedureId>) {
        if program.variable(variable).owner == by {
            return;
        }
        if let Some(id) = self.of_variable[variable.0 as usize] {
            self.places[id.index()].is_private = false;
        }
    }
}

impl Places for Locations {
    fn of_variable(&self, variable: VariableId) -> Option<LocationId> {
        Locations::of_variable(self, variable)
    }

    fn at(&self, what: Designated) -> Option<LocationId> {
        Locations::at(self, what)
    }

    fn allocation(&self, place: LocationId) -> LocationId {
        Locations::allocation(self, place)
    }

    fn corresponding(&self, dummy: LocationId, actual: LocationId) -> LocationId {
        Locations::corresponding(self, dummy, actual)
    }

    fn overlap(&self, one: LocationId, other: LocationId) -> bool {
        Locations::overlap(self, one, other)
    }
}

fn place(program: &Program, id: VariableId) -> Location {
    let variable = program.variable(id);
    let (in_frame, dummy) = match variable.storage {
        Storage::Local => (true, None),
        Storage::Dummy(position) => (true, Some(position)),
        Storage::Static | Storage::Common { .. } | Storage::Constant(_) | Storage::Module(_) => {
            (false, None)
        }
    };
    let scalar_type = !matches!(
        variable.of_type,
        Type::Derived(_) | Type::Character | Type::Unknown
    );
    Location {
        name: variable.name.clone(),
        frame: variable.owner.filter(|_| in_frame),
        dummy,
        is_array: !variable.shape.is_empty() || !scalar_type,
        is_array_itself: !variable.shape.is_empty() || !scalar_type,
        is_global: matches!(
            variable.storage,
            Storage::Common { .. } | Storage::Module(_)
        ),
        is_private: variable.owner.is_some() && !matches!(variable.storage, Storage::Common { .. }),
        is_separate: false,
        value_type: None,
        above: None,
        of_type: None,
        parts: Vec::new(),
        holders: Vec::new(),
    }
}

fn file_place(name: String) -> Location {
    Location {
        name,
        frame: None,
        dummy: None,
        is_array: false,
        is_array_itself: false,
        is_global: true,
        is_private: false,
        is_separate: false,
        value_type: None,
        above: None,
        of_type: None,
        parts: Vec::new(),
        holders: Vec::new(),
    }
}

/// A component that objects share: of which one it is, is not known.
fn shared_place(name: String) -> Location {
    Location {
        is_array: true,
        is_array_itself: true,
        is_global: false,
        is_separate: true,
        ..file_place(name)
    }
}

/// A variable of a COMMON block, with its offset and size in bytes where they are known.
type Member = (usize, Option<(u64, u64)>);

/// Number of calls of confined procedures.
fn confined_calls(program: &Program, order: &[StatementId], calls: &CallGraph) -> usize {
    let mut found = 0;
    for &id in order {
        for call in call_graph::calls(&program.statement(id).kind) {
            if let Callee::External(name) = call.callee {
                found += usize::from(calls.externals.confined(name).is_some());
            }
        }
    }
    found
}

/// COMMON members that share bytes, and module variables of one name, are one place.
fn merge_storage(program: &Program, classes: &mut Classes) {
    let mut commons: BTreeMap<&str, Vec<Member>> = BTreeMap::new();
    let mut modules: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (i, variable) in program.variables.iter().enumerate() {
        match &variable.storage {
            Storage::Common {
                block,
                offset,
                bytes,
            } => {
                let equivalent = block.starts_with("equivalence ");
                if holds(if equivalent {
                    Rule::EquivalenceIsStorage
                } else {
                    Rule::CommonIsStorage
                }) {
                    commons
                        .entry(block)
                        .or_default()
                        .push((i, offset.zip(*bytes)));
                }
            }
            Storage::Module(module) => {
                let first = *modules.entry((module, &variable.name)).or_insert(i);
                classes.union(first, i);
            }
            Storage::Local | Storage::Static | Storage::Dummy(_) | Storage::Constant(_) => {}
        }
    }
    for members in commons.values_mut() {
        merge_block(members, classes);
    }
}

/// By byte ranges where all are known; otherwise the block is one place.
fn merge_block(members: &mut [Member], classes: &mut Classes) {
    members.sort_by_key(|&(i, range)| (range.map(|(offset, _)| offset), i));
    // In the order of offsets, a member shares bytes with an earlier one exactly if it begins
    // before the greatest end so far.
    let known = members.iter().all(|(_, range)| range.is_some());
    let mut end = 0;
    for pair in members.windows(2) {
        let (offset, bytes) = pair[0].1.unwrap_or_default();
        end = end.max(offset + bytes);
        let next = pair[1].1.unwrap_or_default().0;
        if !known || next < end || next == offset {
            classes.union(pair[0].0, pair[1].0);
        }
    }
}
