//! Inputs and tools from which a file was made, and whether two files may be combined.

use crate::ids::Digest;
use serde::{Deserialize, Serialize};

/// Origin of a file. Fields that do not apply to a kind of file are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Provenance {
    /// Version of the tool that wrote it.
    pub tool_version: String,
    /// When, as `YYYY-MM-DDThh:mm:ssZ`; given by the caller, so that same input makes same bytes.
    pub date: String,
    /// Name of the program, for people.
    pub program: String,
    /// Digest over all sources.
    pub sources: Option<Digest>,
    /// Digest of the block table that ids refer to.
    pub block_map: Option<Digest>,
    /// Digest of standard input and program arguments.
    pub input: Option<Digest>,
    /// Program arguments, for people.
    pub arguments: Vec<String>,
    /// Ranks of the run it was made in; 0 where no program ran.
    pub ranks: u32,
    /// Compiler and version.
    pub compiler: String,
    /// Compiler flags.
    pub flags: String,
    /// Processing unit it was made on.
    pub pu: String,
    /// MPI library it was made with.
    pub mpi_library: String,
    /// How it was made: repetitions, targets, budgets, for people.
    pub method: String,
}

/// Something that differs between two files that are to be combined but need not forbid it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The difference: `compiler flags`, `input`.
    pub what: &'static str,
    /// In the first file.
    pub first: String,
    /// In the second.
    pub second: String,
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} differ: '{}' against '{}'",
            self.what, self.first, self.second
        )
    }
}

/// What differs between two files made from the same program: other compiler, flags, input,
/// arguments. Whether they are the same program is judged per block by key, not here.
pub fn mismatches(a: &Provenance, b: &Provenance) -> Vec<Mismatch> {
    let texts = [
        ("compilers", &a.compiler, &b.compiler),
        ("compiler flags", &a.flags, &b.flags),
    ];
    let mut found: Vec<Mismatch> = texts
        .into_iter()
        .filter(|(_, first, second)| !first.is_empty() && !second.is_empty() && first != second)
        .map(|(what, first, second)| Mismatch {
            what,
            first: first.clone(),
            second: second.clone(),
        })
        .collect();
    if let (Some(first), Some(second)) = (a.input, b.input)
        && first != second
    {
        let named = |p: &Provenance| {
            if p.arguments.is_empty() {
                "standard input".into()
            } else {
                p.arguments.join(" ")
            }
        };
        // Two inputs of one name differ by digest only, so its first digits are shown.
        let shown = |p: &Provenance, digest: Digest| match named(a) == named(b) {
            true => format!("{}, {:.8}", named(p), digest.to_string()),
            false => named(p),
        };
        found.push(Mismatch {
            what: "inputs",
            first: shown(a, first),
            second: shown(b, second),
        });
    }
    found
}
