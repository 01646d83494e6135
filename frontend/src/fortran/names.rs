//! Scopes: what a name stands for in a unit, through host and USE association.

use super::accessibility::Accessibility;
use super::mpi_constants::VisibleConstants;
use super::syntax::At;
use crate::ir::{Expression, ProcedureId, Type, VariableId};
use std::collections::{BTreeMap, BTreeSet};

/// Index of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScopeId(pub usize);

/// What a name stands for.
#[derive(Clone)]
pub enum Entity<'a> {
    /// A variable or named constant.
    Variable(VariableId),
    /// A procedure with source.
    Procedure(ProcedureId),
    /// A generic name with its specific procedures' names, and the scope in which they mean something.
    Generic(Vec<(ScopeId, String)>),
    /// A procedure that is declared EXTERNAL or by an interface, by its name.
    External(String),
    /// Declared INTRINSIC.
    Intrinsic(String),
    /// A statement function.
    Inline(Inline<'a>),
    /// A derived type, by [`Type::Derived`]'s name.
    DerivedType(String),
    /// A NAMELIST group with its members.
    Namelist(Vec<String>),
    /// A name that ASSOCIATE gave to this.
    Alias(Expression),
}

/// A statement function.
#[derive(Clone)]
pub struct Inline<'a> {
    /// What it computes.
    pub value: At<'a>,
}

/// How MPI's names come into a scope.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum MpiNames {
    /// They do not.
    #[default]
    Unknown,
    /// `mpif.h` is included: constants, and procedures whose arguments no compiler knows.
    Included,
    /// A module is used: procedures have interfaces.
    Used,
}

/// What an IMPLICIT statement says of a letter.
#[derive(Clone)]
pub struct Implicit<'a> {
    /// Type of names that begin with it.
    pub of_type: Type,
    /// Of CHARACTER: the type as it is written, and the scope of the statement, in which its length is evaluated.
    pub text: Option<(ScopeId, At<'a>)>,
}

/// A scope.
pub struct Scope<'a> {
    /// The scope around it.
    pub host: Option<ScopeId>,
    /// The procedure whose variables are declared here.
    pub procedure: Option<ProcedureId>,
    /// The module it is the scope of.
    pub module: Option<String>,
    /// Names declared or imported here.
    pub names: BTreeMap<String, Entity<'a>>,
    /// IMPLICIT rules by first letter; `None` is IMPLICIT NONE.
    pub implicit: [Option<Implicit<'a>>; 26],
    /// Whether MPI's names are known here.
    pub mpi: MpiNames,
    /// Constants of MPI that come in here under their own names; those of the scopes around are not among them.
    pub mpi_constants: VisibleConstants,
    /// Whether a module without source is used here, so that names may come from it.
    pub foreign: bool,
    /// Whether that module is no intrinsic one, so that procedures may come from it.
    pub sourceless: bool,
    /// Names that modules used here give to several things: no statement can use them.
    pub ambiguous: BTreeSet<String>,
    /// Which of a module's names are known where it is used.
    pub accessibility: Accessibility,
}

impl<'a> Scope<'a> {
    /// An empty scope with the default IMPLICIT rules, or its host's.
    pub fn new(host: Option<(ScopeId, &Scope<'a>)>) -> Scope<'a> {
        Scope {
            host: host.map(|(id, _)| id),
            procedure: host.and_then(|(_, scope)| scope.procedure),
            module: None,
            names: BTreeMap::new(),
            implicit: host.map_or_else(default_implicit, |(_, scope)| scope.implicit.clone()),
            mpi: host.map_or(MpiNames::Unknown, |(_, scope)| scope.mpi),
            mpi_constants: VisibleConstants::default(),
            foreign: host.is_some_and(|(_, scope)| scope.foreign),
            sourceless: host.is_some_and(|(_, scope)| scope.sourceless),
            ambiguous: BTreeSet::new(),
            accessibility: Accessibility::default(),
        }
    }

    /// The IMPLICIT rule for a name.
    pub fn implicit_rule(&self, name: &str) -> Option<&Implicit<'a>> {
        let letter = name.bytes().next().filter(u8::is_ascii_lowercase)?;
        self.implicit[(letter - b'a') as usize].as_ref()
    }

    /// Type of a name by the IMPLICIT rules.
    pub fn implicit_type(&self, name: &str) -> Option<Type> {
        self.implicit_rule(name).map(|rule| rule.of_type.clone())
    }
}

/// I to N are INTEGER, all other letters REAL.
fn default_implicit<'a>() -> [Option<Implicit<'a>>; 26] {
    std::array::from_fn(|letter| {
        let integer = (b'i' - b'a'..=b'n' - b'a').contains(&(letter as u8));
        let of_type = if integer {
            Type::Integer(4)
        } else {
            Type::Real(4)
        };
        Some(Implicit {
            of_type,
            text: None,
        })
    })
}
