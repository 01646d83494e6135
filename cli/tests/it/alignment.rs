//! `measure` places the loops of the compute probe in lines of the instruction cache as those of the program.

use crate::command::{answer, done};
use npb_fixtures::skipped::skip;
use std::path::Path;
use std::process::Command;

/// The loop over `i` is the deepest; the marks around the call of MPI move it.
const PROGRAM: &str = "\
program placed
  use mpi
  implicit none
  integer :: error, i, j, step
  real :: x(64), total
  call mpi_init(error)
  x = 1
  do step = 1, 3
    do j = 1, 40
      do i = 1, 64
        x(i) = sqrt(x(i) + j)
      end do
    end do
    call mpi_allreduce(x(1), total, 1, mpi_real, mpi_sum, mpi_comm_world, error)
    x(1) = total
  end do
  call mpi_finalize(error)
  if (x(1) < 0) print *, x
end program
";
/// Two loops of a procedure with marks between them, after a deeper one that costs nothing.
const SEVERAL: &str = include_str!("alignment/several.f90");
/// The line that ends the deepest loop, which is where its jump belongs.
const DEEPEST: std::ops::RangeInclusive<u32> = 10..=12;
/// More bytes than a program may have for which a second build is tried.
const PADDING: usize = 1100 << 10;
/// The instruction that the deepest loop alone has.
const MARKER: &str = "sqrtss";

/// Whether code can be moved and read here.
fn can_move() -> bool {
    if !cfg!(target_arch = "x86_64") {
        skip("code is moved on x86-64 only");
        return false;
    }
    for tool in ["gfortran", "objdump"] {
        if Command::new(tool).arg("--version").output().is_err() {
            skip(&format!(
                "there is no {tool}; install gfortran and binutils"
            ));
            return false;
        }
    }
    true
}

/// A command in `here` that compiles without an alignment of the compiler's own.
fn command(here: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mpiete"));
    command
        .args(words)
        .current_dir(here)
        .env("FC", "gfortran")
        .env("FFLAGS", "-O1");
    command
}

fn prepared(here: &Path, text: &str) {
    std::fs::write(here.join("placed.f90"), text).unwrap();
    done(
        here,
        &[
            "prepare",
            "placed.f90",
            "--whole",
            "-o",
            "study",
            "--kind",
            "program,compute",
        ],
    );
}

/// What `measure` prints as warnings.
fn measured(command: &mut Command) -> String {
    let answer = answer(command);
    assert_eq!(answer.code, 0, "{}\n{}", answer.out, answer.err);
    answer.err
}

/// Where in a line of the cache the deepest loop's root is computed.
fn place_in_line(binary: &Path) -> u64 {
    places_in_line(binary, MARKER)[0]
}

/// Where in lines of the cache these instructions are.
fn places_in_line(binary: &Path, instruction: &str) -> Vec<u64> {
    let code = answer(
        Command::new("objdump")
            .args(["-d", "--no-show-raw-insn"])
            .arg(binary),
    );
    let mut found = Vec::new();
    for line in code.out.lines().filter(|line| line.contains(instruction)) {
        let address = u64::from_str_radix(line.split_once(':').unwrap().0.trim(), 16).unwrap();
        found.push(address % 64);
    }
    found
}

/// The builds of the compute probe, with the flags of each.
fn builds(study: &Path) -> Vec<(std::path::PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(study.join("compute")).unwrap() {
        let folder = entry.unwrap().path();
        if let Ok(flags) = std::fs::read_to_string(folder.join("compiled-with")) {
            found.push((folder.join("probe"), flags));
        }
    }
    found
}

#[test]
fn probe_loops_are_aligned_as_in_the_program() {
    if !can_move() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("study");
    prepared(folder.path(), PROGRAM);
    let warnings = measured(&mut command(
        folder.path(),
        &["measure", "study", "-n", "1"],
    ));
    assert!(!warnings.contains("instruction cache"), "{warnings}");
    let wanted = place_in_line(&study.join("plain/probe"));
    assert_eq!(place_in_line(&study.join("compute/probe")), wanted);

    // The probe as it is compiled without being moved differs, and the one that ran is not that one.
    let of_all = builds(&study);
    let (unmoved, _) = of_all
        .iter()
        .find(|(_, flags)| !flags.contains("MAIN__"))
        .unwrap();
    if place_in_line(unmoved) == wanted {
        skip("this compiler places the loop alike by chance");
        return;
    }
    let used = study.join("compute/probe").canonicalize().unwrap();
    let chosen = std::fs::read_to_string(study.join("compute/alignment")).unwrap();
    let (_, flags) = of_all
        .iter()
        .find(|(path, _)| path.canonicalize().unwrap() == used)
        .unwrap();
    assert_eq!(flags, &chosen);

    // The next run takes what was chosen, without another build.
    measured(&mut command(
        folder.path(),
        &["measure", "study", "-n", "1", "-o", "again.mpiete"],
    ));
    assert_eq!(builds(&study).len(), of_all.len());
    assert_eq!(study.join("compute/probe").canonicalize().unwrap(), used);
}

/// A matrix product between broadcasts; GCC puts the main program into the section of `main`, which it aligns less.
const PRODUCT: &str = include_str!("alignment/product.f90");

#[test]
fn loops_of_a_matrix_product_lie_as_in_the_program_at_each_level() {
    if !can_move() {
        return;
    }
    for compiler in ["gfortran", "mpif90.mpich"] {
        if Command::new(compiler).arg("--version").output().is_err() {
            skip(&format!("there is no {compiler}"));
            continue;
        }
        for level in ["-O1", "-O2", "-O3"] {
            let folder = tempfile::tempdir().unwrap();
            prepared(folder.path(), PRODUCT);
            let mut command = command(folder.path(), &["measure", "study", "-n", "1"]);
            let warnings = measured(command.env("FC", compiler).env("FFLAGS", level));
            assert!(
                !warnings.contains("instruction cache"),
                "{compiler} {level}: {warnings}"
            );
            let study = folder.path().join("study");
            let [program, probe] =
                ["plain/probe", "compute/probe"].map(|name| products(&study.join(name)));
            assert!(!program.is_empty(), "{compiler} {level}");
            assert_eq!(program, probe, "{compiler} {level}");
        }
    }
}

/// Where in a line of the cache the deepest loop multiplies numbers: in pairs, if at all; what remains of them is outside the loop.
fn products(binary: &Path) -> Vec<u64> {
    let pairs = places_in_line(binary, "\tmulpd");
    if pairs.is_empty() {
        return places_in_line(binary, "\tmulsd");
    }
    pairs
}

#[test]
fn each_loop_of_a_procedure_is_aligned() {
    if !can_move() {
        return;
    }
    for level in ["-O1", "-O2"] {
        let folder = tempfile::tempdir().unwrap();
        prepared(folder.path(), SEVERAL);
        let warnings =
            measured(command(folder.path(), &["measure", "study", "-n", "1"]).env("FFLAGS", level));
        assert!(
            !warnings.contains("instruction cache"),
            "{level}: {warnings}"
        );
        let study = folder.path().join("study");
        for instruction in ["\tsqrtss", "\tdivss", "\tsqrtsd"] {
            let [program, probe] = ["plain/probe", "compute/probe"]
                .map(|name| places_in_line(&study.join(name), instruction));
            assert!(!program.is_empty(), "{level}: {instruction}");
            assert_eq!(program, probe, "{level}: {instruction}");
        }
    }
}

#[test]
fn misaligned_loops_are_reported_with_the_deepest() {
    if !can_move() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let comment = format!("! {}\n", "x".repeat(100));
    // The probe of a large program is built once, so it is not moved.
    prepared(
        folder.path(),
        &(PROGRAM.to_string() + &comment.repeat(PADDING / comment.len())),
    );
    let warnings = measured(&mut command(
        folder.path(),
        &["measure", "study", "-n", "1"],
    ));
    let study = folder.path().join("study");
    let [plain, probe] =
        ["plain/probe", "compute/probe"].map(|name| place_in_line(&study.join(name)));
    if plain == probe {
        skip("this compiler places the loop alike by chance");
        return;
    }
    let is_named = DEEPEST
        .into_iter()
        .any(|line| warnings.contains(&format!("first placed.f90:{line}, ")));
    assert!(
        warnings.contains("have another alignment in the instruction cache") && is_named,
        "{warnings}"
    );
    assert_eq!(
        warnings.matches("instruction cache").count(),
        1,
        "{warnings}"
    );
}

#[test]
fn unreadable_code_is_reported() {
    if !can_move() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    prepared(folder.path(), PROGRAM);
    let tools = folder.path().join("tools");
    std::fs::create_dir(&tools).unwrap();
    std::os::unix::fs::symlink("/bin/false", tools.join("objdump")).unwrap();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let warnings =
        measured(command(folder.path(), &["measure", "study", "-n", "1"]).env("PATH", path));
    assert!(
        warnings.contains("objdump cannot read the code"),
        "{warnings}"
    );
}
