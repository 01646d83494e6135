//! Gives the shared object the name that programs of the MPICH family ask the loader for, and lists
//! the symbols of the functions that it does not have yet.

// The headers need more of it than the list of symbols does.
#[allow(dead_code)]
#[path = "../headers/signatures.rs"]
mod signatures;

#[path = "../oldest/link.rs"]
mod oldest;

// Build scripts need few of the tables' functions.
#[allow(dead_code)]
#[path = "../mpi_tables.rs"]
mod mpi_tables;

use mpi_tables::functions::{FUNCTIONS, Function};
use mpi_tables::roles::Role;
use mpi_tables::unsupported::OTHERS;
use signatures::{Direction, Prototype, Signature};
use std::fmt::Write;
use std::path::Path;

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libmpi.so.12");
    println!("cargo:rerun-if-changed=build.rs");
    oldest::against_old_c_library().expect("gcc makes libraries without code");
    println!("cargo:rerun-if-changed=../headers");
    let text =
        std::fs::read_to_string("../headers/signatures.txt").expect("the signatures are there");
    let (signatures, only_c) = signatures::read(&text);
    let folder = std::env::var_os("OUT_DIR").expect("cargo says where results go");
    std::fs::write(
        Path::new(&folder).join("missing.rs"),
        missing(&signatures, &only_c),
    )
    .expect("the folder is writable");
}

fn missing(signatures: &[Signature], only_c: &[Prototype]) -> String {
    let mut text = String::from("missing! {\n");
    for function in FUNCTIONS
        .iter()
        .chain(OTHERS)
        .filter(|function| !function.support.runs())
    {
        let known = signatures
            .iter()
            .find(|signature| function.name == format!("MPI_{}", signature.name));
        let forms = known.map_or_else(|| forms_of(function), forms);
        forms
            .iter()
            .for_each(|form| form.write(function.name, &mut text));
    }
    // The tool interface is in no table: no Fortran program can call it. No function has more arguments.
    for name in only_c.iter().filter_map(tool) {
        let symbols = [name.to_string(), format!("P{name}")].to_vec();
        Form {
            language: "c",
            symbols,
            words: 0,
            communicator: None,
        }
        .write(name, &mut text);
    }
    text + "}\n"
}

/// The symbols of a function that are called alike.
struct Form {
    language: &'static str,
    symbols: Vec<String>,
    /// Number of its arguments, without Fortran's error code.
    words: usize,
    /// Which of them is a communicator.
    communicator: Option<usize>,
}

impl Form {
    fn write(&self, name: &str, text: &mut String) {
        let Self {
            language,
            symbols,
            words,
            communicator,
        } = self;
        let error = (*language == "fortran").then_some(*words);
        let all: Vec<String> = (0..words + error.iter().len())
            .map(|word| format!("a{word}"))
            .collect();
        let word = |at: Option<usize>| at.map_or_else(String::new, |at| format!("a{at}"));
        let (all, symbols) = (all.join(", "), symbols.join(", "));
        writeln!(
            text,
            "    {language} \"{name}\" ({all}) [{}] [{}]: {symbols};",
            word(*communicator),
            word(error)
        )
        .expect("a string takes everything");
    }
}

/// The name of a function of the tool interface.
fn tool(prototype: &Prototype) -> Option<&str> {
    let name = prototype
        .text
        .split('(')
        .next()?
        .split([' ', '*'])
        .next_back()?;
    name.starts_with("MPI_T_").then_some(name)
}

/// All forms of a function whose arguments are known.
fn forms(signature: &Signature) -> Vec<Form> {
    let name = &signature.name;
    let lower = name.to_lowercase();
    let form = |language, symbols: &[String], large| {
        let is_communicator = |argument: &signatures::Argument| {
            argument.kind == "comm" && argument.direction == Direction::In
        };
        Form {
            language,
            symbols: symbols.to_vec(),
            words: signature.arguments(large).count(),
            communicator: signature.arguments(large).position(is_communicator),
        }
    };
    let mut forms = vec![
        form("c", &[format!("MPI_{name}"), format!("PMPI_{name}")], false),
        form(
            "fortran",
            &[format!("mpi_{lower}_"), format!("pmpi_{lower}_")],
            false,
        ),
    ];
    let f08 = |large| {
        let name = signature.f08_name(large).to_lowercase();
        [format!("mpi_{name}_"), format!("pmpir_{name}_")]
    };
    if !signature.is_old {
        forms.push(form("fortran", &f08(false), false));
    }
    if signature.has_large {
        forms.push(form(
            "c",
            &[format!("MPI_{name}_c"), format!("PMPI_{name}_c")],
            true,
        ));
    }
    if signature.has_large_in_fortran() {
        forms.push(form("fortran", &f08(true), true));
    }
    forms
}

/// The forms of a function that the table alone knows.
fn forms_of(function: &Function) -> Vec<Form> {
    let fortran = function.fortran_symbol();
    let f08 = function.f08_symbol();
    let words = function.arguments.len();
    let communicator = function.position(Role::Communicator);
    let form = |language, symbols| Form {
        language,
        symbols,
        words,
        communicator,
    };
    let profiling = f08.replacen("mpi_", "pmpir_", 1);
    vec![
        form(
            "c",
            vec![function.name.to_string(), function.profiling_name()],
        ),
        form(
            "fortran",
            vec![format!("p{fortran}"), fortran, profiling, f08],
        ),
    ]
}
