//! Options of an analysis.

use crate::source::dialect::Dialect;
use base_data::program_data::{AssumedOutcome, AssumptionOrigin};
use std::collections::BTreeSet;

/// What to look at, and what the user vouches for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Options of the compiler's command line.
    pub dialect: Dialect,
    /// The part of the run to be predicted; `None` for all of it.
    pub section: Option<SectionRequest>,
    /// Names, in any case, of procedures without source that only compute: they call no MPI function and
    /// touch nothing but their array arguments. Others may do anything.
    pub data_only: Vec<String>,
    /// What the program is linked with beside its Fortran sources; `None` if that is not known.
    pub linked: Option<LinkedCode>,
    /// Names of libraries (`libhdf5`, `libhdf5.so`) for which the user vouches where symbols prove nothing: neither they nor
    /// what they call reach MPI or the program's variables and procedures.
    pub trusted: Vec<String>,
    /// What is assumed of conditions and bounds.
    pub assumptions: Vec<AssumptionRequest>,
    /// What may be assumed beside.
    pub proposals: Proposals,
    /// Whether to look for what could be assumed beside.
    pub suggested_assumptions: bool,
    /// Whether to look for what makes a large slice large.
    pub slice_cause: bool,
    /// Statement for which to report the assumptions that would remove it from the slice.
    pub removal_conditions: Option<LineRequest>,
}

/// Code without analysed source in a link: what its symbol tables say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkedCode {
    /// Objects, members of archives and shared libraries, in the order of the link.
    pub units: Vec<LinkUnit>,
    /// Inputs of the link whose symbols are not known: nothing is concluded then.
    pub unreadable: Vec<String>,
    /// Options of compilers and linkers whose effect on the link is not known: nothing is concluded either.
    pub unknown_options: Vec<String>,
    /// Names to which the objects of the program's Fortran sources refer and which none of them defines; `None` if that is not known.
    pub referred: Option<BTreeSet<String>>,
    /// Names that those objects define, as far as they are known.
    pub of_program: BTreeSet<String>,
}

impl LinkedCode {
    /// Names that the program refers to and that units beside the system's define: they determine which units are linked. In
    /// alphabetical order. None if nothing is concluded: no call is dropped then.
    pub fn references(&self) -> Vec<String> {
        if !self.unreadable.is_empty() || !self.unknown_options.is_empty() {
            return Vec::new();
        }
        let mut defined = BTreeSet::new();
        for unit in self.units.iter().filter(|unit| !unit.is_system) {
            defined.extend(&unit.defined);
        }
        let referred = self.referred.iter().flatten();
        referred
            .filter(|name| defined.contains(name))
            .cloned()
            .collect()
    }
}

/// Whether a file is the library of a name, with or without its ending and version.
pub fn is_library(file: &str, name: &str) -> bool {
    match file.strip_prefix(name) {
        Some(rest) => rest.is_empty() || rest.starts_with('.'),
        None => false,
    }
}

/// A unit of linked code: all of it is linked, or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkUnit {
    /// For messages: `libblas.a(dgemm.o)`.
    pub name: String,
    /// The file that contains it, for messages: `libblas.a`.
    pub library: String,
    /// Whether it is a member of an archive: linked only if something refers to it. Other units are, and what they do before the
    /// program begins happens in any case.
    pub is_member: bool,
    /// Whether it belongs to the C library or to a compiler, whose names are known; such a unit contains only names that it
    /// defines.
    pub is_system: bool,
    /// Names that it gives to other units: functions and data.
    pub defined: Vec<String>,
    /// Those of them that are no functions, as far as that is known.
    pub data: Vec<String>,
    /// Names of others that it refers to.
    pub undefined: Vec<String>,
    /// Whether it contains data that it can write: it may remember something from one call to the next.
    pub has_state: bool,
    /// An instruction that does more than to compute, to read and write memory and to call (`ldmxcsr`), or why its instructions are
    /// not known; `None` if it has no such instruction.
    pub instruction: Option<String>,
    /// Whether such instructions may read error numbers or floating-point flags that other code has set.
    pub reads_errors: bool,
    /// Whether it contains or refers to variables of threads, which have no address that its symbols show.
    pub has_thread_variables: bool,
    /// Whether it calls functions by addresses that it computes or finds in memory.
    pub calls_addresses: bool,
    /// Its functions, if each part of its code belongs to one; otherwise all of its code counts as one.
    pub functions: Vec<LinkFunction>,
}

/// A function of a unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkFunction {
    /// Names by which other units may call it; a static function has none.
    pub defined: Vec<String>,
    /// Names to which its code refers, including those that its own unit defines.
    pub referred: Vec<String>,
    /// Functions of the unit to which its code refers without a name, or whose code follows its own.
    pub functions: Vec<usize>,
    /// As in [`LinkUnit`].
    pub instruction: Option<String>,
    /// As in [`LinkUnit`].
    pub calls_addresses: bool,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineRequest {
    /// Path, or its last components, as the user types it.
    pub file: String,
    /// The line, 1-based.
    pub line: u32,
}

/// Which assumptions are made without a user's request; each is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proposals {
    /// None: whatever decides an MPI call is computed.
    None,
    /// Error exits on computed data are not taken.
    #[default]
    ErrorExits,
    /// Also the small cut: tests of computed values that end loops.
    All,
}

/// A user's statement about a condition or bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssumptionRequest {
    /// Path, or its last components, as the user types it.
    pub file: String,
    /// Line where the IF, ELSE IF or loop begins.
    pub line: u32,
    /// What is assumed.
    pub outcome: AssumedOutcome,
    /// Who says so.
    pub origin: AssumptionOrigin,
}

/// The part of the run to be predicted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionRequest {
    /// From line `first` to line `last` of a file, both inclusive, 1-based.
    Lines {
        /// Path, or its last components, as the user types it.
        file: String,
        /// First line.
        first: u32,
        /// Last line.
        last: u32,
    },
    /// The body of this procedure, in any case.
    Procedure(String),
    /// What the program itself times; the whole run where it times nothing that calls MPI.
    Timed,
}
