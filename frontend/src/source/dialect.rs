//! Options of the compiler's command line that change what the sources mean.

/// Options of the compiler's command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// Macros of the C preprocessor, `-DNAME=VALUE`.
    pub defines: Vec<(String, String)>,
}
