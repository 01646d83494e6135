//! The library is what its table says, and programs compiled with MPICH's headers and ours are
//! interchangeable.

use crate::world::{World, library};
use base_data::mpi::functions::FUNCTIONS;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use token_runtime::headers::{MPI_F90, MPI_H, MPIF_H};
use token_runtime::host::Mode;

fn exported() -> BTreeSet<String> {
    let output = Command::new("nm").args(["-D", "--defined-only"]).arg(library()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter_map(|line| line.split_whitespace().last()).map(str::to_string).collect()
}

#[test]
fn exports_what_the_table_supports() {
    let supported = FUNCTIONS.iter().filter(|function| function.support.runs());
    let expected: BTreeSet<String> = supported
        .flat_map(|f| {
            let fortran = f.fortran_symbol();
            [f.name.to_string(), f.profiling_name(), format!("p{fortran}"), fortran]
        })
        .collect();
    let found = exported();
    assert_eq!(expected.difference(&found).collect::<Vec<_>>(), Vec::<&String>::new(), "not exported");
}

#[test]
fn exports_the_entries_of_probes_and_the_special_blocks() {
    let found = exported();
    let probes = ["call", "block", "begin", "end", "loop", "cut", "section"].map(|n| format!("mpiete_{n}_"));
    let blocks = ["mpipriv1_", "mpipriv2_", "mpiprivc_", "mpifcmb5_", "mpifcmb9_"].map(String::from);
    for name in probes.iter().chain(&blocks) {
        assert!(found.contains(name), "{name}");
    }
}

#[test]
fn the_headers_declare_what_the_table_supports() {
    for function in FUNCTIONS {
        let name = function.name;
        let lower = function.fortran_name();
        let is_full = function.support.runs();
        for prefix in ["", "P"] {
            let declared = MPI_H.contains(&format!(" {prefix}{name}("));
            assert!(declared || !is_full, "mpi.h: {prefix}{name}");
        }
        let declared = if function.is_fortran_function() {
            MPIF_H.contains(&format!("external {}", "MPI_WTIME")) && MPIF_H.contains(&lower.to_uppercase())
        } else {
            MPI_F90.contains(&format!("subroutine {lower}("))
        };
        assert!(declared || !is_full, "Fortran: {name}");
    }
    assert!(MPIF_H.lines().all(|line| line.len() <= 72), "mpif.h must be fixed form, too");
}

#[test]
fn mpif_h_is_both_forms_and_the_module_takes_any_buffer() {
    let world = World::new();
    let free = world.compile(&["exchange.f90"]);
    let fixed = world.compile(&["steps.f"]);
    let module = world.compile(&["mpi.f90", "buffers.f90"]);
    assert!(free.is_file() && fixed.is_file());
    assert_eq!(world.run(&module, 2, Mode::Token).output, "buffers T\n");
}

fn has(compiler: &str) -> bool {
    let found = Command::new(compiler).arg("-show").output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("{compiler} is not installed (package libmpich-dev): skipped");
    }
    found
}

#[test]
fn programs_built_with_mpich_run_on_ours() {
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
fn programs_built_with_ours_run_on_mpich() {
    let place = |name: &str| {
        ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]
            .iter()
            .map(|folder| Path::new(folder).join(name))
            .find(|path| path.is_file())
    };
    let (Some(mpich), true) = (place("libmpichfort.so.12"), has("mpif90.mpich")) else { return };
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
