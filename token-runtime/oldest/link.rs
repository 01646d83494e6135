//! For the build scripts of the shared objects: links against libraries that have only what the GNU C library 2.17
//! had, each symbol at the newest version of that time. Symbols that came later and are not needed by
//! all means (weak references of the standard library) stay without version. Does not know what is built.

use object::Endianness;
use object::elf::{FileHeader64, SHN_ABS, SHN_UNDEF, SHT_DYNSYM, STT_OBJECT};
use object::read::elf::{FileHeader, Sym};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The newest version that may be needed: systems of 2014 (CentOS 7) have it.
const FLOOR: [u32; 3] = [2, 17, 0];
/// Where the functions lived that moved to `libc.so.6` since, by how their names begin; the first that fits.
const OLD_HOMES: [(&str, &str); 6] = [
    ("dl", "libdl.so.2"),
    ("shm_", "librt.so.1"),
    ("mq_", "librt.so.1"),
    ("timer_", "librt.so.1"),
    ("aio_", "librt.so.1"),
    ("", "libpthread.so.0"),
];
const LIBRARY: &str = "libc.so.6";
/// How the names of functions for threads begin.
const OF_THREADS: &str = "pthread_";

/// A symbol as it was.
struct Symbol {
    version: [u32; 3],
    is_object: bool,
    home: &'static str,
}

/// Makes the libraries in the build script's folder and has the linker search them first. Leaves linking as it is
/// where the C library is not GNU's or the compiler's own is not the target's.
pub fn against_old_c_library() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=../oldest");
    let variable = |name| std::env::var(name).unwrap_or_default();
    let is_here = variable("HOST") == variable("TARGET");
    let is_known = is_here
        && variable("CARGO_CFG_TARGET_ENV") == "gnu"
        && variable("CARGO_CFG_TARGET_POINTER_WIDTH") == "64";
    if !is_known {
        return Ok(());
    }
    let folder = PathBuf::from(variable("OUT_DIR")).join("oldest");
    std::fs::create_dir_all(&folder)?;
    let symbols = symbols(&std::fs::read(c_library()?)?)?;
    for library in [LIBRARY, "libpthread.so.0", "libdl.so.2", "librt.so.1"] {
        make(&folder, library, &symbols)?;
    }
    let calls = folder.join("calls.o");
    run(Command::new("gcc")
        .args(["-O2", "-fPIC", "-c", "../oldest/calls.c", "-o"])
        .arg(&calls))?;
    println!("cargo:rustc-cdylib-link-arg={}", calls.display());
    println!("cargo:rustc-cdylib-link-arg=-L{}", folder.display());
    Ok(())
}

/// The C library that the compiler links with.
fn c_library() -> Result<PathBuf, Box<dyn Error>> {
    let output = Command::new("gcc")
        .arg(format!("-print-file-name={LIBRARY}"))
        .output()?;
    Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim()))
}

/// What it had at the floor.
fn symbols(data: &[u8]) -> Result<BTreeMap<String, Symbol>, Box<dyn Error>> {
    let header = FileHeader64::<Endianness>::parse(data)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, data)?;
    let table = sections.symbols(endian, data, SHT_DYNSYM)?;
    let versions = sections
        .versions(endian, data)?
        .ok_or("the C library has no versions")?;
    let mut found: BTreeMap<String, Symbol> = BTreeMap::new();
    let mut moved = Vec::new();
    let mut linkable = BTreeSet::new();
    for (index, symbol) in table.enumerate() {
        if [SHN_UNDEF, SHN_ABS].contains(&symbol.st_shndx(endian)) {
            continue;
        }
        let number_of_version = versions.version_index(endian, index);
        let Some(version) = versions.version(number_of_version.index())? else {
            continue;
        };
        let Some(version) = number(std::str::from_utf8(version.name())?) else {
            continue;
        };
        let name = std::str::from_utf8(table.symbol_name(endian, symbol)?)?.to_string();
        if !number_of_version.is_hidden() {
            linkable.insert(name.clone());
        }
        if version > FLOOR {
            moved.push(name);
            continue;
        }
        let is_object = symbol.st_type() == STT_OBJECT;
        let newest = found
            .get(&name)
            .map_or(version, |other| other.version.max(version));
        found.insert(
            name,
            Symbol {
                version: newest,
                is_object,
                home: LIBRARY,
            },
        );
    }
    // Programs of today have their own copy of a function that they cannot link (`pthread_atfork`); it has moved as well.
    for name in found.keys() {
        if name.starts_with(OF_THREADS) && !linkable.contains(name) {
            moved.push(name.clone());
        }
    }
    for name in moved {
        if let Some(symbol) = found.get_mut(&name) {
            symbol.home = old_home(&name);
        }
    }
    Ok(found)
}

/// `GLIBC_2.3.4` in numbers.
fn number(version: &str) -> Option<[u32; 3]> {
    let mut parts = version.strip_prefix("GLIBC_")?.split('.').map(str::parse);
    let mut part = || parts.next().map_or(Some(0), Result::ok);
    Some([part()?, part()?, part()?])
}

fn old_home(name: &str) -> &'static str {
    let fits = OLD_HOMES
        .iter()
        .find(|(beginning, _)| name.starts_with(beginning));
    fits.map_or(LIBRARY, |(_, home)| home)
}

/// A library without code that the linker takes for the real one.
fn make(
    folder: &Path,
    library: &str,
    symbols: &BTreeMap<String, Symbol>,
) -> Result<(), Box<dyn Error>> {
    let mut text = String::from(".section .note.GNU-stack,\"\",%progbits\n.data\n");
    let mut nodes: BTreeMap<[u32; 3], String> = BTreeMap::new();
    for (name, symbol) in symbols.iter().filter(|(_, symbol)| symbol.home == library) {
        let kind = if symbol.is_object {
            "object"
        } else {
            "function"
        };
        writeln!(
            text,
            ".globl {name}\n.type {name}, %{kind}\n.size {name}, 8\n{name}: .quad 0"
        )?;
        write!(nodes.entry(symbol.version).or_default(), " {name};")?;
    }
    let mut script = String::new();
    for (version, names) in nodes {
        writeln!(script, "{} {{ global:{names} }};", name_of(version))?;
    }
    let stem = library.split('.').next().unwrap_or(library);
    let [source, map, made] =
        ["s", "map", "so"].map(|ending| folder.join(format!("{stem}.{ending}")));
    std::fs::write(&source, text)?;
    std::fs::write(&map, script)?;
    let mut gcc = Command::new("gcc");
    gcc.args(["-shared", "-nostdlib", "-fPIC", "-Wl,--no-gc-sections"]);
    gcc.arg(format!("-Wl,-soname,{library}"))
        .arg(format!("-Wl,--version-script={}", map.display()));
    run(gcc.arg(&source).arg("-o").arg(made))
}

fn name_of([major, minor, patch]: [u32; 3]) -> String {
    let patch = if patch == 0 {
        String::new()
    } else {
        format!(".{patch}")
    };
    format!("GLIBC_{major}.{minor}{patch}")
}

fn run(command: &mut Command) -> Result<(), Box<dyn Error>> {
    let status = command.status()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{command:?} failed: {status}").into())
    }
}
