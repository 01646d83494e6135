//! Gives the shared object the name that programs of the MPICH family ask the loader for, and lists
//! the symbols of the functions that it does not have yet.

// The headers need more of it than the list of symbols does.
#[allow(dead_code)]
#[path = "../headers/signatures.rs"]
mod signatures;

#[path = "../oldest/link.rs"]
mod oldest;

use base_data::mpi::functions::{FUNCTIONS, Function};
use base_data::mpi::others::OTHERS;
use signatures::{Prototype, Signature};
use std::fmt::Write;
use std::path::Path;

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libmpi.so.12");
    println!("cargo:rerun-if-changed=build.rs");
    oldest::against_old_c_library().expect("gcc makes libraries without code");
    println!("cargo:rerun-if-changed=../headers");
    let text = std::fs::read_to_string("../headers/signatures.txt").expect("the signatures are there");
    let (signatures, only_c) = signatures::read(&text);
    let folder = std::env::var_os("OUT_DIR").expect("cargo says where results go");
    std::fs::write(Path::new(&folder).join("missing.rs"), missing(&signatures, &only_c))
        .expect("the folder is writable");
}

fn missing(signatures: &[Signature], only_c: &[Prototype]) -> String {
    let mut text = String::from("missing! {\n");
    for function in FUNCTIONS.iter().chain(OTHERS).filter(|function| !function.support.runs()) {
        let known = signatures.iter().find(|signature| function.name == format!("MPI_{}", signature.name));
        let symbols = known.map_or_else(|| symbols_of(function), symbols);
        writeln!(text, "    \"{}\": {};", function.name, symbols.join(", "))
            .expect("a string takes everything");
    }
    // The tool interface is in no table: no Fortran program can call it.
    for name in only_c.iter().filter_map(tool) {
        writeln!(text, "    \"{name}\": {name}, P{name};").expect("a string takes everything");
    }
    text + "}\n"
}

/// The name of a function of the tool interface.
fn tool(prototype: &Prototype) -> Option<&str> {
    let name = prototype.text.split('(').next()?.split([' ', '*']).next_back()?;
    name.starts_with("MPI_T_").then_some(name)
}

/// All symbols of a function whose arguments are known.
fn symbols(signature: &Signature) -> Vec<String> {
    let name = &signature.name;
    let lower = name.to_lowercase();
    let mut symbols = [format!("MPI_{name}"), format!("PMPI_{name}")].to_vec();
    symbols.extend([format!("mpi_{lower}_"), format!("pmpi_{lower}_")]);
    let f08 = |large| {
        let name = signature.f08_name(large).to_lowercase();
        [format!("mpi_{name}_"), format!("pmpir_{name}_")]
    };
    if !signature.is_old {
        symbols.extend(f08(false));
    }
    if signature.has_large {
        symbols.extend([format!("MPI_{name}_c"), format!("PMPI_{name}_c")]);
    }
    if signature.has_large_in_fortran() {
        symbols.extend(f08(true));
    }
    symbols
}

/// The symbols of a function that the table alone knows.
fn symbols_of(function: &Function) -> Vec<String> {
    let fortran = function.fortran_symbol();
    let f08 = function.f08_symbol();
    let mut symbols = [function.name.to_string(), function.profiling_name()].to_vec();
    symbols.extend([format!("p{fortran}"), fortran]);
    symbols.extend([f08.replacen("mpi_", "pmpir_", 1), f08]);
    symbols
}
