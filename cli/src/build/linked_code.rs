//! The symbol tables of what a program is linked with beside its Fortran sources: objects, members of archives, shared libraries and
//! the libraries that these need. What they prove is concluded in the frontend.

use super::Language;
use super::command_line::FLAGS_WITH_VALUE;
use super::mpi_libraries::{is_of_mpi, library_name};
use super::objects::{self, Code, ObjectSymbols};
use super::{references, wrapper};
use frontend::options::{LinkFunction, LinkUnit, LinkedCode, is_library};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Libraries of C, of compilers and of threads, whose names the frontend knows.
const SYSTEM: [&str; 35] = [
    "c",
    "c_nonshared",
    "m",
    "dl",
    "rt",
    "pthread",
    "util",
    "mvec",
    "gcc",
    "gcc_s",
    "gcc_eh",
    "gfortran",
    "quadmath",
    "gomp",
    "atomic",
    "stdc++",
    "supc++",
    "ifcore",
    "ifcoremt",
    "ifport",
    "imf",
    "svml",
    "irc",
    "intlc",
    "irng",
    "iomp5",
    "omp",
    "flang",
    "flangrti",
    "flang_rt.runtime",
    "FortranRuntime",
    "FortranDecimal",
    "nvf",
    "nvc",
    "pgmath",
];

/// Those that compilers link without a flag.
const IMPLICIT: [&str; 16] = [
    "libc.so.6",
    "libm.so.6",
    "libmvec.so.1",
    "libc_nonshared.a",
    "libgfortran.so",
    "libquadmath.so.0",
    "libgcc_s.so.1",
    "libgcc.a",
    "libgcc_eh.a",
    "libatomic.so.1",
    "libgomp.so.1",
    "libpthread.so.0",
    "libdl.so.2",
    "librt.so.1",
    "libstdc++.so.6",
    "ld-linux-x86-64.so.2",
];

/// Beginnings of compiler flags that add nothing to a link but libraries of the compiler itself.
const HARMLESS_FLAG_BEGINNINGS: [&str; 10] = [
    "-O",
    "-g",
    "-f",
    "-m",
    "-std=",
    "-W",
    "-D",
    "-U",
    "-I",
    "-static-lib",
];

/// Other such flags. `-static` is none: a slice is linked with shared libraries.
const HARMLESS_FLAGS: [&str; 9] = [
    "-pthread",
    "-shared",
    "-pie",
    "-no-pie",
    "-rdynamic",
    "-s",
    "-cpp",
    "-w",
    "-v",
];

/// Beginnings of flags that begin alike and may add other libraries, or do what is not known here.
const OTHER_FLAGS: [&str; 4] = ["-mkl", "-fcoarray", "-fplugin", "-gcc"];

/// Words for the linker that change neither what is linked nor which definition of a symbol counts.
const HARMLESS_WORDS: [&str; 31] = [
    "--as-needed",
    "--no-as-needed",
    "--start-group",
    "--end-group",
    "-(",
    "-)",
    "--no-gc-sections",
    "--export-dynamic",
    "-E",
    "--enable-new-dtags",
    "--disable-new-dtags",
    "--no-undefined",
    "--allow-shlib-undefined",
    "--no-allow-shlib-undefined",
    "--copy-dt-needed-entries",
    "--no-copy-dt-needed-entries",
    "--sort-common",
    "--eh-frame-hdr",
    "--relax",
    "--no-relax",
    "--warn-common",
    "--fatal-warnings",
    "--no-warn-mismatch",
    "--trace",
    "-t",
    "-s",
    "-S",
    "--strip-all",
    "--strip-debug",
    "-O1",
    "-O2",
];

/// Beginnings of others, each with its value.
const HARMLESS_BEGINNINGS: [&str; 9] = [
    // A symbol that nothing defines makes its library unknown in any case.
    "--unresolved-symbols=",
    "-rpath=",
    "--rpath=",
    "-rpath-link=",
    "--rpath-link=",
    "--build-id",
    "--hash-style",
    "-soname=",
    "--compress-debug-sections",
];

/// Others, each with its value in the next word.
const HARMLESS_WITH_VALUE: [&str; 7] = [
    "-rpath",
    "--rpath",
    "-rpath-link",
    "--rpath-link",
    "-soname",
    "-h",
    "-Map",
];

/// Values of `-z` that leave read-only data read-only, and the order in which symbols are found.
const HARMLESS_KEYWORDS: [&str; 8] = [
    "now",
    "lazy",
    "relro",
    "defs",
    "noexecstack",
    "origin",
    "separate-code",
    "noseparate-code",
];

/// Source of another language that the build compiled, with the symbols of its object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledUnit {
    /// Path of the source, as messages show it.
    pub path: String,
    /// `None` if its object is gone.
    pub symbols: Option<ObjectSymbols>,
}

/// The link of a program.
#[derive(Clone, Copy, Debug)]
pub struct LinkInputs<'a> {
    /// Words for the linker: files, libraries, its options.
    pub words: &'a [String],
    /// Flags of the commands that linked.
    pub flags: &'a [String],
    /// Sources of other languages than Fortran.
    pub compiled: &'a [CompiledUnit],
    /// Symbols of the objects of Fortran sources; `None` if those of some are not known.
    pub fortran: Option<&'a [ObjectSymbols]>,
    /// Archives of which the build compiled a part only.
    pub mixed: &'a [String],
}

/// Reads the link of a program. What the `trusted` libraries need is not read. A word or flag whose effect is not known makes the whole
/// link unknown.
pub fn read(inputs: LinkInputs, trusted: &[String]) -> LinkedCode {
    let compiler = wrapper::compiler(Language::Fortran);
    let mut reader = Reader {
        trusted,
        code: LinkedCode::default(),
        folders: Vec::new(),
        system_folders: system_folders(&compiler[0]),
        compiler: compiler[0].clone(),
        is_static: false,
        is_whole: false,
        pending: Vec::new(),
        seen: BTreeSet::new(),
    };
    for unit in inputs.compiled {
        match &unit.symbols {
            Some(symbols) => {
                let path = unit.path.clone();
                reader.add(symbols, unit_of(path.clone(), path));
            }
            None => reader.code.unreadable.push(unit.path.clone()),
        }
    }
    reader.code.unreadable.extend_from_slice(inputs.mixed);
    if let Some(objects) = inputs.fortran {
        reader.program(objects);
    }
    let mut flags = inputs.flags.iter().chain(&compiler[1..]);
    while let Some(flag) = flags.next() {
        if FLAGS_WITH_VALUE.contains(&flag.as_str()) && !is_linker_flag(flag) {
            flags.next();
        } else if !is_harmless_flag(flag) {
            reader.unknown_effect(flag);
        }
    }
    reader.words(inputs.words);
    // Libraries that shared libraries need; each may need further ones.
    while let Some((name, beside)) = reader.pending.pop() {
        reader.needed(&name, &beside);
    }
    for name in IMPLICIT {
        for path in reader.searched(name) {
            reader.file(&path);
        }
    }
    let of_threads =
        |unit: &LinkUnit, name: &String| unit.has_thread_variables && unit.data.contains(name);
    let mut unspoken = reader.code.references();
    unspoken.retain(|name| {
        let mut units = reader.code.units.iter();
        !references::is_spelled(name) || units.any(|unit| of_threads(unit, name))
    });
    if let Some(name) = unspoken.first() {
        // No procedure of the slice can refer to it, so other files might be linked.
        reader.unknown_effect(name);
    }
    reader.code
}

/// Whether a flag with a value is for the linker.
fn is_linker_flag(flag: &str) -> bool {
    ["-T", "-u", "-e", "-z", "-Xlinker", "-framework"].contains(&flag)
}

fn is_harmless_flag(flag: &str) -> bool {
    let begins = |all: &[&str]| all.iter().any(|one| flag.starts_with(one));
    let is_harmless = begins(&HARMLESS_FLAG_BEGINNINGS) || HARMLESS_FLAGS.contains(&flag);
    is_harmless && !begins(&OTHER_FLAGS)
}

/// The folders of the compiler's and the C library's own files. Without the variables that let users add folders.
fn system_folders(compiler: &str) -> BTreeSet<PathBuf> {
    let mut folders = BTreeSet::new();
    for name in IMPLICIT {
        let mut command = Command::new(compiler);
        for variable in ["LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX"] {
            command.env_remove(variable);
        }
        if let Some(path) = printed_path(&mut command, name)
            && let Ok(path) = path.canonicalize()
        {
            folders.extend(path.parent().map(Path::to_path_buf));
        }
    }
    folders
}

/// The path that a compiler prints for the name of a file.
fn printed_path(compiler: &mut Command, name: &str) -> Option<PathBuf> {
    let output = compiler
        .arg(format!("-print-file-name={name}"))
        .output()
        .ok()?;
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    // The compiler repeats a name that it does not find.
    (path.is_absolute() && path.is_file()).then_some(path)
}

struct Reader<'a> {
    /// Names of libraries for which the user vouches.
    trusted: &'a [String],
    code: LinkedCode,
    /// Folders of `-L`.
    folders: Vec<PathBuf>,
    /// Folders of the compiler's own libraries.
    system_folders: BTreeSet<PathBuf>,
    /// The compiler, which knows further folders.
    compiler: String,
    /// Whether archives come before shared libraries.
    is_static: bool,
    /// Whether all members of archives are linked.
    is_whole: bool,
    /// Names of libraries that shared libraries need, each with folders in which it may be.
    pending: Vec<(String, Vec<PathBuf>)>,
    /// Files that were read.
    seen: BTreeSet<PathBuf>,
}

impl Reader<'_> {
    /// Names of the objects of Fortran sources.
    fn program(&mut self, objects: &[ObjectSymbols]) {
        let mut defined = BTreeSet::new();
        let mut referred = BTreeSet::new();
        for object in objects {
            defined.extend(object.defined.iter().cloned());
            referred.extend(object.undefined.iter().cloned());
        }
        referred.retain(|name| !defined.contains(name));
        self.code.referred = Some(referred);
        self.code.of_program = defined;
    }

    /// A word of the link of which nothing is known.
    fn unknown_effect(&mut self, word: &str) {
        self.code.unknown_options.push(word.to_string());
    }

    fn words(&mut self, words: &[String]) {
        let mut flat: Vec<(String, bool)> = Vec::new();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            if word == "-Xlinker" {
                flat.extend(rest.next().map(|value| (value.clone(), true)));
            } else if let Some(parts) = word.strip_prefix("-Wl,") {
                flat.extend(parts.split(',').map(|part| (part.to_string(), true)));
            } else {
                flat.push((word.clone(), false));
            }
        }
        // A folder counts for all libraries of the line.
        for (word, is_for_linker) in &flat {
            match word.strip_prefix("-L") {
                // `-L` alone, `=` for the root of the system; a relative path is of a folder that is not known.
                Some(folder) if *is_for_linker || !folder.starts_with('/') => {
                    self.unknown_effect(word);
                }
                Some(folder) => self.folders.push(folder.into()),
                None => {}
            }
        }
        let mut rest = flat.iter();
        while let Some((word, is_for_linker)) = rest.next() {
            if *is_for_linker && HARMLESS_WITH_VALUE.contains(&word.as_str()) {
                rest.next();
            } else if *is_for_linker && word == "-z" {
                let keyword = rest.next().map_or("", |(keyword, _)| keyword);
                if !HARMLESS_KEYWORDS.contains(&keyword) {
                    self.unknown_effect(&format!("-z {keyword}"));
                }
            } else if *is_for_linker {
                self.linker_word(word);
            } else {
                self.word(word);
            }
        }
    }

    /// A word of the compiler's command line.
    fn word(&mut self, word: &str) {
        if is_of_mpi(word) || word.starts_with("-L") {
            return;
        }
        match word.strip_prefix("-l") {
            Some(name) if !name.is_empty() => self.library(name),
            None if is_linked_file(word) => self.file(Path::new(word)),
            Some(_) | None => self.unknown_effect(word),
        }
    }

    /// A word for the linker alone.
    fn linker_word(&mut self, word: &str) {
        match word {
            "-static" | "-Bstatic" | "-dn" | "-non_shared" => self.is_static = true,
            "-Bdynamic" | "-dy" | "-call_shared" => self.is_static = false,
            "--whole-archive" => self.is_whole = true,
            "--no-whole-archive" => self.is_whole = false,
            _ if HARMLESS_WORDS.contains(&word) => {}
            _ if HARMLESS_BEGINNINGS.iter().any(|one| word.starts_with(one)) => {}
            _ => match word.strip_prefix("--library=") {
                Some(name) => self.word(&format!("-l{name}")),
                None if word.starts_with("-l") || word.starts_with('/') => self.word(word),
                None => self.unknown_effect(word),
            },
        }
    }

    /// `-lNAME`: all files that it may be.
    fn library(&mut self, name: &str) {
        if is_of_mpi(&format!("-l{name}")) {
            return;
        }
        let files = match name.strip_prefix(':') {
            Some(file) => vec![file.to_string()],
            None if self.is_static => vec![format!("lib{name}.a"), format!("lib{name}.so")],
            None => vec![format!("lib{name}.so"), format!("lib{name}.a")],
        };
        let mut found = Vec::new();
        for folder in &self.folders {
            let paths = files.iter().map(|file| folder.join(file));
            found.extend(paths.into_iter().find(|path| path.is_file()));
        }
        if found.is_empty() {
            for file in &files {
                found = self.searched(file);
                if !found.is_empty() {
                    break;
                }
            }
        }
        if found.is_empty() {
            self.code.unreadable.push(format!("-l{name}"));
        }
        for path in found {
            self.file(&path);
        }
    }

    /// A library that a shared library needs: all files that it may be.
    fn needed(&mut self, name: &str, beside: &[PathBuf]) {
        if is_of_mpi(name) {
            return;
        }
        let mut found = Vec::new();
        for folder in beside.iter().chain(&self.folders) {
            found.push(folder.join(name));
        }
        found.retain(|path| path.is_file());
        found.extend(self.searched(name));
        if found.is_empty() {
            self.code.unreadable.push(name.to_string());
        }
        for path in found {
            self.file(&path);
        }
    }

    /// The files of a name in the folders that the compiler and the system search.
    fn searched(&self, name: &str) -> Vec<PathBuf> {
        let set = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let mut found: Vec<PathBuf> = std::env::split_paths(&set)
            .map(|folder| folder.join(name))
            .filter(|path| path.is_file())
            .collect();
        if let Some(path) = printed_path(&mut Command::new(&self.compiler), name) {
            found.push(path);
            return found;
        }
        let folders = ["/lib", "/usr/lib", "/lib64", "/usr/lib64", "/usr/local/lib"];
        let others = folders.iter().map(|folder| Path::new(folder).join(name));
        found.extend(others.into_iter().find(|path| path.is_file()));
        found
    }

    /// Whether a file is a library of C, of compilers or of threads: it has the name of one and is in their folders.
    fn is_system(&self, path: &Path) -> bool {
        let name = file_name(path);
        let is_named = name.starts_with("ld-linux")
            || library_name(&name).is_some_and(|name| SYSTEM.contains(&name));
        let folder = path.parent().unwrap_or(path);
        is_named && self.system_folders.contains(folder)
    }

    fn file(&mut self, path: &Path) {
        let same = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        if !self.seen.insert(same.clone()) {
            return;
        }
        let name = file_name(path);
        let Ok(bytes) = std::fs::read(path) else {
            return self.code.unreadable.push(name);
        };
        let is_system = self.is_system(&same);
        // A script such as `libc.so` names files that are read in any case.
        if is_system && bytes.starts_with(b"/* GNU ld script") {
            return;
        }
        let is_trusted = self.trusted.iter().any(|one| is_library(&name, one));
        let code = match is_system || is_trusted {
            true => Code::Skipped,
            false => Code::Read,
        };
        if objects::is_archive(&bytes) {
            let Some(members) = objects::archive_symbols(&bytes, code) else {
                return self.code.unreadable.push(name);
            };
            for (member, symbols) in members {
                let mut unit = unit_of(format!("{name}({member})"), name.clone());
                unit.is_member = !self.is_whole;
                unit.is_system = is_system;
                self.add(&symbols, unit);
            }
            return;
        }
        let Some(symbols) = objects::object_symbols(&bytes, code) else {
            return self.code.unreadable.push(name);
        };
        let mut folders: Vec<PathBuf> = Vec::new();
        let own = same.parent().map(Path::to_path_buf).unwrap_or_default();
        for folder in &symbols.search_folders {
            folders.push(folder.replace("$ORIGIN", &own.to_string_lossy()).into());
        }
        folders.push(own);
        if !is_system && !is_trusted {
            for needed in &symbols.needed {
                self.pending.push((needed.clone(), folders.clone()));
            }
        }
        let mut unit = unit_of(name.clone(), name);
        unit.is_system = is_system;
        self.add(&symbols, unit);
    }

    fn add(&mut self, symbols: &ObjectSymbols, mut unit: LinkUnit) {
        unit.defined.clone_from(&symbols.defined);
        unit.has_state = symbols.has_state;
        if !unit.is_system {
            unit.data.clone_from(&symbols.data);
            unit.undefined.clone_from(&symbols.undefined);
            unit.instruction.clone_from(&symbols.code.instruction);
            unit.reads_errors = symbols.code.reads_errors;
            unit.calls_addresses = symbols.code.calls_addresses;
            unit.has_thread_variables = symbols.has_thread_variables;
            for function in &symbols.functions {
                unit.functions.push(LinkFunction {
                    defined: function.defined.clone(),
                    referred: function.referred.clone(),
                    functions: function.functions.clone(),
                    instruction: function.instruction.clone(),
                    calls_addresses: function.calls_addresses,
                });
            }
        }
        self.code.units.push(unit);
    }
}

/// A unit without symbols.
fn unit_of(name: String, library: String) -> LinkUnit {
    LinkUnit {
        name,
        library,
        ..LinkUnit::default()
    }
}

/// Whether a word names an object, an archive or a shared library.
fn is_linked_file(word: &str) -> bool {
    let name = file_name(Path::new(word));
    !word.starts_with('-')
        && (name.ends_with(".o")
            || name.ends_with(".obj")
            || name.ends_with(".a")
            || name.ends_with(".so")
            || name.contains(".so."))
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What makes a link unknown of which these are the words and flags.
    fn obstacles(words: &[&str], flags: &[&str]) -> Vec<String> {
        let owned =
            |list: &[&str]| -> Vec<String> { list.iter().map(|one| one.to_string()).collect() };
        let inputs = LinkInputs {
            words: &owned(words),
            flags: &owned(flags),
            compiled: &[],
            fortran: None,
            mixed: &[],
        };
        let code = read(inputs, &[]);
        [code.unreadable, code.unknown_options].concat()
    }

    #[test]
    fn words_of_unknown_effect_make_a_link_unknown() {
        let harmless = [
            "-lm",
            "-lpthread",
            "-lmpich",
            "-Wl,-rpath,/x",
            "-Wl,-rpath",
            "-Wl,/x",
            "-Wl,--as-needed,-z,now",
            "-Xlinker",
            "--sort-common",
            "-Wl,--library=m",
        ];
        assert_eq!(
            obstacles(&harmless, &["-O2", "-fopenmp", "-march=native"]),
            [""; 0]
        );
        for word in [
            "-Wl,--wrap=f",
            "-Wl,--defsym,f=g",
            "-Wl,-u,f",
            "-Wl,-L/x",
            "-Wl,-Tx.ld",
            "-Wl,--gc-sections",
            "-Wl,-z,norelro",
            "-Wl,-z",
            "-L=/x",
            "x.ld",
            "-lnowhere",
        ] {
            assert_ne!(obstacles(&[word], &[]), [""; 0], "{word}");
        }
        for flag in [
            "-mkl=parallel",
            "-qmkl",
            "-nostdlib",
            "-static",
            "-z",
            "-u",
            "-T",
            "-fcoarray=lib",
            "--sysroot=/x",
            "-B/x",
        ] {
            assert_ne!(obstacles(&[], &[flag]), [""; 0], "{flag}");
        }
    }

    /// A library has the rights of the system's only if it is one of theirs.
    #[test]
    fn libraries_of_users_are_read_whatever_their_names_are() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().display();
        let status = Command::new("sh")
            .current_dir(folder.path())
            .args([
                "-c",
                "echo 'void work_(void) {}' > work.c && gcc -c work.c && ar rc libutil.a work.o",
            ])
            .status()
            .unwrap();
        assert!(status.success());
        let words = [format!("-L{here}"), "-lutil".to_string()];
        let inputs = LinkInputs {
            words: &words,
            flags: &[],
            compiled: &[],
            fortran: None,
            mixed: &[],
        };
        let code = read(inputs, &[]);
        let unit = code
            .units
            .iter()
            .find(|unit| unit.name == "libutil.a(work.o)")
            .unwrap();
        assert!(!unit.is_system && unit.is_member, "{unit:?}");
        let system = |name: &str| {
            let mut units = code.units.iter().filter(|unit| unit.is_system);
            units.any(|unit| unit.defined.iter().any(|one| one == name))
        };
        for name in [
            "memcpy",
            "sqrt",
            "__muldc3",
            "_gfortran_st_write",
            "GOMP_parallel",
            "__tls_get_addr",
        ] {
            assert!(system(name), "{name}");
        }
    }
}
