//! Slices of programs whose libraries are in C: they make the same event streams as the program, whatever calls they drop.

use crate::command::mpiete;
use std::path::Path;
use std::process::Command;

/// A program that calls procedures in C, and how it is built.
struct Case {
    name: &'static str,
    declarations: &'static str,
    /// Calls before the MPI calls, a line each.
    calls: &'static str,
    /// Commands that compile libraries before the build. C source files are in the folder.
    before: &'static str,
    /// C source files.
    files: &'static [(&'static str, &'static str)],
    /// What is linked beside `main.o`.
    link: &'static str,
    /// A call that the slice drops; if none, it drops no call.
    dropped: Option<&'static str>,
}

const ARCHIVE: &str = "mpicc -O1 -c *.c && ar rc libx.a *.o && rm *.o";
const ARCHIVES: &str = "gcc -O1 -c *.c && ar rc liba.a a.o && ar rc libb.a b.o c.o && rm *.o";
const SHARED: &str = "gcc -O1 -shared -fPIC -o liba.so a.c && gcc -O1 -shared -fPIC -o libb.so b.c";

impl Case {
    /// Builds the program, and compares slice and program.
    fn check(&self) {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        let source = format!(
            "program t\n  use, intrinsic :: iso_c_binding\n  use mpi\n  implicit none\n  integer :: ierr, n, i, k\n{}\n  \
             call mpi_init(ierr)\n  k = 1\n{}\n  do i = 1, n\n    call mpi_barrier(MPI_COMM_WORLD, ierr)\n  end do\n  \
             call mpi_finalize(ierr)\nend program\n",
            self.declarations, self.calls
        );
        std::fs::write(here.join("main.f90"), source).unwrap();
        for (name, text) in self.files {
            std::fs::write(here.join(name), text).unwrap();
        }
        shell(here, self.before);
        // The folder may contain modules.
        let build = format!(
            "mpif90 -I$PWD -c main.f90 && mpif90 -o t main.o {}",
            self.link
        );
        let arguments = [
            "prepare",
            "--check",
            "-n",
            "2",
            "-o",
            "study",
            "--from-build",
            &build,
        ];
        let found = mpiete(here, &arguments);
        let is_equal = found.code == 0 && found.out.contains("equal event streams");
        assert!(is_equal, "{}: {}{}", self.name, found.out, found.err);
        let sliced = std::fs::read_to_string(here.join("study/program/main.f90")).unwrap();
        let text = std::fs::read_to_string(here.join("study/program/mpiete-references.f90"));
        assert!(text.unwrap().contains("bind(c, name="), "{}", self.name);
        for call in self.calls.lines() {
            // What is dropped is a comment.
            let is_kept = sliced.lines().any(|line| line == call);
            assert_eq!(
                is_kept,
                self.dropped != Some(call.trim()),
                "{}: {call}\n{sliced}",
                self.name
            );
        }
    }
}

fn shell(folder: &Path, command: &str) {
    let mut shell = Command::new("sh");
    let status = shell.current_dir(folder).args(["-c", command]).status();
    assert!(status.unwrap().success(), "{command}");
}

/// C code that prints has no effect but what it prints, unless it or other code uses streams in other ways.
#[test]
fn calls_that_print_are_dropped() {
    let case = Case {
        name: "standard output and standard error",
        declarations: "",
        calls: "  call show(k)\n  n = 3",
        before: "mpicc -O1 -c *.c",
        files: &[(
            "a.c",
            "#include <stdio.h>\nvoid show_(int *k) { printf(\"%d\\n\", *k); puts(\"k\"); fprintf(stderr, \"%d\\n\", *k); fflush(stdout); }\n",
        )],
        link: "a.o",
        dropped: Some("call show(k)"),
    };
    case.check();
    Case {
        name: "printed characters are counted",
        calls: "  call show(k)\n  call position(n)",
        files: &[
            (
                "a.c",
                "#include <stdio.h>\nvoid show_(int *k) { for (int i = 0; i < 3; i++) putchar('0' + *k); fflush(stdout); }\n",
            ),
            (
                "b.c",
                "#include <stdio.h>\nvoid position_(int *n) { *n = ftell(stdout) > 0 ? 3 : 2; }\n",
            ),
        ],
        link: "a.o b.o",
        dropped: None,
        ..case
    }
    .check();
}

/// Which members of archives, and which shared libraries, are linked depends on the calls of the program.
#[test]
fn the_same_files_are_linked_with_a_slice() {
    let case = Case {
        name: "definition in place of a weak one",
        declarations: "",
        calls: "  call work(k)\n  call get(n)",
        before: ARCHIVE,
        files: &[
            (
                "a.c",
                "void work_(int *k) { *k += 1; } int val(void) { return 5; }\n",
            ),
            (
                "b.c",
                "__attribute__((weak, noipa)) int val(void) { return 2; } void get_(int *n) { *n = val(); }\n",
            ),
        ],
        link: "-L. -lx",
        dropped: None,
    };
    case.check();
    Case {
        name: "weak reference",
        files: &[
            ("a.c", "void work_(int *k) { *k += 1; } int hook(void) { return 5; }\n"),
            (
                "b.c",
                "__attribute__((weak)) int hook(void); void get_(int *n) { *n = hook ? hook() : 2; }\n",
            ),
        ],
        ..case
    }
    .check();
    Case {
        name: "two archives",
        before: ARCHIVES,
        files: &[
            (
                "a.c",
                "void work_(int *k) { *k += 1; } int val(void) { return 5; }\n",
            ),
            ("b.c", "int val(void); void get_(int *n) { *n = val(); }\n"),
            ("c.c", "int val(void) { return 2; }\n"),
        ],
        link: "-L. -la -lb",
        ..case
    }
    .check();
    Case {
        name: "function of the C library",
        before: "gcc -fno-builtin -c *.c && ar rc libx.a *.o && rm *.o",
        files: &[
            (
                "a.c",
                "void work_(int *k) { *k += 1; } double sqrt(double x) { return 5; }\n",
            ),
            (
                "b.c",
                "double sqrt(double); void get_(int *n) { *n = 4; *n = sqrt(*n); }\n",
            ),
        ],
        ..case
    }
    .check();
    Case {
        name: "shared libraries that are linked if something refers to them",
        before: SHARED,
        files: &[
            (
                "a.c",
                "void work_(int *k) { *k += 1; } int val(void) { return 5; }\n",
            ),
            (
                "b.c",
                "int val(void) { return 2; } void get_(int *n) { *n = val(); }\n",
            ),
        ],
        link: "-Wl,--as-needed -L. -la -lb -Wl,-rpath,$PWD",
        ..case
    }
    .check();
}

/// Also where the call is dropped: a probe refers to all that the program refers to.
#[test]
fn probes_refer_to_the_procedures_of_dropped_calls() {
    Case {
        name: "dropped call",
        declarations: "",
        calls: "  n = 2\n  call work(k)",
        before: ARCHIVE,
        files: &[("a.c", "void work_(int *k) { *k += 1; }\n")],
        link: "-L. -lx",
        dropped: Some("call work(k)"),
    }
    .check();
}

/// Sections that code can write count as its memory, whatever their names are.
#[test]
fn calls_stay_that_write_what_others_read() {
    let interface = "  interface\n    subroutine put(k) bind(c)\n      import :: c_int\n      integer(c_int), value :: k\n    \
        end subroutine\n    integer(c_int) function got() bind(c)\n      import :: c_int\n    end function\n  end interface";
    let case = Case {
        name: "section .gotham",
        declarations: interface,
        calls: "  call put(5)\n  n = got()",
        before: ARCHIVE,
        files: &[(
            "a.c",
            "static int v __attribute__((section(\".gotham\"))) = 2; void put(int k) { v = k; } int got(void) { return v; }\n",
        )],
        link: "-L. -lx",
        dropped: None,
    };
    case.check();
    Case {
        name: "stack of the x87 unit",
        files: &[(
            "a.c",
            "void put(int k) { __asm__ volatile(\"fildl %0\" : : \"m\"(k)); }\n\
             int got(void) { int n; __asm__ volatile(\"fistpl %0\" : \"=m\"(n)); return n < 0 || n > 9 ? 2 : n; }\n",
        )],
        ..case
    }
    .check();
}

/// Addresses in small numbers, and what C code reaches from an address.
#[test]
fn calls_stay_that_write_through_addresses() {
    let case = Case {
        name: "address of a variable in two numbers",
        declarations: "  integer :: low, high",
        calls: "  n = 2\n  call keep(low, high, n)\n  call bump(low, high)",
        before: ARCHIVE,
        files: &[(
            "a.c",
            "void keep_(int *l, int *h, int *n) { long a = (long)n; *l = (int)a; *h = (int)(a >> 32); }\n\
             void bump_(int *l, int *h) { *(int *)(((long)*h << 32) | (unsigned)*l) = 5; }\n",
        )],
        link: "-L. -lx",
        dropped: None,
    };
    case.check();
    Case {
        name: "address of a procedure in two numbers",
        calls: "  n = 2\n  call find(low, high)\n  call go(low, high)",
        files: &[
            (
                "a.c",
                "#include <mpi.h>\nstatic void f(void) { MPI_Barrier(MPI_COMM_WORLD); }\n\
                 void find_(int *l, int *h) { long a = (long)f; *l = (int)a; *h = (int)(a >> 32); }\n",
            ),
            (
                "b.c",
                "void go_(int *l, int *h) { ((void (*)(void))(((long)*h << 32) | (unsigned)*l))(); }\n",
            ),
        ],
        ..case
    }
    .check();
    Case {
        name: "handle in one number",
        declarations: "  integer :: h",
        calls: "  call make(h)\n  call put(h, 5)\n  call get(h, n)",
        files: &[(
            "a.c",
            "static int all[4]; void make_(int *h) { *h = 2; all[2] = 2; } void put_(int *h, int *k) { all[*h] = *k; }\n\
             void get_(int *h, int *n) { *n = all[*h]; }\n",
        )],
        ..case
    }
    .check();
    Case {
        name: "member of a COMMON block",
        declarations: "  common /c/ k, n",
        calls: "  n = 2\n  call fill(k)",
        files: &[("a.c", "void fill_(int *k) { k[1] = 5; }\n")],
        ..case
    }
    .check();
}

/// A reference to a variable as to a procedure would make linkers place it wrongly: POT3D's slice read other numbers than HDF5's.
#[test]
fn slice_reads_the_variables_of_shared_libraries() {
    Case {
        name: "variable of a shared library",
        declarations: "",
        calls: "  block\n    use settings\n    n = level\n  end block",
        before: "gfortran -O1 -shared -fPIC -o liba.so settings.f90",
        files: &[(
            "settings.f90",
            "module settings\n  integer :: level = 3\nend module\n",
        )],
        link: "-L. -la -Wl,-rpath,$PWD",
        dropped: None,
    }
    .check();
}
