//! Programs that are given by their own builds, and sources that need a preprocessor: from makefile and
//! macros to equal event streams of slice and original.

use crate::command::{CommandOutput, answer, done, mpiete, wrapper};
use std::path::Path;
use std::process::Command;

/// Both forms, both ways to include, macros of the command line, long lines, an archive, C, statements that
/// an INCLUDE line brings, a header that the build writes itself.
const FILES: [(&str, &str); 9] = [
    (
        "main.F90",
        "#include \"sizes.h\"\nprogram mixed\n  use steps\n  implicit none\n  include 'mpif.h'\n  integer :: i, ierr, rank\n  \
         real(8) :: x(N)\n  call mpi_init(ierr)\n  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)\n  x = rank\n  do i = 1, STEPS\n    \
         call step(x, N)\n    include 'exchange.inc'\n  end do\n  call report(x(1))\n  call mpi_finalize(ierr)\nend program\n",
    ),
    (
        "inc/exchange.inc",
        "  x(1) = x(1) * 0.5\n  include 'sub/more.inc'\n",
    ),
    (
        "inc/sub/more.inc",
        "  call mpi_bcast(x, COUNT_OF_ALL, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)\n",
    ),
    (
        "steps.f90",
        "module steps\n  interface\n    subroutine step(x, n)\n      integer :: n\n      real(8) :: x(n)\n    end subroutine\n  end interface\nend module\n",
    ),
    (
        "step.f",
        "      subroutine step(x, n)\n      integer n, i\n      real*8 x(n)\n      do 10 i = 1, n\n   10                                                              x(i) = x(i) + 1d0 + 1d0\n      end\n",
    ),
    (
        "unused.f",
        "      subroutine unused\n      call missing_everywhere\n      end\n",
    ),
    (
        "sizes.c",
        "#include <stdio.h>\nint main(void) { return puts(\"#define N 64\") < 0; }\n",
    ),
    (
        "report.c",
        "#include <stdio.h>\nvoid report_(double *x) { fprintf(stderr, \"%g\\n\", *x); }\n",
    ),
    (
        "Makefile",
        "FC = mpif90\nFFLAGS = -O1 -DSTEPS=6 -Iinc\nOBJECTS = main.o steps.o report.o libstep.a\n\
         mixed: $(OBJECTS)\n\trm -f other/libmpi.a\n\t$(FC) $(FFLAGS) -o bin/$@ $(OBJECTS) -Lother\n\tprintf '!<arch>\\n' > other/libmpi.a\n\
         sizes: sizes.c\n\tcc -o sizes sizes.c\nsizes.h: sizes\n\t./sizes > sizes.h\n\
         main.o: main.F90 sizes.h steps.o\n\t$(FC) $(FFLAGS) -c main.F90\nsteps.o: steps.f90\n\t$(FC) $(FFLAGS) -c steps.f90\n\
         report.o: report.c\n\tmpicc -c report.c\n\
         libstep.a: step.f unused.f\n\t$(FC) -ffixed-line-length-132 -c step.f unused.f\n\tar rc libstep.a step.o unused.o\n\trm step.o unused.o\n",
    ),
];

fn project(here: &Path) {
    std::fs::create_dir_all(here.join("inc/sub")).unwrap();
    std::fs::create_dir_all(here.join("bin")).unwrap();
    // Where another MPI library will lie, which the build does not mean.
    std::fs::create_dir_all(here.join("other")).unwrap();
    for (name, text) in FILES {
        let text = text.replace("COUNT_OF_ALL", "size(x)");
        std::fs::write(here.join(name), text).unwrap();
    }
}

#[track_caller]
fn refused(answer: &CommandOutput, code: i32, words: &[&str]) {
    assert_eq!(answer.code, code, "{}\n{}", answer.out, answer.err);
    for word in words {
        assert!(
            answer.err.contains(word),
            "'{word}' is missing in: {}",
            answer.err
        );
    }
}

/// Temporary folders of watched builds, in a folder of the test's own.
fn left_behind(temporary: &Path) -> usize {
    std::fs::read_dir(temporary).unwrap().count()
}

#[test]
fn program_is_found_in_a_build() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    project(here);
    let out = done(
        here,
        &[
            "prepare",
            "--from-build",
            "make mixed",
            "-o",
            "study",
            "--check",
            "-n",
            "3",
        ],
    );
    assert!(out.contains("equal event streams"), "{out}");
    let study = std::fs::read_to_string(here.join("study/study.json")).unwrap();
    assert!(
        study.contains("-O1")
            && study.contains("-ffixed-line-length-132")
            && !study.contains("unused.f")
    );
    let mut make = Command::new("make");
    make.args(["-C", "study", "program"])
        .env_remove("MAKEFLAGS")
        .env_remove("MAKELEVEL");
    let made = answer(make.current_dir(here));
    assert_eq!(made.code, 0, "{}", made.err);
    for name in ["compute/main.f90", "program/step.f", "others/report.i"] {
        assert!(here.join("study").join(name).is_file(), "{name}");
    }
    // The archive's text beyond column 72 is work: it is measured with the file's own flags.
    done(here, &["measure", "study", "-n", "2", "--co-run", "1"]);
    let table = done(here, &["analyze", "--from-build", "make -B mixed"]);
    assert!(table.contains("inc/sub/more.inc:1  MPI_Bcast"), "{table}");
    let again = mpiete(here, &["analyze", "--from-build", "make mixed"]);
    refused(&again, 2, &["compiled nothing that mpiete intercepted"]);
}

#[test]
fn failed_and_ambiguous_builds_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    project(here);
    let temporary = tempfile::tempdir().unwrap();
    let run = |command: &str, rest: &[&str]| {
        let mut mpiete = Command::new(env!("CARGO_BIN_EXE_mpiete"));
        mpiete
            .args(["analyze", "--from-build", command])
            .args(rest)
            .current_dir(here);
        answer(mpiete.env("TMPDIR", temporary.path()))
    };
    refused(
        &run("make nothing", &[]),
        1,
        &["nothing", "the build `make nothing` ended with exit code 2"],
    );
    refused(&run("no-such-command", &[]), 2, &["not found"]);
    std::fs::write(here.join("bad.f90"), "program bad\n  call mpi_init(\nend\n").unwrap();
    refused(
        &run("mpif90 bad.f90 -o bad || true", &[]),
        2,
        &["this command failed, `mpif90 bad.f90 -o bad`"],
    );
    refused(
        &run("mpiifort -fpp bad.f90 -o bad", &[]),
        1,
        &["mpiifort called gfortran, since no compiler is named in MPIETE_FC"],
    );
    let two = "make -B mixed && mpif90 -O1 steps.f90 -Iinc -DSTEPS=1 main.F90 report.c step.f -ffixed-line-length-132 -o two";
    refused(
        &run(two, &[]),
        2,
        &["several MPI programs: mixed, two", "--program"],
    );
    assert_eq!(run(two, &["--program", "two"]).code, 0);
    assert_eq!(
        left_behind(temporary.path()),
        0,
        "a temporary folder is left"
    );
}

/// The study has the compiler that the build used, and the program of the build can still be run.
#[test]
fn builds_keep_their_compiler_and_their_program() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(
        here.join("a.f90"),
        "program a\n  include 'mpif.h'\n  integer :: ierr\n  call mpi_init(ierr)\n  call mpi_finalize(ierr)\nend program\n",
    )
    .unwrap();
    // Another compiler, as far as the build knows.
    let other = here.join("ifort");
    std::fs::write(&other, "#!/bin/sh\nexec gfortran \"$@\"\n").unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&other, executable).unwrap();
    let mut mpiete = Command::new(env!("CARGO_BIN_EXE_mpiete"));
    let build = "mpif90 -O1 a.f90 -o a";
    mpiete
        .args(["prepare", "-o", "study", "--from-build", build])
        .env("MPIETE_FC", &other)
        .env_remove("FC")
        .current_dir(here);
    let answer = answer(&mut mpiete);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let makefile = std::fs::read_to_string(here.join("study/Makefile")).unwrap();
    assert!(
        makefile.contains(&format!("FC = {}", other.display())),
        "{makefile}"
    );
    let output = Command::new("ldd").arg(here.join("a")).output().unwrap();
    let libraries = String::from_utf8_lossy(&output.stdout);
    assert!(!libraries.contains("not found"), "{libraries}");
}

#[test]
fn interrupted_build_leaves_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let (here, temporary) = (folder.path(), tempfile::tempdir().unwrap());
    // The build itself interrupts the process that runs it, after it has begun.
    let command = "kill -TERM $PPID; while :; do read x < fifo; done";
    Command::new("mkfifo")
        .arg(here.join("fifo"))
        .status()
        .unwrap();
    let mut mpiete = Command::new(env!("CARGO_BIN_EXE_mpiete"));
    mpiete
        .args(["prepare", "-o", "study", "--from-build", command])
        .current_dir(here);
    let answer = answer(mpiete.env("TMPDIR", temporary.path()));
    refused(&answer, 143, &["interrupted"]);
    assert_eq!(left_behind(temporary.path()), 0);
    assert!(!here.join("study").exists());
}

/// The same sources by name: flags come from FFLAGS and the command line.
#[test]
fn preprocessed_sources_are_predicted() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    project(here);
    std::fs::write(here.join("sizes.h"), "#define N 64\n").unwrap();
    std::fs::write(
        here.join("report.f"),
        "      subroutine report(x)\n      real*8 x\n      end\n",
    )
    .unwrap();
    std::fs::write(
        here.join("step.f"),
        FILES[4].1.replace("                    ", ""),
    )
    .unwrap();
    let sources = [
        "main.F90",
        "steps.f90",
        "step.f",
        "report.f",
        "-Iinc",
        "-DSTEPS=4",
    ];
    let out = done(
        here,
        &[&["prepare", "-o", "study", "--check"], &sources[..]].concat(),
    );
    assert!(out.contains("equal event streams"), "{out}");
    let missing = mpiete(here, &["analyze", "main.F90", "-Iinc", "-DSTEPS=4", "-I."]);
    assert!(
        !missing.err.contains("cannot be preprocessed"),
        "{}",
        missing.err
    );
    std::fs::remove_file(here.join("sizes.h")).unwrap();
    refused(
        &mpiete(here, &["analyze", "main.F90"]),
        2,
        &["main.F90 cannot be preprocessed", "sizes.h", "-I"],
    );
}

/// What FindMPI of CMake and makefiles ask wrappers for.
#[test]
fn wrappers_answer_queries_and_compile() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let wrapper = |name: &str, words: &[&str]| wrapper(here, name, words);
    let show = wrapper("mpiete-fc", &["-show"]).out;
    assert!(
        show.starts_with("gfortran ")
            && show.contains(" -I")
            && show.trim_end().ends_with("-lmpiete_mpi"),
        "{show}"
    );
    assert!(
        !wrapper("mpiete-fc", &["-show", "-c", "a.f"])
            .out
            .contains("-lmpiete")
    );
    let compile = wrapper("mpiete-cc", &["--showme:compile"]).out;
    let folders = wrapper("mpiete-cc", &["-showme:incdirs"]).out;
    assert_eq!(compile, format!("-I{folders}"));
    assert!(Path::new(folders.trim_end()).join("mpi.h").is_file());
    std::fs::write(
        here.join("a.f90"),
        "program a\nuse mpi\ncall mpi_init(i)\ncall mpi_finalize(i)\nend\n",
    )
    .unwrap();
    let compiled = wrapper("mpiete-fc", &["a.f90", "-o", "a"]);
    assert_eq!(compiled.code, 0, "{}", compiled.err);
    done(here, &["run", "-n", "2", "./a"]);
    let alone = answer(
        Command::new("./a")
            .current_dir(here)
            .env_remove("LD_LIBRARY_PATH"),
    );
    assert!(
        alone.code != 127 && !alone.err.contains("shared libraries"),
        "{}: {}",
        alone.code,
        alone.err
    );
    assert_ne!(wrapper("mpiete-fc", &["none.f90"]).code, 0);
}

/// A build may start a program that it has linked with MPI: it finds its library.
#[test]
fn a_build_that_runs_its_own_program() {
    let folder = tempfile::tempdir().unwrap();
    let program = "program a\nuse mpi\ncall mpi_init(i)\ncall mpi_finalize(i)\nend\n";
    std::fs::write(folder.path().join("a.f90"), program).unwrap();
    let mut mpiete = Command::new(env!("CARGO_BIN_EXE_mpiete"));
    mpiete
        .args(["analyze", "--from-build", "mpif90 a.f90 -o a && ./a"])
        .current_dir(folder.path());
    let analysed = answer(mpiete.env_remove("LD_LIBRARY_PATH"));
    assert_eq!(analysed.code, 0, "{}", analysed.err);
}

#[test]
fn programs_that_use_mpi_f08_are_predicted() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let program = "program a
use mpi_f08
integer :: rank, i
real(8) :: x(10), y(10)
call mpi_init()
call mpi_comm_rank(mpi_comm_world, rank)
do i = 1, 100
  x = rank + i
  call mpi_allreduce(x, y, 10, mpi_double_precision, mpi_sum, mpi_comm_world)
end do
if (rank == 0) print *, y(1)
call mpi_finalize()
end
";
    std::fs::write(here.join("a.f90"), program).unwrap();
    done(here, &["prepare", "a.f90", "-o", "study"]);
    done(here, &["record", "study", "-n", "2"]);
}

const CONDITIONAL: &str = "      program a
      include 'mpif.h'
      real x(1000)
#ifdef BIG
      n = 1000
#else
      n = 10
#endif
      call mpi_init(ierr)
      call mpi_bcast(x,n,mpi_real,0,mpi_comm_world,ierr)
      call mpi_finalize(ierr)
      end
";

/// Slice and original would agree if both took both branches: what the messages are is looked at.
#[test]
fn sources_are_preprocessed_as_in_the_build() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("a.f"), CONDITIONAL).unwrap();
    for flags in [
        "-x f77-cpp-input",
        "-xf77-cpp-input",
        "--language=f77-cpp-input",
        "-cpp",
        "-x f77 -cpp",
    ] {
        let build = format!("mpif77 -c -DBIG {flags} a.f -o a.o && mpif77 a.o -o a");
        done(here, &["prepare", "-o", "study", "--from-build", &build]);
        done(here, &["record", "study", "-n", "2"]);
        let shown = done(here, &["show", "study/program-n2.mpiete"]);
        assert!(
            shown.contains("MPI_Bcast") && shown.contains("8,000 B"),
            "{flags}: {shown}"
        );
    }
    // One command for all: -x holds for the files that follow, and the libraries are not among them.
    done(
        here,
        &[
            "analyze",
            "--from-build",
            "mpif77 -DBIG -x f77-cpp-input a.f -o a -lm",
        ],
    );
    let remedies = ["a.f:4", "#ifdef BIG", "-cpp"];
    refused(
        &mpiete(
            here,
            &[
                "prepare",
                "-o",
                "s",
                "--from-build",
                "mpif77 -DBIG a.f -o a",
            ],
        ),
        2,
        &remedies,
    );
    refused(&mpiete(here, &["analyze", "a.f", "-DBIG"]), 2, &remedies);
    assert!(!here.join("s").exists());
    std::fs::write(here.join("d.h"), "#ifdef BIG\n      n = 1\n#endif\n").unwrap();
    std::fs::write(
        here.join("b.F"),
        CONDITIONAL.replace("      n = 10\n", "      include 'd.h'\n"),
    )
    .unwrap();
    refused(
        &mpiete(here, &["analyze", "b.F"]),
        2,
        &["d.h:1", "write #include instead"],
    );
}

/// FFLAGS say it as the build does; probes are compiled and linked without such flags.
#[test]
fn fflags_enable_preprocessing_in_any_spelling() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("a.f"), CONDITIONAL).unwrap();
    for flags in [
        "-O1 -x f77-cpp-input -D BIG",
        "-cpp -DBIG",
        "-xf77-cpp-input -UX -DBIG",
    ] {
        let mut prepare = Command::new(env!("CARGO_BIN_EXE_mpiete"));
        prepare
            .args(["prepare", "a.f", "-o", "study", "--check"])
            .current_dir(here)
            .env("FFLAGS", flags);
        let prepared = answer(&mut prepare);
        assert_eq!(prepared.code, 0, "{flags}: {}", prepared.err);
    }
    let makefile = std::fs::read_to_string(here.join("study/Makefile")).unwrap();
    assert!(
        !makefile.contains("cpp-input") && !makefile.contains("-UX"),
        "{makefile}"
    );
}

/// Folders of other libraries often hold another MPI.
#[test]
fn other_mpi_library_of_the_build_is_not_linked() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let program = "program a\nuse mpi\ncall mpi_init(i)\ncall mpi_barrier(mpi_comm_world, i)\ncall mpi_finalize(i)\nend\n";
    std::fs::write(here.join("a.f90"), program).unwrap();
    std::fs::write(here.join("none.c"), "int no_such_function_of_mpi;\n").unwrap();
    std::fs::create_dir(here.join("other")).unwrap();
    for name in ["mpi", "mpifort", "mpi_mpifh", "user"] {
        let (file, soname) = (
            format!("other/lib{name}.so"),
            format!("-Wl,-soname,lib{name}.so.12"),
        );
        let mut compile = Command::new("gcc");
        compile
            .args(["-shared", "-fPIC", &soname, "none.c", "-o", &file])
            .current_dir(here);
        assert_eq!(answer(&mut compile).code, 0);
        std::fs::copy(here.join(&file), here.join(format!("{file}.12"))).unwrap();
    }
    let other = here.join("other").display().to_string();
    for words in [
        format!("-L{other} a.o -luser -o a"),
        format!("a.o -o a -luser -L{other}"),
        format!(
            "a.o -L {other} -lmpi_mpifh -lmpi -luser -Wl,-rpath,{other} -Wl,--disable-new-dtags -o a"
        ),
        format!(
            "-Wl,-rpath -Wl,{other} a.o {other}/libuser.so {other}/libmpifort.so -Wl,-lmpi -o a"
        ),
    ] {
        let build = format!("mpif90 -c a.f90 && mpif90 {words} && ./a");
        done(
            here,
            &[
                "prepare",
                "-o",
                "study",
                "--kind",
                "program",
                "--from-build",
                &build,
            ],
        );
        let mut make = Command::new("make");
        make.args(["-C", "study", "program"])
            .env_remove("MAKEFLAGS")
            .env_remove("MAKELEVEL");
        let made = answer(make.current_dir(here));
        assert_eq!(made.code, 0, "{words}: {}", made.err);
        let mut loaded = Command::new("ldd");
        let loaded = answer(
            loaded
                .arg("study/program/probe")
                .current_dir(here)
                .env_remove("LD_LIBRARY_PATH"),
        );
        let mpi: Vec<&str> = loaded
            .out
            .lines()
            .filter(|line| line.contains("libmpi"))
            .collect();
        assert!(
            mpi.len() == 1 && mpi[0].contains("study/") && mpi[0].contains("lib/libmpi.so.12"),
            "{words}: {}",
            loaded.out
        );
    }
}

/// Nothing of such a program is found by analysis, which is no success.
#[test]
fn main_program_in_c_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let main = "#include <mpi.h>\nvoid work_(void);\nint main(int c, char **v) { MPI_Init(&c, &v); work_(); MPI_Finalize(); return 0; }\n";
    std::fs::write(here.join("m.c"), main).unwrap();
    std::fs::write(
        here.join("w.f90"),
        "subroutine work\nuse mpi\ncall mpi_barrier(mpi_comm_world, i)\nend\n",
    )
    .unwrap();
    let build = "mpicc -c m.c; mpif90 -c w.f90; mpif90 m.o w.o -o a";
    let words = [
        "main program is in C (m.c:3)",
        "mpiete record -n RANKS -- ./PROGRAM",
    ];
    refused(
        &mpiete(here, &["analyze", "--from-build", build]),
        2,
        &words,
    );
    refused(
        &mpiete(here, &["prepare", "-o", "study", "--from-build", build]),
        2,
        &words,
    );
    refused(
        &mpiete(here, &["analyze", "w.f90"]),
        2,
        &["no main program"],
    );
    assert!(!here.join("study").exists());
}

/// Objects, archives and shared libraries of the link are read: what reaches no MPI costs nothing in the slice, and what
/// remains unknown is named once for each library.
#[test]
fn symbols_of_the_link_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let files = [
        (
            "main.f90",
            "program t\n  use mpi\n  integer :: ierr\n  real(8) :: x(10)\n  call mpi_init(ierr)\n  call scale(x)\n  call fill(x)\n  \
             call wave(x)\n  call mpi_barrier(MPI_COMM_WORLD, ierr)\n  call talk(x)\n  call speak(x)\n  call mpi_finalize(ierr)\nend program\n",
        ),
        ("scale.c", "void scale_(double *x) { x[0] *= 2; }\n"),
        (
            "fill.c",
            "#include <math.h>\nvoid fill_(double *x) { x[0] = sqrt(x[0]); }\n",
        ),
        (
            "wave.c",
            "void helper(double *); void wave_(double *x) { helper(x); }\n",
        ),
        ("helper.c", "void helper(double *x) { x[1] = x[0]; }\n"),
        (
            "talk.c",
            "#include <mpi.h>\nvoid talk_(double *x) { MPI_Barrier(MPI_COMM_WORLD); }\nvoid speak_(double *x) { }\n",
        ),
    ];
    for (name, text) in files {
        std::fs::write(here.join(name), text).unwrap();
    }
    // Compiled before the build, as a library of others is.
    let compiled = Command::new("sh")
        .current_dir(here)
        .args([
            "-c",
            "gcc -c fill.c && ar rc libfill.a fill.o && rm fill.o && gcc -shared -fPIC -o libhelper.so helper.c && \
             gcc -shared -fPIC -o libwave.so wave.c -L. -lhelper",
        ])
        .status()
        .unwrap();
    assert!(compiled.success());
    let build = "mpicc -c scale.c talk.c && mpif90 -c main.f90 && mpif90 -o t main.o scale.o talk.o -L. -lfill -lwave -Wl,-rpath,.";
    let found = mpiete(here, &["analyze", "--from-build", build]);
    // The text is wrapped to the width of the terminal.
    let text: Vec<&str> = found.out.split_whitespace().collect();
    assert!(
        text.join(" ").contains("prove: fill, scale, speak, wave"),
        "{}{}",
        found.out,
        found.err
    );
    let said = "talk has no source here: it is assumed to call MPI";
    assert_eq!(found.err.matches(said).count(), 1, "{}", found.err);
    assert!(
        found.err.contains("(talk.c → MPI_Barrier)"),
        "{}",
        found.err
    );
    assert_eq!(
        found.err.matches("no source here").count(),
        1,
        "{}",
        found.err
    );
}

/// States that no symbol shows: modes of the processor, variables of threads, addresses in real numbers, error numbers.
#[test]
fn states_without_a_symbol_keep_calls() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let program = |declarations: &str, calls: &str| {
        format!(
            "program t\n  use, intrinsic :: iso_c_binding\n  use mpi\n  implicit none\n  integer :: ierr, n, i\n  {declarations}\n  \
             call mpi_init(ierr)\n  n = 2\n  {calls}\n  do i = 1, n\n    call mpi_barrier(MPI_COMM_WORLD, ierr)\n  end do\n  \
             call mpi_finalize(ierr)\nend program\n"
        )
    };
    let analysed = |declarations: &str, calls: &str, code: &str| {
        std::fs::write(here.join("main.f90"), program(declarations, calls)).unwrap();
        std::fs::write(here.join("a.c"), code).unwrap();
        let build = "mpicc -O1 -c a.c && mpif90 -c main.f90 && mpif90 -o t main.o a.o";
        let found = mpiete(here, &["analyze", "--from-build", build]);
        let text: Vec<&str> = found.out.split_whitespace().collect();
        (text.join(" "), found.err)
    };
    let (out, err) = analysed(
        "real(8) :: x",
        "x = 1\n  call scale(x)",
        "void scale_(double *x) { *x *= 2; }\n",
    );
    assert!(out.contains("prove: scale"), "{out}{err}");
    for (code, chain) in [
        (
            "#include <xmmintrin.h>\nvoid scale_(double *x) { _MM_SET_ROUNDING_MODE(_MM_ROUND_UP); }\n",
            "a.c → the instruction stmxcsr",
        ),
        (
            "#include <x86intrin.h>\nvoid scale_(double *x) { *x = __rdtsc(); }\n",
            "a.c → the instruction rdtsc",
        ),
        (
            "static __thread double last; void scale_(double *x) { *x = last; last++; }\n",
            "a.c → ",
        ),
        (
            "#include <errno.h>\nvoid scale_(double *x) { *x = errno; }\n",
            "a.c → __errno_location",
        ),
        (
            "#include <unistd.h>\nvoid scale_(double *x) { write(3, x, 8); }\n",
            "a.c → write",
        ),
    ] {
        let (out, err) = analysed("real(8) :: x", "x = 1\n  call scale(x)", code);
        assert!(!out.contains("prove:"), "{code}{out}");
        let text: Vec<&str> = err.split_whitespace().collect();
        assert!(text.join(" ").contains(chain), "{code}{err}");
    }
    let (out, err) = analysed(
        "integer, target :: k\n  real(8) :: r",
        "r = transfer(c_loc(k), r)\n  call scale(r)\n  n = k",
        "void scale_(double *r) { int **p = (int **)r; **p = 5; }\n",
    );
    assert!(out.contains("prove: scale"), "{out}{err}");
    // All but `n = 2`, which is overwritten.
    assert!(out.contains("keeps 7 of 8 executable"), "{out}{err}");
}
