//! What derived types bind to names, and callees that are one of several procedures.

use super::names::ScopeId;
use crate::ir::{Callee, ProcedureId};

/// What is bound to a derived type.
pub struct Bound {
    /// Where its procedures' names are known.
    pub scope: ScopeId,
    /// Its own bindings.
    pub bindings: Vec<Binding>,
}

/// One binding.
#[derive(Clone, Debug)]
pub enum Binding {
    /// `PROCEDURE :: name => procedure`.
    Specific {
        /// The name in calls.
        name: String,
        /// The procedure; `None` if extensions must define it (DEFERRED).
        procedure: Option<String>,
        /// Whether the object is passed.
        passes: bool,
        /// The dummy it is passed as; the first without.
        pass: Option<String>,
    },
    /// `GENERIC :: name => specifics`.
    Generic {
        /// The name in calls; `operator(+)` and the like in one spelling.
        name: String,
        /// Names of specific bindings.
        specifics: Vec<String>,
    },
    /// FINAL: called when an object goes.
    Final(String),
}

/// A callee that is one of these.
pub fn one_of(mut procedures: Vec<ProcedureId>) -> Callee {
    procedures.sort_unstable();
    procedures.dedup();
    match procedures[..] {
        [only] => Callee::Procedure(only),
        _ => Callee::OneOf(procedures),
    }
}
