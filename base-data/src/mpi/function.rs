//! One row of the tables of MPI functions ([`super::functions`], [`super::unsupported`]), and the names that are derived
//! from it.

use super::roles::{Argument, FunctionKind, Role};

/// How far this version goes with a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Support {
    /// Runs under the token runtime, is recorded, and is predicted.
    Full,
    /// Runs under the token runtime, but recordings have no form for it: a recording ends at a call
    /// that communicates, and `prepare` and `predict` refuse it.
    Runs,
    /// Known to exist and understood by the analysis, but refused by `prepare` and `predict`.
    NotYet,
}

impl Support {
    /// Whether the token runtime runs it.
    pub const fn runs(self) -> bool {
        match self {
            Self::Full | Self::Runs => true,
            Self::NotYet => false,
        }
    }

    /// Whether it can be recorded and predicted.
    pub const fn is_predicted(self) -> bool {
        match self {
            Self::Full => true,
            Self::Runs | Self::NotYet => false,
        }
    }
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// The standard's name, `MPI_Send`.
    pub name: &'static str,
    /// What it does.
    pub kind: FunctionKind,
    /// Arguments in order, without Fortran's `ierror`.
    pub arguments: &'static [Argument],
    /// How far this version goes with it.
    pub support: Support,
}

impl Function {
    /// `PMPI_Send`.
    pub fn profiling_name(&self) -> String {
        format!("P{}", self.name)
    }

    /// `mpi_send`, as a Fortran program spells it in lower case.
    pub fn fortran_name(&self) -> String {
        self.name.to_ascii_lowercase()
    }

    /// `mpi_send_`, the symbol behind `mpif.h` and `use mpi`.
    pub fn fortran_symbol(&self) -> String {
        format!("{}_", self.fortran_name())
    }

    /// The symbol behind `use mpi_f08`: `mpi_wait_f08_`, or `mpi_send_f08ts_` with choice buffers.
    pub fn f08_symbol(&self) -> String {
        // Choice buffers are passed as descriptors of TS 29113, hence `ts`.
        let choice = self
            .arguments
            .iter()
            .any(|argument| argument.role.is_payload());
        format!(
            "{}_f08{}_",
            self.fortran_name(),
            if choice { "ts" } else { "" }
        )
    }

    /// Whether Fortran calls it as a function (`MPI_Wtime`), without `ierror`.
    pub fn is_fortran_function(&self) -> bool {
        self.kind == FunctionKind::Clock
            || ["MPI_Wtick", "MPI_Aint_add", "MPI_Aint_diff"].contains(&self.name)
    }

    /// Index of the first argument with this role.
    pub fn position(&self, role: Role) -> Option<usize> {
        self.arguments
            .iter()
            .position(|argument| argument.role == role)
    }
}

/// Rows of a table: name, kind, support, arguments with their roles.
macro_rules! rows {
    ($($name:literal $kind:ident $support:ident [$($argument:ident: $role:ident),*];)+) => {
        &[$(Function {
            name: $name,
            kind: FunctionKind::$kind,
            support: Support::$support,
            arguments: &[$(Argument { name: stringify!($argument), role: $role }),*],
        }),+]
    };
}

pub(super) use rows;
