//! The fixtures: EP, CG and LU verify against the official values on any number of ranks, and their
//! recordings merge.

use crate::world::World;
use base_data::block_table::BlockTable;
use base_data::program_data::RecordMethod;
use base_data::provenance::Provenance;
use std::path::{Path, PathBuf};
use token_runtime::host::{Mode, merge_program};

fn compile(world: &World, sources: &[&str], class: &str) -> PathBuf {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../npb-fixtures/programs");
    let folder = programs.join(Path::new(sources.last().unwrap()).parent().unwrap());
    let place = |source: &&str| match *source {
        "mpi.f90" => source.to_string(),
        source => programs.join(source).to_str().unwrap().to_string(),
    };
    let sources: Vec<String> = sources.iter().map(place).collect();
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    let class = folder.join(class);
    let lib = world.path().join("lib");
    let (folder, class, lib) = (
        folder.to_str().unwrap(),
        class.to_str().unwrap(),
        lib.to_str().unwrap(),
    );
    let flags = [
        "-std=legacy",
        "-O2",
        "-I.",
        "-I",
        class,
        "-I",
        folder,
        "-L",
        lib,
        "-lmpi",
    ];
    world.compile_with("gfortran", &sources, &flags)
}

const CG: [&str; 6] = [
    "cg/cg.f",
    "cg/grid.f",
    "cg/matrix.f",
    "cg/random.f",
    "cg/solve.f",
    "cg/timers.f",
];

const LU: [&str; 13] = [
    "lu/edges.f",
    "lu/exact.f",
    "lu/grid.f",
    "lu/halo.f",
    "lu/jacobian.f",
    "lu/lu.f",
    "lu/march.f",
    "lu/norms.f",
    "lu/residual.f",
    "lu/surface.f",
    "lu/sweep.f",
    "lu/timers.f",
    "lu/wave.f",
];

fn check(sources: &[&str], class: &str, ranks: &[u32]) {
    let world = World::new();
    let program = compile(&world, sources, class);
    for &ranks in ranks {
        let recording = world.run(&program, ranks, Mode::Record);
        let output = recording.output.to_uppercase();
        assert!(output.contains("SUCCESSFUL"), "{ranks} ranks: {output}");
        let provenance = Provenance::default();
        let data = merge_program(
            recording.ranks,
            BlockTable::default(),
            provenance,
            RecordMethod::Unsliced,
        )
        .unwrap();
        // The nine kinds of places on a grid: corners, edges, inside.
        assert!(
            data.classes.len() <= 9,
            "{ranks} ranks in {} classes",
            data.classes.len()
        );
        let entries: usize = data.classes.iter().map(|class| class.stream.len()).sum();
        assert!(entries < 3000, "{ranks} ranks: {entries} entries");
    }
}

const RANKS: [u32; 6] = [1, 2, 4, 8, 16, 64];

#[test]
fn ep_verifies_and_records() {
    check(&["mpi.f90", "ep/ep.f90"], "class-S", &RANKS);
}

#[test]
fn cg_verifies_and_records() {
    check(&CG, "class-S", &RANKS);
}

/// The smallest problem class has too few points for 64 ranks.
#[test]
fn lu_verifies_and_records() {
    check(&LU, "class-S", &RANKS[..5]);
}

#[test]
#[ignore = "takes half a minute without optimization"]
fn lu_verifies_on_64_ranks() {
    check(&LU, "class-W", &[64]);
}
