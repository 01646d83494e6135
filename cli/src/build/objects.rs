//! Determines the objects that a linker takes: files, and of an archive the members that define a symbol that is still undefined.
//! Objects are identified by their digests, since builds copy and move them.

use base_data::ids::Digest;
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSymbol};
use std::collections::BTreeSet;
use std::path::Path;

/// First bytes of an archive.
const ARCHIVE: &[u8] = b"!<arch>\n";

/// What has been linked so far.
#[derive(Default)]
pub struct Linker {
    undefined: BTreeSet<Vec<u8>>,
    defined: BTreeSet<Vec<u8>>,
}

/// Symbols that an object defines and requires.
struct Symbols {
    defined: BTreeSet<Vec<u8>>,
    undefined: BTreeSet<Vec<u8>>,
}

impl Linker {
    /// Links a file and returns the digests of the objects taken from it. An unreadable file contributes none: the real linker
    /// has succeeded without it.
    pub fn take(&mut self, path: &Path) -> Vec<Digest> {
        let Ok(bytes) = std::fs::read(path) else {
            return Vec::new();
        };
        if bytes.starts_with(ARCHIVE) {
            return self.take_archive(&bytes);
        }
        if let Some(symbols) = symbols(&bytes) {
            self.add(symbols);
        }
        vec![Digest::of(&bytes)]
    }

    fn take_archive(&mut self, bytes: &[u8]) -> Vec<Digest> {
        let Ok(archive) = ArchiveFile::parse(bytes) else {
            return Vec::new();
        };
        let mut rest: Vec<&[u8]> = Vec::new();
        for member in archive.members().flatten() {
            rest.extend(member.data(bytes));
        }
        let mut taken = Vec::new();
        // A member that is taken may need members before it in the archive, so linkers search it until nothing changes.
        loop {
            let before = rest.len();
            rest.retain(|member| match symbols(member) {
                Some(found) if found.defined.is_disjoint(&self.undefined) => true,
                Some(found) => {
                    self.add(found);
                    taken.push(Digest::of(member));
                    false
                }
                // The symbols are unknown: a superfluous source is better than a missing procedure.
                None => {
                    taken.push(Digest::of(member));
                    false
                }
            });
            if rest.len() == before {
                return taken;
            }
        }
    }

    fn add(&mut self, symbols: Symbols) {
        self.defined.extend(symbols.defined);
        self.undefined.extend(symbols.undefined);
        self.undefined.retain(|name| !self.defined.contains(name));
    }
}

fn symbols(bytes: &[u8]) -> Option<Symbols> {
    let file = object::File::parse(bytes).ok()?;
    let mut symbols = Symbols {
        defined: BTreeSet::new(),
        undefined: BTreeSet::new(),
    };
    // Local symbols take no part in linking.
    for symbol in file.symbols().filter(|symbol| symbol.is_global()) {
        let set = if symbol.is_undefined() {
            &mut symbols.undefined
        } else {
            &mut symbols.defined
        };
        set.extend(symbol.name_bytes().map(<[u8]>::to_vec));
    }
    Some(symbols)
}
