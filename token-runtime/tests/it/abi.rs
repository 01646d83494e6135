//! The library is what its table says, and programs compiled with MPICH's headers and ours are
//! interchangeable.

use crate::world::{World, library};
use base_data::mpi::functions::FUNCTIONS;
use base_data::mpi::unsupported::OTHERS;
use npb_fixtures::skipped::skip;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use token_runtime::headers::{MPI_F08_F90, MPI_F90, MPI_H, MPIF_H};
use token_runtime::host::Mode;

fn exported() -> BTreeSet<String> {
    symbols(&library())
}

fn symbols(library: &Path) -> BTreeSet<String> {
    let output = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(library)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .filter_map(|line| line.split_whitespace().last())
        .map(str::to_string)
        .collect()
}

#[test]
fn exports_all_functions_of_the_table() {
    let found = exported();
    // A module's procedures for all types, which is no symbol.
    for function in FUNCTIONS
        .iter()
        .chain(OTHERS)
        .filter(|function| function.name != "MPI_Sizeof")
    {
        let fortran = function.fortran_symbol();
        let symbols = [
            function.name.to_string(),
            function.profiling_name(),
            format!("p{fortran}"),
            fortran,
        ];
        for symbol in symbols {
            assert!(found.contains(&symbol), "{symbol} is not exported");
        }
    }
}

/// The symbols that programs built with MPICH may need.
#[test]
fn exports_what_mpich_exports() {
    let places = ["libmpich.so.12", "libmpichfort.so.12"].map(mpich_library);
    for library in places.into_iter().flatten() {
        let ours = exported();
        let is_needed = |name: &&String| {
            let parts = ["MPI_", "PMPI_", "mpi_", "pmpi_", "pmpir_"];
            let is_function =
                parts.iter().any(|part| name.starts_with(part)) && !name.ends_with("__");
            let other_spelling = name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit())
                && !name.ends_with('_');
            let in_capitals =
                name.chars().all(|c| !c.is_ascii_lowercase()) && !ours.contains(*name);
            // MPICH's own, under names of MPI.
            let is_mpich_own = name.contains("delete_error");
            is_function && !other_spelling && !in_capitals && !is_mpich_own
        };
        let theirs = symbols(&library);
        let missing: Vec<&String> = theirs
            .iter()
            .filter(is_needed)
            .filter(|name| !ours.contains(*name))
            .collect();
        assert!(missing.is_empty(), "{}: {missing:?}", library.display());
    }
}

#[test]
fn exports_the_entries_of_probes_and_the_special_blocks() {
    let found = exported();
    let probes = [
        "call",
        "block",
        "begin",
        "end",
        "loop",
        "cut",
        "section",
        "section_on_call_path",
        "call_path",
    ]
    .map(|n| format!("mpiete_{n}_"));
    let blocks = [
        "mpipriv1_",
        "mpipriv2_",
        "mpiprivc_",
        "mpifcmb5_",
        "mpifcmb9_",
    ]
    .map(String::from);
    for name in probes.iter().chain(&blocks) {
        assert!(found.contains(name), "{name}");
    }
}

/// A module's procedures for all types, which is no symbol of C.
const NOT_IN_C: [&str; 1] = ["MPI_Sizeof"];

/// Functions that later standards replaced, before there was the module `mpi_f08`.
const REPLACED: [&str; 15] = [
    "MPI_Address",
    "MPI_Attr_delete",
    "MPI_Attr_get",
    "MPI_Attr_put",
    "MPI_Errhandler_create",
    "MPI_Errhandler_get",
    "MPI_Errhandler_set",
    "MPI_Keyval_create",
    "MPI_Keyval_free",
    "MPI_Type_extent",
    "MPI_Type_hindexed",
    "MPI_Type_hvector",
    "MPI_Type_lb",
    "MPI_Type_struct",
    "MPI_Type_ub",
];

#[test]
fn headers_declare_all_functions_of_the_table() {
    let known = FUNCTIONS
        .iter()
        .chain(OTHERS)
        .filter(|function| !NOT_IN_C.contains(&function.name));
    for function in known {
        let (name, lower) = (function.name, function.fortran_name());
        for prefix in ["", "P"] {
            assert!(
                MPI_H.contains(&format!(" {prefix}{name}(")),
                "mpi.h: {prefix}{name}"
            );
        }
        let in_module = MPI_F90.contains(&format!("subroutine {lower}("));
        assert!(
            in_module || MPIF_H.contains(&lower.to_uppercase()),
            "mpi.f90: {name}"
        );
        let is_old = !MPI_F08_F90.contains(&format!("  interface {name}\n"));
        let is_replaced = REPLACED.contains(&name) || OTHERS.iter().any(|other| other.name == name);
        assert!(!is_old || is_replaced, "mpi_f08.f90: {name}");
    }
    assert!(
        MPIF_H.lines().all(|line| line.len() <= 72),
        "mpif.h must be fixed form, too"
    );
}

#[test]
fn mpif_h_has_both_source_forms_and_module_takes_any_buffer() {
    let world = World::new();
    let free = world.compile(&["exchange.f90"]);
    let fixed = world.compile(&["steps.f"]);
    let module = world.compile(&["mpi.f90", "buffers.f90"]);
    assert!(free.is_file() && fixed.is_file());
    assert_eq!(world.run(&module, 2, Mode::Token).output, "buffers T\n");
}

fn mpich_library(name: &str) -> Option<PathBuf> {
    let found = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]
        .iter()
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.is_file());
    if found.is_none() {
        skip(&format!("there is no {name}; install mpich"));
    }
    found
}

fn has(compiler: &str) -> bool {
    let found = Command::new(compiler)
        .arg("-show")
        .output()
        .is_ok_and(|output| output.status.success());
    if !found {
        skip(&format!("there is no {compiler}; install libmpich-dev"));
    }
    found
}

#[test]
fn programs_built_with_mpich_run_on_this_library() {
    if !has("mpif90.mpich") || !has("mpicc.mpich") {
        return;
    }
    let world = World::new();
    let fortran = world.compile_with("mpif90.mpich", &["exchange.f90"], &["-w"]);
    assert_eq!(world.run(&fortran, 4, Mode::Token).output, "fine T   4\n");
    let elsewhere = World::new();
    std::fs::remove_file(elsewhere.path().join("mpi.h")).unwrap();
    let c = elsewhere.compile_with("mpicc.mpich", &["sweep.c"], &[]);
    assert_eq!(elsewhere.run(&c, 8, Mode::Record).ranks.len(), 8);
}

#[test]
fn programs_built_with_this_library_run_on_mpich() {
    let (Some(mpich), true) = (mpich_library("libmpichfort.so.12"), has("mpif90.mpich")) else {
        return;
    };
    let world = World::new();
    let program = world.compile(&["exchange.f90"]);
    let folder = world.path().join("mpich");
    std::fs::create_dir(&folder).unwrap();
    std::os::unix::fs::symlink(mpich, folder.join("libmpi.so.12")).unwrap();
    let run = Command::new("timeout")
        .args(["60", "mpiexec.mpich", "-n", "2", "-genv", "LD_LIBRARY_PATH"])
        .arg(&folder)
        .arg(&program)
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&run.stdout),
        "fine T   2\n",
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
}
