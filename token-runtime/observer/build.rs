//! Writes the entries: for every row of the table of MPI functions one for C, one for Fortran and
//! one for `mpi_f08`, each under all names that compilers give it; and gives the shared object its
//! name.

use base_data::mpi::functions::FUNCTIONS;
use base_data::mpi::{Function, Kind, Role};
use std::fmt::Write;
use std::path::Path;

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libmpiete_observer.so");
    println!("cargo:rerun-if-changed=build.rs");
    let folder = std::env::var_os("OUT_DIR").expect("cargo says where results go");
    std::fs::write(Path::new(&folder).join("entries.rs"), entries()).expect("the folder is writable");
}

fn entries() -> String {
    let mut text = String::new();
    // Functions that return a real number are written out by hand.
    let rows = FUNCTIONS.iter().enumerate().filter(|(_, function)| !function.is_fortran_function());
    for (row, function) in rows {
        let fortran = fortran_words(function);
        entry(&mut text, row, "C", c_words(function), &[function.name.to_string()]);
        entry(&mut text, row, "Fortran", fortran, &fortran_symbols(function));
        entry(&mut text, row, "Fortran2008", fortran, &f08_symbols(function));
    }
    text
}

fn entry(text: &mut String, row: usize, binding: &str, words: usize, symbols: &[String]) {
    let names: Vec<String> = (0..words).map(|word| format!("w{word}")).collect();
    let declared: Vec<String> = names.iter().map(|name| format!("{name}: usize")).collect();
    let quoted: Vec<String> = symbols.iter().map(|symbol| format!("c\"{symbol}\"")).collect();
    let (symbols, declared) = (symbols.join(", "), declared.join(", "));
    let (names, quoted) = (names.join(", "), quoted.join(", "));
    writeln!(text, "observed! {{ {symbols}: {row}, {binding}, [{quoted}], ({declared}), [{names}] }}")
        .expect("a string takes everything");
}

/// Arguments in C: `MPI_Init` has `argc` and `argv` before those of the table.
fn c_words(function: &Function) -> usize {
    function.arguments.len() + if function.kind == Kind::Start { 2 } else { 0 }
}

/// Arguments in Fortran: `ierror` behind those of the table, then the lengths of texts.
fn fortran_words(function: &Function) -> usize {
    let texts = function.arguments.iter().filter(|argument| argument.role == Role::Text).count();
    function.arguments.len() + 1 + texts
}

/// As compilers spell the name of an external procedure.
fn fortran_symbols(function: &Function) -> Vec<String> {
    let name = function.fortran_name();
    vec![format!("{name}_"), format!("{name}__"), name.clone(), name.to_uppercase()]
}

/// The specific procedures of the module: those with buffers take descriptors in the MPICH family
/// (`f08ts`) and addresses in Open MPI.
fn f08_symbols(function: &Function) -> Vec<String> {
    let name = function.fortran_name();
    vec![format!("{name}_f08_"), format!("{name}_f08ts_")]
}
