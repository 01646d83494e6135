//! Attribute caching: keyvals, the keys of attributes of communicators and datatypes.

use crate::arguments::{Function, Language};

/// Kind of the objects that carry attributes of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Communicator,
    Datatype,
}

/// Which form of the program's functions, by how wide their values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Pointers in C.
    C,
    /// Numbers as wide as an address.
    Fortran,
    /// Plain integers: the functions that MPI 2 replaced.
    OldFortran,
}

impl Form {
    /// The form of a language's functions today.
    pub fn of(language: Language) -> Self {
        match language {
            Language::C => Self::C,
            Language::Fortran => Self::Fortran,
        }
    }

    /// The form of a language's functions that were replaced.
    pub fn old(language: Language) -> Self {
        match language {
            Language::C => Self::C,
            Language::Fortran => Self::OldFortran,
        }
    }

    /// The language.
    pub fn language(self) -> Language {
        match self {
            Self::C => Language::C,
            Self::Fortran | Self::OldFortran => Language::Fortran,
        }
    }
}

/// A key.
#[derive(Clone, Debug)]
pub struct Keyval {
    pub kind: ObjectKind,
    pub form: Form,
    pub copy: Function,
    pub delete: Function,
    pub extra_state: i64,
}
