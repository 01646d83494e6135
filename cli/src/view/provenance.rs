//! The origin of a file as a section: the same for every kind.

use super::document::{Section, SectionElement};
use super::numbers;
use base_data::provenance::Provenance;

/// What a file was made from and how; empty fields left out.
pub fn section(provenance: &Provenance) -> Section {
    let digest = |digest: Option<base_data::Digest>| {
        digest.map_or(String::new(), |digest| digest.to_string())
    };
    let ranks = match provenance.ranks {
        0 => String::new(),
        ranks => numbers::count(u64::from(ranks)),
    };
    Section::new(
        "provenance",
        [SectionElement::facts([
            ("program", provenance.program.clone()),
            ("arguments", provenance.arguments.join(" ")),
            ("ranks", ranks),
            ("compiler", provenance.compiler.clone()),
            ("flags", provenance.flags.clone()),
            ("processing unit", provenance.pu.clone()),
            ("MPI library", provenance.mpi_library.clone()),
            ("method", provenance.method.clone()),
            ("written by", written_by(provenance)),
            ("sources", digest(provenance.sources)),
            ("block table", digest(provenance.block_map)),
            ("input", digest(provenance.input)),
        ])],
    )
}

fn written_by(provenance: &Provenance) -> String {
    match (provenance.tool_version.as_str(), provenance.date.as_str()) {
        ("", "") => String::new(),
        ("", date) => date.into(),
        (version, "") => format!("mpiete {version}"),
        (version, date) => format!("mpiete {version}, {date}"),
    }
}
