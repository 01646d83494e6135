//! Symbolization of calls in programs recorded unsliced: from object and offset to procedure, file and line, with the object's
//! debug information and symbols.

use addr2line::gimli::{self, DwLang};
use addr2line::{Loader, Location};
use base_data::block_table::{BlockTable, CallSiteKey, SourceFileInfo, SourceSpan};
use base_data::ids::Digest;
use base_data::rank_recording::RankRecording;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, ReadCache};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Paths of objects by their file names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Objects {
    /// `None` where two objects share the name: call sites could be in either.
    paths: BTreeMap<String, Option<String>>,
}

impl Objects {
    /// The objects that contain calls without a mark. Program data contain only their names, so this must be called before the
    /// recordings are merged.
    pub fn of<'a>(recordings: impl IntoIterator<Item = &'a RankRecording>) -> Self {
        let mut objects = Self::default();
        for site in recordings
            .into_iter()
            .flat_map(|recording| &recording.unmarked)
        {
            objects.add(&site.object);
        }
        objects
    }

    fn add(&mut self, path: &str) {
        let name = path.rsplit('/').next().unwrap_or(path);
        let known = self
            .paths
            .entry(name.to_string())
            .or_insert_with(|| Some(path.to_string()));
        if known.as_deref() != Some(path) {
            *known = None;
        }
    }
}

/// Adds procedure and line to each call site that has only an object and an offset. A site without debug information stays as
/// it is, and so does every site's key.
pub fn resolve(table: &mut BlockTable, objects: &Objects) {
    for (name, path) in &objects.paths {
        if let Some(object) = path.as_ref().and_then(|path| Object::open(path)) {
            resolve_in(table, name, &object);
        }
    }
}

/// Line of the call in the executable at `path` that returns to `offset`: `cg.f:120`.
pub fn line(path: &Path, offset: u64) -> Option<String> {
    let (file, line) = Object::open(path.to_str()?)?.place(offset).line?;
    Some(format!("{file}:{line}"))
}

fn resolve_in(table: &mut BlockTable, name: &str, object: &Object) {
    let BlockTable {
        call_sites, files, ..
    } = table;
    for site in call_sites {
        // Offset 0 is an unknown return address.
        let CallSiteKey::Object {
            object: own,
            offset: offset @ 1..,
        } = &site.key
        else {
            continue;
        };
        if site.span.is_some() || own != name {
            continue;
        }
        let place = object.place(*offset);
        if let Some((path, line)) = place.line {
            site.span = Some(span(files, path, line));
        }
        site.procedure = place.procedure.unwrap_or_default();
    }
}

fn span(files: &mut Vec<SourceFileInfo>, path: String, line: u32) -> SourceSpan {
    let file = match files.iter().position(|file| file.path == path) {
        Some(known) => known,
        None => {
            // The source need not exist where the program runs.
            let digest = match std::fs::read(&path) {
                Ok(bytes) => Digest::of(&bytes),
                Err(_) => Digest::default(),
            };
            files.push(SourceFileInfo { path, digest });
            files.len() - 1
        }
    };
    SourceSpan {
        file: file as u32,
        first_line: line,
        last_line: line,
        ..SourceSpan::default()
    }
}

/// An executable or shared object.
struct Object {
    /// Its debug information and symbols.
    loader: Loader,
    /// Its bytes, read as they are needed.
    bytes: ReadCache<File>,
}

/// Where a call is, as far as that is known.
#[derive(Debug, Default, PartialEq, Eq)]
struct CodeLocation {
    procedure: Option<String>,
    /// Path of the source file, and line.
    line: Option<(String, u32)>,
}

impl Object {
    fn open(path: &str) -> Option<Self> {
        let bytes = ReadCache::new(File::open(path).ok()?);
        let loader = Loader::new(path).ok()?;
        Some(Self { loader, bytes })
    }

    /// The place of the call that returns to `offset`.
    fn place(&self, offset: u64) -> CodeLocation {
        if self.is_tail_call(offset) {
            return CodeLocation::default();
        }
        // The instruction after the call may belong to the next line.
        let call = offset - 1;
        let mut place = self.debug_location(call).unwrap_or_default();
        if place.procedure.is_none()
            && let Some(name) = self.loader.find_symbol(call)
        {
            place.procedure = Some(source_name(name, None));
        }
        place
    }

    /// Whether the call that returns to `offset` calls another function of the object. That function ended with a jump to MPI,
    /// whose place is unknown.
    fn is_tail_call(&self, offset: u64) -> bool {
        let Some(target) = self.direct_target_before(offset) else {
            return false;
        };
        let Some(name) = self.loader.find_symbol(target) else {
            return false;
        };
        // A direct call of MPI, by its own or its profiling name, is no tail call.
        let name = name.trim_start_matches(['p', 'P']).to_lowercase();
        !name.starts_with("mpi_")
    }

    /// The target of the direct call that returns to `offset`.
    fn direct_target_before(&self, offset: u64) -> Option<u64> {
        direct_target(self.bytes_before(offset)?, offset)
    }

    fn bytes_before(&self, offset: u64) -> Option<[u8; CALL]> {
        let start = offset.checked_sub(CALL as u64)?;
        let file = object::File::parse(&self.bytes).ok()?;
        for section in file.sections() {
            if let Ok(Some(bytes)) = section.data_range(start, CALL as u64) {
                return bytes.try_into().ok();
            }
        }
        None
    }

    /// The function that contains an address, and the line. The first frame is the innermost function, even if the compiler
    /// inlined it.
    fn debug_location(&self, address: u64) -> Option<CodeLocation> {
        let frame = self.loader.find_frames(address).ok()?.next().ok()??;
        let mut procedure = None;
        if let Some(function) = &frame.function
            && let Ok(name) = function.raw_name()
        {
            procedure = Some(source_name(&name, function.language));
        }
        Some(CodeLocation {
            procedure,
            line: frame.location.and_then(source_line),
        })
    }
}

/// Whether a program names a shared library among those it is linked with.
pub fn links_library(program: &Path, library: &str) -> bool {
    let Ok(bytes) = std::fs::read(program) else {
        return false;
    };
    let Ok(file) = object::File::parse(&*bytes) else {
        return false;
    };
    // The table of strings contains the names of all needed libraries, and no symbol is called like one.
    let Some(section) = file.section_by_name(".dynstr") else {
        return false;
    };
    let Ok(names) = section.data() else {
        return false;
    };
    names
        .split(|&byte| byte == 0)
        .any(|name| name == library.as_bytes())
}

/// Whether a program contains the code of its MPI library instead of loading it. A stripped static program has no symbols; there
/// the texts of error messages show it.
pub fn links_mpi_statically(program: &Path) -> bool {
    const INIT: &[u8] = b"MPI_Init";
    let Ok(bytes) = std::fs::read(program) else {
        return false;
    };
    let Ok(file) = object::File::parse(&*bytes) else {
        return false;
    };
    // A profiling layer inside the program defines `MPI_Init`; only the library defines the name with P.
    let is_library = file
        .symbols()
        .any(|symbol| symbol.is_definition() && symbol.name() == Ok("PMPI_Init"));
    let is_stripped = file.symbols().next().is_none();
    let is_static = file.section_by_name(".interp").is_none();
    is_library || is_stripped && is_static && bytes.windows(INIT.len()).any(|part| part == INIT)
}

/// Bytes of a direct call on x86: the opcode, and four for the distance.
const CALL: usize = 5;
/// Opcode of a direct near call on x86 (CALL rel32).
const CALL_OPCODE: u8 = 0xe8;

/// Target of a direct call that returns to `offset`; `None` for another instruction.
fn direct_target([opcode, distance @ ..]: [u8; CALL], offset: u64) -> Option<u64> {
    if opcode != CALL_OPCODE {
        return None;
    }
    // The distance is relative to the instruction after the call.
    let distance = i32::from_le_bytes(distance);
    Some(offset.wrapping_add_signed(distance.into()))
}

fn source_line(location: Location<'_>) -> Option<(String, u32)> {
    let line = location.line.filter(|line| *line > 0)?;
    Some((
        relative_path(Path::new(location.file?), &std::env::current_dir().ok()?),
        line,
    ))
}

/// A path relative to the current folder if it lies below it.
fn relative_path(path: &Path, current: &Path) -> String {
    // Collecting the components removes `./` and double slashes, which compilers write into their paths.
    let path: PathBuf = path.components().collect();
    path.strip_prefix(current)
        .unwrap_or(&path)
        .to_string_lossy()
        .into_owned()
}

/// A procedure as its source spells it. `language` is `None` for a name that only the linker knows.
fn source_name(name: &str, language: Option<DwLang>) -> String {
    match language {
        Some(language) if !is_fortran(language) => {
            addr2line::demangle(name, language).unwrap_or_else(|| name.to_string())
        }
        Some(_) => fortran_source_name(name),
        None => {
            // GCC names specialised copies of a function `solve_.constprop.0`.
            let whole = match name.split_once('.') {
                Some((whole, _)) if !whole.is_empty() => whole,
                Some(_) | None => name,
            };
            fortran_source_name(&addr2line::demangle_auto(whole.into(), None))
        }
    }
}

fn is_fortran(language: DwLang) -> bool {
    use gimli::{DW_LANG_Fortran03, DW_LANG_Fortran08, DW_LANG_Fortran18};
    use gimli::{DW_LANG_Fortran77, DW_LANG_Fortran90, DW_LANG_Fortran95};
    [DW_LANG_Fortran77, DW_LANG_Fortran90, DW_LANG_Fortran95].contains(&language)
        || [DW_LANG_Fortran03, DW_LANG_Fortran08, DW_LANG_Fortran18].contains(&language)
}

/// `solve_`, `__grid_MOD_solve` and `solve` are all `solve`.
fn fortran_source_name(name: &str) -> String {
    let own = match name
        .strip_prefix("__")
        .and_then(|rest| rest.split_once("_MOD_"))
    {
        Some((_module, procedure)) => procedure,
        None if name == "MAIN__" => "main",
        None => name.strip_suffix('_').unwrap_or(name),
    };
    own.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimli::{DW_LANG_C_plus_plus, DW_LANG_C99, DW_LANG_Fortran08};

    #[test]
    fn procedure_names_follow_the_source() {
        for (name, language, procedure) in [
            ("conj_grad_", Some(DW_LANG_Fortran08), "conj_grad"),
            ("__grid_MOD_solve", Some(DW_LANG_Fortran08), "solve"),
            ("cg", Some(DW_LANG_Fortran08), "cg"),
            ("step_", Some(DW_LANG_C99), "step_"),
            (
                "_ZN4grid5solveEv",
                Some(DW_LANG_C_plus_plus),
                "grid::solve()",
            ),
            ("conj_grad_.constprop.0", None, "conj_grad"),
            ("_ZN4grid5solveEv", None, "grid::solve()"),
            ("MAIN__", None, "main"),
            ("main", None, "main"),
        ] {
            assert_eq!(source_name(name, language), procedure, "{name}");
        }
    }

    #[test]
    fn paths_below_the_current_folder_are_relative() {
        let here = Path::new("/data/run");
        for (path, expected) in [
            ("/data/run/./src//cg.f", "src/cg.f"),
            ("/data/other/cg.f", "/data/other/cg.f"),
            ("cg.f", "cg.f"),
        ] {
            assert_eq!(relative_path(Path::new(path), here), expected);
        }
    }

    #[test]
    fn objects_with_equal_names_are_ambiguous() {
        let mut objects = Objects::default();
        for path in ["/a/prog", "/a/prog", "/a/libx.so", "/b/libx.so"] {
            objects.add(path);
        }
        let known: Vec<_> = objects.paths.into_iter().collect();
        let expected = [
            ("libx.so".to_string(), None),
            ("prog".to_string(), Some("/a/prog".to_string())),
        ];
        assert_eq!(known, expected);
    }
}
