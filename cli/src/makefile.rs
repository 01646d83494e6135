//! The makefile of a study: compiles its probes on another machine, and the observed probe against
//! the user's own MPI. How a probe is compiled is in [`crate::compile`].

use crate::build::Language;
use crate::build::preprocessor_flags::without_preprocessor;
use crate::compile::{
    ARGUMENT_MISMATCH_FLAGS, BINARY, CompileFolder, DEFAULT_COMPILER, KEEP_LIBRARIES, OPENMP,
    PROBE_FLAGS, Step, link_flags, quiet_flags, run_path, sources_to_objects,
};
use crate::study::{Probe, Study};

/// Text of the makefile, with a target for each probe of the study.
pub fn of(study: &Study) -> String {
    let has_observed = study.probes.contains(&Probe::Observed);
    let prepared = quoted_words(&without_preprocessor(&study.flags));
    let compiler = match &study.compiler[..] {
        "" => DEFAULT_COMPILER.to_string(),
        named => named.replace('$', "$$"),
    };
    let mut text = HEAD.to_string();
    if has_observed {
        text += OBSERVED_HEAD;
    }
    let flags = [
        ("PROBEFLAGS", PROBE_FLAGS),
        ("SLICEFLAGS", &quiet_flags(Probe::Program).join(" ")),
        ("LENIENT", ARGUMENT_MISMATCH_FLAGS),
        ("KEEP_LIBRARIES", KEEP_LIBRARIES),
        (
            "OPENMP",
            &OPENMP.map(|flag| format!("{flag} {flag}=%")).join(" "),
        ),
        // Last: nothing in them is a name of these.
        ("PREPARED", &prepared),
        ("<FC>", &compiler),
        ("<MPIETE>", &program()),
    ];
    for (name, flags) in flags {
        text = text.replace(name, flags);
    }
    // make predefines FC as f77, so `FC ?=` alone has no effect.
    text += &format!("\nifeq ($(FC),f77)\nFC = {compiler}\nendif\n\nall:");
    for probe in &study.probes {
        // The others need the user's MPI, or serve checks only.
        if matches!(probe, Probe::Program | Probe::Compute) {
            text += &format!(" {}", probe.folder());
        }
    }
    text += "\n.PHONY: all";
    for probe in &study.probes {
        text += &format!(" {}", probe.folder());
    }
    text.push('\n');
    for probe in &study.probes {
        text += &rule(study, *probe);
    }
    text += &LIBRARIES.replace("<NAMES>", &token_runtime::host::LIBRARY_NAMES.join(" "));
    text
}

const HEAD: &str = "\
# Compiles the probes of this study. FC and FFLAGS as when it was prepared; MPI_LIB is the folder
# with the links to mpiete's MPI library that `mpiete record` and `mpiete measure` make here.
FC ?= <FC>
FFLAGS ?= PREPARED
MPI_LIB ?= lib
# Not by `abspath`, which takes a path with a blank for two.
MPI_PATH = $(if $(filter /%,$(MPI_LIB)),$(MPI_LIB),$(CURDIR)/$(MPI_LIB))
# If the study was copied to another machine, its links are renewed to the libraries beside this program. With the redirection,
# GNU Make before 4.3 calls a shell too, of which `command` is a part.
MPIETE ?= $(or $(shell command -v mpiete 2> /dev/null),<MPIETE>)
# Suppresses gfortran's warnings about probes and slices, which contain less than the original.
PROBE_FLAGS ?= PROBEFLAGS $(MPI_FLAGS)
SLICE_FLAGS ?= SLICEFLAGS $(MPI_FLAGS)
# Slices are linked with OpenMP, but compiled without: loops that directives belong to may be gone.
SERIAL_FLAGS = $(filter-out OPENMP,$(FFLAGS))
# Keeps libraries that a slice does not call itself, for the number of threads.
ALL_LIBRARIES = KEEP_LIBRARIES
THREAD_LIBRARY = $(if $(filter OPENMP,$(FFLAGS)),$(ALL_LIBRARIES))
# Lets new versions of GNU Fortran accept MPI calls with one routine for all types.
MPI_FLAGS = $(shell $(FC) LENIENT -fsyntax-only -x f95 /dev/null > /dev/null 2>&1 && echo LENIENT)
";

/// A linker that does not find these libraries takes those of another MPI of the same name.
const LIBRARIES: &str = "
.PHONY: libraries
libraries:
\t@test -e \"$(MPI_LIB)/libmpi.so\" || { \\
\thome=$$(dirname \"$$(readlink -f \"$(MPIETE)\")\"); \\
\tfor folder in \"$(MPIETE_LIB)\" \"$$home/../lib/mpiete\" \"$$home\"; do \\
\tif test \"$(MPI_LIB)\" = lib && test -e \"$$folder/libmpiete_mpi.so\"; then \\
\ttest -e lib || rm -f lib; mkdir -p lib/observer; \\
\tfor name in <NAMES>; do ln -sfn \"$$folder/libmpiete_mpi.so\" lib/$$name; done; \\
\tln -sfn \"$$folder/libmpiete_observer.so\" lib/observer/libmpiete_observer.so; \\
\texit 0; fi; done; \\
\techo \"$(MPI_LIB)/libmpi.so does not exist, so nothing can be linked; call make with MPIETE=PATH/TO/mpiete, whose libraries lie beside it\" >&2; exit 2; }
";

const OBSERVED_HEAD: &str = "\
# The observed probe is for the MPI it will run under: MPIFC is that MPI's compiler, and OBSERVER_LIB the
# folder with libmpiete_observer.so.
MPIFC ?= mpif90
OBSERVER_LIB ?= lib/observer
OBSERVER_PATH = $(if $(filter /%,$(OBSERVER_LIB)),$(OBSERVER_LIB),$(CURDIR)/$(OBSERVER_LIB))
";

fn rule(study: &Study, probe: Probe) -> String {
    let (compiler, flags, link) = match probe {
        Probe::Program => ("$(FC)", "$(SERIAL_FLAGS) $(SLICE_FLAGS)", MPIETES),
        Probe::Compute | Probe::Reference | Probe::Plain | Probe::Profile => {
            ("$(FC)", "$(FFLAGS) $(PROBE_FLAGS)", MPIETES)
        }
        Probe::Observed => ("$(MPIFC)", "$(FFLAGS) $(PROBE_FLAGS)", OBSERVERS),
    };
    let compile_folder = if probe == Probe::Observed {
        CompileFolder::FOREIGN
    } else {
        CompileFolder::PROBE
    };
    let (mut steps, objects) = sources_to_objects(study, &compile_folder, &[flags.to_string()]);
    let mut arguments = vec![
        // A slice is compiled without OpenMP, but linked with it.
        flags.replace("SERIAL_FLAGS", "FFLAGS"),
        "-o".to_string(),
        BINARY.to_string(),
    ];
    for word in link.first {
        arguments.push(word.to_string());
    }
    if probe != Probe::Observed {
        arguments.push(run_path(&compile_folder));
    }
    arguments.extend(objects);
    arguments.extend(link_flags(study));
    arguments.extend_from_slice(&study.link);
    for word in link.last {
        arguments.push(word.to_string());
    }
    if probe == Probe::Program {
        arguments.push("$(THREAD_LIBRARY)".to_string());
    }
    steps.push(Step {
        language: Language::Fortran,
        arguments,
    });
    let mut lines = String::new();
    for mut step in steps {
        step.disable_openmp(probe);
        let command = match step.language {
            Language::Fortran => compiler,
            Language::C => "$(CC)",
            Language::Cxx => "$(CXX)",
        };
        lines += &format!("\tcd $@ && {command} {}\n", quoted_words(&step.arguments));
    }
    format!("\n{}: libraries\n{lines}", probe.folder())
}

/// The program that writes the makefile, for those who have none in PATH.
fn program() -> String {
    let path = std::env::current_exe().unwrap_or_else(|_| "mpiete".into());
    path.display().to_string().replace('$', "$$")
}

/// Words before and after all others of a link command.
struct LinkWords {
    first: &'static [&'static str],
    last: &'static [&'static str],
}

/// mpiete's MPI library is linked by its path, since other MPI libraries may lie in folders that the build names.
const MPIETES: LinkWords = LinkWords {
    first: &[],
    last: &["\"$(MPI_PATH)/libmpi.so\""],
};

/// The observer stands before the MPI library that MPIFC adds. The linker must keep that library: the probe calls the observer
/// only, and the observer calls the library.
const OBSERVERS: LinkWords = LinkWords {
    first: &["\"-L$(OBSERVER_PATH)\""],
    last: &[
        "-lmpiete_observer",
        "\"-Wl,-rpath,$(OBSERVER_PATH)\"",
        "-Wl,--no-as-needed",
    ],
};

/// A word quoted for a shell in a makefile. Words with `$(` are for make.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+,@".contains(c);
    if word.contains("$(") || word.chars().all(is_plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', "'\\''").replace('$', "$$"))
}

fn quoted_words(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    quoted.join(" ")
}
