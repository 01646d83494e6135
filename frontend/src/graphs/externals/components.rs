//! Components of linked code: units that refer to each other, and what they may reach together. Units of a component share memory. What
//! the code of one may do is determined by what that code refers to, unless it calls addresses that it finds in memory: then by all
//! that the component refers to.

use super::numerical_libraries;
use super::symbols::{self, ErrorReads, SymbolUse, SystemSymbol, TRUSTED};
use super::{ProgramNames, UnknownExternal};
use crate::options::{LinkUnit, LinkedCode, is_library};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The units of a link, by what they define.
pub(super) struct Link<'a> {
    linked: &'a LinkedCode,
    program: &'a ProgramNames,
    /// Index = unit.
    vouchers: Vec<Option<Voucher>>,
    /// The units that define a name, except those of system libraries.
    definers: BTreeMap<&'a str, Vec<usize>>,
    /// Names that system libraries define.
    of_system: BTreeSet<&'a str>,
    /// Units that define a name which system libraries define, too: these call that definition.
    interposers: BTreeSet<usize>,
}

/// Code that counts as one: a function of a unit, or all of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CodePart {
    unit: usize,
    /// Index among the functions of the unit; `None` for all of its code.
    function: Option<usize>,
}

/// What vouches for a unit, so that its references are not examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Voucher {
    /// The user.
    User,
    /// The standards of BLAS and LAPACK.
    Standard,
}

/// How a program names a procedure that has no source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sought<'a> {
    /// By its name, as an external procedure: compilers add underscores.
    Name,
    /// By the name of a procedure of the compiler, or of an intrinsic module.
    OfCompiler,
    /// By a binding label.
    Label(&'a str),
    /// By a name that a module without source may give: it may be any procedure to which the program's objects refer.
    OfModule,
    /// By a name of several procedures, or one whose symbol is not known.
    Ambiguous,
}

/// What is concluded about the procedures of a program that have no source.
#[derive(Clone, Debug, Default)]
pub(super) struct Concluded {
    pub(super) procedures: BTreeMap<String, Conclusion>,
    /// Number of components.
    pub(super) components: usize,
}

/// The same about one procedure.
#[derive(Clone, Debug, Default)]
pub(super) struct Conclusion {
    /// The components that may contain it.
    pub(super) components: BTreeSet<usize>,
    /// Those of them that can remember something.
    pub(super) with_state: BTreeSet<usize>,
    /// What it may do.
    pub(super) may: SymbolUse,
    /// Why it may do anything.
    pub(super) unknown: Option<UnknownExternal>,
}

/// What a component, or a part of its code, may do.
#[derive(Clone, Debug, Default)]
struct ComponentUse {
    may: SymbolUse,
    has_state: bool,
    /// The code that breaks the proof, each with the symbol that does it.
    causes: BTreeMap<CodePart, String>,
    /// Whether it may reach variables and procedures of the program by such a symbol.
    reaches_program: bool,
}

/// Where the code of a procedure may be.
#[derive(Clone, Debug, Default)]
struct Candidates {
    units: BTreeSet<usize>,
    /// What of them it is.
    parts: BTreeSet<CodePart>,
    /// What it may do if a system library contains it.
    of_system: Option<SymbolUse>,
    /// Why its code is not known.
    unknown: Option<String>,
    /// Whether such code may reach variables and procedures of the program.
    reaches_program: bool,
    /// What such code may read.
    reads: ErrorReads,
}

impl Candidates {
    /// Of code of which nothing is known.
    fn unknown(reason: String) -> Self {
        Candidates {
            unknown: Some(reason),
            reaches_program: true,
            reads: ErrorReads::ALL,
            ..Candidates::default()
        }
    }

    /// Adds a symbol of a system library.
    fn add(&mut self, symbol: &str) {
        match symbols::system_symbol(symbol) {
            SystemSymbol::Mpi => {
                self.unknown = Some(symbol.to_string());
                self.reaches_program = true;
            }
            SystemSymbol::Listed(may) => self.of_system.get_or_insert_default().join(may),
            SystemSymbol::Unlisted(reads) => {
                self.unknown = Some(symbol.to_string());
                self.reaches_program |= !symbols::is_of_process(symbol);
                self.reads.numbers |= reads.numbers;
                self.reads.flags |= reads.flags;
                self.reads.streams |= reads.streams;
            }
        }
    }
}

/// Where states are read that the code of a link may leave behind without naming them.
#[derive(Clone, Debug, Default)]
struct ErrorReaders {
    /// The first chain to code that may read error numbers.
    numbers: Option<String>,
    /// The same of floating-point flags.
    flags: Option<String>,
    /// The same of streams.
    streams: Option<String>,
    /// The first chain to code that prints, and may print error numbers.
    printers: Option<String>,
}

impl ErrorReaders {
    fn add(&mut self, reads: ErrorReads, place: impl Fn() -> String) {
        if reads.numbers && self.numbers.is_none() {
            self.numbers = Some(place());
        }
        if reads.flags && self.flags.is_none() {
            self.flags = Some(place());
        }
        if reads.streams && self.streams.is_none() {
            self.streams = Some(place());
        }
    }

    /// Why nothing is known of code that may do so much, since it changes what others read; if so.
    fn obstacle(&self, may: SymbolUse) -> Option<String> {
        if let Some(reader) = &self.flags {
            // Arithmetic sets flags, which no symbol shows.
            return Some(format!(
                "{reader} may read floating-point flags that it sets"
            ));
        }
        let mut numbers = self.numbers.as_ref();
        if let Some(reader) = &self.streams {
            if may.prints {
                return Some(format!("{reader} may use the streams to which it prints"));
            }
            // What is printed may be read.
            numbers = numbers.or(self.printers.as_ref());
        }
        match numbers {
            Some(reader) if may.sets_errors => {
                Some(format!("{reader} may read error numbers that it sets"))
            }
            Some(_) | None => None,
        }
    }
}

impl<'a> Link<'a> {
    /// Of a link; `trusted` as in [`crate::options::Options::trusted`].
    pub(super) fn new(
        linked: &'a LinkedCode,
        program: &'a ProgramNames,
        trusted: &[String],
    ) -> Self {
        let mut link = Link {
            linked,
            program,
            vouchers: Vec::new(),
            definers: BTreeMap::new(),
            of_system: BTreeSet::new(),
            interposers: BTreeSet::new(),
        };
        for (number, unit) in linked.units.iter().enumerate() {
            for name in &unit.defined {
                if symbols::is_of_the_linker(name) {
                    continue;
                }
                if unit.is_system {
                    link.of_system.insert(name);
                } else {
                    link.definers.entry(name).or_default().push(number);
                }
            }
        }
        for (name, units) in &link.definers {
            if link.of_system.contains(name) {
                link.interposers.extend(units);
            }
        }
        // Which names are the program's depends on those that the system defines.
        for unit in &linked.units {
            link.vouchers.push(link.voucher(unit, trusted));
        }
        link
    }

    fn voucher(&self, unit: &LinkUnit, trusted: &[String]) -> Option<Voucher> {
        if trusted.iter().any(|name| is_library(&unit.library, name)) {
            return Some(Voucher::User);
        }
        if numerical_libraries::is_one(&unit.library) && !self.is_replaced(unit) {
            return Some(Voucher::Standard);
        }
        None
    }

    fn is_vouched(&self, unit: usize) -> bool {
        self.vouchers[unit].is_some()
    }

    /// Whether a unit may call procedures or use variables of the program by names that it defines or refers to, such as `xerbla_`.
    fn is_replaced(&self, unit: &LinkUnit) -> bool {
        let mut names = unit.defined.iter().chain(&unit.undefined);
        names.any(|name| self.is_of_program(name))
    }

    /// Why nothing can be concluded about any procedure, if so.
    fn obstacle(&self) -> Option<UnknownExternal> {
        if let Some(file) = self.linked.unreadable.first() {
            return Some(UnknownExternal {
                library: None,
                chain: format!("the symbols of {file} cannot be read"),
                reaches_program: true,
            });
        }
        if let Some(option) = self.linked.unknown_options.first() {
            return Some(UnknownExternal {
                library: None,
                chain: format!("the effect of {option} on the link is not known"),
                reaches_program: true,
            });
        }
        let decorated = self.program.global.iter().map(|name| format!("{name}_"));
        let labels = self.program.labels.iter().chain(&self.linked.of_program);
        let mut own = labels.cloned().chain(decorated);
        // The system's libraries call the program's procedure where they name their own.
        let replaced = own.find(|name| self.of_system.contains(name.as_str()))?;
        Some(UnknownExternal {
            library: None,
            chain: format!("the program defines {replaced}, which system libraries call"),
            reaches_program: true,
        })
    }

    /// Whether something in the link defines a procedure; true if not all of the link is known.
    pub(super) fn may_define(&self, name: &str) -> bool {
        let mut names = external_symbols(name);
        names.push(name.to_string());
        !self.linked.unreadable.is_empty()
            || !self.linked.unknown_options.is_empty()
            || names.iter().any(|one| {
                self.definers.contains_key(one.as_str())
                    || (one != name && self.of_system.contains(one.as_str()))
            })
    }

    /// Whether the program's objects refer to a symbol, as far as that is known.
    fn may_be_referred(&self, symbol: &str) -> bool {
        match &self.linked.referred {
            Some(referred) => referred.contains(symbol),
            None => true,
        }
    }

    /// Where the code of a procedure may be.
    fn candidates(&self, name: &str, sought: Sought) -> Candidates {
        let symbols = match sought {
            Sought::Name => external_symbols(name),
            Sought::Label(label) => vec![label.to_string()],
            Sought::OfModule => return self.candidates_of_module(name),
            Sought::OfCompiler => return candidates_of_compiler(name),
            Sought::Ambiguous => {
                return Candidates::unknown(format!(
                    "{name} may be one of several procedures, or has a label that is not known"
                ));
            }
        };
        let mut found = Candidates::default();
        for symbol in &symbols {
            if !self.may_be_referred(symbol) {
                continue;
            }
            self.add_units(&mut found, symbol);
            // Whether a compiler adds no underscore is only known from the program's objects.
            if symbol != name || sought != Sought::Name || self.linked.referred.is_some() {
                self.add_of_system(&mut found, symbol);
            }
        }
        // Which files are linked depends on what the program refers to, and the slice must refer to the same.
        let is_vouched = found.units.iter().all(|&unit| self.is_vouched(unit));
        if self.linked.referred.is_none() && !is_vouched {
            let reason = "the objects of the Fortran sources are not known; compile and link them in separate commands";
            found.unknown = Some(reason.to_string());
            found.reaches_program = true;
        }
        if found.units.is_empty() && found.of_system.is_none() && found.unknown.is_none() {
            let symbol = &symbols[0];
            if symbols::is_of_mpi(symbol) {
                found.unknown = Some(symbol.clone());
                found.reaches_program = true;
            } else {
                return Candidates::unknown(format!("no file of the link defines {symbol}"));
            }
        }
        found
    }

    /// Adds the units that define a symbol.
    fn add_units(&self, to: &mut Candidates, symbol: &str) {
        if let Some(units) = self.definers.get(symbol) {
            // MPI's profiling interface: the unit stands between the program and MPI.
            if symbols::is_of_mpi(symbol) {
                to.unknown = Some(symbol.to_string());
                to.reaches_program = true;
            }
            to.units.extend(units);
            for &unit in units {
                let parts = self.parts_named(unit, symbol);
                if parts.is_empty() {
                    to.parts.insert(whole(unit));
                }
                to.parts.extend(parts);
            }
        }
    }

    /// Adds what a symbol names if a system library defines it.
    fn add_of_system(&self, to: &mut Candidates, symbol: &str) {
        if !self.of_system.contains(symbol) {
            return;
        }
        self.add_interposers(to);
        to.add(symbol);
    }

    /// The same of a name that a module without source may give. It may be generic, or rename something, so it may stand for
    /// any symbol to which the program's objects refer.
    fn candidates_of_module(&self, name: &str) -> Candidates {
        let Some(referred) = &self.linked.referred else {
            return Candidates::unknown(format!(
                "{name} may be any name of a module without source"
            ));
        };
        let mut found = Candidates {
            of_system: Some(SymbolUse::default()),
            ..Candidates::default()
        };
        for symbol in referred {
            if self.of_system.contains(symbol.as_str()) {
                // Compilers write these names, no module does.
                let is_compilers = symbol.starts_with("_gfortran_") || symbol.starts_with("GOMP_");
                if !is_compilers {
                    self.add_of_system(&mut found, symbol);
                }
            }
            if self.definers.contains_key(symbol.as_str()) {
                self.add_units(&mut found, symbol);
            } else if !self.of_system.contains(symbol.as_str())
                && !symbols::is_of_the_linker(symbol)
                && !self.is_called_by_program(symbol)
            {
                // A module may give a procedure of MPI another name.
                let reason = format!("{name} may be {symbol}, to which the program refers");
                let mut unknown = Candidates::unknown(reason);
                if symbols::is_of_mpi(symbol) {
                    unknown.reads = ErrorReads::NONE;
                }
                return unknown;
            }
        }
        self.add_interposers(&mut found);
        found
    }

    /// Adds the units that stand between other code and the system.
    fn add_interposers(&self, to: &mut Candidates) {
        to.units.extend(&self.interposers);
        to.parts
            .extend(self.interposers.iter().map(|&unit| whole(unit)));
    }

    /// Whether a symbol is MPI's, and the program calls its procedure under the procedure's own name.
    fn is_called_by_program(&self, symbol: &str) -> bool {
        if !symbols::is_of_mpi(symbol) {
            return false;
        }
        let lower_case = symbol.to_ascii_lowercase();
        let bare = lower_case.trim_end_matches('_');
        let bare = bare.strip_suffix("_f08").unwrap_or(bare);
        // What is no procedure: COMMON blocks of constants.
        self.program.mpi_calls.contains(bare) || !base_data::mpi::functions::is_mpi_name(bare)
    }

    /// What the procedures that are called may do.
    pub(super) fn conclude(&self, called: &BTreeMap<&str, Sought>) -> Concluded {
        let mut concluded = Concluded::default();
        if let Some(unknown) = self.obstacle() {
            for &name in called.keys() {
                let conclusion = Conclusion {
                    unknown: Some(unknown.clone()),
                    ..Conclusion::default()
                };
                concluded.procedures.insert(name.to_string(), conclusion);
            }
            return concluded;
        }
        let mut candidates: BTreeMap<&str, Candidates> = BTreeMap::new();
        for (&name, &sought) in called {
            candidates.insert(name, self.candidates(name, sought));
        }
        let mut roots: BTreeSet<usize> = BTreeSet::new();
        for found in candidates.values() {
            roots.extend(&found.units);
        }
        for (number, unit) in self.linked.units.iter().enumerate() {
            if !unit.is_system && (!unit.is_member || self.is_linked_for_program(number)) {
                roots.insert(number);
            }
        }
        let component_of = self.components(&self.reached(&roots));
        let mut components: BTreeMap<usize, ComponentUse> = BTreeMap::new();
        for (&unit, &component) in &component_of {
            self.add_unit(components.entry(component).or_default(), unit);
        }
        let mut readers = ErrorReaders::default();
        for (name, found) in &candidates {
            readers.add(found.reads, || name.to_string());
        }
        for &unit in component_of.keys() {
            self.add_reads(unit, &mut readers);
        }
        // Such code may have handed addresses of the program to MPI and to other code, which then reaches the program, too.
        let reaches_program = components.values().any(|all| all.reaches_program)
            || candidates.values().any(|found| found.reaches_program);
        let numbers: Vec<usize> = components.keys().copied().collect();
        concluded.components = numbers.len();
        for (name, found) in candidates {
            let mut conclusion = Conclusion {
                may: found.of_system.unwrap_or_default(),
                ..Conclusion::default()
            };
            for unit in &found.units {
                let component = component_of[unit];
                let all = &components[&component];
                let Ok(number) = numbers.binary_search(&component) else {
                    continue;
                };
                conclusion.components.insert(number);
                if all.has_state {
                    conclusion.with_state.insert(number);
                }
                // What one of its units has been handed, all may call, and may pass to MPI.
                let mut own = self.reached_use(&found.parts, *unit);
                let is_directed = !own.may.calls_addresses && !all.reaches_program;
                if !is_directed {
                    own = all.clone();
                }
                conclusion.may.join(own.may);
                if conclusion.unknown.is_none() && !own.causes.is_empty() {
                    let chain = match is_directed {
                        true => self.chain_of_references(&found.parts, *unit, &own.causes),
                        false => self.chain_of_component(*unit, &component_of, &own.causes),
                    };
                    conclusion.unknown = Some(UnknownExternal {
                        library: Some(self.linked.units[*unit].library.clone()),
                        chain,
                        reaches_program,
                    });
                }
            }
            let is_vouched =
                !found.units.is_empty() && found.units.iter().all(|&unit| self.is_vouched(unit));
            if conclusion.unknown.is_none()
                && !is_vouched
                && let Some(chain) = readers.obstacle(conclusion.may)
            {
                conclusion.unknown = Some(UnknownExternal {
                    library: None,
                    chain,
                    reaches_program,
                });
            }
            if let Some(chain) = found.unknown {
                let first = found.units.first();
                let library = first.map(|&unit| self.linked.units[unit].library.clone());
                conclusion.unknown = Some(UnknownExternal {
                    library,
                    chain,
                    reaches_program,
                });
            }
            if let Some(unknown) = &mut conclusion.unknown {
                unknown.reaches_program = reaches_program;
            }
            concluded.procedures.insert(name.to_string(), conclusion);
        }
        concluded
    }

    /// Whether the program refers to something that a member of an archive defines, which is linked then. A COMMON block may be one
    /// to which that member gives values.
    fn is_linked_for_program(&self, number: usize) -> bool {
        let is_named = |name: &String| self.is_of_program(name) || self.may_be_referred(name);
        self.linked.units[number].defined.iter().any(is_named)
    }

    /// The units whose code may run if that of `roots` does.
    fn reached(&self, roots: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut reached = roots.clone();
        let mut pending: Vec<usize> = roots.iter().copied().collect();
        while let Some(unit) = pending.pop() {
            for next in self.referred(unit) {
                if reached.insert(next) {
                    pending.push(next);
                }
            }
        }
        reached
    }

    /// The units that one refers to, and those that define the same names: a linker may take either definition.
    fn referred(&self, unit: usize) -> Vec<usize> {
        if self.is_vouched(unit) {
            return Vec::new();
        }
        let mut found = Vec::new();
        let unit = &self.linked.units[unit];
        for name in unit.undefined.iter().chain(&unit.defined) {
            if let Some(definers) = self.definers.get(name.as_str()) {
                found.extend(definers);
            }
            if self.of_system.contains(name.as_str()) {
                found.extend(&self.interposers);
            }
        }
        found
    }

    /// The component of each of some units: its smallest unit.
    fn components(&self, units: &BTreeSet<usize>) -> BTreeMap<usize, usize> {
        let neighbours = self.neighbours(units);
        let mut component_of = BTreeMap::new();
        for &first in units {
            if component_of.contains_key(&first) {
                continue;
            }
            component_of.insert(first, first);
            let mut pending = vec![first];
            while let Some(unit) = pending.pop() {
                for &next in neighbours.get(&unit).into_iter().flatten() {
                    if component_of.insert(next, first).is_none() {
                        pending.push(next);
                    }
                }
            }
        }
        component_of
    }

    /// The references among units, in both directions.
    fn neighbours(&self, units: &BTreeSet<usize>) -> BTreeMap<usize, BTreeSet<usize>> {
        let mut neighbours: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for &unit in units {
            for next in self.referred(unit) {
                if units.contains(&next) && next != unit {
                    neighbours.entry(unit).or_default().insert(next);
                    neighbours.entry(next).or_default().insert(unit);
                }
            }
        }
        neighbours
    }

    /// Adds what a unit may do by itself.
    fn add_unit(&self, to: &mut ComponentUse, number: usize) {
        let unit = &self.linked.units[number];
        match self.vouchers[number] {
            Some(Voucher::User) => return to.may.join(TRUSTED),
            Some(Voucher::Standard) => return to.may.join(numerical_libraries::MAY),
            None => {}
        }
        to.has_state |= unit.has_state;
        to.may.calls_addresses |= unit.calls_addresses;
        let mut causes = Vec::new();
        for name in &unit.defined {
            if self.is_of_program(name) {
                causes.push(name.clone());
                to.reaches_program = true;
            }
        }
        // Variables of modules without source, which the program reads under names that are not known.
        for name in &unit.data {
            if !symbols::is_of_the_linker(name) && self.may_be_referred(name) {
                causes.push(name.clone());
                to.reaches_program = true;
            }
        }
        for name in &unit.undefined {
            match self.reference(name) {
                Some(may) => to.may.join(may),
                None => {
                    causes.push(name.clone());
                    to.reaches_program |= self.may_reach_program(name);
                }
            }
        }
        causes.extend(unit.instruction.clone());
        if unit.has_thread_variables {
            causes.push("variables of threads".to_string());
        }
        if let Some(cause) = causes.first() {
            to.causes.insert(whole(number), cause.clone());
        }
    }

    /// The parts of the code of a unit that a name leads to: none if it is the name of data.
    fn parts_named(&self, number: usize, name: &str) -> Vec<CodePart> {
        let unit = &self.linked.units[number];
        if unit.functions.is_empty() {
            return vec![whole(number)];
        }
        if unit.data.iter().any(|data| data == name) {
            return Vec::new();
        }
        for (index, function) in unit.functions.iter().enumerate() {
            if function.defined.iter().any(|defined| defined == name) {
                return vec![CodePart {
                    unit: number,
                    function: Some(index),
                }];
            }
        }
        vec![whole(number)]
    }

    /// The code to which a part of the code refers. As in [`Self::referred`], a linker may take any definition of a name.
    fn next_parts(&self, part: CodePart) -> Vec<CodePart> {
        if self.is_vouched(part.unit) {
            return Vec::new();
        }
        let unit = &self.linked.units[part.unit];
        let mut found = Vec::new();
        let (referred, defined) = match part.function {
            Some(index) => {
                let function = &unit.functions[index];
                for &function in &function.functions {
                    found.push(CodePart {
                        unit: part.unit,
                        function: Some(function),
                    });
                }
                (&function.referred, &function.defined)
            }
            None => (&unit.undefined, &unit.defined),
        };
        for name in referred.iter().chain(defined) {
            for &definer in self.definers.get(name.as_str()).into_iter().flatten() {
                found.extend(self.parts_named(definer, name));
            }
            if self.of_system.contains(name.as_str()) {
                found.extend(self.interposers.iter().map(|&unit| whole(unit)));
            }
        }
        found
    }

    /// What the code of a procedure in a unit, and all to which that code refers, may do.
    fn reached_use(&self, parts: &BTreeSet<CodePart>, unit: usize) -> ComponentUse {
        let mut all = ComponentUse::default();
        let mut pending: Vec<CodePart> = parts.iter().copied().collect();
        pending.retain(|part| part.unit == unit);
        let mut reached: BTreeSet<CodePart> = pending.iter().copied().collect();
        while let Some(part) = pending.pop() {
            self.add_part(&mut all, part);
            for next in self.next_parts(part) {
                if reached.insert(next) {
                    pending.push(next);
                }
            }
        }
        all
    }

    /// Adds what a part of the code may do by itself.
    fn add_part(&self, to: &mut ComponentUse, part: CodePart) {
        let unit = &self.linked.units[part.unit];
        let Some(index) = part.function.filter(|_| !self.is_vouched(part.unit)) else {
            return self.add_unit(to, part.unit);
        };
        let function = &unit.functions[index];
        to.may.calls_addresses |= function.calls_addresses;
        let mut cause = function.instruction.clone();
        for name in &function.referred {
            match self.reference(name) {
                Some(may) => to.may.join(may),
                None => cause = Some(name.clone()),
            }
        }
        if unit.has_thread_variables {
            cause.get_or_insert_with(|| "variables of threads".to_string());
        }
        if let Some(cause) = cause {
            to.causes.insert(part, cause);
        }
    }

    /// What code may do that refers to a symbol, beside what the units do that define it; `None` for anything.
    fn reference(&self, name: &str) -> Option<SymbolUse> {
        // Also where a unit defines it: MPI's profiling interface stands between the program and MPI.
        if self.is_of_program(name) || symbols::is_of_mpi(name) {
            return None;
        }
        if self.of_system.contains(name) {
            return match symbols::system_symbol(name) {
                SystemSymbol::Mpi | SystemSymbol::Unlisted(_) => None,
                SystemSymbol::Listed(may) => Some(may),
            };
        }
        self.is_defined(name).then(SymbolUse::default)
    }

    /// Whether code may reach variables and procedures of the program by a symbol that breaks the proof, of whatever they are not
    /// passed.
    fn may_reach_program(&self, name: &str) -> bool {
        if self.is_of_program(name) {
            return true;
        }
        if self.of_system.contains(name) {
            return !symbols::is_of_process(name);
        }
        // MPI's own library is not read.
        !self.is_defined(name) && !symbols::is_of_mpi(name)
    }

    /// Whether units of the link define what another one refers to. What none defines may be in a library that is not read, such as
    /// MPI's.
    fn is_defined(&self, name: &str) -> bool {
        self.definers.contains_key(name) || symbols::is_of_start_files(name)
    }

    /// Adds what a unit reads of the states that other code leaves behind.
    fn add_reads(&self, number: usize, to: &mut ErrorReaders) {
        if self.is_vouched(number) {
            return;
        }
        let unit = &self.linked.units[number];
        let place = |what: &str| format!("{} → {what}", unit.name);
        if unit.reads_errors
            && let Some(instruction) = &unit.instruction
        {
            to.add(ErrorReads::ALL, || place(instruction));
        }
        if unit.has_thread_variables {
            // The error number is one.
            to.add(ErrorReads::ALL, || place("variables of threads"));
        }
        for name in &unit.undefined {
            if symbols::is_of_mpi(name) || self.is_of_program(name) {
                continue;
            }
            if self.of_system.contains(name.as_str()) {
                match symbols::system_symbol(name) {
                    SystemSymbol::Unlisted(reads) => to.add(reads, || place(name)),
                    SystemSymbol::Listed(may) if may.prints && to.printers.is_none() => {
                        to.printers = Some(place(name));
                    }
                    SystemSymbol::Listed(_) | SystemSymbol::Mpi => {}
                }
            } else if !self.is_defined(name) {
                to.add(ErrorReads::ALL, || place(name));
            }
        }
    }

    /// Whether a symbol may be a name of the program: a compiler may add underscores and the name of a module to it.
    fn is_of_program(&self, symbol: &str) -> bool {
        if self.program.labels.contains(symbol) || self.linked.of_program.contains(symbol) {
            return true;
        }
        // The C library's own names: a procedure of the program has an underscore at its end.
        let is_decorated = symbol.starts_with('_') || symbol.ends_with('_');
        if !is_decorated && self.is_of_system(symbol) {
            return false;
        }
        let lower_case = symbol.to_ascii_lowercase();
        let bare = lower_case.trim_matches('_');
        if self.program.global.contains(bare) {
            return true;
        }
        if self.program.modules.is_empty() {
            return false;
        }
        // `__m_MOD_x`, `m_mp_x_`, `_QMmEx`, `m_x_`.
        let contains_module = |module: &String| match bare.strip_prefix("qm") {
            Some(rest) if symbol.starts_with("_QM") => rest.starts_with(module.as_str()),
            _ => bare
                .strip_prefix(module.as_str())
                .is_some_and(|rest| rest.starts_with("_mod_") || rest.starts_with("_mp_")),
        };
        self.program.modules.iter().any(contains_module)
    }

    /// Whether only a system library defines a symbol.
    fn is_of_system(&self, symbol: &str) -> bool {
        !self.definers.contains_key(symbol) && self.of_system.contains(symbol)
    }

    /// The chain from a unit to what breaks the proof, if that may be anywhere in its component.
    fn chain_of_component(
        &self,
        unit: usize,
        component_of: &BTreeMap<usize, usize>,
        causes: &BTreeMap<CodePart, String>,
    ) -> String {
        let own = component_of.get(&unit);
        let mut all = BTreeSet::new();
        for (&other, component) in component_of {
            if own == Some(component) {
                all.insert(other);
            }
        }
        let neighbours = self.neighbours(&all);
        let next = |part: CodePart| {
            let units = neighbours.get(&part.unit).into_iter().flatten();
            units.map(|&unit| whole(unit)).collect()
        };
        self.chain(&[whole(unit)], next, causes)
    }

    /// The same if it is among the code that the procedure refers to.
    fn chain_of_references(
        &self,
        parts: &BTreeSet<CodePart>,
        unit: usize,
        causes: &BTreeMap<CodePart, String>,
    ) -> String {
        let mut own: Vec<CodePart> = parts.iter().copied().collect();
        own.retain(|part| part.unit == unit);
        self.chain(&own, |part| self.next_parts(part), causes)
    }

    /// A shortest chain from one of some code parts to one that breaks the proof; `←` where only the next unit refers to the one
    /// before.
    fn chain(
        &self,
        first: &[CodePart],
        next: impl Fn(CodePart) -> Vec<CodePart>,
        causes: &BTreeMap<CodePart, String>,
    ) -> String {
        let mut from: BTreeMap<CodePart, CodePart> = BTreeMap::new();
        let mut pending: VecDeque<CodePart> = first.iter().copied().collect();
        let mut seen: BTreeSet<CodePart> = first.iter().copied().collect();
        let mut last = first[0];
        while let Some(part) = pending.pop_front() {
            if causes.contains_key(&part) {
                last = part;
                break;
            }
            for next in next(part) {
                if seen.insert(next) {
                    from.insert(next, part);
                    pending.push_back(next);
                }
            }
        }
        let mut path = vec![last];
        while let Some(&before) = from.get(&path[path.len() - 1]) {
            path.push(before);
        }
        path.reverse();
        let mut units: Vec<usize> = path.iter().map(|part| part.unit).collect();
        units.dedup();
        let mut text = self.linked.units[units[0]].name.clone();
        for pair in units.windows(2) {
            let arrow = match self.referred(pair[0]).contains(&pair[1]) {
                true => " → ",
                false => " ← ",
            };
            text += arrow;
            text += &self.linked.units[pair[1]].name;
        }
        if let Some(symbol) = causes.get(&last) {
            text += " → ";
            text += symbol;
        }
        text
    }
}

/// All code of a unit.
fn whole(unit: usize) -> CodePart {
    CodePart {
        unit,
        function: None,
    }
}

/// A procedure of the compiler, or of an intrinsic module.
fn candidates_of_compiler(name: &str) -> Candidates {
    let mut found = Candidates::default();
    match symbols::compiler_procedure(name) {
        SystemSymbol::Listed(may) => found.of_system = Some(may),
        SystemSymbol::Mpi => return Candidates::unknown(name.to_string()),
        SystemSymbol::Unlisted(reads) => {
            found.unknown = Some(format!("no file of the link defines {name}_"));
            found.reaches_program = true;
            found.reads = reads;
        }
    }
    found
}

/// The symbols that compilers give an external procedure: GNU, Intel, LLVM and Cray; F2C; IBM; old ones; LLVM's own.
fn external_symbols(name: &str) -> Vec<String> {
    vec![
        format!("{name}_"),
        format!("{name}__"),
        name.to_string(),
        name.to_ascii_uppercase(),
        format!("_QP{name}"),
    ]
}
