//! From what a build did to the program that it made: which sources, compiled how, linked with what.

use super::command_line::Language;
use super::log::{Compiled, Entry, Linked, Log};
use super::mpi_libraries::is_of_mpi;
use crate::modules;
use anyhow::{Result, bail};
use base_data::ids::Digest;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A program that a build made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Where it was written, last.
    pub output: PathBuf,
    /// Its sources, in the order of linking, each with its text.
    pub sources: Vec<(Compiled, Vec<u8>)>,
    /// What else is linked: libraries, objects that the build did not make.
    pub link: Vec<String>,
}

/// The program that a build made.
///
/// # Errors
/// It made none that calls MPI from Fortran, or several and `named` names none of them.
pub fn select(
    log: &Log,
    named: Option<&str>,
    still_there: impl Fn(&Path) -> bool,
) -> Result<Program> {
    let entries = log.read()?;
    let products = BuildProducts::of(&entries);
    if products.is_empty() {
        bail!(
            "the build compiled nothing that mpiete intercepted: everything is up to date (clean \
            the build first), or it calls its compilers by their paths (let it use the wrappers in \
            $FC and $CC)"
        );
    }
    let mut programs = Vec::new();
    for (output, parts) in products
        .programs
        .iter()
        .filter(|(output, _)| still_there(output))
    {
        programs.push(products.program(output, parts, log)?);
    }
    programs.retain(|program| program.calls_mpi());
    programs.retain(|program| named.is_none_or(|name| program.is_called(name)));
    let names = || {
        let names: Vec<String> = products
            .programs
            .keys()
            .map(|output| file_name(output))
            .collect();
        if names.is_empty() {
            "no program".into()
        } else {
            names.join(", ")
        }
    };
    match (programs.len(), named) {
        (1, _) => Ok(programs.swap_remove(0)),
        (0, Some(name)) => {
            bail!(
                "the build made no Fortran MPI program called {name}; it made {}",
                names()
            )
        }
        (0, None) if !products.failed.is_empty() => bail!(
            "the build made no program whose Fortran sources call MPI, although it reported \
            success: this command failed, `{}`; its output is above",
            shortened(products.failed[products.failed.len() - 1])
        ),
        (0, None) => bail!(
            "the build made no program whose Fortran sources call MPI; it made {}, and programs whose main part is C are not analysed by this version",
            names()
        ),
        (_, _) => {
            let list: Vec<String> = programs
                .iter()
                .map(|program| file_name(&program.output))
                .collect();
            bail!(
                "the build made several MPI programs: {}; choose one with --program",
                list.join(", ")
            )
        }
    }
}

/// The beginning of a command, as much as one reads.
fn shortened(command: &str) -> String {
    const LONGEST: usize = 100;
    let short: String = command.chars().take(LONGEST).collect();
    if short.len() < command.len() {
        short + " …"
    } else {
        short
    }
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}

impl Program {
    /// Whether a Fortran source names MPI.
    fn calls_mpi(&self) -> bool {
        let fortran = self
            .sources
            .iter()
            .filter(|(source, _)| source.language == Language::Fortran);
        fortran.into_iter().any(|(_, text)| mentions_mpi(text))
    }

    /// Objects and archives that are linked and were there before the build; archives of absolute paths are others' libraries.
    fn built_before(&self) -> Vec<&str> {
        let is_own = |word: &&str| {
            word.ends_with(".o")
                || word.ends_with(".a") && !word.starts_with('-') && !word.starts_with('/')
        };
        self.link
            .iter()
            .map(String::as_str)
            .filter(is_own)
            .collect()
    }

    /// What is to be said of a build that did not compile all that it links.
    pub fn missing_source_warning(&self) -> Option<String> {
        const SHOWN: usize = 4;
        let found = self.built_before();
        let shown = found
            .iter()
            .take(SHOWN)
            .copied()
            .collect::<Vec<_>>()
            .join(", ");
        let more = match found.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!found.is_empty()).then(|| {
            format!(
                "the build links {shown}{more} without compiling it, so its procedures have no source here; if it was built before, clean it first"
            )
        })
    }

    /// Whether a name is the program's, or the end of its path.
    fn is_called(&self, name: &str) -> bool {
        self.output.ends_with(name)
    }
}

/// Whether a word of a text is MPI's: a module, its file or one of its names.
fn mentions_mpi(text: &[u8]) -> bool {
    let words = text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    words.map(<[u8]>::to_ascii_lowercase).any(|word| {
        matches!(word.as_slice(), b"mpi" | b"mpif")
            || word.starts_with(b"mpi_")
            || word.starts_with(b"pmpi_")
    })
}

/// What a build made, the last of each name.
struct BuildProducts<'a> {
    objects: BTreeMap<Digest, &'a Compiled>,
    libraries: BTreeMap<Digest, &'a [Linked]>,
    programs: BTreeMap<&'a Path, &'a [Linked]>,
    /// Commands that failed.
    failed: Vec<&'a str>,
}

impl<'a> BuildProducts<'a> {
    fn of(entries: &'a [Entry]) -> Self {
        let mut products = Self {
            objects: BTreeMap::new(),
            libraries: BTreeMap::new(),
            programs: BTreeMap::new(),
            failed: Vec::new(),
        };
        for entry in entries {
            match entry {
                Entry::Compiled { source, object } => {
                    _ = products.objects.insert(*object, source);
                }
                Entry::Linked {
                    library: Some(digest),
                    parts,
                    ..
                } => {
                    products.libraries.insert(*digest, parts);
                }
                Entry::Linked {
                    library: None,
                    output,
                    parts,
                } => {
                    products.programs.insert(output, parts);
                }
                Entry::Failed(command) => products.failed.push(command),
            }
        }
        products
    }

    /// Whether no source was compiled, and none failed to.
    fn is_empty(&self) -> bool {
        let is_source = |part: &Linked| matches!(part, Linked::Source(_));
        let linked = self.programs.values().chain(self.libraries.values());
        self.failed.is_empty()
            && self.objects.is_empty()
            && !linked.copied().flatten().any(is_source)
    }

    fn program(&self, output: &Path, parts: &[Linked], log: &Log) -> Result<Program> {
        let mut found = ProgramParts::default();
        self.collect(parts, &mut found);
        let read = |source: &Compiled| Ok((source.clone(), log.text(source)?));
        let mut sources = found
            .sources
            .iter()
            .map(|source| read(source))
            .collect::<Result<Vec<_>>>()?;
        let others = self
            .objects
            .values()
            .map(|source| read(source))
            .collect::<Result<Vec<_>>>()?;
        add_modules(&mut sources, others);
        Ok(Program {
            output: output.to_path_buf(),
            sources,
            link: found.link,
        })
    }

    fn collect(&self, parts: &'a [Linked], found: &mut ProgramParts<'a>) {
        for part in parts {
            match part {
                Linked::Source(source) => found.add(source),
                Linked::Word(word) if is_of_mpi(word) => {}
                Linked::Word(word) => found.link.push(word.clone()),
                Linked::Objects { digests, words } => {
                    let known = digests.iter().any(|digest| self.is_product(digest));
                    digests
                        .iter()
                        .for_each(|digest| self.collect_object(digest, found));
                    if !known && !words.iter().any(|word| is_of_mpi(word)) {
                        found.link.extend_from_slice(words);
                    }
                }
            }
        }
    }

    fn collect_object(&self, digest: &Digest, found: &mut ProgramParts<'a>) {
        if let Some(source) = self.objects.get(digest) {
            found.add(source);
        } else if let Some(parts) = self.libraries.get(digest)
            && found.open.insert(*digest)
        {
            self.collect(parts, found);
        }
    }

    fn is_product(&self, digest: &Digest) -> bool {
        self.objects.contains_key(digest) || self.libraries.contains_key(digest)
    }
}

/// What a program is made of, in the making.
#[derive(Default)]
struct ProgramParts<'a> {
    sources: Vec<&'a Compiled>,
    link: Vec<String>,
    open: BTreeSet<Digest>,
}

impl<'a> ProgramParts<'a> {
    fn add(&mut self, source: &'a Compiled) {
        if !self.sources.contains(&source) {
            self.sources.push(source);
        }
    }
}

/// Adds the sources of modules that are used and whose objects are not linked: a module of constants alone
/// needs none.
fn add_modules(sources: &mut Vec<(Compiled, Vec<u8>)>, others: Vec<(Compiled, Vec<u8>)>) {
    loop {
        let text =
            |(_, text): &(Compiled, Vec<u8>)| String::from_utf8_lossy(text).to_ascii_lowercase();
        let texts: Vec<String> = sources.iter().map(text).collect();
        let defined: BTreeSet<String> = texts
            .iter()
            .flat_map(|text| modules::defined(text))
            .collect();
        let missing: BTreeSet<String> = texts
            .iter()
            .flat_map(|text| modules::used(text))
            .filter(|name| !defined.contains(name))
            .collect();
        let defines = |other: &&(Compiled, Vec<u8>)| {
            other.0.language == Language::Fortran
                && modules::defined(&text(other))
                    .iter()
                    .any(|name| missing.contains(name))
        };
        let Some(other) = others.iter().find(defines) else {
            return;
        };
        sources.push(other.clone());
    }
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
                .store(&all.files[0], language, vec!["-O2".into()])
                .unwrap();
            log.add(&[Entry::Compiled {
                source,
                object: Digest::of(name.as_bytes()),
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
            log.add(&[Entry::Linked {
                output: output.into(),
                library,
                parts,
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
        match select(&log(folder.path(), sources, links), named, |path| {
            !path.starts_with("gone")
        }) {
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

    #[test]
    fn prebuilt_objects_are_reported() {
        let said = |links: &[&str]| {
            let link = links.iter().map(|word| word.to_string()).collect();
            Program {
                output: "p".into(),
                sources: Vec::new(),
                link,
            }
            .missing_source_warning()
        };
        assert_eq!(said(&["-lm", "/usr/lib/libz.a"]), None);
        let all = ["../common/timers.o", "-lz", "libown.a", "c.o", "d.o", "e.o"];
        let names = "the build links ../common/timers.o, libown.a, c.o, d.o and 1 more without compiling it";
        assert!(said(&all).unwrap().starts_with(names));
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
        assert!(chosen(&sources, &links, Some("t")).contains("no Fortran MPI program called t"));
        assert!(
            chosen(&sources, &links[2..3], None)
                .contains("no program whose Fortran sources call MPI; it made t")
        );
        assert!(chosen(&[], &[], None).contains("compiled nothing"));
    }

    #[test]
    fn failed_command_in_successful_build_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::new(folder.path());
        log.add(&[Entry::Failed("mpif90 a.o -o p".into())]).unwrap();
        let said = select(&log, None, |_| true).unwrap_err().to_string();
        assert!(
            said.contains("this command failed, `mpif90 a.o -o p`"),
            "{said}"
        );
    }
}
