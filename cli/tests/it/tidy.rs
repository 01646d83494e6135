//! House rules that a machine can check. Each says why it is one.

use crate::command::root;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// All files of the repository with one of these endings, build results left out.
pub fn files(endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut stack = vec![root()];
    while let Some(folder) = stack.pop() {
        for entry in std::fs::read_dir(folder).unwrap().filter_map(Result::ok) {
            let (path, name) = (
                entry.path(),
                entry.file_name().to_string_lossy().into_owned(),
            );
            if path.is_dir() {
                let skipped = name == "target" || name == ".git" || name.ends_with(".study");
                if !skipped {
                    stack.push(path);
                }
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

pub fn shown(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}

pub fn text(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()
}

/// A file that does not say what lives in it collects what does not.
#[test]
fn files_begin_with_a_description() {
    for path in files(&[".rs"]) {
        assert!(
            text(&path).starts_with("//!"),
            "{} does not open with //!",
            shown(&path)
        );
    }
}

/// Such names say nothing, so everything ends up there.
#[test]
fn no_file_has_a_generic_name() {
    for path in files(&[".rs"]) {
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let drawer = [
            "utils", "util", "common", "helpers", "helper", "types", "misc",
        ]
        .contains(&stem.as_str());
        assert!(!drawer, "{}: name it after what it does", shown(&path));
    }
}

/// Unsafe code lives in the MPI layers and what both stand on: `forbid` cannot be relaxed for a module.
#[test]
fn unsafe_is_forbidden_outside_the_libraries() {
    let may = ["mpi", "observer", "native"].map(|package| format!("token-runtime/{package}/"));
    for path in files(&["src/lib.rs", "src/main.rs"])
        .iter()
        .chain(&files(&["lib.rs", "main.rs"]))
    {
        let name = shown(path);
        let is_root = name.ends_with("/src/lib.rs") || name.ends_with("/src/main.rs");
        if is_root && !may.iter().any(|folder| name.starts_with(folder)) {
            assert!(
                text(path).contains("#![forbid(unsafe_code)]"),
                "{name} does not forbid unsafe code"
            );
        }
    }
}

/// Who may know whom: the arrows of the design. A new arrow is a decision, not an accident.
#[test]
fn crates_depend_only_on_allowed_crates() {
    let allowed: [(&str, &[&str]); 12] = [
        ("base-data", &[]),
        ("machine", &["base-data"]),
        ("frontend", &["base-data"]),
        ("instrumenter", &["base-data", "frontend"]),
        ("token-runtime", &["base-data", "machine"]),
        ("token-runtime/native", &["base-data", "token-runtime"]),
        (
            "token-runtime/mpi",
            &["base-data", "token-runtime", "native"],
        ),
        (
            "token-runtime/observer",
            &["base-data", "token-runtime", "native"],
        ),
        ("estimator", &["base-data", "machine"]),
        ("meta", &["base-data"]),
        ("npb-fixtures", &[]),
        (
            "xtask",
            &[
                "base-data",
                "estimator",
                "frontend",
                "instrumenter",
                "npb-fixtures",
                "token-runtime",
            ],
        ),
    ];
    for (folder, may) in allowed {
        let manifest = text(&root().join(folder).join("Cargo.toml"));
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or("");
        let dependencies = dependencies.split("\n[").next().unwrap_or("");
        for name in allowed
            .iter()
            .filter_map(|(folder, _)| folder.rsplit('/').next())
        {
            let has = dependencies
                .lines()
                .any(|line| line.starts_with(&format!("{name}.")));
            assert!(!has || may.contains(&name), "{folder} must not know {name}");
        }
    }
}

/// Layers of the frontend, lowest first: folders of `frontend/src`, and the file `options.rs`. The other files there connect them.
const FRONTEND_LAYERS: [&str; 16] = [
    "source",
    "options",
    "ir",
    "fortran",
    "c",
    "graphs",
    "memory",
    "expressions",
    "effects",
    "io",
    "dataflow",
    "blocks",
    "slice",
    "assumptions",
    "nondeterminism",
    "work",
];

/// The layer of the frontend that a file belongs to, as an index of [`FRONTEND_LAYERS`].
fn frontend_layer(file: &str) -> Option<usize> {
    let inside = file.strip_prefix("frontend/src/")?;
    let name = inside.split(['/', '.']).next()?;
    FRONTEND_LAYERS.iter().position(|layer| *layer == name)
}

/// Name, layer and text of each file of the frontend but its tests, which may use the whole crate.
fn frontend_files() -> Vec<(String, usize, String)> {
    let mut found = Vec::new();
    for path in files(&[".rs"]) {
        let name = shown(&path);
        if let Some(layer) = frontend_layer(&name)
            && !name.contains("/tests")
        {
            found.push((name, layer, text(&path)));
        }
    }
    found
}

/// Folders that import each other can only be understood together, so imports go down.
#[test]
fn frontend_layers_import_only_lower_layers() {
    let mut faults = Vec::new();
    for (name, layer, text) in frontend_files() {
        let product = text.split("#[cfg(test)]").next().unwrap_or("");
        for (number, line) in (1..).zip(product.lines()) {
            let line = line.trim_start();
            // Comments may refer to upper layers.
            if line.starts_with("//") {
                continue;
            }
            for import in line.split("crate::").skip(1) {
                let end = import.find(|c: char| !c.is_alphanumeric() && c != '_');
                let target = &import[..end.unwrap_or(import.len())];
                let position = FRONTEND_LAYERS.iter().position(|one| *one == target);
                if position.is_none_or(|position| position > layer) {
                    faults.push(format!("{name}:{number}: {line}"));
                }
            }
        }
    }
    assert!(
        faults.is_empty(),
        "imports of upper layers:\n{}",
        faults.join("\n")
    );
}

/// Modules that import each other can only be understood together, so imports inside a folder form no cycle either. Submodules of a
/// file (`slice/slicer/files.rs`) are parts of it.
#[test]
fn frontend_modules_import_each_other_in_one_direction() {
    let source = root().join("frontend/src");
    let mut modules: BTreeMap<Vec<String>, String> = BTreeMap::new();
    for path in files(&[".rs"]) {
        let Ok(inside) = path.strip_prefix(&source) else {
            continue;
        };
        let name = inside.with_extension("").display().to_string();
        let name = name.strip_suffix("/mod").unwrap_or(&name);
        // Tests may use the whole crate.
        if name.split('/').any(|part| part == "tests") {
            continue;
        }
        let product = product_code(&text(&path));
        modules.insert(name.split('/').map(str::to_string).collect(), product);
    }
    let mut imports: BTreeMap<&[String], BTreeSet<&[String]>> = BTreeMap::new();
    for (module, product) in &modules {
        let own = file_of(module);
        for path in imported_paths(product, module) {
            let named = (1..=path.len()).rev().find_map(|length| {
                let known = modules.get_key_value(&path[..length])?;
                Some(file_of(known.0))
            });
            if let Some(named) = named
                && named.len() == 2
                && named != own
            {
                imports.entry(own).or_default().insert(named);
            }
        }
    }
    let mut faults = Vec::new();
    for (&module, imported) in &imports {
        for &other in imported {
            if reaches(&imports, other, module) {
                faults.push(format!("{} imports {}", module.join("/"), other.join("/")));
            }
        }
    }
    assert!(
        faults.is_empty(),
        "imports on a cycle; move what both need into a module of its own:\n{}",
        faults.join("\n")
    );
}

/// The page whose picture [`picture_of_frontend_imports_is_current`] compares.
const IMPORTS_PAGE: &str = "docs/internals/frontend.md";

/// A picture that differs from the code misleads. `UPDATE_EXPECT=1` rewrites it.
#[test]
fn picture_of_frontend_imports_is_current() {
    let page = root().join(IMPORTS_PAGE);
    let written = text(&page);
    let (begin, end) = ("<!-- imports -->\n", "<!-- end of imports -->\n");
    let (before, rest) = written.split_once(begin).expect("the picture begins");
    let (_, after) = rest.split_once(end).expect("the picture ends");
    let current = format!("{before}{begin}{}{end}{after}", imports_picture());
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&page, current).unwrap();
        return;
    }
    assert!(
        written == current,
        "{IMPORTS_PAGE} is out of date: UPDATE_EXPECT=1 cargo test -p cli --test it picture"
    );
}

/// The imports between layers as a drawing in Mermaid. An arrow that a chain of others implies is left out.
fn imports_picture() -> String {
    let mut imports = [const { BTreeSet::<usize>::new() }; FRONTEND_LAYERS.len()];
    for (name, layer, text) in frontend_files() {
        let inside = name.trim_start_matches("frontend/src/");
        let module: Vec<String> = inside.split('/').map(str::to_string).collect();
        for path in imported_paths(&product_code(&text), &module) {
            let target = FRONTEND_LAYERS.iter().position(|one| *one == path[0]);
            imports[layer].extend(target.filter(|target| *target != layer));
        }
    }
    // What each layer imports, itself or through others. Lower layers come first, so theirs is complete.
    let mut reached: Vec<BTreeSet<usize>> = Vec::new();
    let mut picture = String::from("```mermaid\nflowchart BT\n");
    for (layer, imported) in imports.iter().enumerate() {
        let mut through = BTreeSet::new();
        for &target in imported {
            through.extend(&reached[target]);
        }
        for target in imported.difference(&through) {
            picture += &format!(
                "    {} --> {}\n",
                FRONTEND_LAYERS[layer], FRONTEND_LAYERS[*target]
            );
        }
        reached.push(imported.union(&through).copied().collect());
    }
    picture + "```\n"
}

/// A file in a folder of the frontend, or a file beside the folders, that a module is or is a part of.
fn file_of(module: &[String]) -> &[String] {
    &module[..module.len().min(2)]
}

/// Whether one module imports another, itself or through others.
fn reaches(
    imports: &BTreeMap<&[String], BTreeSet<&[String]>>,
    from: &[String],
    to: &[String],
) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut pending = vec![from];
    while let Some(module) = pending.pop() {
        if module == to {
            return true;
        }
        for &next in imports.get(module).into_iter().flatten() {
            if seen.insert(next) {
                pending.push(next);
            }
        }
    }
    false
}

/// A source without comments and unit tests.
fn product_code(source: &str) -> String {
    let mut code = String::new();
    for line in source.lines() {
        if line == "#[cfg(test)]" {
            break;
        }
        code.push_str(line.split("//").next().unwrap_or(""));
        code.push('\n');
    }
    code
}

/// All paths of a module that begin with `crate::` or `super::`, from the root of the crate; of a list in braces, each.
fn imported_paths(code: &str, module: &[String]) -> Vec<Vec<String>> {
    let above = &module[..module.len().saturating_sub(1)];
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find("::") {
        let (before, behind) = (&rest[..at], &rest[at + 2..]);
        let begin = before.rfind(|c: char| !c.is_alphanumeric() && c != '_');
        let word = &before[begin.map_or(0, |begin| begin + 1)..];
        rest = match word {
            "crate" => add_paths(behind, &[], &mut found),
            "super" => add_paths(behind, above, &mut found),
            _ => behind,
        };
    }
    found
}

/// Adds the paths at the beginning of a text, each behind `base`; returns what follows them.
fn add_paths<'a>(text: &'a str, base: &[String], found: &mut Vec<Vec<String>>) -> &'a str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = rest.trim_start_matches([' ', '\n', ',']);
            if rest.is_empty() || rest.starts_with('}') {
                return rest.get(1..).unwrap_or("");
            }
            let behind = add_paths(rest, base, found);
            // No path begins here: nothing that Rust accepts.
            if behind.len() == rest.len() {
                return rest;
            }
            rest = behind;
        }
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    let (word, behind) = text.split_at(end.unwrap_or(text.len()));
    let mut path = base.to_vec();
    if word == "super" {
        path.pop();
    } else {
        path.push(word.to_string());
    }
    if let Some(further) = behind.strip_prefix("::") {
        return add_paths(further, &path, found);
    }
    found.push(path);
    match behind.strip_prefix(" as ") {
        Some(renamed) => renamed.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'),
        None => behind,
    }
}

#[test]
fn paths_in_lists_are_found() {
    let code =
        "use crate::a::{b, c::{D, e as f}};\nuse super::{g, super::h};\nlet x = crate::i::j(k);\n";
    let module = ["m", "n"].map(str::to_string);
    let mut found = Vec::new();
    for path in imported_paths(&product_code(code), &module) {
        found.push(path.join("/"));
    }
    assert_eq!(found, ["a/b", "a/c/D", "a/c/e", "m/g", "h", "i/j"]);
}

/// One door per outside crate: what changes with it changes in one place.
#[test]
fn external_crates_are_used_in_one_place() {
    let doors: [(&str, &[&str]); 8] = [
        (
            "iced_x86",
            &[
                "cli/src/build/machine_code.rs",
                "token-runtime/mpi/src/random_instructions.rs",
            ],
        ),
        ("tree_sitter", &["frontend/src/fortran/", "frontend/src/c/"]),
        ("petgraph", &["frontend/src/"]),
        ("clap", &["cli/src/", "xtask/src/"]),
        ("anyhow", &["cli/src/", "xtask/src/"]),
        ("dlmalloc", &["token-runtime/native/src/private_heap.rs"]),
        (
            "addr2line",
            &["cli/src/symbolization.rs", "cli/src/code_loops.rs"],
        ),
        (
            "object",
            &[
                "cli/src/symbolization.rs",
                "cli/src/build/functions.rs",
                "cli/src/build/objects.rs",
                "cli/src/build/machine_code.rs",
                "token-runtime/oldest/link.rs",
            ],
        ),
    ];
    for path in files(&[".rs"]) {
        let (name, text) = (shown(&path), text(&path));
        for (outside, doors) in doors {
            let used = text.lines().any(|line| {
                let line = line.trim_start();
                !line.starts_with("//")
                    && (line.contains(&format!("{outside}::")) && !line.contains('"'))
            });
            assert!(
                !used || doors.iter().any(|door| name.starts_with(door)),
                "{name} uses {outside}"
            );
        }
    }
}

/// A document that names a file that is not there is worse than none.
#[test]
fn documents_name_files_that_exist() {
    for path in files(&[".md"]) {
        let folder = path.parent().unwrap();
        for part in text(&path).split("](").skip(1) {
            let target = part.split([')', '#']).next().unwrap_or("");
            let is_file = !target.is_empty() && !target.contains("://") && !target.contains(' ');
            assert!(
                !is_file || folder.join(target).exists(),
                "{} links to {target}",
                shown(&path)
            );
        }
    }
}

/// The repository speaks of the project alone.
#[test]
fn no_paths_of_a_local_machine() {
    let machine_paths = ["work", "root", "home"].map(|folder| format!("/{folder}/"));
    for path in files(&[
        ".rs", ".md", ".f", ".f90", ".h", ".toml", ".css", ".js", "Makefile", "setup", "run",
    ]) {
        let text = text(&path);
        for banned in &machine_paths {
            let found = text.lines().find(|line| {
                line.contains(&format!(" {banned}")) || line.contains(&format!("\"{banned}"))
            });
            assert!(found.is_none(), "{}: {}", shown(&path), found.unwrap_or(""));
        }
    }
}

/// A promise in code that is not kept.
#[test]
fn code_contains_no_todo() {
    let promises =
        ["TO", "FIX"].map(|begin| format!("{begin}{}", if begin == "TO" { "DO" } else { "ME" }));
    for path in files(&[".rs", ".f", ".f90"]) {
        let text = text(&path);
        for promise in promises
            .iter()
            .map(String::as_str)
            .chain(["unimplemented!", "todo!"])
        {
            let is_this_test = path.ends_with("tidy.rs");
            assert!(
                is_this_test || !text.contains(promise),
                "{} holds {promise}",
                shown(&path)
            );
        }
    }
}

/// The MPI library replaces the C library's clocks, and `std` reads those: in an emulation they show virtual time.
#[test]
fn runtime_measures_real_time() {
    for path in files(&[".rs"]) {
        let name = shown(&path);
        let is_runtime = ["token-runtime/mpi/src/", "token-runtime/native/src/"]
            .iter()
            .any(|folder| name.starts_with(folder));
        if !is_runtime {
            continue;
        }
        for (number, line) in text(&path).lines().enumerate() {
            let reads = line.replace("RealInstant::now", "");
            assert!(
                !reads.contains("Instant::now") && !reads.contains("SystemTime::now"),
                "{name}:{}: use native::system_clock",
                number + 1
            );
        }
    }
}

/// A test that is skipped silently looks like one that passes.
#[test]
fn skipped_tests_are_counted() {
    let word = format!("{}skipped:", '"');
    for path in files(&[".rs"]) {
        let is_helper = path.ends_with("npb-fixtures/src/skipped.rs");
        assert!(
            is_helper || !text(&path).contains(&word),
            "{}: call npb_fixtures::skipped::skip",
            shown(&path)
        );
    }
}

/// A target that no test runs is broken when it is needed.
#[test]
fn every_make_target_is_run_by_test_all() {
    let makefile = text(&root().join("Makefile"));
    let phony = makefile
        .lines()
        .find_map(|line| line.strip_prefix(".PHONY:"))
        .unwrap();
    let mut run = vec!["test-all"];
    let mut next = 0;
    while let Some(&target) = run.get(next) {
        for name in phony.split_whitespace() {
            if !run.contains(&name) && calls(&makefile, target, name) {
                run.push(name);
            }
        }
        next += 1;
    }
    for name in phony.split_whitespace().filter(|name| *name != "clean") {
        assert!(
            run.contains(&name),
            "{name}: add it to short-forms in the Makefile"
        );
    }
}

/// Whether a target of a makefile needs another one, or calls make for it, and is not that target.
fn calls(makefile: &str, target: &str, name: &str) -> bool {
    let begin = format!("{target}:");
    let mut lines = makefile
        .lines()
        .skip_while(|line| !line.starts_with(&begin));
    let head = lines.next().unwrap_or_default();
    let needs = head.split_whitespace().skip(1).any(|word| word == name);
    let makes = lines
        .take_while(|line| line.starts_with('\t'))
        .filter(|line| line.contains("$(MAKE)"))
        .any(|line| line.split_whitespace().any(|word| word == name));
    name != target && (needs || makes)
}
