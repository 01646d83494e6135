//! Procedures without source: what the symbol tables of the link prove of them.
//!
//! Code that is linked cannot communicate if neither it nor anything that it refers to refers to a symbol of MPI, and cannot touch
//! a COMMON block, a module variable or a procedure of the program that it does not refer to. References alone are not enough:
//! a unit may be handed the address of a function. So units that refer to each other in either direction are one *component*,
//! and what one of them reaches, all may reach. Addresses that the program itself hands over are in
//! [`crate::graphs::passed_addresses`]: there conclusions are withdrawn.
//!
//! States that have no symbol are excluded by lists of what is known to have none: functions of system libraries ([`symbols`]), and
//! machine instructions ([`crate::options::LinkUnit::instruction`]).

mod components;
mod numerical_libraries;
mod symbols;

#[cfg(test)]
mod tests;

use crate::graphs::call_graph;
use crate::ir::statement_tree::Outline;
use crate::ir::{BindingName, Callee, Program, Storage};
use crate::options::{LinkedCode, Options};
use components::Sought;
use std::collections::{BTreeMap, BTreeSet};

/// What a procedure without source may do beside reading and writing its arguments, and what these point at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExternalEffects {
    /// The components whose variables it may read and write.
    pub(crate) components: BTreeSet<usize>,
    /// Reads a clock.
    pub(crate) clock: bool,
    /// Depends on the settings of OpenMP.
    pub(crate) asks_threads: bool,
    /// May call functions by addresses that it finds in memory.
    pub(crate) calls_addresses: bool,
    /// It may be passed the address of an object, and reads and writes objects.
    pub(crate) objects: bool,
    /// Reads and changes files, clocks and all states of the process.
    pub(crate) process: bool,
}

/// Why nothing is concluded about a procedure without source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnknownExternal {
    /// The library that contains it; `None` if the reason is what the program passes.
    pub(crate) library: Option<String>,
    /// What it may reach: `libfoo.a(foo.o) → libbar.so → mpi_send_`; otherwise the reason.
    pub(crate) chain: String,
    /// Whether it may reach variables and procedures of the program beside its arguments. If not, it is *confined*.
    pub(crate) reaches_program: bool,
}

impl UnknownExternal {
    /// Whether two procedures are unknown for one reason: those of a library, whatever chain leads from each.
    pub(crate) fn is_same_reason(&self, other: &UnknownExternal) -> bool {
        if self.reaches_program != other.reaches_program {
            return false;
        }
        match (&self.library, &other.library) {
            (Some(one), Some(other)) => one == other,
            _ => self == other,
        }
    }
}

/// What is known of procedures without source.
#[derive(Clone, Debug, Default)]
pub(crate) struct Externals {
    /// Those that the user declares data-only.
    data_only: BTreeSet<String>,
    /// Those of which the symbols prove enough.
    known: BTreeMap<String, ExternalEffects>,
    /// The components that may contain each procedure.
    components_of: BTreeMap<String, BTreeSet<usize>>,
    /// The others, if the link is known.
    unknown: BTreeMap<String, UnknownExternal>,
    /// What those of them that are confined may do beside communicating and ending the run.
    confined: BTreeMap<String, ExternalEffects>,
    /// Number of components.
    components: usize,
    /// Whether some code of the link may reach MPI or the program.
    has_unknown_code: bool,
    /// Whether some code of the link refers to a clock that sources in Fortran read, too.
    has_clock_of_compilers: bool,
    /// Whether some code of the link may close or flush files of the program.
    may_release_files: bool,
}

impl Externals {
    /// What is known of the procedures without source of a program. Without the symbols of its link that is nothing: another file may
    /// define a procedure under the name of one of the compiler's.
    pub(crate) fn of(program: &Program, outline: &Outline, options: &Options) -> Self {
        let mut externals = Externals::default();
        for name in &options.data_only {
            externals.data_only.insert(name.to_ascii_lowercase());
        }
        let Some(linked) = &options.linked else {
            return externals;
        };
        let mut called = BTreeSet::new();
        for procedure in &program.procedures {
            for name in &procedure.externals {
                if !externals.data_only.contains(name)
                    && !base_data::mpi::functions::is_mpi_name(name)
                {
                    called.insert(name.as_str());
                }
            }
        }
        if called.is_empty() {
            return externals;
        }
        externals.has_clock_of_compilers = refers_to_clock_of_compilers(linked);
        externals.may_release_files = refers_to_units(linked);
        let names = names_of(program, outline);
        let link = components::Link::new(linked, &names, &options.trusted);
        externals.conclude(program, link, called);
        externals
    }

    fn conclude(&mut self, program: &Program, link: components::Link, called: BTreeSet<&str>) {
        let mut sought = BTreeMap::new();
        for name in called {
            let mut how = sought_of(program, name);
            // All files of the link are known and none defines it, so the compiler does.
            let is_compilers = how == Sought::Name
                && !program.declared_externals.contains(name)
                && !link.may_define(name);
            if is_compilers {
                how = Sought::OfCompiler;
            }
            sought.insert(name, how);
        }
        let concluded = link.conclude(&sought);
        self.components = concluded.components;
        for (name, found) in concluded.procedures {
            self.components_of.insert(name.clone(), found.components);
            match found.unknown {
                Some(unknown) => {
                    self.has_unknown_code = true;
                    if !unknown.reaches_program {
                        self.confined.insert(name.clone(), self.confined_effects());
                    }
                    self.unknown.insert(name, unknown);
                }
                None => {
                    self.known
                        .insert(name, effects(found.with_state, found.may));
                }
            }
        }
    }

    /// Number of components of code that may share variables.
    pub(crate) fn components(&self) -> usize {
        self.components
    }

    /// Whether the user declares a procedure data-only.
    pub(crate) fn is_data_only(&self, name: &str) -> bool {
        self.data_only.contains(name)
    }

    /// What is proven of a procedure.
    pub(crate) fn known(&self, name: &str) -> Option<&ExternalEffects> {
        self.known.get(name)
    }

    /// Those of which something is proven.
    pub(crate) fn concluded(&self) -> impl Iterator<Item = &str> {
        self.known.keys().map(String::as_str)
    }

    /// What a confined procedure may do beside communicating and ending the run: it calls MPI, or functions of the system that do more
    /// than to compute.
    pub(crate) fn confined(&self, name: &str) -> Option<&ExternalEffects> {
        self.confined.get(name)
    }

    /// What confined procedures may do. MPI may call what any library has handed to it, so they reach what all remember.
    fn confined_effects(&self) -> ExternalEffects {
        effects((0..self.components).collect(), symbols::TRUSTED)
    }

    /// Whether something is concluded that may have to be withdrawn.
    pub(crate) fn concludes_something(&self) -> bool {
        !self.known.is_empty() || !self.confined.is_empty()
    }

    /// Why nothing is proven of a procedure, if its link is known.
    pub(crate) fn unknown(&self, name: &str) -> Option<&UnknownExternal> {
        self.unknown.get(name)
    }

    /// Whether a procedure may call functions by addresses that it finds in memory.
    pub(crate) fn calls_addresses(&self, name: &str) -> bool {
        match self.known.get(name) {
            Some(effects) => effects.calls_addresses,
            None => true,
        }
    }

    /// Whether some code may reach MPI or the program: then an address in its data may lead there.
    pub(crate) fn has_unknown_code(&self) -> bool {
        self.has_unknown_code
    }

    /// Whether some code of the link refers to a clock that sources in Fortran read, too.
    pub(crate) fn has_clock_of_compilers(&self) -> bool {
        self.has_clock_of_compilers
    }

    /// Whether some code of the link may close or flush files of the program, whose units are numbers.
    pub(crate) fn may_release_files(&self) -> bool {
        self.may_release_files
    }

    /// Withdraws what is known of a procedure and of all of its component, since one of them was handed the address of a procedure
    /// of the program.
    pub(crate) fn withdraw(&mut self, name: &str, what: &str) {
        let withdrawn = self.component_with(name);
        self.withdraw_each(withdrawn, what);
        // A component with code of which nothing is known may hand it to MPI.
        self.release_confined();
    }

    /// The same, but it was handed what may be the address of a procedure of another library. If all these are confined, so is the
    /// procedure.
    pub(crate) fn join_unknown(&mut self, name: &str, what: &str) {
        let mut joined = self.component_with(name);
        // The others call no address, wherever it is stored.
        joined.retain(|other| self.calls_addresses(other));
        let are_confined = self.unknown.values().all(|one| !one.reaches_program);
        self.withdraw_each(joined.clone(), what);
        if !are_confined {
            return;
        }
        for name in joined {
            let all = self.confined_effects();
            if let Some(unknown) = self.unknown.get_mut(&name) {
                unknown.reaches_program = false;
            }
            self.confined.insert(name, all);
        }
    }

    /// A procedure is passed, or returns, what may be the address of an object: any procedure of its component, and others that
    /// are passed such addresses, may read and write that object.
    pub(crate) fn share_objects(&mut self, name: &str) {
        for other in self.component_with(name) {
            if let Some(effects) = self.known.get_mut(&other) {
                effects.objects = true;
            }
        }
    }

    /// The components that may contain a procedure.
    pub(crate) fn components_of(&self, name: &str) -> impl Iterator<Item = usize> {
        self.components_of.get(name).into_iter().flatten().copied()
    }

    /// The known procedures of the components that may contain a procedure, itself included.
    fn component_with(&self, name: &str) -> Vec<String> {
        let own: BTreeSet<usize> = self.components_of(name).collect();
        let mut found = Vec::new();
        for other in self.known.keys() {
            if other == name || self.components_of(other).any(|one| own.contains(&one)) {
                found.push(other.clone());
            }
        }
        found
    }

    /// Withdraws everything.
    pub(crate) fn withdraw_all(&mut self, what: &str) {
        let all = self.known.keys().cloned().collect();
        self.withdraw_each(all, what);
        self.release_confined();
    }

    /// The same of what is known of confined procedures: MPI, which they call, may call procedures of the program, or code that is not
    /// confined.
    pub(crate) fn release_confined(&mut self) {
        self.confined.clear();
        for unknown in self.unknown.values_mut() {
            unknown.reaches_program = true;
        }
    }

    fn withdraw_each(&mut self, names: Vec<String>, what: &str) {
        for name in names {
            self.known.remove(&name);
            self.has_unknown_code = true;
            let unknown = UnknownExternal {
                library: None,
                chain: what.to_string(),
                reaches_program: true,
            };
            self.unknown.insert(name, unknown);
        }
    }
}

fn refers_to_clock_of_compilers(linked: &LinkedCode) -> bool {
    let others = linked.units.iter().filter(|unit| !unit.is_system);
    let mut names = others.flat_map(|unit| &unit.undefined);
    names.any(|name| symbols::is_clock_of_compilers(name))
}

/// Whether code refers to GNU Fortran's input and output; to another compiler's no proven or confined code does.
fn refers_to_units(linked: &LinkedCode) -> bool {
    let others = linked.units.iter().filter(|unit| !unit.is_system);
    let mut names = others.flat_map(|unit| &unit.undefined);
    names.any(|name| name.starts_with("_gfortran_st_") || name.starts_with("_gfortran_flush"))
}

fn effects(components: BTreeSet<usize>, may: symbols::SymbolUse) -> ExternalEffects {
    ExternalEffects {
        components,
        clock: may.clock,
        asks_threads: may.asks_threads,
        calls_addresses: may.calls_addresses,
        objects: may.process,
        process: may.process,
    }
}

/// How a program names a procedure without source.
fn sought_of<'a>(program: &'a Program, name: &str) -> Sought<'a> {
    if program.ambiguous_externals.contains(name) {
        return Sought::Ambiguous;
    }
    match program.external_labels.get(name) {
        Some(BindingName::Several) => Sought::Ambiguous,
        Some(BindingName::Label(label)) => Sought::Label(label),
        Some(BindingName::Fortran) | None if program.names_of_modules.contains(name) => {
            Sought::OfModule
        }
        Some(BindingName::Fortran) | None => Sought::Name,
    }
}

/// Names of what a program defines, as far as other code can refer to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProgramNames {
    /// COMMON blocks and external procedures, without the underscores that compilers add.
    pub(crate) global: BTreeSet<String>,
    /// Binding labels.
    pub(crate) labels: BTreeSet<String>,
    /// Modules and submodules: compilers make them part of the names of what they contain.
    pub(crate) modules: BTreeSet<String>,
    /// Procedures of MPI that it calls or passes, in lower case.
    pub(crate) mpi_calls: BTreeSet<String>,
}

fn names_of(program: &Program, outline: &Outline) -> ProgramNames {
    let mut names = ProgramNames::default();
    for procedure in &program.procedures {
        match &procedure.host {
            Some(host) => _ = names.modules.insert(host.clone()),
            None => _ = names.global.insert(procedure.name.clone()),
        }
    }
    for variable in &program.variables {
        match &variable.storage {
            Storage::Common { block, .. } if block.is_empty() => {
                // `__BLNK__` and the like, without underscores.
                names.global.insert("blnk".to_string());
            }
            Storage::Common { block, .. } => {
                names.global.insert(block.clone());
            }
            Storage::Module(module) => {
                names.modules.insert(module.clone());
            }
            Storage::Local | Storage::Static | Storage::Dummy(_) | Storage::Constant(_) => {}
        }
    }
    names.labels = program.labels.clone();
    for id in outline.all() {
        for call in call_graph::calls(&program.statement(id).kind) {
            match call.callee {
                Callee::Mpi(function) => {
                    names.mpi_calls.insert(function.name.to_ascii_lowercase());
                }
                Callee::UnknownMpi(name) => {
                    names.mpi_calls.insert(name.clone());
                }
                Callee::Procedure(_)
                | Callee::OneOf(_)
                | Callee::Intrinsic(_)
                | Callee::External(_)
                | Callee::Variable(_) => {}
            }
        }
    }
    names
}
