//! One body of programs, two worlds: what is in `conformance`, built once with MPICH's compilers, says
//! the same under MPICH and under our library, and says nothing wrong there with more ranks than
//! MPICH can be waited for. A program prints what it sees; a line with the word `wrong` fails it.
//!
//! To add a test: a program in that folder; the first part of its name is its chapter. Where MPICH is
//! not installed, programs are built against our headers and run under our library only; so are those
//! of the chapter `beyond`, always: what this version of MPICH does not have, refuses or mistakes.

use crate::world::World;
use base_data::mpi::functions::FUNCTIONS;
use base_data::mpi::unsupported::OTHERS;
use expect_test::expect_file;
use npb_fixtures::skipped::skip;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use token_runtime::host::Mode;

/// Ranks under both libraries, and under ours alone.
const BOTH: [u32; 2] = [1, 2];
const OURS: [u32; 1] = [5];
/// The chapter of what MPICH does not do.
const BEYOND: &str = "beyond";
/// Seconds that MPICH gets, whose ranks wait by polling.
const LIMIT: &str = "120";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/conformance")
}

/// The programs, sorted by name.
fn programs() -> BTreeSet<PathBuf> {
    std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect()
}

fn is_fortran(program: &Path) -> bool {
    program
        .extension()
        .is_some_and(|extension| extension == "f90")
}

fn chapter(program: &Path) -> &str {
    let name = program.file_name().unwrap().to_str().unwrap();
    name.split('_').next().unwrap()
}

/// MPICH's compiler of the program's language, if it is installed and good for the program.
fn compiler(program: &Path) -> Option<&'static str> {
    if chapter(program) == BEYOND {
        return None;
    }
    let compiler = if is_fortran(program) {
        "mpif90.mpich"
    } else {
        "mpicc.mpich"
    };
    let is_installed = Command::new(compiler)
        .arg("-show")
        .output()
        .is_ok_and(|output| output.status.success());
    if !is_installed {
        skip(&format!(
            "there is no {compiler} to compare with; install mpich and gfortran"
        ));
        return None;
    }
    Some(compiler)
}

fn build(world: &World, program: &Path) -> PathBuf {
    let source = program.to_str().unwrap();
    match compiler(program) {
        Some(compiler) => world.compile_with(compiler, &[source], &["-w"]),
        None if is_fortran(program) => world.compile(&["mpi.f90", "mpi_f08.f90", source]),
        None => world.compile(&[source]),
    }
}

/// Lines in the order of the alphabet: which rank's come first is the system's affair.
fn sorted(output: &str) -> String {
    let mut lines: Vec<&str> = output.lines().map(str::trim_end).collect();
    lines.sort_unstable();
    lines.join("\n")
}

/// Each rank prints to a file of its own: in one, lines of ranks that print at the same time are torn.
fn under_mpich(program: &Path, ranks: u32) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("timeout")
        .args([
            LIMIT,
            "mpiexec.mpich",
            "-n",
            &ranks.to_string(),
            "-outfile-pattern",
        ])
        .arg(folder.path().join("rank-%r"))
        .arg(program)
        .output()
        .unwrap();
    let files = (0..ranks).map(|rank| folder.path().join(format!("rank-{rank}")));
    let said: String = files
        .filter_map(|file| std::fs::read_to_string(file).ok())
        .collect();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{} on {ranks} ranks of MPICH: {said}\n{errors}",
        program.display()
    );
    sorted(&said)
}

fn check(program: &Path) {
    let world = World::new();
    let built = build(&world, program);
    for ranks in BOTH.into_iter().chain(OURS) {
        let ours = sorted(&world.run(&built, ranks, Mode::Token).output);
        let name = program.display();
        // A run with a single rank may have no partner.
        assert!(
            (ranks == 1 || !ours.is_empty()) && !ours.contains("wrong"),
            "{name} on {ranks} ranks:\n{ours}"
        );
        if BOTH.contains(&ranks) && compiler(program).is_some() {
            let theirs = under_mpich(&built, ranks);
            assert!(
                ours == theirs,
                "{name} on {ranks} ranks\nours:\n{ours}\nMPICH:\n{theirs}"
            );
        }
    }
}

fn check_chapter(name: &str) {
    let programs = programs();
    programs
        .iter()
        .filter(|program| chapter(program) == name)
        .for_each(|program| check(program));
}

macro_rules! chapters {
    ($($chapter:ident)+) => {
        $(
            #[test]
            fn $chapter() {
                check_chapter(stringify!($chapter));
            }
        )+

        #[test]
        fn every_program_belongs_to_a_chapter() {
            let chapters = [$(stringify!($chapter)),+];
            for program in programs() {
                assert!(chapters.contains(&chapter(&program)), "{}", program.display());
            }
        }
    };
}

chapters! { beyond bind collectives comm datatypes transfers }

#[test]
fn every_function_is_in_a_program() {
    let texts: Vec<String> = programs()
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap().to_lowercase())
        .collect();
    let is_called = |name: &str| {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        texts
            .iter()
            .any(|text| text.split(|c| !is_word(c)).any(|word| word == name))
    };
    let running = FUNCTIONS.iter().filter(|function| function.support.runs());
    let untested: Vec<&str> = running
        .map(|function| function.name)
        .filter(|name| !is_called(&name.to_lowercase()))
        .collect();
    assert_eq!(
        untested,
        Vec::<&str>::new(),
        "no program of the folder conformance calls these"
    );
}

/// The functions of MPI and what becomes of them, as in docs/results/coverage.md.
fn coverage() -> String {
    use base_data::mpi::Support;
    let all = || FUNCTIONS.iter().chain(OTHERS);
    let names = |wanted: Support| {
        let mut names: Vec<&str> = all()
            .filter(|f| f.support == wanted)
            .map(|f| f.name)
            .collect();
        names.sort_unstable();
        names
    };
    let states = [
        (Support::Full, "run, are recorded and predicted"),
        (
            Support::Runs,
            "run; a recording ends at those that communicate",
        ),
        (
            Support::NotYet,
            "end the run with their name, or return an error under `MPI_ERRORS_RETURN`",
        ),
    ];
    let mut text = format!("Of {} functions:\n", all().count());
    for (support, what) in states {
        let names = names(support);
        if names.is_empty() {
            continue;
        }
        text += &format!("\n### {} {what}\n\n{}\n", names.len(), names.join(", "));
    }
    text
}

/// `UPDATE_EXPECT=1` writes it.
#[test]
fn coverage_document_matches_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/results/coverage.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (head, tail) = ("<!-- functions -->\n", "<!-- end of functions -->\n");
    let start = text.find(head).unwrap() + head.len();
    let end = text.find(tail).unwrap();
    let expected = format!("{}{}{}", &text[..start], coverage(), &text[end..]);
    expect_file![path].assert_eq(&expected);
}
