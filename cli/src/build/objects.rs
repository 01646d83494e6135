//! Determines the objects that a linker takes: files, and of an archive the members that define a symbol that is still undefined.
//! Objects are identified by their digests, since builds copy and move them.

use super::functions::{self, FunctionSymbols};
use super::machine_code::{self, MachineCode};
use base_data::ids::Digest;
use object::read::archive::ArchiveFile;
use object::read::elf::{Dyn, FileHeader};
use object::{
    Endianness, Object, ObjectKind, ObjectSection, ObjectSymbol, SectionFlags, SectionKind,
    SymbolKind, elf,
};
use serde::{Deserialize, Serialize};
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

/// What the symbol table of an object or a shared library says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectSymbols {
    /// Names that it gives to others, COMMON blocks included.
    pub defined: Vec<String>,
    /// Those of them that are no functions, or of an unknown kind.
    pub data: Vec<String>,
    /// Names of others that it refers to.
    pub undefined: Vec<String>,
    /// Whether it contains data that it can write.
    pub has_state: bool,
    /// Whether it contains or refers to variables of threads.
    pub has_thread_variables: bool,
    /// What its instructions do.
    pub code: MachineCode,
    /// Its functions, if it is an object in which each part of the code belongs to one.
    pub functions: Vec<FunctionSymbols>,
    /// Libraries that a shared library needs.
    pub needed: Vec<String>,
    /// Folders in which it looks for them.
    pub search_folders: Vec<String>,
}

/// Whether a file is an archive.
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(ARCHIVE)
}

/// Whether machine code is read: that of the program and of system libraries is known otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// It is.
    Read,
    /// It is not: it may do anything.
    Skipped,
}

/// The symbols of the members of an archive, each with its name; `None` if one cannot be read.
pub fn archive_symbols(bytes: &[u8], code: Code) -> Option<Vec<(String, ObjectSymbols)>> {
    let archive = ArchiveFile::parse(bytes).ok()?;
    // Its members are other files, which may have changed since.
    if archive.is_thin() {
        return None;
    }
    let mut members = Vec::new();
    for member in archive.members() {
        let member = member.ok()?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let symbols = object_symbols(member.data(bytes).ok()?, code)?;
        members.push((name, symbols));
    }
    Some(members)
}

/// The symbols of an object or a shared library; `None` if they are not known.
pub fn object_symbols(bytes: &[u8], code: Code) -> Option<ObjectSymbols> {
    let file = object::File::parse(bytes).ok()?;
    let is_shared = file.kind() == ObjectKind::Dynamic;
    let mut found = ObjectSymbols::default();
    for section in file.sections() {
        // Objects for link-time optimisation contain no symbols of machine code.
        if section.name_bytes().ok()?.starts_with(b".gnu.lto_") {
            return None;
        }
        found.has_state |= is_writable(&section, is_shared)?;
        found.has_thread_variables |= section.size() > 0
            && matches!(
                section.kind(),
                SectionKind::Tls | SectionKind::UninitializedTls
            );
    }
    match code {
        Code::Read => {
            let (code, instructions) = machine_code::read(&file);
            found.code = code;
            if !is_shared {
                found.functions = functions::of(&file, &instructions).unwrap_or_default();
            }
        }
        Code::Skipped => found.code = MachineCode::unknown("code that was not read"),
    }
    if is_shared {
        for symbol in file.dynamic_symbols() {
            add_symbol(&mut found, &symbol)?;
        }
        (found.needed, found.search_folders) = needed_libraries(bytes)?;
    } else {
        for symbol in file.symbols() {
            add_symbol(&mut found, &symbol)?;
        }
    }
    Some(found)
}

fn add_symbol<'data>(found: &mut ObjectSymbols, symbol: &impl ObjectSymbol<'data>) -> Option<()> {
    if !symbol.is_global() {
        return Some(());
    }
    let name = String::from_utf8_lossy(symbol.name_bytes().ok()?).into_owned();
    if name.is_empty() {
        return Some(());
    }
    found.has_state |= symbol.is_common();
    found.has_thread_variables |= symbol.kind() == SymbolKind::Tls;
    if !symbol.is_undefined() {
        if symbol.kind() != SymbolKind::Text {
            found.data.push(name.clone());
        }
        found.defined.push(name);
        return Some(());
    }
    found.undefined.push(name);
    Some(())
}

/// Whether a section contains data that its code can write; `None` if that is not known. Its name counts in one case only: the linker
/// makes `.data.rel.ro` of objects read-only after the loader has filled it. In a linked file, data of the user may be beside the
/// linker's tables in sections of any name.
fn is_writable<'data>(section: &impl ObjectSection<'data>, is_linked: bool) -> Option<bool> {
    let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
        return None;
    };
    if sh_flags & elf::SHF_WRITE == elf::SectionFlags(0) || section.size() == 0 {
        return Some(false);
    }
    let name = section.name_bytes().ok()?;
    let is_table = name == b".data.rel.ro" || name.starts_with(b".data.rel.ro.");
    Some(is_linked || !is_table)
}

/// The libraries that a shared library needs, and the folders that it names for them.
fn needed_libraries(bytes: &[u8]) -> Option<(Vec<String>, Vec<String>)> {
    let header = elf::FileHeader64::<Endianness>::parse(bytes).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, bytes).ok()?;
    let (mut needed, mut folders) = (Vec::new(), Vec::new());
    let Some((entries, strings)) = sections.dynamic(endian, bytes).ok()? else {
        return Some((needed, folders));
    };
    let strings = sections.strings(endian, bytes, strings).ok()?;
    for entry in entries {
        let text = || {
            let text = entry.string(endian, strings).ok()?;
            Some(String::from_utf8_lossy(text).into_owned())
        };
        match entry.tag(endian) {
            elf::DT_NEEDED => needed.push(text()?),
            elf::DT_RPATH | elf::DT_RUNPATH => folders.extend(text()?.split(':').map(String::from)),
            _ => {}
        }
    }
    Some((needed, folders))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// Whether the object of a C source, or the shared library of it, contains data that it can write.
    fn has_state(text: &str, flags: &[&str]) -> bool {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.c"), text).unwrap();
        let status = Command::new("gcc")
            .current_dir(folder.path())
            .args(flags)
            .args(["a.c", "-o", "a.out"])
            .status()
            .unwrap();
        assert!(status.success());
        let bytes = std::fs::read(folder.path().join("a.out")).unwrap();
        object_symbols(&bytes, Code::Read).unwrap().has_state
    }

    /// Names prove nothing: what can be written is memory, but for tables that only the loader fills.
    #[test]
    fn sections_that_code_can_write_are_its_memory() {
        let object = ["-c", "-fPIC"];
        for name in [
            ".gotham",
            ".got",
            ".got.plt",
            ".data.rel.romeo",
            ".note.state",
            ".comment2",
        ] {
            let text = format!("int v __attribute__((section(\"{name}\"))) = 2;\n");
            assert!(has_state(&text, &object), "{name}");
        }
        assert!(has_state("int v;\n", &object));
        assert!(!has_state(
            "double f(double x) { return x / 3; }\n",
            &object
        ));
        let table = "int f(int x) { return x; }\nint (*const all[1])(int) = {f};\n";
        assert!(!has_state(table, &object));
        // Beside the tables of a linked file the user's data may be.
        let own = "int v __attribute__((section(\".got\"))) = 2;\n";
        assert!(has_state(own, &["-shared", "-fPIC", "-nostdlib"]));
    }
}
