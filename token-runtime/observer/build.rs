//! Writes the entries: for every row of the table of MPI functions one for C, one for Fortran and
//! one for `mpi_f08`, each under all names that compilers give it; and gives the shared object its
//! name.

use mpi_tables::function::{Function, Support};
use mpi_tables::functions::FUNCTIONS;
use mpi_tables::mpi_4_1::SINCE_4_1;
use mpi_tables::roles::{FunctionKind, Role};
use std::fmt::Write;
use std::path::Path;

#[path = "src/unsupported_functions.rs"]
mod unsupported_functions;

#[path = "../oldest/link.rs"]
mod oldest;

// Build scripts need few of the tables' functions.
#[allow(dead_code)]
#[path = "../mpi_tables.rs"]
mod mpi_tables;

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libmpiete_observer.so");
    println!("cargo:rerun-if-changed=build.rs");
    oldest::against_old_c_library().expect("gcc makes libraries without code");
    println!("cargo:rerun-if-changed=src/unsupported_functions.rs");
    let folder = std::env::var_os("OUT_DIR").expect("cargo says where results go");
    std::fs::write(Path::new(&folder).join("entries.rs"), entries())
        .expect("the folder is writable");
}

fn entries() -> String {
    let mut text = String::new();
    // Functions that return a real number are written out by hand.
    let rows = FUNCTIONS.iter().enumerate();
    let rows = rows
        .filter(|(_, function)| {
            !function.is_fortran_function() && !unsupported_functions::is_listed(function.name)
        })
        // The library below may be older: programs that ask the loader for a function must not find it here.
        .filter(|(_, function)| !SINCE_4_1.contains(&function.name));
    for (row, function) in rows {
        let name = function.name;
        let has_form = unsupported_functions::is_understood(function.name)
            && (function.support != Support::Runs || !function.kind.is_recorded());
        let what = if has_form {
            format!("observed {row}")
        } else {
            format!("unsupported \"{name}\"")
        };
        let (c, fortran) = (c_words(function), fortran_words(function));
        entry(&mut text, &what, "C", c, &[function.name.to_string()]);
        entry(
            &mut text,
            &what,
            "Fortran",
            fortran,
            &fortran_symbols(function.name),
        );
        entry(
            &mut text,
            &what,
            "Fortran2008",
            fortran,
            &f08_symbols(function.name, ""),
        );
        if function.position(Role::Count).is_some() {
            let name = format!("{}_c", function.name);
            let what = format!("unsupported \"{name}\"");
            entry(&mut text, &what, "C", c, &[name]);
            entry(
                &mut text,
                &what,
                "Fortran2008",
                fortran,
                &f08_symbols(function.name, "large_"),
            );
        }
    }
    let unsupported = unsupported_functions::UNSUPPORTED
        .iter()
        .map(|group| ("unsupported", group));
    for (what, group) in unsupported.chain(
        unsupported_functions::WAITING
            .iter()
            .map(|group| ("waiting", group)),
    ) {
        let (c, fortran) = (group.arguments, group.arguments + 1 + group.texts);
        for name in group.names {
            let what = format!("{what} \"{name}\"");
            entry(&mut text, &what, "C", c, &[name.to_string()]);
            entry(&mut text, &what, "Fortran", fortran, &fortran_symbols(name));
            entry(
                &mut text,
                &what,
                "Fortran2008",
                fortran,
                &f08_symbols(name, ""),
            );
        }
    }
    text
}

/// One body for all symbols of a function in a binding: `MACRO! { WHAT: BINDING, symbols …, words … }`.
fn entry(text: &mut String, what: &str, binding: &str, words: usize, symbols: &[String]) {
    let names: Vec<String> = (0..words).map(|word| format!("w{word}")).collect();
    let declared: Vec<String> = names.iter().map(|name| format!("{name}: usize")).collect();
    let quoted: Vec<String> = symbols
        .iter()
        .map(|symbol| format!("c\"{symbol}\""))
        .collect();
    let (symbols, declared) = (symbols.join(", "), declared.join(", "));
    let (names, quoted) = (names.join(", "), quoted.join(", "));
    writeln!(
        text,
        "entries! {{ {what}, {binding}: {symbols}; [{quoted}], ({declared}), [{names}] }}"
    )
    .expect("a string takes everything");
}

/// Arguments in C: `MPI_Init` has `argc` and `argv` before those of the table.
fn c_words(function: &Function) -> usize {
    function.arguments.len()
        + if function.kind == FunctionKind::Start {
            2
        } else {
            0
        }
}

/// Arguments in Fortran: `ierror` behind those of the table, then the lengths of texts. The table does not say
/// which arguments of local functions are texts that are read; words that are none do no harm.
fn fortran_words(function: &Function) -> usize {
    const MOST_TEXTS: usize = 2;
    let texts = if function.kind == FunctionKind::Local {
        MOST_TEXTS
    } else {
        0
    };
    function.arguments.len() + 1 + texts
}

/// As compilers spell the name of an external procedure.
fn fortran_symbols(name: &str) -> Vec<String> {
    let name = name.to_lowercase();
    vec![
        format!("{name}_"),
        format!("{name}__"),
        name.clone(),
        name.to_uppercase(),
    ]
}

/// The specific procedures of the module: those with buffers take descriptors in the MPICH family
/// (`f08ts`) and addresses in Open MPI.
fn f08_symbols(name: &str, ending: &str) -> Vec<String> {
    let name = name.to_lowercase();
    vec![
        format!("{name}_f08_{ending}"),
        format!("{name}_f08ts_{ending}"),
    ]
}
