//! A program unit or procedure, as it is found in the sources.

use super::names::ScopeId;
use super::syntax::At;
use crate::ir::ProcedureId;

/// Kind of a unit.
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
    /// Its kind.
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
