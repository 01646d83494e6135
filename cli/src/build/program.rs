//! Reconstructs the program that a build made: its sources, their flags, and the link inputs.

use super::command_line::Language;
use super::linked_code::CompiledUnit;
use super::log::{BuildLogEntry, Compiled, Linked, Log};
use super::mpi_libraries::is_of_mpi;
use super::objects::ObjectSymbols;
use crate::modules;
use crate::view::numbers;
use anyhow::{Result, bail};
use base_data::ids::Digest;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A program that a build made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The file written last.
    pub output: PathBuf,
    /// Its sources, in the order of linking, each with its text.
    pub sources: Vec<(Compiled, Vec<u8>)>,
    /// Other link inputs: libraries, objects that the build did not make.
    pub link: Vec<String>,
    /// Its sources in other languages than Fortran.
    pub units: Vec<CompiledUnit>,
    /// Symbols of the objects of its Fortran sources; `None` if those of some are not known.
    pub fortran: Option<Vec<ObjectSymbols>>,
    /// Archives of which the build compiled a part only.
    pub mixed: Vec<String>,
    /// Flags of the commands that linked it and its libraries.
    pub flags: Vec<String>,
}

/// The program that a build made, which calls MPI from one of the languages.
///
/// # Errors
/// It made none that does, or several and `named` names none of them.
pub fn select(
    log: &Log,
    named: Option<&str>,
    languages: &[Language],
    exists: impl Fn(&Path) -> bool,
) -> Result<Program> {
    let entries = log.read()?;
    let products = BuildProducts::of(&entries);
    let from_standard_input = products.from_standard_input.last();
    if products.is_empty() {
        if let Some(command) = from_standard_input {
            bail!(not_recorded(command));
        }
        bail!(
            "the build compiled nothing that mpiete intercepted: everything is up to date (clean \
            the build first), or it calls its compilers by their paths (let it use the wrappers in \
            $FC and $CC)"
        );
    }
    let (mut programs, mut gone) = (Vec::new(), Vec::new());
    for (output, command) in &products.programs {
        let program = products.program(output, *command, log)?;
        if !program.calls_mpi_from(languages) || named.is_some_and(|name| !program.is_called(name))
        {
            continue;
        }
        // Configuration scripts link test programs and remove them.
        if exists(output) {
            programs.push(program);
        } else {
            gone.push(program);
        }
    }
    // Builds also move what they linked to where it is installed.
    if programs.is_empty() {
        programs = gone;
    }
    let made = match file_names(products.programs.keys().copied()) {
        // All programs, also those without MPI: the user sees which name `--program` should have
        // had.
        names if names.is_empty() => "no program".to_string(),
        names => names,
    };
    match (programs.len(), named) {
        (1, _) => Ok(programs.swap_remove(0)),
        (0, Some(name)) => {
            bail!("the build made no Fortran MPI program called {name}; it made {made}")
        }
        // Several commands may have failed, such as the checks of a configuration script. The last
        // is the likeliest to have made the program.
        (0, None) if !products.failed.is_empty() => bail!(
            "the build made no program whose Fortran sources call MPI, although it reported \
            success: this command failed, `{}`; its output is above",
            shortened(products.failed[products.failed.len() - 1])
        ),
        (0, None) if let Some(command) = from_standard_input => bail!(not_recorded(command)),
        (0, None) => bail!(
            "the build made no program whose Fortran sources call MPI; it made {made}, and programs whose main part is C are not analysed by this version"
        ),
        (_, _) => {
            let outputs = programs.iter().map(|program| program.output.as_path());
            bail!(
                "the build made several MPI programs: {}; choose one with --program",
                file_names(outputs)
            )
        }
    }
}

/// A command that compiled a source without a file.
fn not_recorded(command: &str) -> String {
    format!(
        "a source from standard input is not analysed, since reports and probes need its file: `{}`; write it to a file and \
        compile that",
        shortened(command)
    )
}

/// The beginning of a command: build systems write very long ones.
fn shortened(command: &str) -> String {
    const LONGEST: usize = 100;
    let short: String = command.chars().take(LONGEST).collect();
    if short.len() < command.len() {
        short + " …"
    } else {
        short
    }
}

fn file_names<'a>(paths: impl Iterator<Item = &'a Path>) -> String {
    let mut names = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or(path.as_os_str());
        names.push(name.to_string_lossy());
    }
    names.join(", ")
}

impl Program {
    /// Whether a source in one of the languages names MPI.
    pub fn calls_mpi_from(&self, languages: &[Language]) -> bool {
        self.sources
            .iter()
            .any(|(source, text)| languages.contains(&source.language) && mentions_mpi(text))
    }

    /// Linked objects and archives that existed before the build. Archives of absolute paths are libraries of others.
    fn built_before(&self) -> Vec<&str> {
        let mut found = Vec::new();
        for word in &self.link {
            let is_own_archive =
                word.ends_with(".a") && !word.starts_with('-') && !word.starts_with('/');
            if word.ends_with(".o") || is_own_archive {
                found.push(word.as_str());
            }
        }
        found
    }

    /// A warning if the build did not compile everything that it links.
    pub fn missing_source_warning(&self) -> Option<String> {
        const SHOWN: usize = 4;
        let found = self.built_before();
        if found.is_empty() {
            return None;
        }
        let shown = numbers::named(&found, SHOWN);
        Some(format!(
            "procedures have no source here, since the build links {shown} without compiling it; if it was built before, clean it first"
        ))
    }

    /// Whether a name is the program's, or the end of its path.
    fn is_called(&self, name: &str) -> bool {
        self.output.ends_with(name)
    }
}

/// Whether a word of a text is MPI's: a module, its file or one of its names.
fn mentions_mpi(text: &[u8]) -> bool {
    for word in text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_') {
        let word = word.to_ascii_lowercase();
        // `use mpi` and `include 'mpif.h'`; `mpi_f08` has the prefix below.
        if word == b"mpi" || word == b"mpif" {
            return true;
        }
        if word.starts_with(b"mpi_") || word.starts_with(b"pmpi_") {
            return true;
        }
    }
    false
}

/// What a command linked, with its flags.
#[derive(Clone, Copy)]
struct LinkCommand<'a> {
    parts: &'a [Linked],
    flags: &'a [String],
}

/// Products of a build, the last of each name.
struct BuildProducts<'a> {
    objects: BTreeMap<Digest, &'a Compiled>,
    /// Symbols of objects, as far as they are known.
    symbols: BTreeMap<Digest, &'a ObjectSymbols>,
    libraries: BTreeMap<Digest, LinkCommand<'a>>,
    programs: BTreeMap<&'a Path, LinkCommand<'a>>,
    /// Commands that failed.
    failed: Vec<&'a str>,
    /// Commands that compiled what came from standard input.
    from_standard_input: Vec<&'a str>,
}

impl<'a> BuildProducts<'a> {
    fn of(entries: &'a [BuildLogEntry]) -> Self {
        let mut products = Self {
            objects: BTreeMap::new(),
            symbols: BTreeMap::new(),
            libraries: BTreeMap::new(),
            programs: BTreeMap::new(),
            failed: Vec::new(),
            from_standard_input: Vec::new(),
        };
        for entry in entries {
            match entry {
                BuildLogEntry::Compiled {
                    source,
                    object,
                    symbols,
                } => {
                    if let Some(symbols) = symbols {
                        products.symbols.insert(*object, symbols);
                    }
                    // Later entries replace earlier ones: the source that was compiled last to equal
                    // bytes is the current one.
                    _ = products.objects.insert(*object, source);
                }
                BuildLogEntry::Linked {
                    library: Some(digest),
                    parts,
                    flags,
                    ..
                } => {
                    let command = LinkCommand { parts, flags };
                    products.libraries.insert(*digest, command);
                }
                BuildLogEntry::Linked {
                    library: None,
                    output,
                    parts,
                    flags,
                } => {
                    let command = LinkCommand { parts, flags };
                    products.programs.insert(output, command);
                }
                BuildLogEntry::Failed(command) => products.failed.push(command),
                BuildLogEntry::FromStandardInput(command) => {
                    products.from_standard_input.push(command);
                }
            }
        }
        products
    }

    /// Whether no source was compiled, and none failed to compile.
    fn is_empty(&self) -> bool {
        if !self.failed.is_empty() || !self.objects.is_empty() {
            return false;
        }
        let linked = self.programs.values().chain(self.libraries.values());
        // A command such as `mpif90 a.f90 -o a` compiles without an object of its own.
        let has_source = linked
            .flat_map(|command| command.parts)
            .any(|part| matches!(part, Linked::Source(_)));
        !has_source
    }

    fn program(&self, output: &Path, command: LinkCommand<'a>, log: &Log) -> Result<Program> {
        let mut found = ProgramParts::default();
        self.collect(command, &mut found);
        let mut sources = Vec::new();
        for source in found.sources {
            sources.push((source.clone(), log.text(source)?));
        }
        let mut others = Vec::new();
        for &source in self.objects.values() {
            others.push((source.clone(), log.text(source)?));
        }
        add_modules(&mut sources, others);
        Ok(Program {
            output: output.to_path_buf(),
            sources,
            link: found.link,
            units: found.units,
            fortran: found.fortran.into_iter().collect(),
            mixed: found.mixed,
            flags: found.flags,
        })
    }

    fn collect(&self, command: LinkCommand<'a>, found: &mut ProgramParts<'a>) {
        found.flags.extend_from_slice(command.flags);
        for part in command.parts {
            match part {
                // One command may compile and link.
                Linked::Source(source) => found.add(source, None),
                Linked::Word(word) if is_of_mpi(word) => {}
                Linked::Word(word) => found.link.push(word.clone()),
                Linked::Objects { digests, words } => {
                    // An archive contains many objects. If the build made any of them, the archive
                    // is replaced by their sources; if none, it is a library that stays on the link
                    // line.
                    let mut is_known = false;
                    let mut is_complete = true;
                    for digest in digests {
                        let is_product = self.is_product(digest);
                        is_known |= is_product;
                        is_complete &= is_product;
                        self.collect_object(digest, found);
                    }
                    if is_known && !is_complete {
                        found.mixed.extend(words.last().cloned());
                    }
                    if !is_known && !words.iter().any(|word| is_of_mpi(word)) {
                        found.link.extend_from_slice(words);
                    }
                }
            }
        }
    }

    fn collect_object(&self, digest: &Digest, found: &mut ProgramParts<'a>) {
        if let Some(source) = self.objects.get(digest) {
            found.add(source, self.symbols.get(digest).copied());
        } else if let Some(command) = self.libraries.get(digest)
            // Shared libraries may be linked with each other in a cycle.
            && found.open.insert(*digest)
        {
            self.collect(*command, found);
        }
    }

    fn is_product(&self, digest: &Digest) -> bool {
        self.objects.contains_key(digest) || self.libraries.contains_key(digest)
    }
}

/// Parts of a program, collected from its link inputs. `open` contains the libraries that were visited.
#[derive(Default)]
struct ProgramParts<'a> {
    sources: Vec<&'a Compiled>,
    units: Vec<CompiledUnit>,
    /// Symbols of the objects of Fortran sources.
    fortran: Vec<Option<ObjectSymbols>>,
    link: Vec<String>,
    mixed: Vec<String>,
    flags: Vec<String>,
    open: BTreeSet<Digest>,
}

impl<'a> ProgramParts<'a> {
    /// A source; with the symbols of its object, if they are known.
    fn add(&mut self, source: &'a Compiled, symbols: Option<&ObjectSymbols>) {
        // Linkers accept an object twice on a line, for example in two archives; its procedures may
        // be defined once only.
        if self.sources.contains(&source) {
            return;
        }
        self.sources.push(source);
        if source.language == Language::Fortran {
            self.fortran.push(symbols.cloned());
        } else {
            self.units.push(CompiledUnit {
                path: source.path.clone(),
                symbols: symbols.cloned(),
            });
        }
    }
}

/// Adds the sources of used modules whose objects are not linked: a module of constants alone needs none.
fn add_modules(sources: &mut Vec<(Compiled, Vec<u8>)>, mut others: Vec<(Compiled, Vec<u8>)>) {
    others.retain(|(source, _)| source.language == Language::Fortran);
    // A module that is added may use further modules, so this repeats until none is missing.
    loop {
        let mut defined = BTreeSet::new();
        let mut used = BTreeSet::new();
        for (_, text) in &*sources {
            let text = lower_case(text);
            defined.extend(modules::defined(&text));
            used.extend(modules::used(&text));
        }
        let provider = others.iter().find(|(_, text)| {
            let own = modules::defined(&lower_case(text));
            own.iter()
                .any(|name| used.contains(name) && !defined.contains(name))
        });
        let Some(provider) = provider else {
            return;
        };
        sources.push(provider.clone());
    }
}

fn lower_case(text: &[u8]) -> String {
    String::from_utf8_lossy(text).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontend::source::Sources;

    /// A log in which each source was compiled to an object with the digest of its name.
    fn log(
        folder: &Path,
        sources: &[(&str, &str)],
        links: &[(&str, Option<&str>, &[&str])],
    ) -> Log {
        let log = Log::new(folder);
        for (name, text) in sources {
            let mut all = Sources::default();
            all.add(name, text.as_bytes());
            let language = Language::of(Path::new(name)).unwrap();
            let source = log
                .store(
                    &all.files[0],
                    language,
                    "gfortran".into(),
                    vec!["-O2".into()],
                )
                .unwrap();
            log.add(&[BuildLogEntry::Compiled {
                source,
                object: Digest::of(name.as_bytes()),
                symbols: None,
            }])
            .unwrap();
        }
        for (output, library, parts) in links {
            let part = |name: &&str| match name.starts_with('-') {
                true => Linked::Word(name.to_string()),
                false => Linked::Objects {
                    digests: vec![Digest::of(name.as_bytes())],
                    words: vec![name.to_string()],
                },
            };
            let library = library.map(|name| Digest::of(name.as_bytes()));
            let parts = parts.iter().map(part).collect();
            log.add(&[BuildLogEntry::Linked {
                output: output.into(),
                library,
                parts,
                flags: Vec::new(),
            }])
            .unwrap();
        }
        log
    }

    /// Sources and other words of the chosen program, or the sentence that refuses.
    fn chosen(
        sources: &[(&str, &str)],
        links: &[(&str, Option<&str>, &[&str])],
        named: Option<&str>,
    ) -> String {
        let folder = tempfile::tempdir().unwrap();
        match select(
            &log(folder.path(), sources, links),
            named,
            &[Language::Fortran],
            |path| !path.starts_with("gone"),
        ) {
            Ok(program) => {
                let paths = program
                    .sources
                    .iter()
                    .map(|(source, _)| source.path.clone());
                paths.chain(program.link).collect::<Vec<_>>().join(" ")
            }
            Err(error) => error.to_string(),
        }
    }

    const MPI: &str = "program p\ncall mpi_init(i)\nend\n";

    #[test]
    fn program_of_objects_libraries_and_link_flags() {
        let sources = [
            ("a.f90", MPI),
            ("b.f90", "subroutine b\nend\n"),
            ("c.c", "int c;"),
            ("d.f90", MPI),
        ];
        let links: [(&str, Option<&str>, &[&str]); 2] = [
            ("libb.so", Some("libb"), &["b.f90", "-lz"]),
            (
                "p",
                None,
                &["a.f90", "libb", "c.c", "/x/other.o", "-lm", "-lmpich"],
            ),
        ];
        assert_eq!(
            chosen(&sources, &links, None),
            "a.f90 b.f90 c.c -lz /x/other.o -lm"
        );
    }

    /// An archive of which the build compiled a part contains code that is not read.
    #[test]
    fn archives_that_are_compiled_in_part_are_noted() {
        let folder = tempfile::tempdir().unwrap();
        let log = log(folder.path(), &[("a.f90", MPI), ("b.f90", MPI)], &[]);
        let objects = |names: &[&str], word: &str| Linked::Objects {
            digests: names
                .iter()
                .map(|name| Digest::of(name.as_bytes()))
                .collect(),
            words: vec![word.to_string()],
        };
        log.add(&[BuildLogEntry::Linked {
            output: "p".into(),
            library: None,
            parts: vec![
                objects(&["a.f90"], "a.o"),
                objects(&["b.f90", "c"], "libb.a"),
            ],
            flags: vec!["-O2".into()],
        }])
        .unwrap();
        let program = select(&log, None, &[Language::Fortran], |_| true).unwrap();
        assert_eq!(program.mixed, ["libb.a"]);
        assert_eq!(program.flags, ["-O2"]);
        assert_eq!(program.fortran, None);
    }

    #[test]
    fn prebuilt_objects_are_reported() {
        let warning = |links: &[&str]| {
            let link = links.iter().map(|word| word.to_string()).collect();
            Program {
                output: "p".into(),
                sources: Vec::new(),
                link,
                units: Vec::new(),
                fortran: None,
                mixed: Vec::new(),
                flags: Vec::new(),
            }
            .missing_source_warning()
        };
        assert_eq!(warning(&["-lm", "/usr/lib/libz.a"]), None);
        let all = ["../common/timers.o", "-lz", "libown.a", "c.o", "d.o", "e.o"];
        let names = "the build links ../common/timers.o, libown.a, c.o, d.o and 1 more without compiling it";
        assert!(warning(&all).unwrap().contains(names));
    }

    #[test]
    fn modules_without_objects_are_found() {
        let sources = [
            ("a.f90", "program p\nuse k\ncall mpi_init(i)\nend\n"),
            ("k.f90", "module k\nuse n\nend module\n"),
            ("n.f90", "module n\nend module\n"),
            ("o.f90", "module o\nend module\n"),
        ];
        assert_eq!(
            chosen(&sources, &[("p", None, &["a.f90"])], None),
            "a.f90 k.f90 n.f90"
        );
    }

    #[test]
    fn ambiguous_and_empty_builds_are_rejected() {
        let sources = [
            ("a.f90", MPI),
            ("b.f90", MPI),
            ("s.f90", "program s ! a compiler\nend\n"),
        ];
        let links: [(&str, Option<&str>, &[&str]); 4] = [
            ("bin/x", None, &["a.f90"]),
            ("bin/y", None, &["b.f90"]),
            ("t", None, &["s.f90"]),
            ("gone/z", None, &["a.f90"]),
        ];
        let several = "the build made several MPI programs: x, y; choose one with --program";
        assert_eq!(chosen(&sources, &links, None), several);
        assert_eq!(chosen(&sources, &links, Some("y")), "b.f90");
        assert_eq!(chosen(&sources, &links, Some("bin/x")), "a.f90");
        // What was moved counts only where nothing else is left.
        assert_eq!(chosen(&sources, &links[3..], None), "a.f90");
        assert!(chosen(&sources, &links, Some("t")).contains("no Fortran MPI program called t"));
        assert!(
            chosen(&sources, &links[2..3], None)
                .contains("no program whose Fortran sources call MPI; it made t")
        );
        assert!(chosen(&[], &[], None).contains("compiled nothing"));
    }

    #[test]
    fn source_from_standard_input_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::new(folder.path());
        let command = "mpif90 -x f95 - -o p";
        log.add(&[BuildLogEntry::FromStandardInput(command.into())])
            .unwrap();
        let said = select(&log, None, &[Language::Fortran], |_| true)
            .unwrap_err()
            .to_string();
        let expected = format!(
            "a source from standard input is not analysed, since reports and probes need its file: `{command}`"
        );
        assert!(said.starts_with(&expected), "{said}");
    }

    #[test]
    fn failed_command_in_successful_build_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::new(folder.path());
        log.add(&[BuildLogEntry::Failed("mpif90 a.o -o p".into())])
            .unwrap();
        let said = select(&log, None, &[Language::Fortran], |_| true)
            .unwrap_err()
            .to_string();
        assert!(
            said.contains("this command failed, `mpif90 a.o -o p`"),
            "{said}"
        );
    }
}
